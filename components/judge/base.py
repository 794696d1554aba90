"""The one call every judge has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from components.marking import Exemplar, Proposal, Question, Response, Scheme, Usage


class Judge(Protocol):
    """A configured AI marker. `propose` never raises for what a response holds: it abstains or fails with a reason.

    It may raise JudgeStopped when no response can be judged at all (wrong key, no quota, unknown model).
    """

    name: str
    version: str  # of its own workings: with another version the same response is a new question

    def propose(
        self, question: Question, scheme: Scheme, response: Response, exemplars: Sequence[Exemplar] = ()
    ) -> Proposal: ...


class JudgeStopped(RuntimeError):
    """The judge cannot work at all. The message says, to a teacher, what happened and what to do next.

    `spent` is what the response at which it stopped had taken by then.
    """

    spent: Usage = Usage()
