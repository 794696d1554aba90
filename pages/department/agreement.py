"""The agreement page: how well the AI and the teachers agree, live, and the accept rate apart from it."""

from datetime import datetime
from zoneinfo import ZoneInfo

import streamlit as st

from components.widgets.figures import plain
from components.workflow.agreement.figures import ExamFigures, exam_figures
from components.workflow.agreement.pulse import Pulse, pulse
from components.workflow.agreement.selection import Selection
from pages.department import agreement_downloads
from pages.department.agreement_address import Place
from pages.department.agreement_answers import find_answers, show_answers
from pages.department.agreement_explain import explain
from pages.department.agreement_filters import choose_part, key_of, write_address
from pages.department.agreement_sections import choose_view, show_section
from pages.department.agreement_tiles import show_tiles
from pages.shared import guard
from pages.shared.beat import draw_again
from pages.shared.desk_services import services

BEAT_SECONDS = 0.35
FEWEST_FOR_TEACHERS = 10  # fewer would tell a teacher what the AI gave a response that they may still mark blind

viewer = guard.enter()
store = services().store
state = st.session_state


def figures_at(selection: Selection, now: Pulse) -> ExamFigures:
    """The selection's figures, worked out again only when something has changed since they were."""
    drawn = state.get("agreement_drawn")
    if drawn is None or drawn[0] != (selection, now.changes):
        own = viewer.role in guard.LEADS or selection.marker_id == viewer.id
        drawn = ((selection, now.changes), exam_figures(store, selection, 0 if own else FEWEST_FOR_TEACHERS))
        state["agreement_drawn"] = drawn
    figures: ExamFigures = drawn[1]
    return figures


@st.fragment(run_every=BEAT_SECONDS)
def live(selection: Selection, last_mark_at: str | None) -> None:
    """One line that beats; the page is drawn again only when someone has decided something."""
    # The page's own run has just read the pulse. To read again there could draw the page in circles.
    now = state.pop("agreement_pulse", None) or pulse(store, selection.exam_id)
    if now is None or state["agreement_drawn"][0] != (selection, now.changes):
        draw_again()
        return
    parts = ["Live", f"{now.marked:,} of {now.responses:,} responses marked here"]
    if last_mark_at is not None:
        parts.append(f"last mark {clock(last_mark_at)}")
    if now.proposing is not None:
        parts.append(proposing_text(now.proposing))
    st.caption(f":green[●] {' · '.join(parts)}")


def clock(moment: str) -> str:
    """A stored moment as this browser's clock shows it, with its date where that is not today."""
    zone = ZoneInfo(st.context.timezone) if st.context.timezone else None
    local = datetime.fromisoformat(moment).astimezone(zone)
    return f"{local:%H:%M:%S}" if local.date() == datetime.now(zone).date() else f"{local.day} {local:%b %Y, %H:%M:%S}"


def proposing_text(proposing: tuple[int, int]) -> str:
    done, total = proposing
    return f"proposals being made, {done:,} of {total:,}" if total else "proposals waiting to be made"


def show_nothing_yet(figures: ExamFigures, now: Pulse) -> None:
    """Why there is no agreement to show, and what to do next."""
    if figures.selection != Selection(figures.exam.id):
        st.info(
            "No response that these filters leave has both an AI's mark and a teacher's blind or imported one. "
            "Take a filter away.",
            title="Nothing under these filters",
        )
        return
    if now.proposing is not None:
        st.info(
            f"The judge is at work: {proposing_text(now.proposing)}. Agreement appears here by itself.",
            title="Proposals are still being made",
        )
    elif not figures.overall.judges:
        st.info(
            "Agreement compares a judge's proposals with teachers' marks, and this exam has no proposals. "
            "Choose a judge for it.",
            title="No proposals yet",
        )
    elif figures.exam.blind or figures.exam.blind_share:
        st.info(
            "Blind marking is on: mark some responses, and each mark given before the AI's is seen counts here.",
            title="No agreement yet",
        )
    else:
        st.info(
            "Agreement counts marks given before the AI's mark is seen, and marks imported with the answers. "
            "There are none here. Switch blind marking on for this exam on the Exams page, then mark.",
            title="No agreement yet",
        )
    with st.container(horizontal=True):
        st.page_link("pages/teacher/mark.py", label="Go to marking", icon=":material/edit_note:")
        st.page_link("pages/department/exams.py", label="Go to exams", icon=":material/description:")


def page() -> None:
    st.title("Agreement")
    choices, selection = choose_part(store, viewer)
    now = pulse(store, selection.exam_id)
    if now is None:
        st.rerun()
    figures = figures_at(selection, now)
    state["agreement_pulse"] = now
    live(selection, figures.last_mark_at)
    if figures.exam.notice:
        st.caption(plain(figures.exam.notice))
    measured = figures.overall.agreement.n > 0
    answers = find_answers(store, figures)
    if measured:
        show_answers(answers, viewer)
        show_tiles(figures)
    else:
        show_nothing_yet(figures, now)
    if measured or figures.overall.accept.accepted.n:
        view = choose_view(choices, figures)
        show_section(store, figures, choices, viewer, view)
        st.subheader("Take it with you")
        agreement_downloads.show(store, figures, viewer, answers)
        explain()
    write_address(Place(selection, state.get("agreement_view"), state.get(key_of("at", selection.exam_id), "")), viewer)


page()
