"""What marks are given for, brought to the questions of GAOKAO-Bench: it comes in files of its own, by number."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from components.intake.benchmarks.items import Item

ALIKE = 30  # characters at the beginning by which a question in another file is the same
MOST_NAMED = 5


@dataclass(frozen=True)
class Criterion:
    """What question `number` of the task that one of the `names` is, or has in it, is marked by."""

    names: tuple[str, ...]
    number: str
    text: str


class Criteria:
    """All that was told in files of their own, and which of it found its question."""

    def __init__(self, told: Iterable[Criterion]) -> None:
        self._told: dict[tuple[tuple[str, ...], str], str] = {}
        self._twice: list[str] = []
        self._used: set[tuple[tuple[str, ...], str]] = set()
        for each in told:
            named = (each.names, each.number)
            if self._told.setdefault(named, each.text) != each.text:
                self._twice.append(each.number)

    def of(self, item: Item, shared: Collection[tuple[str, str]]) -> str:
        """The item's own, "" where nothing was told of it, or two questions of its task share its number (`shared`)."""
        if (item.task, item.number) in shared:
            return ""
        task = item.task.casefold()
        for names, number in self._told:
            if number == item.number and any(task in name.casefold() for name in names):
                self._used.add((names, number))
                return self._told[names, number]
        return ""

    def lines(self) -> list[str]:
        """What is to be said of them."""
        said = []
        if self._told:
            said.append(f"Marking criteria: of {len(self._told):,} told, {len(self._used):,} found their question.")
        lost = [f"{names[0]} {number}" for names, number in self._told if (names, number) not in self._used]
        if lost:
            more = f" and {len(lost) - MOST_NAMED:,} more" if len(lost) > MOST_NAMED else ""
            named = f"{', '.join(lost[:MOST_NAMED])}{more}"
            said.append(f"Marking criteria without a question of their number, or with two, are left out: {named}.")
        if self._twice:
            said.append(f"Other marking criteria for the same number, of which the first count: {len(self._twice):,}.")
        return said


def same_question(one: Item, other: Item) -> bool:
    """Whether two items of one number are the same question: their words are, or begin, alike."""
    first, second = ("".join(each.question.split()) for each in (one, other))
    return first == second or (min(len(first), len(second)) >= ALIKE and first[:ALIKE] == second[:ALIKE])
