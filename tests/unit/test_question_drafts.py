"""Typing a question: drafts and their history, what keeps one from being saved, and what saving does."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from components.marking import (
    AssessmentObjective,
    ChoiceKey,
    Level,
    Marker,
    MarkError,
    MarkingPoint,
    NumericKey,
    PointGroup,
    Question,
    QuestionType,
    Role,
    Scheme,
    ToleranceRule,
)
from components.workflow import exam_setup as setup
from components.workflow.exam_setup import Opened, QuestionBody, check, details, hints
from components.workflow.exam_setup.body import GroupBody, PictureBody, PointBody, body_of
from storage import Store, exams, question_drafts, question_pictures
from storage.pictures import Picture
from storage.pictures import add as add_picture
from storage.question_drafts import DraftState
from tests.support import add_exam, add_marker, new_store

RULE = ToleranceRule()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Osei", Role.HEAD)


def existing(store: Store) -> tuple[int, int]:
    """An exam with one answered question; (exam id, question id)."""
    exam_id, _ = add_exam(store, [["an answer"]])
    with store.read() as db:
        return exam_id, exams.questions(db, exam_id)[0].id


def opened(store: Store, question_id: int) -> Opened:
    found = setup.open_question(store, question_id)
    assert found is not None
    return found


def new_one(store: Store, thread: str) -> Opened:
    found = setup.open_thread(store, thread)
    assert found is not None
    return found


def type_text(store: Store, head: Marker, at: Opened, text: str) -> None:
    def typed(body: QuestionBody) -> None:
        body.text = text

    setup.change(store, head, at, typed)


def test_what_is_typed_is_there_when_the_question_is_opened_again_and_not_in_the_exam(
    store: Store, head: Marker
) -> None:
    _, question_id = existing(store)
    type_text(store, head, opened(store, question_id), "What is osmosis?")
    again = opened(store, question_id)
    assert again.body.text == "What is osmosis?"
    assert again.draft is not None
    assert again.draft.marker_name == "Dr Osei"
    with store.read() as db:
        assert exams.question(db, question_id).question.text == "Question 1: why?"


def test_two_people_in_one_question_keep_each_others_fields(store: Store, head: Marker) -> None:
    _, question_id = existing(store)
    other = add_marker(store, "Ms Lindqvist", Role.HEAD)
    hers = his = opened(store, question_id)
    type_text(store, other, hers, "What is osmosis?")

    def answered(body: QuestionBody) -> None:
        body.model_answer = "Water moves."

    setup.change(store, head, his, answered)
    body = opened(store, question_id).body
    assert (body.text, body.model_answer) == ("What is osmosis?", "Water moves.")


def test_a_change_that_changes_nothing_is_no_entry_in_the_history(store: Store, head: Marker) -> None:
    _, question_id = existing(store)
    at = opened(store, question_id)
    type_text(store, head, at, at.body.text)
    with store.read() as db:
        assert question_drafts.history(db, at.thread) == []


def test_an_earlier_state_can_be_gone_on_from_and_nothing_of_the_history_is_lost(store: Store, head: Marker) -> None:
    _, question_id = existing(store)
    other = add_marker(store, "Ms Lindqvist", Role.HEAD)
    at = opened(store, question_id)
    type_text(store, head, at, "First")
    type_text(store, other, at, "Second")
    type_text(store, head, at, "Third")
    with store.read() as db:
        newest_first = question_drafts.history(db, at.thread)
    assert [draft.body["text"] for draft in newest_first] == ["Third", "Second", "First"]
    setup.restore(store, head, newest_first[-1].id)
    assert opened(store, question_id).body.text == "First"
    with store.read() as db:
        texts = [draft.body["text"] for draft in question_drafts.history(db, at.thread, limit=3)]
    assert texts == ["First", "Second", "First"]  # the third is in one minute with what went on from it


def test_drafts_are_never_changed_or_deleted(store: Store, head: Marker) -> None:
    _, question_id = existing(store)
    type_text(store, head, opened(store, question_id), "Kept")
    for statement in ("UPDATE question_drafts SET body = '{}'", "DELETE FROM question_drafts"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"), store.write() as db:
            db.execute(statement)


def test_a_new_question_that_is_not_right_stays_a_draft_with_its_reasons(store: Store, head: Marker) -> None:
    exam_id, _ = existing(store)
    thread = setup.start_new(store, head, exam_id)

    def typed(body: QuestionBody) -> None:
        body.number, body.max_mark = "1", 2
        body.points = [PointBody(id="x", code="M1", text="")]

    setup.change(store, head, new_one(store, thread), typed)
    at = new_one(store, thread)
    assert at.checked.at("number") == ["This exam already has a question 1. Give this one another number."]
    assert at.checked.at("points.x") == ["Say what earns M1."]
    with pytest.raises(MarkError, match="not right yet"):
        setup.save(store, head, at)
    with store.read() as db:
        assert len(exams.questions(db, exam_id)) == 1
        assert [draft.thread for draft in setup.unfinished(db, exam_id)] == [thread]


def test_saving_a_new_question_puts_it_in_the_exam_with_its_pictures_and_ends_the_draft(
    store: Store, head: Marker
) -> None:
    exam_id, _ = existing(store)
    thread = setup.start_new(store, head, exam_id)
    with store.write() as db:
        sha = add_picture(db, Picture(b"not really a picture", "image/png", 1, 1))

    def typed(body: QuestionBody) -> None:
        body.text, body.max_mark = "Sketch it.", 20
        body.pictures = [PictureBody(sha256=sha, caption="the apparatus")]

    setup.change(store, head, new_one(store, thread), typed)
    saved = setup.save(store, head, new_one(store, thread))
    with store.read() as db:
        stored = exams.question(db, saved.question_id)
        assert (stored.question.number, stored.question.max_mark, stored.question.tolerance) == ("2", 20, 2)
        assert [each.caption for each in question_pictures.of(db, saved.question_id)] == ["the apparatus"]
        assert setup.unfinished(db, exam_id) == []
        states = [draft.state for draft in question_drafts.history(db, thread)]
    assert states[0] is DraftState.SAVED
    assert opened(store, saved.question_id).thread == thread  # its history goes on


def test_saving_other_words_makes_no_new_version_and_another_scheme_does(store: Store, head: Marker) -> None:
    _, question_id = existing(store)
    type_text(store, head, opened(store, question_id), "What is osmosis?")
    assert setup.save(store, head, opened(store, question_id)).new_version is None

    def noted(body: QuestionBody) -> None:
        body.note = "Accept diffusion."

    setup.change(store, head, opened(store, question_id), noted)
    assert setup.save(store, head, opened(store, question_id)).new_version == 2
    with store.read() as db:
        stored = exams.question(db, question_id)
    assert (stored.question.text, stored.scheme.note) == ("What is osmosis?", "Accept diffusion.")


def test_the_scale_of_a_question_with_responses_stays(store: Store, head: Marker) -> None:
    _, question_id = existing(store)
    at = opened(store, question_id)
    assert at.scale_fixed

    def larger(body: QuestionBody) -> None:
        body.max_mark = 9

    setup.change(store, head, at, larger)
    (said,) = opened(store, question_id).checked.at("max_mark")
    assert "has responses, so its maximum (2) and mark step (1) stay" in said
    with pytest.raises(MarkError):
        setup.save(store, head, opened(store, question_id))


def test_a_scheme_that_changed_meanwhile_is_replaced_only_by_who_says_so(store: Store, head: Marker) -> None:
    _, question_id = existing(store)
    type_text(store, head, opened(store, question_id), "What is osmosis?")
    with store.write() as db:
        stored = exams.question(db, question_id)
        exams.add_scheme_version(
            db, question_id, stored.question, stored.scheme.model_copy(update={"note": "By another."}), None
        )
    at = opened(store, question_id)
    assert at.overtaken
    with pytest.raises(MarkError, match="changed since this draft was begun"):
        setup.save(store, head, at)
    assert setup.save(store, head, at, over=True).new_version == 3


def test_a_dropped_draft_leaves_the_question_and_can_be_brought_back(store: Store, head: Marker) -> None:
    _, question_id = existing(store)
    type_text(store, head, opened(store, question_id), "What is osmosis?")
    setup.drop(store, head, opened(store, question_id))
    at = opened(store, question_id)
    assert (at.draft, at.body.text) == (None, "Question 1: why?")
    with store.read() as db:
        setup_draft = question_drafts.history(db, at.thread)[0]
    setup.restore(store, head, setup_draft.id)
    assert opened(store, question_id).body.text == "What is osmosis?"


def test_a_question_taken_out_comes_back_as_it_was_and_its_id_is_not_used_again(store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    thread = setup.start_new(store, head, exam_id)
    type_text(store, head, new_one(store, thread), "What is osmosis?")
    first = setup.save(store, head, new_one(store, thread)).question_id
    assert setup.remove(store, head, first) == "1"
    other = setup.save(store, head, new_one(store, setup.start_new(store, head, exam_id))).question_id
    assert other != first
    with store.read() as db:
        (gone,) = setup.thrown_away(db, exam_id)
    back = new_one(store, setup.restore(store, head, gone.id))
    assert back.body.text == "What is osmosis?"
    assert back.checked.at("number") == ["This exam already has a question 1. Give this one another number."]


def test_a_copy_starts_as_a_draft_with_the_scheme_and_stands_behind_its_original(store: Store, head: Marker) -> None:
    exam_id, _ = add_exam(store, [["a"], ["b"]])
    with store.read() as db:
        first, _ = exams.questions(db, exam_id)
    copied = new_one(store, setup.start_new(store, head, exam_id, copy_of=first.id))
    assert copied.body.number == "3"
    setup.save(store, head, copied)
    with store.read() as db:
        questions = exams.questions(db, exam_id)
    assert [each.question.number for each in questions] == ["1", "3", "2"]
    assert questions[1].scheme == first.scheme


FULL = [
    (
        Question(
            number="3(b)(ii)",
            type=QuestionType.WORKING,
            text="Find $x$.",
            max_mark=4,
            mark_step=0.5,
            tolerance=0.5,
            stimulus="A table",
            subject="Mathematics",
            model_answer="$x=2$",
            analysis="Square first.",
            language="zh",
            aos=("AO1", "AO2"),
        ),
        Scheme(
            max_mark=4,
            mark_step=0.5,
            text="Ignore units.",
            points=(
                MarkingPoint(code="M1", text="squares", group="G1"),
                MarkingPoint(code="M2", text="plots", group="G1", accept=("draws", "sketches"), reject=("guesses",)),
                MarkingPoint(code="A1", text="$x=2$", marks=0.5, needs=("G1",), follow_through=True),
            ),
            groups=(PointGroup(code="G1", text="either", cap=1),),
            objectives=(
                AssessmentObjective(
                    code="AO3",
                    name="Argument",
                    levels=(
                        Level(level=1, low=0.5, high=1, descriptor="Some"),
                        Level(level=2, low=1.5, high=2, descriptor="Much"),
                    ),
                ),
            ),
            note="Be kind.",
        ),
    ),
    (
        Question(number="1", type=QuestionType.MULTIPLE_CHOICE, text="Which?", max_mark=6),
        Scheme(
            max_mark=6,
            choice=ChoiceKey(
                options={"A": "one", "B": "two\nand more", "C": "three"},
                correct=("AC", "AB"),
                partial={"BC": 1},
                subset_marks=3,
            ),
        ),
    ),
    (
        Question(number="2", type=QuestionType.SINGLE_CHOICE, text="Fill the gaps.", max_mark=5),
        Scheme(max_mark=5, choice=ChoiceKey(options={}, each=("B", "D", "A", "C", "A"), partial={"BDACE": 3})),
    ),
    (
        Question(number="4", type=QuestionType.NUMERIC, text="How fast?", max_mark=2),
        Scheme(
            max_mark=2,
            numeric=NumericKey(
                correct=("9.8 m/s^2", "9.81 m/s^2"),
                tolerance=0.05,
                relative_tolerance=0.01,
                significant_figures=2,
                unit_required=True,
                partial={"98 m/s^2": 1},
            ),
        ),
    ),
]


@pytest.mark.parametrize(("question", "scheme"), FULL, ids=lambda each: getattr(each, "number", None))
def test_a_question_opened_and_saved_untouched_is_the_same_question(question: Question, scheme: Scheme) -> None:
    checked = check(body_of(question, scheme), RULE)
    assert (checked.reasons, checked.question, checked.scheme) == ([], question, scheme)


def body(**fields: object) -> QuestionBody:
    return QuestionBody.model_validate({"number": "1", "max_mark": 4.0} | fields)


@pytest.mark.parametrize(
    ("typed", "where", "said"),
    [
        ({"number": " "}, "number", "needs a number"),
        ({"max_mark": None}, "max_mark", "Give the maximum mark"),
        ({"max_mark": 2.5}, "max_mark", "not a multiple of 1"),
        ({"tolerance": 9.0}, "tolerance", "from 0 to the maximum, 4"),
        ({"points": [{"id": "a", "code": "", "text": "x"}]}, "points.a", "needs a code, such as M1"),
        ({"points": [{"id": "a", "code": "M1", "text": "x", "marks": None}]}, "points.a", "Give point M1 its marks"),
        ({"points": [{"id": "a", "code": "M1", "text": "x", "marks": 0.5}]}, "points.a", "worth 0.5"),
        ({"groups": [{"id": "g", "code": "G1", "cap": 0.0}]}, "groups.g", "worth 0"),
        (
            {"points": [{"id": c, "code": "M1", "text": "x"} for c in "ab"]},
            "scheme",
            "share a code among M1, M1",
        ),
        (
            {
                "points": [
                    {"id": "a", "code": "M1", "text": "x", "needs": ["A1"]},
                    {"id": "b", "code": "A1", "text": "y", "needs": ["M1"]},
                ]
            },
            "scheme",
            "depend on each other in a circle",
        ),
        (
            {"objectives": [{"id": "o", "code": "AO1", "levels": [{"id": "l", "level": 1, "low": 1, "high": None}]}]},
            "objectives.o",
            "its lowest and its highest mark",
        ),
        ({"objectives": [{"id": "o", "code": "AO1"}]}, "objectives.o", "AO1 has no levels"),
        ({"choice": {"options": "A  one\nB  two", "key": "D"}}, "choice", "names D, which the options do not have"),
        ({"choice": {"options": "the first", "key": "A"}}, "choice", "Begin each line with its letter"),
        ({"choice": {"key": "A", "partial": "B"}}, "choice", "does not end in marks"),
        ({"choice": {"each": "BDA"}}, "choice", "cannot be shared equally by 3"),
        ({"numeric": {"partial": "3 1"}}, "numeric", "no right answer"),
        ({"numeric": {"correct": "3", "partial": "4 9"}}, "numeric", "outside 0 to 4"),
    ],
)
def test_what_is_not_right_is_said_in_words_at_its_field(typed: dict[str, object], where: str, said: str) -> None:
    checked = check(body(**typed), RULE)
    assert [place for place, _ in checked.reasons] == [where]
    assert said in checked.reasons[0][1]
    assert "Value error" not in checked.reasons[0][1]
    assert checked.question is None


def test_a_scheme_that_cannot_reach_the_maximum_is_pointed_out_and_may_be_saved() -> None:
    points = [PointBody(code=code, text="x", group=group) for code, group in (("A", "G"), ("B", "G"), ("C", ""))]
    checked = check(body(text="Why?", points=points, groups=[GroupBody(code="G", cap=1)]), RULE)
    assert checked.question is not None
    assert checked.scheme is not None
    (hint,) = hints(checked.question, checked.scheme)
    assert "comes to 2 of 4 marks" in hint
