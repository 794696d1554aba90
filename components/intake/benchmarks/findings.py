"""What was found wrong in files, gathered so that one fault of many rows is one line of the report."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

_MOST_ROWS = 100


class Findings:
    """The report of a load, being written."""

    def __init__(self) -> None:
        self._notes: list[str] = []
        self._rows: dict[tuple[str, str, str], list[tuple[str, str]]] = {}

    def note(self, text: str) -> None:
        """Something to say once, of no row."""
        if text not in self._notes:
            self._notes.append(text)

    def add(self, file: str, fault: str, row: object, *, of: str = "item", detail: str = "") -> None:
        """A fault of one row; `of` says what the file's rows are called, `detail` what stands in this one."""
        self._rows.setdefault((file, fault, of), []).append((str(row), detail))

    def join(self, other: Findings) -> None:
        """Takes over what another report says: a file's, once it turned out to be a benchmark's."""
        for text in other._notes:
            self.note(text)
        for fault, rows in other._rows.items():
            self._rows.setdefault(fault, []).extend(rows)

    def lines(self) -> tuple[str, ...]:
        """The notes, then a line for each fault of each file with its rows, in the order they were found."""
        found = (
            f"{file}, {of}{'s' if len(rows) > 1 else ''} {_listed(rows)}: {fault}"
            for (file, fault, of), rows in self._rows.items()
        )
        return (*self._notes, *found)


def _listed(rows: list[tuple[str, str]]) -> str:
    shown = [f"{row} ({detail})" if detail else row for row, detail in rows]
    if not any(detail for _, detail in rows) and all(row.isdecimal() for row in shown):
        shown = list(_ranges([int(row) for row in shown]))
    more = len(shown) - _MOST_ROWS
    return ", ".join(shown[:_MOST_ROWS]) + (f" and {more} more" if more > 0 else "")


def _ranges(numbers: list[int]) -> Iterable[str]:
    """1, 2, 3, 7 as "1–3" and "7"."""
    start = last = numbers[0]
    for number in [*numbers[1:], None]:
        if number == last + 1:
            last = number
            continue
        yield str(start) if start == last else f"{start}–{last}"
        if number is not None:
            start = last = number


def shown(name: str) -> str:
    """A file's name for the report: with its folder where that is a split, which tells files of one name apart."""
    path = PurePosixPath(name)
    return f"{path.parent.name}/{path.name}" if path.parent.name.lower() in ("dev", "val", "test") else path.name


def files_listed(names: Iterable[str], most: int = 5) -> str:
    """File names for a sentence, the first few of them."""
    names = list(names)
    more = len(names) - most
    return ", ".join(f"“{name}”" for name in names[:most]) + (f" and {more:,} more" if more > 0 else "")
