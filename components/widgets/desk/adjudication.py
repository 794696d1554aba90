"""What the desk shows beside the usual when a head of department settles what others gave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ShownGiven:
    """What a teacher or another adjudicator gave, in words: `mark` "3", `how` "blind, 12 May 10:31"; `take` is the
    button's label."""

    decision_id: int
    name: str
    mark: str
    how: str
    take: str
    points: str = ""
    comment: str = ""


@dataclass(frozen=True)
class Adjudication:
    """`hidden`: nothing of what others gave is shown until the adjudicator has decided. `read_only`: to look, not to
    decide. `teachers_id` is the decision that T takes; `progress` stands above the desk."""

    progress: str
    hidden: bool = False
    read_only: bool = False
    given: tuple[ShownGiven, ...] = ()
    teachers_id: int | None = None
    grades: tuple[str, ...] = ()
    flag: str = ""
    stands: str = ""
    rule: str = ""


def adjudication_data(adjudication: Adjudication | None) -> dict[str, Any] | None:
    """In the names that adjudicate.js reads; None on the marking desk."""
    if adjudication is None:
        return None
    return {
        "progress": adjudication.progress,
        "hidden": adjudication.hidden,
        "readOnly": adjudication.read_only,
        "given": [
            {
                "decisionId": each.decision_id,
                "name": each.name,
                "mark": each.mark,
                "how": each.how,
                "take": each.take,
                "points": each.points,
                "comment": each.comment,
            }
            for each in adjudication.given
        ],
        "teachers": adjudication.teachers_id,
        "grades": list(adjudication.grades),
        "flag": adjudication.flag,
        "stands": adjudication.stands,
        "rule": adjudication.rule,
    }
