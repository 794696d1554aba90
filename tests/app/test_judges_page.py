"""The judges page: making a judge, trying it out, duplicating and retiring it, and what a model is sent."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from components.judge.llm import Endpoint, Protocol
from components.marking import Marker, Outcome, Role, Stage
from components.workflow.connections import Connections
from pages.shared.desk_services import services
from storage import Store, decisions, events, exams, judges, pictures, question_pictures
from storage.judges import StoredJudge
from storage.pictures import Picture
from storage.question_pictures import QuestionPicture
from tests.eyes import page
from tests.llama import MODEL, llama_server
from tests.model_server import Reply, Said, completion, model_server, serving
from tests.support import add_exam, add_marker

PAGE = "pages/pilot/judges.py"
NOWHERE = "http://127.0.0.1:9/v1"
OpenPage = Callable[..., AppTest]


@pytest.fixture
def head(store: Store) -> Marker:
    add_exam(store, [["the enzyme is denatured"]])
    return add_marker(store, "Dr Li", Role.HEAD)


def texts(at: AppTest) -> str:
    """Every word shown, Markdown's escapes taken out."""
    kinds = (at.markdown, at.caption, at.info, at.success, at.warning, at.error, at.code)
    shown = "\n".join(str(each.value) for kind in kinds for each in kind)
    return shown.replace("\\", "").replace("\u2060", "")


def press(at: AppTest, key: str) -> AppTest:
    at.button(key=key).click().run()
    assert not at.exception
    return at


def type_in(at: AppTest, **values: object) -> AppTest:
    """Put values into the form's fields, one at a time, as a person does."""
    for name, value in values.items():
        at.get_by_key(f"judge_{name}").set_value(value).run()
    assert not at.exception
    return at


def llm_judges(store: Store) -> list[StoredJudge]:
    with store.read() as db:
        return [judge for judge in judges.listed(db) if judge.kind == judges.LLM]


def connected(endpoint: Endpoint, store: Store, variable: str | None = None, name: str = "") -> int:
    """The id of a judge that the app's own server holds the key of. The app must have been opened."""
    return services().connections.connect(store, endpoint, variable, name)


def keys(at: AppTest) -> set[str]:
    return {button.key for button in at.button if button.key}


# --- Who may, and what is listed ------------------------------------------------------------------------------------


def test_a_teacher_is_told_who_may_enter(app: OpenPage, store: Store) -> None:
    add_exam(store, [["x"]])
    at = app(PAGE, add_marker(store))
    assert not at.exception
    assert "for a head of department or a pilot lead" in at.warning[0].value
    assert not at.title


def test_the_built_in_judges_are_listed_and_can_be_neither_duplicated_nor_retired(
    app: OpenPage, store: Store, head: Marker
) -> None:
    at = app(PAGE, head)
    assert not at.exception
    assert "Offline matcher" in texts(at)
    assert "Checked by calculation" in texts(at)
    assert "A judge never changes, so that its proposals stay comparable: duplicate it" in texts(at)
    assert not [key for key in keys(at) if key.startswith(("duplicate_", "retire_", "test_", "again_"))]


def test_without_an_exam_the_page_still_connects(app: OpenPage, store: Store, head: Marker) -> None:
    with store.write() as db:
        exams.archive(db, 1, None, "test")
    at = app(PAGE, head)
    assert not at.exception
    assert at.button(key="judge_connect").disabled
    type_in(at, base_url=NOWHERE, model="local", key="No key needed")
    press(at, "judge_connect")
    assert [judge.model for judge in llm_judges(store)] == ["local"]


def test_start_a_run_leads_to_the_runs(app: OpenPage, store: Store, head: Marker) -> None:
    at = app(PAGE, head)
    next(button for button in at.button if button.label == "Start a run").click().run()
    assert not at.exception
    assert at.title[0].value == "Runs"


# --- Making one -----------------------------------------------------------------------------------------------------


def test_a_model_that_comes_with_the_press_is_the_one_connected(app: OpenPage, store: Store, head: Marker) -> None:
    at = app(PAGE, head)
    type_in(at, where="vLLM", model="qwen", key="No key needed")
    at.get_by_key("judge_model").set_value("qwen3")
    press(at, "judge_connect")
    assert [judge.model for judge in llm_judges(store)] == ["qwen3"]
    assert at.text_input(key="judge_name").value == ""


