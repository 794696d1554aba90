from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from streamlit.testing.v1 import AppTest

from components.marking import Marker, Outcome, Role, Stage
from storage import Store, decisions, exams, jobs, judges, proposals, standings
from tests.support import add_exam, add_marker, propose_points

PAGE = "pages/department/agreement.py"
POINTS: dict[int, tuple[str, ...]] = {0: (), 1: ("M1",), 2: ("M1", "A1")}

# Σd² = 7, Σx = 13, Σx² = 23, Σy = 12, Σy² = 20 over 10 pairs: QWK = 1 − 70/118 = .41; exact 6 of 10; mean d +0.1.
AI = [0, 0, 1, 1, 1, 2, 2, 2, 2, 2]
TEACHER = [0, 1, 1, 1, 2, 2, 2, 2, 1, 0]

OpenPage = Callable[..., AppTest]


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Osei", Role.HEAD)


@pytest.fixture
def teacher(store: Store) -> Marker:
    return add_marker(store)


def marked_exam(
    store: Store, marker: Marker, ai: Sequence[int], marks: Sequence[int], stage: Stage, title: str = "Mock"
) -> int:
    exam_id, (ids,) = add_exam(store, [[f"answer {i}" for i in range(len(ai))]], title=title)
    for response_id, proposed, mark in zip(ids, ai, marks, strict=True):
        proposal = propose_points(store, response_id, POINTS[proposed])
        with store.write() as db:
            if stage is Stage.AI_FIRST:
                proposals.record_sighting(db, response_id, marker.id, proposal)
            decisions.record(db, response_id, marker.id, Outcome.MARK, stage, mark=mark, proposal_id=proposal)
    return exam_id


def tiles(at: AppTest) -> dict[str, tuple[str, str]]:
    """By label, a tile's figure and the words under it."""
    shown = [element for element in at.main if element.type in ("metric", "caption")]
    return {metric.label: (metric.value, under.value) for metric, under in pairwise(shown) if metric.type == "metric"}


def texts(at: AppTest) -> str:
    assert not at.exception
    parts = [*at.markdown, *at.caption, *at.subheader, *at.info]
    return "\n".join(part.value for part in parts)


