"""The judges: which there are, connecting a model, trying it out, and choosing one for an exam."""

import os

import streamlit as st

from components.judge.llm import ConnectionReport, Endpoint, Protocol
from components.marking import PointVerdict, format_mark
from components.widgets.figures import plain
from components.workflow import judging
from components.workflow.estimate import estimate
from pages.pilot.run_words import estimate_text
from pages.shared import guard
from pages.shared.desk_services import services
from storage import exams, jobs, judges
from storage.judges import StoredJudge

WHERE = {
    "OpenAI": "https://api.openai.com/v1",
    "Azure OpenAI": "https://YOUR-RESOURCE.openai.azure.com/openai/v1",
    "Gemini": "https://generativelanguage.googleapis.com/v1beta/openai",
    "Ollama": "http://127.0.0.1:11434/v1",
    "vLLM": "http://127.0.0.1:8000/v1",
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "LM Studio": "http://127.0.0.1:1234/v1",
    "Another": "",
}
WHAT = {
    judges.OBJECTIVE: "Choice and numeric questions, checked by rule. No model, no network.",
    judges.OFFLINE: "Matches words, and learns from your marks. Not an LLM; no network.",
    judges.LLM: "A language model at {base_url}.",
    judges.IMPORTED: "Marks brought in from another tool. It cannot be asked for more.",
}
TYPED, NAMED, NONE = "Type it here", "Name an environment variable", "No key needed"

marker = guard.enter(guard.LEADS)
store, connections = services().store, services().connections
state = st.session_state


def show_judges() -> None:
    with store.read() as db:
        listed = judges.listed(db)
    for judge in listed:
        with st.container(border=True):
            st.markdown(f"**{plain(judge.name)}**")
            st.caption(plain(WHAT[judge.kind].format(base_url=judge.settings.get("base_url", ""))))
            if judge.kind == judges.LLM and not connections.connected(judge):
                st.caption("Not connected since the server started: its key was never stored. Connect it again below.")
    choose_for_exam([judge for judge in listed if judge.kind != judges.OBJECTIVE])


def choose_for_exam(listed: list[StoredJudge]) -> None:
    with store.read() as db:
        open_exams = {exam.id: exam for exam in exams.listed(db)}
    if not open_exams:
        st.info("When there is an exam, choose its judge here.")
        return
    names = {judge.id: judge.name for judge in listed if connections.connected(judge) or judge.kind == judges.IMPORTED}
    st.subheader("Which judge proposes on which exam")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        exam_id = st.selectbox("Exam", list(open_exams), format_func=lambda chosen: open_exams[chosen].title, width=300)
        present = open_exams[exam_id].judge_id
        judge_id = st.selectbox(
            "Judge",
            list(names),
            format_func=lambda chosen: names[chosen],
            index=list(names).index(present) if present in names else None,
            key=f"judge_of_{exam_id}",
            width=340,
        )
        st.button(
            "Let it propose",
            type="primary",
            disabled=judge_id is None,
            on_click=lambda: judging.choose_judge(store, exam_id, judge_id, marker),
        )
    if judge_id is not None and (ahead := estimate(store, connections, exam_id, judge_id)) is not None:
        st.markdown(plain(estimate_text(ahead)))
    st.caption(
        "Choice and numeric questions are always marked by rule. Proposals that a judge has made are kept; "
        "responses it has not seen are sent to it in the background, and a failed one is asked again."
    )
    watch_job(exam_id)


@st.fragment(run_every=1)
def watch_job(exam_id: int) -> None:
    """What the newest proposal job of the exam is doing, or what stopped it."""
    with store.read() as db:
        job = jobs.latest_of_exam(db, "propose", exam_id)
    if job is None:
        return
    if job.status in ("queued", "running"):
        told = f"{job.done} of {job.total} · {plain(job.message)}" if job.total else "Waiting for its turn"
        with st.container(horizontal=True, vertical_alignment="center"):
            st.progress(job.done / job.total if job.total else 0.0, told, width=420)
            st.button("Cancel", key=f"cancel_{job.id}", on_click=cancel, args=(job.id,))
    elif job.status == "failed":
        st.error(plain(job.message), title="The judge stopped")
    else:
        st.caption(f"Last time: {plain(job.message)}")


