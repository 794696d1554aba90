"""Runs in words: what one costs, how fast it goes, and what one would take. Plain text, no Markdown."""

from __future__ import annotations

from datetime import datetime

from components.widgets.figures import NO_FIGURE, count
from components.workflow.estimate import Estimate
from components.workflow.purse import CAP_REACHED
from storage import judges
from storage.runs import Run, Took

PRICE_FILE = "assets/prices.toml"
MOST_NAMED = 5
IMPORTED_TEXT = (
    "This judge's marks were imported, so it is never asked and costs nothing. A run marks choice and numeric "
    "questions by rule, and can put its marks on the desk."
)


def dollars(amount: float) -> str:
    """$12.34, $0.0123, or less than $0.0001."""
    if 0 < amount < 0.0001:
        return "less than $0.0001"
    return f"${amount:,.2f}" if amount == 0 or amount >= 1 else f"${amount:.4f}"


def duration(seconds: float) -> str:
    """45 s, 3 min 20 s, 2 h 5 min; 0.4 s below ten."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def duration_short(seconds: float) -> str:
    """4.9 s, 45 s, 2.1 min, 33 min, 2.1 h: for a tile."""
    if seconds < 59.5:
        return duration(seconds)
    amount, unit = (seconds / 60, "min") if seconds < 3570 else (seconds / 3600, "h")
    return f"{amount:.1f} {unit}" if amount < 10 else f"{amount:,.0f} {unit}"


def pace(run: Run, moment: datetime) -> str:
    """120 of 600 · Question 3 · 45 a minute · about 10 min 40 s left."""
    if run.paused:
        return f"Paused at {run.done:,} of {run.total:,}" if run.total else "Paused before its first response"
    if not run.total:
        return "Waiting for its turn" if run.status == "queued" else "Beginning"
    parts = [f"{run.done:,} of {run.total:,}"]
    if run.message and not (run.model and run.message.startswith(run.model)):  # the judge is named above already
        parts.append(run.message)
    if run.status == "queued":
        return " · ".join([*parts, "waiting for its turn"])
    rate, left = run.per_minute(moment), run.seconds_left(moment)
    if rate is not None and left is not None:
        parts += [f"{rate:,.0f} a minute" if rate >= 1 else "under one a minute", f"about {duration(left)} left"]
    return " · ".join(parts)


def options(run: Run) -> str:
    """3 of 8 questions · 3 examples with grading · cap $5.00."""
    parts = ["all questions" if run.chosen is None else f"{run.chosen} of {count(run.questions, 'question')}"]
    if run.shots:
        parts.append(f"{count(run.shots, 'example')}{' with grading' if run.grading else ''}")
    if run.cap is not None:
        parts.append(f"cap ${run.cap:,.2f}")
    return " · ".join(parts)


def stopped_at_cap(run: Run) -> bool:
    """Whether it has ended because the next response might have cost more than its cap."""
    return run.cap is not None and run.status == "failed" and run.message.startswith(CAP_REACHED)


def cost(took: Took) -> str:
    """The price so far, for a tile."""
    if not took.asked:
        return dollars(0)
    if took.unpriced and not took.priced:
        return "not known"
    return dollars(took.price) + (" +" if took.unpriced else "")


def cost_per_thousand(took: Took) -> str:
    """The price of 1,000 responses, for a tile."""
    return NO_FIGURE if took.per_thousand is None else dollars(took.per_thousand)


def time_per_thousand(took: Took) -> str:
    """The judge's time for 1,000 responses, for a tile."""
    return duration_short(took.seconds_per_thousand) if took.seconds_per_thousand else NO_FIGURE


def effort(took: Took) -> str:
    """225,000 tokens sent and 16,310 received. Per 1,000 is for responses. …"""
    if not took.seconds:
        return ""
    time = "Per 1,000 is for responses; the judge's time is added up over all proposals."
    if not took.asked:
        return time
    return f"{count(took.tokens_in, 'token')} sent and {took.tokens_out:,} received. {time}"


def cost_note(run: Run) -> str:
    """Why a run costs nothing, or why its price is not wholly known; nothing where the figure speaks for itself."""
    if run.judge_kind == judges.IMPORTED:
        return "Costs nothing: this judge's marks were imported, and it is never asked."
    if run.judge_kind != judges.LLM:
        return "Costs nothing: no language model is asked."
    if not run.took.asked:
        return "Nothing has been sent to the model, so nothing has been spent."
    return unknown_note(run.took)


