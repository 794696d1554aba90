"""What a line says of a question's maximum: "Total 6", "[2 marks]", "(共6分)", "(4)"."""

from __future__ import annotations

import re

_TOTAL = re.compile(
    r"^[\[(（【]?\s*(?:sub-?\s?total|total|maximum\s+marks?|max(?:imum)?\s+mark|共计?|满分|合计|总分|本小?题(?:满分|共))"
    r"\s*(?:marks?\b)?\s*(?:(?:for|of)\s+(?:question|q|part)\s*[\d()a-z.]{1,12})?\s*(?:is\b|[=:：–—-])?\s*[\[(（]?\s*"
    r"(\d{1,3})\s*(?:marks?|分)?\s*[\])）】]*\s*\.?$",
    re.I,
)
_ALONE = re.compile(
    r"^[\[(（【]\s*(\d{1,3}(?:\.\d{1,2})?)\s*(?:marks?|分)?\s*[\])）】]$|^(\d{1,3})\s*(?:marks?|分)$", re.I
)
_HEAD = (
    r"[\[(（【]\s*(?:total\s*:?|共|满分|本小?题(?:满分|共)?|max(?:imum)?\.?)?\s*(\d{1,3})\s*(?:marks?|分)?\s*[\])）】]"
)
_HEAD_FIRST = re.compile(rf"^{_HEAD}\s*[:：.]?\s*", re.I)
_HEAD_OBJECTIVES = re.compile(r"^[(\[]\s*(\d{1,3})\s*marks?\b[^()\[\]]*\bAO\d[^()\[\]]*[)\]]\s*", re.I)
_HEAD_LAST = re.compile(
    r"\s*[\[(（【]\s*(?:total\s*:?|共|满分|本小?题(?:满分|共)|max(?:imum)?\.?)\s*(\d{1,3})\s*(?:marks?|分)?\s*[\])）】]$",
    re.I,
)


def total(line: str) -> float | None:
    """The marks of a line "Total 6"."""
    found = _TOTAL.match(line)
    return float(found[1]) if found else None


def alone_mark(line: str) -> float | None:
    """The marks of a line that says nothing else."""
    found = _ALONE.match(line)
    return float(found[1] or found[2]) if found else None


def head_marks(rest: str) -> tuple[float | None, str]:
    """The maximum that stands beside a question's number, and the rest of that line."""
    found = _HEAD_FIRST.match(rest) or _HEAD_OBJECTIVES.match(rest)
    if found:
        return float(found[1]), rest[found.end() :].strip()
    found = _HEAD_LAST.search(rest)
    if found:
        return float(found[1]), rest[: found.start()].strip()
    plain = re.match(r"^(\d{1,3})\s*(?:marks?|分)$", rest, re.I)
    return (float(plain[1]), "") if plain else (None, rest)
