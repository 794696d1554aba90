"""The marks that a model's written answers were given in the exams made of them, brought back to the benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from sqlite_utils import Database

from components.intake.benchmarks import Item, Loaded, ShippedResult
from components.workflow.benchmarks.figures_converted import Converted, converted
from components.workflow.benchmarks.figures_judged import JudgedAgainstTeachers, JudgedRow, judged_against_teachers
from components.workflow.benchmarks.figures_objective import ObjectiveFigures
from components.workflow.benchmarks.figures_subjective import SubjectiveFigures, subjective_figures
from components.workflow.benchmarks.making_exams import (
    SHIPPED_WITH,
    Numbers,
    as_candidate,
    source_of_results,
    source_of_sitting,
)
from components.workflow.benchmarks.subjects import subject_of
from components.workflow.trial.load import arm_names
from storage import Store, benchmarks, imports, marks_given, trial_marks, trials
from storage.imports import Import
from storage.marks_given import Answer
from storage.sittings import Sitting
from storage.trials import StoredArm


class By(StrEnum):
    TEACHERS = "teachers"
    JUDGE = "judge"
    TRIAL = "trial"


@dataclass(frozen=True)
class Marked:
    """Who marked: `ids` are a judge's, or those of the arms that ask alike in the trials of several exams."""

    by: By
    name: str
    ids: tuple[int, ...] = ()


@dataclass(frozen=True)
class Coverage:
    """A subject's written answers: how many there are, are in an exam, and are marked."""

    subject: str
    answers: int
    in_exams: int
    marked: int


@dataclass(frozen=True)
class Sat:
    """A subject's questions of both parts: how many its set has, and how many the sitting has answers to."""

    subject: str
    questions: int
    answered: int


@dataclass(frozen=True)
class WrittenPart:
    """A sitting's written part as `marked` has it, and with the objective part its converted totals."""

    marked: Marked
    coverage: tuple[Coverage, ...]
    subjective: SubjectiveFigures | None
    converted: Converted | None
    judged: JudgedAgainstTeachers | None
    sat: tuple[Sat, ...] = ()

    @property
    def total(self) -> Coverage:
        of = self.coverage
        return Coverage(
            "All",
            sum(each.answers for each in of),
            sum(each.in_exams for each in of),
            sum(each.marked for each in of),
        )


def who_marked_sitting(store: Store, sitting: Sitting) -> list[Marked]:
    """Whose marks the sitting's written answers have: teachers first, then judges, then judges on trial."""
    with store.read() as db:
        return _who(db, imports.of_source(db, source_of_sitting(sitting)))


def written_part(
    store: Store, sitting: Sitting, marked: Marked, objective: ObjectiveFigures | None
) -> WrittenPart | None:
    """The sitting's written answers with the marks of one that marked them; None where it has no written answers.

    A mark counts for the very reply that was marked; an answer without one is in no rate and no total.
    """
    with store.read() as db:
        exams = [
            (made, _by_text(marks_given.answers(db, made.id)))
            for made in imports.of_source(db, source_of_sitting(sitting))
        ]
        given = {made.id: _marks(db, made, marked) for made, _ in exams}
        twice = {made.id: trial_marks.two_marks(db, made.exam_id) for made, _ in exams}
        replies = [
            (Item.model_validate_json(body), as_candidate(reply))
            for body, reply in benchmarks.replies_of(db, sitting.id, written=True)
        ]
        sat = _sat(db, sitting)
    if not replies:
        return None
    numbers: dict[str, Numbers] = {}
    questions = {item.question.strip() for item, _ in replies}
    answers, in_exams, counted = Counter[str](), Counter[str](), Counter[str]()
    results: list[ShippedResult] = []
    rows: list[JudgedRow] = []
    for item, reply in replies:
        subject = subject_of(item)
        answers[subject] += 1
        number = numbers.setdefault(subject, Numbers()).of(item)
        places = [
            (made.id, found)
            for made, by_text in exams
            if made.sheet == subject
            and (found := _answer_to(item, number, by_text.get(reply, ()), questions)) is not None
        ]
        in_exams[subject] += bool(places)
        # An answer may be in two exams, the second made when the sitting had gone on: the newer one's mark counts.
        at = next(((made, answer) for made, answer in places if answer.response_id in given[made]), None)
        if at is None:
            continue
        made_id, answer = at
        mark = given[made_id][answer.response_id]
        counted[subject] += 1
        results.append(
            ShippedResult(item=item, model=sitting.model, model_output=reply, judge=marked.name, corrections=(mark,))
        )
        rows += _judged(subject, answer, given[made_id], twice[made_id])
    subjective = subjective_figures(results, parts=True)
    return WrittenPart(
        marked,
        tuple(Coverage(each, answers[each], in_exams[each], counted[each]) for each in sorted(answers)),
        subjective,
        converted(objective, subjective),
        None if marked.by is By.TEACHERS else judged_against_teachers(rows),
        sat,
    )


