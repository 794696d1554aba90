"""Drafting a remedy: the note and the scheme's words in a form, the responses behind the pattern, what trying takes."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.marking import Marker, MarkingPoint, Scheme, format_mark
from components.widgets.author import show_question
from components.widgets.figures import count, plain
from components.workflow.review import remedies as remedying
from components.workflow.review.remedy_error import RemedyError
from components.workflow.review.sample import MOST, USUAL
from components.workflow.review.suggestions import OFFLINE_READS, reads_note
from components.workflow.review.trial import Outlook
from components.workflow.review.wording import MOST_NOTE, MOST_WORDS, PointWords, lines, reworded
from pages.department.remedy_answer import note_seen, show_answer
from pages.pilot.run_words import PRICE_FILE, dollars
from pages.shared.desk_services import services
from pages.shared.press import pressed
from storage import Store, judges, question_pictures, responses, verdicts
from storage.exams import StoredQuestion
from storage.judges import StoredJudge
from storage.remedies import Remedy

MOST_BEHIND = 10
REFUSED = "remedy_refused"
state = st.session_state


def show_editor(store: Store, marker: Marker, remedy: Remedy, question: StoredQuestion, judge: StoredJudge) -> None:
    """The editor of a remedy that has not been tried."""
    if judge.kind == judges.OFFLINE:
        st.info(OFFLINE_READS)
    elif not reads_note(judge):
        st.info(f"{plain(judge.name)} is not shown the note. It reads the scheme's wording.")
    with st.expander(f"Question {plain(question.question.number)}", key=f"remedy_question_{remedy.id}"):
        with store.read() as db:
            shown = question_pictures.shown(db, question.id)
        show_question(question.question, shown)
    _show_behind(store, marker, remedy)
    size = st.number_input(
        "On how many responses to try it",
        min_value=2,
        max_value=MOST,
        value=USUAL,
        key=f"remedy_size_{remedy.id}",
        width=300,
        help="Half are chosen from the responses behind the pattern, half drawn at random from all with a teacher's "
        "mark.",
    )
    ahead = _outlook(store, remedy, size)
    _form(store, marker, remedy, ahead, size)
    st.button("Drop this remedy", key=f"drop_{remedy.id}", on_click=_drop, args=(store, remedy.id, marker))


def _show_behind(store: Store, marker: Marker, remedy: Remedy) -> None:
    """The answers that show the pattern, read only when opened: their words are what a remedy is made of."""
    if not remedy.behind:
        return
    shown = remedy.behind[:MOST_BEHIND]
    opened = st.expander(
        f"{count(len(remedy.behind), 'response')} behind it", key=f"remedy_behind_{remedy.id}", on_change="rerun"
    )
    if not opened.open:
        return
    with store.read() as db:
        answers = [found for each in shown if (found := responses.get(db, each)) is not None]
        marks = verdicts.teacher_marks(db, remedy.question_id, remedy.judge_id)
        proposed = verdicts.newest(db, shown, remedy.judge_id)
    note_seen(store, marker, proposed)
    with opened:
        if len(remedy.behind) > len(shown):
            st.caption(f"The first {len(shown)}.")
        for answer in answers:
            mark = proposed[answer.id].proposal.mark if answer.id in proposed else None
            st.markdown(
                f"**Candidate {plain(answer.candidate_number)}** · teacher {format_mark(marks.get(answer.id))} · "
                f"AI {format_mark(mark)}"
            )
            show_answer(store, answer)


def _outlook(store: Store, remedy: Remedy, size: int) -> Outlook | None:
    """What trying would take, said in words; None, with the reason, where it cannot be tried."""
    try:
        ahead = remedying.outlook(store, services().connections, remedy.id, size)
    except RemedyError as error:
        st.warning(plain(str(error)))
        return None
    chosen = sum(each.chosen for each in ahead.sample)
    if ahead.everyone:
        said = f"All {count(len(ahead.sample), 'response')} with a mark by a teacher who had not seen the AI's."
    else:
        at_random = len(ahead.sample) - chosen
        said = f"{count(len(ahead.sample), 'response')}: {chosen} behind the pattern, {at_random} drawn at random."
    st.caption(plain(f"{said} {price_ahead(ahead)}"))
    return ahead


def price_ahead(ahead: Outlook) -> str:
    """What the trial may cost, in words."""
    if not ahead.model:
        return "Costs nothing: no language model is asked."
    if ahead.price is None:
        return f"The price is not known: {PRICE_FILE} does not have {ahead.model}."
    about = dollars(float(f"{ahead.price:.2g}"))
    return f"{ahead.sent:,} would be sent to {ahead.model}, for about {about} at the prices in {PRICE_FILE}."


def _form(store: Store, marker: Marker, remedy: Remedy, ahead: Outlook | None, size: int) -> None:
    with st.form(f"remedy_form_{remedy.id}"):
        scheme = remedy.draft
        _area(remedy, "note", "Note to the judge", scheme.note, MOST_NOTE, "Accept “speed” for “velocity” here.")
        for point in scheme.points:
            _point_fields(remedy, point)
        for objective in scheme.objectives:
            for level in objective.levels:
                name = f"{plain(objective.code)} level {level.level}"
                _area(remedy, f"level_{objective.code}_{level.level}", name, level.descriptor)
        if scheme.text or not (scheme.points or scheme.objectives):
            _area(remedy, "text", "The scheme's text", scheme.text)
        with st.container(horizontal=True):
            tried = pressed(
                f"Try it on {count(len(ahead.sample), 'response')}" if ahead else "Try it",
                key=f"remedy_try_{remedy.id}",
                button=st.form_submit_button,
                type="primary",
                disabled=ahead is None,
            )
            saved = pressed("Save the draft", key=f"remedy_save_{remedy.id}", button=st.form_submit_button)
        st.caption(
            "Codes, marks and structure of the scheme stay. Nothing on the marking desk changes before a head of "
            "department applies the remedy."
        )
    if tried or saved:
        _save(store, marker, remedy, size, tried)


def _point_fields(remedy: Remedy, point: MarkingPoint) -> None:
    about = remedy.pattern_key.split(".", 2)[-1] == point.code or len(remedy.draft.points) <= 2
    # Escaped alone: what stands beside it is also read out, as it is written.
    code = plain(point.code)
    with st.expander(f"{code} · {format_mark(point.marks)} mark{'' if point.marks == 1 else 's'}", expanded=about):
        _area(remedy, f"point_{point.code}", f"{code}: what earns it", point.text)
        for kind, words in (("accept", point.accept), ("reject", point.reject)):
            _area(remedy, f"{kind}_{point.code}", f"{code}: {kind}, one wording a line", "\n".join(words))


def _area(
    remedy: Remedy, name: str, label: str, words: str, most: int = MOST_WORDS, placeholder: str | None = None
) -> None:
    state.setdefault(_key(remedy, name), words)
    st.text_area(label, key=_key(remedy, name), max_chars=most, height="content", placeholder=placeholder)


def _key(remedy: Remedy, name: str) -> str:
    return f"remedy_{remedy.id}_{name}"


def _written(remedy: Remedy) -> Scheme:
    """The draft as the form has it. Raises RemedyError as `reworded` does."""

    def field(name: str) -> str | None:
        return state.get(_key(remedy, name))

    def wordings(name: str, was: Sequence[str]) -> tuple[str, ...]:
        said = field(name)
        return tuple(was) if said is None else lines(said)

    scheme = remedy.draft
    return reworded(
        scheme,
        note=field("note"),
        text=field("text"),
        points={
            point.code: PointWords(
                field(f"point_{point.code}") or "",
                wordings(f"accept_{point.code}", point.accept),
                wordings(f"reject_{point.code}", point.reject),
            )
            for point in scheme.points
        },
        descriptors={
            (objective.code, level.level): field(f"level_{objective.code}_{level.level}") or ""
            for objective in scheme.objectives
            for level in objective.levels
            if level.descriptor
        },
    )


def _save(store: Store, marker: Marker, remedy: Remedy, size: int, tried: bool) -> None:
    try:
        remedying.redraft(store, remedy.id, _written(remedy), marker)
        if tried:
            remedying.try_it(store, services().connections, remedy.id, size, marker)
            st.rerun()
    except RemedyError as error:
        st.error(plain(str(error)))
    else:
        st.success("The draft is saved. It has not been tried yet.")


def _drop(store: Store, remedy_id: int, marker: Marker) -> None:
    try:
        remedying.drop(store, remedy_id, marker)
    except RemedyError as error:
        state[REFUSED] = str(error)
