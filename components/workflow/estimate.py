"""Before a run: how many responses the judge has not seen, and roughly what asking it about them would take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from components.judge.llm import LLMJudge
from components.judge.prices import price_of
from components.workflow.cohort import RunOptions, with_exemplars
from components.workflow.connections import Connections
from components.workflow.looking import shown_pages
from components.workflow.proposing import Part, plan, shown_to
from components.workflow.tokens import answer_tokens, figure_tokens, looking_tokens, prompt_tokens, reply_tokens
from storage import Store, judges, trial_answers


@dataclass(frozen=True)
class Estimate:
    """`unseen` responses have no proposal of the judge, or a failed one; `sent` of them would go to its model.

    `pictures` of these would be sent as pictures; `unsendable` more are pictures, and the model is known to take none.
    With `figures` of those sent the question's own pictures would go; `unseen_figures` of them would be marked without
    these, as the model is known to take none. `on_trial` of the unseen were asked about on
    trial and are not sent again.
    """

    unseen: int
    by_rule: int  # further ones, of choice and numeric questions, that need no judge
    llm: bool
    model: str = ""
    sent: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    price: float | None = None  # US dollars, None where the price file does not know the model
    pictures: int = 0
    unsendable: int = 0
    figures: int = 0
    unseen_figures: int = 0
    on_trial: int = 0


def estimate(store: Store, connections: Connections, options: RunOptions) -> Estimate | None:
    """What the judge would have to do, or None where it cannot be asked now."""
    with store.read() as db:
        stored = judges.get(db, options.judge_id)
        if stored is None or connections.judge(stored) is None:
            return None
        options = with_exemplars(db, options)
    made = plan(store, connections, options)
    if made is None:
        return None
    by_rule = sum(part.responses for part in made.parts if part.stored.kind == judges.OBJECTIVE)
    open_parts = [part for part in made.parts if part.stored.kind != judges.OBJECTIVE]
    unseen = sum(len(part.answers) for part in open_parts)
    judge = connections.llm(options.judge_id)
    if judge is None:
        return Estimate(unseen, by_rule, llm=False)
    had = _on_trial(store, options.judge_id, open_parts)
    open_parts = [replace(part, answers=[each for each in part.answers if each.id not in had]) for part in open_parts]
    totals = [part_tokens(judge, part, options.shots) for part in open_parts]
    sent, tokens_in, tokens_out = (sum(each[i] for each in totals) for i in range(3))
    pictured = sum(each[0] for each, part in zip(totals, open_parts, strict=True) if part.question.pictures)
    looked_at = [answer for part in open_parts for answer in part.answers if shown_pages(judge, answer)]
    return Estimate(
        unseen,
        by_rule,
        llm=True,
        model=judge.endpoint.model,
        sent=sent,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        price=price_of(judge.endpoint.model, tokens_in, tokens_out),
        pictures=0 if judge.blind else len(looked_at),
        unsendable=len(looked_at) if judge.blind else 0,
        figures=0 if judge.blind else pictured,
        unseen_figures=pictured if judge.blind else 0,
        on_trial=len(had),
    )


def _on_trial(store: Store, judge_id: int, parts: Sequence[Part]) -> set[int]:
    """The responses whose marks the run takes over from trials, as `Asking` does."""
    wanted = [
        (answer.id, part.hashes[answer.id], part.question.scheme_id)
        for part in parts
        if not part.exemplars
        for answer in part.answers
        if not answer.pictures
    ]
    with store.read() as db:
        return trial_answers.for_desk(db, judge_id, wanted)


def part_tokens(judge: LLMJudge, part: Part, shots: int) -> tuple[int, int, int]:
    """(responses that would be sent, tokens sent, tokens received) of one question."""
    protocol, samples = judge.endpoint.protocol, judge.endpoint.samples
    sent = [a for a in part.answers if not a.blank and not (judge.blind and shown_pages(judge, a))]
    each = prompt_tokens(part.question, protocol) + figure_tokens(part.question, judge)
    tokens_in = len(sent) * each + sum(answer_tokens(a, shown_to(part, a, shots)) for a in sent)
    tokens_out = len(sent) * reply_tokens(part.question.scheme, protocol)
    look_in, look_out = looking_tokens(part.question, judge.endpoint)
    pages = [count for a in sent if (count := shown_pages(judge, a))]
    looking = (sum(look_in(count) for count in pages), len(pages) * look_out)
    return len(sent), samples * tokens_in + looking[0], samples * tokens_out + looking[1]
