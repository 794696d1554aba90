"""What a teacher puts on an answer's picture: strokes over its pages, and a corrected transcript."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from sqlite_utils import Database

from components.marking import Marker, MarkError
from storage import Store, pictures, responses, transcripts
from storage import annotations as drawings

MOST_STROKES = 500  # on one page, of one marker
MOST_POINTS = 2_000  # in one line
MOST_POINTS_ON_PAGE = 40_000
LONGEST_TEXT = 200
LONGEST_TRANSCRIPT = 20_000
LONGEST_ACTION_ID = 64

# Places are fractions of the page, from its top left corner; a stroke may run a little over the edge.
Place = Annotated[float, Field(ge=-0.05, le=1.05, allow_inf_nan=False)]
# Sizes are fractions of the page's width.
Width = Annotated[float, Field(ge=0.0001, le=0.1, allow_inf_nan=False)]
Size = Annotated[float, Field(ge=0.002, le=0.5, allow_inf_nan=False)]
Colour = Literal["red", "green", "blue", "black"]
# Clockwise degrees on the page, for what was put on a page that the teacher had turned.
Turn = Literal[0, 90, 180, 270]


class _Stroke(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    colour: Colour = "red"


class Line(_Stroke):
    """A line of the pen."""

    kind: Literal["pen"]
    width: Width
    points: Annotated[list[tuple[Place, Place]], Field(min_length=1, max_length=MOST_POINTS)]


class Ring(_Stroke):
    """An ellipse that fills the box between two corners."""

    kind: Literal["circle"]
    width: Width
    x0: Place
    y0: Place
    x1: Place
    y1: Place


class Stamp(_Stroke):
    """A tick or a cross around its centre, or a mark label such as M1 centred there. `size` is its height."""

    kind: Literal["tick", "cross", "label"]
    x: Place
    y: Place
    size: Size
    turn: Turn = 0
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""


class Words(_Stroke):
    """One line of text that begins at (x, y), its middle height there. `size` is its height."""

    kind: Literal["text"]
    x: Place
    y: Place
    size: Size
    turn: Turn = 0
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]


Stroke = Annotated[Line | Ring | Stamp | Words, Field(discriminator="kind")]
_STROKES: TypeAdapter[list[Stroke]] = TypeAdapter(Annotated[list[Stroke], Field(max_length=MOST_STROKES)])


class Save(BaseModel):
    """Something to keep that the desk sent by itself or on request, apart from marks."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    action: Literal["annotate", "transcript", "ask_again"]
    action_id: Annotated[str, Field(min_length=1, max_length=LONGEST_ACTION_ID)]
    marker_id: int
    response_id: int
    page: int = 0
    strokes: list[Any] = []
    text: str = ""


def parse_save(payload: Any) -> Save:
    """The save in a browser's message. Raises MarkError when it is not one."""
    try:
        return Save.model_validate(payload)
    except ValidationError as error:
        raise MarkError("The page sent something this version does not know. Reload the page.") from error


def save(store: Store, marker: Marker, wanted: Save) -> str:
    """Keep it; gives what to tell the teacher, which is nothing for strokes. The same save again changes nothing.

    Asking again keeps the transcript that it is asked from; the asking itself is the caller's.
    Raises MarkError, with nothing kept, where it cannot be done as asked.
    """
    if wanted.marker_id != marker.id:
        raise MarkError("That was written under another profile. Nothing was saved; write it again as yourself.")
    if wanted.action == "annotate":
        return _annotate(store, marker, wanted)
    return save_transcript(store, marker, wanted.response_id, wanted.text)


def valid_strokes(strokes: Any) -> list[dict[str, Any]]:
    """The strokes as they are stored. Raises MarkError, in words, for anything that the desk does not draw."""
    try:
        made = _STROKES.validate_python(strokes)
    except ValidationError as error:
        raise MarkError(f"That annotation cannot be kept: {_what(error)}. Undo it and draw it again.") from error
    if sum(len(stroke.points) for stroke in made if isinstance(stroke, Line)) > MOST_POINTS_ON_PAGE:
        raise MarkError("This page has too many lines to keep. Rub some out, then go on.")
    if any(isinstance(stroke, Stamp) and stroke.kind == "label" and not stroke.text for stroke in made):
        raise MarkError("That annotation cannot be kept: a mark label has no text. Undo it and put it again.")
    return [stroke.model_dump() for stroke in made]


def save_transcript(store: Store, marker: Marker, response_id: int, text: str) -> str:
    """Keep a teacher's transcript as a new version, unless the newest of a teacher says the same already."""
    text = text.replace("\r\n", "\n").replace("\x00", "\ufffd").strip()
    if len(text) > LONGEST_TRANSCRIPT:
        raise MarkError(f"That transcript is too long: {len(text):,} characters of at most {LONGEST_TRANSCRIPT:,}.")
    with store.write() as db:
        _known(db, response_id)
        newest = transcripts.newest(db, response_id, transcripts.TEACHER)
        if newest is not None and newest.text == text:
            return f"Transcript saved as version {newest.version}."
        version = transcripts.add(db, response_id, text, transcripts.TEACHER, marker_id=marker.id)
    return f"Transcript saved as version {version}."


def _annotate(store: Store, marker: Marker, wanted: Save) -> str:
    strokes = valid_strokes(wanted.strokes)
    with store.write() as db:
        _known(db, wanted.response_id)
        if wanted.page not in {page.page for page in pictures.pages(db, wanted.response_id)}:
            raise MarkError(f"This answer has no page {wanted.page} any more. What you drew there was not saved.")
        drawings.add(db, wanted.response_id, wanted.page, marker.id, strokes, wanted.action_id)
    return ""


def _known(db: Database, response_id: int) -> None:
    if responses.get(db, response_id) is None:
        raise MarkError("That response is no longer here; the exam may have been reset. Nothing was saved.")


def _what(error: ValidationError) -> str:
    first = error.errors()[0]
    where = first["loc"][-1] if first["loc"] else ""
    if first["type"] == "too_long":
        limits = {"points": f"one line has more than {MOST_POINTS:,} points"}
        return limits.get(str(where), f"there are more than {MOST_STROKES} strokes on the page")
    if first["type"] == "string_too_long":
        return f"a text is longer than {LONGEST_TEXT} characters"
    if first["type"] in ("union_tag_invalid", "union_tag_not_found"):
        return "it is of a kind that this version does not know"
    if isinstance(where, int) or where in ("x", "y", "x0", "y0", "x1", "y1"):
        return "it lies outside the page"
    return f"its {where} is not one this version knows" if where else "it is not one this version knows"
