"""What the arms of a trial say: taken over from what is stored, or come back from a model. Nothing of it is a proposal.

Rows are never changed. Where an arm failed on a response and was asked again, the newest row counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from components.marking import Proposal
from storage import standings
from storage.answer_pages import PAGES_AS_MARKED
from storage.connect import now
from storage.proposals import what_it_says, what_it_took
from storage.taken_back import STILL_COUNTS

Inputs = tuple[int, str]  # response id, inputs' hash


@dataclass(frozen=True)
class ArmProgress:
    """How many of the arm's responses have come to what, each by its newest row; `out` are with the model now."""

    proposed: int = 0
    abstained: int = 0
    failed: int = 0
    out: int = 0

    @property
    def answered(self) -> int:
        return self.proposed + self.abstained


@dataclass(frozen=True)
class Cost:
    """What rows of one arm with the same model, prompt and standing of price took, failed ones too.

    `price` is None where theirs was not known when they came.
    """

    arm_id: int
    model: str
    prompt_version: str
    prompt_hash: str
    price: float | None
    tokens_in: int
    tokens_out: int
    seconds: float


_ANSWER = (
    *("arm_id", "response_id", "scheme_id", "proposal_id", "taken_id", "status", "mark", "confidence", "label"),
    *("reason", "verdicts", "flags", "samples", "inputs_hash", "model", "prompt_version", "prompt_hash", "tokens_in"),
    *("tokens_out", "price", "seconds", "raw_reply", "created_at"),
)
_INTO = f"INSERT INTO trial_proposals ({', '.join(_ANSWER)}) "
# All of a stored answer but its raw reply, which stays where it was taken from.
_OF_IT = (
    "o.status, o.mark, o.confidence, o.label, o.reason, o.verdicts, o.flags, o.samples, o.inputs_hash, o.model, "
    "o.prompt_version, o.prompt_hash, o.tokens_in, o.tokens_out, o.price, o.seconds, '', :now"
)
_AS_IMPORTED = f"n.status <> 'failed' AND {STILL_COUNTS.format(p='n')} AND {PAGES_AS_MARKED.format(d='n')}"
_IMPORTED = f"""
SELECT :arm, o.response_id, o.scheme_id, o.id, NULL, {_OF_IT} FROM json_each(:wanted) i JOIN proposals o ON o.id = (
    SELECT max(id) FROM proposals n WHERE n.response_id = i.value AND n.judge_id = :judge AND {_AS_IMPORTED})"""
_PROPOSED = f"""
SELECT :arm, o.response_id, o.scheme_id, o.id, NULL, {_OF_IT} FROM json_each(:wanted) i JOIN proposals o ON o.id = (
    SELECT max(id) FROM proposals n WHERE n.response_id = i.value ->> 0 AND n.judge_id = :judge
    AND n.inputs_hash = i.value ->> 1 AND n.status <> 'failed')"""
_ON_TRIAL = f"""
SELECT :arm, o.response_id, o.scheme_id, o.proposal_id, o.id, {_OF_IT}
FROM json_each(:wanted) i JOIN trial_proposals o ON o.id = (
    SELECT max(n.id) FROM trial_arms a CROSS JOIN trial_proposals n ON n.arm_id = a.id AND n.response_id = i.value ->> 0
    WHERE a.judge_id = :judge AND a.repeat = :repeat AND a.id <> :arm AND n.inputs_hash = i.value ->> 1
    AND n.status <> 'failed')"""


_FOR_DESK = """
SELECT i.value ->> 0 AS response_id, i.value ->> 2 AS scheme_id, max(n.id) AS answer_id FROM json_each(:wanted) i
CROSS JOIN trial_arms a ON a.judge_id = :judge AND a.repeat = 1
CROSS JOIN trial_proposals n ON n.arm_id = a.id AND n.response_id = i.value ->> 0 AND n.inputs_hash = i.value ->> 1
WHERE n.status <> 'failed' AND n.proposal_id IS NULL AND n.taken_id IS NULL
AND NOT EXISTS (SELECT 1 FROM proposals p WHERE p.response_id = n.response_id AND p.judge_id = :judge
                AND p.inputs_hash = n.inputs_hash AND p.status <> 'failed')
GROUP BY i.value ->> 0, i.value ->> 2
"""
_ON_DESK = (
    *("status", "mark", "confidence", "label", "reason", "verdicts", "flags", "samples", "inputs_hash", "model"),
    *("prompt_version", "prompt_hash", "tokens_in", "tokens_out", "price", "seconds", "raw_reply"),
)


