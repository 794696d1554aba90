"""Finding the final answer in a numeric response: after "answer", in the last line, after the last equals sign."""

from __future__ import annotations

import re
from dataclasses import dataclass

from components.judge.objective.reading import Unreadable, trimmed

_LONGEST_LINE = 300
_CUE = re.compile(r"(?:\b(?:final\s+)?(?:answer|ans)\b|答案)(?:\s*(?:is|are|was|=|:|为|是|\.|\]))*", re.IGNORECASE)
_CLOSING_REMARK = re.compile(r"\s+(?:is|=)\s+(?:the|my)\s+(?:final\s+)?answer\W*$|\s*<eo\w>\s*$", re.IGNORECASE)
_ROUNDING_NOTE = re.compile(
    r"\s*[,(]?\s*(?:(?:correct|rounded|accurate)\s+)?(?:to\s+)?(?:\d+|one|two|three|four)\s*"
    r"(?:s\.?\s?f\.?|d\.?\s?p\.?|sig(?:nificant)?\.?\s*fig(?:ure)?s?\.?|decimal\s+places?)\s*\)?\W*$",
    re.IGNORECASE,
)
_EXPLANATION = re.compile(r"[\s,.]+(?:because|since|as\s+(?:it|the|we|i)|so\s+that|which)\b.*$", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:(?P<words>[^\d=≈+*/^()√\\]*?(?<![\w'])(?:is|are|was|were|equals?|equal\s+to|gives?|be|get|got|about|of"
    r"|approximately|approx\.?|roughly|around|circa|therefore|so|thus|hence|that's|it's|i\s+think|pH(?!\s*=)|等于|约|大约|得|为)"
    r"(?![\w'])|[A-Za-z][A-Za-z ]{0,40}:)|[∴⇒→≈~:\s]|(?<![-=])>(?!=))\s*",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\bnot\b|n't\b|\b(?:less|fewer|more|greater|bigger|smaller|least|most|between|under|over|below|above|nearly|almost"
    r"|half|twice|double|minus|negative|neither|either|without|never)\b",
    re.IGNORECASE,
)
_COMPARISON = re.compile(r"[<>≤≥≠±∓]|\\(?:leq?|geq?|neq?|pm)\b")
_EQUALS = re.compile(r"\s*(?:=|≈)+>?\s*")
_NAME = re.compile(r"(?:[A-Za-zα-ωΔΩ](?:_?\w{1,3})?'?|[A-Za-z][A-Za-z ]{2,40}|pH(?!\s*=)|\\?[A-Za-z]+)")
_ALTERNATIVES = re.compile(r"\s*(?:;|\bor\b|\band\b|&|或|和|,\s+)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Part:
    """A stretch of the answer's text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class FinalAnswer:
    """What a response finally says. `parts` are the sides of its equals signs, `name` the variable it gives a value to
    ("x" in x = 5), `value` the last side. `interpreted` where it had to be picked out of working or a sentence.
    """

    whole: Part
    parts: tuple[Part, ...]
    value: Part
    name: str
    interpreted: bool


def final_answer(text: str) -> FinalAnswer:
    """The final answer in a text made `plain`. Raises Unreadable for a hedge (less than 5, not 5) or no value."""
    start, end, interpreted = _final_line(text)
    if end - start > _LONGEST_LINE:
        raise Unreadable("The last line of the answer is too long to be one value. Please mark it yourself.")
    start, end, led = _without_remarks(text, start, end)
    if start == end:
        raise Unreadable("The last line of the answer gives no value. Please mark it yourself.")
    whole = Part(text[start:end], start, end)
    if _COMPARISON.search(whole.text):
        raise Unreadable("The answer gives a range or a comparison, not one value. Please mark it yourself.")
    parts = _sides(text, start, end)
    if not parts or not all(part.text for part in parts):
        raise Unreadable("The answer has an equals sign with nothing on one side. Please mark it yourself.")
    name, value = "", parts[-1]
    if len(parts) > 1 and is_name(parts[0].text):
        name = parts[0].text
    elif len(parts) == 2 and re.fullmatch(r"[A-Za-zα-ω]", value.text) and not is_name(parts[0].text):
        name, value = value.text, parts[0]
    working = len(parts) > 2 or (len(parts) == 2 and not name)
    return FinalAnswer(whole, parts, value, name, interpreted or led or working)


def is_name(text: str) -> bool:
    """Whether text names a quantity (x, v_0, speed) rather than being an expression in it."""
    return _NAME.fullmatch(text.strip()) is not None


def alternatives(text: str) -> list[str]:
    """The values in "4 or 5", "2; 3", "x = 2 and x = 3"; a list of one where there is only one."""
    return [part for part in _ALTERNATIVES.split(text) if part]


def _final_line(text: str) -> tuple[int, int, bool]:
    cues = [cue for cue in _CUE.finditer(text) if re.match(r"[ \]]*[^\s.]", text[cue.end() :])]
    lines = [(m.start(), m.end()) for m in re.finditer(r"[^\n]+", text) if m.group().strip()]
    if cues:
        cue = cues[-1]
        line_end = next((end for start, end in lines if start <= cue.end() < end), len(text))
        return *trimmed(text, cue.end(), line_end), len(lines) > 1 or bool(text[: cue.start()].strip("[ \nTthe"))
    if not lines:
        raise Unreadable("The answer is blank.")
    return *trimmed(text, *lines[-1]), len(lines) > 1


def _without_remarks(text: str, start: int, end: int) -> tuple[int, int, bool]:
    """The span without what leads up to the value and what follows it, and whether words had to be left out."""
    led = False
    for pattern in (_CLOSING_REMARK, _ROUNDING_NOTE, _EXPLANATION):
        if (remark := pattern.search(text, start, end)) and remark.start() > start:
            end = remark.start()
            led = led or pattern is _EXPLANATION
    while (lead := _LEAD.match(text, start, end)) and lead.end() > start:
        if lead["words"] and _HEDGE.search(lead["words"]):
            raise Unreadable("The answer is hedged (not, less than, about half …). Please mark it yourself.")
        led = led or len((lead["words"] or "").split()) > 1
        start = lead.end()
    start, end = trimmed(text, start, end, " \n,;:")
    while end > start and text[end - 1] in " \n.,;:?":
        end -= 1
    return start, end, led


def _sides(text: str, start: int, end: int) -> tuple[Part, ...]:
    parts, at = [], start
    for sign in [*_EQUALS.finditer(text, start, end), None]:
        stop = sign.start() if sign else end
        left, right = trimmed(text, at, stop, " \n,;:∴⇒→")
        if at > start or left < right:  # "= 12" begins with its sign
            parts.append(Part(text[left:right], left, right))
        at = sign.end() if sign else end
    return tuple(parts)
