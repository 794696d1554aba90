"""Writes text in a hand: letters made of strokes, joined loosely, on a baseline that wanders, with slips struck out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from components.intake.handwriting.hand import Hand
from components.intake.handwriting.letters import CAPITALS, FIGURES, SMALL, XHEIGHT, Form, forms
from components.intake.handwriting.strokes import Points, Stroke, curves

LOOSE = frozenset(CAPITALS) | frozenset(FIGURES) | {".", ","}  # stand a little more apart than small letters
LEAST_POINT = 1.5  # pixels a unit: a small hand makes its decimal points no smaller
SLIP = 0.06  # how often a hand writes another form than its own
STRUCK = re.compile(r"~~(.+?)~~")
SHOUTED = re.compile(r"(?!(?:cm|mm|km|kg|kJ|ms|ft)\b)[A-Za-z]{2,}[A-Za-z'.,:;?!-]*")  # words, not units or algebra


@dataclass(frozen=True)
class Written:
    """Strokes on a page, and the y in pixels below which nothing of them lies on the last baseline."""

    strokes: tuple[Stroke, ...]
    bottom: float


@dataclass(frozen=True)
class _Word:
    text: str
    struck: bool


def write(text: str, hand: Hand, *, width: float, left: float, top: float, line: float, seed: int = 0) -> Written:
    """The text in the hand, wrapped at `width` pixels from `left`; the first baseline is at `top` and they are `line`
    apart. `~~words~~` are written and then crossed out. Raises KeyError for a character that has no form.
    """
    draw = np.random.default_rng((hand.seed, seed, len(text)))
    strokes: list[Stroke] = []
    baseline = top
    for written_line in text.split("\n"):
        x = left + abs(draw.normal(0, hand.size / 3))
        for word in _words(written_line):
            pieces, length = _word(word.text, hand, draw)
            if x + length > left + width and x > left + hand.size:
                baseline += line
                x = left + abs(draw.normal(0, hand.size / 3))
            lift = _wander(x - left, baseline, hand) + draw.normal(0, hand.jitter)
            placed = [Stroke(points, hand.pen, hand.ink).moved(x, baseline + lift) for points in pieces]
            strokes += placed
            if word.struck:
                strokes += strike(placed, hand, draw)
            x += length + hand.word_gap * draw.normal(1, 0.12) * hand.size / XHEIGHT
        baseline += line
    return Written(tuple(strokes), baseline)


def strike(placed: Sequence[Stroke], hand: Hand, draw: np.random.Generator) -> list[Stroke]:
    """What crosses these strokes out, as the hand does it."""
    points = np.concatenate([stroke.points for stroke in placed])
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    middle, reach = (y0 + y1) / 2, hand.size * 0.3
    if hand.crossing == "scribble":
        turns = max(5, int((x1 - x0) / (hand.size * 0.45)))
        x = np.linspace(x0 - 2, x1 + 2, turns) + draw.normal(0, 1.5, turns)
        y = middle + np.where(np.arange(turns) % 2, 1, -1) * (y1 - y0) * 0.36 + draw.normal(0, 1.5, turns)
        return [Stroke(np.stack([x, y], axis=1), hand.pen, hand.ink)]
    heights = (0.0,) if hand.crossing == "line" else (-reach, reach)
    lines = []
    for height in heights:
        t = np.linspace(0, 1, 16)
        x = x0 - 4 + (x1 - x0 + 9) * t
        y = middle + height + draw.normal(0, 2) * (t - 0.5) * 2 + np.sin(t * 7 + draw.uniform(0, 6)) * 1.2
        lines.append(Stroke(np.stack([x, y], axis=1), hand.pen, hand.ink))
    return lines


def _words(line: str) -> Iterator[_Word]:
    for place, part in enumerate(STRUCK.split(line)):
        for word in part.split():
            yield _Word(word, struck=place % 2 == 1)


def _wander(x: float, baseline: float, hand: Hand) -> float:
    phase = hand.seed * 1.7 + baseline * 0.13
    drift = np.sin(x / 130 + phase) + 0.6 * np.sin(x / 57 + 2 * phase)
    return float(hand.wander * drift - hand.climb * x)


def _word(text: str, hand: Hand, draw: np.random.Generator) -> tuple[list[Points], float]:
    """The word's strokes from (0, 0) on its baseline, y downwards, and its length in pixels."""
    pieces: list[Points] = []
    x, before = 0.0, ""
    exit_piece: int | None = None
    for character in text.upper() if hand.shouting and SHOUTED.fullmatch(text) else text:
        form = _form(character, hand, draw)
        letter = _letter(form, character, hand, draw)
        letter = [points + np.array([x, 0.0]) for points in letter]
        join = (
            exit_piece is not None
            and before in SMALL
            and character in SMALL
            and _enters(form)
            and draw.random() < hand.joining
        )
        if join and exit_piece is not None:
            pieces[exit_piece] = np.concatenate([pieces[exit_piece], _bridge(pieces[exit_piece], letter[0]), letter[0]])
            first = exit_piece
            pieces += letter[1:]
        else:
            first = len(pieces)
            pieces += letter
        exit_piece = _exit(form, first, len(pieces))
        before = character
        gap = hand.letter_gap * (0.7 if exit_piece is not None and hand.joining > 0.6 else 1.0)
        gap += 1.2 if character in LOOSE else 0.0
        x += (form.width * hand.stretch + gap * draw.normal(1, 0.15)) * hand.size / XHEIGHT
    return pieces, x


