"""A press on Start is neither lost nor seems to be.

A box is taken in as it is left, often by the very press on Start. What then comes or goes above the button moves it
between the pointer's going down and up, and the browser tells nobody of such a press.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.testing.v1 import AppTest

from components.intake.benchmarks import load_folder
from components.judge.llm import Endpoint
from components.marking import Marker, Role
from components.workflow.benchmarks.sets import store_set
from components.workflow.connections import Connections
from storage import Store, exams, runs
from tests.reviewing import give
from tests.support import add_exam, add_marker

OpenPage = Callable[..., AppTest]
DEAR = '[models]\n"dear" = { input = 100000, output = 400000 }\n'


@pytest.fixture
def lead(store: Store) -> Marker:
    return add_marker(store, "Dr Li", Role.PILOT)


def connected(store: Store, name: str) -> int:
    """A language model that the app connects by itself, as it needs no key."""
    return Connections().connect(store, Endpoint("http://127.0.0.1:9/v1", name), "")


def exam_with(store: Store, judge_id: int) -> None:
    exam_id, [[first, _]] = add_exam(store, [["it is denatured", "no idea"]])
    give(store, first, add_marker(store, "Ms Khan"), 1)
    with store.write() as db:
        exams.set_judge(db, exam_id, judge_id, None)


def above(at: AppTest, key: str) -> list[str]:
    """What is drawn above the button, from the top: of words the words, of anything else its kind."""
    drawn = list(at.main)
    place = next(index for index, each in enumerate(drawn) if getattr(each, "key", None) == key)
    told = ("markdown", "caption", "info", "warning", "error")
    return [str(each.value) if each.type in told else each.type for each in drawn[:place]]  # type: ignore[attr-defined]


def said(at: AppTest) -> str:
    return "\n".join(each.value for each in [*at.warning, *at.error]).replace("\\", "")


def test_a_cap_below_the_estimate_leaves_start_where_it_is(
    app: OpenPage, store: Store, lead: Marker, price_file: Path
) -> None:
    price_file.write_text(DEAR)
    exam_with(store, connected(store, "dear"))
    at = app("pages/pilot/runs.py", lead)
    before = above(at, "run_go")
    at.number_input(key="run_cap").set_value(0.01).run()
    assert "The estimate is above the cap of $0.01: the run" in said(at)
    assert above(at, "run_go") == before


def test_a_refused_run_leaves_start_where_it_is_and_so_does_taking_its_cap_away(
    app: OpenPage, store: Store, lead: Marker, price_file: Path
) -> None:
    exam_with(store, connected(store, "mystery-7b"))
    at = app("pages/pilot/runs.py", lead)
    before = above(at, "run_go")
    at.number_input(key="run_cap").set_value(5.0).run()
    at.button(key="run_go").click().run()
    assert "The price of mystery-7b is not known, so no spending cap can be kept" in said(at)
    assert above(at, "run_go") == before
    at.number_input(key="run_cap").set_value(None).run()
    assert "spending cap" not in said(at)
    assert above(at, "run_go") == before


def test_a_trials_cap_leaves_its_start_where_it_is(app: OpenPage, store: Store, lead: Marker, price_file: Path) -> None:
    price_file.write_text(DEAR)
    judge_id = connected(store, "dear")
    exam_with(store, judge_id)
    at = app("pages/pilot/trial.py", lead)
    at.multiselect(key="trial_judges").set_value([judge_id]).run()
    before = above(at, "trial_go")
    at.number_input(key="trial_cap").set_value(0.01).run()
    assert "The estimate is above the cap of $0.01: the trial" in said(at)
    assert above(at, "trial_go") == before


def test_a_sittings_cap_leaves_its_start_where_it_is(
    app: OpenPage, store: Store, lead: Marker, price_file: Path, tmp_path: Path
) -> None:
    price_file.write_text(DEAR)
    folder = tmp_path / "E-EVAL"
    (folder / "val").mkdir(parents=True)
    rows = ["id,question,A,B,C,D,answer", *(f"{i},问题{i},甲,乙,丙,丁,A" for i in range(2))]
    (folder / "val" / "High_School_Biology_val.csv").write_text("\n".join(rows), encoding="utf-8")
    (loaded,) = [part for part in load_folder(folder) if part.items]
    store_set(store, loaded)
    judge_id = connected(store, "dear")
    exam_with(store, judge_id)
    at = app("pages/pilot/benchmarks.py", lead)
    at.session_state["sit_a_benchmark"] = True
    at.run()
    at.selectbox(key="sit_judge").select(judge_id).run()
    before = above(at, "sit_go")
    at.number_input(key="sit_cap").set_value(0.01).run()
    assert "The estimate is above the cap of $0.01: the sitting" in said(at)
    assert above(at, "sit_go") == before


def test_a_cap_that_comes_with_the_press_is_kept(app: OpenPage, store: Store, lead: Marker, price_file: Path) -> None:
    price_file.write_text(DEAR)
    exam_with(store, connected(store, "dear"))
    at = app("pages/pilot/runs.py", lead)
    at.number_input(key="run_cap").set_value(0.25)  # in one message with the press: the page was busy meanwhile
    at.button(key="run_go").click().run()
    assert not at.exception
    with store.read() as db:
        (run,) = runs.listed(db, datetime.now(UTC))
    assert run.cap == 0.25


def test_a_beat_sent_before_the_panel_has_closed_does_not_open_it_again(
    app: OpenPage, store: Store, lead: Marker
) -> None:
    exam_with(store, connected(store, "mystery-7b"))
    at = app("pages/pilot/runs.py", lead)
    at.button(key="run_go").click().run()  # only a page with a run on it beats
    at.session_state["start_a_run"] = True
    at.run()
    panel = next(each for each in at.expander if each.label == "Start a run")
    beat = WidgetStates(widgets=[WidgetState(id=panel.proto.id, bool_value=True)])
    at.button(key="run_go").click().run()
    assert "Start" not in [each.label for each in at.button]
    at._run(beat)
    assert not at.exception
    assert "Start" not in [each.label for each in at.button]
