"""Drawing an answer on screen, on paper of several pages that are saved stroke by stroke."""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import replace
from functools import partial
from time import monotonic

import streamlit as st

from components.intake import IntakeError
from components.intake.handwriting.paper import Paper
from components.intake.ink import (
    PAGE_HEIGHT,
    PAGE_WIDTH,
    RUBBER,
    page_drawing,
    paper_png,
    picture_png,
    rubbed_out,
    stroke_count,
)
from components.marking import Marker
from components.widgets.figures import count, plain
from components.widgets.ink_pad import Tool, choose_tool, ink_pad, room
from components.workflow.answers import MOST_PAGES, Arriving, Existing
from pages.shared.beat import draw_again
from pages.teacher.answer_store import store_answers
from pages.teacher.drawing_pad import EMPTY, Pad, open_pad, save_drawing, save_page, undo
from storage import Store, drafts
from storage.connect import in_words
from storage.drafts import DraftOf, DraftPage
from storage.exams import StoredQuestion
from storage.pictures import NewPage, Picture

LAST_STROKE_SECONDS = 0.4  # the canvas keeps a stroke to itself for half of that
BEAT_SECONDS = 0.5
LEAST_SHARE = 0.85  # of the room there is; below it the paper is laid out anew

log = logging.getLogger("second_marker")
state = st.session_state
paper_of = st.cache_data(paper_png, show_spinner=False)


def draw_answer(store: Store, marker: Marker, question: StoredQuestion, there: Existing) -> None:
    """The pad for this marker's draft of the answer."""
    draft = DraftOf(question.id, there.number, marker.id)
    pad: Pad | None = state.get("pad")
    if pad is None or pad.draft != draft:
        pad = state["pad"] = open_pad(store, draft)
    _pad(store, marker, question, there, pad)


@st.fragment
def _pad(store: Store, marker: Marker, question: StoredQuestion, there: Existing, pad: Pad) -> None:
    _reopen_button(store, there, pad)
    _page_row(store, pad)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        tool = choose_tool("ink", RUBBER)
        _undo_and_clear(store, pad)
    _status(pad)
    width = room("ink_room")
    if width is None:
        st.caption("Laying out the paper …")
    else:
        _canvas(store, pad, min(width, PAGE_WIDTH), tool)
    _submit_row(store, marker, question, there, pad)
    if pad.waiting is not None:
        _when_settled(pad)


def _undo_and_clear(store: Store, pad: Pad) -> None:
    drawn = stroke_count(pad.shown.strokes) > 0
    st.button(
        "Undo",
        key="ink_undo",
        icon=":material/undo:",
        disabled=not drawn and not pad.past.get(pad.page),
        on_click=undo,
        args=(store, pad),
    )
    st.button(
        "Clear",
        key="ink_clear",
        icon=":material/delete:",
        disabled=not drawn,
        on_click=_clear,
        args=(store, pad),
    )


def _status(pad: Pad) -> None:
    """What is saved. Above the paper, whose own tools lie over the end of this line."""
    here, pages = stroke_count(pad.shown.strokes), sum(stroke_count(p.strokes) > 0 for p in pad.pages.values())
    if pad.problem:
        st.error(plain(pad.problem), title="Not saved")
    elif pad.waiting is not None:
        st.caption("Saving your last stroke …")
    elif here:
        of_all = f" · {pad.strokes} on {count(pages, 'page')}" if pages > 1 else ""
        st.caption(f"saved · {count(here, 'stroke')}{of_all}")
    else:
        st.caption("Nothing drawn on this page yet. Empty pages are not stored.")


def _canvas(store: Store, pad: Pad, width: int, tool: Tool) -> None:
    if pad.width > width or pad.width < LEAST_SHARE * width:
        pad.width = width
    scale = pad.width / PAGE_WIDTH
    if _canvas_key(pad) not in state:  # none is on screen: a new one must show what has been saved since
        pad.mount()
    ink_pad(
        _canvas_key(pad),
        paper=paper_of(Paper(pad.shown.paper)),
        drawing=pad.for_canvas(scale),
        size=(pad.width, round(PAGE_HEIGHT * scale)),
        scale=scale,
        tool=tool,
        on_drawn=partial(_drawn, store, pad, pad.page, scale),
    )


def _canvas_key(pad: Pad) -> str:
    of = pad.draft
    return f"ink_{of.question_id}_{of.candidate}_{of.marker_id}_{pad.page}_{pad.width}_{pad.mounting}"


