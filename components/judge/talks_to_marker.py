"""Noticing the words with which an answer speaks to its marker rather than to the question, for the teacher to see."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import TypeVar, cast

from components.judge.marker_phrases import (
    ADDRESS,
    CHINESE,
    CLOSING,
    CONTAINER,
    DEMAND,
    ENGLISH,
    GOAL,
    HIDDEN,
    MARKERS_WORDS,
    MARKUP,
    OVERRIDE,
    SIGNS,
    SPEAKS,
    SPELT_OUT,
    SPOOF,
)
from components.marking import Exemplar, Flag, Proposal, Question, Response, Scheme

FLAG_KIND = "talks to the marker"
MOST_QUOTED = 3
LONGEST_QUOTE = 90
_CONTAINER_REACH = 200  # characters after a hiding place in which a marker's words make it suspicious

_SENTENCE_REACH = 160  # characters on either side of a mark that are weighed with it, within its sentence
_STOPS = (". ", "! ", "? ", "\n")

_WHAT = {
    OVERRIDE: "tells the marker to set the instructions aside",
    DEMAND: "asks for marks",
    ADDRESS: "addresses the marker",
    SPOOF: "poses as the system or as a marker",
    HIDDEN: "hidden text",
}

# Letters of other scripts that look like ours, and the commonest traditional characters of the phrases.
_LOOKS_LIKE = {
    **dict(zip("авекмнорстухіјѕԁ", "abekmhopctyxijsd", strict=True)),
    **dict(zip("οαινρτυκ", "oaivptuk", strict=True)),
    **dict(
        zip(
            "滿無視請給閱評師遞題該審標準則統對應試僅從現記點員這們為獲託",
            "满无视请给阅评师递题该审标准则统对应试仅从现记点员这们为获托",
            strict=True,
        )
    ),
}
_LEET = str.maketrans("013457@$", "oieastas")
_LEET_TOKEN = re.compile(r"[a-z0-9@$]+")
_SPELT = re.compile(r"(?<![^\W_])[^\W\d_](?:[ .\-_*\n]{1,3}[^\W\d_]){7,}(?![^\W_])")
_NOT_SAID = frozenset("'’‘`´ʼ")
_AS_SPACE = frozenset('*_~"“”«»-–—|\\{}')
_CJK = re.compile(r"[\u3400-\u9fff]")
_REPORTED = re.compile(
    r"(?:\b(?:says?|said|saying|shout\w*|cried|wrote|writes?|reads?|types?|typed|example|such as|like|e\.g\."
    r"|called|told"
    r"|asked)|说|写道|喊|例如|比如)[\s,，:：.]{0,3}[\"“'‘「『]$"
)

_TAGS = re.compile("(?<![\U0001f3f4\U000e0020-\U000e007e])[\U000e0020-\U000e007e]{2,}")
_SELECTORS = re.compile("[\U000e0100-\U000e01ef]{3,}")
_ZERO_WIDTH = re.compile("[\u200b-\u200d\u2060-\u2064\ufeff]{8,}")
_OVERRIDDEN = re.compile("[\u202d\u202e][^\u202c\u202d\u202e\n]{1,300}")

_Propose = TypeVar("_Propose", bound=Callable[..., Proposal])


@dataclass(frozen=True)
class Found:
    """Words meant for the marker: `quote` is what stands (or is hidden) at `start` to `end` of the answer's text.

    `kind` is override, demand, address, spoof or hidden.
    """

    kind: str
    quote: str
    start: int
    end: int


def talks_to_marker(text: str) -> tuple[Found, ...]:
    """All places where an answer speaks to its marker, in order and not overlapping; none for most answers.

    Case, full-width and look-alike letters, invisible characters, Markdown, line breaks, digits for letters and spelt
    out letters do not hide English or Chinese words. Words told of in speech marks ("he said, 'give me …'") are let be.
    """
    ordered = sorted(_all(text), key=lambda found: (found.start, -found.end))
    kept: list[Found] = []
    for found in ordered:
        if not kept or found.start >= kept[-1].end:
            kept.append(found)
    return tuple(kept)


def marker_flag(text: str) -> Flag | None:
    """The flag that tells a teacher which words of an answer speak to the marker, or None."""
    found = talks_to_marker(text)
    if not found:
        return None
    quotes = "; ".join(f"“{_shortened(item.quote)}” ({_WHAT[item.kind]})" for item in found[:MOST_QUOTED])
    more = len(found) - MOST_QUOTED
    also = f"; and {more} more" if more > 0 else ""
    return Flag(kind=FLAG_KIND, text=f"The answer speaks to the marker: {quotes}{also}. Mark the rest on its merits.")


def flagging_talk(propose: _Propose) -> _Propose:
    """For a judge's `propose`: whatever it comes to, the proposal also carries `marker_flag`. The mark is untouched."""

    @wraps(propose)
    def flagged(
        judge: object, question: Question, scheme: Scheme, response: Response, exemplars: Sequence[Exemplar] = ()
    ) -> Proposal:
        proposal: Proposal = propose(judge, question, scheme, response, exemplars)
        flag = marker_flag(response.text)
        if flag is None or any(each.kind == flag.kind for each in proposal.flags):
            return proposal
        return proposal.model_copy(update={"flags": (*proposal.flags, flag)})

    return cast(_Propose, flagged)


