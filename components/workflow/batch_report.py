"""What came of a batch, as one table: what was left out, each line that is not simply read, what is missing."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass

from components.intake.report import defused
from storage import Store, batches
from storage.batches import Batch

COLUMNS = ("Where", "Line", "Question", "Candidate", "What", "Why", "custom_id")
MISSING = "Missing"


@dataclass(frozen=True)
class Report:
    """`counts` are lines by outcome over all files read; `rows` follow COLUMNS, `unlisted` more are only counted."""

    counts: dict[str, int]
    rows: list[dict[str, object]]
    unlisted: int


def report_of(store: Store, batch: Batch) -> Report:
    """The batch's report; what is missing is told only once something has been read, or the batch has ended."""
    rows = [
        _row(
            "When it was written", "", note.get("question", ""), note.get("candidate", ""), note["what"], note["words"]
        )
        for note in batch.notes
    ]
    counts: dict[str, int] = {}
    unlisted = 0
    for file, each in batch.report.items():
        for what, n in each["counts"].items():
            counts[what] = counts.get(what, 0) + n
        unlisted += sum(n for what, n in each["counts"].items() if what != "Read") - len(each["rows"])
        rows += [
            _row(file, row["line"], row.get("question", ""), row.get("candidate", ""), row["what"], row["words"],
                 row["custom_id"])
            for row in each["rows"]
        ]  # fmt: skip
    if batch.report or batch.state == batches.ENDED:
        with store.read() as db:
            missing = batches.missing(db, batch.id)
        why = "No line has come back for it."
        rows += [_row("", "", each.question, each.candidate, MISSING, why) for each in missing]
    return Report(counts, rows, unlisted)


def as_csv(rows: Iterable[dict[str, object]]) -> bytes:
    """The rows as a table that spreadsheets open: UTF-8 with its mark, and no text taken for a formula."""
    written = io.StringIO()
    table = csv.writer(written)
    table.writerow(COLUMNS)
    table.writerows([_safe(cell) for cell in row.values()] for row in rows)
    return written.getvalue().encode("utf-8-sig")


def _row(*cells: object) -> dict[str, object]:
    return dict(zip(COLUMNS, (*cells, *[""] * (len(COLUMNS) - len(cells))), strict=True))


def _safe(cell: object) -> object:
    return defused(cell) if isinstance(cell, str) else cell
