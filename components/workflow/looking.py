"""Reading a response's pictures out of the store just before a judge is asked, so that few are in memory at a time."""

from __future__ import annotations

from sqlite_utils import Database

from components.judge import Judge
from components.judge.llm import LLMJudge
from components.marking import Response
from storage import Store, pictures
from storage.responses import StoredResponse


def for_judge(store: Store, answer: StoredResponse) -> Response:
    """The response as a judge is asked about it, its pictures' bytes with it. Typed ones open nothing."""
    if not answer.pictures:
        return answer.for_judge()
    with store.read() as db:
        return with_pictures(db, answer)


def with_pictures(db: Database, answer: StoredResponse) -> Response:
    """As `for_judge` does, on an open connection."""
    return answer.for_judge([pictures.content(db, sha256) for sha256 in answer.pictures])


def needs_eyes(answer: StoredResponse) -> bool:
    """Whether it can be marked only by looking: it has pictures, and no teacher has confirmed what they say."""
    return bool(answer.pictures) and not answer.transcript.strip()


def shown_pages(judge: Judge, answer: StoredResponse) -> int:
    """How many pictures the judge would be sent of the answer."""
    if not isinstance(judge, LLMJudge) or not answer.pictures:
        return 0
    words_will_do = judge.blind or judge.endpoint.reading == "transcribe"
    return 0 if words_will_do and not needs_eyes(answer) else len(answer.pictures)
