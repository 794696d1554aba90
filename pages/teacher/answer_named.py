"""Many pictures at once, each named by its candidate: a table and a contact sheet, then all of them or none."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from components.marking import Marker
from components.widgets.figures import count, plain
from components.workflow.answers_by_name import Row, arriving, rows
from pages.teacher.answer_store import store_answers
from pages.teacher.incoming import Incoming, ReadFile, read_files
from storage import Store
from storage.exams import StoredQuestion

LARGEST_MB = 40
MOST_FILES = 200
SHEETS_SHOWN = 60
REASONS_SHOWN = 8
THUMBNAIL = 150  # pixels

state = st.session_state


def many_files(store: Store, marker: Marker, question: StoredQuestion) -> None:
    """Files for the chosen question, whose names say whose they are."""
    if problem := state.pop("answers_problem", ""):
        st.error(plain(problem), title="Nothing was stored")
    st.write(
        f"Pictures of answers to **question {plain(question.question.number)}**, named by candidate: `0417.jpg`, and "
        "`0417_2.jpg` for a second page."
    )
    batch = state.setdefault("named_batch", 0)
    key = f"named_{question.id}_{batch}"
    files = st.file_uploader("Pictures", accept_multiple_files=True, key=key, max_upload_size=LARGEST_MB)
    if not files:
        st.caption("Nothing is stored before you have seen whose is whose.")
        return
    if len(files) > MOST_FILES:
        st.error(f"These are {len(files)} files. Upload at most {MOST_FILES} at once.", title="Too many files")
        return
    read: dict[str, ReadFile] = state.setdefault(f"{key}_read", {})
    new = [file for file in files if file.file_id not in read]
    read.update(
        zip((file.file_id for file in new), read_files([(file.name, file.getvalue()) for file in new]), strict=True)
    )
    here = [read[file.file_id] for file in files]
    with store.read() as db:
        named = rows(db, question.id, [(each.name, each.fault) for each in here])
    mend = st.toggle(
        "Store mended versions where there is one",
        value=True,
        key="named_mend",
        help="Straightened, cropped to the sheet, lit evenly. The picture as it came is kept with it.",
    )
    for page in (page for each in here for page in each.pages):
        page.mended = mend and page.offer.picture is not None
    _table(named, here)
    faulty = sum(bool(row.problem) for row in named)
    fresh = list(dict.fromkeys(row.number for row in named if not row.problem and not row.known))
    if faulty:
        st.error(
            f"{count(faulty, 'file')} cannot be stored. Take them out or rename them: all files are stored together, "
            "or none.\n\n" + _reasons(named),
            title="Nothing can be stored yet",
        )
    sure = _new_candidates(key, fresh)
    _contact_sheet(named, here)
    st.button(
        f"Store {count(len({row.number for row in named}), 'answer')}",
        key=f"store_{key}",
        type="primary",
        disabled=bool(faulty) or not sure,
        on_click=_store,
        args=(store, marker, question, named, here),
    )


def _table(named: list[Row], here: list[ReadFile]) -> None:
    st.dataframe(
        pd.DataFrame(
            {
                "File": [row.file for row in named],
                "Candidate": [row.number for row in named],
                "Page": [_page_words(row, each) for row, each in zip(named, here, strict=True)],
                "": [_remark(row, each) for row, each in zip(named, here, strict=True)],
            }
        ),
        hide_index=True,
        column_config={"": st.column_config.TextColumn("What will happen", width="large")},
    )


def _reasons(named: list[Row]) -> str:
    """Why, file by file; what a long list leaves out stands in the table."""
    lines = [f"- {plain(row.file)}: {plain(row.problem)}" for row in named if row.problem]
    more = len(lines) - REASONS_SHOWN
    return "\n".join(lines[:REASONS_SHOWN]) + (f"\n- and {more} more: see the table" if more > 0 else "")


def _page_words(row: Row, each: ReadFile) -> str:
    if not row.number:
        return ""
    return str(row.page) if len(each.pages) < 2 else f"{row.page} ({len(each.pages)} pages in the file)"


def _remark(row: Row, each: ReadFile) -> str:
    if row.problem:
        return row.problem
    said = ["Stored" if row.known else "Stored, and the candidate added to the exam"]
    if any(page.mended for page in each.pages):
        said.append("mended")
    if each.pages and all(page.blank for page in each.pages):
        said.append("nothing seems to be written on it")
    return ", ".join(said)


def _new_candidates(key: str, fresh: list[str]) -> bool:
    """Whether it is settled that unknown numbers are new candidates: a mistyped name must not make one."""
    if not fresh:
        return True
    with st.container(border=True):
        st.markdown(f"**{count(len(fresh), 'number')} not in this exam yet:** {plain(', '.join(fresh))}")
        return st.checkbox("They are new candidates: add them to the exam", key=f"{key}_{hash(tuple(fresh))}")


def _contact_sheet(named: list[Row], here: list[ReadFile]) -> None:
    shown: list[tuple[Row, Incoming]] = [
        (row, page) for row, each in zip(named, here, strict=True) for page in each.pages
    ]
    st.markdown(f"**As they will be stored** · {count(len(shown), 'page')}")
    sheets = -(-len(shown) // SHEETS_SHOWN)
    sheet = st.pagination(sheets, key="named_sheet") if sheets > 1 else 1
    with st.container(horizontal=True, gap="small"):
        for row, page in shown[(sheet - 1) * SHEETS_SHOWN : sheet * SHEETS_SHOWN]:
            st.image(
                page.preview(page.mended),
                width=THUMBNAIL,
                caption=plain(f"{row.number or '?'} · {page.name}"),
                alt=f"{page.name}, candidate {row.number or 'unknown'}",
            )


def _store(store: Store, marker: Marker, question: StoredQuestion, named: list[Row], here: list[ReadFile]) -> None:
    pages = {row.file: [page.new_page() for page in each.pages] for row, each in zip(named, here, strict=True)}
    with store.read() as db:
        answers = arriving(db, question.id, named, pages)
    if store_answers(store, marker, question, answers):
        batch = state["named_batch"]
        for each in [each for each in state if str(each).startswith(f"named_{question.id}_{batch}")]:
            state.pop(each, None)
        state["named_batch"] = batch + 1
