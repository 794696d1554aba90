"""One line into marking points: with codes, with marks in brackets, or with "2 marks for …"."""

from __future__ import annotations

import re

from components.intake.mark_scheme import wording
from components.intake.mark_scheme.building import RawPoint
from components.intake.mark_scheme.headers import chinese_awards

_AWARD = re.compile(
    rf"^(?:if\b.{{0,60}}?[,:]\s*)?(?:plus|then|also|and|\+)?\s*(?:award\s+)?({wording.NUMBER})\s+marks?(?:\s*(?:for|if|to)\b(?!\s+(?:each|every|any)\b)|\s*[:–—-])\s*(?=\S)(.*)$",
    re.I,
)
_AWARDS_APART = re.compile(
    rf"(?:[.;,]|\s+and)\s+(?:and\s+)?(?=(?:award\s+)?{wording.NUMBER}\s+marks?\s*(?:for\b(?!\s+(?:each|every|any)\b)|:))",
    re.I,
)
_CODES_APART = re.compile(rf"[;,.]\s+(?=(?:{wording.CODE})(?:\s+for\b|\s*:))")
# （“岂非”2分，句意2分）: how the marks of the sentence before are made up.
_SHARES = re.compile(r"[（(][^（()）]*[^（()）\d]\d{1,2}\s*分[^（()）]*\d{1,2}\s*分[^（()）]*[)）]\s*$")
_WHICH = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3}
_DEPENDS = re.compile(
    rf"[(\[]?\b(?:dep\.?(?=$|[\s)\]:])|depend(?:ent|s)(?=\s+(?:up)?on\s+(?:the\s+)?(?:{'|'.join(_WHICH)}|previous|last|M|{wording.CODE})\b))"
    rf"(?:\s+(?:up)?on\s+(?:the\s+)?(?P<which>{'|'.join(_WHICH)}|previous|last)?\s*(?P<code>{wording.CODE}|M\b)?"
    r"(?:\s*marks?\b)?(?:\s+(?:being\s+)?(?:awarded|scored|gained|earned))?)?\s*[)\]]?\s*:?\s*"
)
_ONLY_IF = re.compile(
    rf"\b(?:only\s+)?if\s+({wording.CODE})\s+(?:is\s+|was\s+|has been\s+)?(?:awarded|scored|gained|given|earned)"
)
_OR = re.compile(r"^(?:或者?|OR\b|or\b)\s*[:：,，]?\s*(?=\S)")
_FOLLOW = re.compile(r"(?<!no )(?<!not )(?:\bft\b|\bfollow[- ]?through\b|\becf\b)", re.I)
_AO = re.compile(r"\s*[(\[]\s*AO\s?\d{1,2}[a-z]?\s*(?:[,/]\s*AO\s?\d{1,2}[a-z]?\s*)*[)\]]\s*$")


def split_point(text: str) -> RawPoint:
    """A point of the text without a code or marks: its alternatives, remarks and dependence."""
    text, remarks = wording.without_remarks(_AO.sub("", text))
    depends = []
    found = _DEPENDS.search(text)
    if found:
        depends.append(_depends(found))
        if found.start() == 0 or (found[0].startswith(("(", "[")) and found.end() == len(text)):
            text = (text[: found.start()] + text[found.end() :]).strip()
    depends.extend(match[1] for match in _ONLY_IF.finditer(text))
    if re.search(r"\bcso\b", text):
        depends.append("all")
    whole, *others = wording.alternatives(wording.tidy(text))
    return RawPoint(
        whole,
        follow=_FOLLOW.search(text) is not None,
        depends=depends,
        alternatives=others,
        remarks=remarks,
    )


