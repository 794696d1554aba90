"""Should this model second-mark this exam? The answer in plain words, for each judge and over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from components.agreement.question import FEWEST_FOR_PLAIN
from components.workflow.trial.report_figures import TrialFigures
from components.workflow.trial.report_rules import COVERAGE, MEASURABLE, PartVerdict, Rule, Standing, judge_part

MOST_UNMARKED = 0.1
MOST_REASONS = 2  # in a sentence; the table has all
NOT_FIT = "Not fit as second marker for this exam: "
NOBODY = (
    "It cannot be said yet: nobody has marked these responses, so there is no human to compare the judges with. What "
    "they make of a benchmark's written answers stands with its sitting."
)
NOT_YET = "It cannot be said yet whether it is fit as second marker"


@dataclass(frozen=True)
class ArmVerdict:
    """One arm's verdict: on the whole, on each subject and each type of question where there are several."""

    arm: int
    name: str
    whole: PartVerdict
    subjects: tuple[PartVerdict, ...]
    types: tuple[PartVerdict, ...]
    sentence: str

    @property
    def parts(self) -> tuple[PartVerdict, ...]:
        return (self.whole, *self.subjects, *self.types)


@dataclass(frozen=True)
class TrialVerdict:
    """`sentence` is the answer over all judges, `caution` what its reader must bear in mind, "" where nothing."""

    sentence: str
    caution: str
    arms: tuple[ArmVerdict, ...]


def trial_verdict(found: TrialFigures) -> TrialVerdict:
    """The verdict on every arm, the best first and those not compared last."""
    places = range(len(found.data.arms))
    judged = tuple(sorted((_arm(found, place) for place in places), key=lambda each: _order(found, each)))
    return TrialVerdict(_over_all(found, judged) if found.data.marked else NOBODY, caution(found), judged)


def _order(found: TrialFigures, verdict: ArmVerdict) -> tuple[bool, float, int]:
    figures = found.everything.of(verdict.arm)
    known = figures is not None and figures.r_a.value is not None
    value = figures.r_a.value if figures is not None and figures.r_a.value is not None else 0.0
    return (not known, -value, verdict.arm)


def _arm(found: TrialFigures, arm: int) -> ArmVerdict:
    subjects = tuple(judge_part(part, arm) for part in found.subjects) if len(found.subjects) > 1 else ()
    types = tuple(judge_part(part, arm) for part in found.types) if len(found.types) > 1 else ()
    whole = judge_part(found.everything, arm)
    said = _sentence(whole, subjects, types) + _unmarked(found, arm)
    return ArmVerdict(arm, found.name(arm), whole, subjects, types, said)


def _unmarked(found: TrialFigures, arm: int) -> str:
    """What a judge has not been asked, and how much it leaves to people, where that is more than one in ten."""
    each = found.arm(arm)
    if each.arm.kind == "imported":  # nothing of it is still to come
        lacking, total = each.abstained + each.failed + each.missing, int(found.data.response_ids.size)
        if lacking <= MOST_UNMARKED * total:
            return ""
        share = 100 * lacking / total
        return (
            f" Its file has no mark on {lacking:,} of {total:,} responses ({share:.0f}%), of which this says nothing."
        )
    said = ""
    if each.missing:
        total = int(found.data.response_ids.size)
        said = f" It has not been asked yet about {each.missing:,} of {total:,} responses, of which this says nothing."
    lost, asked = each.abstained + each.failed, int(found.data.response_ids.size) - each.missing
    if lost > MOST_UNMARKED * asked:
        share = 100 * lost / asked
        said += f" It gives no mark on {lost:,} of {asked:,} responses ({share:.0f}%), which people must mark."
    return said


def _sentence(whole: PartVerdict, subjects: Sequence[PartVerdict], types: Sequence[PartVerdict]) -> str:
    """Fit as second marker for maths and biology at tolerance 1; not for essays: severe by 8% of marks."""
    first, second = (subjects, types) if subjects else (types, ())
    if not first:
        return _whole(whole)
    fit = _of(first, Standing.FIT) or _of(second, Standing.FIT)
    if not fit and whole.standing is not Standing.FIT:
        kinds = f"{'subject or ' if subjects else ''}type of question"
        return f"{_whole(whole)} Nor can it be called fit for any {kinds} alone."
    broken = (*_of(first, Standing.NOT_FIT), *_of(second, Standing.NOT_FIT))
    opened = (*_of(first, Standing.OPEN), *_of(second, Standing.OPEN))
    said = [f"Fit as second marker for {_fit_names(fit)}" if fit else _whole(whole).removesuffix(".")]
    if fit and not broken and not opened and whole.standing is Standing.FIT:
        return f"{said[0]}: {_reason(whole)}."
    said += [f"not for {names}: {reason}" for names, reason in _together(broken)]
    return " ".join([f"{'; '.join(said)}.", *_open_sentences(opened)])


def _open_sentences(parts: Sequence[PartVerdict]) -> list[str]:
    """The parts of which nothing can be said yet, those with the same lack in one sentence."""
    few = [part.part for part in parts if not part.rules and part.more is not None]
    unmarked = [part.part for part in parts if not part.rules and part.more is None]
    told = [part for part in parts if part.rules]
    said = [
        f"For {names} it {'is still open ' if _asks(reason) else 'cannot be said yet: '}{reason}."
        for names, reason in _together(told)
    ]
    if few:
        said.append(f"For {listed(few)} there are too few responses yet: at least {FEWEST_FOR_PLAIN} are needed.")
    if unmarked:
        said.append(f"On {listed(unmarked)} it has too few marks to be compared.")
    return said