def cancel(job_id: int) -> None:
    with store.write() as db:
        jobs.cancel(db, job_id)


def connect_panel() -> None:
    st.subheader("Connect a model")
    st.caption(
        "Any OpenAI-compatible endpoint. The exam's content and a pseudonym are sent to it, never a name or number."
    )
    place = st.selectbox("Where", list(WHERE), key="where", width=300)
    base_url = st.text_input("Base URL", value=WHERE[place], key=f"base_url_{place}").strip().rstrip("/")
    model = st.text_input("Model", key="model", placeholder="the name its server knows").strip()
    how = st.segmented_control("Key", [TYPED, NAMED, NONE], default=TYPED, required=True)
    typed, variable = "", ""
    if how == TYPED:
        typed = st.text_input(
            "API key", type="password", key="typed_key", help="Kept in memory until the server stops."
        )
    elif how == NAMED:
        variable = st.text_input("Environment variable", value="OPENAI_API_KEY").strip()
        if variable and not os.environ.get(variable):
            st.warning(f"This server's environment has no {plain(variable)}. Set it and start the server again.")
    protocol = st.segmented_control(
        "Protocol",
        list(Protocol),
        format_func=lambda chosen: chosen.named[:1].upper() + chosen.named[1:],
        default=Protocol.FULL,
        required=True,
        help="Full: a verdict for each marking point with quoted evidence. Medly's prompt: one whole mark, no reasons. "
        "GAOKAO-Bench's prompt: a grading process and the total, asked in Chinese.",
    )
    key = typed.strip() or (os.environ.get(variable, "") if variable else "")
    endpoint = Endpoint(base_url, model, key, protocol=protocol)
    ready = bool(model) and base_url.startswith(("http://", "https://")) and (how == NONE or bool(endpoint.api_key))
    with st.container(horizontal=True):
        st.button("Test", disabled=not ready, on_click=start_test, args=(endpoint,))
        st.button(
            "Connect",
            type="primary",
            disabled=not ready,
            on_click=connect,
            args=(endpoint, {TYPED: None, NAMED: variable, NONE: ""}[how]),
        )
    if not ready:
        st.caption("Give a base URL that begins with http:// or https://, a model, and a key or that none is needed.")
    if "connect_notice" in state:
        st.success(plain(state.pop("connect_notice")))
    if "connection_test" in state:
        show_test()


def start_test(endpoint: Endpoint) -> None:
    state["connection_test"] = f"{marker.id} · {endpoint.base_url} · {endpoint.model}"
    connections.start_test(state["connection_test"], endpoint)


def connect(endpoint: Endpoint, key_variable: str | None) -> None:
    connections.connect(store, endpoint, key_variable)
    state["connect_notice"] = f"{endpoint.model} is connected. Choose it for an exam above."
    state.pop("typed_key", None)


@st.fragment(run_every=0.5)
def show_test() -> None:
    """The live round trip: under way, or how it went, with the verdicts on a sample answer."""
    name = state["connection_test"]
    report = connections.test_result(name)
    if report is None:
        st.info(f"Asking {plain(name.split(' · ')[-1])} to mark a sample answer …")
        return
    (st.success if report.ok else st.error)(plain(report.message))
    if report.proposal is not None and report.proposal.mark is not None:
        show_sample(report)


def show_sample(report: ConnectionReport) -> None:
    proposal = report.proposal
    assert proposal is not None
    st.caption(
        f"Replies as {plain(report.format)} · {report.seconds:.1f} s · proposed {format_mark(proposal.mark)} of 2"
    )
    for verdict in proposal.verdicts:
        if isinstance(verdict, PointVerdict):
            quotes = ", ".join(
                f"“{each.quote}”{'' if each.verified else ' (unverified: not in the answer)'}"
                for each in verdict.evidence
            )
            st.text(f"{'✓' if verdict.awarded else '✗'} {verdict.code} {quotes} {verdict.reason}")


st.title("Judges")
show_judges()
connect_panel()
