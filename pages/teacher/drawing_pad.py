"""A drawing under way in this browser: its pages, what undo goes back to, and what lies on the canvas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import monotonic

from components.intake.handwriting.paper import Paper
from components.intake.ink import Drawing, screen_drawing, stroke_count
from storage import Store, drafts
from storage.drafts import DraftOf, DraftPage

MOST_UNDO = 40
EMPTY: Drawing = {"objects": []}


@dataclass
class Pad:
    """The draft in the database, page by page, as this session sees it.

    `loading` counts the times that a drawing was put on the canvas. `waiting` is what is to be done once the canvas
    has told of its last stroke, and `since` when it was asked for, or when the canvas told of one after that.
    """

    draft: DraftOf
    pages: dict[int, DraftPage]
    page: int = 1
    width: int = 0
    mounting: int = 0
    loading: int = 0
    loaded: Drawing = field(default_factory=lambda: EMPTY)
    past: dict[int, list[Drawing]] = field(default_factory=dict)
    waiting: Callable[[], None] | None = None
    since: float = 0.0
    problem: str = ""

    @property
    def shown(self) -> DraftPage:
        return self.pages[self.page]

    @property
    def strokes(self) -> int:
        """Of all pages."""
        return sum(stroke_count(page.strokes) for page in self.pages.values())

    def load(self) -> None:
        """Have the canvas show the page as it is saved."""
        self.loading += 1
        self.loaded = self.shown.strokes

    def mount(self) -> None:
        """Have a new canvas take the old one's place, showing the page as it is saved."""
        self.mounting += 1
        self.load()

    def for_canvas(self, scale: float) -> Drawing:
        """What the canvas is given; the count tells it that the same drawing is to be put there again."""
        return {**screen_drawing(self.loaded, scale), "loading": self.loading}

    def after_the_last_stroke(self, act: Callable[[], None]) -> None:
        """The canvas tells of a stroke a fifth of a second after it: what must not miss one waits for that."""
        self.waiting, self.since = act, monotonic()


def open_pad(store: Store, draft: DraftOf) -> Pad:
    """The draft as it was saved; one empty ruled page where there is none."""
    with store.read() as db:
        saved = {page.page: page for page in drafts.pages(db, draft)}
    last = max(saved, default=1)
    pages = {number: saved.get(number, DraftPage(number, Paper.RULED.value, EMPTY)) for number in range(1, last + 1)}
    return Pad(draft, pages)


def save_page(store: Store, pad: Pad, page: DraftPage) -> None:
    """Keep the page, in the database first."""
    with store.write(durable=False) as db:
        drafts.save(db, pad.draft, page)
    pad.pages[page.page] = page


def save_drawing(store: Store, pad: Pad, number: int, drawing: Drawing) -> None:
    """Keep a page's drawing; what it was can be had again by undo."""
    page = pad.pages[number]
    if alike(page.strokes, drawing):
        return
    save_page(store, pad, replace(page, strokes=drawing))
    pad.past[number] = [*pad.past.get(number, []), page.strokes][-MOST_UNDO:]


def undo(store: Store, pad: Pad) -> None:
    """The page as it was before its last change."""
    past = pad.past.get(pad.page, [])
    if past:
        pad.past[pad.page], before = past[:-1], past[-1]
        save_page(store, pad, replace(pad.shown, strokes=before))
    elif objects := pad.shown.strokes["objects"]:  # opened again: what was drawn last goes first
        save_page(store, pad, replace(pad.shown, strokes={"objects": objects[:-1]}))
    pad.load()


def alike(one: Drawing, other: Drawing) -> bool:
    """Whether two drawings are the same but for a canvas's rounding."""
    if stroke_count(one) != stroke_count(other):
        return False
    return all(
        a["stroke"] == b["stroke"]
        and len(a["path"]) == len(b["path"])
        and all(abs(a[side] - b[side]) < 0.2 for side in ("left", "top", "width", "height"))
        for a, b in zip(one["objects"], other["objects"], strict=True)
    )
