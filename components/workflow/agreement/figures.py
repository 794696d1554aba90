"""An exam's agreement figures, read from tallies that every decision keeps up to date, and the accept rate apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np

from components.agreement import (
    ExamAgreement,
    QuestionAgreement,
    QuestionPairs,
    QuestionSums,
    SecondMarkerReport,
    Share,
    Statistic,
    anchoring_effect_over,
    exam_from_sums,
    from_sums,
    pairs_to_settle,
    quadratic_weighted_kappa_interval,
    question_agreement,
    question_sums,
    second_marker_report,
    share,
)
from components.marking import Question, Stage
from components.workflow.agreement.selection import Selection
from storage import Store, exams, judges, pairs
from storage.exams import Exam, StoredQuestion
from storage.pairs import Cell, DoubleCell

Alike = tuple[float, float, int]
"""(the AI's mark, the teacher's mark, how many pairs have just these)."""

_C = TypeVar("_C", Cell, DoubleCell)
CONFIDENCES = ("sure", "fairly sure", "unsure")


@dataclass(frozen=True)
class AcceptRate:
    """Marks given with the proposal in view: how many are the proposal's own, how many teachers put up or down."""

    accepted: Share
    up: int
    down: int


@dataclass(frozen=True)
class Pace:
    """Mean seconds a response, over the `n` marks that have a time; None where none has."""

    n: int
    seconds: float | None


@dataclass(frozen=True)
class QuestionFigures:
    """One question's figures for one judge: `judge` is None before there are any proposals.

    `alike` are its pairs, equal ones counted together; `by_confidence` the same for each confidence of the judge's.
    `teachers` is the QWK of two teachers on the responses that two have marked and the judge too, and
    `double_marked` their number. `enough` is how many pairs in all would bring its QWK to ± .1 on an
    interval that is watched all the while.
    """

    question_id: int
    question: Question
    judge_id: int | None
    judge: str | None
    agreement: QuestionAgreement
    accept: AcceptRate
    blind: int
    imported: int
    pace_blind: Pace
    pace_visible: Pace
    alike: tuple[Alike, ...]
    by_confidence: dict[str, tuple[Alike, ...]]
    teachers: Statistic
    double_marked: int
    enough: Statistic


@dataclass(frozen=True)
class Together:
    """Several questions taken together, and the judges they are about. `mean_signed` is in marks a response, with +
    where the AI is lenient; `agreement` and `accept` never share a pair."""

    judges: tuple[str, ...]
    questions: tuple[str, ...]
    agreement: ExamAgreement
    mean_signed: Statistic
    accept: AcceptRate


@dataclass(frozen=True)
class ExamFigures:
    """The figures of a selection of an exam.

    `by_judge` splits `overall` where more than one judge has proposals on the desk. `second_marker` compares the AI
    with two teachers where two have marked the same responses; None without any, and where the selection picks among
    teachers' marks (a marker, a stage, days), as two teachers' are not of one kind. `anchoring` is exact agreement with
    the proposal in view minus that of blind marks, over the questions that have both.
    """

    exam: Exam
    selection: Selection
    questions: tuple[QuestionFigures, ...]
    overall: Together
    by_judge: tuple[Together, ...]
    second_marker: SecondMarkerReport | None
    anchoring: Statistic
    blind_pairs: int
    imported_pairs: int
    last_mark_at: str | None


@dataclass(frozen=True)
class _Counted:
    figures: QuestionFigures
    sums: QuestionSums


