"""What importing a table does alike, whether it makes an exam or adds to one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlite_utils import Database

from components.intake import ImportPlan, PlannedAIMark
from components.intake.forms import Pseudonym
from components.marking import (
    Marker,
    MarkError,
    PointVerdict,
    Proposal,
    Scheme,
    WholeVerdict,
    format_mark,
    propose_from,
    total,
)
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


def ai_judges(db: Database, plan: ImportPlan, known: Mapping[int, str] | None = None) -> dict[str, int]:
    """By the plan's names of its AIs, the judges that their marks are kept under, made where they are new.

    `known` are the imported judges of the exam. Raises MarkError, in words, where a name is another kind of judge's.
    """
    problem = ai_name_problem(db, plan)
    if problem:
        raise MarkError(problem)
    here = known_ais(db, plan, known or {})
    for judge_id in here.values():
        judges.unretire(db, judge_id)
    new = [name for name in plan.ai_judges if name not in here]
    return here | {name: judges.ensure(db, name or usual_judge(plan), judges.IMPORTED) for name in new}


def known_ais(db: Database, plan: ImportPlan, known: Mapping[int, str]) -> dict[str, int]:
    """By the plan's names of its AIs, the judges there are already. One without a name is the only one of `known`."""
    found = {name: judges.find(db, name or usual_judge(plan)) for name in plan.ai_judges}
    ids = {name: judge.id for name, judge in found.items() if judge is not None}
    return ids | ({"": next(iter(known))} if "" in found and len(known) == 1 else {})


def ai_name_problem(db: Database, plan: ImportPlan) -> str:
    """Why the AIs cannot be called as they are, in words; blank where they can."""
    for name in plan.ai_judges:
        judge = judges.find(db, name or usual_judge(plan))
        if judge is not None and judge.kind != judges.IMPORTED:
            return (
                f"“{judge.name}” is the name of a judge here that gives marks of its own. Give the AI of the file "
                "another name."
            )
    return ""


def usual_judge(plan: ImportPlan) -> str:
    """What the only AI of a file is called where nobody names it."""
    return judge_after(plan.file_name, plan.sheet)


def judge_after(file_name: str, sheet: str | None) -> str:
    """As `usual_judge`, before there is a plan."""
    return f"Imported AI mark ({_source(file_name, sheet)})"


def add_ai_marks(
    db: Database,
    exam_id: int,
    import_id: int,
    judge_ids: Mapping[str, int],
    plan: ImportPlan,
    given: Iterable[tuple[int, int, PlannedAIMark]],
) -> None:
    """Store AI marks, as (response id, question id, mark), as proposals. Raises MarkError for one off its scale."""
    source = source_of(plan)
    by_id = {stored.id: stored for stored in exams.questions(db, exam_id)}
    made: dict[tuple[int, float, tuple[float, ...]], Proposal] = {}
    rows: dict[int, list[tuple[int, int, Proposal]]] = {}
    for response_id, question_id, mark in given:
        stored = by_id[question_id]
        key = (question_id, mark.mark, mark.items)
        proposal = made.get(key)
        if proposal is None:
            try:
                proposal = _proposal(mark, stored.scheme, source)
            except MarkError as error:
                raise MarkError(f"Question {stored.question.number}, AI mark: {error}") from error
            made[key] = proposal
        rows.setdefault(judge_ids[mark.judge], []).append((response_id, stored.scheme_id, proposal))
    for judge_id, of_judge in rows.items():
        proposals.add_imported(db, import_id, judge_id, of_judge)


def _proposal(given: PlannedAIMark, scheme: Scheme, source: str) -> Proposal:
    """Item marks become verdicts on the scheme's points where they fit them one by one, else they are told."""
    label = f"AI mark imported from {source}; no reasons came with it"
    points = _point_verdicts(given, scheme)
    if points:
        return propose_from(points, scheme, label=label)
    told = f"Item marks: {', '.join(format_mark(item) for item in given.items)}." if given.items else ""
    return propose_from((WholeVerdict(mark=given.mark),), scheme, label=label, reason=told)


def _point_verdicts(given: PlannedAIMark, scheme: Scheme) -> tuple[PointVerdict, ...]:
    """A verdict a point, where each item is nothing or all of its point and they come to the mark; else none."""
    if not given.items or len(given.items) != len(scheme.points):
        return ()
    pairs = list(zip(scheme.points, given.items, strict=True))
    if any(item not in (0, point.marks) for point, item in pairs):
        return ()
    verdicts = tuple(PointVerdict(code=point.code, awarded=item > 0) for point, item in pairs)
    return verdicts if total(verdicts, scheme) == given.mark else ()


def source_of(plan: ImportPlan) -> str:
    """The file in words, with its sheet where it has several."""
    return _source(plan.file_name, plan.sheet)


def _source(file_name: str, sheet: str | None) -> str:
    return f"{file_name}, sheet {sheet}" if sheet else file_name
