"""Beginning a trial: its marks, schemes and examples are noted, so that its report rests on what was true then."""

from __future__ import annotations

from collections.abc import Sequence

from sqlite_utils import Database

from components.judge.prices import price_of
from components.marking import Marker
from components.workflow.cohort import no_price_words
from components.workflow.connections import Connections
from components.workflow.trial import arms
from components.workflow.trial.planning import TrialOptions, examples_of, written
from components.workflow.untaken import untaken
from storage import Store, events, exams, jobs, judges, trial_marks, trials
from storage.exams import StoredQuestion
from storage.judges import StoredJudge
from storage.trials import NewArm, Trial

TRIAL = "trial"
MOST_ARMS = 60
NO_RESPONSES = "These questions have no responses. Choose others."
NOTHING_MARKED = (
    "No response of these questions has a mark that a teacher gave without the AI's in sight, so there is nothing to "
    "compare with. Import marks, or mark some blind first."
)


class TrialError(ValueError):
    """A trial that cannot be started. The message says why and what to do."""


def start(
    store: Store, connections: Connections, options: TrialOptions, marker: Marker | None, *, claimant: str = ""
) -> int:
    """Begin a trial: its marks, schemes and examples are noted now. Gives the trial's id.

    Its job is queued, or taken at once for a `claimant` who does it here. Raises TrialError in words, with nothing
    begun, where it cannot be done.
    """
    _check(options)
    stored = _stored(store, options)
    ids = _judge_ids(store, connections, options, stored)
    with store.write() as db:
        exam = exams.get(db, options.exam_id)
        if exam is None:
            raise TrialError("The exam has been archived. Choose another.")
        questions = written(db, options)
        chosen = [{} if not each.shots else examples_of(db, questions, each) for each in options.arms]
        new = {
            (judge_id, each.shots, each.grading, each.criteria, each.repeat): NewArm(
                judge_id,
                each.shots,
                each.grading,
                each.criteria,
                each.repeat,
                {str(question): [one.model_dump(mode="json") for one in shown] for question, shown in examples.items()},
            )
            for judge_id, each, examples in zip(ids, options.arms, chosen, strict=True)
        }
        marker_id = None if marker is None else marker.id
        title = options.title.strip() or f"{exam.title}, trial {trials.count_of_exam(db, exam.id) + 1}"
        title = untaken(title, {each.title for each in trials.listed(db)})
        trial_id = trials.add(db, exam.id, title, _settings(db, options, questions), marker_id, [*new.values()])
        trial_marks.take(db, trial_id, options.basis(each.id for each in questions))
        if not trials.places(db, trial_id):
            raise TrialError(NO_RESPONSES if options.unmarked else NOTHING_MARKED)
        job_id = jobs.add(db, TRIAL, {"trial_id": trial_id, "exam_id": exam.id, "cap": options.cap})
        trials.set_job(db, trial_id, job_id)
        if claimant:
            jobs.take(db, job_id, claimant)
        about = {"trial": title, "arms": len(new), "cap": options.cap}
        events.log(db, "trial started", f"exam {exam.id}", about, marker_id)
    return trial_id


def same(store: Store, connections: Connections, options: TrialOptions) -> Trial | None:
    """The newest trial of the same responses and marks, schemes and arms, whatever its cap and title are.

    Judges that it needs are made and connected. Raises TrialError as `start` does.
    """
    _check(options)
    ids = _judge_ids(store, connections, options, _stored(store, options))
    wanted = {
        (judge_id, each.shots, each.grading, each.criteria, each.repeat)
        for judge_id, each in zip(ids, options.arms, strict=True)
    }
    with store.read() as db:
        basis = options.basis(each.id for each in written(db, options))
        for trial in trials.listed(db):
            if trial.exam_id != options.exam_id or trial.job_id is None:
                continue
            own = {(a.judge.id, a.shots, a.grading, a.criteria, a.repeat) for a in trials.arms(db, trial.id)}
            if own == wanted and trial_marks.as_noted(db, trial.id, basis):
                return trial
    return None


def _check(options: TrialOptions) -> None:
    if not options.arms:
        raise TrialError("Choose at least one judge.")
    if len(options.arms) > MOST_ARMS:
        raise TrialError(f"A trial has at most {MOST_ARMS} arms, and this one has {len(options.arms)}. Choose fewer.")


def _stored(store: Store, options: TrialOptions) -> dict[int, StoredJudge]:
    with store.read() as db:
        found = {choice.judge_id: judges.get(db, choice.judge_id) for choice in options.arms}
    known = {judge_id: judge for judge_id, judge in found.items() if judge is not None}
    if options.cap is not None:
        for judge in known.values():
            if judge.kind == judges.LLM and price_of(judge.model, 0, 0) is None:
                raise TrialError(no_price_words(judge.model))
    return known


def _judge_ids(
    store: Store, connections: Connections, options: TrialOptions, stored: dict[int, StoredJudge]
) -> list[int]:
    for judge in stored.values():  # before any is made
        if judge.kind == judges.LLM and connections.llm(judge.id) is None:
            raise TrialError(
                f"{judge.name} is not connected. Connect it again on the Judges page; its key is never stored."
            )
    try:
        return [arms.connect(store, connections, stored[choice.judge_id], choice) for choice in options.arms]
    except ValueError as error:
        raise TrialError(str(error)) from error


def _settings(db: Database, options: TrialOptions, questions: Sequence[StoredQuestion]) -> dict[str, object]:
    names = {each.marker_id: each.name for each in trial_marks.markers_of(db, options.exam_id, None)}
    first, second = options.whose or (None, None)
    by_place = ("first to mark", "second to mark")
    return {
        "questions": [each.id for each in questions],
        "whose": "first two" if options.whose is None else "chosen",
        "first_marker": by_place[0] if first is None else names.get(first, by_place[0]),
        "unmarked": options.unmarked,
        "second_marker": (
            by_place[1] if options.whose is None else "" if second is None else names.get(second, by_place[1])
        ),
    }
