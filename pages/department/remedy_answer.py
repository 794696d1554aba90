"""A candidate's answer and a judge's verdicts on it, as a remedy shows them."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from components.marking import LevelVerdict, Marker, PointVerdict, Proposal, Verdict, format_mark, verdict_name
from components.widgets.figures import plain
from components.workflow.answer_view import display_picture
from storage import Store, proposals
from storage.proposals import StoredProposal
from storage.responses import StoredResponse


def note_seen(store: Store, marker: Marker, proposed: Mapping[int, StoredProposal]) -> None:
    """The marker is shown these proposals here: no mark of theirs on those responses is blind from now on."""
    with store.read() as db:
        unseen = {
            response_id: stored.id
            for response_id, stored in proposed.items()
            if not proposals.seen_by(db, response_id, marker.id, stored.id)
        }
    if unseen:
        with store.write() as db:
            for response_id, proposal_id in unseen.items():
                proposals.record_sighting(db, response_id, marker.id, proposal_id)


def show_answer(store: Store, answer: StoredResponse) -> None:
    """What the candidate gave: words as they are, then pictures, then what a teacher says is on them."""
    with st.container(border=True):
        if answer.text.strip():
            st.text(answer.text)
        for page, sha256 in enumerate(answer.pictures, 1):
            picture = display_picture(store, sha256)
            if picture.error:
                st.caption(picture.error)
            else:
                st.image(picture.content, caption=f"Page {page}", width="stretch")
        if answer.transcript.strip():
            st.caption("A teacher's transcript")
            st.text(answer.transcript)
        if answer.blank:
            st.caption("A blank answer.")


def show_proposal(title: str, proposal: Proposal | None) -> None:
    """A mark with its verdicts, or why there is none."""
    if proposal is None:
        st.markdown(f"**{title}: no proposal**")
        return
    mark = format_mark(proposal.mark) if proposal.mark is not None else f"no mark, {proposal.status}"
    st.markdown(f"**{title}: {plain(mark)}**")
    said = "\n".join(f"- {_line(verdict)}" for verdict in proposal.verdicts)
    if said:
        st.markdown(said)
    if proposal.reason:
        st.caption(plain(proposal.reason))


def _line(verdict: Verdict) -> str:
    if isinstance(verdict, PointVerdict):
        head = f"{'✓' if verdict.awarded else '✗'} {verdict_name(verdict)}"
    elif isinstance(verdict, LevelVerdict):
        head = f"{verdict_name(verdict)}: level {verdict.level}, {format_mark(verdict.mark)}"
    else:
        head = f"{verdict_name(verdict)}: {format_mark(verdict.mark)}"
    quotes = [f"“{each.quote}”{'' if each.verified else ' (not in the answer)'}" for each in verdict.evidence]
    return plain(" · ".join([head, *quotes, *([verdict.reason] if verdict.reason.strip() else [])]).replace("\n", " "))
