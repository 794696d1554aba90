"""Where an import goes, what it would change there, and the button that stores it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

import streamlit as st

from components.intake import ImportPlan
from components.intake.forms import Pseudonym
from components.intake.question_paper import PaperText
from components.marking import Marker, MarkError
from components.widgets.figures import count, plain
from components.workflow.import_compare import Comparison, compare
from components.workflow.import_order import order
from components.workflow.import_table import DeskJudge, usual_on_desk, why_not
from components.workflow.import_wanted import Wanted, carry_out, fill_in
from pages.department.import_ais import choose_desk
from pages.department.import_done import remember, what_came
from pages.shared.press import pressed
from storage import Store, exams, import_state, judges
from storage.exams import Exam

CHANGES_ROWS = 500
PROBLEMS_SHOWN = 20
KEPT = ("import_tables", "import_tabled", "import_plan", "import_which")
_DESK = {"imported": "The table's AI marks", "offline": "The offline judge's"}


@dataclass(frozen=True)
class Ready:
    """A checked plan, the key of its names, and the exam it goes into; None for a new one.

    `texts` are for questions of that exam without one, by number.
    """

    plan: ImportPlan
    people: tuple[Pseudonym, ...]
    exam_id: int | None
    texts: Mapping[str, PaperText] = field(default_factory=dict)


def import_form(store: Store, marker: Marker, ready: Ready, about: str) -> None:
    st.subheader("Import")
    if ready.exam_id is None:
        _new_exam(store, marker, ready, about)
    else:
        _into_exam(store, marker, ready, ready.exam_id, about)


def _new_exam(store: Store, marker: Marker, ready: Ready, about: str) -> None:
    plan = ready.plan
    title = st.text_input(
        "Title of the exam", _stem(plan).replace("_", " ")[:200], max_chars=200, key=f"import_title_{about}", width=460
    )
    names = _marker_names(plan, [], about)
    judge: DeskJudge | None = None
    ai: str | None = None
    if len(plan.ai_judges) > 1:
        ai = choose_desk(plan.ai_judges, usual_on_desk(plan), now="The offline judge's", about=about)
        judge = "offline" if ai is None else "imported"
    elif plan.ai_marks:
        judge = st.segmented_control(
            "Proposals shown on the marking page",
            list(_DESK),
            format_func=_DESK.__getitem__,
            default="imported",
            required=True,
            key=f"import_desk_{about}",
        )
    problem = _errors(plan) or ("" if title.strip() else "Give the exam a title.") or why_not(store, plan)
    if problem:
        st.warning(plain(problem), title="Not ready to import")
    if not pressed(
        f"Import {count(_rows(plan), 'response')}", type="primary", disabled=bool(problem), key=f"import_{about}"
    ):
        return
    wanted = Wanted(
        plan, ready.people, title, None, names, judge=judge, imported_judge=ai or "", texts=dict(ready.texts)
    )
    _begin(store, marker, wanted)


def _into_exam(store: Store, marker: Marker, ready: Ready, exam_id: int, about: str) -> None:
    plan = ready.plan
    with store.read() as db:
        exam, before = exams.get(db, exam_id), import_state.imported_markers(db, exam_id)
    if exam is None or not plan.ok:
        st.warning(plain(_errors(plan) or "This exam is no longer here. Choose another."), title="Not ready to import")
        return
    names = _marker_names(plan, before, about)
    leave_out = bool(st.session_state.get(f"import_leave_{about}", False))
    try:
        found = compare(store, plan, exam_id, names, leave_out=leave_out)
    except MarkError as error:
        st.error(plain(str(error)), title="Not ready to import")
        return
    _show_comparison(found, exam.title, leave_out, about)
    if found.nothing_new and not found.problems:
        st.info(f"Everything in this file is in “{plain(exam.title)}” already.", title="Nothing to add")
        return
    desk = _desk_after(store, exam, plan, about) if found.ai_marks else None
    label = f"Add {what_came(len(found.answers), len(found.marks), len(found.ai_marks)) or 'what is new'}"
    if not pressed(label, type="primary", disabled=bool(found.problems), key=f"import_{about}_{exam_id}"):
        return
    wanted = Wanted(
        plan,
        ready.people,
        exam.title,
        exam_id,
        names,
        leave_out=leave_out,
        desk_judge=desk,
        texts=dict(ready.texts),
    )
    _begin(store, marker, wanted)


def _begin(store: Store, marker: Marker, wanted: Wanted) -> None:
    """Store what is small; order what is large. The page is then drawn anew, its form empty."""
    try:
        if wanted.large:
            with st.spinner("Putting the file aside for the import …"):
                order(store, wanted, marker)
                st.session_state.pop("imported", None)
                _empty_form()
        else:
            with st.spinner("Importing …"):
                made = carry_out(store, wanted, marker)
                if made is not None:
                    remember(made, wanted.title)
                    _empty_form()
                    st.session_state["imported_texts"] = fill_in(store, marker, wanted)
    except MarkError as error:
        st.error(plain(str(error)), title="Nothing was imported")
        return
    st.rerun()


def _desk_after(store: Store, exam: Exam, plan: ImportPlan, about: str) -> str | None:
    """Which of the file's AIs is to stand on the exam's desk; None leaves the judge that stands there."""
    with store.read() as db:
        judge = None if exam.judge_id is None else judges.get(db, exam.judge_id)
    now = f"As now: {judge.name}" if judge is not None else "As now"
    return choose_desk(plan.ai_judges, None, now=now, about=f"{exam.id}_{about}")


def _show_comparison(found: Comparison, title: str, leave_out: bool, about: str) -> None:
    said = [
        f"{count(len(found.answers), 'new response')}",
        f"{count(len(found.new_candidates), 'new candidate')}",
        f"{count(len(found.marks) + len(found.ai_marks), 'new or changed mark')}",
        f"{count(found.same, 'row')} already there",
    ]
    said += [f"{count(found.left_out, 'row')} left out"] if found.left_out and not found.problems else []
    st.write(f"Into “{plain(title)}”: {', '.join(said)}.")
    for note in found.notes:
        st.caption(plain(note))
    if found.changes:
        st.markdown(f"**{count(len(found.changes), 'change')}**")
        st.dataframe(
            [
                {"Candidate": c.candidate, "Question": c.question, "What": c.what, "Now": c.old, "In the file": c.new}
                for c in found.changes[:CHANGES_ROWS]
            ],
            hide_index=True,
            height=300 if len(found.changes) > 8 else "content",
            alt="What would change: candidate, question, what it is, as it is now and as the file has it.",
        )
        st.caption(
            "A changed mark becomes a new mark by the same marker; the one before stays on record."
            + (f" The first {CHANGES_ROWS} are shown." if len(found.changes) > CHANGES_ROWS else "")
        )
    if found.problems:
        lines = [f"- {plain(problem)}" for problem in found.problems[:PROBLEMS_SHOWN]]
        if len(found.problems) > PROBLEMS_SHOWN:
            lines.append(f"- and {len(found.problems) - PROBLEMS_SHOWN:,} more")
        st.warning("\n".join(lines), title="Not ready to import")
    if found.avoidable or leave_out:
        st.checkbox(
            "Leave out the questions and changed answers that do not fit, and import the rest",
            key=f"import_leave_{about}",
        )


def _marker_names(plan: ImportPlan, before: list[str], about: str) -> tuple[str, str]:
    """Under whose names the marks are kept; those of earlier imports are offered again."""
    given = {mark.marker for mark in plan.human_marks}
    names = ["", ""]
    with st.container(horizontal=True):
        for place, which in enumerate(("first", "second")):
            if place + 1 in given:
                usual = f"{which.capitalize()} marker of {_stem(plan)}"[:200]
                names[place] = st.text_input(
                    f"Name of the {which} marker",
                    before[place] if place < len(before) else usual,
                    max_chars=200,
                    key=f"import_marker_{place}_{bool(before)}_{about}",
                    help="Marks in the table are kept under this name. It is nobody's profile here.",
                    width=300,
                )
    return names[0], names[1]


def _stem(plan: ImportPlan) -> str:
    """The file's name without its ending; of two that were joined what they have in common, or the first's."""
    stems = [Path(name).stem for name in plan.file_name.split(" + ")]
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*stems, strict=False))
    shared = "".join(letters[0] for letters in alike).rstrip(" _-–.(")
    return shared if len(shared) > 2 else stems[0]


def _errors(plan: ImportPlan) -> str:
    if plan.ok:
        return ""
    return (
        f"{count(plan.problems, 'error')} in the report above. Choose other columns, or mend the file and choose it "
        "again. Nothing is imported while there is any."
    )


def _rows(plan: ImportPlan) -> int:
    """How many responses the button speaks of; with errors, how many rows the report has."""
    return len(plan.responses) or len({entry.row for entry in plan.report})


def _empty_form() -> None:
    """Before anything is drawn: a second press then finds no button."""
    state: Any = st.session_state
    state["import_round"] = state.get("import_round", 0) + 1
    for kept in KEPT:
        state.pop(kept, None)
