"""The mark book, and every decision and proposal, as tables that join on the response's id."""

from __future__ import annotations

from collections.abc import Iterable

from sqlite_utils import Database

from components.marking import Marker, Role
from components.workflow.agreement.pair_table import SIGHTINGS_AT_ONCE, Numbered
from components.workflow.agreement.tables import Table, Value
from components.workflow.marks_out.totals import ExamTotals, QuestionMark, ScriptTotal, State
from storage import Store, exams, mark_book, proposals

DECISION_COLUMNS = (
    "Decision", "Response", "Candidate", "Question", "Outcome", "Stage", "Mark", "Maximum", "Points ticked", "Comment",
    "Marker", "Proposal then", "Mark scheme version", "Undoes", "In force", "Behind the final mark", "Seconds",
    "Given at (UTC)",
)  # fmt: skip
PROPOSAL_COLUMNS = (
    "Proposal", "Response", "Candidate", "Question", "Status", "Mark", "Maximum", "Confidence", "Points awarded",
    "Judge", "Kind of judge", "Model", "Prompt version", "Mark scheme version", "On the desk", "Price (US$)", "Seconds",
    "Made at (UTC)",
)  # fmt: skip


def mark_book_table(totals: ExamTotals) -> Table:
    """One row a candidate: a column for each group, question and section, then the total.

    A question without a mark says why it has none. The total of an incomplete script is what there is so far; it has
    no percentage and no grade, and the last column says what it lacks.
    """
    groups = sorted({name for script in totals.scripts for name in script.groups})
    columns = [
        "Candidate",
        *groups,
        *(f"Q{q.question.number} (/{q.question.max_mark:g})" for q in totals.questions),
        *_section_columns(totals),
        "Total",
        "Out of",
        "%",
        *(["Grade"] if totals.exam.boundaries else []),
        "Complete",
        "Still lacks",
    ]
    rows = [_book_row(totals, script, groups) for script in totals.scripts]
    return Table("Mark book", distinct(columns), tuple(rows))


def _section_columns(totals: ExamTotals) -> list[str]:
    return [
        f"{section.title} (best {section.answer} of {len(section.questions)})" if section.optional else section.title
        for section in totals.rules.sections
    ]


def _book_row(totals: ExamTotals, script: ScriptTotal, groups: Iterable[str]) -> tuple[Value, ...]:
    complete = script.complete
    return (
        script.candidate,
        *(script.groups.get(name, "") for name in groups),
        *(shown(mark) for mark in script.questions),
        *(tidy(section.total) for section in script.sections),
        tidy(script.total),
        tidy(script.out_of),
        round(script.percent, 1) if complete else None,
        *([script.grade] if totals.exam.boundaries else []),
        "yes" if complete else "no",
        script.lacks,
    )


def shown(mark: QuestionMark) -> Value:
    """The mark, or in words why there is none."""
    return str(mark.state) if mark.state is not State.MARKED else tidy(mark.worth)


def tidy(mark: float) -> float | int:
    """3 rather than 3.0."""
    return int(mark) if mark == int(mark) else mark


def distinct(columns: Iterable[str]) -> tuple[str, ...]:
    """The names, a repeated one with its place: a group may be called like a column of ours."""
    made: list[str] = []
    for name in columns:
        made.append(name if name not in made else f"{name} ({len(made) + 1})")
    return tuple(made)


def decisions_table(store: Store, exam_id: int, viewer: Marker) -> Table:
    """Every row of the exam's record, oldest first, undone ones and undos too.

    Markers are named for a head of department; others get a number in order of appearance. A teacher gets what is
    about responses on which a mark of their own stands: others they may still have to mark blind. Raises LookupError
    where there is no such exam.
    """
    markers = Numbered(viewer)
    with store.read() as db:
        _known(db, exam_id)
        rows = [
            (
                row.id,
                row.response_id,
                row.candidate,
                row.question,
                row.outcome.replace("_", " "),
                row.stage,
                None if row.mark is None else tidy(row.mark),
                tidy(row.max_mark),
                None if row.points is None else ", ".join(row.points),
                row.comment,
                markers.name(row.marker_name),
                row.proposal_id,
                row.scheme_version,
                row.undoes,
                "yes" if row.live else "no",
                "yes" if row.stands else "no",
                row.seconds,
                row.created_at,
            )
            for row in mark_book.decision_rows(db, exam_id, _marked_by(viewer))
        ]
    return Table("Decisions", DECISION_COLUMNS, tuple(rows))


def proposals_table(store: Store, exam_id: int, viewer: Marker) -> Table:
    """Every proposal on the exam's responses, oldest first; a teacher gets those that `decisions_table` gives them.

    What is handed out is recorded as seen by the viewer, so that no later mark of theirs passes for blind. Raises
    LookupError where there is no such exam.
    """
    with store.read() as db:
        _known(db, exam_id)
        rows = list(mark_book.proposal_rows(db, exam_id, _marked_by(viewer)))
    # In parts: while one is written, nobody's mark can be.
    for start in range(0, len(rows), SIGHTINGS_AT_ONCE):
        with store.write(durable=False) as db:
            for row in rows[start : start + SIGHTINGS_AT_ONCE]:
                proposals.record_sighting(db, row.response_id, viewer.id, row.id)
    return Table(
        "Proposals",
        PROPOSAL_COLUMNS,
        tuple(
            (
                row.id,
                row.response_id,
                row.candidate,
                row.question,
                row.status,
                None if row.mark is None else tidy(row.mark),
                tidy(row.max_mark),
                row.confidence,
                ", ".join(row.awarded),
                row.judge,
                row.kind,
                row.model,
                row.prompt_version,
                row.scheme_version,
                "yes" if row.on_desk else "no",
                row.price,
                row.seconds,
                row.created_at,
            )
            for row in rows
        ),
    )


def _marked_by(viewer: Marker) -> int | None:
    return viewer.id if viewer.role is Role.TEACHER else None


def _known(db: Database, exam_id: int) -> None:
    if exams.get(db, exam_id) is None:
        raise LookupError(f"There is no exam {exam_id}.")
