"""One result of GAOKAO-Bench: a model's answer, and the marks that a judge or two teachers gave it."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping

from components.intake.benchmarks.findings import Findings
from components.intake.benchmarks.items import Item, ShippedResult


def shipped_result(
    item: Item, row: Mapping[str, object], model: str, judge: str, file: str, findings: Findings
) -> ShippedResult:
    """What a row of a results file says of its item. Marks are kept as shipped; invalid and missing ones are said."""
    corrections: tuple[float, ...] = ()
    human: tuple[float, ...] = ()
    if "model_correction_score" in row or "model_correction" in row:
        corrections = _marks(row.get("model_correction_score"))
        said = correction_fault(corrections, item.points)
        if said:
            shown = f"{_shown(corrections)} of {item.points:g}" if corrections else ""
            findings.add(file, f"the judge's mark is invalid, {said}; not counted.", item.number, detail=shown)
    if "correction_score" in row:
        human = _marks(row["correction_score"])
        _say_of_teachers(human, item, file, findings)
    return ShippedResult(
        item=item,
        model=model,
        model_output=str(row.get("model_output") or ""),
        model_answers=_answers(row.get("model_answer")),
        judge=judge,
        grading=str(row.get("model_correction") or ""),
        corrections=corrections,
        human_marks=human,
    )


def correction_fault(corrections: tuple[float, ...], most: float) -> str:
    """Why a judge's marks for an item out of `most` do not count, or "" where they do: one whole mark from 0 to most.

    The benchmark itself counts the mean of whatever its judge gave.
    """
    if not corrections:
        return "there is none"
    if len(corrections) > 1:
        return f"there are {'two' if len(corrections) == 2 else len(corrections)}"
    mark = corrections[0]
    if mark > most:
        return "above the maximum"
    if mark < 0:
        return "below 0"
    return "" if mark == int(mark) else "not whole"


def _say_of_teachers(marks: tuple[float, ...], item: Item, file: str, findings: Findings) -> None:
    if not marks:
        findings.add(file, "no teacher's mark.", item.number)
    elif len(marks) == 1:
        findings.add(file, "one teacher's mark only, of two.", item.number)
    elif len(marks) > 2:
        findings.add(file, "more than two teachers' marks.", item.number, detail=_shown(marks))
    if any(not 0 <= mark <= item.points for mark in marks):
        findings.add(file, "a teacher's mark off the scale.", item.number, detail=f"{_shown(marks)} of {item.points:g}")


def _shown(marks: tuple[float, ...]) -> str:
    return ", ".join(f"{mark:g}" for mark in marks)


def _marks(value: object) -> tuple[float, ...]:
    """The numbers in a list, in a list written as text ("[4, 5]"), or one number; blanks among them are left out."""
    if isinstance(value, str):
        try:
            value = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return ()
    entries = value if isinstance(value, list | tuple) else [value]
    return tuple(mark for mark in map(_mark, entries) if mark is not None)


def _mark(value: object) -> float | None:
    if value is None or isinstance(value, bool):
        return None
    try:
        mark = float(str(value))
    except ValueError:
        return None
    return mark if math.isfinite(mark) else None


def _answers(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, list) else (str(value),)
