"""Pairs of marks one by one, or beside another judge's, a proposal's version or a candidate: what tallies do not hold.

`judged` is, by question, the judge whose pairs are meant.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlite_utils import Database

from components.marking import Stage
from storage.pairs import AGREEMENT, OF_CANDIDATES, Pair, Wanted, conditions, newest, pair_of

Judged = Mapping[int, int]

_OF_JUDGED = (
    "(p.question_id, p.judge_id) IN "
    "(SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(:judged))"
)


@dataclass(frozen=True)
class CommonCell:
    """`n` responses of one question with the same marks of two judges and of the teacher."""

    question_id: int
    a: float
    b: float
    teacher: float
    n: int


@dataclass(frozen=True)
class VersionCell:
    """`n` pairs of one question that are alike and whose proposals one version of a judge made, and when it made them.

    `scheme_version` is that of the question's mark scheme which the proposals were made under.
    """

    judge_id: int
    model: str
    prompt_version: str
    scheme_version: int
    question_id: int
    ai: float
    teacher: float
    n: int
    first: str
    last: str


@dataclass(frozen=True)
class PairOf:
    """A pair's marks and whose response it is."""

    candidate_id: int
    question_id: int
    ai: float
    teacher: float


@dataclass(frozen=True)
class Asked:
    """What the pairs behind a mark of a chart have in common; every part that is set must hold.

    `since` is a moment, UTC, ISO 8601. `marked_by` is someone whose own live mark the response must have.
    """

    kind: str
    ai: float | None = None
    teacher: float | None = None
    difference_at_least: float | None = None
    confidence: str | None = None
    since: str | None = None
    marked_by: int | None = None

    @property
    def narrow(self) -> bool:
        """Whether the marks alone leave out most pairs."""
        return not (self.ai is None and self.teacher is None and self.difference_at_least is None)


@dataclass(frozen=True)
class PairRow:
    """One pair as a person reads it, with the proposal that it shows."""

    response_id: int
    question_id: int
    candidate: str
    ai: float
    teacher: float
    stage: Stage
    confidence: str
    marker_id: int
    marker_name: str
    given_at: str
    decision_id: int
    proposal_id: int


def newest_of(db: Database, kind: str, wanted: Wanted, judged: Judged, most: int) -> list[Pair]:
    """Of the wanted pairs the `most` given last, the oldest of them first."""
    found = [pair for part in _by_judge(wanted, judged) for pair in newest(db, kind, part, most)]
    return sorted(found, key=_in_time)[-most:]


def oldest_of(db: Database, kind: str, wanted: Wanted, judged: Judged, most: int) -> list[Pair]:
    """Of the wanted pairs the `most` given first, in time order."""
    found = []
    for part in _by_judge(wanted, judged):
        where, parameters = conditions(part, rows=True)
        rows = db.execute(
            "SELECT p.response_id, p.question_id, p.marker_id, p.stage, p.confidence, p.ai_mark, p.teacher_mark, "
            f"p.given_at, p.decision_id FROM {OF_CANDIDATES if part.groups else ''}pairs p "
            f"WHERE p.kind = :kind AND {' AND '.join(where)} ORDER BY p.decision_id LIMIT :most",
            {"kind": kind, "most": most, **parameters},
        )
        found += [pair_of(row) for row in rows]
    return sorted(found, key=_in_time)[:most]


def _by_judge(wanted: Wanted, judged: Judged) -> list[Wanted]:
    """The wanted pairs judge by judge, as they lie in time in the database."""
    return [
        replace(wanted, judge_id=judge, question_ids=tuple(q for q, of in judged.items() if of == judge))
        for judge in sorted(set(judged.values()))
    ]


def _in_time(pair: Pair) -> int:
    return pair.decision_id


def common_cells(db: Database, wanted: Wanted, a: int, b: int) -> list[CommonCell]:
    """The wanted responses with a counted agreement pair of judge `a` and one of judge `b`, both with the same
    teacher's mark, those that are alike counted together."""
    where, parameters = conditions(replace(wanted, judge_id=a), rows=True)
    rows = db.execute(
        "SELECT p.question_id, p.ai_mark, o.ai_mark, p.teacher_mark, count(*) "
        f"FROM {OF_CANDIDATES if wanted.groups else ''}pairs p JOIN pairs o ON o.response_id = p.response_id "
        "AND o.marker_id = p.marker_id AND o.judge_id = :other AND o.kind = p.kind AND o.decision_id = p.decision_id "
        f"WHERE p.kind = :kind AND {' AND '.join(where)} "
        "GROUP BY p.question_id, p.ai_mark, o.ai_mark, p.teacher_mark",
        {"kind": AGREEMENT, "other": b, **parameters},
    )
    return [CommonCell(*row) for row in rows]


