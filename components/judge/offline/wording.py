"""Finds the words of an answer that match a marking point best. Knows spelling, not meaning."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from components.judge.offline.words import Token, holds_part, sides, tokens, without_latex

GIVEN_WEIGHT = 0.35  # of a word that stands in the question already
SHORT_WORD_WEIGHT = 0.5  # of a one- or two-letter word
EXACT_WEIGHT = 1.5  # of a number or equation
BESIDE_NUMBERS = 0.25  # of a word beside numbers in a question on working
SHARED_POWER = 0.5  # a word in four points counts half in each
SLIP = 0.8  # what a word with a spelling slip counts
ROOM = 3  # a match may be spread over this many times the point's own words
LEAST_ROOM = 14
NEGATION_REACH = 3  # tokens before a match in which "not" is worth a warning


@dataclass(frozen=True, slots=True)
class Term:
    """A word, number or equation that a wording asks for, and how much of the wording it is."""

    key: str
    exact: bool
    weight: float


@dataclass(frozen=True, slots=True)
class Wording:
    """One wording of a marking point as terms. `strict` wordings are matched only with all their numbers."""

    terms: tuple[Term, ...]
    negative: bool
    strict: bool


@dataclass(frozen=True, slots=True)
class Match:
    """The best place of a wording in an answer: the share of it found there, 0 to 1, and the characters it spans."""

    share: float
    start: int = 0
    end: int = 0
    negated: bool = False


NO_MATCH = Match(0.0)


class Answer:
    """An answer cut into tokens once, to be searched for many wordings."""

    def __init__(self, text: str, language: str = "en") -> None:
        self.text = text
        self.tokens: list[Token] = tokens(text, language)
        self.places: dict[str, list[int]] = defaultdict(list)
        for at, token in enumerate(self.tokens):
            self.places[token.key].append(at)
            if token.exact and "=" in token.key:
                for side in sides(token.key):
                    self.places[side].append(at)
        self._formulas = [(at, sides(t.key)) for at, t in enumerate(self.tokens) if t.exact]
        self._by_head: dict[str, list[str]] = defaultdict(list)
        for key in {t.key for t in self.tokens if not t.exact and not t.stop and len(t.key) >= 4}:
            self._by_head[key[0]].append(key)

    def hits(self, term: Term) -> list[tuple[int, float]]:
        """Places of a term among the tokens, each with how well it matches there (1, or SLIP)."""
        if term.exact:
            return [(at, 1.0) for at in self.places.get(term.key, ())] + self._hits_in_formulas(term)
        found = [(at, 1.0) for at in self.places.get(term.key, ())]
        for key in self._by_head.get(term.key[0], ()) if len(term.key) >= 4 else ():
            if key != term.key and alike(term.key, key):
                found += [(at, SLIP) for at in self.places[key]]
        return found

    def _hits_in_formulas(self, term: Term) -> list[tuple[int, float]]:
        """Places where an equation has all the term's sides, or one of its sides holds the term as a part."""
        if "=" in term.key:
            wanted = sides(term.key)
            return [(at, 1.0) for at, given in self._formulas if wanted <= given]
        if not any(sign in term.key for sign in "+-*/^("):
            return []
        return [(at, 1.0) for at, given in self._formulas if any(holds_part(side, term.key) for side in given)]


def wording(text: str, language: str, given: frozenset[str] = frozenset(), strict: bool = False) -> Wording:
    """A scheme's text as the terms to look for. `given` are keys in the question, which prove little.

    With `strict`, or where numbers are the half of it, every number and equation must be there for a match.
    """
    terms: dict[str, Term] = {}
    negative = False
    for token in tokens(without_latex(text), language):
        negative = negative or token.negation
        if token.stop or token.negation:
            continue
        weight = EXACT_WEIGHT if token.exact else SHORT_WORD_WEIGHT if len(token.key) <= 2 else 1.0
        if token.key in given and not (token.exact and "=" in token.key):
            weight *= GIVEN_WEIGHT
        terms.setdefault(token.key, Term(token.key, token.exact, weight))
    exact = sum(term.weight for term in terms.values() if term.exact)
    if strict and exact:
        terms = {key: t if t.exact else replace(t, weight=t.weight * BESIDE_NUMBERS) for key, t in terms.items()}
    total = sum(term.weight for term in terms.values())
    return Wording(tuple(terms.values()), negative, total > 0 and exact > 0 and (strict or exact * 2 >= total))


