"""Roughly how many tokens, and dollars, a model takes for one response."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from components.judge.llm import Endpoint, LLMJudge, Protocol
from components.judge.llm.figures import with_figures
from components.judge.llm.prompt import prompt_for, transcribing_prompt, with_pictures
from components.judge.llm.schema import schema_for
from components.judge.prices import price_of
from components.marking import Exemplar, Scheme
from storage.exams import StoredQuestion
from storage.responses import StoredResponse

# Bytes a token: about 4 characters of English, or a little over one of Chinese (3 bytes each).
BYTES_PER_TOKEN = 4
# What a verdict takes in a reply: a quote, a sentence, the names of the fields.
REPLY_TOKENS, VERDICT_TOKENS = 30, 70
# What a page takes: OpenAI's tiles and Gemini come to about 1,100 for A4, Anthropic's largest picture to 1,600; see
# picture_limits. And what is written on it takes in a reply, with the places of quotes.
PICTURE_TOKENS, TRANSCRIPT_TOKENS = 1_600, 200
# What the published protocols' replies take: one number, or a grading process in prose.
MEDLY_TOKENS, GAOKAO_TOKENS = 10, 300


def prompt_tokens(question: StoredQuestion, protocol: Protocol) -> int:
    """All of a request but the answer and the examples: our words, the form of the reply, question and scheme."""
    shown, scheme = question.question, question.scheme
    sections = prompt_for(scheme, shown, protocol).sections
    form = json.dumps(schema_for(scheme, protocol))
    body = scheme.model_dump_json(exclude_defaults=True)
    words = (sections["system"], sections["user"], form, body)
    return sum(tokens(part) for part in (*words, shown.text, shown.stimulus, shown.model_answer, shown.analysis))


def figure_tokens(question: StoredQuestion, judge: LLMJudge) -> int:
    """What a question's pictures add to each request for a mark: they and what is said of them, or words alone where
    the model takes none."""
    if not question.pictures:
        return 0
    prompt = prompt_for(question.scheme, question.question, judge.endpoint.protocol)
    told = with_figures(prompt, seen=not judge.blind).sections
    words = sum(map(tokens, told.values())) - sum(map(tokens, prompt.sections.values()))
    captions = sum(tokens(each.caption) for each in question.pictures)
    return words + captions + (0 if judge.blind else PICTURE_TOKENS * len(question.pictures))


def reply_tokens(scheme: Scheme, protocol: Protocol = Protocol.FULL) -> int:
    """What a reply takes: a verdict for each point and each AO, or one for the whole answer."""
    match protocol:
        case Protocol.MEDLY:
            return MEDLY_TOKENS
        case Protocol.GAOKAO:
            return GAOKAO_TOKENS
        case Protocol.FULL:
            return REPLY_TOKENS + VERDICT_TOKENS * max(1, len(scheme.points) + len(scheme.objectives))


def answer_tokens(answer: StoredResponse, exemplars: Sequence[Exemplar]) -> int:
    """What the answer takes, and the examples shown with it."""
    return tokens(answer.text) + sum(tokens(each.text) + tokens(each.grading) + 20 for each in exemplars)


def looking_tokens(question: StoredQuestion, endpoint: Endpoint) -> tuple[Callable[[int], int], int]:
    """What an answer's pictures add to all of its requests: tokens sent for so many pages, and tokens received."""
    prompt = prompt_for(question.scheme, question.question, endpoint.protocol)
    if endpoint.reading == "transcribe":
        sections = transcribing_prompt(prompt).sections
        words = sum(tokens(part) for part in (sections["system"], sections["user"], question.question.text))
        again = endpoint.samples * TRANSCRIPT_TOKENS  # the transcript goes with each request for a mark
        return lambda pages: words + pages * PICTURE_TOKENS + again, TRANSCRIPT_TOKENS
    words = tokens(with_pictures(prompt).sections["system"]) - tokens(prompt.sections["system"])
    received = TRANSCRIPT_TOKENS if endpoint.protocol is Protocol.FULL else 0
    return lambda pages: endpoint.samples * (words + pages * PICTURE_TOKENS), endpoint.samples * received


def likely_price(model: str, sent: int, received: int) -> float:
    """US dollars for so many tokens; 0 where the model's price is not known."""
    return price_of(model, sent, received) or 0.0


def tokens(text: str) -> int:
    """Roughly how many tokens a text is, rounded up."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)
