"""Remedies: changed schemes on trial, with what the judge said under them. Their results are no proposals."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlite_utils import Database

from components.marking import Proposal, ProposalStatus, Scheme
from storage.connect import now


class State(StrEnum):
    DRAFTED = "drafted"
    TRYING = "trying"
    TRIED = "tried"
    APPLIED = "applied"
    DROPPED = "dropped"


@dataclass(frozen=True)
class Sampled:
    """A response of a remedy's sample. `chosen`: for its disagreement behind the pattern, not at random."""

    response_id: int
    chosen: bool
    teacher: float


@dataclass(frozen=True)
class Remedy:
    """A drafted scheme on trial in place of `base`, the scheme version `scheme_id`.

    `pattern_key` names the pattern among the exam's, `pattern` is its sentence when it was found. `asked_as` is how
    the desk's run asked the judge.
    """

    id: int
    exam_id: int
    question_id: int
    judge_id: int
    marker_id: int
    marker_name: str
    pattern: str
    pattern_key: str
    behind: tuple[int, ...]
    scheme_id: int
    base: Scheme
    draft: Scheme
    sample: tuple[Sampled, ...]
    asked_as: dict[str, Any]
    job_id: int | None
    state: State
    applied_scheme_id: int | None
    created_at: str

    @property
    def open(self) -> bool:
        """Neither applied nor dropped."""
        return self.state not in (State.APPLIED, State.DROPPED)


@dataclass(frozen=True)
class Result:
    """What the judge said of one response before and under the draft; `after` is None while it is with the model."""

    response_id: int
    before: Proposal | None
    before_scheme_id: int | None
    after: Proposal | None
    paid: float | None
    unpriced: int


def add(
    db: Database,
    *,
    exam_id: int,
    question_id: int,
    judge_id: int,
    marker_id: int,
    pattern: str,
    pattern_key: str,
    behind: Sequence[int],
    scheme_id: int,
    draft: Scheme,
) -> int:
    """A new remedy's id, drafted."""
    cursor = db.execute(
        "INSERT INTO remedies (exam_id, question_id, judge_id, marker_id, pattern, pattern_key, behind, scheme_id, "
        "draft, created_at, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            exam_id,
            question_id,
            judge_id,
            marker_id,
            pattern,
            pattern_key,
            json.dumps(list(behind)),
            scheme_id,
            draft.model_dump_json(),
            *(now(),) * 2,
        ),
    )
    return int(cursor.lastrowid or 0)


def get(db: Database, remedy_id: int) -> Remedy | None:
    """One remedy of an exam that is not archived, or None."""
    found = _remedies(db, "r.id = ? AND e.archived_at IS NULL", (remedy_id,))
    return found[0] if found else None


def listed(db: Database, exam_id: int) -> list[Remedy]:
    """The exam's remedies, newest first."""
    return _remedies(db, "r.exam_id = ? ORDER BY r.id DESC", (exam_id,))


def redraft(db: Database, remedy_id: int, draft: Scheme) -> None:
    """Put another draft in the place of one that has not been tried."""
    db.execute(
        "UPDATE remedies SET draft = ?, changed_at = ? WHERE id = ? AND state = 'drafted'",
        (draft.model_dump_json(), now(), remedy_id),
    )


def begin(db: Database, remedy_id: int, job_id: int, sample: Sequence[Sampled], asked_as: dict[str, Any]) -> None:
    """The remedy is tried from now on, on this sample, by this job."""
    body = json.dumps([[each.response_id, each.chosen, each.teacher] for each in sample])
    db.execute(
        "UPDATE remedies SET sample = ?, asked_as = ?, job_id = ?, state = 'trying', changed_at = ? "
        "WHERE id = ? AND state = 'drafted'",
        (body, json.dumps(asked_as), job_id, now(), remedy_id),
    )


def set_state(db: Database, remedy_id: int, state: State, applied_scheme_id: int | None = None) -> None:
    db.execute(
        "UPDATE remedies SET state = ?, applied_scheme_id = coalesce(?, applied_scheme_id), changed_at = ? "
        "WHERE id = ?",
        (state, applied_scheme_id, now(), remedy_id),
    )


def results(db: Database, remedy_id: int) -> dict[int, Result]:
    """By response, what has been tried or is out."""
    rows = db.execute("SELECT * FROM remedy_results WHERE remedy_id = ?", (remedy_id,))
    return {
        row["response_id"]: Result(
            row["response_id"],
            None if row["before"] is None else Proposal.model_validate_json(row["before"]),
            row["before_scheme_id"],
            None if row["after"] is None else Proposal.model_validate_json(row["after"]),
            row["paid"],
            row["unpriced"],
        )
        for row in rows
    }


