"""Makes exams of what models wrote: a subject's open questions, answered by models, for judges or teachers to mark."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace

from components.intake import ImportPlan
from components.intake.benchmarks import Benchmark, Item, Loaded, correction_fault
from components.intake.planned import PlannedAIMark, PlannedMark, PlannedQuestion, PlannedResponse
from components.intake.report import RowReport
from components.judge.objective.choice_replies import without_thoughts
from components.marking import (
    Marker,
    MarkError,
    Question,
    QuestionType,
    Scheme,
    coarsest_step,
    default_tolerance,
    format_mark,
    on_step,
)
from components.workflow.benchmarks.subjects import paper_name, subject_of
from components.workflow.import_table import import_plan
from storage import Store, benchmarks, imports, marks_given, sittings
from storage.sittings import Sitting

TEACHERS = ("Teacher 1", "Teacher 2")
SHIPPED_WITH = "(shipped with "  # in the name of a judge whose marks came along


@dataclass(frozen=True)
class Written:
    """What a candidate, which is a model, wrote for an item, with the marks that came with it."""

    item: Item
    candidate: str
    output: str
    human_marks: tuple[float, ...] = ()
    judge: str = ""
    corrections: tuple[float, ...] = ()


@dataclass(frozen=True)
class Made:
    """`exams` by id with their titles; `left_out` says, a sentence each, what is in none of them and why.

    `already` answers are in exams that were made before.
    """

    exams: dict[int, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    already: int = 0


def source_of_sitting(sitting: Sitting) -> str:
    """What an import of the sitting's written answers calls its file: by this its exams are found again."""
    return f"{sitting.set_name}, sitting {sitting.id}"


def source_of_results(loaded: Sequence[Loaded]) -> str:
    """The same of shipped results."""
    return ", ".join(part.name for part in loaded if part.results)


def as_candidate(reply: str) -> str:
    """A model's reply as its exam holds it: without its thoughts."""
    return without_thoughts(reply).strip()


def exams_of_sitting(store: Store, sitting_id: int, marker: Marker | None) -> Made:
    """An exam for each subject that the sitting's model wrote answers in which are in none yet, as when the sitting has
    gone on since. Raises MarkError where it wrote none."""
    with store.read() as db:
        sitting = sittings.get(db, sitting_id)
        if sitting is None:
            raise MarkError("This sitting is not there any more.")
        written = [
            Written(Item.model_validate_json(body), sitting.model or sitting.judge, as_candidate(reply))
            for body, reply in benchmarks.replies_of(db, sitting_id, written=True)
        ]
    if not written:
        raise MarkError("The model has written no answers in this sitting yet, so there is nothing to make an exam of.")
    source = source_of_sitting(sitting)
    return _make(store, written, source, sitting.model or sitting.judge, marker, _in_exams(store, source))


def _in_exams(store: Store, source: str) -> set[tuple[str, str]]:
    """The answers in the standing exams that were made of the source, each with its question's words."""
    with store.read() as db:
        found = [each for made in imports.of_source(db, source) for each in marks_given.answers(db, made.id)]
    return {(each.text, each.question.strip()) for each in found}


def exams_of_results(store: Store, loaded: Sequence[Loaded], marker: Marker | None) -> Made:
    """An exam for each subject of the shipped written answers, with the teachers' marks and the judges' valid ones.

    Raises MarkError where no written answer was shipped.
    """
    written = list(_shipped(loaded))
    if not written:
        raise MarkError("These files hold no written answers of a model, so there is nothing to make an exam of.")
    models = sorted({result.model or part.name for part in loaded for result in part.results if result.item.open})
    return _make(
        store, written, source_of_results(loaded), ", ".join(models[:2]) + (" …" if len(models) > 2 else ""), marker
    )


def _shipped(loaded: Sequence[Loaded]) -> Iterator[Written]:
    """Shipped answers. One model's other answer to the same question is another candidate, named by its folder."""
    outputs: dict[tuple[str, str, str, str], str] = {}
    for part in loaded:
        for result in part.results:
            if not result.item.open:
                continue
            model = result.model or part.name
            named = (result.item.task, result.item.number, result.item.question, model)
            if outputs.setdefault(named, result.model_output) != result.model_output:
                model = f"{model}, {part.name.rsplit('/', 1)[-1]}"
            yield Written(result.item, model, result.model_output, result.human_marks, result.judge, result.corrections)


def _make(
    store: Store,
    written: Sequence[Written],
    source: str,
    models: str,
    marker: Marker | None,
    there: Set[tuple[str, str]] | None = None,
) -> Made:
    """`there`, of a sitting, is what is in exams of it already; two sittings may have the very same answers."""
    by_subject: dict[str, list[Written]] = {}
    for each in written:
        by_subject.setdefault(subject_of(each.item), []).append(each)
    made: dict[int, str] = {}
    left_out: list[str] = []
    already = 0
    for subject, every in by_subject.items():
        numbers = Numbers()
        for each in every:
            numbers.of(each.item)
        answers = [each for each in every if (each.output, each.item.question.strip()) not in (there or ())]
        already += len(every) - len(answers)
        plan = exam_plan(subject, answers, source, numbers)
        if there is not None:
            plan = replace(plan, sha256=hashlib.sha256(f"{source} {plan.sha256}".encode()).hexdigest())
        left_out += [each.message for each in plan.report]
        if not plan.responses:
            continue
        title = f"{answers[0].item.benchmark.named} · {subject} · {models}"
        try:
            imported = import_plan(
                store, plan, title=title, marker=marker, first_marker_name=TEACHERS[0], second_marker_name=TEACHERS[1]
            )
        except MarkError as error:  # most likely there is this exam already
            left_out.append(f"{subject}: {error}")
            continue
        made[imported.exam_id] = title
    return Made(made, tuple(left_out), already)