def test_a_judges_settings_are_stored_and_shown_in_words(app: OpenPage, store: Store, head: Marker) -> None:
    at = app(PAGE, head)
    type_in(at, where="vLLM", model="qwen", key="No key needed", effort="low", temperature=0.5, seed=7)
    type_in(at, max_tokens=900, samples=3, at_once=2, name="Qwen, thrice")
    press(at, "judge_connect")
    [judge] = llm_judges(store)
    assert (judge.name, judge.model) == ("Qwen, thrice", "qwen")
    assert judge.settings == {
        "base_url": "http://127.0.0.1:8000/v1",
        "protocol": "full",
        "temperature": 0.5,
        "seed": 7,
        "max_tokens": 900,
        "reasoning_effort": "low",
        "samples": 3,
        "key_variable": "",
        "at_once": 2,
    }
    shown = texts(at)
    assert "Qwen, thrice is connected" in shown
    assert "Settings: temperature 0.5, seed 7, at most 900 tokens a reply, low reasoning." in shown
    assert "Asked 3 times for a proposal, of which the middle mark counts, up to 2 requests at once." in shown
    assert "It needs no key." in shown
    assert "Not asked for a mark yet: what it takes is found out at the first reply." in shown


def test_a_judge_without_a_name_is_called_after_its_settings_as_the_form_foretells(
    app: OpenPage, store: Store, head: Marker
) -> None:
    at = app(PAGE, head)
    type_in(at, base_url=NOWHERE, model="m", key="No key needed", seed=3)
    foretold = at.text_input(key="judge_name").placeholder
    press(at, "judge_connect")
    assert [judge.name for judge in llm_judges(store)] == [foretold] == [f"m at {NOWHERE}, seed 3"]


def test_a_typed_key_never_reaches_the_database(app: OpenPage, store: Store, head: Marker) -> None:
    at = app(PAGE, head)
    type_in(at, model="some-model", typed_key="sk-very-secret-words")
    press(at, "judge_connect")
    assert "some-model at https://api.openai.com/v1 is connected" in texts(at)
    assert at.text_input(key="judge_typed_key").value == ""
    with store.read() as db:
        dump = "\n".join(db.conn.iterdump())
    assert "some-model" in dump
    assert "sk-very-secret-words" not in dump


def test_a_name_that_is_taken_is_told_in_words_and_nothing_typed_is_lost(
    app: OpenPage, store: Store, head: Marker
) -> None:
    at = app(PAGE, head)
    connected(Endpoint(NOWHERE, "one", "k"), store, name="Ours")
    type_in(at, base_url=NOWHERE, model="two", typed_key="sk-typed", name="Ours", temperature=0.3)
    press(at, "judge_connect")
    assert "There is already another judge called Ours. Give this one a different name." in texts(at)
    assert [judge.model for judge in llm_judges(store)] == ["one"]
    held = {name: at.get_by_key(f"judge_{name}").value for name in ("base_url", "model", "typed_key", "name")}
    assert held == {"base_url": NOWHERE, "model": "two", "typed_key": "sk-typed", "name": "Ours"}
    assert at.number_input(key="judge_temperature").value == 0.3


@pytest.mark.parametrize(
    ("protocol", "field", "told"),
    [
        (Protocol.GAOKAO, "temperature", "GAOKAO-Bench's prompt sets temperature 0 itself."),
        (Protocol.MEDLY, "effort", "Medly's prompt sets the reasoning effort itself"),
    ],
)
def test_what_a_published_prompt_sets_itself_is_said_and_cannot_be_set(
    app: OpenPage, store: Store, head: Marker, protocol: Protocol, field: str, told: str
) -> None:
    at = app(PAGE, head)
    type_in(at, base_url=NOWHERE, model="m", key="No key needed", protocol=protocol)
    assert told in texts(at)
    assert at.get_by_key(f"judge_{field}").disabled
    press(at, "judge_connect")
    assert llm_judges(store)[0].settings["protocol"] == protocol


@pytest.mark.parametrize(("protocol", "temperature"), [(Protocol.FULL, 0.0), (Protocol.GAOKAO, None)])
def test_several_samples_at_temperature_0_are_warned_of(
    app: OpenPage, head: Marker, protocol: Protocol, temperature: float | None
) -> None:
    at = app(PAGE, head)
    type_in(at, protocol=protocol, samples=3)
    if temperature is not None:
        assert "every sample will be alike" not in texts(at)
        type_in(at, temperature=temperature)
    assert "every sample will be alike" in texts(at)


# --- Duplicating and connecting again -------------------------------------------------------------------------------


