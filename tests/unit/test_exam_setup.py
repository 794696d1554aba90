"""Setting up an exam: copies, the archive, order, parts, rules for tolerance and sections, and scheme versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.marking import (
    MarkError,
    Outcome,
    Question,
    QuestionType,
    Role,
    Scheme,
    Stage,
    ToleranceKind,
    ToleranceRule,
    WhatStands,
)
from components.workflow import exam_setup as setup
from components.workflow.exam_setup import details
from components.workflow.exam_setup.numbers import next_number, part_numbers, parts_of
from components.workflow.marks_out.sections import Missing, Section, TotalRules, total_rules
from components.workflow.review.rules import set_rules
from storage import Store, decisions, exam_setup, exams, mark_book, question_pictures, scans, standings
from storage.pictures import Picture
from storage.pictures import add as add_picture
from storage.question_pictures import QuestionPicture
from storage.standings import Filter, Order
from tests.support import add_exam, add_marker, new_store, propose_points, two_point_question


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def numbers(store: Store, exam_id: int) -> list[str]:
    with store.read() as db:
        return [stored.question.number for stored in exams.questions(db, exam_id)]


def question_ids(store: Store, exam_id: int) -> list[int]:
    with store.read() as db:
        return [stored.id for stored in exams.questions(db, exam_id)]


def empty_exam(store: Store, *texts: str, number: str = "") -> tuple[int, list[int]]:
    """An exam without candidates, a question of 4 marks for each text."""
    with store.write() as db:
        exam_id = exams.add_exam(db, "Mock", subject="Biology", level="GCSE", series="2027", blind_share=0.25)
        ids = [
            exams.add_question(
                db,
                exam_id,
                Question(number=number or str(place), type=QuestionType.SHORT, text=text, max_mark=4, tolerance=1),
                Scheme(max_mark=4, text="Anything sensible."),
            )
            for place, text in enumerate(texts, 1)
        ]
    return exam_id, ids


def decide(store: Store, response_id: int, marker_id: int, mark: float) -> None:
    with store.write() as db:
        decisions.record(db, response_id, marker_id, Outcome.MARK, Stage.BLIND, mark=mark)


def test_a_duplicate_has_questions_schemes_pictures_and_rules_and_no_candidate(store: Store) -> None:
    head = add_marker(store, "Dr Osei", Role.HEAD)
    exam_id, rows = add_exam(store, [["a", "b"], ["c", "d"]], title="Mock 2026")
    first, _ = question_ids(store, exam_id)
    with store.write() as db:
        sha = add_picture(db, Picture(b"not really a picture", "image/png", 1, 1))
        question_pictures.set_of(db, first, [QuestionPicture(sha, "a graph")])
        exams.set_blind_share(db, exam_id, 0.3, head.id)
        exams.add_scheme_version(db, first, *two_point_question("1"), head.id)
    set_rules(store, head, exam_id, WhatStands.MEAN, [("A", 3), ("B", 2)])
    details.set_total_rules(store, head, exam_id, TotalRules((Section("B", ("1", "2"), 1),), Missing.ZERO))
    decide(store, rows[0][0], head.id, 1)
    copy_id, title = details.duplicate(store, head, exam_id)
    assert title == "Copy of Mock 2026"
    with store.read() as db:
        copied, original = exams.get(db, copy_id), exams.get(db, exam_id)
        assert copied is not None
        assert original is not None
        assert (copied.blind_share, copied.judge_id) == (0.3, original.judge_id)
        assert (copied.what_stands, copied.boundaries) == (WhatStands.MEAN, (("A", 3), ("B", 2)))
        assert total_rules(mark_book.rules(db, copy_id), ["1", "2"]).sections == (Section("B", ("1", "2"), 1),)
        questions = exams.questions(db, copy_id)
        assert [(each.question, each.scheme) for each in questions] == [
            (each.question, each.scheme) for each in exams.questions(db, exam_id)
        ]
        assert [each.scheme_version for each in questions] == [1, 1]
        assert question_pictures.of(db, questions[0].id) == (QuestionPicture(sha, "a graph"),)
        summary = next(each for each in exams.summaries(db) if each.exam.id == copy_id)
        assert (summary.candidates, summary.responses) == (0, 0)
    assert details.duplicate(store, head, exam_id)[1] == "Copy of Mock 2026 (2)"


def test_an_archived_exam_comes_back_with_its_marks(store: Store) -> None:
    head = add_marker(store, "Dr Osei", Role.HEAD)
    exam_id, rows = add_exam(store, [["a", "b"]], title="Mock")
    decide(store, rows[0][0], head.id, 2)
    details.archive(store, head, exam_id)
    with store.read() as db:
        assert exams.listed(db) == []
        (gone,) = exam_setup.archived(db)
        assert (gone.title, gone.marks, gone.why) == ("Mock", 1, "put away")
    details.bring_back(store, head, exam_id)
    with store.read() as db:
        assert [exam.title for exam in exams.listed(db)] == ["Mock"]
        assert exam_setup.archived(db) == []
        standing = standings.get(db, rows[0][0])
        assert standing is not None
        assert standing.final_mark == 2


def test_only_a_head_of_department_sets_up_exams(store: Store) -> None:
    teacher = add_marker(store)
    exam_id, (question_id,) = empty_exam(store, "Why?")
    for attempt in (
        lambda: details.create(store, teacher, "Mine"),
        lambda: details.duplicate(store, teacher, exam_id),
        lambda: details.archive(store, teacher, exam_id),
        lambda: setup.start_new(store, teacher, exam_id),
        lambda: setup.remove(store, teacher, question_id),
        lambda: details.set_details(store, teacher, exam_id, {"title": "Mine"}),
    ):
        with pytest.raises(MarkError, match="Only a head of department"):
            attempt()


def test_an_exam_needs_a_title_and_keeps_the_one_it_had(store: Store) -> None:
    head = add_marker(store, "Dr Osei", Role.HEAD)
    exam_id = details.create(store, head, "Mock", "IB")
    with pytest.raises(MarkError, match="title"):
        details.set_details(store, head, exam_id, {"title": "  "})
    details.set_details(store, head, exam_id, {"series": "May 2027", "language": "zh"})
    with store.read() as db:
        exam = exams.get(db, exam_id)
    assert exam is not None
    assert (exam.title, exam.level, exam.series, exam.language) == ("Mock", "IB", "May 2027", "zh")


def test_reordering_questions_moves_their_responses_on_the_marking_desk(store: Store) -> None:
    head = add_marker(store, "Dr Osei", Role.HEAD)
    exam_id, rows = add_exam(store, [["1 by c1", "1 by c2"], ["2 by c1", "2 by c2"], ["3 by c1", "3 by c2"]])
    third = question_ids(store, exam_id)[2]
    setup.move(store, head, third, -1)
    setup.move(store, head, third, -1)
    setup.move(store, head, third, -1)  # at the top it stays where it is
    assert numbers(store, exam_id) == ["3", "1", "2"]
    walked, beside = [], None
    with store.read() as db:
        while (at := standings.neighbour(db, exam_id, Order.BY_SCRIPT, Filter.ALL, beside=beside)) is not None:
            walked.append(at)
            beside = standings.get(db, at)
        first = standings.neighbour(db, exam_id, Order.BY_QUESTION, Filter.ALL, question_id=third)
    assert walked == [rows[2][0], rows[0][0], rows[1][0], rows[2][1], rows[0][1], rows[1][1]]
    assert first == rows[2][0]


def test_an_order_that_another_session_has_overtaken_changes_nothing(store: Store) -> None:
    exam_id, ids = empty_exam(store, "a", "b")
    with store.write() as db, pytest.raises(MarkError, match="changed meanwhile"):
        exam_setup.reorder(db, exam_id, ids[:1], None)
    assert numbers(store, exam_id) == ["1", "2"]


def test_a_question_is_split_where_its_text_has_parts(store: Store) -> None:
    head = add_marker(store, "Dr Osei", Role.HEAD)
    text = "A pupil heats a metal.\n\n(a) Name it. [1 mark]\n\n(b) Say why it glows. [3 marks]"
    exam_id, ids = empty_exam(store, text, "Next?")
    assert len(setup.split(store, head, ids[0])) == 2
    with store.read() as db:
        first, second, last = exams.questions(db, exam_id)
    assert [each.question.number for each in (first, second, last)] == ["1(a)", "1(b)", "2"]
    assert first.question.text == "Name it. [1 mark]"
    assert second.question.text == "Say why it glows. [3 marks]"
    assert [each.question.stimulus for each in (first, second)] == ["A pupil heats a metal."] * 2
    assert [each.question.max_mark for each in (first, second)] == [1, 3]
    assert [each.question.tolerance for each in (first, second)] == [0, 1]
    assert (first.id, first.scheme.text, second.scheme.text) == (ids[0], "Anything sensible.", "")


def test_a_question_without_parts_is_split_in_two_and_its_section_counts_both(store: Store) -> None:
    head = add_marker(store, "Dr Osei", Role.HEAD)
    exam_id, ids = empty_exam(store, "Why?", "Next?")
    details.set_total_rules(store, head, exam_id, TotalRules((Section("A", ("1", "2"), 2),)))
    setup.split(store, head, ids[0])
    assert numbers(store, exam_id) == ["1(a)", "1(b)", "2"]
    rules, wrong = details.stored_total_rules(store, exam_id)
    assert (rules.sections, wrong) == ((Section("A", ("1(a)", "1(b)", "2"), 3),), "")


def test_a_question_with_responses_is_neither_split_nor_taken_out(store: Store) -> None:
    head = add_marker(store, "Dr Osei", Role.HEAD)
    exam_id, _ = add_exam(store, [["an answer"]])
    (question_id,) = question_ids(store, exam_id)
    with pytest.raises(MarkError, match="has responses"):
        setup.split(store, head, question_id)
    with pytest.raises(MarkError, match="has responses"):
        setup.remove(store, head, question_id)
    assert numbers(store, exam_id) == ["1"]


def test_a_question_to_choose_from_is_not_split(store: Store) -> None:
    head = add_marker(store, "Dr Osei", Role.HEAD)
    exam_id, ids = empty_exam(store, "a", "b", "c")
    details.set_total_rules(store, head, exam_id, TotalRules((Section("B", ("1", "2", "3"), 2),)))
    with pytest.raises(MarkError, match="chooses from in “B”"):
        setup.split(store, head, ids[1])


@pytest.mark.parametrize("paper", ["a printed book", "a scan on its way in"])
def test_a_number_that_is_out_on_paper_stays_with_its_question(store: Store, paper: str) -> None:
    exam_id, _ = add_exam(store, [[], []])
    head = add_marker(store, "Dr Ferris", Role.HEAD)
    with store.write() as db:
        one, two = exams.questions(db, exam_id)
        if paper == "a printed book":
            scans.add_book(db, exam_id, {"rooms": [{"number": "1"}]})
        else:
            scans.add(db, exam_id, head.id, {"regions": [{"question": "1"}]})
        exam_setup.update_question(db, two.id, two.question.model_copy(update={"number": "3"}), head.id)
        with pytest.raises(MarkError, match="Question 1 keeps its number"):
            exam_setup.update_question(db, one.id, one.question.model_copy(update={"number": "2"}), head.id)
        exam_setup.update_question(db, one.id, one.question.model_copy(update={"text": "Why?"}), head.id)
        assert [each.question.number for each in exams.questions(db, exam_id)] == ["1", "3"]


def test_sections_follow_a_question_that_gets_another_number_or_is_taken_out(store: Store) -> None:
    head = add_marker(store, "Dr Osei", Role.HEAD)
    exam_id, ids = empty_exam(store, "a", "b", "c")
    details.set_total_rules(store, head, exam_id, TotalRules((Section("B", ("1", "2", "3"), 2),)))
    with store.write() as db:
        question = exams.question(db, ids[1]).question
        exam_setup.update_question(db, ids[1], question.model_copy(update={"number": "B2"}), head.id)
    with store.read() as db:
        assert mark_book.rules(db, exam_id).sections == [{"title": "B", "questions": ["1", "B2", "3"], "answer": 2}]
    setup.remove(store, head, ids[0])
    setup.remove(store, head, ids[2])
    rules, wrong = details.stored_total_rules(store, exam_id)
    assert (rules.sections, wrong) == ((Section("B", ("B2",), 1),), "")


def test_a_section_that_does_not_fit_the_exam_is_refused(store: Store) -> None:
    head = add_marker(store, "Dr Osei", Role.HEAD)
    exam_id, _ = empty_exam(store, "a", "b")
    with pytest.raises(MarkError, match="asks for 3 of its 2"):
        details.set_total_rules(store, head, exam_id, TotalRules((Section("B", ("1", "2"), 3),)))
    assert details.stored_total_rules(store, exam_id)[0] == TotalRules()


@pytest.mark.parametrize(
    ("kind", "amount", "max_mark", "step", "tolerance"),
    [
        (ToleranceKind.USUAL, 0, 1, 1, 0),
        (ToleranceKind.USUAL, 0, 4, 1, 1),
        (ToleranceKind.USUAL, 0, 25, 1, 2),
        (ToleranceKind.PERCENT, 10, 1, 1, 0),
        (ToleranceKind.PERCENT, 10, 4, 1, 0),
        (ToleranceKind.PERCENT, 10, 4, 0.5, 0.5),
        (ToleranceKind.PERCENT, 10, 25, 1, 3),  # 2.5, up where half-way
        (ToleranceKind.PERCENT, 10, 24, 1, 2),
        (ToleranceKind.MARKS, 2, 10, 1, 2),
        (ToleranceKind.MARKS, 2, 2, 1, 1),  # all of the marks would let anything agree
        (ToleranceKind.NONE, 0, 40, 1, 0),
    ],
)
def test_a_tolerance_follows_the_exams_rule(
    kind: ToleranceKind, amount: float, max_mark: float, step: float, tolerance: float
) -> None:
    assert ToleranceRule(kind=kind, amount=amount).of(max_mark, step) == tolerance


def test_a_new_tolerance_rule_leaves_what_was_set_by_hand_and_refreshes_who_differs(store: Store) -> None:
    head = add_marker(store, "Dr Osei", Role.HEAD)
    usual = two_point_question("1")[0].model_copy(update={"tolerance": 1.0}), two_point_question("1")[1]
    by_hand = two_point_question("2")[0].model_copy(update={"tolerance": 2.0}), two_point_question("2")[1]
    exam_id, rows = add_exam(store, [["a"], ["b"]], questions=[usual, by_hand])
    propose_points(store, rows[0][0], ["M1"])
    decide(store, rows[0][0], head.id, 0)
    with store.read() as db:
        before = standings.neighbour(db, exam_id, Order.BY_QUESTION, Filter.DIFFERS)
    assert before is None  # one mark apart is within the usual tolerance
    assert details.set_tolerance_rule(store, head, exam_id, ToleranceRule(kind=ToleranceKind.NONE)) == 1
    with store.read() as db:
        assert [each.question.tolerance for each in exams.questions(db, exam_id)] == [0, 2]
        assert standings.neighbour(db, exam_id, Order.BY_QUESTION, Filter.DIFFERS) == rows[0][0]


def test_it_is_known_what_stands_under_which_version_of_a_scheme(store: Store) -> None:
    head = add_marker(store, "Dr Osei", Role.HEAD)
    exam_id, rows = add_exam(store, [["a", "b", "c"]])
    (question_id,) = question_ids(store, exam_id)
    for response_id in rows[0]:
        propose_points(store, response_id, ["M1"])
    decide(store, rows[0][0], head.id, 1)
    decide(store, rows[0][1], head.id, 2)
    with store.write() as db:
        question, scheme = two_point_question("1")
        exams.add_scheme_version(db, question_id, question, scheme.model_copy(update={"note": "new"}), head.id)
    propose_points(store, rows[0][2], ["M1", "A1"])
    decide(store, rows[0][1], head.id, 1)  # marked again, under the new version
    with store.read() as db:
        uses = exam_setup.scheme_uses(db, question_id)
    assert [(use.version, use.marks, use.proposals) for use in uses] == [(2, 1, 1), (1, 1, 2)]
    assert uses[0].marker_name == "Dr Osei"


def test_the_desk_walks_through_the_marks_that_stand_under_an_old_scheme(store: Store) -> None:
    head = add_marker(store, "Dr Osei", Role.HEAD)
    exam_id, rows = add_exam(store, [["a", "b", "c"]])
    (question_id,) = question_ids(store, exam_id)
    first, second, unmarked = rows[0]
    decide(store, first, head.id, 1)
    decide(store, second, head.id, 2)

    def old() -> list[int | None]:
        with store.read() as db:
            found = [standings.neighbour(db, exam_id, Order.BY_QUESTION, Filter.OLD_SCHEME)]
            while found[-1] is not None:
                at = standings.get(db, found[-1])
                found.append(standings.neighbour(db, exam_id, Order.BY_QUESTION, Filter.OLD_SCHEME, beside=at))
        return found[:-1]

    assert old() == []
    with store.write() as db:
        question, scheme = two_point_question("1")
        exams.add_scheme_version(db, question_id, question, scheme.model_copy(update={"note": "new"}), head.id)
    assert old() == [first, second]
    decide(store, second, head.id, 1)  # marked again
    decide(store, unmarked, head.id, 1)
    assert old() == [first]


@pytest.mark.parametrize(
    ("number", "taken", "wanted"),
    [
        ("", [], "1"),
        ("", ["1", "2(a)", "2(b)"], "3"),
        ("3", ["3", "4"], "5"),
        ("3(b)", ["3(a)", "3(b)"], "3(c)"),
        ("3(b)(ii)", ["3(b)(ii)"], "3(b)(iii)"),
        ("3(i)", ["3(h)", "3(i)"], "3(j)"),
    ],
)
def test_the_next_number_is_the_one_an_author_would_write(number: str, taken: list[str], wanted: str) -> None:
    assert next_number(number, taken) == wanted


def test_parts_are_numbered_as_deep_as_the_question() -> None:
    assert part_numbers("3", 3) == ["3(a)", "3(b)", "3(c)"]
    assert part_numbers("3(b)", 2) == ["3(b)(i)", "3(b)(ii)"]
    assert part_numbers("3(b)(ii)", 2) == ["3(b)(ii)(1)", "3(b)(ii)(2)"]


def test_brackets_inside_a_sentence_are_no_parts() -> None:
    assert parts_of("Give f(a) and (b) of the figure.") == ("Give f(a) and (b) of the figure.", [])
    assert [part.marks for part in parts_of("(i) Say so. (2)\n(ii) Say why.")[1]] == [2, None]
