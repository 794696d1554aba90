"""What a judge's model knows of each subject, in sentences for its card: who cannot sit a paper should not mark it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from components.agreement import count_of
from components.judge.objective.published import mark_item
from components.workflow.benchmarks.figures_rates import Rate, rate
from components.workflow.benchmarks.subjects import spoken
from storage.benchmarks import Result

# Sixty in a hundred passes an examination in the schools that these papers come from; a model that might not pass the
# paper on choice questions, where a quarter is had by guessing, will not tell a right written answer from a wrong one.
PASS = 0.60
FEW = 30  # questions under which the card says how few they are, as the screen does with pairs of marks
NAMED = 3  # of the best, and of the worst, in the sentence


class Standing(StrEnum):
    KNOWS = "knows it"
    UNSURE = "not shown to know it"
    DOES_NOT = "does not know it"


@dataclass(frozen=True)
class KnownRow:
    """One question with a key: the share of it that was right (0 to 1), None where unread.

    `in_part` says that only some of its answers could be read; the others are no part of what was right. One that was
    not `replied` to is in no share.
    """

    subject: str
    level: str
    right: float | None
    in_part: bool = False
    replied: bool = True


@dataclass(frozen=True)
class SubjectKnown:
    """A subject as it is said ("high-school biology"); `rate` counts each question once, what was not read as wrong.

    `unread` replies could not be read, or not all of their answers.
    """

    name: str
    rate: Rate
    unread: int

    @property
    def standing(self) -> Standing:
        """Knows it where even the low end of the interval would pass; does not where even the high end would fail."""
        interval = self.rate.interval
        if interval is None or interval.low < PASS <= interval.high:
            return Standing.UNSURE
        return Standing.KNOWS if interval.low >= PASS else Standing.DOES_NOT

    @property
    def few(self) -> bool:
        return self.rate.items < FEW


@dataclass(frozen=True)
class Knowledge:
    """`sentence` is what the model knows, `advice` what follows for marking; `subjects` are best first."""

    subjects: tuple[SubjectKnown, ...]
    sentence: str
    advice: str


def known_rows(results: Iterable[Result]) -> list[KnownRow]:
    """The questions that can say something of the model, which are those with a key."""
    return [_known_row(each) for each in results if each.keyed]


def _known_row(result: Result) -> KnownRow:
    """What was read of a reply counts, though the whole has no mark: as in the sitting's own table."""
    mark, in_part = result.mark, False
    if mark is None and result.answers is not None and all(result.key):
        mark, in_part = mark_item(result.answers, result.key, result.points, result.kind).marks, True
    right = None if mark is None else mark / result.full
    return KnownRow(result.subject or result.task, result.level, right, in_part, result.status == "answered")


def knowledge(rows: Iterable[KnownRow]) -> Knowledge | None:
    """What the model knows; None where it has sat nothing that can be marked."""
    groups: dict[str, list[KnownRow]] = {}
    no_reply = 0
    for row in rows:
        if row.replied:
            groups.setdefault(spoken(row.subject, row.level), []).append(row)
        else:
            no_reply += 1
    if not groups:
        return None
    known = [
        SubjectKnown(name, rate([each.right or 0.0 for each in group], [1.0] * len(group)), _unread(group))
        for name, group in groups.items()
    ]
    known.sort(key=lambda each: (-(each.rate.value or 0.0), each.name))
    sentence = _sentence(known)
    if no_reply:
        sentence += f" {count_of(no_reply, 'more question')} got no reply, and no figure here counts them."
    return Knowledge(tuple(known), sentence, _advice(known))


def _unread(group: Sequence[KnownRow]) -> int:
    return sum(row.right is None or row.in_part for row in group)


def _sentence(known: Sequence[SubjectKnown]) -> str:
    if len(known) <= 2 * NAMED:
        said = f"Knows {', '.join(map(_said, known))}."
    else:
        best, worst = known[:NAMED], known[-NAMED:]
        said = (
            f"Knows {', '.join(map(_said, best))} best, and {', '.join(map(_said, worst))} least, "
            f"of {len(known)} subjects."
        )
    if unread := sum(each.unread for each in known):
        asked = sum(each.rate.items for each in known)
        said += f" {unread:,} of its {asked:,} replies could not be read in full; what was not read counts as wrong."
    return said


def _said(each: SubjectKnown) -> str:
    """91% of high-school biology (likely 85–95%, 120 questions)"""
    value, interval = each.rate.value or 0.0, each.rate.interval
    likely = f"likely {100 * interval.low:.0f}–{100 * interval.high:.0f}%, " if interval else ""
    few = "only " if each.few else ""
    return f"{100 * value:.0f}% of {each.name} ({likely}{few}{count_of(each.rate.items, 'question')})"


def _advice(known: Sequence[SubjectKnown]) -> str:
    by_standing = {standing: [each for each in known if each.standing is standing] for standing in Standing}
    failing, unsure = by_standing[Standing.DOES_NOT], by_standing[Standing.UNSURE]
    parts = []
    if failing:
        parts.append(
            f"Should not mark {_names(failing)}: it would not pass the paper itself (under {100 * PASS:.0f}%), and a "
            "marker who cannot sit the paper cannot tell a right answer from a wrong one."
        )
    if unsure:
        few = all(each.few for each in unsure)
        more = "Let it sit more questions first" if few else "Let it sit more questions, or check its marks closely"
        parts.append(
            f"Not shown to know {_names(unsure)} well enough to mark: it may be under {100 * PASS:.0f}%. {more}."
        )
    if not parts:
        parts.append(f"Passes every paper it has sat (above {100 * PASS:.0f}% even at the low end).")
    parts.append("Knowing a subject does not show that it marks well: see its agreement with teachers.")
    return " ".join(parts)


def _names(known: Sequence[SubjectKnown]) -> str:
    names = [each.name for each in known]
    if len(names) > 2 * NAMED:
        return f"{', '.join(names[: 2 * NAMED])} and {len(names) - 2 * NAMED} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
