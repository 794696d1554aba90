"""The rules by which a judge is fit as second marker for a part of an exam, each kept, broken, or not settled yet."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from components.agreement import Interval, Statistic, kappa_text
from components.agreement.question import FEWEST_FOR_PLAIN
from components.workflow.agreement.report_words import bounds_text
from components.workflow.trial.report_compare import ArmFigures, Comparison
from components.workflow.trial.report_shapes import apart_text, likely_apart, responses

LEAST_QWK = 0.70
MOST_BELOW_HUMANS = 0.10
MOST_BIAS = 0.15
MOST_OUTSIDE = 0.10
LEAST_COVERED = 0.90
LEAST_MEASURABLE = 0.50
COVERAGE, MEASURABLE = "Coverage", "Measurable"
NEITHER = "neither severe nor lenient"
NO_USE = 20.0  # so many times the responses there are is no advice


class Standing(StrEnum):
    """What a rule, or a part, comes to."""

    FIT = "fit"
    NOT_FIT = "not fit"
    OPEN = "cannot be said yet"


@dataclass(frozen=True)
class Rule:
    """One rule's outcome: `said` has its figures and what is asked for, `short` is for who knows no statistics. `times`
    is by how much the responses would have to grow to settle an open one, if the figures stay as they are; None where
    nobody can say."""

    name: str
    standing: Standing
    said: str
    short: str
    times: float | None = None


@dataclass(frozen=True)
class PartVerdict:
    """Whether one arm is fit for one part, and why. `more` is how many more responses an open one needs, `settles` the
    same in words or what else it needs, "" where the verdict stands. `alone`, where not "", says that the verdict is on
    all that the arm marked, which differs from that on what all judges marked."""

    part: str
    arm: int
    standing: Standing
    tolerance: str
    rules: tuple[Rule, ...]
    why: str
    more: int | None
    settles: str = ""
    alone: str = ""


def judge_part(part: Comparison, arm: int) -> PartVerdict:
    """The verdict on one arm for one part: fit where every rule is kept, not fit where one is broken.

    The rules for automated essay marking of Williamson, Xi and Breyer (Educational Measurement: Issues and Practice
    31(1), 2012), who accept on estimates from thousands of responses. A trial may have fifty, so here the first two
    rules, and that on tolerance, must hold at the lower end of the 95% interval, and are broken only where its upper
    end falls short as well; what lies between is open.

    1. QWK with the humans of at least .70: about half of the variance in marks is then shared.
    2. No more than .10 below the humans' QWK with each other: a high QWK on an easy part may still be worse than a
       second human, and that is the comparison a second marker must stand.
    3. Standardised bias of at most .15 either way. It is kept where the estimate is that small: QWK pays for
       bias already, and the rule is there for a tendency that runs through the marks. It is broken where the whole
       interval lies outside.
    4. Within the questions' tolerances no more than 10 percentage points less often than the humans with each other.
       This one is ours: a second marker's work is to find differences that someone must settle, and one that makes
       more of them than a human costs the time it was to save.

    What is compared must be worth 90% of the part's marks: a judge that abstains from the essays has shown nothing
    about them. Nor do questions on which all marks are the same show whether it can tell answers apart: those with a
    QWK must be worth half of the marks. Under 30 responses nothing is said. Marked by one human alone, rules 1 and 3
    can be broken but the part cannot be fit: how close is close enough is what the second human tells.

    Another judge may have left out just the responses on which this one goes wrong. So where those that all marked are
    much fewer than those that this arm marked, the latter decide whether it is fit.
    """
    found = _judged(part, arm)
    own = part.alone.get(arm)
    but_for_coverage = all(rule.standing is Standing.FIT or rule.name == COVERAGE for rule in found.rules)
    if own is None or not but_for_coverage:
        return found
    alone = _judged(own, arm)
    if not alone.rules or alone.standing is found.standing is Standing.FIT:
        return found
    on = f"on all {responses(own.n)} that it marked, not only the {part.n:,} that every judge compared marked"
    return replace(alone, why=f"{alone.why} ({on})", alone=on)


def _judged(part: Comparison, arm: int) -> PartVerdict:
    tolerance = _tolerance(part)
    figures = part.of(arm)
    if figures is None:
        why = "it marked under half of the responses that others did" if part.arms else "it has no mark here"
        settles = "marks of this judge on as many responses as others marked" if part.arms else "marks of a judge here"
        if arm in part.common.arms:
            why, settles = "no response here has a mark of every judge compared", "a trial of this judge alone"
        return PartVerdict(part.name, arm, Standing.OPEN, tolerance, (), why, None, settles)
    if part.n < FEWEST_FOR_PLAIN:
        lacking = FEWEST_FOR_PLAIN - part.n
        why = f"only {responses(part.n)} to go by; at least {lacking} more {'is' if lacking == 1 else 'are'} needed"
        settles = f"at least {_more_responses(lacking)}"
        return PartVerdict(part.name, arm, Standing.OPEN, tolerance, (), why, lacking, settles)
    rules = tuple(_rules(part, figures))
    broken = [rule for rule in rules if rule.standing is Standing.NOT_FIT]
    unsettled = [rule for rule in rules if rule.standing is Standing.OPEN]
    if broken:
        return PartVerdict(part.name, arm, Standing.NOT_FIT, tolerance, rules, _joined(broken), None)
    if unsettled:
        more = _more(part.n, unsettled)
        why = _why_open(part, unsettled, more)
        return PartVerdict(part.name, arm, Standing.OPEN, tolerance, rules, why, more, _settles(unsettled, more))
    if not part.common.double:
        why = (
            "close to the one human's marks, but nobody marked a second time, so whether it is as close as a second "
            f"human would be cannot be said; let a second person mark at least {FEWEST_FOR_PLAIN} of these responses"
        )
        settles = f"a second person's marks on at least {FEWEST_FOR_PLAIN} of these"
        return PartVerdict(part.name, arm, Standing.OPEN, tolerance, rules, why, None, settles)
    return PartVerdict(part.name, arm, Standing.FIT, tolerance, rules, _joined(rules), None)


def _rules(part: Comparison, figures: ArmFigures) -> list[Rule]:
    few = figures.few
    r_a, delta = (few.r_a, few.delta) if few is not None else (figures.r_a, figures.delta)
    rules = [_closeness(part, r_a)]
    if part.common.double:
        rules.append(_against_humans(part, r_a, delta))
    beside = figures.beside
    rules.append(_bias(beside.standardised if few is None else few.standardised, figures.bias))
    if part.common.double:
        rules.append(_within(part, beside.within, beside.within_apart if few is None else few.within_apart))
    covered = part.common.coverage
    if covered.marks < LEAST_COVERED * covered.of_marks:
        said = f"compared on {covered} only"
        rules.append(Rule(COVERAGE, Standing.OPEN, said, said))
    elif part.coverage.marks < LEAST_MEASURABLE * part.coverage.of_marks:
        said = f"on most of the marks QWK is not measurable: it rests on {part.coverage}"
        rules.append(Rule(MEASURABLE, Standing.OPEN, said, said))
    return rules


def _closeness(part: Comparison, r_a: Statistic) -> Rule:
    who, whose = ("the humans", "the humans'") if part.common.double else ("the one human", "the one human's")
    asked = kappa_text(LEAST_QWK)
    said = f"QWK with {who} {_qwk(r_a)}, where {asked} is asked for"
    low_humans = part.r_h.value is not None and part.r_h.value < LEAST_QWK
    if low_humans:
        said += f"; the humans themselves agree only at {_qwk(part.r_h)}"
    short = {
        Standing.FIT: f"its marks agree well with {whose} (QWK {_value(r_a)})",
        Standing.NOT_FIT: f"its marks agree too little with {whose} (QWK {_value(r_a)}, {asked} is needed)",
        Standing.OPEN: f"whether its marks agree well enough with {whose} (QWK {_value(r_a)}, {asked} is needed)",
    }
    return _at_least(r_a, LEAST_QWK, "QWK", said, short)


def _against_humans(part: Comparison, r_a: Statistic, delta: Statistic) -> Rule:
    if (value := delta.value) is None:
        return Rule("Beside the humans", Standing.OPEN, f"Δ is not measurable ({delta.note})", "Δ not measurable")
    side = "above" if value > 0 else "below"
    where = f"{kappa_text(abs(value))} {side}" if abs(value) >= 0.005 else "level with"
    said = f"{where} the humans' own QWK of {_value(part.r_h)}, likely {_ends(delta.interval)}"
    said += f", where at most {kappa_text(MOST_BELOW_HUMANS)} below is allowed"
    figures = f"(QWK {_value(r_a)} against {_value(part.r_h)})"
    close = "closer to the humans than they are" if value >= 0.005 else "about as close to the humans as they are"
    short = {
        Standing.FIT: f"{close} to each other {figures}",
        Standing.NOT_FIT: f"it agrees clearly less with the humans than they do with each other {figures}",
        Standing.OPEN: f"whether it is as close to the humans as they are to each other {figures}",
    }
    return _at_least(delta, -MOST_BELOW_HUMANS, "Beside the humans", said, short)


def _bias(found: Statistic, percent: Statistic) -> Rule:
    if found.value is None:
        return Rule("Bias", Standing.OPEN, f"bias in standard deviations: {found.note}", "bias not measurable")
    direction = direction_of(percent)
    if percent.value is not None and (direction == NEITHER or percent.value * found.value < 0):
        # Questions with little spread weigh more in standard deviations: these have the word, as the rule goes by them.
        word = "severe" if found.value < 0 else "lenient"
        direction = NEITHER if abs(found.value) <= MOST_BIAS else f"{word} where marks vary little"
    said = f"{direction}, {apart_text(found.value)} standard deviations where .15 either way is allowed"
    if abs(found.value) <= MOST_BIAS:
        return Rule("Bias", Standing.FIT, said, direction.replace(" by ", " by only "))
    # Without an interval every question has the same bias, which is no chance.
    low, high = (found.interval.low, found.interval.high) if found.interval else (found.value, found.value)
    if low > MOST_BIAS or high < -MOST_BIAS:
        return Rule("Bias", Standing.NOT_FIT, said, direction)
    times = ((high - low) / 2 / (abs(found.value) - MOST_BIAS)) ** 2
    short = f"whether it is {direction.replace(' by ', ' (by ')}{')' * direction.count(' by ')} or that is chance"
    return Rule("Bias", Standing.OPEN, f"{said}, likely {_ends(found.interval)}", short, times)


def _within(part: Comparison, share: Statistic, less: Statistic) -> Rule:
    own = part.within_humans
    if share.value is None or own.value is None:
        return Rule("Tolerance", Standing.OPEN, "no share within tolerance", "no share within tolerance")
    its, theirs = f"{100 * share.value:.0f}%", f"{100 * own.value:.0f}%"
    known = f"within tolerance on {its} of responses (the humans on {theirs})"
    short = {
        Standing.FIT: known,
        Standing.NOT_FIT: known,
        Standing.OPEN: f"whether it is within tolerance about as often as the humans ({its} against {theirs})",
    }
    return _at_least(less, -MOST_OUTSIDE, "Tolerance", f"within tolerance on {its} (the humans on {theirs})", short)


def _at_least(found: Statistic, line: float, name: str, said: str, short: Mapping[Standing, str]) -> Rule:
    """Kept where the lower end reaches the line, broken where the upper end does not."""
    if found.value is None:
        return Rule(name, Standing.OPEN, f"{name} is not measurable ({found.note})", f"{name} not measurable")
    if found.interval is None:
        settled = found.note.startswith(("no interval: every", "no interval: QWK"))
        standing = Standing.OPEN if not settled else Standing.FIT if found.value >= line else Standing.NOT_FIT
        return Rule(name, standing, said if settled else f"{said} ({found.note})", short[standing])
    if found.interval.low >= line:
        return Rule(name, Standing.FIT, said, short[Standing.FIT])
    if found.interval.high < line:
        return Rule(name, Standing.NOT_FIT, said, short[Standing.NOT_FIT])
    distance = abs(found.value - line)
    reach = found.value - found.interval.low if found.value >= line else found.interval.high - found.value
    times = (reach / distance) ** 2 if distance > 1e-9 else None
    return Rule(name, Standing.OPEN, said, short[Standing.OPEN], times)


def _more(n: int, rules: list[Rule]) -> int | None:
    """More responses until every open rule is settled: an interval narrows with the root of what it rests on."""
    times = [rule.times for rule in rules]
    known = [each for each in times if each is not None]
    if len(known) < len(times) or not known or max(known) > NO_USE:
        return None
    return max(1, math.ceil(n * (max(known) - 1)))


def _why_open(part: Comparison, rules: list[Rule], more: int | None) -> str:
    said = _joined(rules)
    if all(rule.name == COVERAGE for rule in rules):
        return f"every other rule is kept, but {said}"
    if more is None:
        return f"{said}; too close to the line to say how many more responses would settle it"
    over = " (with more questions, as the range is over questions)" if part.coverage.questions >= 5 else ""
    return f"{said}; about {more:,} more responses like these would settle it{over}"


def _settles(rules: list[Rule], more: int | None) -> str:
    if all(rule.name == "Coverage" for rule in rules):
        return "its marks on the rest of this part"
    return "more responses; how many cannot be said" if more is None else f"about {_more_responses(more)}"


def _more_responses(more: int) -> str:
    return f"{more:,} more response{'' if more == 1 else 's'}"


def direction_of(percent: Statistic) -> str:
    """severe by 8% of marks; lenient by 0.4% of marks; neither severe nor lenient."""
    if percent.value is None:
        return "bias not known"
    if (size := abs(percent.value)) < 0.05:
        return NEITHER
    return f"{'severe' if percent.value < 0 else 'lenient'} by {size:.{0 if size >= 2 else 1}f}% of marks"


def _tolerance(part: Comparison) -> str:
    if not part.tolerances:
        return ""
    low, high = part.tolerances[0], part.tolerances[-1]
    return f"tolerance {low:g}" if low == high else f"each question's own tolerance ({low:g} to {high:g})"


def _qwk(found: Statistic) -> str:
    if found.value is None:
        return "not measurable"
    return kappa_text(found.value) + (f" ({bounds_text(found.interval)})" if found.interval else "")


def _value(found: Statistic) -> str:
    return "not measurable" if found.value is None else kappa_text(found.value)


def _ends(interval: Interval | None) -> str:
    return "not known" if interval is None else likely_apart(interval)


def _joined(rules: list[Rule] | tuple[Rule, ...]) -> str:
    return "; ".join(rule.said for rule in rules)