def shared_less(wanted: Wording, in_points: Mapping[str, int]) -> Wording:
    """A wording with less weight on words that several points of the scheme share: they don't tell which is met."""
    terms = tuple(replace(t, weight=t.weight / max(1, in_points[t.key]) ** SHARED_POWER) for t in wanted.terms)
    return replace(wanted, terms=terms)


def keys(text: str, language: str) -> frozenset[str]:
    """The keys of a text's telling words and numbers."""
    return frozenset(t.key for t in tokens(without_latex(text), language) if not t.stop)


def best_match(wanted: Wording, answer: Answer) -> Match:
    """The stretch of the answer that holds most of the wording; NO_MATCH where nothing of it is there."""
    hits = sorted((at, index, how) for index, term in enumerate(wanted.terms) for at, how in answer.hits(term))
    if not hits:
        return NO_MATCH
    first, last = _densest(hits, wanted.terms)
    held: dict[int, float] = {}
    for _, index, how in hits[first : last + 1]:
        held[index] = max(held.get(index, 0.0), how)
    if wanted.strict and any(term.exact and i not in held for i, term in enumerate(wanted.terms)):
        return NO_MATCH
    total = sum(term.weight for term in wanted.terms)
    share = sum(wanted.terms[i].weight * how for i, how in held.items()) / total
    begin, end = hits[first][0], hits[last][0]
    return Match(
        share,
        answer.tokens[begin].start,
        answer.tokens[end].end,
        negated=not wanted.negative and _negated(answer, begin, end),
    )


def best_of(wordings: Sequence[Wording], answer: Answer) -> Match:
    """The best match among alternative wordings; the first of equals."""
    return max((best_match(wanted, answer) for wanted in wordings), key=lambda match: match.share, default=NO_MATCH)


@lru_cache(maxsize=50_000)
def alike(a: str, b: str) -> bool:
    """Whether two words differ by a slip: a letter in a word of 5 or more, two in 8 or more, or a longer ending."""
    shorter, longer = sorted((a, b), key=len)
    if len(shorter) >= 5 and longer.startswith(shorter) and len(longer) - len(shorter) <= 4:
        return True
    allowed = 0 if len(shorter) < 5 else 1 if len(shorter) < 8 else 2
    return len(longer) - len(shorter) <= allowed and _distance_at_most(shorter, longer, allowed)


def _distance_at_most(a: str, b: str, most: int) -> bool:
    """Whether a becomes b in at most that many insertions, deletions, substitutions and swaps of neighbours."""
    if most == 0:
        return a == b
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, last, row = row, before, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return False
    return row[-1] <= most


def _densest(hits: list[tuple[int, int, float]], terms: tuple[Term, ...]) -> tuple[int, int]:
    """First and last hit of the window that holds the most weight, trimmed to what adds to it."""
    room = max(LEAST_ROOM, ROOM * len(terms))
    counts: dict[int, int] = defaultdict(int)
    weight, best, span = 0.0, -1.0, (0, 0)
    left = 0
    for right, (at, index, _) in enumerate(hits):
        counts[index] += 1
        weight += terms[index].weight if counts[index] == 1 else 0.0
        while counts[hits[left][1]] > 1 or at - hits[left][0] >= room:
            counts[hits[left][1]] -= 1
            weight -= terms[hits[left][1]].weight if counts[hits[left][1]] == 0 else 0.0
            left += 1
        if weight > best + 1e-9:
            best, span = weight, (left, right)
    return span


def _negated(answer: Answer, begin: int, end: int) -> bool:
    reach = max(0, begin - NEGATION_REACH)
    for token in answer.tokens[reach : end + 1]:
        if token.negation and not _SENTENCE_END.search(answer.text, token.end, answer.tokens[begin].start):
            return True
    return False


_SENTENCE_END = re.compile(r"[.!?;。！？；\n]")
