"""What a keyword of GAOKAO-Bench says: subject, streams, and how its answers are read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

OPEN = "open"
_SUBJECTS = (  # in this order: Math_II holds Math_I
    ("English", "English", "both"),
    ("Math_II", "Mathematics (arts stream)", "arts"),
    ("Math_I", "Mathematics (science stream)", "science"),
    ("Physics", "Physics", "science"),
    ("Chemistry", "Chemistry", "science"),
    ("Biology", "Biology", "science"),
    ("Political_Science", "Politics", "arts"),
    ("History", "History", "arts"),
    ("Geography", "Geography", "arts"),
    ("Chinese", "Chinese", "both"),
)
# As Bench/Obj_Prompt.json upstream names them.
_KINDS = {
    "Chinese_Lang_and_Usage_MCQs": "multi_question_choice",
    "Chinese_Modern_Lit": "multi_question_choice",
    "English_Fill_in_Blanks": "multi_question_choice",
    "English_Reading_Comp": "multi_question_choice",
    "Geography_MCQs": "multi_question_choice",
    "Physics_MCQs": "multi_choice",
    "English_Cloze_Test": "five_out_of_seven",
}
_SINGLE = {"English_MCQs", "Biology_MCQs", "Chemistry_MCQs", "History_MCQs", "Math_I_MCQs", "Math_II_MCQs",
           "Political_Science_MCQs"}  # fmt: skip
_YEARS = re.compile(r"\d{4}-\d{4}_")


@dataclass(frozen=True)
class GaokaoTask:
    """One task. `kind` is "open" or one of the objective kinds."""

    keyword: str
    subject: str
    streams: str  # arts, science or both
    kind: str


def task_of(keyword: str, answers: Sequence[object]) -> GaokaoTask:
    """The task of a keyword; for one that is not the benchmark's, its kind is told by its answers."""
    subject, streams = next(((name, streams) for part, name, streams in _SUBJECTS if part in keyword), ("", ""))
    bare = _YEARS.sub("", keyword, count=1)
    kind = "single_choice" if bare in _SINGLE else _KINDS.get(bare) or _kind_told(answers)
    return GaokaoTask(keyword, subject, streams, kind)


def _kind_told(answers: Sequence[object]) -> str:
    keys = [answer for answer in answers if isinstance(answer, tuple) and answer]
    if not keys:
        return OPEN
    if any(len(entry) > 1 for key in keys for entry in key):
        return "multi_choice"
    if all(len(key) == 5 for key in keys) and any(entry in "EFG" for key in keys for entry in key):
        return "five_out_of_seven"
    return "multi_question_choice" if any(len(key) > 1 for key in keys) else "single_choice"