def claim(db: Database, remedy_id: int, response_ids: Iterable[int]) -> set[int]:
    """Note that these are about to be tried; gives those that have no result yet, or a failed one, and are not out."""
    taken = set()
    for response_id in response_ids:
        cursor = db.execute(
            "INSERT INTO remedy_results (remedy_id, response_id) VALUES (?, ?) ON CONFLICT DO UPDATE "
            "SET after = NULL, failed = 0 WHERE failed = 1",
            (remedy_id, response_id),
        )
        if cursor.rowcount == 1:
            taken.add(response_id)
    return taken


def forget(db: Database, remedy_id: int, response_ids: Iterable[int]) -> None:
    """These were not sent after all. What an earlier time cost stays known."""
    which = [(remedy_id, response_id) for response_id in response_ids]
    out = "WHERE remedy_id = ? AND response_id = ? AND after IS NULL AND failed = 0"
    db.conn.executemany(f"DELETE FROM remedy_results {out} AND paid IS NULL AND unpriced = 0", which)
    db.conn.executemany(f"UPDATE remedy_results SET failed = 1 {out}", which)


def keep(db: Database, remedy_id: int, response_id: int, before: tuple[Proposal, int] | None, after: Proposal) -> None:
    """Store what has come back; `before` is with the scheme version it was made under.

    The price adds to what an earlier, failed time had cost.
    """
    proposal, scheme_id = before or (None, None)
    db.execute(
        "INSERT INTO remedy_results (remedy_id, response_id, before, before_scheme_id, after, failed, paid, unpriced) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET before = excluded.before, "
        "before_scheme_id = excluded.before_scheme_id, after = excluded.after, failed = excluded.failed, "
        "paid = iif(paid IS NULL AND excluded.paid IS NULL, NULL, coalesce(paid, 0) + coalesce(excluded.paid, 0)), "
        "unpriced = unpriced + excluded.unpriced",
        (
            remedy_id,
            response_id,
            None if proposal is None else proposal.model_dump_json(),
            scheme_id,
            after.model_dump_json(),
            after.status is ProposalStatus.FAILED,
            after.usage.price,
            after.usage.price is None and bool(after.usage.raw_reply),
        ),
    )


def left_out(db: Database, remedy_id: int) -> set[int]:
    """Responses that were with the model when the server ended."""
    rows = db.execute(
        "SELECT response_id FROM remedy_results WHERE remedy_id = ? AND after IS NULL AND failed = 0", (remedy_id,)
    )
    return {int(row["response_id"]) for row in rows}


def run_options(db: Database, exam_id: int, judge_id: int) -> list[dict[str, Any]]:
    """The options of the judge's runs over the exam, newest first."""
    rows = db.execute(
        "SELECT payload FROM jobs WHERE kind = 'propose' AND json_extract(payload, '$.exam_id') = ? "
        "AND json_extract(payload, '$.judge_id') = ? AND status <> 'cancelled' ORDER BY id DESC",
        (exam_id, judge_id),
    )
    return [dict(json.loads(row["payload"])) for row in rows]


def _remedies(db: Database, where: str, parameters: tuple[Any, ...]) -> list[Remedy]:
    rows = db.execute(
        "SELECT r.*, m.name AS marker_name, s.body, q.max_mark, q.mark_step FROM remedies r "
        "JOIN markers m ON m.id = r.marker_id JOIN exams e ON e.id = r.exam_id JOIN schemes s ON s.id = r.scheme_id "
        "JOIN questions q ON q.id = r.question_id WHERE " + where,
        parameters,
    )
    return [
        Remedy(
            id=row["id"],
            exam_id=row["exam_id"],
            question_id=row["question_id"],
            judge_id=row["judge_id"],
            marker_id=row["marker_id"],
            marker_name=row["marker_name"],
            pattern=row["pattern"],
            pattern_key=row["pattern_key"],
            behind=tuple(json.loads(row["behind"])),
            scheme_id=row["scheme_id"],
            base=Scheme.model_validate(
                json.loads(row["body"]) | {"max_mark": row["max_mark"], "mark_step": row["mark_step"]}
            ),
            draft=Scheme.model_validate_json(row["draft"]),
            sample=tuple(Sampled(each[0], bool(each[1]), each[2]) for each in json.loads(row["sample"])),
            asked_as=json.loads(row["asked_as"]),
            job_id=row["job_id"],
            state=State(row["state"]),
            applied_scheme_id=row["applied_scheme_id"],
            created_at=row["created_at"],
        )
        for row in rows
    ]
