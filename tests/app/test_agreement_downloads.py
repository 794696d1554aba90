from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from components.marking import Outcome, Role, Stage
from storage import Store, decisions, proposals
from tests.support import add_exam, add_marker, new_store, propose_points


def _shown(folder: str, exam_id: int, marker_id: int) -> None:
    from pathlib import Path

    from components.workflow.agreement.answers import answers
    from components.workflow.agreement.figures import exam_figures
    from components.workflow.agreement.selection import Selection
    from pages.department.agreement_downloads import show
    from storage import Store, markers

    store = Store(Path(folder) / "second-marker.db")
    with store.read() as db:
        viewer = markers.get(db, marker_id)
    assert viewer is not None
    figures = exam_figures(store, Selection(exam_id))
    show(store, figures, viewer, answers(figures))


def opened(store: Store, exam_id: int, marker_id: int) -> AppTest:
    kept = {"folder": str(store.path.parent), "exam_id": exam_id, "marker_id": marker_id}
    return AppTest.from_function(_shown, kwargs=kept, default_timeout=30).run()


def test_the_page_offers_four_files_and_makes_none_before_it_is_asked_for(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    teacher, head = add_marker(store), add_marker(store, "Dr Ferris", Role.HEAD)
    exam_id, ((response_id,),) = add_exam(store, [["x"]], title="Biology: Paper 1/2 <mock>")
    proposal = propose_points(store, response_id, ("M1",))
    with store.write() as db:
        decisions.record(db, response_id, teacher.id, Outcome.MARK, Stage.BLIND, mark=1, proposal_id=proposal)
    at = opened(store, exam_id, head.id)
    assert not at.exception
    labels = [each.label for each in at.get("download_button")]
    assert labels == ["Report (HTML)", "Tables (Excel)", "Tables (CSV)", "All pairs (CSV)"]
    assert "no longer be marked blind by you" in at.caption[3].value
    with store.read() as db:  # as taking the pairs away would be noted
        assert not proposals.seen_by(db, response_id, head.id)
    at = opened(store, exam_id, teacher.id)
    assert "responses that you have marked yourself" in at.caption[3].value
    assert "numbers in place of names" in at.caption[3].value
