"""The exams: what there is to mark, blind marking, proposals under way, the demo's reset, and importing a table."""

import streamlit as st

from components.marking import Role
from components.widgets.author import show_question, show_scheme
from components.widgets.figures import count, plain
from components.workflow import cohort, demo
from pages.department.blind_section import blind_sample, blind_toggle
from pages.department.exam_actions import go_button, undo_popover
from pages.department.exam_shelf import archived_section, new_exam_popover, shelf_buttons
from pages.department.exam_tolerance import tolerance_box
from pages.department.import_section import import_section
from pages.department.marks_out_restore import only_the_demo, restore_section, say_restored
from pages.department.names_key import names_key
from pages.department.paper_section import paper_buttons
from pages.department.review_rules import rules_form
from pages.department.standardisation_section import standardisation_popover
from pages.shared import guard
from pages.shared.beat import draw_again
from pages.shared.desk_services import services
from storage import exams, imports, jobs, judges, question_pictures, runs
from storage.exams import Exam, ExamSummary, StoredQuestion
from storage.imports import Import
from storage.jobs import Job

BEAT_SECONDS = 1
MANY = 3  # exams from which on importing, below them all, is far to go

marker = guard.enter()
store = services().store
state = st.session_state


def show_exam(summary: ExamSummary, judge: str, origin: Import | None) -> None:
    exam = summary.exam
    with st.container(border=True):
        st.subheader(plain(exam.title))
        about = [plain(part) for part in (exam.subject, exam.level, exam.series) if part]
        about += [count(summary.questions, "question"), count(summary.candidates, "candidate")]
        about += [f"proposals by {plain(judge)}" if judge else "no judge chosen"]
        st.caption(" · ".join(about))
        if exam.notice:
            st.caption(plain(exam.notice))
        if origin is not None:
            st.caption(
                f"Imported from {plain(origin.filename)}{plain(f', sheet {origin.sheet}') if origin.sheet else ''}"
            )
        share = summary.marked / summary.responses if summary.responses else 0.0
        st.progress(share, f"{summary.marked:,} of {count(summary.responses, 'response')} marked here")
        with st.container(horizontal=True, vertical_alignment="center"):
            go_button(exam.id, "Mark", "teacher/mark.py", ":material/edit_note:", primary=True)
            go_button(exam.id, "Agreement", "department/agreement.py", ":material/balance:")
            if marker.role in guard.LEADS:
                go_button(exam.id, "Marks out", "department/marks_out.py", ":material/ios_share:")
            if exam.demo:
                reset_popover(exam)
            if origin is not None:
                undo_popover(origin.id, exam.title, marker, added=origin.added)
            blind_toggle(exam, marker)
        with st.container(horizontal=True, vertical_alignment="center"):
            shelf_buttons(store, exam, marker)
            rules(exam)
            names_key(store, exam, marker)
        blind_sample(exam, marker)
        show_proposals(exam)
        paper_buttons(store, exam)
        show_questions(exam)


def rules(exam: Exam) -> None:
    """Tolerance, what stands, and grades; read only when they are opened."""
    shown = st.popover("Rules", icon=":material/rule:", key=f"rules_{exam.id}", on_change="rerun")
    if shown.open:
        with shown:
            tolerance_box(store, marker, exam, "exams_notice", "exams_refused")
            rules_form(store, exam, marker)


def reset_popover(exam: Exam) -> None:
    with st.popover("Reset demo", key=f"reset_popover_{exam.id}", icon=":material/restart_alt:"):
        st.write(
            "The demo exam starts afresh, with its invented answers and none of the marks given here. "
            "Marks on the present one are archived with it, not deleted."
        )
        st.button(
            "Reset the demo exam", key=f"reset_demo_{exam.id}", type="primary", on_click=reset_demo, args=(exam.id,)
        )


def show_proposals(exam: Exam) -> None:
    """How far the newest proposal job has come, or what became of it where it needs a person."""
    with store.read() as db:
        job = jobs.latest_of_exam(db, cohort.PROPOSE, exam.id)
    if job is None:
        return
    if job.status in ("queued", "running"):
        watch(job.id)
    elif job.status == "failed":
        st.warning(plain(job.message), title="Making proposals stopped")
        st.button("Try again", key=f"propose_{exam.id}", on_click=cohort.go_on, args=(store, job.id))
    elif job.status == "cancelled":
        st.caption(f"Making proposals was cancelled. {progress_text(job)}")
        st.button("Go on with the proposals", key=f"propose_{exam.id}", on_click=cohort.go_on, args=(store, job.id))
    else:
        st.caption(f"Proposals: {plain(job.message)}")


