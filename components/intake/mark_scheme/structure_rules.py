"""Lines that give a scheme its structure: sections, totals, levels, objectives."""

from __future__ import annotations

import re

from components.intake.mark_scheme import bands
from components.intake.mark_scheme.building import RawLevel
from components.intake.mark_scheme.numbering import Place
from components.intake.mark_scheme.reading import Reading
from components.intake.mark_scheme.totals import alone_mark, total

_NOTES = re.compile(r"^(?:general\s+|marking\s+|additional\s+)?notes?\s*:?$", re.I)
_SECTION = re.compile(
    r"^(?:Section|SECTION|Part|PART|Paper|PAPER)\s+[A-Z0-9]\b[^()\[\]]{0,60}$|^[一二三四五六七八九十]{1,3}[、．.].{0,60}$"
)


def read_section(reading: Reading, number: int, line: str) -> bool:
    """Lines between questions: "Section B", 一、…（36分）, "Notes"."""
    if _NOTES.match(line):
        reading.close()
        reading.notes = True
    elif _SECTION.match(line) and reading.mode == "" and reading.group is None:
        reading.open(Place("", named=False))
        reading.place = None
    else:
        return False
    reading.headings.append(number)
    return True


def read_band(reading: Reading, number: int, body: str) -> bool:
    found = bands.band(body)
    if found:
        reading.close()
        reading.mode = "level"
        reading.now.levels.append(
            RawLevel(
                reading.now.objective or bands.DEFAULT_OBJECTIVE,
                found.level,
                found.low,
                found.high,
                found.descriptor,
                found.best_first,
                [number],
            )
        )
        return True
    if re.match(r"^[(\[（]?0\s*(?:marks?|分)\b", body, re.I):
        reading.close()
        return True
    loose = reading.mode == "level" and reading.now.levels[-1].level == 0
    marks = bands.marks_range(body, loose)
    if marks is None:
        return False
    if reading.mode == "level" and reading.now.levels[-1].low is None:
        level = reading.now.levels[-1]
        level.low, level.high, level.descriptor = marks[0], marks[1], marks[2] or level.descriptor
        level.lines.append(number)
    else:
        reading.close()
        reading.mode = "level"
        objective = reading.now.objective or bands.DEFAULT_OBJECTIVE
        reading.now.levels.append(RawLevel(objective, 0, *marks, lines=[number]))
    return True


def read_total(reading: Reading, number: int, body: str) -> bool:
    found = total(body)
    if found is not None:
        main = reading.place.main.partition(".")[0] if reading.place else ""
        if reading.place and reading.place.parts:
            reading.totals.append((main, found, number))
        elif reading.now.told is None:
            reading.now.told = found
        else:
            reading.totals.append((main, found, number))
        reading.close()
        return True
    head = re.match(r"^([\u4e00-\u9fff]{1,20})[（(]满分\s*(\d{1,3})\s*分[)）]$", body)
    if head and reading.now.told is None and reading.now.empty:
        reading.now.told, reading.now.title = float(head[2]), head[1]
        return True
    found = alone_mark(body)
    if found is None or reading.mode == "level":
        return False
    if (
        reading.last is not None
        and reading.last.marks is None
        and reading.now.told is not None
        and not reading.last.written
    ):
        reading.last.marks = found
    elif reading.now.told is None:
        reading.now.told = found
    elif reading.now.told != found:
        return False
    return True


def read_objective(reading: Reading, body: str) -> bool:
    found = bands.objective(body)
    if found:
        reading.close()
        reading.now.objective = found[0]
        reading.now.names[found[0]] = found[1]
        reading.now.aos.append(found[0])
        return True
    if bands.only_objectives(body):
        reading.now.aos.extend(bands.objectives_in(body))
        return True
    return False
