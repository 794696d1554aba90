"""Runs: a judge asked about an exam's responses, from starting one to letting it go on."""

from __future__ import annotations

from pydantic import Field
from sqlite_utils import Database

from components.judge.prices import price_of
from components.marking import Marker
from components.marking.scheme import Frozen
from components.workflow import exemplars
from components.workflow.exemplars import MOST_SHOTS, Chosen
from storage import Store, events, exams, jobs, judges, pictures, standings

PROPOSE = "propose"


class RunError(ValueError):
    """A run that cannot be started. The message says why and what to do."""


class RunOptions(Frozen):
    """What a run is to do. `questions` are ids, None for all; `cap` is in US dollars, None for no limit.

    `responses` are ids where it is about some alone. `skip_pictures` leaves out those that can only be looked at: they
    have pictures, and no teacher has confirmed what these say.
    `chosen` are the examples of each question, taken when the run was started: it goes on with the same ones, so that
    nothing is asked again for them.
    """

    exam_id: int
    judge_id: int
    questions: tuple[int, ...] | None = None
    shots: int = Field(default=0, ge=0, le=MOST_SHOTS)
    grading: bool = True
    cap: float | None = Field(default=None, gt=0)
    chosen: dict[int, tuple[Chosen, ...]] = Field(default_factory=dict)
    responses: tuple[int, ...] | None = None
    skip_pictures: bool = False

    def covers(self, question_id: int) -> bool:
        return self.questions is None or question_id in self.questions


def start(store: Store, options: RunOptions, marker: Marker | None, *, on_desk: bool) -> int:
    """Queue a run, its examples chosen now; `on_desk` lets its proposals stand on the exam's desk. Gives the job id.

    Raises RunError where a cap is asked for and the model's price is not known, and where responses are pictures and
    the model is known to take none.
    """
    with store.write() as db:
        _check_cap(db, options)
        check_eyes(db, options)
        options = with_exemplars(db, options)
        if on_desk:
            exams.set_judge(db, options.exam_id, options.judge_id, None if marker is None else marker.id)
            standings.refresh_exam(db, options.exam_id)
        about = {"judge_id": options.judge_id, "shots": options.shots, "cap": options.cap}
        marker_id = None if marker is None else marker.id
        events.log(db, "run started", f"exam {options.exam_id}", about, marker_id)
        return jobs.add(db, PROPOSE, options.model_dump(mode="json"))


def with_exemplars(db: Database, options: RunOptions) -> RunOptions:
    """The options with the examples that its questions have now."""
    if options.shots == 0:
        return options
    chosen = {
        question.id: exemplars.choose(db, question, options.shots, grading=options.grading)
        for question in exams.questions(db, options.exam_id)
        if options.covers(question.id) and not question.question.type.objective
    }
    return options.model_copy(update={"chosen": chosen})


def options_of(db: Database, payload: dict[str, object]) -> RunOptions | None:
    """The options in a job's payload; one from before runs had options means the exam's own judge, or none."""
    if "judge_id" not in payload:
        exam = exams.get(db, int(str(payload["exam_id"])))
        if exam is None or exam.judge_id is None:
            return None
        payload = {**payload, "judge_id": exam.judge_id}
    return RunOptions.model_validate(payload)


def go_on(store: Store, job_id: int, cap: float | None = None) -> None:
    """Let a paused or ended run go on: what is stored is not asked again, what failed is. With a `cap`, to that one."""
    with store.write() as db:
        job = jobs.get(db, job_id)
        if job is None:
            return
        if cap is not None:
            jobs.change_payload(db, job_id, {**job.payload, "cap": cap})
        if job.status == "queued":
            jobs.unpause(db, job_id)
        else:
            jobs.again(db, job_id)


def check_eyes(db: Database, options: RunOptions) -> None:
    """Raises RunError where the run is about pictures that only a model can look at, and the judge's takes none."""
    judge = judges.get(db, options.judge_id)
    if options.skip_pictures or options.responses is not None or judge is None or judge.kind != judges.LLM:
        return
    found = judges.capabilities(db, judge.settings["base_url"], judge.model) or {}
    if found.get("pictures") is not False:
        return
    count = pictures_to_look_at(db, options)
    if count:
        raise RunError(
            f"{judge.model} cannot read pictures, and {_of_these(count)}. Choose another model, or mark them yourself."
        )


def pictures_to_look_at(db: Database, options: RunOptions) -> int:
    """How many responses of the run's questions have pictures without a teacher's transcript."""
    unread = pictures.unread(db, options.exam_id)
    asked = [each for each in exams.questions(db, options.exam_id) if not each.question.type.objective]
    return sum(unread.get(each.id, 0) for each in asked if options.covers(each.id))


def _of_these(count: int) -> str:
    return "one of these responses is a picture" if count == 1 else f"{count:,} of these responses are pictures"


def _check_cap(db: Database, options: RunOptions) -> None:
    judge = judges.get(db, options.judge_id)
    if options.cap is None or judge is None or judge.kind != judges.LLM:
        return
    if price_of(judge.model, 0, 0) is None:
        raise RunError(no_price_words(judge.model))


def no_price_words(model: str) -> str:
    """Why a run with a cap cannot go on."""
    return (
        f"The price of {model} is not known, so no spending cap can be kept. Add it to assets/prices.toml (0 for a "
        "model of your own), or start without a cap."
    )
