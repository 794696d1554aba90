"""A question paper's PDF: its texts into the questions that have none, and its pages beside the editor."""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from components.intake import IntakeError
from components.intake.question_paper import PaperText, page_picture, read_paper
from components.marking import Marker, MarkError, Role
from components.widgets.figures import count, plain
from components.workflow.exam_setup.read_papers import fill_texts, texts_for
from components.workflow.exam_setup.readings import (
    LARGEST_KEPT,
    PAPER,
    KeptPaper,
    discard,
    keep_paper,
    kept_paper,
    paper_version,
)
from pages.department.scheme_reading_report import forget_report, keep_report, show_report
from pages.shared.press import pressed
from storage import Store
from storage.exams import Exam

state = st.session_state
_PAPER = "question_paper"
_ROUND = "question_paper_round"
LARGEST_MB = 50


@dataclass
class _Shown:
    """The exam's paper as it was kept at `version`, with those of its pages that were drawn in this session."""

    exam_id: int
    version: str
    kept: KeptPaper
    pictures: dict[int, bytes] = field(default_factory=dict)


def paper_button(marker: Marker) -> None:
    """The button that opens this page from the exam."""
    st.button(
        "Question paper",
        key="paper_open",
        icon=":material/picture_as_pdf:",
        disabled=marker.role is not Role.HEAD,
        on_click=_open,
        help="A PDF to take the questions' texts from, and to see beside the editor.",
    )


def show_paper_reading(store: Store, marker: Marker, exam: Exam) -> None:
    """The whole page: choose the PDF, see its pages, and confirm the texts that were found."""
    st.button("Back to the exam", icon=":material/arrow_back:", on_click=_close, key="paper_back")
    st.title("Question paper")
    st.caption(plain(exam.title))
    if show_report(exam):
        return
    shown = _of(store, exam.id)
    if shown is None:
        _choose(store, marker, exam)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(shown.kept.name)}**")
        st.button(
            "Discard, and choose another",
            key="paper_discard",
            icon=":material/delete:",
            on_click=_discard,
            args=(store, exam.id),
            help="The paper is no longer beside the editor. Texts that were filled in stay.",
        )
    found = texts_for(store, exam.id, shown.kept.lines)
    left, right = st.columns(2)
    with left:
        _pages(shown, "paper_page")
    with right:
        _texts(store, marker, exam, shown.kept.lines, found)


def show_paper_beside(store: Store, exam_id: int) -> None:
    """The pages of the exam's paper, for the editor; nothing where there is none."""
    shown = _of(store, exam_id)
    if shown is not None and shown.kept.paper is not None:
        with st.expander("Question paper", expanded=True, key="paper_beside"):
            _pages(shown, "paper_beside_page")


def _choose(store: Store, marker: Marker, exam: Exam) -> None:
    file = st.file_uploader(
        "The question paper as PDF",
        type=["pdf"],
        key=f"paper_file_{state.get(_ROUND, 0)}",
        max_upload_size=LARGEST_MB,
        help="It is read on this computer, and stays beside the editor until it is discarded.",
    )
    if file is None:
        return
    try:
        paper = read_paper(file.name, file.getvalue())
    except IntakeError as error:
        st.error(plain(str(error)))
        return
    keep_paper(store, marker, exam.id, paper)
    state[_ROUND] = state.get(_ROUND, 0) + 1
    st.rerun()


def _discard(store: Store, exam_id: int) -> None:
    discard(store, exam_id, PAPER)
    state.pop(_PAPER, None)


def _pages(shown: _Shown, key: str) -> None:
    number, paper = 1, shown.kept.paper
    if paper is None:
        st.info(
            f"Its text is kept, but not its pages: the file has more than {LARGEST_KEPT // 1_000_000} MB. "
            "Save it smaller and choose it again to see them here.",
            title="No pages",
        )
        return
    if paper.pages > 1:
        number = st.selectbox(
            "Page", range(1, paper.pages + 1), format_func=lambda n: f"Page {n} of {paper.pages}", key=key
        )
    try:
        if number not in shown.pictures:
            shown.pictures[number] = page_picture(paper, number)
    except IntakeError as error:
        st.error(plain(str(error)))
        return
    st.image(shown.pictures[number], alt=f"Page {number} of the question paper")


def _texts(store: Store, marker: Marker, exam: Exam, lines: tuple[str, ...], found: dict[str, PaperText]) -> None:
    if not any(lines):
        st.info("This PDF has no text in it, so nothing can be filled in. Copy from its pages.", title="A scan")
        return
    if not found:
        st.info(
            "Nothing was found for a question without text. Texts are found by number: add the questions first, or "
            "read a mark scheme, and number them as the paper does.",
            title="Nothing to fill in",
        )
        return
    st.markdown(f"{count(len(found), 'question')} without text found in the paper. Correct the texts, then confirm.")
    edited = {}
    for number, text in found.items():
        key = f"paper_text_{exam.id}_{hash((number, text))}"
        with st.container(border=True):
            words = st.text_area(f"Question {number}", text.text, key=key, height=120, help="Left empty, it stays so.")
            before = text.stimulus
            if before:
                before = st.text_area(f"What stands before {number}", before, key=f"{key}_before", height=80)
        edited[number] = PaperText(words, before)
    if pressed(
        f"Fill in {count(len(edited), 'text')}",
        type="primary",
        key="paper_confirm",
        icon=":material/check:",
    ):
        try:
            keep_report(exam, fill_texts(store, marker, exam.id, edited))
        except MarkError as error:
            st.error(plain(str(error)))
            return
        st.rerun()


def _of(store: Store, exam_id: int) -> _Shown | None:
    """The exam's paper; read again only where another has been kept, as it may be large."""
    version = paper_version(store, exam_id)
    shown: _Shown | None = state.get(_PAPER)
    if shown is not None and (shown.exam_id, shown.version) == (exam_id, version):
        return shown
    kept = kept_paper(store, exam_id) if version else None
    if kept is None:
        return None
    state[_PAPER] = _Shown(exam_id, version, kept)
    return state[_PAPER]


def _open() -> None:
    forget_report()
    st.query_params["reading"] = "paper"


def _close() -> None:
    forget_report()
    st.query_params.pop("reading", None)