def for_desk(db: Database, judge_id: int, wanted: Sequence[tuple[int, str, int]]) -> set[int]:
    """The responses of these (response id, inputs' hash, scheme id) that `to_desk` would give a proposal."""
    rows = db.execute(_FOR_DESK, {"judge": judge_id, "wanted": json.dumps(list(wanted))})
    return {row["response_id"] for row in rows}


def to_desk(db: Database, judge_id: int, wanted: Sequence[tuple[int, str, int]]) -> set[int]:
    """Make proposals of what the judge has said on trial of exactly these inputs, where it has none; gives their
    responses.

    They are of no run, which neither asked for them nor paid.
    """
    columns = ", ".join(_ON_DESK)
    found = for_desk(db, judge_id, wanted)
    if found:
        db.execute(
            f"INSERT INTO proposals (response_id, judge_id, scheme_id, {columns}, created_at) "
            f"SELECT f.response_id, :judge, f.scheme_id, {', '.join(f'o.{each}' for each in _ON_DESK)}, :now "
            f"FROM ({_FOR_DESK}) f JOIN trial_proposals o ON o.id = f.answer_id",
            {"judge": judge_id, "wanted": json.dumps(list(wanted)), "now": now()},
        )
        standings.refresh_each(db, sorted(found))
    return found


def answered(db: Database, arm_id: int, response_ids: Sequence[int]) -> set[int]:
    """Those of these responses on which the arm has said something; a failure says nothing."""
    rows = db.execute(
        "SELECT response_id, status, max(id) FROM trial_proposals WHERE arm_id = ? "
        "AND response_id IN (SELECT value FROM json_each(?)) GROUP BY response_id",
        (arm_id, json.dumps(list(response_ids))),
    )
    return {row["response_id"] for row in rows if row["status"] != "failed"}


def take_imported(db: Database, arm_id: int, judge_id: int, response_ids: Sequence[int]) -> None:
    """Take over the judge's newest proposals for these responses: of files not taken back, about the pages of now."""
    given = {"arm": arm_id, "judge": judge_id, "wanted": json.dumps(list(response_ids)), "now": now()}
    db.execute(_INTO + _IMPORTED, given)


def take_known(db: Database, arm_id: int, judge_id: int, repeat: int, inputs: Sequence[Inputs]) -> set[int]:
    """Take over what this judge has said of exactly these inputs: on the desk (the first asking alone), or on trial
    at the same time of asking. Gives the responses that are answered now."""
    wanted = [response_id for response_id, _ in inputs]
    given = {"arm": arm_id, "judge": judge_id, "wanted": json.dumps(list(inputs)), "now": now()}
    if repeat == 1:
        db.execute(_INTO + _PROPOSED, given)
    known = answered(db, arm_id, wanted)
    left = [each for each in inputs if each[0] not in known]
    if left:
        db.execute(_INTO + _ON_TRIAL, given | {"wanted": json.dumps(left), "repeat": repeat})
        known |= answered(db, arm_id, [response_id for response_id, _ in left])
    return known


def known_inputs(db: Database, judge_id: int, repeat: int, inputs: Sequence[Inputs]) -> set[int]:
    """The responses of these that a new arm would take over, as `take_known` does."""
    rows = db.execute(
        "SELECT i.value ->> 0 FROM json_each(:wanted) i WHERE :repeat = 1 AND EXISTS (SELECT 1 FROM proposals n "
        "WHERE n.response_id = i.value ->> 0 AND n.judge_id = :judge AND n.inputs_hash = i.value ->> 1 "
        "AND n.status <> 'failed') OR EXISTS (SELECT 1 FROM trial_arms a CROSS JOIN trial_proposals n "
        "ON n.arm_id = a.id AND n.response_id = i.value ->> 0 WHERE a.judge_id = :judge AND a.repeat = :repeat "
        "AND n.inputs_hash = i.value ->> 1 AND n.status <> 'failed')",
        {"judge": judge_id, "repeat": repeat, "wanted": json.dumps(list(inputs))},
    )
    return {row[0] for row in rows}


