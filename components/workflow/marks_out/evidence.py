"""The evidence pack of an exam: everything behind its marks in one ZIP, for an appeal, an audit, or another machine."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterable
from typing import BinaryIO

from sqlite_utils import Database

from components.workflow.marks_out.pack_format import (
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    MOMENT,
    PROMPTS,
    READ_ME,
    Manifest,
    PackedFile,
    app_version,
    lines,
    picture_file,
    table_file,
)
from components.workflow.marks_out.pack_prompts import prompt_texts, prompts_behind
from storage import Store, pictures
from storage import evidence as record
from storage.connect import NEWEST_VERSION

WORDS = """Evidence pack of an exam, made by Second Marker.

manifest.json     what is in the pack, with the SHA-256 of every file, and the versions of the app and its database
tables/           the exam's record, one JSON object a line; ids are the database's own, and files join on them
  decisions       every mark a person gave, undone ones and undos too, with the stage (what the person could see)
  proposals       every mark a judge proposed: verdicts, evidence, raw reply, model, version and hash of its prompt
  schemes         every version of every mark scheme; decisions and proposals name theirs
  sightings       who was shown which proposal, and when
  shown           who was shown another person's mark before there was a proposal, and when
  judges          the AI markers and their settings, without keys
  events          the audit log of this exam
pictures/         answers on paper or drawn, and what they were before they were straightened, named by their SHA-256
prompts.json      the prompts behind the proposals, and whether they still read as they did then
prompts/          the words of those that do

Markers are named in tables/markers.jsonl. Candidates appear by number alone, and in whatever they wrote themselves.
"""


def write_pack(
    store: Store, exam_id: int, target: BinaryIO, told: Callable[[int, int], None] = lambda done, total: None
) -> Manifest:
    """Write the exam's pack into the file; gives its manifest. One row or picture is in memory at a time.

    The pack names markers and shows every proposal: it is for heads of department. The same record makes the same
    bytes. `told` hears how many tables and pictures of how many are in; what it raises ends the packing. Raises
    LookupError where there is no such exam, archived or not.
    """
    with store.read() as db, zipfile.ZipFile(target, "w") as archive:
        title = record.title(db, exam_id)
        if title is None:
            raise LookupError(f"There is no exam {exam_id}.")
        packer = _Packer(archive)
        counts: dict[str, int] = {}
        total = len(record.TABLES)
        for done, table in enumerate(record.TABLES):
            told(done, total)
            rows = record.rows(db, table, exam_id, record.columns(db, table))
            counts[table.name] = packer.add(table_file(table.name), lines(table.name, rows))
            if table.name == "images":
                total += counts[table.name]
        _add_pictures(db, exam_id, packer, lambda added: told(len(record.TABLES) + added, total))
        behind = prompts_behind(record.prompts_used(db, exam_id))
        packer.add(PROMPTS, [(json.dumps([each.as_json() for each in behind], indent=1) + "\n").encode()])
        for name, text in prompt_texts(behind):
            packer.add(name, [text])
        packer.add(READ_ME, [WORDS.encode()])
        manifest = Manifest(
            format=FORMAT,
            format_version=FORMAT_VERSION,
            schema_version=NEWEST_VERSION,
            app_version=app_version(),
            exam_id=exam_id,
            exam=title,
            counts=counts,
            files=packer.files,
        )
        packer.end(manifest)
    return manifest


def _add_pictures(db: Database, exam_id: int, packer: _Packer, told: Callable[[int], None]) -> None:
    images = next(table for table in record.TABLES if table.name == "images")
    for added, row in enumerate(record.rows(db, images, exam_id, ["sha256", "mime"])):
        told(added)
        packer.add(picture_file(row), [pictures.content(db, row["sha256"])], zipfile.ZIP_STORED)


class _Packer:
    """Writes a ZIP entry by entry, and keeps the SHA-256 and size of each."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.files: dict[str, PackedFile] = {}

    def add(self, name: str, chunks: Iterable[bytes], compression: int = zipfile.ZIP_DEFLATED) -> int:
        """Write an entry; gives the number of chunks it had."""
        entry = zipfile.ZipInfo(name, MOMENT)
        entry.compress_type, entry.create_system = compression, 3
        digest, size, count = hashlib.sha256(), 0, 0
        with self._archive.open(entry, "w", force_zip64=True) as file:
            for chunk in chunks:
                count += 1
                file.write(chunk)
                digest.update(chunk)
                size += len(chunk)
        self.files[name] = PackedFile(sha256=digest.hexdigest(), size=size)
        return count

    def end(self, manifest: Manifest) -> None:
        entry = zipfile.ZipInfo(MANIFEST, MOMENT)
        entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
        self._archive.writestr(entry, manifest.as_bytes())
