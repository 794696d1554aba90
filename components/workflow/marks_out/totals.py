"""What a candidate's marks come to by the exam's rules, and what a script still lacks before it has a total."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sqlite_utils import Database

from components.marking import Outcome
from components.workflow.marks_out.sections import Missing, Section, TotalRules, total_rules
from components.workflow.review.rules import grade_of
from storage import Store, exams, mark_book
from storage.exams import Exam, StoredQuestion
from storage.mark_book import BookCandidate, BookStanding


class State(StrEnum):
    """What is known of a candidate's answer to a question."""

    MARKED = "marked"
    NO_RESPONSE = "no response"  # a person has seen that there is nothing to mark; counts 0
    NOT_MARKED = "not marked"
    NO_ANSWER = "no answer in the exam"
    NOT_CHOSEN = "not chosen"  # nothing is there, and by the section's rule nothing need be


@dataclass(frozen=True)
class QuestionMark:
    """One question of a script. `mark` is None unless a person gave one; `counts` says whether it is in the total."""

    number: str
    max_mark: float
    state: State
    mark: float | None
    counts: bool
    response_id: int | None

    @property
    def worth(self) -> float:
        """Marks towards the total, were it to count."""
        return self.mark or 0.0


@dataclass(frozen=True)
class SectionTotal:
    """The best `section.answer` questions of a section."""

    section: Section
    total: float
    out_of: float
    complete: bool


@dataclass(frozen=True)
class ScriptTotal:
    """One candidate's total. While the script is incomplete, `total` is what there is so far and `grade` is None.

    `waiting` are the numbers of questions that nobody has marked, `absent` those without an answer in the exam, each
    where it may still change the total; `lacks` says so in a sentence.
    """

    candidate_id: int
    candidate: str
    groups: dict[str, str]
    questions: tuple[QuestionMark, ...]
    sections: tuple[SectionTotal, ...]
    total: float
    out_of: float
    grade: str | None
    waiting: tuple[str, ...]
    absent: tuple[str, ...]

    @property
    def complete(self) -> bool:
        return not (self.waiting or self.absent)

    @property
    def percent(self) -> float:
        """From 0 to 100, not rounded."""
        return 100 * self.total / self.out_of if self.out_of else 0.0

    @property
    def lacks(self) -> str:
        parts, of = [], len(self.questions)
        if self.waiting:
            parts.append(f"{len(self.waiting)} of {of} questions not marked: {', '.join(self.waiting)}")
        if self.absent:
            parts.append(
                f"{len(self.absent)} of {of} questions without an answer in the exam: {', '.join(self.absent)}"
            )
        return "; ".join(parts)


@dataclass(frozen=True)
class ExamTotals:
    """All scripts of an exam in the candidates' order."""

    exam: Exam
    questions: tuple[StoredQuestion, ...]
    rules: TotalRules
    scripts: tuple[ScriptTotal, ...]

    @property
    def incomplete(self) -> tuple[ScriptTotal, ...]:
        return tuple(script for script in self.scripts if not script.complete)


def exam_totals(store: Store, exam_id: int, candidate: str | None = None) -> ExamTotals:
    """Every candidate's total, or one's. Raises LookupError where there is no such exam or candidate, MarkError in
    words where the exam's rules do not fit its questions."""
    with store.read() as db:
        return totals_in(db, exam_id, candidate)


def totals_in(db: Database, exam_id: int, candidate: str | None = None) -> ExamTotals:
    """As `exam_totals`, in the caller's transaction."""
    exam = exams.get(db, exam_id)
    if exam is None:
        raise LookupError(f"There is no exam {exam_id}.")
    questions = tuple(exams.questions(db, exam_id))
    rules = total_rules(mark_book.rules(db, exam_id), [stored.question.number for stored in questions])
    candidates = mark_book.candidates(db, exam_id, candidate)
    if candidate is not None and not candidates:
        raise LookupError(f"There is no candidate {candidate} in this exam.")
    return ExamTotals(exam, questions, rules, tuple(_script(exam, questions, rules, each) for each in candidates))


