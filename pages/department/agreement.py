"""The agreement page: how well the AI and the teachers agree, live, and the accept rate apart from it."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import streamlit as st

from components.widgets.charts import QuestionValue, dots_by_question, dots_in_words
from components.widgets.figures import (
    NO_FIGURE,
    count,
    in_percent,
    interval_text,
    lenient_short,
    lenient_text,
    likely,
    percent,
    plain,
    qwk_text,
    qwk_value,
    share_text,
    signed,
    under_qwk,
)
from components.workflow.agreement.figures import ExamFigures, QuestionFigures, exam_figures
from components.workflow.agreement.pulse import Pulse, pulse
from components.workflow.agreement.selection import Selection
from pages.shared import guard
from pages.shared.desk_services import services
from storage import exams

BEAT_SECONDS = 0.35
TALLEST_CHART = 700
MOST_ROWS_AT_ONCE = 20

guard.enter()
store = services().store
state = st.session_state


def choose_exam() -> int:
    """The exam in the select box, which the address names too."""
    with store.read() as db:
        titles = {exam.id: exam.title for exam in reversed(exams.listed(db))}
    if not titles:
        st.info(
            "There is no exam whose agreement could be shown. Restore the demo exam or import a table of responses.",
            title="Nothing here yet",
        )
        st.page_link("pages/department/exams.py", label="Go to exams", icon=":material/description:")
        st.stop()
    if state.get("agreement_exam") not in titles:
        linked = st.query_params.get("exam", "")
        # A key shared with the marking page's box would not hold its value: to Streamlit they are two widgets.
        wanted = (int(linked) if linked.isdecimal() else None, state.get("exam_id"))
        state["agreement_exam"] = next((found for found in wanted if found in titles), max(titles))
    exam_id: int = st.selectbox("Exam", list(titles), format_func=titles.__getitem__, key="agreement_exam", width=300)
    if st.query_params.get("exam", str(exam_id)) != str(exam_id):
        st.query_params["exam"] = str(exam_id)
    return exam_id


def figures_at(exam_id: int, now: Pulse) -> ExamFigures:
    """The exam's figures, worked out again only when something has changed since they were."""
    drawn = state.get("agreement_drawn")
    if drawn is None or drawn[0] != (exam_id, now.changes):
        drawn = ((exam_id, now.changes), exam_figures(store, Selection(exam_id)))
        state["agreement_drawn"] = drawn
    figures: ExamFigures = drawn[1]
    return figures


@st.fragment(run_every=BEAT_SECONDS)
def live(exam_id: int, last_mark_at: str | None) -> None:
    """One line that beats; the page is drawn again only when someone has decided something."""
    # The page's own run has just read the pulse. To read again there could draw the page in circles.
    now = state.pop("agreement_pulse", None) or pulse(store, exam_id)
    if now is None or state["agreement_drawn"][0] != (exam_id, now.changes):
        st.rerun()
    parts = ["Live", f"{now.marked:,} of {now.responses:,} responses marked here"]
    if last_mark_at is not None:
        parts.append(f"last mark {clock(last_mark_at)}")
    if now.proposing is not None:
        parts.append(proposing_text(now.proposing))
    st.caption(f":green[●] {' · '.join(parts)}")


def clock(moment: str) -> str:
    """A stored moment as this browser's clock shows it, with its date where that is not today."""
    zone = ZoneInfo(st.context.timezone) if st.context.timezone else None
    local = datetime.fromisoformat(moment).astimezone(zone)
    return f"{local:%H:%M:%S}" if local.date() == datetime.now(zone).date() else f"{local.day} {local:%b %Y, %H:%M:%S}"


def proposing_text(proposing: tuple[int, int]) -> str:
    done, total = proposing
    return f"proposals being made, {done:,} of {total:,}" if total else "proposals waiting to be made"


def show_agreement(figures: ExamFigures) -> None:
    overall = figures.overall
    agreement = overall.agreement
    st.markdown(f"**{agreement.sentence} {lenient_text(overall.mean_signed)}**")
    with st.grid(4, min_column_width=140):
        method = "Pooled over the questions" if agreement.headline == "pooled" else "Mean over the questions, by marks"
        tile(
            "QWK",
            qwk_value(agreement.qwk),
            under_qwk(agreement.qwk, agreement.n),
            f"Quadratic weighted kappa: 1 is perfect, 0 is chance. {method}. {agreement.qwk.note}",
        )
        tile("Exactly the same", percent(agreement.exact), share_text(agreement.exact))
        tile("Within tolerance", percent(agreement.within), share_text(agreement.within), "Each question's own.")
        tile("Mean difference", signed(overall.mean_signed), lenient_short(overall.mean_signed), "AI − teacher.")
    st.caption(basis_text(figures))
    for part in figures.by_judge:
        st.markdown(
            f"- {plain(part.judges[0])} alone, {count(len(part.questions), 'question')}: "
            f"{part.agreement.sentence} {lenient_text(part.mean_signed)}"
        )
    st.subheader("By question")
    show_table(figures.questions)
    show_chart(figures.questions)


