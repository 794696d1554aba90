"""The trial's report as one HTML file: no script, no request, every text from the exam escaped."""

from __future__ import annotations

from html import escape

from components.workflow.agreement import report_page as html
from components.workflow.trial.report_charts import drawings
from components.workflow.trial.report_figures import TrialFigures
from components.workflow.trial.report_methods import day, definitions, limits, methods
from components.workflow.trial.report_shapes import Section


def trial_html(found: TrialFigures, sections: tuple[Section, ...]) -> str:
    """The whole file. Its only day is the trial's own, so that the same trial always makes the same bytes."""
    data = found.data
    words = [(each.term, each.plain, each.exact) for each in definitions()]
    return html.page(
        f"Trial report: {data.title}",
        (
            f"<header><h1>{escape(data.title)}: should this model second-mark this exam?</h1>",
            html.paragraph(data.exam),
            html.paragraph(f"Trial of {day(data.created_at)}.", "under"),
            "</header>",
            *(_section(each) for each in sections),
            html.section("Methods", *(html.paragraph(each) for each in methods(found))),
            html.section("Limits", html.bullets(limits(found))),
            html.section("What the words mean", html.definitions(words)),
        ),
    )


def _section(section: Section) -> str:
    charts = () if section.drawn is None else drawings(f"{section.key}-", section.drawn)
    tables = section.tables
    captions = [table.name if len(tables) > 1 else "" for table in tables]
    return html.section(
        section.title,
        *(html.paragraph(each) for each in section.said),
        *(html.figure(each) for each in charts),
        html.paragraph(section.note, "small"),
        *(html.table(table.columns, table.rows, said) for table, said in zip(tables, captions, strict=True)),
    )
