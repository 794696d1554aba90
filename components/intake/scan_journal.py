"""What was read of each page, written down at once, so that reading 300 pages can be cancelled and taken up again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from components.intake.scan_pages import ScanFile
from components.intake.scan_types import Level, Result, Settled

_NAME = "pages.jsonl"


@dataclass(frozen=True)
class CutRecord:
    """A cut's picture `name` in the folder and what it shows."""

    question: str
    part: int
    name: str
    mime: str
    width: int
    height: int
    blank: bool
    text: str


@dataclass(frozen=True)
class PageRecord:
    """What one page turned out to be; `candidate` and `book_page` say where a used page belongs."""

    file: int
    page: int
    result: Result
    level: Level
    message: str
    candidate: str = ""
    book_page: int = 0
    cuts: tuple[CutRecord, ...] = ()
    settled: Settled | None = None


class Journal:
    """The records of one reading in its folder; another reading there (other files, other settings) starts it anew."""

    def __init__(self, folder: Path, reading: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / _NAME
        self.records: dict[tuple[int, int], PageRecord] = {}
        lines = self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else []
        if not lines or lines[0] != reading:
            self._path.write_text(reading + "\n", encoding="utf-8")
            return
        kept = [reading]
        for line in lines[1:]:
            try:
                record = _record(json.loads(line))
            except (ValueError, TypeError, KeyError):  # cut off when the process was killed
                continue
            if all((folder / cut.name).exists() for cut in record.cuts):
                kept.append(line)
                self.records[record.file, record.page] = record
        self._path.write_text("\n".join(kept) + "\n", encoding="utf-8")

    def add(self, record: PageRecord) -> None:
        self.records[record.file, record.page] = record
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(record), ensure_ascii=True) + "\n")


def reading_key(files: list[ScanFile], *settings: object) -> str:
    """Stands for these files' bytes and these settings."""
    digest = hashlib.sha256(repr(settings).encode())
    for file in files:
        digest.update(file.name.encode() + b"\0")
        if isinstance(file.content, bytes):
            digest.update(hashlib.sha256(file.content).digest())
        else:
            with file.content.open("rb") as opened:
                digest.update(hashlib.file_digest(opened, "sha256").digest())
    return digest.hexdigest()


def _record(values: dict[str, object]) -> PageRecord:
    cuts, settled = values.pop("cuts"), values.pop("settled")
    assert isinstance(cuts, list)
    return PageRecord(
        **values,  # type: ignore[arg-type]
        cuts=tuple(CutRecord(**cut) for cut in cuts),
        settled=Settled(**settled) if isinstance(settled, dict) else None,
    )
