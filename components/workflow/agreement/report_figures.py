"""The report's figures: over all, beside a second teacher, question by question, and where the marks differ."""

from __future__ import annotations

from components.agreement import Interval, SecondMarkerReport, Share, Standing, Statistic, kappa_text
from components.workflow.agreement import report_charts as charts
from components.workflow.agreement import report_page as html
from components.workflow.agreement.figures import ExamFigures, QuestionFigures
from components.workflow.agreement.report_words import bounds_text, likely_percent, percent, signed
from components.workflow.agreement.tables import FEWEST_FOR_KAPPA, Value, two_teachers_qwk

MOST_CONFUSIONS = 6


def overall(figures: ExamFigures) -> str:
    overall = figures.overall
    agreement, mean = overall.agreement, overall.mean_signed
    qwk = agreement.qwk
    tiles = [
        ("QWK", "—" if qwk.value is None else kappa_text(qwk.value), _under(qwk, agreement.n)),
        ("Exactly the same mark", percent(agreement.exact), _share(agreement.exact)),
        ("Within tolerance", percent(agreement.within), _share(agreement.within)),
        ("Mean difference", signed(mean.value), "marks a response; + means the AI is lenient"),
    ]
    provisional = agreement.standing is Standing.PROVISIONAL
    headline = (
        "The QWK of the exam is the mean of the questions' own, a question of many marks counting for more."
        if agreement.headline == "aggregate"
        else "Most questions have few pairs, so the QWK is pooled: made from all questions' differences together."
    )
    parts = [
        html.tiles(tiles),
        html.paragraph(
            "QWK says how closely two markers place the same responses: 1 is perfect, 0 is what chance would bring, "
            f"and from .70 on two markers are commonly taken to be close enough. {headline}"
        ),
        html.paragraph("These figures are provisional: there are fewer than 30 pairs.") if provisional else "",
        html.paragraph(_bias_said(agreement.bias_percent)),
    ]
    parts += [
        html.paragraph(f"{part.judges[0]} alone, on {len(part.questions):,} questions: {part.agreement.sentence}")
        for part in figures.by_judge
    ]
    return "\n".join(part for part in parts if part)


def _under(qwk: Statistic, n: int) -> str:
    if qwk.value is None:
        return f"{n:,} pairs: {qwk.note}"
    return f"on {n:,} pairs" + ("" if qwk.interval is None else f", likely {bounds_text(qwk.interval)}")


def _share(part: Share) -> str:
    return f"{part.count:,} of {part.n:,}" + ("" if part.interval is None else f", likely {likely_percent(part)}")


def _bias_said(bias: Statistic) -> str:
    if bias.value is None:
        return ""
    ends = (
        ""
        if bias.interval is None
        else f" (likely {signed(bias.interval.low, 1)}% to {signed(bias.interval.high, 1)}%)"
    )
    return (
        f"As a share of the questions' maxima the AI gives {signed(bias.value, 1)}%{ends} against the teachers: above "
        "0 it is lenient, below 0 severe. A range that takes in 0 means that it may be neither."
    )


def second_teacher(figures: ExamFigures) -> str:
    report = figures.second_marker
    if report is None:
        return html.paragraph(
            "No response has the marks of two teachers beside the AI's, so the AI cannot be compared with a second "
            "teacher yet."
        )
    if report.n < FEWEST_FOR_KAPPA:
        return html.paragraph(
            f"Only {report.n:,} responses have the marks of two teachers beside the AI's; from {FEWEST_FOR_KAPPA} on "
            "there is a figure."
        )
    shown, pooled = _closeness(report)
    basis = "The figures are pooled over the questions." if pooled else f"The figures rest on {report.coverage}."
    names = ("The AI with the two teachers (R_A)", "The two teachers with each other (R_H)", "Difference (Δ)")
    rows = [
        (name, kappa_text(each.value) if each.value is not None else "—", bounds_text(each.interval), each.note)
        for name, each in zip(names, shown, strict=True)
    ]
    rows.append(
        (
            "Bias against the mean of both, % of the maximum",
            signed(report.bias_percent.value, 1),
            _ends(report.bias_percent.interval),
            report.bias_percent.note,
        )
    )
    return html.paragraph(
        f"On {report.n:,} responses two teachers gave marks without seeing the AI's. If the AI agrees with them as "
        "closely as they agree with each other, it does what a second teacher would do: Δ is then near 0 or above. "
        f"Teachers do not agree perfectly either. {basis}"
    ) + html.table(("", "Value", "Likely", "Note"), rows)


