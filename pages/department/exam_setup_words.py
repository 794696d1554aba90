"""Words that the pages of setting up an exam share."""

from __future__ import annotations

import re

from components.marking import QuestionType
from components.workflow.marks_out.student_words import plain

TYPES = {
    QuestionType.SHORT: "Short answer",
    QuestionType.WORKING: "Working (method and accuracy marks)",
    QuestionType.LEVELS: "Levels of response",
    QuestionType.ESSAY: "Essay",
    QuestionType.SINGLE_CHOICE: "Choice, one right",
    QuestionType.MULTIPLE_CHOICE: "Choice, several right",
    QuestionType.NUMERIC: "A number",
}
SHOWN = 110


def first_words(text: str) -> str:
    """The beginning of a text on one line, without its Markdown and LaTeX."""
    line = " ".join(re.sub(r"^\s*- ", "", plain(text), flags=re.MULTILINE).split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1].rstrip() + "…"
