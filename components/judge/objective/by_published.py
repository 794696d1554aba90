"""Marking a response by GAOKAO-Bench's own rule, where a mark scheme names it."""

from __future__ import annotations

from components.judge.objective.published import ItemMark, Kind, Rule, mark_item, read_as_published
from components.judge.objective.reading import Judgement, Unreadable, trimmed
from components.judge.objective.replies import Reply
from components.judge.objective.sequences import as_written, how_many_right, marks
from components.marking import ChoiceKey

BY_RULE = "by GAOKAO-Bench's rule"
_GAPS, _GAP_OPTIONS = 5, "ABCDEFG"


def mark_by_published(key: ChoiceKey, max_mark: float, text: str) -> Judgement:
    """What a response earns by the published reading and marking, and from which letters; never sure.

    The exam's partial-credit table, which the benchmark has not, holds for answers that are not wholly right. No
    answer found, or another number of them than the key's, earns 0. Raises Unreadable for a scheme without a key.
    """
    rights: list[tuple[str, ...]] = [key.each] if key.each else [(_letters(entry),) for entry in key.correct]
    if not rights or not all(all(right) for right in rights):
        raise Unreadable("The mark scheme has no key for this question. Please add one, or mark it yourself.")
    kind = _kind(key, rights)
    points = max_mark / len(rights[0])
    reply = read_as_published(text, kind, len(rights[0]))
    items = [mark_item(reply.answers, right, points, kind, Rule.PUBLISHED) for right in rights]
    item, right = max(zip(items, rights, strict=True), key=lambda marked: marked[0].marks)
    start, end = trimmed(text, reply.start, reply.end)
    named = _named(key, reply)
    if named is not None and item.marks < max_mark:
        reason = f"The mark scheme gives {as_written(reply.answers)}, as read {BY_RULE}, exactly {marks(named)}."
        return Judgement(named, reason, start, end, sure=False)
    return Judgement(item.marks, _reason(reply, item, right, points), start, end, sure=False)


def _kind(key: ChoiceKey, rights: list[tuple[str, ...]]) -> Kind:
    """Which published reading a key asks for.

    Five sub-questions with the options A to G are five_out_of_seven. Where the options are not given, five different
    letters among A to G are (they cannot all be among A to D).
    """
    if len(key.each) > 1:
        letters = set("".join(key.each))
        options = {label.strip().upper() for label in key.options}
        if not options and len(letters) == _GAPS:
            options = set(_GAP_OPTIONS)
        gaps = len(key.each) == _GAPS and options == set(_GAP_OPTIONS) and letters <= options
        return Kind.FIVE_OUT_OF_SEVEN if gaps else Kind.MULTI_QUESTION_CHOICE
    several = any(len(entry) > 1 for right in rights for entry in right)
    return Kind.MULTI_CHOICE if several else Kind.SINGLE_CHOICE


def _letters(entry: str) -> str:
    return "".join(char for char in entry.upper() if char.isalnum())


def _named(key: ChoiceKey, reply: Reply) -> float | None:
    """What the partial-credit table gives the answers read; None where it does not name them."""
    chosen = [set(answer) for answer in reply.answers]
    for written, mark in key.partial.items():
        answers = key.sequence(written) if key.each else (_letters(written),)
        if [set(answer) for answer in answers] == chosen:
            return mark
    return None


def _reason(reply: Reply, item: ItemMark, right: tuple[str, ...], points: float) -> str:
    wanted = f"the key is {as_written(right)}"
    if item.length_mismatch:
        found = f"{len(reply.answers)} of {len(right)} answers" if reply.answers else "no answer"
        return f"Read {BY_RULE}: {found} found, so the whole item earns 0; {wanted}."
    read = f"Read {BY_RULE} as {as_written(reply.answers)}; {wanted}."
    if len(right) == 1:
        earned = item.per_question[0] or 0.0
        half = " Part of the key with nothing wrong earns half." if 0 < earned < points else ""
        return f"{read}{half}"
    places = [place for place, earned in enumerate(item.per_question, start=1) if earned == points]
    return f"{how_many_right(places, len(right))}, {marks(points)} each. {read}"
