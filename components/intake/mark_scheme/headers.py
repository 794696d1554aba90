"""Lines that rule over the points below or above them: "any three from", "max 2", "1 mark for each", 每点2分."""

from __future__ import annotations

import re
from dataclasses import dataclass

from components.intake.mark_scheme.wording import NUMBER, chinese, marked_pieces, number_of, tidy

_MAX = (
    rf"(?:up\s+to|max(?:imum)?\.?)\s*(?:a\s+)?(?:max(?:imum)?\s+)?(?:of\s+)?({NUMBER})\b(?!\s+(?!marks?\b|from\b)[a-z])"
)
_EACH = rf"({NUMBER})\s+marks?\s+(?:each\b|per\b|for\s+each\b|for\s+every\b|for\s+any\b)"
_ANY = re.compile(rf"^(?:award\s+)?(?:{_EACH}\s*)?(?:{NUMBER}\s+marks?\s+for\s+)?any\s+({NUMBER})\b(?P<tail>.*)$", re.I)
_FROM = re.compile(rf"^({NUMBER})\s+(?:\w+\s+)?(?:from|of(?:\s+the\s+following)?)\b[^:]*(?::(?P<tail>.*))?$", re.I)
_EACH_LINE = re.compile(rf"^(?:award\s+)?{_EACH}", re.I)
_UP_TO = re.compile(rf"^(?:award\s+)?{_MAX}\s*(?:marks?)?\s*(?:from|for)?\b.*:$", re.I)
_UP_TO_THESE = re.compile(rf"^(?:award\s+)?{_MAX}\s*(?:marks?)?\s+from\b[^:]{{0,60}}:\s*(?=\S)(?P<tail>.+)$", re.I)
_TOPIC = re.compile(
    rf"^(?P<topic>[^\W\d][^:;]{{0,60}}?)\s*[(\[:,–—-]\s*{_MAX}\s*(?:marks?)?\s*[)\]]?\s*(?::|:\s*{_EACH}.*)?$", re.I
)
_AFTER = re.compile(
    rf"^[(\[]?\s*(?:any\s+)?(?:{_MAX}\s*(?:marks?)?|({NUMBER})\s+(?:marks?\s+)?max(?:imum)?)\s*[)\]]?\.?$", re.I
)


@dataclass(frozen=True)
class Header:
    """What such a line says. `count` points may be answered; `inline` are points given on the line itself."""

    text: str
    count: int | None = None
    cap: float | None = None
    each: float | None = None
    inline: tuple[str, ...] = ()
    certain: bool = True


def header(text: str) -> Header | None:
    """The header of the points that follow, None where the line is none."""
    found = _ANY.match(text)
    if found:
        return _with_tail(text, number_of(found[2]), found["tail"])
    found = _FROM.match(text)
    if found and (found["tail"] is not None or text.lower().endswith(("from", "following"))):
        return _with_tail(text, number_of(found[1]), ":" + (found["tail"] or ""))
    return _without_count(text)


def _without_count(text: str) -> Header | None:
    """A header that gives a cap, or what each point is worth, and not how many points."""
    topic = _TOPIC.match(text)
    each = re.search(_EACH, text, re.I)
    if topic and each:
        return Header(tidy(topic["topic"]), cap=number_of(topic[2]), each=1)
    if each and (_EACH_LINE.match(text) or text.endswith(":")):
        return Header(text, cap=_cap(text), each=number_of(each[1]), certain=False)
    found = _UP_TO.match(text)
    if found:
        return Header(text, cap=number_of(found[1]))
    found = _UP_TO_THESE.match(text)
    if found:
        return _with_tail(text, number_of(found[1]), ":" + found["tail"])
    if topic and not topic["topic"].lower().startswith(("accept", "allow", "award")):
        return Header(tidy(topic["topic"]), cap=number_of(topic[2]))
    return None


def cap_after(text: str) -> float | None:
    """The cap that a line "max 2" sets on the points above it."""
    found = _AFTER.match(text)
    return number_of(found[1] or found[2]) if found else None


