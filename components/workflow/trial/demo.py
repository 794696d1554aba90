"""The demo trial: two judges without a network on the demo exam's part that two teachers have marked."""

from __future__ import annotations

from components.marking import Marker
from components.workflow.connections import Connections, default_judges
from components.workflow.trial.arms import ArmChoice
from components.workflow.trial.planning import TrialOptions, usual_markers, written
from components.workflow.trial.starting import start
from storage import Store, exams, trial_marks
from storage.trial_marks import Basis

TITLE = "Demo trial: the offline matcher, and one that wants exact words"


def demo_exam(store: Store) -> int | None:
    """The id of the newest demo exam with a part that was marked twice, or None."""
    with store.read() as db:
        for exam in reversed(exams.listed(db)):
            if exam.demo and trial_marks.counted(db, Basis(exam.id, None, None)).double_marked:
                return exam.id
    return None


def run_demo(store: Store, connections: Connections, marker: Marker | None) -> int:
    """Begin the demo trial; gives its id. There is a demo exam. Raises TrialError as `start` does."""
    exam_id = demo_exam(store)
    assert exam_id is not None
    _, offline = default_judges(store)
    arms = (ArmChoice(judge_id=offline), ArmChoice(judge_id=offline, exact=True))
    options = TrialOptions(exam_id=exam_id, arms=arms, title=TITLE)
    with store.read() as db:
        whose = usual_markers(db, exam_id, [each.id for each in written(db, options)])
    return start(store, connections, options.model_copy(update={"whose": whose}), marker)
