"""Question numbers: "3(b)(ii)", "Question 4", "Q5", "4 (a)", "04.2", "第8题", and the parts (b), (ii), （2） alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

from components.intake.mark_scheme.wording import CODE, chinese, marked_pieces, number_of

# "(4)" in ASCII is a mark.
_PARTS = r"((?:\s*[(（](?:[a-h]|[ivx]{1,5})[)）]|\s*（\d{1,2}）)*)"
_NAMED = re.compile(
    rf"^(?:questions?|q(?:n|u|uestion)?|frage|aufgabe|pregunta|ejercicio|exercice|exercise|domanda|problem|task)\s*\.?\s*(\d{{1,3}}(?:\.\d{{1,2}})?){_PARTS}(?![\w%])\s*[:.．、)–—-]?\s*",
    re.IGNORECASE,
)
_LETTERED = re.compile(r"^(?:questions?|q)\s*\.?\s*(\d{1,3})\s*([a-h])(?:\s*([ivx]{1,4}))?(?!\w)\s*[:.]?\s*", re.I)
_SHORT = re.compile(
    r"^(\d{1,2})([a-h])(?:\s*\(?([ivx]{1,4})\)?)?(?:[.):]\s+|\t\s*|\s{2,}|\s*(?=[(\[]\s*\d{1,2}\s*(?:marks?)?\s*[)\]])|$)"
)
_DOTTED = re.compile(r"^(\d{1,2}\.\d{1,2})(?:\t\s*|\s{2,})(?=\S)")
_COLUMN = re.compile(r"^(\d{1,2})(?:(?:\t\s*|\s{2,})(?=\S)|$)")
_WITHIN = re.compile(r"^(?:exercise|section|part|task|paper)\s+\w{1,3}\s*[,:;–—-]\s*(?=q(?:uestion|\d|\s))", re.I)
_CHINESE = re.compile(
    r"^(?:第\s*(?=[\d一-十])|(?=\d{1,3}\s*题(?:[\s（(:：.．、]|$)))(\d{1,3}|[一二三四五六七八九十]{1,3})\s*[题題问]"
    r"((?:\s*（\d{1,2}）|\s*\(\d{1,2}\)(?=\s*[\u4e00-\u9fff]))*)\s*[:：.．、]?\s*"
)
# “9 B1 correct shape”: a number in a column of its own, before a code.
_BEFORE_CODE = re.compile(rf"^(\d{{1,2}})([a-h])?(?:\s*\(?([ivx]{{1,4}})\)?)?\s+(?=(?:{CODE})(?:[\s:]|{CODE}))")
_WITH_PARTS = re.compile(r"^(\d{1,2})\s*[.．、]?\s*((?:\s*[(（](?:[a-h]|[ivx]{1,5})[)）])+)\s*[:.]?\s*")
_POINTED = re.compile(r"^(0\d\.\d{1,2})(?!\d)\s*")
_BARE = re.compile(r"^(\d{1,2})\s*[.．、]\s*")
_ALONE = re.compile(r"^(\d{1,2})\s*(?=[(\[（【]\s*\d{1,3}\s*(?:marks?|分)?\s*[)\]）】]\s*$)")
_PART = re.compile(r"^[(（]([a-h]|[ivx]{1,5}|\d{1,2})[)）]\s*|^([a-h])\)\s+")
_CELL = re.compile(
    r"^(?:questions?|q|第)?\s*\.?\s*(\d{1,3}(?:\.\d{1,2})?)?\s*[题.]?\s*((?:[(（]?(?:[a-h]|[ivx]{1,5}|\d{1,2})[)）]?\s*)*)$",
    re.I,
)


@dataclass(frozen=True)
class Place:
    """Where in the paper: the main number and the parts below it. `named` where the source says "Question"."""

    main: str = ""
    parts: tuple[str, ...] = ()
    named: bool = True

    @property
    def number(self) -> str:
        return self.main + "".join(f"({part})" for part in self.parts)


def heading(text: str, now: Place | None, may_be_list: bool) -> tuple[Place, str] | None:
    """The place that a line opens, and the rest of the line; None where it opens none.

    `may_be_list` says that "1. …" may be an entry of a list of points here.
    """
    text = _WITHIN.sub("", text)
    return (
        _full(text)
        or _in_column(text, now, may_be_list)
        or _before_code(text, now, may_be_list)
        or _bare(text, now, may_be_list)
        or _part(text, now)
    )


def cell_place(text: str, now: Place | None) -> Place | None:
    """The place in a table's question column: "2(a)", "2a", "(b)", "ii"."""
    found = _CELL.match(re.sub(r"\s+", " ", text.strip()))
    if not found or not text.strip():
        return None
    parts = tuple(re.findall(r"[ivx]+|[a-h]|\d+", found[2].lower()))
    if found[1]:
        return Place(found[1], parts)
    return _below(now, parts) if parts else None


