"""What importing a table does alike, whether it makes an exam or adds to one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlite_utils import Database

from components.intake import ImportPlan
from components.intake.forms import Pseudonym
from components.marking import Marker, MarkError, Proposal, WholeVerdict, propose_from
from storage import exams, imports, judges, markers, proposals, pseudonyms
from storage.pseudonyms import Known


@dataclass(frozen=True)
class Imported:
    """What an import made, or `added` to an exam that was there."""

    exam_id: int
    import_id: int
    questions: int
    candidates: int
    responses: int
    human_marks: int
    ai_marks: int
    added: bool = False


def note_import(
    db: Database,
    exam_id: int,
    plan: ImportPlan,
    marker: Marker | None,
    *,
    added: bool = False,
) -> int:
    """Note the import with what was found wrong in it; gives its id."""
    report = [
        {"row": entry.row, "level": entry.level, "message": entry.message}
        for entry in plan.report
        if entry.level != "ok"
    ]
    marker_id = None if marker is None else marker.id
    return imports.add(db, exam_id, plan.file_name, plan.sha256, report, marker_id, sheet=plan.sheet or "", added=added)


def keep_key(db: Database, exam_id: int, import_id: int, people: Sequence[Pseudonym]) -> None:
    """Keep who stands behind the candidate numbers, apart from everything else."""
    known = (Known(each.number, each.name, each.email, each.other) for each in people)
    pseudonyms.add(db, exam_id, (each for each in known if each.name or each.email or each.other), import_id)


def human_markers(db: Database, numbers: Iterable[int], names: tuple[str, str]) -> dict[int, int]:
    """Marker ids by the plan's marker numbers, of those who gave any mark."""
    given = sorted(set(numbers))
    for number in given:
        if not names[number - 1].strip():
            raise MarkError(f"Give the {('first', 'second')[number - 1]} marker in the table a name.")
    ids = {number: markers.ensure_external(db, names[number - 1]) for number in given}
    if len(set(ids.values())) < len(ids):
        raise MarkError("The two markers in the table have the same name. Give each a name of their own.")
    return ids


def ai_judge(db: Database, plan: ImportPlan) -> int:
    """The judge under whose name the file's AI marks are kept."""
    return judges.ensure(db, f"Imported AI mark ({source_of(plan)})", judges.IMPORTED)


def add_ai_marks(
    db: Database,
    exam_id: int,
    import_id: int,
    judge_id: int,
    plan: ImportPlan,
    given: Iterable[tuple[int, int, float]],
) -> None:
    """Store AI marks, as (response id, question id, mark), as proposals. Raises MarkError for one off its scale."""
    label = f"AI mark imported from {source_of(plan)}; no reasons came with it"
    by_id = {stored.id: stored for stored in exams.questions(db, exam_id)}
    made: dict[tuple[int, float], Proposal] = {}
    rows: list[tuple[int, int, Proposal]] = []
    for response_id, question_id, mark in given:
        stored = by_id[question_id]
        proposal = made.get((question_id, mark))
        if proposal is None:
            try:
                proposal = propose_from((WholeVerdict(mark=mark),), stored.scheme, label=label)
            except MarkError as error:
                raise MarkError(f"Question {stored.question.number}, AI mark: {error}") from error
            made[question_id, mark] = proposal
        rows.append((response_id, stored.scheme_id, proposal))
    proposals.add_imported(db, import_id, judge_id, rows)


def source_of(plan: ImportPlan) -> str:
    """The file in words, with its sheet where it has several."""
    return f"{plan.file_name}, sheet {plan.sheet}" if plan.sheet else plan.file_name
