"""The stroke writer: letters for everything it is asked to write, hands that differ, drawings, and a scanned class."""

from __future__ import annotations

import io
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
import zxingcpp
from PIL import Image, ImageChops

from components.intake.handwriting.answer_sheet import jpeg, photographed, png, scanned, sheet
from components.intake.handwriting.canvas import canvas_json
from components.intake.handwriting.drawings import BarChart, Circuit, FactorTree, NumberLine, Triangle, sketch
from components.intake.handwriting.hand import TEMPERS, hand
from components.intake.handwriting.letters import ALPHABET, RAISED, forms, missing
from components.intake.handwriting.paper import LINE, Paper, render
from components.intake.handwriting.strokes import Stroke
from components.intake.handwriting.writer import write
from components.intake.scan_pages import ScanFile
from components.intake.scan_plan import finish, read_scripts
from components.workflow import paper_demo

SENTENCE = "Particles gain energy so they hit the sugar 3 times as often."
DRAWINGS = (
    NumberLine(low=-3, high=8, open=(5,), filled=(-1,), line=(-1, 5)),
    FactorTree(tree=["84", "2", ["42", "2", ["21", "3", "7"]]]),
    Triangle(base="2.5 m", slope="6.5 m", height="h", angle="x"),
    Circuit(),
    BarChart(labels=("Mon", "Tue"), values=(4, 7), up="birds", along="day"),
)


def written(text: str, seed: int = 0, again: int = 0) -> tuple[Stroke, ...]:
    return write(text, hand(seed), width=760, left=98, top=2 * LINE, line=LINE, seed=again).strokes


def box(strokes: tuple[Stroke, ...]) -> tuple[float, float, float, float]:
    points = np.concatenate([stroke.points for stroke in strokes])
    return (*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def test_the_same_seed_writes_the_same_strokes_and_another_does_not() -> None:
    first, same, other = (canvas_json(written(SENTENCE, 3, again)) for again in (1, 1, 2))
    assert first == same
    assert first != other


def test_no_two_hands_are_alike_in_more_than_the_words() -> None:
    assert len(TEMPERS) >= 8
    hands = [hand(seed) for seed in range(len(TEMPERS))]
    seen = {(round(each.size), round(each.slant, 1), round(each.stretch, 1), each.ink, each.shouting) for each in hands}
    assert len(seen) == len(hands)
    pictures = [render(written(SENTENCE, seed), Paper.PLAIN, 900, 300) for seed in range(len(TEMPERS))]
    for one, other in pairwise(pictures):
        assert ImageChops.difference(one, other).getbbox() is not None


def test_two_of_the_same_letter_in_a_word_are_not_copies() -> None:
    first, second = (stroke.points for stroke in written("oo", 0))
    assert len(first) == len(second)
    assert not np.allclose(first - first[0], second - second[0], atol=0.05)


def test_letters_lie_where_letters_lie() -> None:
    """By hand: x-height 10, stems to 17, capitals 16, tails to -7, figures 15, within two units."""
    for characters, low, high in (
        ("acemnorsuvwxz", 0, 10),
        ("bdhkl", 0, 17),
        ("ABEHKLMNTXZ", 0, 16),
        ("0123456789", 0, 15),
    ):
        for character in characters:
            for form in forms(character):
                heights = [y for stroke in form.strokes for _, y, _ in stroke]
                assert min(heights) == pytest.approx(low, abs=2), character
                assert max(heights) == pytest.approx(high, abs=2), character
    for character in "gjpqy":
        assert min(y for form in forms(character) for stroke in form.strokes for _, y, _ in stroke) < -5


def test_common_letters_have_more_than_one_form_and_hands_differ_in_them() -> None:
    assert all(len(forms(character)) >= 2 for character in "abcdefghijklmnopqrstuvwxyz")
    habits = {tuple(hand(seed).habits[character] for character in "aegrty147") for seed in range(8)}
    assert len(habits) >= 6


def test_every_character_of_the_demo_and_of_an_answer_has_a_form() -> None:
    usual = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+−×÷=/().,?!°²³%£<>√"
    assert missing(usual) == set()
    assert all(forms(character) for character in [*ALPHABET, *RAISED])
    _, questions = paper_demo.content()
    for item in questions:
        for answer in paper_demo.answers_of(item):
            assert missing(answer.text.replace("~~", "")) == set(), answer
    assert missing("2 ∝ 3") == {"∝"}


@pytest.mark.parametrize("seed", range(len(TEMPERS)))
def test_words_wrap_and_stay_on_the_page(seed: int) -> None:
    strokes = written(" ".join([SENTENCE] * 3), seed)
    left, top, right, bottom = box(strokes)
    assert left > 80
    assert right < 98 + 760 + 16
    assert top > LINE
    assert bottom > 3 * LINE, "more than one line"


@pytest.mark.parametrize("seed", range(6))
def test_a_slip_is_crossed_out_and_its_correction_stands_clear(seed: int) -> None:
    wrong = written("18", seed)
    both = written("~~18~~ 6", seed)
    assert len(both) > len(wrong) + len(written("6", seed)), "strokes that cross out"
    # What crosses out is as wide as what it crosses out; the correction comes after it.
    widest = max(both, key=lambda stroke: float(np.ptp(stroke.points[:, 0])))
    x0, _, x1, _ = box(wrong)
    assert float(np.ptp(widest.points[:, 0])) > 0.8 * (x1 - x0)
    assert box((both[-1],))[0] > box((widest,))[0]


@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda drawing: drawing.kind)
def test_a_drawing_stays_in_its_room_and_no_two_people_draw_it_alike(drawing: NumberLine) -> None:
    for seed in range(5):
        drawn = sketch(drawing, hand(seed), left=98, top=LINE, width=770, seed=seed)
        left, top, right, bottom = box(drawn.strokes)
        assert left > 60
        assert top > 0
        assert right < 900
        assert bottom < drawn.bottom
    one, other = (sketch(drawing, hand(seed), left=98, top=LINE, width=770) for seed in (0, 7))
    assert canvas_json(one.strokes) != canvas_json(other.strokes)