def _full(text: str) -> tuple[Place, str] | None:
    for pattern in (_LETTERED, _NAMED, _WITH_PARTS, _SHORT):
        found = pattern.match(text)
        if found:
            parts = re.findall(r"[a-z]+|\d+", " ".join(group for group in found.groups()[1:] if group))
            return Place(found[1], tuple(parts), not re.match(r"\d+\s*[.．、]", text)), text[found.end() :].strip()
    found = _CHINESE.match(text)
    if found:
        return Place(_digits(found[1]), tuple(re.findall(r"\d+", found[2]))), text[found.end() :].strip()
    found = _POINTED.match(text)
    return (Place(found[1]), text[found.end() :].strip()) if found else None


def _bare(text: str, now: Place | None, may_be_list: bool) -> tuple[Place, str] | None:
    found = _ALONE.match(text) or _BARE.match(text)
    if not found:
        return None
    rest = text[found.end() :].strip()
    opens = not rest or (marked_pieces(rest)[0][0] == "" if marked_pieces(rest) else True)
    part = _PART.match(rest)
    if part and not opens:
        return Place(found[1], (part[1] or part[2],), named=False), rest[part.end() :].strip()
    if not opens and (may_be_list or re.match(r"\d", rest)):
        return None
    follows = now is None or not now.main.isdigit() or int(found[1]) > int(now.main)
    return (Place(found[1], named=False), rest) if follows and int(found[1]) > 0 else None


def _in_column(text: str, now: Place | None, may_be_list: bool) -> tuple[Place, str] | None:
    """A number alone, or before a gap, is a question's where it is the next one; so is 5.3 among others such."""
    dotted = _DOTTED.match(text)
    if dotted and ("." in now.main if now else True):
        return Place(dotted[1]), text[dotted.end() :].strip()
    column = None if may_be_list else _COLUMN.match(text)
    if column and (now is None or column[1] == next_main(now)):
        return Place(column[1], named=False), text[column.end() :].strip()
    return None


def _before_code(text: str, now: Place | None, may_be_list: bool) -> tuple[Place, str] | None:
    """In a list a number before a code is a point's."""
    found = None if may_be_list else _BEFORE_CODE.match(text)
    if not found or not (now is None or not now.main.isdigit() or int(found[1]) >= int(now.main)):
        return None
    parts = tuple(part for part in found.groups()[1:] if part)
    if now is not None and now.main == found[1] and not parts:
        return None
    return Place(found[1], parts, named=False), text[found.end() :].strip()


def next_main(now: Place) -> str:
    """The number of the question after this one; "" where it is no whole number."""
    return str(int(now.main) + 1) if now.main.isdigit() else ""


def _part(text: str, now: Place | None) -> tuple[Place, str] | None:
    found = _PART.match(text)
    if not found:
        return None
    part = found[1] or found[2]
    # "(2)" alone is a mark; Chinese papers number their parts so.
    if part.isdigit() and (not chinese(text) or re.match(r"^[(（]\d+[)）]\s*$", text)):
        return None
    return _below(now, (part,)), text[found.end() :].strip()


def _below(now: Place | None, parts: tuple[str, ...]) -> Place:
    """Parts under the present place: (c) after 4(b), (ii) under 4(b), (i) under 4(b) unless it follows (h)."""
    if now is None:
        return Place("", parts, named=False)
    kept: tuple[str, ...] = ()
    for depth, old in enumerate(now.parts):
        if _kind(old) == _kind(parts[0]) and not (old == "h" and parts[0] == "i"):
            break
        kept = now.parts[: depth + 1]
    return Place(now.main, kept + parts, now.named)


def _kind(part: str) -> str:
    if part.isdigit():
        return "digit"
    return "roman" if re.fullmatch("[ivx]+", part) else "letter"


def _digits(written: str) -> str:
    if written.isdigit():
        return written
    tens, ten, ones = written.partition("十")
    if not ten:
        return str(number_of(written[0]))
    return str((number_of(tens) if tens else 1) * 10 + (number_of(ones) if ones else 0))
