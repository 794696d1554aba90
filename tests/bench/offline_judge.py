"""Learning curve of the offline judge on answers it has not seen, beside answer length and the majority mark.

Run `uv run python -m tests.bench.offline_judge [seeds]`. Real answers are read from `shared/data` beside the repo.
"""

from __future__ import annotations

import csv
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from components.judge.offline import LearnedMarker, MarkedAnswer, NotEnough, OfflineJudge, train
from components.marking import MarkingPoint, Question, QuestionType, Response, Scheme

REPO = Path(__file__).parents[2]
SHARED = REPO.parent / "shared" / "data"
DEMO = REPO / "assets" / "demo" / "questions"
SIZES = (10, 25, 50, 100, 200)
LEAST_HELD_OUT = 6
LEAST_SPREAD = 0.15  # SD of the marks as a share of the maximum; below it a QWK is mostly noise


@dataclass(frozen=True)
class Marked:
    """A question with its answers, the teacher's marks and, where there are any, a second teacher's."""

    question: Question
    scheme: Scheme
    texts: tuple[str, ...]
    marks: np.ndarray
    second: np.ndarray | None = None


@dataclass
class Tally:
    """Marks on held-out answers of one question, over all seeds."""

    given: list[float]
    true: list[float]

    @property
    def qwk(self) -> float:
        """1 − nΣd² / (nΣx² + nΣy² − 2ΣxΣy)."""
        x, y = np.array(self.given), np.array(self.true)
        n = len(x)
        spread = n * (x @ x) + n * (y @ y) - 2 * x.sum() * y.sum()
        return float(1 - n * ((x - y) @ (x - y)) / spread) if spread > 0 else float("nan")


