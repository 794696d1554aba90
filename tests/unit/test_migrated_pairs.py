"""A database of the version before tallies, with marks in it, opened by this one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage import Store, connect, pairs
from storage.pairs import Wanted

BEFORE_TALLIES = 5

ROWS = """
INSERT INTO markers VALUES (1, 'Ada', 'teacher', 0, '2026-01-01'), (2, 'Ben', 'teacher', 1, '2026-01-01');
INSERT INTO judges VALUES (1, 'Matcher', 'offline', '', '{}', '2026-01-01', NULL);
INSERT INTO exams (id, title, judge_id, created_at) VALUES (1, 'Old', 1, '2026-01-01');
INSERT INTO questions (id, exam_id, position, number, type, text, max_mark, tolerance)
    VALUES (1, 1, 1, '1', 'short', 'Why?', 4, 1);
INSERT INTO schemes VALUES (1, 1, 1, '{}', NULL, '2026-01-01');
INSERT INTO candidates VALUES (1, 1, '0001', 1, '{}'), (2, 1, '0002', 2, '{}');
INSERT INTO responses (id, exam_id, question_id, candidate_id, kind, text, created_at)
    VALUES (1, 1, 1, 1, 'typed', 'a', '2026-01-01'), (2, 1, 1, 2, 'scanned', '', '2026-01-01');
INSERT INTO proposals (id, response_id, judge_id, scheme_id, status, mark, confidence, label, created_at)
    VALUES (1, 1, 1, 1, 'proposed', 4, 'sure', '', '2026-01-02'), (2, 2, 1, 1, 'proposed', 2, NULL, '', '2026-01-02');
INSERT INTO decisions (id, response_id, marker_id, outcome, stage, mark, proposal_id, scheme_id, seconds, created_at)
    VALUES (1, 1, 1, 'mark', 'blind', 1, 1, 1, 12, '2026-01-03'), (2, 1, 2, 'mark', 'imported', 2, NULL, 1, NULL,
    '2026-01-04'), (3, 2, 1, 'mark', 'blind', 2, 2, 1, 900, '2026-01-05');
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "second-marker.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        for migration in connect.MIGRATIONS[:BEFORE_TALLIES]:
            raw.executescript(migration.read_text(encoding="utf-8"))
        raw.executescript(ROWS)
        raw.execute(f"PRAGMA user_version = {BEFORE_TALLIES}")
    return path


def test_an_older_databases_marks_are_tallied_when_it_is_opened(old: Path) -> None:
    with Store(old).read() as db:
        cells = [
            (cell.stage, cell.ai, cell.teacher, cell.n, cell.timed, cell.seconds)
            for cell in pairs.cells(db, pairs.AGREEMENT, Wanted(1))
        ]
        by_hand = pairs.cells(db, pairs.AGREEMENT, Wanted(1, handwritten=True))
        (double,) = pairs.double_cells(db, Wanted(1))
        standing = db.execute("SELECT gap, disputed, final_mark FROM standings WHERE response_id = 1").fetchone()
    # Ben's later mark counts for response 1; on response 2 Ada took 900 seconds, which is no time at all.
    assert cells == [("blind", 2, 2, 1, 0, 0), ("imported", 4, 2, 1, 0, 0)]
    assert [(cell.ai, cell.n) for cell in by_hand] == [(2, 1)]
    assert (double.ai, double.first, double.second) == (4, 1, 2)
    assert tuple(standing) == (3, 1, 2), "4 and 1 are three marks apart, the tolerance is 1"
    assert list((old.parent / "backups").iterdir())
