"""Which judge proposes for a question, and storing what it says."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock

from sqlite_utils import Database

from components.judge import Judge, JudgeStopped
from components.judge.llm import ConnectionReport, Endpoint, LLMJudge, Protocol, test_connection
from components.judge.objective import ObjectiveJudge
from components.judge.offline import OfflineJudge
from components.judge.prices import price_of
from components.marking import Marker, Proposal, ProposalStatus
from storage import Store, exams, jobs, judges, proposals, responses, runs, standings
from storage.exams import StoredQuestion
from storage.judges import StoredJudge
from storage.responses import StoredResponse

log = logging.getLogger(__name__)

Progress = Callable[[int, int, str], bool]
LLM_AT_ONCE = 4


class Connections:
    """The LLM judges that can be asked now. Their keys live here, in memory, and nowhere else."""

    def __init__(self) -> None:
        self._connected: dict[int, LLMJudge] = {}
        self._tests: dict[str, Future[ConnectionReport]] = {}
        self._testers = ThreadPoolExecutor(max_workers=2, thread_name_prefix="second-marker-connection-test")
        self._lock = Lock()

    @classmethod
    def from_environment(cls, store: Store) -> Connections:
        """Connections with the endpoint that the environment names, and with every judge whose key it still holds."""
        connections = cls()
        endpoint = Endpoint.from_environment()
        if endpoint is not None:
            variable = "OPENAI_API_KEY" if endpoint.api_key else ""
            connections.connect(store, endpoint, variable)
        with store.read() as db:
            stored = [judge for judge in judges.listed(db) if judge.kind == judges.LLM]
        for judge in stored:
            named: str | None = judge.settings.get("key_variable")
            if named is not None and (named == "" or os.environ.get(named)):
                connections.connect(store, _endpoint_again(judge, named), named)
        return connections

    def connect(self, store: Store, endpoint: Endpoint, key_variable: str | None) -> int:
        """The id of the judge for this endpoint and model, ready until the server stops.

        `key_variable` names the environment variable its key came from ("" where it needs none, None where it was
        typed); it alone is stored, and brings the judge back after a restart.
        """
        settings = {"base_url": endpoint.base_url, "protocol": endpoint.protocol, "key_variable": key_variable}
        name = f"{endpoint.model} at {endpoint.base_url}"
        if endpoint.protocol is not Protocol.FULL:
            name += f", {endpoint.protocol.named}"
        with store.write() as db:
            judge_id = judges.ensure(db, name, judges.LLM, endpoint.model, settings)
            judges.note_key_variable(db, judge_id, key_variable)
        with self._lock:
            self._connected[judge_id] = LLMJudge(endpoint)
        return judge_id

    def connected(self, stored: StoredJudge) -> bool:
        """Whether the judge can be asked now."""
        return stored.kind in (judges.OBJECTIVE, judges.OFFLINE) or stored.id in self._connected

    def judge(self, stored: StoredJudge) -> Judge | None:
        """The judge itself, or None when its key is not in memory (after a restart) or it only ever was imported."""
        if stored.kind == judges.OBJECTIVE:
            return ObjectiveJudge()
        if stored.kind == judges.OFFLINE:
            return OfflineJudge()
        with self._lock:
            return self._connected.get(stored.id)

    def start_test(self, name: str, endpoint: Endpoint) -> None:
        """Begin a live round trip in the background; `test_result(name)` gives its report when it is there."""
        with self._lock:
            self._tests[name] = self._testers.submit(test_connection, endpoint)

    def test_result(self, name: str) -> ConnectionReport | None:
        """The report of the test of this name, or None while it is under way. Raises KeyError where none was begun."""
        with self._lock:
            test = self._tests[name]
        return test.result() if test.done() else None


def _endpoint_again(judge: StoredJudge, key_variable: str) -> Endpoint:
    """The endpoint of a judge from before, whose key the named environment variable holds ("" where it needs none)."""
    return Endpoint(
        base_url=judge.settings["base_url"],
        model=judge.model,
        api_key=os.environ.get(key_variable, "") if key_variable else "",
        protocol=Protocol(judge.settings.get("protocol", Protocol.FULL)),
    )


def default_judges(store: Store) -> tuple[int, int]:
    """The ids of the two judges that are always there: (by calculation, offline)."""
    with store.write() as db:
        return (
            judges.ensure(db, ObjectiveJudge.name, judges.OBJECTIVE),
            judges.ensure(db, OfflineJudge.name, judges.OFFLINE),
        )


def choose_judge(store: Store, exam_id: int, judge_id: int, marker: Marker | None) -> int:
    """Let this judge's proposals stand on the exam's desk, and queue those it has not made. Gives the job id."""
    with store.write() as db:
        jobs.cancel_of_exam(db, exam_id)  # or the judge before would go on, and go on being paid
        exams.set_judge(db, exam_id, judge_id, None if marker is None else marker.id)
        standings.refresh_exam(db, exam_id)
        return jobs.add(db, "propose", {"exam_id": exam_id})


def go_on(store: Store, job_id: int) -> bool:
    """Queue an ended run's job again: what is stored is not asked again, what failed is.

    False, and nothing queued, where a newer run of the same exam has taken its place.
    """
    with store.write() as db:
        job = jobs.get(db, job_id)
        newest = None if job is None else jobs.latest_of_exam(db, "propose", job.payload["exam_id"])
        if newest is None or newest.id != job_id:
            return False
        jobs.again(db, job_id)
        return True


def propose_exam(
    store: Store, connections: Connections, exam_id: int, progress: Progress, job_id: int | None = None
) -> str:
    """Make the proposals that an exam's desk lacks, undecided responses first. Gives a summary in words.

    With a job, its run is noted and every proposal names it. Raises JudgeStopped when the judge cannot work at all.
    What is stored stays; the same call again goes on from there.
    """
    with store.read() as db:
        exam = exams.get(db, exam_id)
        if exam is None:
            return "The exam has been archived."
        work = [(question, responses.of_question(db, question.id)) for question in exams.questions(db, exam_id)]
        listed = {judge.kind: judge for judge in judges.listed(db)}
        chosen = judges.get(db, exam.judge_id) if exam.judge_id is not None else None
    if chosen is None:
        return "No judge has been chosen for this exam."
    run_id = None
    if job_id is not None:
        with store.write() as db:
            run_id = runs.begin(db, exam_id, chosen.id, job_id)
    # Objective questions first: no model is needed for them, so none that fails can keep them waiting.
    work.sort(key=lambda each: not each[0].question.type.objective)
    total, done = sum(len(answers) for _, answers in work), 0
    for question, answers in work:
        stored = listed[judges.OBJECTIVE] if question.question.type.objective else chosen
        judge = connections.judge(stored)
        if judge is None:
            if stored.kind == judges.IMPORTED:
                done += len(answers)
                continue
            raise JudgeStopped(
                f"{stored.name} is not connected. Connect it again on the Judges page; its key is never stored."
            )
        for batch in _batches(answers, LLM_AT_ONCE if stored.kind == judges.LLM else 50):
            silent = propose_batch(store, judge, stored.id, question, batch, run_id)
            done += len(batch)
            if silent:
                raise JudgeStopped(f"{stored.name} does not answer, so nothing more was sent. {silent}")
            if not progress(done, total, f"Question {question.question.number}"):
                return f"Stopped after {done} of {total} responses."
    return _summary(store, exam_id)


def _summary(store: Store, exam_id: int) -> str:
    with store.read() as db:
        counts = standings.proposal_counts(db, exam_id)
    said = f"{counts['proposed']:,} proposed"
    if counts["abstained"]:
        said += f", {counts['abstained']:,} left to the teacher (each says why)"
    if counts["failed"]:
        said += f", {counts['failed']:,} failed (ask again to retry them)"
    return said + "."


def propose_batch(
    store: Store,
    judge: Judge,
    judge_id: int,
    question: StoredQuestion,
    answers: list[StoredResponse],
    run_id: int | None = None,
) -> str:
    """Propose for some responses of one question and store all of it at once; what is known already is left alone.

    Gives the reason where several were asked and the judge's server gave no reply to any, else "".
    """
    hashes = inputs_hashes(judge, question, answers)

    def unknown(db: Database, asked: list[StoredResponse]) -> list[StoredResponse]:
        return [a for a in asked if proposals.with_inputs(db, a.id, judge_id, hashes[a.id]) is None]

    with store.read() as db:
        answers = unknown(db, answers)
    with ThreadPoolExecutor(max_workers=LLM_AT_ONCE if isinstance(judge, LLMJudge) else 1) as pool:
        made = dict(
            zip((a.id for a in answers), pool.map(lambda a: _proposal(judge, question, a), answers), strict=True)
        )
    # What did come back is stored first: it may have been paid for.
    with store.write() as db:
        for answer in unknown(db, answers):
            proposal = made[answer.id]
            if isinstance(proposal, Proposal):
                if isinstance(judge, LLMJudge):
                    proposal = _priced(proposal)
                proposals.add(
                    db,
                    answer.id,
                    judge_id,
                    question.scheme_id,
                    proposal,
                    inputs_hash=hashes[answer.id],
                    run_id=run_id,
                )
    for proposal in made.values():
        if isinstance(proposal, JudgeStopped):
            raise proposal
    silent = [
        proposal.reason
        for proposal in made.values()
        if isinstance(proposal, Proposal)
        and proposal.status is ProposalStatus.FAILED
        and not proposal.usage.raw_reply
        and isinstance(judge, LLMJudge)
    ]
    return silent[0] if len(silent) == len(made) > 1 else ""


def _proposal(judge: Judge, question: StoredQuestion, answer: StoredResponse) -> Proposal | JudgeStopped:
    """The judge's proposal. One answer that it breaks on is a failed proposal, not the end of the others."""
    try:
        return judge.propose(question.question, question.scheme, answer.for_judge())
    except JudgeStopped as stopped:
        return stopped
    except Exception:
        log.exception("%s broke on response %s.", judge.name, answer.id)
        reason = "The judge broke on this answer; the server's log has the details. Mark it yourself."
        return Proposal(status=ProposalStatus.FAILED, label=judge.name, reason=reason)