def exam_figures(store: Store, selection: Selection, fewest: int = 0) -> ExamFigures:
    """The selection's figures as they stand. Raises LookupError where there is no such exam.

    Questions with under `fewest` pairs are as if they had none: to a teacher who is still to mark blind, a figure of
    one response would tell what the AI gave it.

    Blind and imported marks alone make agreement, marks given with the proposal in view alone the accept rate. Where
    the selection names no judge, each question counts the judge whose proposals stand on the desk for it.
    """
    with store.read() as db:
        exam = exams.get(db, selection.exam_id)
        if exam is None:
            raise LookupError(f"There is no exam {selection.exam_id}.")
        questions = [stored for stored in exams.questions(db, exam.id) if selection.chooses(stored)]
        wanted = selection.wanted(questions)
        on_desk = pairs.judges_on_desk(db, exam.id) if selection.judge_id is None else {}
        names = {judge.id: judge.name for judge in (*judges.listed(db), *judges.retired(db))}
        agreement = pairs.cells(db, pairs.AGREEMENT, wanted)
        accept = pairs.cells(db, pairs.ACCEPT, wanted)
        double = [] if selection.of_one_teacher else pairs.double_cells(db, wanted)
        last_mark_at = pairs.last_mark_at(db, exam.id)
    judge_of = {stored.id: selection.judge_id or on_desk.get(stored.id) for stored in questions}
    agreed, accepted = _by_question(agreement, judge_of), _by_question(accept, judge_of)
    doubled = _by_question(double, judge_of)
    for question_id, cells in agreed.items():
        if sum(cell.n for cell in cells) < fewest:
            cells.clear()
            doubled.pop(question_id, None)
    counted = [
        _question(
            stored,
            judge_of[stored.id],
            names.get(judge_of[stored.id] or 0),
            agreed[stored.id],
            accepted[stored.id],
            doubled[stored.id],
        )
        for stored in questions
    ]
    judged = dict.fromkeys(c.figures.judge for c in counted if c.figures.judge)
    by_judge = [[c for c in counted if c.figures.judge == name] for name in judged]
    return ExamFigures(
        exam=exam,
        selection=selection,
        questions=tuple(c.figures for c in counted),
        overall=_together(counted),
        by_judge=tuple(_together(part) for part in by_judge) if len(by_judge) > 1 else (),
        second_marker=_second_marker([(c.figures, doubled[c.figures.question_id]) for c in counted]),
        anchoring=_anchoring(agreed, accepted),
        blind_pairs=sum(c.figures.blind for c in counted),
        imported_pairs=sum(c.figures.imported for c in counted),
        last_mark_at=last_mark_at,
    )


def _by_question(found: Iterable[_C], judge_of: dict[int, int | None]) -> dict[int, list[_C]]:
    grouped: dict[int, list[_C]] = defaultdict(list)
    for cell in found:
        if judge_of.get(cell.question_id) == cell.judge_id:
            grouped[cell.question_id].append(cell)
    return grouped


def _question(
    stored: StoredQuestion,
    judge_id: int | None,
    judge: str | None,
    agreed: list[Cell],
    accepted: list[Cell],
    doubled: list[DoubleCell],
) -> _Counted:
    question = stored.question
    alike = _alike(agreed)
    made, sums, enough = _agreement(question.number, alike, question.max_mark, question.mark_step, question.tolerance)
    by_stage = {stage: sum(cell.n for cell in agreed if cell.stage is stage) for stage in (Stage.BLIND, Stage.IMPORTED)}
    return _Counted(
        QuestionFigures(
            question_id=stored.id,
            question=question,
            judge_id=judge_id,
            judge=judge,
            agreement=made,
            accept=_accept_rate(accepted),
            blind=by_stage[Stage.BLIND],
            imported=by_stage[Stage.IMPORTED],
            pace_blind=_pace(agreed),
            pace_visible=_pace(accepted),
            alike=alike,
            by_confidence={
                level: _alike([cell for cell in agreed if cell.confidence == level])
                for level in (*CONFIDENCES, "")
                if any(cell.confidence == level for cell in agreed)
            },
            teachers=_teachers(tuple((cell.first, cell.second, cell.n) for cell in doubled)),
            double_marked=sum(cell.n for cell in doubled),
            enough=enough,
        ),
        sums,
    )


