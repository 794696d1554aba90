"""Whether the columns chosen of a table are enough, there, and used once each."""

from __future__ import annotations

from components.intake.cells import shortened
from components.intake.columns import FIELD_LABELS, Mapping
from components.intake.groups import check_group_columns
from components.intake.planned import Defaults
from components.intake.report import Report
from components.intake.tables import Table
from components.marking import on_step


def mapping_holds(
    table: Table, mapping: Mapping, defaults: Defaults, report: Report, *, needs_answers: bool = True
) -> bool:
    """Whether every column that is needed is there and used once; what stands in the way goes to the report."""
    chosen = mapping.chosen()
    marks = [name for name in ("mark_1", "mark_2") if name in chosen] + [each.column for each in mapping.ais()]
    needed = ["candidate", *(["answer"] if needs_answers or not marks else [])]
    needed += ["question"] if not defaults.question.strip() else []
    needed += ["max_mark"] if defaults.max_mark is None else []
    for name in needed:
        if name not in chosen:
            other = ", or give it for all rows" if name in {"question", "max_mark"} else ""
            other = ", or one of marks" if name == "answer" and not needs_answers else other
            report.whole(table.header_row, f"Choose the column that holds the {FIELD_LABELS[name].lower()}{other}.")
    users: dict[str, str] = {}
    labelled = [(FIELD_LABELS[name].lower(), column) for name, column in chosen.items()]
    labelled += [(f"marks by {shortened(each.judge) or 'an AI'}", each.column) for each in mapping.ai_columns]
    for label, column in labelled:
        if column not in table.columns:
            report.whole(table.header_row, f"There is no column “{column}”. Choose another for the {label}.")
        elif column in users:
            report.whole(
                table.header_row,
                f"Column “{column}” is chosen for both the {users[column]} and the {label}. Choose one of them.",
            )
        users[column] = label
    _check_judges(table, mapping, report)
    check_group_columns(table, mapping, report)
    if defaults.max_mark is not None and (defaults.max_mark <= 0 or not on_step(defaults.max_mark, 0.25)):
        report.whole(table.header_row, f"For all rows, {bad_maximum(defaults.max_mark)}")
    return not report.errors


def _check_judges(table: Table, mapping: Mapping, report: Report) -> None:
    """Each of several AIs has a name, and none has another's."""
    if len(mapping.ais()) < 2:
        return
    named: dict[str, str] = {}
    for each in mapping.ais():
        name = " ".join(each.judge.split())
        other = named.setdefault(name.casefold(), each.column)
        if not name:
            report.whole(table.header_row, f"Give the AI of column “{each.column}” a name.")
        elif other != each.column:
            report.whole(
                table.header_row,
                f"The AIs of columns “{other}” and “{each.column}” have the same name, “{shortened(name)}”. Give each "
                "a name of its own.",
            )


def bad_maximum(value: float) -> str:
    return f"the maximum mark {value:g} is not a whole number of quarter marks above 0. Write another."
