"""The report's first sections: the verdict, the subjects, every judge against the humans."""

from __future__ import annotations

from components.agreement import count_of
from components.workflow.agreement.tables import Table, Value
from components.workflow.trial.report_compare import Comparison
from components.workflow.trial.report_figures import TrialFigures
from components.workflow.trial.report_shapes import (
    NONE,
    DotRow,
    Dots,
    Section,
    apart_text,
    delta_likely,
    likely,
    likely_apart,
    likely_percent,
    percent,
    qwk,
    qwk_likely,
    responses,
    shown,
)
from components.workflow.trial.report_verdict import TrialVerdict, listed
from components.workflow.trial.report_why import NOTE_ON_WHY, sentences_table, why_table

QWK_REACH = (0.0, 1.0)
EACH_JUDGE, OTHER_JUDGES = "Each judge in a sentence", "The other judges in a sentence"


def verdict_section(found: TrialFigures, verdict: TrialVerdict) -> Section:
    """The answer, each judge's where the answer does not tell it, and every rule behind them."""
    said = [verdict.sentence, *([verdict.caution] if verdict.caution else []), rests_on(found, found.everything)]
    several = len(verdict.arms) > 1  # the best one's sentence is in the answer
    judges = [(each.name, each.sentence) for each in verdict.arms if several and each.arm != found.best]
    tables = (
        shown(EACH_JUDGE if found.best is None else OTHER_JUDGES, ("Judge", "Verdict"), list(judges)),
        why_table(found, verdict),
        sentences_table(verdict),
    )
    return Section(
        "verdict",
        "The verdict",
        tuple(said),
        tables=tuple(table for table in tables if table.rows),
        note=NOTE_ON_WHY,
    )


def unmarked_section(found: TrialFigures, verdict: TrialVerdict) -> Section:
    """In place of all that compares with a human, where nobody has marked a response of the trial."""
    return Section("verdict", "The verdict", (verdict.sentence,), tables=(coverage_table(found),))


def rests_on(found: TrialFigures, part: Comparison) -> str:
    """How much of the part its figures rest on, and who is not compared."""
    common = part.common
    who = "both humans" if common.double else "the one human"
    if common.arms and not part.arms:
        return (
            f"No response has a mark of {who} and of {_all_of(len(common.arms))}, so they cannot be held side by side."
        )
    if not part.arms:
        return f"{who[0].upper()}{who[1:]} marked {responses(common.human)}; no judge has a mark on them yet."
    judges = _all_of(len(common.arms))
    said = (
        f"The figures rest on the {responses(common.n)} that {judges} and {who} marked, of {common.human:,} that "
        f"{who} marked and {common.responses:,} in the trial: {common.coverage}"
    )
    if part.coverage != common.coverage:
        said += f"; QWKs rest on {part.coverage}"
    said += "."
    if part.pooled:
        said += " Most questions have under 20 responses, so QWKs are pooled over the questions."
    if part.not_measurable and not part.pooled:
        some = part.not_measurable[:12]
        more = "" if len(some) == len(part.not_measurable) else f" and {len(part.not_measurable) - len(some):,} more"
        said += f" Without a QWK, as some pair's marks are all the same: question {', '.join(some)}{more}."
    if common.left_out:
        names = listed([found.name(arm) for arm in common.left_out])
        said += f" Not compared here, having marked under half of what others have: {names}."
    return said


def _all_of(judges: int) -> str:
    if judges == 1:
        return "the judge"
    return "both judges compared" if judges == 2 else f"all {judges} judges compared"


def subjects_section(found: TrialFigures) -> Section:
    """Medly's table: R_H, the best judge's R_A, Δ, for each subject, and the same for each type of question."""
    best = found.best
    said = []
    if best is None:
        said.append("There is no QWK to choose the best judge by yet.")
    else:
        figures = found.everything.of(best)
        assert figures is not None
        said.append(
            f"Over all questions the best judge is {found.name(best)}: R_A {qwk_likely(figures.r_a)}, the humans with "
            f"each other R_H {qwk_likely(found.everything.r_h)}, Δ {delta_likely(figures.delta)}."
            if found.everything.common.double
            else f"Over all questions the best judge is {found.name(best)}: QWK {qwk_likely(figures.r_a)} with the one "
            "human. Nobody marked a second time, so there is no R_H and no Δ."
        )
        if found.tried > 1:
            said.append(f"It is the best of {found.tried} by chance too: such a choice flatters the one chosen.")
    several = len(found.subjects) > 1
    parts = found.subjects if several else (found.everything,)
    tables = [shown("By subject" if several else "Over all", *_parts(found, parts, best))]
    if len(found.types) > 1:
        tables.append(shown("By type of question", *_parts(found, found.types, best)))
    rows = [
        DotRow(part.name, "the best judge", part.n, figures.r_a, part.r_h)
        for part in (*parts, *(found.types if len(found.types) > 1 else ()))
        if best is not None and (figures := part.of(best)) is not None
    ]
    chart = Dots("R_A of the best judge", "Part", tuple(rows), QWK_REACH, line=0.7) if rows else None
    return Section("subjects", "By subject", tuple(said), chart, tuple(tables), NOTE)


