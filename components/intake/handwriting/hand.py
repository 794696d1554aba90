"""A hand: everything by which one invented writer's letters differ from another's, drawn from a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass

from components.intake.handwriting.letters import ALPHABET

BLUE, BLACK, NAVY, PENCIL, VIOLET = (28, 52, 150), (34, 34, 40), (24, 34, 84), (92, 92, 98), (72, 40, 128)


@dataclass(frozen=True)
class Hand:
    """How one invented candidate writes. Lengths are in pixels where they say so, else in tenths of the x-height."""

    seed: int
    size: float  # x-height, pixels
    slant: float  # sideways per upwards; 0.3 leans well to the right, negative to the left
    stretch: float  # width of the letters
    tall: float  # how far stems and tails reach out of the x-height
    letter_gap: float
    word_gap: float
    jitter: float  # how much two of the same letter differ
    tremble: float  # pixels, within one stroke
    wander: float  # pixels by which the baseline drifts
    climb: float  # upwards per sideways
    joining: float  # the share of possible joins that are made
    pen: float  # pixels
    ink: tuple[int, int, int]
    shouting: bool  # writes words in capitals
    crossing: str  # how a slip is struck out: "line", "double" or "scribble"
    habits: dict[str, int]  # the form of each letter that this hand keeps to


# What makes hands look unlike each other at a glance; the seed varies each a little more.
# size, slant, stretch, tall, letter gap, word gap, joining, pen, ink, shouting
TEMPERS = (
    (15.0, 0.05, 1.08, 0.92, 2.4, 8.0, 0.0, 2.3, BLUE, False),  # round print
    (13.5, 0.38, 0.92, 1.18, 2.1, 9.0, 0.95, 1.8, BLACK, False),  # leaning, joined
    (17.5, -0.16, 1.0, 0.85, 2.0, 9.0, 0.1, 2.9, NAVY, False),  # big, leaning back
    (11.5, 0.12, 1.12, 1.05, 2.8, 9.5, 0.3, 1.6, PENCIL, False),  # small and neat, in pencil
    (17.0, 0.2, 0.74, 1.15, 2.2, 8.5, 0.5, 2.2, BLUE, False),  # tall and narrow
    (18.5, 0.02, 1.28, 0.78, 2.0, 8.0, 0.8, 2.6, VIOLET, False),  # wide and low, bubbly
    (13.0, 0.1, 0.95, 0.9, 2.6, 9.0, 0.0, 2.5, BLACK, True),  # all capitals
    (14.5, 0.27, 1.05, 1.3, 2.1, 9.5, 0.7, 2.0, BLUE, False),  # long stems, hurried
    (16.0, -0.05, 0.86, 1.0, 3.0, 10.0, 0.0, 2.4, PENCIL, False),  # upright, letters apart
    (12.5, 0.16, 1.18, 0.84, 2.0, 8.5, 0.9, 2.7, NAVY, False),  # small, wide, heavy pen
)


def hand(seed: int) -> Hand:
    """The hand of this seed. Neighbouring seeds write unlike each other."""
    draw = random.Random(f"hand {seed}")
    size, slant, stretch, tall, letter_gap, word_gap, joining, pen, ink, shouting = TEMPERS[seed % len(TEMPERS)]
    return Hand(
        seed=seed,
        size=size * draw.uniform(0.95, 1.06),
        slant=slant + draw.uniform(-0.04, 0.04),
        stretch=stretch * draw.uniform(0.96, 1.05),
        tall=tall * draw.uniform(0.96, 1.05),
        letter_gap=letter_gap * draw.uniform(0.9, 1.2),
        word_gap=word_gap * draw.uniform(0.95, 1.2),
        jitter=draw.uniform(0.5, 1.1),
        tremble=draw.uniform(0.1, 0.3),
        wander=draw.uniform(1.0, 3.0),
        climb=draw.uniform(-0.008, 0.014),
        joining=joining,
        pen=pen * draw.uniform(0.94, 1.08),
        ink=ink,
        shouting=shouting,
        crossing=draw.choice(("line", "double", "scribble")),
        habits={
            character: draw.choices(range(len(known)), weights=[2, *[1] * (len(known) - 1)])[0]
            for character, known in ALPHABET.items()
            if known
        },
    )
