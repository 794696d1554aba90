"""What the desk says beside a proposal, as the data its browser part draws."""

from __future__ import annotations

import json
from typing import Any

import pytest

from components.marking import Box, Confidence, Evidence, Phase, PointVerdict, Proposal, ProposalStatus
from components.widgets.desk.pictures import SentPicture, ShownPage, ShownStrokes, ShownTranscript, parcel
from components.widgets.desk.view import DeskView, Shown, desk_data
from tests.support import two_point_question

CALIBRATION = "Within tolerance every time so far at this confidence (20 of 20 …)"


def captions(calibration: str = "", samples: tuple[float, ...] = (), exemplars: tuple[str, ...] = ()) -> list[str]:
    question, scheme = two_point_question(max_mark=4, step=0.5)
    proposal = Proposal(
        status=ProposalStatus.PROPOSED,
        label="A model",
        mark=3,
        confidence=Confidence.SURE,
        samples=samples,
        exemplars=exemplars,
    )
    shown = Shown(
        response_id=1,
        candidate="0001",
        answer="an answer",
        question=question,
        scheme=scheme,
        phase=Phase.MARK,
        proposal=proposal,
        proposal_id=1,
        own=None,
        notes=(),
        flagged=False,
        seen_decision_id=0,
        calibration=calibration,
    )
    return list(desk_data(DeskView(marker_id=1, shown=shown, done=0, total=1))["proposal"]["captions"])


def test_a_proposal_asked_once_without_examples_has_its_label_alone() -> None:
    assert captions() == ["A model"]


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ((3, 3, 4, 3, 2), "Asked 5 times: 3, 3, 4, 3, 2 — from 2 to 4"),
        ((2.5, 3), "Asked 2 times: 2.5, 3 — from 2.5 to 3"),
        ((3, 3, 3, 3, 3), "Asked 5 times: 3 each time"),
    ],
)
def test_the_spread_of_a_judge_that_asked_several_times_is_shown(samples: tuple[float, ...], said: str) -> None:
    assert captions(samples=samples) == [said, "A model"]


def test_a_single_sample_is_no_spread() -> None:
    assert captions(samples=(3,)) == ["A model"]


def test_examples_are_counted_and_the_calibration_comes_first() -> None:
    assert captions(CALIBRATION, (3, 4), ("7", "9", "12")) == [
        CALIBRATION,
        "Asked 2 times: 3, 4 — from 3 to 4",
        "A model",
        "3 examples shown to it",
    ]
    assert captions(exemplars=("7",)) == ["A model", "1 example shown to it"]


def pictured(answer: str = "", earlier: Proposal | None = None, **evidence: Any) -> dict[str, Any]:
    """The desk's data for an answer of two pages, whose M1 rests on the evidence."""
    question, scheme = two_point_question()
    verdict = PointVerdict(code="M1", awarded=True, evidence=(Evidence(quote="denatured", **evidence),))
    proposal = Proposal(status=ProposalStatus.PROPOSED, label="A model", mark=1, verdicts=(verdict,))
    tick = {"kind": "tick"}
    shown = Shown(
        response_id=1,
        candidate="0001",
        answer=answer,
        question=question,
        scheme=scheme,
        phase=Phase.MARK,
        proposal=proposal,
        proposal_id=1,
        own=None,
        notes=(),
        flagged=False,
        seen_decision_id=0,
        pages=(
            ShownPage(1, "aa", 800, 600, [tick], (ShownStrokes("Mr Okafor", [tick, tick]),)),
            ShownPage(2, "bb", 600, 800),
        ),
        transcript=ShownTranscript("<b>denatured</b>", "read by the judge", 3),
        earlier=earlier,
    )
    return desk_data(DeskView(marker_id=1, shown=shown, done=0, total=1, saved=("s1",)))


def test_pages_stand_in_the_answers_place_with_strokes_labels_and_transcript() -> None:
    data = pictured()
    assert data["blank"] is False
    assert [(p["page"], p["sha"], p["width"], p["height"], len(p["own"])) for p in data["pages"]] == [
        (1, "aa", 800, 600, 1),
        (2, "bb", 600, 800, 0),
    ]
    assert [(o["name"], len(o["strokes"])) for o in data["pages"][0]["others"]] == [("Mr Okafor", 2)]
    assert data["labels"] == ["M1", "A1"]
    assert data["transcript"] == {"text": "<b>denatured</b>", "source": "read by the judge", "version": 3}
    assert data["saved"] == ["s1"]


def test_a_verdicts_box_is_drawn_on_its_own_page() -> None:
    first, second = pictured(box=Box(page=2, x0=0.1, y0=0, x1=0.5, y1=1))["pages"]
    assert first["boxes"] == []
    assert second["boxes"] == [{"code": "M1", "kind": "found", "x0": 0.1, "y0": 0, "x1": 0.5, "y1": 1}]


def test_evidence_counted_in_a_transcript_highlights_no_other_words_of_a_typed_part() -> None:
    assert [p["codes"] for p in pictured("see the drawing", start=4, end=13, in_transcript=True)["segments"]] == [[]]
    assert [p["codes"] for p in pictured("it is denatured", start=6, end=15)["segments"]] == [[], ["M1"]]


def test_an_earlier_proposal_stands_beside_the_new_one() -> None:
    assert pictured()["comparison"] == []
    verdicts = (PointVerdict(code="M1", awarded=False),)
    earlier = Proposal(status=ProposalStatus.PROPOSED, label="A model", mark=0, verdicts=verdicts)
    assert pictured(earlier=earlier)["comparison"] == [
        {"when": "Earlier", "mark": 0, "verdicts": ["M1 ✗"]},
        {"when": "Now", "mark": 1, "verdicts": ["M1 ✓"]},
    ]


def test_pictures_travel_as_a_line_of_names_and_their_bytes() -> None:
    sent = parcel([SentPicture("aa", "image/png", b"\x89PNG\n"), SentPicture("bb", "", b"", "damaged")])
    names, content = sent.split(b"\n", 1)
    assert json.loads(names) == [
        {"sha": "aa", "mime": "image/png", "size": 5, "error": ""},
        {"sha": "bb", "mime": "", "size": 0, "error": "damaged"},
    ]
    assert content == b"\x89PNG\n"
