"""A trial's marks out of the store, as its report needs them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from components.judge.prices import price_of
from components.workflow.trial import arms as naming
from components.workflow.trial.data import Arm, ArmMarks, Marks, TrialData, TrialQuestion
from storage import Store, judges, trial_answers, trial_marks, trials
from storage.exams import StoredQuestion
from storage.trial_answers import Cost
from storage.trials import StoredArm


def load(store: Store, trial_id: int) -> TrialData:
    """All that the trial's report rests on, as it is now. Raises LookupError where there is no such trial."""
    with store.read() as db:
        trial = trials.get(db, trial_id)
        if trial is None:
            raise LookupError(f"There is no trial {trial_id}; its exam may have been archived.")
        questions = trials.questions(db, trial_id)
        place_of = {question.id: place for place, question in enumerate(questions)}
        columns = trial_marks.taken(db, trial_id)
        ids = np.array(columns.response_ids, dtype=np.int64)
        stored = trials.arms(db, trial_id)
        return TrialData(
            trial_id=trial.id,
            title=trial.title,
            exam=trial.exam,
            created_at=trial.created_at,
            first_marker=trial.settings.get("first_marker", ""),
            second_marker=trial.settings.get("second_marker", "") if trial.double_marked else "",
            questions=tuple(_question(each) for each in questions),
            response_ids=ids,
            question=np.array([place_of[each] for each in columns.question_ids], dtype=np.int64),
            handwritten=np.array(columns.handwritten, dtype=np.bool_),
            first=_marks(columns.first),
            second=_marks(columns.second),
            arms=tuple(_arm_marks(db, arm, name, ids) for arm, name in zip(stored, arm_names(stored), strict=True)),
        )


def arm_names(stored: Sequence[StoredArm]) -> list[str]:
    """The arms' names, in their order, unlike each other."""
    return naming.names(
        [
            naming.Named(
                arm.judge.name,
                arm.judge.kind,
                arm.judge.model,
                arm.judge.settings,
                arm.shots,
                arm.grading,
                arm.criteria,
                arm.repeat,
            )
            for arm in stored
        ]
    )


def _question(stored: StoredQuestion) -> TrialQuestion:
    question = stored.question
    return TrialQuestion(
        stored.id,
        question.number,
        question.subject,
        question.type,
        question.max_mark,
        question.mark_step,
        question.tolerance,
    )


def _marks(given: Sequence[float | None]) -> Marks:
    return np.array([np.nan if each is None else each for each in given], dtype=np.float64)


def _arm_marks(db: Database, arm: StoredArm, name: str, ids: NDArray[np.int64]) -> ArmMarks:
    said = trial_answers.newest(db, arm.id)
    marks: Marks = np.full(ids.size, np.nan)
    # Both are in the ids' order, and an arm is only ever asked about the trial's responses.
    at = np.searchsorted(ids, np.array([response for response, _, _ in said], dtype=np.int64))
    marks[at] = [np.nan if mark is None else mark for _, _, mark in said]
    llm = arm.judge.kind == judges.LLM
    costs = trial_answers.costs(db, arm.id)
    return ArmMarks(
        arm=Arm(
            id=arm.id,
            name=name,
            judge_id=arm.judge.id,
            judge=arm.judge.name,
            kind=arm.judge.kind,
            model=arm.judge.model,
            settings=arm.judge.settings,
            shots=arm.shots,
            grading=arm.grading,
            criteria=arm.criteria,
            repeat=arm.repeat,
        ),
        marks=marks,
        abstained=sum(status == "abstained" for _, status, _ in said),
        failed=sum(status == "failed" for _, status, _ in said),
        missing=ids.size - len(said),
        sent=trial_answers.sent(db, arm.id) if llm else 0,
        price=_price(costs, arm.judge.model) if llm else 0.0,
        tokens_in=sum(each.tokens_in for each in costs),
        tokens_out=sum(each.tokens_out for each in costs),
        seconds=sum(each.seconds for each in costs),
        models=tuple(sorted({each.model for each in costs if each.model})),
        prompts=tuple(
            sorted({f"{each.prompt_version} ({each.prompt_hash[:12]})" for each in costs if each.prompt_version})
        ),
    )


def _price(costs: Sequence[Cost], model: str) -> float | None:
    """US dollars, None where one is not known. What the price file has come to know since then counts."""
    total = 0.0
    for each in costs:
        price = each.price
        if price is None and (each.tokens_in or each.tokens_out):
            price = price_of(each.model, each.tokens_in, each.tokens_out)
            if price is None:
                price = price_of(model, each.tokens_in, each.tokens_out)
        if price is None:
            return None
        total += price
    return total
