"""Reading a pack that may be damaged, changed or hostile: nothing of it is believed before its hash is right."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, NoReturn

from pydantic import ValidationError

from components.workflow.marks_out.pack_format import (
    FILE_NAME,
    FORMAT,
    FORMAT_VERSION,
    LARGEST_PICTURE,
    LONGEST_ROW,
    MANIFEST,
    MOST_FILES,
    MOST_MANIFEST,
    MOST_RATIO,
    MOST_UNPACKED,
    STARTS,
    Manifest,
    PackError,
    picture_file,
    table_file,
)
from storage.connect import NEWEST_VERSION
from storage.evidence import TABLES, Row

CHUNK = 2**20
_AGAIN = "Get the pack again from where it was made."
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError, OSError)


class CheckedPack:
    """A pack all of whose files are there, are known to the manifest, and have their hashes."""

    def __init__(self, archive: zipfile.ZipFile, manifest: Manifest) -> None:
        self._archive = archive
        self.manifest = manifest

    def rows(self, table: str) -> Iterator[Row]:
        """The rows of a table, one at a time. Raises PackError for a line that is no row."""
        name = table_file(table)
        if name not in self.manifest.files:
            return
        columns: list[str] | None = None
        with self._archive.open(name) as file:
            number = 0
            while line := file.readline(LONGEST_ROW + 1):
                number += 1
                row = _row(line, f"{name}, line {number}")
                columns = list(row) if columns is None else columns
                if list(row) != columns:
                    raise PackError(f"{name}, line {number} has other columns than the first line. {_AGAIN}")
                yield row

    def picture(self, row: Row) -> bytes:
        """The bytes of a picture. Raises PackError where it is not there, or not what its name says."""
        name = picture_file(row)
        if name not in self.manifest.files:
            raise PackError(f"{name} is missing from the pack. {_AGAIN}")
        if self.manifest.files[name].size > LARGEST_PICTURE:
            raise PackError(f"{name} is too large for a picture. {_AGAIN}")
        content = self._archive.read(name)
        if hashlib.sha256(content).hexdigest() != row["sha256"] or not content.startswith(STARTS[name[-3:]]):
            raise PackError(f"{name} is not the picture that its name says. {_AGAIN}")
        return content


@contextmanager
def checked(pack: BinaryIO) -> Iterator[CheckedPack]:
    """The pack, checked from end to end. Raises PackError in words for what is no pack, or not as it was made."""
    try:
        archive = zipfile.ZipFile(pack)
    except _BROKEN as error:
        message = "This file is not an evidence pack, or only a part of one: it cannot be read as a ZIP."
        raise PackError(message) from error
    with archive:
        try:
            _check_names(archive)
            manifest = _manifest(archive)
            _check_files(archive, manifest)
        except PackError:
            raise
        except _BROKEN as error:
            raise PackError(f"The pack is damaged ({error}). {_AGAIN}") from error
        yield CheckedPack(archive, manifest)


def _check_names(archive: zipfile.ZipFile) -> None:
    entries = archive.infolist()
    names = {entry.filename for entry in entries}
    if len(entries) > MOST_FILES:
        _refuse(f"it has {len(entries):,} files, more than any pack")
    if len(names) < len(entries):
        _refuse("it has two files of the same name")
    if MANIFEST not in names:
        raise PackError(f"This is not an evidence pack: it has no {MANIFEST}.")
    unpacked = 0
    for entry in entries:
        name = entry.filename
        # As it stands in the archive too, where a NUL ends what zipfile makes of it.
        if entry.orig_filename != name or (name != MANIFEST and not FILE_NAME.fullmatch(name)):
            _refuse(f"it has a file that no pack has: {name[:80]!r}")
        if entry.flag_bits & 1:
            _refuse(f"{name} is encrypted")
        unpacked += entry.file_size
        if unpacked > MOST_UNPACKED or entry.file_size > MOST_RATIO * entry.compress_size + CHUNK:
            _refuse(f"{name} would unpack to far more than it is here")


def _manifest(archive: zipfile.ZipFile) -> Manifest:
    if archive.getinfo(MANIFEST).file_size > MOST_MANIFEST:
        _refuse(f"{MANIFEST} is too long")
    try:
        manifest = Manifest.model_validate_json(archive.read(MANIFEST))
    except ValidationError as error:
        raise PackError(f"{MANIFEST} cannot be read, so nothing in the pack can be checked. {_AGAIN}") from error
    if manifest.format != FORMAT or manifest.format_version != FORMAT_VERSION:
        raise PackError(
            "This pack is of another kind than this version of Second Marker knows. Update the app, then try again."
        )
    if manifest.schema_version > NEWEST_VERSION:
        raise PackError(
            f"This pack was made by a newer version of Second Marker ({manifest.app_version}, schema "
            f"{manifest.schema_version}; this version knows {NEWEST_VERSION}). Update the app, then try again."
        )
    return manifest


def _check_files(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    there = set(archive.namelist()) - {MANIFEST}
    wanted = set(manifest.files)
    if manifest.schema_version == NEWEST_VERSION:  # an older pack may lack a table that has come since
        wanted |= {table_file(table.name) for table in TABLES}
    if missing := sorted(wanted - there):
        raise PackError(f"The pack is not complete: {_some(missing)} missing. {_AGAIN}")
    if strange := sorted(there - set(manifest.files)):
        raise PackError(f"The pack has been added to: {_some(strange)} not in its manifest. {_AGAIN}")
    if unknown := sorted(n for n in there if n.startswith("tables/") and n not in {table_file(t.name) for t in TABLES}):
        raise PackError(f"This version of Second Marker does not know {unknown[0]}. Update the app, then try again.")
    changed = [name for name in sorted(there) if not _same(archive, name, manifest)]
    if changed:
        raise PackError(
            f"The pack has been changed since it was made: {_some(changed)} not as in its manifest. {_AGAIN}"
        )


def _same(archive: zipfile.ZipFile, name: str, manifest: Manifest) -> bool:
    digest, size = hashlib.sha256(), 0
    try:
        with archive.open(name) as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
                size += len(chunk)
    except _BROKEN:
        return False
    return (digest.hexdigest(), size) == (manifest.files[name].sha256, manifest.files[name].size)


def _row(line: bytes, where: str) -> Row:
    if not line.endswith(b"\n") or len(line) > LONGEST_ROW:
        raise PackError(f"{where} is cut off or too long. {_AGAIN}")
    try:
        row: Any = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise PackError(f"{where} is not a row. {_AGAIN}") from error
    if not isinstance(row, dict) or not all(type(v) in (str, int, float, type(None)) for v in row.values()):
        raise PackError(f"{where} is not a row. {_AGAIN}")
    return row


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


def _refuse(why: str) -> NoReturn:
    raise PackError(f"This file is refused: {why}. Nothing was restored.")


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:3])
    others = f" and {len(names) - 3} others" if len(names) > 3 else ""
    return f"{shown}{others} {'is' if len(names) == 1 else 'are'}"
