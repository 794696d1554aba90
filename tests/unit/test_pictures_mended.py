"""Pages drawn here are leant, shaded, ruled and noisy by known amounts: mending, blank finding and ruling undo them."""

from __future__ import annotations

import io
import itertools
import random

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from components.intake.picture_ink import blank, ink_share
from components.intake.picture_mending import offered
from components.intake.pictures import PictureFault
from components.judge.llm.pictures import for_model
from components.judge.llm.prompt import PictureError

Colour = tuple[int, int, int]
PEN, PENCIL, LINES, WHITE = (30, 40, 110), (200, 200, 200), (150, 180, 220), (255, 255, 255)


def paper(width: int, height: int, kind: str, gap: int = 32, thick: int = 2, colour: Colour = LINES) -> Image.Image:
    page = Image.new("RGB", (width, height), WHITE)
    draw = ImageDraw.Draw(page)
    if kind != "plain":
        for y in range(gap, height, gap):
            draw.line([(0, y), (width, y)], fill=colour, width=thick)
    if kind == "squared":
        for x in range(gap, width, gap):
            draw.line([(x, 0), (x, height)], fill=colour, width=thick)
    return page


def write(
    page: Image.Image, baselines: range, colour: Colour = PEN, size: float = 1.0, seed: int = 0
) -> NDArray[np.bool_]:
    """Lines of loops and tails on the baselines, in words; gives the pixels that were written on."""
    chance = random.Random(seed)
    mask = Image.new("L", page.size, 0)
    for baseline in baselines:
        x = 0.1 * page.width
        while x < 0.76 * page.width:
            for _ in range(chance.randint(3, 7)):
                heights = [0.0, *(-size * chance.choice([6, 13, 14, 24, -8]) for _ in range(2)), 0.0]
                letter = [(x + size * 5 * place, baseline + rise) for place, rise in enumerate(heights)]
                for drawn, ink in ((page, colour), (mask, 255)):
                    ImageDraw.Draw(drawn).line(letter, fill=ink, width=round(3 * size), joint="curve")
                x += 19 * size
            x += chance.randint(12, 22) * size
    return np.asarray(mask) > 0


def leant(page: Image.Image, degrees: float) -> Image.Image:
    """Clockwise, as a page lies on the glass that was pushed so."""
    return page.rotate(-degrees, Image.Resampling.BICUBIC, fillcolor=WHITE)


def photographed(page: Image.Image, noise: float, shadow: float, seed: int = 0) -> Image.Image:
    """Darker towards the lower right by the share `shadow`, with noise of that deviation."""
    pixels = np.asarray(page).astype(np.float64)
    down, across = np.mgrid[0 : page.height, 0 : page.width]
    light = 1 - shadow * (0.6 * across / page.width + 0.4 * down / page.height)
    grain = np.random.default_rng(seed).normal(0, noise, pixels.shape)
    return Image.fromarray(np.clip(pixels * light[..., None] + grain, 0, 255).astype(np.uint8))


def saved(page: Image.Image, kind: str = "PNG") -> bytes:
    out = io.BytesIO()
    page.save(out, kind)
    return out.getvalue()


def reopened(data: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(data))
    picture.load()
    return picture


@pytest.mark.parametrize("kind", ["ruled", "squared", "plain"])
@pytest.mark.parametrize("degrees", [-14.3, -3.2, 6.5])
def test_a_leaning_page_is_turned_back_by_as_much(kind: str, degrees: float) -> None:
    page = paper(700, 900, kind, gap=36)
    write(page, range(108, 820, 72))
    offer = offered(saved(photographed(leant(page, degrees), 5, 0.3), "JPEG"))
    assert offer.angle == pytest.approx(-degrees, abs=0.3)
    assert offer.picture is not None
    way = "anticlockwise" if degrees > 0 else "clockwise"
    assert f"urned {way} by {abs(offer.angle or 0):.1f}°" in offer.said


def test_the_turned_page_really_is_straight() -> None:
    page = paper(900, 1200, "ruled", gap=45)
    write(page, range(120, 1100, 90))
    offer = offered(saved(leant(page, 5.0)))
    assert offer.picture is not None
    assert offered(offer.picture.content).angle is None


