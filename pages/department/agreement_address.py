"""What the agreement page's address says: an exam, a part of it, and which figures are looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum

from components.marking import Marker, QuestionType, Role, Stage
from components.workflow.agreement.selection import Selection, objectives
from storage import Store, exams, pair_choices, pair_rows, responses

Query = dict[str, list[str]]

MINE = "me"
STAGES = (Stage.BLIND, Stage.IMPORTED)
HANDS = {"typed": False, "handwritten": True}
OWN_WORDS = ("exam", "question", "ao", "type", "judge", "marker", "stage", "from", "to", "answers", "view", "at")
TAKEN = frozenset({*OWN_WORDS, "embed", "embed_options", "response", "show"})
LONGEST_ID = 18  # digits that SQLite can hold


class View(StrEnum):
    """The chart that is drawn. One at a time, so that a refresh stays light."""

    QUESTIONS = "questions"
    CONFUSION = "confusion"
    BLAND_ALTMAN = "differences"
    BIAS = "bias"
    TIME = "time"
    SURENESS = "sureness"
    ACCEPT = "accept"
    JUDGES = "judges"
    GROUPS = "groups"
    SAMPLE = "sample"


@dataclass(frozen=True)
class Offered:
    """What the exam's agreement can be narrowed to. `markers` has names for a head of department alone; others may
    choose themselves."""

    exam_id: int
    questions: tuple[str, ...]
    aos: tuple[str, ...]
    types: tuple[QuestionType, ...]
    judges: dict[int, str]
    markers: dict[int, str]
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)


def offered(store: Store, exam_id: int, viewer: Marker) -> Offered:
    """What may be chosen of an exam by this viewer."""
    with store.read() as db:
        questions = exams.questions(db, exam_id)
        judges = {judge: name for judge, name, _ in pair_rows.judges_with_pairs(db, exam_id)}
        markers = pair_choices.markers(db, exam_id)
        groups = responses.group_values(db, exam_id)
    if viewer.role is not Role.HEAD:
        markers = {viewer.id: "only my own marks"} if viewer.id in markers else {}
    return Offered(
        exam_id,
        tuple(each.question.number for each in questions),
        tuple(sorted({ao for each in questions for ao in objectives(each)})),
        tuple(dict.fromkeys(each.question.type for each in questions)),
        judges,
        markers,
        groups,
    )


@dataclass(frozen=True)
class Place:
    """Where a reader is on the page. `view` is None for the first of all; `at` is the one question that a
    chart is about, "" for all of them."""

    selection: Selection
    view: View | None = None
    at: str = ""


def read(query: Mapping[str, Sequence[str]], choices: Offered, viewer: Marker) -> Place:
    """The place that an address names; what it does not know or the exam does not have is left out."""
    last = {name: values[-1] for name, values in query.items() if values}
    selection = Selection(
        exam_id=choices.exam_id,
        questions=tuple(n for n in choices.questions if n in query.get("question", ())),
        aos=tuple(ao for ao in choices.aos if ao in query.get("ao", ())),
        types=tuple(each for each in choices.types if each in query.get("type", ())),
        judge_id=_known(last.get("judge", ""), choices.judges),
        marker_id=_known(str(viewer.id) if last.get("marker") == MINE else last.get("marker", ""), choices.markers),
        stage=next((stage for stage in STAGES if stage == last.get("stage")), None),
        handwritten=HANDS.get(last.get("answers", "")),
        since=_day(last.get("from", "")),
        until=_day(last.get("to", "")),
        groups=tuple(
            (name, last[group_name(name)])
            for name, values in choices.groups.items()
            if last.get(group_name(name)) in values
        ),
    )
    if selection.since and selection.until and selection.since > selection.until:
        selection = replace(selection, since=None, until=None)
    at = last.get("at", "")
    view = next((view for view in View if view == last.get("view")), None)
    return Place(selection, view, at if at in choices.questions else "")


def write(place: Place, viewer: Marker) -> Query:
    """The address of a place, without what is as the page opens."""
    chosen = place.selection
    marker = "" if chosen.marker_id is None else str(chosen.marker_id)
    if chosen.marker_id == viewer.id and viewer.role is not Role.HEAD:
        marker = MINE
    hand = next((name for name, hand in HANDS.items() if hand == chosen.handwritten), "")
    said: dict[str, Sequence[str]] = {
        "exam": [str(chosen.exam_id)],
        "question": chosen.questions,
        "ao": chosen.aos,
        "type": [str(each) for each in chosen.types],
        "judge": [] if chosen.judge_id is None else [str(chosen.judge_id)],
        "marker": [marker],
        "stage": [str(chosen.stage or "")],
        "answers": [hand],
        "from": ["" if chosen.since is None else chosen.since.isoformat()],
        "to": ["" if chosen.until is None else chosen.until.isoformat()],
        **{group_name(name): [value] for name, value in chosen.groups},
        "view": ["" if place.view in (None, View.QUESTIONS) else str(place.view)],
        "at": [place.at],
    }
    kept = {name: [str(value) for value in values if value] for name, values in said.items()}
    return {name: values for name, values in kept.items() if values}


def group_name(name: str) -> str:
    """What a group is called in the address, apart from the page's own words."""
    return f"group.{name}" if name.casefold() in TAKEN or name.startswith("group.") else name


def _known(text: str, among: Mapping[int, str]) -> int | None:
    known = text.isdecimal() and len(text) <= LONGEST_ID and int(text) in among
    return int(text) if known else None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
