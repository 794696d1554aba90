from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.marking import Marker, Outcome, Role, Stage
from pages.department.agreement_address import View
from pages.department.agreement_behind import Opened
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


def words(at: AppTest) -> str:
    """What the page says, as it is read: without the marks that keep Markdown from meaning anything."""
    return texts(at).replace("\\", "")


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
    said = words(at)
    assert "Too early to say for sure. On 10 blind pairs the AI agrees with teachers at QWK .41" in said
    assert "Over all, the AI is lenient by 0.10 marks a response" in said
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
    shown = tiles(app(PAGE, head, exam=str(exam_id), view="accept"))
    assert shown["Exactly the same"][0] == "50%"
    assert shown["Accepted"][0] == "100%"


def test_under_ten_pairs_no_qwk_is_shown(app: OpenPage, store: Store, head: Marker, teacher: Marker) -> None:
    marked_exam(store, teacher, AI[:9], TEACHER[:9], Stage.IMPORTED)
    at = app(PAGE, head)
    said = words(at)
    assert tiles(at)["QWK"] == ("—", "n = 9: shown from 10 pairs")
    assert "Too early to say: 9 pairs so far." in said
    assert "QWK: no question has enough pairs yet." in said
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


def two_questions(store: Store, marker: Marker) -> tuple[int, list[list[int]]]:
    """Ten blind pairs on question 1, of AI and TEACHER, and two on question 2, where the AI gave 2 and the teacher 0.

    Half of the candidates are in class 11A.
    """
    exam_id, rows = add_exam(store, [[f"a{i}" for i in range(10)], [f"b{i}" for i in range(10)]], title="Mock")
    marks = [list(zip(rows[0], AI, TEACHER, strict=True)), [(rows[1][0], 2, 0), (rows[1][1], 2, 0)]]
    for response_id, proposed, mark in (each for row in marks for each in row):
        propose_points(store, response_id, POINTS[proposed])
        with store.write() as db:
            decisions.record(db, response_id, marker.id, Outcome.MARK, Stage.BLIND, mark=mark)
    with store.write() as db:
        db.execute("""UPDATE candidates SET groups = '{"class": "11A"}' WHERE position <= 5""")
        db.execute("""UPDATE candidates SET groups = '{"class": "11B"}' WHERE position > 5""")
    return exam_id, rows


def button(at: AppTest, label: str) -> Any:
    return next(each for each in at.button if each.label.replace("\\", "") == label)


def test_the_five_questions_come_before_any_figure(app: OpenPage, store: Store, head: Marker, teacher: Marker) -> None:
    marked_exam(store, teacher, AI, TEACHER, Stage.BLIND)
    at = app(PAGE, head)
    headings = [each.value.removeprefix("##### ") for each in at.markdown if each.value.startswith("#####")]
    assert headings[:5] == [
        "Can we trust the AI's marks here?",
        "Where not?",
        "In which direction?",
        "Is it noise?",
        "What should I do next?",
    ]
    kinds = [element.type for element in at.main]
    assert kinds.index("metric") > [i for i, kind in enumerate(kinds) if kind == "markdown"][9]


