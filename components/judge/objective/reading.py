"""What it means to read an answer, and cleaning typed text without moving a character."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

LONGEST_ANSWER = 5_000
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_SPECIAL = {
    **dict.fromkeys("−–—‒﹣", "-"),
    **dict.fromkeys("⁄∕÷", "/"),
    **dict.fromkeys("⋅∙•・", "·"),
    **dict.fromkeys("✕✖⨯", "×"),
    **dict.fromkeys("º˚", "°"),
    **dict.fromkeys("≃≅≒", "≈"),
    **dict.fromkeys("‘’´`", "'"),
    **dict.fromkeys("“”", '"'),
    "、": ",",
    "。": ".",
    "【": "[",
    "】": "]",
    "\u2028": "\n",
    "\u2029": "\n",
    "\n": "\n",
    "\t": " ",
    "\r": " ",
}
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SUPERSCRIPT_RUN = re.compile("[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")


class Unreadable(ValueError):
    """The rule cannot read this answer or key, so there is no proposal. The message is for a teacher."""


@dataclass(frozen=True)
class Judgement:
    """What a rule says of an answer. `start`/`end` index its text; `sure` is False where it was interpreted."""

    mark: float
    reason: str
    start: int
    end: int
    sure: bool = True


def plain(text: str) -> str:
    """The text with full-width letters, odd minus signs and odd spaces made ordinary, one character for one.

    Positions stay valid. Superscripts and fraction characters stay as they are. Raises Unreadable for text that is
    too long, or that holds control or direction characters (they can make an answer look other than it is).
    """
    if len(text) > LONGEST_ANSWER:
        raise Unreadable(
            f"The answer has {len(text):,} characters, too many for a question marked by rule. Please mark it yourself."
        )
    if text.isascii() and text.isprintable():
        return text.replace("`", "'")
    folded = "".join(map(_fold, text))
    if "\0" in folded:
        raise Unreadable(
            "The answer has hidden control or text-direction characters in it, so what it says is not certain. "
            "Please mark it yourself."
        )
    return folded


@lru_cache(maxsize=4096)
def _fold(char: str) -> str:
    """One character for one; NUL for a character that must not be in an answer."""
    if char in _SPECIAL:
        return _SPECIAL[char]
    category = unicodedata.category(char)
    if char in _BIDI or category in ("Cc", "Cs", "Co"):
        return "\0"
    if category in ("Zs", "Cf"):
        return " "
    if category == "Nd":
        return str(unicodedata.digit(char))
    if unicodedata.decomposition(char).startswith(("<super>", "<sub>", "<fraction>")):
        return char
    compatible = unicodedata.normalize("NFKC", char)
    return compatible if len(compatible) == 1 else char


def caret_exponents(text: str) -> str:
    """Superscripts as carets: `10⁻³` becomes `10^-3`."""
    return _SUPERSCRIPT_RUN.sub(lambda run: "^" + run.group().translate(_SUPERSCRIPTS), text)


def bare(text: str) -> str:
    """Text for comparing wording: no spaces, no closing full stop, lower case kept apart from upper."""
    return re.sub(r"\s+", "", caret_exponents(text)).rstrip(".,;")


def trimmed(text: str, start: int, end: int, strip: str = " \n") -> tuple[int, int]:
    """The span without the characters of `strip` at either end."""
    while start < end and text[start] in strip:
        start += 1
    while end > start and text[end - 1] in strip:
        end -= 1
    return start, end
