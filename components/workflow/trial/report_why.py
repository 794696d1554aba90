"""Why each judge is fit, or not, for each part: every rule's figure side by side, and the same in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from components.workflow.agreement.tables import Table, Value
from components.workflow.trial.report_compare import ArmFigures, Comparison
from components.workflow.trial.report_figures import TrialFigures
from components.workflow.trial.report_rules import PartVerdict, Standing, direction_of
from components.workflow.trial.report_shapes import NONE, apart_text, delta_likely, percent, qwk_likely, shown
from components.workflow.trial.report_verdict import TrialVerdict

WHY, IN_WORDS = "Why", "Why, in sentences"
IN_A_WORD = {Standing.FIT: "fit", Standing.NOT_FIT: "not fit", Standing.OPEN: "open"}
MISSED, UNSETTLED = "✗ ", "? "
NOTE_ON_WHY = (
    "Fit: QWK with the humans of .70 or more, at most .10 below theirs with each other, within tolerance at most 10 "
    "points less often, all at the cautious end of the likely range, and a bias of at most .15 standard deviations "
    "(SD). Not fit: one of these is missed beyond doubt. Open: it lies between, or too little is marked. In the "
    "table ✗ marks a rule that is missed and ? one that is open; the others are kept. The likely range "
    "stands in brackets."
)


def why_table(found: TrialFigures, verdict: TrialVerdict) -> Table:
    """A row a part and judge: the whole exam first, then its subjects, then its types of question."""
    one = len(verdict.arms) < 2
    columns = (
        "Judge", "Part", "Verdict", "QWK with the humans", "Δ to the humans' own", "Bias",
        "Within tolerance (humans)", "What would settle it",
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = [
        (
            name,
            judged.part,
            IN_A_WORD[judged.standing],
            *_cells(part.alone[judged.arm] if judged.alone else part, judged),
            judged.settles or NONE,
        )
        for name, part, judged in _judged(found, verdict)
    ]
    return shown(WHY, columns[one:], [row[one:] for row in rows])


def sentences_table(verdict: TrialVerdict) -> Table:
    """The reasons as sentences, judge after judge."""
    rows: list[tuple[Value, ...]] = [
        (each.name, part.part, str(part.standing), part.why) for each in verdict.arms for part in each.parts
    ]
    return shown(IN_WORDS, ("Judge", "Part", "Verdict", "Reasons"), rows)


def _judged(found: TrialFigures, verdict: TrialVerdict) -> Iterator[tuple[str, Comparison, PartVerdict]]:
    """Part after part, in each the best judge first."""
    parts = [found.everything]
    for group in (found.subjects, found.types):
        parts += group if len(group) > 1 else ()  # a single one is the whole exam once more
    for place, part in enumerate(parts):
        for each in verdict.arms:
            yield each.name, part, each.parts[place]


def _cells(part: Comparison, judged: PartVerdict) -> tuple[str, str, str, str]:
    """The figures that the rules go by; dashes where nothing is said of the part."""
    figures = part.of(judged.arm)
    if figures is None or not judged.rules:
        return (NONE, NONE, NONE, NONE)
    few = figures.few
    r_a, delta = (few.r_a, few.delta) if few is not None else (figures.r_a, figures.delta)
    standing = {rule.name: rule.standing for rule in judged.rules}
    within = NONE
    if part.within_humans.value is not None:
        within = f"{percent(figures.beside.within)} ({percent(part.within_humans)})"
    return (
        _marked(standing.get("QWK"), qwk_likely(r_a) if r_a.value is not None else NONE),
        _marked(standing.get("Beside the humans"), delta_likely(delta) if delta.value is not None else NONE),
        _marked(standing.get("Bias"), _bias(figures)),
        _marked(standing.get("Tolerance"), within),
    )


def _bias(figures: ArmFigures) -> str:
    """severe by 31% (−.79 SD)"""
    standardised = figures.beside.standardised if figures.few is None else figures.few.standardised
    said = direction_of(figures.bias).removesuffix(" of marks")
    return said if standardised.value is None else f"{said} ({apart_text(standardised.value)} SD)"


def _marked(standing: Standing | None, figure: str) -> str:
    return {Standing.NOT_FIT: MISSED, Standing.OPEN: UNSETTLED}.get(standing or Standing.FIT, "") + figure
