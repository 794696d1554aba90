"""The groups of a table's candidates, such as class and tier: one value a candidate, the same in all their rows."""

from __future__ import annotations

from components.intake.cells import shortened
from components.intake.columns import Mapping, group_name, has_email, is_personal
from components.intake.report import Report
from components.intake.spelling import plainly_written
from components.intake.tables import Table

LONGEST = 60
_OR_LEAVE = "or leave the column out of the groups"


def check_group_columns(table: Table, mapping: Mapping, report: Report) -> None:
    """Report the chosen columns that cannot be groups: not there, with another use, of people's names, or alike."""
    fields = set(mapping.chosen().values())
    named: dict[str, str] = {}
    for column in dict.fromkeys(mapping.groups):
        name = group_name(column)
        problem = ""
        if column not in table.columns:
            problem = f"There is no column “{column}”. Choose another for the groups."
        elif column in fields:
            problem = f"Column “{column}” is chosen for the groups and for something else. Choose one of them."
        elif is_personal(table, column):
            problem = f"Column “{column}” holds names or e-mail addresses, which are never groups. Leave it out."
        elif len(name) > LONGEST:
            problem = f"The heading “{shortened(column)}” is over {LONGEST} characters. Shorten it, {_OR_LEAVE}."
        elif name in named:
            problem = f"Columns “{named[name]}” and “{column}” would both be the group “{name}”. Leave one of them out."
        if problem:
            report.whole(table.header_row, problem)
        named.setdefault(name, column)


def read_groups(table: Table, mapping: Mapping, report: Report) -> dict[str, dict[str, str]]:
    """By candidate, in the order of the file, the values by group; a blank cell is none. Faults go to the report.

    Expects columns that `check_group_columns` had nothing against.
    """
    if mapping.candidate is None or not mapping.groups:
        return {}
    numbers = table.columns.index(mapping.candidate)
    places = [(group_name(column), table.columns.index(column)) for column in dict.fromkeys(mapping.groups)]
    found: dict[str, dict[str, str]] = {}
    said_in: dict[tuple[str, str], int] = {}
    for row, cells in zip(table.row_numbers, table.rows, strict=True):
        candidate = plainly_written(cells[numbers])
        if not candidate or row in table.too_wide:
            continue
        values = found.setdefault(candidate, {})
        for name, place in places:
            value = " ".join(cells[place].split())
            if not value or value == values.get(name):
                continue
            problem = _problem(name, value)
            if name in values:
                problem = (
                    f"the {name} of candidate {candidate} is “{shortened(value)}” here but “{values[name]}” in row "
                    f"{said_in[candidate, name]}. Give them one, {_OR_LEAVE}."
                )
            if problem:
                report.error(row, problem)
            else:
                values[name] = value
                said_in[candidate, name] = row
    return {candidate: values for candidate, values in found.items() if values}


def _problem(name: str, value: str) -> str:
    if has_email(value):
        return f"{name}: this is an e-mail address, which is never a group. Take it out, {_OR_LEAVE}."
    if len(value) > LONGEST:
        return f"{name}: “{shortened(value)}” is over {LONGEST} characters. Shorten it, {_OR_LEAVE}."
    return ""
