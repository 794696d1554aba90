"""How a model sits a benchmark: by which protocol, with how many examples, on what, and the most it may spend."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

from pydantic import Field, model_validator

from components.intake.benchmarks.items import Benchmark, Split
from components.marking.scheme import Frozen

MOST_SHOTS = 5  # as many worked questions as E-EVAL's and M3KE's tasks have


class Protocol(StrEnum):
    """The ways of asking: GAOKAO-Bench has one, E-EVAL three, M3KE 0 to 5 examples with or without reasoning."""

    GAOKAO = "gaokao"
    ZERO_SHOT = "zero_shot"
    ANSWER_ONLY = "answer_only"
    CHAIN_OF_THOUGHT = "chain_of_thought"
    N_SHOT = "n_shot"

    @property
    def named(self) -> str:
        return {
            "gaokao": "reasoning and answer in marked fields",
            "zero_shot": "zero-shot",
            "answer_only": "answer only, with examples",
            "chain_of_thought": "chain of thought, with 0 to 5 examples",
            "n_shot": "with 0 to 5 examples",
        }[self]

    @property
    def shots(self) -> tuple[int, int, int]:
        """(fewest examples, most, usual)."""
        if self in (Protocol.GAOKAO, Protocol.ZERO_SHOT):
            return 0, 0, 0
        return (1 if self is Protocol.ANSWER_ONLY else 0), MOST_SHOTS, MOST_SHOTS


PROTOCOLS = {
    Benchmark.GAOKAO_BENCH: (Protocol.GAOKAO,),
    Benchmark.E_EVAL: (Protocol.ZERO_SHOT, Protocol.ANSWER_ONLY, Protocol.CHAIN_OF_THOUGHT),
    Benchmark.M3KE: (Protocol.N_SHOT, Protocol.CHAIN_OF_THOUGHT),
}


class SittingSettings(Frozen):
    """`tasks` are by name, None for all; `cap` is in US dollars; `prompt` is the version and hash it began with."""

    protocol: Protocol
    shots: int = Field(default=0, ge=0, le=MOST_SHOTS)
    tasks: tuple[str, ...] | None = None
    splits: tuple[Split, ...] = ("test",)
    cap: float | None = Field(default=None, gt=0)
    prompt: str = ""

    @model_validator(mode="after")
    def _shots_fit(self) -> SittingSettings:
        fewest, most, _ = self.protocol.shots
        if not fewest <= self.shots <= most:
            raise ValueError(f"By the protocol “{self.protocol.named}”, examples are from {fewest} to {most}.")
        if not self.splits or self.tasks == ():
            raise ValueError("Choose at least one task and one split.")
        return self

    @property
    def reasoned(self) -> bool:
        """Whether the model is to reason in words of its own before it answers a question with options."""
        return self.protocol is Protocol.CHAIN_OF_THOUGHT

    @property
    def named(self) -> str:
        """The protocol in a few words, with its number of examples."""
        examples = {0: "no examples", 1: "1 example"}.get(self.shots, f"{self.shots} examples")
        match self.protocol:
            case Protocol.GAOKAO | Protocol.ZERO_SHOT:
                return self.protocol.named
            case Protocol.ANSWER_ONLY:
                return f"answer only, {examples}"
            case Protocol.CHAIN_OF_THOUGHT:
                return f"chain of thought, {examples}"
            case Protocol.N_SHOT:
                return examples


def usual_split(benchmark: Benchmark, there: Collection[str]) -> str:
    """What is usually asked: of E-EVAL the questions with public answers (val), else test, else what there is."""
    wanted = ("val", "test", "dev") if benchmark is Benchmark.E_EVAL else ("test", "val", "dev")
    return next(split for split in wanted if split in there)
