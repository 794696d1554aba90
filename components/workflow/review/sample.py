"""Which responses a remedy is tried on."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping

from storage.remedies import Sampled

USUAL, MOST = 20, 100


def choose_sample(
    marks: Mapping[int, float], behind: Collection[int], size: int, draw: random.Random
) -> tuple[Sampled, ...]:
    """At most `size` of the responses with a teacher's mark: half at random from all, half from those `behind`.

    The random ones are drawn first and from all, so that they stand for the whole question; what the draw has left of
    those behind the pattern fills the other half, and random ones again where they are too few. The same draw gives
    the same sample in the same order.
    """
    everyone = sorted(marks)
    draw.shuffle(everyone)
    wanted = min(size // 2, len(set(behind) & marks.keys()))
    at_random = everyone[: size - wanted]
    chosen = [each for each in everyone[size - wanted :] if each in behind][:wanted]
    more = [each for each in everyone[size - wanted :] if each not in chosen]
    at_random += more[: size - len(at_random) - len(chosen)]
    return tuple(
        Sampled(each, which, marks[each]) for which, part in ((True, chosen), (False, at_random)) for each in part
    )
