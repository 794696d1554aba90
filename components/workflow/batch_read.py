"""Reading a batch's output back: every line matched by its custom_id, counted, and proposed on as a live reply is."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from components.judge.llm import LLMJudge
from components.judge.llm.batch_file import NotALine, OutputLine, batch_of, completion_of, read_line
from components.judge.llm.picture_reply import Asked
from components.judge.llm.prompt import Prompt
from components.judge.llm.reply import InvalidReply
from components.judge.llm.samples import Sample, summed
from components.judge.llm.tally import Tally, sample_of
from components.marking import Exemplar, Proposal, ProposalStatus, Scheme
from components.workflow.asking import priced
from components.workflow.looking import shown_pages, with_figures
from components.workflow.progress import Progress
from components.workflow.transcribing import keep_judges_transcript
from storage import Store, batches, exams, proposals, responses
from storage.batches import FAILED, GOOD, INVALID, WAITING, Batch, Line
from storage.exams import StoredQuestion
from storage.responses import StoredResponse

log = logging.getLogger(__name__)

# OpenAI prices batches at half of the same request sent live ("Batch API FAQ" in its help centre); so does Azure
# ("Batch" in the documentation of Azure OpenAI).
BATCH_SHARE = 0.5
CHUNK = 300
LISTED = 20_000  # lines of one file that a report lists; beyond, they are only counted

# Outcomes of a line, as the report names them.
READ, ABSENT, UNKNOWN, DUPLICATE = "Read", "Not JSON", "Unknown custom_id", "Duplicate"
FAULTY, UNUSABLE, KNOWN, GONE, CHANGED = (
    "Failed", "Invalid reply", "Stored earlier", "Response gone", "Scheme has changed",
)  # fmt: skip


@dataclass
class _FileReport:
    """What came of one file: how many lines of each outcome, and all that are not simply read."""

    counts: Counter[str] = field(default_factory=Counter)
    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(self, what: str, line: int, custom_id: str = "", words: str = "", **about: str) -> None:
        self.counts[what] += 1
        if what != READ and len(self.rows) < LISTED:
            self.rows.append({"line": line, "custom_id": custom_id[:100], "what": what, "words": words, **about})


@dataclass(frozen=True)
class _Judged:
    """What a line says and is worth. Without `line` it is nobody's, without `question` its response is gone."""

    number: int
    said: OutputLine | None
    fault: str
    line: Line | None = None
    question: StoredQuestion | None = None
    about: dict[str, str] = field(default_factory=dict)
    state: str = WAITING


