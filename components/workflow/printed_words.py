"""A question's words as paper can have them: no Markdown or LaTeX, and only signs that a printer's own fonts have."""

from __future__ import annotations

import re

from components.workflow.marks_out.student_words import plain

_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n")
_POWER = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ]+")
_IN_EVERY_FONT = set("¹²³")


def printed_words(text: str) -> str:
    """The author's text for an answer book: “CO2”, “m s^-1”, “cm³”, “40 °C”."""
    return _POWER.sub(_power, plain(text)).translate(_LOWERED)


def _power(found: re.Match[str]) -> str:
    return found[0] if set(found[0]) <= _IN_EVERY_FONT else f"^{found[0].translate(_RAISED)}"
