"""What a refresh of the agreement page costs at the store, with 10,000, 100,000 and 1,000,000 marked responses.

Run `uv run python -m tests.bench.dashboard [responses …]`.

One exam of 40 questions, a judge's proposal and a teacher's mark on every response, one in ten marked blind, one in
fifty by two teachers. A refresh is what the page does when another session has decided: read the pulse, then work the
figures out again. Goal: under 100 ms with 1,000,000. Filters that tallies cannot answer count their pairs instead.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np

from components.marking import Marker, Outcome, Question, QuestionType, Scheme, Stage
from components.workflow.agreement.figures import exam_figures
from components.workflow.agreement.pulse import pulse
from components.workflow.agreement.selection import Selection
from components.workflow.connections import default_judges
from storage import Store, decisions, exams, markers, responses, standings
from tests.support import add_marker, new_store

QUESTIONS = 40
ROUNDS = 15
GOAL_MS = 100


def filled(folder: Path, n: int) -> tuple[Store, int, Marker]:
    """A store whose exam has n marked responses."""
    store = new_store(folder)
    teacher, second = add_marker(store, "Ms Khan"), add_marker(store, "Mr Okoro")
    _, offline = default_judges(store)
    draw = np.random.default_rng(5)
    with store.write(durable=False) as db:
        exam_id = exams.add_exam(db, "Bench", judge_id=offline)
        maxima = [1 + i % 6 for i in range(QUESTIONS)]
        ids = []
        for i, most in enumerate(maxima):
            question = Question(
                number=str(i + 1), type=QuestionType.SHORT, text="Why?", max_mark=most, tolerance=most > 1
            )
            ids.append(exams.add_question(db, exam_id, question, Scheme(max_mark=most)))
        numbers = [f"{i:06}" for i in range(n // QUESTIONS)]
        candidates = list(responses.add_candidates(db, exam_id, numbers).values())
        db.execute("UPDATE candidates SET groups = json_object('class', 'c' || (position % 200))")
        stored = responses.add_responses(db, exam_id, [(q, c, "an answer") for q in ids for c in candidates])
        schemes = {q.id: q.scheme_id for q in exams.questions(db, exam_id)}
        most_of = dict(zip(ids, maxima, strict=True))
        proposed, decided = [], []
        noise = draw.normal(0, 0.7, (len(stored), 2))
        for ((question_id, _), response_id), (first, other) in zip(stored.items(), noise, strict=True):
            most, scheme = most_of[question_id], schemes[question_id]
            true = response_id % (most + 1)
            ai, given = (min(most, max(0, round(true + shift))) for shift in (first, other))
            day = f"2026-11-{1 + response_id % 28:02}T10:00:00.000000+00:00"
            proposed.append((response_id, response_id, offline, scheme, ai, day))
            stage = "blind" if response_id % 10 == 0 else "ai_first"
            decided.append((response_id, teacher.id, stage, given, response_id, scheme, day))
            if response_id % 50 == 0:
                decided.append((response_id, second.id, "imported", given, response_id, scheme, day))
        db.conn.executemany(
            "INSERT INTO proposals (id, response_id, judge_id, scheme_id, status, mark, confidence, label, created_at) "
            "VALUES (?, ?, ?, ?, 'proposed', ?, 'sure', 'bench', ?)",
            proposed,
        )
        db.execute(
            "INSERT INTO sightings SELECT response_id, ?, id, '2026-10-01' FROM proposals WHERE response_id % 10 <> 0",
            (teacher.id,),
        )
        db.conn.executemany(
            "INSERT INTO decisions (response_id, marker_id, outcome, stage, mark, proposal_id, scheme_id, seconds, "
            "created_at) VALUES (?, ?, 'mark', ?, ?, ?, ?, 8, ?)",
            decided,
        )
        standings.refresh_exam(db, exam_id)
    return store, exam_id, teacher


def milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


def refreshes(store: Store, exam_id: int, teacher: Marker) -> list[float]:
    """Milliseconds of each refresh after a blind mark that another session has just given."""
    with store.read() as db:
        some = db.execute(
            "SELECT response_id FROM standings WHERE exam_id = ? AND response_id % 10 = 0 LIMIT ?", (exam_id, ROUNDS)
        ).fetchall()
    taken = []
    for row in some:
        with store.write(durable=False) as db:
            decisions.record(db, row["response_id"], teacher.id, Outcome.MARK, Stage.BLIND, mark=1, seconds=3)
        taken.append(milliseconds(lambda: (pulse(store, exam_id), exam_figures(store, Selection(exam_id)))))
    return taken


def deciding(store: Store, exam_id: int, teacher: Marker) -> float:
    """Median milliseconds of storing one mark, with its tallies."""
    with store.read() as db:
        some = db.execute("SELECT response_id FROM standings WHERE exam_id = ? LIMIT ?", (exam_id, ROUNDS)).fetchall()

    def decide(response_id: int) -> None:
        with store.write(durable=False) as db:
            decisions.record(db, response_id, teacher.id, Outcome.MARK, Stage.REVEALED, mark=1)

    return statistics.median(milliseconds(lambda row=row: decide(row["response_id"])) for row in some)


def measure(n: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        store, exam_id, teacher = filled(Path(folder), n)
        print(f"{n:>9,} responses, filled in {time.perf_counter() - started:.0f} s", flush=True)
        figures = lambda **parts: exam_figures(store, Selection(exam_id, **parts))  # noqa: E731
        found = {
            "first look": milliseconds(figures),
            "a beat without news": statistics.median(
                milliseconds(lambda: pulse(store, exam_id)) for _ in range(ROUNDS)
            ),
            "refresh": statistics.median(refreshes(store, exam_id, teacher)),
            "storing a mark": deciding(store, exam_id, teacher),
            "one question": milliseconds(lambda: figures(questions=("7",))),
            "blind only": milliseconds(lambda: figures(stage=Stage.BLIND)),
            "one marker": milliseconds(lambda: figures(marker_id=teacher.id)),
            "a week": milliseconds(lambda: figures(since=date(2026, 11, 1), until=date(2026, 11, 7))),
            "one class": milliseconds(lambda: figures(groups=(("class", "c7"),))),
        }
        with store.read() as db:
            assert markers.get(db, teacher.id) is not None
        store.close()
    return found


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or [10_000, 100_000, 1_000_000]
    results = {n: measure(n) for n in sizes}
    print(f"\n{'milliseconds':<22}" + "".join(f"{n:>12,}" for n in sizes) + "   growth")
    for name in results[sizes[0]]:
        row = [results[n][name] for n in sizes]
        print(f"{name:<22}" + "".join(f"{ms:>12.1f}" for ms in row) + f"   × {row[-1] / row[0]:.1f}")
    last = results[sizes[-1]]["refresh"]
    print(f"\nrefresh with {sizes[-1]:,}: {last:.0f} ms (goal {GOAL_MS}: {'holds' if last < GOAL_MS else 'MISSED'})")


if __name__ == "__main__":
    main()
