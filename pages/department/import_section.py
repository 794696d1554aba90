"""Importing a table of responses: choose the file, map its columns, read the report, import all of it or nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components.intake import (
    FIELD_LABELS,
    Defaults,
    ImportPlan,
    IntakeError,
    Mapping,
    Table,
    group_name,
    guess_mapping,
    is_personal,
    plan_import,
    read_table,
    report_csv,
)
from components.marking import Marker, MarkError, QuestionType
from components.widgets.figures import count, plain
from components.workflow.import_table import DeskJudge, Imported, import_plan, imported_already
from pages.department.exam_actions import go_button, undo_popover
from storage import Store, imports

PREVIEW_ROWS = 8
REPORT_ROWS = 500
LARGEST_MB = 200
NOT_THERE = "not in the table"
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def import_section(store: Store, marker: Marker) -> None:
    """The whole of importing a table, on the page that calls it."""
    state = st.session_state
    st.header("Import a table")
    st.write(
        "One row a response, with columns such as candidate, question, answer, max mark, mark scheme, the marks of one "
        "or two markers and an AI's mark. Columns such as class, set or tier become groups of candidates. The table "
        "becomes an exam of its own; nothing is stored before you say so."
    )
    _show_imported(store, marker)
    upload = st.file_uploader(
        "Table (CSV, TSV or XLSX)",
        type=["csv", "tsv", "txt", "xlsx"],
        max_upload_size=LARGEST_MB,
        key=f"import_file_{state.get('import_round', 0)}",
    )
    if upload is None:
        return
    try:
        table = _chosen_table(upload)
    except IntakeError as error:
        st.error(plain(str(error)), title="This file cannot be read")
        return
    about = f"{table.sha256[:12]}_{table.sheet or ''}"
    _show_preview(table)
    mapping = _choose_mapping(table, about)
    defaults = _choose_defaults(table, mapping, about)
    plan = _plan(table, mapping, defaults)
    _show_report(plan, about)
    _import_form(store, marker, table, mapping, plan, about)


def _chosen_table(upload: UploadedFile) -> Table:
    """The table of the file, and of the sheet chosen where it has several."""
    table = _read(upload, None)
    if len(table.sheets) < 2:
        return table
    first = table.sheets.index(table.sheet) if table.sheet in table.sheets else 0
    sheet = st.selectbox("Sheet", table.sheets, index=first, key=f"import_sheet_{upload.file_id}", width=300)
    return _read(upload, sheet)


def _read(upload: UploadedFile, sheet: str | None) -> Table:
    """The table, read once for each file and sheet; only the newest file is kept."""
    kept: dict[str | None, Table] = {}
    before, tables = st.session_state.get("import_tables", ("", kept))
    if before != upload.file_id:
        tables = kept
    if sheet not in tables:
        with st.spinner("Reading the table …"):
            tables[sheet] = read_table(upload.name, upload.getvalue(), sheet)
        st.session_state["import_tables"] = (upload.file_id, tables)
    found: Table = tables[sheet]
    return found


def _show_preview(table: Table) -> None:
    st.subheader("What was read")
    said = [f"{count(len(table.rows), 'row')} and {count(len(table.columns), 'column')}.", *table.notes]
    st.caption(" ".join(plain(note) for note in said))
    shown = table.rows[:PREVIEW_ROWS]
    st.dataframe(
        {column: [row[place] for row in shown] for place, column in enumerate(table.columns)},
        hide_index=True,
        height="content",
        alt=f"The first {len(shown)} rows of the table as they were read.",
    )
    if len(table.rows) > len(shown):
        st.caption(f"The first {len(shown)} rows.")


def _choose_mapping(table: Table, about: str) -> Mapping:
    st.subheader("Which column holds what")
    guessed = guess_mapping(table)
    guesses = guessed.chosen()
    chosen: dict[str, str | None] = {}
    with st.grid("auto", min_column_width=220):
        for field, label in FIELD_LABELS.items():
            column = st.selectbox(
                label,
                ["", *table.columns],
                index=table.columns.index(guesses[field]) + 1 if field in guesses else 0,
                format_func=lambda column: column or NOT_THERE,
                key=f"import_{field}_{about}",
                help=plain(guessed.why[field]) if field in guessed.why else None,
            )
            chosen[field] = column or None
    return Mapping(**chosen, groups=_choose_groups(table, guessed.groups, about))


def _choose_groups(table: Table, guessed: tuple[str, ...], about: str) -> tuple[str, ...]:
    columns = st.multiselect(
        "Groups of candidates",
        [column for column in table.columns if not is_personal(table, column)],
        default=guessed,
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


def _choose_defaults(table: Table, mapping: Mapping, about: str) -> Defaults:
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
        question = st.text_input("Question number", max_chars=40, key=f"import_default_question_{about}")
        kind = st.selectbox(
            "Question type",
            list(QuestionType),
            index=list(QuestionType).index(QuestionType.SHORT),
            format_func=lambda kind: kind.value.replace("_", " "),
            key=f"import_default_type_{about}",
        )
        subject = st.text_input("Subject", max_chars=80, key=f"import_subject_{about}")
    return Defaults(
        max_mark=max_mark, question=question, type=kind, subject=subject.strip(), language=_language(table, mapping)
    )


def _language(table: Table, mapping: Mapping) -> str:
    if mapping.answer not in table.columns:
        return "en"
    return "zh" if any(_CHINESE.search(answer) for answer in table.column(mapping.answer)[:100]) else "en"


def _plan(table: Table, mapping: Mapping, defaults: Defaults) -> ImportPlan:
    """The checked import, worked out again only when something was chosen anew."""
    asked = (table.sha256, table.sheet, table.name, mapping, defaults)
    before = st.session_state.get("import_plan")
    if before is None or before[0] != asked:
        with st.spinner("Checking every row …"):
            before = (asked, plan_import(table, mapping, defaults))
        st.session_state["import_plan"] = before
    plan: ImportPlan = before[1]
    return plan


def _show_report(plan: ImportPlan, about: str) -> None:
    st.subheader("Row by row")
    fine = sum(entry.level == "ok" for entry in plan.report)
    st.write(
        f"{count(plan.problems, 'error')}, {count(plan.warnings, 'warning')}, {count(fine, 'row')} with nothing wrong."
    )
    wanted = st.segmented_control(
        "Show",
        ["Errors and warnings", "Every row"],
        default="Errors and warnings",
        required=True,
        key=f"import_show_{about}",
    )
    order = {"error": 0, "warning": 1, "ok": 2}
    entries = sorted(
        (entry for entry in plan.report if wanted == "Every row" or entry.level != "ok"),
        key=lambda entry: (order[entry.level], entry.row),
    )
    if entries:
        st.dataframe(
            [
                {"Row": e.row, "Result": e.level, "What was found": e.message.removeprefix(f"Row {e.row}: ")}
                for e in entries[:REPORT_ROWS]
            ],
            hide_index=True,
            height=300 if len(entries) > PREVIEW_ROWS else "content",
            alt="The report: row number, result, and what was found, errors first.",
            column_config={
                "Row": st.column_config.NumberColumn(width=60),
                "Result": st.column_config.TextColumn(width=75),
            },
        )
    if len(entries) > REPORT_ROWS:
        st.caption(f"The first {REPORT_ROWS:,} of {len(entries):,}. The download has all of them.")
    st.download_button(
        "Download the report",
        lambda: report_csv(plan),
        file_name=f"{Path(plan.file_name).stem} report.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        key=f"import_report_{about}",
    )


def _import_form(store: Store, marker: Marker, table: Table, mapping: Mapping, plan: ImportPlan, about: str) -> None:
    st.subheader("Import")
    stem = Path(table.name).stem
    title = st.text_input(
        "Title of the exam", stem.replace("_", " "), max_chars=200, key=f"import_title_{about}", width=460
    )
    names = ["", ""]
    with st.container(horizontal=True):
        for place, (column, which) in enumerate(((mapping.mark_1, "first"), (mapping.mark_2, "second"))):
            if column is not None:
                names[place] = st.text_input(
                    f"Name of the {which} marker",
                    f"{which.capitalize()} marker of {stem}",
                    max_chars=200,
                    key=f"import_marker_{place}_{about}",
                    help="Marks in the table are kept under this name. It is nobody's profile here.",
                    width=300,
                )
    judge: DeskJudge | None = None
    if mapping.ai_mark is not None:
        desk = {"imported": "The table's AI marks", "offline": "The offline judge's"}
        judge = st.segmented_control(
            "Proposals shown on the marking page",
            list(desk),
            format_func=desk.__getitem__,
            default="imported",
            required=True,
            key=f"import_desk_{about}",
        )
    problem = _what_stands_in_the_way(store, plan, title)
    if problem:
        st.warning(plain(problem), title="Not ready to import")
    pressed = st.button(
        f"Import {count(len(plan.responses) or len(table.rows), 'response')}",
        type="primary",
        disabled=bool(problem),
        key=f"import_{about}",
    )
    if not pressed:
        return
    try:
        with st.spinner("Importing …"):
            made = import_plan(
                store,
                plan,
                title=title,
                marker=marker,
                judge=judge,
                first_marker_name=names[0],
                second_marker_name=names[1],
            )
            _remember(made, title)
    except MarkError as error:
        st.error(plain(str(error)), title="Nothing was imported")
        return
    st.rerun()


def _what_stands_in_the_way(store: Store, plan: ImportPlan, title: str) -> str:
    if not plan.ok:
        return (
            f"{count(plan.problems, 'error')} in the report above. Choose other columns, or mend the file and choose "
            "it again. Nothing is imported while there is any."
        )
    if not title.strip():
        return "Give the exam a title."
    return imported_already(store, plan)


def _remember(made: Imported, title: str) -> None:
    """Note what was imported and empty the form, before anything is drawn: a second press then finds no button."""
    state: Any = st.session_state
    state["imported"] = (made, title.strip())
    state["import_round"] = state.get("import_round", 0) + 1
    for kept in ("import_tables", "import_plan"):
        state.pop(kept, None)


def _show_imported(store: Store, marker: Marker) -> None:
    """What the last import made, as long as it stands."""
    made, title = st.session_state.get("imported", (None, ""))
    if made is None:
        return
    with store.read() as db:
        stands = any(found.id == made.import_id for found in imports.listed(db))
    if not stands:
        return
    given = [count(made.human_marks, "human mark")] if made.human_marks else []
    given += [count(made.ai_marks, "AI mark")] if made.ai_marks else []
    st.success(
        f"“{plain(title)}”: {count(made.responses, 'response')} of {count(made.candidates, 'candidate')} to "
        f"{count(made.questions, 'question')}{', with ' + ' and '.join(given) if given else ''}.",
        title="Imported",
    )
    with st.container(horizontal=True):
        go_button(made.exam_id, "Mark", "teacher/mark.py", ":material/edit_note:", primary=True, key="imported")
        undo_popover(made.import_id, title, marker, key="imported")
