"""A candidate's script as a PDF: the annotations stand where they were drawn, the stored picture is untouched."""

from __future__ import annotations

import io
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from components.marking import Outcome, Stage
from components.workflow.annotated_script import annotated_script
from storage import annotations as drawings
from storage import decisions, pictures
from storage.pictures import NewPage, Picture
from tests.support import add_exam, add_marker, new_store


def white_page(width: int = 800, height: int = 600) -> Picture:
    data = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(data, "PNG")
    return Picture(data.getvalue(), "image/png", width, height)


def is_red(colour: tuple[int, ...]) -> bool:
    return colour[0] > 150 and colour[1] < 120 and colour[2] < 120


def test_annotations_are_burnt_in_where_they_were_drawn(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, [first, _] = add_exam(store, [["", "x"], ["typed answer 酶", "y"]])
    marker = add_marker(store)
    picture = white_page()
    strokes = [
        {"kind": "pen", "colour": "red", "width": 0.01, "points": [[0.2, 0.5], [0.4, 0.5]]},
        {"kind": "circle", "colour": "blue", "width": 0.004, "x0": 0.6, "y0": 0.2, "x1": 0.8, "y1": 0.4},
        {"kind": "label", "colour": "red", "x": 0.1, "y": 0.1, "size": 0.05, "turn": 0, "text": "M1"},
        {"kind": "tick", "colour": "green", "x": 0.9, "y": 0.9, "size": 0.05, "turn": 0, "text": ""},
    ]
    with store.write() as db:
        pictures.attach(db, first[0], [NewPage(picture)])
        drawings.add(db, first[0], 1, marker.id, strokes, None)
        decisions.record(db, first[0], marker.id, Outcome.MARK, Stage.BLIND, mark=1, comment="well begun")
    pdf = pypdfium2.PdfDocument(annotated_script(store, exam_id, "0001"))
    assert len(pdf) == 3  # the picture, its comment, the typed answer
    page = pdf[0]
    words = page.get_textpage().get_text_range()
    assert "question 1" in words
    assert "1 of 2" in words
    assert "M1" in words
    assert "well begun" in pdf[1].get_textpage().get_text_range()
    assert "typed answer" in pdf[2].get_textpage().get_text_range()
    assert "not marked" in pdf[2].get_textpage().get_text_range()
    # The 800 × 600 picture fills the 523 pt between the margins; its top is 60 pt below the page's.
    image = page.render(scale=2).to_pil()
    left, top, width, height = 36, 60, 595.28 - 72, (595.28 - 72) * 600 / 800

    def at(x: float, y: float) -> tuple[int, ...]:
        return image.getpixel((round(2 * (left + x * width)), round(2 * (top + y * height))))

    assert is_red(at(0.3, 0.5))
    assert at(0.5, 0.5) == (255, 255, 255)
    assert at(0.7, 0.3) == (255, 255, 255)  # inside the ring
    assert at(0.6, 0.3)[2] > 150 > at(0.6, 0.3)[0]  # on it
    with store.read() as db:
        assert pictures.content(db, picture.sha256) == picture.content


def test_a_candidate_who_is_not_there_is_said(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, _ = add_exam(store, [["x"]])
    with pytest.raises(LookupError, match="no candidate 0999"):
        annotated_script(store, exam_id, "0999")
