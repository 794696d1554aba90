"""Scanned scripts on their way in: their files, how they are to be read, the job that does it, and what is settled."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path, PurePath
from typing import BinaryIO

from sqlite_utils import Database

from components.intake.answer_book import checked_candidates
from components.intake.page_regions import ScanFault
from components.intake.scan_pages import ScanFile, page_count
from components.intake.scan_plan import Reading, read_answer_books, read_scripts
from components.intake.scan_types import ScanPlan, Settled
from components.marking import Marker
from components.workflow.printing import printed
from components.workflow.progress import Progress
from components.workflow.scan_results import keep_results
from components.workflow.scan_setup import Kept, Region, Ruling, ScanSetup, Way
from storage import Store, events, jobs, scans
from storage.jobs import Job
from storage.scans import Scan

SCAN = "scan"
TELL_SECONDS = 0.3
_BLOCK = 1 << 20


def folder_of(store: Store, scan_id: int) -> Path:
    """Where a scan's files and cuts lie."""
    return store.path.parent / "scans" / str(scan_id)


def begin(
    store: Store,
    exam_id: int,
    marker: Marker,
    way: Way,
    candidates: Sequence[str],
    files: Sequence[tuple[str, BinaryIO]],
    *,
    book_id: int | None = None,
    colour: bool = False,
) -> int:
    """Keep the files as a new scan of the exam. Gives its id. Raises ScanFault for a bad class list or no file."""
    names = tuple(checked_candidates(candidates))
    if not files:
        raise ScanFault("Choose at least one file to read.")
    if way == "books" and book_id is None:
        raise ScanFault("No answer books have been printed for this exam yet, so none can be read. Print them first.")
    setup = ScanSetup(way=way, files=(), candidates=names, book_id=book_id, colour=colour)
    _named_apart([name for name, _ in files])
    with store.write() as db:
        scan_id = scans.add(db, exam_id, marker.id, setup.model_dump(mode="json"))
    try:
        add_files(store, scan_id, files)
    except OSError:
        throw_away(store, scan_id)
        raise
    return scan_id


def add_files(store: Store, scan_id: int, files: Sequence[tuple[str, BinaryIO]]) -> None:
    """Keep more files with an open scan, to be read with the others. Raises ScanFault for a name that is there."""
    with store.read() as db:
        there = setup_of(scans.get(db, scan_id)).files
    _named_apart([*(each.name for each in there), *(name for name, _ in files)])
    first = 1 + max((int(each.file[:4]) for each in there), default=0)
    kept = [Kept(name=name, file=f"{place:04}{_ending(name)}") for place, (name, _) in enumerate(files, first)]
    for each, (_, content) in zip(kept, files, strict=True):
        _save(content, folder_of(store, scan_id) / each.file)
    change(store, scan_id, lambda setup: setup.model_copy(update={"files": (*setup.files, *kept)}))


def setup_of(scan: Scan) -> ScanSetup:
    return ScanSetup.model_validate(scan.setup)


def open_scan(db: Database, exam_id: int) -> Scan | None:
    """The exam's newest scan that is neither stored nor thrown away."""
    return next(iter(scans.of_exam(db, exam_id, scans.OPEN)), None)


def change(store: Store, scan_id: int, how: Callable[[ScanSetup], ScanSetup]) -> None:
    """Change how an open scan is to be read. What has been read stays until it is read again."""
    with store.write() as db:
        before = setup_of(scans.get(db, scan_id))
        scans.change_setup(db, scan_id, how(before).model_dump(mode="json"))


def set_template(store: Store, scan_id: int, name: str, content: BinaryIO, regions: Sequence[Region] = ()) -> None:
    """Keep the paper's blank pages, with the regions known on them. Raises ScanFault where they cannot be read."""
    kept = Kept(name=name, file=f"template{_ending(name)}")
    place = folder_of(store, scan_id) / kept.file
    half = place.with_name(f"half-{kept.file}")
    _save(content, half)
    try:
        page_count(ScanFile(name, half))
    except ScanFault:
        half.unlink()
        raise
    half.replace(place)
    change(store, scan_id, lambda setup: setup.model_copy(update={"template": kept, "regions": tuple(regions)}))


def template_file(store: Store, scan_id: int, setup: ScanSetup) -> ScanFile:
    """The template's file. Raises ScanFault where there is none yet."""
    if setup.template is None:
        raise ScanFault("There is no template yet. Choose the paper's blank pages first.")
    return ScanFile(setup.template.name, folder_of(store, scan_id) / setup.template.file)


def settle(store: Store, scan_id: int, ruling: Ruling) -> None:
    """Note what a person says about a page; an earlier word about the same page no longer counts."""

    def ruled(setup: ScanSetup) -> ScanSetup:
        others = [each for each in setup.rulings if (each.file, each.page) != (ruling.file, ruling.page)]
        return setup.model_copy(update={"rulings": (*others, ruling)})

    change(store, scan_id, ruled)


