"""Rows of a table that are nobody's: averages, totals, and the row of maximum marks under the heading."""

from __future__ import annotations

import re
from collections.abc import Sequence

from components.intake.forms.people import People
from components.intake.tables import Table

_SUMMARY = re.compile(
    r"(?:overall |class |group |grand |cohort |year |course |question )?"
    r"(?:averages?|means?|medians?|modes?|totals?|sums?|counts?|std\.? ?dev\.?|standard deviation|s\.?d\.?|range"
    r"|facility|highest|lowest|percent(?:age)?|average %|平均分?|均分|合计|总计|最高分?|最低分?|标准差|中位数)"
    r"(?: marks?| scores?| grades?| points?)?(?: ?\(.*\))?:?",
    re.IGNORECASE,
)
_EITHER = re.compile(r"(?:max(?:imum)?|min(?:imum)?)\.?:?", re.IGNORECASE)
_MAXIMUM = re.compile(
    r"(?:max(?:imum)?\.?|out of|available|possible|total|full)(?: (?:marks?|points?|scores?|available|possible))*"
    r"(?: \(?out of\)?)?:?|(?:marks?|points?) (?:available|possible)|满分值?|分值|总分",
    re.IGNORECASE,
)


def is_maximum_row(row: Sequence[str], people: People, *, first: bool) -> bool:
    """Whether a row holds the maximum marks: “Max” or “Total” under the heading, “Out of” or “Max marks” anywhere."""
    label = _label(row, _places(people))
    if not label or not _MAXIMUM.fullmatch(label):
        return False
    return first or not (_EITHER.fullmatch(label) or _SUMMARY.fullmatch(label))


def summary_rows(table: Table, people: People) -> dict[int, str]:
    """The rows of averages, totals and the like by number, with their labels.

    “Max” and “Min” may be people, so they count only in the block of such rows that ends the table.
    """
    places = _places(people)
    labels = [_label(row, places) for row in table.rows]
    found = {
        number: label for number, label in zip(table.row_numbers, labels, strict=True) if _SUMMARY.fullmatch(label)
    }
    block: dict[int, str] = {}
    for number, label in zip(reversed(table.row_numbers), reversed(labels), strict=True):
        if not (_SUMMARY.fullmatch(label) or _EITHER.fullmatch(label)):
            break
        block[number] = label
    if any(number in found for number in block):
        found |= block
    return found


def _places(people: People) -> list[int]:
    return sorted(people.all()) or [0]


def _label(row: Sequence[str], places: Sequence[int]) -> str:
    """The one cell that would say who a row is of, or nothing where two do, as a name and a number."""
    filled = [row[place] for place in places if row[place].strip()]
    return " ".join(filled[0].split()) if len(filled) == 1 else ""
