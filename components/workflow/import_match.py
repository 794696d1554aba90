"""The questions of a file beside those of an exam: “3(b)(ii)”, “3bii” and “Q3b(ii)” are one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from components.intake.spelling import question_key


def matched(numbers: Iterable[str], of_exam: Sequence[str]) -> dict[str, str]:
    """By the file's number, the exam's: the same as written, else the only one that comes to the same."""
    keys = Counter(question_key(number) for number in of_exam)
    by_key = {question_key(number): number for number in of_exam}
    found: dict[str, str] = {}
    for number in numbers:
        key = question_key(number)
        if number in of_exam:
            found[number] = number
        elif keys[key] == 1:
            found[number] = by_key[key]
    return found


def doubled(found: Mapping[str, str]) -> list[tuple[str, str]]:
    """Numbers of the file that come to one question of the exam, as (number, the exam's)."""
    times = Counter(found.values())
    return [(number, of_exam) for number, of_exam in found.items() if times[of_exam] > 1]
