"""Marking points that the AI awards too rarely or too often."""

from __future__ import annotations

from collections.abc import Sequence

from components.marking import MarkingPoint
from components.workflow.review import suggestions
from components.workflow.review.looked import (
    CHANCE,
    LEAST,
    Kind,
    Looked,
    Pattern,
    beyond_chance,
    marks_text,
    sign_test,
)
from storage.verdicts import Marked

HARDLY = 0.05  # the share up to which a point is hardly ever awarded, or all but this share nearly always


def in_points(looked: Looked) -> tuple[list[Pattern], int]:
    """(patterns, how many points were compared). Against teachers' ticks where enough of them ticked."""
    found: list[Pattern | None] = []
    for point in looked.stored.scheme.points:
        rows = [row for row in looked.rows if point.code in row.verdicts.points]
        ticked = [row for row in rows if row.ticks is not None]
        if len(ticked) >= LEAST:
            found.append(_against_ticks(looked, point, ticked))
        elif len(rows) >= LEAST:
            found.append(_against_marks(looked, point, rows))
    return [each for each in found if each is not None], len(found)


def _against_ticks(looked: Looked, point: MarkingPoint, rows: Sequence[Marked]) -> Pattern | None:
    code, n = point.code, len(rows)
    by_ai = [row for row in rows if row.verdicts.points[code]]
    by_teacher = [row for row in rows if code in (row.ticks or ())]
    missed = [row for row in by_teacher if not row.verdicts.points[code]]
    given = [row for row in by_ai if code not in (row.ticks or ())]
    if sign_test(len(missed), len(given)) > CHANCE:
        return None
    severe = len(missed) > len(given)
    how = _how_often(len(by_ai), n) or f"awards {{}} {'less' if severe else 'more'} often than teachers do"
    sentence = (
        f"The AI {how.format(_named(code))} on {looked.where}: {len(by_ai):,} of {n:,}, where teachers gave it on "
        f"{len(by_teacher):,} of the same {n:,}."
    )
    return looked.pattern(
        Kind.POINT,
        code,
        sentence,
        n=n,
        counts=(("AI awarded", len(by_ai)), ("teachers ticked", len(by_teacher)), ("responses", n)),
        cost=abs(len(missed) - len(given)) * point.marks,
        responses=[row.response_id for row in (missed if severe else given)],
        suggestion=suggestions.for_point(looked.judge, _named(code), missed=severe),
    )


def _against_marks(looked: Looked, point: MarkingPoint, rows: Sequence[Marked]) -> Pattern | None:
    """A point that is hardly ever awarded where teachers gave more, or nearly always where they gave less."""
    code, n = point.code, len(rows)
    by_ai = [row for row in rows if row.verdicts.points[code]]
    how = _how_often(len(by_ai), n)
    if not how:
        return None
    severe = len(by_ai) < n / 2
    concerned = [row for row in rows if row.verdicts.points[code] is not severe]
    mean = looked.mean_difference(concerned)
    if not beyond_chance(mean) or mean.value is None or (mean.value < 0) is not severe:
        return None
    those = "" if len(concerned) == n else f"on those {'without' if severe else 'with'} it "
    apart = [row for row in concerned if (row.ai < row.teacher if severe else row.ai > row.teacher)]
    sentence = (
        f"The AI {how.format(_named(code))} on {looked.where} ({len(by_ai):,} of {n:,}), and {those}teachers gave "
        f"{marks_text(abs(mean.value))} {'more' if severe else 'less'} on average."
    )
    return looked.pattern(
        Kind.POINT,
        code,
        sentence,
        n=n,
        counts=(("AI awarded", len(by_ai)), ("teachers gave otherwise", len(apart)), ("responses", n)),
        cost=sum(min(abs(row.ai - row.teacher), point.marks) for row in apart),
        responses=[row.response_id for row in apart],
        suggestion=suggestions.for_point(looked.judge, _named(code), missed=severe),
    )


def _how_often(awarded: int, n: int) -> str:
    """never awards {}, hardly ever awards {} …; "" where it is neither rare nor nearly always."""
    if awarded == 0:
        return "never awards {}"
    if awarded <= HARDLY * n:
        return "hardly ever awards {}"
    if awarded == n:
        return "always awards {}"
    return "nearly always awards {}" if awarded >= (1 - HARDLY) * n else ""


def _named(code: str) -> str:
    """B1; point 2 where a bare number would read as an amount."""
    return code if code[0].isalpha() else f"point {code}"
