"""One arm on trial: what is known is taken over, the rest is asked, and all of it is kept apart from the desk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from components.judge import Judge
from components.judge.llm import LLMJudge
from components.marking import Exemplar, Proposal, ProposalStatus
from components.workflow import exemplars
from components.workflow.asking import Asker, Asking, Item
from components.workflow.broken import proposal_or_failure
from components.workflow.exemplars import Chosen
from components.workflow.looking import question_for_judge
from components.workflow.progress import Told
from components.workflow.proposing import Part
from components.workflow.purse import Purse
from components.workflow.trial.sending import Asked
from storage import Store, responses, trial_answers
from storage.exams import StoredQuestion
from storage.responses import StoredResponse
from storage.trials import StoredArm

NO_JOB = NO_RUN = 0  # what is said on trial belongs to no run
LOST = (
    "The app's server ended while this answer was with the model, so the reply was lost and may have been paid for. "
    "Resuming the trial asks again, and may pay again."
)
Places = Sequence[tuple[int, int]]  # (response id, question id)


class OnTrial:
    """An arm while its trial runs. `lost` is what a crash has cost it; `stopped` says why it cannot go on."""

    def __init__(self, stored: StoredArm, judge: Judge | None, questions: Mapping[int, StoredQuestion]) -> None:
        self.stored = stored
        self.judge = judge
        self.questions = questions
        self.lost: set[int] = set()
        self.stopped = ""
        self._examples: dict[int, tuple[Exemplar, ...]] = {}

    @property
    def called(self) -> str:
        return self.stored.judge.name

    def asked(self, store: Store, question_id: int) -> Asked:
        """The question as this arm asks it. Its judge can be asked."""
        assert self.judge is not None
        return Asked.about(self.judge, self.questions[question_id], self._shown(store, question_id), self.stored)

    def take_imported(self, store: Store, response_ids: Sequence[int]) -> None:
        """Take over the marks of a judge that only ever was imported."""
        with store.write() as db:
            known = trial_answers.answered(db, self.stored.id, response_ids)
            left = [each for each in response_ids if each not in known]
            trial_answers.take_imported(db, self.stored.id, self.stored.judge.id, left)

    def _shown(self, store: Store, question_id: int) -> tuple[Exemplar, ...]:
        if not self.stored.shots:
            return ()
        if question_id not in self._examples:
            chosen = [Chosen.model_validate(each) for each in self.stored.chosen.get(str(question_id), ())]
            with store.read() as db:
                self._examples[question_id] = exemplars.loaded(db, chosen)
        return self._examples[question_id]


def take_over(store: Store, arm: OnTrial, places: Places) -> tuple[list[Part], int]:
    """(what is left of these responses, question by question; how many they are).

    Not left is what the arm has answered, what it was lost on just now, and what its judge has said of exactly the same
    inputs elsewhere, which becomes the arm's answer and is not paid for again.
    """
    stored, judge = arm.stored, arm.judge
    assert judge is not None
    with store.read() as db:
        known = trial_answers.answered(db, stored.id, [response for response, _ in places]) | arm.lost
        answers = responses.with_ids(db, [response for response, _ in places if response not in known])
    by_question: dict[int, list[StoredResponse]] = {}
    for answer in answers:
        by_question.setdefault(answer.question_id, []).append(answer)
    parts = [arm.asked(store, question).part(stored.judge, judge, some) for question, some in by_question.items()]
    inputs = [each for part in parts for each in part.hashes.items()]
    with store.read() as db:
        elsewhere = trial_answers.known_inputs(db, stored.judge.id, stored.repeat, inputs)
    if elsewhere:
        with store.write() as db:
            wanted = [each for each in inputs if each[0] in elsewhere]
            elsewhere = trial_answers.take_known(db, stored.id, stored.judge.id, stored.repeat, wanted)
    for part in parts:
        part.answers[:] = [answer for answer in part.answers if answer.id not in elsewhere]
    return [part for part in parts if part.answers], len(answers) - len(elsewhere)


def match_batch(store: Store, arm: OnTrial, batch: Sequence[tuple[Part, StoredResponse]]) -> None:
    """Ask a judge without a model about these, and store what it says."""
    assert arm.judge is not None
    made = []
    for part, answer in batch:
        question = question_for_judge(store, part.question)
        said = proposal_or_failure(store, arm.judge, question, part.question.scheme, answer)
        made.append((answer.id, part.question.scheme_id, part.hashes[answer.id], said))
    with store.write(durable=False) as db:  # what a power cut takes is soon matched again
        trial_answers.keep_each(db, arm.stored.id, made)


def fail_what_was_out(store: Store, arm: OnTrial, places: Places) -> None:
    """What was with the arm's model when the server ended fails: asking again may pay again, so a person says so."""
    with store.read() as db:
        if not trial_answers.left_out(db, arm.stored.id):
            return
    lost = Proposal(status=ProposalStatus.FAILED, label=arm.called, reason=LOST)
    question_of = dict(places)
    with store.write() as db:
        out = trial_answers.left_out(db, arm.stored.id)
        made = [(each, arm.questions[question_of[each]].scheme_id, "", lost) for each in out]
        trial_answers.keep_each(db, arm.stored.id, made)
    arm.lost.update(out)


class TrialAsking(Asking):
    """Asks as a run does, and keeps what comes back with the trial instead of on the desk."""

    def __init__(self, store: Store, judge: LLMJudge, arm: OnTrial, told: Told, purse: Purse) -> None:
        super().__init__(Asker(store, judge, arm.stored.judge.id, NO_JOB, NO_RUN), told, purse)
        self._arm = arm.stored

    def _claim(self, items: Sequence[Item]) -> tuple[list[Item], int]:
        arm, ids = self._arm, [item.answer.id for item in items]
        with self._asker.store.write() as db:
            known = trial_answers.answered(db, arm.id, ids)
            inputs = [item.inputs for item in items if item.answer.id not in known]
            # What a run or another trial has been told since these were planned is paid for, as is what it has out.
            known |= trial_answers.take_known(db, arm.id, arm.judge.id, arm.repeat, inputs)
            out = trial_answers.elsewhere(db, arm.id, inputs) - known
            mine = trial_answers.claim(db, arm.id, [each for each in ids if each not in known | out])
        return [item for item in items if item.answer.id in mine], len(out)

    def _store_made(self, made: Sequence[tuple[Item, Proposal]]) -> None:
        rows = [(item.answer.id, item.question.scheme_id, item.inputs_hash, said) for item, said in made]
        with self._asker.store.write() as db:
            trial_answers.keep_each(db, self._arm.id, rows)

    def _forget(self, items: Iterable[Item]) -> None:
        with self._asker.store.write() as db:
            trial_answers.forget(db, self._arm.id, [item.answer.id for item in items])
