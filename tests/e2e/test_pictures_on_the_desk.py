"""Answers that are pictures: looked at, drawn on and read, by mouse and by touch, while the keys still mark."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw
from playwright.sync_api import Page, WebSocket, expect

from storage import Store, annotations, decisions, exams, pictures, transcripts
from tests.browser import AppServer, sign_in
from tests.support import add_exam, add_marker, new_store, propose_points

Serve = Callable[..., AppServer]
NewPage = Callable[..., Page]


def ruled(text: str, size: tuple[int, int] = (1200, 2000)) -> pictures.Picture:
    """A sheet of ruled, speckled paper with a word on it and a slanted line, as a PNG of some hundred kilobytes."""
    sheet = Image.effect_noise(size, 8).point(lambda value: min(255, value + 110)).convert("RGB")
    pen = ImageDraw.Draw(sheet)
    for y in range(80, size[1], 80):
        pen.line((40, y, size[0] - 40, y), fill="#b8c9e4", width=2)
    pen.text((100, 90), text, fill="#1b2a5e", font_size=56)
    pen.line((100, 300, size[0] - 200, 380), fill="#1b2a5e", width=6)
    out = io.BytesIO()
    sheet.save(out, "PNG")
    return pictures.Picture(out.getvalue(), "image/png", *size)


def prepare(folder: Path, scripts: Sequence[Sequence[pictures.Picture]]) -> tuple[Store, list[int]]:
    """A store in the folder the server will use: two teachers, and one question answered by pictures."""
    (folder / "data").mkdir()
    store = new_store(folder / "data")
    add_marker(store, "Ms Khan")
    add_marker(store, "Mr Okafor")
    _, [row] = add_exam(store, [[""] * len(scripts)])
    with store.write() as db:
        for response, pages in zip(row, scripts, strict=True):
            pictures.attach(db, response, [pictures.NewPage(page) for page in pages])
    for response in row:
        propose_points(store, response, ["M1"])
    return store, row


def on_desk(page: Page, response_id: int) -> None:
    expect(page.locator(f".desk[data-ready='{response_id}']:not(.busy)")).to_be_visible()


def picture_shown(page: Page, picture: pictures.Picture) -> None:
    """The picture has come and is painted at its own size."""
    expect(page.locator(f".stage[data-sha='{picture.sha256}'] .sheet img")).to_be_visible()
    page.wait_for_function(
        """() => {
          const find = root => { for (const each of root.querySelectorAll('*')) {
            if (each.shadowRoot?.querySelector('.desk')) return each.shadowRoot.querySelector('.desk') } }
          const image = find(document).querySelector('.sheet img')
          return image.complete && image.naturalWidth > 0
        }"""
    )


def view(page: Page) -> dict[str, Any]:
    return dict(json.loads(page.locator(".stage").get_attribute("data-view") or "{}"))


def place(page: Page, x: float, y: float) -> tuple[float, float]:
    """A place on the screen, from fractions of the stage, which is brought into the middle of it."""
    page.locator(".stage").evaluate("node => node.scrollIntoView({ block: 'center' })")
    box = page.locator(".stage").bounding_box()
    assert box is not None
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*place(page, *start))
    page.mouse.down()
    page.mouse.move(*place(page, (start[0] + end[0]) / 2, (start[1] + end[1]) / 2), steps=4)
    page.mouse.move(*place(page, *end), steps=4)
    page.mouse.up()


def touch(page: Page, *frames: Sequence[tuple[float, float]]) -> None:
    """Fingers at these places, frame after frame, then lifted."""
    session = page.context.new_cdp_session(page)
    for i, fingers in enumerate(frames):
        points = [{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(place(page, *each) for each in fingers)]
        session.send("Input.dispatchTouchEvent", {"type": "touchMove" if i else "touchStart", "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def drawn(store: Store, response_id: int) -> list[tuple[int, str, list[str]]]:
    with store.read() as db:
        found = annotations.of_response(db, response_id)
    return [(each.page, each.marker_name, [stroke["kind"] for stroke in each.strokes]) for each in found]


def saved(page: Page, count: int) -> None:
    expect(page.locator(".save-state")).to_have_text(f"saved · {count} on this page")


def test_a_picture_is_zoomed_moved_turned_and_paged_and_the_digits_still_mark(
    tmp_path: Path, serve: Serve, new_page: NewPage
) -> None:
    first, second = ruled("page one"), ruled("page two", (1600, 1000))
    store, [response, following] = prepare(tmp_path, [[first, second], [ruled("next")]])
    page = new_page()
    sign_in(page, serve().url, "Ms Khan")
    on_desk(page, response)
    picture_shown(page, first)
    fitted = view(page)
    fit = fitted["scale"]
    page.mouse.move(*place(page, 0.5, 0.5))
    page.mouse.wheel(0, -240)
    expect(page.locator(".stage")).not_to_have_attribute("data-view", json.dumps(fitted, separators=(",", ":")))
    assert view(page)["scale"] > fit * 1.2
    before = view(page)
    drag(page, (0.6, 0.6), (0.4, 0.4))
    assert view(page)["x"] < before["x"] - 20
    assert view(page)["y"] < before["y"] - 20
    page.keyboard.press("z")
    assert view(page)["scale"] == fit
    page.keyboard.press("z")  # then the whole page
    assert view(page)["scale"] < fit
    page.keyboard.press("+")
    page.keyboard.press("-")
    page.keyboard.press("]")
    assert view(page)["turn"] == 90
    page.keyboard.press("[")
    page.keyboard.press("[")
    assert view(page)["turn"] == 270
    page.keyboard.press("]")
    page.keyboard.down("l")
    page.mouse.move(*place(page, 0.3, 0.3))
    expect(page.locator(".loupe")).to_be_visible()
    page.keyboard.up("l")
    expect(page.locator(".loupe")).to_be_hidden()
    expect(page.locator(".page-number")).to_have_text("page 1 of 2")
    page.keyboard.press("PageDown")
    picture_shown(page, second)
    expect(page.locator(".page-number")).to_have_text("page 2 of 2")
    page.keyboard.press("PageUp")
    picture_shown(page, first)
    page.keyboard.press("1")
    on_desk(page, following)
    with store.read() as db:
        assert [d.mark for d in decisions.live(db, response)] == [1]


def test_the_next_answers_picture_is_there_before_it_is_wanted(tmp_path: Path, serve: Serve, new_page: NewPage) -> None:
    first, second = ruled("first"), ruled("second")
    _, [response, following] = prepare(tmp_path, [[first], [second]])
    page = new_page()
    received: list[int] = []

    def watch(socket: WebSocket) -> None:
        socket.on("framereceived", lambda payload: received.append(len(payload)))

    page.on("websocket", watch)
    sign_in(page, serve().url, "Ms Khan")
    on_desk(page, response)
    picture_shown(page, first)
    page.wait_for_function("sha => window.secondMarkerPictures.has(sha)", arg=second.sha256)
    assert sum(received) > len(first.content) + len(second.content)
    received.clear()
    page.keyboard.press("a")
    on_desk(page, following)
    picture_shown(page, second)
    page.keyboard.press("ArrowLeft")
    on_desk(page, response)
    picture_shown(page, first)
    # Nothing but the desk's own data came: neither picture was sent again.
    assert max(received) < min(len(first.content), len(second.content))
    assert page.evaluate("() => window.secondMarkerPictures.size") == 2


def test_a_picture_that_the_browser_has_lost_is_asked_for_again(
    tmp_path: Path, serve: Serve, new_page: NewPage
) -> None:
    first = ruled("first")
    _, [response, following] = prepare(tmp_path, [[first], [ruled("second")]])
    page = new_page()
    sign_in(page, serve().url, "Ms Khan")
    on_desk(page, response)
    picture_shown(page, first)
    page.keyboard.press("ArrowRight")
    on_desk(page, following)
    page.evaluate("sha => window.secondMarkerPictures.delete(sha)", first.sha256)
    page.keyboard.press("ArrowLeft")
    on_desk(page, response)
    picture_shown(page, first)


def test_what_is_drawn_is_kept_and_stands_there_again_after_a_reload(
    tmp_path: Path, serve: Serve, new_page: NewPage
) -> None:
    first = ruled("first")
    store, [response, following] = prepare(tmp_path, [[first], [ruled("second")]])
    page = new_page()
    sign_in(page, serve().url, "Ms Khan")
    on_desk(page, response)
    picture_shown(page, first)
    page.keyboard.press("p")
    drag(page, (0.2, 0.3), (0.6, 0.35))
    page.keyboard.press("k")
    page.mouse.click(*place(page, 0.7, 0.4))
    page.keyboard.press("o")
    drag(page, (0.3, 0.5), (0.5, 0.6))
    page.get_by_role("button", name="Put M1 on the page").click()
    page.mouse.click(*place(page, 0.8, 0.5))
    page.keyboard.press("t")
    page.mouse.click(*place(page, 0.2, 0.7))
    page.keyboard.type("see page 2")
    page.keyboard.press("Enter")
    saved(page, 5)
    assert drawn(store, response) == [(1, "Ms Khan", ["pen", "tick", "circle", "label", "text"])]
    page.keyboard.press("Control+z")
    saved(page, 4)
    page.keyboard.press("e")
    page.mouse.click(*place(page, 0.7, 0.4))  # on the tick
    saved(page, 3)
    page.reload()
    on_desk(page, response)
    picture_shown(page, first)
    expect(page.locator(".ink .own .stroke")).to_have_count(3)
    expect(page.locator(".ink .own text")).to_have_text("M1")
    page.keyboard.press("2")  # a digit is a mark, whatever is drawn
    on_desk(page, following)
    assert drawn(store, response) == [(1, "Ms Khan", ["pen", "circle", "label"])]


def test_a_mark_right_after_a_line_loses_neither_and_a_reload_in_between_loses_nothing(
    tmp_path: Path, serve: Serve, new_page: NewPage
) -> None:
    scripts = [[ruled(str(i))] for i in range(4)]
    store, row = prepare(tmp_path, scripts)
    page = new_page()
    sign_in(page, serve().url, "Ms Khan")
    for response, [picture] in zip(row[:2], scripts, strict=False):
        on_desk(page, response)
        picture_shown(page, picture)
        if response == row[0]:
            page.keyboard.press("p")
        drag(page, (0.2, 0.3), (0.6, 0.35))
        page.keyboard.press("1")
    on_desk(page, row[2])
    picture_shown(page, scripts[2][0])
    drag(page, (0.2, 0.3), (0.6, 0.35))
    page.reload()  # before the line was sent
    on_desk(page, row[2])
    picture_shown(page, scripts[2][0])
    saved(page, 1)
    assert [drawn(store, response) for response in row[:3]] == [[(1, "Ms Khan", ["pen"])]] * 3
    with store.read() as db:
        assert [[d.mark for d in decisions.live(db, response)] for response in row] == [[1], [1], [], []]


def test_fingers_pinch_pan_and_draw(tmp_path: Path, serve: Serve, new_page: NewPage) -> None:
    picture = ruled("on a tablet")
    store, [response] = prepare(tmp_path, [[picture]])
    page = new_page(viewport={"width": 820, "height": 1180}, has_touch=True, is_mobile=True)
    sign_in(page, serve().url, "Ms Khan")
    on_desk(page, response)
    picture_shown(page, picture)
    fit = view(page)["scale"]
    spread = [[(0.5 - d, 0.5), (0.5 + d, 0.5)] for d in (0.1, 0.15, 0.2, 0.25)]
    touch(page, *spread)
    large = view(page)
    assert large["scale"] > fit * 2
    touch(page, [(0.6, 0.5)], [(0.5, 0.45)], [(0.4, 0.4)])
    assert view(page)["x"] < large["x"] - 20
    assert drawn(store, response) == []
    page.get_by_role("button", name="Pen (P)").click()  # Chromium takes no tap just after fingers that still moved
    expect(page.get_by_role("button", name="Pen (P)")).to_have_attribute("aria-pressed", "true")
    touch(page, [(0.3, 0.3)], [(0.4, 0.35)], [(0.6, 0.4)])
    saved(page, 1)
    page.get_by_role("button", name="Cross (X)").click()
    expect(page.get_by_role("button", name="Cross (X)")).to_have_attribute("aria-pressed", "true")
    touch(page, [(0.5, 0.6)])
    saved(page, 2)
    touch(page, *spread)  # two fingers never draw
    expect(page.locator(".ink .own .stroke")).to_have_count(2)
    assert drawn(store, response) == [(1, "Ms Khan", ["pen", "cross"])]


def test_a_colleagues_marks_are_shown_with_their_name_and_hidden_from_a_blind_marker(
    tmp_path: Path, serve: Serve, new_page: NewPage
) -> None:
    store, [response, following] = prepare(tmp_path, [[ruled("x")], [ruled("y")]])
    tick = {"kind": "tick", "colour": "red", "x": 0.5, "y": 0.5, "size": 0.05, "turn": 0, "text": ""}
    with store.write() as db:
        okafor = next(row["id"] for row in db.query("SELECT id FROM markers WHERE name = 'Mr Okafor'"))
        annotations.add(db, response, 1, okafor, [tick], "a")
    page = new_page()
    sign_in(page, serve().url, "Ms Khan")
    on_desk(page, response)
    expect(page.locator(".others")).to_contain_text("Mr Okafor")
    expect(page.locator(".ink .other .stroke")).to_have_count(1)
    page.keyboard.press("h")
    expect(page.locator(".ink .other .stroke")).to_have_count(0)
    page.keyboard.press("h")
    with store.write() as db:
        exams.set_blind(db, 1, True, None)
    page.reload()
    on_desk(page, response)
    expect(page.locator(".viewer")).to_be_visible()
    expect(page.locator(".ink .other .stroke")).to_have_count(0)
    expect(page.locator(".others")).to_be_hidden()
    page.keyboard.press("1")
    on_desk(page, following)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".others")).to_contain_text("Mr Okafor")


def test_a_transcript_is_corrected_beside_its_picture_and_its_draft_survives(
    tmp_path: Path, serve: Serve, new_page: NewPage
) -> None:
    store, [response, following] = prepare(tmp_path, [[ruled("x")], [ruled("y")]])
    with store.write() as db:
        transcripts.add(db, response, "the enzym is <b>denatured</b>", transcripts.RECOGNISER)
    page = new_page()
    sign_in(page, serve().url, "Ms Khan")
    on_desk(page, response)
    area = page.get_by_role("textbox", name="Transcript")
    expect(area).to_have_value("the enzym is <b>denatured</b>")
    expect(page.locator(".reading-head")).to_contain_text("drafted by the recogniser")
    area.fill("the enzyme is denatured, 12 of them")
    page.reload()
    expect(area).to_have_value("the enzyme is denatured, 12 of them")
    page.get_by_role("button", name="Save transcript").click()
    expect(page.locator(".reading-head")).to_contain_text("version 2, corrected by Ms Khan")
    expect(page.locator(".desk .notice")).to_contain_text("Transcript saved as version 2")
    page.get_by_role("button", name=re.compile("Ask the judge again")).click()
    expect(page.locator(".desk .notice")).to_contain_text("Transcript saved. The judge is asked again")
    # The new proposal comes by itself, beside the one that was there.
    expect(page.locator(".comparison")).to_contain_text("Earlier", timeout=20_000)
    expect(page.locator(".comparison")).to_contain_text("Now")
    page.locator(".desk .progress-text").click()
    page.keyboard.press("1")
    on_desk(page, following)
    with store.read() as db:
        newest = transcripts.newest(db, response)
    assert newest is not None
    assert (newest.version, newest.text, newest.source) == (2, "the enzyme is denatured, 12 of them", "teacher")
