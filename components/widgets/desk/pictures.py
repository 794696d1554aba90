"""The pictures of an answer on the desk as plain data, and their bytes on the way to the browser."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from components.marking import PointVerdict, Proposal, Verdict, verdict_name


@dataclass(frozen=True)
class ShownStrokes:
    """What another marker drew on a page."""

    name: str
    strokes: Sequence[dict[str, Any]]


@dataclass(frozen=True)
class ShownPage:
    """A page by its number and its picture's SHA-256; sizes in pixels. `own` is what this marker drew there."""

    page: int
    sha256: str
    width: int
    height: int
    own: Sequence[dict[str, Any]] = ()
    others: tuple[ShownStrokes, ...] = ()


@dataclass(frozen=True)
class ShownTranscript:
    """A transcript, and in words who wrote it."""

    text: str
    source: str
    version: int


@dataclass(frozen=True)
class SentPicture:
    """A picture's bytes for the browser, or in words why there are none."""

    sha256: str
    mime: str
    content: bytes
    error: str = ""


def parcel(pictures: Sequence[SentPicture]) -> bytes:
    """Pictures as one message: a line of JSON that names them, then their bytes one after another."""
    names = [
        {"sha": each.sha256, "mime": each.mime, "size": len(each.content), "error": each.error} for each in pictures
    ]
    return json.dumps(names).encode("ascii") + b"\n" + b"".join(each.content for each in pictures)


def pages_data(pages: Iterable[ShownPage], verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Each page with its strokes and the boxes that verdicts rest on."""
    return [
        {
            "page": each.page,
            "sha": each.sha256,
            "width": each.width,
            "height": each.height,
            "own": list(each.own),
            "others": [{"name": other.name, "strokes": list(other.strokes)} for other in each.others],
            "boxes": _boxes(each.page, verdicts),
        }
        for each in pages
    ]


def transcript_data(transcript: ShownTranscript | None) -> dict[str, Any] | None:
    """The transcript in the names that transcript.js reads."""
    if transcript is None:
        return None
    return {"text": transcript.text, "source": transcript.source, "version": transcript.version}


def comparison_data(earlier: Proposal | None, now: Proposal | None) -> list[dict[str, Any]]:
    """What the same judge said before and says now, side by side; nothing where it has spoken once."""
    if earlier is None or now is None:
        return []
    return [_summary("Earlier", earlier), _summary("Now", now)]


def _summary(when: str, proposal: Proposal) -> dict[str, Any]:
    mark = proposal.mark
    shown = None if mark is None else int(mark) if float(mark).is_integer() else mark
    return {"when": when, "mark": shown, "verdicts": [_in_short(verdict) for verdict in proposal.verdicts]}


def _in_short(verdict: Verdict) -> str:
    if isinstance(verdict, PointVerdict):
        return f"{verdict.code} {'✓' if verdict.awarded else '✗'}"
    return f"{verdict_name(verdict)} {verdict.mark:g}"


def _boxes(page: int, verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    boxes = []
    for verdict in verdicts:
        awarded = verdict.awarded if isinstance(verdict, PointVerdict) else verdict.mark > 0
        for each in verdict.evidence:
            if each.box is not None and each.box.page == page:
                kind = "found" if awarded else "nearest"
                corners = each.box.model_dump(exclude={"page"})
                boxes.append({"code": verdict_name(verdict), "kind": kind, **corners})
    return boxes
