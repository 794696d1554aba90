"""Whether the words a judge quotes stand in the answer, and how far a teacher may lean on verdicts that quote them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import pairwise

from components.marking import (
    Confidence,
    Evidence,
    Flag,
    LevelVerdict,
    PointVerdict,
    Verdict,
    WholeVerdict,
    verdict_name,
)

_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′ʼ`´「」『』", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−⁃﹘﹣－", "-"),
        # The marks that a prompt puts in place of < and > in an answer; see llm/fence.py.
        **dict.fromkeys("‹", "<"),
        **dict.fromkeys("›", ">"),
    }
)
_ELLIPSIS = re.compile(r"\s*[\[(]?(?:…|⋯|\.{3,}|。{3,})+[\])]?\s*")
_WRAPPING = " \"'.,;:。、"
_STEM_LETTERS = 4


class ReadIn(Enum):
    """What quotes are looked for in: typed words, a transcript that a teacher has confirmed, or a model's reading."""

    ANSWER = "the answer"
    CONFIRMED = "the transcript"
    OWN = "the model's own transcript"


def find_quote(answer: str, quote: str) -> tuple[int, int] | None:
    """Where quote stands in answer, as (start, end) of the original text, or None when it does not.

    Unicode compatibility forms, curly quotes, dashes, case and spacing make no difference. A quote with ellipses is
    found when its parts occur in order; the span runs from the first to the last. A quote never starts inside a word
    or a number, nor ends inside a number: "5" is not in "15".
    """
    text = _Normalised.of(answer)
    whole = _Normalised.of(quote).text
    for needle in (whole, whole.strip(_WRAPPING)):
        span = text.find(needle)
        if span is not None:
            return text.original(*span)
    parts = [_Normalised.of(part).text.strip(_WRAPPING) for part in _ELLIPSIS.split(quote)]
    return _find_in_order(text, [part for part in parts if part]) if len(parts) > 1 else None


def checked(verdict: Verdict, answer: str, transcript: str = "") -> Verdict:
    """The same verdict with each quote's place filled in, where it has one: in the answer, else in the transcript."""
    evidence = tuple(_located(item, answer, transcript) for item in verdict.evidence if item.quote.strip())
    return verdict.model_copy(update={"evidence": evidence})


def weigh(
    verdicts: Sequence[Verdict], *, pictures: bool = False, read_in: ReadIn = ReadIn.ANSWER
) -> tuple[Confidence, tuple[Flag, ...]]:
    """Confidence in checked verdicts, and a flag for each one whose words cannot be found where they should be.

    Sure: every earned mark rests on words found in the answer and nothing is marked not sure. One doubt makes it
    fairly sure, two or more unsure. With `pictures` that only a model has read it is fairly sure at most; a model that
    read them without saying what they say has quotes that cannot be checked, which is one doubt for the whole answer.
    """
    flags = []
    doubts = sum(verdict.not_sure for verdict in verdicts)
    unfound = [verdict for verdict in verdicts if _unverified(verdict)]
    if unfound and pictures and read_in is ReadIn.ANSWER:
        doubts += 1
        flags.append(
            Flag(kind="unverified", text="The quotes are read from a picture and cannot be checked against it.")
        )
    elif unfound:
        doubts += len(unfound)
        flags = [Flag(kind="unverified", text=_unverified_words(verdict, read_in)) for verdict in unfound]
    if pictures and read_in is not ReadIn.CONFIRMED:
        doubts = max(doubts, 1)
    confidence = (Confidence.SURE, Confidence.FAIRLY_SURE, Confidence.UNSURE)[min(doubts, 2)]
    return confidence, tuple(flags)


def _located(item: Evidence, answer: str, transcript: str) -> Evidence:
    for text, in_transcript in ((answer, False), (transcript, True)):
        span = find_quote(text, item.quote)
        if span is not None:
            return Evidence(quote=item.quote, start=span[0], end=span[1], in_transcript=in_transcript, box=item.box)
    return Evidence(quote=item.quote, box=item.box)


def _unverified(verdict: Verdict) -> bool:
    return any(not item.verified for item in verdict.evidence) or (_earns(verdict) and not verdict.evidence)


def _unverified_words(verdict: Verdict, read_in: ReadIn) -> str:
    name = verdict_name(verdict)
    missing = [item.quote for item in verdict.evidence if not item.verified]
    if not missing:
        return f"{name}: marks are proposed without quoting the answer."
    return f"{name}: {'; '.join(f'“{quote}”' for quote in missing)} is not in {read_in.value}."


