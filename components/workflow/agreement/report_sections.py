"""The report's later parts: over time, confidence, accept rate, judges, groups, adjudications, limits, versions."""

from __future__ import annotations

from collections.abc import Sequence

from components.agreement import Standing, count_of, kappa_text
from components.workflow.agreement import report_charts as charts
from components.workflow.agreement import report_page as html
from components.workflow.agreement.figures import ExamFigures
from components.workflow.agreement.handout import Handout
from components.workflow.agreement.report_words import bounds_text, likely_percent, percent, signed
from components.workflow.agreement.tables import FEWEST_FOR_KAPPA, Value
from components.workflow.agreement.tables import by_confidence as confidence_table

MOST_ADJUDICATIONS = 500
FEWEST_DOUBLE_MARKED = 30


def over_time(found: Handout) -> list[str]:
    marks = found.over_time
    if not marks.n:
        return [html.paragraph("No response has been marked blind yet, so there is no order in time to look at.")]
    points, name, percents = (
        (marks.qwk, "QWK", False)
        if any(p.value is not None for p in marks.qwk)
        else (marks.within, "Within tolerance", True)
    )
    return [
        html.paragraph(f"{marks.enough_text} {found.drift}"),
        html.figure(
            charts.running_chart(points, name, percent=percents),
            "The line is the figure after each blind mark. The grey band is wider than an ordinary range, so that it "
            "holds however often one looks while marking goes on."
            + (f" It begins with the newest {marks.shown:,} of {marks.n:,}." if marks.shown < marks.n else ""),
        ),
    ]


def by_confidence(figures: ExamFigures) -> list[str]:
    rows = confidence_table(figures.questions).rows
    if not rows:
        return []
    shown: list[tuple[Value, ...]] = [
        (
            level,
            size,
            f"{100 * float(covered or 0):.0f}%",
            count,
            "—" if share is None else f"{100 * float(share):.0f}%",
            "—" if low is None or high is None else f"{100 * float(low):.0f}–{100 * float(high):.0f}%",
        )
        for level, size, _, covered, _, count, share, low, high in rows
    ]
    columns = ("Confidence, the surest first", "Pairs", "Taken in so far", "Outside tolerance", "Share", "Likely")
    return [
        html.paragraph(
            "The AI says how sure it is of each mark. Each row takes in its own level and all surer ones, and says how "
            "many of these marks were outside tolerance. If the first row is low, the surest marks may be left to a "
            "quick look."
        ),
        html.table(columns, shown),
    ]


def in_view(figures: ExamFigures) -> list[str]:
    accept = figures.overall.accept
    if not accept.accepted.n:
        return [html.paragraph("No mark was given with the AI's in view.")]
    parts = [
        html.paragraph(
            f"Teachers who saw the AI's mark first left it as it was on {accept.accepted.count:,} of "
            f"{accept.accepted.n:,} responses ({percent(accept.accepted)}, likely {likely_percent(accept.accepted)}), "
            f"put it up on {accept.up:,} and down on {accept.down:,}. This accept rate says how convenient the AI is, "
            "not how well it marks."
        )
    ]
    effect = figures.anchoring
    if effect.value is not None and effect.interval is not None:
        ends = f"{signed(100 * effect.interval.low, 0)} to {signed(100 * effect.interval.high, 0)}"
        parts.append(
            html.paragraph(
                f"On the questions that have both, teachers give the AI's own mark {signed(100 * effect.value, 0)} "
                f"percentage points more often when it is in view (likely {ends}). Above 0, the AI's mark sways them."
            )
        )
    return parts


def by_judge(found: Handout) -> list[str]:
    parts: list[str] = []
    for pair in found.judges:
        rows = [
            (
                question.number,
                question.n,
                _kappa(question.a.qwk.value),
                _kappa(question.b.qwk.value),
                _kappa(question.difference.value),
                bounds_text(question.difference.interval),
            )
            for question in pair.questions
        ]
        parts += [
            html.heading(f"{pair.judge_a} and {pair.judge_b}"),
            html.paragraph(pair.sentence),
            html.table(
                ("Question", "Responses", "First judge's QWK", "Second judge's QWK", "Difference", "Likely"), rows
            ),
        ]
    if len(found.versions) > 1:
        parts.append(
            html.table(
                ("Judge", "Model", "Prompt", "Days", "Pairs", "QWK", "Likely", "Exact", "Mean difference"),
                [
                    (
                        each.judge,
                        each.model or "—",
                        each.prompt_version or "—",
                        each.first_day if each.first_day == each.last_day else f"{each.first_day} to {each.last_day}",
                        each.n,
                        _kappa(each.qwk.value),
                        bounds_text(each.qwk.interval),
                        percent(each.exact),
                        signed(each.mean_signed),
                    )
                    for each in found.versions
                ],
                "What each version of a judge has made of it",
            )
        )
    return parts


def by_group(found: Handout) -> list[str]:
    if not found.groups:
        return []
    rows = [
        (
            f"{each.column} {each.value}",
            each.candidates,
            each.n,
            signed(each.difference.value),
            "—"
            if each.difference.interval is None
            else f"{signed(each.difference.interval.low)} to {signed(each.difference.interval.high)}",
            each.sentence,
        )
        for each in found.groups
    ]
    return [
        html.paragraph(
            "Is the AI more lenient with some candidates than with others? Each group is compared with all other "
            "candidates, in standard deviations of teachers' marks: + means that the AI favours the group, and from "
            f"about .1 on it is worth a look. {found.groups_text}"
        ),
        html.table(("Group", "Candidates", "Responses", "Difference", "Likely", "In words"), rows),
    ]


