"""A file beside an exam that is there: what it would add, what it would change, and what stands in its way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqlite_utils import Database

from components.intake import ImportPlan, PlannedAIMark, PlannedResponse
from components.intake.cells import shortened
from components.intake.spelling import candidate_key
from components.marking import MarkError, Scale, format_mark
from components.workflow.import_match import doubled, matched
from components.workflow.import_parts import ai_name_problem, known_ais
from storage import Store, exams, import_state, markers
from storage.exams import StoredQuestion
from storage.import_state import Held

_SHOWN = 60


@dataclass(frozen=True)
class Change:
    """What a file says otherwise than the exam, by candidate and question of the exam; `what` is a mark or a group."""

    candidate: str
    question: str
    what: str
    old: str
    new: str


@dataclass(frozen=True)
class Comparison:
    """A plan beside an exam. With any problem nothing is stored; with nothing new there is nothing to store.

    `answers`, `marks` and `ai_marks` are what is to be stored: of (question id, candidate number) the answer, and by
    those places the marks, the number of the marker in the file before each person's. Answers are never blank rows for
    an AI's marks alone: those must be of responses that are there.
    """

    exam_id: int
    problems: tuple[str, ...]
    notes: tuple[str, ...]
    changes: tuple[Change, ...]
    left_out: int
    same: int
    new_candidates: tuple[str, ...]
    answers: tuple[tuple[int, str, str], ...] = ()
    marks: tuple[tuple[tuple[int, str], int, float], ...] = ()
    ai_marks: tuple[tuple[tuple[int, str], PlannedAIMark], ...] = ()
    groups: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    avoidable: bool = False  # leaving out what does not fit would remove every problem

    @property
    def nothing_new(self) -> bool:
        return not (self.answers or self.marks or self.ai_marks or self.groups)


def compare(
    store: Store, plan: ImportPlan, exam_id: int, names: tuple[str, str] = ("", ""), *, leave_out: bool = False
) -> Comparison:
    """The plan beside the exam. `names` are of the first and second marker whose marks the file has.

    `leave_out`: questions that the exam has not, and answers that would change, are left out and are no problems.
    Raises MarkError for a plan with errors or an exam that is no longer there.
    """
    with store.read() as db:
        return compared(db, plan, exam_id, names, leave_out=leave_out)


def compared(db: Database, plan: ImportPlan, exam_id: int, names: tuple[str, str], *, leave_out: bool) -> Comparison:
    """As `compare`, within the caller's transaction."""
    if not plan.ok:
        raise MarkError(f"The table still has {plan.problems} errors. Correct them and choose the file again.")
    exam = exams.get(db, exam_id)
    if exam is None:
        raise MarkError("This exam is no longer here. Choose another.")
    return _Comparing(db, plan, exam_id, names, leave_out).result()