@dataclass(frozen=True)
class _View:
    """The text in another form; character i stands for the original's character at `places[i]`."""

    text: str
    places: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        return self.places[start], self.places[end - 1] + 1


def _all(text: str) -> Iterator[Found]:
    yield from _hidden(text)
    seen = _seen(text)
    yield from _markup(text, seen)
    plain = _plain(seen)
    yield from _phrases(text, plain, ENGLISH)
    leet = _LEET_TOKEN.sub(_letters_for_digits, plain.text)
    if leet != plain.text:
        yield from _phrases(text, _View(leet, plain.places), ENGLISH)
    yield from _sentences(text, plain)
    if _CJK.search(seen.text):
        yield from _phrases(text, _unspaced(seen), CHINESE)
    for run in _SPELT.finditer(seen.text):
        letters = "".join(c for c in run.group() if c.isalpha())
        if SPELT_OUT.search(letters):
            yield _found(text, DEMAND, seen, *run.span())


def _phrases(text: str, view: _View, kinds: tuple[tuple[str, re.Pattern[str]], ...]) -> Iterator[Found]:
    for kind, pattern in kinds:
        for match in pattern.finditer(view.text):
            start, end = match.span()
            start += len(match.group()) - len(match.group().lstrip(" ,.;:\n"))
            found = _found(text, kind, view, start, end)
            before = text[max(0, found.start - 40) : found.start].casefold()
            if not _REPORTED.search(before):
                yield found


def _sentences(text: str, plain: _View) -> Iterator[Found]:
    after = 0
    for goal in GOAL.finditer(plain.text):
        if goal.start() < after:
            continue
        start = (
            max(plain.text.rfind(stop, max(after, goal.start() - _SENTENCE_REACH), goal.start()) for stop in _STOPS) + 1
        )
        start = max(start, after, goal.start() - _SENTENCE_REACH)
        end = min(_first(plain.text, stop, goal.end()) for stop in _STOPS)
        end = min(end, goal.end() + _SENTENCE_REACH)
        sentence = plain.text[start:end]
        if sum(weight for weight, sign in SIGNS if sign.search(sentence)) >= SPEAKS:
            found = _found(text, DEMAND, plain, start + len(sentence) - len(sentence.lstrip()), end)
            if not _REPORTED.search(text[max(0, found.start - 40) : found.start].casefold()):
                yield found
        after = end


def _first(text: str, stop: str, after: int) -> int:
    place = text.find(stop, after, after + _SENTENCE_REACH)
    return place if place >= 0 else min(len(text), after + _SENTENCE_REACH)


