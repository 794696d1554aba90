"""From a decision to the next response fully on screen, measured inside the page, at 100 and at 32,000 responses.

`uv run python -m tests.bench.marking_latency [decisions]` prints both. A decision is one press of A. The clock starts
at the keydown event in the page and stops after the frame in which the next answer stands, its buttons alive. Beside
it, in the same run: the same with a digit, and with → alone, which decides nothing.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page

from components.marking import Confidence, Evidence, PointVerdict, Role, propose_from
from components.workflow.connections import default_judges
from storage import Store, exams, markers, proposals, responses
from tests.browser import running_app, running_browser, sign_in
from tests.support import two_point_question

QUESTIONS = 20
SENTENCE = "the enzyme is denatured so its active site no longer fits the substrate and the rate falls quickly"
WORDS = SENTENCE.split(" ")

ARM = """() => {
  const find = root => {
    for (const each of root.querySelectorAll('*')) {
      if (each.shadowRoot && each.shadowRoot.querySelector('.desk')) return each.shadowRoot.querySelector('.desk')
    }
  }
  const desk = find(document)
  const before = desk.dataset.ready
  window.measured = new Promise(resolve => {
    let pressed = null
    window.addEventListener('keydown', event => { pressed = event.timeStamp }, { capture: true, once: true })
    const look = () => {
      // data-ready is set two frames after the answer was drawn, when it has been painted and its buttons answer.
      if (pressed !== null && desk.dataset.ready !== before) resolve(performance.now() - pressed)
      else requestAnimationFrame(look)
    }
    look()
  })
}"""


def seed(folder: Path, count: int) -> None:
    """An exam of `count` responses with a proposal each, in bulk but through the store's own functions."""
    store = Store(folder / "second-marker.db")
    _, offline = default_judges(store)
    with store.write() as db:
        markers.add(db, "Bench teacher", Role.TEACHER)
        exam_id = exams.add_exam(db, "Bench", judge_id=offline, blind_share=0)
        per_question = count // QUESTIONS
        candidates = list(responses.add_candidates(db, exam_id, [f"{i:05d}" for i in range(per_question)]).values())
        pairs = [two_point_question(str(q + 1)) for q in range(QUESTIONS)]
        ids = [exams.add_question(db, exam_id, *pair) for pair in pairs]
        schemes = {question.id: question for question in exams.questions(db, exam_id)}
        answers = [
            (q, c, " ".join(WORDS[(q + c + i) % len(WORDS)] for i in range(45))) for q in ids for c in candidates
        ]
        stored = responses.add_responses(db, exam_id, answers)
        for (question_id, candidate_id), response_id in stored.items():
            scheme = schemes[question_id].scheme
            quote = WORDS[(question_id + candidate_id) % len(WORDS)]
            verdicts = tuple(
                PointVerdict(
                    code=code, awarded=True, evidence=(Evidence(quote=quote, start=0, end=len(quote)),), reason="Found."
                )
                for code in ("M1", "A1")
            )
            made = propose_from(
                verdicts, scheme, label="Offline matcher, not an LLM", confidence=Confidence.FAIRLY_SURE
            )
            proposals.add(db, response_id, offline, schemes[question_id].scheme_id, made)


def press_and_measure(page: Page, key: str, times: int) -> list[float]:
    taken = []
    for _ in range(times):
        page.evaluate(ARM)
        page.keyboard.press(key)
        taken.append(float(page.evaluate("() => window.measured")))
        page.wait_for_timeout(150)  # a person does not press the instant the paint is done
    return taken


def line(label: str, taken: list[float]) -> str:
    cut = statistics.quantiles(taken, n=20)
    return f"{label:<42} median {statistics.median(taken):6.0f} ms   p95 {cut[18]:6.0f} ms   max {max(taken):6.0f} ms"


def main(decisions: int) -> None:
    medians = {}
    with tempfile.TemporaryDirectory() as top, running_browser() as browser:
        for count in (100, 32_000):
            folder = Path(top) / str(count)
            folder.mkdir()
            seed(folder, count)
            with running_app(folder) as server:
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                sign_in(page, server.url, "Bench teacher")
                page.locator(".desk .answer").wait_for()
                press_and_measure(page, "a", 3)
                accepted = press_and_measure(page, "a", decisions)
                given = press_and_measure(page, "1", min(decisions, 25))
                moved = press_and_measure(page, "ArrowRight", 12)
                medians[count] = statistics.median(accepted)
                print(line(f"{count:>6} responses · A accepts", accepted))
                print(line(f"{count:>6} responses · a digit gives a mark", given))
                print(line(f"{count:>6} responses · → moves on", moved))
                page.close()
    print(f"growth from 100 to 32,000: × {medians[32_000] / medians[100]:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
