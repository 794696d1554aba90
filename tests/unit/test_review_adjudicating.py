"""What a head of department's presses record."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.marking import Decision, Marker, MarkError, Outcome, Phase, Role, Stage
from components.workflow import desk
from components.workflow import opening as marking_desk
from components.workflow.review import adjudicating, opening
from components.workflow.review.opening import OpenReview
from components.workflow.review.queue import Show
from storage import Store, decisions, exams, proposals, reviews, rulings
from tests.reviewing import act, give, press, propose, standing_of
from tests.support import add_exam, add_marker, new_store, propose_points, two_point_question


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def teacher(store: Store) -> Marker:
    return add_marker(store)


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Osei", Role.HEAD)


@pytest.fixture
def response(store: Store, teacher: Marker) -> int:
    """A response out of 10 with 8 from the AI and 5 from the teacher."""
    _, [[response]] = add_exam(store, [["x"]], questions=[two_point_question("3(b)", max_mark=10)])
    propose(store, response, 8)
    give(store, response, teacher, 5, comment="No units.")
    return response


def adjudications(store: Store, response_id: int) -> list[Decision]:
    with store.read() as db:
        return [d for d in decisions.history(db, response_id) if d.stage is Stage.ADJUDICATED]


def opened(store: Store, response_id: int, marker: Marker, *, hide: bool = False) -> OpenReview:
    found = opening.open_for_review(store, response_id, marker, hide=hide)
    assert found is not None
    return found


def flag(store: Store, response_id: int, marker: Marker, text: str = "") -> None:
    with store.write() as db:
        decisions.add_note(db, response_id, marker.id, "flag", text)


def note_kinds(store: Store, response_id: int) -> list[tuple[str, str]]:
    with store.read() as db:
        return [(note.kind, note.text) for note in decisions.notes(db, response_id)]


def test_an_adjudication_is_a_decision_of_its_stage_with_its_reason_and_settles_the_dispute(
    store: Store, head: Marker, response: int
) -> None:
    opened(store, response, head)
    result = act(store, head, "mark", response, mark=6, comment="Units are there.", seconds=12.5)
    assert result.notice == "Saved for candidate 0001, question 3(b): You gave 6, which stands."
    assert result.comment_saved
    [made] = adjudications(store, response)
    assert (made.marker_id, made.outcome, made.mark) == (head.id, Outcome.MARK, 6)
    assert (made.comment, made.seconds, made.marks_hidden) == ("Units are there.", 12.5, False)
    assert standing_of(store, response).final_mark == 6
    with store.read() as db:
        assert reviews.queue(db, standing_of(store, response).exam_id).waiting == 0


def test_both_marks_with_their_reasons_are_shown_and_that_is_recorded(
    store: Store, head: Marker, teacher: Marker, response: int
) -> None:
    found = opened(store, response, head)
    assert found.opened.phase is Phase.ADJUDICATE
    assert found.opened.proposal is not None
    assert found.opened.proposal.proposal.mark == 8
    assert [(given.name, given.decision.mark, given.decision.comment) for given in found.given] == [
        ("Ms Khan", 5, "No units.")
    ]
    with store.read() as db:
        assert proposals.seen_by(db, response, head.id, found.opened.proposal.id)
    with store.write() as db:
        exams.set_blind(db, standing_of(store, response).exam_id, True, head.id)
    on_desk = marking_desk.open_response(store, response, head)
    assert on_desk is not None
    assert on_desk.phase is Phase.MARK  # not blind: they know the AI's mark


def test_of_several_marks_by_one_teacher_the_latest_is_shown_and_of_two_teachers_the_latest_is_the_teachers(
    store: Store, head: Marker, teacher: Marker, response: int
) -> None:
    give(store, response, add_marker(store, "Mr Bell"), 3, Stage.IMPORTED)
    give(store, response, teacher, 4, Stage.REVEALED)
    found = opened(store, response, head)
    assert [(given.name, given.decision.mark) for given in found.given] == [("Mr Bell", 3), ("Ms Khan", 4)]
    assert found.teachers == found.given[1]


def test_taking_a_mark_makes_it_the_adjudicators_own(store: Store, head: Marker, response: int) -> None:
    found = opened(store, response, head)
    assert found.opened.proposal is not None
    assert found.teachers is not None
    act(store, head, "accept", response, proposal_id=found.opened.proposal.id)
    act(store, head, "take", response, decision_id=found.teachers.decision.id)
    assert [made.mark for made in adjudications(store, response)] == [8, 5]
    assert standing_of(store, response).final_mark == 5


def test_a_mark_that_was_taken_back_meanwhile_cannot_be_taken(
    store: Store, head: Marker, teacher: Marker, response: int
) -> None:
    found = opened(store, response, head)
    assert found.teachers is not None
    with store.write() as db:
        decisions.undo(db, found.teachers.decision.id, teacher.id)
    with pytest.raises(MarkError, match="no longer stands"):
        act(store, head, "take", response, decision_id=found.teachers.decision.id)
    assert adjudications(store, response) == []


def test_points_ticked_come_to_their_total_by_the_scheme(store: Store, head: Marker, teacher: Marker) -> None:
    _, [[response]] = add_exam(store, [["x"]])
    propose_points(store, response, [])
    give(store, response, teacher, 2)
    act(store, head, "mark_points", response, points=["M1"])
    [made] = adjudications(store, response)
    assert (made.mark, made.points) == (1, ("M1",))


def test_while_hidden_nothing_of_what_others_gave_or_said_is_there(
    store: Store, head: Marker, teacher: Marker, response: int
) -> None:
    flag(store, response, teacher, "The AI gave 8!")
    found = opened(store, response, head, hide=True)
    assert found.hidden
    assert found.opened.phase is Phase.BLIND
    assert found.opened.proposal is None
    assert (found.given, found.flag, found.grades, found.stands) == ((), None, (), "")
    assert (found.opened.notes, found.opened.flagged) == ((), False)
    with store.read() as db:
        assert not rulings.has_been_shown(db, response, head.id)


def test_a_blind_adjudication_says_so_stays_for_the_reveal_and_can_be_changed_with_the_marks_in_view(
    store: Store, head: Marker, response: int
) -> None:
    opened(store, response, head, hide=True)
    result = act(store, head, "mark", response, mark=6, hidden=True)
    assert result.response_id == response
    revealed = opened(store, response, head, hide=True)
    assert not revealed.hidden
    assert revealed.given[0].decision.mark == 5
    assert revealed.stands == "You gave 6, which stands."
    act(store, head, "mark", response, mark=5, hidden=False)
    assert [(made.mark, made.marks_hidden) for made in adjudications(store, response)] == [(6, True), (5, False)]


def test_who_has_been_shown_the_marks_cannot_decide_blind_whatever_the_page_says(
    store: Store, head: Marker, response: int
) -> None:
    opened(store, response, head)
    assert not opened(store, response, head, hide=True).hidden
    act(store, head, "mark", response, mark=6, hidden=True)
    assert [made.marks_hidden for made in adjudications(store, response)] == [False]


def test_undoing_a_blind_adjudication_does_not_make_its_marker_blind_again(
    store: Store, head: Marker, response: int
) -> None:
    opened(store, response, head, hide=True)
    act(store, head, "mark", response, mark=6, hidden=True)
    act(store, head, "undo", response, undo_decision_id=adjudications(store, response)[0].id)
    assert not opened(store, response, head, hide=True).hidden


def test_two_teachers_marks_without_any_from_the_ai_are_remembered_as_shown(
    store: Store, head: Marker, teacher: Marker
) -> None:
    _, [[response]] = add_exam(store, [["x"]])
    give(store, response, teacher, 2)
    give(store, response, add_marker(store, "Mr Bell"), 0, Stage.IMPORTED)
    assert opened(store, response, head, hide=True).hidden
    opened(store, response, head)
    opened(store, response, head)
    assert not opened(store, response, head, hide=True).hidden
    with store.read() as db:
        assert rulings.has_been_shown(db, response, head.id)
        assert not rulings.has_been_shown(db, response, teacher.id)


@pytest.mark.parametrize("action", ["accept", "take"])
def test_a_hidden_mark_cannot_be_taken(store: Store, head: Marker, response: int, action: str) -> None:
    standing = standing_of(store, response)
    more = {"proposal_id": standing.proposal_id, "decision_id": standing.decision_id}
    with pytest.raises(MarkError, match="hidden until you have decided"):
        act(store, head, action, response, hidden=True, **more)


def test_the_same_press_again_records_nothing(store: Store, head: Marker, teacher: Marker, response: int) -> None:
    flag(store, response, teacher)
    once = press("mark", head, response, mark=6, comment="Seen.")
    first = adjudicating.act(store, head, once, Show.ALL, (response,))
    again = adjudicating.act(store, head, once, Show.ALL, (response,))
    assert first.notice.startswith("Saved for")
    assert again.notice.startswith("Had been saved for")
    assert len(adjudications(store, response)) == 1
    assert note_kinds(store, response) == [("flag", ""), ("unflag", "Seen.")]


def test_undo_lifts_the_adjudication_and_the_teachers_mark_stands_again(
    store: Store, head: Marker, response: int
) -> None:
    act(store, head, "mark", response, mark=6)
    undo = adjudicating.undoable(store, standing_of(store, response).exam_id, response, head)
    assert undo is not None
    pressed = press("undo", head, response, undo_decision_id=undo[0].id)
    first = adjudicating.act(store, head, pressed, Show.ALL, ())
    again = adjudicating.act(store, head, pressed, Show.ALL, ())
    assert first.notice == "Undone: 6 for candidate 0001. The teacher's 5 stands again."
    assert first.response_id == response
    assert again.notice == "That adjudication was undone already."
    assert standing_of(store, response).final_mark == 5
    assert adjudicating.undoable(store, standing_of(store, response).exam_id, response, head) is None


def test_undo_takes_back_the_adjudication_on_screen_before_a_newer_one_elsewhere(
    store: Store, head: Marker, teacher: Marker
) -> None:
    exam_id, [[first, second]] = add_exam(store, [["x", "y"]])
    for response in (first, second):
        propose(store, response, 2)
        give(store, response, teacher, 0)
        act(store, head, "mark", response, mark=1)
    here = adjudicating.undoable(store, exam_id, first, head)
    newest = adjudicating.undoable(store, exam_id, None, head)
    assert here is not None
    assert newest is not None
    assert (here[0].response_id, newest[0].response_id) == (first, second)


def test_undo_on_the_marking_desk_takes_back_marks_given_there_and_no_adjudication(
    store: Store, head: Marker, response: int
) -> None:
    give(store, response, head, 4)
    act(store, head, "mark", response, mark=6)
    undo = desk.undoable(store, standing_of(store, response).exam_id, head)
    assert undo is not None
    assert (undo[0].stage, undo[0].mark) == (Stage.BLIND, 4)


def test_only_its_own_marker_undoes_an_adjudication_and_a_teachers_mark_is_none(
    store: Store, head: Marker, response: int
) -> None:
    act(store, head, "mark", response, mark=6)
    other = add_marker(store, "Dr Li", Role.HEAD)
    with pytest.raises(MarkError, match="Only Dr Osei can undo"):
        act(store, other, "undo", response, undo_decision_id=adjudications(store, response)[0].id)
    act(store, head, "undo", response, undo_decision_id=adjudications(store, response)[0].id)
    with pytest.raises(MarkError, match="no longer here"):
        act(store, head, "undo", response, undo_decision_id=standing_of(store, response).decision_id)


def test_what_another_head_decided_meanwhile_is_said_and_both_are_kept(
    store: Store, head: Marker, response: int
) -> None:
    other = add_marker(store, "Dr Li", Role.HEAD)
    seen = opened(store, response, head).opened.seen_decision_id
    act(store, other, "mark", response, mark=7)
    said = act(store, head, "mark", response, mark=6, seen_decision_id=seen).notice
    assert said.endswith("You gave 6, which stands. Meanwhile Dr Li had given it 7; all are kept.")
    assert [given.name for given in opened(store, response, head).given] == ["Ms Khan", "Dr Li"]
    assert opened(store, response, other).stands == "Dr Osei gave 6, which stands."


def test_settling_a_flag_needs_a_reason_and_leaves_the_marks(
    store: Store, head: Marker, teacher: Marker, response: int
) -> None:
    flag(store, response, teacher, "Page missing?")
    with pytest.raises(MarkError, match="Write in the reason"):
        act(store, head, "settle_flag", response)
    result = act(store, head, "settle_flag", response, comment="The page is there.")
    assert result.notice == "Flag settled for candidate 0001, question 3(b). Its marks stand as they are."
    assert note_kinds(store, response) == [("flag", "Page missing?"), ("unflag", "The page is there.")]
    assert adjudications(store, response) == []
    assert not standing_of(store, response).flagged
    with store.read() as db:
        [settled] = rulings.settled(db, standing_of(store, response).exam_id)
    assert (settled.outcome, settled.reason, settled.marker_name) == (None, "The page is there.", "Dr Osei")


def test_the_reason_for_a_settled_flag_outlives_a_flag_that_is_raised_and_lifted_again(
    store: Store, head: Marker, teacher: Marker, response: int
) -> None:
    exam_id = standing_of(store, response).exam_id
    flag(store, response, teacher, "Page missing?")
    act(store, head, "settle_flag", response, comment="The page is there.")
    flag(store, response, teacher)
    with store.write() as db:
        assert rulings.settled(db, exam_id) == []  # it waits again
        decisions.add_note(db, response, teacher.id, "unflag")
        [settled] = rulings.settled(db, exam_id)
    assert (settled.outcome, settled.reason, settled.marker_name) == (None, "The page is there.", "Dr Osei")


def test_the_reason_of_an_adjudication_that_was_undone_settles_no_flag(
    store: Store, head: Marker, teacher: Marker, response: int
) -> None:
    flag(store, response, teacher, "Page missing?")
    act(store, head, "mark", response, mark=6, comment="It is there.")
    act(store, head, "undo", response, undo_decision_id=adjudications(store, response)[0].id)
    with store.write() as db:
        decisions.add_note(db, response, teacher.id, "unflag")
        assert rulings.settled(db, standing_of(store, response).exam_id) == []


def test_an_adjudication_lifts_the_flag_and_its_undo_brings_it_back_with_its_words(
    store: Store, head: Marker, teacher: Marker, response: int
) -> None:
    flag(store, response, teacher, "Page missing?")
    said = act(store, head, "mark", response, mark=6, comment="It is there.").notice
    assert said.endswith("The flag is settled with it.")
    assert not standing_of(store, response).flagged
    said = act(store, head, "undo", response, undo_decision_id=adjudications(store, response)[0].id).notice
    assert said.endswith("Its flag is back.")
    assert standing_of(store, response).flagged
    assert note_kinds(store, response)[-1] == ("flag", "Page missing?")


def test_the_settled_list_tells_who_decided_what_why_blind_or_not_and_what_stands(
    store: Store, head: Marker, response: int
) -> None:
    opened(store, response, head, hide=True)
    act(store, head, "mark", response, mark=6, comment="Between the two.", hidden=True)
    with store.read() as db:
        [settled] = rulings.settled(db, standing_of(store, response).exam_id)
    assert (settled.marker_name, settled.mark, settled.reason) == ("Dr Osei", 6, "Between the two.")
    assert (settled.marks_hidden, settled.final_mark, settled.by_adjudicator) == (True, 6, True)


def test_the_next_of_the_walk_that_still_waits_follows_and_at_its_end_the_queue_is_read_afresh(
    store: Store, head: Marker, teacher: Marker
) -> None:
    _, [row] = add_exam(store, [["x"] * 4])
    for response in row:
        propose(store, response, 2)
        give(store, response, teacher, 0)
    walk = tuple(row)

    def follow(action: str, response: int, **more: object) -> int | None:
        return adjudicating.act(store, head, press(action, head, response, **more), Show.ALL, walk).response_id

    assert follow("mark", row[1], mark=1) == row[2]
    assert follow("next", row[0]) == row[2]
    assert follow("previous", row[2]) == row[1]  # settled: one goes back to look at what one did
    assert follow("previous", row[0]) == row[0]
    assert follow("mark", row[3], mark=1) == row[0]  # the first left out
    assert follow("mark", row[0], mark=1) == row[2]
    assert follow("mark", row[2], mark=1) is None


@pytest.mark.parametrize("role", [Role.TEACHER, Role.PILOT])
@pytest.mark.parametrize("action", ["mark", "undo", "settle_flag", "comment"])
def test_only_a_head_of_department_decides(store: Store, response: int, role: Role, action: str) -> None:
    someone = add_marker(store, "Someone", role)
    with pytest.raises(MarkError, match="Only a head of department"):
        act(store, someone, action, response, mark=1, comment="x")
    assert adjudications(store, response) == []


def test_a_pilot_lead_sees_no_names(store: Store, head: Marker, response: int) -> None:
    act(store, head, "mark", response, mark=6)
    pilot = add_marker(store, "Prof Lead", Role.PILOT)
    found = opened(store, response, pilot)
    assert [given.name for given in found.given] == ["Teacher", "Adjudicator"]
    assert found.stands == "The adjudicator gave 6, which stands."


def test_a_press_of_another_profile_or_of_the_marking_desk_is_refused(
    store: Store, head: Marker, teacher: Marker, response: int
) -> None:
    with pytest.raises(MarkError, match="another profile"):
        adjudicating.act(store, head, press("mark", teacher, response, mark=1), Show.ALL, ())
    with pytest.raises(MarkError, match="Reload the page"):
        adjudicating.parse_press(
            {"action": "mark", "action_id": "a", "marker_id": head.id, "response_id": response, "mark": 1}
        )


def test_a_mark_off_the_scale_is_refused_naming_the_response(store: Store, head: Marker, response: int) -> None:
    with pytest.raises(MarkError, match=r"Candidate 0001, question 3\(b\): 11 is outside 0 to 10"):
        act(store, head, "mark", response, mark=11)


def test_a_response_of_an_exam_that_was_taken_back_is_refused(store: Store, head: Marker, response: int) -> None:
    with store.write() as db:
        exams.archive(db, standing_of(store, response).exam_id, None, "test")
    with pytest.raises(MarkError, match="no longer here"):
        act(store, head, "mark", response, mark=6)
    assert opening.open_for_review(store, response, head, hide=False) is None


def test_an_adjudication_is_no_pair_of_agreement(store: Store, head: Marker, response: int) -> None:
    act(store, head, "mark", response, mark=6)
    with store.read() as db:
        pairs = db.execute("SELECT teacher_mark FROM pairs WHERE response_id = ?", (response,)).fetchall()
    assert [row["teacher_mark"] for row in pairs] == [5]
