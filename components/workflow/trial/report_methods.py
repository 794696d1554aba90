"""The methods paragraph, from the settings actually used, with definitions and limits."""

from __future__ import annotations

from datetime import datetime

import numpy as np

from components.agreement.cluster import RESAMPLES, SEED
from components.workflow.agreement.definitions import DEFINITIONS, Definition
from components.workflow.trial.data import ArmMarks, TrialData
from components.workflow.trial.report_alike import LEFT_TO_THE_MODEL, asked
from components.workflow.trial.report_figures import TrialFigures
from components.workflow.trial.report_sections import rests_on
from components.workflow.trial.report_verdict import caution, listed

KEPT = {
    "QWK",
    "QWK of the exam",
    "Mean difference; bias",
    "What stands where there is little data",
}
OWN = (
    Definition(
        "R_A, R_H, Δ",
        "How closely the judge agrees with two humans (R_A), how closely they agree with each other (R_H), and the "
        "difference. Δ near 0 or above: the judge is as close as a second human.",
        "R_A = ½[QWK(AI, E1) + QWK(AI, E2)], R_H = QWK(E1, E2), Δ = R_A − R_H, on the questions where every pair "
        "compared is measurable, all on one shared resample.",
    ),
    Definition(
        "Common responses",
        "Judges are compared on the same work only: the responses that all of them and the humans marked. A judge that "
        "marked under half of what the others did is left out, or the rest would be compared on little.",
        "Responses with a mark of both humans (of the one, where nobody marked twice) and of every compared arm; an "
        "arm is compared where it has at least half of the marks of the arm with the most, among those with human "
        "marks. Settled anew for each part.",
    ),
    Definition(
        "Bias in standard deviations",
        "By how much the judge is lenient (+) or severe (−), measured by how much marks on the question vary.",
        "Mean of (AI − human) / SD of that human's marks on the question (n − 1), the mean of both humans.",
    ),
    Definition(
        "Fit, not fit, cannot be said yet",
        "Fit: every rule is kept even at the cautious end of the likely range. Not fit: one is missed even at its "
        "hopeful end. Otherwise more responses are needed.",
        "QWK ≥ .70; Δ ≥ −.10; |standardised bias| ≤ .15 (kept by the estimate, missed where the whole interval lies "
        "outside); share within tolerance at most 10 points under the humans'. After Williamson, Xi & Breyer 2012; the "
        "rule on tolerance is ours. Under 30 responses nothing is said. Where under 90% of what a judge "
        "marked is compared, all that it marked decides; questions with a QWK must be worth half of the marks.",
    ),
    Definition(
        "Likely (interval)",
        "The range in which the true figure lies, as far as these marks can tell. In 20 such ranges about one misses.",
        f"95%. Over questions: cluster bootstrap, B = {RESAMPLES:,}, seed {SEED}, or t with K_eff − 1 df where K_eff < "
        "30. One question: delta method over its responses, t with n − 1 df. Verdicts on under five questions take "
        "these questions as they are: delta method over responses. Shares of equal marks: Wilson.",
    ),
)


def definitions() -> tuple[Definition, ...]:
    """The words that this report uses."""
    return (*(each for each in DEFINITIONS if each.term in KEPT), *OWN)


def methods(found: TrialFigures) -> tuple[str, ...]:
    """How the figures came about: the work, the judges, the statistics. Nothing is said that was not used."""
    told = (_work(found), *(_judge(each) for each in found.data.arms))
    return (*told, _statistics(found), _exclusions(found)) if found.data.marked else told


def _work(found: TrialFigures) -> str:
    data = found.data
    total, many = int(data.response_ids.size), len(data.questions)
    written = int(data.handwritten.sum())
    subjects = list(dict.fromkeys(question.subject for question in data.questions if question.subject))
    about = f" ({listed(subjects)})" if subjects else ""
    said = (
        f"The trial “{data.title}”, begun {day(data.created_at)}, took {total:,} responses to {many:,} "
        f"question{'' if many == 1 else 's'} of {data.exam}{about}, {total - written:,} typed and {written:,} "
        f"handwritten"
    )
    if not data.marked:
        return f"{said}. Nobody had marked any of them."
    said += (
        f", as they were marked then. {data.first_marker or 'A first marker'} marked {_count(data, 'first'):,} of them"
    )
    if data.double_marked:
        return f"{said} and {data.second_marker or 'a second marker'} {_count(data, 'second'):,}."
    return f"{said}; nobody marked a second time."


