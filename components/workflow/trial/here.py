"""A trial done in this very process, from a command."""

from __future__ import annotations

from components.marking import MarkError
from components.workflow.connections import Connections
from components.workflow.here import Draw, Ended, do_here, new_claimant
from components.workflow.trial.planning import TrialOptions
from components.workflow.trial.running import run_trial
from components.workflow.trial.starting import same, start
from storage import Store, jobs, trials


def try_here(store: Store, connections: Connections, options: TrialOptions, draw: Draw) -> tuple[int, Ended]:
    """Begin the trial, or go on with the same one, and do it as `do_here` does. Gives its id and how it ended.

    Raises TrialError where it cannot be begun, MarkError where it is under way in the app.
    """
    claimant = new_claimant()
    before = same(store, connections, options)
    trial_id = before.id if before else start(store, connections, options, None, claimant=claimant)
    with store.write() as db:
        trial = trials.get(db, trial_id)
        job_id = None if trial is None else trial.job_id
        if before is not None and job_id is not None:
            jobs.requeue_lost(db)
            jobs.unpause(db, job_id)
            jobs.again(db, job_id)
            jobs.take(db, job_id, claimant)
        job = None if job_id is None or not jobs.beat(db, job_id, claimant, 0, 0) else jobs.get(db, job_id)
        if job is not None:
            jobs.change_payload(db, job.id, {**job.payload, "cap": options.cap})
            job = jobs.get(db, job.id)
    if job is None:
        raise MarkError(
            f"Trial {trial_id} is under way elsewhere: follow it on the app's Trials page. If its process was killed "
            "just now, try again in half a minute."
        )
    return trial_id, do_here(store, connections, job, claimant, run_trial, draw)
