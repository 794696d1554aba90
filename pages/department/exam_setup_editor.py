"""The editor of one question: what was typed is kept at once, and becomes the question when it is saved."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from components.marking import Marker, MarkError, Role
from components.widgets.author import author_markdown
from components.widgets.figures import plain
from components.workflow.exam_setup import Opened, drop, hints, save
from components.workflow.exam_setup.details import LANGUAGES
from pages.department.exam_setup_fields import NOTICE, REFUSED, Editor
from pages.department.exam_setup_history import show_history
from pages.department.exam_setup_pictures import preview_pictures, show_pictures
from pages.department.exam_setup_place import go
from pages.department.exam_setup_scheme import show_scheme_fields
from pages.department.exam_setup_versions import show_versions
from pages.department.exam_setup_words import TYPES
from pages.department.question_paper_reading import show_paper_beside
from pages.shared.clock import moment_text
from storage import Store
from storage.exams import Exam

state = st.session_state
SCALE_FIXED = (
    "This question has responses, so its maximum and mark step stay: the marks given are on that scale. "
    "Duplicate the exam to change them there."
)
TOLERANCE = "The largest difference between two markers that counts as agreement. Left empty, it is the exam's rule."


def show_editor(store: Store, marker: Marker, exam: Exam, opened: Opened, say_notices: Callable[[], None]) -> None:
    """The whole page of one question. `say_notices` shows what the last press came to, under the title."""
    editor = Editor(store, marker, opened, marker.role is Role.HEAD)
    st.button("Back to the exam", icon=":material/arrow_back:", on_click=go, args=(exam.id,), key="setup_back")
    st.title(f"Question {plain(opened.body.number.strip()) or '…'}")
    st.caption(plain(exam.title))
    # Each of these in a container, so that the boxes below keep their place whatever is said: see `Editor.reasons`.
    with st.container():
        say_notices()
    if opened.stored is None and opened.draft is None:
        st.info("This draft was thrown away. Its history, below, brings any state of it back.")
        show_history(store, marker, opened)
        return
    with st.container():
        _state(editor)
    with st.container():
        show_versions(store, marker, exam, opened)
    _fields(editor)
    show_scheme_fields(editor)
    _after(editor)
    _buttons(editor, "below")
    show_history(store, marker, opened)


def _state(editor: Editor) -> None:
    """Where the question stands: saved, or a draft, with what keeps it from being saved."""
    opened, checked = editor.opened, editor.opened.checked
    if opened.draft is None:
        st.caption(":material/check: As saved. Every change is kept as a draft at once.")
    else:
        kept = f"Draft by {plain(opened.draft.marker_name)}, kept {moment_text(opened.draft.saved_at)}."
        there = "The exam has the question as it was saved." if opened.stored else "It is not in the exam yet."
        st.caption(f":material/edit: {kept} {there} Leaving this page loses nothing.")
    if opened.overtaken and opened.stored is not None:
        st.warning(
            f"The mark scheme in the exam is now v{opened.stored.scheme_version}, made after this draft was begun. "
            "Saving replaces it by this draft's. Drop the draft to go on from it.",
            title="The mark scheme has changed meanwhile",
        )
    if checked.reasons:
        words = "\n".join(f"- {plain(said)}" for _, said in checked.reasons)
        st.info(f"Before it can be saved:\n\n{words}", title="Kept as a draft")
    elif checked.question is not None and checked.scheme is not None:
        for hint in hints(checked.question, checked.scheme):
            st.caption(f":material/info: {plain(hint)}")
    _buttons(editor, "above")


def _buttons(editor: Editor, place: str) -> None:
    opened = editor.opened
    if not editor.may:
        return
    with st.container(horizontal=True):
        st.button(
            "Save over it" if opened.overtaken else "Save",
            key=editor.key(f"save_{place}"),
            type="primary",
            icon=":material/save:",
            disabled=bool(opened.checked.reasons) or opened.draft is None,
            on_click=_save,
            args=(editor,),
        )
        st.button(
            "Drop the draft",
            key=editor.key(f"drop_{place}"),
            disabled=opened.draft is None,
            on_click=_drop,
            args=(editor,),
            help="The question is as it was saved; the draft stays in the history.",
        )


def _fields(editor: Editor) -> None:
    body, fixed = editor.body, editor.opened.scale_fixed
    first, second, third, fourth, fifth = st.columns([2, 3, 2, 2, 2])
    with first:
        editor.text("number", "Number", placeholder="3(b)(ii)", max_chars=40)
    with second:
        editor.choice("type", "Type", list(TYPES), format_func=lambda each: TYPES.get(each, str(each)))
    with third:
        editor.number("max_mark", "Maximum mark", step=1.0, disabled=fixed)
    with fourth:
        editor.choice("mark_step", "Mark step", [1.0, 0.5, 0.25], format_func=lambda s: f"{s:g}", disabled=fixed)
    with fifth:
        by_rule = editor.opened.rule.of(body.max_mark, body.mark_step) if body.max_mark else 0.0
        editor.number("tolerance", "Tolerance", step=body.mark_step, placeholder=f"{by_rule:g}", help=TOLERANCE)
    if fixed:
        st.caption(SCALE_FIXED)
    left, right = st.columns(2)
    with left:
        editor.area("text", "Question", height=220, placeholder="Explain why the rate falls above $40\\,^\\circ$C.")
        editor.area(
            "stimulus",
            "Stimulus: what stands before the question, such as a passage or data",
            height=140,
        )
        st.caption("Markdown, with LaTeX between $ signs.")
        show_pictures(editor)
    with right:
        show_paper_beside(editor.store, editor.opened.exam_id)
    with right, st.container(border=True):
        st.caption("As it will be seen")
        if body.stimulus.strip():
            st.markdown(author_markdown(body.stimulus))
        if body.text.strip():
            st.markdown(author_markdown(body.text))
        preview_pictures(editor)
        if not (body.stimulus.strip() or body.text.strip() or body.pictures):
            st.caption("Nothing yet.")


def _after(editor: Editor) -> None:
    body = editor.body
    with st.expander("Model answer and analysis", expanded=bool(body.model_answer), key=editor.key("more_answer")):
        left, right = st.columns(2)
        with left:
            editor.area("model_answer", "Model answer", height=160)
            editor.area("analysis", "Analysis: how to get there, or what candidates miss", height=120)
        with right:
            st.caption("As it will be seen")
            for words in (body.model_answer, body.analysis):
                if words.strip():
                    st.markdown(author_markdown(words))
    with st.expander("Subject, language and assessment objectives", key=editor.key("more_about")):
        editor.text("subject", "Subject", max_chars=100)
        options = list(LANGUAGES)
        editor.choice("language", "Language", options, format_func=lambda code: LANGUAGES.get(code, code))
        editor.text("aos", "Assessment objectives", placeholder="AO1, AO2", max_chars=200)


def _save(editor: Editor) -> None:
    opened = editor.opened
    try:
        saved = save(editor.store, editor.marker, opened, over=opened.overtaken)
    except MarkError as error:
        state[REFUSED] = str(error)
        return
    version = f" Its mark scheme is now v{saved.new_version}." if saved.new_version else ""
    state[NOTICE] = f"Question {saved.number} is saved.{version}"
    go(opened.exam_id, question=saved.question_id)


def _drop(editor: Editor) -> None:
    opened = editor.opened
    try:
        drop(editor.store, editor.marker, opened)
    except MarkError as error:
        state[REFUSED] = str(error)
        return
    if opened.stored is None:
        state[NOTICE] = "The draft is thrown away. It can be brought back below the list."
        go(opened.exam_id)
    else:
        state[NOTICE] = "The draft is dropped: the question is as it was saved."
