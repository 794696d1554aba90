"""Remedies: a changed note or wording, tried on some responses before it becomes a version of the scheme.

Until one is applied nothing of it reaches the desk: the draft and its results live in tables of their own.
"""

from __future__ import annotations

from sqlite_utils import Database

from components.marking import Marker, ProposalStatus, Role, Scheme
from components.workflow import cohort
from components.workflow.cohort import RunOptions
from components.workflow.connections import Connections
from components.workflow.review import trial
from components.workflow.review.looked import Pattern
from components.workflow.review.remedy_error import RemedyError
from components.workflow.review.suggestions import OFFLINE_READS, reads_note
from components.workflow.review.trial import Outlook
from components.workflow.review.wording import same_structure
from storage import Store, events, exams, jobs, judges, remedies
from storage.exams import StoredQuestion
from storage.judges import StoredJudge
from storage.remedies import Remedy, State

REMEDY = "remedy"
LEADS = (Role.HEAD, Role.PILOT)


def draft(store: Store, pattern: Pattern, marker: Marker) -> int:
    """A remedy for the pattern, its draft the scheme as it is; one that is drafted already serves again. Its id.

    Raises RemedyError where no remedy can help, or the marker may not draft one.
    """
    _check_lead(marker)
    if pattern.bar:
        raise RemedyError(pattern.bar)
    with store.write() as db:
        question = exams.question(db, pattern.question_id)
        for known in remedies.listed(db, question.exam_id):
            same = known.pattern_key == pattern.key and known.scheme_id == question.scheme_id
            if same and known.state is State.DRAFTED:
                return known.id
        return remedies.add(
            db,
            exam_id=question.exam_id,
            question_id=question.id,
            judge_id=pattern.judge_id,
            marker_id=marker.id,
            pattern=pattern.sentence,
            pattern_key=pattern.key,
            behind=pattern.responses,
            scheme_id=question.scheme_id,
            draft=question.scheme,
        )


def redraft(store: Store, remedy_id: int, scheme: Scheme, marker: Marker) -> None:
    """Keep another draft. Raises RemedyError where it has been tried already, or is another scheme in more than words.

    What was tried stays as it was tried: `revise` makes a new remedy of it.
    """
    _check_lead(marker)
    with store.write() as db:
        remedy = _open(db, remedy_id)
        if remedy.state is not State.DRAFTED:
            raise RemedyError("This draft has been tried, so it stays as it is. Press “Change the draft” for another.")
        if not same_structure(remedy.draft, scheme):
            raise RemedyError("A remedy changes the words of a scheme only; its codes, marks and structure stay.")
        remedies.redraft(db, remedy_id, scheme)


def revise(store: Store, remedy_id: int, marker: Marker) -> int:
    """A new remedy that goes on from this one's draft, which is dropped; its results stay on record. The new id.

    Where the scheme has changed since, the new draft begins at the scheme as it is now.
    """
    _check_lead(marker)
    with store.write() as db:
        remedy = _open(db, remedy_id)
        newest = exams.question(db, remedy.question_id)
        unchanged = newest.scheme_id == remedy.scheme_id
        _end(db, remedy, State.DROPPED, marker, {"for": "another draft"})
        return remedies.add(
            db,
            exam_id=remedy.exam_id,
            question_id=remedy.question_id,
            judge_id=remedy.judge_id,
            marker_id=marker.id,
            pattern=remedy.pattern,
            pattern_key=remedy.pattern_key,
            behind=remedy.behind,
            scheme_id=newest.scheme_id,
            draft=remedy.draft if unchanged else newest.scheme,
        )


def outlook(store: Store, connections: Connections, remedy_id: int, size: int) -> Outlook:
    """What trying the draft on so many responses would take. Raises RemedyError where it cannot be tried."""
    with store.read() as db:
        remedy = _open(db, remedy_id)
        return trial.outlook(db, connections, remedy, size)


def try_it(store: Store, connections: Connections, remedy_id: int, size: int, marker: Marker) -> int:
    """Queue the judge to try the draft on at most `size` responses. The job's id.

    Raises RemedyError, in words, where the draft changes nothing that the judge reads, the scheme has been changed
    meanwhile, the judge is not connected, or no response has a teacher's mark.
    """
    _check_lead(marker)
    with store.write() as db:
        remedy = _open(db, remedy_id)
        if remedy.state is not State.DRAFTED:
            raise RemedyError("This draft is being tried already, or has been. Reload the page to see it.")
        question = exams.question(db, remedy.question_id)
        _check_base(question, remedy)
        _check_changed(question.scheme, remedy.draft, trial.judge_of(db, remedy))
        ahead = trial.outlook(db, connections, remedy, size)
        job_id = jobs.add(db, REMEDY, {"remedy_id": remedy.id, "exam_id": remedy.exam_id})
        remedies.begin(db, remedy.id, job_id, ahead.sample, trial.asked_as(db, remedy).model_dump(mode="json"))
        about = {"remedy_id": remedy.id, "responses": len(ahead.sample)}
        events.log(db, "remedy tried", f"question {remedy.question_id}", about, marker.id)
        return job_id


