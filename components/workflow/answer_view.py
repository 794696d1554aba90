"""A response's pictures for the marking desk: pages, what was drawn on them, transcript, an earlier proposal."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from PIL import Image
from sqlite_utils import Database

from components.marking import Marker, Phase
from components.workflow.opening import OpenResponse
from storage import Store, markers, pictures, proposals, transcripts
from storage import annotations as drawings
from storage.annotations import Annotation
from storage.pictures import Page
from storage.proposals import StoredProposal
from storage.transcripts import Transcript

LONGEST_SIDE = 2200  # pixels; writing on an A4 page is still sharp at three times the width of the desk
JPEG_QUALITY = 84
KEPT_PICTURES = 96  # about 30 MB
BROKEN = (OSError, ValueError, SyntaxError, Image.DecompressionBombError)


@dataclass(frozen=True)
class AnnotatedPage:
    """One page with this marker's strokes and, where they may be seen, those of others."""

    page: Page
    own: list[dict[str, Any]]
    others: tuple[Annotation, ...]


@dataclass(frozen=True)
class AnswerView:
    """What a response with pictures shows beside its text. `transcript_source` says in words who wrote the transcript;
    `earlier` is what the same judge had proposed before, where the proposal may be seen."""

    pages: tuple[AnnotatedPage, ...] = ()
    transcript: Transcript | None = None
    transcript_source: str = ""
    earlier: StoredProposal | None = None


@dataclass(frozen=True)
class DisplayPicture:
    """A picture ready for the browser; `content` is empty and `error` says why where it cannot be shown."""

    sha256: str
    mime: str
    content: bytes
    error: str = ""


def answer_view(store: Store, opened: OpenResponse, marker: Marker) -> AnswerView:
    """The pictures' side of an open response. An answer without pictures has an empty one."""
    response_id = opened.response.id
    with store.read() as db:
        pages = pictures.pages(db, response_id)
        if not pages:
            return AnswerView()
        earlier = None if opened.proposal is None else proposals.before(db, opened.proposal)
        drawn = drawings.of_response(db, response_id)
        transcript = _transcript(db, response_id, opened.phase)
        source = _source(db, transcript)
    # What a colleague ticked tells what they gave, so it waits for a blind marker's own mark.
    hidden = opened.blind and opened.own is None
    return AnswerView(
        tuple(
            AnnotatedPage(
                page,
                next((a.strokes for a in drawn if a.page == page.page and a.marker_id == marker.id), []),
                tuple(a for a in drawn if a.page == page.page and a.marker_id != marker.id and not hidden),
            )
            for page in pages
        ),
        transcript,
        source,
        earlier,
    )


def shas_of(store: Store, response_ids: list[int]) -> list[str]:
    """The pictures of these responses in order, each once."""
    with store.read() as db:
        found = pictures.pages_of(db, response_ids)
    shas = [page.sha256 for response_id in response_ids for page in found.get(response_id, [])]
    return list(dict.fromkeys(shas))


@lru_cache(maxsize=KEPT_PICTURES)
def display_picture(store: Store, sha256: str) -> DisplayPicture:
    """The picture as the browser gets it, at most LONGEST_SIDE pixels long. The stored one stays as it is.

    A picture that cannot be read is no error here: it says so in the answer's place.
    """
    try:
        with store.read() as db:
            content = pictures.content(db, sha256)
        return _displayed(sha256, content)
    except LookupError:
        reason = "This picture is no longer in the database."
    except BROKEN:
        reason = "This picture cannot be shown: its file is damaged. Ask for the page again, or mark from the paper."
    return DisplayPicture(sha256, "", b"", reason)


def _displayed(sha256: str, content: bytes) -> DisplayPicture:
    with Image.open(io.BytesIO(content)) as image:
        mime = Image.MIME.get(image.format or "", "")
        if max(image.size) <= LONGEST_SIDE and mime in ("image/png", "image/jpeg"):
            image.load()
            return DisplayPicture(sha256, mime, content)
        image.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
        shown: Image.Image = image
        if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
            layer = image.convert("RGBA")
            shown = Image.new("RGB", layer.size, "white")
            shown.paste(layer, mask=layer.getchannel("A"))
        elif image.mode not in ("RGB", "L"):
            shown = image.convert("RGB")
        shown.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS)
        out = io.BytesIO()
        shown.save(out, "JPEG", quality=JPEG_QUALITY)
    return DisplayPicture(sha256, "image/jpeg", out.getvalue())


def _transcript(db: Database, response_id: int, phase: Phase) -> Transcript | None:
    """A teacher's own stands whatever is read later; else the newest that this marker may see."""
    corrected = transcripts.newest(db, response_id, transcripts.TEACHER)
    if corrected is not None:
        return corrected
    # A judge's reading is part of what it proposes.
    return transcripts.newest(db, response_id, transcripts.RECOGNISER if phase is Phase.BLIND else None)


def _source(db: Database, transcript: Transcript | None) -> str:
    if transcript is None:
        return ""
    if transcript.source == transcripts.JUDGE:
        return "read by the judge"
    if transcript.source == transcripts.RECOGNISER:
        return "drafted by the recogniser; check it before you rely on it"
    author = None if transcript.marker_id is None else markers.get(db, transcript.marker_id)
    return f"corrected by {author.name if author else 'a teacher'}"