def count_imported(db: Database, judge_id: int, response_ids: Sequence[int]) -> int:
    """How many of these responses the judge has a proposal for."""
    row = db.execute(
        "SELECT count(*) FROM json_each(?) i WHERE EXISTS (SELECT 1 FROM proposals n WHERE n.response_id = i.value "
        f"AND n.judge_id = ? AND {_AS_IMPORTED})",
        (json.dumps(list(response_ids)), judge_id),
    )
    return int(row.fetchone()[0])


def claim(db: Database, arm_id: int, response_ids: Iterable[int]) -> set[int]:
    """Note that these are about to be sent; gives those that were not out already."""
    taken = set()
    for response_id in response_ids:
        cursor = db.execute("INSERT OR IGNORE INTO trial_out VALUES (?, ?)", (arm_id, response_id))
        if cursor.rowcount == 1:
            taken.add(response_id)
    return taken


def forget(db: Database, arm_id: int, response_ids: Iterable[int]) -> None:
    """These have come back and are stored, or were not sent after all."""
    which = [(arm_id, response_id) for response_id in response_ids]
    db.conn.executemany("DELETE FROM trial_out WHERE arm_id = ? AND response_id = ?", which)


def left_out(db: Database, arm_id: int) -> list[int]:
    """Responses that were with the arm's model when the server ended."""
    rows = db.execute("SELECT response_id FROM trial_out WHERE arm_id = ? ORDER BY response_id", (arm_id,))
    return [int(row["response_id"]) for row in rows]


def elsewhere(db: Database, arm_id: int, inputs: Sequence[Inputs]) -> set[int]:
    """The responses of these that are with the judge's model now: for a run of the desk (the first asking alone), or
    for another trial under way that asks the same way for the same time."""
    rows = db.execute(
        "SELECT i.value ->> 0 FROM json_each(:wanted) i JOIN trial_arms me ON me.id = :arm WHERE (me.repeat = 1 "
        "AND EXISTS (SELECT 1 FROM asked a WHERE a.response_id = i.value ->> 0 AND a.judge_id = me.judge_id "
        "AND a.inputs_hash = i.value ->> 1)) OR EXISTS (SELECT 1 FROM trial_arms o "
        "JOIN trial_out ON trial_out.arm_id = o.id AND trial_out.response_id = i.value ->> 0 "
        "JOIN trials t ON t.id = o.trial_id JOIN jobs j ON j.id = t.job_id AND j.status IN ('queued', 'running') "
        "WHERE o.id <> me.id AND (o.judge_id, o.shots, o.grading, o.criteria, o.repeat, o.chosen) "
        "= (me.judge_id, me.shots, me.grading, me.criteria, me.repeat, me.chosen))",
        {"arm": arm_id, "wanted": json.dumps(list(inputs))},
    )
    return {int(row[0]) for row in rows}


def keep_each(db: Database, arm_id: int, made: Iterable[tuple[int, int, str, Proposal]]) -> None:
    """Store what has come back, as (response id, scheme id, inputs' hash, proposal); it is out no more."""
    rows = [_row(arm_id, *each) for each in made]
    db.conn.executemany(f"{_INTO} VALUES ({', '.join('?' * len(_ANSWER))})", rows)
    forget(db, arm_id, (row[1] for row in rows))


def progress(db: Database, trial_id: int) -> dict[int, ArmProgress]:
    """By arm id, how far it is."""
    rows = db.execute(
        "SELECT a.id, count(*) FILTER (WHERE n.status = 'proposed'), count(*) FILTER (WHERE n.status = 'abstained'), "
        "count(*) FILTER (WHERE n.status = 'failed'), (SELECT count(*) FROM trial_out o WHERE o.arm_id = a.id) "
        "FROM trial_arms a LEFT JOIN (SELECT arm_id, response_id, status, max(id) FROM trial_proposals "
        "WHERE arm_id IN (SELECT id FROM trial_arms WHERE trial_id = :trial) GROUP BY arm_id, response_id) n "
        "ON n.arm_id = a.id WHERE a.trial_id = :trial GROUP BY a.id",
        {"trial": trial_id},
    )
    return {row[0]: ArmProgress(*row[1:]) for row in rows}


