"""The reading of a mark scheme that is on the screen: what its tables began with, and what they hold, kept at once."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from components.intake.mark_scheme import QuestionDraft
from components.marking import Marker
from components.workflow.exam_setup.readings import JudgesDraft, SchemeReading, discard, keep_scheme, kept_scheme
from pages.department.scheme_reading_judge import Asking
from storage import Store
from storage.exams import Exam

state = st.session_state
_READ = "scheme_reading"
_KEPT = "scheme_reading_kept"
_ROUND = "scheme_reading_round"
DISCARD = "reading_discard"


@dataclass(frozen=True)
class Page:
    """Whose reading of which exam or question is on the screen: as it was when the page was entered, which is what its
    tables begin with. What they hold now is kept under the same name with every change."""

    store: Store
    marker: Marker
    exam: Exam
    about: str
    begun: SchemeReading

    @property
    def unread(self) -> frozenset[int]:
        return frozenset(self.begun.read.unread)

    @property
    def kept(self) -> SchemeReading:
        """As it was kept last."""
        exam_id, about, reading = state.get(_KEPT, (0, "", self.begun))
        return reading if (exam_id, about) == (self.exam.id, self.about) else self.begun

    def keep_questions(self, now: dict[int, QuestionDraft], left_out: tuple[int, ...]) -> None:
        """Keep these questions, by place, as they are now."""
        self.keep(self.kept.with_questions(now, left_out))

    def keep(self, now: SchemeReading) -> None:
        if state.get(_KEPT) != (self.exam.id, self.about, now):
            keep_scheme(self.store, self.marker, self.exam.id, self.about, now)
            state[_KEPT] = (self.exam.id, self.about, now)

    def asking(self, place: int) -> Asking:
        def keep(drafted: JudgesDraft) -> None:
            _begin(self.exam.id, self.about, self.begun.with_draft(place, drafted))
            self.keep(self.kept.with_draft(place, drafted))

        return Asking(self.store, self.marker, self.exam, keep)


def begun(store: Store, exam_id: int, about: str) -> SchemeReading | None:
    """What was read, as the page's tables began with it; as it was kept last, where the page is entered anew."""
    before = state.get(_READ)
    if before is not None and before[:2] == (exam_id, about) and DISCARD in state:  # its boxes are there
        reading: SchemeReading = before[2]
        return reading
    kept = kept_scheme(store, exam_id, about)
    if kept is None:
        return None
    state[_ROUND] = round_now() + 1
    state[_KEPT] = (exam_id, about, kept)
    _begin(exam_id, about, kept)
    return kept


def key_of(place: int) -> str:
    """What the keys of a question's boxes begin with; others whenever the page is entered anew."""
    return f"reading_{round_now()}_{place}"


def round_now() -> int:
    return int(state.get(_ROUND, 0))


def forget(page: Page) -> None:
    """Throw it away, as it is confirmed or not wanted."""
    discard(page.store, page.exam.id, page.about)
    state.pop(_READ, None)


def leave() -> None:
    """The page is left; what was read stays kept."""
    state.pop(_READ, None)


def _begin(exam_id: int, about: str, reading: SchemeReading) -> None:
    state[_READ] = (exam_id, about, reading)
