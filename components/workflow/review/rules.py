"""An exam's rules for its head of department: what stands after an adjudication, and where the grades begin."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

from sqlite_utils import Database

from components.marking import Decision, Marker, MarkError, Outcome, Role, WhatStands, format_mark
from components.workflow.marks_out.sections import total_rules
from storage import Store, exams, mark_book, rulings, standings
from storage.standings import Standing

UNGRADED = "ungraded"
LONGEST_GRADE = 20
RULES = {
    WhatStands.ADJUDICATOR: "The adjudicator's mark stands",
    WhatStands.TEACHER: "The teacher's mark stands",
    WhatStands.WITHIN_TOLERANCE: "The teacher's mark stands where it is within tolerance of the adjudicator's",
    WhatStands.MEAN: "The mean of the teacher's and the adjudicator's mark stands, up to the next step",
}

Boundaries = tuple[tuple[str, float], ...]


def set_rules(
    store: Store, marker: Marker, exam_id: int, what_stands: WhatStands, boundaries: Iterable[tuple[str, float]]
) -> None:
    """Set the exam's rules; final marks follow at once. Raises MarkError, with nothing changed, for boundaries that
    cannot be right or a marker who is no head of department."""
    must_be_head(marker)
    with store.write() as db:
        exam = exams.get(db, exam_id)
        if exam is None:
            raise MarkError("This exam is no longer here; it may have been reset. Nothing was saved.")
        checked = check_boundaries(boundaries, most_marks(db, exam_id) or None)
        exams.set_rules(db, exam_id, marker.id, what_stands=what_stands, boundaries=checked)
        if what_stands is not exam.what_stands:
            # The rule is about adjudicated responses alone; the others stand as they did.
            standings.refresh_each(db, rulings.adjudicated(db, exam_id))


def most_marks(db: Database, exam_id: int) -> float:
    """The most that a script can come to: of a section only as many questions as are asked for. Where the exam's rules
    for totals do not fit its questions, all of these."""
    most = {stored.question.number: stored.question.max_mark for stored in exams.questions(db, exam_id)}
    total = sum(most.values())
    try:
        rules = total_rules(mark_book.rules(db, exam_id), list(most))
    except MarkError:
        return total
    for section in rules.sections:
        total -= sum(sorted(most[number] for number in section.questions)[: len(section.questions) - section.answer])
    return total


def must_be_head(marker: Marker) -> None:
    """Raises MarkError for anyone but a head of department."""
    if marker.role is not Role.HEAD:
        raise MarkError(f"Only a head of department does this; you are here as {marker.name}, {marker.role}.")


def check_boundaries(rows: Iterable[tuple[str, float]], most: float | None) -> Boundaries:
    """The grades, best first. `most` is the exam's maximum, None before it has a question. Raises MarkError in words
    for rows that cannot be right."""
    found = []
    for grade, lowest in rows:
        name = grade.strip()
        if not name:
            raise MarkError(f"The grade that begins at {lowest:g} has no name.")
        if len(name) > LONGEST_GRADE:
            raise MarkError(f"“{name[:LONGEST_GRADE]}…” is too long for a grade: {LONGEST_GRADE} characters at most.")
        if most is None and lowest < 0:
            raise MarkError(f"Grade {name} begins at {lowest:g}, but no total is below 0.")
        if most is not None and not 0 <= lowest <= most:
            raise MarkError(f"Grade {name} begins at {lowest:g}, but this exam's totals go from 0 to {most:g}.")
        found.append((name, float(lowest)))
    found.sort(key=lambda each: -each[1])
    names = [name for name, _ in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise MarkError(f"Grade {twice} is there twice. Give each grade one lowest total.")
    for (better, lowest), (worse, other) in pairwise(found):
        if lowest == other:
            raise MarkError(
                f"Grades {better} and {worse} both begin at {lowest:g}. Give each a lowest total of its own."
            )
    return tuple(found)


def out_of_reach(boundaries: Boundaries, most: float) -> list[str]:
    """The grades that begin above `most`, the most that a script can come to now; none before there is a question."""
    return [grade for grade, lowest in boundaries if 0 < most < lowest]


def parse_boundaries(text: str) -> list[tuple[str, float]]:
    """Rows of grade and lowest total from one line each: “A* 61”, or two cells of a table.

    Raises MarkError, naming the line, where a line does not end in a number.
    """
    rows: list[tuple[str, float]] = []
    for line in text.splitlines():
        *words, last = line.replace(":", " ").split() or [""]
        if not last:
            continue
        try:
            lowest = float(last)
        except ValueError:
            lowest = math.nan
        if not math.isfinite(lowest):
            raise MarkError(f"“{line.strip()[:40]}” does not end in a lowest total. Write it as in “A 54”.")
        rows.append((" ".join(words), lowest))
    return rows


def boundaries_text(boundaries: Boundaries) -> str:
    """As `parse_boundaries` reads it."""
    return "\n".join(f"{grade} {lowest:g}" for grade, lowest in boundaries)


def grade_of(total: float, boundaries: Boundaries) -> str:
    """The grade that a total earns; UNGRADED below the lowest boundary."""
    return next((grade for grade, lowest in boundaries if total >= lowest), UNGRADED)


def in_words(decision: Decision) -> str:
    """What a decision says, in a word or two: its mark, or no response."""
    return "no response" if decision.outcome is Outcome.NO_RESPONSE else format_mark(decision.mark)


def what_stands_text(
    rule: WhatStands, tolerance: float, ruling: Decision, teachers: Decision | None, standing: Standing, who: str
) -> str:
    """What an adjudication came to by the exam's rule: “You gave 4. By this exam's rule the teacher's 5 stands.”

    `ruling` is the adjudication, `teachers` the teacher's latest decision; the standing is as stored after both.
    """
    gave = f"{who} gave {in_words(ruling)}"
    if teachers is None or rule is WhatStands.ADJUDICATOR:
        return f"{gave}, which stands."
    theirs = f"the teacher's {in_words(teachers)}"
    if standing.decision_id == teachers.id:
        why = f", as it is within tolerance ({tolerance:g})" if rule is WhatStands.WITHIN_TOLERANCE else ""
        return f"{gave}. By this exam's rule {theirs} stands{why}."
    if ruling.mark is None or teachers.mark is None:
        return f"{gave}, which stands: the teacher gave {in_words(teachers)}, and the exam's rule needs two marks."
    if rule is WhatStands.MEAN:
        mean = (ruling.mark + teachers.mark) / 2
        final = format_mark(standing.final_mark)
        shown = final if standing.final_mark == mean else f"{mean:g}, up to the next step {final}"
        return f"{gave}. By this exam's rule the mean of that and {theirs} stands: {shown}."
    return f"{gave}, which stands: {theirs} is further from it than the tolerance of {tolerance:g}."
