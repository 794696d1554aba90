"""What a published benchmark holds: its questions, and results that were shipped with it."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from components.marking.scheme import Frozen

Split = Literal["dev", "val", "test"]


class Benchmark(StrEnum):
    GAOKAO_BENCH = "gaokao_bench"
    E_EVAL = "e_eval"
    M3KE = "m3ke"

    @property
    def named(self) -> str:
        return {"gaokao_bench": "GAOKAO-Bench", "e_eval": "E-EVAL", "m3ke": "M3KE"}[self]


class Item(Frozen):
    """One question of a benchmark.

    `kind` is GAOKAO-Bench's (single_choice, multi_question_choice, multi_choice, five_out_of_seven), or open where the
    answer is written out. `key` has the right answer of each sub-question; it is empty where it is private or the
    question is open. `points` are those of one sub-question, of an open question those of the whole. `options` are by
    letter; they are empty where they stand in the question. `answer` is an open question's standard answer, `analysis`
    the explanation that comes with it, `criteria` what its marks are given for. `faults` say what is wrong with the
    item as it was published.
    """

    benchmark: Benchmark
    task: str
    number: str
    split: Split
    question: str
    kind: str = "single_choice"
    options: dict[str, str] = Field(default_factory=dict)
    key: tuple[str, ...] = ()
    points: float = 1.0
    answer: str = ""
    analysis: str = ""
    criteria: str = ""
    year: str = ""
    category: str = ""
    subject: str = ""
    level: str = ""
    cluster: str = ""
    faults: tuple[str, ...] = ()

    @property
    def open(self) -> bool:
        return self.kind == "open"

    @property
    def full_marks(self) -> float:
        """What the whole item is out of; of an objective one whose key is private, one sub-question's points."""
        return self.points * max(1, len(self.key))


class ShippedResult(Frozen):
    """What a results file of GAOKAO-Bench says about one item.

    `model_output` is the model's reply word for word, `model_answers` what the benchmark read from it. `corrections`
    are the marks that a judge gave, as shipped (one is usual; none, two or one off the scale occur), with its
    `grading`; `human_marks` those of two teachers (one or none of them occurs).
    """

    item: Item
    model: str
    model_output: str
    model_answers: tuple[str, ...] = ()
    judge: str = ""
    grading: str = ""
    corrections: tuple[float, ...] = ()
    human_marks: tuple[float, ...] = ()


class Loaded(Frozen):
    """What was read from a folder or files: items, shipped results, and what was found wrong, line by line."""

    benchmark: Benchmark
    name: str
    items: tuple[Item, ...] = ()
    results: tuple[ShippedResult, ...] = ()
    report: tuple[str, ...] = ()
