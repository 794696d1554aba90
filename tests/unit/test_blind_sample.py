"""The blind sample: which responses are in it, what their marker may not learn, and how their marks are stored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from components.marking import MarkError, Phase, Question, QuestionType, Scheme, Stage
from components.workflow import desk, opening
from components.workflow.desk import Press, Walk
from storage import Store, blind_sample, decisions, events, exams
from storage.standings import Filter, Order
from tests.support import add_exam, add_marker, new_store, propose_points, two_point_question

FIVE_DRAWS = (0.0, 0.0999, 0.1, 0.5, 0.9999)


def drawn(
    store: Store,
    draws: Sequence[float] = FIVE_DRAWS,
    share: float = 0.1,
    question: tuple[Question, Scheme] | None = None,
) -> tuple[int, list[int]]:
    """An exam of one question with a response for each draw. Gives its id and the responses' ids."""
    texts = [f"answer {i}" for i in range(len(draws))]
    exam_id, [row] = add_exam(store, [texts], questions=question and [question], blind_share=share)
    with store.write() as db:
        for response, draw in zip(row, draws, strict=True):
            db.execute("UPDATE responses SET blind_draw = ? WHERE id = ?", (draw, response))
    return exam_id, row


def in_sample(store: Store, row: Sequence[int]) -> list[int]:
    """The places of the responses that are blind by the exam's rule."""
    with store.read() as db:
        return [place for place, response in enumerate(row) if blind_sample.is_blind(db, response)]


def sizes(store: Store, exam_id: int) -> list[tuple[float, int]]:
    with store.read() as db:
        return [(each.threshold, each.responses) for each in blind_sample.of_exam(db, exam_id)]


def set_share(store: Store, exam_id: int, share: float) -> None:
    with store.write() as db:
        exams.set_blind_share(db, exam_id, share, None)


def essay(kind: QuestionType = QuestionType.ESSAY) -> tuple[Question, Scheme]:
    question, scheme = two_point_question()
    return question.model_copy(update={"type": kind}), scheme


