"""Drawing rectangles on a page, each with a label: where the answer to which question stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

LINE, FILL = "#1f5fa8", "rgba(31, 95, 168, 0.12)"
SMALLEST = 0.012  # of the page; below it the pointer slipped
_ORIGIN = {"left": 0.0, "top": 0.0, "center": 0.5, "right": 1.0, "bottom": 1.0}


@dataclass(frozen=True)
class Box:
    """A rectangle in fractions of the page from its top left corner."""

    label: str
    x: float
    y: float
    w: float
    h: float


def region_pad(
    key: str,
    *,
    picture: bytes,
    boxes: Sequence[Box],
    size: tuple[int, int],
    label: str,
    on_drawn: Callable[[list[Box]], None],
) -> None:
    """The picture at `size` pixels with these boxes on it; a new one gets the `label`.

    `boxes` must not be what it reports, or the canvas is loaded anew after each rectangle. `on_drawn` gets all boxes
    after each change, those too small to be meant left out, and never before one.
    """
    from streamlit_drawable_canvas import boxes_to_drawing, st_canvas  # noqa: PLC0415  # needs a running Streamlit

    def changed() -> None:
        reported = st.session_state.get(key)
        on_drawn(reported_boxes(((reported or {}).get("drawing") or {}).get("raw"), size))

    width, height = size
    drawn = [
        {
            "label": box.label,
            "left": box.x * width,
            "top": box.y * height,
            "width": box.w * width,
            "height": box.h * height,
        }
        for box in boxes
    ]
    st_canvas(
        key=key,
        background_image=picture,
        initial_drawing=boxes_to_drawing(drawn, stroke_color=LINE, stroke_width=2, fill_color=FILL),
        width=width,
        height=height,
        stroke_color=LINE,
        stroke_width=2,
        fill_color=FILL,
        drawing_mode="labeled_rect",
        label=label,
        font_size=16,
        on_change=changed,
    )


def reported_boxes(raw: object, size: tuple[int, int]) -> list[Box]:
    """The boxes in a canvas's report, kept on the page. What is no box, or too small to be meant, is left out."""
    objects = raw.get("objects", []) if isinstance(raw, dict) else []
    found = []
    for each in objects:
        if not isinstance(each, dict) or each.get("type") != "LabeledRect":
            continue
        wide = float(each.get("width", 0)) * float(each.get("scaleX", 1))
        high = float(each.get("height", 0)) * float(each.get("scaleY", 1))
        left = float(each.get("left", 0)) - _ORIGIN[each.get("originX", "left")] * wide
        top = float(each.get("top", 0)) - _ORIGIN[each.get("originY", "top")] * high
        x0, x1 = (min(1.0, max(0.0, at / size[0])) for at in (left, left + wide))
        y0, y1 = (min(1.0, max(0.0, at / size[1])) for at in (top, top + high))
        if x1 - x0 >= SMALLEST and y1 - y0 >= SMALLEST:
            found.append(Box(str(each.get("label", "")), x0, y0, x1 - x0, y1 - y0))
    return found
