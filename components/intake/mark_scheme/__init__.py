"""Reads mark schemes (pasted text, Markdown, DOCX, PDF) into drafts that a teacher confirms."""

from components.intake.mark_scheme.draft import (
    GroupDraft,
    LevelDraft,
    PointDraft,
    QuestionDraft,
    SchemeDraft,
    SourceLine,
    SpecialCase,
)
from components.intake.mark_scheme.reader import read_mark_scheme
from components.intake.mark_scheme.sources import source_lines, text_lines

__all__ = [
    "GroupDraft",
    "LevelDraft",
    "PointDraft",
    "QuestionDraft",
    "SchemeDraft",
    "SourceLine",
    "SpecialCase",
    "read_mark_scheme",
    "source_lines",
    "text_lines",
]