def version_cells(db: Database, wanted: Wanted, judged: Judged) -> list[VersionCell]:
    """The wanted agreement pairs by the model, prompt and mark scheme that their proposals were made with."""
    where, parameters = conditions(wanted, rows=True)
    rows = db.execute(
        "SELECT p.judge_id, v.model, v.prompt_version, s.version, p.question_id, p.ai_mark, p.teacher_mark, count(*), "
        f"min(v.created_at), max(v.created_at) FROM {OF_CANDIDATES if wanted.groups else ''}pairs p "
        "CROSS JOIN proposals v ON v.id = p.proposal_id CROSS JOIN schemes s ON s.id = v.scheme_id "
        f"WHERE p.kind = :kind AND {' AND '.join(where)} AND {_OF_JUDGED} GROUP BY 1, 2, 3, 4, 5, 6, 7",
        {"kind": AGREEMENT, "judged": _json(judged), **parameters},
    )
    return [VersionCell(*row) for row in rows]


def judges_with_pairs(db: Database, exam_id: int) -> list[tuple[int, str, int]]:
    """(judge, name, agreement pairs) of every judge that has pairs in the exam, by name."""
    rows = db.execute(
        "SELECT j.id, j.name, sum(t.n) AS n FROM tallies t JOIN judges j ON j.id = t.judge_id "
        "WHERE t.exam_id = ? AND t.kind = 'agreement' GROUP BY j.id HAVING sum(t.n) > 0 ORDER BY j.name COLLATE NOCASE",
        (exam_id,),
    )
    return [(int(row["id"]), str(row["name"]), int(row["n"])) for row in rows]


def of_candidates(db: Database, wanted: Wanted, judged: Judged) -> list[PairOf]:
    """The wanted agreement pairs, each with its candidate."""
    where, parameters = conditions(wanted, rows=True)
    source = f"{OF_CANDIDATES}pairs p" if wanted.groups else "pairs p CROSS JOIN responses r ON r.id = p.response_id"
    rows = db.execute(
        f"SELECT r.candidate_id, p.question_id, p.ai_mark, p.teacher_mark FROM {source} "
        f"WHERE p.kind = :kind AND {' AND '.join(where)} AND {_OF_JUDGED}",
        {"kind": AGREEMENT, "judged": _json(judged), **parameters},
    )
    return [PairOf(*row) for row in rows]


def groups_of(db: Database, exam_id: int) -> dict[tuple[str, str], frozenset[int]]:
    """The candidates of each (name, value) of the exam's groups, in the order of name and value."""
    rows = db.execute(
        "SELECT g.key AS name, g.value AS value, c.id FROM candidates c, json_each(c.groups) g WHERE c.exam_id = ? "
        "ORDER BY g.key, g.value",
        (exam_id,),
    )
    found: dict[tuple[str, str], set[int]] = {}
    for row in rows:
        found.setdefault((str(row["name"]), str(row["value"])), set()).add(int(row["id"]))
    return {group: frozenset(candidates) for group, candidates in found.items()}


def behind(db: Database, wanted: Wanted, judged: Judged, asked: Asked, most: int) -> tuple[list[PairRow], int]:
    """The newest `most` of the pairs that are asked for, newest first, and how many there are in all."""
    if wanted.groups or asked.marked_by is not None or wanted.marker_id is not None:
        parts, (source, also) = [wanted], _few(wanted, asked)
    elif asked.narrow:
        parts, source, also = [wanted], f"({_alike(wanted, asked)}) t CROSS JOIN pairs p", _AS_TALLIED
    else:  # most pairs are wanted, so that the newest of them are soon found from the end
        parts, source, also = _by_judge(wanted, judged), "pairs p INDEXED BY pairs_in_time", "1"
    found = [row for part in parts for row in _rows_behind(db, source, also, part, judged, asked, most)]
    if len(parts) > 1:
        found = sorted(found, key=lambda row: row.decision_id, reverse=True)[:most]
    return found, len(found) if len(found) < most else _count_behind(db, wanted, judged, asked)