def _sat(db: Database, sitting: Sitting) -> tuple[Sat, ...]:
    questions, answered = Counter[str](), Counter[str]()
    for body, items, of_them in benchmarks.answered_by_task(db, sitting.id):
        subject = subject_of(Item.model_validate_json(body))
        questions[subject] += items
        answered[subject] += of_them
    return tuple(Sat(subject, questions[subject], answered[subject]) for subject in sorted(questions))


def _by_text(answers: Sequence[Answer]) -> dict[str, list[Answer]]:
    by_text: dict[str, list[Answer]] = {}
    for each in answers:
        by_text.setdefault(each.text, []).append(each)
    return by_text


def _answer_to(item: Item, number: str, same: Sequence[Answer], questions: Set[str]) -> Answer | None:
    """Of an exam's answers with the `same` words the one to the item, which has this number if nothing changed.

    The question's words tell it: a number may have changed since, in the exam or as the sitting went on. Words that
    are none of the sitting's `questions` were changed in the exam; then the number tells it.
    """
    by_words = [each for each in same if each.question.strip() == item.question.strip()]
    changed = [each for each in same if each.question.strip() not in questions]
    by_number = [each for each in (*by_words, *changed) if each.number == number]
    fits = [each for each in (*by_number, *by_words) if each.max_mark == item.points]
    return fits[0] if fits else None


def judged_here(store: Store, loaded: Sequence[Loaded]) -> list[tuple[str, list[JudgedRow]]]:
    """By judge, its marks here beside two teachers' on the exams made of shipped results; who has none is left out.

    Judges whose marks were shipped with the results are not among them: those stand in the results themselves.
    """
    with store.read() as db:
        made = imports.of_source(db, source_of_results(loaded))
        twice = {each.id: trial_marks.two_marks(db, each.exam_id) for each in made}
        found = []
        for marked in _who(db, [each for each in made if twice[each.id]]):
            if marked.by is not By.TEACHERS and SHIPPED_WITH not in marked.name:
                rows = [
                    row
                    for each in made
                    for given in [_marks(db, each, marked)]
                    for answer in marks_given.answers(db, each.id)
                    for row in _judged(each.sheet, answer, given, twice[each.id])
                ]
                if rows:
                    found.append((marked.name, rows))
    return found


def _judged(
    subject: str, answer: Answer, given: Mapping[int, float], twice: Mapping[int, tuple[float, float]]
) -> list[JudgedRow]:
    """The answer's row, where the judge and two teachers have marked it."""
    if answer.response_id not in given or answer.response_id not in twice:
        return []
    marks = (given[answer.response_id], *twice[answer.response_id])
    return [JudgedRow(f"{subject} {answer.number}", subject, answer.max_mark, *marks)]


def _who(db: Database, made: Sequence[Import]) -> list[Marked]:
    exam_ids = {each.exam_id for each in made}
    teachers = [Marked(By.TEACHERS, "teachers (final marks)")]
    judges = dict(each for exam_id in sorted(exam_ids) for each in marks_given.judges_of(db, exam_id))
    on_trial = [arm for each in trials.listed(db) if each.exam_id in exam_ids for arm in trials.arms(db, each.id)]
    every = [
        *teachers,
        *(Marked(By.JUDGE, name, (judge_id,)) for judge_id, name in sorted(judges.items())),
        *_asked_alike(on_trial),
    ]
    return [who for who in every if any(_marks(db, each, who) for each in made)]


def _asked_alike(arms: Sequence[StoredArm]) -> list[Marked]:
    """Arms of several trials (an exam holds one subject) that ask the same judge the same way, as one."""
    alike: dict[tuple[object, ...], list[StoredArm]] = {}
    for arm in arms:
        alike.setdefault((arm.judge.id, arm.shots, arm.grading, arm.criteria, arm.repeat), []).append(arm)
    names = arm_names([same[0] for same in alike.values()])
    return [
        Marked(By.TRIAL, f"on trial: {name}", tuple(arm.id for arm in same))
        for name, same in zip(names, alike.values(), strict=True)
    ]


def _marks(db: Database, made: Import, marked: Marked) -> dict[int, float]:
    """By response id of one exam at least; of several trials the newest counts."""
    if marked.by is By.TEACHERS:
        return marks_given.by_teachers(db, made.exam_id)
    if marked.by is By.JUDGE:
        return marks_given.by_judge(db, made.exam_id, marked.ids[0])
    return {
        response_id: mark
        for arm_id in sorted(marked.ids)
        for response_id, mark in marks_given.by_arm(db, arm_id).items()
    }
