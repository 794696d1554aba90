"""Importing a checked table as a new exam, all of it or nothing, and taking an import back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sqlite_utils import Database

from components.intake import ImportPlan
from components.marking import Marker, MarkError, Proposal, WholeVerdict, propose_from
from components.workflow import learning
from components.workflow.connections import default_judges
from storage import Store, decisions, exams, imports, jobs, judges, markers, proposals, responses, standings

DeskJudge = Literal["imported", "offline"]


@dataclass(frozen=True)
class Imported:
    """What an import made."""

    exam_id: int
    import_id: int
    questions: int
    candidates: int
    responses: int
    human_marks: int
    ai_marks: int


def import_plan(
    store: Store,
    plan: ImportPlan,
    *,
    title: str,
    marker: Marker | None,
    judge: DeskJudge | None = None,
    first_marker_name: str = "",
    second_marker_name: str = "",
) -> Imported:
    """Store the plan as a new exam, in one transaction. A name is needed for each marker whose marks the plan holds.

    `judge` says whose proposals stand on the desk: the table's own AI marks (the default where it has any) or the
    offline judge's, which are then queued. Raises MarkError, with nothing stored, for a plan with errors, a file
    that is imported already, a mark off its scale or a marker's name that will not do.
    """
    if not plan.ok:
        raise MarkError(f"The table still has {plan.problems} errors. Correct them and choose the file again.")
    if not plan.responses:
        raise MarkError("The table holds no responses. Choose another file.")
    _, offline = default_judges(store)
    desk = judge or ("imported" if plan.ai_marks else "offline")
    with store.write() as db:
        _refuse_repeat(db, plan)
        human = _human_markers(db, plan, (first_marker_name, second_marker_name))
        exam_id = exams.add_exam(
            db, title, subject=_shared_subject(plan), language=plan.questions[0].question.language, judge_id=offline
        )
        report = [
            {"row": entry.row, "level": entry.level, "message": entry.message}
            for entry in plan.report
            if entry.level != "ok"
        ]
        import_id = imports.add(
            db,
            exam_id,
            plan.file_name,
            plan.sha256,
            report,
            None if marker is None else marker.id,
            sheet=plan.sheet or "",
        )
        by_row, candidates = _store_responses(db, exam_id, import_id, plan)
        decisions.add_imported(
            db, import_id, ((by_row[mark.row], human[mark.marker], mark.mark) for mark in plan.human_marks)
        )
        if plan.ai_marks:
            ai = judges.ensure(db, f"Imported AI mark ({_source(plan)})", judges.IMPORTED)
            proposals.add_imported(db, import_id, ai, _imported_proposals(db, exam_id, by_row, plan))
            if desk == "imported":
                exams.set_judge(db, exam_id, ai, None if marker is None else marker.id)
        standings.refresh_exam(db, exam_id)
        if desk == "offline":
            jobs.add(db, "propose", {"exam_id": exam_id})
            for question in exams.questions(db, exam_id):
                learning.consider(db, exam_id, question)
    return Imported(
        exam_id,
        import_id,
        len(plan.questions),
        candidates,
        len(plan.responses),
        len(plan.human_marks),
        len(plan.ai_marks),
    )


def undo_import(store: Store, import_id: int, marker: Marker | None) -> None:
    """Take the import's exam out of every list. Its rows, and marks given on it since, stay on record."""
    with store.write() as db:
        imports.undo(db, import_id, None if marker is None else marker.id)


def imported_already(store: Store, plan: ImportPlan) -> str:
    """Why this very file cannot be imported again, in words; blank where it can."""
    with store.read() as db:
        return _repeat(db, plan)


def _refuse_repeat(db: Database, plan: ImportPlan) -> None:
    problem = _repeat(db, plan)
    if problem:
        raise MarkError(problem)


def _repeat(db: Database, plan: ImportPlan) -> str:
    before = imports.same_file(db, plan.sha256, plan.sheet or "")
    exam = None if before is None else exams.get(db, before.exam_id)
    if exam is None:
        return ""
    return (
        f"“{_source(plan)}” is imported already, as the exam “{exam.title}”. "
        "To import it another way, undo that import first."
    )


def _human_markers(db: Database, plan: ImportPlan, names: tuple[str, str]) -> dict[int, int]:
    """Marker ids by the plan's marker numbers, of those who gave any mark."""
    given = sorted({mark.marker for mark in plan.human_marks})
    for number in given:
        if not names[number - 1].strip():
            raise MarkError(f"Give the {('first', 'second')[number - 1]} marker in the table a name.")
    ids = {number: markers.ensure_external(db, names[number - 1]) for number in given}
    if len(set(ids.values())) < len(ids):
        raise MarkError("The two markers in the table have the same name. Give each a name of their own.")
    return ids


def _shared_subject(plan: ImportPlan) -> str:
    subjects = {planned.question.subject for planned in plan.questions}
    return subjects.pop() if len(subjects) == 1 else ""


def _store_responses(db: Database, exam_id: int, import_id: int, plan: ImportPlan) -> tuple[dict[int, int], int]:
    """Store questions, candidates and responses; gives (response ids by row of the file, number of candidates)."""
    question_ids = {
        planned.question.number: exams.add_question(db, exam_id, planned.question, planned.scheme)
        for planned in plan.questions
    }
    candidate_ids = responses.add_candidates(
        db, exam_id, (planned.candidate for planned in plan.responses), plan.groups
    )
    places = [(question_ids[planned.question], candidate_ids[planned.candidate]) for planned in plan.responses]
    answers = [(*place, planned.answer) for place, planned in zip(places, plan.responses, strict=True)]
    ids = responses.add_responses(db, exam_id, answers, import_id)
    return {planned.row: ids[place] for planned, place in zip(plan.responses, places, strict=True)}, len(candidate_ids)


def _imported_proposals(
    db: Database, exam_id: int, by_row: dict[int, int], plan: ImportPlan
) -> Iterator[tuple[int, int, Proposal]]:
    schemes = {stored.question.number: stored for stored in exams.questions(db, exam_id)}
    question_of = {planned.row: planned.question for planned in plan.responses}
    label = f"AI mark imported from {_source(plan)}; no reasons came with it"
    for given in plan.ai_marks:
        question = schemes[question_of[given.row]]
        try:
            proposal = propose_from((WholeVerdict(mark=given.mark),), question.scheme, label=label)
        except MarkError as error:
            raise MarkError(f"Row {given.row}, AI mark: {error}") from error
        yield by_row[given.row], question.scheme_id, proposal


def _source(plan: ImportPlan) -> str:
    return f"{plan.file_name}, sheet {plan.sheet}" if plan.sheet else plan.file_name
