"""The marking page in its states. Presses are tested in Chromium and at the workflow; this is what it shows."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from components.marking import Outcome, Role, Stage
from components.widgets.author import author_markdown, scheme_markdown
from components.workflow import desk
from components.workflow.desk import Press, Walk
from storage import Store, decisions, exams, markers, pictures, runs
from tests.support import abstain_on, add_exam, add_marker, propose_points, two_point_question

PAGE = "pages/teacher/mark.py"
OpenPage = Callable[..., AppTest]


def on_desk(at: AppTest) -> dict[str, Any]:
    """The data the desk component was given."""
    (component,) = [each for each in at.get("bidi_component") if each.proto.component_name == "second_marker_desk"]
    return dict(json.loads(component.proto.json))


def test_a_fresh_data_folder_opens_on_the_welcome_with_the_demo_profiles(app: OpenPage, tmp_path: Path) -> None:
    at = app()
    assert not at.exception
    assert at.title[0].value == "Second Marker"
    assert [button.label for button in at.button if "Demo" in button.label] == [
        "Demo head of department · head of department",
        "Demo pilot lead · pilot lead",
        "Demo teacher · teacher",
    ]
    at.button(key=next(b.key for b in at.button if b.label.startswith("Demo teacher"))).click().run()
    assert not at.exception
    data = on_desk(at)
    assert data["total"] == 600
    assert data["responseId"] is not None
    assert at.selectbox(key="exam_id").options == ["Demo mock 2026 (invented)", "Demo mock: paper and ink (invented)"]


def test_a_new_profile_starts_at_once_and_a_taken_name_is_refused(app: OpenPage, store: Store) -> None:
    add_exam(store, [["x"]])
    add_marker(store, "Ms Khan")
    at = app()
    at.text_input[0].set_value("Ms Khan")
    at.form_submit_button[0].click().run()
    assert "already a marker called Ms Khan" in at.error[0].value
    at.text_input[0].set_value("Dr Li")
    at.selectbox[0].select(Role.HEAD)
    at.form_submit_button[0].click().run()
    assert not at.exception
    with store.read() as db:
        assert at.session_state["marker_id"] == markers.find(db, "Dr Li")


def test_a_proposal_stands_beside_the_answer_with_its_evidence(app: OpenPage, store: Store) -> None:
    _, [[response]] = add_exam(store, [["so the enzyme is denatured by heat"]])
    proposal = propose_points(store, response, ["M1"], quote="enzyme is denatured")
    data = on_desk(app(PAGE, add_marker(store)))
    assert data["proposal"] | {"others": None} == {
        "id": proposal,
        "status": "proposed",
        "mark": 1,
        "confidence": "fairly sure",
        "captions": ["Offline matcher, not an LLM"],
        "reason": "",
        "flags": [],
        "others": None,
    }
    assert [(p["text"], p["codes"]) for p in data["segments"]] == [
        ("so the ", []),
        ("enzyme is denatured", ["M1"]),
        (" by heat", []),
    ]
    assert [(p["name"], p["ticked"]) for p in data["points"]] == [("M1", True), ("A1", False)]
    assert data["marks"] == [0, 1, 2]


def test_a_proposal_says_how_often_marks_given_without_seeing_it_bore_it_out(app: OpenPage, store: Store) -> None:
    _, [row] = add_exam(store, [["the enzyme is denatured"] * 21])
    colleague = add_marker(store, "Mr Okafor")
    for i, response in enumerate(row):
        propose_points(store, response, ["M1"])
        if i > 0:
            with store.write(durable=False) as db:
                decisions.record(db, response, colleague.id, Outcome.MARK, Stage.BLIND, mark=1 if i > 2 else 2)
    data = on_desk(app(PAGE, add_marker(store)))
    assert data["responseId"] == row[0]
    assert data["proposal"]["captions"] == [
        "Exactly right about 9 times in 10 at this confidence (18 of 20 marks given without seeing it, this question)",
        "Offline matcher, not an LLM",
    ]


def test_in_blind_mode_nothing_of_the_proposal_reaches_the_browser(app: OpenPage, store: Store) -> None:
    exam_id, [[response]] = add_exam(store, [["the enzyme is denatured"]])
    propose_points(store, response, ["M1"], quote="enzyme is denatured")
    marker = add_marker(store)
    with store.write() as db:
        exams.set_blind(db, exam_id, True, None)
    data = on_desk(app(PAGE, marker))
    assert data["phase"] == "blind"
    assert data["proposal"] is None
    assert [p["codes"] for p in data["segments"]] == [[]]
    assert {(p["ticked"], p["awarded"], p["reason"]) for p in data["points"]} == {(None, None, "")}
    assert "About" not in json.dumps(data)


def test_an_abstention_says_why_and_offers_no_mark(app: OpenPage, store: Store) -> None:
    _, [[response]] = add_exam(store, [[""]])
    abstain_on(store, response)
    data = on_desk(app(PAGE, add_marker(store)))
    assert (data["proposal"]["mark"], data["proposal"]["reason"]) == (None, "The answer is blank.")
    assert data["proposal"]["id"] is None
    assert data["blank"] is True


def test_without_a_proposal_the_page_can_be_marked_all_the_same(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    data = on_desk(app(PAGE, add_marker(store)))
    assert data["proposal"] is None
    assert "you can mark without it" in data["noProposal"]


def test_when_all_is_marked_the_page_says_so_and_offers_the_undo(app: OpenPage, store: Store) -> None:
    exam_id, [[response]] = add_exam(store, [["an answer"]])
    marker = add_marker(store)
    press = Press(action="mark", action_id="x", marker_id=marker.id, response_id=response, mark=1)
    desk.act(store, marker, Walk(exam_id), press)
    at = app(PAGE, marker)
    data = on_desk(at)
    assert (data["responseId"], data["emptyTitle"]) == (None, "All marked")
    assert data["undo"]["label"] == "Undo 1 on 0001"
    at.selectbox(key="wanted").select("all").run()
    assert on_desk(at)["responseId"] == response


def test_without_an_exam_the_page_leads_to_the_exams(app: OpenPage, store: Store) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    with store.write() as db:
        exams.archive(db, exam_id, None, "test")
    at = app(PAGE, add_marker(store))
    assert not at.exception
    assert "no exam to mark yet" in at.info[0].value


def test_a_deep_link_opens_its_response_and_a_foreign_one_does_not(app: OpenPage, store: Store) -> None:
    exam_id, [row] = add_exam(store, [["one", "two", "three"]])
    marker = add_marker(store)
    assert on_desk(app(PAGE, marker, exam=str(exam_id), response=str(row[2])))["responseId"] == row[2]
    for wrong in ("99999", "x", "-1"):
        assert on_desk(app(PAGE, marker, exam=str(exam_id), response=wrong))["responseId"] == row[0]


def test_a_question_filter_keeps_to_its_question(app: OpenPage, store: Store) -> None:
    exam_id, grid = add_exam(store, [["a", "b"], ["c", "d"]])
    at = app(PAGE, add_marker(store))
    with store.read() as db:
        second = exams.questions(db, exam_id)[1].id
    at.selectbox(key=f"question_of_{exam_id}").select(second).run()
    data = on_desk(at)
    assert (data["responseId"], data["total"]) == (grid[1][0], 2)


def parcels(at: AppTest) -> list[list[str]]:
    """The pictures, by the start of their SHA-256, in each message that was sent with this draw."""
    found = [each.proto for each in at.get("bidi_component") if each.proto.component_name == "second_marker_pictures"]
    return [[name["sha"] for name in json.loads(proto.bytes.split(b"\n", 1)[0])] for proto in found]


def test_pictures_are_sent_once_with_the_next_responses_ahead_of_it(app: OpenPage, store: Store) -> None:
    _, [row] = add_exam(store, [["", "", "typed"]])
    pages = []
    for side in (20, 30):
        out = io.BytesIO()
        Image.new("RGB", (side, side), "white").save(out, "PNG")
        pages.append(pictures.Picture(out.getvalue(), "image/png", side, side))
    with store.write() as db:
        for response, page in zip(row, pages, strict=False):
            pictures.attach(db, response, [pictures.NewPage(page)])
    at = app(None, add_marker(store))
    assert not at.exception
    [shown] = on_desk(at)["pages"]
    assert (shown["sha"], shown["width"]) == (pages[0].sha256, 20)
    assert parcels(at) == [[pages[0].sha256], [pages[1].sha256]]
    assert b"PNG" not in json.dumps(on_desk(at)).encode()
    at.run()
    assert parcels(at) == []


def test_a_region_that_the_scan_found_blank_is_offered_as_no_response_and_stays_unmarked(
    app: OpenPage, store: Store
) -> None:
    exam_id, [[blank, written]] = add_exam(store, [["", ""]])
    out = io.BytesIO()
    Image.new("RGB", (40, 40), "white").save(out, "PNG")
    page = pictures.Picture(out.getvalue(), "image/png", 40, 40)
    with store.write() as db:
        pictures.attach(db, blank, [pictures.NewPage(page, source="class.pdf, page 2 · blank region")])
        pictures.attach(db, written, [pictures.NewPage(page, source="class.pdf, page 4")])
    marker = add_marker(store)
    said = "The scan found nothing written here: press N if there is no response."
    data = on_desk(app(PAGE, marker, exam=str(exam_id), response=str(blank)))
    assert data["notes"] == [said]
    assert data["own"] is None
    assert on_desk(app(PAGE, marker, exam=str(exam_id), response=str(written)))["notes"] == []


def test_a_database_of_a_newer_version_is_an_error_in_words(app: OpenPage, store: Store) -> None:
    with store.write() as db:
        db.execute("PRAGMA user_version = 99")
    at = app()
    assert not at.exception
    assert "newer version" in at.error[0].value


@pytest.mark.parametrize(
    "page",
    ["teacher/mark.py", "department/exams.py", "department/agreement.py", "pilot/judges.py", "pilot/runs.py"],
)
def test_an_error_in_a_page_is_said_in_words_without_a_traceback(
    app: OpenPage, store: Store, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    add_exam(store, [["x"]])
    marker = add_marker(store, "Dr Li", Role.HEAD)
    for name in ("listed", "summaries"):
        monkeypatch.setattr(exams, name, lambda db: 1 / 0)
    monkeypatch.setattr(runs, "listed", lambda *_: 1 / 0)
    at = app(f"pages/{page}", marker)
    assert not at.exception
    assert "Your marks are safe" in at.error[0].value
    assert "ZeroDivision" not in at.error[0].value


def test_an_authors_picture_is_not_fetched_and_a_scheme_shows_every_part() -> None:
    assert "![" not in author_markdown("see ![graph](http://elsewhere.example/x.png) and [a link](x)")
    _, scheme = two_point_question()
    shown = scheme_markdown(scheme, "Heat denatures it.")
    assert "**A1** (1) the active site no longer fits · needs M1" in shown
    assert "*Model answer:* Heat denatures it." in shown


def test_a_response_of_the_blind_sample_says_why_the_ais_mark_is_not_there_yet(app: OpenPage, store: Store) -> None:
    exam_id, [[visible, sampled]] = add_exam(store, [["one", "the enzyme is denatured"]], blind_share=0.1)
    with store.write() as db:
        for response, draw in ((visible, 0.5), (sampled, 0.05)):
            db.execute("UPDATE responses SET blind_draw = ? WHERE id = ?", (draw, response))
    for response in (visible, sampled):
        propose_points(store, response, ["M1"])
    marker = add_marker(store)
    at = app(PAGE, marker)
    assert (on_desk(at)["responseId"], on_desk(at)["phase"]) == (visible, "mark")
    assert on_desk(at)["proposal"]["mark"] == 1
    data = on_desk(app(PAGE, marker, exam=str(exam_id), response=str(sampled)))
    assert (data["phase"], data["proposal"]) == ("blind", None)
    assert data["markFirst"] == "Part of the blind sample: mark first, the AI's mark appears after yours."
    with store.write() as db:
        exams.set_blind(db, exam_id, True, None)
    data = on_desk(app(PAGE, marker, exam=str(exam_id), response=str(sampled)))
    assert data["markFirst"] == "Mark first; the AI's mark appears after yours."
