"""Questions, and the responses to them, as a judge or a page sees them."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, field_validator

from components.marking.marks import MarkError
from components.marking.scheme import Frozen


class QuestionType(StrEnum):
    """How a question is answered and marked."""

    SINGLE_CHOICE = "single_choice"
    MULTIPLE_CHOICE = "multiple_choice"
    NUMERIC = "numeric"
    SHORT = "short"
    WORKING = "working"
    LEVELS = "levels"
    ESSAY = "essay"

    @property
    def objective(self) -> bool:
        """Marked by rule, without a model."""
        return self in OBJECTIVE_TYPES


OBJECTIVE_TYPES = frozenset({QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_CHOICE, QuestionType.NUMERIC})


class Figure(Frozen):
    """A picture that a question comes with: PNG or JPEG, and its author's words on what is to be seen."""

    content: bytes
    caption: str = ""


class Question(Frozen):
    """One item of an exam. `text` and `stimulus` are the author's Markdown with LaTeX; `tolerance` is in marks.

    `figures` are its pictures in order, read only when a judge is about to be asked; no dump of a question has them.
    """

    number: str
    type: QuestionType
    text: str
    max_mark: float
    mark_step: float = 1.0
    tolerance: float = 0.0
    stimulus: str = ""
    subject: str = ""
    model_answer: str = ""
    analysis: str = ""
    language: str = "en"
    aos: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = Field(default=(), exclude=True, repr=False)

    @field_validator("number")
    @classmethod
    def _has_a_number(cls, number: str) -> str:
        if not number.strip():
            raise MarkError("A question needs a number, such as 3(b).")
        return number.strip()


def default_tolerance(max_mark: float) -> float:
    """0 for a one-mark question, else a tenth of the maximum, at least one mark: the usual exam-board allowance."""
    return 0.0 if max_mark <= 1 else float(max(1, round(max_mark / 10)))


class Response(Frozen):
    """A candidate's answer to one question as a judge may see it: a pseudonym, never a name or number.

    `pictures` are PNG or JPEG in page order; `transcript` is what they say, as a teacher has confirmed it.
    """

    id: str
    text: str = ""
    pictures: tuple[bytes, ...] = ()
    transcript: str = ""

    @property
    def blank(self) -> bool:
        return not self.text.strip() and not self.pictures

    def in_words(self) -> Response:
        """The answer as if it had been typed: its text, then its transcript, and no pictures."""
        words = "\n\n".join(part for part in (self.text, self.transcript) if part.strip())
        return Response(id=self.id, text=words)


class Exemplar(Frozen):
    """A response a teacher has decided, shown to a judge as an example. `grading` is the verdicts' words, if any."""

    response_id: str
    text: str
    mark: float
    grading: str = ""
