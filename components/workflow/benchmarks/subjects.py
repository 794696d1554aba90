"""The subjects of the published benchmarks: which paper belongs to which, what each counts for, and how it is said."""

from __future__ import annotations

import re
from dataclasses import dataclass

from components.intake.benchmarks.items import Item

CHINESE, ENGLISH = "Chinese", "English"
ARTS_MATHEMATICS, SCIENCE_MATHEMATICS = "Mathematics (arts stream)", "Mathematics (science stream)"
PHYSICS, CHEMISTRY, BIOLOGY = "Physics", "Chemistry", "Biology"
POLITICS, HISTORY, GEOGRAPHY = "Politics", "History", "Geography"


@dataclass(frozen=True)
class Weight:
    """What a subject counts for in the converted totals: its total, and how many marks of that each part has."""

    subject: str
    total: float
    objective_fraction: float
    subjective_fraction: float

    @property
    def objective_marks(self) -> float:
        return self.total * self.objective_fraction

    @property
    def subjective_marks(self) -> float:
        return self.total * self.subjective_fraction


WEIGHTS = (
    Weight(CHINESE, 150, 0.3, 0.7),
    Weight(ENGLISH, 150, 0.7, 0.3),
    Weight(SCIENCE_MATHEMATICS, 150, 0.4, 0.6),
    Weight(ARTS_MATHEMATICS, 150, 0.4, 0.6),
    Weight(PHYSICS, 110, 0.4, 0.6),
    Weight(CHEMISTRY, 100, 0.5, 0.5),
    Weight(BIOLOGY, 90, 0.3, 0.7),
    Weight(POLITICS, 100, 0.5, 0.5),
    Weight(HISTORY, 100, 0.5, 0.5),
    Weight(GEOGRAPHY, 100, 0.4, 0.6),
)
STREAMS = {
    "Arts stream": (CHINESE, ENGLISH, ARTS_MATHEMATICS, POLITICS, HISTORY, GEOGRAPHY),
    "Science stream": (CHINESE, ENGLISH, SCIENCE_MATHEMATICS, PHYSICS, CHEMISTRY, BIOLOGY),
}

_NAMES = frozenset({"chinese", "english", "marxism", "mao", "tsetung"})  # written with a capital inside a sentence
_YEARS = re.compile(r"^\d{4}-\d{4}_")
_LEVELS = {
    "primary school": "primary",
    "middle school": "middle-school",
    "junior high school": "junior-high-school",
    "high school": "high-school",
    "college": "college",
}


def subject_of(item: Item) -> str:
    """The item's subject; its paper where the loader knew none."""
    return item.subject or paper_name(item.task)


def paper_name(task: str) -> str:
    """A GAOKAO-Bench keyword without its years, in words: "Math II Fill-in-the-Blank"."""
    return _YEARS.sub("", task).replace("_", " ")


def spoken(subject: str, level: str = "") -> str:
    """A subject with its level as it is said in a sentence: "high-school biology", "primary mathematics"."""
    words = ["mathematics" if word == "Math" else word for word in subject.replace("_", " ").split()]
    # What is written in capitals throughout, or is a name, keeps its capital inside a sentence.
    said = " ".join(word if word.lower() in _NAMES or word[1:] != word[1:].lower() else word.lower() for word in words)
    return f"{_LEVELS.get(level.lower(), '')} {said}".strip()