def test_a_response_is_in_the_sample_where_its_draw_is_below_the_share(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, row = drawn(store)
    assert in_sample(store, row) == [0, 1]
    assert sizes(store, exam_id) == [(0.1, 2)]


def test_a_larger_share_keeps_what_a_smaller_one_had_and_none_switches_it_off(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, row = drawn(store)
    for share, places in ((0.6, [0, 1, 2, 3]), (0.05, [0]), (1, [0, 1, 2, 3, 4]), (0, [])):
        set_share(store, exam_id, share)
        assert in_sample(store, row) == places
        assert sizes(store, exam_id) == [(share, len(places))]


def test_at_the_full_share_even_a_response_that_was_never_drawn_is_blind(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, row = drawn(store, [1.0, 1.0], share=1)  # 1 is the column's default
    assert in_sample(store, row) == [0, 1]
    assert sizes(store, exam_id) == [(1, 2)]


@pytest.mark.parametrize("kind", [QuestionType.ESSAY, QuestionType.LEVELS])
def test_an_essay_has_thirty_in_its_sample_however_small_the_share(tmp_path: Path, kind: QuestionType) -> None:
    store = new_store(tmp_path)
    exam_id, row = drawn(store, [(place + 0.5) / 40 for place in range(40)], question=essay(kind))
    assert in_sample(store, row) == list(range(30))  # 30 of 40 is a threshold of 0.75
    assert sizes(store, exam_id) == [(0.75, 30)]
    set_share(store, exam_id, 0.9)
    assert sizes(store, exam_id) == [(0.9, 36)]
    set_share(store, exam_id, 0)
    assert sizes(store, exam_id) == [(0, 0)]


def test_an_essay_with_fewer_than_thirty_responses_is_blind_throughout(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, row = drawn(store, question=essay())
    assert in_sample(store, row) == [0, 1, 2, 3, 4]
    assert sizes(store, exam_id) == [(1, 5)]


def test_where_the_whole_exam_is_blind_every_response_is(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, row = drawn(store, share=0)
    with store.write() as db:
        exams.set_blind(db, exam_id, True, None)
    assert in_sample(store, row) == [0, 1, 2, 3, 4]
    assert sizes(store, exam_id) == [(1, 5)]


def test_new_exams_have_a_tenth_and_a_change_is_on_record(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    marker = add_marker(store)
    with store.write() as db:
        exam_id = exams.add_exam(db, "Mock")
        exams.set_blind_share(db, exam_id, 0.25, marker.id)
        exam = exams.get(db, exam_id)
        event = events.latest(db, 1)[0]
    assert exam is not None
    assert (exams.BLIND_SHARE, exam.blind_share) == (0.1, 0.25)
    assert (event.kind, event.about, event.body) == ("blind share set", f"exam {exam_id}", {"share": 0.25})
    assert event.marker_name == marker.name


@pytest.mark.parametrize("share", [-0.01, 1.01, float("nan")])
def test_a_share_that_is_none_is_refused_in_words(tmp_path: Path, share: float) -> None:
    store = new_store(tmp_path)
    exam_id, _ = add_exam(store, [["x"]])
    with store.write() as db, pytest.raises(MarkError, match="between 0% and 100%"):
        exams.set_blind_share(db, exam_id, share, None)
    with store.write() as db, pytest.raises(MarkError, match="between 0% and 100%"):
        exams.add_exam(db, "Mock", blind_share=share)


# ---- on the desk -----------------------------------------------------------------------------------------------


class Sampled:
    """An exam of three responses with a proposal of 2 each; the second is in the blind sample. Two teachers."""

    def __init__(self, folder: Path) -> None:
        self.store = new_store(folder)
        self.teacher = add_marker(self.store)
        self.colleague = add_marker(self.store, "Mr Okafor")
        self.exam_id, self.row = drawn(self.store, [0.5, 0.05, 0.5])
        self.first, self.sampled, self.third = self.row
        self.proposals = [propose_points(self.store, response, ["M1", "A1"]) for response in self.row]
        self.presses = 0

    def open(self, response: int, colleague: bool = False) -> opening.OpenResponse:
        opened = opening.open_response(self.store, response, self.colleague if colleague else self.teacher)
        assert opened is not None
        return opened

    def press(self, response: int, action: str, colleague: bool = False, **more: object) -> desk.Result:
        self.presses += 1
        marker = self.colleague if colleague else self.teacher
        about = {"action_id": str(self.presses), "marker_id": marker.id, "response_id": response}
        press = Press.model_validate({"action": action} | about | more)
        return desk.act(self.store, marker, Walk(self.exam_id), press)

    def stages(self, response: int) -> list[tuple[Stage, float | None]]:
        with self.store.read() as db:
            return [(each.stage, each.mark) for each in decisions.live(db, response)]

    def pairs(self) -> list[tuple[str, float, float]]:
        with self.store.read() as db:
            rows = db.execute("SELECT kind, ai_mark, teacher_mark FROM pairs ORDER BY response_id").fetchall()
        return [tuple(row) for row in rows]

    def met(self, wanted: Filter, colleague: bool = False, order: Order = Order.BY_QUESTION) -> list[int]:
        """The responses that a filter leads a marker to, one after another."""
        marker, found = self.colleague if colleague else self.teacher, []
        walk = Walk(self.exam_id, order, wanted)
        at = desk.start(self.store, walk, marker)
        while at is not None:
            found.append(at)
            at = desk.upcoming(self.store, walk, marker, at)
        return found


def test_a_sampled_response_is_marked_before_its_proposal_and_the_others_after(tmp_path: Path) -> None:
    at = Sampled(tmp_path)
    visible = at.open(at.first)
    assert visible.proposal is not None
    assert (visible.blind, visible.phase) == (False, Phase.MARK)
    at.press(at.first, "accept", proposal_id=at.proposals[0])
    hidden = at.open(at.sampled)
    assert (hidden.blind, hidden.phase, hidden.proposal, hidden.calibration) == (True, Phase.BLIND, None, None)
    with pytest.raises(MarkError, match="no proposal to accept"):
        at.press(at.sampled, "accept", proposal_id=at.proposals[1])
    assert at.press(at.sampled, "mark", mark=0).response_id == at.sampled, "it stays for the reveal"
    revealed = at.open(at.sampled)
    assert revealed.proposal is not None
    assert revealed.phase is Phase.REVEAL
    assert at.press(at.sampled, "keep").response_id == at.third
    assert at.stages(at.first) == [("ai_first", 2)]
    assert at.stages(at.sampled) == [("blind", 0), ("revealed", 0)]
    assert at.pairs() == [("accept", 2, 2), ("agreement", 2, 0)]


def test_who_saw_the_proposal_before_the_share_grew_is_not_blind(tmp_path: Path) -> None:
    at = Sampled(tmp_path)
    at.open(at.first)
    set_share(at.store, at.exam_id, 0.6)
    assert at.open(at.first).phase is Phase.MARK
    assert at.open(at.first, colleague=True).phase is Phase.BLIND
    assert at.open(at.third).phase is Phase.BLIND
    at.press(at.first, "mark", mark=1)
    assert at.stages(at.first) == [("ai_first", 1)]


def test_a_smaller_share_shows_what_it_leaves_out(tmp_path: Path) -> None:
    at = Sampled(tmp_path)
    assert at.open(at.sampled).phase is Phase.BLIND
    set_share(at.store, at.exam_id, 0.01)
    assert at.open(at.sampled).phase is Phase.MARK


def test_a_sampled_response_without_a_proposal_is_marked_and_gone_on_from(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    teacher = add_marker(store)
    exam_id, [first, second] = drawn(store, [0.0, 0.0])
    press = Press(action="mark", action_id="x", marker_id=teacher.id, response_id=first, mark=1)
    assert desk.act(store, teacher, Walk(exam_id), press).response_id == second


def test_a_mark_undone_before_the_reveal_leaves_its_marker_blind(tmp_path: Path) -> None:
    at = Sampled(tmp_path)
    at.press(at.sampled, "mark", mark=0)
    with at.store.read() as db:
        slip = decisions.live(db, at.sampled)[0]
    at.press(at.sampled, "undo", undo_decision_id=slip.id)
    assert at.open(at.sampled).phase is Phase.BLIND
    assert at.met(Filter.DIFFERS) == []


def test_the_filter_ai_differs_leads_nobody_to_what_is_blind_to_them(tmp_path: Path) -> None:
    at = Sampled(tmp_path)
    for response in at.row:
        at.open(response)
        at.press(response, "mark", mark=0)  # two marks from the AI's 2
    assert at.met(Filter.DIFFERS) == at.row
    assert at.met(Filter.DIFFERS, colleague=True) == [at.first, at.third]
    assert at.met(Filter.DIFFERS, colleague=True, order=Order.BY_SCRIPT) == [at.first, at.third]
    assert at.met(Filter.ALL, colleague=True) == at.row
    at.press(at.sampled, "mark", colleague=True, mark=1)
    assert at.met(Filter.DIFFERS, colleague=True) == at.row


def test_the_filter_low_confidence_leads_nobody_to_what_is_blind_to_them(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    teacher = add_marker(store)
    exam_id, [first, sampled] = drawn(store, [0.5, 0.05])  # no proposal at all counts as low confidence
    unsure = Walk(exam_id, wanted=Filter.UNSURE)
    assert desk.start(store, unsure, teacher) == first
    assert desk.upcoming(store, unsure, teacher, first) is None
    assert desk.upcoming(store, Walk(exam_id, wanted=Filter.ALL), teacher, first) == sampled


def test_a_colleagues_note_waits_for_the_blind_mark(tmp_path: Path) -> None:
    at = Sampled(tmp_path)
    for response in (at.first, at.sampled):
        at.press(response, "comment", comment="The AI gave 2.")
    assert [note.text for note in at.open(at.first, colleague=True).notes] == ["The AI gave 2."]
    assert at.open(at.sampled, colleague=True).notes == ()