def _form(character: str, hand: Hand, draw: np.random.Generator) -> Form:
    known = forms(character)
    own = hand.habits.get(character, 0)
    return known[int(draw.integers(len(known)))] if draw.random() < SLIP else known[own]


def _letter(form: Form, character: str, hand: Hand, draw: np.random.Generator) -> list[Points]:
    """The form as this hand writes it this time, in pixels, y downwards."""
    shrink = 0.9 if hand.shouting and character in CAPITALS else 1.0
    size = hand.size / XHEIGHT * draw.normal(1, 0.05 * hand.jitter) * shrink
    size = max(size, LEAST_POINT) if character in ".," else size
    turn, swell, bounce = draw.normal(0, (0.05, 0.06, 0.35)) * hand.jitter
    bend = draw.normal(0, 0.5 * hand.jitter, 4)
    reach = 1.0 if character in FIGURES else hand.tall
    letter = []
    for curve in curves(form):
        x, y = curve[:, 0], curve[:, 1]
        y = np.where(y > XHEIGHT, XHEIGHT + (y - XHEIGHT) * reach, np.where(y < 0, y * reach, y))
        # A slow bend over the whole letter, other each time: no two of a letter are alike.
        u, v = x / 8, y / 12
        x = x + bend[0] * np.sin(3 * v + bend[1] * 9) + turn * y
        y = y + bend[2] * np.sin(3 * u + bend[3] * 9) + bounce
        x = x * hand.stretch * (1 + swell) + hand.slant * y
        points = np.stack([x, -y], axis=1) * size
        if len(points) > 2:
            points = points + draw.normal(0, hand.tremble / 2, points.shape)
        letter.append(points)
    return letter


def _enters(form: Form) -> bool:
    x, y, _ = form.strokes[0][0]
    return 3.5 <= y <= 10.5 and x <= 2.5


def _exit(form: Form, first: int, end: int) -> int | None:
    """The place of the stroke that runs on into the next letter: it ends low at the right."""
    for place in range(min(len(form.strokes), end - first)):
        x, y, _ = form.strokes[place][-1]
        if y <= 2.5 and x >= form.width - 1.5 and len(form.strokes[place]) > 2:
            return first + place
    return None


def _bridge(before: Points, after: Points) -> Points:
    a, b = before[-1], after[0]
    control = np.array([a[0] + 0.55 * (b[0] - a[0]), a[1]])
    t = np.linspace(0, 1, 7)[1:-1, None]
    bridge: Points = (1 - t) ** 2 * a + 2 * t * (1 - t) * control + t**2 * b
    return bridge