def exam_plan(subject: str, written: Sequence[Written], source: str, numbers: Numbers | None = None) -> ImportPlan:
    """One subject's answers as an import. What is not valid is left out of it, and its report says so.

    `numbers` are those that questions have been given already.
    """
    paper = _Paper(subject, source, numbers or Numbers())
    for each in written:
        paper.add(each)
    return paper.plan(_hash(written))


class Numbers:
    """The numbers that the questions of one subject's exam have: the same items in the same order have the same."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str, str], str] = {}

    def of(self, item: Item) -> str:
        """Its paper and number, told apart where two questions have the same."""
        named = (item.task, item.number, item.question)
        if named not in self._given:
            paper = paper_name(item.task) if item.benchmark is Benchmark.GAOKAO_BENCH else item.task
            number, taken = f"{paper} {item.number}", set(self._given.values())
            again = 2
            while number in taken:
                number, again = f"{paper} {item.number} ({again})", again + 1
            self._given[named] = number
        return self._given[named]


class _Paper:
    """An exam while its answers are gathered."""

    def __init__(self, subject: str, source: str, numbers: Numbers) -> None:
        self._subject = subject
        self._source = source
        self._numbers = numbers
        self._items: dict[str, Item] = {}
        self._marks: dict[str, set[float]] = {}
        self._rows: dict[tuple[str, str], int] = {}
        self._responses: list[PlannedResponse] = []
        self._human: dict[tuple[int, int], PlannedMark] = {}
        self._ai: dict[tuple[int, str], PlannedAIMark] = {}
        self._report: list[RowReport] = []

    def add(self, written: Written) -> None:
        item, full = written.item, written.item.points
        number = self._numbers.of(item)
        if full <= 0 or not on_step(full, 0.25):
            self._leave_out(written, f"its maximum {full:g} is no number of quarter marks above 0")
            return
        row = self._row(number, written)
        for place, mark in enumerate(written.human_marks[: len(TEACHERS)], start=1):
            if not 0 <= mark <= full or not on_step(mark, 0.25):
                self._leave_out(written, f"{TEACHERS[place - 1]}'s mark {mark:g} is none of its {format_mark(full)}")
            else:
                self._human[row, place] = PlannedMark(row, place, mark)
                self._marks[number].add(mark)
        if written.judge or written.corrections:
            self._judged(number, row, written)

    def plan(self, sha256: str) -> ImportPlan:
        return ImportPlan(
            file_name=self._source,
            sheet=self._subject,
            sha256=sha256,
            questions=tuple(self._question(number, item) for number, item in self._items.items()),
            responses=tuple(self._responses),
            human_marks=tuple(self._human.values()),
            ai_marks=tuple(self._ai.values()),
            report=tuple(self._report),
        )

    def _judged(self, number: str, row: int, written: Written) -> None:
        if fault := correction_fault(written.corrections, written.item.points):
            judge, given = written.judge or "the judge", " and ".join(f"{mark:g}" for mark in written.corrections)
            of = f"{given} of {format_mark(written.item.points)}"
            self._leave_out(
                written, f"{judge}'s mark {of} does not count ({fault})" if given else f"{judge} gave no mark"
            )
            return
        judge = f"{written.judge or 'Judge'} {SHIPPED_WITH}{written.item.benchmark.named})"
        self._ai[row, judge] = PlannedAIMark(row, written.corrections[0], judge)
        self._marks[number].add(written.corrections[0])

    def _row(self, number: str, written: Written) -> int:
        place = (number, written.candidate)
        if place not in self._rows:
            self._rows[place] = len(self._rows) + 1
            self._items.setdefault(number, written.item)
            self._marks.setdefault(number, set())
            self._responses.append(PlannedResponse(self._rows[place], written.candidate, number, written.output))
        return self._rows[place]

    def _question(self, number: str, item: Item) -> PlannedQuestion:
        step = coarsest_step((*self._marks[number], item.points))
        question = Question(
            number=number,
            type=QuestionType.SHORT,
            text=item.question,
            max_mark=item.points,
            mark_step=step,
            tolerance=default_tolerance(item.points),
            subject=self._subject,
            model_answer=item.answer,
            analysis=item.analysis,
            language="zh",
        )
        return PlannedQuestion(question, Scheme(max_mark=item.points, mark_step=step, text=item.criteria))

    def _leave_out(self, written: Written, why: str) -> None:
        number = self._numbers.of(written.item)
        self._report.append(RowReport(0, "warning", f"{self._subject}, {number}, {written.candidate}: {why}."))


def _hash(written: Iterable[Written]) -> str:
    digest = hashlib.sha256()
    for each in written:
        parts = (each.item.task, each.item.number, each.item.question, each.candidate, each.output)
        marks = f"{each.human_marks} {each.judge} {each.corrections}"
        marks += f" {each.item.criteria}" if each.item.criteria else ""
        digest.update("\x1f".join([*parts, marks]).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
