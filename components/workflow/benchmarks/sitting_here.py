"""A sitting done in this very process, from a command."""

from __future__ import annotations

from components.judge.llm import Endpoint
from components.marking import MarkError
from components.workflow.benchmarks import sitting as sittings_job
from components.workflow.benchmarks.settings import SittingSettings
from components.workflow.connections import Connections, default_name, settings_of
from components.workflow.here import Draw, Ended, do_here, new_claimant
from storage import Store, jobs, judges, sittings


def connect(store: Store, connections: Connections, endpoint: Endpoint, key_variable: str | None) -> int:
    """The id of the judge with this endpoint and settings: the one that has them already, under whatever name."""
    with store.read() as db:
        listed = judges.listed(db)
    wanted = {name: str(value) for name, value in settings_of(endpoint).items()}
    for judge in listed:
        own = {name: str(value) for name, value in judge.settings.items() if name not in judges.REACH}
        if judge.kind == judges.LLM and judge.model == endpoint.model and own == wanted:
            return connections.connect(store, endpoint, key_variable, judge.name)
    return connections.connect(store, endpoint, key_variable, default_name(endpoint))


def sit_here(
    store: Store,
    connections: Connections,
    set_id: int,
    judge_id: int,
    settings: SittingSettings,
    draw: Draw,
) -> tuple[int, Ended]:
    """Begin the sitting, or go on with the same one, and do it as `do_here` does. Gives its id and how it ended.

    Raises MarkError where it cannot be begun, or is under way in the app.
    """
    claimant = new_claimant()
    with store.read() as db:
        before = sittings_job.same(db, set_id, judge_id, settings)
    if before is None:
        sitting_id = sittings_job.begin(store, set_id, judge_id, settings, None, claimant=claimant)
    else:
        sitting_id = before.id
        with store.write() as db:
            jobs.requeue_lost(db)
        sittings_job.go_on(store, sitting_id, claimant=claimant)
    with store.write() as db:
        found = sittings.get(db, sitting_id)
        job = None if found is None or found.job_id is None else jobs.get(db, found.job_id)
        mine = job is not None and jobs.beat(db, job.id, claimant, 0, 0)
        if found is not None and mine:
            sittings.change_settings(db, sitting_id, {**found.settings, "cap": settings.cap})
    if job is None or not mine:
        raise MarkError(
            f"Sitting {sitting_id} is under way elsewhere: follow it on the app's Benchmarks page. If its process was "
            "killed just now, try again in half a minute."
        )
    return sitting_id, do_here(store, connections, job, claimant, sittings_job.do_sitting, draw)
