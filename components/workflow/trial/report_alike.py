"""The report's sections on judges otherwise alike: criteria, examples, the same judge twice; and on all settings."""

from __future__ import annotations

from components.agreement import Statistic, kappa_text
from components.workflow.agreement.tables import Value
from components.workflow.trial.data import ArmMarks
from components.workflow.trial.report_bias_cost import money
from components.workflow.trial.report_figures import TrialFigures
from components.workflow.trial.report_sections import QWK_REACH, rests_on, unlike
from components.workflow.trial.report_shapes import (
    NONE,
    Curves,
    DotRow,
    Dots,
    Section,
    apart_text,
    likely,
    likely_apart,
    likely_percent,
    qwk,
    qwk_likely,
    shown,
)

LEFT_TO_THE_MODEL = "the model's own"


def criteria_section(found: TrialFigures) -> Section | None:
    """With and without marking criteria; None where no two arms differ in that alone."""
    if not found.criteria:
        return None
    rows: list[tuple[Value, ...]] = []
    dots, said = [], []
    for pair in found.criteria:
        name = found.name(pair.with_criteria)
        rows.append(
            (
                name,
                pair.human,
                qwk(pair.told),
                likely(pair.told.interval),
                qwk(pair.untold),
                likely(pair.untold.interval),
                apart_text(pair.difference.value),
                likely_apart(pair.difference.interval),
                pair.n,
                str(pair.coverage),
            )
        )
        dots.append(DotRow(name, f"against {pair.human}", pair.n, pair.difference))
        said.append(f"{name} against {pair.human}: {_criteria_said(pair.difference)}")
    columns = unlike(
        ("Judge", "Against", "QWK with criteria", "Likely", "Without", "Likely", "Difference", "Likely", "Responses",
         "Rests on")
    )  # fmt: skip
    reach = max(
        [0.1, *(abs(e) for d in dots if d.found.interval for e in (d.found.interval.low, d.found.interval.high))]
    )
    chart = Dots("QWK with criteria less QWK without", "Judge", tuple(dots), (-reach, reach), line=0.0, signed=True)
    return Section(
        "criteria",
        "With and without criteria",
        tuple(said),
        chart,
        (shown("With and without criteria", columns, rows),),
    )


def _criteria_said(difference: Statistic) -> str:
    if difference.value is None:
        return f"no figure yet ({difference.note})."
    side = "raise" if difference.value > 0 else "lower"
    size = f"the marking criteria {side} QWK by {kappa_text(abs(difference.value))}"
    if difference.interval is None:
        return f"{size} ({difference.note})."
    ends = likely_apart(difference.interval)
    chance = difference.interval.low <= 0 <= difference.interval.high
    return f"{size} (likely {ends}){', which may be chance' if chance else ''}."


def shots_section(found: TrialFigures) -> Section | None:
    """QWK over the number of examples shown; None where no arms differ in that alone."""
    if not found.shots:
        return None
    rows: list[tuple[Value, ...]] = []
    lines, said = [], []
    for curve in found.shots:
        points = []
        for shots, arm in curve.points:
            figures = curve.on.of(arm)
            if figures is None:
                continue
            points.append((shots, figures.r_a))
            rows.append(
                (
                    curve.name,
                    shots,
                    qwk(figures.r_a),
                    likely(figures.r_a.interval),
                    apart_text(figures.delta.value),
                    likely_apart(figures.delta.interval),
                    curve.on.n,
                )
            )
        lines.append((curve.name, tuple(points)))
        told = ", ".join(f"{qwk_likely(r_a)} with {shots or 'none'}" for shots, r_a in points)
        qwks = f"QWK {told}" if told else "no figure yet"
        if told and curve.on.r_h.value is not None:
            qwks += f" (the humans with each other {qwk_likely(curve.on.r_h)})"
        said.append(f"{curve.name}, by how many marked examples it is shown: {qwks}. {rests_on(found, curve.on)}")
    columns = unlike(("Judge", "Examples", "R_A", "Likely", "Δ", "Likely", "Responses"))
    # The humans' band on the very responses of the curves; curves on different responses have no band in common.
    bands = {curve.on.r_h for curve in found.shots if curve.on.r_h.value is not None}
    band = bands.pop() if len(bands) == 1 else None
    chart = Curves("QWK by the number of marked examples shown", tuple(lines), band)
    note = "Ranges that overlap may hide a real difference or show none: the same responses are marked at every point."
    return Section("shots", "Examples shown", tuple(said), chart, (shown("Examples shown", columns, rows),), note)


