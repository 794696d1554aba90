"""The pilot lead's story in a browser, with a real llama.cpp server: connect, see, run, and find it on the desk."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from components.judge.llm import Endpoint
from components.marking import Role
from components.workflow import cohort
from components.workflow.cohort import RunOptions
from components.workflow.connections import Connections
from storage import judges
from tests.browser import AppServer, sign_in
from tests.llama import MODEL, llama_server
from tests.model_server import completion, model_server
from tests.support import add_exam, add_marker, new_store

Serve = Callable[..., AppServer]
NewPage = Callable[..., Page]
SLOW = 240_000  # the small model takes half a minute a reply on a busy machine


def choose(page: Page, label: str, option: str | re.Pattern[str]) -> None:
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option).click()


def fill(page: Page, label: str, words: str) -> None:
    field = page.get_by_label(label, exact=True)
    field.fill(words)
    field.press("Enter")


def test_a_model_is_connected_seen_and_run_and_its_proposals_come_to_the_desk(
    serve: Serve, new_page: NewPage, tmp_path: Path
) -> None:
    store = new_store(tmp_path / "data")
    answers = ["the enzyme is denatured", "the active site no longer fits", "no idea"]
    add_exam(store, [answers], title="Enzymes")
    add_marker(store, "Dr Li", Role.PILOT)
    with llama_server() as base_url:
        server, page = serve(), new_page()
        sign_in(page, server.url, "Dr Li")
        page.get_by_role("link", name="Judges").click()
        choose(page, "Where", "llama.cpp")
        expect(page.get_by_label("Base URL", exact=True)).to_have_value("http://127.0.0.1:8080/v1")
        fill(page, "Base URL", base_url)
        fill(page, "Model", MODEL)
        choose(page, "Key", "No key needed")
        page.get_by_text("More settings").click()
        fill(page, "Token limit for a reply", "150")
        expect(page.get_by_placeholder(re.compile("at most 150 tokens"))).to_be_visible()
        page.get_by_role("button", name="Connect", exact=True).click()
        expect(page.get_by_text("is connected. Start a run").first).to_be_visible()

        page.get_by_text("What the model sees").click()
        expect(page.get_by_text("<answer>").first).to_be_visible()
        expect(page.get_by_text("experienced examiner").first).to_be_visible()

        page.get_by_role("button", name="Start a run").first.click()
        # The page that is left has a box for a judge too, until the next one has taken its place.
        expect(page).to_have_url(re.compile("/runs"))
        expect(page.get_by_text("What the model sees")).to_have_count(0)
        choose(page, "Judge", re.compile(f"^{re.escape(MODEL)}"))
        expect(page.get_by_text("has not proposed on 3 responses")).to_be_visible()
        expect(page.get_by_text("The price is not known")).to_be_visible()
        # A press while the panel is drawn again would be one that nobody makes.
        expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
        page.get_by_role("button", name="Start", exact=True).click()
        expect(page.get_by_text("Done, 3 of 3")).to_be_visible(timeout=SLOW)
        expect(page.get_by_text("not known").first).to_be_visible()

        page.get_by_role("link", name="Mark", exact=True).click()
        expect(page.locator(".desk[data-ready]:not(.busy)")).to_be_visible()
        expect(page.locator(".desk").get_by_text(f"{MODEL} · LLM").first).to_be_visible()
    with store.read() as db:
        judge = next(judge for judge in judges.listed(db) if judge.kind == judges.LLM)
        found = judges.capabilities(db, base_url, MODEL)
        made = db.execute("SELECT count(*) FROM proposals WHERE judge_id = ?", (judge.id,)).fetchone()[0]
    assert made == 3
    assert found is not None
    assert found["format"] == "json_schema"


def test_a_proposal_appears_on_the_desk_as_it_lands(serve: Serve, new_page: NewPage, tmp_path: Path) -> None:
    store = new_store(tmp_path / "data")
    exam_id, [row] = add_exam(store, [["it is denatured", "no idea"]])
    marker = add_marker(store, "Ms Khan")
    asked, let = threading.Event(), threading.Event()

    def reply(words: str) -> tuple[int, dict[str, Any]]:
        asked.set()
        let.wait(60)
        point = {"evidence": ["denatured"], "reason": "Said.", "not_sure": False}
        verdicts = [{"code": "M1", "awarded": True, **point}, {"code": "A1", "awarded": False, **point, "evidence": []}]
        return completion({"abstain": None, "points": verdicts}, "m")

    with model_server(reply) as base_url:
        judge_id = Connections().connect(store, Endpoint(base_url, "m"), "")
        server, page = serve(), new_page()
        cohort.start(store, RunOptions(exam_id=exam_id, judge_id=judge_id), marker, on_desk=True)
        sign_in(page, server.url, "Ms Khan")
        desk = page.locator(f".desk[data-ready='{row[0]}']")
        expect(desk.get_by_text("No proposal yet")).to_be_visible()
        assert asked.wait(60)
        let.set()
        expect(desk.get_by_role("button", name="Accept 1")).to_be_visible()
