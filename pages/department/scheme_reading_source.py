"""The source of a mark scheme beside what was read of it: its lines by question, those not understood highlighted."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.intake.mark_scheme import SchemeDraft, SourceLine
from components.widgets.figures import count, plain

LONGEST = 2000  # letters of a line that are shown


def lines_by_question(
    lines: Sequence[SourceLine], read: SchemeDraft
) -> tuple[list[SourceLine], list[list[SourceLine]]]:
    """Lines above the first question, and each question's. A line of none belongs to the question it stands in."""
    owner = {number: place for place, question in enumerate(read.questions) for number in question.lines}
    above: list[SourceLine] = []
    of_question: list[list[SourceLine]] = [[] for _ in read.questions]
    here: int | None = None
    for line in lines:
        here = owner.get(line.number, here)
        if line_text(line):
            (above if here is None else of_question[here]).append(line)
    return above, of_question


def show_lines(lines: Sequence[SourceLine], unread: frozenset[int]) -> None:
    """The lines as plain text with their numbers; those in `unread` highlighted and said to be so."""
    left = sum(line.number in unread for line in lines)
    if left:
        st.caption(f":material/help: {count(left, 'line')} here not understood")
    st.markdown("  \n".join(_shown(line, line.number in unread) for line in lines) or "*No lines.*")


def _shown(line: SourceLine, unread: bool) -> str:
    text = plain(line_text(line)[:LONGEST])
    number = f":small[:gray[{line.number}]] "
    return f"{number}:orange-background[{text}] :small[:orange[not understood]]" if unread else f"{number}{text}"


def line_text(line: SourceLine) -> str:
    """The line's words in one line; a row's cells with a bar between them."""
    cells = [" / ".join(cell.split("\n")) for cell in line.cells if cell.strip()]
    return " │ ".join(cells) if cells else " ".join(line.text.split())
