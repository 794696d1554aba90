"""What a model says of pictures beside its verdicts: what is written on them, flags, and places on their pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

from components.marking import Box, Flag, Response

UNREADABLE, BLANK, UPSIDE_DOWN, CROSSED_OUT = "unreadable", "blank", "upside_down", "crossed_out"
FLAGS = (UNREADABLE, BLANK, UPSIDE_DOWN, CROSSED_OUT)
NOTHING_READ = "The model read nothing on the page, so it gives no mark. Look at the page, and mark it yourself."
_OVER_THE_EDGE = 0.02  # of a page: how far a box may reach out of it and still be meant for its edge

_WORDS = {
    UNREADABLE: Flag(kind="unreadable", text="The model cannot read this answer."),
    BLANK: Flag(kind="blank", text="The page looks blank to the model."),
    UPSIDE_DOWN: Flag(kind="upside down", text="A page seems to be upside down or on its side. Turn it to check."),
    CROSSED_OUT: Flag(kind="crossed out", text="Some of the answer is crossed out. Check what is meant to count."),
}


@dataclass(frozen=True)
class Asked:
    """What a reply is about: how many pages were sent with the request, and whether the answer has words besides,
    typed or in a teacher's transcript."""

    pages: int = 0
    words: bool = True

    @classmethod
    def about(cls, response: Response) -> Asked:
        return cls(len(response.pictures), bool(response.text.strip() or response.transcript.strip()))


@dataclass(frozen=True)
class Reading:
    """What a model read on the pictures. `flags` are of FLAGS; `lost` counts places that are on none of the pages."""

    transcript: str = ""
    flags: tuple[str, ...] = ()
    lost: int = 0

    def notes(self) -> tuple[Flag, ...]:
        """What a teacher should see of it."""
        said = tuple(_WORDS[flag] for flag in self.flags)
        if self.lost:
            places = "One place" if self.lost == 1 else f"{self.lost} places"
            text = f"{places} that the model gave for its quotes cannot be on the picture, so none is drawn there."
            said += (Flag(kind="place", text=text),)
        return said

    def nothing(self, asked: Asked) -> bool:
        """Whether no word of the answer is known: its page may be blank, faint or beyond the model, and none is a 0."""
        return not asked.words and not self.transcript

    def no_mark(self, asked: Asked, said: str = "") -> str:
        """Why this is not marked, in words for a teacher; "" where it may be. `said` is the model's own reason."""
        if UNREADABLE in self.flags:
            return (
                f"The model cannot read this answer. It says: {said}" if said else "The model cannot read this answer."
            )
        if BLANK in self.flags and not asked.words:
            return "The page looks blank to the model, so it gives no mark. Look at the page, and mark it yourself."
        return ""


def _listed(value: object) -> object:
    """The flags in any usual spelling; words that are none of FLAGS say nothing."""
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list):
        return ()
    plain = {str(each).strip().casefold().replace(" ", "_").replace("-", "_") for each in given}
    return tuple(flag for flag in FLAGS if flag in plain)


def _words(value: object) -> object:
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    return "" if value is None else value


class _Read(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    transcript: Annotated[str, BeforeValidator(_words)]
    flags: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ()


class _ReadBeside(_Read):
    """The reading beside a mark, which is good without a transcript too: its quotes then cannot be checked."""

    transcript: Annotated[str, BeforeValidator(_words)] = ""


def reading_in(found: dict[str, Any], *, alone: bool = False) -> Reading:
    """What a reply says of the pictures. With `alone` it must have a transcript. Raises ValidationError."""
    read = (_Read if alone else _ReadBeside).model_validate(found)
    # Half a character (a lone surrogate) and NUL, which a reply may spell, cannot be stored.
    text = read.transcript.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
    return Reading(text.strip(), read.flags)


def placed(found: dict[str, Any], pages: int) -> tuple[dict[str, Any], int]:
    """The reply with each place made a Box or left out, and how many were given that are on none of the pages."""
    lost = 0

    def part(given: Any) -> Any:
        nonlocal lost
        if not isinstance(given, dict) or not isinstance(given.get("evidence"), list | dict):
            return given
        items = given["evidence"] if isinstance(given["evidence"], list) else [given["evidence"]]
        made = []
        for item in items:
            if isinstance(item, dict):
                box, given_one = box_of(item.get("box"), pages), item.get("box") not in (None, [], "", {})
                lost += given_one and box is None
                item = {"quote": item.get("quote"), "box": box}  # noqa: PLW2901
            made.append(item)
        return {**given, "evidence": made}

    whole = part(found)
    for name in ("points", "levels"):
        if isinstance(whole.get(name), list):
            whole = {**whole, name: [part(each) for each in whole[name]]}
    return whole, lost


def box_of(given: object, pages: int) -> Box | None:
    """The place that a model gave as [page, left, top, right, bottom] in fractions; None for anything else."""
    if not isinstance(given, list) or len(given) != 5:
        return None
    if any(isinstance(each, bool) or not isinstance(each, int | float) for each in given):
        return None
    page, *edges = given
    if not 1 <= page <= pages or page != int(page):
        return None
    if any(not -_OVER_THE_EDGE <= edge <= 1 + _OVER_THE_EDGE for edge in edges):
        return None
    x0, y0, x1, y1 = (min(1.0, max(0.0, float(edge))) for edge in edges)
    return Box(page=int(page), x0=x0, y0=y0, x1=x1, y1=y1) if x0 < x1 and y0 < y1 else None