def _closeness(report: SecondMarkerReport) -> tuple[tuple[Statistic, Statistic, Statistic], bool]:
    """R_A, R_H and Δ to show, and whether they are the pooled ones: as in the five answers."""
    if report.n >= 20 * max(1, len(report.questions)):
        return (report.r_a, report.r_h, report.delta), False
    return (report.pooled_r_a, report.pooled_r_h, report.pooled_delta), True


def _ends(interval: Interval | None) -> str:
    return "—" if interval is None else f"{signed(interval.low, 1)} to {signed(interval.high, 1)}"


def questions(figures: ExamFigures) -> list[str]:
    columns = (
        "Question", "Max.", "Pairs", "QWK", "Likely", "Exact", "Likely", "Within tolerance", "Mean difference",
        "Likely", "Two teachers' QWK", "Standing",
    )  # fmt: skip
    table = html.table(columns, [_question_row(q) for q in figures.questions])
    if not table:
        return []
    report = figures.second_marker
    teachers = None if report is None or report.n < FEWEST_FOR_KAPPA else _closeness(report)[0][1]
    known = any(q.agreement.qwk.value is not None for q in figures.questions)
    qwk = charts.qwk_charts(figures.questions, teachers) if known else ()
    bias = charts.bias_charts(figures.questions)
    caption = (
        "A dot is the question's QWK, the line the range in which it is likely to lie; a hollow dot is provisional, a "
        "diamond is what two teachers reach on the question. The dashed line marks .70."
    )
    if teachers is not None and teachers.value is not None:
        caption += " The grey band with the dotted line is what two teachers reach over all questions."
    return [
        html.paragraph(
            "Differences are in marks, the AI's less the teacher's: + means the AI is lenient. Under 10 pairs no QWK "
            "is given; from 10 to 29 it is provisional. Where a question's maximum is one step, QWK is Cohen's κ."
        ),
        table,
        *(html.figure(each, caption if place == len(qwk) - 1 else "") for place, each in enumerate(qwk)),
        *(
            html.figure(
                each,
                "Right of 0 the AI gives more than teachers, left of it less. A line that crosses 0 may be chance. "
                "Hollow dots rest on fewer than 30 pairs."
                if place == len(bias) - 1
                else "",
            )
            for place, each in enumerate(bias)
        ),
    ]


def _question_row(q: QuestionFigures) -> tuple[Value, ...]:
    made, apart = q.agreement, q.agreement.differences
    teachers = two_teachers_qwk(q)
    return (
        q.question.number,
        q.question.max_mark,
        made.n,
        "—" if made.qwk.value is None else kappa_text(made.qwk.value),
        bounds_text(made.qwk.interval),
        percent(apart.exact),
        likely_percent(apart.exact),
        percent(apart.within),
        signed(apart.mean_signed.value),
        "—"
        if apart.mean_signed.interval is None
        else f"{signed(apart.mean_signed.interval.low)} to {signed(apart.mean_signed.interval.high)}",
        "—" if teachers.value is None else kappa_text(teachers.value),
        {Standing.PLAIN: "enough", Standing.IDENTICAL: "all the same"}.get(
            made.standing, str(made.standing) if made.n else "no pairs"
        ),
    )


def differing(figures: ExamFigures) -> list[str]:
    spread = charts.spread_of(figures.questions)
    if spread.n < FEWEST_FOR_KAPPA:
        return [html.paragraph(f"From {FEWEST_FOR_KAPPA} pairs on this is drawn.")]
    parts = [
        html.figure(
            charts.bland_altman_chart(spread),
            "Each dot is one or more pairs, larger the more they are: to the right the better responses, above 0 those "
            "to which the AI gave more. About 95 in 100 differences lie in the grey band. Dots far from the line "
            "through 0 are worth a look.",
        )
    ]
    drawn = sorted(
        (q for q in figures.questions if q.agreement.n >= FEWEST_FOR_KAPPA),
        key=lambda q: 2.0 if q.agreement.qwk.value is None else q.agreement.qwk.value,
    )[:MOST_CONFUSIONS]
    if drawn:
        which = (
            "" if len(drawn) == len(figures.questions) else f" The {len(drawn)} with the lowest agreement are drawn."
        )
        parts.append(
            html.paragraph(
                "How often the AI gave which mark where teachers gave which. On the dotted line both gave the same; "
                f"red is outside tolerance.{which} The table “Mark by mark” in the workbook has them all."
            )
        )
        parts.append(html.beside([html.figure(charts.confusion_chart(q)) for q in drawn]))
    return parts
