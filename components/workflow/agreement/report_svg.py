"""Small drawings as SVG text that needs no script: they print as they are, and any mail viewer shows them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

INK = "#1b2430"
PALE = "#c9d0d9"
BLUE = "#0072b2"
RED = "#d55e00"
BAND = "#e3e9f0"
LARGE = 400  # wider than a phone can show with words that can be read


@dataclass(frozen=True)
class Axis:
    """From figures to places on paper: `low` lies at `start`, `high` at `end`, in SVG units."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        inside = min(max(value, self.low), self.high)
        return self.start + (inside - self.low) / (self.high - self.low) * (self.end - self.start)


def drawing(name: str, width: float, height: float, title: str, told: str, parts: Sequence[str]) -> str:
    """An SVG element with a text alternative. `name` must differ from those of all others on the page."""
    large = ' class="large"' if width > LARGE else ""
    return (
        f'<svg{large} role="img" aria-labelledby="{name}-t {name}-d" viewBox="0 0 {width:g} {height:g}" '
        f'style="max-width:{width:g}px"><title id="{name}-t">{escape(title)}</title>'
        f'<desc id="{name}-d">{escape(told)}</desc>{"".join(parts)}</svg>'
    )


def line(x1: float, y1: float, x2: float, y2: float, colour: str = INK, width: float = 1, dash: str = "") -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width:g}"'
        f"{dashed}/>"
    )


def dot(x: float, y: float, radius: float = 4, colour: str = BLUE, *, hollow: bool = False, opacity: float = 1) -> str:
    fill = "#fff" if hollow else colour
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{fill}" fill-opacity="{opacity:g}" '
        f'stroke="{colour}" stroke-width="1.3"/>'
    )


def box(x: float, y: float, width: float, height: float, fill: str, *, opacity: float = 1, stroke: str = "none") -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}" '
        f'fill-opacity="{opacity:.2f}" stroke="{stroke}"/>'
    )


def text(x: float, y: float, said: str, anchor: str = "start", *, size: float = 12, colour: str = INK) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:g}" fill="{colour}"'
    return f"<text {place}>{escape(said)}</text>"


def diamond(x: float, y: float, reach: float = 5, colour: str = RED) -> str:
    points = f"{x:.1f},{y - reach:.1f} {x + reach:.1f},{y:.1f} {x:.1f},{y + reach:.1f} {x - reach:.1f},{y:.1f}"
    return f'<polygon points="{points}" fill="#fff" stroke="{colour}" stroke-width="1.5"/>'


def path(points: Sequence[tuple[float, float]], colour: str = BLUE, width: float = 2) -> str:
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="{width:g}"/>'


def area(points: Sequence[tuple[float, float]], colour: str = BAND) -> str:
    return f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="{colour}"/>'


def ticks(low: float, high: float, most: int = 6) -> tuple[float, ...]:
    """Round values from `low` to `high`, at most about `most` of them."""
    span = high - low
    step = next(
        factor * 10.0**power for power in range(-6, 9) for factor in (1, 2, 5) if span / (factor * 10.0**power) <= most
    )
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(round(i * step, 9) for i in range(first, last + 1))


def shortened(said: str, most: int = 14) -> str:
    """A label that fits beside a chart; the whole of it stands in the table."""
    return said if len(said) <= most else f"{said[: most - 1]}…"
