"""Leniency and severity beyond chance, and levels and marks that the AI never gives."""

from __future__ import annotations

from collections.abc import Sequence

from components.agreement import Statistic
from components.marking import AssessmentObjective, Level, format_mark
from components.workflow.review import suggestions
from components.workflow.review.looked import LEAST, Kind, Looked, Pattern, beyond_chance, marks_text
from storage.verdicts import Marked

EXPECTED = 5  # times teachers gave it: as often a judge like them would leave it out less than once in a hundred


def in_differences(looked: Looked) -> tuple[list[Pattern], int]:
    """(patterns, how many means were looked at): over the whole question, else over weaker or stronger answers.

    Weaker and stronger are told by the mean of both marks. By either one alone, chance in that mark would look like
    a leaning of the other.
    """
    if len(looked.rows) < LEAST:
        return [], 0
    half = looked.stored.question.max_mark / 2
    weaker = [row for row in looked.rows if (row.ai + row.teacher) / 2 <= half]
    stronger = [row for row in looked.rows if (row.ai + row.teacher) / 2 > half]
    parts = [(name, part) for name, part in (("weaker", weaker), ("stronger", stronger)) if len(part) >= LEAST]
    means = {name: looked.mean_difference(part) for name, part in parts}
    overall = looked.mean_difference(looked.rows)
    if beyond_chance(overall):
        leaning = [name for name, mean in means.items() if beyond_chance(mean) and _same_way(mean, overall)]
        mostly = f", mostly on {leaning[0]} answers" if len(leaning) == 1 and len(means) == 2 else ""
        return [_leaning(looked, "", looked.rows, overall, mostly)], 1 + len(means)
    found = [_leaning(looked, name, part, means[name]) for name, part in parts if beyond_chance(means[name])]
    return found, 1 + len(means)


def _same_way(mean: Statistic, other: Statistic) -> bool:
    return (mean.value or 0) * (other.value or 0) > 0


def _leaning(looked: Looked, which: str, rows: Sequence[Marked], mean: Statistic, mostly: str = "") -> Pattern:
    assert mean.value is not None
    severe, amount = mean.value < 0, abs(mean.value)
    likely = "every difference is the same"
    if mean.interval is not None:
        low, high = sorted((abs(mean.interval.low), abs(mean.interval.high)))
        likely = f"likely {low:.2f} to {high:.2f}"
    where = f"{which} answers to {looked.where}" if which else looked.where
    sentence = (
        f"The AI is {'severe' if severe else 'lenient'} on {where}: {marks_text(amount)} "
        f"{'below' if severe else 'above'} teachers on average ({likely}) on {len(rows):,} responses{mostly}."
    )
    apart = [row for row in rows if (row.ai < row.teacher if severe else row.ai > row.teacher)]
    return looked.pattern(
        Kind.BIAS,
        which,
        sentence,
        n=len(rows),
        counts=(
            ("AI below teacher", sum(row.ai < row.teacher for row in rows)),
            ("the same", sum(row.ai == row.teacher for row in rows)),
            ("AI above teacher", sum(row.ai > row.teacher for row in rows)),
        ),
        cost=abs(sum(row.ai - row.teacher for row in rows)),
        responses=[row.response_id for row in apart],
        suggestion=suggestions.for_bias(looked.judge, severe=severe),
    )


def in_levels(looked: Looked) -> tuple[list[Pattern], int]:
    """(patterns, how many levels were looked at). A teacher's level is known from the mark where there is one AO."""
    objectives, found, count = looked.stored.scheme.objectives, [], 0
    for objective in objectives:
        rows = [row for row in looked.rows if objective.code in row.verdicts.levels]
        if len(rows) < LEAST:
            continue
        count += len(objective.levels)
        given = {row.verdicts.levels[objective.code] for row in rows}
        for level in objective.levels:
            if level.level in given:
                continue
            if len(objectives) == 1 and not looked.stored.scheme.points:
                found.append(_level_by_mark(looked, objective, level, rows))
            elif level.level == max(each.level for each in objective.levels):
                found.append(_top_level(looked, objective, level, rows))
    return [each for each in found if each is not None], count


def _level_by_mark(
    looked: Looked, objective: AssessmentObjective, level: Level, rows: Sequence[Marked]
) -> Pattern | None:
    there = [row for row in rows if level.low <= row.teacher <= level.high and row.teacher > 0]
    if len(there) < EXPECTED:
        return None
    what = f"level {level.level}"
    sentence = (
        f"The AI never gives {what} for {objective.code} on {looked.where}: 0 of {len(rows):,}, where teachers' marks "
        f"are in that level on {len(there):,} of the same {len(rows):,}."
    )
    return _never(looked, Kind.LEVEL, f"{objective.code} {what}", sentence, what, there, rows)


def _top_level(looked: Looked, objective: AssessmentObjective, level: Level, rows: Sequence[Marked]) -> Pattern | None:
    """Of several AOs only the total of the teacher's marks is known, so only a top level can be missed for certain."""
    mean = looked.mean_difference(rows)
    if not beyond_chance(mean) or mean.value is None or mean.value > 0:
        return None
    what = f"level {level.level}"
    sentence = (
        f"The AI never gives {what}, the highest, for {objective.code} on {looked.where} (0 of {len(rows):,}), and "
        f"teachers gave {marks_text(-mean.value)} more on average."
    )
    there = [row for row in rows if row.ai < row.teacher]
    return _never(looked, Kind.LEVEL, f"{objective.code} {what}", sentence, what, there, rows)


def in_marks(looked: Looked) -> tuple[list[Pattern], int]:
    """(patterns, how many marks were looked at)."""
    if len(looked.rows) < LEAST or looked.stored.scheme.objectives:
        return [], 0
    given = {row.ai for row in looked.rows}
    found, marks = [], looked.stored.scheme.scale.marks()
    for mark in marks:
        there = [row for row in looked.rows if row.teacher == mark]
        if mark in given or len(there) < EXPECTED:
            continue
        n = len(looked.rows)
        sentence = (
            f"The AI never gives {marks_text(mark)} on {looked.where}: 0 of {n:,}, where teachers gave it on "
            f"{len(there):,} of the same {n:,}."
        )
        found.append(_never(looked, Kind.MARK, format_mark(mark), sentence, marks_text(mark), there, looked.rows))
    return found, len(marks)


def _never(
    looked: Looked, kind: Kind, about: str, sentence: str, what: str, there: Sequence[Marked], rows: Sequence[Marked]
) -> Pattern:
    return looked.pattern(
        kind,
        about,
        sentence,
        n=len(rows),
        counts=(("AI", 0), ("teachers", len(there)), ("responses", len(rows))),
        cost=sum(abs(row.ai - row.teacher) for row in there),
        responses=[row.response_id for row in there],
        suggestion=suggestions.for_level(looked.judge, what),
    )