def test_strokes_go_into_the_canvas_as_its_own_paths() -> None:
    """Read back by fabric's rule: a path's points are absolute, its place is the middle of its box."""
    strokes = written("a1", 0)
    body = json.loads(json.dumps(canvas_json(strokes)))
    assert body["version"]
    assert len(body["objects"]) == len(strokes)
    for path, stroke in zip(body["objects"], strokes, strict=True):
        assert path["type"] == "Path"
        assert path["fill"] is None
        assert path["stroke"] == "#1c3496"  # hand 0 writes with a blue pen
        assert path["strokeWidth"] == pytest.approx(stroke.pen, abs=0.01)
        assert path["path"][0][0] == "M"
        assert {command for command, *_ in path["path"][1:]} == {"L"}
        assert path["path"][0][1:] == pytest.approx(stroke.points[0].tolist(), abs=0.06)
        assert path["path"][-1][1:] == pytest.approx(stroke.points[-1].tolist(), abs=0.06)
        x0, y0, x1, y1 = box((stroke,))
        assert path["left"] == pytest.approx((x0 + x1) / 2, abs=1)
        assert path["top"] == pytest.approx((y0 + y1) / 2, abs=1)


@pytest.mark.parametrize("paper", list(Paper))
def test_ink_is_drawn_on_the_paper_where_the_strokes_are(paper: Paper) -> None:
    strokes = written("HHH", 0)
    bare, inked = (np.asarray(render(each, paper, 900, 300).convert("L"), dtype=int) for each in ((), strokes))
    changed = np.argwhere(bare - inked > 60)
    x0, y0, x1, y1 = box(strokes)
    assert len(changed) > 200
    assert changed[:, 0].min() >= y0 - 3
    assert changed[:, 0].max() <= y1 + 3
    assert changed[:, 1].min() >= x0 - 3
    assert changed[:, 1].max() <= x1 + 3
    assert len(np.unique(inked[int(y0) : int(y1), int(x0) : int(x1)])) > 8, "smooth edges"


def test_a_photograph_and_a_scan_still_show_the_writing_and_decode() -> None:
    picture = sheet("h = 6 m", None, hand(2), Paper.RULED).picture()
    for content, kind, mode in (
        (png(picture), "PNG", "P"),
        (jpeg(photographed(picture, 5)), "JPEG", "RGB"),
        (jpeg(scanned(picture, 5)), "JPEG", "L"),
    ):
        decoded = Image.open(io.BytesIO(content))
        decoded.load()
        assert (decoded.format, decoded.mode, decoded.size) == (kind, mode, picture.size)
        grey = np.asarray(decoded.convert("L"), dtype=int)
        assert (grey < 110).sum() > 300
        assert np.median(grey) > 190


def test_a_class_scan_has_a_coded_page_before_each_script() -> None:
    pdf = pypdfium2.PdfDocument(paper_demo.demo_class_scan(["0503", "0512"]))
    try:
        pages = [page.render(scale=150 / 72, grayscale=True).to_pil() for page in pdf]
    finally:
        pdf.close()
    assert {page.height for page in pages} == {1754}
    assert {page.width for page in pages} <= {1240, 1241}  # A4 is 1240.2
    codes = [[found.text for found in zxingcpp.read_barcodes(page)] for page in pages]
    assert codes == [["0503"], [], [], [], ["0512"], [], [], []]


def test_the_scan_reads_back_into_every_answer_and_the_blank_ones(tmp_path: Path) -> None:
    scan, template = paper_demo.demo_class_scan(["0512", "0503"]), paper_demo.demo_template()
    plan = finish(
        read_scripts(
            [ScanFile("class.pdf", scan)],
            ScanFile("paper.pdf", template),
            paper_demo.REGIONS,
            ["0503", "0512"],
            tmp_path / "cuts",
            by="coded separators",
        )
    )
    assert plan.ok
    assert plan.warnings == ()
    found = {(cut.candidate, cut.question): cut.blank for cut in plan.cuts}
    assert len(found) == 12
    assert {key for key, blank in found.items() if blank} == {("0512", "1"), ("0512", "3")}


def test_the_same_script_is_scanned_into_the_same_bytes() -> None:
    assert paper_demo.demo_class_scan(["0503"]) == paper_demo.demo_class_scan(["0503"])


def test_a_scan_of_nobody_is_refused() -> None:
    with pytest.raises(ValueError, match="no scripts"):
        paper_demo.demo_class_scan([])