@st.fragment(run_every=BEAT_SECONDS)
def watch(job_id: int) -> None:
    """A running job's progress; draws the page again when it has ended."""
    with store.read() as db:
        job, paused = jobs.get(db, job_id), runs.paused(db, job_id)
    if job is None or job.status not in ("queued", "running"):
        draw_again()
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(job.done / job.total if job.total else 0.0, progress_text(job, paused=paused), width=420)
        if paused:
            st.button("Go on", key=f"go_on_{job_id}", on_click=cohort.go_on, args=(store, job_id))
        st.button("Cancel", key=f"cancel_{job_id}", on_click=cancel, args=(job_id,))


def progress_text(job: Job, *, paused: bool = False) -> str:
    if paused:
        return f"Proposals: paused at {job.done:,} of {job.total:,}" if job.total else "Proposals: paused"
    if not job.total:
        return "Proposals: waiting to be made"
    return f"Proposals: {job.done:,} of {job.total:,}{', ' + plain(job.message) if job.message else ''}"


def show_questions(exam: Exam) -> None:
    """The exam's questions and schemes, read only when they are opened."""
    opened = st.expander("Questions and mark schemes", key=f"questions_{exam.id}", on_change="rerun")
    if not opened.open:
        return
    with store.read() as db:
        questions = exams.questions(db, exam.id)
        pictures = {stored.id: question_pictures.shown(db, stored.id) for stored in questions}
    with opened:
        for place, stored in enumerate(questions):
            question = stored.question
            if place:
                st.divider()
            st.markdown(
                f"**Question {plain(question.number)}**{' · ' + plain(question.subject) if question.subject else ''} · "
                f"{question.max_mark:g} mark{'' if question.max_mark == 1 else 's'} · scheme v{stored.scheme_version}"
            )
            left, right = st.columns(2)
            with left:
                show_question(question, pictures[stored.id])
            with right:
                show_scheme(stored.scheme, question.model_answer)
                note_popover(stored)
                standardisation_popover(stored, marker)


def note_popover(stored: StoredQuestion) -> None:
    """The teacher's note to the judge, versioned with the scheme."""
    key = f"note_{stored.id}_{stored.scheme_version}"
    with st.popover("Note to the judge", icon=":material/sticky_note_2:"):
        st.text_area(
            "What a language model should know when it marks this question",
            value=stored.scheme.note,
            key=key,
            placeholder="Accept 'speed' for 'velocity' here.",
            max_chars=1000,
        )
        st.caption("Saving makes a new version of the scheme. Marks and proposals given before keep theirs.")
        st.button("Save the note", key=f"save_{key}", on_click=save_note, args=(stored.id, key))


def save_note(question_id: int, key: str) -> None:
    note = state[key].strip()
    with store.write() as db:
        newest = exams.question(db, question_id)
        if note == newest.scheme.note:
            return
        scheme = newest.scheme.model_copy(update={"note": note})
        exams.add_scheme_version(db, question_id, newest.question, scheme, marker.id)
    state["exams_notice"] = (
        f"Question {plain(newest.question.number)} has a new scheme version. "
        "Ask the judge again on the Runs page to have it read the note."
    )


def reset_demo(exam_id: int | None = None) -> None:
    demo.reset(store, marker, exam_id)
    state["exams_notice"] = "The demo exam is as it was at first. Its proposals are being made again."


def to_import() -> None:
    st.query_params["import"] = "new"


def cancel(job_id: int) -> None:
    with store.write() as db:
        jobs.cancel(db, job_id)


st.title("Exams")
if notice := state.pop("exams_notice", ""):
    st.success(plain(notice))
    st.toast(plain(notice))  # what was pressed may be far down the page
say_restored()
if refused := state.pop("exams_refused", ""):
    st.error(plain(refused))
    st.toast(plain(refused))
if asked := st.query_params.get("import", ""):
    st.button("All exams", icon=":material/arrow_back:", on_click=st.query_params.clear)
    import_section(store, marker, int(asked) if asked.isdecimal() else None)
    st.stop()
with store.read() as read:
    listed = exams.summaries(read)
    origins = {found.exam_id: found for found in reversed(imports.listed(read))}  # the newest of each exam
    judge_names = {judge.id: judge.name for judge in judges.listed(read)}
with st.container(horizontal=True):
    new_exam_popover(store, marker)
    if len(listed) >= MANY:
        st.button(
            "From files",
            key="to_import",
            icon=":material/upload_file:",
            help="Import answers and marks.",
            on_click=to_import,
        )
if not listed:
    st.info("There is no exam yet. Make one, restore the demo exam, or import a table below.", title="Nothing here yet")
    st.button("Restore the demo exam", type="primary", key="reset_demo", on_click=reset_demo)
    restore_section(store, marker)
for each in reversed(listed):  # the newest first, as other pages open at it
    show_exam(each, judge_names.get(each.exam.judge_id or 0, ""), origins.get(each.exam.id))
import_section(store, marker)
archived_section(store, marker)
if listed and marker.role is Role.HEAD and only_the_demo(store):
    with st.expander("Restore an evidence pack in the demo's place", icon=":material/settings_backup_restore:"):
        restore_section(store, marker)
