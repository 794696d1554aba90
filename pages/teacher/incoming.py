"""Pictures on their way in: read from uploaded files, mended, turned, and not stored yet."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field

import streamlit as st

from components.intake import IntakeError
from components.intake.picture_ink import blank
from components.intake.picture_mending import Offer, offered
from components.intake.pictures import OpenedPicture, opened, rotated
from components.intake.thumbnails import thumbnail
from components.widgets.figures import plain
from storage.pictures import NewPage, Picture

AT_ONCE = 2
PREVIEW = 900  # pixels of a preview's longest side


@dataclass
class Incoming:
    """One page of an uploaded file, and what the teacher has chosen for it."""

    name: str
    came: OpenedPicture
    offer: Offer
    blank: bool
    mended: bool
    turns: int = 0
    previews: dict[tuple[bool, int], bytes] = field(default_factory=dict)

    def preview(self, mended: bool) -> bytes:
        """A small copy, as it would be stored."""
        if (mended, self.turns) not in self.previews:
            picture = self.offer.picture if mended and self.offer.picture else self.came
            self.previews[mended, self.turns] = thumbnail(picture.content, PREVIEW, self.turns)
        return self.previews[mended, self.turns]

    def new_page(self) -> NewPage:
        """As it is to be stored; where it was mended, with the picture as it came."""
        came = _picture(self.came, self.turns)
        if self.mended and self.offer.picture is not None:
            return NewPage(_picture(self.offer.picture, self.turns), original=came, source=self.name)
        return NewPage(came, source=self.name)


@dataclass(frozen=True)
class ReadFile:
    """A file's pages, or in words why it has none."""

    name: str
    pages: tuple[Incoming, ...] = ()
    fault: str = ""


def read_files(files: Sequence[tuple[str, bytes]]) -> list[ReadFile]:
    """The files' pages in the order given, with the progress shown: a photograph takes about a second."""
    if not files:
        return []
    bar = st.progress(0.0, f"Reading {plain(files[0][0])} …" if len(files) == 1 else f"Reading {len(files)} files …")
    done: dict[int, ReadFile] = {}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        tasks = {pool.submit(_read, name, data): place for place, (name, data) in enumerate(files)}
        for number, task in enumerate(as_completed(tasks), 1):
            done[tasks[task]] = task.result()
            bar.progress(number / len(files), f"Read {number} of {len(files)}")
    bar.empty()
    return [done[place] for place in range(len(files))]


def _read(name: str, data: bytes) -> ReadFile:
    try:
        pages = opened(name, data)
        return ReadFile(name, tuple(_incoming(name, page, place, len(pages)) for place, page in enumerate(pages, 1)))
    except IntakeError as error:
        return ReadFile(name, fault=str(error))


def _incoming(name: str, page: OpenedPicture, place: int, of: int) -> Incoming:
    offer = offered(page.content)
    called = name if of == 1 else f"{name}, page {place}"
    return Incoming(called, page, offer, blank(page.content), mended=offer.picture is not None)


def _picture(page: OpenedPicture, turns: int) -> Picture:
    content = rotated(page.content, turns)
    turned = (page.height, page.width) if turns % 2 else (page.width, page.height)
    return Picture(content, page.mime, *turned)
