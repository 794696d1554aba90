"""What the canvas reports, as strokes in units of the page: scaled, moved, rubbed out, and drawn on paper."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from components.intake import IntakeError
from components.intake.handwriting.paper import Paper
from components.intake.ink import (
    MOST_STROKES,
    PAGE_HEIGHT,
    PAGE_WIDTH,
    RUBBER,
    page_drawing,
    paper_png,
    picture_png,
    screen_drawing,
    strokes_of,
)


def line(x0: float, y0: float, x1: float, y1: float, **changes: Any) -> dict[str, Any]:
    """A stroke as the canvas reports it."""
    return {
        "type": "Path",
        "version": "7.4.0",
        "originX": "center",
        "originY": "center",
        "left": (x0 + x1) / 2,
        "top": (y0 + y1) / 2,
        "width": abs(x1 - x0),
        "height": abs(y1 - y0),
        "stroke": "#1a1a1a",
        "strokeWidth": 4,
        "path": [["M", x0, y0], ["L", x1, y1]],
    } | changes


def drawing(*strokes: dict[str, Any]) -> dict[str, Any]:
    return {"version": "7.4.0", "objects": list(strokes), "background": ""}


def ends(drawn: dict[str, Any]) -> list[tuple[list[float], list[float]]]:
    return [(stroke["path"][0][1:], stroke["path"][-1][-2:]) for stroke in drawn["objects"]]


def pixels(png: bytes) -> np.ndarray:
    image = Image.open(io.BytesIO(png)).convert("RGB")
    assert image.size == (PAGE_WIDTH, PAGE_HEIGHT)
    return np.asarray(image).astype(int)


def test_a_drawing_on_a_small_screen_is_kept_in_units_of_the_page() -> None:
    drawn = page_drawing(drawing(line(100, 50, 200, 50)), 0.4)
    assert ends(drawn) == [([250, 125], [500, 125])]
    assert drawn["objects"][0]["strokeWidth"] == 10


def test_what_is_shown_on_a_screen_comes_back_the_same() -> None:
    drawn = page_drawing(drawing(line(100, 50, 200, 90), line(7, 8, 9, 10)), 0.4)
    assert page_drawing(drawn, 1) == drawn
    shown = screen_drawing(drawn, 0.4)
    assert ends(shown) == [([100, 50], [200, 90]), ([7, 8], [9, 10])]
    assert page_drawing(shown, 0.4) == drawn


def test_a_stroke_that_was_moved_and_turned_on_the_canvas_is_where_it_was_put() -> None:
    moved = page_drawing(drawing(line(100, 100, 200, 100, left=350, top=300)), 1)
    assert ends(moved) == [([300, 300], [400, 300])]
    turned = page_drawing(drawing(line(100, 100, 200, 100, angle=90)), 1)
    assert ends(turned) == [([150, 50], [150, 150])]
    larger = page_drawing(drawing(line(100, 100, 200, 100, scaleX=2, scaleY=2)), 1)
    assert ends(larger) == [([50, 100], [250, 100])]
    assert larger["objects"][0]["strokeWidth"] == 8


def test_the_eraser_cuts_a_stroke_that_it_crosses_and_leaves_no_trace() -> None:
    rubber = line(200, 50, 200, 150, stroke=RUBBER, strokeWidth=20)
    drawn = page_drawing(drawing(line(100, 100, 300, 100), line(100, 400, 300, 400), rubber), 1)
    first, second, third = ends(drawn)
    assert first[0] == [100, 100]
    assert 185 < first[1][0] < 190
    assert 210 < second[0][0] < 215
    assert second[1] == [300, 100]
    assert third == ([100, 400], [300, 400])
    assert {stroke["stroke"] for stroke in drawn["objects"]} == {"#1a1a1a"}


def test_the_eraser_takes_away_what_it_covers_and_not_what_is_drawn_after_it() -> None:
    rubber = line(90, 100, 310, 100, stroke=RUBBER, strokeWidth=28)
    after = line(100, 100, 300, 100, stroke="#c62828")
    drawn = page_drawing(drawing(line(100, 100, 300, 100), rubber, after), 1)
    assert [stroke["stroke"] for stroke in drawn["objects"]] == ["#c62828"]


@pytest.mark.parametrize(
    "reported",
    [
        None,
        {},
        {"objects": 3},
        {"objects": [{}]},
        drawing(line(0, 0, 1, 1, type="Image", src="https://example.org/x.png")),
        drawing(line(0, 0, 1, 1, path=[["M", 0, float("nan")]])),
        drawing(line(0, 0, 1, 1, path=[])),
        drawing(line(0, 0, 1, 1, path=[["M", 0]])),
        drawing(line(0, 0, 1, 1, stroke="url(#x)")),
        drawing(line(0, 0, 1, 1, stroke="#zzzzzz")),
        drawing(line(0, 0, 1, 1, strokeWidth=-4)),
        drawing(line(0, 0, 1, 1, scaleX="wide")),
    ],
)
def test_what_no_pen_of_ours_draws_is_refused_in_words(reported: object) -> None:
    with pytest.raises(IntakeError, match="could not be read"):
        page_drawing(reported, 1)


def test_a_page_that_is_full_says_so() -> None:
    with pytest.raises(IntakeError, match="another page"):
        page_drawing(drawing(*[line(0, 0, 9, 9)] * (MOST_STROKES + 1)), 1)


def test_the_picture_has_the_ink_where_it_was_drawn_over_the_papers_ruling() -> None:
    drawn = page_drawing(drawing(line(200, 300, 600, 300), line(700, 100, 700, 500, stroke="#c62828")), 1)
    seen = pixels(picture_png(drawn, Paper.RULED))
    paper = pixels(paper_png(Paper.RULED))
    assert seen[300, 400].max() < 60
    assert seen[200, 700, 0] > 150
    assert seen[200, 700, 1] < 100
    assert (paper[92, 860] != paper[100, 860]).any(), "a printed line"
    away = np.ones(seen.shape[:2], dtype=bool)
    away[290:310, 190:610] = away[90:510, 690:710] = False
    assert (seen[away] == paper[away]).all()


def test_ink_lies_in_the_order_in_which_it_was_drawn() -> None:
    red, black = line(100, 100, 300, 100, stroke="#c62828"), line(200, 50, 200, 150)
    again = line(100, 120, 300, 120, stroke="#c62828")
    seen = pixels(picture_png(page_drawing(drawing(red, black, again), 1), Paper.PLAIN))
    assert seen[100, 200].max() < 60
    assert seen[120, 200, 0] > 150


def test_a_single_touch_makes_a_dot() -> None:
    drawn = page_drawing(drawing(line(100, 100, 100, 100.001)), 1)
    assert len(strokes_of(drawn)) == 1
    assert pixels(picture_png(drawn, Paper.PLAIN))[100, 100].max() < 60
