"""The batches' part of the runs page: writing, submitting, carrying away, reading back, and the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components.judge import prices
from components.judge.llm import Endpoint
from components.marking import Marker, Role
from components.workflow import batch_submit, batches
from components.workflow.connections import Connections
from components.workflow.worker import Worker
from storage import Store
from storage import batches as stored_batches
from tests.batch_server import always, batch_server, output_line
from tests.model_server import completion
from tests.support import add_exam, add_marker

MODEL = "cheap-2026-01-02"
GOOD = {
    "points": [
        {"code": code, "evidence": ["denatured"], "reason": "Said.", "awarded": True, "not_sure": False}
        for code in ("M1", "A1")
    ]
}
NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('[models]\n"cheap" = { input = 1, output = 4 }\n')
    monkeypatch.setattr(prices, "PRICES", file)
    monkeypatch.setattr(batch_submit, "POLL_SECONDS", 0.001)
    monkeypatch.setattr(batch_submit, "RETRY_SECONDS", 0.001)


@pytest.fixture
def lead(store: Store) -> Marker:
    return add_marker(store, "Dr Li", Role.PILOT)


def connected(store: Store, base_url: str = NOWHERE) -> Connections:
    connections = Connections()
    connections.connect(store, Endpoint(base_url, MODEL), "")
    return connections


def opened(store: Store, connections: Connections, marker: Marker) -> AppTest:
    """The part alone, on a page of its own."""

    def page(store, connections, marker):  # type: ignore[no-untyped-def]  # its source is run where no name is known
        from pages.pilot.batch_section import batch_section

        batch_section(store, connections, marker)

    st.cache_data.clear()
    at = AppTest.from_function(page, args=(store, connections, marker), default_timeout=30).run()
    assert not at.exception
    return at


def texts(at: AppTest) -> str:
    drawn = [*at.markdown, *at.caption, *at.info, *at.warning]
    return "\n".join([*(each.value for each in drawn), *(bar.proto.text for bar in at.get("progress"))]).replace(
        "\\", ""
    )


def labels(at: AppTest) -> list[str]:
    return [button.label.replace("\\", "") for button in at.button]


def press(at: AppTest, label: str) -> None:
    next(each for each in at.button if each.label.replace("\\", "") == label).click().run()
    assert not at.exception


def open_panel(at: AppTest, key: str) -> None:
    at.session_state[key] = True
    at.run()
    assert not at.exception


def figures(at: AppTest) -> dict[str, str]:
    return {each.label: each.value.replace("\\", "") for each in at.metric}


def written(store: Store, connections: Connections, marker: Marker, answers: list[str]) -> AppTest:
    """The part after a batch of these answers has been begun with the form, and written."""
    add_exam(store, [answers], title="Mock *A*")
    at = opened(store, connections, marker)
    open_panel(at, "start_a_batch")
    press(at, "Write the file")
    assert "Waiting for its turn" in texts(at)
    assert Worker(store, connections).do_one()
    return opened(store, connections, marker)


def custom_ids(store: Store) -> list[str]:
    with store.read() as db:
        parts = stored_batches.parts(db, 1)
    [path] = batches.files(store, parts)
    return [json.loads(line)["custom_id"] for line in path.read_text().splitlines()]


def test_without_a_batch_it_says_what_batches_are_for(store: Store, lead: Marker) -> None:
    add_exam(store, [["x"]])
    at = opened(store, Connections(), lead)
    assert "half price at OpenAI and Azure" in texts(at)
    assert "write the first file" in texts(at)
    open_panel(at, "start_a_batch")
    assert "No language model is connected." in texts(at)


def test_the_form_says_what_a_batch_would_take_and_writes_it(store: Store, lead: Marker) -> None:
    connections = connected(store)
    add_exam(store, [["it is denatured", " "]], title="Mock *A*")
    at = opened(store, connections, lead)
    open_panel(at, "start_a_batch")
    assert "About 1 response would be sent" in texts(at)
    assert "as a batch at half price" in texts(at)
    press(at, "Write the file")
    assert Worker(store, connections).do_one()
    at = opened(store, connections, lead)
    assert "Batch 1" in texts(at)
    assert "Mock *A*" in texts(at)
    assert "Written: 1 request in 1 file" in texts(at)
    assert figures(at) == {"Requests": "1"}
    assert {"Submit to 127.0.0.1:9", "Cancel"} <= set(labels(at))
    assert "has not been asked yet" in texts(at)
    assert f"vllm run-batch -i batch-1.jsonl -o output-batch-1.jsonl --model {MODEL}" in at.code[0].value


def test_submitting_brings_answers_cost_and_a_state_in_words(store: Store, lead: Marker) -> None:
    with batch_server(always(GOOD, MODEL, 1000, 200)) as server:
        connections = connected(store, server.base_url)
        at = written(store, connections, lead, ["it is denatured", "so denatured"])
        press(at, f"Submit to {server.base_url.removeprefix('http://').removesuffix('/v1')}")
        assert "Waiting for its turn" in texts(at)
        assert Worker(store, connections).do_one()
    at = opened(store, connections, lead)
    assert "Ended: completed" in texts(at)
    # 2 × (1,000 × $1/M + 200 × $4/M) / 2
    assert figures(at) == {
        "Requests": "2", "Answered": "2", "Invalid replies": "0", "Failed": "0", "Missing": "0", "Cost": "$0.0018",
    }  # fmt: skip
    assert "at half the prices in assets/prices.toml" in texts(at)
    assert "Send what is missing again" not in labels(at)


def test_an_endpoint_without_batches_points_to_the_file(store: Store, lead: Marker) -> None:
    with batch_server(always(GOOD, MODEL)) as server:
        base_url = server.base_url.removesuffix("/v1") + "/elsewhere"
        connections = connected(store, base_url)
        at = written(store, connections, lead, ["it is denatured"])
        press(at, f"Submit to {base_url.removeprefix('http://').removesuffix('/elsewhere')}")
        assert Worker(store, connections).do_one()
    at = opened(store, connections, lead)
    assert "has no batches" in texts(at)
    assert any(label.startswith("Submit to") for label in labels(at))


def test_an_output_file_is_read_and_what_was_wrong_is_listed(store: Store, lead: Marker) -> None:
    connections = connected(store)
    at = written(store, connections, lead, ["it is denatured", "so denatured", "denatured"])
    first, second, _ = custom_ids(store)
    lines = [
        json.dumps(output_line(first, *completion(GOOD, MODEL, 1000, 200))),
        json.dumps({"custom_id": second, "error": {"message": "=Out of memory."}}),
        "cut off",
    ]
    at.file_uploader[0].set_value([("out.jsonl", "\n".join(lines).encode(), "application/jsonl")]).run()
    press(at, "Read 1 file")
    assert Worker(store, connections).do_one()
    at = opened(store, connections, lead)
    assert figures(at) == {
        "Requests": "3", "Answered": "1", "Invalid replies": "0", "Failed": "1", "Missing": "1", "Cost": "$0.0018",
    }  # fmt: skip
    assert "at the full prices in" in texts(at)
    open_panel(at, "batch_report_1")
    assert "Failed: 1 · Not JSON: 1 · Read: 1" in texts(at)
    table = at.dataframe[0].value
    assert table["What"].tolist() == ["Failed", "Not JSON", "Missing"]
    assert table["Candidate"].tolist() == ["0002", "", "0003"]
    assert [str(each) for each in table["Line"]] == ["2", "3", ""]
    assert "Out of memory." in table["Why"].tolist()[0]
    press(at, "Send what is missing again")
    assert Worker(store, connections).do_one()
    with store.read() as db:
        assert sum(stored_batches.counts(db, 2).values()) == 2


def test_a_written_batch_that_is_cancelled_offers_no_submitting(store: Store, lead: Marker) -> None:
    at = written(store, connected(store), lead, ["it is denatured"])
    press(at, "Cancel")
    at.run()
    assert not any(label.startswith("Submit") for label in labels(at))
    assert "Ended" in texts(at)


def test_a_model_that_is_not_connected_is_said(store: Store, lead: Marker) -> None:
    written(store, connected(store), lead, ["it is denatured"])
    at = opened(store, Connections(), lead)
    assert "The model is not connected" in texts(at)
    assert not any(label.startswith("Submit") for label in labels(at))


def test_an_unknown_price_is_said_and_never_shown_as_nothing(store: Store, lead: Marker) -> None:
    connections = connected(store)
    at = written(store, connections, lead, ["it is denatured"])
    [named] = custom_ids(store)
    line = json.dumps(output_line(named, *completion(GOOD, "mystery-7b", 1000, 200)))
    at.file_uploader[0].set_value([("out.jsonl", line.encode(), "application/jsonl")]).run()
    press(at, "Read 1 file")
    assert Worker(store, connections).do_one()
    at = opened(store, connections, lead)
    assert figures(at)["Cost"] == "not known"
    assert "The price of 1 proposal is not known" in texts(at)