def _rows_behind(
    db: Database, source: str, also: str, wanted: Wanted, judged: Judged, asked: Asked, most: int
) -> list[PairRow]:
    where, parameters = _behind(wanted, asked, rows=True)
    rows = db.execute(
        "SELECT f.response_id, f.question_id, k.number AS candidate, f.ai_mark AS ai, f.teacher_mark AS teacher, "
        "f.stage, f.confidence, f.marker_id, m.name AS marker_name, f.given_at, f.decision_id, f.proposal_id FROM ("
        f"    SELECT p.* FROM {source} WHERE {' AND '.join(where)} AND {_OF_JUDGED} AND {also} "
        "    ORDER BY p.decision_id DESC LIMIT :most"
        ") f JOIN responses a ON a.id = f.response_id JOIN candidates k ON k.id = a.candidate_id "
        "JOIN markers m ON m.id = f.marker_id ORDER BY f.decision_id DESC",
        {"judged": _json(judged), "most": most, **parameters},
    )
    return [PairRow(**{**dict(row), "stage": Stage(row["stage"])}) for row in rows]


def _count_behind(db: Database, wanted: Wanted, judged: Judged, asked: Asked) -> int:
    tallied = wanted.tallied and asked.since is None and asked.marked_by is None
    where, parameters = _behind(wanted, asked, rows=not tallied)
    source, also = ("tallies p", "1") if tallied else _few(wanted, asked)
    row = db.execute(
        f"SELECT {'coalesce(sum(p.n), 0)' if tallied else 'count(*)'} FROM {source} "
        f"WHERE {' AND '.join(where)} AND {_OF_JUDGED} AND {also}",
        {"judged": _json(judged), **parameters},
    ).fetchone()
    return int(row[0])


# Only a mark that stands: who has undone theirs may be about to give it again, blind.
_MARKED_BY = (
    "SELECT DISTINCT d.response_id FROM decisions d WHERE d.marker_id = :marked_by AND d.outcome <> 'undo' "
    "AND d.stage <> 'imported' AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.id)"
)
_AS_TALLIED = (
    "p.question_id = t.question_id AND p.judge_id = t.judge_id AND p.ai_mark = t.ai_mark "
    "AND p.teacher_mark = t.teacher_mark"
)


def _few(wanted: Wanted, asked: Asked) -> tuple[str, str]:
    """Where to read pairs from, with the condition that joins it: from the few responses of a person or a class on."""
    if asked.marked_by is not None:
        own = f"({_MARKED_BY}) o CROSS JOIN responses r ON r.id = o.response_id"
        return f"{own} CROSS JOIN candidates c ON c.id = r.candidate_id CROSS JOIN pairs p", "p.response_id = r.id"
    return f"{OF_CANDIDATES if wanted.groups else ''}pairs p", "1"


def _alike(wanted: Wanted, asked: Asked) -> str:
    """The marks that pairs which are asked for can have: a few seeks, where reading every pair would take a second."""
    where, _ = _behind(replace(wanted, since=None, until=None), replace(asked, since=None), rows=False)
    return (
        "SELECT DISTINCT p.question_id, p.judge_id, p.ai_mark, p.teacher_mark FROM tallies p "
        f"WHERE p.n > 0 AND {' AND '.join(where)} AND {_OF_JUDGED}"
    )


def _behind(wanted: Wanted, asked: Asked, *, rows: bool) -> tuple[list[str], dict[str, Any]]:
    where, parameters = conditions(wanted, rows=rows)
    where.append("p.kind = :kind")
    parts = {
        "ai": ("p.ai_mark = :ai", asked.ai),
        "of_teacher": ("p.teacher_mark = :of_teacher", asked.teacher),
        "apart": ("abs(p.ai_mark - p.teacher_mark) >= :apart - 1e-9", asked.difference_at_least),
        "confidence": ("p.confidence = :confidence", asked.confidence),
        "from_moment": ("p.given_at >= :from_moment", asked.since),
    }
    where += [condition for condition, value in parts.values() if value is not None]
    values = {name: value for name, (_, value) in parts.items()}
    return where, {**parameters, **values, "kind": asked.kind, "marked_by": asked.marked_by}


def _json(judged: Judged) -> str:
    return json.dumps(list(judged.items()))
