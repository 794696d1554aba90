"""A judge's verdicts beside teachers' marks: what patterns are looked for in, and what remedies are tried on."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from storage import proposals
from storage.answer_pages import PAGES_AS_MARKED, SAME_PAGES
from storage.proposals import StoredProposal
from storage.taken_back import STILL_COUNTS


@dataclass(frozen=True)
class Verdicts:
    """What a proposal awards by code, which level it gives by AO, and how many of its quotes are not in the answer."""

    points: dict[str, bool]
    levels: dict[str, int]
    quotes: int
    unverified: int


@dataclass(frozen=True)
class Marked:
    """A counted pair of agreement. `ticks` are the codes that the teacher ticked, None where they marked without."""

    response_id: int
    scheme_id: int
    ai: float
    teacher: float
    ticks: frozenset[str] | None
    verdicts: Verdicts


@dataclass(frozen=True)
class OnDesk:
    """The proposal that stands on a response's desk. `blank`: the answer has no words and no pictures."""

    response_id: int
    judge_id: int
    status: str
    reason: str
    blank: bool
    verdicts: Verdicts


def marked(db: Database, exam_id: int, question_id: int, judge_id: int, most: int) -> list[Marked]:
    """The question's counted pairs of agreement, the `most` given last, newest first.

    Verdicts and mark are of the judge's newest proposal on the pages that were marked: a remedy is for what the judge
    does now.
    """
    rows = db.execute(
        "SELECT a.response_id, a.teacher_mark, d.points, p.scheme_id, p.mark, p.verdicts FROM ("
        "    SELECT response_id, judge_id, teacher_mark, decision_id FROM pairs WHERE exam_id = ? "
        "    AND kind = 'agreement' AND question_id = ? AND judge_id = ? AND counted = 1 "
        "    ORDER BY decision_id DESC LIMIT ?"
        ") a JOIN decisions d ON d.id = a.decision_id JOIN proposals p ON p.id = "
        "(SELECT max(n.id) FROM proposals n WHERE n.response_id = a.response_id AND n.judge_id = a.judge_id "
        f"AND n.status = 'proposed' AND {STILL_COUNTS.format(p='n')} AND {SAME_PAGES.format(d='d', p='n')}) "
        "ORDER BY a.decision_id DESC",
        (exam_id, question_id, judge_id, most),
    )
    return [
        Marked(
            row["response_id"],
            row["scheme_id"],
            row["mark"],
            row["teacher_mark"],
            None if row["points"] is None else frozenset(json.loads(row["points"])),
            _verdicts(row["verdicts"]),
        )
        for row in rows
    ]


def on_desk(db: Database, question_id: int, most: int) -> list[OnDesk]:
    """The proposals that stand on the question's desk, the `most` made last."""
    rows = db.execute(
        "SELECT s.response_id, p.judge_id, p.status, p.reason, p.verdicts, "
        "trim(r.text, char(9, 10, 13, 32)) = '' AND NOT EXISTS "
        "(SELECT 1 FROM response_images i WHERE i.response_id = r.id) AS blank FROM (SELECT response_id, proposal_id "
        "FROM standings WHERE question_id = ? AND proposal_id IS NOT NULL ORDER BY proposal_id DESC LIMIT ?) s "
        "JOIN proposals p ON p.id = s.proposal_id JOIN responses r ON r.id = s.response_id",
        (question_id, most),
    )
    return [
        OnDesk(
            row["response_id"],
            row["judge_id"],
            row["status"],
            row["reason"],
            bool(row["blank"]),
            _verdicts(row["verdicts"]),
        )
        for row in rows
    ]


def teacher_marks(db: Database, question_id: int, judge_id: int) -> dict[int, float]:
    """By response, a teacher's mark that did not see the judge's: that of the counted pair, else the latest given.

    Only marks that were given for the pages which the answer has now.
    """
    rows = db.execute(
        "SELECT d.response_id, d.mark FROM decisions d WHERE d.outcome = 'mark' AND d.id IN "
        "(SELECT max(l.id) FROM responses r JOIN decisions l ON l.response_id = r.id WHERE r.question_id = :question "
        "AND l.stage IN ('blind', 'imported') AND l.outcome <> 'undo' "
        "AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = l.id) GROUP BY l.response_id)",
        {"question": question_id},
    ).fetchall()
    paired = db.execute(
        "SELECT a.response_id, a.teacher_mark FROM questions q JOIN pairs a ON a.exam_id = q.exam_id "
        "AND a.kind = 'agreement' AND a.question_id = q.id AND a.judge_id = :judge AND a.counted = 1 "
        "JOIN decisions d ON d.id = a.decision_id "
        f"WHERE q.id = :question AND {PAGES_AS_MARKED.format(d='d')}",
        {"question": question_id, "judge": judge_id},
    ).fetchall()
    return {int(row[0]): float(row[1]) for row in (*rows, *paired)}


def newest(db: Database, response_ids: Iterable[int], judge_id: int) -> dict[int, StoredProposal]:
    """By response, the judge's newest proposal that has not failed, or a failed one where there is no other."""
    found = db.execute(
        "SELECT (SELECT p.id FROM proposals p WHERE p.response_id = j.value AND p.judge_id = ? "
        f"AND {STILL_COUNTS.format(p='p')} ORDER BY p.status = 'failed', p.id DESC LIMIT 1) AS id FROM json_each(?) j",
        (judge_id, json.dumps(list(response_ids))),
    ).fetchall()
    stored = [proposals.get(db, row["id"]) for row in found if row["id"] is not None]
    return {each.response_id: each for each in stored}


def changes(db: Database) -> tuple[int, ...]:
    """A cheap fingerprint that moves when anything may have changed that patterns are found in."""
    row = db.execute(
        "SELECT (SELECT coalesce(max(id), 0) FROM decisions), (SELECT coalesce(max(id), 0) FROM proposals), "
        "(SELECT coalesce(max(id), 0) FROM schemes), (SELECT coalesce(max(id), 0) FROM events)"
    ).fetchone()
    return tuple(int(part) for part in row)


def _verdicts(body: str) -> Verdicts:
    """Read as plain JSON: thousands are counted at a time, and what is stored has been checked."""
    made: list[dict[str, Any]] = json.loads(body)
    quotes = [quote for verdict in made for quote in verdict.get("evidence", ())]
    return Verdicts(
        points={verdict["code"]: verdict["awarded"] for verdict in made if "code" in verdict},
        levels={verdict["objective"]: verdict["level"] for verdict in made if "objective" in verdict},
        quotes=len(quotes),
        unverified=sum(quote.get("start") is None for quote in quotes),
    )