def _markup(text: str, seen: _View) -> Iterator[Found]:
    for match in MARKUP.finditer(seen.text):
        yield _found(text, SPOOF, seen, *match.span())
    opened: dict[str, int] = {}
    for match in CLOSING.finditer(seen.text):
        opening = f"<{match.group(1)}"
        if opening not in opened:
            opened[opening] = seen.text.find(opening)
        if not 0 <= opened[opening] < match.start():
            yield _found(text, SPOOF, seen, *match.span())
    containers = list(CONTAINER.finditer(seen.text))
    words = list(MARKERS_WORDS.finditer(seen.text)) if containers else []
    starts = [word.start() for word in words]
    for match in containers:
        nearest = bisect_left(starts, match.end())
        if nearest < len(words) and starts[nearest] <= match.end() + _CONTAINER_REACH:
            yield _found(text, SPOOF, seen, match.start(), words[nearest].end())


def _hidden(text: str) -> Iterator[Found]:
    if text.isascii():
        return
    for match in _TAGS.finditer(text):
        yield Found(HIDDEN, "".join(chr(ord(c) - 0xE0000) for c in match.group()), *match.span())
    for match in _SELECTORS.finditer(text):
        yield Found(HIDDEN, f"{len(match.group())} invisible characters", *match.span())
    for match in _ZERO_WIDTH.finditer(text):
        yield Found(HIDDEN, f"{len(match.group())} invisible characters", *match.span())
    for match in _OVERRIDDEN.finditer(text):
        words = match.group()[1:]
        yield Found(HIDDEN, words[::-1] if match.group()[0] == "\u202e" else words, *match.span())


def _found(text: str, kind: str, view: _View, start: int, end: int) -> Found:
    first, last = view.span(start, end)
    shown = "".join(c for c in text[first:last] if c.isspace() or _plain_letters(c))
    return Found(kind, " ".join(shown.split()), first, last)


def _shortened(quote: str) -> str:
    return quote if len(quote) <= LONGEST_QUOTE else quote[: LONGEST_QUOTE - 1].rstrip() + "…"


def _seen(text: str) -> _View:
    """What a reader sees, in small plain letters: nothing invisible, no accents."""
    if text.isascii() and text.isprintable():
        return _View(text.lower(), list(range(len(text))))
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for plain in _plain_letters(character):
            characters.append(plain)
            places.append(place)
    return _View("".join(characters), places)


@lru_cache(maxsize=20_000)
def _plain_letters(character: str) -> str:
    if character in "\n\r\t\x0b\x0c\u2028\u2029":
        return "\n" if character in "\n\u2028\u2029" else " "
    plain = unicodedata.normalize("NFKD", character).casefold()
    return "".join(
        _LOOKS_LIKE.get(c, c) for c in plain if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Mn", "Me")
    )


def _plain(seen: _View) -> _View:
    """Words with one space between them: no Markdown, no speech marks; a blank line stays as one line break."""
    characters: list[str] = []
    places: list[int] = []
    breaks = 0
    for character, place in zip(seen.text, seen.places, strict=True):
        if character in _NOT_SAID:
            continue
        if character.isspace() or character in _AS_SPACE:
            breaks += character == "\n"
            if characters and characters[-1] not in " \n":
                characters.append(" ")
                places.append(place)
            if breaks > 1 and characters:
                characters[-1] = "\n"
            continue
        breaks = 0
        characters.append(character)
        places.append(place)
    return _View("".join(characters), places)


def _unspaced(seen: _View) -> _View:
    kept = [(c, p) for c, p in zip(seen.text, seen.places, strict=True) if c not in ' \t*_~`.·"“”']
    return _View("".join(c for c, _ in kept), [p for _, p in kept])


def _letters_for_digits(token: re.Match[str]) -> str:
    """A word of four signs or more with two letters at least, its digits read as letters; M1, 60s and CO2 stay."""
    word = token.group()
    return word.translate(_LEET) if len(word) > 3 and sum("a" <= c <= "z" for c in word) > 1 else word
