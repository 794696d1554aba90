"""The outcome of a sitting on the screen: whose marks its written answers have, and what they come to."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from components.marking import Role
from storage import Store
from tests.support import add_exam, add_marker
from tests.unit.test_benchmark_marked_written import a_sitting, decide, physics, propose

PAGE = "pages/pilot/benchmarks.py"


def text(at: AppTest) -> str:
    return "\n".join(str(each.value) for each in [*at.markdown, *at.caption, *at.info]).replace("\\", "")


def test_the_written_answers_stand_in_a_sittings_outcome_once_they_are_marked(
    app: Callable[..., AppTest], store: Store
) -> None:
    add_exam(store, [["x"]])  # or the app installs the demo exam
    lead = add_marker(store, "Dr Li", Role.PILOT)
    sitting_id = a_sitting(store)
    opened = f"sitting_outcome_{sitting_id}"

    def outcome() -> AppTest:
        at = app(PAGE, lead)
        at.session_state[opened] = True
        at.run()
        assert not at.exception
        return at

    assert "They are in no exam yet" in text(outcome())
    _, (first, second, third) = physics(store, sitting_id)
    decide(store, {first: 3, second: 5})
    decide(store, {first: 4, second: 6}, "Mr Ito")
    propose(store, {first: 2, second: 6, third: 3})
    at = outcome()
    assert "2 of 4 written answers marked by teachers (final marks)" in text(at)
    assert "Against the mean of the two teachers" not in text(at)
    at.selectbox(key=f"sitting_marked_by_{sitting_id}").select("judge-x").run()
    assert not at.exception
    assert "3 of 4 written answers marked by judge-x" in text(at)
    assert "Against the mean of the two teachers" in text(at)
    assert any("Total, ours" in table.value.columns for table in at.dataframe)
    assert any("Spearman" in table.value.columns for table in at.dataframe)
