"""Marking several sub-questions answered in one response: five gaps filled from seven options, "BDACA"."""

from __future__ import annotations

from collections.abc import Sequence

from components.judge.objective.choice import option_labels
from components.judge.objective.lists import how_many
from components.judge.objective.reading import Judgement, Unreadable, plain, trimmed
from components.judge.objective.replies import read_sequence
from components.marking import ChoiceKey, format_mark


def mark_sequence(key: ChoiceKey, max_mark: float, text: str) -> Judgement:
    """What the answers to all of `key.each` come to, by our rule.

    Raises Unreadable where the answers, or which sub-question each of them answers, cannot be made out.
    """
    plain(text)  # refuses hidden characters and text too long for a list, each with its own reason
    count = len(key.each)
    several = any(len(right) > 1 for right in key.each)
    letters = "".join(label for label in option_labels(key) if len(label) == 1 and "A" <= label <= "Z")
    reply = read_sequence(text, letters, count, several)
    if reply is None:
        raise _cannot_match(text, letters, count, several)
    unread = [place for place, answer in enumerate(reply.answers, start=1) if not answer]
    if unread:
        raise Unreadable(
            f"The answer to {places(unread)} cannot be read in one way. Please mark this response yourself."
        )
    mark, reason = worth_of_sequence(key, max_mark, reply.answers)
    start, end = trimmed(text, reply.start, reply.end)
    return Judgement(mark, reason, start, end, reply.sure)


def worth_of_sequence(key: ChoiceKey, max_mark: float, answers: Sequence[str]) -> tuple[float, str]:
    """The mark of one answer for each of `key.each`, and which of them are right, in words."""
    share = max_mark / len(key.each)
    pairs = list(zip(answers, key.each, strict=True))
    right = [place for place, (answer, wanted) in enumerate(pairs, start=1) if set(answer) == set(wanted)]
    part = [place for place, (answer, wanted) in enumerate(pairs, start=1) if set(answer) < set(wanted)]
    read = f"Read as {as_written(answers)}; the key is {as_written(key.each)}."
    named = _named(key, answers)
    if named is not None and len(right) < len(pairs):
        return named, f"The mark scheme gives {as_written(answers)} exactly {marks(named)}. {read}"
    mark = share * len(right)
    said = f"{how_many_right(right, len(pairs))}, {marks(share)} each. {read}"
    if part and key.subset_marks is not None:
        mark += key.subset_marks * len(part)
        said = f"{said} Only part of the key, with nothing wrong: {places(part)} ({marks(key.subset_marks)} each)."
    return mark, said


def _named(key: ChoiceKey, answers: Sequence[str]) -> float | None:
    """What the partial-credit table gives this whole sequence; None where it does not name it."""
    chosen = [set(answer) for answer in answers]
    for written, mark in key.partial.items():
        if [set(answer) for answer in key.sequence(written)] == chosen:
            return mark
    return None


def how_many_right(right: Sequence[int], count: int) -> str:
    """ "2 of 5 right: sub-questions 1 and 4", from the places of those that are right."""
    if len(right) == count:
        return f"All {count} right" if count > 1 else "Right"
    return f"{len(right)} of {count} right: {places(right)}" if right else f"None of {count} right"


def places(numbers: Sequence[int]) -> str:
    """ "sub-question 1", "sub-questions 1, 2 and 4"."""
    *others, last = [str(number) for number in numbers]
    return f"sub-questions {', '.join(others)} and {last}" if others else f"sub-question {last}"


def as_written(answers: Sequence[str]) -> str:
    """Answers as a candidate would write them: "B D A C A"."""
    return " ".join(answers)


def marks(mark: float) -> str:
    """A number of marks in words: "1 mark", "2.5 marks"."""
    return f"{format_mark(mark)} mark" + ("" if mark == 1 else "s")


def _cannot_match(text: str, letters: str, count: int, several: bool) -> Unreadable:
    found = how_many(text)
    if found and found != count and not several:
        return Unreadable(
            f"The answer lists {found} letter{'' if found == 1 else 's'} and the key has {count}, so which "
            "sub-question each answers is not certain. Please mark this response yourself."
        )
    return Unreadable(
        f"The answer cannot be read as {count} choice{'' if count == 1 else 's'} in order from "
        f"{letters[0]} to {letters[-1]}. Please mark this response yourself."
    )
