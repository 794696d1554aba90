"""GAOKAO-Bench's objective items: its published reading and marking rules, and ours, each by name.

Source: OpenLMLab/GAOKAO-Bench, Bench/bench_function.py and Bench/OBJ_score_evaluation.py (Apache-2.0).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from components.judge.objective.replies import Kind, Reply, read_reply

__all__ = ["ItemMark", "Kind", "Rule", "mark_item", "read_answers", "read_as_published"]


class Rule(StrEnum):
    """Whose rule reads and marks: ours, or the benchmark's own, which is kept to reproduce its figures."""

    OURS = "ours"
    PUBLISHED = "published"


@dataclass(frozen=True)
class ItemMark:
    """What one item earned. `per_question` has None where a sub-question could not be read; `marks` leaves it out.

    `length_mismatch`: the number of answers was not the key's, so the whole item earned nothing.
    """

    marks: float
    length_mismatch: bool
    per_question: tuple[float | None, ...]

    @property
    def unread(self) -> int:
        """How many sub-questions could not be read, which `marks` therefore says nothing about."""
        return self.per_question.count(None)


def read_answers(text: str, kind: Kind | str, count: int, rule: Rule | str = Rule.OURS) -> tuple[str, ...] | None:
    """The answers in a reply to an item of `count` sub-questions, one entry each ("B"; "ACD" for multi_choice).

    OURS gives None where the reply cannot be read in one way, and "" for one such sub-question among readable ones.
    PUBLISHED never gives None: it takes the letters it finds, wherever they stand, and () where there are none.
    Raises ValueError for an unknown kind or rule, or a count below 1.
    """
    kind, rule = Kind(kind), Rule(rule)
    if count < 1:
        raise ValueError(f"An item has at least one sub-question, not {count}.")
    reply = read_reply(text, kind, count) if rule is Rule.OURS else read_as_published(text, kind, count)
    return reply.answers if reply else None


def read_as_published(text: str, kind: Kind, count: int) -> Reply:
    """What PUBLISHED takes from a reply, and from where; no answers at all are at the whole text."""
    found = _letters_taken(text, kind, count)
    letters = tuple(letter for letter, _ in found)
    answers = ("".join(letters),) if kind is Kind.MULTI_CHOICE and letters else letters
    return Reply(answers, found[0][1], found[-1][1] + 1) if found else Reply((), 0, len(text))


def _letters_taken(text: str, kind: Kind, count: int) -> list[tuple[str, int]]:
    """The letters, each with its place in the text."""
    if kind is Kind.SINGLE_CHOICE:
        return _capitals("[A-D]", text)[-1:]
    if kind is Kind.MULTI_QUESTION_CHOICE:
        after_marks = [(m[1], m.start(1)) for m in re.finditer(r"【答案】\s*[:：]*\s*([A-Z])", text)]
        return after_marks if len(after_marks) == count else _capitals("[A-Z]", text)[:count]
    if kind is Kind.MULTI_CHOICE:
        places = [char.start() for char in re.finditer(r"\S", text)]
        packed = "".join(text[place] for place in places)
        at = packed.find("【答案】")
        first = at if at > 0 else max(len(packed) - 10, 0)
        return [(letter, places[first + place]) for letter, place in _capitals("[A-D]", packed[first:])]
    return _capitals("[A-G]", text)[:5]


def _capitals(letters: str, text: str) -> list[tuple[str, int]]:
    return [(found[0], found.start()) for found in re.finditer(letters, text)]


def mark_item(
    answers: Sequence[str], key: Sequence[str], points: float, kind: Kind | str, rule: Rule | str = Rule.OURS
) -> ItemMark:
    """The marks of one item, `points` for each sub-question answered exactly as the key has it.

    In multi_choice a proper part of the key with nothing wrong earns half the points (6/3/0 in Physics). PUBLISHED
    compares letters as written, so "CA" for the key "AC" earns half; OURS compares what is chosen. A number of answers
    that is not the key's makes the whole item wrong. Raises ValueError for an unknown kind or rule, or an empty key.
    """
    kind, rule = Kind(kind), Rule(rule)
    if not key or not all(key):
        raise ValueError("The key of this item is empty. Please correct it before marking.")
    if len(answers) != len(key):
        return ItemMark(0.0, True, (0.0,) * len(key))
    per_question = tuple(_points(answer, right, points, kind, rule) for answer, right in zip(answers, key, strict=True))
    return ItemMark(sum(earned for earned in per_question if earned is not None), False, per_question)


def _points(answer: str, right: str, points: float, kind: Kind, rule: Rule) -> float | None:
    if not answer:
        return None
    chosen, wanted = set(answer), set(right)
    if answer == right or (rule is Rule.OURS and chosen == wanted):
        return float(points)
    if kind is Kind.MULTI_CHOICE and chosen <= wanted:
        return points / 2
    return 0.0
