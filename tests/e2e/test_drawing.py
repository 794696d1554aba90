"""Drawing an answer in a real browser: with the mouse and by touch, saved stroke by stroke, stored as it was seen."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from components.intake.ink import PAGE_HEIGHT, PAGE_WIDTH
from storage import Store, pictures, responses
from tests.browser import AppServer, sign_in
from tests.support import add_exam, add_marker, new_store

Serve = Callable[..., AppServer]
NewPage = Callable[..., Page]
Line = tuple[tuple[float, float], tuple[float, float]]

# In units of the page.
ACROSS: Line = ((200, 300), (600, 300))
DOWN: Line = ((400, 150), (400, 450))
SLANTED: Line = ((150, 200), (700, 500))


def prepare(tmp_path: Path) -> Store:
    (tmp_path / "data").mkdir()
    store = new_store(tmp_path / "data")
    add_marker(store, "Ms Khan")
    add_exam(store, [["a typed answer"]])
    return store


def open_pad(page: Page, server: AppServer, candidate: str = "0417") -> None:
    if page.url == "about:blank":
        sign_in(page, server.url, "Ms Khan")
        # The marking page writes its address when it is there: that would undo an address opened before.
        expect(page.locator(".desk .answer")).to_be_visible()
        page.wait_for_url("**/?exam=*")
        quiet(page)
    page.goto(f"{server.url}/answers")
    choose = page.get_by_role("combobox", name="Candidate")
    choose.fill(candidate)
    page.get_by_role("option").first.wait_for()
    choose.press("Enter")
    page.get_by_role("radio", name="Draw").click()
    expect(canvas(page)).to_be_visible()


def canvas(page: Page, number: int = 1) -> Locator:
    """The canvas of one page of the drawing: while pages are turned, the one before is still on screen."""
    return page.locator(f"[class*=st-key-ink_1_0417_1_{number}_] canvas.upper-canvas")


def on_screen(page: Page, point: tuple[float, float], number: int = 1) -> tuple[float, float]:
    canvas(page, number).scroll_into_view_if_needed()
    box = canvas(page, number).bounding_box()
    assert box is not None
    return box["x"] + point[0] * box["width"] / PAGE_WIDTH, box["y"] + point[1] * box["height"] / PAGE_HEIGHT


def quiet(page: Page) -> None:
    """The page as the server has drawn it last: what was chosen is in hand, and the canvas is the one that stays."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def draw(page: Page, line: Line, number: int = 1) -> None:
    quiet(page)
    page.mouse.move(*on_screen(page, line[0], number))
    page.mouse.down()
    page.mouse.move(*on_screen(page, line[1], number), steps=15)
    page.mouse.up()


def draw_by_touch(page: Page, line: Line) -> None:
    quiet(page)
    session = page.context.new_cdp_session(page)
    (x0, y0), (x1, y1) = on_screen(page, line[0]), on_screen(page, line[1])
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x0, "y": y0}]})
    for part in np.linspace(0, 1, 15):
        point = {"x": x0 + part * (x1 - x0), "y": y0 + part * (y1 - y0)}
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def saved(page: Page, words: str) -> None:
    expect(page.get_by_text(f"saved · {words}", exact=True)).to_be_visible()


def take(page: Page, tool: str) -> None:
    """Choose a tool, and have it in hand."""
    page.get_by_role("radio", name=tool).click()
    expect(page.get_by_role("radio", name=tool)).to_be_checked()
    expect(page.get_by_role("radio", name="Fine")).to_have_count(int(tool == "Pen"))


def submit(page: Page) -> None:
    page.get_by_role("button", name="Submit the drawing").click()
    expect(page.get_by_test_id("stAlertContainer").get_by_text("is stored")).to_be_visible()


def stored(store: Store, candidate: str = "0417") -> list[np.ndarray]:
    """The stored pictures of the candidate's answer, as height × width × 3."""
    with store.read() as db:
        row = db.execute(
            "SELECT r.id FROM responses r JOIN candidates c ON c.id = r.candidate_id WHERE c.number = ?", (candidate,)
        ).fetchone()
        response = responses.get(db, row["id"])
        assert response is not None
        assert response.kind == "drawn"
        pages = pictures.pages(db, response.id)
        found = [Image.open(io.BytesIO(pictures.content(db, page.sha256))).convert("RGB") for page in pages]
    assert all(picture.size == (PAGE_WIDTH, PAGE_HEIGHT) for picture in found)
    return [np.asarray(picture).astype(int) for picture in found]


def inked_along(picture: np.ndarray, line: Line) -> float:
    """The share of points between a line's ends that have black ink within two pixels."""
    dark = picture.max(axis=2) < 110
    shares = []
    for part in np.linspace(0.05, 0.95, 40):
        x, y = (round(line[0][axis] + part * (line[1][axis] - line[0][axis])) for axis in (0, 1))
        shares.append(dark[y - 2 : y + 3, x - 2 : x + 3].any())
    return float(np.mean(shares))


def ruled_at(picture: np.ndarray, rows: Sequence[int]) -> bool:
    """Whether these rows are printed lines: bluer than the paper beside them, from side to side."""
    beside = slice(820, 880)
    return all(
        (picture[row, beside, 2] - picture[row, beside, 0] > 20).all()
        and (picture[row + 10, beside, 2] - picture[row + 10, beside, 0] < 5).all()
        for row in rows
    )