def unsettle(store: Store, scan_id: int, file: str, page: int) -> None:
    """Take back what was said about a page."""
    change(
        store,
        scan_id,
        lambda setup: setup.model_copy(
            update={"rulings": tuple(each for each in setup.rulings if (each.file, each.page) != (file, page))}
        ),
    )


def start_reading(store: Store, scan_id: int, marker: Marker) -> None:
    """Queue the reading, or let it go on where it was. Raises ScanFault while something is missing."""
    with store.write() as db:
        scan = scans.get(db, scan_id)
        setup = setup_of(scan)
        if not setup.files:
            raise ScanFault("No file is left to read. Throw this scan away and begin with a good file.")
        if setup.way != "books":
            if setup.template is None:
                raise ScanFault("Choose the template first: the paper's blank pages.")
            if not setup.regions:
                raise ScanFault("No region is drawn on the template yet. Draw one for each question.")
        if scan.job_id is None:
            job_id = jobs.add(db, SCAN, {"exam_id": scan.exam_id, "scan_id": scan_id})
            scans.set_job(db, scan_id, job_id)
        else:
            jobs.again(db, scan.job_id)
        events.log(db, "scan reading started", f"exam {scan.exam_id}", {"scan": scan_id}, marker.id)


def cancel(store: Store, scan_id: int) -> None:
    """Stop the reading; what has been read stays, and it can go on."""
    with store.write() as db:
        job_id = scans.get(db, scan_id).job_id
        if job_id is not None:
            jobs.cancel(db, job_id)


def throw_away(store: Store, scan_id: int) -> None:
    """Give the scan up: its reading ends and its files go."""
    with store.write() as db:
        scan = scans.get(db, scan_id)
        if scan.state != scans.OPEN:
            return
        if scan.job_id is not None:
            jobs.cancel(db, scan.job_id)
        scans.close(db, scan_id, scans.THROWN_AWAY)
    shutil.rmtree(folder_of(store, scan_id), ignore_errors=True)


def do_scan(store: Store, job: Job, progress: Progress) -> str:
    """Read a scan to its end, from what an earlier session has read. Gives a summary in words. Raises ScanFault."""
    with store.read() as db:
        scan = scans.get(db, job.payload["scan_id"])
    if scan.state != scans.OPEN:
        return "This scan is no longer open."
    setup, folder = setup_of(scan), folder_of(store, scan.id)
    with closing(_reading(store, scan, setup, folder)) as reading:
        plan = _followed(reading, progress)
    if plan is None:
        return "Stopped on the way."
    files = [ScanFile(each.name, folder / each.file) for each in setup.files]
    if not keep_results(folder, plan, files, setup.read_by(), progress):
        return "Stopped on the way."
    problems = len(plan.problems)
    found = f"{len(plan.cuts):,} answers found"
    return f"{found}; {problems} problem{'s' * (problems != 1)} to settle." if problems else f"{found}."


def _reading(store: Store, scan: Scan, setup: ScanSetup, folder: Path) -> Reading:
    files = [ScanFile(each.name, folder / each.file) for each in setup.files]
    settled = {(each.file, each.page): Settled(each.candidate, each.book_page, each.turn) for each in setup.rulings}
    if setup.way == "books":
        assert setup.book_id is not None
        book = printed(store, setup.book_id).book()
        return read_answer_books(
            files,
            book,
            setup.candidates,
            folder / "cuts",
            colour=setup.colour,
            settled=settled,
            accept_missing=setup.accept_missing,
        )
    return read_scripts(
        files,
        template_file(store, scan.id, setup),
        [each.template_region() for each in setup.regions],
        setup.candidates,
        folder / "cuts",
        by=setup.way,
        colour=setup.colour,
        settled=settled,
        accept_missing=setup.accept_missing,
    )


def _followed(reading: Reading, progress: Progress) -> ScanPlan | None:
    """The plan at the reading's end; None where the job is no longer wanted."""
    told = 0.0
    while True:
        try:
            at = next(reading)
        except StopIteration as end:
            return end.value if isinstance(end.value, ScanPlan) else None
        if time.monotonic() - told > TELL_SECONDS:
            told = time.monotonic()
            if not progress(at.done, at.total, "Reading pages"):
                return None


def _save(content: BinaryIO, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("wb") as out:
        while block := content.read(_BLOCK):
            out.write(block)


def _ending(name: str) -> str:
    """The name's ending where it is an ordinary one: the rest of a file's name never becomes a path."""
    ending = PurePath(name).suffix.lower()
    return ending if ending[1:].isascii() and ending[1:].isalnum() and len(ending) <= 6 else ""


def _named_apart(names: Sequence[str]) -> None:
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ScanFault(f"Two files are named “{twice[0]}”. Rename one, so that it is clear which is meant.")
