"""An exam as a whole: made new, copied, put away and brought back, and its rules for tolerance and sections."""

from __future__ import annotations

from collections.abc import Mapping

from components.marking import Marker, MarkError, ToleranceRule
from components.workflow.connections import default_judges
from components.workflow.exam_setup.editing import GONE
from components.workflow.marks_out.sections import TotalRules, settings_of, total_rules
from components.workflow.review.rules import must_be_head
from storage import Store, exam_setup, exams, mark_book
from storage.mark_book import StoredRules

LEVELS = (
    "KS3",
    "GCSE",
    "GCSE foundation tier",
    "GCSE higher tier",
    "A-level",
    "IB",
    "Gaokao",
    "Primary school",
    "Middle school",
    "High school",
    "College",
    "Other",
)
LANGUAGES = {
    "en": "English",
    "zh": "Chinese",
    "fr": "French",
    "de": "German",
    "es": "Spanish",
    "it": "Italian",
    "cy": "Welsh",
    "ja": "Japanese",
    "la": "Latin",
}


def create(store: Store, marker: Marker, title: str, level: str = "", subject: str = "") -> int:
    """A new exam's id. The offline judge proposes on it until another is chosen. Raises MarkError for no title."""
    must_be_head(marker)
    _, offline = default_judges(store)
    with store.write() as db:
        return exams.add_exam(db, title, subject=subject.strip(), level=level, judge_id=offline)


def set_details(store: Store, marker: Marker, exam_id: int, details: Mapping[str, str]) -> None:
    """Change title, subject, level, series or language. Raises MarkError for an empty title."""
    must_be_head(marker)
    with store.write() as db:
        if exams.get(db, exam_id) is None:
            raise MarkError(GONE)
        exam_setup.set_details(db, exam_id, details, marker.id)


def set_tolerance_rule(store: Store, marker: Marker, exam_id: int, rule: ToleranceRule) -> int:
    """Set the rule; gives how many questions keep a tolerance of their own, set by hand."""
    must_be_head(marker)
    with store.write() as db:
        if exams.get(db, exam_id) is None:
            raise MarkError(GONE)
        return exam_setup.set_tolerance_rule(db, exam_id, rule, marker.id)


def set_total_rules(store: Store, marker: Marker, exam_id: int, rules: TotalRules) -> None:
    """Set the sections and what a missing answer means. Raises MarkError, with nothing changed, where they do not fit
    the exam's questions."""
    must_be_head(marker)
    with store.write() as db:
        if exams.get(db, exam_id) is None:
            raise MarkError(GONE)
        numbers = [stored.question.number for stored in exams.questions(db, exam_id)]
        wanted = settings_of(rules)
        checked = total_rules(StoredRules(wanted["sections"], wanted["missing"]), numbers)
        exam_setup.set_settings(db, exam_id, settings_of(checked), marker.id)


def stored_total_rules(store: Store, exam_id: int) -> tuple[TotalRules, str]:
    """The exam's sections and what a missing answer means, and what is wrong with what is stored, if anything is."""
    with store.read() as db:
        numbers = [stored.question.number for stored in exams.questions(db, exam_id)]
        try:
            return total_rules(mark_book.rules(db, exam_id), numbers), ""
        except MarkError as error:
            return TotalRules(), str(error)


def duplicate(store: Store, marker: Marker, exam_id: int) -> tuple[int, str]:
    """Copy an exam with its questions, schemes and rules, and none of its candidates; gives the copy's id and title."""
    must_be_head(marker)
    with store.write() as db:
        titles = {exam.title for exam in exams.listed(db)}
        source = exams.get(db, exam_id)
        if source is None:
            raise MarkError(GONE)
        stem = f"Copy of {source.title}"
        title = (
            stem
            if stem not in titles
            else next(name for n in range(2, len(titles) + 3) if (name := f"{stem} ({n})") not in titles)
        )
        return exam_setup.duplicate(db, exam_id, title, marker.id), title


def archive(store: Store, marker: Marker, exam_id: int) -> None:
    """Put an exam away: it leaves every list and its jobs end. Nothing of it is deleted."""
    must_be_head(marker)
    with store.write() as db:
        exams.archive(db, exam_id, marker.id, "put away")


def bring_back(store: Store, marker: Marker, exam_id: int) -> None:
    """Put an archived exam on every list again. Raises MarkError as `exam_setup.bring_back` does."""
    must_be_head(marker)
    with store.write() as db:
        exam_setup.bring_back(db, exam_id, marker.id)
