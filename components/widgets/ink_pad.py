"""Drawing on screen: pen and eraser, the room there is for the paper, and the canvas on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

PENS = {"Fine": 2.5, "Medium": 4.5, "Broad": 8.0}
INKS = {"Black": "#1a1a1a", "Blue": "#1f4fa8", "Red": "#c62828"}
RUBBER_WIDTH = 28.0
DRAWN_BY_HAND = "version"  # in what the canvas itself reports, not in what it is given

_ROOM = st.components.v2.component(
    "second_marker_room",
    html="<div class='room'></div>",
    css=".room { width: 100%; height: 1px; }",
    js="""
const watched = new WeakMap()

export default function ({ parentElement, setStateValue }) {
  const room = parentElement.querySelector(".room")
  if (watched.has(room)) return
  let told = 0
  const watch = new ResizeObserver(() => {
    const width = Math.floor(room.getBoundingClientRect().width)
    if (width > 0 && width !== told) { told = width; setStateValue("width", width) }
  })
  watch.observe(room)
  watched.set(room, watch)
  return () => watch.disconnect()
}
""",
)


@dataclass(frozen=True)
class Tool:
    """What the pointer does on the paper: a pen's colour and its width in units of the page."""

    colour: str
    width: float


def room(key: str) -> int | None:
    """The width there is, in pixels, or None before the browser has said so."""
    result = _ROOM(key=key, height="content", on_width_change=lambda: None)
    width = getattr(result, "width", None)
    return int(width) if isinstance(width, int | float) and width > 0 else None


def choose_tool(key: str, rubber: str) -> Tool:
    """The choice of pen, ink and eraser; `rubber` is the colour that tells the eraser's strokes from ink."""
    tool = st.segmented_control(
        "Tool", ["Pen", "Eraser"], default="Pen", required=True, key=f"{key}_tool", label_visibility="collapsed"
    )
    if tool == "Eraser":
        return Tool(rubber, RUBBER_WIDTH)
    pen = st.segmented_control(
        "Pen", list(PENS), default="Fine", required=True, key=f"{key}_pen", label_visibility="collapsed"
    )
    ink = st.segmented_control(
        "Ink", list(INKS), default="Black", required=True, key=f"{key}_ink", label_visibility="collapsed"
    )
    return Tool(INKS[ink or "Black"], PENS[pen or "Fine"])


def ink_pad(
    key: str,
    *,
    paper: bytes,
    drawing: dict[str, Any],
    size: tuple[int, int],
    scale: float,
    tool: Tool,
    on_drawn: Callable[[object], None],
) -> None:
    """A canvas of `size` pixels over the `paper`, at `scale` pixels a unit of the page.

    It shows `drawing` when that changes, and must not be given what it reports: that would load it anew after each
    stroke. `on_drawn` gets the whole drawing as the canvas reports it, after each change and never before one.
    """
    from streamlit_drawable_canvas import st_canvas  # noqa: PLC0415  # importing it needs a running Streamlit

    def changed() -> None:
        reported = st.session_state.get(key)
        raw = ((reported or {}).get("drawing") or {}).get("raw") or {}
        # A canvas that has just gone is reported once more, as what it was given at first: that is nobody's drawing.
        if DRAWN_BY_HAND in raw:
            on_drawn(raw)

    st_canvas(
        key=key,
        background_image=paper,
        initial_drawing=drawing,
        width=size[0],
        height=size[1],
        stroke_color=tool.colour,
        stroke_width=max(1.0, round(tool.width * scale, 2)),
        drawing_mode="freedraw",
        on_change=changed,
    )
