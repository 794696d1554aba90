"""What was recognised in a file and why, what happens to names, and the maxima that the file does not say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from components.intake import Table
from components.intake.forms import Choices, FormQuestion, Pseudonym, Recognised
from components.intake.forms.tabled import Numbers
from components.widgets.figures import count, plain

PREVIEW_ROWS = 8
MOST_FIELDS = 40
NOTES_SHOWN = 4
_NUMBERS: dict[Numbers, str] = {
    "own": "The file's own candidate numbers",
    "running": "Running numbers: 0001, 0002 …",
    "names": "Keep names in the place of numbers",
}


def show_found(found: Recognised) -> None:
    st.subheader("What was recognised")
    st.markdown(f"**{plain(found.layout)}** · {plain(found.source.name)}")
    st.write(plain(found.why))
    for note in found.notes[:NOTES_SHOWN]:
        st.markdown(f"- {plain(note)}")
    if len(found.notes) > NOTES_SHOWN:
        with st.expander(f"{len(found.notes) - NOTES_SHOWN} more notes"):
            for note in found.notes[NOTES_SHOWN:]:
                st.markdown(f"- {plain(note)}")


def choose(
    found: Recognised, known: Mapping[str, float], about: str, *, shows_questions: bool, asks_maxima: bool
) -> Choices:
    """What the teacher chooses of the file. `known` has the maxima of the exam it is imported into."""
    numbers = _choose_numbers(found, about)
    width = None
    if found.suspected_width is not None and numbers == "own":
        padded = st.checkbox(
            f"Put the leading zeros back: pad candidate numbers to {found.suspected_width} digits",
            key=f"import_width_{about}",
        )
        width = found.suspected_width if padded else None
    maxima: dict[str, float] = {}
    if shows_questions and found.questions:
        _show_questions(found.questions, known)
        maxima = _choose_maxima(found.questions, about) if asks_maxima else {}
    return Choices(numbers=numbers, width=width, max_marks={**known, **maxima})


def _choose_numbers(found: Recognised, about: str) -> Numbers:
    has_own = any(column.is_number for column in found.personal)
    personal = [column for column in found.personal if not column.is_number]
    if not personal:
        return "own"
    listed = ", ".join(f"“{column.column}” ({column.kind})" for column in personal)
    st.markdown(f"**Personal columns:** {plain(listed)}")
    options = [each for each in _NUMBERS if each != "own" or has_own]
    chosen = st.radio(
        "Candidates are known by",
        options,
        format_func=_NUMBERS.__getitem__,
        key=f"import_numbers_{about}",
        help="Judges are never told who a candidate is, whatever is chosen here.",
    )
    if chosen == "names":
        st.warning(
            "Names or addresses then stand on every page and in every download in the place of candidate numbers.",
            title="Names are kept",
        )
    else:
        st.caption(
            "These columns are taken out. Who is who is kept apart, as the key of names, which heads of department can "
            "look at, download and delete on this page. It never goes to a judge or into an evidence pack, and into "
            "marks out only where a head of department asks for it."
        )
    return chosen if chosen != "running" or has_own else "own"


def _show_questions(questions: Sequence[FormQuestion], known: Mapping[str, float]) -> None:
    st.markdown(f"**{count(len(questions), 'question')} found**")
    columns: dict[str, list[object]] = {
        "Question": [each.number for each in questions],
        "Maximum": [each.max_mark if each.max_mark is not None else known.get(each.number) for each in questions],
        "Has": [_has(each) for each in questions],
    }
    if any(each.text for each in questions):
        columns["Text"] = [each.text for each in questions]
    st.dataframe(
        columns,
        hide_index=True,
        height=300 if len(questions) > PREVIEW_ROWS else "content",
        alt="The questions found, with their maximum marks and whether there are answers and marks.",
        column_config={
            "Question": st.column_config.TextColumn(width=80),
            "Text": st.column_config.TextColumn(width="large"),
            "Maximum": st.column_config.NumberColumn(width=80, format="%g"),
        },
    )


def _choose_maxima(questions: Sequence[FormQuestion], about: str) -> dict[str, float]:
    """The maxima that the file does not say."""
    missing = [each.number for each in questions if each.max_mark is None][:MOST_FIELDS]
    if not missing:
        return {}
    st.caption("The file does not say what these are out of. Give each its maximum mark, or one for all rows below.")
    given: dict[str, float] = {}
    with st.grid("auto", min_column_width=140):
        for number in missing:
            value = st.number_input(
                f"Maximum of {number}",
                min_value=0.25,
                max_value=1000.0,
                value=None,
                step=1.0,
                format="%g",
                placeholder="none",
                key=f"import_max_{number}_{about}",
            )
            if value is not None:
                given[number] = value
    return given


def _has(question: FormQuestion) -> str:
    return " and ".join(
        word for word, there in (("answers", question.has_answers), ("marks", question.has_marks)) if there
    )


def show_preview(table: Table, notes: Sequence[str], people: Sequence[Pseudonym]) -> None:
    """The table as it would be stored."""
    st.subheader("The table to be stored")
    said = [f"{count(len(table.rows), 'row')} and {count(len(table.columns), 'column')}.", *notes]
    if people:
        said.append(f"{count(len(people), 'name')} in the key.")
    st.caption(" ".join(plain(note) for note in said))
    shown = table.rows[:PREVIEW_ROWS]
    st.dataframe(
        {column: [row[place] for row in shown] for place, column in enumerate(table.columns)},
        hide_index=True,
        height="content",
        alt=f"The first {len(shown)} rows of the table as they would be stored.",
    )
    if len(table.rows) > len(shown):
        st.caption(f"The first {len(shown)} rows.")
