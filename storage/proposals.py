"""Proposals: what judges said. Immutable; a newer one stands beside the older."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from sqlite_utils import Database

from components.marking import Flag, Proposal, Usage, Verdict
from storage import bulk, standings
from storage.connect import now

_VERDICTS = TypeAdapter(tuple[Verdict, ...])
_FLAGS = TypeAdapter(tuple[Flag, ...])


@dataclass(frozen=True)
class StoredProposal:
    id: int
    response_id: int
    judge_id: int
    scheme_id: int
    proposal: Proposal


def add(
    db: Database,
    response_id: int,
    judge_id: int,
    scheme_id: int,
    proposal: Proposal,
    *,
    inputs_hash: str = "",
    import_id: int | None = None,
    run_id: int | None = None,
) -> int:
    """Store a proposal and bring the response's standing up to date, in the caller's transaction."""
    cursor = db.execute(
        _INSERT, _row(response_id, judge_id, scheme_id, proposal, inputs_hash, import_id=import_id, run_id=run_id)
    )
    standings.refresh(db, response_id)
    return int(cursor.lastrowid or 0)


def add_each(db: Database, judge_id: int, run_id: int, made: Sequence[tuple[int, int, str, Proposal]]) -> None:
    """Store a run's proposals, as (response id, scheme id, inputs' hash, proposal), with the responses' standings."""
    db.conn.executemany(
        _INSERT,
        [
            _row(response_id, judge_id, scheme_id, proposal, inputs_hash, run_id=run_id)
            for response_id, scheme_id, inputs_hash, proposal in made
        ],
    )
    standings.refresh_each(db, [response_id for response_id, *_ in made])


def add_imported(db: Database, import_id: int, judge_id: int, imported: Iterable[tuple[int, int, Proposal]]) -> None:
    """Store many proposals at once, as (response id, scheme id, proposal). The caller refreshes the standings.

    Responses may share a proposal: it is turned into a row once.
    """
    kinds: dict[tuple[int, int], int] = {}
    made: list[tuple[Any, ...]] = []
    kept: list[Proposal] = []  # so that no other proposal comes to have the id() of one
    given: list[tuple[int, int]] = []
    for response_id, scheme_id, proposal in imported:
        kind = kinds.get((scheme_id, id(proposal)))
        if kind is None:
            kind = kinds[scheme_id, id(proposal)] = len(made)
            kept.append(proposal)
            made.append(_row(response_id, judge_id, scheme_id, proposal, import_id=import_id)[1:])
        given.append((response_id, kind))
    bulk.insert_alike(db, "proposals", _COLUMNS, made, given)


def get(db: Database, proposal_id: int) -> StoredProposal:
    """One proposal. Raises LookupError where there is none."""
    row = db.execute("SELECT * FROM proposals WHERE id = ?", (proposal_id,)).fetchone()
    if row is None:
        raise LookupError(f"There is no proposal {proposal_id}.")
    return _proposal(row)


def with_inputs(db: Database, response_id: int, judge_id: int, inputs_hash: str) -> int | None:
    """The id of this judge's newest proposal for the response, made from exactly these inputs and not failed."""
    row = db.execute(
        "SELECT id FROM proposals WHERE response_id = ? AND judge_id = ? AND inputs_hash = ? AND status <> 'failed' "
        "ORDER BY id DESC LIMIT 1",
        (response_id, judge_id, inputs_hash),
    ).fetchone()
    return None if row is None else int(row["id"])


def known_inputs(db: Database, exam_id: int, judge_id: int) -> set[tuple[int, str]]:
    """(response id, inputs' hash) of all that this judge has said about the exam, failures apart."""
    rows = db.execute(
        "SELECT p.response_id, p.inputs_hash FROM responses r "
        "JOIN proposals p ON p.response_id = r.id AND p.judge_id = ? "
        "WHERE r.exam_id = ? AND p.status <> 'failed' AND p.inputs_hash <> ''",
        (judge_id, exam_id),
    )
    return {(row["response_id"], row["inputs_hash"]) for row in rows}


def before(db: Database, proposal: StoredProposal) -> StoredProposal | None:
    """The mark that the same judge proposed on the response before this one, if it did."""
    row = db.execute(
        "SELECT max(id) AS id FROM proposals WHERE response_id = ? AND judge_id = ? AND id < ? AND status = 'proposed'",
        (proposal.response_id, proposal.judge_id, proposal.id),
    ).fetchone()
    return None if row["id"] is None else get(db, row["id"])


