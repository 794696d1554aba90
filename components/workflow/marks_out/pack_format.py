"""What an evidence pack looks like: its files, its manifest, and how large an honest one may be."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field

from storage.evidence import Row
from storage.judges import REACH

FORMAT = "Second Marker evidence pack"
FORMAT_VERSION = 1
MANIFEST, READ_ME, PROMPTS = "manifest.json", "READ ME.txt", "prompts.json"
MOMENT = (1980, 1, 1, 0, 0, 0)  # a file's own time would make two packs of the same exam differ
EXTENSIONS = {"image/png": "png", "image/jpeg": "jpg"}
STARTS = {"png": b"\x89PNG\r\n\x1a\n", "jpg": b"\xff\xd8\xff"}
FILE_NAME = re.compile(
    r"tables/[a-z_]{1,40}\.jsonl|pictures/[0-9a-f]{64}\.(?:png|jpg)|prompts/[a-z_]{1,40}\.[a-z]{2}\.v\d{1,4}\.txt"
    rf"|{re.escape(READ_ME)}|{re.escape(PROMPTS)}",
    re.ASCII,
)

MOST_FILES = 2_000_000
MOST_UNPACKED = 16 * 2**30
MOST_RATIO = 200  # of unpacked to packed: rows that are much alike come to 60
MOST_MANIFEST = 512 * 2**20
LONGEST_ROW = 64 * 2**20
LARGEST_PICTURE = 256 * 2**20

_SECRET = re.compile(
    r"(.*[_-])?(api_?key|key|secret|password|passwd|authorization|bearer|credentials?)|([a-z]+[_-])?token",
    re.IGNORECASE,
)


class PackError(ValueError):
    """A pack that cannot be restored, with nothing changed. The message says why, and what to do."""


class PackedFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    size: int = Field(ge=0)  # bytes


class Manifest(BaseModel):
    """What is in a pack. There is no time in it: the same record always makes the same pack."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str
    format_version: int
    schema_version: int
    app_version: str
    exam_id: int
    exam: str
    counts: dict[str, int]
    files: dict[str, PackedFile]

    def as_bytes(self) -> bytes:
        return (json.dumps(self.model_dump(), ensure_ascii=False, indent=1) + "\n").encode()


def table_file(name: str) -> str:
    return f"tables/{name}.jsonl"


def picture_file(row: Row) -> str:
    """Raises PackError for what is no picture of ours."""
    extension = EXTENSIONS.get(str(row.get("mime")))
    if extension is None:
        raise PackError(f"The pack has a picture of the kind {row.get('mime')!r}; this version knows PNG and JPEG.")
    return f"pictures/{row['sha256']}.{extension}"


def lines(table: str, rows: Iterable[Row]) -> Iterator[bytes]:
    """The rows as JSON, one a line, without the keys of judges."""
    for row in rows:
        shown = row | {"settings": without_keys(row["settings"])} if table in ("judges", "runs") else row
        yield (json.dumps(shown, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def without_keys(settings: str) -> str:
    """A judge's settings, as JSON, without how it is reached from this machine and anything that looks like a key."""
    found = json.loads(settings)
    kept = _without(found)
    return settings if kept == found else json.dumps(kept)


def _without(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _without(v) for k, v in value.items() if k not in REACH and not _SECRET.fullmatch(k)}
    if isinstance(value, list):
        return [_without(each) for each in value]
    return _address(value) if isinstance(value, str) and "://" in value else value


def _address(url: str) -> str:
    """The address without a password before its host or a key among its parameters."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    asked = parse_qsl(parts.query, keep_blank_values=True)
    kept = [(name, value) for name, value in asked if not _SECRET.fullmatch(name)]
    host = parts.netloc.rpartition("@")[2]
    if host == parts.netloc and kept == asked:
        return url
    return urlunsplit((parts.scheme, host, parts.path, urlencode(kept), parts.fragment))


@lru_cache(maxsize=1)
def app_version() -> str:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
    return str(project["project"]["version"])
