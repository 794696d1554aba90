"""Marks out: what an exam's scripts come to, and everything that leaves as a file: marks, feedback, evidence."""

import streamlit as st

from components.marking import MarkError
from components.widgets.figures import plain
from components.workflow.marks_out.totals import exam_totals
from pages.department.marks_out_downloads import show_downloads
from pages.department.marks_out_evidence import show_evidence
from pages.department.marks_out_feedback import show_feedback
from pages.department.marks_out_place import choose_exam
from pages.department.marks_out_restore import restore_section, say_restored
from pages.department.marks_out_rules import NOTICE, REFUSED, rules_button, show_rules
from pages.department.marks_out_scripts import show_scripts
from pages.department.marks_out_systems import show_systems
from pages.shared import guard
from pages.shared.desk_services import services
from storage import exams

viewer = guard.enter(guard.LEADS)
store = services().store
state = st.session_state


def page(exam_id: int) -> None:
    try:
        totals = exam_totals(store, exam_id)
    except LookupError:
        st.info("This exam was reset or taken back. Choose another exam.", title="No longer here")
        return
    except MarkError as error:
        st.error(plain(str(error)), title="There are no totals")
        rules_button(exam_id, "Go to the exam's sections")
        show_evidence(store, viewer, exam_id)
        return
    show_scripts(totals)
    show_rules(store, viewer, totals)
    if totals.scripts:
        st.header("Marks")
        show_downloads(store, viewer, totals.exam)
        st.header("For another system")
        show_systems(store, viewer, totals)
        st.header("Feedback")
        show_feedback(store, viewer, totals)
    show_evidence(store, viewer, exam_id)


st.title("Marks out")
if notice := state.pop(NOTICE, ""):
    st.success(plain(notice))
    st.toast(plain(notice))  # what was pressed may be far down the page
if refused := state.pop(REFUSED, ""):
    st.error(plain(refused))
    st.toast(plain(refused))
say_restored()
with store.read() as db:
    titles = {exam.id: exam.title for exam in exams.listed(db)}
if titles:
    page(choose_exam(titles))
else:
    st.info("There is no exam yet. Make one, or restore the demo exam.", title="Nothing here yet")
    st.page_link("pages/department/exams.py", label="Go to exams", icon=":material/description:")
    restore_section(store, viewer)
