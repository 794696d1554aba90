"""Runs in words: what one costs, how fast it goes, and what one would take. Plain text, no Markdown."""

from __future__ import annotations

from datetime import datetime

from components.widgets.figures import NO_FIGURE, count
from components.workflow.estimate import Estimate
from storage import judges
from storage.runs import Run, Took

PRICE_FILE = "assets/prices.toml"


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


def pace(run: Run, moment: datetime) -> str:
    """120 of 600 · Question 3 · 45 a minute · about 10 min 40 s left."""
    if not run.total:
        return "Waiting for its turn" if run.status == "queued" else "Beginning"
    parts = [f"{run.done:,} of {run.total:,}"] + ([run.message] if run.message else [])
    if run.status == "queued":
        return " · ".join([*parts, "waiting for its turn"])
    rate, left = run.per_minute(moment), run.seconds_left(moment)
    if rate is not None and left is not None:
        parts += [f"{rate:,.0f} a minute" if rate >= 1 else "under one a minute", f"about {duration(left)} left"]
    return " · ".join(parts)


def cost(run: Run) -> str:
    """The run's price so far, for a tile."""
    took = run.took
    if not took.asked:
        return dollars(0)
    if took.unpriced and not took.priced:
        return "not known"
    return dollars(took.price) + (" +" if took.unpriced else "")


def cost_per_thousand(took: Took) -> str:
    """The price of 1,000 responses, for a tile."""
    return NO_FIGURE if took.per_thousand is None else dollars(took.per_thousand)


def effort(took: Took) -> str:
    """225,000 tokens sent and 16,310 received in 1 min 8 s of the judge's time."""
    if not took.seconds:
        return ""
    time = f"{duration(took.seconds)} of the judge's time, added up over all proposals."
    if not took.asked:
        return time
    return f"{count(took.tokens_in, 'token')} sent and {took.tokens_out:,} received in {time}"


def cost_note(run: Run) -> str:
    """Why a run costs nothing, or why its price is not wholly known; nothing where the figure speaks for itself."""
    took = run.took
    if run.judge_kind == judges.IMPORTED:
        return "Costs nothing: this judge's marks were imported, and it is never asked."
    if run.judge_kind != judges.LLM:
        return "Costs nothing: no language model is asked."
    if not took.asked:
        return "Nothing has been sent to the model, so nothing has been spent."
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
    if not ahead.sent:
        return f"{said} All are blank, so nothing would be sent and it costs nothing.{rule}"
    blank = ahead.unseen - ahead.sent
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


def rounded(tokens: int) -> str:
    """Two figures are all that an estimate has: 1,234 is 1,200."""
    return f"{int(float(f'{tokens:.2g}')):,}"