class Reading:
    """Reads output files of one batch. The same file read again, after a crash or by hand, stores nothing twice."""

    def __init__(self, store: Store, judge: LLMJudge, batch: Batch) -> None:
        self._store = store
        self._judge = judge
        self._batch = batch
        self._reports: dict[str, _FileReport] = {}
        self._scheme = lru_cache(maxsize=256)(self._load_scheme)
        self._question = lru_cache(maxsize=256)(self._load_question)

    def files(self, paths: Sequence[Path], progress: Progress) -> bool:
        """Read the files and make the proposals. Gives whether it came to the end, which progress may forbid.

        They count as one: a line in any of them may complete what stands in another.
        """
        self._reports = {path.name: _FileReport() for path in paths}
        with self._store.read() as db:
            total = sum(batches.counts(db, self._batch.id).values())
        seen = 0
        for path in paths:
            for chunk in _chunks(path):
                # All that takes time is done before the transaction: a teacher's mark does not wait behind it.
                with self._store.read() as db:
                    judged = [self._judged(db, number, text) for number, text in chunk if text.strip()]
                with self._store.write() as db:
                    for each in judged:
                        self._take_in(db, path.name, each)
                seen += len(chunk)
                if not progress(min(seen, total), total, "Reading the output"):
                    return False
        if not self._propose(progress, total):
            return False
        with self._store.write() as db:
            batches.keep_report(db, self._batch.id, {
                name: {"counts": dict(report.counts), "rows": report.rows} for name, report in self._reports.items()
            })  # fmt: skip
        return True

    def _judged(self, db: Database, number: int, text: str) -> _Judged:
        """What a line says, whose it is, and what it is worth."""
        try:
            said = read_line(text)
        except NotALine as fault:
            return _Judged(number, None, str(fault))
        line = batches.line(db, said.custom_id) if said.custom_id else None
        if line is None or line.batch_id != self._batch.id:
            return _Judged(number, said, _whose(said.custom_id, line, self._batch.id))
        answer = responses.get(db, line.response_id)
        if answer is None:
            return _Judged(number, said, "Its response is no longer there, or its exam is archived.", line)
        question = self._question(answer.question_id)
        about = {"question": question.question.number, "candidate": answer.candidate_number}
        state, fault_words = self._state(said, line, question, answer)
        return _Judged(number, said, fault_words, line, question, about, state)

    def _take_in(self, db: Database, file: str, judged: _Judged) -> None:
        """Keep what a line holds, if it counts, and note its outcome."""
        report, number, said = self._reports[file], judged.number, judged.said
        if said is None:
            report.add(ABSENT, number, words=judged.fault)
        elif judged.line is None:
            report.add(UNKNOWN, number, said.custom_id, judged.fault)
        elif judged.question is None:
            report.add(GONE, number, said.custom_id, judged.fault)
        else:
            self._take_reply(db, file, judged, said, judged.question)

    def _take_reply(self, db: Database, file: str, judged: _Judged, said: OutputLine, question: StoredQuestion) -> None:
        """As `_take_in` does, for a line about one of the batch's requests."""
        report, number, about, state = self._reports[file], judged.number, judged.about, judged.state
        line = batches.line(db, said.custom_id)  # as the lines before it in this transaction have left it
        assert line is not None
        same = (line.file, line.line) == (file, number)
        if not same and (earlier := self._earlier(db, line, state)):
            report.add(earlier[0], number, said.custom_id, earlier[1], **about)
            if line.state == WAITING:  # proposed by a live run meanwhile: nothing is missing
                batches.came_back(db, said.custom_id, GOOD, None, "", file, number)
                batches.mark_proposed(db, line.batch_id, line.response_id)
            return
        outcome = {GOOD: READ, INVALID: UNUSABLE, FAILED: FAULTY}[state]
        report.add(outcome, number, said.custom_id, judged.fault, **about)
        if not (same and line.proposed):
            batches.came_back(db, said.custom_id, state, said.body, judged.fault, file, number)
        if line.scheme_id != question.scheme_id:
            words = (
                f"The mark scheme has changed since the batch was written (now version {question.scheme_version}). "
                "The proposal is kept under the version it was made with."
            )
            report.add(CHANGED, number, said.custom_id, words, **about)

    def _earlier(self, db: Database, line: Line, state: str) -> tuple[str, str] | None:
        """The outcome of a line that adds nothing to what is there, and why; None for one that counts."""
        if line.file in self._reports and (line.state == GOOD or state != GOOD):
            return DUPLICATE, f"Line {line.line} of {line.file} came first and counts."
        known = proposals.with_inputs(db, line.response_id, self._batch.judge_id, line.inputs_hash)
        if line.state == GOOD or known is not None:
            return KNOWN, "Its proposal has been stored before."
        if line.state != WAITING and state != GOOD:
            return KNOWN, "That it failed has been stored before."
        return None

    def _state(self, said: OutputLine, line: Line, question: StoredQuestion, answer: StoredResponse) -> tuple[str, str]:
        """What a line is worth, and what is wrong with it."""
        if said.body is None:
            return FAILED, said.fault
        sample = self._sample(said.body, line, question, answer)
        return (INVALID, sample.reason) if sample.status is ProposalStatus.FAILED else (GOOD, "")

    def _sample(self, body: dict[str, Any], line: Line, question: StoredQuestion, answer: StoredResponse) -> Sample:
        """The judgement in a reply, checked as a live one is; a failed one says what was wrong."""
        judge, scheme = self._judge, self._scheme(line.scheme_id)
        tally = Tally(self._prompt(line, question, answer), judge.endpoint.model)
        pages = shown_pages(judge, answer)
        asked = Asked(pages, bool(answer.text.strip() or answer.transcript.strip())) if pages else Asked()
        try:
            completion = completion_of(body)
            tally.count(completion)
            return sample_of(completion, scheme, judge.endpoint.protocol, tally, asked)
        except InvalidReply as invalid:
            fault = f"The model's reply could not be used, and a batch asks only once: {invalid}"
        except Exception:
            log.exception("The reply for %s could not be read.", line.custom_id)
            fault = "The reply has a form that no chat model's should have; the server's log has the details."
            tally = Tally(tally.prompt, judge.endpoint.model)
        return Sample(ProposalStatus.FAILED, tally.usage(), reason=fault)

    def _propose(self, progress: Progress, total: int) -> bool:
        """Make the proposals of all that has come back, some hundred at a time. Gives whether it came to the end."""
        with self._store.read() as db:
            parts = batches.parts(db, self._batch.id)
        shares = {part.number: BATCH_SHARE if part.remote_id else 1.0 for part in parts}
        while True:
            with self._store.read() as db:
                waiting = batches.to_propose(db, self._batch.id, CHUNK)
                made = [self._made(db, response_id, shares) for response_id in waiting]
            if not made:
                return True
            with self._store.write() as db:
                for line, proposal in made:
                    self._keep(db, line, proposal)
            if not progress(total, total, "Storing the proposals"):
                return False

    def _made(self, db: Database, response_id: int, shares: dict[int, float]) -> tuple[Line, Proposal | None]:
        """A line of the response and what its lines come to; None for a response that is no longer there."""
        lines = batches.lines_of(db, self._batch.id, response_id)
        answer, first = responses.get(db, response_id), lines[0]
        if answer is None:
            return first, None
        judge, question, scheme = self._judge, self._question(answer.question_id), self._scheme(first.scheme_id)
        samples = [self._sample_back(line, question, answer) for line in lines]
        # A judge's proposal names the examples and reads no more of them.
        shown = [Exemplar(response_id=each, text="", mark=0) for each in first.exemplars]
        usage = summed(samples, self._prompt(first, question, answer), 0.0)
        made = judge.proposal(question.question, scheme, answer.for_judge(), shown, samples, usage)
        return first, _at_share(_priced(made), shares.get(first.part, 1.0))

    def _keep(self, db: Database, line: Line, made: Proposal | None) -> None:
        """Store the proposal, unless there is one of the same inputs, and note that the lines are done with."""
        batches.mark_proposed(db, line.batch_id, line.response_id)
        judge_id, inputs, run_id = self._batch.judge_id, line.inputs_hash, self._batch.run_id
        if made is not None and proposals.with_inputs(db, line.response_id, judge_id, inputs) is None:
            stored = proposals.add(
                db, line.response_id, judge_id, line.scheme_id, made, inputs_hash=inputs, run_id=run_id
            )
            keep_judges_transcript(db, line.response_id, stored, made.transcript)

    def _sample_back(self, line: Line, question: StoredQuestion, answer: StoredResponse) -> Sample:
        if line.reply is not None:
            return self._sample(line.reply, line, question, answer)
        fault = "The batch's output has no line for it." if line.state == WAITING else line.fault
        tally = Tally(self._prompt(line, question, answer), self._judge.endpoint.model)
        return Sample(ProposalStatus.FAILED, tally.usage(), reason=fault)

    def _prompt(self, line: Line, question: StoredQuestion, answer: StoredResponse) -> Prompt:
        """The prompt that the line's request was written by."""
        looked = bool(shown_pages(self._judge, answer))
        return self._judge.sight.prompt(question.question, self._scheme(line.scheme_id), pictures=looked)

    def _load_scheme(self, scheme_id: int) -> Scheme:
        with self._store.read() as db:
            return batches.scheme(db, scheme_id)

    def _load_question(self, question_id: int) -> StoredQuestion:
        with self._store.read() as db:
            stored = exams.question(db, question_id)
            return replace(stored, question=with_figures(db, stored))


