"""The trials page: planning one with price and time, starting it, following it, and the words where one cannot be."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from components.judge.llm import Endpoint
from components.marking import Marker, Role
from components.workflow import demo
from components.workflow.connections import Connections, default_judges
from components.workflow.trial.arms import ArmChoice
from components.workflow.trial.planning import TrialOptions
from components.workflow.trial.starting import start
from storage import Store, jobs, judges, trials
from tests.app.waiting import until_done
from tests.reviewing import give
from tests.support import add_exam, add_marker

pytestmark = pytest.mark.usefixtures("price_file")
PAGE = "pages/pilot/trial.py"
OpenPage = Callable[..., AppTest]


@pytest.fixture
def lead(store: Store) -> Marker:
    return add_marker(store, "Dr Li", Role.PILOT)


def texts(at: AppTest) -> str:
    drawn = [*at.markdown, *at.caption, *at.info, *at.warning, *at.error, *at.title, *at.subheader]
    return "\n".join(each.value for each in drawn).replace("\\", "")


def labels(at: AppTest) -> list[str]:
    return [button.label for button in at.button]


def press(at: AppTest, label: str) -> None:
    next(button for button in at.button if button.label == label).click().run()
    assert not at.exception


def marked_exam(store: Store, *, twice: bool = True) -> int:
    answers = ["the enzyme is denatured", "the enzime is denaturd", "no idea"]
    exam_id, [ids] = add_exam(store, [answers], title="Mock 2026")
    for marker, marks in (("Ms Khan", (1, 1, 0)), ("Mr Bell", (1, 0, 0)))[: 2 if twice else 1]:
        person = add_marker(store, marker)
        for response_id, mark in zip(ids, marks, strict=True):
            give(store, response_id, person, mark)
    return exam_id


def test_a_teacher_is_told_who_may_enter(app: OpenPage, store: Store) -> None:
    marked_exam(store)
    at = app(PAGE, add_marker(store, "Mr Vale"))
    assert not at.exception
    assert "for a head of department or a pilot lead" in at.warning[0].value
    assert not at.title


def test_without_marks_the_page_says_what_to_import(app: OpenPage, store: Store, lead: Marker) -> None:
    add_exam(store, [["x"]])
    at = app(PAGE, lead)
    assert not at.exception
    assert "has a mark that a teacher gave without the AI's in sight" in texts(at)
    assert "Import a table" in texts(at)
    assert "Start the trial" not in labels(at)


def test_a_trial_is_planned_with_price_and_time_started_and_compared(app: OpenPage, store: Store, lead: Marker) -> None:
    marked_exam(store)
    at = app(PAGE, lead)
    said = texts(at)
    assert "3 responses, 3 of them marked twice." in said
    assert "No language model is connected" in said
    assert "Choose at least one judge" in said
    _, offline = default_judges(store)
    at.multiselect(key="trial_judges").set_value([offline]).run()
    at.toggle(key=f"trial_exact_{offline}").set_value(True).run()
    assert not at.exception
    planned = at.dataframe[0].value
    assert planned["Arm"].tolist() == ["Offline matcher", "Offline matcher, exact words"]
    assert planned["To ask"].tolist() == [3, 3]
    assert planned["Price"].tolist() == ["free", "free"]
    assert "Nothing would be sent to a model, so it costs nothing. Time: at once." in texts(at)
    press(at, "Start the trial")
    until_done(at, store)
    with store.read() as db:
        [trial] = trials.listed(db)
    assert (trial.status, trial.title, trial.done) == ("done", "Mock 2026, trial 1", 6)
    assert "Ms Khan and Mr Bell" in texts(at)
    assert any("Marks" in frame.value and frame.value["Marks"].tolist() == [3, 3] for frame in at.dataframe)


def test_single_marking_is_said_to_have_no_human_band(app: OpenPage, store: Store, lead: Marker) -> None:
    marked_exam(store, twice=False)
    said = texts(app(PAGE, lead))
    assert "3 responses, marked once." in said
    assert "not how two people agree with each other" in said


def test_a_models_variants_become_arms_and_an_unknown_price_is_said(app: OpenPage, store: Store, lead: Marker) -> None:
    marked_exam(store)
    for model in ("cheap", "unheard-of"):  # no key is needed, so the app connects them again
        Connections().connect(store, Endpoint("http://127.0.0.1:9/v1", model), "")
    at = app(PAGE, lead)
    with store.read() as db:
        cheap, unheard = (judge.id for judge in judges.listed(db) if judge.kind == judges.LLM)
    at.multiselect(key="trial_judges").set_value([cheap, unheard]).run()
    at.toggle(key=f"trial_twice_{cheap}").set_value(True).run()
    assert not at.exception
    planned = at.dataframe[0].value
    assert planned["Arm"].tolist() == ["cheap", "cheap · again", "unheard-of"]
    assert planned["Price"].tolist()[2] == "not known"
    assert planned["Price"].tolist()[0].startswith("about $0.00")
    assert planned["Time"].tolist() == ["not known"] * 3
    assert "does not have unheard-of, so no price is known and no cap can be kept" in texts(at)
    at.number_input(key="trial_cap").set_value(1.0).run()
    press(at, "Start the trial")
    assert "The price of unheard-of is not known" in texts(at)
    with store.read() as db:
        assert trials.listed(db) == []


def test_a_stopped_trial_says_why_and_can_go_on_or_be_put_away(app: OpenPage, store: Store, lead: Marker) -> None:
    exam_id = marked_exam(store)
    _, offline = default_judges(store)
    trial_id = start(store, Connections(), TrialOptions(exam_id=exam_id, arms=(ArmChoice(judge_id=offline),)), lead)
    with store.write() as db:
        job = jobs.claim(db, "another worker")
        assert job is not None
        jobs.beat(db, job.id, "another worker", 1, 3, "")
        jobs.finish(db, job.id, "another worker", "failed", "The model *stopped*.")
    at = app(PAGE, lead)
    assert "The model *stopped*." in texts(at)
    press(at, "Resume")
    until_done(at, store)
    with store.read() as db:
        trial = trials.get(db, trial_id)
    assert trial is not None
    assert trial.status == "done"
    press(at, "Put away")
    assert "has been put away" in texts(at)
    with store.read() as db:
        assert trials.listed(db) == []


def test_a_trial_under_way_shows_its_arms_and_can_be_cancelled(app: OpenPage, store: Store, lead: Marker) -> None:
    exam_id = marked_exam(store)
    _, offline = default_judges(store)
    start(store, Connections(), TrialOptions(exam_id=exam_id, arms=(ArmChoice(judge_id=offline),), cap=2.5), lead)
    with store.write() as db:
        job = jobs.claim(db, "another worker")
        assert job is not None
        jobs.beat(db, job.id, "another worker", 1, 3, "Offline matcher")
    at = app(PAGE, lead)
    assert not at.exception
    assert "cap $2.50" in texts(at)
    assert {"Pause", "Cancel"} <= {*labels(at)}
    press(at, "Cancel")
    at.run()
    with store.read() as db:
        [trial] = trials.listed(db)
    assert trial.status == "cancelled"
    assert "Cancelled at 1 of 3 answers" in texts(at)


def test_the_demo_trial_runs_at_a_press_and_shows_its_report(app: OpenPage, store: Store, lead: Marker) -> None:
    _, offline = default_judges(store)
    with store.write() as db:
        demo.install_typed(db, offline)
    at = app(PAGE, lead)
    assert "two judges without a network, done in seconds" in texts(at)
    press(at, "Run the demo trial")
    until_done(at, store)
    said = texts(at)
    assert "158 responses, 158 of them marked twice" in said
    assert "Report" in [each.value for each in at.subheader]
    assert "Run the demo trial" not in labels(at)