def _earns(verdict: Verdict) -> bool:
    if isinstance(verdict, PointVerdict):
        return verdict.awarded
    assert isinstance(verdict, LevelVerdict | WholeVerdict)
    return verdict.mark > 0


@dataclass(frozen=True)
class _Normalised:
    """A text in comparable form. `starts[i]`, `ends[i]` bound the original characters behind character i."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    @classmethod
    @lru_cache(maxsize=32)
    def of(cls, original: str) -> _Normalised:
        characters: list[tuple[str, int, int]] = []
        for start, end in _clusters(original):
            cluster = original[start:end]
            if cluster.isspace():
                if characters and characters[-1][0] != " ":
                    characters.append((" ", start, end))
                continue
            plain = unicodedata.normalize("NFKC", cluster.translate(_SAME)).translate(_SAME).casefold()
            characters.extend((c, start, end) for c in plain if unicodedata.category(c) not in ("Cf", "Cc"))
        kept = [
            item
            for i, item in enumerate(characters)
            if item[0] != " " or (0 < i < len(characters) - 1 and _spaced(characters[i - 1][0], characters[i + 1][0]))
        ]
        return cls("".join(c for c, _, _ in kept), tuple(s for _, s, _ in kept), tuple(e for _, _, e in kept))

    def find(self, needle: str, after: int = 0) -> tuple[int, int] | None:
        """First place at or after `after`: as whole words if possible, else where a word begins so."""
        if not any(c.isalnum() for c in needle) and needle.strip(_WRAPPING) == "":
            return None
        stem: tuple[int, int] | None = None
        at = self.text.find(needle, after)
        while at >= 0:
            end = at + len(needle)
            if self._whole_clusters(at, end) and self._edge(at):
                if self._edge(end):
                    return at, end
                if stem is None and needle[-1].isalpha() and len(needle) >= _STEM_LETTERS:
                    stem = (at, end)
            at = self.text.find(needle, at + 1)
        return stem

    def original(self, start: int, end: int) -> tuple[int, int]:
        return self.starts[start], self.ends[end - 1]

    def _whole_clusters(self, start: int, end: int) -> bool:
        """Not half of a character that normalises to several, as ½ does to 1⁄2."""
        splits_start = start > 0 and self.starts[start - 1] == self.starts[start]
        splits_end = end < len(self.text) and self.starts[end - 1] == self.starts[end]
        return not splits_start and not splits_end

    def _edge(self, at: int) -> bool:
        """Whether a word or number may begin or end just before character `at`."""
        text = self.text
        if at in (0, len(text)):
            return True
        before, after = text[at - 1], text[at]
        if before.isdigit() and after.isdigit():
            return False
        if before in ".," and after.isdigit() and at > 1 and text[at - 2].isdigit() and self._touch(at - 2, at):
            return False
        if before.isdigit() and after in ".," and text[at + 1 : at + 2].isdigit() and self._touch(at - 1, at + 1):
            return False
        letters = before.isalpha() and after.isalpha()
        return not letters or _unspaced_script(before) or _unspaced_script(after)

    def _touch(self, first: int, last: int) -> bool:
        """No space was taken out between these characters: 3,4 is one number, 3, 4 is two."""
        return all(self.ends[i] == self.starts[i + 1] for i in range(first, last))


def _find_in_order(text: _Normalised, parts: Sequence[str]) -> tuple[int, int] | None:
    spans: list[tuple[int, int]] = []
    for part in parts:
        span = text.find(part, spans[-1][1] if spans else 0)
        if span is None:
            return None
        spans.append(span)
    return text.original(spans[0][0], spans[-1][1]) if spans else None


def _clusters(text: str) -> list[tuple[int, int]]:
    """Spans of each character with the combining marks that follow it."""
    starts = [i for i, c in enumerate(text) if i == 0 or not unicodedata.combining(c)]
    return list(pairwise([*starts, len(text)]))


def _spaced(before: str, after: str) -> bool:
    """Whether a space between two characters says anything: not beside punctuation, signs or Chinese characters."""
    return all(c.isalnum() and not _unspaced_script(c) for c in (before, after))


def _unspaced_script(character: str) -> bool:
    return "\u2e80" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff" or character >= "\U00020000"