NOTE = (
    "R_A is the mean of the judge's QWKs with the two humans, R_H their QWK with each other, Δ = R_A − R_H: near 0 or "
    "above, the judge is as close as a second human. The dotted line stands at the .70 that is asked for. “Likely” is "
    "the 95% interval. Responses: those with every mark compared, of those that the humans marked."
)


def _parts(
    found: TrialFigures, parts: tuple[Comparison, ...], best: int | None
) -> tuple[tuple[str, ...], list[tuple[Value, ...]]]:
    columns = ("Part", "R_H", "Likely", "R_A", "Likely", "Δ", "Likely", "Responses", "Questions", "Marks")
    rows: list[tuple[Value, ...]] = []
    for part in parts:
        figures = None if best is None else part.of(best)
        covered = part.coverage
        rows.append(
            (
                part.name,
                qwk(part.r_h),
                likely(part.r_h.interval),
                NONE if figures is None else qwk(figures.r_a),
                likely(figures.r_a.interval) if figures else NONE,
                apart_text(figures.delta.value) if figures else NONE,
                likely_apart(figures.delta.interval) if figures else NONE,
                f"{part.n:,} of {part.common.human:,}",
                f"{covered.questions:,} of {covered.of_questions:,}",
                f"{100 * covered.marks / covered.of_marks:.0f}%" if covered.of_marks else NONE,
            )
        )
    return unlike(columns), rows


def unlike(columns: tuple[str, ...]) -> tuple[str, ...]:
    """Columns of the same name told apart by what stands before them, as tables by name need."""
    named: list[str] = []
    for place, name in enumerate(columns):
        named.append(f"{columns[place - 1]}, likely" if name == "Likely" else name)
    return tuple(named)


def judges_section(found: TrialFigures) -> Section:
    """Every arm's R_A against the humans' band."""
    part = found.everything
    order = sorted(part.arms, key=lambda each: (each.r_a.value is None, -(each.r_a.value or 0.0)))
    rows: list[tuple[Value, ...]] = [
        (
            found.name(each.arm),
            qwk(each.r_a),
            likely(each.r_a.interval),
            apart_text(each.delta.value),
            likely_apart(each.delta.interval),
            percent(each.beside.within),
            likely_percent(each.beside.within.interval),
            apart_text(each.beside.standardised.value),
            likely_apart(each.beside.standardised.interval),
        )
        for each in order
    ]
    columns = ("Judge", "R_A", "Likely", "Δ", "Likely", "Within tolerance", "Likely", "Bias in SDs", "Likely")
    if part.common.double:
        humans = f"The humans reach R_H {qwk_likely(part.r_h)} with each other"
        reached = [each for each in order if each.delta.value is not None and each.delta.value >= 0]
        tail = f"; of {count_of(len(order), 'judge')} {len(reached):,} reach that or more." if order else "."
    else:
        humans, tail = "Marked by one human alone, so there is no band of what humans reach with each other", "."
    said = (humans + tail, rests_on(found, part))
    dots = tuple(DotRow(found.name(each.arm), "the judge with the humans", part.n, each.r_a) for each in order)
    band = part.r_h if part.r_h.value is not None else None
    chart = Dots("R_A over all questions", "Judge", dots, QWK_REACH, band, 0.7) if dots else None
    return Section(
        "judges",
        "Every judge",
        said,
        chart,
        (shown("Every judge", unlike(columns), rows), coverage_table(found)),
        NOTE,
    )


def coverage_table(found: TrialFigures) -> Table:
    """What became of each arm's responses."""
    total = int(found.data.response_ids.size)
    rows: list[tuple[Value, ...]] = []
    for place, each in enumerate(found.data.arms):
        proposed = total - each.abstained - each.failed - each.missing
        compared = "yes" if found.everything.of(place) else "no"
        rows.append((each.arm.name, proposed, each.abstained, each.failed, each.missing, total, compared))
    columns = ("Judge", "Proposed", "Abstained", "Failed", "Not asked yet", "Of", "Compared over all")
    return shown("What became of the responses", columns, rows)
