"""Reading pictures of questions and answers out of the store just before a judge is asked: few are in memory then."""

from __future__ import annotations

from sqlite_utils import Database

from components.judge import Judge
from components.judge.llm import LLMJudge
from components.marking import Figure, Question, Response
from storage import Store, pictures
from storage.exams import StoredQuestion
from storage.responses import StoredResponse


def question_for_judge(store: Store, question: StoredQuestion) -> Question:
    """The question as a judge is asked about it, its pictures' bytes with it. One without any opens nothing."""
    if not question.pictures:
        return question.question
    with store.read() as db:
        return with_figures(db, question)


def with_figures(db: Database, question: StoredQuestion) -> Question:
    """As `question_for_judge` does, on an open connection.

    They are the pictures that `question` names, by which its proposals are known, though it may have others by now.
    """
    figures = tuple(
        Figure(content=pictures.content(db, each.sha256), caption=each.caption) for each in question.pictures
    )
    return question.question.model_copy(update={"figures": figures})


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


def shown_figures(judge: Judge, question: StoredQuestion) -> int:
    """How many pictures of the question the judge would be sent with each of its answers."""
    return len(question.pictures) if isinstance(judge, LLMJudge) and not judge.blind else 0


def sends_pictures(judge: Judge, question: StoredQuestion, answer: StoredResponse) -> bool:
    """Whether the judge would be sent any picture, of question or answer."""
    return not answer.blank and bool(shown_figures(judge, question) or shown_pages(judge, answer))
