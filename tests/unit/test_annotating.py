"""What the desk sends to be kept beside marks: strokes over a picture and corrected transcripts."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import storage.annotations as drawings
from components.marking import Marker, MarkError
from components.workflow.annotating import MOST_STROKES, parse_save, save, valid_strokes
from storage import Store, pictures, transcripts
from tests.support import add_exam, add_marker, new_store

PEN = {"kind": "pen", "colour": "red", "width": 0.003, "points": [[0.1, 0.2], [0.3, 0.4]]}
TICK = {"kind": "tick", "colour": "red", "x": 0.5, "y": 0.5, "size": 0.05, "turn": 0}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def marker(store: Store) -> Marker:
    return add_marker(store)


@pytest.fixture
def response(store: Store) -> int:
    """A response of one page."""
    _, [[response]] = add_exam(store, [[""]])
    out = io.BytesIO()
    Image.new("RGB", (80, 60), "white").save(out, "PNG")
    with store.write() as db:
        pictures.attach(db, response, [pictures.NewPage(pictures.Picture(out.getvalue(), "image/png", 80, 60))])
    return response


def annotate(
    store: Store, marker: Marker, response: int, strokes: list[Any], action_id: str = "a", page: int = 1
) -> str:
    return save(
        store,
        marker,
        parse_save(
            {
                "action": "annotate",
                "action_id": action_id,
                "marker_id": marker.id,
                "response_id": response,
                "page": page,
                "strokes": strokes,
            }
        ),
    )


def kinds(store: Store, response: int) -> list[list[str]]:
    with store.read() as db:
        return [[stroke["kind"] for stroke in each.strokes] for each in drawings.of_response(db, response)]


def test_a_markers_newest_strokes_on_a_page_count_and_a_repeated_save_adds_nothing(
    store: Store, marker: Marker, response: int
) -> None:
    annotate(store, marker, response, [PEN], "first")
    annotate(store, marker, response, [PEN, TICK], "second")
    annotate(store, marker, response, [PEN], "first")  # sent once more by a browser that had not heard
    assert kinds(store, response) == [["pen", "tick"]]
    annotate(store, marker, response, [], "third")
    assert kinds(store, response) == []


@pytest.mark.parametrize(
    ("stroke", "said"),
    [
        (PEN | {"points": [[0.1, 7]]}, "outside the page"),
        (PEN | {"points": [[0.1, float("nan")]]}, "outside the page"),
        (PEN | {"points": [[0.5, 0.5]] * 2001}, "more than 2,000 points"),
        (PEN | {"points": []}, "its points"),
        (PEN | {"width": 3}, "its width"),
        (TICK | {"x": -1}, "outside the page"),
        (TICK | {"size": 0}, "its size"),
        (TICK | {"turn": 45}, "its turn"),
        (TICK | {"colour": "url(http://elsewhere.example)"}, "its colour"),
        (TICK | {"onload": "x"}, "its onload"),
        (TICK | {"kind": "text", "text": "x" * 201}, "longer than 200 characters"),
        (TICK | {"kind": "label"}, "a mark label has no text"),
        (TICK | {"kind": "script"}, "of a kind"),
        ("not a stroke", "cannot be kept"),
    ],
)
def test_a_stroke_that_the_desk_does_not_draw_is_refused_in_words(stroke: Any, said: str) -> None:
    with pytest.raises(MarkError, match=said):
        valid_strokes([TICK, stroke])


def test_a_page_holds_no_more_than_it_can_show() -> None:
    assert len(valid_strokes([TICK] * MOST_STROKES)) == 500
    with pytest.raises(MarkError, match="more than 500 strokes"):
        valid_strokes([TICK] * 501)
    with pytest.raises(MarkError, match="too many lines"):
        valid_strokes([PEN | {"points": [[0.5, 0.5]] * 2000}] * 21)


def test_strokes_for_a_page_or_a_profile_that_is_not_there_are_refused(
    store: Store, marker: Marker, response: int
) -> None:
    with pytest.raises(MarkError, match="no page 2 any more"):
        annotate(store, marker, response, [TICK], page=2)
    with pytest.raises(MarkError, match="no longer here"):
        annotate(store, marker, 999, [TICK])
    other = add_marker(store, "Mr Okafor")
    payload = {"action": "annotate", "action_id": "x", "marker_id": other.id, "response_id": response, "page": 1}
    with pytest.raises(MarkError, match="another profile"):
        save(store, marker, parse_save(payload))
    with pytest.raises(MarkError, match="Reload the page"):
        parse_save({"action": "delete everything"})
    assert kinds(store, response) == []


def test_a_corrected_transcript_is_a_new_version_once(store: Store, marker: Marker, response: int) -> None:
    with store.write() as db:
        transcripts.add(db, response, "the enzim", transcripts.RECOGNISER)
    payload = {"action": "transcript", "action_id": "t", "marker_id": marker.id, "response_id": response}
    wanted = parse_save(payload | {"text": " the enzyme \n"})
    assert save(store, marker, wanted) == "Transcript saved as version 2."
    assert save(store, marker, wanted) == "Transcript saved as version 2."
    with store.read() as db:
        newest = transcripts.newest(db, response)
    assert newest is not None
    assert (newest.version, newest.text, newest.marker_id) == (2, "the enzyme", marker.id)
    with pytest.raises(MarkError, match="20,001 characters"):
        save(store, marker, parse_save(payload | {"text": "x" * 20_001}))
