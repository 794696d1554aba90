"""Reading one number as people write it, with its significant figures."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from components.judge.objective.reading import caret_exponents

_LONGEST_NUMBER = 60
_LARGEST_EXPONENT = 300
_VULGAR = {
    "½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5),
    "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅐": (1, 7), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8),
    "⅑": (1, 9), "⅒": (1, 10),
}  # fmt: skip
_MULTIPLIERS = {
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "dozen": 12, "hundred": 100, "万": 10**4, "亿": 10**8,
}  # fmt: skip
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

_SIGN = re.compile(r"\s*(?P<sign>[+-]|(?:minus|negative)\s|负)?\s*", re.IGNORECASE)
_POWER = r"10\s*(?:\^|\*\*)\s*[({]?\s*(?P<power>[+-]?\s?\d+)\s*[)}]?"
_MIXED = re.compile(
    rf"(?P<whole>\d+)(?:\s*(?P<vulgar>[{''.join(_VULGAR)}])|\s+(?P<top>\d+)\s*/\s*(?P<bottom>\d+)(?![\d.,^]))"
)
_VULGAR_ALONE = re.compile(f"[{''.join(_VULGAR)}]")
_RATIO = re.compile(r"(?P<top>\d+)\s*/\s*(?P<bottom>\d+)(?![\d.,^])")
_POWER_ALONE = re.compile(rf"{_POWER}(?![\d.])")
_DECIMAL = re.compile(
    r"(?P<digits>"
    r"(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}|\d{1,3}(?: \d{3})+)(?:\.\d+)?(?![\d,]|\.\d)"
    r"|\d{1,3}(?:\.\d{3})+,\d+(?![\d.,])"
    r"|\d+,\d+(?![\d.,])"
    r"|\d+(?:\.\d+)?(?![\d]|[.,]\d)"
    r"|\.\d+(?![\d.,])"
    r")"
    rf"(?:\s*(?:[×xX*·]\s*{_POWER}(?![\d.])|[eE](?P<exponent>[+-]?\d+)(?![\d.])))?"
)
_WORD = re.compile(rf"(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_MULTIPLIER = re.compile(rf"\s*(?:({'|'.join(w for w in _MULTIPLIERS if w.isascii())})\b|([万亿]))", re.IGNORECASE)


@dataclass(frozen=True)
class Number:
    """A number as written. `figures` is the fewest and most significant figures it may be said to show, and `decimals`
    its decimal places; both None for a fraction or a word. `other` is the second reading of `12,500` (a decimal comma).
    `rest` is the text after it.
    """

    value: Fraction
    rest: str
    figures: tuple[int, int] | None = None
    decimals: int | None = None
    other: Fraction | None = None


def read_number(text: str) -> Number | None:
    """The number that `text` begins with: 12.5, 12,500, 12,5, −3, 1/2, 1 1/2, ½, 3.2 × 10^5, 3.2e5, 5 million.

    None where it begins with no number, or with one too long or too large to be an answer.
    """
    text = caret_exponents(text)
    sign = _SIGN.match(text)
    assert sign is not None
    number = _unsigned(text, sign.end())
    if number is None:
        return None
    scale = _MULTIPLIER.match(number.rest)
    if scale:
        factor = _MULTIPLIERS[(scale.group(1) or scale.group(2)).lower()]
        number = replace(
            number, value=number.value * factor, rest=number.rest[scale.end() :], decimals=None, other=None
        )
    if (sign["sign"] or "+").strip() in ("+", ""):
        return number
    return replace(number, value=-number.value, other=None if number.other is None else -number.other)


def _unsigned(text: str, at: int) -> Number | None:
    if mixed := _MIXED.match(text, at):
        top, bottom = _VULGAR[mixed["vulgar"]] if mixed["vulgar"] else (int(mixed["top"]), int(mixed["bottom"]))
        return _fraction(int(mixed["whole"]), top, bottom, text[mixed.end() :])
    if vulgar := _VULGAR_ALONE.match(text, at):
        return _fraction(0, *_VULGAR[vulgar.group()], text[vulgar.end() :])
    if ratio := _RATIO.match(text, at):
        return _fraction(0, int(ratio["top"]), int(ratio["bottom"]), text[ratio.end() :])
    if (power := _POWER_ALONE.match(text, at)) and (exponent := _exponent(power["power"])) is not None:
        return Number(Fraction(10) ** exponent, text[power.end() :])
    if decimal := _DECIMAL.match(text, at):
        return _decimal(decimal, text[decimal.end() :])
    word = _WORD.match(text, at)
    return Number(Fraction(_WORDS.index(word.group().lower())), text[word.end() :]) if word else None


def _fraction(whole: int, top: int, bottom: int, rest: str) -> Number | None:
    return None if bottom == 0 else Number(whole + Fraction(top, bottom), rest)


def _decimal(match: re.Match[str], rest: str) -> Number | None:
    written = match["digits"]
    exponent = _exponent(match["power"] or match["exponent"] or "0")
    if exponent is None or len(written) > _LONGEST_NUMBER:
        return None
    point, comma = _points(written)
    digits = written.translate({ord(" "): None, ord("," if point == "." else "."): None}).replace(point, ".")
    scale = Fraction(10) ** exponent
    other = Fraction(written.replace(",", ".")) * scale if comma else None
    has_power = bool(match["power"] or match["exponent"])
    decimals = None if has_power else len(digits.partition(".")[2])
    return Number(Fraction(digits) * scale, rest, _figures(digits), decimals, other)


def _points(written: str) -> tuple[str, bool]:
    """The decimal point of a number as written, and whether its one comma could be either kind."""
    if "," not in written:
        return ".", False
    head, _, tail = written.rpartition(",")
    if "." in tail:
        return ".", False
    if "." in head or len(tail) != 3 or head.startswith("0") or len(head.split(",")[0]) > 3:
        return ",", False
    return ".", "," not in head


def _figures(digits: str) -> tuple[int, int]:
    kept = digits.replace(".", "").lstrip("0")
    if not kept:
        return 1, max(1, len(digits.partition(".")[2]))
    return (len(kept) if "." in digits else len(kept.rstrip("0"))), len(kept)


def _exponent(written: str) -> int | None:
    written = written.replace(" ", "")
    if len(written) > 5 or abs(int(written)) > _LARGEST_EXPONENT:
        return None
    return int(written)


def rounded(value: Fraction, decimals: int) -> Fraction:
    """The value to so many decimal places, halves away from zero as schools round."""
    scaled = abs(value) * 10**decimals
    nearest = Fraction(int(scaled + Fraction(1, 2)), 1)
    return (nearest if value >= 0 else -nearest) / Fraction(10) ** decimals


def to_figures(value: Fraction, figures: int) -> Fraction:
    """The value to so many significant figures, halves away from zero."""
    if value == 0:
        return value
    places, size = figures - 1, abs(value)
    while size >= 10:
        size, places = size / 10, places - 1
    while size < 1:
        size, places = size * 10, places + 1
    return rounded(value, places) if places >= 0 else rounded(value / 10**-places, 0) * 10**-places
