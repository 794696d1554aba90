"""Teaching the offline judge from a question's marks, in a process of its own so that marking stays quick.

Run by the worker as `python -m components.workflow.learn DATABASE QUESTION_ID`; prints what came of it in words.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

from components.judge.offline import LearnedMarker, MarkedAnswer, OfflineJudge, train
from components.marking import Proposal, Stage
from components.workflow.looking import for_judge, question_for_judge
from components.workflow.progress import Progress
from storage import Store, decisions, exams, judges, proposals, responses
from storage.exams import StoredQuestion
from storage.responses import StoredResponse

_ROOT = Path(__file__).parents[2]
STORED_AT_ONCE = 100  # so that a teacher's press never waits long for the lock


def learn_question(store: Store, question_id: int, progress: Progress) -> str:
    """Teach the judge in a child process; gives its words. Ends the child when `progress` says the job is off."""
    command = [sys.executable, "-m", __name__, str(store.path.resolve()), str(question_id)]
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8") as child:
        while child.poll() is None:
            if not progress(0, 1, "Learning from teachers' marks"):
                child.kill()
                return "Stopped."
            time.sleep(0.2)
        said = child.stdout.read().strip() if child.stdout else ""
    if child.returncode != 0:
        raise RuntimeError(f"Learning question {question_id} ended with code {child.returncode}.")
    return said


def learn_and_propose(store: Store, question_id: int) -> str:
    """Train on the question's marks, then store a new proposal for each response that no person has marked."""
    with store.read() as db:
        question = exams.question(db, question_id)
        marks = decisions.human_marks(db, question_id)
        waiting = responses.of_question(db, question_id, undecided=True)
        # The one that learns has no settings; the one that wants exact words does not learn.
        judge_id = next(each.id for each in judges.listed(db) if each.kind == judges.OFFLINE and not each.settings)
    marked = [
        MarkedAnswer(text, mark, stage in (Stage.AI_FIRST, Stage.REVEALED), stage is Stage.IMPORTED)
        for _, text, mark, stage in marks
    ]
    learned = train(question.question, question.scheme, marked, [answer.text for answer in waiting])
    if not isinstance(learned, LearnedMarker):
        return learned.reason
    judge = OfflineJudge(learned)
    asked = question_for_judge(store, question)
    made = [(answer, judge.propose(asked, question.scheme, for_judge(store, answer))) for answer in waiting]
    stored = _store_undecided(store, judge_id, question, made, _what_was_learned(marks))
    return f"Question {question.question.number}: learned from {len(marked)} marks, {stored} proposals renewed."


def _store_undecided(
    store: Store, judge_id: int, question: StoredQuestion, made: list[tuple[StoredResponse, Proposal]], learned: str
) -> int:
    stored = 0
    for start in range(0, len(made), STORED_AT_ONCE):
        with store.write() as db:
            # Asked again inside the transaction: a response marked meanwhile keeps the proposal its marker could see.
            undecided = {answer.id for answer in responses.of_question(db, question.id, undecided=True)}
            for answer, proposal in made[start : start + STORED_AT_ONCE]:
                if answer.id in undecided:
                    proposals.add(db, answer.id, judge_id, question.scheme_id, proposal, inputs_hash=learned)
                    stored += 1
    return stored


def _what_was_learned(marks: list[tuple[int, str, float, Stage]]) -> str:
    return hashlib.sha256(repr([(response, mark) for response, _, mark, _ in marks]).encode()).hexdigest()


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(10)
    print(learn_and_propose(Store(Path(sys.argv[1])), int(sys.argv[2])))
