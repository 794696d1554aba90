"""How far an exam's scripts are, and the rules by which they are totalled, in sentences for a teacher."""

from __future__ import annotations

from collections.abc import Iterable

from components.marking import format_mark
from components.workflow.marks_out.sections import Missing, TotalRules
from components.workflow.marks_out.totals import ExamTotals, ScriptTotal
from components.workflow.review.rules import RULES, UNGRADED
from storage.exams import Exam

NAMED = 5
MISSING = {
    Missing.INCOMPLETE: "A script with no answer here to a question that counts is incomplete until somebody enters it",
    Missing.ZERO: "A question that counts and has no answer here is worth 0",
}


def completeness(totals: ExamTotals) -> str:
    """“38 of 40 scripts complete; 0417 lacks 4(a), 5.”"""
    scripts, lacking = totals.scripts, totals.incomplete
    if not scripts:
        return "No candidate is in this exam yet."
    whole = f"{len(scripts) - len(lacking):,} of {len(scripts):,} script{'' if len(scripts) == 1 else 's'} complete"
    if not lacking:
        return f"{whole}."
    named = [f"{script.candidate} lacks {listed((*script.waiting, *script.absent))}" for script in lacking[:NAMED]]
    others = [f"and {len(lacking) - NAMED:,} more"] if len(lacking) > NAMED else []
    return f"{whole}; {'; '.join([*named, *others])}."


def listed(numbers: Iterable[str]) -> str:
    """The first few of the numbers, and how many more there are."""
    found = list(numbers)
    others = f" and {len(found) - NAMED} more" if len(found) > NAMED + 1 else ""
    return ", ".join(found[: NAMED if others else NAMED + 1]) + others


def missing_text(script: ScriptTotal) -> str:
    """What a script lacks, in a table's cell: “not marked: 4(a); no answer here: 5”."""
    parts = [
        f"{what}: {listed(numbers)}"
        for what, numbers in (("not marked", script.waiting), ("no answer here", script.absent))
        if numbers
    ]
    return "; ".join(parts)


def rule_lines(exam: Exam, rules: TotalRules) -> list[str]:
    """The rules in use, a sentence each: sections, missing answers, what stands, boundaries."""
    lines = []
    for section in rules.sections:
        which = (
            f"questions {', '.join(section.questions)}"
            if len(section.questions) > 1
            else f"question {section.questions[0]}"
        )
        if section.optional:
            lines.append(f"{section.title}: the best {section.answer} of {which} count.")
        else:
            lines.append(f"{section.title}: {which}, all of which count.")
    lines.append("Questions in no section always count." if rules.sections else "Every question counts.")
    lines.append(f"{MISSING[rules.missing]}. Where a marker has entered “no response”, it counts 0.")
    lines.append(f"{RULES[exam.what_stands]} after an adjudication; without one, the latest mark stands.")
    lines.append(boundaries_text(exam))
    return lines


def boundaries_text(exam: Exam) -> str:
    if not exam.boundaries:
        return "No grade boundaries are set, so that there are no grades."
    grades = ", ".join(f"{grade} from {format_mark(lowest)}" for grade, lowest in exam.boundaries)
    return f"Grades: {grades}; {UNGRADED} below."
