"""The files to load: of a folder, one at a time; of a ZIP, without unpacking it to the disk."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path, PurePosixPath

from components.intake.errors import IntakeError

ENDINGS = (".json", ".jsonl", ".csv")
MOST_FILES, LARGEST_FILE, LARGEST_ZIP = 3000, 200_000_000, 1_000_000_000  # bytes, unpacked
MOST_LOOKED_AT = 200_000  # entries of a folder: a whole disk is not gone through
_CLUTTER = ("__MACOSX",)


def files_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    """A folder's JSON, JSON-lines and CSV files with those of its folders, read when their turn comes, or its ZIPs.

    ZIPs are looked at only where there is no such file: a benchmark's folder often holds both. Names are relative to
    the folder and begin with its own. Raises IntakeError for a folder that cannot be read or is too full.
    """
    if not folder.is_dir():
        raise IntakeError(f"There is no folder “{folder.name or folder}”. Check where the benchmark's files are.")
    found: list[Path] = []
    zips: list[Path] = []
    for looked_at, path in enumerate(folder.rglob("*")):
        ending = path.suffix.lower()
        if ending in (*ENDINGS, ".zip") and _wanted(path.relative_to(folder).as_posix()) and _is_file(path):
            (zips if ending == ".zip" else found).append(path)
        if max(len(found), len(zips)) > MOST_FILES or looked_at > MOST_LOOKED_AT:
            raise IntakeError(
                f"“{folder.name or folder}” has more files than a benchmark. Choose the benchmark's own folder in it."
            )
    above = folder.resolve().name
    for path in sorted(found or zips):
        name = f"{above}/{path.relative_to(folder).as_posix()}"
        yield name, content_of(path, name)


def content_of(path: Path, name: str) -> bytes:
    """A file's bytes. Raises IntakeError, with the name, where it cannot be opened or has more than LARGEST_FILE."""
    try:
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise IntakeError(
                f"“{name}” is larger than {LARGEST_FILE // 1_000_000:,} MB. Choose the benchmark's own files."
            )
        return path.read_bytes() if size else b""  # of no size are the kernel's own files, which may never end
    except OSError as error:
        raise IntakeError(f"“{name}” cannot be opened ({error.strerror}). Check it, then load again.") from None


def unpacked(files: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """The files, and in place of a ZIP those in it. Raises IntakeError for a damaged, locked or swollen ZIP."""
    for name, content in files:
        if content[:4] in (b"PK\x03\x04", b"PK\x05\x06") and not name.lower().endswith(".xlsx"):
            yield from _in_zip(name, content)
        else:
            yield name.replace("\\", "/"), content


def _in_zip(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir() and _wanted(entry.filename)]
            entries = [entry for entry in entries if PurePosixPath(entry.filename).suffix.lower() in ENDINGS]
            if not entries:
                raise IntakeError(f"“{name}” has no JSON, JSON-lines or CSV file in it. Choose another ZIP.")
            if len(entries) > MOST_FILES:
                raise IntakeError(f"“{name}” has {len(entries):,} files; {MOST_FILES:,} are the most. Split it.")
            if any(entry.flag_bits & 1 for entry in entries):
                raise IntakeError(f"“{name}” has a password. Make the ZIP without one.")
            left = LARGEST_ZIP
            for entry in entries:
                with archive.open(entry) as source:
                    unpacked_bytes = source.read(min(left, LARGEST_FILE) + 1)
                left -= len(unpacked_bytes)
                if len(unpacked_bytes) > LARGEST_FILE or left < 0:
                    raise IntakeError(f"“{name}”: “{entry.filename[:80]}” unpacks to too much. Split the ZIP.")
                yield entry.filename.replace("\\", "/"), unpacked_bytes
    except IntakeError:
        raise
    except Exception as error:  # damaged data brings up zlib's, zipfile's and lzma's own errors
        raise IntakeError(f"“{name}” is not a ZIP that can be read; it may be cut off. Get it again.") from error


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # in a folder that may not be looked into
        return False


def _wanted(path: str) -> bool:
    parts = PurePosixPath(path.replace("\\", "/")).parts
    return not any(part.startswith(".") or part in _CLUTTER for part in parts)
