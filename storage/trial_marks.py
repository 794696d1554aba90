"""A trial's human marks: given without the AI's mark in sight, by whom, and noted once when the trial begins.

A marker's latest blind or imported word on a response is theirs. As agreement does, a blind mark that was undone after
its reveal still counts: else undoing would quietly remove just the disagreements. "No response" is no mark, nor is one
about other pages than the answer has now, which are what a judge is asked about. A trial may hold responses without a
mark beside, so that a benchmark's written answers are marked by a judge before any teacher has.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from storage.answer_pages import PAGES_AS_MARKED

Whose = tuple[int, int | None]  # the first marker and the second; None: marked once


@dataclass(frozen=True)
class Basis:
    """Which of an exam's responses a trial rests on: of these questions (None: all), with a mark by one of those whose
    marks count (None: the first two different markers of each response), and those without one where `unmarked`."""

    exam_id: int
    question_ids: Sequence[int] | None
    whose: Whose | None
    unmarked: bool = False


@dataclass(frozen=True)
class MarkerCount:
    marker_id: int
    name: str
    marks: int


@dataclass(frozen=True)
class Counted:
    """How many responses have a first mark, and how many of those a second."""

    responses: int
    double_marked: int


@dataclass(frozen=True)
class Taken:
    """A trial's responses as columns, in the order of their ids; None where there is no mark, or no second one."""

    response_ids: tuple[int, ...]
    question_ids: tuple[int, ...]
    handwritten: tuple[int, ...]
    first: tuple[float | None, ...]
    second: tuple[float | None, ...]


# Of the chosen questions: each marker's mark and its place, 1 or 2. Two chosen markers have their own places; else the
# first two different markers of each response, in the order of their decisions.
_MARKS = f"""
WITH latest AS (
    SELECT max(d.id) AS decision_id FROM decisions d JOIN responses r ON r.id = d.response_id
    WHERE r.exam_id = :exam AND (:questions IS NULL OR r.question_id IN (SELECT value FROM json_each(:questions)))
      AND d.outcome <> 'undo' AND d.stage IN ('blind', 'imported')
      AND NOT EXISTS (
          SELECT 1 FROM decisions u WHERE u.undoes = d.id AND NOT (d.stage = 'blind' AND EXISTS (
              SELECT 1 FROM (SELECT response_id, marker_id, created_at FROM sightings
                             UNION ALL SELECT response_id, marker_id, created_at FROM shown) s
              WHERE s.response_id = d.response_id AND s.marker_id = d.marker_id AND s.created_at <= u.created_at)))
    GROUP BY d.response_id, d.marker_id
),
marks AS (
    SELECT d.id, d.response_id, d.marker_id, d.mark FROM latest l JOIN decisions d ON d.id = l.decision_id
    WHERE d.outcome = 'mark' AND {PAGES_AS_MARKED.format(d="d")}
),
placed AS (
    SELECT id, response_id, mark, CASE
        WHEN :first IS NULL THEN row_number() OVER (PARTITION BY response_id ORDER BY id)
        WHEN marker_id = :first THEN 1 WHEN marker_id = :second THEN 2 END AS place
    FROM marks
),
pairs AS (
    SELECT response_id, max(id) FILTER (WHERE place = 1) AS first_id, max(mark) FILTER (WHERE place = 1) AS first_mark,
           max(id) FILTER (WHERE place = 2) AS second_id, max(mark) FILTER (WHERE place = 2) AS second_mark
    FROM placed WHERE place <= 2 GROUP BY response_id HAVING first_id IS NOT NULL
),
asked AS (
    SELECT r.id AS response_id, r.question_id, p.first_id, p.first_mark, p.second_id, p.second_mark
    FROM responses r LEFT JOIN pairs p ON p.response_id = r.id
    WHERE r.exam_id = :exam AND (:questions IS NULL OR r.question_id IN (SELECT value FROM json_each(:questions)))
      AND (:unmarked OR p.response_id IS NOT NULL)
),
rows AS (
    SELECT a.response_id, s.scheme_id, a.first_id, a.first_mark, a.second_id, a.second_mark FROM asked a
    JOIN (SELECT question_id, max(id) AS scheme_id FROM schemes GROUP BY question_id) s
    ON s.question_id = a.question_id
)
"""
_NOTED = "response_id, scheme_id, first_decision_id, first_mark, second_decision_id, second_mark"


