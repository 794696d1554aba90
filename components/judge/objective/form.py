"""Where an equal value is not enough: the question asks for a form, or the answer repeats the question."""

from __future__ import annotations

import re

from components.judge.objective.expression import without_latex
from components.judge.objective.quantity import Quantity
from components.judge.objective.reading import Unreadable, bare, caret_exponents

_ASKS_FOR_A_FORM = re.compile(
    r"\bas an? (?:[a-z]+ ){0,2}(?:decimal|fraction|percentage|mixed number)\b|\bstandard form\b|\bscientific notation\b"
    r"|\bsimplest (?:possible )?form\b|\blowest terms\b|\bsimplif|化简|最简",
    re.IGNORECASE,
)
_ASKS_FOR_A_REARRANGEMENT = re.compile(
    r"\b(?:expand|factori[sz]e|simplif\w*|multiply out|complet\w* the square|in the form|partial fractions)\b"
    r"|化简|因式分解|展开",
    re.IGNORECASE,
)


def check_not_the_question(answer: str, key: str, question: str) -> None:
    """Raises Unreadable for an answer equal to the key that is the question's own wording: 45 km/h, to be converted."""
    if bare(answer) == bare(key):
        return
    own = r"\s*".join(re.escape(char) for char in bare(without_latex(answer)))
    asked = caret_exponents(without_latex(question.replace("$", " ")))
    if re.search(rf"(?<![\w.]){own}(?!\w|\.\d)", asked):
        raise Unreadable(f"{answer} is equal to the key, {key}, but stands in the question itself. Please decide.")


def check_form(answer: Quantity, key: Quantity, question: str) -> None:
    """Raises Unreadable for a value equal to the key's, in another form where the question asks for one."""
    if bare(answer.text) == bare(key.text) or not _ASKS_FOR_A_FORM.search(question):
        return
    if answer.value == key.value and {_form(answer), _form(key)} == {"percentage", "decimal"}:
        return  # 50 for 50%, where a percentage is asked for
    if _form(answer) != _form(key) or answer.exact:
        raise Unreadable(
            f"{answer.text} has the value of the key, {key.text}, but the question asks for a form. Please decide."
        )


def asks_for_a_rearrangement(question: str) -> bool:
    """Whether the question asks to expand, factorise or the like, so that equivalence alone does not earn the mark."""
    return _ASKS_FOR_A_REARRANGEMENT.search(question) is not None


def _form(quantity: Quantity) -> str:
    if quantity.unit is not None and quantity.unit.percent:
        return "percentage"
    if quantity.exact:
        return "exact"
    return "decimal" if quantity.decimals is not None else "standard form"
