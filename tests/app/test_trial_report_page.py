"""A trial's report on its page: the verdict first, then one section at a time, each with its chart and table."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from components.marking import Role
from components.workflow import demo
from components.workflow.connections import Connections, default_judges
from components.workflow.trial.arms import ArmChoice
from components.workflow.trial.load import load
from components.workflow.trial.planning import TrialOptions
from components.workflow.trial.report import trial_report
from components.workflow.trial.starting import start
from storage import Store, jobs, trials
from tests.app.waiting import until_done
from tests.reviewing import give
from tests.support import add_exam, add_marker

PAGE = "pages/pilot/trial.py"
OpenPage = Callable[..., AppTest]


def texts(at: AppTest) -> str:
    drawn = [*at.markdown, *at.caption, *at.info, *at.warning, *at.error]
    return "\n".join(each.value for each in drawn).replace("\\", "")


def show(at: AppTest, section: str) -> str:
    at.session_state["trial_report_section"] = section
    at.run()
    assert not at.exception
    return texts(at)


def test_the_demo_trials_report_shows_each_section_with_its_sentence_chart_and_table(
    app: OpenPage, store: Store
) -> None:
    lead = add_marker(store, "Dr Li", Role.PILOT)
    _, offline = default_judges(store)
    with store.write() as db:
        demo.install_typed(db, offline)
    at = app(PAGE, lead)
    next(button for button in at.button if button.label == "Run the demo trial").click().run()
    until_done(at, store)
    with store.read() as db:
        [trial] = trials.listed(db)
    report = trial_report(load(store, trial.id))
    assert report.verdict.sentence in texts(at)
    assert {"Report (HTML)", "All tables (CSV)"} <= {each.label for each in at.get("download_button")}
    for section in report.sections:
        said = show(at, section.key)
        assert section.said[-1 if section.key == "verdict" else 0] in said
        drawn = at.get("plotly_chart")
        assert len(drawn) == (1 if section.drawn is not None else 0), section.key
        alone = [each for each in at.get("download_button") if each.key.startswith("trial_csv_")]
        listed = [each for each in section.tables if each.name != "The other judges in a sentence"]
        assert len(alone) == len(listed), section.key
    show(at, "verdict")
    other = report.verdict.arms[1]
    next(each for each in at.selectbox if each.label == "Judge").set_value(other.name).run()
    assert all(part.why in texts(at) for part in other.parts)
    assert "cluster bootstrap" in show(at, "methods")
    assert report.html() == trial_report(load(store, trial.id)).html()


def test_before_any_answer_the_report_says_that_it_fills_as_the_trial_goes_on(app: OpenPage, store: Store) -> None:
    lead = add_marker(store, "Dr Li", Role.PILOT)
    exam_id, [ids] = add_exam(store, [["the enzyme is denatured", "no idea"]], title="Mock 2026")
    person = add_marker(store, "Ms Khan")
    for response_id in ids:
        give(store, response_id, person, 1)
    _, offline = default_judges(store)
    start(store, Connections(), TrialOptions(exam_id=exam_id, arms=(ArmChoice(judge_id=offline),)), lead)
    with store.write() as db:
        assert jobs.claim(db, "another worker") is not None
    at = app(PAGE, lead)
    assert "No judge had answered when this report was made. Bring it up to date" in texts(at)
    assert "Bring up to date" in [button.label for button in at.button]
