"""Who is at the desk. Every page calls `enter` first; real sign-in will come in behind the same call."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from components.marking import Marker, MarkError, Role
from components.widgets.remember import remember_profile
from pages.shared.desk_services import services
from pages.shared.press import pressed
from storage import markers

PAGES_FOLDER = Path(__file__).parents[1]
ALL_ROLES = tuple(Role)
LEADS = (Role.HEAD, Role.PILOT)
CHOSEN = "marker_chosen"  # the profile's id and token
BY_BUTTON = ("department/exam_setup.py",)  # reached from the page before it, so not in the list of pages


def pages_for_role() -> dict[str, list[StreamlitPage]]:
    """The navigation: pages by who uses them. One that the profile may not open is not listed, and says so itself."""
    marker = current_marker()
    listed = {
        "Teacher": [
            ("teacher/mark.py", "Mark", ":material/edit_note:", ALL_ROLES),
            ("teacher/answers.py", "Answers", ":material/draw:", ALL_ROLES),
        ],
        "Department": [
            ("department/exams.py", "Exams", ":material/description:", ALL_ROLES),
            ("department/agreement.py", "Agreement", ":material/balance:", ALL_ROLES),
            ("department/review.py", "Review", ":material/gavel:", LEADS),
            ("department/marks_out.py", "Marks out", ":material/ios_share:", LEADS),
            ("department/exam_setup.py", "Set up an exam", ":material/tune:", ALL_ROLES),
        ],
        "Pilot": [
            ("pilot/judges.py", "Judges", ":material/smart_toy:", LEADS),
            ("pilot/runs.py", "Runs", ":material/play_circle:", LEADS),
            ("pilot/trial.py", "Trials", ":material/science:", LEADS),
            ("pilot/benchmarks.py", "Benchmarks", ":material/school:", LEADS),
        ],
    }
    return {
        section: [
            st.Page(
                PAGES_FOLDER / file,
                title=title,
                icon=icon,
                default=file == "teacher/mark.py",
                visibility="visible"
                if file not in BY_BUTTON and (marker is None or marker.role in roles)
                else "hidden",
            )
            for file, title, icon, roles in pages
        ]
        for section, pages in listed.items()
    }


def enter(roles: tuple[Role, ...] = ALL_ROLES) -> Marker:
    """The marker at the desk. Stops the page with a choice of profiles, or in words where the role may not enter."""
    marker = current_marker()
    if marker is None:
        _welcome()
        st.stop()
    if marker.role not in roles:
        st.warning(
            f"This page is for a {' or a '.join(roles)}. You are here as {marker.name}, {marker.role}. "
            "Choose another profile in the sidebar.",
            title="Not on this profile",
        )
        st.stop()
    return marker


def current_marker() -> Marker | None:
    """The profile this browser session has chosen, if it still exists.

    A pack restored meanwhile may have put somebody else in its place: then the session has no profile, and what was on
    its desk is not taken for theirs.
    """
    marker_id = st.session_state.get("marker_id")
    if marker_id is None:
        return None
    with services().store.read() as db:
        marker, token = markers.get(db, marker_id), markers.token(db, marker_id)
    chosen_id, chosen_token = st.session_state.get(CHOSEN, (None, ""))
    if chosen_id == marker_id and chosen_token != token:
        del st.session_state["marker_id"]
        return None
    st.session_state[CHOSEN] = (marker_id, token)
    return marker


def choose_profile() -> None:
    """The sidebar's profile box: who is marking, another profile, a new one."""
    marker = current_marker()
    with services().store.read() as db:
        token = "" if marker is None else markers.token(db, marker.id)
    with st.sidebar:
        recalled = remember_profile(token)
    if marker is None:
        with services().store.read() as db:
            known = markers.with_token(db, recalled)
        if known is not None:
            _sign_in(known.id)
            st.rerun()
        return
    with st.sidebar:
        with services().store.read() as db:
            people = markers.profiles(db)
        names = {person.id: f"{person.name} · {person.role}" for person in people}
        st.selectbox(
            "Marking as",
            list(names),
            index=list(names).index(marker.id) if marker.id in names else None,
            format_func=lambda marker_id: names[marker_id],
            key=f"profile_of_{marker.id}",
            on_change=lambda: _sign_in(st.session_state[f"profile_of_{marker.id}"]),
        )
        with st.popover("Add a profile", icon=":material/person_add:"):
            _new_profile_form("sidebar")


def _welcome() -> None:
    st.title("Second Marker")
    st.write("An AI second marker at your side. It proposes a mark and says why; **your mark is the mark**.")
    with services().store.read() as db:
        people = markers.profiles(db)
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Who is marking?")
        for person in people:
            st.button(
                f"{person.name} · {person.role}",
                key=f"pick_{person.id}",
                width="stretch",
                on_click=_sign_in,
                args=(person.id,),
            )
    with right:
        st.subheader("New here?")
        _new_profile_form("welcome")


def _new_profile_form(place: str) -> None:
    with st.form(f"new_profile_{place}", border=False):
        name = st.text_input("Your name", max_chars=80)
        role = st.selectbox("Your role", list(Role), format_func=str.capitalize)
        if pressed("Add and start", key=f"new_profile_add_{place}", button=st.form_submit_button, type="primary"):
            try:
                with services().store.write() as db:
                    marker_id = markers.add(db, name, role)
            except MarkError as error:
                st.error(str(error))
            else:
                _sign_in(marker_id)
                st.rerun()


def _sign_in(marker_id: int) -> None:
    """Change who is at the desk. What the one before was about to do or was told there is not the next one's."""
    for own in ("ticked", "notice", "acknowledged", "comment_saved", "review_ticked", "review_notice"):
        st.session_state.pop(own, None)
    st.session_state["marker_id"] = marker_id
    st.session_state.pop(CHOSEN, None)