def markers_of(db: Database, exam_id: int, question_ids: Sequence[int] | None) -> list[MarkerCount]:
    """Who has marked responses of these questions (None: all) without the AI's mark in sight.

    Most marks first; of equals, who began.
    """
    rows = db.execute(
        _MARKS + "SELECT m.id, m.name, count(*) AS n FROM marks d JOIN markers m ON m.id = d.marker_id "
        "GROUP BY m.id ORDER BY n DESC, min(d.id)",
        _about(Basis(exam_id, question_ids, None)),
    )
    return [MarkerCount(row["id"], row["name"], row["n"]) for row in rows]


def counted(db: Database, basis: Basis) -> Counted:
    """How many responses a trial would rest on."""
    row = db.execute(_MARKS + "SELECT count(*) AS n, count(second_id) AS double FROM pairs", _about(basis)).fetchone()
    return Counted(row["n"], row["double"])


def two_marks(db: Database, exam_id: int) -> dict[int, tuple[float, float]]:
    """By response id, the marks of its first two markers; only where there are two."""
    rows = db.execute(
        _MARKS + "SELECT response_id, first_mark, second_mark FROM pairs WHERE second_id IS NOT NULL",
        _about(Basis(exam_id, None, None)),
    )
    return {row["response_id"]: (row["first_mark"], row["second_mark"]) for row in rows}


def asked_ids(db: Database, basis: Basis) -> list[int]:
    """The ids of the responses that a trial would be of, question by question."""
    rows = db.execute(_MARKS + "SELECT response_id FROM asked ORDER BY question_id, response_id", _about(basis))
    return [row[0] for row in rows]


def take(db: Database, trial_id: int, basis: Basis) -> None:
    """Note the responses and their marks as the trial's own, with the schemes that stand now."""
    db.execute(
        f"INSERT INTO trial_responses (trial_id, {_NOTED}) " + _MARKS + "SELECT :trial, * FROM rows",
        _about(basis) | {"trial": trial_id},
    )


def as_noted(db: Database, trial_id: int, basis: Basis) -> bool:
    """Whether a trial that begins now would be of the very responses, marks and schemes that this one has noted."""
    noted = f"SELECT {_NOTED} FROM trial_responses WHERE trial_id = :trial"
    row = db.execute(
        _MARKS + f"SELECT EXISTS (SELECT * FROM rows EXCEPT {noted}) OR EXISTS ({noted} EXCEPT SELECT * FROM rows)",
        _about(basis) | {"trial": trial_id},
    )
    return not row.fetchone()[0]


def taken(db: Database, trial_id: int) -> Taken:
    """The responses and marks that were noted when the trial began; of one that holds unmarked ones, those too."""
    rows = db.execute(
        "SELECT t.response_id, r.question_id, r.kind <> 'typed', t.first_mark, t.second_mark FROM trial_responses t "
        "JOIN responses r ON r.id = t.response_id WHERE t.trial_id = ? ORDER BY t.response_id",
        (trial_id,),
    )
    rows.row_factory = None
    return Taken(*(zip(*found, strict=True) if (found := rows.fetchall()) else [()] * 5))


def _about(basis: Basis) -> dict[str, Any]:
    first, second = basis.whose or (None, None)
    return {
        "exam": basis.exam_id,
        "questions": None if basis.question_ids is None else json.dumps(list(basis.question_ids)),
        "first": first,
        "second": second,
        "unmarked": basis.unmarked,
    }
