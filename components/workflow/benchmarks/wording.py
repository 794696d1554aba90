"""What is said of a sitting, on the screen and at the command line alike."""

from __future__ import annotations

from components.agreement import count_of
from components.workflow.benchmarks.marked_written import Coverage, WrittenPart
from components.workflow.benchmarks.sitting import Ahead


def ahead_words(before: Ahead, model: str) -> str:
    """What a sitting would take, in a few sentences."""
    if not before.sent:
        return f"All {count_of(before.items, 'question')} are answered by this judge already; nothing would be sent."
    said = f"{count_of(before.sent, 'question')} would be sent to {model}"
    if before.known:
        said += f" ({before.known:,} more it has answered already)"
    said += f": about {_rounded(before.tokens_in)} tokens sent and {_rounded(before.tokens_out)} received"
    if before.price is None:
        said += ". The price file assets/prices.toml does not have its price"
    else:
        said += f", for about ${before.price:,.2f}"
    if before.seconds is None:
        return f"{said}. How long it takes is known once it has answered something by this protocol."
    return f"{said}. At its pace so far that takes about {in_words(before.seconds)}."


def written_words(part: WrittenPart) -> str:
    """How much of a sitting's written part is marked, and which totals are not there yet or rest on a part of it."""
    total = part.total
    said = [f"{total.marked:,} of {count_of(total.answers, 'written answer')} marked by {part.marked.name}."]
    if total.in_exams < total.answers:
        said.append(
            f"{total.answers - total.in_exams:,} are in no exam; make exams of the sitting again to have them in."
        )
    if total.marked < total.answers:
        said.append("An answer without a mark is in no rate and no total.")
    if some := [each for each in part.coverage if 0 < each.marked < each.answers]:
        said.append(f"Only a part is marked yet of {_named(some)}.")
    if none := [each for each in part.coverage if not each.marked]:
        said.append(f"No total yet for {', '.join(each.subject for each in none)}: no written answer is marked.")
    subjects = () if part.converted is None else part.converted.subjects
    totals = {row.subject for row in subjects if row.published.total is not None}
    if lacking := [each for each in part.coverage if each.marked and each.subject not in totals]:
        named = ", ".join(each.subject for each in lacking)
        said.append(f"No total for {named}: none of its objective questions counts yet.")
    if some_sat := [each for each in part.sat if each.subject in totals and each.answered < each.questions]:
        named = ", ".join(f"{each.subject} ({each.answered:,} of {each.questions:,})" for each in some_sat)
        said.append(f"A total rests on the questions that are answered, only a part of {named}.")
    if part.converted is not None:
        said += [
            f"{row.stream}: no total without {', '.join(row.missing)}." for row in part.converted.streams if row.missing
        ]
    return " ".join(said)


def _named(subjects: list[Coverage]) -> str:
    return ", ".join(f"{each.subject} ({each.marked:,} of {each.answers:,})" for each in subjects)


def in_words(seconds: float) -> str:
    """A time to wait, roughly: "2 h 5 min"."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _rounded(tokens: int) -> str:
    """Two figures are all that an estimate has: 1,234 is 1,200."""
    return f"{int(float(f'{tokens:.2g}')):,}"
