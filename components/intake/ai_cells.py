"""What an AI's mark looks like in a cell: a mark, or the marks of its items, as in “[0, 1, 1]”."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from components.intake.cells import MarkCell, NotAMarkError, read_mark, shortened

_NO_MARK = frozenset({"n/a", "na", "nan", "none", "null", "<na>", "[]", "()"})  # as programs write that there is none
_BRACKETED = re.compile(r"\[(.*)\]|\((.*)\)", re.DOTALL)


@lru_cache(maxsize=4096)
def read_ai_mark(cell: str) -> MarkCell:
    """Reads what `read_mark` reads, and lists of item marks: “[0, 1, 1]”, “0;1;1”, “0|1|1”, “0, 1, 1”.

    “nan”, “None” and the like are no mark. Raises NotAMarkError for anything else.
    """
    text = unicodedata.normalize("NFKC", cell).strip()
    if text.casefold() in _NO_MARK:
        return MarkCell(None, unmarked_sign=True)
    parts = _parts(text)
    if parts is None:
        return read_mark(cell)
    items = tuple(_item(part, cell) for part in parts)
    return MarkCell(sum(items), items=items)


def _parts(text: str) -> list[str] | None:
    """The parts of a list; None where the cell is none."""
    bracketed = _BRACKETED.fullmatch(text)
    inner = (bracketed[1] or bracketed[2] or "").strip() if bracketed else text
    if ";" in inner or "|" in inner:
        return re.split(r"[;|]", inner)
    if bracketed:
        return inner.split(",") if "," in inner else inner.split()
    if inner.count(",") > 1 or re.search(r",\s", inner):  # one comma alone is a decimal's
        return inner.split(",")
    return None


def _item(part: str, cell: str) -> float:
    try:
        read = read_mark(part.strip().strip("'\"").removesuffix("."))
    except NotAMarkError:
        read = None
    if read is None or read.mark is None or read.out_of is not None:
        raise NotAMarkError(f"“{shortened(cell)}” is neither a mark nor a list of item marks such as [0, 1, 1]")
    return read.mark