def total_with(rules: TotalRules, script: ScriptTotal, number: str, mark: float) -> float | None:
    """The script's total, were this the mark for the question; None while others may still change it."""
    home = next((place for place, section in enumerate(rules.sections) if number in section.questions), None)
    beside = (number,) if home is None else rules.sections[home].questions
    if any(each not in beside for each in (*script.waiting, *script.absent)):
        return None
    marks = {each.number: each for each in script.questions if each.number in beside}
    if home is None:
        return script.total - marks[number].worth + mark
    given = replace(marks[number], state=State.MARKED, mark=mark)
    made, _, lacking = _section(
        rules.sections[home], [given if each == number else marks[each] for each in beside], rules.missing
    )
    return None if lacking else script.total - script.sections[home].total + made.total


def _script(
    exam: Exam, questions: Sequence[StoredQuestion], rules: TotalRules, candidate: BookCandidate
) -> ScriptTotal:
    marks = {stored.question.number: _mark(stored, candidate.standings.get(stored.id)) for stored in questions}
    sections, lacking = [], []
    in_sections = {number for section in rules.sections for number in section.questions}
    for section in rules.sections:
        made, settled, unknown = _section(section, [marks[number] for number in section.questions], rules.missing)
        sections.append(made)
        lacking += unknown
        marks |= {each.number: each for each in settled}
    always = [mark for number, mark in marks.items() if number not in in_sections]
    lacking += [mark for mark in always if _unknown(mark, rules.missing)]
    total = sum(mark.worth for mark in marks.values() if mark.counts)
    out_of = sum(mark.max_mark for mark in always) + sum(section.out_of for section in sections)
    places = {number: place for place, number in enumerate(marks)}
    lacking.sort(key=lambda mark: places[mark.number])
    return ScriptTotal(
        candidate.id,
        candidate.number,
        candidate.groups,
        tuple(marks.values()),
        tuple(sections),
        total,
        out_of,
        grade_of(total, exam.boundaries) if exam.boundaries and not lacking else None,
        tuple(mark.number for mark in lacking if mark.state is State.NOT_MARKED),
        tuple(mark.number for mark in lacking if mark.state is State.NO_ANSWER),
    )


def _mark(stored: StoredQuestion, standing: BookStanding | None) -> QuestionMark:
    question = stored.question
    if standing is None:
        return QuestionMark(question.number, question.max_mark, State.NO_ANSWER, None, True, None)
    state = State.NOT_MARKED
    if standing.outcome is not None:
        state = State.NO_RESPONSE if standing.outcome == Outcome.NO_RESPONSE else State.MARKED
    return QuestionMark(question.number, question.max_mark, state, standing.final_mark, True, standing.response_id)


def _unknown(mark: QuestionMark, missing: Missing) -> bool:
    return mark.state is State.NOT_MARKED or (mark.state is State.NO_ANSWER and missing is Missing.INCOMPLETE)


def _section(
    section: Section, marks: Sequence[QuestionMark], missing: Missing
) -> tuple[SectionTotal, list[QuestionMark], list[QuestionMark]]:
    """The section's total, its questions with what counts, and those that may still change it.

    Who has answered as many questions as are asked for owes none of the others. Of equal marks the earlier counts.
    """
    if sum(mark.state is not State.NO_ANSWER for mark in marks) >= section.answer:
        marks = [replace(m, state=State.NOT_CHOSEN) if m.state is State.NO_ANSWER else m for m in marks]
    eligible = [mark for mark in marks if mark.state is not State.NOT_CHOSEN]
    best = heapq.nlargest(section.answer, eligible, key=lambda mark: mark.worth)  # stable: the earlier of equals first
    counted = {mark.number for mark in best}
    lowest = min(mark.worth for mark in best)
    lacking = [mark for mark in marks if _unknown(mark, missing) and mark.max_mark > lowest]
    total = SectionTotal(
        section,
        sum(mark.worth for mark in best),
        sum(heapq.nlargest(section.answer, (mark.max_mark for mark in marks))),
        not lacking,
    )
    return total, [replace(mark, counts=mark.number in counted) for mark in marks], lacking