def repeats_section(found: TrialFigures) -> Section | None:
    """The same judge twice; None where none was asked twice."""
    if not found.repeats:
        return None
    rows: list[tuple[Value, ...]] = []
    dots, said = [], []
    for each in found.repeats:
        name = f"{found.name(each.first)} and {found.name(each.second)}"
        exact = "—" if each.exact.value is None else f"{100 * each.exact.value:.0f}%"
        ends = likely_percent(each.exact.interval)
        rows.append((name, exact, ends, qwk(each.qwk), likely(each.qwk.interval), each.exact.n, str(each.coverage)))
        dots.append(DotRow(found.name(each.second), "with itself", each.exact.n, each.qwk))
        said.append(
            f"{name} have no response in common yet."
            if each.exact.value is None
            else f"Asked twice, {found.name(each.first)} gives exactly the same mark on {each.exact.count:,} of "
            f"{each.exact.n:,} ({exact}, likely {ends}); {_with_itself(each.qwk)}."
        )
    columns = unlike(("Judge", "Exactly the same", "Likely", "QWK with itself", "Likely", "Responses", "Rests on"))
    chart = Dots("QWK of the same judge asked twice", "Judge", tuple(dots), QWK_REACH)
    note = "A judge that does not agree with itself cannot agree with others: this is the most that R_A can come to."
    return Section("repeats", "The same judge twice", tuple(said), chart, (shown("Twice", columns, rows),), note)


def _with_itself(found: Statistic) -> str:
    if found.value is None:
        return f"no QWK with itself yet ({found.note})"
    return f"QWK with itself {qwk_likely(found)}"


def arms_section(found: TrialFigures) -> Section:
    """How each arm was asked, and what that took."""
    arms = found.data.arms
    settings: list[tuple[Value, ...]] = [
        (
            each.arm.name,
            each.arm.model or NONE,
            ", ".join(each.models) or NONE,
            ", ".join(each.prompts) or NONE,
            *asked(each),
        )
        for each in arms
    ]
    said = f"{len(arms):,} ways of asking were tried." if len(arms) != 1 else "One way of asking was tried."
    columns = ("Judge", "Model", "As reported", "Prompt", "Protocol", "Temperature", "Effort", "Samples")
    tables = (shown("Settings", columns, settings), shown("What each took", TOOK, [_took(each) for each in arms]))
    return Section("arms", "Settings", (said,), tables=tables)


TOOK = (
    "Judge", "Examples", "Criteria", "Repeat", "Sent", "Tokens in", "Tokens out", "Seconds a response", "Price",
)  # fmt: skip


def _took(each: ArmMarks) -> tuple[Value, ...]:
    arm = each.arm
    return (
        arm.name,
        f"{arm.shots}{'' if not arm.shots else ' with grading' if arm.grading else ' without grading'}",
        "yes" if arm.criteria else "no",
        arm.repeat,
        each.sent,
        each.tokens_in,
        each.tokens_out,
        f"{each.seconds / each.sent:.1f}" if each.sent else NONE,
        NONE if not each.sent else "not known" if each.price is None else money(each.price),
    )


def asked(each: ArmMarks) -> tuple[str, str, str, str]:
    """Protocol, temperature, effort and samples in words; dashes for what no model marks."""
    if each.arm.kind != "llm":
        return (NONE, NONE, NONE, NONE)
    settings = each.arm.settings
    protocol = str(settings.get("protocol") or "full")
    temperature = 0.0 if protocol == "gaokao" else settings.get("temperature")
    effort = "least" if protocol == "medly" else settings.get("reasoning_effort")
    return (
        protocol,
        LEFT_TO_THE_MODEL if temperature is None else f"{temperature:g}",
        str(effort or LEFT_TO_THE_MODEL),
        str(settings.get("samples") or 1),
    )