def _alike(cells: Iterable[Cell]) -> tuple[Alike, ...]:
    counted: dict[tuple[float, float], int] = defaultdict(int)
    for cell in cells:
        counted[cell.ai, cell.teacher] += cell.n
    return tuple((ai, teacher, n) for (ai, teacher), n in sorted(counted.items()))


def each_pair(alike: Sequence[Alike]) -> tuple[np.ndarray, np.ndarray]:
    """The AI's and the teacher's marks of pairs that were counted together, one entry a pair."""
    ai, teacher, n = np.array(alike, dtype=np.float64).reshape(-1, 3).T
    times = n.astype(np.intp)
    return np.repeat(ai, times), np.repeat(teacher, times)


# A decision moves one question: the others' figures, half a second of work for 328 questions, are kept.
@lru_cache(maxsize=4096)
def _agreement(
    number: str, alike: tuple[Alike, ...], max_mark: float, step: float, tolerance: float
) -> tuple[QuestionAgreement, QuestionSums, Statistic]:
    ai, teacher = each_pair(alike)
    return (
        question_agreement(ai, teacher, max_mark, step, tolerance),
        question_sums(QuestionPairs(number, ai, teacher, max_mark, step, tolerance)),
        pairs_to_settle(ai, teacher),
    )


@lru_cache(maxsize=4096)
def _teachers(alike: tuple[Alike, ...]) -> Statistic:
    return quadratic_weighted_kappa_interval(*each_pair(alike))


def _accept_rate(seen: Sequence[Cell]) -> AcceptRate:
    n = sum(cell.n for cell in seen)
    up = sum(cell.n for cell in seen if cell.teacher > cell.ai)
    down = sum(cell.n for cell in seen if cell.teacher < cell.ai)
    return AcceptRate(share(n - up - down, n), up, down)


def _pace(cells: Sequence[Cell]) -> Pace:
    timed = sum(cell.timed for cell in cells)
    return Pace(timed, sum(cell.seconds for cell in cells) / timed if timed else None)


def _together(counted: Sequence[_Counted]) -> Together:
    sums = [c.sums for c in counted]
    measured = [c for c in counted if c.sums.n]
    rates = [c.figures.accept for c in counted]
    totals = (sum(getattr(s, name) for s in sums) for name in ("sx", "sy", "sxx", "syy", "sxy"))
    return Together(
        judges=tuple(dict.fromkeys(c.figures.judge for c in counted if c.figures.judge)),
        questions=tuple(c.figures.question.number for c in counted),
        agreement=exam_from_sums(sums, alone=measured[0].figures.agreement.raw_qwk if len(measured) == 1 else None),
        mean_signed=from_sums(sum(s.n for s in sums), *totals).mean_signed,
        accept=AcceptRate(
            share(sum(r.accepted.count for r in rates), sum(r.accepted.n for r in rates)),
            sum(r.up for r in rates),
            sum(r.down for r in rates),
        ),
    )


def _second_marker(counted: Sequence[tuple[QuestionFigures, list[DoubleCell]]]) -> SecondMarkerReport | None:
    rows = [
        (cell.ai, cell.first, cell.second, figures.question_id, figures.question.max_mark, cell.n)
        for figures, cells in counted
        for cell in cells
    ]
    if not rows:
        return None
    ai, first, second, question, max_mark, n = zip(*rows, strict=True)
    return second_marker_report(ai, first, second, question, max_mark, counts=n)


def _anchoring(agreed: dict[int, list[Cell]], accepted: dict[int, list[Cell]]) -> Statistic:
    """Blind against visible within each question; imported marks were given under other conditions than either."""
    blind = {q: [cell for cell in cells if cell.stage is Stage.BLIND] for q, cells in agreed.items()}
    return anchoring_effect_over((*_exact(accepted[q]), *_exact(cells)) for q, cells in blind.items() if q in accepted)


def _exact(cells: Sequence[Cell]) -> tuple[int, int]:
    return sum(cell.n for cell in cells if cell.ai == cell.teacher), sum(cell.n for cell in cells)
