"""All figures of a trial's report, worked out once from its marks: the same marks always give the same figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from components.marking import QuestionType
from components.workflow.trial.data import ArmMarks, TrialData
from components.workflow.trial.report_common import Marked, Mask
from components.workflow.trial.report_compare import Comparison, compare
from components.workflow.trial.report_pairs import (
    CriteriaPair,
    Repeat,
    ShotCurve,
    criteria_pairs,
    repeats,
    shot_curves,
)
from components.workflow.trial.report_questions import QuestionRow, question_rows

LONG = frozenset({QuestionType.ESSAY, QuestionType.LEVELS})
TYPES = {
    QuestionType.SINGLE_CHOICE: "single choice",
    QuestionType.MULTIPLE_CHOICE: "multiple choice",
    QuestionType.NUMERIC: "numeric answers",
    QuestionType.SHORT: "short answers",
    QuestionType.WORKING: "answers with working",
    QuestionType.LEVELS: "answers marked by levels",
    QuestionType.ESSAY: "essays",
}
WHOLE = "all questions"


@dataclass(frozen=True)
class TrialFigures:
    """`everything` compares the arms on all questions; the rest on parts of them, each on its own common responses.

    `essays` are essays and answers marked by levels together. `best` is the place of the arm with the highest R_A over
    everything, None before there is one.
    """

    data: TrialData
    everything: Comparison
    subjects: tuple[Comparison, ...]
    types: tuple[Comparison, ...]
    essays: Comparison | None
    typed: Comparison | None
    handwritten: Comparison | None
    questions: tuple[QuestionRow, ...]
    criteria: tuple[CriteriaPair, ...]
    shots: tuple[ShotCurve, ...]
    repeats: tuple[Repeat, ...]
    best: int | None

    def name(self, arm: int) -> str:
        return self.data.arms[arm].arm.name

    def arm(self, arm: int) -> ArmMarks:
        return self.data.arms[arm]

    @property
    def tried(self) -> int:
        """How many ways of asking the best was chosen from: the same way asked again is no other."""
        return len(candidates(self.data, self.everything))


def trial_figures(data: TrialData) -> TrialFigures:
    """The report's figures. Raises ValueError where a mark is off its question's scale, naming it."""
    _on_scale(data)
    marked = Marked(data)
    everything = compare(marked, WHOLE)
    subjects, types = [], []
    for subject in dict.fromkeys(question.subject for question in data.questions):
        part = _asked(data, [question.subject == subject for question in data.questions])
        if part.any():
            subjects.append(compare(marked, subject or "no subject given", part))
    for kind, said in TYPES.items():
        part = _asked(data, [question.type is kind for question in data.questions])
        if part.any():
            types.append(compare(marked, said, part))
    essay = _asked(data, [question.type in LONG for question in data.questions])
    typed, handwritten = (
        compare(marked, name, part) if part.any() else None
        for name, part in (("typed", ~data.handwritten), ("handwritten", data.handwritten))
    )
    return TrialFigures(
        data=data,
        everything=everything,
        subjects=tuple(subjects),
        types=tuple(types),
        essays=compare(marked, "essays and levels", essay) if essay.any() else None,
        typed=typed,
        handwritten=handwritten,
        questions=question_rows(marked),
        criteria=criteria_pairs(marked),
        shots=shot_curves(marked),
        repeats=repeats(marked),
        best=_best(data, everything),
    )


def _on_scale(data: TrialData) -> None:
    maxima = Marked(data).maxima
    for who, marks in (
        *((data.first_marker or "the first marker", data.first), (data.second_marker or "the second", data.second)),
        *((each.arm.name, each.marks) for each in data.arms),
    ):
        off = np.flatnonzero((marks < 0) | (marks > maxima))
        if off.size:
            place = int(off[0])
            question = data.questions[data.question[place]]
            raise ValueError(
                f"{who} gave response {data.response_ids[place]} the mark {marks[place]:g}, and question "
                f"{question.number} is out of {question.max_mark:g}."
            )


def _asked(data: TrialData, questions: list[bool]) -> Mask:
    return np.asarray(np.array(questions, dtype=bool)[data.question], dtype=bool)


def candidates(data: TrialData, everything: Comparison) -> list[int]:
    """The compared arms, of the same way asked several times the first."""
    seen: dict[object, int] = {}
    for figures in everything.arms:
        arm = data.arms[figures.arm].arm
        key = (arm.judge_id, arm.shots, arm.grading, arm.criteria)
        known = seen.get(key)
        if known is None or data.arms[known].arm.repeat > arm.repeat:
            seen[key] = figures.arm
    return sorted(seen.values())


def _best(data: TrialData, everything: Comparison) -> int | None:
    known = [
        (-figures.r_a.value, place)
        for place in candidates(data, everything)
        if (figures := everything.of(place)) is not None and figures.r_a.value is not None
    ]
    return min(known)[1] if known else None
