"""What a person says about one response, and who may say it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    TEACHER = "teacher"
    HEAD = "head of department"
    PILOT = "pilot lead"


class Stage(StrEnum):
    """What the person could see when they decided."""

    BLIND = "blind"
    AI_FIRST = "ai_first"
    REVEALED = "revealed"
    ADJUDICATED = "adjudicated"
    IMPORTED = "imported"


class Phase(StrEnum):
    """What a marker meets: the proposal in view, the proposal hidden, or its reveal after a blind mark. An adjudicator
    meets all marks, or none of them (`blind`)."""

    MARK = "mark"
    BLIND = "blind"
    REVEAL = "reveal"
    ADJUDICATE = "adjudicate"


class WhatStands(StrEnum):
    """An exam's rule for the final mark of a response that has been adjudicated."""

    ADJUDICATOR = "adjudicator"
    TEACHER = "teacher"
    WITHIN_TOLERANCE = "within tolerance"  # the teacher's mark, where it is that near to the adjudicator's
    MEAN = "mean"  # of the two, up to the next step


class Outcome(StrEnum):
    """A mark, no response (a state of its own, not 0), or the undoing of an earlier decision."""

    MARK = "mark"
    NO_RESPONSE = "no_response"
    UNDO = "undo"


@dataclass(frozen=True)
class Marker:
    """A person who marks."""

    id: int
    name: str
    role: Role


@dataclass(frozen=True)
class Decision:
    """One row of the append-only record. `points` holds the codes a teacher ticked, where they marked by point."""

    id: int
    response_id: int
    marker_id: int
    marker_name: str
    outcome: Outcome
    stage: Stage
    mark: float | None
    points: tuple[str, ...] | None
    comment: str
    proposal_id: int | None
    scheme_id: int | None
    undoes: int | None
    seconds: float | None
    created_at: str
    marks_hidden: bool = False  # adjudicated before the other marks were shown