class _Comparing:
    """Goes through a plan once beside what the exam holds."""

    def __init__(self, db: Database, plan: ImportPlan, exam_id: int, names: tuple[str, str], leave_out: bool) -> None:
        self._plan, self._exam_id, self._leave_out = plan, exam_id, leave_out
        self._questions = {stored.question.number: stored for stored in exams.questions(db, exam_id)}
        self._by_id = {stored.id: stored for stored in self._questions.values()}
        self._match = matched([each.question.number for each in plan.questions], list(self._questions))
        self._held = import_state.held(db, exam_id)
        self._groups_held = import_state.groups(db, exam_id)
        self._marks_held = import_state.imported_marks(db, exam_id)
        self._ai_held = import_state.imported_ai_marks(db, exam_id)
        self._ais = known_ais(db, plan, import_state.imported_judges(db, exam_id))
        self._markers = [markers.find(db, name) for name in names]
        self._names = names
        self._with_answers = {each.question for each in plan.responses if each.answer.strip()}
        self._problems: list[str] = [problem] if (problem := ai_name_problem(db, plan)) else []
        self._avoidable: list[str] = []
        self._changes: list[Change] = []
        self._left_out: set[int] = set()
        self._touched: set[int] = set()

    def result(self) -> Comparison:
        notes = self._check_questions()
        places = {each.row: place for each in self._plan.responses if (place := self._place(each)) is not None}
        answers = self._answers(places)
        places = {row: place for row, place in places.items() if row not in self._left_out}
        marks = self._marks(places)
        ai_marks = self._ai_marks(places)
        groups = self._groups({number for _, number in places.values()})
        new = dict.fromkeys(number for _, number, _ in answers if number not in self._groups_held)
        self._refuse_look_alikes(new)
        problems = [*self._problems, *([] if self._leave_out else self._avoidable)]
        return Comparison(
            exam_id=self._exam_id,
            problems=tuple(problems),
            notes=tuple(notes),
            changes=tuple(self._changes),
            left_out=len(self._left_out),
            same=len(places.keys() - self._touched),
            new_candidates=tuple(new),
            answers=tuple(answers),
            marks=tuple(marks),
            ai_marks=tuple(ai_marks),
            groups=groups,
            avoidable=bool(self._avoidable) and not self._problems,
        )

    def _check_questions(self) -> list[str]:
        notes: list[str] = []
        renamed = [f"{number} is {of_exam}" for number, of_exam in self._match.items() if number != of_exam]
        if renamed:
            notes.append(f"Questions matched by number: {_listed(renamed)}.")
        unknown = [each.question.number for each in self._plan.questions if each.question.number not in self._match]
        if unknown:
            what = f"The exam has no question {_listed(unknown, 'or')}."
            self._avoidable.append(f"{what} Leave {'it' if len(unknown) == 1 else 'them'} out, or add it to the exam.")
        if not self._match:
            self._problems.append("No question of this file is one of the exam. Choose another exam or another file.")
        for number, of_exam in doubled(self._match):
            self._problems.append(
                f"More than one question of this file, {number} among them, is question {of_exam} of the exam. "
                "Correct the numbers in the file."
            )
        absent = [number for number in self._questions if number not in self._match.values()]
        if absent and self._match:
            notes.append(f"Not in this file: question {_listed(absent)} of the exam.")
        marked = {mark.row for mark in self._plan.human_marks} | {mark.row for mark in self._plan.ai_marks}
        with_marks = {each.question for each in self._plan.responses if each.row in marked}
        for each in self._plan.questions:
            number, says = each.question.number, each.question.max_mark
            stored = self._questions.get(self._match.get(number, ""))
            if stored is None or stored.question.max_mark == says:
                continue
            what = (
                f"Question {number} is out of {says:g} in this file and out of {stored.question.max_mark:g} in the exam"
            )
            if number in with_marks:
                self._problems.append(f"{what}, so its marks cannot be taken over. Correct one of the two.")
            else:
                notes.append(f"{what}; the exam's stands.")
        return notes

    def _refuse_look_alikes(self, new: Iterable[str]) -> None:
        """A new candidate who is written almost as one of the exam's is that one, or must be told apart from them."""
        held = {candidate_key(number): number for number in self._groups_held}
        for number in new:
            if (of_exam := held.get(candidate_key(number))) is not None:
                self._problems.append(
                    f"Candidate “{number}” of this file is not one of the exam, but “{of_exam}” is. Write the number "
                    "as the exam has it, or tell the two apart by more than capitals, spaces or zeros."
                )

    def _place(self, response: PlannedResponse) -> tuple[int, str] | None:
        stored = self._questions.get(self._match.get(response.question, ""))
        if stored is None:
            self._left_out.add(response.row)
            return None
        return stored.id, response.candidate

    def _answers(self, places: Mapping[int, tuple[int, str]]) -> list[tuple[int, str, str]]:
        """The new responses. An answer that is there stays: a file that says otherwise is a problem."""
        new: list[tuple[int, str, str]] = []
        by_ais = {each.row for each in self._plan.ai_marks} - {each.row for each in self._plan.human_marks}
        homeless: list[PlannedResponse] = []
        for each in self._plan.responses:
            if each.row not in places:
                continue
            held = self._held.get(places[each.row])
            if held is None and each.row in by_ais and each.question not in self._with_answers:
                homeless.append(each)
                self._left_out.add(each.row)
            elif held is None:
                new.append((*places[each.row], each.answer))
                self._touched.add(each.row)
            elif each.question in self._with_answers and _text(each.answer) != _text(held.text):
                self._left_out.add(each.row)
                self._avoidable.append(_changed_answer(each, self._match[each.question], held))
        if homeless:
            self._avoidable.append(_nothing_to_mark(homeless))
        return new

    def _marks(self, places: Mapping[int, tuple[int, str]]) -> list[tuple[tuple[int, str], int, float]]:
        new: list[tuple[tuple[int, str], int, float]] = []
        for each in self._plan.human_marks:
            if each.row not in places:
                continue
            place = places[each.row]
            held, marker = self._held.get(place), self._markers[each.marker - 1]
            before = None if held is None or marker is None else self._marks_held.get((held.id, marker))
            if before == each.mark or not self._on_scale(place, each.mark):
                continue
            new.append((place, each.marker, each.mark))
            self._touched.add(each.row)
            if before is not None:
                self._change(place, f"mark by {self._names[each.marker - 1].strip()}", before, each.mark)
            if held is not None and held.desk_mark not in (None, each.mark):
                self._change(place, "mark that stands, given here", held.desk_mark, each.mark)
        return new

    def _ai_marks(self, places: Mapping[int, tuple[int, str]]) -> list[tuple[tuple[int, str], PlannedAIMark]]:
        new: list[tuple[tuple[int, str], PlannedAIMark]] = []
        for each in self._plan.ai_marks:
            if each.row not in places:
                continue
            place = places[each.row]
            held, judge = self._held.get(place), self._ais.get(each.judge)
            before = None if held is None or judge is None else self._ai_held.get((held.id, judge))
            if before == each.mark or not self._on_scale(place, each.mark):
                continue
            new.append((place, each))
            self._touched.add(each.row)
            if before is not None:
                self._change(place, f"mark by {each.judge or 'an AI'}", before, each.mark)
        return new

    def _groups(self, numbers: set[str]) -> dict[str, dict[str, str]]:
        """The groups of new candidates, and those of known ones that change."""
        given: dict[str, dict[str, str]] = {}
        for number, values in self._plan.groups.items():
            held = self._groups_held.get(number)
            other = {name: value for name, value in values.items() if held is None or held.get(name) != value}
            if number not in numbers or not other:
                continue
            given[number] = other
            self._changes += [
                Change(number, "", name, (held or {}).get(name, ""), other[name]) for name in other if held
            ]
        return given

    def _on_scale(self, place: tuple[int, str], mark: float) -> bool:
        stored = self._of(place)
        try:
            Scale(stored.question.max_mark, stored.question.mark_step).check(
                mark, f"Candidate {place[1]}, question {stored.question.number}"
            )
        except MarkError as error:
            self._problems.append(str(error))
            return False
        return True

    def _change(self, place: tuple[int, str], what: str, old: float | None, new: float) -> None:
        shown = "" if old is None else format_mark(old)
        self._changes.append(Change(place[1], self._of(place).question.number, what, shown, format_mark(new)))

    def _of(self, place: tuple[int, str]) -> StoredQuestion:
        return self._by_id[place[0]]


def _nothing_to_mark(rows: list[PlannedResponse]) -> str:
    first = f"candidate {rows[0].candidate}'s question {rows[0].question}"
    which = first if len(rows) == 1 else f"{len(rows):,} rows, {first} first"
    return (
        f"The file has no answers, only AI marks, and the exam has no response to go with them for {which}. Leave that "
        "out, or check the candidate numbers."
    )


def _changed_answer(response: PlannedResponse, number: str, held: Held) -> str:
    about = (
        f"Candidate {response.candidate}, question {number}: the answer here is “{shortened(held.text, _SHOWN)}”, in "
        f"this file “{shortened(response.answer, _SHOWN)}”"
    )
    if held.marked:
        return f"{about}. It has been marked, so it stays. Leave it out, or import the file as a new exam."
    if held.import_id is not None:
        return f"{about}. An answer never changes. Undo the import that brought it first, or leave it out."
    return f"{about}. An answer never changes. Leave it out, or import the file as a new exam."


def _text(answer: str) -> str:
    return answer.replace("\x00", "\ufffd").strip()


def _listed(parts: list[str], last: str = "and") -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"
