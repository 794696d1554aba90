"""The files chosen for an import: what was recognised in them, once for each choice, and which go together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components.intake import IntakeError
from components.intake.forms import Recognised, can_join, join, recognise
from components.intake.forms.wide import Cells
from components.widgets.figures import plain

LARGEST_MB = 200
TYPES = ["csv", "tsv", "txt", "xlsx", "json", "jsonl"]
_CELLS: dict[str, Cells | None] = {"As recognised": None, "Answers": "answers", "Marks": "marks"}


def chosen_file() -> Recognised | None:
    """What is to be imported, as it was recognised; None where nothing is chosen or it cannot be read."""
    state = st.session_state
    uploads: list[UploadedFile] = st.file_uploader(
        "Files (CSV, TSV, XLSX, JSON or JSONL)",
        type=TYPES,
        accept_multiple_files=True,
        max_upload_size=LARGEST_MB,
        key=f"import_file_{state.get('import_round', 0)}",
        help="Of a Moodle quiz choose the responses and the grades together: they become one.",
    )
    if not uploads:
        return None
    try:
        found = _joined([_chosen_sheet(upload) for upload in uploads])
    except IntakeError as error:
        st.error(plain(str(error)), title="This file cannot be read")
        return None
    if len(found) == 1:
        return found[0]
    names = [each.source.name for each in found]
    st.info(
        "These files are not of one kind that belongs together, so they are imported one after the other.",
        title="Several files",
    )
    place = st.selectbox("Import this file now", range(len(found)), format_func=names.__getitem__, key="import_which")
    return found[place]


def _joined(found: Sequence[Recognised]) -> list[Recognised]:
    """The files, those that are answers and marks of one quiz made one. Raises IntakeError as `join` does."""
    left = list(found)
    made: list[Recognised] = []
    while left:
        one = left.pop(0)
        other = next((each for each in left if can_join(one, each)), None)
        if other is not None:
            left.remove(other)
            one = _kept(
                f"join {one.source.sha256} {other.source.sha256}", lambda one=one, other=other: join(one, other)
            )
        made.append(one)
    return made


def _chosen_sheet(upload: UploadedFile) -> Recognised:
    """The file as recognised, of the sheet chosen where it has several, its cells taken for what was chosen."""
    found = _recognised(upload, None, None)
    sheet: str | None = None
    if len(found.source.sheets) > 1:
        sheets = found.source.sheets
        first = sheets.index(found.source.sheet) if found.source.sheet in sheets else 0
        sheet = st.selectbox("Sheet", sheets, index=first, key=f"import_sheet_{upload.file_id}", width=300)
        found = _recognised(upload, sheet, None)
    if not found.layout.startswith("Wide table"):
        return found
    cells = st.segmented_control(
        "What stands under the questions",
        list(_CELLS),
        default="As recognised",
        required=True,
        key=f"import_cells_{upload.file_id}",
    )
    return _recognised(upload, sheet, _CELLS[cells])


def _recognised(upload: UploadedFile, sheet: str | None, cells: Cells | None) -> Recognised:
    return _kept(
        f"{upload.file_id} {sheet} {cells}",
        lambda: recognise(upload.name, upload.getvalue(), sheet=sheet, cells=cells),
    )


def _kept(key: str, make: Callable[[], Recognised]) -> Recognised:
    """What was made under this key, made once; those of files no longer chosen go when the form is emptied."""
    tables: dict[str, Recognised] = st.session_state.setdefault("import_tables", {})
    if key not in tables:
        with st.spinner("Reading the file …"):
            tables[key] = make()
    return tables[key]