def counts_of_run(db: Database, run_id: int) -> dict[str, int]:
    """How many responses of the run have come to proposed, abstained and failed; a later retry counts in its place."""
    rows = db.execute(
        "SELECT status, count(*) AS n FROM proposals p WHERE run_id = ? AND NOT EXISTS (SELECT 1 FROM proposals n "
        "WHERE n.response_id = p.response_id AND n.judge_id = p.judge_id AND n.id > p.id) GROUP BY status",
        (run_id,),
    )
    return {"proposed": 0, "abstained": 0, "failed": 0} | {row["status"]: int(row["n"]) for row in rows}


def record_sighting(db: Database, response_id: int, marker_id: int, proposal_id: int) -> None:
    """The marker has been shown this proposal. From here on no mark of theirs on the response is blind."""
    db.execute(
        "INSERT OR IGNORE INTO sightings (response_id, marker_id, proposal_id, created_at) VALUES (?, ?, ?, ?)",
        (response_id, marker_id, proposal_id, now()),
    )


def seen_by(db: Database, response_id: int, marker_id: int, proposal_id: int | None = None) -> bool:
    """Whether the marker has been shown this proposal for the response, or any where proposal_id is None."""
    row = db.execute(
        "SELECT 1 FROM sightings WHERE response_id = ? AND marker_id = ? AND (? IS NULL OR proposal_id = ?)",
        (response_id, marker_id, proposal_id, proposal_id),
    )
    return row.fetchone() is not None


_COLUMNS = (
    *("response_id", "judge_id", "run_id", "import_id", "scheme_id", "status", "mark", "confidence", "label", "reason"),
    *("verdicts", "flags", "exemplars", "inputs_hash", "model", "prompt_version", "prompt_hash", "tokens_in"),
    *("tokens_out", "price", "seconds", "raw_reply", "samples", "transcript", "created_at"),
)
_INSERT = f"INSERT INTO proposals ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"


def _row(
    response_id: int,
    judge_id: int,
    scheme_id: int,
    proposal: Proposal,
    inputs_hash: str = "",
    *,
    import_id: int | None = None,
    run_id: int | None = None,
) -> tuple[Any, ...]:
    return (
        response_id,
        judge_id,
        run_id,
        import_id,
        scheme_id,
        *what_it_says(proposal),
        json.dumps(proposal.exemplars),
        inputs_hash,
        *what_it_took(proposal.usage),
        json.dumps(proposal.samples),
        proposal.transcript,
        now(),
    )


def what_it_says(proposal: Proposal) -> tuple[Any, ...]:
    """The columns from `status` to `flags`, of this table and of trial_proposals."""
    return (
        proposal.status,
        proposal.mark,
        proposal.confidence,
        proposal.label,
        proposal.reason,
        _VERDICTS.dump_json(proposal.verdicts).decode(),
        _FLAGS.dump_json(proposal.flags).decode(),
    )


def what_it_took(usage: Usage) -> tuple[Any, ...]:
    """The columns from `model` to `raw_reply`, of this table and of trial_proposals."""
    return (
        usage.model,
        usage.prompt_version,
        usage.prompt_hash,
        usage.tokens_in,
        usage.tokens_out,
        usage.price,
        usage.seconds,
        usage.raw_reply,
    )


def _proposal(row: Any) -> StoredProposal:
    usage = Usage(
        model=row["model"],
        prompt_version=row["prompt_version"],
        prompt_hash=row["prompt_hash"],
        tokens_in=row["tokens_in"],
        tokens_out=row["tokens_out"],
        price=row["price"],
        seconds=row["seconds"],
        raw_reply=row["raw_reply"],
    )
    proposal = Proposal(
        status=row["status"],
        label=row["label"],
        mark=row["mark"],
        verdicts=_VERDICTS.validate_json(row["verdicts"]),
        confidence=row["confidence"],
        flags=_FLAGS.validate_json(row["flags"]),
        reason=row["reason"],
        exemplars=tuple(json.loads(row["exemplars"])),
        samples=tuple(json.loads(row["samples"])),
        transcript=row["transcript"],
        usage=usage,
    )
    return StoredProposal(row["id"], row["response_id"], row["judge_id"], row["scheme_id"], proposal)
