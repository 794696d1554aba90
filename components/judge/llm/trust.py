"""How far a teacher may lean on a mark: what its quotes and the spread of its samples allow."""

from __future__ import annotations

from collections.abc import Sequence

from components.judge.evidence import ReadIn, weigh
from components.judge.llm.protocol import Protocol
from components.judge.llm.samples import Sample, spread_doubt
from components.marking import Confidence, Flag, Question, Verdict

_ORDER = (Confidence.SURE, Confidence.FAIRLY_SURE, Confidence.UNSURE)


def trust(
    protocol: Protocol,
    verdicts: Sequence[Verdict],
    question: Question,
    samples: Sequence[Sample],
    *,
    looked: bool,
    read_in: ReadIn,
) -> tuple[Confidence | None, tuple[Flag, ...]]:
    """Confidence and flags. One reply of a protocol that quotes nothing gives no ground for any confidence.

    `looked` is whether pictures were read; where no teacher has confirmed what they say, it is fairly sure at most.
    """
    limits: list[tuple[Confidence, tuple[Flag, ...]]] = []
    if protocol is Protocol.FULL:
        limits.append(weigh(verdicts, pictures=looked, read_in=read_in))
    if len(samples) > 1:
        limits.append(spread_doubt(samples, question))
    if limits and looked and read_in is not ReadIn.CONFIRMED:
        limits.append((Confidence.FAIRLY_SURE, ()))
    least = max((confidence for confidence, _ in limits), key=_ORDER.index, default=None)
    return least, tuple(flag for _, flags in limits for flag in flags)
