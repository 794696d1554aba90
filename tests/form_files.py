"""Small files in the layouts of other programs, and what a plan of them holds."""

import csv
import io
from collections.abc import Sequence

from components.intake import Defaults, ImportPlan, plan_import
from components.intake.forms import Choices, Recognised, recognise


def csv_file(*rows: Sequence[object], delimiter: str = ",", encoding: str = "utf-8") -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter).writerows(rows)
    return out.getvalue().encode(encoding)


def xlsx_file(*rows: Sequence[object], merged: Sequence[str] = ()) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    for row in rows:
        sheet.append(row)
    for area in merged:
        sheet.merge_cells(area)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def planned(found: Recognised, choices: Choices | None = None, max_mark: float | None = None) -> ImportPlan:
    """The plan of a recognised file, which must have no error."""
    plan = plan_of(found, choices, max_mark)
    assert plan.ok, errors(plan)
    return plan


def plan_of(found: Recognised, choices: Choices | None = None, max_mark: float | None = None) -> ImportPlan:
    made = found.to_table(choices or Choices())
    question = "" if made.mapping.question else "1"
    return plan_import(made.table, made.mapping, Defaults(max_mark=max_mark, question=question))


def errors(plan: ImportPlan) -> list[str]:
    return [entry.message for entry in plan.report if entry.level == "error"]


def answers(plan: ImportPlan) -> dict[tuple[str, str], str]:
    return {(each.candidate, each.question): each.answer for each in plan.responses}


def marks(plan: ImportPlan) -> dict[tuple[str, str], float]:
    of = {each.row: (each.candidate, each.question) for each in plan.responses}
    return {of[each.row]: each.mark for each in plan.human_marks}


def maxima(plan: ImportPlan) -> dict[str, float]:
    return {each.question.number: each.question.max_mark for each in plan.questions}


def candidates(plan: ImportPlan) -> list[str]:
    return list(dict.fromkeys(each.candidate for each in plan.responses))


def notes(found: Recognised) -> str:
    return "\n".join(found.notes)


def recognised(name: str, *rows: Sequence[object]) -> Recognised:
    return recognise(name, csv_file(*rows))