def coded_points(text: str) -> list[RawPoint]:
    """A point for each code before or after the text; [] where there are no codes."""
    pieces_of_codes = wording.coded_pieces(text)
    if pieces_of_codes:
        return [point for words, run in pieces_of_codes for point in coded_points(f"{run} {words}")]
    parts = _CODES_APART.split(text)
    if len(parts) > 1 and wording.leading_codes(parts[0])[0]:
        return [point for part in parts for point in coded_points(part)]
    codes, rest = wording.leading_codes(text)
    total = None
    if not codes:
        codes, rest = wording.trailing_codes(text)
    if not codes:
        codes, rest, total = _codes_before_total(text)
    codes = [code for code in codes if not code.rstrip("*ftcsoadep").endswith("0") or code.startswith("MP")]
    if not codes:
        return []
    pieces = wording.marked_pieces(rest)
    marks = pieces[0][1] if len(pieces) == 1 and len(codes) == 1 else None
    if len(pieces) == 1:
        rest = pieces[0][0]
    if marks is not None and re.match("C[2-6]|[A-Z][4-6]", codes[0]) and float(codes[0][1]) != marks:
        # "C3 plants … (1)", "A4 paper (1)".
        return []
    parts = [part for part in re.split(r"\s*[;；]\s*", rest) if part]
    texts = parts if len(codes) > 1 and len(parts) == len(codes) else [rest] * len(codes)
    points = [_with_code(split_point(part), code, marks) for code, part in zip(codes, texts, strict=True)]
    points[-1].total = total
    return points


def _codes_before_total(text: str) -> tuple[list[str], str, float | None]:
    """Codes that only the question's maximum follows: "x = 3   A1   (4)"."""
    found = re.search(r"\s[(\[]\s*(\d{1,2})\s*(?:marks?)?\s*[)\]]$", text)
    codes, rest = wording.trailing_codes(text[: found.start()]) if found else ([], text)
    return codes, rest, float(found[1]) if found and codes else None


def coded_worth(point: RawPoint) -> float:
    """Marks of a code standing alone: M2 is two, MP2 is one."""
    found = re.search(r"(?<!MP)(\d)", point.written)
    return float(found[1]) if found and not point.written.startswith("MP") else 1.0


def _with_code(point: RawPoint, code: str, marks: float | None) -> RawPoint:
    point.written, point.marks = code, marks
    point.follow = point.follow or code.endswith("ft")
    if code.startswith("dd"):
        point.depends.insert(0, "MM")
    elif code.startswith("d") or code.endswith("dep"):
        point.depends.insert(0, "M")
    if code.endswith("cso"):
        point.depends.append("all")
    return point


def marked_points(text: str) -> list[RawPoint]:
    """Points with the marks that stand before or after them; [] where there are none."""
    given = [award(part) for part in _AWARDS_APART.split(text)]
    given = [award(text)] if None in given else given
    if None not in given:
        tiers = [_with_marks(*entry) for entry in given if entry is not None]
        for point in tiers:
            point.tier = True
        return tiers
    awarded = chinese_awards(text)
    if awarded:
        return [_with_marks(*entry) for entry in awarded]
    shared = _SHARES.search(text)
    if shared and shared.start():
        return [_with_marks(text[: shared.start()], sum(float(part) for part in re.findall(r"(\d+)\s*分", shared[0])))]
    text, remarks = wording.without_remarks(text)
    pieces = wording.marked_pieces(text)
    if len(pieces) == 2 and not pieces[0][0] and pieces[1][1] is None:
        pieces = [(pieces[1][0], pieces[0][1])]
    if not pieces or pieces[0][1] is None or not pieces[0][0]:
        return []
    points: list[RawPoint] = []
    for piece, marks in pieces:
        other = _OR.match(piece)
        if other and points and marks in (None, points[-1].marks):
            points[-1].alternatives.append(wording.tidy(piece[other.end() :]))
        elif marks is not None:
            points.append(_with_marks(piece, marks))
    if pieces[-1][1] is None and not _OR.match(pieces[-1][0]):
        said = wording.remark(pieces[-1][0])
        if said is None:
            return []
        points[-1].remarks.add(*said)
    points[-1].remarks.extend(remarks)
    return points


def award(text: str) -> tuple[str, float] | None:
    """(wording, marks) of "2 marks for an explanation…"."""
    found = _AWARD.match(text)
    return (wording.tidy(found[2]), float(wording.number_of(found[1]))) if found else None


def _with_marks(text: str, marks: float) -> RawPoint:
    point = split_point(text)
    point.marks = marks
    return point


def _depends(found: re.Match[str]) -> str:
    code, which = found["code"] or "M", _WHICH.get(found["which"] or "")
    return f"{code}#{which}" if which else code
