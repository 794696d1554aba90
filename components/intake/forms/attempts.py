"""Attempts: those not finished are left out, and of several by one person the last finished is kept."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass

from components.intake.forms.shape import Shape
from components.intake.report import RowReport
from components.intake.spelling import may_be_one

_FINISHED = frozenset(
    {"finished", "submitted", "complete", "completed", "graded", "ungraded", "done", "已完成", "完成"}
)
_UNFINISHED = frozenset(
    {"in progress", "never submitted", "abandoned", "overdue", "not attempted", "missing", "not submitted", "started"}
    | {"no submission", "未完成", "进行中"}
)
_MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"  # not calendar's, which speak the machine's language
_WORDS = re.compile(r"(?:[A-Za-z]+,? )?(\d{1,2}) ([A-Za-z]{3})[a-z]* (\d{4})(.*)", re.DOTALL)
_ISO = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})[T ]?(.*)", re.DOTALL)
_CLOCK = re.compile(r",?\s*(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?\s*([AaPp])?\.?[Mm]?.*", re.DOTALL)

Rows = Sequence[tuple[int, Sequence[str]]]


@dataclass(frozen=True)
class Kept:
    """The rows to go on with, with their numbers, and what is said of those left out."""

    rows: list[tuple[int, Sequence[str]]]
    left_out: list[RowReport]
    notes: list[str]


def finished_attempts(rows: Rows, shape: Shape) -> Kept:
    """One row a person. Raises nothing: a time that is not understood leaves the order of the file to decide."""
    kept, left_out = _finished(rows, shape)
    notes: list[str] = []
    if left_out:
        notes.append(f"{_attempts(len(left_out))} not finished and left out: {_rows(left_out)}.")
    if shape.one_each:
        kept, earlier, in_file_order = _last_of_each(kept, shape)
        if earlier:
            how = "the later row of the file" if in_file_order else "the last finished"
            notes.append(
                f"{len({each.message for each in earlier})} of {len(kept)} candidates made several attempts; {how} is "
                f"kept, and {_rows(earlier)} left out."
            )
        left_out += earlier
    return Kept(kept, left_out, notes)


def parse_time(text: str) -> datetime.datetime | None:
    """“19 April 2022 7:31 PM”, “2026-09-25 23:30:00 UTC”, “2026/09/25 9:30:00 AM GMT+1”; None for other writings.

    25/09/2026 and 9/25/2026 are not read: which is meant cannot be told. Time zones are ignored, as one file has one.
    """
    text = " ".join(text.split())
    if words := _WORDS.fullmatch(text):
        month = _month(words[2])
        date, clock = (int(words[3]), month, int(words[1])), words[4]
    elif iso := _ISO.fullmatch(text):
        date, clock = (int(iso[1]), int(iso[2]), int(iso[3])), iso[4]
    else:
        return None
    hour, minute, second = _clock(clock)
    try:
        return datetime.datetime(*date, hour, minute, second)
    except ValueError:
        return None


def _month(name: str) -> int:
    """The month of its first three letters, from 1; 0 for no month."""
    place = _MONTHS.find(name.casefold())
    return place // 3 + 1 if place >= 0 and place % 3 == 0 else 0


def _clock(text: str) -> tuple[int, int, int]:
    found = _CLOCK.fullmatch(text)
    if not found:
        return 0, 0, 0
    hour = int(found[1])
    if found[4]:  # Moodle writes 0:04 PM, others 12:04 PM
        hour = hour % 12 + (12 if found[4].casefold() == "p" else 0)
    return hour, int(found[2]), int(found[3] or 0)


def _finished(rows: Rows, shape: Shape) -> tuple[list[tuple[int, Sequence[str]]], list[RowReport]]:
    """The rows whose state is not one of an attempt under way; a state that is not known counts as finished."""
    place = shape.attempts.state
    if place is None:
        return list(rows), []
    kept: list[tuple[int, Sequence[str]]] = []
    left_out: list[RowReport] = []
    for number, row in rows:
        state = " ".join(row[place].split())
        if state.casefold() in _UNFINISHED:
            left_out.append(RowReport(number, "warning", f"Row {number}: left out, as its state is “{state}”."))
        else:
            kept.append((number, row))
    return kept, left_out


def _last_of_each(rows: Rows, shape: Shape) -> tuple[list[tuple[int, Sequence[str]]], list[RowReport], bool]:
    """One row a person, in the place of their first; whether the order of the file had to decide."""
    best: dict[object, tuple[int, Sequence[str]]] = {}
    left_out: list[RowReport] = []
    in_file_order = False
    for number, row in rows:
        key: object = person_key(row, shape) or number
        name, _ = shape.people.person(row)
        while key in best and not may_be_one(shape.people.person(best[key][1])[0], name):
            key = (key, name.casefold())  # a family has one address
        earlier = best.get(key)
        if earlier is None:
            best[key] = (number, row)
            continue
        later = _is_later(row, earlier[1], shape)
        in_file_order |= later is None
        first, last = (earlier, (number, row)) if later in {True, None} else ((number, row), earlier)
        best[key] = last
        left_out.append(
            RowReport(first[0], "warning", f"Row {first[0]}: left out, as row {last[0]} is a later attempt.")
        )
    return list(best.values()), left_out, in_file_order


def person_key(row: Sequence[str], shape: Shape) -> tuple[str, str] | None:
    """What tells people apart: the e-mail address, else the number, else the name; None where there is nothing."""
    name, email = shape.people.person(row)
    number = "" if shape.people.number is None else row[shape.people.number].strip()
    for kind, value in (("e-mail", email), ("number", number), ("name", name)):
        if value:
            return kind, value.casefold()
    return None


def _is_later(row: Sequence[str], other: Sequence[str], shape: Shape) -> bool | None:
    """Whether one attempt was finished after another, by its number or time; None where neither tells."""
    if shape.attempts.number is not None:
        mine, theirs = row[shape.attempts.number].strip(), other[shape.attempts.number].strip()
        if mine.isdecimal() and theirs.isdecimal() and mine != theirs:
            return int(mine) > int(theirs)
    if shape.attempts.finished is not None:
        mine_at, theirs_at = parse_time(row[shape.attempts.finished]), parse_time(other[shape.attempts.finished])
        if mine_at and theirs_at and mine_at != theirs_at:
            return mine_at > theirs_at
    return None


def _attempts(count: int) -> str:
    return f"{count} attempt{'s were' if count > 1 else ' was'}"


def _rows(found: Sequence[RowReport]) -> str:
    numbers = sorted({each.row for each in found})
    shown = ", ".join(map(str, numbers[:10]))
    more = f" and {len(numbers) - 10} more" if len(numbers) > 10 else ""
    return f"row{'s' if len(numbers) > 1 else ''} {shown}{more}"
