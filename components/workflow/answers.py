"""Bringing answers in: typed, drawn or as pictures, for one candidate and question, and what may still be changed."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlite_utils import Database

from components.marking import Marker, Proposal, ProposalStatus, Stage
from components.workflow import cohort
from components.workflow.cohort import PROPOSE, RunOptions
from storage import (
    Store,
    answer_pages,
    decisions,
    events,
    exams,
    jobs,
    judges,
    pictures,
    proposals,
    responses,
    standings,
    transcripts,
)
from storage import annotations as drawn_over
from storage.exams import Exam, StoredQuestion
from storage.pictures import NewPage, Page
from storage.responses import StoredResponse

Kind = Literal["typed", "drawn", "photographed", "scanned"]

LONGEST_NUMBER = 40
LONGEST_TEXT = 50_000
MOST_PAGES = 50
REPLACED = "The answer's pages were replaced after this judge had proposed a mark. It is asked again."


class AnswerError(ValueError):
    """An answer that cannot be stored. The message says whose, why, and what to do."""


@dataclass(frozen=True)
class Existing:
    """What the exam has of one candidate's answer to one question. `number` is the candidate's, known or new.

    `fixed` says why its pages cannot be replaced and `closed` why none can be added; "" where they can.
    """

    number: str
    known: bool
    response: StoredResponse | None
    pages: tuple[Page, ...] = ()
    fixed: str = ""
    closed: str = ""
    proposed: bool = False

    @property
    def seen(self) -> tuple[str, ...] | None:
        """What a person has in view who sees this: the pages' pictures, or None where there is no answer yet."""
        return None if self.response is None else tuple(page.sha256 for page in self.pages)


@dataclass(frozen=True)
class Arriving:
    """One candidate's answer on its way in. `seen` is what was there when it was made, as `Existing.seen` gives it."""

    number: str
    kind: Kind
    text: str = ""
    pages: tuple[NewPage, ...] = ()
    replace: bool = False
    seen: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Brought:
    """What was stored: response ids in the order given, and whether the exam's judge is asked about them."""

    response_ids: tuple[int, ...]
    asked: bool


def candidate_number(typed: str) -> str:
    """A candidate number as it is stored. Raises AnswerError where it cannot be one."""
    number = " ".join(unicodedata.normalize("NFC", typed).split())
    if not number:
        raise AnswerError("Type the candidate's number first.")
    if len(number) > LONGEST_NUMBER:
        raise AnswerError(f"A candidate number has at most {LONGEST_NUMBER} characters; this one has {len(number)}.")
    if any(unicodedata.category(sign) in ("Cc", "Cf", "Cs") for sign in number):
        raise AnswerError("A candidate number cannot have invisible characters in it. Type it again.")
    return number


def existing(db: Database, question_id: int, number: str) -> Existing:
    """What there is of the candidate's answer to the question, and what may be done with it."""
    known, response_id = responses.of_place(db, question_id, number)
    if response_id is None:
        return Existing(number, known=known, response=None)
    response = responses.get(db, response_id)
    if response is None:
        raise AnswerError("This exam has been archived or reset. Choose another exam.")
    pages = tuple(pictures.pages(db, response.id))
    closed = _marked_by(db, response)
    proposed = standings.get(db, response.id)
    return Existing(
        number,
        known=True,
        response=response,
        pages=pages,
        fixed=closed or (_worked_on(db, response) if pages else ""),
        closed=closed,
        proposed=proposed is not None and proposed.proposal_id is not None,
    )


def bring_in(store: Store, marker: Marker, question_id: int, arriving: Sequence[Arriving]) -> Brought:
    """Store the answers, with candidates that are new, all or none, and queue the judge's proposals on them.

    Raises AnswerError, naming the candidate, for one that has no content, may not be changed any more, or has been
    changed since it was seen.
    """
    with store.write() as db:
        question, exam = _question(db, question_id)
        ids = tuple(_store(db, marker, question, each) for each in arriving)
        events.log(
            db,
            "answers brought in",
            f"exam {exam.id}",
            {"question_id": question_id, "responses": ids, "kinds": sorted({each.kind for each in arriving})},
            marker.id,
        )
        return Brought(ids, ask_judge(db, exam, question_id))


