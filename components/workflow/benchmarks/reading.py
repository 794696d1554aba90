"""What a reply to a benchmark's question answers, and what that earns."""

from __future__ import annotations

from dataclasses import dataclass

from components.intake.benchmarks.items import Benchmark, Item
from components.judge.objective.choice_replies import read_eeval, read_m3ke, without_thoughts
from components.judge.objective.published import Rule, mark_item, read_answers

UNREAD = "The reply does not choose an answer that can be read, so it has no mark."
CUT_OFF = "The reply was cut off at the token limit before an answer that can be read, so it has no mark."


@dataclass(frozen=True)
class Marked:
    """`answers` is None where none could be read; `mark` is None there, where the key is private, and for a question
    to be written out. `reason` says why an answer with a key has no mark."""

    answers: tuple[str, ...] | None = None
    mark: float | None = None
    reason: str = ""


def read_and_mark(item: Item, reply: str, *, reasoned: bool = False, cut_off: bool = False) -> Marked:
    """What a reply answers, by GAOKAO-Bench's kinds read as we read them, else by the benchmark's published rule.

    `reasoned` says that the model was asked to reason first, `cut_off` that the reply ended at the token limit.
    """
    if item.open:
        return Marked()
    if item.benchmark is Benchmark.GAOKAO_BENCH:
        answers = read_answers(without_thoughts(reply), item.kind, max(1, len(item.key)), Rule.OURS)
    else:
        read = read_m3ke if item.benchmark is Benchmark.M3KE else read_eeval
        letter = read(reply, reasoned=reasoned)
        answers = None if letter is None else (letter,)
    if answers is None or not any(answers):
        return Marked(reason=CUT_OFF if cut_off else UNREAD)
    if not item.key:
        return Marked(answers)
    if not all(item.key):
        return Marked(answers, None, "The published key of this item is incomplete, so it has no mark.")
    if not all(answers):
        unread = sum(not answer for answer in answers)
        said = f"Of its {len(answers)} answers {unread} cannot be read, so the whole has no mark; what was read counts."
        return Marked(answers, None, said)
    return Marked(answers, mark_item(answers, item.key, item.points, item.kind, Rule.OURS).marks)
