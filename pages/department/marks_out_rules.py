"""The rules by which scripts are totalled, in words, with the one that a mark book most often needs changed."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker, MarkError, Role
from components.widgets.figures import plain
from components.workflow.exam_setup.details import set_total_rules
from components.workflow.marks_out.in_words import rule_lines
from components.workflow.marks_out.sections import Missing, TotalRules
from components.workflow.marks_out.totals import ExamTotals
from pages.shared import guard
from pages.shared.press import pressed
from storage import Store

NOTICE, REFUSED = "marks_out_notice", "marks_out_refused"
CHOICES = {Missing.INCOMPLETE: "Incomplete", Missing.ZERO: "Counts 0"}

state = st.session_state


def show_rules(store: Store, viewer: Marker, totals: ExamTotals) -> None:
    """The rules in use, a line each; only a head of department may change them."""
    exam, rules = totals.exam, totals.rules
    with st.expander("Rules in use", icon=":material/rule:", expanded=True, key=f"marks_out_rules_{exam.id}"):
        st.markdown("\n".join(f"- {plain(line)}" for line in rule_lines(exam, rules)))
        key = f"marks_out_missing_{exam.id}_{rules.missing}"  # afresh when another session has changed it
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.segmented_control(
                "A question that counts has no answer here",
                list(Missing),
                default=rules.missing,
                format_func=CHOICES.__getitem__,
                required=True,
                key=key,
                disabled=viewer.role is not Role.HEAD,
                on_change=_set_missing,
                args=(store, viewer, exam.id, rules, key),
            )
            rules_button(exam.id, "Change the rules")
        if viewer.role is not Role.HEAD:
            st.caption("A head of department changes these.")


def rules_button(exam_id: int, label: str) -> None:
    """To the exam's page, where sections, boundaries and what stands are set."""
    if pressed(label, key=f"marks_out_rules_button_{exam_id}", icon=":material/tune:"):
        st.switch_page(guard.PAGES_FOLDER / "department/exam_setup.py", query_params={"exam": str(exam_id)})


def _set_missing(store: Store, viewer: Marker, exam_id: int, rules: TotalRules, key: str) -> None:
    try:
        set_total_rules(store, viewer, exam_id, TotalRules(rules.sections, Missing(state[key])))
    except MarkError as error:
        state[REFUSED] = str(error)
    else:
        state[NOTICE] = "The rule is set. Totals follow it from now on."