def test_without_an_exam_the_page_says_so_and_leads_to_the_exams(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    with store.write() as db:
        exams.archive(db, exam_id, None, "test")
    at = app(PAGE, head)
    assert "There is no exam" in texts(at)
    assert [link.label for link in at.get("page_link")] == ["Go to exams"]
    assert not at.metric


def test_without_a_profile_nothing_of_the_exam_is_shown(app: OpenPage, store: Store, teacher: Marker) -> None:
    marked_exam(store, teacher, AI, TEACHER, Stage.BLIND)
    at = app(PAGE)
    assert not at.exception
    assert not at.metric
    assert not at.dataframe


def test_an_exam_without_proposals_asks_for_a_judge(app: OpenPage, store: Store, head: Marker) -> None:
    add_exam(store, [["x"]])
    at = app(PAGE, head)
    assert "this exam has no proposals" in texts(at)
    assert not at.metric


def test_an_exam_whose_proposals_are_being_made_says_how_far_they_are(
    app: OpenPage, store: Store, head: Marker
) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    with store.write() as db:
        job_id = jobs.add(db, "propose", {"exam_id": exam_id})
        jobs.claim(db, "worker")
        jobs.beat(db, job_id, "worker", 120, 600)
    at = app(PAGE, head)
    assert "The judge is at work: proposals being made, 120 of 600." in texts(at)
    assert not at.metric


def test_an_exam_without_pairs_advises_blind_marking_and_leads_to_marking(
    app: OpenPage, store: Store, head: Marker
) -> None:
    exam_id, (ids,) = add_exam(store, [["x"]])
    propose_points(store, ids[0], ["M1"])
    at = app(PAGE, head)
    assert "Switch blind marking on" in texts(at)
    assert [link.label for link in at.get("page_link")] == ["Go to marking", "Go to exams"]
    with store.write() as db:
        exams.set_blind(db, exam_id, True, head.id)
    at.run()
    assert "Blind marking is on" in texts(at)
    assert not at.metric


def test_agreement_is_said_in_a_sentence_then_in_figures_overall_and_by_question(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    marked_exam(store, teacher, AI, TEACHER, Stage.BLIND)
    at = app(PAGE, head)
    said = texts(at)
    assert "On 10 pairs the AI and the teachers agree at QWK" in said
    assert "On average: AI lenient by 0.10 marks." in said
    assert "Teachers' marks: 10 blind." in said
    shown = tiles(at)
    assert shown["Exactly the same"] == ("60%", "6 of 10, likely 31–83%")
    assert shown["Within tolerance"][0] == "60%"
    assert shown["Mean difference"] == ("+0.10", "AI lenient by 0.10 marks")
    assert shown["QWK"][1].startswith("n = 10")
    (row,) = at.dataframe[0].value.to_dict("records")
    assert (row["Question"], row["Pairs"], row["Exact"]) == ("1", 10, 60)
    assert row["QWK"] == pytest.approx(1 - 70 / 118)
    assert row["Difference"] == pytest.approx(0.1)
    assert row["Judge"].startswith("Offline matcher")
    assert "provisional" in row["In words"]
    assert "Lowest: question 1, QWK .41" in said
    assert "No mark has been given here with a proposal in view." in said


def test_an_exam_of_one_question_has_that_questions_qwk(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    marked_exam(store, teacher, AI, TEACHER, Stage.BLIND)
    assert tiles(app(PAGE, head))["QWK"][0] == ".41"


def test_marks_made_with_the_proposal_in_view_show_an_accept_rate_and_no_agreement(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    marked_exam(store, teacher, [2, 2, 1, 0, 1], [2, 2, 2, 0, 0], Stage.AI_FIRST)
    at = app(PAGE, head)
    said = texts(at)
    assert "Accept rate (not agreement)" in said
    assert "Switch blind marking on" in said
    assert tiles(at) == {
        "Accepted": ("60%", "as proposed: 3 of 5, likely 23–88%"),
        "Changed up": ("1", "teacher gave more"),
        "Changed down": ("1", "teacher gave less"),
    }
    (table,) = at.dataframe
    assert "QWK" not in table.value.columns
    assert table.value.to_dict("records")[0]["Accepted"] == 60


def test_blind_and_visible_marks_stand_apart(app: OpenPage, store: Store, head: Marker, teacher: Marker) -> None:
    exam_id = marked_exam(store, teacher, [2, 2], [0, 2], Stage.BLIND)
    other = add_marker(store, "Mr Lee")
    with store.write() as db:
        for row in db.execute("SELECT id, response_id FROM proposals").fetchall():
            proposals.record_sighting(db, row["response_id"], other.id, row["id"])
            decisions.record(
                db, row["response_id"], other.id, Outcome.MARK, Stage.AI_FIRST, mark=2, proposal_id=row["id"]
            )
    shown = tiles(app(PAGE, head, exam=str(exam_id)))
    assert shown["Exactly the same"][0] == "50%"
    assert shown["Accepted"][0] == "100%"


def test_under_ten_pairs_no_qwk_is_shown(app: OpenPage, store: Store, head: Marker, teacher: Marker) -> None:
    marked_exam(store, teacher, AI[:9], TEACHER[:9], Stage.IMPORTED)
    at = app(PAGE, head)
    said = texts(at)
    assert tiles(at)["QWK"] == ("—", "n = 9: shown from 10 pairs")
    assert "9 pairs so far." in said
    assert "Teachers' marks: 9 imported." in said
    assert at.dataframe[0].value["QWK"].isna().all()


def test_another_session_s_decision_is_there_when_the_page_is_drawn_again(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    exam_id = marked_exam(store, teacher, AI, TEACHER, Stage.BLIND)
    at = app(PAGE, head)
    assert "10 of 10 responses marked here" in texts(at)
    with store.write() as db:
        last = decisions.last_of_marker(db, exam_id, teacher.id)
        assert last is not None
        decisions.undo(db, last.id, teacher.id)
    at.run()
    assert "9 of 10 responses marked here" in texts(at)
    assert tiles(at)["Exactly the same"][1].startswith("6 of 9")


def test_the_figures_are_worked_out_once_while_nothing_changes(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    marked_exam(store, teacher, AI, TEACHER, Stage.BLIND)
    at = app(PAGE, head)
    before = at.session_state["agreement_drawn"]
    at.run()
    assert at.session_state["agreement_drawn"] is before


def test_a_link_opens_the_exam_it_names_and_a_wrong_one_the_newest(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    older = marked_exam(store, teacher, [1], [1], Stage.BLIND, "Older")
    newer = marked_exam(store, teacher, [1], [1], Stage.BLIND, "Newer")
    assert app(PAGE, head, exam=str(older)).selectbox(key="agreement_exam").value == older
    assert app(PAGE, head, exam="999").selectbox(key="agreement_exam").value == newer


def test_the_exam_chosen_for_marking_is_the_one_shown_here(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    older = marked_exam(store, teacher, [1], [1], Stage.BLIND, "Older")
    marked_exam(store, teacher, [1], [1], Stage.BLIND, "Newer")
    at = app(None, head)
    at.selectbox(key="exam_id").select(older).run()
    at.switch_page(PAGE).run()
    assert at.selectbox(key="agreement_exam").value == older


def test_an_exam_archived_meanwhile_leaves_the_page_whole(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    kept = marked_exam(store, teacher, [1], [1], Stage.BLIND, "Kept")
    gone = marked_exam(store, teacher, [1], [1], Stage.BLIND, "Gone")
    at = app(PAGE, head)
    assert at.selectbox(key="agreement_exam").value == gone
    with store.write() as db:
        exams.archive(db, gone, None, "test")
    at.run()
    assert not at.exception
    assert at.selectbox(key="agreement_exam").value == kept


def test_a_judge_s_name_is_text_and_not_markdown(app: OpenPage, store: Store, head: Marker, teacher: Marker) -> None:
    exam_id = marked_exam(store, teacher, AI, TEACHER, Stage.BLIND)
    with store.write() as db:
        named = judges.ensure(db, "**big** ![x](http://a.test/x.png)", judges.LLM, "m")
        db.execute(
            "INSERT INTO proposals (response_id, judge_id, scheme_id, status, mark, label, created_at) "
            "SELECT response_id, ?, scheme_id, status, mark, label, created_at FROM proposals",
            (named,),
        )
        exams.set_judge(db, exam_id, named, None)
        standings.refresh_exam(db, exam_id)
    said = texts(app(PAGE, head))
    assert r"\*\*big\*\* \!\[x\]\(http\:" in said
    assert "![x](" not in said


def test_two_judges_are_shown_apart(app: OpenPage, store: Store, head: Marker, teacher: Marker) -> None:
    exam_id, (first, second) = add_exam(store, [["a", "b"], ["c", "d"]])
    for response_id in [*first, *second]:
        propose_points(store, response_id, ["M1"])
        with store.write() as db:
            decisions.record(db, response_id, teacher.id, Outcome.MARK, Stage.BLIND, mark=1)
    with store.write() as db:
        # Question 1's proposals stand as by calculation, as they would were it objective.
        db.execute("UPDATE questions SET type = 'numeric' WHERE id = (SELECT min(id) FROM questions)")
        calculation = judges.ensure(db, "By calculation", judges.OBJECTIVE)
        db.execute(
            "INSERT INTO proposals (response_id, judge_id, scheme_id, status, mark, label, created_at) "
            "SELECT response_id, ?, scheme_id, status, mark, label, created_at FROM proposals "
            f"WHERE response_id IN ({first[0]}, {first[1]})",
            (calculation,),
        )
        standings.refresh_exam(db, exam_id)
    at = app(PAGE, head)
    said = texts(at)
    assert "- By calculation alone, 1 question: 2 pairs so far." in said
    assert at.dataframe[0].value["Judge"].to_list()[0] == "By calculation"


def test_every_role_may_open_the_page(app: OpenPage, store: Store, teacher: Marker) -> None:
    marked_exam(store, teacher, AI, TEACHER, Stage.BLIND)
    for role in Role:
        at = app(PAGE, add_marker(store, f"Someone, {role}", role))
        assert at.title[0].value == "Agreement"
        assert not at.exception