def test_a_step_leads_to_its_page_and_one_for_a_head_only_says_so_to_a_teacher(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    exam_id, _ = two_questions(store, teacher)
    at = app(PAGE, head)
    assert "1. Settle the 6 responses of this exam on which the marks are further apart than tolerance." in words(at)
    assert "Go to the review" in [link.label for link in at.get("page_link")]
    at = app(PAGE, teacher, exam=str(exam_id))
    assert "Go to the review" not in [link.label for link in at.get("page_link")]
    assert "for a head of department or a pilot lead" in words(at)


def test_a_link_restores_the_filters_and_what_it_gets_wrong_is_ignored(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    exam_id, _ = two_questions(store, teacher)
    at = app(PAGE, head, exam=str(exam_id), question="2", stage="blind", judge="999", **{"from": "2020-01-01"})
    assert tiles(at)["Exactly the same"][1].startswith("0 of 2")
    labels = [each.label.replace("\\", "") for each in at.button]
    assert [label for label in labels if label.startswith(("Question", "marked", "from"))] == [
        "Question 2",
        "marked blind here",
        "from 1 Jan 2020",
    ]
    assert at.query_params == {"exam": str(exam_id), "question": "2", "stage": "blind", "from": "2020-01-01"}


def test_a_filter_is_taken_away_by_itself_and_all_of_them_together(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    exam_id, _ = two_questions(store, teacher)
    at = app(PAGE, head, exam=str(exam_id), question="2", **{"class": "11A"})
    button(at, "class 11A").click().run()
    assert at.query_params == {"exam": str(exam_id), "question": "2"}
    at.multiselect(key=f"agreement_questions_{exam_id}").set_value(["1", "2"]).run()
    assert at.query_params["question"] == ["1", "2"]
    button(at, "Clear filters").click().run()
    assert at.query_params == {"exam": str(exam_id)}
    assert tiles(at)["Exactly the same"][1].startswith("6 of 12")


def test_a_class_is_looked_at_by_itself(app: OpenPage, store: Store, head: Marker, teacher: Marker) -> None:
    exam_id, _ = two_questions(store, teacher)
    at = app(PAGE, head, exam=str(exam_id), question="1", **{"class": "11B"})
    # The last five of AI and TEACHER: 2-2, 2-2, 2-2, 2-1, 2-0.
    assert tiles(at)["Exactly the same"][1].startswith("3 of 5")


def test_filters_that_leave_nothing_say_so(app: OpenPage, store: Store, head: Marker, teacher: Marker) -> None:
    exam_id, _ = two_questions(store, teacher)
    at = app(PAGE, head, exam=str(exam_id), stage="imported")
    assert "No response that these filters leave has both" in texts(at)
    assert not at.metric


def marker_linked(at: AppTest, marker: Marker) -> AppTest:
    at.query_params["marker"] = str(marker.id)
    return at.run()


def test_a_teacher_sees_no_name_and_may_choose_their_own_marks_alone(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    exam_id, rows = two_questions(store, teacher)
    other = add_marker(store, "Mr Lee")
    with store.write() as db:
        decisions.record(db, rows[0][0], other.id, Outcome.MARK, Stage.BLIND, mark=0)
    at = marker_linked(app(PAGE, teacher, exam=str(exam_id)), other)
    key = f"agreement_marker_{exam_id}"
    assert at.selectbox(key=key).options == ["only my own marks"]
    assert at.selectbox(key=key).value is None
    at = marker_linked(app(PAGE, head, exam=str(exam_id)), other)
    assert at.selectbox(key=key).options == ["Mr Lee", "Ms Khan"]
    assert tiles(at)["Exactly the same"][1].startswith("1 of 1")


def test_what_is_behind_a_mark_is_listed_with_the_way_to_it_and_closed_again(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    exam_id, _ = two_questions(store, teacher)
    at = app(PAGE, head, exam=str(exam_id), view="confusion", at="2")
    at.session_state["agreement_opened"] = Opened("Question 2, AI 2, teacher 0", "2", 2.0, 0.0)
    at.run()
    said = words(at)
    assert "**Question 2, AI 2, teacher 0**: 2 responses" in said
    assert "2 · AI **2** · teacher **0** (Ms Khan) · marked blind" in said
    labels = [link.label for link in at.get("page_link")]
    assert labels.count("Candidate 0001") == labels.count("Candidate 0002") == 1
    assert labels.count("Review") == 2
    button(at, "Close the list").click().run()
    assert "Candidate 0001" not in [link.label for link in at.get("page_link")]


def test_an_open_list_follows_what_others_decide_and_ends_with_its_view(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    exam_id, rows = two_questions(store, teacher)
    at = app(PAGE, head, exam=str(exam_id), view="confusion", at="2")
    at.session_state["agreement_opened"] = Opened("Question 2, AI 2, teacher 0", "2", 2.0, 0.0)
    propose_points(store, rows[1][2], POINTS[2])
    with store.write() as db:
        decisions.record(db, rows[1][2], teacher.id, Outcome.MARK, Stage.BLIND, mark=0)
    at.run()
    assert "**Question 2, AI 2, teacher 0**: 3 responses" in words(at)
    at.session_state["agreement_view"] = "bias"
    at.run()
    assert "Question 2, AI 2" not in words(at)


def test_a_teacher_is_listed_only_what_they_have_marked(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    exam_id, rows = two_questions(store, teacher)
    other = add_marker(store, "Mr Lee")
    with store.write() as db:
        decisions.record(db, rows[1][0], other.id, Outcome.MARK, Stage.BLIND, mark=0)
    at = app(PAGE, other, exam=str(exam_id), view="confusion", at="2")
    at.session_state["agreement_opened"] = Opened("Question 2, AI 2, teacher 0", "2", 2.0, 0.0)
    at.run()
    assert "**: 1 response\n" in words(at)
    assert "Only responses that you have marked yourself" in words(at)
    assert "Ms Khan" not in words(at)


def test_a_square_in_per_cent_opens_the_marks_that_it_stands_for(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    exam_id, _ = two_questions(store, teacher)
    at = app(PAGE, head, exam=str(exam_id), view="confusion")
    # AI 2 of 2, teacher 0 of 2: two on question 2, and the last pair of question 1.
    at.session_state["agreement_opened"] = Opened("here", None, 100.0, 0.0, percent=True)
    at.run()
    assert "**here**: 3 responses" in words(at)


@pytest.mark.parametrize("view", list(View))
def test_every_view_opens_at_its_address(
    app: OpenPage, store: Store, head: Marker, teacher: Marker, view: View
) -> None:
    exam_id, _ = two_questions(store, teacher)
    at = app(PAGE, head, exam=str(exam_id), view=view)
    assert not at.exception
    assert at.session_state["agreement_view"] == view
    assert len(at.dataframe) + len(at.caption) > 2


def test_marks_are_counted_square_by_square(app: OpenPage, store: Store, head: Marker, teacher: Marker) -> None:
    exam_id, _ = two_questions(store, teacher)
    at = app(PAGE, head, exam=str(exam_id), view="confusion", at="1")
    assert "Of 10 pairs, 6 lie on the diagonal" in words(at)
    counted = {(row["AI"], row["Teacher"]): row["Pairs"] for row in at.dataframe[0].value.to_dict("records")}
    assert counted == {(2, 2): 3, (1, 1): 2, (0, 0): 1, (0, 1): 1, (1, 2): 1, (2, 1): 1, (2, 0): 1}


def test_the_blind_sample_s_progress_is_told_by_question(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    exam_id, _ = two_questions(store, teacher)
    with store.write() as db:
        exams.set_blind(db, exam_id, True, head.id)
    at = app(PAGE, head, exam=str(exam_id), view="sample")
    assert "12 responses are marked blind so far" in words(at)
    rows = at.dataframe[0].value[["In the sample", "Marked blind", "Progress"]].to_numpy().tolist()
    assert rows == [[10, 10, 100], [10, 2, 20]]


def test_what_was_looked_at_is_there_again_when_the_page_is_left_and_opened(
    app: OpenPage, store: Store, head: Marker, teacher: Marker
) -> None:
    exam_id, _ = two_questions(store, teacher)
    at = app(PAGE, head, exam=str(exam_id), question="2", view="bias")
    at.switch_page("pages/department/exams.py").run()
    at.query_params.clear()
    at.switch_page(PAGE).run()
    assert at.query_params == {"exam": str(exam_id), "question": "2", "view": "bias"}
