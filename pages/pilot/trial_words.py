"""Trials in words: what one would take, how far it is, and what to do where one cannot be. Plain text, no Markdown."""

from __future__ import annotations

from components.widgets.figures import NO_FIGURE, count
from components.workflow.estimate import Estimate
from components.workflow.purse import CAP_REACHED
from components.workflow.trial.planning import Plan, PlannedArm
from pages.pilot.run_words import PRICE_FILE, dollars, duration, figures_text, rounded
from storage import judges
from storage.trial_answers import ArmProgress
from storage.trial_marks import Counted
from storage.trials import Trial

NOTHING_MARKED = (
    "No response of these questions has a mark that a teacher gave without the AI's in sight, so there is nothing to "
    "compare with. Import a table with the marks of one teacher, or better two, or mark some responses blind first."
)
ONCE = (
    "All of it was marked by one person alone. The trial will say how each judge agrees with that person, but not how "
    "two people agree with each other: without that band nobody can say whether a judge is as good as a second teacher."
)
NO_MODEL = (
    "No language model is connected. The offline matcher and imported marks can be tried without one; connect a model "
    "on the Judges page to try it too."
)
NOTHING_WITHHELD = (
    "No question has marking criteria, so that with and without them is the same. Write them in the exam's set-up, or "
    "load them with the benchmark."
)
RULES = "Choice and numeric questions are marked by rule here, whatever the judge: a trial has them only where named."
STATES = {"queued": "waiting", "running": "under way", "done": "done", "failed": "stopped", "cancelled": "cancelled"}


def marked(found: Counted) -> str:
    """312 responses, 290 of them marked twice."""
    if not found.double_marked:
        return f"{count(found.responses, 'response')}, marked once."
    return f"{count(found.responses, 'response')}, {found.double_marked:,} of them marked twice."


def state(trial: Trial) -> str:
    """How a trial stands, in a word or two."""
    return "paused" if trial.paused and trial.active else STATES[trial.status]


def progress(trial: Trial) -> str:
    """1,200 of 4,800 answers."""
    return f"{trial.done:,} of {trial.total:,} answers" if trial.total else "nothing yet"


def cap(trial: Trial) -> str:
    return "no cap" if trial.cap is None else f"cap ${trial.cap:,.2f}"


def stopped_at_cap(trial: Trial) -> bool:
    """Whether it has ended because the next answer might have cost more than its cap."""
    return trial.cap is not None and trial.status == "failed" and CAP_REACHED in trial.message


def whose(trial: Trial) -> str:
    """Whose marks the trial compares with."""
    if not trial.marked:
        return "nobody yet"
    first, second = trial.settings.get("first_marker", ""), trial.settings.get("second_marker", "")
    if trial.settings.get("whose") == "first two":
        return "per response the first two people who marked it"
    return f"{first} and {second}" if second else f"{first} alone"


def planned_row(arm: PlannedArm, responses: int) -> dict[str, object]:
    """An arm that is planned, as a row of a table."""
    return {
        "Arm": arm.name,
        "There already": arm.known,
        "To ask": _to_ask(arm, responses),
        "Price": (arm.problem and NO_FIGURE) or price(arm.price),
        "Time": (arm.problem and NO_FIGURE) or time(arm.seconds),
    }


def _to_ask(arm: PlannedArm, responses: int) -> int:
    if arm.problem or arm.kind == judges.IMPORTED:
        return 0
    return arm.sent if arm.kind == judges.LLM else responses - arm.known


def price(amount: float | None) -> str:
    if amount is None:
        return "not known"
    return "free" if amount == 0 else f"about {dollars(float(f'{amount:.2g}'))}"


def time(seconds: float | None) -> str:
    if seconds is None:
        return "not known"
    return "at once" if seconds < 1 else f"about {duration(seconds)}"


def totals(made: Plan) -> str:
    """What all arms together would take."""
    sent = sum(arm.sent for arm in made.arms)
    if not sent:
        return f"Nothing would be sent to a model, so it costs nothing. Time: {time(made.seconds)}."
    tokens_in, tokens_out = (sum(getattr(arm, name) for arm in made.arms) for name in ("tokens_in", "tokens_out"))
    said = (
        f"{sent:,} answers would be sent: about {rounded(tokens_in)} tokens sent and {rounded(tokens_out)} received. "
        f"Price: {price(made.price)}. Time: {time(made.seconds)}."
    )
    unknown = sorted({arm.model for arm in made.arms if arm.price is None})
    if unknown:
        said += f" {PRICE_FILE} does not have {' or '.join(unknown)}, so no price is known and no cap can be kept."
    if made.seconds is None:
        said += " A model that has never been asked here has no time yet."
    return f"{said} These are estimates: a model that reasons at length takes more."


def unseen(made: Plan) -> list[str]:
    """What a model that takes no pictures will not see, a sentence or two for each model."""
    said = []
    for arm in made.arms:
        if arm.unsendable:
            which = "1 response is a picture" if arm.unsendable == 1 else f"{arm.unsendable:,} responses are pictures"
            said.append(f"{which}, and {arm.model} cannot read pictures: it will give no mark on them.")
        blind = Estimate(arm.sent, 0, llm=True, model=arm.model, unseen_figures=arm.unseen_figures)
        said.append(figures_text(blind))
    return [each for each in dict.fromkeys(said) if each]


def spent(by_arm: dict[int, tuple[float, int]]) -> str:
    """What the trial itself has spent; what it took over was paid for where it came from."""
    unknown = sum(each for _, each in by_arm.values())
    said = f"Spent by this trial so far: {dollars(sum(known for known, _ in by_arm.values()))}"
    return f"{said}, and {count(unknown, 'answer')} whose price is not known." if unknown else f"{said}."


def arm_row(name: str, found: ArmProgress, responses: int) -> dict[str, object]:
    """An arm under way, as a row of a table."""
    return {
        "Arm": name,
        "Answered": 100 * found.answered // responses if responses else 0,
        "Marks": found.proposed,
        "Left to the teacher": found.abstained,
        "Failed": found.failed,
        "With the model": found.out,
        "Not yet": responses - found.answered - found.failed,
    }
