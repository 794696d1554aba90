"""The wording check: which marking points an answer's words match, before any teacher has marked."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from components.judge.offline.wording import (
    NO_MATCH,
    Answer,
    Match,
    Wording,
    best_match,
    best_of,
    keys,
    shared_less,
    wording,
)
from components.marking import Evidence, Flag, MarkingPoint, PointVerdict, Question, QuestionType, Scheme

FOUND = 0.55  # share of a wording from which a point is found
AWARDED = 0.4  # share from which it earns its marks
UNCLEAR = 0.3  # share from which it is unclear, below which there is no match
REJECTED = 0.9  # share of a rejected wording from which it counts
WHOLE_FULL = 0.5  # share of a model answer that earns the full mark

_ALLOCATION = re.compile(r"[\[(]\s*\d+(?:\.\d+)?\s*(?:marks?|m)?\s*[\])](?=[\s.;,]|$)", re.IGNORECASE)
_EITHER = re.compile(r"\n+|\s+OR\s+|(?<=\s)[*•]\s+")
_SENTENCE = re.compile(r"(?<=[.!?;。！？；])\s*|\n+|\s{2,}(?=[-*•\d])")


@dataclass(frozen=True, slots=True)
class PointWordings:
    """A marking point as wordings that earn it and wordings that do not."""

    code: str
    accept: tuple[Wording, ...]
    reject: tuple[Wording, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """What a scheme gives to match against: points, or else whole texts with their sentences."""

    language: str
    points: tuple[PointWordings, ...]
    wholes: tuple[Wording, ...]
    sentences: tuple[Wording, ...]
    text: str

    @property
    def empty(self) -> bool:
        return not self.points and not self.wholes


@dataclass(frozen=True, slots=True)
class PointMatch:
    """How a marking point fared: its best match and, where one stood in the way, the rejected wording's match."""

    code: str
    match: Match
    rejected: Match = NO_MATCH

    @property
    def awarded(self) -> bool:
        return self.match.share >= AWARDED and not self.is_rejected

    @property
    def is_rejected(self) -> bool:
        return self.rejected.share >= REJECTED and self.rejected.share > self.match.share

    @property
    def label(self) -> str:
        if self.is_rejected or self.match.share < UNCLEAR:
            return "no match"
        return "found" if self.match.share >= FOUND else "unclear"


def reference(question: Question, scheme: Scheme) -> Reference:
    """The wordings a question's scheme offers. Points come first; without them its text and the model answer."""
    return _reference(
        question.type is QuestionType.WORKING,
        question.language,
        f"{question.stimulus}\n{question.text}",
        scheme.points,
        "\n".join((scheme.text, question.model_answer)) if scheme.points else scheme.text,
        question.model_answer,
    )


@lru_cache(maxsize=64)
def _reference(
    strict: bool, language: str, asked: str, points: tuple[MarkingPoint, ...], text: str, model_answer: str
) -> Reference:
    given = keys(asked, language)

    def as_wording(words: str) -> Wording:
        return wording(_ALLOCATION.sub(" ", words), language, given, strict)

    def as_wordings(*texts: str) -> tuple[Wording, ...]:
        return tuple(made for made in map(as_wording, texts) if made.terms)

    if points:
        accepted = [as_wordings(*_either(point.text), *point.accept) for point in points]
        in_points = Counter(key for wordings in accepted for key in {t.key for w in wordings for t in w.terms})
        point_wordings = tuple(
            PointWordings(p.code, tuple(shared_less(w, in_points) for w in wordings), as_wordings(*p.reject))
            for p, wordings in zip(points, accepted, strict=True)
        )
        whole_text = "\n".join([*(words for p in points for words in (p.text, *p.accept)), text])
        return Reference(language, point_wordings, (), (), whole_text)
    texts = [words for words in (text, model_answer) if words.strip()]
    sentences = as_wordings(*(part for words in texts for part in _SENTENCE.split(words)))
    return Reference(language, (), as_wordings(*texts), sentences, "\n".join(texts))


def match_points(ref: Reference, answer: Answer) -> list[PointMatch]:
    """Each point's best match, in the scheme's order."""
    return [
        PointMatch(point.code, best_of(point.accept, answer), best_of(point.reject, answer)) for point in ref.points
    ]


def match_whole(ref: Reference, answer: Answer) -> tuple[float, list[Match]]:
    """The share of the scheme's text or model answer found in the answer, and the sentences' matches, best first."""
    share = best_of(ref.wholes, answer).share
    matches = [best_match(sentence, answer) for sentence in ref.sentences]
    return share, sorted((m for m in matches if m.share >= AWARDED), key=lambda m: -m.share)


def scaled_mark(share: float, scheme: Scheme) -> float:
    """A share of a model answer as a legal mark: WHOLE_FULL and above is full, 0 is 0, halves go up."""
    steps = round(scheme.max_mark / scheme.mark_step)
    return math.floor(min(1.0, share / WHOLE_FULL) * steps + 0.5) * scheme.mark_step


def quote(match: Match, answer: Answer) -> tuple[Evidence, ...]:
    """The matched words with their place in the answer; nothing where nothing matched."""
    if match.share <= 0:
        return ()
    return (Evidence(quote=answer.text[match.start : match.end], start=match.start, end=match.end),)


def verdict(found: PointMatch, answer: Answer) -> PointVerdict:
    """A point's verdict with the words it rests on and the reason in words."""
    percent = f"{found.match.share:.0%}"
    if found.is_rejected:
        rejected = found.rejected
        return PointVerdict(
            code=found.code,
            awarded=False,
            evidence=quote(rejected, answer),
            reason="These words match a wording that the scheme rejects.",
            label=found.label,
        )
    shown = found.match if found.match.share >= UNCLEAR else NO_MATCH
    reasons = {
        "found": f"These words hold {percent} of the point's wording.",
        "unclear": f"These words hold only {percent} of the point's wording"
        + (", enough to count." if found.awarded else ", too little to count."),
        "no match": f"The closest words hold {percent} of the point's wording."
        if found.match.share > 0
        else "No words of the answer match the point's wording.",
    }
    return PointVerdict(
        code=found.code,
        awarded=found.awarded,
        evidence=quote(shown, answer),
        reason=reasons[found.label],
        not_sure=found.label == "unclear",
        label=found.label,
    )


def negation_flags(found: list[PointMatch]) -> tuple[Flag, ...]:
    """A warning for each awarded point whose matched words stand near a "not". Shown, never a veto."""
    return tuple(
        Flag(kind="negation", text=f"{point.code}: a negation stands near the matched words. Does the answer deny it?")
        for point in found
        if point.awarded and point.match.negated
    )


def _either(text: str) -> list[str]:
    """A point's text and, where it lists alternatives on lines or with OR, each that has two telling words."""
    parts = [part for part in _EITHER.split(text) if part.strip()]
    return [text, *(part for part in parts if len(keys(part, "en")) >= 2)] if len(parts) > 1 else [text]
