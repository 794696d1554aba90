"""Which columns of a table hold marks by AIs, what each AI is called, and whose proposals stand on the desk."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from collections.abc import Sequence

import streamlit as st

from components.intake import AIColumn, Mapping, Table, is_personal, names_an_ai
from components.widgets.figures import count, plain


def choose_ais(
    table: Table, guessed: Mapping, about: str, *, usual: str, judges_there: Sequence[str] = ()
) -> tuple[AIColumn, ...]:
    """The columns of AIs' marks with their names, beginning with what was recognised.

    `usual` is what the only AI of a file is called whose column does not say it; `judges_there` are those whose marks
    the exam has from files.
    """
    recognised = {each.column: each.judge for each in guessed.ais()}
    options = [column for column in table.columns if column in recognised or not is_personal(table, column)]
    columns: list[str] = st.multiselect(
        "Marks by AIs",
        options,
        default=list(recognised),
        placeholder="none",
        key=f"import_ais_{about}",
        help="Any number of columns, each of one AI: its marks, or lists of item marks such as [0, 1, 1], whose sum is "
        "the mark. Blank where it did not mark. Each becomes a judge of its own, to be compared with the markers.",
    )
    if not columns:
        return ()
    chosen: list[AIColumn] = []
    with st.grid("auto", min_column_width=220):
        for column in columns:
            given = sum(bool(cell.strip()) for cell in table.column(column))
            usually = recognised.get(column) or column
            if len(columns) == 1 and not names_an_ai(column):
                usually = judges_there[0] if len(judges_there) == 1 else usual
            name = st.text_input(
                f"Name of the AI in “{plain(column)}”",
                usually[:200],
                max_chars=200,
                key=f"import_ai_{column}_{len(columns) == 1}_{len(judges_there)}_{about}",
                help=f"{count(given, 'cell')} filled in. The same name as in another import is the same judge.",
            )
            chosen.append(AIColumn(column, name.strip()))
    there = [name for name in judges_there if name in {each.judge for each in chosen}]
    if there:
        st.caption(
            f"The exam has marks by {plain(', '.join(there))} already. Where the file says otherwise, they become new "
            "marks of the same judge. Give the AI another name if it is another one."
        )
    return tuple(chosen)


def choose_desk(names: Dict[str, int], usual: str | None, *, now: str, about: str) -> str | None:
    """Whose proposals stand on the marking page: an AI by its name, or None for what `now` says in words.

    `names` has how many marks each gave.
    """
    options = [*names, None]
    chosen: str | None = st.selectbox(
        "Proposals shown on the marking page",
        options,
        index=options.index(usual),
        format_func=lambda name: now if name is None else f"{name or 'The table’s AI'} · {count(names[name], 'mark')}",
        key=f"import_whose_{'_'.join(names)}_{about}",
        width=460,
    )
    return chosen
