"""What was read and waits to be confirmed comes back as it was, and goes when it is thrown away."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from components.intake.mark_scheme import read_mark_scheme, text_lines
from components.intake.question_paper import read_paper
from components.judge.llm.scheme_lines import LinePoint, LinesDraft
from components.marking import Marker, Role
from components.workflow.exam_setup import readings
from components.workflow.exam_setup.readings import JudgesDraft, SchemeReading, about_scheme
from storage import Store, exams
from storage import readings as stored
from tests.support import add_marker, new_store
from tests.unit.test_question_paper import pdf

SCHEME = """Question 1 [2 marks]
M1 Adds the two
A1 12 oe
~~ ??
Question 2 [3 marks]
Level 1 1-2 marks: simple
Level 2 3 marks: sound
SC B1 for 13
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Osei", Role.HEAD)


@pytest.fixture
def exam_id(store: Store) -> int:
    with store.write() as db:
        return exams.add_exam(db, "Mock")


def test_a_mark_scheme_comes_back_word_for_word_with_corrections_and_a_judges_draft(
    store: Store, head: Marker, exam_id: int
) -> None:
    lines = text_lines(SCHEME)
    read = read_mark_scheme(lines, None, 1.0)
    draft = JudgesDraft("Seer", LinesDraft((LinePoint(4, "", "says why", 1.0),), "seer", 1000, 100), 0.0002)
    corrected = replace(read.questions[0], max_mark=4.0)
    reading = SchemeReading("scheme.docx", lines, read).with_questions({0: corrected}, (1,)).with_draft(0, draft)
    about = about_scheme(head, "question-7")
    readings.keep_scheme(store, head, exam_id, about, reading)
    assert readings.kept_scheme(store, exam_id, about) == reading
    assert reading.read.questions[0].max_mark == 4
    assert readings.kept_scheme(store, exam_id, about_scheme(head)) is None, "that of the whole exam is another"
    readings.discard(store, exam_id, about)
    assert readings.kept_scheme(store, exam_id, about) is None


def test_a_reading_that_another_version_kept_is_none(store: Store, head: Marker, exam_id: int) -> None:
    with store.write() as db:
        stored.keep(db, exam_id, about_scheme(head), head.id, name="a", body={"old": "shape"})
    assert readings.kept_scheme(store, exam_id, about_scheme(head)) is None


def test_a_question_paper_comes_back_with_its_pages_and_a_very_large_one_with_its_text(
    store: Store, head: Marker, exam_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = read_paper("paper.pdf", pdf("1 What is the unit of force?"))
    assert readings.paper_version(store, exam_id) == ""
    readings.keep_paper(store, head, exam_id, paper)
    kept = readings.kept_paper(store, exam_id)
    assert kept is not None
    assert kept.paper == paper
    monkeypatch.setattr(readings, "LARGEST_KEPT", 10)
    readings.keep_paper(store, head, exam_id, paper)
    kept = readings.kept_paper(store, exam_id)
    assert kept is not None
    assert (kept.name, kept.lines, kept.paper) == ("paper.pdf", paper.lines, None)
