"""Which column of a table holds what, and what holds where the table does not say."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.intake import FIELD_LABELS, Defaults, Mapping, Table, group_name, is_personal, language_of
from components.marking import QuestionType
from components.widgets.figures import plain
from pages.department.import_ais import choose_ais

NOT_THERE = "not in the table"


def choose_mapping(
    table: Table, guessed: Mapping, about: str, *, usual_ai: str, judges_there: Sequence[str] = ()
) -> Mapping:
    """The columns as the teacher chooses them, beginning with what was guessed; AIs as `choose_ais` has them."""
    st.subheader("Which column holds what")
    guesses = guessed.chosen()
    chosen: dict[str, str | None] = {}
    with st.grid("auto", min_column_width=220):
        for field, label in FIELD_LABELS.items():
            if field == "ai_mark":
                continue  # in any number, below
            column = st.selectbox(
                label,
                ["", *table.columns],
                index=table.columns.index(guesses[field]) + 1 if field in guesses else 0,
                format_func=lambda column: column or NOT_THERE,
                key=f"import_{field}_{about}",
                help=plain(guessed.why[field]) if field in guessed.why else None,
            )
            chosen[field] = column or None
    ais = choose_ais(table, guessed, about, usual=usual_ai, judges_there=judges_there)
    return Mapping(**chosen, groups=choose_groups(table, guessed.groups, about), ai_columns=ais)


def choose_groups(table: Table, guessed: tuple[str, ...], about: str) -> tuple[str, ...]:
    """The columns whose values are kept for each candidate."""
    columns = st.multiselect(
        "Groups of candidates",
        [column for column in table.columns if not is_personal(table, column)],
        default=[column for column in guessed if not is_personal(table, column)],
        placeholder="none",
        key=f"import_groups_{about}",
        help="By these, agreement can be looked at for some candidates alone, and compared. Class, set, form, tutor "
        "group, tier, school, centre, gender, sex, SEN, EAL, pupil premium, year group and ethnicity are recognised, "
        "and any heading that starts with “group:”. A candidate has one value for each. Columns of names or e-mail "
        "addresses are never groups and are not offered.",
    )
    if columns:
        st.caption(f"Kept for each candidate: {plain(', '.join(group_name(column) for column in columns))}.")
    return tuple(columns)


def ask_question(about: str) -> str:
    """The number of the question that all rows answer where the table does not say."""
    return st.text_input("Question number", max_chars=40, key=f"import_default_question_{about}", width=300)


def choose_defaults(table: Table, mapping: Mapping, about: str, *, asks_question: bool = True) -> Defaults:
    """What holds for all rows where the table does not say."""
    st.subheader("Where the table does not say")
    st.caption("For rows that leave it blank, and where no column holds it.")
    with st.grid("auto", min_column_width=220):
        max_mark = st.number_input(
            "Maximum mark",
            min_value=0.25,
            max_value=1000.0,
            value=None,
            step=1.0,
            format="%g",
            placeholder="none",
            key=f"import_default_max_{about}",
        )
        question = ""
        if asks_question:
            question = ask_question(about)
        kind = st.selectbox(
            "Question type",
            list(QuestionType),
            index=list(QuestionType).index(QuestionType.SHORT),
            format_func=lambda kind: kind.value.replace("_", " "),
            key=f"import_default_type_{about}",
        )
        subject = st.text_input("Subject", max_chars=80, key=f"import_subject_{about}")
    return Defaults(
        max_mark=max_mark, question=question, type=kind, subject=subject.strip(), language=language_of(table, mapping)
    )
