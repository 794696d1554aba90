"""Planning a trial: whose marks, which arms, and what each would take."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import Field
from sqlite_utils import Database

from components.judge import Judge
from components.judge.llm import LLMJudge
from components.judge.prices import price_of
from components.marking import Exemplar
from components.marking.scheme import Frozen
from components.workflow import exemplars
from components.workflow.connections import Connections
from components.workflow.estimate import part_tokens
from components.workflow.exemplars import Chosen
from components.workflow.looking import shown_pages
from components.workflow.trial import arms
from components.workflow.trial.arms import NEW, ArmChoice
from components.workflow.trial.sending import Asked
from storage import Store, exams, judges, responses, trial_answers, trial_marks
from storage.exams import StoredQuestion
from storage.judges import StoredJudge
from storage.responses import StoredResponse
from storage.trial_marks import Basis, Counted

AT_ONCE = 2_000  # responses in memory while planning
OFFLINE_SECONDS = 0.003  # that the offline matcher takes for a response


class TrialOptions(Frozen):
    """What a trial is to do. `questions` are ids, None for all written ones; `cap` is in US dollars, None for none.

    `whose` are the first and the second marker's ids, the second None for single marking; None: per response the first
    two different markers, in the order of their decisions. `unmarked`: responses without a human mark too, to be marked
    and compared with nobody.
    """

    exam_id: int
    arms: tuple[ArmChoice, ...]
    title: str = ""
    questions: tuple[int, ...] | None = None
    whose: tuple[int, int | None] | None = None
    cap: float | None = Field(default=None, gt=0)
    unmarked: bool = False

    def basis(self, question_ids: Iterable[int]) -> Basis:
        """The responses that it rests on; the ids are those of its questions that are written."""
        return Basis(self.exam_id, tuple(question_ids), self.whose, self.unmarked)


@dataclass(frozen=True)
class PlannedArm:
    """What an arm would take. `known` are answered already and not asked again; `sent` would go to its model.

    Its model is known to take no pictures: `unsendable` more are pictures, which it gives no mark on, and
    `unseen_figures` of those sent are about a question whose picture it does not see. `problem` says why it cannot be
    asked. `price` is in US dollars; it and `seconds` are None where nobody knows.
    """

    choice: ArmChoice
    name: str
    kind: str
    model: str
    known: int
    sent: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    price: float | None = 0.0
    seconds: float | None = 0.0
    problem: str = ""
    unsendable: int = 0
    unseen_figures: int = 0


@dataclass(frozen=True)
class Plan:
    """What a trial would rest on, how many responses it is of in all, and what its arms would take.

    `nothing_withheld`: an arm is to go without the mark scheme, and no question has one beyond its maximum mark.
    """

    marked: Counted
    responses: int
    arms: tuple[PlannedArm, ...]
    nothing_withheld: bool = False

    @property
    def price(self) -> float | None:
        """US dollars for all, None where one of them is not known."""
        prices = [arm.price for arm in self.arms]
        return None if None in prices else sum(price for price in prices if price is not None)

    @property
    def seconds(self) -> float | None:
        """Seconds for all, one arm after the other; None where one of them is not known."""
        taken = [arm.seconds for arm in self.arms]
        return None if None in taken else sum(each for each in taken if each is not None)

    @property
    def problems(self) -> list[str]:
        return list(dict.fromkeys(arm.problem for arm in self.arms if arm.problem))


def written(db: Database, options: TrialOptions) -> list[StoredQuestion]:
    """The questions of the trial. Choice and numeric ones are marked by rule here, so only who names them gets them."""
    return [
        each
        for each in exams.questions(db, options.exam_id)
        if (not each.question.type.objective if options.questions is None else each.id in options.questions)
    ]


def usual_markers(db: Database, exam_id: int, questions: Sequence[int]) -> tuple[int, int | None] | None:
    """Whose marks a trial takes unless told otherwise: the two with the most, the one where nobody else has marked.

    None, the first two of each response, where those two have marked less than half of what was marked twice.
    """
    found = trial_marks.markers_of(db, exam_id, questions)
    if len(found) < 2:
        return (found[0].marker_id, None) if found else None
    both = (found[0].marker_id, found[1].marker_id)
    any_two = trial_marks.counted(db, Basis(exam_id, questions, None)).double_marked
    return None if 2 * trial_marks.counted(db, Basis(exam_id, questions, both)).double_marked < any_two else both


def plan(store: Store, connections: Connections, options: TrialOptions) -> Plan:
    """What the trial would rest on and take. Reads every response once, some at a time."""
    with store.read() as db:
        questions = {each.id: each for each in written(db, options)}
        basis = options.basis(questions)
        marked, ids = trial_marks.counted(db, basis), trial_marks.asked_ids(db, basis)
        by_key: dict[tuple[object, ...], _Draft] = {}
        for choice in options.arms:
            draft = _Draft(db, connections, choice, questions)
            by_key.setdefault(draft.key, draft)
        drafts = [*by_key.values()]
        told = arms.names([draft.named for draft in drafts])
        for answers in _answers(db, ids):
            for draft in drafts:
                draft.count(db, questions, answers)
        made = [draft.planned(db, name, len(ids)) for draft, name in zip(drafts, told, strict=True)]
        bare = all(arms.without_criteria(each).scheme == each.scheme for each in questions.values())
        return Plan(marked, len(ids), tuple(made), bare and not all(choice.criteria for choice in options.arms))


def examples_of(db: Database, questions: Sequence[StoredQuestion], choice: ArmChoice) -> dict[int, tuple[Chosen, ...]]:
    found = {
        each.id: exemplars.choose(db, each, choice.shots, grading=choice.grading)
        for each in questions
        if not each.question.type.objective
    }
    return {question: shown for question, shown in found.items() if shown}


def _answers(db: Database, ids: Sequence[int]) -> Iterator[dict[int, list[StoredResponse]]]:
    """The responses by question, some at a time."""
    for start in range(0, len(ids), AT_ONCE):
        found: dict[int, list[StoredResponse]] = {}
        for answer in responses.with_ids(db, ids[start : start + AT_ONCE]):
            found.setdefault(answer.question_id, []).append(answer)
        yield found


class _Draft:
    """An arm while it is planned: what has been counted of it so far."""

    def __init__(
        self, db: Database, connections: Connections, choice: ArmChoice, questions: dict[int, StoredQuestion]
    ) -> None:
        base = judges.get(db, choice.judge_id)
        assert base is not None  # a judge is retired, never deleted
        self.choice = choice
        self.stored = arms.stored_judge(db, base, choice)
        self.judge = _judge(connections, base, self.stored, choice)
        self.problem = ""
        if self.judge is None and self.stored.kind != judges.IMPORTED:
            self.problem = f"{base.name} is not connected. Connect it again on the Judges page."
        self.known = self.sent = self.tokens_in = self.tokens_out = self.unsendable = self.unseen_figures = 0
        chosen = examples_of(db, [*questions.values()], choice) if choice.shots else {}
        self.examples: dict[int, tuple[Exemplar, ...]] = {
            question: exemplars.loaded(db, shown) for question, shown in chosen.items()
        }

    @property
    def key(self) -> tuple[object, ...]:
        """Arms with the same one ask the same: a variant of a judge may be another judge that was chosen too."""
        how, stored = self.choice, self.stored
        judge = (
            stored.id if stored.id != NEW else (stored.kind, stored.model, json.dumps(stored.settings, sort_keys=True))
        )
        return judge, how.shots, how.grading, how.criteria, how.repeat

    @property
    def named(self) -> arms.Named:
        how, stored = self.choice, self.stored
        return arms.Named(
            stored.name, stored.kind, stored.model, stored.settings, how.shots, how.grading, how.criteria, how.repeat
        )

    def count(
        self, db: Database, questions: dict[int, StoredQuestion], answers: dict[int, list[StoredResponse]]
    ) -> None:
        """Count these answers in."""
        if self.judge is None:
            if not self.problem:
                ids = [answer.id for some in answers.values() for answer in some]
                self.known += trial_answers.count_imported(db, self.stored.id, ids)
            return
        for question_id, some in answers.items():
            asked = Asked.about(self.judge, questions[question_id], self._shown(question_id), self.choice)
            self._count(db, asked, some)

    def _shown(self, question_id: int) -> tuple[Exemplar, ...]:
        return self.examples.get(question_id, ())

    def _count(self, db: Database, asked: Asked, some: list[StoredResponse]) -> None:
        assert self.judge is not None
        part = asked.part(self.stored, self.judge, some)
        known: set[int] = set()
        if self.stored.id != NEW:
            known = trial_answers.known_inputs(db, self.stored.id, self.choice.repeat, [*part.hashes.items()])
        self.known += len(known)
        if isinstance(self.judge, LLMJudge):
            left = replace(part, answers=[answer for answer in some if answer.id not in known])
            sent, tokens_in, tokens_out = part_tokens(self.judge, left, self.choice.shots)
            self.sent += sent
            self.tokens_in += tokens_in
            self.tokens_out += tokens_out
            if self.judge.blind:
                self.unsendable += sum(1 for answer in left.answers if shown_pages(self.judge, answer))
                self.unseen_figures += sent if part.question.pictures else 0

    def planned(self, db: Database, name: str, responses: int) -> PlannedArm:
        stored, judge = self.stored, self.judge
        made = PlannedArm(self.choice, name, stored.kind, stored.model, self.known, problem=self.problem)
        if not isinstance(judge, LLMJudge):
            free = stored.kind == judges.IMPORTED
            return replace(made, seconds=0.0 if free else OFFLINE_SECONDS * (responses - self.known))
        usual = trial_answers.usual_seconds(db, stored.id, stored.model) if self.sent else 0.0
        return replace(
            made,
            sent=self.sent,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            price=price_of(stored.model, self.tokens_in, self.tokens_out) if self.sent else 0.0,
            seconds=None if usual is None else usual * self.sent / judge.endpoint.at_once,
            unsendable=self.unsendable,
            unseen_figures=self.unseen_figures,
        )


def _judge(connections: Connections, base: StoredJudge, stored: StoredJudge, choice: ArmChoice) -> Judge | None:
    if stored.kind == judges.LLM:
        return arms.unconnected(connections, base, choice)
    return connections.judge(stored)
