"""Which way of asking a judge follows: ours in full, or one that has been published."""

from __future__ import annotations

from enum import StrEnum


class Protocol(StrEnum):
    """How a judge asks, and what it is given back.

    FULL: a verdict on each part of the scheme with evidence and reason, in the question's language; may abstain.
    MEDLY: question, mark scheme, answer → one whole number, `mark`, at the model's least reasoning effort. The
    generic prompt of Medly GCSE (arXiv 2606.24973), in our words: the same for every question and language, and
    without the teacher's note, which the published one does not have.
    GAOKAO: question, analysis, standard answer, points, criteria where there are any → the grading process, then the
    total, at temperature 0. As GAOKAO-Bench asks, in Chinese of our own; the teacher's note stands with the criteria.

    The published two take no exemplars, quote no evidence and do not abstain.
    """

    FULL = "full"
    MEDLY = "medly"
    GAOKAO = "gaokao"

    @property
    def named(self) -> str:
        """What people call it."""
        return {Protocol.FULL: "full", Protocol.MEDLY: "Medly's prompt", Protocol.GAOKAO: "GAOKAO-Bench's prompt"}[self]
