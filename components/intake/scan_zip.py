"""Unpacks a ZIP of scans without trusting it: nothing leaves the folder, nothing swells beyond what was allowed."""

from __future__ import annotations

import stat
import unicodedata
import zipfile
from io import BytesIO
from pathlib import Path, PurePosixPath

from components.intake.page_regions import ScanFault
from components.intake.scan_pages import ScanFile

MOST_FILES = 3000
LARGEST_FILE, LARGEST_ZIP = 400_000_000, 3_000_000_000  # bytes, unpacked
_ENDINGS = (".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".avif", ".heic", ".heif", ".gif")
_ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz")
_CLUTTER = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")
_CHUNK = 1 << 20


def is_zip(file: ScanFile) -> bool:
    """Whether the file is a ZIP by its first bytes or its name."""
    return file.head(4) in (b"PK\x03\x04", b"PK\x05\x06") or file.name.lower().endswith(".zip")


def unpack_scans(
    file: ScanFile,
    folder: Path,
    *,
    most_files: int = MOST_FILES,
    largest_file: int = LARGEST_FILE,
    largest: int = LARGEST_ZIP,
) -> list[ScanFile]:
    """The ZIP's scans, written into `folder` under names of our own; each keeps its path in the ZIP as its name.

    Raises ScanFault naming the entry for a path that leaves the folder, a link, an archive in the archive, a password,
    another kind of file, two entries of one name, too many files, or more bytes than allowed, counted while reading.
    """
    try:
        archive = zipfile.ZipFile(BytesIO(file.content) if isinstance(file.content, bytes) else file.content)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise ScanFault(f"“{file.name}” is not a ZIP that can be read; it may be cut off. Get it again.") from error
    with archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir() and not _clutter(entry.filename)]
        if not entries:
            raise ScanFault(f"“{file.name}” has no files in it.")
        if len(entries) > most_files:
            raise ScanFault(f"“{file.name}” has {len(entries)} files; {most_files} are the most. Split it.")
        names = [_checked_name(file.name, entry) for entry in entries]
        same = {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else set()
        if same:
            raise ScanFault(f"“{file.name}” holds “{sorted(same)[0]}” twice. Remove one of the two.")
        folder.mkdir(parents=True, exist_ok=True)
        unpacked, left = [], largest
        for number, (entry, name) in enumerate(zip(entries, names, strict=True), 1):
            place = folder / f"{number:05}{PurePosixPath(name).suffix.lower()}"
            left -= _unpack(file.name, archive, entry, place, min(left, largest_file))
            unpacked.append(ScanFile(name, place))
    return unpacked


def _clutter(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return any(part in _CLUTTER for part in parts) or (bool(parts) and parts[-1].startswith("._"))


def _checked_name(zip_name: str, entry: zipfile.ZipInfo) -> str:
    name = entry.filename.replace("\\", "/")
    path = PurePosixPath(name)
    shown = f"“{zip_name}” holds “{name[:80]}”"
    if path.is_absolute() or ".." in path.parts or name[1:2] == ":" or "\0" in entry.orig_filename:
        raise ScanFault(f"{shown}, a path that leads out of its folder. That is not a ZIP of scans; nothing was read.")
    if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
        raise ScanFault(f"{shown}, a link and not a file. Put the file itself into the ZIP.")
    if entry.flag_bits & 1:
        raise ScanFault(f"{shown}, which has a password. Make the ZIP without one.")
    ending = path.suffix.lower()
    if ending in _ARCHIVES:
        raise ScanFault(f"{shown}, an archive inside the archive. Unpack it first and put its files into the ZIP.")
    if ending not in _ENDINGS:
        raise ScanFault(f"{shown}, which is not a PDF or a picture. Take it out of the ZIP.")
    return unicodedata.normalize("NFC", name)


def _unpack(zip_name: str, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, place: Path, most: int) -> int:
    size = 0
    try:
        with archive.open(entry) as source, place.open("wb") as out:
            while chunk := source.read(_CHUNK):
                size += len(chunk)
                if size > most:
                    raise ScanFault(
                        f"“{zip_name}”: “{entry.filename[:80]}” unpacks to more than is allowed. "
                        "Scan at 150 dpi, or split the ZIP."
                    )
                if size == len(chunk) and chunk[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
                    raise ScanFault(f"“{zip_name}”: “{entry.filename[:80]}” is an archive, no scan. Unpack it first.")
                out.write(chunk)
    except ScanFault:
        place.unlink(missing_ok=True)
        raise
    except Exception as error:  # damaged data brings up zlib's, zipfile's and lzma's own errors
        place.unlink(missing_ok=True)
        raise ScanFault(f"“{zip_name}”: “{entry.filename[:80]}” is damaged. Make the ZIP again.") from error
    return size
