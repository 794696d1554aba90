"""An exam's rules for totals: which questions a candidate chooses from, and what an answer that is not there means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from components.marking import MarkError
from storage.mark_book import StoredRules


class Missing(StrEnum):
    """What it means that a candidate has no response to a question that counts."""

    INCOMPLETE = "incomplete"  # somebody has to find the answer first, or enter that there is none
    ZERO = "zero"


@dataclass(frozen=True)
class Section:
    """Questions by number, in the exam's order, of which the best `answer` count."""

    title: str
    questions: tuple[str, ...]
    answer: int

    @property
    def optional(self) -> bool:
        return self.answer < len(self.questions)


@dataclass(frozen=True)
class TotalRules:
    """A question in no section always counts."""

    sections: tuple[Section, ...] = ()
    missing: Missing = Missing.INCOMPLETE


class _Section(BaseModel):
    model_config = ConfigDict(extra="ignore")

    title: str = ""
    questions: list[str]
    answer: int | None = None  # all of them


_SECTIONS: TypeAdapter[list[_Section]] = TypeAdapter(list[_Section])


def total_rules(stored: StoredRules, numbers: Sequence[str]) -> TotalRules:
    """The exam's rules, where `numbers` are its questions' in order.

    Raises MarkError in words for rules that do not fit the exam: a total by them would be wrong for everybody.
    """
    try:
        sections = _SECTIONS.validate_python(stored.sections or [])
        missing = Missing(stored.missing or Missing.INCOMPLETE)
    except ValueError as error:
        what = "its sections" if isinstance(error, ValidationError) else "what a missing answer means"
        message = f"The exam's rules for totals cannot be read ({what}). Set them again on the exam's page."
        raise MarkError(message) from error
    checked: list[Section] = []
    for place, section in enumerate(sections, 1):
        checked.append(_checked(section, section.title.strip() or f"Section {place}", numbers, checked))
    return TotalRules(tuple(checked), missing)


def _checked(section: _Section, title: str, numbers: Sequence[str], before: Sequence[Section]) -> Section:
    wanted = list(dict.fromkeys(number.strip() for number in section.questions))
    for number in wanted:
        if number not in numbers:
            raise MarkError(
                f"{title} has question {number}, which the exam does not have. Correct the section on the exam's page."
            )
        other = next((each.title for each in before if number in each.questions), None)
        if other is not None:
            raise MarkError(f"Question {number} is in {other} and in {title}. Take it out of one of them.")
    if not wanted:
        raise MarkError(f"{title} has no questions. Give it some, or delete it on the exam's page.")
    answer = len(wanted) if section.answer is None else section.answer
    if not 1 <= answer <= len(wanted):
        raise MarkError(
            f"{title} asks for {answer} of its {len(wanted)} questions. It must be from 1 to {len(wanted)}."
        )
    return Section(title, tuple(number for number in numbers if number in wanted), answer)


def settings_of(rules: TotalRules) -> dict[str, Any]:
    """The rules as an exam's settings hold them: to be merged into its JSON."""
    return {
        "sections": [
            {"title": section.title, "questions": list(section.questions), "answer": section.answer}
            for section in rules.sections
        ],
        "missing": str(rules.missing),
    }
