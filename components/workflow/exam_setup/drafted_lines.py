"""A judge's draft of the lines of a mark scheme that no rule understood: its likely price, its cap, and its record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from components.intake.mark_scheme import QuestionDraft
from components.judge.llm import LLMJudge
from components.judge.llm.prompt import Message
from components.judge.llm.scheme_lines import LinesDraft, Took, draft_from_lines, request
from components.judge.prices import price_of
from components.marking import Marker, format_mark
from components.workflow.exam_setup.readings import JudgesDraft
from components.workflow.purse import LIKELY_TIMES
from components.workflow.review.rules import must_be_head
from components.workflow.tokens import REPLY_TOKENS, VERDICT_TOKENS, tokens
from storage import Store, events


@dataclass(frozen=True)
class Ahead:
    """What asking would likely take: tokens, and US dollars; None where the model's price is not known."""

    tokens_in: int
    tokens_out: int
    price: float | None

    @property
    def cap(self) -> float | None:
        """The most that may be spent: a reply that cannot be used is asked for again."""
        return None if self.price is None else LIKELY_TIMES * self.price


def ahead(judge: LLMJudge, now: QuestionDraft, lines: Mapping[int, str]) -> Ahead:
    """Reckoned before anything is sent."""
    sent = sum(tokens(str(message["content"])) for message in _request(now, lines))
    received = REPLY_TOKENS + VERDICT_TOKENS * len(lines)
    return Ahead(sent, received, price_of(judge.endpoint.model, sent, received))


def ask(
    store: Store, marker: Marker, exam_id: int, name: str, judge: LLMJudge, now: QuestionDraft, lines: Mapping[int, str]
) -> JudgesDraft:
    """Let the judge called `name` draft the points of these lines, for no more than the cap; whatever came of it is in
    the audit log. Raises MarkError for who is no head of department, and NoReply and JudgeStopped as
    `draft_from_lines` does."""
    must_be_head(marker)
    expected, took = ahead(judge, now, lines), Took()

    def may_go_on() -> bool:
        spent = price_of(judge.endpoint.model, took.tokens_in, took.tokens_out)
        likely = max(expected.price or 0.0, spent or 0.0)
        return expected.cap is None or spent is None or spent + likely <= expected.cap

    draft: LinesDraft | None = None
    try:
        draft = draft_from_lines(judge, _request(now, lines), lines, took, may_go_on)
    finally:
        price = price_of(judge.endpoint.model, took.tokens_in, took.tokens_out) if took.tokens_in else None
        about = {
            "judge": name,
            "model": took.model or judge.endpoint.model,
            "question": now.number,
            "lines": len(lines),
            "points": None if draft is None else len(draft.points),
            "tokens_in": took.tokens_in,
            "tokens_out": took.tokens_out,
            "price": price,
        }
        with store.write() as db:
            events.log(db, "scheme lines drafted", f"exam {exam_id}", about, marker.id)
    return JudgesDraft(name, draft, price)


def _request(now: QuestionDraft, lines: Mapping[int, str]) -> list[Message]:
    read = [f"{point.code} ({format_mark(point.marks)}) {point.text}" for point in now.points]
    return request(now.number, "not known" if now.max_mark is None else format_mark(now.max_mark), read, lines)
