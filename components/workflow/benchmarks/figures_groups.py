"""Items put together by what they are counted by: their subject, paper or year."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


def grouped(items: Iterable[Item], named: Callable[[Item], str]) -> list[tuple[str, list[Item]]]:
    """The items under each name, in the order of the names; within one, as they came."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(named(item), []).append(item)
    return sorted(groups.items(), key=lambda group: group[0])