def adjudicated(found: Handout) -> list[str]:
    rows = found.adjudications.rows
    if not rows:
        return [html.paragraph("Nothing that you may see here has been adjudicated.")]
    columns = (
        "Question", "Candidate", "Max.", "AI", "Teachers", "Adjudicator", "What stands", "Others' marks hidden",
        "Reason", "By", "When",
    )  # fmt: skip
    cut = len(rows) - MOST_ADJUDICATIONS
    shown = [(*row[:-1], html.day(str(row[-1]), found.zone)) for row in rows[:MOST_ADJUDICATIONS]]
    return [
        html.paragraph(
            f"{count_of(len(rows), 'response')} settled. What stands after an adjudication, by this exam's rule: "
            f"{_RULES.get(str(found.figures.exam.what_stands), str(found.figures.exam.what_stands))}."
        ),
        html.table(columns, shown),
        html.paragraph(f"{cut:,} earlier ones are in the workbook.") if cut > 0 else "",
    ]


_RULES = {
    "adjudicator": "the adjudicator's mark",
    "teacher": "the teacher's mark",
    "within tolerance": "the teacher's mark where it is within tolerance of the adjudicator's, else the adjudicator's",
    "mean": "the mean of the adjudicator's and the teacher's mark",
}


def limits(found: Handout) -> list[str]:
    """What a reader must bear in mind, most of it from the figures themselves."""
    figures, origin = found.figures, found.provenance
    agreement = figures.overall.agreement
    said = []
    if agreement.n < 30:
        said.append(f"There are {count_of(agreement.n, 'pair')} in all. Under 30, every figure here is provisional.")
    few = [q.question.number for q in figures.questions if q.agreement.standing is Standing.TOO_FEW]
    provisional = [q.question.number for q in figures.questions if q.agreement.standing is Standing.PROVISIONAL]
    if few:
        said.append(f"Too few pairs (under {FEWEST_FOR_KAPPA}) for a QWK on {_numbers(few)}.")
    if provisional:
        said.append(f"Provisional (10 to 29 pairs) on {_numbers(provisional)}.")
    said.append(
        f"The figures rest on {agreement.n:,} of {origin.responses:,} responses to these questions. "
        + _sample_text(origin.blind_share, figures.imported_pairs)
    )
    if len(figures.questions) < 10:
        said.append(
            f"An exam's range is made over its questions, and there are {count_of(len(figures.questions), 'question')} "
            "here: another exam may turn out otherwise."
        )
    if len(figures.overall.judges) > 1:
        said.append("The figures over all questions put several judges together; each alone is given beside them.")
    report = figures.second_marker
    if report is None or report.n < FEWEST_DOUBLE_MARKED:
        said.append(
            "Few responses have the marks of two teachers, so there is little to say how closely teachers agree with "
            "each other. A teacher's mark is no absolute truth either."
        )
    if origin.selection != "The whole exam":
        said.append(f"This report is about a part of the exam only: {origin.selection}.")
    said.append(
        "A model or prompt that is changed later may mark differently: these figures are about the versions below."
    )
    return said


def _sample_text(share: float, imported: int) -> str:
    text = (
        "All responses are to be marked blind."
        if share >= 1
        else f"At least {100 * share:.0f}% of each question's responses are drawn by lot to be marked blind."
        if share > 0
        else "No blind sample is drawn, so the pairs may not be like the other responses."
    )
    return text + (" Imported marks were given under conditions that are not known here." if imported else "")


def _numbers(numbers: Sequence[str]) -> str:
    return f"question{'' if len(numbers) == 1 else 's'} {', '.join(numbers)}"


def versions(found: Handout) -> list[str]:
    """Each judge, model, prompt and mark scheme version with the questions it is about."""
    grouped: dict[tuple[Value, ...], list[tuple[str, int]]] = {}
    for judge, kind, model, prompt, question, scheme, n, _, _ in found.provenance.versions.rows:
        grouped.setdefault((judge, kind, model or "—", prompt or "—", scheme), []).append((str(question), int(n or 0)))
    rows = [
        (*key, ", ".join(question for question, _ in parts), sum(n for _, n in parts)) for key, parts in grouped.items()
    ]
    columns = ("Judge", "Kind", "Model", "Prompt", "Mark scheme version", "Questions", "Pairs")
    return [html.table(columns, rows)]


def reproduce(found: Handout) -> list[str]:
    origin = found.provenance
    return [
        html.paragraph(
            "The same marks always give the same figures: ranges made by resampling use a fixed seed (B = 2,000). "
            f"These rest on the record up to {origin.record}. {origin.software}."
        ),
        html.paragraph(
            "To work them out with other software, take the CSV of all pairs from the agreement page: rows of the kind "
            "“agreement” make every agreement figure, rows of the kind “accept” the accept rate."
        ),
    ]


def _kappa(value: float | None) -> str:
    return "—" if value is None else kappa_text(value)
