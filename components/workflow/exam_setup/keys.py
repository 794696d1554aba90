"""Keys of choice and numeric questions, from what an author typed."""

from __future__ import annotations

import re

from components.marking import ChoiceKey, MarkError, NumericKey, Scale, Scheme
from components.workflow.exam_setup.body import ChoiceBody, NumericBody, either, lines

_PARTIAL = re.compile(r"^(.*\S)\s+(\d+(?:[.,]\d+)?)$")
_OPTION = re.compile(r"^\(?([A-Za-z])(?:[).:、．]|\s|$)\s*(.*)$")


def choice_key(row: ChoiceBody, scale: Scale) -> ChoiceKey | None:
    """The key of a choice question; None where nothing is typed. Raises MarkError or pydantic's ValidationError."""
    correct = tuple("".join(re.findall("[A-Z]", part.upper())) for part in either(row.key))
    each = _sequence(row.each)
    if not correct and not each:
        if row.options.strip() or row.partial.strip():
            raise MarkError("The options have no key yet. Say which is right, such as B.")
        return None
    if any(not part for part in correct):
        raise MarkError(
            f"The key “{row.key.strip()}” is not in letters. Write B, ACD, or B or C where either is right."
        )
    options = _options(row.options)
    strange = sorted({letter for key in correct for letter in key} - set(options)) if options else []
    if strange:
        raise MarkError(f"The key names {', '.join(strange)}, which the options do not have.")
    key = ChoiceKey(
        options=options,
        correct=correct,
        each=each,
        partial=_partial(row.partial),
        subset_marks=row.subset_marks,
        rule="published" if row.rule == "published" else "ours",
    )
    Scheme(max_mark=scale.max_mark, mark_step=scale.mark_step, choice=key)
    return key


def _sequence(text: str) -> tuple[str, ...]:
    """ "BDACA" or "B, D, AC": a key for every sub-question."""
    pieces = [piece for piece in re.split(r"[\s,;]+", text.strip()) if piece]
    return tuple(pieces[0]) if len(pieces) == 1 else tuple(pieces)


def _options(text: str) -> dict[str, str]:
    options: dict[str, str] = {}
    label = ""
    for line in lines(text):
        found = _OPTION.match(line)
        if found is None and options:
            options[label] += f"\n{line}"
            continue
        if found is None:
            raise MarkError(f"“{line[:40]}” is no option. Begin each line with its letter, as in “A  the nucleus”.")
        label = found[1].upper()
        if label in options:
            raise MarkError(f"Option {label} is there twice.")
        options[label] = found[2].strip()
    return options


def numeric_key(row: NumericBody, scale: Scale) -> NumericKey | None:
    """The key of a numeric question; None where nothing is typed. Raises as `choice_key` does."""
    correct = lines(row.correct)
    if not correct:
        if row.partial.strip():
            raise MarkError("Part marks are given, but no right answer. Give the right answer too.")
        return None
    for value, name in ((row.tolerance, "tolerance"), (row.relative_tolerance, "relative tolerance")):
        if value is not None and value < 0:
            raise MarkError(f"The {name} cannot be below 0.")
    key = NumericKey(
        correct=correct,
        tolerance=row.tolerance or 0.0,
        relative_tolerance=row.relative_tolerance or 0.0,
        significant_figures=row.significant_figures,
        unit_required=row.unit_required,
        partial=_partial(row.partial),
    )
    Scheme(max_mark=scale.max_mark, mark_step=scale.mark_step, numeric=key)
    return key


def _partial(text: str) -> dict[str, float]:
    earned: dict[str, float] = {}
    for line in lines(text):
        found = _PARTIAL.match(line)
        if found is None:
            raise MarkError(f"“{line[:40]}” does not end in marks. Write an answer and its marks, as in “AC 1”.")
        if found[1] in earned:
            raise MarkError(f"Part marks name “{found[1]}” twice.")
        earned[found[1]] = float(found[2].replace(",", "."))
    return earned
