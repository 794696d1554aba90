"""What the desk says beside a proposal, as the data its browser part draws."""

from __future__ import annotations

import pytest

from components.marking import Confidence, Phase, Proposal, ProposalStatus
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