def test_duplicating_fills_the_form_and_the_key_goes_along_unseen(app: OpenPage, store: Store, head: Marker) -> None:
    at = app(PAGE, head)
    first = connected(Endpoint(NOWHERE, "m", "sk-hidden", temperature=0.5, samples=3, at_once=4), store, name="First")
    at.run()
    press(at, f"duplicate_{first}")
    filled = {name: at.get_by_key(f"judge_{name}").value for name in ("where", "base_url", "model", "key", "name")}
    assert filled == {"where": "Another", "base_url": NOWHERE, "model": "m", "key": first, "name": ""}
    assert [at.number_input(key=f"judge_{name}").value for name in ("temperature", "samples", "at_once")] == [0.5, 3, 4]
    assert at.selectbox(key="judge_key").options[3:] == ["The key of First"]
    assert "sk-hidden" not in str(at)
    type_in(at, temperature=1.0)
    press(at, "judge_connect")
    second = llm_judges(store)[1]
    assert second.settings["temperature"] == 1.0
    held = services().connections.llm(second.id)
    assert held is not None
    assert held.endpoint.api_key == "sk-hidden"
    with store.read() as db:
        stored = judges.get(db, first)
    assert stored is not None
    assert stored.settings["temperature"] == 0.5


def test_a_judges_key_is_not_offered_for_another_address(app: OpenPage, store: Store, head: Marker) -> None:
    at = app(PAGE, head)
    first = connected(Endpoint(NOWHERE, "m", "sk-hidden"), store, name="First")
    at.run()
    press(at, f"duplicate_{first}")
    type_in(at, base_url="http://127.0.0.1:10/v1")
    assert at.selectbox(key="judge_key").options == ["Type it here", "Name an environment variable", "No key needed"]
    assert at.selectbox(key="judge_key").value == "Type it here"
    assert at.button(key="judge_connect").disabled


def test_connecting_again_gives_the_same_judge(app: OpenPage, store: Store, head: Marker) -> None:
    before = Connections().connect(store, Endpoint(NOWHERE, "m", "old", seed=5, protocol=Protocol.MEDLY), None, "Ours")
    at = app(PAGE, head)
    assert "Not connected since the server started." in texts(at)
    assert f"test_{before}" not in keys(at)
    press(at, f"again_{before}")
    type_in(at, typed_key="new")
    press(at, "judge_connect")
    assert [judge.id for judge in llm_judges(store)] == [before]
    assert f"test_{before}" in keys(at)


def test_a_judge_without_a_key_comes_back_after_a_restart_and_a_typed_one_does_not(store: Store) -> None:
    first = Connections()
    local = first.connect(store, Endpoint("http://127.0.0.1:1/v1", "local", protocol=Protocol.MEDLY), "")
    typed = first.connect(store, Endpoint("http://127.0.0.1:1/v1", "typed", "secret"), None)
    again = Connections.from_environment(store)
    with store.read() as db:
        stored = {judge.id: judge for judge in judges.listed(db)}
    assert again.connected(stored[local])
    assert "Medly" in stored[local].name
    restored = again.judge(stored[local])
    assert restored is not None
    assert "Medly" in restored.name
    assert not again.connected(stored[typed])


def test_a_judge_cannot_be_changed_in_the_store(store: Store) -> None:
    judge_id = Connections().connect(store, Endpoint(NOWHERE, "m"), "")
    with pytest.raises(sqlite3.IntegrityError, match="a judge never changes"), store.write() as db:
        db.execute("UPDATE judges SET model = 'other' WHERE id = ?", (judge_id,))


# --- Retiring -------------------------------------------------------------------------------------------------------


def test_a_judge_is_retired_no_longer_offered_and_brought_back(app: OpenPage, store: Store, head: Marker) -> None:
    at = app(PAGE, head)
    judge_id = connected(Endpoint(NOWHERE, "m", "sk-hidden"), store, name="Ours")
    with store.write() as db:
        exams.set_judge(db, 1, judge_id, None)
    at.run()
    at.get_by_key("judge_base_url").set_value(NOWHERE).run()
    assert "The key of Ours" in at.selectbox(key="judge_key").options
    assert "1 exam (Test exam) will go on showing its proposals." in texts(at)
    press(at, f"retire_{judge_id}")
    assert "Ours is retired." in texts(at)
    assert llm_judges(store) == []
    assert "The key of Ours" not in at.selectbox(key="judge_key").options
    assert not keys(at) & {f"duplicate_{judge_id}", f"test_{judge_id}"}
    with store.read() as db:
        exam = exams.get(db, 1)
        assert exam is not None
        assert exam.judge_id == judge_id
        assert (events.latest(db)[0].kind, events.latest(db)[0].marker_name) == ("judge retired", "Dr Li")
    press(at, f"bring_back_{judge_id}")
    assert [judge.id for judge in llm_judges(store)] == [judge_id]
    assert f"test_{judge_id}" in keys(at)


