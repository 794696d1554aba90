"""What is said of a trial at the command line."""

from __future__ import annotations

from components.agreement import count_of
from components.workflow.agreement.tables import Table
from components.workflow.benchmarks.wording import in_words
from components.workflow.trial.planning import Plan, PlannedArm
from storage import judges


def plan_table(before: Plan) -> Table:
    """What each arm would take."""
    rows = tuple(
        (arm.name, arm.known, _to_ask(arm, before.responses), _price(arm.price), _time(arm.seconds))
        for arm in before.arms
    )
    return Table("what it would take", ("Arm", "There already", "To ask", "Price", "Time"), rows)


def plan_words(before: Plan) -> str:
    """What a trial rests on and would take in all, and what stands in its way."""
    marked = before.marked
    said = [f"{count_of(before.responses, 'response')}, {marked.double_marked:,} of them marked twice."]
    if before.responses > marked.responses:
        said.append(f"{before.responses - marked.responses:,} have no human mark, and are compared with nobody.")
    elif not marked.double_marked:
        said.append("Without a second human mark nobody can say whether a judge is as good as a second teacher.")
    said.append(f"In all {_price(before.price)}, {_time(before.seconds)}.")
    if before.nothing_withheld:
        said.append("No question has marking criteria, so that with and without them is the same.")
    return " ".join([*said, *before.problems])


def _to_ask(arm: PlannedArm, responses: int) -> int:
    if arm.problem or arm.kind == judges.IMPORTED:
        return 0
    return arm.sent if arm.kind == judges.LLM else responses - arm.known


def _price(price: float | None) -> str:
    return "price not known" if price is None else f"${price:,.2f}"


def _time(seconds: float | None) -> str:
    return "time not known" if seconds is None else in_words(seconds)
