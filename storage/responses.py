"""Candidates and their responses."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from components.marking import Response
from storage import bulk, pictures, standings, transcripts
from storage.connect import now


@dataclass(frozen=True)
class StoredResponse:
    """A response as it lies in the store. Pages show `candidate_number`; a judge gets `for_judge()`, which has none."""

    id: int
    exam_id: int
    question_id: int
    candidate_number: str
    kind: str
    text: str
    pictures: tuple[str, ...] = ()  # their SHA-256 in page order
    transcript: str = ""  # the newest that a teacher wrote

    @property
    def blank(self) -> bool:
        return not self.text.strip() and not self.pictures

    def for_judge(self, pictures: Sequence[bytes] = ()) -> Response:
        """What a judge sees. `pictures` are the bytes of the response's own, read only when it is about to be asked."""
        return Response(id=f"r{self.id}", text=self.text, pictures=tuple(pictures), transcript=self.transcript)


def add_candidates(
    db: Database,
    exam_id: int,
    numbers: Iterable[str],
    groups: Mapping[str, Mapping[str, str]] | None = None,
    import_id: int | None = None,
) -> dict[str, int]:
    """Ids of the candidates with these numbers, in the given order; those already known are kept.

    `groups` has by number the values by group, as in {"0417": {"class": "11A"}}. A known candidate's groups are
    completed: a value given now replaces an older one, groups not named stay.
    """
    position = db.execute("SELECT coalesce(max(position), 0) FROM candidates WHERE exam_id = ?", (exam_id,)).fetchone()[
        0
    ]
    distinct = list(dict.fromkeys(numbers))
    given = groups or {}
    db.conn.executemany(
        "INSERT INTO candidates (exam_id, number, position, groups, import_id) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (exam_id, number) DO UPDATE SET groups = json_patch(groups, excluded.groups) "
        "WHERE excluded.groups <> '{}'",
        [
            (exam_id, number, position + i, json.dumps(dict(given.get(number, {})), ensure_ascii=False), import_id)
            for i, number in enumerate(distinct, 1)
        ],
    )
    rows = db.execute("SELECT number, id FROM candidates WHERE exam_id = ?", (exam_id,))
    ids = {row["number"]: int(row["id"]) for row in rows}
    return {number: ids[number] for number in distinct}


def group_values(db: Database, exam_id: int) -> dict[str, tuple[str, ...]]:
    """The exam's groups, such as class and tier, by name, each with its candidates' values in order: Set 9, Set 10."""
    rows = db.execute(
        "SELECT DISTINCT g.key AS name, g.value AS value FROM candidates c, json_each(c.groups) g WHERE c.exam_id = ?",
        (exam_id,),
    )
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["name"], []).append(str(row["value"]))
    return {name: tuple(sorted(found[name], key=_counting)) for name in sorted(found)}


def _counting(value: str) -> list[tuple[bool, int, str]]:
    """A key that sorts text with the numbers in it as numbers."""
    parts = re.split(r"([0-9]+)", value.casefold())
    return [(False, int(part), "") if place % 2 else (True, 0, part) for place, part in enumerate(parts)]


def add_responses(
    db: Database,
    exam_id: int,
    answers: Sequence[tuple[int, int, str]],
    import_id: int | None = None,
    kind: str = "typed",
) -> dict[tuple[int, int], int]:
    """Store (question id, candidate id, text) triples; gives the response id of each (question, candidate).

    `kind` is how they were given: typed, drawn, photographed or scanned.
    """
    draw = random.SystemRandom().random
    # NUL would end the text for SQLite's own functions; it is nothing a candidate can have meant.
    bulk.insert(
        db,
        "responses",
        ("question_id", "candidate_id", "text", "blind_draw"),
        ((q, c, text.replace("\x00", "\ufffd"), draw()) for q, c, text in answers),
        {"exam_id": exam_id, "import_id": import_id, "kind": kind, "created_at": now()},
    )
    rows = db.execute("SELECT id, question_id, candidate_id FROM responses WHERE exam_id = ?", (exam_id,))
    ids = {(row["question_id"], row["candidate_id"]): int(row["id"]) for row in rows}
    return {(q, c): ids[q, c] for q, c, _ in answers}


def get(db: Database, response_id: int) -> StoredResponse | None:
    """One response of an exam that is not archived, or None."""
    row = db.execute(
        _SELECT + "JOIN exams e ON e.id = r.exam_id WHERE r.id = ? AND e.archived_at IS NULL", (response_id,)
    ).fetchone()
    if row is None:
        return None
    shown = db.execute("SELECT sha256 FROM response_images WHERE response_id = ? ORDER BY page", (response_id,))
    confirmed = transcripts.newest(db, response_id, transcripts.TEACHER)
    return _response(row, tuple(each["sha256"] for each in shown), "" if confirmed is None else confirmed.text)