def _priced(proposal: Proposal) -> Proposal:
    """The proposal with its price: 0 where nothing was sent, None where it is not known."""
    usage = proposal.usage
    if usage.tokens_in or usage.tokens_out:
        price = price_of(usage.model, usage.tokens_in, usage.tokens_out)
    else:  # a blank answer is not sent; any other was, and its server reported no tokens
        price = 0.0 if proposal.status is ProposalStatus.ABSTAINED and not usage.raw_reply else None
    return proposal.model_copy(update={"usage": usage.model_copy(update={"price": price})})


def inputs_hashes(judge: Judge, question: StoredQuestion, answers: list[StoredResponse]) -> dict[int, str]:
    """What each proposal depends on: the judge's version, the question, its scheme, the answer's words.

    The note in a scheme is for a language model; no other judge reads it.
    """
    unread = set() if isinstance(judge, LLMJudge) else {"note"}
    scheme = question.scheme.model_dump_json(exclude=unread)
    shared = f"{judge.version}\x00{question.question.model_dump_json()}\x00{scheme}\x00"
    start = hashlib.sha256(shared.encode("utf-8", "surrogatepass"))
    hashes = {}
    for answer in answers:
        inputs = start.copy()
        inputs.update(answer.text.encode("utf-8", "surrogatepass"))
        hashes[answer.id] = inputs.hexdigest()
    return hashes


def _batches(answers: list[StoredResponse], size: int) -> list[list[StoredResponse]]:
    return [answers[start : start + size] for start in range(0, len(answers), size)]
