"""A trial's marks made in a test, as its report takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from components.marking import QuestionType
from components.workflow.trial.data import Arm, ArmMarks, TrialData, TrialQuestion

NO = float("nan")
Given = Sequence[float]


def question(
    number: str = "1",
    max_mark: float = 4,
    subject: str = "Biology",
    kind: QuestionType = QuestionType.SHORT,
    tolerance: float = 1,
) -> TrialQuestion:
    return TrialQuestion(int(number.strip("Q") or 1), number, subject, kind, max_mark, 1, tolerance)


def arm(
    name: str,
    marks: Given,
    *,
    judge: int = 1,
    kind: str = "llm",
    settings: dict[str, Any] | None = None,
    shots: int = 0,
    grading: bool = False,
    criteria: bool = True,
    repeat: int = 1,
    abstained: int = 0,
    failed: int = 0,
    price: float | None = 1.0,
    sent: int | None = None,
) -> ArmMarks:
    """An arm whose responses without a mark are those that abstained or failed, the rest not asked yet."""
    given = np.array(marks, dtype=np.float64)
    lacking = int(np.isnan(given).sum())
    return ArmMarks(
        Arm(judge * 100 + repeat, name, judge, f"Judge {judge}", kind, "model-1", settings or {}, shots, grading,
            criteria, repeat),
        given,
        abstained,
        failed,
        lacking - abstained - failed,
        sent if sent is not None else given.size if kind == "llm" else 0,
        price,
        tokens_in=1000,
        tokens_out=100,
        seconds=20.0,
        models=("model-1-2026-11",),
        prompts=("full 3 (abc123)",),
    )  # fmt: skip


def trial(
    questions: Sequence[TrialQuestion],
    places: Sequence[int],
    first: Given,
    second: Given | None,
    arms: Sequence[ArmMarks],
    handwritten: Sequence[bool] | None = None,
    title: str = "Autumn trial",
) -> TrialData:
    many = len(places)
    return TrialData(
        trial_id=1,
        title=title,
        exam="Mock paper",
        created_at="2026-11-30T10:00:00+00:00",
        first_marker="Ms Ahmed",
        second_marker="" if second is None else "Mr Brown",
        questions=tuple(questions),
        response_ids=np.arange(1, many + 1),
        question=np.array(places, dtype=np.int64),
        handwritten=np.array(handwritten if handwritten is not None else [False] * many, dtype=bool),
        first=np.array(first, dtype=np.float64),
        second=np.full(many, np.nan) if second is None else np.array(second, dtype=np.float64),
        arms=tuple(arms),
    )


def noisy(seed: int, many: int, max_mark: int = 4, *, noise: float = 0.4, shift: float = 0.0) -> list[list[float]]:
    """Marks of two humans and a judge on `many` responses: as far apart as `noise` makes them, the judge off by
    `shift` marks."""
    random = np.random.default_rng(seed)
    true = random.uniform(-0.4, max_mark + 0.4, many)

    def marks(off: float) -> list[float]:
        return list(np.clip(np.round(true + random.normal(0, noise, many) + off), 0, max_mark))

    return [marks(0), marks(0), marks(shift)]