def go_on(store: Store, remedy_id: int, marker: Marker) -> None:
    """Let a trial that was stopped go on; what has been tried is not asked again, what failed is."""
    _check_lead(marker)
    with store.write() as db:
        remedy = _open(db, remedy_id)
        if remedy.job_id is not None:
            jobs.again(db, remedy.job_id)


def cancel(store: Store, remedy_id: int, marker: Marker) -> None:
    """Stop a trial; what has been tried stays."""
    _check_lead(marker)
    with store.write() as db:
        remedy = _open(db, remedy_id)
        if remedy.job_id is not None:
            jobs.cancel(db, remedy.job_id)


def apply(store: Store, remedy_id: int, marker: Marker) -> int:
    """Make the draft a new version of the scheme; gives the version. Marks and proposals given before keep theirs.

    Raises RemedyError where the marker is no head of department, the draft has not been tried to its end, every trial
    failed, or the scheme has been changed meanwhile.
    """
    if marker.role is not Role.HEAD:
        raise RemedyError("Only a head of department may change the scheme. Ask them to look at this remedy.")
    with store.write() as db:
        remedy = _open(db, remedy_id)
        if remedy.state is not State.TRIED:
            raise RemedyError("Try the draft to its end first, so that you see what it changes before it counts.")
        failed = _check_came_back(db, remedy)
        question = exams.question(db, remedy.question_id)
        _check_base(question, remedy)
        scheme_id = exams.add_scheme_version(db, question.id, question.question, remedy.draft, marker.id)
        _end(db, remedy, State.APPLIED, marker, {"scheme_id": scheme_id, "failed": failed}, scheme_id)
        return exams.question(db, question.id).scheme_version


def run_again(store: Store, remedy_id: int) -> RunOptions:
    """The run that asks the judge about the whole question under the applied scheme, as the desk's last run asked it.

    Raises LookupError where there is no such remedy.
    """
    with store.read() as db:
        remedy = remedies.get(db, remedy_id)
        if remedy is None:
            raise LookupError(f"There is no remedy {remedy_id}.")
        how = trial.asked_as(db, remedy)
    return RunOptions(
        exam_id=remedy.exam_id,
        judge_id=remedy.judge_id,
        questions=(remedy.question_id,),
        shots=how.shots,
        grading=how.grading,
    )


def ask_again(store: Store, remedy_id: int, marker: Marker) -> int:
    """Queue `run_again`. The job's id. Raises RunError as `cohort.start` does, RemedyError as the others do."""
    _check_lead(marker)
    return cohort.start(store, run_again(store, remedy_id), marker, on_desk=False)


def drop(store: Store, remedy_id: int, marker: Marker) -> None:
    """Give the remedy up. Its draft and results stay on record."""
    _check_lead(marker)
    with store.write() as db:
        _end(db, _open(db, remedy_id), State.DROPPED, marker, {})


def _open(db: Database, remedy_id: int) -> Remedy:
    remedy = remedies.get(db, remedy_id)
    if remedy is None:
        raise RemedyError("There is no such remedy; its exam may have been archived. Go back to the patterns.")
    if not remedy.open:
        raise RemedyError(f"This remedy has been {remedy.state} meanwhile. Reload the page to see it.")
    return remedy


def _end(
    db: Database, remedy: Remedy, state: State, marker: Marker, about: dict[str, object], scheme_id: int | None = None
) -> None:
    if remedy.job_id is not None:
        jobs.cancel(db, remedy.job_id)
    remedies.set_state(db, remedy.id, state, scheme_id)
    about = {"remedy_id": remedy.id, **about}
    events.log(db, f"remedy {state}", f"question {remedy.question_id}", about, marker.id)


def _check_lead(marker: Marker) -> None:
    if marker.role not in LEADS:
        raise RemedyError("Remedies are for heads of department and pilot leads.")


def _check_base(question: StoredQuestion, remedy: Remedy) -> None:
    if question.scheme_id != remedy.scheme_id:
        raise RemedyError(
            f"The mark scheme of question {question.question.number} has been changed meanwhile, to v"
            f"{question.scheme_version}, and this draft starts from an earlier one. Nothing was done. Press “Change "
            "the draft” to start from the scheme as it is now."
        )


def _check_came_back(db: Database, remedy: Remedy) -> int:
    """How many responses of the trial failed; raises RemedyError where none came back."""
    said = [result.after for result in remedies.results(db, remedy.id).values() if result.after is not None]
    failed = sum(after.status is ProposalStatus.FAILED for after in said)
    if failed == len(said):
        raise RemedyError(
            f"The judge failed on every response of this trial ({failed} of {len(remedy.sample)}), so nothing shows "
            "what the draft changes. Ask the failed ones again first."
        )
    return failed


def _check_changed(scheme: Scheme, drafted: Scheme, judge: StoredJudge) -> None:
    if scheme == drafted:
        raise RemedyError("The draft is the scheme as it is. Change the note or the wording, then try it.")
    if not reads_note(judge) and scheme.model_copy(update={"note": ""}) == drafted.model_copy(update={"note": ""}):
        said = OFFLINE_READS if judge.kind == judges.OFFLINE else f"{judge.name} is not shown the note."
        raise RemedyError(f"{said} So this draft changes nothing for it. Change the wording, then try it.")