def show_table(questions: Sequence[QuestionFigures]) -> None:
    rows = [
        {
            "Question": q.question.number,
            "Pairs": q.agreement.n,
            "QWK": q.agreement.qwk.value,
            "Likely QWK": interval_text(q.agreement.qwk.interval),
            "Exact": in_percent(q.agreement.differences.exact),
            "Within": in_percent(q.agreement.differences.within),
            "Difference": q.agreement.differences.mean_signed.value,
            "Judge": q.judge or "no proposal yet",
            "Tolerance": q.question.tolerance,
            "Out of": q.question.max_mark,
            "In words": q.agreement.sentence,
        }
        for q in questions
    ]
    column = st.column_config
    st.dataframe(
        rows,
        height="content" if len(rows) <= MOST_ROWS_AT_ONCE else "auto",
        hide_index=True,
        placeholder=NO_FIGURE,
        alt="Agreement by question: pairs, QWK with its interval, exact, within tolerance, mean difference, judge.",
        column_config={
            "Question": column.TextColumn(pinned=True, width=80),
            "Pairs": column.NumberColumn(format="localized", width=60),
            "QWK": column.NumberColumn(
                format="%.2f", width=60, help="From 10 pairs; provisional until 30. On a one-mark question this is κ."
            ),
            "Likely QWK": column.TextColumn(width=95, help="95% interval."),
            "Exact": column.NumberColumn(format="%.0f%%", width=65),
            "Within": column.NumberColumn(format="%.0f%%", width=65, help="Within the question's tolerance."),
            "Difference": column.NumberColumn(
                format="%+.2f", width=90, help="Mean of AI − teacher, in marks: + means that the AI is lenient."
            ),
            "Judge": column.TextColumn(help="Whose proposals these figures are about.", width=165),
            "Tolerance": column.NumberColumn(format="%g", width=85, help="In marks."),
            "Out of": column.NumberColumn(format="%g", width=65),
            "In words": column.TextColumn(width="large"),
        },
    )


def show_chart(questions: Sequence[QuestionFigures]) -> None:
    measured = any(q.agreement.qwk.value is not None for q in questions)
    chosen = st.segmented_control(
        "Chart",
        ["QWK", "Mean difference"],
        default="QWK" if measured else "Mean difference",
        required=True,
        key="agreement_chart",
    )
    qwk = chosen == "QWK"
    values = [
        QuestionValue(
            q.question.number,
            q.judge or "",
            q.agreement.n,
            q.agreement.qwk if qwk else q.agreement.differences.mean_signed,
        )
        for q in questions
    ]
    name, text = ("QWK", qwk_text) if qwk else ("Mean difference in marks", signed)
    axis = name if qwk else "← AI severe · marks · AI lenient →"
    words = dots_in_words(values, name, text)
    figure = dots_by_question(values, axis, text, (0.0, 1.0) if qwk else (-0.5, 0.5))
    tall = figure.layout.height > TALLEST_CHART
    with st.container(height=TALLEST_CHART if tall else "content", border=False):
        st.plotly_chart(figure, key=f"agreement_by_question_{chosen}", alt=words, config={"displayModeBar": False})
    st.caption(f"{words} Lines are 95% intervals. Under 30 pairs a figure is provisional.")


def show_accept_rate(figures: ExamFigures) -> None:
    """Apart from agreement, in a box of its own."""
    overall = figures.overall.accept
    with st.container(border=True):
        st.subheader("Accept rate (not agreement)")
        st.write(
            "These marks were given with the AI's mark in view, which draws a marker towards it: "
            "they tell how often teachers let a proposal stand, not how well two markers agree."
        )
        if overall.accepted.n == 0:
            st.caption("No mark has been given here with a proposal in view.")
            return
        with st.grid(3, min_column_width=140):
            tile("Accepted", percent(overall.accepted), f"as proposed: {share_text(overall.accepted)}")
            tile("Changed up", f"{overall.up:,}", "teacher gave more")
            tile("Changed down", f"{overall.down:,}", "teacher gave less")
        st.dataframe(
            [
                {
                    "Question": q.question.number,
                    "Marks": q.accept.accepted.n,
                    "Accepted": in_percent(q.accept.accepted),
                    "Likely": likely(q.accept.accepted.interval),
                    "Changed up": q.accept.up,
                    "Changed down": q.accept.down,
                    "Judge": q.judge,
                }
                for q in figures.questions
                if q.accept.accepted.n
            ],
            hide_index=True,
            alt="Accept rate by question: marks given, accepted as proposed, changed up and down.",
            column_config={
                "Question": st.column_config.TextColumn(pinned=True, width=80),
                "Marks": st.column_config.NumberColumn(help="Given with the proposal in view."),
                "Accepted": st.column_config.NumberColumn(format="%.0f%%"),
            },
        )


