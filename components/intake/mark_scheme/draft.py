"""What was read of a mark scheme: a draft that a teacher confirms, line by line of the source."""

from __future__ import annotations

from dataclasses import dataclass

from components.marking.marks import MarkError, format_mark
from components.marking.scheme import AssessmentObjective, Level, MarkingPoint, PointGroup, Scheme


@dataclass(frozen=True)
class SourceLine:
    """One line of the source, from 1. A row of a table has its `cells`, each of which may hold several lines."""

    number: int
    text: str
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class PointDraft:
    """One marking point. `assumed` says in words what the source did not say and a teacher may undo."""

    code: str
    text: str
    marks: float
    needs: tuple[str, ...] = ()
    group: str | None = None
    alternatives: tuple[str, ...] = ()
    accept: tuple[str, ...] = ()
    reject: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    follow_through: bool = False
    assumed: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class GroupDraft:
    """Points that share a cap, in marks."""

    code: str
    text: str
    cap: float
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class LevelDraft:
    """One band: marks low…high of the objective `objective` ("Levels" where the source names none)."""

    objective: str
    level: int
    low: float
    high: float
    descriptor: str
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class SpecialCase:
    """Marks for an answer that the points do not fit; for the note, as points would add them up. None: not said."""

    text: str
    marks: float | None
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class QuestionDraft:
    """One question's scheme as read. `number` is "" where the source has none; `max_mark` None where nothing says it.

    `lines` are all source lines of the question. `assumed` is about the question as a whole.
    """

    number: str
    max_mark: float | None
    mark_step: float = 1.0
    title: str = ""
    points: tuple[PointDraft, ...] = ()
    groups: tuple[GroupDraft, ...] = ()
    levels: tuple[LevelDraft, ...] = ()
    objective_names: tuple[tuple[str, str], ...] = ()
    indicative: tuple[str, ...] = ()
    special_cases: tuple[SpecialCase, ...] = ()
    guidance: tuple[str, ...] = ()
    aos: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()

    @property
    def total(self) -> float:
        """The marks that its points and levels come to, caps applied."""
        groups = {group.code: group.cap for group in self.groups}
        loose = sum(point.marks for point in self.points if point.group not in groups)
        capped = sum(
            min(cap, sum(point.marks for point in self.points if point.group == code)) for code, cap in groups.items()
        )
        return loose + capped + sum(self._tops().values())

    def scheme(self) -> Scheme:
        """The scheme as the judge and the desk use it. Raises MarkError in words where it cannot be one."""
        if self.max_mark is None:
            raise MarkError(f"{self._name} has no maximum mark. Please type it in.")
        if not (self.points or self.levels or self.indicative or self.guidance or self.special_cases):
            raise MarkError(f"{self._name} has no marking points and no levels. Please add them, or paste its scheme.")
        try:
            return Scheme(
                max_mark=self.max_mark,
                mark_step=self.mark_step,
                text="\n".join(f"- {entry}" for entry in self.indicative),
                points=tuple(_point(point) for point in self.points),
                groups=tuple(PointGroup(code=group.code, text=group.text, cap=group.cap) for group in self.groups),
                objectives=self._objectives(),
                note="\n".join(self.notes()),
            )
        except ValueError as error:  # pydantic wraps a MarkError of a validator in its own error
            raise MarkError(f"{self._name}: {_in_words(error)}") from error

    @property
    def _name(self) -> str:
        return f"Question {self.number}" if self.number else "The question"

    def _tops(self) -> dict[str, float]:
        tops: dict[str, float] = {}
        for level in self.levels:
            tops[level.objective] = max(level.high, tops.get(level.objective, 0.0))
        return tops

    def _objectives(self) -> tuple[AssessmentObjective, ...]:
        names = dict(self.objective_names)
        return tuple(
            AssessmentObjective(
                code=code,
                name=names.get(code, ""),
                levels=tuple(
                    Level(level=band.level, low=band.low, high=band.high, descriptor=band.descriptor)
                    for band in sorted(self.levels, key=lambda band: band.low)
                    if band.objective == code
                ),
            )
            for code in self._tops()
        )

    def notes(self) -> list[str]:
        """General guidance, special cases and what is to be ignored, each in a line: the scheme's note."""
        ignored = [f"{point.code}: ignore {entry}" for point in self.points for entry in point.ignore]
        special = [
            f"Special case{'' if case.marks is None else f' ({format_mark(case.marks)})'}: {case.text}"
            for case in self.special_cases
        ]
        return [*self.guidance, *special, *ignored]


@dataclass(frozen=True)
class SchemeDraft:
    """All that was read. Every line that is not blank is in `used` or in `unread`, never in both."""

    questions: tuple[QuestionDraft, ...]
    used: tuple[int, ...]
    unread: tuple[int, ...]
    problems: tuple[str, ...]


def _point(point: PointDraft) -> MarkingPoint:
    return MarkingPoint(
        code=point.code,
        text=point.text,
        marks=point.marks,
        accept=point.alternatives + point.accept,
        reject=point.reject,
        needs=point.needs,
        group=point.group,
        follow_through=point.follow_through,
    )


def _in_words(error: ValueError) -> str:
    details = getattr(error, "errors", None)
    if details is None:
        return str(error)
    return " ".join(str(detail["msg"]).removeprefix("Value error, ") for detail in details())
