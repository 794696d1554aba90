"""Before a run: how many responses the judge has not seen, and roughly what asking it about them would take."""

from __future__ import annotations

from dataclasses import dataclass

from components.judge.prices import price_of
from components.marking import Scheme
from components.workflow.judging import Connections, inputs_hashes
from storage import Store, exams, judges, proposals, responses
from storage.exams import StoredQuestion
from storage.responses import StoredResponse

# Bytes a token: about 4 characters of English, or a little over one of Chinese (3 bytes each).
BYTES_PER_TOKEN = 4
# The prompt file's own words, about 3,500 bytes, and the schema of the reply.
PROMPT_TOKENS = 1000
# What a verdict takes in a reply: a quote, a sentence, the names of the fields.
REPLY_TOKENS, VERDICT_TOKENS = 30, 70


@dataclass(frozen=True)
class Estimate:
    """`unseen` responses have no proposal of the judge, or a failed one; `sent` of them would go to its model."""

    unseen: int
    by_rule: int  # further ones, of choice and numeric questions, that need no judge
    llm: bool
    model: str = ""
    sent: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    price: float | None = None  # US dollars, None where the price file does not know the model


def estimate(store: Store, connections: Connections, exam_id: int, judge_id: int) -> Estimate | None:
    """What the judge would have to do on the exam, or None where it cannot be asked now."""
    with store.read() as db:
        stored = judges.get(db, judge_id)
        judge = None if stored is None else connections.judge(stored)
        if stored is None or judge is None:
            return None
        known = proposals.known_inputs(db, exam_id, judge_id)
        unseen: list[tuple[StoredQuestion, list[StoredResponse]]] = []
        by_rule = 0
        for question in exams.questions(db, exam_id):
            answers = responses.of_question(db, question.id)
            if question.question.type.objective:
                by_rule += len(answers)
                continue
            hashes = inputs_hashes(judge, question, answers)
            unseen.append((question, [a for a in answers if (a.id, hashes[a.id]) not in known]))
    count = sum(len(answers) for _, answers in unseen)
    if stored.kind != judges.LLM:
        return Estimate(count, by_rule, llm=False)
    sent = [(question, [a for a in answers if a.text.strip()]) for question, answers in unseen]
    tokens_in = sum(_tokens_in(question, answers) for question, answers in sent)
    tokens_out = sum(len(answers) * reply_tokens(question.scheme) for question, answers in sent)
    return Estimate(
        count,
        by_rule,
        llm=True,
        model=stored.model,
        sent=sum(len(answers) for _, answers in sent),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        price=price_of(stored.model, tokens_in, tokens_out),
    )


def _tokens_in(question: StoredQuestion, answers: list[StoredResponse]) -> int:
    shown = question.question
    scheme = question.scheme.model_dump_json(exclude_defaults=True)
    words = (shown.text, shown.stimulus, shown.model_answer, shown.analysis, scheme)
    each = PROMPT_TOKENS + sum(tokens(part) for part in words)
    return len(answers) * each + sum(tokens(answer.text) for answer in answers)


def reply_tokens(scheme: Scheme) -> int:
    """Roughly what a reply takes: a verdict for each point and each AO, or one for the whole answer."""
    return REPLY_TOKENS + VERDICT_TOKENS * max(1, len(scheme.points) + len(scheme.objectives))


def tokens(text: str) -> int:
    """Roughly how many tokens a text is, rounded up."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)
