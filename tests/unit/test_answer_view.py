"""What the desk shows of an answer in pictures, and how its pictures are made ready for the browser."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

import storage.annotations as drawings
from components.workflow import desk, opening
from components.workflow.answer_view import AnswerView, answer_view, display_picture, shas_of
from components.workflow.desk import Press, Walk
from storage import Store, exams, pictures, transcripts
from storage.pictures import NewPage, Picture
from tests.support import add_exam, add_marker, new_store, propose_points

TICK = {"kind": "tick", "colour": "red", "x": 0.5, "y": 0.5, "size": 0.05, "turn": 0, "text": ""}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def picture(size: tuple[int, int], mode: str = "RGB", kind: str = "PNG", colour: object = "white") -> Picture:
    out = io.BytesIO()
    Image.new(mode, size, colour).save(out, kind)  # type: ignore[arg-type]
    return Picture(out.getvalue(), f"image/{kind.lower()}", *size)


def stored(store: Store, page: Picture) -> str:
    with store.write() as db:
        return pictures.add(db, page)


def test_a_large_picture_is_sent_smaller_and_a_small_one_as_it_is(store: Store) -> None:
    large = display_picture(store, stored(store, picture((4400, 1100), kind="JPEG")))
    with Image.open(io.BytesIO(large.content)) as shown:
        assert (large.mime, shown.size) == ("image/jpeg", (2200, 550))
    small = picture((2200, 1000))
    assert display_picture(store, stored(store, small)).content == small.content


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P", "L", "I;16", "1"])
def test_pictures_of_every_kind_of_colour_are_sent_on_white_paper(store: Store, mode: str) -> None:
    colour: object = {"RGBA": (0, 0, 0, 0), "LA": (0, 0), "P": 0, "I;16": 65535}.get(mode, "white")
    page = picture((3000, 30), mode, colour=colour)
    shown = display_picture(store, stored(store, page))
    assert (shown.mime, shown.error) == ("image/jpeg", "")
    with Image.open(io.BytesIO(shown.content)) as sent:
        if mode != "P":
            assert sent.convert("RGB").getpixel((10, 10)) == (255, 255, 255)


def test_a_damaged_or_missing_picture_says_so_in_words(store: Store) -> None:
    whole = picture((300, 300), colour="red")
    broken = Picture(whole.content[: len(whole.content) // 2], "image/png", 300, 300)
    assert "damaged" in display_picture(store, stored(store, broken)).error
    assert "no longer in the database" in display_picture(store, "0" * 64).error


def test_a_typed_answer_has_nothing_to_show_here_and_the_same_picture_is_listed_once(store: Store) -> None:
    _, [[typed, first, second]] = add_exam(store, [["an answer", "", ""]])
    marker = add_marker(store)
    page, other = picture((20, 20)), picture((20, 30))
    with store.write() as db:
        pictures.attach(db, first, [NewPage(page), NewPage(other)])
        pictures.attach(db, second, [NewPage(page)])
    opened = opening.open_response(store, typed, marker)
    assert opened is not None
    assert answer_view(store, opened, marker) == AnswerView()
    assert shas_of(store, [typed, first, second]) == [page.sha256, other.sha256]


@pytest.mark.parametrize("everything", [True, False], ids=["everything is blind", "it is in the blind sample"])
def test_a_blind_marker_sees_neither_a_colleagues_ticks_nor_the_judges_reading_until_they_have_marked(
    store: Store, everything: bool
) -> None:
    exam_id, [[response]] = add_exam(store, [[""]])
    khan, okafor = add_marker(store, "Ms Khan"), add_marker(store, "Mr Okafor")
    propose_points(store, response, ["M1"])
    with store.write() as db:
        exams.set_blind(db, exam_id, everything, None)
        exams.set_blind_share(db, exam_id, 0 if everything else 1, None)
        pictures.attach(db, response, [NewPage(picture((20, 20)))])
        drawings.add(db, response, 1, okafor.id, [TICK], "o")
        drawings.add(db, response, 1, khan.id, [TICK, TICK], "k")
        transcripts.add(db, response, "a draft", transcripts.RECOGNISER)
        transcripts.add(db, response, "the judge's reading", transcripts.JUDGE)

    def seen() -> tuple[int, list[str], str, str]:
        opened = opening.open_response(store, response, khan)
        assert opened is not None
        shown = answer_view(store, opened, khan)
        [page] = shown.pages
        text = shown.transcript.text if shown.transcript else ""
        return len(page.own), [other.marker_name for other in page.others], text, shown.transcript_source

    assert seen() == (2, [], "a draft", "drafted by the recogniser; check it before you rely on it")
    press = Press(action="mark", action_id="x", marker_id=khan.id, response_id=response, mark=1)
    desk.act(store, khan, Walk(exam_id), press)
    assert seen() == (2, ["Mr Okafor"], "the judge's reading", "read by the judge")


def test_what_the_same_judge_had_proposed_before_stands_beside_its_proposal(store: Store) -> None:
    _, [[response]] = add_exam(store, [[""]])
    marker = add_marker(store)
    with store.write() as db:
        pictures.attach(db, response, [NewPage(picture((20, 20)))])
    propose_points(store, response, ["M1"])
    opened = opening.open_response(store, response, marker)
    assert opened is not None
    assert answer_view(store, opened, marker).earlier is None
    propose_points(store, response, ["M1", "A1"])
    opened = opening.open_response(store, response, marker)
    assert opened is not None
    assert opened.proposal is not None
    earlier = answer_view(store, opened, marker).earlier
    assert earlier is not None
    assert (earlier.proposal.mark, opened.proposal.proposal.mark) == (1, 2)


def test_the_response_that_would_come_next_is_known_before_it_is_wanted(store: Store) -> None:
    exam_id, [[first, second]] = add_exam(store, [["a", "b"]])
    marker = add_marker(store)
    assert desk.upcoming(store, Walk(exam_id), marker, first) == second
    assert desk.upcoming(store, Walk(exam_id), marker, second) == first  # unmarked ones come round again
    assert desk.upcoming(store, Walk(exam_id), marker, 999) is None