def nn_exam() -> Iterator[Marked]:
    """40 questions on neural networks, marks 0 to 2, one teacher; the scheme is a model answer."""
    folder = SHARED / "nn_exam"
    with (folder / "questions.csv").open(encoding="utf-8", newline="") as file:
        asked = {row["id"]: row for row in csv.DictReader(file, delimiter="\t")}
    with (folder / "answers.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["answer"].strip()]
    for number, row in asked.items():
        own = [answer for answer in rows if answer["id"] == number]
        question = Question(
            number=number, type=QuestionType.SHORT, text=row["question"], max_mark=2, model_answer=row["solution"]
        )
        yield Marked(
            question, Scheme(max_mark=2), tuple(a["answer"] for a in own), np.array([float(a["score"]) for a in own])
        )


def physics_two_raters() -> Iterator[Marked]:
    """Three physics questions with three rubric items each as marking points, two teachers."""
    folder = SHARED / "physics_two_raters"
    rubrics = json.loads((folder / "rubrics.json").read_text(encoding="utf-8"))
    with (folder / "physics_flat.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for number, rubric in rubrics.items():
        own = [row for row in rows if row["question"] == number]
        items = re.split(r"#\s*Item \d+:", rubric["rubric_detailed"])[1:]
        points = tuple(_physics_point(f"MP{i}", item) for i, item in enumerate(items, 1))
        question = Question(number=number, type=QuestionType.SHORT, text=rubric["problem"], max_mark=3)
        yield Marked(
            question,
            Scheme(max_mark=3, points=points),
            tuple(row["response"] for row in own),
            np.array([float(row["human1_total"]) for row in own]),
            np.array([float(row["human2_total"]) for row in own]),
        )


def _physics_point(code: str, item: str) -> MarkingPoint:
    lines = [line.strip(' *"\t') for line in item.splitlines()]
    first, *rest = [line for line in lines if line]
    return MarkingPoint(code=code, text=first, accept=tuple(rest))


def demo() -> Iterator[Marked]:
    """The demo exam's written questions, marked by one examiner with care and by a second."""
    for path in sorted(DEMO.glob("*.json")):
        entry = json.loads(path.read_text(encoding="utf-8"))
        question, scheme = entry["question"], entry["scheme"]
        if question["type"] not in ("short", "working"):
            continue
        limits = {"max_mark": question["max_mark"], "mark_step": question["mark_step"]}
        own = [a for a in entry["answers"] if a["text"].strip() and None not in (a["mark"], a["second_mark"])]
        yield Marked(
            Question.model_validate(question),
            Scheme.model_validate({**limits, **scheme}),
            tuple(answer["text"] for answer in own),
            np.array([float(answer["mark"]) for answer in own]),
            np.array([float(answer["second_mark"]) for answer in own]),
        )


def wording_marks(data: Marked) -> np.ndarray:
    """The wording check's mark for every answer."""
    judge = OfflineJudge()
    proposals = [judge.propose(data.question, data.scheme, Response(id="a", text=text)) for text in data.texts]
    return np.array([np.nan if p.mark is None else p.mark for p in proposals])


def length_marks(texts: Sequence[str], marks: np.ndarray, new: Sequence[str]) -> np.ndarray:
    """Baseline: a line through log length, cut where the distribution of its fits meets the marks'."""
    lengths, news = (np.log1p([len(text.split()) for text in some]) for some in (texts, new))
    slope = np.cov(lengths, marks)[0, 1] / max(float(np.var(lengths)), 1e-9)
    order = np.sort(marks)
    places = np.searchsorted(np.sort(slope * lengths), slope * news)
    return np.asarray(order[np.minimum(places, len(order) - 1)])


def majority_mark(marks: np.ndarray) -> float:
    """Baseline: the commonest mark, the lower of equals."""
    values, counts = np.unique(marks, return_counts=True)
    return float(values[counts.argmax()])


@dataclass
class Curve:
    """What held-out marks of one set come to at one number of training marks, question by question."""

    learned: list[float]
    length: list[float]
    majority: list[float]
    claimed: list[float]
    exact: list[bool]
    surest: list[bool]
    called_sure: list[bool]
    trusted: list[bool]
    held: list[float]
    seconds: list[float]


def curve(sets: Sequence[Marked], n: int, seeds: int, with_unmarked: bool) -> tuple[int, Curve]:
    """Trains on n answers of each question that has enough and marks the rest; questions used, and the results."""
    result = Curve(*([] for _ in range(10)))  # type: ignore[arg-type]
    used = [d for d in sets if len(d.texts) >= n + LEAST_HELD_OUT]
    for data in used:
        learned, held, length, majority = (Tally([], []) for _ in range(4))
        for seed in range(seeds):
            order = np.random.default_rng([seed, n]).permutation(len(data.texts))
            known, new = order[:n], order[n:]
            texts, marks = [data.texts[i] for i in known], data.marks[known]
            news, true = [data.texts[i] for i in new], data.marks[new]
            start = time.perf_counter()
            marked = [MarkedAnswer(t, float(m)) for t, m in zip(texts, marks, strict=True)]
            marker = train(data.question, data.scheme, marked, news if with_unmarked else ())
            result.seconds.append(time.perf_counter() - start)
            given = _learned_marks(marker, marks, news, true, result)
            for tally, values in (
                (learned, given),
                (length, length_marks(texts, marks, news)),
                (majority, [majority_mark(marks)] * len(new)),
            ):
                tally.given += list(values)
                tally.true += list(true)
            if isinstance(marker, LearnedMarker) and marker.trusted:
                held.given += list(given)
                held.true += list(true)
        result.learned.append(learned.qwk)
        result.length.append(length.qwk)
        result.majority.append(majority.qwk)
        if held.given:
            result.held.append(held.qwk)
    return len(used), result


def _learned_marks(
    marker: LearnedMarker | NotEnough, marks: np.ndarray, news: Sequence[str], true: np.ndarray, result: Curve
) -> np.ndarray:
    if isinstance(marker, NotEnough):
        result.trusted.append(False)
        return np.full(len(news), majority_mark(marks))
    guesses = [marker.guess(text) for text in news]
    given = np.array([guess.mark for guess in guesses])
    right = given == true
    surest = np.argsort([-guess.certainty for guess in guesses], kind="stable")[: max(1, len(news) // 4)]
    result.claimed.append(marker.qwk)
    result.trusted.append(marker.trusted)
    result.exact += right.tolist()
    result.surest += right[surest].tolist()
    result.called_sure += [bool(r) for r, g in zip(right, guesses, strict=True) if g.confidence.value == "sure"]
    return given


def report(name: str, load: Callable[[], Iterator[Marked]], seeds: int) -> None:
    """Prints the learning curve of one set."""
    every = list(load())
    sets = [d for d in every if d.marks.std() >= LEAST_SPREAD * d.question.max_mark]
    print(f"\n{name}: {len(sets)} of {len(every)} questions have marks that differ enough to measure")
    doubled = [Tally(list(d.marks), list(d.second)).qwk for d in sets if d.second is not None]
    if doubled:
        print(f"  second teacher: QWK {np.mean(doubled):.2f}")
    zero = [Tally(list(w[~np.isnan(w)]), list(d.marks[~np.isnan(w)])).qwk for d in sets for w in [wording_marks(d)]]
    print(f"  0 marks, wording check: QWK {np.nanmean(zero):.2f} ({len(zero)} questions)")
    print(
        "   n  questions  learned  (no unmarked)  length  majority | own test  trusted  QWK trusted | exact  surest ¼"
    )
    for n in SIZES:
        used, got = curve(sets, n, seeds, with_unmarked=True)
        if not used:
            print(f"{n:4d}  no question has {n + LEAST_HELD_OUT} answers")
            continue
        _, alone = curve(sets, n, seeds, with_unmarked=False)
        print(
            f"{n:4d}  {used:9d}  {np.nanmean(got.learned):7.2f}  {np.nanmean(alone.learned):13.2f}"
            f"  {np.nanmean(got.length):6.2f}  {np.nanmean(got.majority):8.2f} | {np.nanmean(got.claimed):8.2f}"
            f"  {np.mean(got.trusted):7.0%}  {np.nanmean(got.held) if got.held else float('nan'):9.2f}"
            f" | {np.mean(got.exact):5.2f}  {np.mean(got.surest):8.2f}"
            f"   called sure: {np.mean(got.called_sure or [np.nan]):.2f} of {len(got.called_sure)};"
            f" a fit takes {np.mean(got.seconds):.2f} s"
        )


def main() -> None:
    """Prints every set there is, and says which is not."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    sets: tuple[tuple[str, Path, Callable[[], Iterator[Marked]]], ...] = (
        ("nn_exam", SHARED / "nn_exam", nn_exam),
        ("physics_two_raters", SHARED / "physics_two_raters", physics_two_raters),
        ("demo exam", DEMO, demo),
    )
    print(f"QWK on held-out answers, per question over {seeds} seeds, then the mean over questions.")
    for name, folder, load in sets:
        if folder.is_dir():
            report(name, load, seeds)
        else:
            print(f"\n{name}: absent, {folder.name} was not found beside the repo")


if __name__ == "__main__":
    main()
