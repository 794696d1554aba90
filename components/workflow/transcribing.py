"""Transcripts of pictures and the judge: keeping what it read, and asking it again from what a teacher made of that."""

from __future__ import annotations

from sqlite_utils import Database

from components.marking import Marker
from components.workflow.cohort import PROPOSE, RunError, RunOptions, options_of
from storage import Store, events, exams, jobs, judges, responses, transcripts

# What the latest run had and one response alone has not.
_ALONE = {"cap": None, "skip_pictures": False}


def ask_again(store: Store, response_id: int, marker: Marker) -> int:
    """Queue the exam's judge once more for this one response, as it stands now. Gives the job's id.

    It is asked with the examples of the exam's latest run, and no cap: it is one response. Where it has said so much of
    exactly this before, nothing is asked. Raises RunError where the response or a judge to ask is not there.
    """
    with store.write() as db:
        answer = responses.get(db, response_id)
        if answer is None:
            raise RunError("That response is no longer here; the exam may have been reset. Nothing was asked.")
        exam = exams.get(db, answer.exam_id)
        judge = None if exam is None or exam.judge_id is None else judges.get(db, exam.judge_id)
        if judge is None or judge.kind == judges.IMPORTED:
            raise RunError("This exam has no judge that can be asked. Start a run on the Runs page to choose one.")
        _check_eyes(db, judge, needs_eyes=bool(answer.pictures) and not answer.transcript.strip())
        options = _as_last_time(db, answer.exam_id, judge.id)
        alone = options.model_copy(update={"questions": None, "responses": (response_id,), **_ALONE})
        events.log(db, "asked again", f"response {response_id}", {"judge_id": judge.id}, marker.id)
        return jobs.add(db, PROPOSE, alone.model_dump(mode="json"))


def keep_judges_transcript(db: Database, response_id: int, proposal_id: int | None, text: str) -> None:
    """Keep what a judge read as a version of the response's transcript, in the caller's transaction.

    Not where some version says the same, nor where a teacher has written one: that one stays the newest.
    """
    if not text.strip() or transcripts.newest(db, response_id, transcripts.TEACHER) is not None:
        return
    if not transcripts.has(db, response_id, text):
        transcripts.add(db, response_id, text, transcripts.JUDGE, proposal_id=proposal_id)


def _check_eyes(db: Database, judge: judges.StoredJudge, *, needs_eyes: bool) -> None:
    if not needs_eyes:
        return
    if judge.kind != judges.LLM:
        raise RunError(f"{judge.name} cannot read pictures. Write down what this answer says as its transcript first.")
    found = judges.capabilities(db, judge.settings["base_url"], judge.model) or {}
    if found.get("pictures") is False:
        raise RunError(f"{judge.model} cannot read pictures. Write down what this answer says as its transcript first.")


def _as_last_time(db: Database, exam_id: int, judge_id: int) -> RunOptions:
    """The options of the exam's latest run, where it was by this judge: the same examples make the same question."""
    last = jobs.latest_of_exam(db, PROPOSE, exam_id)
    options = None if last is None else options_of(db, last.payload)
    if options is not None and options.judge_id == judge_id:
        return options
    return RunOptions(exam_id=exam_id, judge_id=judge_id)