def show_nothing_yet(figures: ExamFigures, now: Pulse) -> None:
    """Why there is no agreement to show, and what to do next."""
    if now.proposing is not None:
        st.info(
            f"The judge is at work: {proposing_text(now.proposing)}. Agreement appears here by itself.",
            title="Proposals are still being made",
        )
    elif not figures.overall.judges:
        st.info(
            "Agreement compares a judge's proposals with teachers' marks, and this exam has no proposals. "
            "Choose a judge for it.",
            title="No proposals yet",
        )
    elif figures.exam.blind:
        st.info(
            "Blind marking is on: mark some responses, and each mark given before the AI's is seen counts here.",
            title="No agreement yet",
        )
    else:
        st.info(
            "Agreement counts marks given before the AI's mark is seen, and marks imported with the answers. "
            "There are none here. Switch blind marking on for this exam on the Exams page, then mark.",
            title="No agreement yet",
        )
    with st.container(horizontal=True):
        st.page_link("pages/teacher/mark.py", label="Go to marking", icon=":material/edit_note:")
        st.page_link("pages/department/exams.py", label="Go to exams", icon=":material/description:")


def explain() -> None:
    with st.expander("How these are measured"):
        st.markdown(
            """
- **Pair**: an AI's and a teacher's mark on the same response. Agreement counts a teacher's latest *blind* mark (no
  proposal shown) or *imported* mark. Where two teachers marked a response, the later mark counts. A blind mark undone
  after its reveal still counts. “No response” makes no pair.
- **Judge**: the one whose proposals stand on the marking page. Objective questions are marked by calculation, the
  others by the judge chosen for the exam. What another judge proposed is not counted.
- **QWK**, quadratic weighted kappa: agreement beyond chance, where a difference of two marks weighs four times as much
  as one mark. 1 is perfect, 0 is chance. Under 10 pairs it is not shown, under 30 it is provisional; where all marks
  are identical it cannot be measured. While the median question has under 20 pairs the exam's QWK is pooled over the
  questions; later it is the mean of the questions' QWK, weighted by their marks.
- **Within tolerance**: no further apart than the question allows two markers to be.
- **Mean difference**: AI − teacher, in marks. Above 0 the AI is lenient, below 0 it is severe.
- **Likely** ranges and lines are 95% intervals: Wilson's for shares, the delta method's for one question's QWK, over
  questions for the exam's.
- **Accept rate**: the share of marks, given with the proposal in view, that are the proposal's own. It is never pooled
  with agreement. A mark revised after a blind mark's reveal counts in neither; the blind mark stays in agreement.
"""
        )


def tile(label: str, value: str, under: str, about: str = "") -> None:
    with st.container(border=True, height="stretch", gap=None):
        st.metric(label, value, help=about or None)
        st.caption(under)


def basis_text(figures: ExamFigures) -> str:
    """Whose marks the figures rest on."""
    kinds = [(figures.blind_pairs, "blind"), (figures.imported_pairs, "imported")]
    made = " and ".join(f"{n:,} {kind}" for n, kind in kinds if n)
    parts = figures.by_judge or (figures.overall,)
    whose = "; ".join(f"{plain(part.judges[0])} on {count(len(part.questions), 'question')}" for part in parts)
    return f"Teachers' marks: {made}. AI marks: {whose}."


def page() -> None:
    st.title("Agreement")
    exam_id = choose_exam()
    now = pulse(store, exam_id)
    if now is None:
        st.rerun()
    figures = figures_at(exam_id, now)
    state["agreement_pulse"] = now
    live(exam_id, figures.last_mark_at)
    if figures.exam.notice:
        st.caption(plain(figures.exam.notice))
    if figures.overall.agreement.n:
        show_agreement(figures)
    else:
        show_nothing_yet(figures, now)
    if figures.overall.agreement.n or figures.overall.accept.accepted.n:
        show_accept_rate(figures)
        explain()


page()