def unknown_note(took: Took) -> str:
    """Why a price is not wholly known, or nothing where it is."""
    if not took.unpriced:
        return ""
    said = f"The price of {count(took.unpriced, 'proposal')} is not known"
    if took.unknown_models:
        said += (
            f": {PRICE_FILE} does not have {' or '.join(took.unknown_models)}. Prices added there count from then on"
        )
    else:
        said += ": the server reported no tokens for them"
    return f"{said}."


def estimate_text(ahead: Estimate) -> str:
    """What letting the judge propose would take."""
    rule = (
        f" {count(ahead.by_rule, 'response')} to choice and numeric questions need no judge." if ahead.by_rule else ""
    )
    if not ahead.unseen:
        return f"This judge has proposed on every response it could be asked about, so nothing would be asked.{rule}"
    said = f"This judge has not proposed on {count(ahead.unseen, 'response')} yet."
    if not ahead.llm:
        return f"{said} It asks no language model, so it costs nothing.{rule}"
    blank = ahead.unseen - ahead.on_trial - ahead.sent
    if not ahead.sent and not ahead.on_trial:
        return f"{said} All are blank, so nothing would be sent and it costs nothing.{rule}"
    if ahead.on_trial:
        said += f" Of {ahead.on_trial:,} it has said on trial what it gives; that is taken over and not paid for again."
    if not ahead.sent:
        return f"{said} Nothing would be sent and it costs nothing.{rule}"
    if blank:
        said += f" {blank:,} of them {'is' if blank == 1 else 'are'} blank and would not be sent."
    tokens = f"about {rounded(ahead.tokens_in)} tokens sent and {rounded(ahead.tokens_out)} received"
    if ahead.price is None:
        price = f". The price is not known: {PRICE_FILE} does not have {ahead.model}."
    else:
        price = f", about {dollars(float(f'{ahead.price:.2g}'))} at the prices in {PRICE_FILE}."
    return (
        f"{said} Estimate: {tokens}{price} It is only an estimate: a model that reasons at length, and replies that "
        f"must be asked for again, take more.{rule}"
    )


def examples_text(available: dict[str, int], shots: int) -> str:
    """Which questions have fewer marked responses to show than asked for; nothing where all have enough."""
    few = [f"question {number} has {found or 'none'}" for number, found in available.items() if found < shots]
    if not few:
        return ""
    shown = few[:MOST_NAMED] + (
        [f"{count(len(few) - MOST_NAMED, 'more question')} likewise"] if few[MOST_NAMED:] else []
    )
    return f"Fewer than {count(shots, 'marked response')} to show as examples: {', '.join(shown)}."


def pictures_text(ahead: Estimate, skipped: bool) -> str:
    """What becomes of the responses that are pictures; nothing where there are none."""
    if ahead.unsendable and not skipped:
        which = "1 of these responses is a picture" if ahead.unsendable == 1 else f"{ahead.unsendable:,} are pictures"
        return (
            f"{which}, and {ahead.model} cannot read pictures. Choose another model, or leave the pictures out: a "
            "teacher can mark them, or correct a transcript from which they are then marked as words."
        )
    return f"{count(ahead.pictures, 'response')} will be sent as pictures." if ahead.pictures else ""


def figures_text(ahead: Estimate) -> str:
    """What becomes of the pictures of questions; nothing where no question asked about has one."""
    if ahead.unseen_figures:
        about = f"{count(ahead.unseen_figures, 'response')} {'answers' if ahead.unseen_figures == 1 else 'answer'}"
        return (
            f"{about} a question with a picture, and {ahead.model} cannot read pictures. It will mark without having "
            "seen it: each such proposal says so and is not sure. Choose another model to have the picture seen."
        )
    if not ahead.figures:
        return ""
    return f"With {count(ahead.figures, 'response')} the question's own picture will be sent."


def cap_text(ahead: Estimate, cap: float | None) -> str:
    """That the cap will not do, before it is found out; nothing where it will, or there is none."""
    if cap is None or not ahead.sent:
        return ""
    if ahead.price is None:
        return (
            f"A spending cap needs a price, and {PRICE_FILE} does not have {ahead.model}. Add it there, or start "
            "without a cap."
        )
    if ahead.price <= cap:
        return ""
    return (
        f"The estimate is above the cap of ${cap:,.2f}: the run would probably stop before its end. What it has "
        "made by then is kept, and it can go on with a higher cap."
    )


def rounded(tokens: int) -> str:
    """Two figures are all that an estimate has: 1,234 is 1,200."""
    return f"{int(float(f'{tokens:.2g}')):,}"
