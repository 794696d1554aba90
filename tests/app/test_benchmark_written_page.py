"""The outcome of a sitting on the screen: whose marks its written answers have, and what they come to."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from components.marking import Role
from storage import Store, trials
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


def test_judges_are_let_loose_on_the_written_answers_of_a_sitting(app: Callable[..., AppTest], store: Store) -> None:
    add_exam(store, [["x"]])  # or the app installs the demo exam
    lead = add_marker(store, "Dr Li", Role.PILOT)
    sitting_id = a_sitting(store)
    at = app(PAGE, lead)
    at.run()
    assert "Let judges mark what it wrote" not in [each.label for each in at.expander]
    physics(store, sitting_id)
    at.session_state[f"mark_written_{sitting_id}"] = True
    at.run()
    assert "A trial for each of the 2 exams that hold the written answers" in text(at)
    at.multiselect(key=f"marking_{sitting_id}_judges").select(2).run()
    assert not at.exception
    (table,) = [each.value for each in at.dataframe if "To ask" in each.value.columns]
    # The worker may have asked the offline judge about some of them already, for the desk.
    assert (table["There already"] + table["To ask"]).tolist() == [3, 1]
    at.button(key=f"marking_go_{sitting_id}").click().run()
    assert not at.exception
    assert "2 trials of 4 written answers begun" in text(at)
    with store.read() as db:
        begun = trials.listed(db)
    assert [(each.responses, each.double_marked, each.settings["unmarked"]) for each in begun] == [
        (1, 0, True),
        (3, 0, True),
    ]
