"""Bringing answers in: what may be stored and changed, all or none, and the judge asked about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.marking import Marker, Outcome, Stage
from components.workflow import cohort, desk
from components.workflow.answers import (
    LONGEST_TEXT,
    AnswerError,
    Arriving,
    Existing,
    bring_in,
    candidate_number,
    existing,
)
from components.workflow.answers_by_name import Row, arriving, number_and_page, rows
from components.workflow.cohort import PROPOSE, RunOptions
from components.workflow.connections import Connections
from components.workflow.opening import open_response
from components.workflow.worker import Worker
from storage import (
    Store,
    annotations,
    decisions,
    exams,
    jobs,
    judges,
    markers,
    pairs,
    pictures,
    proposals,
    responses,
    standings,
    transcripts,
    verdicts,
)
from storage.pairs import Wanted
from storage.pictures import NewPage, Picture
from tests.reviewing import give, propose
from tests.support import add_exam, add_marker, new_store, propose_points


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def marker(store: Store) -> Marker:
    return add_marker(store)


def picture(name: str) -> NewPage:
    return NewPage(Picture(name.encode(), "image/png", 4, 3), source=name)


def question_of(store: Store, exam_id: int) -> int:
    with store.read() as db:
        return exams.questions(db, exam_id)[0].id


def there(store: Store, question_id: int, number: str) -> Existing:
    with store.read() as db:
        return existing(db, question_id, number)


def shown(store: Store, response_id: int) -> list[bytes]:
    with store.read() as db:
        return [pictures.content(db, page.sha256) for page in pictures.pages(db, response_id)]


def mark(store: Store, marker: Marker, response_id: int, **changes: int) -> int:
    with store.write() as db:
        return decisions.record(db, response_id, marker.id, Outcome.MARK, Stage.AI_FIRST, mark=1, **changes).decision_id


def queued(store: Store) -> list[RunOptions]:
    with store.read() as db:
        return [RunOptions.model_validate(job.payload) for job in jobs.active(db) if job.kind == PROPOSE]


def test_a_typed_answer_of_a_new_candidate_is_stored_and_the_judge_asked(store: Store, marker: Marker) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    question_id = question_of(store, exam_id)
    assert there(store, question_id, "0417") == Existing("0417", known=False, response=None)
    text = "  it is *denatured*\n<b>so</b> "
    brought = bring_in(store, marker, question_id, [Arriving(" 0417 ", "typed", text=text)])
    found = there(store, question_id, "0417")
    assert found.response is not None
    assert found.response.id == brought.response_ids[0]
    assert (found.response.text, found.response.kind) == (text, "typed")
    assert brought.asked
    (options,) = queued(store)
    assert (options.exam_id, options.questions) == (exam_id, (question_id,))
    Worker(store, Connections.from_environment(store)).do_one()
    with store.read() as db:
        standing = standings.get(db, brought.response_ids[0])
    assert standing is not None
    assert standing.proposal_id is not None


def test_pages_are_stored_in_order_with_their_originals_and_strokes(store: Store, marker: Marker) -> None:
    question_id = question_of(store, add_exam(store, [["an answer"]])[0])
    mended = NewPage(Picture(b"mended", "image/png", 4, 3), original=Picture(b"came", "image/png", 5, 4))
    drawn = NewPage(Picture(b"drawn", "image/png", 4, 3), strokes={"objects": [], "paper": "ruled"})
    (response_id,) = bring_in(
        store, marker, question_id, [Arriving("0417", "photographed", pages=(mended, drawn))]
    ).response_ids
    assert shown(store, response_id) == [b"mended", b"drawn"]
    with store.read() as db:
        first, second = pictures.pages(db, response_id)
        assert pictures.content(db, str(first.original_sha256)) == b"came"
        assert second.strokes == {"objects": [], "paper": "ruled"}
        response = responses.get(db, response_id)
    assert response is not None
    assert response.kind == "photographed"


def test_an_unmarked_answers_pages_can_be_replaced_or_added_to(store: Store, marker: Marker) -> None:
    question_id = question_of(store, add_exam(store, [["an answer"]])[0])
    bring_in(store, marker, question_id, [Arriving("0417", "drawn", pages=(picture("first"),))])
    seen = there(store, question_id, "0417").seen
    (response_id,) = bring_in(
        store, marker, question_id, [Arriving("0417", "drawn", pages=(picture("second"),), seen=seen)]
    ).response_ids
    assert shown(store, response_id) == [b"first", b"second"]
    seen = there(store, question_id, "0417").seen
    again = Arriving("0417", "photographed", pages=(picture("third"),), replace=True, seen=seen)
    assert bring_in(store, marker, question_id, [again]).response_ids == (response_id,)
    assert shown(store, response_id) == [b"third"]


def test_a_proposal_about_other_pages_no_longer_stands(store: Store, marker: Marker) -> None:
    exam_id, [[response_id]] = add_exam(store, [["the enzyme is denatured"]])
    propose_points(store, response_id, ["M1"])
    question_id = question_of(store, exam_id)
    found = there(store, question_id, "0001")
    assert found.proposed
    bring_in(store, marker, question_id, [Arriving("0001", "drawn", pages=(picture("working"),), seen=found.seen)])
    with store.read() as db:
        row = db.execute(
            "SELECT p.status, p.reason FROM standings s JOIN proposals p ON p.id = s.proposal_id "
            "WHERE s.response_id = ?",
            (response_id,),
        ).fetchone()
        response = responses.get(db, response_id)
    assert row["status"] == "failed"
    assert "replaced after this judge" in row["reason"]
    assert response is not None
    assert (response.text, response.kind) == ("the enzyme is denatured", "typed")


def test_a_blind_mark_that_was_undone_counts_beside_what_judges_made_of_the_pages_it_was_given_for(
    store: Store, marker: Marker
) -> None:
    exam_id, _ = add_exam(store, [["typed"]], blind_share=1)
    question_id = question_of(store, exam_id)
    (response_id,) = bring_in(
        store, marker, question_id, [Arriving("0417", "drawn", pages=(picture("old"),))]
    ).response_ids
    propose(store, response_id, 2)
    walk, press = desk.Walk(exam_id), {"marker_id": marker.id, "response_id": response_id}
    open_response(store, response_id, marker)
    desk.act(store, marker, walk, desk.Press.model_validate(press | {"action": "mark", "action_id": "1", "mark": 2}))
    open_response(store, response_id, marker)  # the reveal
    with store.write() as db:
        decisions.undo(db, decisions.live(db, response_id)[0].id, marker.id)
        another = judges.ensure(db, "Another", judges.LLM, "another", {})
    seen = there(store, question_id, "0417").seen
    pages = (picture("new"),)
    bring_in(store, marker, question_id, [Arriving("0417", "drawn", pages=pages, replace=True, seen=seen)])
    old_judge = propose(store, response_id, 0)
    with store.write() as db:
        made = proposals.get(db, old_judge)
        proposals.add(db, response_id, another, made.scheme_id, made.proposal)
        found = pairs.cells(db, pairs.AGREEMENT, Wanted(exam_id))
        assert [(cell.judge_id, cell.ai, cell.teacher) for cell in found] == [(made.judge_id, 2, 2)]
        [marked] = verdicts.marked(db, exam_id, question_id, made.judge_id, 10)
        assert (marked.ai, marked.teacher) == (2, 2)
        assert verdicts.teacher_marks(db, question_id, made.judge_id) == {}  # the judge would be tried on other pages
    give(store, response_id, add_marker(store, "Mr Bell"), 1)
    with store.read() as db:
        found = pairs.cells(db, pairs.AGREEMENT, Wanted(exam_id))
        assert [(cell.judge_id, cell.ai, cell.teacher) for cell in found] == [(made.judge_id, 0, 1), (another, 0, 1)]
        assert verdicts.teacher_marks(db, question_id, made.judge_id) == {response_id: 1}


def test_an_answer_that_becomes_handwritten_takes_its_pairs_with_it_whatever_judge_the_desk_shows(
    store: Store, marker: Marker
) -> None:
    exam_id, [[response_id]] = add_exam(store, [[""]], blind_share=1)
    proposal = propose(store, response_id, 2)
    give(store, response_id, marker, 1)
    with store.write() as db:
        proposals.record_sighting(db, response_id, marker.id, proposal)
        decisions.undo(db, decisions.live(db, response_id)[0].id, marker.id)
        exams.set_judge(db, exam_id, None, None)
        standings.refresh_exam(db, exam_id)
    seen = there(store, question_of(store, exam_id), "0001").seen
    page = Arriving("0001", "photographed", pages=(picture("page"),), seen=seen)
    bring_in(store, marker, question_of(store, exam_id), [page])
    with store.read() as db:
        assert len(pairs.cells(db, pairs.AGREEMENT, Wanted(exam_id, handwritten=True))) == 1
        assert pairs.cells(db, pairs.AGREEMENT, Wanted(exam_id, handwritten=False)) == []


def test_a_marked_answer_is_closed_until_the_mark_is_undone(store: Store, marker: Marker) -> None:
    exam_id, [[response_id]] = add_exam(store, [["an answer"]])
    question_id = question_of(store, exam_id)
    decision = mark(store, marker, response_id)
    found = there(store, question_id, "0001")
    page = Arriving("0001", "drawn", pages=(picture("late"),), seen=found.seen)
    with pytest.raises(AnswerError, match="Candidate 0001, question 1: it has been marked by Ms Khan"):
        bring_in(store, marker, question_id, [page])
    assert shown(store, response_id) == []
    with store.write() as db:
        decisions.undo(db, decision, marker.id)
    bring_in(store, marker, question_id, [page])
    assert shown(store, response_id) == [b"late"]


def test_an_answer_that_came_with_a_mark_stays_as_it_was_marked(store: Store, marker: Marker) -> None:
    exam_id, [[response_id]] = add_exam(store, [["an answer"]])
    with store.write() as db:
        other = markers.ensure_external(db, "Moderator")
        decisions.record(db, response_id, other, Outcome.MARK, Stage.IMPORTED, mark=1)
    assert "came with a mark by Moderator" in there(store, question_of(store, exam_id), "0001").closed


def test_pages_that_someone_has_worked_on_are_not_replaced_but_can_be_added_to(store: Store, marker: Marker) -> None:
    question_id = question_of(store, add_exam(store, [["an answer"]])[0])
    made = [Arriving(number, "drawn", pages=(picture("first"),)) for number in ("0417", "0418")]
    noted, read = bring_in(store, marker, question_id, made).response_ids
    with store.write() as db:
        annotations.add(db, noted, 1, marker.id, [{"kind": "tick"}], "a")
        transcripts.add(db, read, "as read", transcripts.TEACHER, marker_id=marker.id)
    for number, why in (("0417", "Ms Khan wrote on its pages"), ("0418", "transcript has been corrected")):
        found = there(store, question_id, number)
        assert why in found.fixed
        assert not found.closed
        page = Arriving(number, "drawn", pages=(picture("second"),), replace=True, seen=found.seen)
        with pytest.raises(AnswerError, match=why):
            bring_in(store, marker, question_id, [page])
        added = Arriving(number, "drawn", pages=(picture("second"),), seen=found.seen)
        (response_id,) = bring_in(store, marker, question_id, [added]).response_ids
        assert shown(store, response_id) == [b"first", b"second"]


def test_what_a_candidate_answered_never_changes(store: Store, marker: Marker) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    with pytest.raises(AnswerError, match="never changes"):
        bring_in(store, marker, question_of(store, exam_id), [Arriving("0001", "typed", text="better", seen=())])


def test_an_answer_that_changed_meanwhile_is_not_overwritten(store: Store, marker: Marker) -> None:
    question_id = question_of(store, add_exam(store, [["an answer"]])[0])
    bring_in(store, marker, question_id, [Arriving("0417", "drawn", pages=(picture("hers"),))])
    late = Arriving("0417", "drawn", pages=(picture("his"),))
    with pytest.raises(AnswerError, match="has changed since you looked"):
        bring_in(store, marker, question_id, [late])
    found = there(store, question_id, "0417")
    assert found.response is not None
    assert shown(store, found.response.id) == [b"hers"]


@pytest.mark.parametrize(
    ("arriving", "why"),
    [
        (Arriving("0418", "typed", text=" \n "), "nothing to store"),
        (Arriving("0418", "photographed"), "nothing to store"),
        (Arriving("0418", "typed", text="a" * (LONGEST_TEXT + 1)), "50,001 characters"),
        (Arriving("0418", "photographed", pages=(picture("p"),) * 51), "at most 50 pages"),
        (Arriving(" ", "typed", text="a"), "Type the candidate's number"),
    ],
)
def test_one_answer_that_cannot_be_stored_keeps_them_all_out(
    store: Store, marker: Marker, arriving: Arriving, why: str
) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    question_id = question_of(store, exam_id)
    with pytest.raises(AnswerError, match=why):
        bring_in(store, marker, question_id, [Arriving("0417", "typed", text="good"), arriving])
    assert not there(store, question_id, "0417").known
    assert queued(store) == []


def test_an_archived_exam_takes_no_answer(store: Store, marker: Marker) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    question_id = question_of(store, exam_id)
    with store.write() as db:
        exams.archive(db, exam_id, marker.id, "test")
    with pytest.raises(AnswerError, match="archived"):
        bring_in(store, marker, question_id, [Arriving("0417", "typed", text="late")])
    with pytest.raises(AnswerError, match="archived"):
        there(store, question_id, "0001")


def test_the_judge_is_asked_as_in_its_last_run_or_it_would_be_asked_about_every_answer(
    store: Store, marker: Marker
) -> None:
    exam_id, [row, _] = add_exam(store, [["one", "two", "three"], ["one", "two", "three"]])
    for response_id in row[:2]:
        mark(store, marker, response_id)
    with store.read() as db:
        judge_id = exams.listed(db)[0].judge_id
    assert judge_id is not None
    cohort.start(store, RunOptions(exam_id=exam_id, judge_id=judge_id, shots=2), marker, on_desk=True)
    (before,) = queued(store)
    mark(store, marker, row[2])  # from now on other examples might be chosen
    question_id = question_of(store, exam_id)
    bring_in(store, marker, question_id, [Arriving("0417", "typed", text="new")])
    _, after = queued(store)
    assert (after.questions, after.shots) == ((question_id,), 2)
    assert after.chosen == {question_id: before.chosen[question_id]}


def test_several_answers_in_a_row_wait_for_one_run(store: Store, marker: Marker) -> None:
    question_id = question_of(store, add_exam(store, [["an answer"]])[0])
    for number in ("0417", "0418", "0419"):
        bring_in(store, marker, question_id, [Arriving(number, "typed", text="new")])
    assert len(queued(store)) == 1


def test_an_exam_without_a_judge_or_with_marks_brought_from_outside_asks_nobody(store: Store, marker: Marker) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    with store.write() as db:
        db.execute("UPDATE exams SET judge_id = NULL WHERE id = ?", (exam_id,))
    brought = bring_in(store, marker, question_of(store, exam_id), [Arriving("0417", "typed", text="new")])
    assert not brought.asked
    assert queued(store) == []


@pytest.mark.parametrize("typed", ["", "  ", "0" * 41, "04\u200b17", "04\x0017"])
def test_a_candidate_number_that_cannot_be_one_is_refused(typed: str) -> None:
    with pytest.raises(AnswerError):
        candidate_number(typed)


def test_a_candidate_number_keeps_its_zeros_and_loses_only_outer_spaces() -> None:
    assert candidate_number(" 0417 ") == "0417"
    assert candidate_number("Müller,  A") == "Müller, A"


@pytest.mark.parametrize(
    ("file", "number", "page"),
    [
        ("0417.jpg", "0417", 1),
        ("0417_2.PNG", "0417", 2),
        ("class 9/0417_12.heic", "0417", 12),
        ("A-17_3.jpg", "A-17", 3),
        ("10_2.jpg", "10_2", 1),  # a candidate of the exam has just this number
        ("10_2_2.jpg", "10_2", 2),
        ("0417_0.jpg", "0417_0", 1),
    ],
)
def test_a_files_name_says_candidate_and_page(file: str, number: str, page: int) -> None:
    assert number_and_page(file, {"0001", "10_2"}) == (number, page)


def test_each_file_gets_its_candidate_or_a_reason_why_not(store: Store, marker: Marker) -> None:
    exam_id, [[_, _, marked]] = add_exam(store, [["an answer", "", ""]])
    question_id = question_of(store, exam_id)
    mark(store, marker, marked)
    files = ["0001.jpg", "0002.jpg", "0003.jpg", "0417_2.jpg", "0417.jpg", "0418.jpg", "0418.png", "broken.jpg"]
    with store.read() as db:
        made = rows(db, question_id, [(file, "“broken.jpg” is broken." if "broken" in file else "") for file in files])
    assert [row.problem[:40] for row in made] == [
        "Candidate 0001 has an answer to this que",
        "",
        "Candidate 0003: it has been marked by Ms",
        "",
        "",
        "2 files are named as candidate 0418, pag",
        "2 files are named as candidate 0418, pag",
        "“broken.jpg” is broken.",
    ]
    assert [row.known for row in made] == [True, True, True, False, False, False, False, False]
    assert made[3] == Row("0417_2.jpg", "0417", 2, known=False)


def test_files_become_answers_with_their_pages_in_order(store: Store, marker: Marker) -> None:
    question_id = question_of(store, add_exam(store, [["an answer", ""]])[0])
    pages = {name: [picture(name)] for name in ("0417_2.jpg", "0417.jpg", "0002.jpg")}
    with store.read() as db:
        named = rows(db, question_id, [(name, "") for name in pages])
        answers = arriving(db, question_id, named, pages)
    bring_in(store, marker, question_id, answers)
    found = {number: there(store, question_id, number).response for number in ("0417", "0002")}
    assert found["0417"] is not None
    assert found["0002"] is not None
    assert shown(store, found["0417"].id) == [b"0417.jpg", b"0417_2.jpg"]
    assert shown(store, found["0002"].id) == [b"0002.jpg"]
    assert {response.kind for response in found.values() if response} == {"photographed"}
