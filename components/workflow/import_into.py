"""Adding a checked table to an exam that is there: what it has not yet, all of it or nothing."""

from __future__ import annotations

from collections.abc import Sequence

from sqlite_utils import Database

from components.intake import ImportPlan
from components.intake.forms import Pseudonym
from components.marking import Marker, MarkError
from components.workflow import learning
from components.workflow.import_compare import Comparison, compared
from components.workflow.import_parts import Imported, add_ai_marks, ai_judges, human_markers, keep_key, note_import
from components.workflow.import_watch import AI_MARKS, HUMAN_MARKS, Watch, refresh
from storage import Store, decisions, exams, import_state, jobs, judges, responses, standings, withdrawals


def import_into(
    store: Store,
    plan: ImportPlan,
    exam_id: int,
    *,
    marker: Marker | None,
    first_marker_name: str = "",
    second_marker_name: str = "",
    leave_out: bool = False,
    people: Sequence[Pseudonym] = (),
    desk_judge: str | None = None,
    watch: Watch | None = None,
) -> Imported | None:
    """Add to the exam what it has not yet, as `compare` tells it beforehand; None where there is nothing to add.

    Changed imported marks are new marks by the same marker or judge. The exam's judge stays, unless `desk_judge` names
    one of the plan's AIs to stand on the desk from now on. Raises MarkError, with nothing stored, where `compare` finds
    a problem or a marker's or an AI's name will not do.
    """
    names = (first_marker_name, second_marker_name)
    watch = watch or Watch()
    with store.write() as db:
        watch.began(db)
        watch.at(0.0, "Comparing the file with the exam")
        found = compared(db, plan, exam_id, names, leave_out=leave_out)
        if found.problems:
            raise MarkError(found.problems[0])
        if found.nothing_new:
            watch.made(db, None)
            return None
        made = _add(db, plan, found, names, marker, people, watch)
        if desk_judge is not None:
            _put_on_desk(db, plan, made, desk_judge, None if marker is None else marker.id)
        watch.made(db, made)
        return made


def _add(
    db: Database,
    plan: ImportPlan,
    found: Comparison,
    names: tuple[str, str],
    marker: Marker | None,
    people: Sequence[Pseudonym],
    watch: Watch,
) -> Imported:
    exam_id = found.exam_id
    human = human_markers(db, (number for _, number, _ in found.marks), names)
    import_id = note_import(db, exam_id, plan, marker, added=True)
    keep_key(db, exam_id, import_id, people)
    numbers = [*(number for _, number, _ in found.answers), *found.groups]
    candidates = responses.add_candidates(db, exam_id, numbers, found.groups, import_id)
    responses.add_responses(
        db, exam_id, [(question, candidates[number], text) for question, number, text in found.answers], import_id
    )
    watch.at(HUMAN_MARKS, f"Storing {len(found.marks):,} human marks")
    ids = {place: held.id for place, held in import_state.held(db, exam_id).items()}
    decisions.add_imported(db, import_id, ((ids[place], human[number], mark) for place, number, mark in found.marks))
    if found.ai_marks:
        watch.at(AI_MARKS, f"Storing {len(found.ai_marks):,} AI marks")
        ais = ai_judges(db, plan, import_state.imported_judges(db, exam_id))
        given = ((ids[place], place[0], mark) for place, mark in found.ai_marks)
        add_ai_marks(db, exam_id, import_id, ais, plan, given)
    touched = {ids[place] for place, _, _ in found.marks} | {ids[place] for place, _ in found.ai_marks}
    touched |= {ids[question, number] for question, number, _ in found.answers}
    refresh(db, sorted(touched), watch)
    exam = exams.get(db, exam_id)
    judge = judges.get(db, exam.judge_id) if exam is not None and exam.judge_id is not None else None
    if judge is not None and judge.kind == judges.OFFLINE:
        if found.answers:
            jobs.add(db, "propose", {"exam_id": exam_id})
        for question in exams.questions(db, exam_id):
            learning.consider(db, exam_id, question)
    return Imported(
        exam_id,
        import_id,
        len({question for question, *_ in found.answers}),
        len(found.new_candidates),
        len(found.answers),
        len(found.marks),
        len(found.ai_marks),
        added=True,
    )


def _put_on_desk(db: Database, plan: ImportPlan, made: Imported, name: str, marker_id: int | None) -> None:
    """Let one of the file's AIs stand on the exam's desk; which judge stood before is noted, for an undo."""
    stands = ai_judges(db, plan, import_state.imported_judges(db, made.exam_id)).get(name)
    if stands is None:
        raise MarkError(f"The table has no marks by “{name}”. Choose whose marks stand on the desk.")
    exam = exams.get(db, made.exam_id)
    if exam is None or exam.judge_id == stands:
        return
    withdrawals.note_desk(db, made.import_id, exam.judge_id, stands, marker_id)
    exams.set_judge(db, exam.id, stands, marker_id)
    standings.refresh_exam(db, exam.id)
