"""An exam's agreement, its accept rate apart from it, and the pulse that tells a page when to look again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from components.agreement import (
    ExamAgreement,
    QuestionAgreement,
    QuestionPairs,
    QuestionSums,
    Share,
    Statistic,
    exam_from_sums,
    from_sums,
    question_agreement,
    question_sums,
    share,
)
from components.marking import Question
from storage import Store, exams, jobs, judges, pairs, standings
from storage.exams import Exam


@dataclass(frozen=True)
class AcceptRate:
    """Marks given with the proposal in view: how many are the proposal's own, how many teachers put up or down."""

    accepted: Share
    up: int
    down: int


@dataclass(frozen=True)
class QuestionFigures:
    """One question's figures for the judge whose proposals stand on the desk; `judge` is None before there are any."""

    question: Question
    judge: str | None
    agreement: QuestionAgreement
    accept: AcceptRate


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
    """An exam's figures. `by_judge` splits `overall` where more than one judge has proposals on the desk."""

    exam: Exam
    questions: tuple[QuestionFigures, ...]
    overall: Together
    by_judge: tuple[Together, ...]
    blind_pairs: int
    imported_pairs: int
    last_mark_at: str | None


@dataclass(frozen=True)
class Pulse:
    """What a live page reads at every beat: once `changes` differ, the figures drawn before are out of date.

    `proposing` is (done, total) while proposals for the exam are queued or being made.
    """

    changes: tuple[Exam | int, ...]
    marked: int
    responses: int
    proposing: tuple[int, int] | None


@dataclass(frozen=True)
class _Counted:
    figures: QuestionFigures
    sums: QuestionSums
    blind: int
    imported: int


def pulse(store: Store, exam_id: int) -> Pulse | None:
    """The exam's pulse; None once the exam is archived. Reads a handful of rows whatever the exam's size."""
    with store.read() as db:
        exam = exams.get(db, exam_id)
        if exam is None:
            return None
        changes = pairs.state(db, exam_id)
        marked, responses = standings.progress(db, exam_id)
        proposing = next(
            ((job.done, job.total) for job in jobs.active(db) if _proposes(job, exam_id)),
            None,
        )
    return Pulse((exam, *changes, proposing is not None), marked, responses, proposing)


def exam_figures(store: Store, exam_id: int) -> ExamFigures:
    """The exam's figures as they stand. Raises LookupError where there is no such exam.

    Each question counts the judge whose proposals stand on the desk for it: by calculation for objective questions,
    the exam's chosen judge for the others. Blind and imported marks alone make agreement, marks given with the
    proposal in view alone the accept rate.
    """
    with store.read() as db:
        exam = exams.get(db, exam_id)
        if exam is None:
            raise LookupError(f"There is no exam {exam_id}.")
        questions = exams.questions(db, exam_id)
        on_desk = pairs.judges_on_desk(db, exam_id)
        names = {judge_id: found.name for judge_id in set(on_desk.values()) if (found := judges.get(db, judge_id))}
        agreement = {(p.question_id, p.judge_id): p for p in pairs.by_question(db, exam_id, pairs.AGREEMENT)}
        accept = {(p.question_id, p.judge_id): p for p in pairs.by_question(db, exam_id, pairs.ACCEPT)}
        imported = pairs.imported_by_question(db, exam_id)
        last_mark_at = pairs.last_mark_at(db, exam_id)
    counted = []
    for stored in questions:
        judge_id = on_desk.get(stored.id, 0)
        key = (stored.id, judge_id)
        counted.append(
            _question(stored.question, names.get(judge_id), agreement.get(key), accept.get(key), imported.get(key, 0))
        )
    by_judge = [[c for c in counted if c.figures.judge == name] for name in dict.fromkeys(map(_judge, counted)) if name]
    return ExamFigures(
        exam=exam,
        questions=tuple(c.figures for c in counted),
        overall=_together(counted),
        by_judge=tuple(_together(part) for part in by_judge) if len(by_judge) > 1 else (),
        blind_pairs=sum(c.blind for c in counted),
        imported_pairs=sum(c.imported for c in counted),
        last_mark_at=last_mark_at,
    )


def _proposes(job: jobs.Job, exam_id: int) -> bool:
    return job.kind == "propose" and job.payload.get("exam_id") == exam_id


def _judge(counted: _Counted) -> str | None:
    return counted.figures.judge


def _question(
    question: Question,
    judge: str | None,
    agreement: pairs.QuestionPairs | None,
    accept: pairs.QuestionPairs | None,
    imported: int,
) -> _Counted:
    ai, teacher = (agreement.ai, agreement.teacher) if agreement else ((), ())
    made, sums = _agreement(question.number, ai, teacher, question.max_mark, question.mark_step, question.tolerance)
    return _Counted(QuestionFigures(question, judge, made, _accept_rate(accept)), sums, made.n - imported, imported)


# A decision moves one question: the others' figures, half a second of work for 328 questions, are kept.
@lru_cache(maxsize=2048)
def _agreement(
    number: str,
    ai: tuple[float, ...],
    teacher: tuple[float, ...],
    max_mark: float,
    step: float,
    tolerance: float,
) -> tuple[QuestionAgreement, QuestionSums]:
    return (
        question_agreement(ai, teacher, max_mark, step, tolerance),
        question_sums(QuestionPairs(number, ai, teacher, max_mark, step, tolerance)),
    )


def _accept_rate(seen: pairs.QuestionPairs | None) -> AcceptRate:
    given = list(zip(seen.ai, seen.teacher, strict=True)) if seen else []
    up = sum(teacher > ai for ai, teacher in given)
    down = sum(teacher < ai for ai, teacher in given)
    return AcceptRate(share(len(given) - up - down, len(given)), up, down)


def _together(counted: Sequence[_Counted]) -> Together:
    sums = [c.sums for c in counted]
    rates = [c.figures.accept for c in counted]
    totals = (sum(getattr(s, name) for s in sums) for name in ("sx", "sy", "sxx", "syy", "sxy"))
    return Together(
        judges=tuple(dict.fromkeys(name for name in map(_judge, counted) if name)),
        questions=tuple(c.figures.question.number for c in counted),
        agreement=exam_from_sums(sums),
        mean_signed=from_sums(sum(s.n for s in sums), *totals).mean_signed,
        accept=AcceptRate(
            share(sum(r.accepted.count for r in rates), sum(r.accepted.n for r in rates)),
            sum(r.up for r in rates),
            sum(r.down for r in rates),
        ),
    )