def ask_judge(db: Database, exam: Exam, question_id: int) -> bool:
    """Queue the exam's judge for what it has not proposed on yet in the question; whether there is one to ask.

    As in the judge's newest run of the exam, with the same examples: otherwise it would be asked about every answer.
    """
    judge = None if exam.judge_id is None else judges.get(db, exam.judge_id)
    if judge is None or judge.kind == judges.IMPORTED:
        return False
    options = RunOptions(exam_id=exam.id, judge_id=judge.id)
    before = jobs.latest_of_exam(db, PROPOSE, exam.id)
    last = None if before is None else cohort.options_of(db, before.payload)
    if last is not None and last.judge_id == judge.id:
        options = last
    options = options.model_copy(update={"questions": (question_id,)})
    if options.shots and question_id not in options.chosen:
        options = cohort.with_exemplars(db, options)
    kept = {known: chosen for known, chosen in options.chosen.items() if known == question_id}
    options = options.model_copy(update={"chosen": kept})
    jobs.add(db, PROPOSE, options.model_dump(mode="json"))
    return True


def _question(db: Database, question_id: int) -> tuple[StoredQuestion, Exam]:
    try:
        question = exams.question(db, question_id)
    except LookupError:
        raise AnswerError("This question is no longer there. Reload the page.") from None
    exam = exams.get(db, question.exam_id)
    if exam is None:
        raise AnswerError("This exam has been archived or reset. Nothing was stored; choose another exam.")
    return question, exam


def _store(db: Database, marker: Marker, question: StoredQuestion, arriving: Arriving) -> int:
    number = candidate_number(arriving.number)
    about = f"Candidate {number}, question {question.question.number}"
    there = existing(db, question.id, number)
    _check(about, there, arriving)
    if there.response is None:
        candidate_id = responses.add_candidates(db, question.exam_id, [number])[number]
        added = responses.add_responses(
            db, question.exam_id, [(question.id, candidate_id, arriving.text)], kind=arriving.kind
        )
        response_id = added[question.id, candidate_id]
    else:
        response_id = there.response.id
        if arriving.replace:
            pictures.detach(db, response_id)
        about_pages = {"before": there.seen, "replaced": arriving.replace}
        events.log(db, answer_pages.CHANGED, f"response {response_id}", about_pages, marker.id)
        if not there.response.text.strip():
            responses.set_kind(db, response_id, arriving.kind)
        _withdraw_proposal(db, response_id)
        standings.refresh(db, response_id)  # marks undone before count beside proposals on the earlier pages alone
    pictures.attach(db, response_id, arriving.pages)
    return response_id


def _check(about: str, there: Existing, arriving: Arriving) -> None:
    if arriving.seen != there.seen:
        raise AnswerError(
            f"{about}: this answer has changed since you looked at it. Look at what is there now, then store yours."
        )
    if there.response is not None and arriving.text:
        raise AnswerError(f"{about}: there is an answer already, and what a candidate answered never changes.")
    if not arriving.pages and not arriving.text.strip():
        raise AnswerError(f"{about}: there is nothing to store yet. Type, draw or upload the answer first.")
    if len(arriving.text) > LONGEST_TEXT:
        raise AnswerError(
            f"{about}: the answer has {len(arriving.text):,} characters; at most {LONGEST_TEXT:,} can be stored."
        )
    if there.response is not None and (reason := there.fixed if arriving.replace else there.closed):
        raise AnswerError(f"{about}: {reason}")
    kept = 0 if arriving.replace else len(there.pages)
    if kept + len(arriving.pages) > MOST_PAGES:
        raise AnswerError(f"{about}: an answer has at most {MOST_PAGES} pages.")


def _marked_by(db: Database, response: StoredResponse) -> str:
    live = decisions.live(db, response.id)
    here = dict.fromkeys(decision.marker_name for decision in live if decision.stage is not Stage.IMPORTED)
    if here:
        return f"it has been marked by {' and '.join(here)}. Undo the mark first, on the marking page."
    brought = dict.fromkeys(decision.marker_name for decision in live)
    return f"it came with a mark by {' and '.join(brought)}, so it stays as it was marked." if brought else ""


def _worked_on(db: Database, response: StoredResponse) -> str:
    drawn = dict.fromkeys(each.marker_name for each in drawn_over.of_response(db, response.id))
    if drawn:
        return f"{' and '.join(drawn)} wrote on its pages. Take that away first, on the marking page, or add pages."
    if transcripts.newest(db, response.id, transcripts.TEACHER) is not None:
        return "its transcript has been corrected by a teacher, so its pages stay. Pages can be added."
    return ""


def _withdraw_proposal(db: Database, response_id: int) -> None:
    """Let the standing proposal stand no longer: it is about other pages. It is immutable, so a newer one says so."""
    standing = standings.get(db, response_id)
    if standing is None or standing.proposal_id is None:
        return
    before = proposals.get(db, standing.proposal_id)
    failed = Proposal(status=ProposalStatus.FAILED, label=before.proposal.label, reason=REPLACED)
    proposals.add(db, response_id, before.judge_id, before.scheme_id, failed)
