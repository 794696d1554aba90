"""A question's scheme while its lines are being read; `finishing` turns it into a QuestionDraft."""

from __future__ import annotations

from dataclasses import dataclass, field

from components.intake.mark_scheme.wording import Remarks


@dataclass
class RawPoint:
    """A point as written. `written` is its code or ""; `marks` None where the source gives none.

    `plain` is a line that is a point only if the question has no better ones. `route` is 0 for the first method, 1
    for the one after "OR". `depends` are codes as written, "M" for the last method mark, "all" for all before.
    `tier` is one of "2 marks for …, 1 mark for …"; `total` the question's maximum where it ends the point's line.
    """

    text: str
    written: str = ""
    marks: float | None = None
    group: int | None = None
    route: int = 0
    plain: bool = False
    heading: bool = False
    follow: bool = False
    tier: bool = False
    total: float | None = None
    depends: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    remarks: Remarks = field(default_factory=Remarks)
    lines: list[int] = field(default_factory=list)


@dataclass
class RawGroup:
    """`cap` None: as many as its points come to. `each` is what a point in it is worth."""

    text: str
    cap: float | None = None
    count: int | None = None
    each: float | None = None
    certain: bool = True
    lines: list[int] = field(default_factory=list)


@dataclass
class RawLevel:
    objective: str
    level: int
    low: float | None = None
    high: float | None = None
    descriptor: str = ""
    best_first: bool = False
    lines: list[int] = field(default_factory=list)


@dataclass
class Building:
    """Everything read of one question so far."""

    number: str
    told: float | None = None
    rows: list[float] = field(default_factory=list)
    each: float | None = None
    title: str = ""
    points: list[RawPoint] = field(default_factory=list)
    groups: list[RawGroup] = field(default_factory=list)
    levels: list[RawLevel] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    objective: str = ""
    indicative: list[str] = field(default_factory=list)
    special: list[tuple[str, float | None, list[int]]] = field(default_factory=list)
    guidance: list[str] = field(default_factory=list)
    aos: list[str] = field(default_factory=list)
    route: int = 0
    lines: list[int] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        return not (self.points or self.levels or self.indicative or self.special)