def test_a_line_drawn_with_the_mouse_is_stored_where_it_was_drawn_with_its_paper(
    tmp_path: Path, serve: Serve, new_page: NewPage
) -> None:
    store = prepare(tmp_path)
    page = new_page()
    open_pad(page, serve())
    expect(page.get_by_role("button", name="Submit the drawing")).to_be_disabled()
    draw(page, ACROSS)
    saved(page, "1 stroke")
    draw(page, SLANTED)
    saved(page, "2 strokes")
    submit(page)
    (picture,) = stored(store)
    assert inked_along(picture, ACROSS) == 1
    assert inked_along(picture, SLANTED) == 1
    assert inked_along(picture, DOWN) < 0.2
    assert ruled_at(picture, [92, 138, 598])


def test_a_finger_draws_on_a_telephone_and_nothing_is_wider_than_its_screen(
    tmp_path: Path, serve: Serve, new_page: NewPage
) -> None:
    store = prepare(tmp_path)
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, device_scale_factor=2)
    open_pad(page, serve())
    box = canvas(page).bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert 300 < box["width"] <= 390 - 2 * box["x"] + 1
    draw_by_touch(page, ACROSS)
    saved(page, "1 stroke")
    draw_by_touch(page, DOWN)
    saved(page, "2 strokes")
    assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    submit(page)
    (picture,) = stored(store)
    assert inked_along(picture, ACROSS) == 1
    assert inked_along(picture, DOWN) == 1
    assert ruled_at(picture, [92, 138, 598])


def test_a_submit_right_after_a_stroke_does_not_lose_it(tmp_path: Path, serve: Serve, new_page: NewPage) -> None:
    store = prepare(tmp_path)
    page = new_page()
    open_pad(page, serve())
    draw(page, ACROSS)
    saved(page, "1 stroke")
    button = page.get_by_role("button", name="Submit the drawing")
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    low: Line = ((300, 560), (600, 560))
    draw(page, low)
    page.mouse.click(x, y)  # well before the canvas has told of the stroke
    expect(page.get_by_test_id("stAlertContainer").get_by_text("is stored")).to_be_visible()
    (picture,) = stored(store)
    assert inked_along(picture, ACROSS) == 1
    assert inked_along(picture, low) == 1


def test_a_reload_loses_no_stroke_and_the_next_one_adds_to_them(
    tmp_path: Path, serve: Serve, new_page: NewPage
) -> None:
    store = prepare(tmp_path)
    server = serve()
    page = new_page()
    open_pad(page, server)
    draw(page, ACROSS)
    saved(page, "1 stroke")
    page.reload()
    open_pad(page, server)
    saved(page, "1 stroke")
    draw(page, DOWN)
    saved(page, "2 strokes")
    page.get_by_role("link", name="Exams").click()  # another page of the app, and back
    page.get_by_role("heading", name="Exams").wait_for()
    page.get_by_role("link", name="Answers").click()
    saved(page, "2 strokes")
    draw(page, SLANTED)
    saved(page, "3 strokes")
    submit(page)
    (picture,) = stored(store)
    assert [inked_along(picture, line) for line in (ACROSS, DOWN, SLANTED)] == [1, 1, 1]


def test_undo_eraser_and_clear_do_what_they_say(tmp_path: Path, serve: Serve, new_page: NewPage) -> None:
    store = prepare(tmp_path)
    page = new_page()
    open_pad(page, serve())
    draw(page, ACROSS)
    saved(page, "1 stroke")
    draw(page, SLANTED)
    saved(page, "2 strokes")
    page.get_by_role("button", name="Undo").first.click()
    saved(page, "1 stroke")
    page.get_by_role("button", name="Clear", exact=True).click()
    expect(page.get_by_text("Nothing drawn on this page yet.")).to_be_visible()
    page.get_by_role("button", name="Undo").first.click()
    saved(page, "1 stroke")
    take(page, "Eraser")
    draw(page, DOWN)
    saved(page, "2 strokes")  # cut in two
    take(page, "Pen")
    draw(page, SLANTED)
    saved(page, "3 strokes")
    submit(page)
    (picture,) = stored(store)
    assert inked_along(picture, ((200, 300), (375, 300))) == 1
    assert inked_along(picture, ((425, 300), (600, 300))) == 1
    assert inked_along(picture, ((390, 300), (410, 300))) == 0
    assert inked_along(picture, SLANTED) == 1
    assert not (picture[:, :, 0] - picture[:, :, 1] > 150).any(), "no trace of the eraser"


@pytest.mark.parametrize("reloaded", [False, True])
def test_a_second_page_has_its_own_paper_and_the_first_keeps_its_strokes(
    tmp_path: Path, serve: Serve, new_page: NewPage, reloaded: bool
) -> None:
    store = prepare(tmp_path)
    server = serve()
    page = new_page()
    open_pad(page, server)
    draw(page, ACROSS)
    page.get_by_role("button", name="Add a page").click()  # well before the canvas has told of the stroke
    expect(page.get_by_role("radio", name="2", exact=True)).to_be_checked()
    quiet(page)
    page.get_by_role("radio", name="Squared").click()
    draw(page, DOWN, 2)
    saved(page, "1 stroke · 2 on 2 pages")
    if reloaded:
        page.reload()
        open_pad(page, server)
    else:
        page.get_by_role("radio", name="1", exact=True).click()
    saved(page, "1 stroke · 2 on 2 pages")
    draw(page, SLANTED)
    saved(page, "2 strokes · 3 on 2 pages")
    submit(page)
    first, second = stored(store)
    assert [inked_along(first, line) for line in (ACROSS, SLANTED)] == [1, 1]
    assert inked_along(first, DOWN) < 0.2
    assert inked_along(second, DOWN) == 1
    assert inked_along(second, SLANTED) < 0.2
    assert ruled_at(first, [92, 138])
    assert (second[46, 820:880, 2] < 245).all()
    assert (second[300:340, 828].sum(axis=1) < 720).all(), "squares have lines down too"
