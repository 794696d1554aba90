"""Rectangles drawn on a template: what the canvas reports becomes fractions of the page."""

from __future__ import annotations

import pytest

from components.widgets.region_pad import Box, reported_boxes

SIZE = (500, 1000)


def rectangle(**values: object) -> dict[str, object]:
    return {"type": "LabeledRect", "label": "3(b)", "left": 50, "top": 100, "width": 250, "height": 200} | values


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        (rectangle(), Box("3(b)", 0.1, 0.1, 0.5, 0.2)),
        (rectangle(width=125, scaleX=2), Box("3(b)", 0.1, 0.1, 0.5, 0.2)),
        (rectangle(originX="center", originY="center", left=175, top=200), Box("3(b)", 0.1, 0.1, 0.5, 0.2)),
        (rectangle(left=-50, top=900), Box("3(b)", 0.0, 0.9, 0.4, 0.1)),
    ],
)
def test_a_rectangle_is_kept_on_the_page_however_it_was_moved_or_stretched(
    reported: dict[str, object], expected: Box
) -> None:
    (box,) = reported_boxes({"objects": [reported]}, SIZE)
    assert box.label == expected.label
    assert (box.x, box.y, box.w, box.h) == pytest.approx((expected.x, expected.y, expected.w, expected.h))


@pytest.mark.parametrize(
    "raw",
    [
        None,
        "nothing",
        {"objects": [{"type": "Path"}, 3]},
        {"objects": [rectangle(width=4)]},
        {"objects": [rectangle(left=600)]},
    ],
)
def test_a_slip_of_the_pointer_or_anything_else_is_no_rectangle(raw: object) -> None:
    assert reported_boxes(raw, SIZE) == []
