"""Importing a checked table as a new exam, all of it or nothing, and taking an import back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sqlite_utils import Database

from components.intake import ImportPlan
from components.intake.forms import Pseudonym
from components.marking import Marker, MarkError
from components.workflow import learning
from components.workflow.connections import default_judges
from components.workflow.import_parts import (
    Imported,
    add_ai_marks,
    ai_judges,
    ai_name_problem,
    human_markers,
    keep_key,
    note_import,
    source_of,
)
from components.workflow.import_watch import AI_MARKS, HUMAN_MARKS, Watch, refresh
from storage import Store, decisions, exams, imports, jobs, responses, withdrawals

DeskJudge = Literal["imported", "offline"]


def import_plan(
    store: Store,
    plan: ImportPlan,
    *,
    title: str,
    marker: Marker | None,
    judge: DeskJudge | None = None,
    imported_judge: str = "",
    first_marker_name: str = "",
    second_marker_name: str = "",
    people: Sequence[Pseudonym] = (),
    watch: Watch | None = None,
) -> Imported:
    """Store the plan as a new exam, in one transaction. A name is needed for each marker whose marks the plan holds.

    `people` is the key of names, kept apart; `judge` says whose proposals stand on the desk: the table's own AI
    marks (the default where it has any; of several AIs those of `imported_judge`, by default of the one with the most)
    or the offline judge's, which are then queued. Raises MarkError, with nothing stored, for a plan with errors, a file
    that is imported already, a mark off its scale or a marker's or an AI's name that will not do.
    """
    if not plan.ok:
        raise MarkError(f"The table still has {plan.problems} errors. Correct them and choose the file again.")
    if not plan.responses:
        raise MarkError("The table holds no responses. Choose another file.")
    _, offline = default_judges(store)
    desk = judge or ("imported" if plan.ai_marks else "offline")
    watch = watch or Watch()
    with store.write() as db:
        watch.began(db)
        _refuse_repeat(db, plan)
        human = human_markers(db, (mark.marker for mark in plan.human_marks), (first_marker_name, second_marker_name))
        exam_id = exams.add_exam(
            db, title, subject=_shared_subject(plan), language=plan.questions[0].question.language, judge_id=offline
        )
        import_id = note_import(db, exam_id, plan, marker)
        keep_key(db, exam_id, import_id, people)
        watch.at(0.0, f"Storing {len(plan.responses):,} responses")
        by_row, candidates = _store_responses(db, exam_id, import_id, plan)
        watch.at(HUMAN_MARKS, f"Storing {len(plan.human_marks):,} human marks")
        decisions.add_imported(
            db, import_id, ((by_row[mark.row][0], human[mark.marker], mark.mark) for mark in plan.human_marks)
        )
        if plan.ai_marks:
            watch.at(AI_MARKS, f"Storing {len(plan.ai_marks):,} AI marks")
            ais = ai_judges(db, plan)
            add_ai_marks(db, exam_id, import_id, ais, plan, ((*by_row[given.row], given) for given in plan.ai_marks))
            if desk == "imported":
                stands = imported_judge or usual_on_desk(plan)
                if stands not in ais:
                    raise MarkError(f"The table has no marks by “{stands}”. Choose whose marks stand on the desk.")
                exams.set_judge(db, exam_id, ais[stands], None if marker is None else marker.id)
        refresh(db, [response_id for response_id, _ in by_row.values()], watch)
        if desk == "offline":
            jobs.add(db, "propose", {"exam_id": exam_id})
            for question in exams.questions(db, exam_id):
                learning.consider(db, exam_id, question)
        made = Imported(
            exam_id,
            import_id,
            len(plan.questions),
            candidates,
            len(plan.responses),
            len(plan.human_marks),
            len(plan.ai_marks),
        )
        watch.made(db, made)
    return made


def usual_on_desk(plan: ImportPlan) -> str:
    """The AI of the plan that marked the most, the first of several; its marks stand unless somebody chooses."""
    return max(plan.ai_judges, key=plan.ai_judges.__getitem__)


def undo_import(store: Store, import_id: int, marker: Marker | None) -> str:
    """Take an import back, and give what is to be said of it beyond that. Nothing is deleted but names.

    One that made its exam takes the exam out of every list; its rows, and marks given on it since, stay on record. One
    that was added to an exam takes back its marks and takes its responses out of it. Raises MarkError where a later
    import was added to the exam, or where the added responses have been marked since.
    """
    marker_id = None if marker is None else marker.id
    with store.write() as db:
        found = imports.get(db, import_id)
        if found is None:
            return ""
        if not found.added:
            withdrawals.check_newest(db, found)
            imports.undo(db, import_id, marker_id)
            return ""
        kept = withdrawals.take_out(db, found, marker_id).ai_marks
    store.empty_log()  # names that came with it are in the log still
    if not kept:
        return ""
    return f"{kept:,} AI marks on responses that were there before count no more; they stay on record."


def why_not(store: Store, plan: ImportPlan) -> str:
    """Why a plan without errors cannot become an exam, in words: it is one already, or an AI's name will not do."""
    with store.read() as db:
        return _repeat(db, plan) or ai_name_problem(db, plan)


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
        f"“{source_of(plan)}” is imported already, as the exam “{exam.title}”. "
        "To import it another way, undo that import first."
    )


def _shared_subject(plan: ImportPlan) -> str:
    subjects = {planned.question.subject for planned in plan.questions}
    return subjects.pop() if len(subjects) == 1 else ""


def _store_responses(
    db: Database, exam_id: int, import_id: int, plan: ImportPlan
) -> tuple[dict[int, tuple[int, int]], int]:
    """Store questions, candidates and responses; gives by row of the plan (response id, question id), and how many
    candidates there are."""
    question_ids = {
        planned.question.number: exams.add_question(db, exam_id, planned.question, planned.scheme)
        for planned in plan.questions
    }
    candidate_ids = responses.add_candidates(
        db, exam_id, (planned.candidate for planned in plan.responses), plan.groups, import_id
    )
    answers = [
        (question_ids[planned.question], candidate_ids[planned.candidate], planned.answer) for planned in plan.responses
    ]
    ids = responses.add_responses(db, exam_id, answers, import_id)
    by_row = {
        planned.row: (ids[question, candidate], question)
        for planned, (question, candidate, _) in zip(plan.responses, answers, strict=True)
    }
    return by_row, len(candidate_ids)
