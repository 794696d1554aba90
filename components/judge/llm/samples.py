"""Several samples of a model's judgement become one: the middle one speaks, the spread says how sure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from components.judge.llm.picture_reply import Reading
from components.judge.llm.prompt import Prompt
from components.marking import Confidence, Flag, ProposalStatus, Question, Usage, Verdict, format_mark


@dataclass(frozen=True)
class Sample:
    """One judgement: a mark with its verdicts, an abstention, or a failure; the last two with their reason.

    `reading` is what was read on the answer's pictures to come to it.
    """

    status: ProposalStatus
    usage: Usage
    verdicts: tuple[Verdict, ...] = ()
    mark: float | None = None
    reason: str = ""
    reading: Reading | None = None


def spokesman(samples: Sequence[Sample]) -> Sample:
    """The sample that stands for all: of those with a mark the one with the middle mark, of two the lower.

    An abstention where as many or more abstain as give a mark; a failure where there is nothing else.
    """
    marked = sorted((s for s in samples if s.mark is not None), key=lambda s: s.mark or 0.0)
    abstained = [s for s in samples if s.status is ProposalStatus.ABSTAINED]
    if abstained and len(abstained) >= len(marked):
        return abstained[0]
    return marked[(len(marked) - 1) // 2] if marked else samples[0]


def spread_doubt(samples: Sequence[Sample], question: Question) -> tuple[Confidence, tuple[Flag, ...]]:
    """The most confidence that the samples allow, and a flag for what a teacher should know of them.

    All alike: sure. Within the question's tolerance of each other: fairly sure. Else unsure, as it is where some of
    them gave no mark.
    """
    marks = [s.mark for s in samples if s.mark is not None]
    without = len(samples) - len(marks)
    flags: list[Flag] = []
    if without:
        flags.append(
            Flag(kind="samples", text=f"Asked {len(samples)} times, the model gave no mark {without} of them.")
        )
    spread = max(marks) - min(marks)
    if spread > question.tolerance:
        between = f"{format_mark(min(marks))} to {format_mark(max(marks))}"
        flags.append(Flag(kind="samples", text=f"Asked {len(samples)} times, the model's marks go from {between}."))
    if flags:
        return Confidence.UNSURE, tuple(flags)
    return (Confidence.FAIRLY_SURE if spread else Confidence.SURE), ()


def after(first: Usage, rest: Usage) -> Usage:
    """What a transcription and the marking after it took together, both replies kept under their names."""
    both = {"transcript": first.raw_reply, "marking": rest.raw_reply}
    return rest.model_copy(
        update={
            "tokens_in": first.tokens_in + rest.tokens_in,
            "tokens_out": first.tokens_out + rest.tokens_out,
            "raw_reply": "\n\n".join(f"[{name}]\n{raw}" for name, raw in both.items() if raw),
        }
    )


def summed(samples: Sequence[Sample], prompt: Prompt, seconds: float) -> Usage:
    """What all samples took together. Their raw replies are kept one after another, each under its number."""
    usages = [sample.usage for sample in samples]
    raw = usages[0].raw_reply
    if len(usages) > 1:
        raw = "\n\n".join(f"[sample {i}]\n{usage.raw_reply}" for i, usage in enumerate(usages, 1) if usage.raw_reply)
    return Usage(
        model=next((usage.model for usage in usages if usage.raw_reply), usages[0].model),
        prompt_version=prompt.version,
        prompt_hash=prompt.hash,
        tokens_in=sum(usage.tokens_in for usage in usages),
        tokens_out=sum(usage.tokens_out for usage in usages),
        seconds=seconds,
        raw_reply=raw,
    )