def of_candidate(db: Database, exam_id: int, number: str) -> list[StoredResponse]:
    """One candidate's script: the responses in the exam's order."""
    rows = db.execute(
        "SELECT r.id FROM responses r JOIN candidates c ON c.id = r.candidate_id JOIN questions q "
        "ON q.id = r.question_id WHERE r.exam_id = ? AND c.number = ? ORDER BY q.position",
        (exam_id, number),
    )
    return [response for row in rows if (response := get(db, row["id"])) is not None]


def candidates(db: Database, exam_id: int) -> list[str]:
    """The numbers of the exam's candidates, in their order."""
    rows = db.execute("SELECT number FROM candidates WHERE exam_id = ? ORDER BY position", (exam_id,))
    return [str(row["number"]) for row in rows]


def places(db: Database, exam_id: int) -> dict[tuple[str, str], tuple[int, str]]:
    """By (candidate number, question number), the id and text of each response of the exam."""
    rows = db.execute(
        "SELECT r.id, r.text, c.number AS candidate, q.number AS question FROM responses r "
        "JOIN candidates c ON c.id = r.candidate_id JOIN questions q ON q.id = r.question_id WHERE r.exam_id = ?",
        (exam_id,),
    )
    return {(row["candidate"], row["question"]): (row["id"], row["text"]) for row in rows}


def of_place(db: Database, question_id: int, number: str) -> tuple[bool, int | None]:
    """(whether the exam has the candidate, the id of their response to the question or None)."""
    row = db.execute(
        "SELECT r.id FROM questions q JOIN candidates c ON c.exam_id = q.exam_id AND c.number = ? "
        "LEFT JOIN responses r ON r.question_id = q.id AND r.candidate_id = c.id WHERE q.id = ?",
        (number, question_id),
    ).fetchone()
    return row is not None, None if row is None else row["id"]


def by_candidate(db: Database, question_id: int) -> dict[str, int | None]:
    """By the number of each of the exam's candidates, in their order, the id of their response; None where none is."""
    rows = db.execute(
        "SELECT c.number, r.id FROM questions q JOIN candidates c ON c.exam_id = q.exam_id "
        "LEFT JOIN responses r ON r.candidate_id = c.id AND r.question_id = q.id WHERE q.id = ? ORDER BY c.position",
        (question_id,),
    )
    return {str(row["number"]): row["id"] for row in rows}


def set_kind(db: Database, response_id: int, kind: str) -> None:
    """Note how an answer was given: typed, drawn, photographed or scanned. Its pairs follow."""
    db.execute("UPDATE responses SET kind = ? WHERE id = ?", (kind, response_id))
    standings.refresh(db, response_id)


def of_question(db: Database, question_id: int, *, undecided: bool = False) -> list[StoredResponse]:
    """A question's responses, those without a human mark first, in candidate order; `undecided` gives those alone."""
    rows = db.execute(
        _SELECT + "JOIN standings s ON s.response_id = r.id WHERE r.question_id = ? AND (? = 0 OR s.human = 0) "
        "ORDER BY s.human, c.position",
        (question_id, undecided),
    )
    shown, confirmed = pictures.of_question(db, question_id), transcripts.confirmed(db, question_id)
    return [_response(row, shown.get(row["id"], ()), confirmed.get(row["id"], "")) for row in rows]


def with_ids(db: Database, response_ids: Sequence[int]) -> list[StoredResponse]:
    """The responses with these ids in this order, pictures and teachers' transcripts with them."""
    wanted = json.dumps(list(response_ids))
    rows = db.execute(_SELECT + "WHERE r.id IN (SELECT value FROM json_each(?))", (wanted,))
    shown = {each: tuple(page.sha256 for page in pages) for each, pages in pictures.pages_of(db, response_ids).items()}
    confirmed = transcripts.confirmed_of(db, response_ids)
    found = {row["id"]: _response(row, shown.get(row["id"], ()), confirmed.get(row["id"], "")) for row in rows}
    return [found[each] for each in response_ids if each in found]


_SELECT = "SELECT r.*, c.number AS candidate_number FROM responses r JOIN candidates c ON c.id = r.candidate_id "


def _response(row: Any, shown: tuple[str, ...], transcript: str) -> StoredResponse:
    return StoredResponse(
        row["id"],
        row["exam_id"],
        row["question_id"],
        row["candidate_number"],
        row["kind"],
        row["text"],
        shown,
        transcript,
    )
