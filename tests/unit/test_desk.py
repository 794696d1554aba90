"""What a press on the marking desk does: to the mark, to its stage, to the next response, and what it can never do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from components.marking import Marker, MarkError, Outcome, Phase, Role, Stage
from components.workflow import desk, opening
from components.workflow.desk import Press, Walk
from storage import Store, decisions, exams, pairs, standings
from storage.standings import Filter, Order
from tests.support import abstain_on, add_exam, add_marker, new_store, propose_points, two_point_question

ROOT = Path(__file__).parents[2]


class Desk:
    """A store with one exam, a teacher, and presses that carry what was on screen, as the browser's do."""

    def __init__(self, folder: Path, answers: list[list[str]] | None = None) -> None:
        self.store = new_store(folder)
        self.teacher = add_marker(self.store)
        self.exam_id, self.grid = add_exam(self.store, answers or [["one", "two", "three"]])
        self.walk = Walk(self.exam_id)
        self.presses = 0

    def open(self, response_id: int, marker: Marker | None = None) -> opening.OpenResponse:
        opened = opening.open_response(self.store, response_id, marker or self.teacher)
        assert opened is not None
        return opened

    def press(self, response_id: int | None, action: str, marker: Marker | None = None, **more: object) -> desk.Result:
        self.presses += 1
        press = Press.model_validate(
            {
                "action": action,
                "action_id": f"press-{self.presses}",
                "marker_id": (marker or self.teacher).id,
                "response_id": response_id,
            }
            | more
        )
        return desk.act(self.store, marker or self.teacher, self.walk, press)

    def blind(self, on: bool = True) -> None:
        with self.store.write() as db:
            exams.set_blind(db, self.exam_id, on, self.teacher.id)

    def stages(self, response_id: int) -> list[tuple[str, float | None]]:
        with self.store.read() as db:
            return [(d.stage, d.mark) for d in decisions.live(db, response_id)]

    def pairs(self, kind: str) -> list[tuple[float, float]]:
        with self.store.read() as db:
            found = pairs.cells(db, kind, pairs.Wanted(self.exam_id))
        return [(cell.ai, cell.teacher) for cell in found for _ in range(cell.n)]