def spent(db: Database, trial_id: int) -> dict[int, tuple[float, int]]:
    """By arm id, (US dollars that the trial itself has spent, how many of its answers have a price that is not known).

    What was taken over was paid for where it came from.
    """
    rows = db.execute(
        "SELECT arm_id, coalesce(sum(price), 0), sum(price IS NULL) FROM trial_proposals "
        "WHERE arm_id IN (SELECT a.id FROM trial_arms a JOIN judges j ON j.id = a.judge_id "
        "WHERE a.trial_id = ? AND j.kind = 'llm') AND proposal_id IS NULL AND taken_id IS NULL GROUP BY arm_id",
        (trial_id,),
    )
    return {row[0]: (float(row[1]), int(row[2])) for row in rows}


def dearest(db: Database, judge_id: int) -> float:
    """US dollars of the dearest response that the judge was asked about in any trial, 0 where no price is known."""
    row = db.execute(
        "SELECT coalesce(max(n.price), 0) FROM trial_arms a JOIN trial_proposals n ON n.arm_id = a.id "
        "WHERE a.judge_id = ?",
        (judge_id,),
    ).fetchone()
    return float(row[0])


def newest(db: Database, arm_id: int) -> list[tuple[int, str, float | None]]:
    """(response id, status, mark) of each response that the arm has come to, by its newest row, in the ids' order."""
    rows = db.execute(
        "SELECT response_id, status, mark, max(id) FROM trial_proposals WHERE arm_id = ? GROUP BY response_id",
        (arm_id,),
    )
    rows.row_factory = None
    return [row[:3] for row in rows]


# What never came back may have been paid for, but nobody can know what: no figure per response rests on it.
_CAME = "NOT (status = 'failed' AND tokens_in = 0 AND tokens_out = 0)"


def state(db: Database, trial_id: int) -> tuple[int, int]:
    """How many rows the trial's arms have, and the newest of them: with the same two its report is the same."""
    row = db.execute(
        "SELECT count(*), coalesce(max(p.id), 0) FROM trial_proposals p JOIN trial_arms a ON a.id = p.arm_id "
        "WHERE a.trial_id = ?",
        (trial_id,),
    ).fetchone()
    return row[0], row[1]


def sent(db: Database, arm_id: int) -> int:
    """On how many of the arm's responses a model has replied: a blank one costs 0 and is not sent."""
    row = db.execute(
        f"SELECT count(DISTINCT response_id) FROM trial_proposals WHERE arm_id = ? AND {_CAME} "
        "AND (tokens_in > 0 OR tokens_out > 0 OR price IS NULL OR price > 0)",
        (arm_id,),
    )
    return int(row.fetchone()[0])


def costs(db: Database, arm_id: int) -> list[Cost]:
    """What the arm's answers took, those that count alike together."""
    rows = db.execute(
        "SELECT arm_id, model, prompt_version, prompt_hash, sum(price), sum(tokens_in), sum(tokens_out), sum(seconds) "
        f"FROM trial_proposals WHERE arm_id = ? AND {_CAME} GROUP BY model, prompt_version, prompt_hash, price IS NULL",
        (arm_id,),
    )
    return [Cost(*row) for row in rows]


def usual_seconds(db: Database, judge_id: int, model: str, most: int = 200) -> float | None:
    """How long the judge takes for a response: of the newest `most` the mean, else of any judge with its model."""
    lately = "(SELECT * FROM proposals ORDER BY id DESC LIMIT 20000)"  # who was not asked for so long counts as new
    mine = f"SELECT seconds FROM {lately} WHERE judge_id = :judge AND seconds > 0 LIMIT :most"
    of_model = (
        f"SELECT seconds FROM {lately} WHERE judge_id IN (SELECT id FROM judges WHERE model = :model) "
        "AND seconds > 0 LIMIT :most"
    )
    on_trial = (
        "SELECT seconds FROM trial_proposals WHERE arm_id IN (SELECT a.id FROM trial_arms a JOIN judges j "
        "ON j.id = a.judge_id WHERE j.id = :judge OR j.model = :model) AND seconds > 0 ORDER BY id DESC LIMIT :most"
    )
    for source in (mine, on_trial, of_model):
        found = db.execute(f"SELECT avg(seconds) FROM ({source})", {"judge": judge_id, "model": model, "most": most})
        mean = found.fetchone()[0]
        if mean is not None:
            return float(mean)
    return None


def _row(arm_id: int, response_id: int, scheme_id: int, inputs_hash: str, said: Proposal) -> tuple[Any, ...]:
    return (
        arm_id,
        response_id,
        scheme_id,
        None,
        None,
        *what_it_says(said),
        json.dumps(said.samples),
        inputs_hash,
        *what_it_took(said.usage),
        now(),
    )