def _count(data: TrialData, which: str) -> int:
    marks = data.first if which == "first" else data.second
    return int(np.count_nonzero(~np.isnan(marks)))


def _judge(each: ArmMarks) -> str:
    arm = each.arm
    if arm.kind != "llm":
        what = {
            "imported": "marks of another tool, imported",
            "offline": "the offline matcher, no language model",
            "objective": "marked by rule, without a model",
        }.get(arm.kind, arm.kind)
        return f"{arm.name}: {what}."
    protocol, temperature, effort, samples = asked(each)
    seed = arm.settings.get("seed")
    parts = [
        f"model {arm.model or 'not named'}"
        + (f" (the server reported {', '.join(each.models)})" if each.models else " (the server reported none)"),
        f"prompt {', '.join(each.prompts)}" if each.prompts else "",
        f"protocol {protocol}",
        f"temperature {temperature}",
        f"reasoning effort {effort}",
        f"{samples} sample{'' if samples == '1' else 's'} a response",
        f"seed {seed}" if seed is not None else "no seed",
        _examples(each),
        "with the marking criteria" if arm.criteria else "without the marking criteria",
        f"asked for the {_time(arm.repeat)} time" if arm.repeat > 1 else "",
    ]
    said = f"{arm.name}: {', '.join(part for part in parts if part)}"
    said += f"; {each.sent:,} responses sent, {each.abstained:,} abstained, {each.failed:,} failed."
    return said.replace(f"temperature {LEFT_TO_THE_MODEL}", "temperature left to the model").replace(
        f"effort {LEFT_TO_THE_MODEL}", "effort left to the model"
    )


def _examples(each: ArmMarks) -> str:
    shots = each.arm.shots
    if not shots:
        return "no examples"
    grading = "with" if each.arm.grading else "without"
    return f"{shots} marked example{'' if shots == 1 else 's'} {grading} their grading process"


def _time(repeat: int) -> str:
    return {2: "second", 3: "third"}.get(repeat, f"{repeat}th")


def _statistics(found: TrialFigures) -> str:
    part = found.everything
    how = "pooled over the questions" if part.pooled else "averaged over the questions by their maximum marks"
    return (
        f"Agreement is quadratic weighted kappa, worked out for each question and {how}. Intervals are 95%: over "
        f"questions by a cluster bootstrap (B = {RESAMPLES:,}, seed {SEED}, one shared resample for R_A, R_H and Δ), "
        "or by t with K_eff − 1 degrees of freedom where the questions are worth under 30; over responses for one "
        "question alone. The same marks always give the same figures."
    )


def _exclusions(found: TrialFigures) -> str:
    data = found.data
    said = rests_on(found, found.everything)
    lost = [
        f"{each.arm.name} {each.abstained + each.failed + each.missing:,}"
        for each in data.arms
        if each.abstained + each.failed + each.missing
    ]
    if lost:
        said += (
            " Responses without a mark of a judge (abstained, failed or not asked yet) are left out for all, never "
            f"counted as 0: {', '.join(lost)}."
        )
    return said


def limits(found: TrialFigures) -> tuple[str, ...]:
    """What a reader must bear in mind, most of it from the figures themselves."""
    if not found.data.marked:
        return ("Nobody has marked this work, so that nothing here says how good a judge's marks are.",)
    part = found.everything
    said = [caution(found)] if caution(found) else []
    if not part.common.double:
        said.append("One human marked this work. Humans differ too, and how much is not known here.")
    if part.n < 30:
        said.append(f"The judges and humans have {part.n:,} responses in common. Under 30, no verdict is given.")
    if part.arms and part.n < 0.8 * part.common.human:
        said.append(
            f"{part.common.human - part.n:,} of {part.common.human:,} human-marked responses are left out because a "
            "judge has no mark on them. If these are the hard ones, every figure is better than it should be."
        )
    if part.common.coverage.questions < 10:
        said.append(
            "The ranges over questions are made from few questions; a verdict on so few is about these questions, and "
            "another exam may turn out otherwise."
        )
    said += [
        "The human marks are no absolute truth: a judge cannot be seen to be better than those it is held against.",
        "A model that its maker changes may mark differently tomorrow: the figures are about the models and prompts "
        "above, on these days.",
        "The verdict compares many parts. In about one of twenty likely ranges the true figure lies outside.",
    ]
    return tuple(said)


def day(at: str) -> str:
    """30 Nov 2026, as stored (UTC)."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return at
    return f"{moment.day} {moment:%b %Y}"
