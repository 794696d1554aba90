"""The agreement report: one HTML file for a senior leadership team or an exam board, readable without statistics."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from components.workflow.agreement import report_page as html
from components.workflow.agreement.answers import Answer
from components.workflow.agreement.definitions import DEFINITIONS
from components.workflow.agreement.handout import Handout
from components.workflow.agreement.report_figures import differing, overall, questions, second_teacher
from components.workflow.agreement.report_sections import (
    adjudicated,
    by_confidence,
    by_group,
    by_judge,
    in_view,
    limits,
    over_time,
    reproduce,
    versions,
)

METHOD = (
    "An AI judge proposes a mark for a response. It never decides: the teacher's mark is the mark. To see how far the "
    "AI can be relied on, its marks are compared with those of teachers who had not seen them.",
    "A pair is one response with the mark of the AI and the mark of such a teacher. The teacher marked it blind, "
    "before the AI's mark was shown, or the mark was given elsewhere and imported. Which responses are marked blind is "
    "drawn by lot for each question before anything is shown, unless the whole exam is marked blind.",
    "Marks that a teacher gave with the AI's mark in view are never counted as agreement: who sees a mark first leans "
    "towards it. They are reported apart, as the accept rate.",
    "Every figure has a range in which the true value is likely to lie. A narrow range means that there are enough "
    "pairs; a wide one, that more are needed before anything is decided.",
)


def html_report(found: Handout, answers: Sequence[Answer]) -> str:
    """The report as one file that asks no host for anything. All text from the exam is escaped."""
    figures = found.figures
    return html.page(
        f"Agreement report: {figures.exam.title}",
        (
            _head(found),
            html.section("In short", _answers(answers)),
            html.section("How the marks were compared", *(html.paragraph(each) for each in METHOD), _judges(found)),
            html.section("What this rests on", _coverage(found)),
            html.section("The figures", overall(figures)),
            html.section("As close as a second teacher?", second_teacher(figures)),
            html.section("Question by question", *questions(figures)),
            html.section("Where the marks differ", *differing(figures)),
            html.section("As marking went on", *over_time(found)),
            html.section("Where the AI was sure", *by_confidence(figures)),
            html.section("With the AI's mark in view", *in_view(figures)),
            html.section("One judge beside another", *by_judge(found)),
            html.section("Groups of candidates", *by_group(found)),
            html.section("Limits", html.bullets(limits(found))),
            html.section("Adjudications", *adjudicated(found)),
            html.section("What the words mean", html.definitions([(d.term, d.plain, d.exact) for d in DEFINITIONS])),
            html.section("Versions, and how to make these figures again", *versions(found), *reproduce(found)),
        ),
    )


def _head(found: Handout) -> str:
    exam, origin = found.figures.exam, found.provenance
    about = " · ".join(each for each in (exam.subject, exam.level, exam.series) if each)
    return "\n".join(
        (
            f"<header><h1>{escape(exam.title)}: how far the AI and the teachers agree</h1>",
            html.paragraph(about),
            html.paragraph(f"Report of {html.moment(origin.made_at, found.zone)}. {origin.selection}.", "under"),
            html.paragraph(exam.notice, "notice"),
            "</header>",
        )
    )


def _answers(answers: Sequence[Answer]) -> str:
    return "\n".join(
        '<div class="keep">'
        + html.heading(each.question)
        + html.paragraph(each.text)
        + html.bullets([step.text for step in each.steps], numbered=True)
        + "</div>"
        for each in answers
    )


def _judges(found: Handout) -> str:
    names = found.figures.overall.judges
    if not names:
        return html.paragraph("No judge has proposed marks for this exam yet.")
    judged = f"{'The judge is' if len(names) == 1 else 'The judges are'} {', '.join(names)}."
    return html.paragraph(f"{judged} Models, prompts and mark schemes with their versions stand at the end.")


def _coverage(found: Handout) -> str:
    figures, origin = found.figures, found.provenance
    agreement = figures.overall.agreement
    rows = [
        ("Candidates in the exam", origin.candidates),
        ("Responses to the questions selected", origin.responses),
        ("Of them marked by a teacher here", origin.marked),
        ("Pairs with a blind mark", figures.blind_pairs),
        ("Pairs with an imported mark", figures.imported_pairs),
        ("Marks given with the AI's in view (not counted as agreement)", figures.overall.accept.accepted.n),
    ]
    covered = agreement.coverage if agreement.headline == "aggregate" else agreement.pooled_coverage
    said = [f"The QWK of the exam rests on {covered}."] if agreement.qwk.value is not None else []
    by_reason: dict[str, list[str]] = {}
    for left_out in agreement.left_out:
        by_reason.setdefault(left_out.reason, []).append(left_out.question)
    said += [
        f"Without a QWK: question{'' if len(numbers) == 1 else 's'} {', '.join(numbers)} ({reason})."
        for reason, numbers in by_reason.items()
    ]
    return html.table(("", "Number"), rows) + html.paragraph(" ".join(said))
