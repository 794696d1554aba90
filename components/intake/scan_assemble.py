"""Puts the pages together into scripts, and says what is missing, double or unknown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from components.intake.scan_journal import PageRecord
from components.intake.scan_pages import ScanFile
from components.intake.scan_types import Cut, PageReport, ScanPlan


def assemble(
    scans: Sequence[ScanFile],
    records: Sequence[PageRecord],
    faults: Sequence[PageReport],
    candidates: Sequence[str],
    pages: int,
    folder: Path,
    accept_missing: Collection[str] = (),
    *,
    whole_scripts: bool = False,
    nothing: bool = False,
) -> ScanPlan:
    """The plan of these pages, for candidates with `pages` pages each.

    A page that came twice is a problem on both sides, as nobody knows which one holds. With `whole_scripts` (pages
    placed by their order) one problem page withholds its candidate's cuts; with `nothing` all are withheld.
    """
    checked = _checked(scans, records, candidates)
    missing = _missing(checked, candidates, pages, accept_missing, known=not nothing)
    doubtful = {record.candidate for record in checked if record.level == "error"} if whole_scripts else set()
    good = [
        record for record in checked if record.result == "used" and record.candidate not in doubtful and not nothing
    ]
    places = {candidate: index for index, candidate in enumerate(candidates)}
    good.sort(key=lambda record: (places[record.candidate], record.book_page))
    cuts = [
        Cut(
            record.candidate,
            cut.question,
            cut.part,
            folder / cut.name,
            cut.mime,
            cut.width,
            cut.height,
            f"“{scans[record.file].name}”, page {record.page}",
            cut.blank,
            cut.text,
        )
        for record in good
        for cut in record.cuts
    ]
    rows = [
        PageReport(scans[each.file].name, each.page, each.level, each.result, each.message, each.candidate)
        for each in checked
    ]
    return ScanPlan(tuple(cuts), (*faults, *rows, *missing))


def _checked(scans: Sequence[ScanFile], records: Sequence[PageRecord], candidates: Collection[str]) -> list[PageRecord]:
    same: defaultdict[tuple[str, int], list[PageRecord]] = defaultdict(list)
    for record in records:
        if record.result == "used":
            same[record.candidate, record.book_page].append(record)
    checked = []
    for record in records:
        about = f"“{scans[record.file].name}” page {record.page}"
        copies = [other for other in same[record.candidate, record.book_page] if other is not record]
        if record.result == "used" and record.candidate not in candidates:
            words = f"{about}: candidate {record.candidate} is not in the class list. Add them, or leave the page out."
            checked.append(replace(record, result="unknown candidate", level="error", message=words))
        elif record.result == "used" and copies:
            where = ", ".join(f"“{scans[other.file].name}” page {other.page}" for other in copies[:3])
            words = f"{about}: page {record.book_page} of candidate {record.candidate} came again ({where}). "
            words += "Leave out all but one."
            checked.append(replace(record, result="duplicate page", level="error", message=words))
        else:
            checked.append(record)
    return checked


def _missing(
    records: Sequence[PageRecord], candidates: Sequence[str], pages: int, accepted: Collection[str], *, known: bool
) -> list[PageReport]:
    have: defaultdict[str, set[int]] = defaultdict(set)
    for record in records:
        if record.result in ("used", "duplicate page"):
            have[record.candidate].add(record.book_page)
    rows = []
    for candidate in candidates if known else ():
        lost = sorted(set(range(1, pages + 1)) - have[candidate])
        if not have[candidate]:
            words = f"Candidate {candidate}: no page was found. If they were absent, nothing needs to be done."
            rows.append(PageReport("", 0, "warning", "absent", words, candidate))
        elif lost:
            words = f"Candidate {candidate}: page {', '.join(map(str, lost))} of {pages} is missing"
            if candidate in accepted:
                words += ", as you accepted. Its questions have no response."
                rows.append(PageReport("", 0, "warning", "missing page", words, candidate))
            else:
                words += ". Scan it and add the file, or accept that it is lost."
                rows.append(PageReport("", 0, "error", "missing page", words, candidate))
    return rows
