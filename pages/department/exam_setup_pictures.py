"""Pictures of a question: add, describe, take away, and how they will be seen."""

from __future__ import annotations

import streamlit as st

from components.intake.pictures import PictureFault, opened
from components.widgets.author import show_pictures as show_question_pictures
from components.workflow.exam_setup import QuestionBody
from components.workflow.exam_setup.body import PictureBody
from pages.department.exam_setup_fields import REFUSED, Editor
from storage import pictures
from storage.pictures import Picture

state = st.session_state
LARGEST_MB = 50
MOST = 12
BESIDE_A_JUDGE = (
    "A judge whose model reads pictures sees these. Another has the text and stimulus alone: say there what it needs."
)


def show_pictures(editor: Editor) -> None:
    """The pictures with a caption for each, and a place to add more."""
    for place, picture in enumerate(editor.body.pictures):
        with st.container(horizontal=True, vertical_alignment="bottom", key=editor.key(f"picture_{place}")):
            _caption(editor, place, picture)
            editor.button(
                "Take away", f"picture_away_{place}_{picture.sha256[:8]}", lambda body, at=place: _without(body, at)
            )
    if not editor.may:
        return
    if len(editor.body.pictures) >= MOST:
        st.caption(f"{MOST} pictures at most.")
        return
    rounds = f"{editor.key('pictures')}_{len(editor.body.pictures)}_{state.get('setup_picture_round', 0)}"
    st.file_uploader(
        "Add pictures",
        accept_multiple_files=True,
        key=rounds,
        max_upload_size=LARGEST_MB,
        on_change=_add,
        args=(editor, rounds),
        help="PNG, JPEG, WebP, AVIF, TIFF, HEIC or GIF.",
    )


def preview_pictures(editor: Editor) -> None:
    """The pictures under the question's text, as a teacher will see them."""
    with editor.store.read() as db:
        shown = [(pictures.content(db, each.sha256), each.caption) for each in editor.body.pictures]
    show_question_pictures(shown)
    if shown:
        st.caption(BESIDE_A_JUDGE)


def _caption(editor: Editor, place: int, picture: PictureBody) -> None:
    key = editor.key(f"caption_{place}_{picture.sha256[:8]}_{picture.caption}")
    state.setdefault(key, picture.caption)
    st.text_input(
        f"Picture {place + 1}: what is to be seen",
        key=key,
        max_chars=300,
        disabled=not editor.may,
        on_change=lambda: editor.keep(lambda body: _describe(body, place, picture.sha256, state[key])),
    )


def _describe(body: QuestionBody, place: int, sha256: str, caption: str) -> None:
    if place < len(body.pictures) and body.pictures[place].sha256 == sha256:
        body.pictures[place].caption = caption


def _without(body: QuestionBody, place: int) -> None:
    body.pictures = [each for at, each in enumerate(body.pictures) if at != place]


def _add(editor: Editor, key: str) -> None:
    files = state.get(key) or []
    state["setup_picture_round"] = state.get("setup_picture_round", 0) + 1
    found: list[Picture] = []
    for file in files:
        try:
            found += [
                Picture(each.content, each.mime, each.width, each.height) for each in opened(file.name, file.getvalue())
            ]
        except PictureFault as error:
            state[REFUSED] = str(error)
    room = MOST - len(editor.body.pictures)
    if len(found) > room:
        state[REFUSED] = f"These are {len(found)} pictures; there is room for {room}. The first {room} were added."
        found = found[:room]
    if not found:
        return
    with editor.store.write() as db:
        added = [PictureBody(sha256=pictures.add(db, picture)) for picture in found]

    def more(body: QuestionBody) -> None:
        body.pictures = [*body.pictures, *added]

    editor.keep(more)
