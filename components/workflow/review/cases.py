"""On which disputed responses a candidate's grade hangs, by the exam's rules for totals."""

from __future__ import annotations

from collections.abc import Callable

from sqlite_utils import Database

from components.marking import MarkError
from components.workflow.marks_out.sections import Missing, total_rules
from components.workflow.marks_out.totals import total_with, totals_in
from components.workflow.review.rules import grade_of
from storage import exams, mark_book, reviews
from storage.exams import Exam
from storage.responses import StoredResponse
from storage.reviews import Kind, Queue


def waiting_queue(db: Database, exam: Exam, kind: Kind, question_id: int | None, limit: int) -> Queue:
    """What waits, the boundary cases first. None is one while the exam's rules for totals do not fit its questions."""
    numbers = [stored.question.number for stored in exams.questions(db, exam.id)]
    try:
        rules = total_rules(mark_book.rules(db, exam.id), numbers)
    except MarkError:
        return reviews.queue(db, exam.id, kind, question_id, limit=limit)
    edges = [lowest for _, lowest in exam.boundaries]
    if not edges or not any(section.optional for section in rules.sections):
        fewest = len(numbers) if rules.missing is Missing.INCOMPLETE else 0
        return reviews.queue(db, exam.id, kind, question_id, edges, limit, fewest=fewest)
    totals = totals_in(db, exam.id)
    scripts = {script.candidate_id: script for script in totals.scripts}
    cases = []
    for span in reviews.disputed_spans(db, exam.id, question_id):
        script, reach = scripts[span.candidate_id], span.highest - span.lowest
        # A final mark lies between the two, and a total never changes by more than a mark does.
        if not (script.complete and any(script.total - reach < edge <= script.total + reach for edge in edges)):
            continue
        low = total_with(rules, script, span.question, span.lowest)
        high = total_with(rules, script, span.question, span.highest)
        if low is not None and high is not None and _grades_differ(exam, low, high):
            cases.append((span.response_id, low, high))
    return reviews.queue(db, exam.id, kind, question_id, limit=limit, cases=cases)


def total_by_mark(db: Database, exam: Exam, response: StoredResponse, number: str) -> Callable[[float], float | None]:
    """What the candidate's total comes to with a mark for this response to the question of that number; None while
    another of theirs may still change it, or the exam's rules for totals do not fit its questions."""
    try:
        totals = totals_in(db, exam.id, response.candidate_number)
    except MarkError:
        return lambda mark: None
    return lambda mark: total_with(totals.rules, totals.scripts[0], number, mark)


def _grades_differ(exam: Exam, low: float, high: float) -> bool:
    return grade_of(low, exam.boundaries) != grade_of(high, exam.boundaries)