def _drawn(store: Store, pad: Pad, page: int, scale: float, reported: object) -> None:
    """Keep what the canvas reports. Where it cannot be kept the page says so, and the next stroke tries again."""
    pad.since = monotonic()
    try:
        drawing = page_drawing(reported, scale)
        save_drawing(store, pad, page, drawing)
        pad.problem = ""
    except IntakeError as error:
        pad.problem = str(error)
    except sqlite3.Error as error:
        log.exception("A drawing could not be saved.")
        pad.problem = f"Your last stroke is not saved. {in_words(error)}"
    else:
        if rubbed_out(reported):
            pad.load()  # the eraser's own strokes must go from the canvas


def _page_row(store: Store, pad: Pad) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        of = pad.draft
        key = f"ink_page_{of.question_id}_{of.candidate}_{of.marker_id}_{len(pad.pages)}"
        state.setdefault(key, pad.page)
        st.segmented_control(
            "Page",
            list(pad.pages),
            key=key,
            required=True,
            on_change=lambda: pad.after_the_last_stroke(partial(_turn_to, pad, state[key])),
        )
        st.button(
            "Add a page",
            key="ink_add_page",
            icon=":material/note_add:",
            disabled=len(pad.pages) >= MOST_PAGES,
            on_click=lambda: pad.after_the_last_stroke(partial(_add_page, store, pad)),
        )
        paper_key = f"{key}_{pad.page}_paper"
        state[paper_key] = pad.shown.paper
        st.segmented_control(
            "Paper",
            [paper.value for paper in (Paper.RULED, Paper.SQUARED, Paper.PLAIN)],
            key=paper_key,
            format_func=str.capitalize,
            required=True,
            on_change=lambda: save_page(store, pad, replace(pad.shown, paper=state[paper_key])),
        )


def _turn_to(pad: Pad, page: int) -> None:
    pad.page = page


def _add_page(store: Store, pad: Pad) -> None:
    new = DraftPage(len(pad.pages) + 1, pad.shown.paper, EMPTY)
    save_page(store, pad, new)
    pad.page = new.page


def _clear(store: Store, pad: Pad) -> None:
    save_drawing(store, pad, pad.page, EMPTY)
    pad.load()


def _reopen_button(store: Store, there: Existing, pad: Pad) -> None:
    """An answer drawn here can be opened again while nobody has marked it."""
    drawn = [page for page in there.pages if page.strokes and page.strokes.get("paper") in list(Paper)]
    if there.fixed or not drawn or len(drawn) != len(there.pages) or pad.strokes:
        return
    st.button(
        "Open the stored drawing again",
        key="ink_reopen",
        icon=":material/edit:",
        on_click=_reopen,
        args=(store, there, pad),
    )


def _reopen(store: Store, there: Existing, pad: Pad) -> None:
    for page in there.pages:
        strokes = page.strokes or EMPTY
        save_page(store, pad, DraftPage(page.page, strokes["paper"], {"objects": strokes["objects"]}))
    pad.page = 1
    pad.past.clear()
    pad.mount()


def _submit_row(store: Store, marker: Marker, question: StoredQuestion, there: Existing, pad: Pad) -> None:
    """Handing in what is saved."""
    replacing = False
    if there.pages and there.fixed:
        st.info(f"Your pages will be added after those there: {plain(there.fixed)}")
    elif there.pages:
        choice = st.segmented_control(
            "The answer has pages already",
            ["Replace them", "Add after them"],
            default="Replace them",
            required=True,
            key="ink_replacing",
        )
        replacing = choice == "Replace them"
    st.button(
        "Submit the drawing",
        key="ink_submit",
        type="primary",
        disabled=not pad.strokes or bool(pad.problem) or pad.waiting is not None,
        on_click=lambda: pad.after_the_last_stroke(partial(_submit, store, marker, question, there, pad, replacing)),
    )


@st.fragment(run_every=BEAT_SECONDS)
def _when_settled(pad: Pad) -> None:
    """Does what waits at the browser's next beat: what the canvas had still to tell has come by then, as one
    connection keeps its order."""
    if monotonic() - pad.since < LAST_STROKE_SECONDS:
        return
    act, pad.waiting = pad.waiting, None
    if act is not None:
        act()
    draw_again()


def _submit(store: Store, marker: Marker, question: StoredQuestion, there: Existing, pad: Pad, replacing: bool) -> None:
    pages = [
        NewPage(
            Picture(picture_png(page.strokes, Paper(page.paper)), "image/png", PAGE_WIDTH, PAGE_HEIGHT),
            strokes={**page.strokes, "paper": page.paper},
            source="drawn on screen",
        )
        for page in pad.pages.values()
        if stroke_count(page.strokes)
    ]
    arriving = Arriving(there.number, "drawn", pages=tuple(pages), replace=replacing, seen=there.seen)
    if store_answers(store, marker, question, [arriving]):
        with store.write() as db:
            drafts.forget(db, pad.draft)
        state.pop("pad", None)
