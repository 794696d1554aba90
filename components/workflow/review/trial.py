"""What a trial of a remedy asks the judge: the desk's own inputs, but for the drafted scheme."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from pydantic import Field
from sqlite_utils import Database

from components.judge.llm import LLMJudge
from components.judge.prices import price_of
from components.marking.scheme import Frozen
from components.workflow import exemplars
from components.workflow.cohort import RunOptions
from components.workflow.connections import Connections
from components.workflow.exemplars import MOST_SHOTS, Chosen
from components.workflow.inputs import inputs_hashes
from components.workflow.looking import shown_pages
from components.workflow.proposing import Part, items_of
from components.workflow.review.remedy_error import RemedyError
from components.workflow.review.sample import MOST, choose_sample
from components.workflow.review.suggestions import no_remedy
from storage import exams, judges, remedies, responses, verdicts
from storage.judges import StoredJudge
from storage.remedies import Remedy, Sampled


class AskedAs(Frozen):
    """How the desk's last run asked the judge about the question: its examples, the same ones again."""

    shots: int = Field(default=0, ge=0, le=MOST_SHOTS)
    grading: bool = True
    chosen: tuple[Chosen, ...] = ()


@dataclass(frozen=True)
class Outlook:
    """What trying would take: `sent` of the `sample` would go to a language model (`model`, "" for a judge without).

    `everyone`: the sample is every response with a teacher's mark. `price` is in US dollars, None where the price file
    does not know the model.
    """

    sample: tuple[Sampled, ...]
    everyone: bool
    model: str = ""
    sent: int = 0
    price: float | None = 0.0


def asked_as(db: Database, remedy: Remedy) -> AskedAs:
    """How the judge's newest run over the whole question asked; without examples where there was none."""
    for payload in remedies.run_options(db, remedy.exam_id, remedy.judge_id):
        options = RunOptions.model_validate(payload)
        if options.covers(remedy.question_id) and options.responses is None:
            chosen = options.chosen.get(remedy.question_id, ())
            return AskedAs(shots=options.shots, grading=options.grading, chosen=chosen)
    return AskedAs()


def outlook(db: Database, connections: Connections, remedy: Remedy, size: int) -> Outlook:
    """What trying the draft on at most `size` responses would take. Raises RemedyError where it cannot be tried."""
    question, stored = exams.question(db, remedy.question_id), judge_of(db, remedy)
    if bar := no_remedy(question, stored):
        raise RemedyError(bar)
    if not 1 <= size <= MOST:
        raise RemedyError(f"Try it on 1 to {MOST} responses.")
    marks = verdicts.teacher_marks(db, question.id, stored.id)
    if not marks:
        raise RemedyError(
            f"No response to question {question.question.number} has a mark by a teacher who had not seen the AI's, so "
            "there is nothing to compare with. Mark some blind first."
        )
    draw = random.Random(f"{question.id} {remedy.pattern_key}")
    sample = choose_sample(marks, remedy.behind, size, draw)
    everyone, how = len(sample) == len(marks), asked_as(db, remedy)
    part = part_of(db, connections, replace(remedy, sample=sample, asked_as=how.model_dump(mode="json")))
    if part is None:
        raise RemedyError(f"{stored.name} is not connected. Connect it again on the Judges page, then try it.")
    judge = part.judge
    if not isinstance(judge, LLMJudge):
        return Outlook(sample, everyone)
    sent = [a for a in part.answers if not a.blank and not (judge.blind and shown_pages(judge, a))]
    items = items_of(replace(part, answers=sent), judge, how.shots)
    known = price_of(judge.endpoint.model, 0, 0) is not None
    price = sum(item.estimate for item in items) if known else None
    return Outlook(sample, everyone, judge.endpoint.model, len(sent), price)


def part_of(db: Database, connections: Connections, remedy: Remedy) -> Part | None:
    """The remedy's sample as a part of a run under the draft, or None where the judge cannot be asked now."""
    stored = judge_of(db, remedy)
    judge = connections.judge(stored)
    if judge is None:
        return None
    how = AskedAs.model_validate(remedy.asked_as)
    question = replace(exams.question(db, remedy.question_id), scheme=remedy.draft)
    found = (responses.get(db, each.response_id) for each in remedy.sample)
    answers = [answer for answer in found if answer is not None]
    shown = exemplars.loaded(db, how.chosen)
    return Part(
        question, stored, judge, shown, answers, inputs_hashes(judge, question, answers, shown, how.shots), len(answers)
    )


def judge_of(db: Database, remedy: Remedy) -> StoredJudge:
    """The remedy's judge, retired or not."""
    stored = judges.get(db, remedy.judge_id)
    assert stored is not None  # a judge is retired, never deleted
    return stored