def _chunks(path: Path) -> Iterator[list[tuple[int, str]]]:
    """The file's lines with their numbers, some hundred at a time; bytes that are not UTF-8 become signs of it."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="\n") as opened:
        numbered = enumerate(opened, 1)
        while chunk := list(islice(numbered, CHUNK)):
            yield chunk


def _whose(custom_id: str, line: Line | None, batch_id: int) -> str:
    """Why a custom_id is none of the batch's."""
    if not custom_id:
        return "The line has no custom_id, so nothing can be matched by it."
    if line is not None:
        return f"It belongs to batch {line.batch_id}. Read this file there."
    if batch_of(custom_id) == batch_id:
        return "It is not in this batch: it may be another database's, or from before the file was written again."
    return "It is not one of this batch."


def _priced(proposal: Proposal) -> Proposal:
    """The proposal with its price: 0 where no reply came, for a batch charges only for the work that it completed."""
    usage = proposal.usage
    if usage.raw_reply or usage.tokens_in or usage.tokens_out:
        return priced(proposal)
    return proposal.model_copy(update={"usage": usage.model_copy(update={"price": 0.0})})


def _at_share(proposal: Proposal, share: float) -> Proposal:
    """The proposal at this share of its price."""
    usage = proposal.usage
    if usage.price is None or share == 1.0:
        return proposal
    return proposal.model_copy(update={"usage": usage.model_copy(update={"price": usage.price * share})})