# --- Trying it out --------------------------------------------------------------------------------------------------


def sample_reply(model: str, tokens_in: int = 0, tokens_out: int = 0) -> Reply:
    points = [
        {"code": "MP1", "awarded": True, "evidence": ["blows the damp air away"], "reason": "r1", "not_sure": False},
        {"code": "MP2", "awarded": True, "evidence": ["in the sun"], "reason": "r2", "not_sure": False},
    ]
    said = {"abstain": None, "points": points}
    return lambda words: completion(said, model, tokens_in, tokens_out)


def wait_for_report(at: AppTest, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while any("to mark a sample answer" in each.value for each in at.info) and time.monotonic() < deadline:
        at.run()
    assert not at.exception


def test_the_test_shows_time_price_and_verdicts_on_the_card(app: OpenPage, store: Store, head: Marker) -> None:
    at = app(PAGE, head)
    with model_server(sample_reply("gpt-5-mini-2025-08-07", 2_000, 1_000)) as base_url:
        judge_id = connected(Endpoint(base_url, "gpt-5-mini", samples=3), store, "")
        at.run()
        wait_for_report(press(at, f"test_{judge_id}"))
    card = at.container(key=f"judge_card_{judge_id}")
    figures = {metric.label: metric.value.replace("\\", "") for metric in card.metric}
    # 2,000 tokens at $0.25 and 1,000 at $2.00 for a million.
    assert (figures["Price"], figures["1,000 such replies"]) == ("$0.0025", "$2.50")
    assert figures["Time"].endswith(" s")
    shown = texts(at)
    assert "Connected. gpt-5-mini-2025-08-07 gave the sample answer 2 of 2" in shown
    assert "2,000 tokens sent, 1,000 received. Asked once for the test; each proposal takes 3 such replies." in shown
    assert "✓ **MP1** “blows the damp air away” :green-badge[in the answer] r1" in shown
    assert "✓ **MP2** “in the sun” :orange-badge[unverified: not in the answer] r2" in shown
    assert "Replies as JSON in the form asked for, which its server keeps to." in shown
    assert "Not asked for a mark yet" not in shown


def test_the_price_of_an_unlisted_model_is_not_known(app: OpenPage, store: Store, head: Marker) -> None:
    at = app(PAGE, head)
    with model_server(sample_reply("mystery-7b", 10, 10)) as base_url:
        judge_id = connected(Endpoint(base_url, "mystery-7b"), store, "")
        at.run()
        wait_for_report(press(at, f"test_{judge_id}"))
    assert [metric.value for metric in at.metric if metric.label != "Time"] == ["not known"]
    assert "assets/prices.toml does not have this model" in texts(at)


def test_a_refused_setting_is_told_and_then_known_of_the_endpoint(app: OpenPage, store: Store, head: Marker) -> None:
    good = sample_reply("m")

    def answer(asked: dict[str, object], headers: dict[str, str]) -> Said:
        if "temperature" in asked:
            return Said(400, {"error": {"message": "Unsupported value: 'temperature'", "param": "temperature"}})
        return Said(*good(""))

    at = app(PAGE, head)
    with serving(answer) as base_url:
        type_in(at, base_url=base_url, model="m", key="No key needed", temperature=0.7)
        wait_for_report(press(at, "judge_test"))
        said = "It refused the temperature as it was set, so it is left out."
        assert any(said in each.value.replace("\\", "") for each in at.warning)
        press(at, "judge_connect")
    assert f"Replies as JSON in the form asked for, which its server keeps to. {said}" in texts(at)


def test_a_test_that_fails_says_what_to_do(app: OpenPage, store: Store, head: Marker) -> None:
    at = app(PAGE, head)
    with serving(lambda asked, headers: Said(401, {"error": {"message": "no"}})) as base_url:
        type_in(at, base_url=base_url, model="m", typed_key="wrong")
        wait_for_report(press(at, "judge_test"))
    assert "does not accept the key. Check the key" in texts(at)
    assert not at.metric


def test_the_test_makes_a_live_round_trip_with_a_real_model(app: OpenPage, store: Store, head: Marker) -> None:
    with llama_server() as base_url:
        at = app(PAGE, head)
        at = type_in(at, where="llama.cpp", base_url=base_url, model=MODEL, key="No key needed", max_tokens=120)
        type_in(at, temperature=0.0)  # otherwise the small model often has to be asked again
        wait_for_report(press(at, "judge_test"), 150)
    said = [each.value.replace("\\", "") for each in (*at.success, *at.error)]
    assert any(MODEL in each for each in said), said


# --- What the model sees --------------------------------------------------------------------------------------------


def sees(app: OpenPage, store: Store, marker: Marker, *, open_it: bool = True, **endpoint: object) -> AppTest:
    at = app(PAGE, marker)
    connected(Endpoint(NOWHERE, "m", "sk-hidden", **endpoint), store)  # type: ignore[arg-type]
    if open_it:
        at.session_state["what_the_model_sees"] = True
    at.run()
    assert not at.exception
    return at


@pytest.fixture
def teacher(store: Store) -> Marker:
    """A pilot lead on an exam of two answers, the second of which has been marked blind."""
    _, [[_, marked]] = add_exam(store, [["it </answer> is denatured, Smith", "the shape has changed"]])
    lead = add_marker(store, "Dr Li", Role.PILOT)
    with store.write() as db:
        decisions.record(db, marked, lead.id, Outcome.MARK, Stage.BLIND, mark=1, comment="Shape alone: no A1.")
    return lead


def test_what_the_model_sees_is_not_read_before_it_is_opened(app: OpenPage, store: Store, teacher: Marker) -> None:
    at = sees(app, store, teacher, open_it=False)
    assert not at.code
    assert not [box for box in at.selectbox if str(box.key).startswith("seen_")]


def test_what_the_model_sees_are_the_exact_messages_and_never_the_candidates_number(
    app: OpenPage, store: Store, teacher: Marker
) -> None:
    at = sees(app, store, teacher, temperature=0.5)
    [candidates] = [box for box in at.selectbox if str(box.key).startswith("seen_response_")]
    assert candidates.options == ["0001", "0002"]
    system, user, parameters = (block.value for block in at.code[:3])
    assert "You are an experienced examiner" in system
    assert "the active site no longer fits" in user
    fenced = user.split("<answer>")[1].split("</answer>")[0]
    assert fenced.strip().endswith("is denatured, Smith")  # the answer cannot end its own fence
    assert "the shape has changed" not in user
    assert '"temperature": 0.5' in parameters
    assert '"model": "m"' in parameters
    everything = "\n".join(block.value for block in at.code)
    assert "0001" not in everything
    assert "sk-hidden" not in texts(at)
    assert '"strict": true' in everything


def test_what_the_model_sees_has_the_marked_examples_that_a_run_would_show(
    app: OpenPage, store: Store, teacher: Marker
) -> None:
    at = sees(app, store, teacher)
    at.get_by_key("seen_shots").set_value(2).run()
    assert not at.exception
    user = at.code[1].value
    assert "the shape has changed" in user
    assert "Shape alone: no A1." in user
    assert "1 response of this question can be shown: no more have a teacher's mark." in texts(at)
    at.toggle(key="seen_grading").set_value(False).run()
    assert "Shape alone: no A1." not in at.code[1].value
    assert "the shape has changed" in at.code[1].value


def test_a_published_prompt_shows_no_examples(app: OpenPage, store: Store, teacher: Marker) -> None:
    at = sees(app, store, teacher, protocol=Protocol.MEDLY)
    assert "Medly's prompt has no place for examples of your marking." in texts(at)
    assert "seen_grading" not in [each.key for each in at.toggle]
    assert '"reasoning_effort": "none"' in at.code[2].value


def test_what_the_model_sees_has_the_questions_picture_before_its_words(app: OpenPage, store: Store) -> None:
    exam_id, _ = add_exam(store, [["it is denatured"]])
    with store.write() as db:
        sha256 = pictures.add(db, Picture(page("magenta"), "image/png", 300, 400))
        [question] = exams.questions(db, exam_id)
        question_pictures.set_of(db, question.id, [QuestionPicture(sha256, "a rate curve")])
    at = sees(app, store, add_marker(store, "Dr Li", Role.PILOT))
    assert len(at.get("image")) == 1
    _, figure, words, *_ = [code.value for code in at.code]
    assert figure.endswith("Figure 1 of the question: a rate curve")
    assert "it is denatured" in words


def test_of_a_blank_answer_it_is_said_that_nothing_is_sent(app: OpenPage, store: Store) -> None:
    add_exam(store, [["  "]])
    at = sees(app, store, add_marker(store, "Dr Li", Role.PILOT))
    assert "This answer is blank, so nothing is sent" in texts(at)
    assert not at.code


def test_without_a_connected_model_it_is_said_how_to_connect_one(app: OpenPage, store: Store, teacher: Marker) -> None:
    at = app(PAGE, teacher)
    at.session_state["what_the_model_sees"] = True
    at.run()
    assert not at.exception
    assert "No language model is connected" in texts(at)
    assert "(#connect-a-model)" in texts(at)
