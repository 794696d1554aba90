"""What reading a scan gave, kept beside its files: the report, the cuts with small copies, and the problem pages."""

from __future__ import annotations

import io
import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from components.intake.page_regions import ScanFault
from components.intake.scan_pages import ScanFile, pages_of
from components.intake.scan_types import Cut, PageReport, ScanPlan
from components.intake.scan_zip import is_zip, unpack_scans
from components.intake.thumbnails import thumbnail
from components.workflow.progress import Progress

THUMBNAIL = 320  # pixels of the longest side
PROBLEM_DPI = 75
MOST_PROBLEM_PAGES = 100
TELL_SECONDS = 0.3


@dataclass(frozen=True)
class Results:
    """A plan as it was kept. `read_by` stands for how the scan was read, to know whether that has changed since."""

    plan: ScanPlan
    read_by: str


def keep_results(folder: Path, plan: ScanPlan, files: Sequence[ScanFile], read_by: str, progress: Progress) -> bool:
    """Make the small copies and keep the plan. False where the job was no longer wanted on the way."""
    small = folder / "small"
    small.mkdir(exist_ok=True)
    told = 0.0
    for done, cut in enumerate(plan.cuts):
        if time.monotonic() - told > TELL_SECONDS:
            told = time.monotonic()
            if not progress(done, len(plan.cuts), "Making the contact sheet"):
                return False
        place = small / cut.path.name
        if not place.exists() or place.stat().st_mtime_ns < cut.path.stat().st_mtime_ns:
            place.write_bytes(thumbnail(cut.picture(), THUMBNAIL))
    _keep_problem_pages(folder, plan, files)
    half = folder / "plan.half"
    half.write_text(json.dumps(_as_json(plan, read_by)), encoding="utf-8")
    half.replace(folder / "plan.json")
    return True


def results(folder: Path) -> Results | None:
    """What the last reading gave, or None before there was one."""
    try:
        kept = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    cuts = tuple(Cut(**{**cut, "path": folder / "cuts" / cut["path"]}) for cut in kept["cuts"])
    return Results(ScanPlan(cuts, tuple(PageReport(**row) for row in kept["report"])), kept["read_by"])


def small_copy(folder: Path, cut: Cut) -> Path:
    """Where the cut's small copy lies."""
    return folder / "small" / cut.path.name


def problem_page(folder: Path, row: int) -> Path | None:
    """The picture of the page that this row of the report is about, where one was kept."""
    place = folder / "problems" / f"{row}.jpg"
    return place if place.exists() else None


def forget_results(folder: Path) -> None:
    """Remove what was made of the scan's files, as its answers are stored. The files that came in stay."""
    (folder / "plan.json").unlink(missing_ok=True)
    for made in ("cuts", "small", "problems"):
        shutil.rmtree(folder / made, ignore_errors=True)


def _keep_problem_pages(folder: Path, plan: ScanPlan, files: Sequence[ScanFile]) -> None:
    kept = folder / "problems"
    kept.mkdir(exist_ok=True)
    for old in kept.glob("*.jpg"):
        old.unlink()
    wanted = [(row, each) for row, each in enumerate(plan.report) if each.level == "error" and each.page]
    if not wanted:
        return
    scans = {file.name: file for file in files if not is_zip(file)}
    for number, file in enumerate(files, 1):
        if is_zip(file):
            scans |= {each.name: each for each in unpack_scans(file, folder / "cuts" / f"zip{number:03}")}
    for row, each in wanted[:MOST_PROBLEM_PAGES]:
        try:
            page = next(iter(pages_of(scans[each.file], PROBLEM_DPI, only=[each.page])))
        except ScanFault:  # the report says what is wrong with it
            continue
        out = io.BytesIO()
        page.grey.convert("L").save(out, "JPEG", quality=75)
        (kept / f"{row}.jpg").write_bytes(out.getvalue())


def _as_json(plan: ScanPlan, read_by: str) -> dict[str, Any]:
    return {
        "read_by": read_by,
        "cuts": [asdict(cut) | {"path": cut.path.name} for cut in plan.cuts],
        "report": [asdict(row) for row in plan.report],
    }
