"""A judge's live round trip: beginning one, waiting for it, and showing how it went."""

from __future__ import annotations

import streamlit as st

from components.judge.llm import ConnectionReport, Endpoint
from components.judge.llm.connection import SAMPLE_QUESTION, SAMPLE_RESPONSE, notices, picture_words
from components.judge.prices import price_of
from components.marking import LevelVerdict, PointVerdict, Proposal, Verdict, format_mark
from components.widgets.figures import plain
from pages.pilot.judge_words import replies_as, sendable
from pages.pilot.run_words import PRICE_FILE, dollars, duration
from pages.shared.beat import draw_again
from pages.shared.desk_services import services

BEAT_SECONDS = 0.5
_BEGUN = "judge_tests"  # names of the tests begun in this session
_ENDED = "judge_tests_ended"  # those of them whose report is drawn


def begin(place: str, marker_id: int, endpoint: Endpoint) -> None:
    """Start a round trip, whose report is shown at this place, in place of the one before."""
    name = _name(place, marker_id)
    services().connections.start_test(services().store, name, endpoint)
    st.session_state.setdefault(_BEGUN, set()).add(name)


def look() -> None:
    """Take in which tests have ended, before anything is drawn: then what they found out stands all over the page."""
    st.session_state[_ENDED] = {
        name
        for name in st.session_state.get(_BEGUN, ())
        if _begun(name) and services().connections.test_result(name) is not None
    }


def under_way(place: str, marker_id: int) -> bool:
    name = _name(place, marker_id)
    return _begun(name) and name not in st.session_state[_ENDED]


def show(place: str, marker_id: int, endpoint: Endpoint) -> None:
    """The place's report, or that it is being waited for; nothing where no test was begun there."""
    name = _name(place, marker_id)
    if not _begun(name):
        return
    report = services().connections.test_result(name)
    if report is None or name not in st.session_state[_ENDED]:
        _wait(name, endpoint.model)
    else:
        _show(report, endpoint, f"judge_report_{name}")


def _name(place: str, marker_id: int) -> str:
    return f"{marker_id} · {place}"


def _begun(name: str) -> bool:
    if name not in st.session_state.get(_BEGUN, ()):
        return False
    try:
        services().connections.test_result(name)
    except KeyError:  # the server's services are new since
        return False
    return True


@st.fragment(run_every=BEAT_SECONDS)
def _wait(name: str, model: str) -> None:
    if services().connections.test_result(name) is not None:
        draw_again()  # at the next beat, where the test has ended while the page was being drawn
    st.info(f"Asking {plain(model)} to mark a sample answer …", icon=":material/hourglass_top:")


def _show(report: ConnectionReport, endpoint: Endpoint, key: str) -> None:
    (st.success if report.ok else st.error)(plain(sendable(report.message)))
    if said := picture_words(report):
        st.caption(plain(said))
    proposal = report.proposal
    if report.found is not None and (refused := notices(report.found)):
        st.warning(plain(" ".join(refused)))
    if proposal is None or not proposal.usage.raw_reply:
        return
    _show_figures(report, proposal, endpoint)
    if proposal.verdicts:
        _show_verdicts(proposal)
    with st.expander("The reply, word for word", key=f"{key}_raw"):
        st.code(sendable(proposal.usage.raw_reply), language=None, wrap_lines=True)


def _show_figures(report: ConnectionReport, proposal: Proposal, endpoint: Endpoint) -> None:
    usage = proposal.usage
    price = None
    if usage.tokens_in or usage.tokens_out:
        price = price_of(report.model_reported or endpoint.model, usage.tokens_in, usage.tokens_out)
    with st.container(horizontal=True, gap="medium"):
        st.metric("Time", duration(report.seconds), width="content")
        st.metric("Price", "not known" if price is None else plain(dollars(price)), width="content")
        if price is not None:
            st.metric("1,000 such replies", plain(dollars(1000 * price)), width="content")
    said = [] if report.found is None else [replies_as(report.found)]
    if usage.tokens_in or usage.tokens_out:
        said.append(f"{usage.tokens_in:,} tokens sent, {usage.tokens_out:,} received.")
        if price is None:
            said.append(f"{PRICE_FILE} does not have this model, so its price is not known.")
    else:
        said.append("The server reported no tokens, so the price is not known.")
    if endpoint.samples > 1:
        said.append(f"Asked once for the test; each proposal takes {endpoint.samples} such replies.")
    st.caption(plain(" ".join(said)))


def _show_verdicts(proposal: Proposal) -> None:
    st.caption(plain(f"On the question “{SAMPLE_QUESTION.text}” and the answer “{SAMPLE_RESPONSE.text}”:"))
    for verdict in proposal.verdicts:
        st.markdown(_verdict_text(verdict))


def _verdict_text(verdict: Verdict) -> str:
    """A verdict as Markdown: what is earned, each quote with whether it stands in the answer, the reason."""
    if isinstance(verdict, PointVerdict):
        said = f"{'✓' if verdict.awarded else '✗'} **{plain(verdict.code)}**"
    elif isinstance(verdict, LevelVerdict):
        said = f"**{plain(verdict.objective)}** level {verdict.level}, {format_mark(verdict.mark)}"
    else:
        said = f"**{format_mark(verdict.mark)}** for the whole answer"
    for each in verdict.evidence:
        found = ":green-badge[in the answer]" if each.verified else ":orange-badge[unverified: not in the answer]"
        said += f" “{plain(sendable(each.quote))}” {found}"
    return f"{said} {plain(sendable(verdict.reason))}".rstrip()
