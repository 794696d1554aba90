"""From scanned files to a plan: every page accounted for, every cut on the right candidate and question, or a problem.

Reading is a generator of Progress whose value is the ScanPlan, so that a job can show it, stop it (`close()`) and take
it up again in the same folder: `plan = finish(read_answer_books(…), on_progress)`. Cuts are pictures in that folder;
a page at a time is in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Literal

from components.intake.answer_book import AnswerBook, checked_candidates
from components.intake.page_regions import ScanFault, TemplateRegion
from components.intake.scan_assemble import assemble
from components.intake.scan_codes import separator_codes
from components.intake.scan_journal import Journal, PageRecord, reading_key
from components.intake.scan_names import script_files
from components.intake.scan_order import ByFile, Fixed, Order, Separated
from components.intake.scan_pages import ScanFile, TextSpan, page_count, pages_of
from components.intake.scan_prefetch import ahead
from components.intake.scan_read import BookReader, Reader, TemplateReader
from components.intake.scan_template import TemplatePage, prepare_template
from components.intake.scan_types import PageReport, Progress, ScanPlan, Settlements
from components.intake.scan_zip import is_zip, unpack_scans

Reading = Generator[Progress, None, ScanPlan]


def finish(reading: Reading, on_progress: Callable[[Progress], None] | None = None) -> ScanPlan:
    """Reads to the end and gives the plan."""
    while True:
        try:
            progress = next(reading)
        except StopIteration as end:
            plan = end.value
            assert isinstance(plan, ScanPlan)
            return plan
        if on_progress:
            on_progress(progress)


def read_answer_books(
    files: Sequence[ScanFile],
    book: AnswerBook,
    candidates: Sequence[str],
    folder: Path,
    *,
    dpi: int = 150,
    colour: bool = False,
    settled: Settlements | None = None,
    accept_missing: Collection[str] = (),
) -> Reading:
    """Answer books: codes on every page, in any order, in several files.

    `settled` is what a person said about pages that were problems; `accept_missing` names candidates some of whose
    pages are known to be lost. Raises ScanFault for a bad class list or ZIP.
    """
    names = checked_candidates(candidates)
    scans = _unpacked(files, folder)
    key = reading_key(scans, "books", book.exam_key, book.layout, dpi, colour)
    session = _Session(scans, folder, key, dpi, colour, settled or {})
    yield from session.read(BookReader(book))
    return assemble(session.scans, session.records, session.faults, names, len(book.pages), folder, accept_missing)


def read_scripts(
    files: Sequence[ScanFile],
    template: ScanFile,
    regions: Sequence[TemplateRegion],
    candidates: Sequence[str],
    folder: Path,
    *,
    by: Literal["file", "fixed pages", "blank separators", "coded separators"],
    dpi: int = 150,
    colour: bool = False,
    settled: Settlements | None = None,
    accept_missing: Collection[str] = (),
) -> Reading:
    """Scripts on paper without codes, cut by the regions drawn on the template, whose print each page must show.

    `by` says whose a page is: "file" by the name of its file (or its folder in a ZIP); "fixed pages" as many pages
    each as the template has, in the list's order; "blank separators" likewise, a blank page before each but perhaps
    the first; "coded separators" the number in a QR or bar code on a page before each.
    Raises ScanFault for a bad template, class list or ZIP, and for a page count that cannot be shared out.
    """
    names = checked_candidates(candidates)
    pages, spans, codes = _template(template, regions, dpi, with_codes=by == "coded separators")
    scans = _unpacked(files, folder)
    ruled = sorted((settled or {}).items())  # what is left out moves the pages after it
    key = reading_key([*scans, template], by, list(regions), names, dpi, colour, str(ruled))
    session = _Session(scans, folder, key, dpi, colour, settled or {})
    order = _order(by, session, pages, names, codes)
    nothing = bool(session.faults) and by in ("fixed pages", "blank separators")  # pages after a lost file are anyone's
    if not nothing:
        yield from session.read(TemplateReader(pages, regions, order, spans))
        if by == "blank separators" and isinstance(order, Separated) and order.scripts != len(names):
            nothing = True
            session.faults.append(_miscounted(order.scripts, len(names)))
    faults = [*session.faults, *_alike_notes(pages)]
    return assemble(
        session.scans,
        session.records,
        faults,
        names,
        len(pages),
        folder,
        accept_missing,
        whole_scripts=True,
        nothing=nothing,
    )


class _Session:
    """Files being read into a folder: what is known already is not read again."""

    def __init__(
        self, scans: list[ScanFile], folder: Path, key: str, dpi: int, colour: bool, settled: Settlements
    ) -> None:
        self.scans, self._folder, self._dpi, self._colour, self.settled = scans, folder, dpi, colour, settled
        self._journal = Journal(folder, key)
        self.faults: list[PageReport] = []
        self.counts: list[int] = []
        for scan in scans:
            try:
                self.counts.append(page_count(scan))
            except ScanFault as fault:
                self.counts.append(0)
                self.faults.append(PageReport(scan.name, 0, "error", "unreadable", str(fault)))

    @property
    def records(self) -> list[PageRecord]:
        return [
            self._journal.records[file, page]
            for file, count in enumerate(self.counts)
            for page in range(1, count + 1)
            if (file, page) in self._journal.records
        ]

    def read(self, reader: Reader) -> Generator[Progress, None, None]:
        total, done = sum(self.counts), 0
        for file, count in enumerate(self.counts):
            fresh = self._known(file, count)
            for number in range(1, count + 1):
                if number in fresh:
                    reader.saw(fresh[number])
            done += len(fresh)
            yield Progress(done, total)
            wanted = [number for number in range(1, count + 1) if number not in fresh]
            for record in self._read_pages(file, wanted, reader):
                self._journal.add(record)
                reader.saw(record)
                done += 1
                yield Progress(done, total)

    def _known(self, file: int, count: int) -> dict[int, PageRecord]:
        """Pages read in an earlier session about which nothing else has been settled since."""
        known = {}
        for number in range(1, count + 1):
            record = self._journal.records.get((file, number))
            if record and record.settled == self.settled.get((self.scans[file].name, number)):
                known[number] = record
        return known

    def _read_pages(self, file: int, wanted: list[int], reader: Reader) -> Generator[PageRecord, None, None]:
        scan = self.scans[file]
        while wanted:
            rulings = [self.settled.get((scan.name, number)) for number in wanted]
            if rulings[0] and rulings[0].left_out:
                words = f"“{scan.name}” page {wanted[0]}: left out, as you said."
                yield PageRecord(file, wanted[0], "left out", "ok", words, settled=rulings[0])
                wanted = wanted[1:]
                continue
            run = next((at for at, ruling in enumerate(rulings) if ruling and ruling.left_out), len(wanted))
            try:
                pages = ahead(pages_of(scan, self._dpi, colour=self._colour, only=wanted[:run]))
                with closing(pages):
                    for page, settled in zip(pages, rulings[:run], strict=True):
                        yield reader.read(file, page, settled, self._save(file, page.number))
                        wanted = wanted[1:]
            except ScanFault as fault:  # one damaged page: the next may be whole
                yield PageRecord(file, wanted[0], "unreadable", "error", str(fault))
                wanted = wanted[1:]

    def _save(self, file: int, number: int) -> Callable[[bytes], str]:
        count = 0

        def save(picture: bytes) -> str:
            nonlocal count
            count += 1
            name = f"{file + 1:04}-{number:05}-{count:02}.jpg"
            (self._folder / name).write_bytes(picture)
            return name

        return save


def _unpacked(files: Sequence[ScanFile], folder: Path) -> list[ScanFile]:
    if not files:
        raise ScanFault("Choose at least one file to read.")
    scans = []
    for number, file in enumerate(files, 1):
        scans += unpack_scans(file, folder / f"zip{number:03}") if is_zip(file) else [file]
    names = [scan.name for scan in scans]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ScanFault(f"Two files are named “{twice[0]}”. Rename one, so that it is clear which is meant.")
    return scans


def _template(
    file: ScanFile, regions: Sequence[TemplateRegion], dpi: int, *, with_codes: bool
) -> tuple[tuple[TemplatePage, ...], list[tuple[TextSpan, ...]], frozenset[str]]:
    drawn = list(pages_of(file, dpi))
    pages = prepare_template([page.grey for page in drawn])
    if not regions:
        raise ScanFault("No region is drawn on the template yet. Draw one for each question.")
    if outside := [region for region in regions if region.page > len(pages)]:
        raise ScanFault(
            f"Question {outside[0].question} is drawn on page {outside[0].page}, "
            f"but the template has {len(pages)} pages."
        )
    codes = frozenset(code for page in drawn for code in separator_codes(page.grey)) if with_codes else frozenset()
    return pages, [page.spans for page in drawn], codes


def _order(
    by: str, session: _Session, pages: Sequence[TemplatePage], names: Sequence[str], codes: frozenset[str]
) -> Order:
    if by == "file":
        owners, why = script_files(session.scans, session.counts, names)
        return ByFile(owners, len(pages), why)
    if by == "fixed pages":
        _check_shared_out(session, len(pages), len(names))
        return Fixed(names, len(pages))
    if by == "blank separators":
        if any(page.plain for page in pages):
            raise ScanFault(
                "A page of the template has hardly any print, so a blank separator cannot be told from it. "
                "Use separator pages with a code."
            )
        return Separated("blank", names, len(pages))
    return Separated("coded", names, len(pages), codes)


def _check_shared_out(session: _Session, pages: int, candidates: int) -> None:
    if session.faults:
        return
    left_out = [file for (file, _), each in session.settled.items() if each.left_out]
    counts = [count - left_out.count(scan.name) for scan, count in zip(session.scans, session.counts, strict=True)]
    if sum(counts) != pages * candidates:
        raise ScanFault(
            f"The scan has {sum(counts)} pages, but {candidates} candidates with {pages} pages each would have "
            f"{pages * candidates}. Mend the class list or the scan, or use separator pages."
        )
    for scan, count in zip(session.scans, counts, strict=True):
        if count % pages:
            raise ScanFault(
                f"“{scan.name}” has {count} pages, which are not whole scripts of {pages} pages. "
                "Scan each candidate into one file."
            )


def _miscounted(scripts: int, candidates: int) -> PageReport:
    words = (
        f"The blank pages make {scripts} scripts, but the list has {candidates} candidates, so no script can be given "
        "to anyone for certain. Take absent candidates out of the list, or mend the scan."
    )
    return PageReport("", 0, "error", "missing page", words)


def _alike_notes(pages: Sequence[TemplatePage]) -> list[PageReport]:
    return [
        PageReport(
            "",
            0,
            "warning",
            "used",
            f"Page {page.number} of the template looks like page {page.alike[0]}: whether the two were scanned in the "
            "right order could not be checked. Look at their cuts.",
        )
        for page in pages
        if page.alike and page.alike[0] > page.number
    ]