def _together(parts: Sequence[PartVerdict]) -> list[tuple[str, str]]:
    """Parts with one and the same reason are named together."""
    by_reason: dict[str, list[str]] = {}
    for part in parts:
        by_reason.setdefault(_reason(part), []).append(part.part)
    return [(listed(names), reason) for reason, names in by_reason.items()]


def _whole(whole: PartVerdict) -> str:
    if whole.standing is Standing.FIT:
        return f"Fit as second marker for this exam at {whole.tolerance}: {_reason(whole)}."
    if whole.standing is Standing.NOT_FIT:
        return f"{NOT_FIT}{_reason(whole)}."
    reason = _reason(whole)
    return f"{NOT_YET}. Still open: {reason}." if _asks(reason) else f"{NOT_YET}: {reason}."


def _asks(reason: str) -> bool:
    """Whether a reason says what is open, as "whether …", and not what is lacking."""
    return reason.startswith("whether ")


def _reason(part: PartVerdict) -> str:
    """The broken rules where one is, all where it is fit, else what is open and how much more it takes."""
    return f"{_reasons(part)} ({part.alone})" if part.alone and part.rules else _reasons(part)


def _reasons(part: PartVerdict) -> str:
    if part.standing is Standing.FIT:
        # Who is as close as a second human has a high enough QWK too.
        return listed([rule.short for rule in _plainest(part, Standing.FIT) if rule.name != "QWK"])
    if part.standing is Standing.NOT_FIT:
        return " and ".join(rule.short for rule in _plainest(part, Standing.NOT_FIT)[:MOST_REASONS])
    unsettled = [rule.short for rule in _plainest(part, Standing.OPEN)[:MOST_REASONS]]
    if not unsettled:
        return part.why.removesuffix(f" ({part.alone})")
    more = "" if part.more is None else f"; about {part.more:,} more responses would tell"
    return f"{', and '.join(unsettled)}{more}"


def _plainest(part: PartVerdict, standing: Standing) -> list[Rule]:
    """The rules of this outcome, those first that can be understood without statistics."""
    order = {
        name: place
        for place, name in enumerate(("Bias", "Tolerance", "Beside the humans", "QWK", COVERAGE, MEASURABLE))
    }
    return sorted((rule for rule in part.rules if rule.standing is standing), key=lambda rule: order[rule.name])


def _of(parts: Sequence[PartVerdict], standing: Standing) -> tuple[PartVerdict, ...]:
    return tuple(part for part in parts if part.standing is standing)


def _fit_names(parts: Sequence[PartVerdict]) -> str:
    tolerances = {part.tolerance for part in parts}
    if len(tolerances) == 1:
        return f"{listed([part.part for part in parts])} at {tolerances.pop()}"
    return listed([f"{part.part} at {part.tolerance}" for part in parts])


def listed(names: Sequence[str]) -> str:
    """a; a and b; a, b and c; names that have a comma themselves with semicolons between them."""
    if len(names) < 2:
        return "".join(names)
    if any("," in name for name in names):
        return f"{'; '.join(names[:-1])}; and {names[-1]}"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _over_all(found: TrialFigures, judged: Sequence[ArmVerdict]) -> str:
    if not judged:
        return "This trial has no judge yet."
    if not found.everything.common.arms:
        return "It cannot be said yet: no judge has marked a response that a human has marked."
    if len(judged) == 1:
        return f"{judged[0].name}: {judged[0].sentence}"
    fit = [each.name for each in judged if each.whole.standing is Standing.FIT]
    compared = [each for each in judged if each.arm in found.everything.common.arms]
    opened = [each.name for each in compared if each.whole.standing is Standing.OPEN]
    partly = [
        each.name
        for each in judged
        if each.name not in fit and any(part.standing is Standing.FIT for part in each.parts)
    ]
    best = next((each for each in judged if each.arm == found.best), None)
    if fit:
        said = (
            f"Over all questions {len(fit)} of {len(compared)} judges {_are(fit)} fit as second marker: {listed(fit)}."
        )
    elif partly:
        said = f"No judge is fit for the whole exam; for parts of it {listed(partly)} {_are(partly)}."
    elif opened:
        named = "" if best is not None and best.name in opened else f"; it is open for {listed(opened)}"
        said = f"No judge can be called fit as second marker yet{named}."
    else:
        said = "No judge is fit as second marker for this exam."
    if best is None:
        return said
    closest = f"{said} Closest to the humans is {best.name}"
    if fit or partly:
        told = best.sentence
    elif opened and best.sentence.startswith(NOT_YET):
        return closest + best.sentence.removeprefix(NOT_YET)
    else:
        told = best.sentence if opened else best.sentence.removeprefix(NOT_FIT)
    return f"{closest}: {told[0].lower()}{told[1:]}"


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def caution(found: TrialFigures) -> str:
    """That the best of several flatters itself; "" where there was no choice."""
    if found.best is None or found.tried < 2:
        return ""
    return (
        f"{found.name(found.best)} was picked as the best of {found.tried} ways of asking on the very marks that it is "
        "reported on, so chance has helped it and its figures flatter: expect somewhat less on new work, the more so "
        "the closer the others are. Try it alone on responses that were not in this trial before relying on it."
    )
