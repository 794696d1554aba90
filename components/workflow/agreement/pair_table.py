"""Every pair of marks as a row, for other tools, and what has been adjudicated: each for who may see it."""

from __future__ import annotations

from collections.abc import Sequence

from components.marking import Decision, Marker, Outcome, Role, Stage
from components.workflow.agreement.chosen import chosen
from components.workflow.agreement.selection import Selection
from components.workflow.agreement.tables import Table, Value
from storage import Store, decisions, exams, judges, pair_rows, pairs, proposals, rulings, standings
from storage.exams import StoredQuestion
from storage.pair_rows import Asked, PairRow
from storage.rulings import Settled

EVERY = 2**62
SIGHTINGS_AT_ONCE = 2_000
PAIR_COLUMNS = (
    "Kind", "Response", "Candidate", "Question", "AI mark", "Teacher mark", "Difference", "Maximum", "Stage",
    "Confidence", "Judge", "Marker", "Given at (UTC)",
)  # fmt: skip
SETTLED_COLUMNS = (
    "Question", "Candidate", "Maximum", "AI mark", "Teachers' marks", "Adjudicator's mark", "Mark that stands",
    "Marks hidden", "Reason", "Adjudicator", "When (UTC)",
)  # fmt: skip


def pair_rows_table(store: Store, selection: Selection, viewer: Marker) -> Table:
    """The selection's pairs, oldest first: agreement, and accept for marks given with the proposal in view.

    A teacher gets those on which a mark of their own stands: others they may still have to mark blind. What is handed
    out is recorded as seen by the viewer, so that no later mark of theirs on the response passes for blind. Markers
    are named for a head of department; others get a number in order of appearance. Raises LookupError where there is
    no such exam.
    """
    marked_by = viewer.id if viewer.role is Role.TEACHER else None
    with store.read() as db:
        found = chosen(db, selection)
        names = {judge.id: judge.name for judge in (*judges.listed(db), *judges.retired(db))}
        rows = [
            (kind, row)
            for kind in (pairs.AGREEMENT, pairs.ACCEPT)
            for row in reversed(
                pair_rows.behind(db, found.wanted, found.judged, Asked(kind, marked_by=marked_by), EVERY)[0]
            )
        ]
    # In parts: while one is written, nobody's mark can be.
    for start in range(0, len(rows), SIGHTINGS_AT_ONCE):
        with store.write(durable=False) as db:
            for _, row in rows[start : start + SIGHTINGS_AT_ONCE]:
                proposals.record_sighting(db, row.response_id, viewer.id, row.proposal_id)
    of = {stored.id: stored for stored in found.questions}
    markers = Numbered(viewer)
    return Table(
        "Pairs",
        PAIR_COLUMNS,
        tuple(
            _pair(kind, row, of[row.question_id], names.get(found.judged[row.question_id], ""), markers)
            for kind, row in rows
        ),
    )


class Numbered:
    """What markers are called for a viewer: by name for a head of department, else teacher 1, teacher 2 and so on."""

    def __init__(self, viewer: Marker) -> None:
        self.by_name = viewer.role is Role.HEAD
        self._numbers: dict[str, int] = {}

    def name(self, name: str) -> str:
        number = self._numbers.setdefault(name, len(self._numbers) + 1)
        return name if self.by_name else f"teacher {number}"


def _pair(kind: str, row: PairRow, stored: StoredQuestion, judge: str, markers: Numbered) -> tuple[Value, ...]:
    return (
        kind,
        row.response_id,
        row.candidate,
        stored.question.number,
        row.ai,
        row.teacher,
        row.ai - row.teacher,
        stored.question.max_mark,
        str(row.stage),
        row.confidence,
        judge,
        markers.name(row.marker_name),
        row.given_at,
    )


def adjudications(store: Store, selection: Selection, viewer: Marker) -> Table:
    """Adjudications that stand, and flags settled without one, newest first, on the selection's questions.

    The rest of the selection is about pairs, which these are not. A teacher gets those on responses on which a mark
    of their own stands. Raises LookupError where there is no such exam.
    """
    with store.read() as db:
        exam = exams.get(db, selection.exam_id)
        if exam is None:
            raise LookupError(f"There is no exam {selection.exam_id}.")
        of = {q.question.number: q for q in exams.questions(db, exam.id) if selection.chooses(q)}
        markers = Numbered(viewer)
        rows, shown = [], []
        for each in rulings.settled(db, exam.id, limit=EVERY):
            live = decisions.live(db, each.response_id) if each.question in of else []
            if each.question in of and (viewer.role is not Role.TEACHER or _has_marked(live, viewer)):
                standing = standings.get(db, each.response_id)
                proposal_id = None if standing is None else standing.proposal_id
                ai = None if proposal_id is None else proposals.get(db, proposal_id).proposal.mark
                rows.append(_settled(each, of[each.question], ai, live, markers))
                if not rulings.has_been_shown(db, each.response_id, viewer.id, proposal_id):
                    shown.append((each.response_id, proposal_id))
    if shown:
        with store.write(durable=False) as db:
            for response_id, proposal_id in shown:
                rulings.record_shown(db, response_id, viewer.id, proposal_id)
    return Table("Adjudications", SETTLED_COLUMNS, tuple(rows))


def _has_marked(live: Sequence[Decision], viewer: Marker) -> bool:
    return any(each.marker_id == viewer.id and each.stage is not Stage.IMPORTED for each in live)


def _settled(
    each: Settled, stored: StoredQuestion, ai: float | None, live: Sequence[Decision], markers: Numbered
) -> tuple[Value, ...]:
    latest = {d.marker_id: d for d in live if d.stage is not Stage.ADJUDICATED}
    given = [
        f"{markers.name(d.marker_name)}: {'no response' if d.mark is None else f'{d.mark:g}'}" for d in latest.values()
    ]
    return (
        each.question,
        each.candidate,
        stored.question.max_mark,
        ai,
        "; ".join(given),
        "flag settled, no mark" if each.outcome is None else _mark(each.outcome, each.mark),
        "" if each.final_outcome is None else _mark(each.final_outcome, each.final_mark),
        "" if each.outcome is None else "yes" if each.marks_hidden else "no",
        each.reason,
        markers.name(each.marker_name),
        each.created_at,
    )


def _mark(outcome: Outcome, mark: float | None) -> str | float:
    return mark if outcome is Outcome.MARK and mark is not None else "no response"