def _with_tail(text: str, count: int, tail: str) -> Header:
    _, _, after = re.sub("[✓✔☑]", " ", tail).partition(":")
    marks = [amount for _, amount in marked_pieces(tail) if amount]
    each = re.search(_EACH, text, re.I)
    listed = "; ".join(piece for piece, _ in marked_pieces(after)) if after.strip() else ""
    inline = next(
        (parts for mark in ";/," if len(parts := re.split(rf"\s*{mark}\s+", listed)) > 1), [listed] if listed else []
    )
    cap = _cap(text) or (marks[-1] if marks and not each else None)
    return Header(
        tidy(text if not inline else text[: len(text) - len(after)]).rstrip(":"),
        count,
        cap,
        float(number_of(each[1])) if each else None,
        tuple(tidy(part) for part in inline if tidy(part)),
    )


def _cap(text: str) -> float | None:
    found = re.search(rf"\b{_MAX}", text, re.I)
    return float(number_of(found[1])) if found else None


_CLAUSE_EACH = re.compile(
    rf"^(?:每|答出|答对|写出|每答出|每写出|每答对)(?:一|1|其中)?(?:点|空|处|条|个|项|步|小题|题|种|例|句|词|方面)?(?:得|给|各)?({NUMBER})分$"
)
_CLAUSE_CAP = re.compile(rf"^(?:共计?|满分|最多(?:得|给)?|总分|不超过|本小?题(?:满分|共))(\d{{1,3}}|{NUMBER})分$")
_CLAUSE_COUNT = re.compile(
    rf"^(?:任答|任意|任选|任写|答出|答对|写出|)(?:任意|其中)?(?:的)?({NUMBER})(?:个)?(?:点|条|方面|处)(?:即可|给满分|得满分|(?:得|给)\d{{1,2}}分)?$"
)
_CLAUSE_NOTE = re.compile(
    r"^(?:意思|大意|言之|其他|其它|酌情|如有|若|合理|答案|符合|表述).{0,24}$|^.{0,12}(?:即可|亦可|酌情给分)$"
)


@dataclass(frozen=True)
class ChineseRule:
    """答出一点得2分，共6分，意思对即可: points' worth, cap, how many, and advice."""

    each: float | None = None
    cap: float | None = None
    count: int | None = None
    notes: tuple[str, ...] = ()


def chinese_rule(text: str) -> ChineseRule | None:
    """The rule that a line, or a bracket at the end of one, gives; None where any clause is something else."""
    if not chinese(text):
        return None
    clauses = [clause for clause in re.split(r"[，。；,;、（）()：:\s]+", text) if clause]
    each = cap = None
    count = None
    notes = []
    for clause in clauses:
        if found := _CLAUSE_EACH.match(clause):
            each = float(number_of(found[1]))
        elif found := _CLAUSE_CAP.match(clause):
            cap = float(number_of(found[1]))
        elif found := _CLAUSE_COUNT.match(clause):
            count = number_of(found[1])
        elif (found := re.fullmatch(r"(\d{1,2})分", clause)) and len(clauses) > 1:
            # Beside "每点2分" the sum; alone the mark of a point.
            cap = float(found[1])
        elif _CLAUSE_NOTE.match(clause):
            notes.append(clause)
        else:
            return None
    return ChineseRule(each, cap, count, tuple(notes)) if clauses else None


def without_chinese_rule(text: str) -> tuple[str, ChineseRule | None]:
    """The text without a bracket of rules at its end, and the rule."""
    found = re.search(r"[（(]([^（()）]+)[)）]\s*[。；]?$", text)
    rule = chinese_rule(found[1]) if found else None
    return (text[: found.start()].strip(), rule) if found and rule else (text, None)


def chinese_items(text: str) -> list[str]:
    """①…②… on one line, each alone; the line itself where there are no such numbers."""
    return [part.strip() for part in re.split("[①-⑳]", text) if part.strip()] or [text]


def chinese_awards(text: str) -> list[tuple[str, float]]:
    """写出…得1分，…得2分: each wording and its marks; [] where the line is not wholly so."""
    if "分" not in text:
        return []
    found = list(re.finditer(rf"(.+?)[，,]?(?:可?得|给)\s*(\d{{1,2}}|{NUMBER})\s*分\s*(?:[，,；;。]|$)", text))
    if not found or sum(len(match[0]) for match in found) < len(text.strip()):
        return []
    return [(tidy(match[1]), float(number_of(match[2]))) for match in found]
