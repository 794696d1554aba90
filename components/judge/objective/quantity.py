"""A key or an answer as a value with a unit, or as an expression."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from components.judge.objective.algebra import value_of
from components.judge.objective.expression import (
    FUNCTION_NAME,
    TRIGONOMETRIC,
    Tree,
    letters,
    operations,
    read_expression,
    without_latex,
)
from components.judge.objective.number import read_number
from components.judge.objective.reading import Unreadable
from components.judge.objective.units import Unit, read_unit

_CURRENCY = re.compile(r"\s*(?P<sign>-?)\s*(?P<currency>US\$|[$£€¥])\s*(?=[-\d.])")
_CHANGES_THE_VALUE = re.compile(
    r"\b(?:half|halves|thirds?|quarters?|fifths?|tenths?|hundredths?|thousandths?|squared|cubed|factorial|plus|minus|times"
    r"|over|divided|score|gross|lakh|crore|trillion|to|or|and|not|each|power|root|remainder|recurring|point)\b",
    re.IGNORECASE,
)
_NOUN = re.compile(r"[A-Za-z一-鿿][A-Za-z一-鿿' -]*")


@dataclass(frozen=True)
class Quantity:
    """A value as written, with its unit or, where that is no unit known here, the noun counted (5 apples).

    `figures`, `decimals` and `other` are as in Number. `exact` for fractions and for roots and multiples of π, which
    stand for a value no decimal gives. `worked` is False for a sum left undone (3 + 4).
    """

    text: str
    value: Fraction
    unit: Unit | None = None
    noun: str = ""
    figures: tuple[int, int] | None = None
    decimals: int | None = None
    other: Fraction | None = None
    exact: bool = False
    worked: bool = True


def read_quantity(text: str) -> Quantity | None:
    """The quantity in "12.5 m/s", "£5", "50%", "5 apples", "2√3 cm"; None where the text is not a value.

    Raises Unreadable where it begins as a value and then changes it in a way not read here (5 halves, 3 to 4).
    """
    text = without_latex(text).strip()
    currency = _CURRENCY.match(text)
    body = currency["sign"] + text[currency.end() :] if currency else text
    number = read_number(body)
    if number is None:
        return _exact_quantity(text)
    rest = number.rest.strip().rstrip(".,;").strip()
    symbol = {"US$": "$"}.get(currency["currency"], currency["currency"]) if currency else ""
    unit = read_unit(f"{rest} {symbol}" if symbol and rest else symbol or rest)
    noun = ""
    if unit is None and rest:
        if not _NOUN.fullmatch(rest) or _is_algebra(number.rest):
            return _exact_quantity(text)
        if _CHANGES_THE_VALUE.search(rest) or len(rest) > 40:
            raise Unreadable(f"“{rest}” after the number may change its value. Please mark it yourself.")
        noun = rest
    exact = number.figures is None
    return Quantity(text, number.value, unit, noun, number.figures, number.decimals, number.other, exact)


def _is_algebra(rest: str) -> bool:
    """Whether letters after a number are factors (2xy, 2 sin x) rather than the name of a thing (5 men)."""
    words = re.findall(r"[A-Za-z]+", rest)
    if rest[:1].isalpha() and len(words) == 1 and len(words[0]) <= 3:
        return True
    return bool(words) and all(len(word) <= 2 or FUNCTION_NAME.match(word) for word in words)


def _exact_quantity(text: str) -> Quantity | None:
    """A value that has to be worked out: √2/2, 25π cm², 3 + 4."""
    tree, unit = _with_unit(text)
    if tree is None or letters(tree):
        return None
    kinds = operations(tree)
    if kinds & TRIGONOMETRIC:
        raise Unreadable("The answer leaves a sine, cosine or tangent to be worked out. Please mark it yourself.")
    value = value_of(tree)
    if value is None:
        return None
    irrational = bool(kinds & {"sqrt", "const", "ln", "log", "exp"}) or any(
        power[0] != "num" or "." in str(power[1]) for power in _powers(tree)
    )
    return Quantity(text, value, unit, exact=True, worked=irrational)


def _powers(tree: Tree) -> list[Tree]:
    found = [part for child in tree[1:] if isinstance(child, list) for part in _powers(child)]
    power = tree[2] if tree[0] == "pow" else None
    return [*found, power] if isinstance(power, list) else found


def _with_unit(text: str) -> tuple[Tree | None, Unit | None]:
    try:
        tree: Tree | None = read_expression(text)
    except Unreadable:
        tree = None
    if tree is not None and not letters(tree):
        return tree, None
    head, _, tail = text.partition(" ")
    while tail:
        unit = read_unit(tail)
        if unit is not None:
            try:
                return read_expression(head), unit
            except Unreadable:
                return None, None
        more, _, tail = tail.partition(" ")
        head = f"{head} {more}"
    return tree, None