def test_accepting_gives_the_stored_proposals_mark_and_moves_on(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first, second, _ = at.grid[0]
    proposal = propose_points(at.store, first, ["M1"])
    at.open(first)
    result = at.press(first, "accept", proposal_id=proposal, mark=2)  # what the browser says of the mark is no matter
    assert at.stages(first) == [("ai_first", 1)]
    assert result.response_id == second
    assert at.pairs("accept") == [(1, 1)]
    assert at.pairs("agreement") == []


def test_a_proposal_that_was_not_on_screen_cannot_be_accepted(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first, second, third = at.grid[0]
    shown = propose_points(at.store, first, ["M1"])
    unseen = propose_points(at.store, second, ["M1", "A1"])
    at.open(first)
    for response, proposal in ((second, unseen), (second, shown), (third, None)):
        with pytest.raises(MarkError):
            at.press(response, "accept", proposal_id=proposal)
    assert at.stages(second) == []


def test_an_abstention_cannot_be_accepted_and_leaves_the_marker_blind(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first = at.grid[0][0]
    abstained = abstain_on(at.store, first)
    opened = at.open(first)
    assert opened.proposal is not None
    assert opened.proposal.proposal.mark is None
    with pytest.raises(MarkError):
        at.press(first, "accept", proposal_id=abstained)
    at.press(first, "mark", mark=1)
    assert at.stages(first) == [("blind", 1)]


def test_ticked_points_are_added_by_the_scheme(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first, second, third = at.grid[0]
    at.press(first, "mark_points", points=["M1", "A1"])
    at.press(second, "mark_points", points=["A1"])  # A1 needs M1
    at.press(third, "mark_points", points=[])
    assert [at.stages(r)[0][1] for r in at.grid[0]] == [2, 0, 0]
    with at.store.read() as db:
        assert decisions.live(db, first)[0].points == ("M1", "A1")
    with pytest.raises(MarkError, match="no marking point Z"):
        at.press(first, "mark_points", points=["Z"])


@pytest.mark.parametrize("mark", [3, -1, 0.5, None])
def test_a_mark_outside_the_scale_is_refused_and_nothing_moves(tmp_path: Path, mark: float | None) -> None:
    at = Desk(tmp_path)
    with pytest.raises(MarkError):
        at.press(at.grid[0][0], "mark", mark=mark)
    assert at.stages(at.grid[0][0]) == []


def test_blind_mode_hides_the_proposal_then_reveals_it_and_stores_each_stage(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first, second, _ = at.grid[0]
    proposal = propose_points(at.store, first, ["M1", "A1"])
    at.blind()
    opened = at.open(first)
    assert (opened.phase, opened.proposal) == (Phase.BLIND, None)
    stays = at.press(first, "mark", mark=1)
    assert stays.response_id == first
    revealed = at.open(first)
    assert revealed.phase is Phase.REVEAL
    assert revealed.proposal is not None
    assert revealed.proposal.id == proposal
    moves = at.press(first, "keep")
    assert moves.response_id == second
    assert at.stages(first) == [("blind", 1), ("revealed", 1)]
    assert at.pairs("agreement") == [(2, 1)]
    assert at.pairs("accept") == []


def test_changing_at_the_reveal_leaves_the_blind_mark_for_agreement(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first = at.grid[0][0]
    propose_points(at.store, first, ["M1", "A1"])
    at.blind()
    at.open(first)
    at.press(first, "mark", mark=0)
    at.open(first)
    at.press(first, "mark", mark=2)
    assert at.stages(first) == [("blind", 0), ("revealed", 2)]
    assert at.pairs("agreement") == [(2, 0)]
    with at.store.read() as db:
        standing = standings.get(db, first)
        assert standing is not None
        assert standing.final_mark == 2


def test_who_has_seen_the_proposal_is_never_blind_again(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first = at.grid[0][0]
    propose_points(at.store, first, ["M1"])
    at.open(first)  # seen with blind mode off
    at.blind()
    assert at.open(first).phase is Phase.MARK
    at.press(first, "mark", mark=2)
    assert at.stages(first) == [("ai_first", 2)]
    assert at.pairs("agreement") == []


def test_undoing_a_blind_mark_after_its_reveal_does_not_remove_the_disagreement(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first = at.grid[0][0]
    proposal = propose_points(at.store, first, ["M1", "A1"])
    at.blind()
    at.open(first)
    at.press(first, "mark", mark=0)
    at.open(first)
    with at.store.read() as db:
        blind_mark = decisions.live(db, first)[0]
    at.press(first, "undo", undo_decision_id=blind_mark.id)
    assert at.open(first).phase is Phase.MARK  # not blind once more
    at.press(first, "accept", proposal_id=proposal)
    assert at.stages(first) == [("revealed", 2)]
    assert at.pairs("agreement") == [(2, 0)]
    assert at.pairs("accept") == []


def test_undoing_a_blind_mark_before_any_reveal_takes_it_out(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first = at.grid[0][0]
    at.blind()
    at.open(first)
    at.press(first, "mark", mark=0)  # no proposal yet, so no reveal
    with at.store.read() as db:
        slip = decisions.live(db, first)[0]
    at.press(first, "undo", undo_decision_id=slip.id)
    propose_points(at.store, first, ["M1"])
    assert at.pairs("agreement") == []
    at.press(first, "mark", mark=1)
    assert at.stages(first) == [("blind", 1)]
    assert at.pairs("agreement") == [(1, 1)]


def test_a_mark_that_gives_way_to_no_response_leaves_every_figure(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first, second, _ = at.grid[0]
    propose_points(at.store, first, ["M1"])
    proposal = propose_points(at.store, second, ["M1"])
    at.open(second)
    at.press(second, "accept", proposal_id=proposal)
    at.press(second, "no_response")
    assert at.pairs("accept") == []
    at.blind()
    at.open(first)
    at.press(first, "mark", mark=2)
    assert at.pairs("agreement") == [(1, 2)]
    with at.store.write() as db:
        decisions.record(db, first, at.teacher.id, Outcome.NO_RESPONSE, Stage.BLIND)
    assert at.pairs("agreement") == []


def test_no_response_can_be_kept_at_the_reveal(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first, second, _ = at.grid[0]
    propose_points(at.store, first, ["M1"])
    at.blind()
    at.open(first)
    assert at.press(first, "no_response").response_id == first
    at.open(first)
    assert at.press(first, "keep").response_id == second
    assert at.stages(first) == [("blind", None), ("revealed", None)]


def test_a_proposal_that_came_unseen_makes_no_accept_pair(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first = at.grid[0][0]
    propose_points(at.store, first, ["M1"])
    at.open(first)
    propose_points(at.store, first, ["M1", "A1"])  # a newer one, after the page was drawn
    at.press(first, "mark", mark=2)
    assert at.stages(first) == [("ai_first", 2)]
    assert at.pairs("accept") == []


def test_a_press_names_its_marker_and_a_proposal_of_the_response(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first, second, _ = at.grid[0]
    other = add_marker(at.store, "Mr Okafor")
    with pytest.raises(MarkError, match="another profile"):
        at.press(first, "mark", other, mark=1, marker_id=at.teacher.id)
    elsewhere = propose_points(at.store, second, ["M1"])
    with pytest.raises(MarkError, match="not on screen for this response"):
        at.press(first, "mark", mark=1, proposal_id=elsewhere)
    assert at.stages(first) == []


def test_a_blind_second_marker_learns_nothing_from_filters_and_notes(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first = at.grid[0][0]
    propose_points(at.store, first, ["M1", "A1"])
    at.blind()
    at.open(first)
    at.press(first, "mark", mark=0)
    at.press(first, "comment", comment="The AI gave 2.")
    other = add_marker(at.store, "Mr Okafor")
    assert at.open(first, other).notes == ()
    differs = Walk(at.exam_id, wanted=Filter.DIFFERS)
    assert desk.start(at.store, differs, other) is None
    assert desk.start(at.store, differs, at.teacher) == first
    at.press(first, "mark", other, mark=1)
    assert [note.text for note in at.open(first, other).notes] == ["The AI gave 2."]
    assert desk.start(at.store, differs, other) == first


def test_the_last_of_a_filter_stays_on_the_desk_and_says_so(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    third = at.grid[0][2]
    at.walk = Walk(at.exam_id, wanted=Filter.ALL)
    result = at.press(third, "mark", mark=1)
    assert result.response_id == third
    assert "last one here" in result.notice


def test_another_teacher_who_has_not_seen_it_is_still_blind(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first = at.grid[0][0]
    propose_points(at.store, first, ["M1"])
    at.open(first)
    at.blind()
    other = add_marker(at.store, "Mr Okafor")
    assert at.open(first, other).phase is Phase.BLIND


def test_a_blind_response_with_no_proposal_has_no_reveal(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first, second, _ = at.grid[0]
    at.blind()
    at.open(first)
    assert at.press(first, "mark", mark=1).response_id == second


def test_two_teachers_on_one_response_lose_nothing_and_are_told(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first = at.grid[0][0]
    other = add_marker(at.store, "Mr Okafor")
    mine, theirs = at.open(first), at.open(first, other)
    at.press(first, "mark", mark=1, seen_decision_id=mine.seen_decision_id)
    told = at.press(first, "mark", other, mark=2, seen_decision_id=theirs.seen_decision_id)
    assert "Ms Khan had given it 1" in told.notice
    assert at.stages(first) == [("blind", 1), ("blind", 2)]
    # A third look has seen both, so nothing is "meanwhile".
    again = at.open(first)
    assert again.marked_by_others == ("Mr Okafor",)
    assert "Meanwhile" not in at.press(first, "mark", mark=1, seen_decision_id=again.seen_decision_id).notice


def test_two_tabs_of_one_teacher_lose_nothing_and_are_told(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first = at.grid[0][0]
    seen = at.open(first).seen_decision_id
    at.press(first, "mark", mark=1, seen_decision_id=seen)
    assert "you, in another tab" in at.press(first, "mark", mark=2, seen_decision_id=seen).notice
    assert [mark for _, mark in at.stages(first)] == [1, 2]


def test_undo_takes_back_the_named_mark_and_goes_to_its_response(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first, second, _ = at.grid[0]
    at.press(first, "mark", mark=2)
    undoable = desk.undoable(at.store, at.exam_id, at.teacher)
    assert undoable is not None
    decision, candidate = undoable
    assert candidate == "0001"
    back = at.press(second, "undo", undo_decision_id=decision.id)
    assert back.response_id == first
    assert at.stages(first) == []
    assert "already" in at.press(second, "undo", undo_decision_id=decision.id).notice
    assert desk.undoable(at.store, at.exam_id, at.teacher) is None
    with pytest.raises(MarkError, match="nothing of yours to undo"):
        at.press(second, "undo")


def test_a_flag_and_a_comment_stay_with_the_response(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first = at.grid[0][0]
    assert at.press(first, "flag").response_id == first
    at.press(first, "comment", comment="Ask Dr Li.")
    opened = at.open(first)
    assert opened.flagged
    assert [(note.kind, note.text) for note in opened.notes] == [("flag", ""), ("comment", "Ask Dr Li.")]
    with at.store.read() as db:
        assert standings.neighbour(db, at.exam_id, Order.BY_QUESTION, Filter.FLAGGED) == first
    at.press(first, "unflag")
    assert not at.open(first).flagged


def test_the_walk_goes_round_to_what_was_left_out_and_then_ends(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first, second, third = at.grid[0]
    assert at.press(third, "mark", mark=0).response_id == first
    assert at.press(first, "mark", mark=0).response_id == second
    assert at.press(second, "mark", mark=0).response_id is None


def test_filters_find_low_confidence_and_differing_marks(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first, second, third = at.grid[0]
    for response in (first, second):
        proposal = propose_points(at.store, response, ["M1", "A1"])
        at.open(response)
    at.press(first, "accept", proposal_id=proposal - 1)
    at.press(second, "mark", mark=0)
    with at.store.read() as db:
        assert standings.neighbour(db, at.exam_id, Order.BY_QUESTION, Filter.DIFFERS) == second
        assert standings.neighbour(db, at.exam_id, Order.BY_QUESTION, Filter.UNSURE) == third  # no proposal at all


def test_back_goes_to_marked_responses_too(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first, second, third = at.grid[0]
    at.press(first, "mark", mark=1)
    assert at.press(second, "previous").response_id == first
    assert at.press(first, "next").response_id == second
    assert at.press(third, "next").notice == "This is the last response here."


def test_a_message_that_is_no_press_is_refused() -> None:
    for payload in (None, [], {"action": "delete everything"}, {"action": "mark"}, {"action": "mark", "action_id": 3}):
        with pytest.raises(MarkError, match="Reload"):
            desk.parse_press(payload)


def test_a_response_of_a_reset_exam_says_so(tmp_path: Path) -> None:
    at = Desk(tmp_path)
    first = at.grid[0][0]
    with at.store.write() as db:
        exams.archive(db, at.exam_id, at.teacher.id, "test")
    assert opening.open_response(at.store, first, at.teacher) is None
    with pytest.raises(MarkError, match="no longer here"):
        at.press(first, "mark", mark=1)


# ---- many at once, and the plug pulled -------------------------------------------------------------------------

RESPONSES = 40


MARKING_CHILD = """
import sys
from pathlib import Path
from components.workflow import desk, opening
from components.workflow.desk import Press, Walk
from storage import Store, markers

store, name = Store(Path(sys.argv[1])), sys.argv[2]
with store.read() as db:
    marker = markers.get(db, markers.find(db, name))
    rows = [row[0] for row in db.execute("SELECT id FROM responses ORDER BY id").fetchall()]
for response in rows:
    opening.open_response(store, response, marker)
    press = Press(
        action="mark", action_id=f"{name}-{response}", marker_id=marker.id, response_id=response, mark=response % 3
    )
    desk.act(store, marker, Walk(1), press)
"""


def test_eight_processes_decide_at_once_and_every_mark_is_kept(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    names = [f"Marker {i}" for i in range(8)]
    for name in names:
        add_marker(store, name, Role.TEACHER)
    exam_id, _ = add_exam(store, [[f"answer {i}" for i in range(RESPONSES)]])
    children = [
        subprocess.Popen([sys.executable, "-c", MARKING_CHILD, str(store.path), name], cwd=ROOT) for name in names
    ]
    assert [child.wait(120) for child in children] == [0] * 8
    with store.read() as db:
        counts = db.execute("SELECT marker_id, count(*) FROM decisions GROUP BY marker_id").fetchall()
        assert [row[1] for row in counts] == [RESPONSES] * 8
        assert standings.progress(db, exam_id) == (RESPONSES, RESPONSES)
    assert_derived_rows_are_right(store, exam_id)


def test_a_kill_in_the_middle_of_deciding_loses_nothing_that_was_said_to_be_saved(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    add_marker(store, "Ms Khan")
    exam_id, _ = add_exam(store, [[f"answer {i}" for i in range(400)]])
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED_CHILD, str(store.path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    said = [int(child.stdout.readline()) for _ in range(25)]
    os.kill(child.pid, signal.SIGKILL)
    said += [int(line) for line in child.stdout.read().split()]
    child.wait()
    reopened = Store(store.path)
    with reopened.read() as db:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        kept = {row[0] for row in db.execute("SELECT response_id FROM decisions").fetchall()}
        marked, total = standings.progress(db, exam_id)
    assert set(said) <= kept
    assert (marked, total) == (len(kept), 400)
    assert_derived_rows_are_right(reopened, exam_id)


KILLED_CHILD = """
import sys
from pathlib import Path
from components.workflow import desk
from components.workflow.desk import Press, Walk
from storage import Store, markers

store = Store(Path(sys.argv[1]))
with store.read() as db:
    marker = markers.profiles(db)[0]
    rows = [row[0] for row in db.execute("SELECT id FROM responses ORDER BY id").fetchall()]
for response in rows:
    press = Press(action="mark", action_id=str(response), marker_id=marker.id, response_id=response, mark=1)
    desk.act(store, marker, Walk(1), press)
    print(response, flush=True)
"""


def assert_derived_rows_are_right(store: Store, exam_id: int) -> None:
    """Standings, pairs and progress are what a rebuild from the record gives."""

    def snapshot() -> list[list[tuple[object, ...]]]:
        with store.read() as db:
            return [
                [tuple(row) for row in db.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall()]
                for table in ("standings", "pairs", "progress")
            ]

    before = snapshot()
    with store.write() as db:
        standings.refresh_exam(db, exam_id)
    assert snapshot() == before


def test_half_marks_and_wide_scales_keep_their_marks(tmp_path: Path) -> None:
    at = Desk.__new__(Desk)
    at.store = new_store(tmp_path)
    at.teacher = add_marker(at.store)
    at.exam_id, at.grid = add_exam(
        at.store,
        [["a"], ["b"]],
        questions=[two_point_question("1", max_mark=3, step=0.5), two_point_question("2", max_mark=40)],
    )
    at.walk, at.presses = Walk(at.exam_id), 0
    at.press(at.grid[0][0], "mark", mark=2.5)
    at.press(at.grid[1][0], "mark", mark=37)
    assert (at.stages(at.grid[0][0]), at.stages(at.grid[1][0])) == ([(Stage.BLIND, 2.5)], [(Stage.BLIND, 37)])
