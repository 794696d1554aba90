"""One line after another: which rule understands it, and what it adds to the question at hand."""

from __future__ import annotations

import re

from components.intake.mark_scheme import bands, headers, numbering, wording
from components.intake.mark_scheme.point_rules import read_more, read_point, read_ruling
from components.intake.mark_scheme.reading import Reading
from components.intake.mark_scheme.remark_rules import read_alternative, read_note
from components.intake.mark_scheme.structure_rules import read_band, read_objective, read_section, read_total
from components.intake.mark_scheme.totals import head_marks

# Characters. A longer line is prose that no rule reads, and would take long to try.
_LONGEST = 2000
# 答出一点得2分，共4分：①…②…
_RULE_THEN_ITEMS = re.compile(r"^([^①-⑳]{2,60}?)[：:]\s*(?=[①-⑳])")
# M1A1 for 3x; dM1A1 x = 1.5
_CODES_APART = re.compile(rf"\s*;\s*(?=(?:{wording.CODE})+\s)")
_OBJECTIVE_TAG = re.compile(r"\s*[(\[]\s*AO\s?\d{1,2}[a-z]?(?:\s*[,/&]\s*AO\s?\d{1,2}[a-z]?)*\s*[)\]]$", re.I)
_INLINE_PARTS = re.compile(r"(?<=[)\]])\s+(?=\([a-h]\)\s)")
_TAG = re.compile(
    r"(?i)^(?:(?:the\s+)?mark(?:ing)?\s+scheme\s*:?$|(?:correct\s+|model\s+|sample\s+)?ans(?:wers?)?\s*:"
    r"|【(?:参考)?(?:答案|示例|解析|评分标准|评分细则|答案示例|解答)】|(?:得分点|要点|答案要点|示例|(?:参考)?答案(?:示例)?)[:：]"
    r"|评分(?:标准|细则)[:：]?)\s*"
)


def read_text(reading: Reading, number: int, written: str) -> bool:
    """Reads a line, and gives whether a rule understood it."""
    line = re.sub(r"\*\*|__(?=\w)|(?<=\w)__", "", re.sub(r"^\s*#{1,6}\s+", "", written)).strip()
    line = re.sub(r"^(?:解|答|证明)[:：]\s*(?=[(（]\d[)）])", "", line)
    parts = _INLINE_PARTS.split(line) if re.match(r"^(?:\([a-h]\)|(?:Q|\d))", line) else [line]
    if len(parts) > 1:
        understood_parts = [read_text(reading, number, part) for part in parts]
        return all(understood_parts)
    understood = len(line) <= _LONGEST and (
        read_section(reading, number, line) or _heading(reading, number, line) or read_line(reading, number, line)
    )
    reading.after_blank = False
    reading.last_text = line
    return understood


def _heading(reading: Reading, number: int, line: str) -> bool:
    # After "• …" a line "4. …" is no entry of the same list.
    listing = (reading.mode != "" or reading.group is not None) and not re.match(r"[^\w\s(\[]\s", reading.last_text)
    may_be_list = listing or reading.listed
    may_be_list = may_be_list or (reading.place is not None and reading.place.named)
    counted = re.match(r"(\d{1,2})\s*[.．、]", line)
    if counted and reading.place and counted[1] == numbering.next_main(reading.place):
        # Under "Question 21" a line "22. …" is the next question, unless a list has come to 21.
        may_be_list = reading.listed or reading.counted == int(counted[1]) - 1
    lettered = re.match(r"^\(?(?:[a-z]|[ivx]+)\)\s", line) is not None and reading.group is not None
    first = re.match(r"^\(?[ai]\)\s", line) is not None and not reading.members()
    if lettered and (first or reading.lettered):
        reading.lettered = True
        return False
    reading.lettered = False
    found = numbering.heading(line, reading.place, may_be_list)
    if found is None:
        return False
    reading.open(found[0])
    reading.now.lines.append(number)
    told, rest = head_marks(found[1])
    reading.now.told = told if told is not None else reading.now.told
    reading.now.aos.extend(bands.objectives_in(rest))
    rest = re.sub(r"[(\[]\s*AO\d[^)\]]*[)\]]", "", rest).strip()
    if rest:
        before = len(reading.now.points)
        if not read_line(reading, number, rest):
            reading.now.title = rest
        for point in reading.now.points[before:]:
            point.heading = not point.written
    return True


def read_line(reading: Reading, number: int, line: str) -> bool:
    """Reads a line that opens no question."""
    if len(line) > _LONGEST:
        return False
    line = _TAG.sub("", line) if _TAG.match(line) else line
    line = re.sub(r"^\(?(?:[a-z]|[ivx]+)\)\s+", "• ", line) if reading.lettered else line
    bulleted, body = wording.unbulleted(line, numbered=True)
    counted = re.match(r"(\d{1,2})\s*[.．、)]", line)
    reading.counted = int(counted[1]) if counted else reading.counted
    if re.match("[①-⑳]", line):
        body = line
    if not body:
        reading.headings.append(number)
        return True
    ruled = _RULE_THEN_ITEMS.match(body)
    if ruled and headers.chinese_rule(ruled[1]):
        body = body[ruled.end() :]
        read_ruling(reading, number, ruled[1])
    coded = _CODES_APART.split(body) if wording.leading_codes(body)[0] else []
    if len(coded) > 1:
        understood_codes = [read_line(reading, number, part) for part in coded]
        return all(understood_codes)
    tagged = _OBJECTIVE_TAG.search(body)
    if tagged and tagged.start():
        body = body[: tagged.start()]
        reading.now.aos.extend(bands.objectives_in(tagged[0]))
    understood = (
        read_band(reading, number, body)
        or read_total(reading, number, body)
        or read_objective(reading, body)
        or read_note(reading, number, body)
        or read_alternative(reading, number, body, bulleted)
        or read_ruling(reading, number, body)
        or read_point(reading, number, body, bulleted)
        or read_more(reading, number, body, bulleted)
    )
    if understood:
        reading.now.lines.append(number)
    return understood