def test_a_clean_straight_page_needs_nothing() -> None:
    page = paper(900, 1200, "ruled")
    write(page, range(64, 1150, 64))
    offer = offered(saved(page))
    assert (offer.picture, offer.angle, offer.box, offer.contrast) == (None, None, None, False)
    assert offer.said.startswith("Nothing needed doing")


def test_a_lone_diagram_is_not_turned_to_one_of_its_sides() -> None:
    page = Image.new("RGB", (1000, 800), WHITE)
    draw = ImageDraw.Draw(page)
    draw.polygon([(60, 60), (950, 150), (400, 740)], outline=PEN, width=4)
    draw.ellipse((300, 200, 500, 400), outline=PEN, width=4)
    assert offered(saved(page)).angle is None


@pytest.mark.parametrize("degrees", [0.0, -6.0])
def test_a_sheet_on_a_desk_is_cut_out_with_all_of_its_writing(degrees: float) -> None:
    sheet = paper(800, 1100, "ruled", gap=44)
    written = write(sheet, range(100, 1000, 88))
    grain = np.kron(np.random.default_rng(0).normal(0, 9, (75, 60)), np.ones((20, 20)))
    desk = Image.fromarray(np.clip(grain[..., None] + (95, 70, 50), 0, 255).astype(np.uint8))
    stamp = Image.new("L", sheet.size, 255).rotate(-degrees, expand=True)
    turned = sheet.rotate(-degrees, Image.Resampling.BICUBIC, expand=True)
    desk.paste(turned, ((1200 - turned.width) // 2, (1500 - turned.height) // 2), stamp)
    offer = offered(saved(photographed(desk, 4, 0.3), "JPEG"))
    assert offer.picture is not None
    assert offer.box is not None
    assert (offer.angle or 0.0) == pytest.approx(-degrees, abs=0.3)
    assert "ropped to the sheet" in offer.said
    assert (offer.picture.width, offer.picture.height) == pytest.approx((800, 1100), abs=30)
    assert offer.picture.width == offer.box[2] - offer.box[0]
    found = np.asarray(reopened(offer.picture.content).convert("L")) < 110
    inside = found[20:-20, 20:-20]
    assert inside.sum() == pytest.approx(written.sum(), rel=0.25)


def test_wide_empty_margins_are_cut_off() -> None:
    page = Image.new("RGB", (1000, 1400), WHITE)
    write(page, range(400, 600, 60))
    rows, columns = np.nonzero(np.asarray(page.convert("L")) < 128)
    offer = offered(saved(page))
    assert offer.box is not None
    assert "cropped to what is written" in offer.said.lower()
    left, top, right, bottom = offer.box
    assert (columns.min() - left, rows.min() - top) == pytest.approx((42, 42), abs=8)  # 3% of 1,400
    assert (right - columns.max(), bottom - rows.max()) == pytest.approx((42, 42), abs=8)


def cropped(mask: NDArray[np.bool_], box: tuple[int, int, int, int] | None) -> NDArray[np.bool_]:
    left, top, right, bottom = box or (0, 0, mask.shape[1], mask.shape[0])
    return mask[top:bottom, left:right]


def test_faint_pencil_in_a_shadow_becomes_readable_on_white() -> None:
    page = Image.new("RGB", (600, 700), WHITE)
    written = write(page, range(80, 670, 70), colour=PENCIL)
    offer = offered(saved(photographed(page, 3, 0.4)))
    assert offer.contrast
    assert offer.picture is not None
    written = cropped(written, offer.box)
    grey = np.asarray(reopened(offer.picture.content).convert("L"))
    assert np.median(grey[written]) < 110
    assert np.percentile(grey[~written], 10) > 225


def test_ink_keeps_its_colour_and_strength_when_the_light_is_evened() -> None:
    page = Image.new("RGB", (600, 700), WHITE)
    written = write(page, range(80, 670, 70), colour=(190, 30, 40))
    offer = offered(saved(photographed(page, 3, 0.4)))
    assert offer.picture is not None
    colours = np.asarray(reopened(offer.picture.content))[cropped(written, offer.box)]
    red, green, blue = np.median(colours, axis=0)
    assert red > 130
    assert max(green, blue) < 60


def regions() -> list[tuple[str, float, float, int]]:
    return list(itertools.product(["plain", "ruled", "squared"], [0.0, 8.0], [0.0, 0.35], [0, 1]))


def region(kind: str, noise: float, shadow: float, border: int, digit: bool) -> bytes:
    page = paper(600, 200, kind, gap=36)
    draw = ImageDraw.Draw(page)
    if border:
        draw.rectangle((3, 3, 596, 196), outline=(60, 60, 60), width=2)
    if digit:
        draw.line([(300, 85), (322, 85), (308, 125)], fill=PENCIL, width=3)
    return saved(photographed(page, noise, shadow), "JPEG")


@pytest.mark.parametrize(("kind", "noise", "shadow", "border"), regions())
def test_an_empty_region_is_blank_and_one_faint_digit_is_not(
    kind: str, noise: float, shadow: float, border: int
) -> None:
    empty = region(kind, noise, shadow, border, digit=False)
    assert blank(empty)
    assert ink_share(empty) == 0
    assert not blank(region(kind, noise, shadow, border, digit=True))


def test_the_share_of_ink_is_about_what_was_written() -> None:
    page = paper(900, 500, "squared")
    written = write(page, range(80, 460, 64))
    assert ink_share(saved(page)) == pytest.approx(written.mean(), rel=0.5)


@pytest.mark.parametrize("kind", ["ruled", "squared"])
@pytest.mark.parametrize("degrees", [0.0, 2.5])
@pytest.mark.parametrize("ink", [PEN, (110, 110, 110)])
def test_ruling_goes_and_ink_stays(kind: str, degrees: float, ink: Colour) -> None:
    page = paper(1000, 700, kind)
    lined = np.asarray(leant(page, degrees).convert("L")) < 225
    written = write(page, range(64, 660, 64), colour=ink)
    written = np.asarray(Image.fromarray(written).rotate(-degrees))
    clean = np.asarray(
        reopened(for_model(saved(leant(page, degrees)), 1000, 2_000_000, without_ruling=True)).convert("L")
    )
    before = np.asarray(leant(page, degrees).convert("L"))
    assert (clean[written] > before[written] + 20).mean() < 0.02
    assert (clean[lined & ~written] > 235).mean() > 0.85


def test_a_line_drawn_by_hand_is_no_ruling() -> None:
    page = Image.new("RGB", (1000, 400), WHITE)
    ImageDraw.Draw(page).line([(60, 200), (940, 200)], fill=PEN, width=3)  # a number line
    for x in range(100, 940, 80):
        ImageDraw.Draw(page).line([(x, 188), (x, 212)], fill=PEN, width=3)
    sent = reopened(for_model(saved(page), 1000, 2_000_000, without_ruling=True))
    assert sent.convert("RGB").tobytes() == page.tobytes()


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_picture_for_a_model_keeps_to_both_limits_and_says_nothing_else(kind: str) -> None:
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 256, (600, 900, 3), dtype=np.uint8))
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010F] = "SECRET"
    out = io.BytesIO()
    noise.save(out, kind, exif=exif)
    sent = for_model(out.getvalue(), 450, 60_000)
    picture = reopened(sent)
    assert len(sent) <= 60_000
    assert picture.format in ("PNG", "JPEG")
    assert max(picture.size) <= 450
    assert picture.height > picture.width  # upright
    assert b"SECRET" not in sent
    assert not dict(picture.getexif())


def test_limits_that_leave_nothing_readable_are_said_so() -> None:
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 256, (600, 900, 3), dtype=np.uint8))
    with pytest.raises(PictureError, match="within the 500 bytes"):
        for_model(saved(noise), 900, 500)
    with pytest.raises(PictureError, match="broken"):
        for_model(b"\x89PNG\r\n\x1a\n", 900, 500)


@pytest.mark.parametrize("size", [(1, 1), (3, 700), (700, 3), (39, 7), (60, 60)])
@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_tiny_and_narrow_pictures_are_no_trouble(size: tuple[int, int], mode: str) -> None:
    content = saved(Image.new(mode, size, "white"))
    assert blank(content)
    assert offered(content).picture is None
    assert reopened(for_model(content, 1000, 100_000, without_ruling=True)).size == size
    assert offered(saved(Image.new(mode, size, "black"))).said


def test_a_broken_picture_is_refused_in_words() -> None:
    for look in (offered, blank, ink_share):
        with pytest.raises(PictureFault, match="cannot be read"):
            look(b"\xff\xd8\xff\xe0")
