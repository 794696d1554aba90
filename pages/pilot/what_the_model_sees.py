"""What a model is sent about one response: the very messages, the pictures, and the parameters of the request."""

from __future__ import annotations

import base64
import json
from typing import Any, Literal

import streamlit as st

from components.judge.llm import LLMJudge
from components.judge.llm.fence import neutralised
from components.judge.llm.picture_refusal import no_pictures
from components.judge.llm.prompt import Message, PictureError
from components.marking import Exemplar
from components.widgets.figures import count, plain
from components.workflow import exemplars
from components.workflow.inputs import reads_exemplars
from components.workflow.looking import for_judge, needs_eyes, question_for_judge
from pages.pilot.judge_words import once_or_more, sendable
from pages.shared.desk_services import services
from storage import exams, judges, responses
from storage.exams import StoredQuestion
from storage.responses import StoredResponse


def what_the_model_sees() -> None:
    """The choice of a response and a judge, and what is sent; nothing is read before it is opened."""
    opened = st.expander("What the model sees", key="what_the_model_sees", on_change="rerun")
    if opened.open:
        with opened:
            _show()


def _show() -> None:
    judge = _chosen_judge()
    if judge is None:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        question = _chosen_question()
        answer = None if question is None else _chosen_answer(question)
    if question is None or answer is None:
        return
    shown = _chosen_exemplars(judge, question, answer)
    if not neutralised(answer.text) and not answer.pictures:
        st.info("This answer is blank, so nothing is sent: the judge leaves it to the teacher.")
        return
    response = for_judge(services().store, answer)
    if judge.blind and needs_eyes(answer):
        st.info(f"{plain(no_pictures(judge.endpoint))} So nothing is sent.")
        return
    if judge.sight.reads_first(response):
        st.caption("First the pictures go out to be read. What was read is then marked as words, in a second request.")
    try:
        conversation = judge.conversation(
            question_for_judge(services().store, question), question.scheme, response, shown
        )
    except PictureError as error:
        st.error(plain(str(error)))
        return
    _show_messages(conversation)
    _show_request(judge, judge.request(conversation, question.scheme, response))


def _chosen_judge() -> LLMJudge | None:
    with services().store.read() as db:
        listed = judges.listed(db)
    connected = {each.id: each.name for each in listed if services().connections.llm(each.id) is not None}
    if not connected:
        st.info(
            "No language model is connected, so there is nothing that would be sent. "
            "[Connect a model](#connect-a-model) first: connecting sends nothing, only a test or a run does."
        )
        return None
    judge_id = st.selectbox("Judge", list(connected), format_func=connected.__getitem__, key="seen_judge")
    return services().connections.llm(judge_id)


def _chosen_question() -> StoredQuestion | None:
    with services().store.read() as db:
        listed = {exam.id: exam for exam in reversed(exams.listed(db))}
    if not listed:
        st.info("There is no exam yet. Bring one in on the Exams page.")
        return None
    exam_id = st.selectbox(
        "Exam", list(listed), format_func=lambda each: listed[each].title, key="seen_exam", width=300
    )
    with services().store.read() as db:
        asked = {each.id: each for each in exams.questions(db, exam_id) if not each.question.type.objective}
    if not asked:
        st.info("All questions of this exam are marked by rule: no model is sent anything about them.")
        return None
    chosen = st.selectbox(
        "Question",
        list(asked),
        format_func=lambda each: asked[each].question.number,
        key=f"seen_question_{exam_id}",
        help="Choice and numeric questions are marked by rule and never sent, so they are not listed.",
        width=130,
    )
    return asked[chosen]


def _chosen_answer(question: StoredQuestion) -> StoredResponse | None:
    with services().store.read() as db:
        listed = {each.id: each for each in responses.of_question(db, question.id)}
    if not listed:
        st.info("This question has no responses yet.")
        return None
    chosen = st.selectbox(
        "Candidate",
        sorted(listed, key=lambda each: listed[each].candidate_number),
        format_func=lambda each: listed[each].candidate_number,
        key=f"seen_response_{question.id}",
        help="For you to find the response. The model is never sent the candidate's number.",
        width=160,
    )
    return listed[chosen]


def _chosen_exemplars(judge: LLMJudge, question: StoredQuestion, answer: StoredResponse) -> tuple[Exemplar, ...]:
    """The examples that a run begun now would show the judge with this answer."""
    if not reads_exemplars(judge):
        st.caption(f"{plain(judge.endpoint.protocol.named)} has no place for examples of your marking.")
        return ()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shots = st.segmented_control(
            "Marked examples shown", list(range(exemplars.MOST_SHOTS + 1)), default=0, required=True, key="seen_shots"
        )
        grading = st.toggle("With your grading", value=True, key="seen_grading", disabled=not shots)
    with services().store.read() as db:
        chosen = exemplars.choose(db, question, shots, grading=grading)
        shown = exemplars.for_response(exemplars.loaded(db, chosen), answer.for_judge().id, shots)
    if len(shown) < shots:
        st.caption(f"{count(len(shown), 'response')} of this question can be shown: no more have a teacher's mark.")
    return shown


def _show_messages(conversation: list[Message]) -> None:
    for message in conversation:
        content = message["content"]
        st.markdown(f"**{plain(str(message['role']).capitalize())} message**")
        parts: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for part in parts:
            if part["type"] == "text":
                # The system message is long and much the same for every response: it scrolls in a window of its own.
                height: int | Literal["content"] = 320 if message["role"] == "system" else "content"
                st.code(sendable(part["text"]), language=None, wrap_lines=True, height=height)
            else:
                st.image(
                    _picture(part["image_url"]["url"]),
                    alt="A picture of the question or of this response, as it is sent",
                )


def _picture(url: str) -> bytes:
    return base64.b64decode(url.partition(",")[2])


def _show_request(judge: LLMJudge, request: dict[str, Any]) -> None:
    form = request.get("response_format")
    sent = {name: value for name, value in request.items() if name not in ("messages", "response_format")}
    st.markdown("**Parameters**")
    st.code(json.dumps(sent, indent=2, ensure_ascii=False), language="json", wrap_lines=True)
    said = f"Sent to {judge.endpoint.base_url}. {once_or_more(judge.endpoint.samples)}."
    if "seed" in request and judge.endpoint.samples > 1:
        said += " Each further sample has the next seed."
    with services().store.read() as db:
        found = judges.capabilities(db, judge.endpoint.base_url, judge.endpoint.model)
    if found is None:
        said += " The endpoint has not been asked yet: what it refuses is left out after the first reply."
    said += " A reply that cannot be used is asked for again at most twice, with what was wrong."
    if judge.endpoint.api_key:
        said += " The key goes with the request and is shown nowhere."
    st.caption(plain(said))
    if form is None:
        st.caption("No reply format is asked for: this endpoint takes none.")
        return
    with st.expander(f"Reply format: {plain(form['type'])}", key="seen_format"):
        st.code(json.dumps(form, indent=2, ensure_ascii=False), language="json", wrap_lines=True)
