"""Runs over pictures: what is read when, what a proposal depends on, models without eyes, asking again."""

from __future__ import annotations

import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from components.judge.llm import Endpoint, LLMJudge
from components.judge.llm.protocol import Protocol
from components.judge.offline import OfflineJudge
from components.marking import Marker, Proposal, ProposalStatus
from components.workflow import batches, cohort
from components.workflow.cohort import RunError, RunOptions
from components.workflow.connections import Connections, default_judges, endpoint_of
from components.workflow.estimate import estimate
from components.workflow.inputs import inputs_hashes
from components.workflow.transcribing import ask_again, keep_judges_transcript
from components.workflow.worker import Worker
from storage import Store, exams, jobs, judges, pictures, proposals, responses, transcripts
from storage import batches as stored_batches
from storage.pictures import NewPage, Picture
from storage.responses import StoredResponse
from tests.eyes import MODEL, Eyes, blind_said, eyes, page, verdicts
from tests.support import add_exam, add_marker, new_store, start_run

QUOTE = "enzyme is denatured"
ON_PAPER = verdicts(QUOTE)
TYPED = verdicts("it is denatured", transcript=None)


class Desk:
    """An exam of one question, one response per item of `answers`: text, or the pages of a picture."""

    def __init__(self, folder: Path, answers: list[str | list[bytes]]) -> None:
        self.store = new_store(folder)
        self.connections = Connections()
        texts = [each if isinstance(each, str) else "" for each in answers]
        self.exam_id, [self.ids] = add_exam(self.store, [texts])
        self.marker: Marker = add_marker(self.store)
        for response_id, each in zip(self.ids, answers, strict=True):
            if not isinstance(each, str):
                self.attach(response_id, *each)

    def attach(self, response_id: int, *pages: bytes) -> None:
        with self.store.write() as db:
            pictures.attach(db, response_id, [NewPage(Picture(each, "image/png", 300, 400)) for each in pages])

    def connect(self, server: Eyes, **settings: Any) -> int:
        endpoint = Endpoint(server.base_url, MODEL, **settings)
        return self.connections.connect(self.store, endpoint, "")

    def run(self, judge_id: int, **options: Any) -> jobs.Job:
        return self.work(start_run(self.store, self.exam_id, judge_id, **options))

    def work(self, job_id: int) -> jobs.Job:
        assert Worker(self.store, self.connections).do_one()
        with self.store.read() as db:
            job = jobs.get(db, job_id)
        assert job is not None
        return job

    def made(self, place: int) -> list[Proposal]:
        """The proposals on a response, oldest first."""
        with self.store.read() as db:
            rows = db.execute("SELECT id FROM proposals WHERE response_id = ? ORDER BY id", (self.ids[place],))
            return [proposals.get(db, row["id"]).proposal for row in rows.fetchall()]

    def correct(self, place: int, text: str) -> None:
        with self.store.write() as db:
            transcripts.add(db, self.ids[place], text, transcripts.TEACHER, marker_id=self.marker.id)

    def stored(self) -> list[StoredResponse]:
        with self.store.read() as db:
            return responses.of_question(db, exams.questions(db, self.exam_id)[0].id)

    def transcripts(self, place: int) -> list[tuple[str, str]]:
        with self.store.read() as db:
            rows = db.execute(
                "SELECT source, text FROM transcripts WHERE response_id = ? ORDER BY version", (self.ids[place],)
            )
            return [(row["source"], row["text"]) for row in rows]


# --- The store ------------------------------------------------------------------------------------------------------


def test_a_stored_response_names_its_pictures_and_its_teachers_transcript(tmp_path: Path) -> None:
    desk = Desk(tmp_path, ["typed", [page("cyan"), page("yellow")]])
    desk.correct(1, "first")
    desk.correct(1, "second")
    with desk.store.write() as db:
        transcripts.add(db, desk.ids[1], "a judge's", transcripts.JUDGE)
    typed, drawn = desk.stored()
    shas = tuple(Picture(page(colour), "image/png", 1, 1).sha256 for colour in ("cyan", "yellow"))
    assert (typed.pictures, typed.transcript, typed.blank) == ((), "", False)
    assert (drawn.pictures, drawn.transcript, drawn.blank) == (shas, "second", False)
    with desk.store.read() as db:
        assert responses.get(db, desk.ids[1]) == drawn


def test_a_typed_answers_inputs_are_what_they_were_before_pictures(tmp_path: Path) -> None:
    desk = Desk(tmp_path, ["it is denatured", "", "酶变性"])
    with desk.store.read() as db:
        question = exams.questions(db, desk.exam_id)[0]
    known = {
        LLMJudge(Endpoint("http://x/v1", "m")): "b3d1ab569625b82a761232e0469a98ec0e2f037401671af3004490df3a9e05b2",
        OfflineJudge(): "eaee4f9a6b9d876e9a354bddbada8d537e8834b03d17626e91a4ca2059e74de0",
    }
    for judge, expected in known.items():
        assert inputs_hashes(judge, question, desk.stored())[desk.ids[0]] == expected


def test_pictures_their_order_and_a_transcript_are_inputs(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [[page("cyan"), page("yellow")]])
    with desk.store.read() as db:
        question = exams.questions(db, desk.exam_id)[0]
    [drawn] = desk.stored()
    hashes = set()
    for judge in (OfflineJudge(), LLMJudge(Endpoint("http://x/v1", "m"))):
        for text, shown, transcript in (
            ("", (), ""),
            ("", drawn.pictures, ""),
            ("", drawn.pictures[::-1], ""),
            ("", drawn.pictures, "it is denatured"),
        ):
            answer = StoredResponse(1, 1, 1, "1", "drawn", text, shown, transcript)
            hashes.add(inputs_hashes(judge, question, [answer])[1])
    assert len(hashes) == 8


# --- Running --------------------------------------------------------------------------------------------------------


def test_a_run_marks_pictures_and_keeps_what_was_read(tmp_path: Path) -> None:
    desk = Desk(tmp_path, ["it is denatured", [page()], ""])
    number = {"number": 7304}
    with eyes(number, ON_PAPER, TYPED, TYPED) as server:
        # Asked one after another, so that the replies go to the responses in order.
        judge_id = desk.connect(server, at_once=1)
        before = estimate(desk.store, desk.connections, RunOptions(exam_id=desk.exam_id, judge_id=judge_id))
        server.replies = [number, TYPED, ON_PAPER]
        job = desk.run(judge_id)
        again = desk.run(judge_id)
    assert (job.status, job.done) == ("done", 3)
    assert before is not None
    assert (before.sent, before.pictures, before.unsendable) == (2, 1, 0)
    assert before.tokens_in > 1600
    assert len(server.asked) == 3
    assert "already" in again.message
    [typed], [drawn], [blank] = (desk.made(place) for place in range(3))
    assert (typed.mark, drawn.mark, blank.status) == (1, 1, ProposalStatus.ABSTAINED)
    assert (typed.transcript, drawn.transcript) == ("", "the enzyme is denatured")
    assert desk.transcripts(1) == [("judge", "the enzyme is denatured")]
    assert drawn.usage.price is None  # the model has no price here, and tokens were used
    assert drawn.verdicts[0].evidence[0].in_transcript


def test_few_pictures_are_in_memory_at_a_time(tmp_path: Path) -> None:
    noisy = [bytes([i]) + b"\xff" * 999_999 for i in range(30)]
    desk = Desk(tmp_path, [[each] for each in noisy])  # no PNG: each is read, refused, and let go
    with eyes({"number": 7304}, ON_PAPER) as server:
        judge_id = desk.connect(server, at_once=2)
        tracemalloc.start()
        desk.run(judge_id)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert [desk.made(i)[0].status for i in range(30)] == [ProposalStatus.FAILED] * 30
    assert desk.made(0)[0].usage.price == 0.0
    assert peak < 15_000_000


def test_the_offline_matcher_leaves_pictures_in_words(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [[page()], [page("cyan")]])
    desk.correct(1, "the enzyme is denatured")
    desk.run(default_judges(desk.store)[1])
    [left], [marked] = desk.made(0), desk.made(1)
    assert "cannot read pictures" in left.reason
    assert marked.mark == 1
    assert [flag.kind for flag in marked.flags] == ["transcript"]


# --- Models without eyes --------------------------------------------------------------------------------------------


def test_a_model_without_eyes_is_found_out_once_and_typed_answers_still_run(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [[page()], "it is denatured", [page("cyan")]])
    with eyes(blind_said(), TYPED) as server:
        judge_id = desk.connect(server)
        desk.run(judge_id)
        assert len(server.asked) == 2  # the small picture, then the typed answer
    assert desk.made(1)[0].mark == 1
    for place in (0, 2):
        assert desk.made(place)[0].reason == "The model seer cannot read pictures, and this response has one."
    with desk.store.read() as db:
        found = judges.capabilities(db, server.base_url, MODEL)
    assert found is not None
    assert found["pictures"] is False


def test_a_run_over_pictures_is_refused_before_it_starts_where_the_model_is_known_to_be_blind(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [[page()], "it is denatured", [page("cyan")], [page("yellow")]])
    desk.correct(3, "it is denatured")
    with eyes(blind_said(), TYPED) as server:
        judge_id = desk.connect(server)
        desk.run(judge_id)
        options = RunOptions(exam_id=desk.exam_id, judge_id=judge_id)
        words = "seer cannot read pictures, and 2 of these responses are pictures. Choose another model"
        for start in (cohort.start, batches.start):
            with pytest.raises(RunError, match=words):
                start(desk.store, options, desk.marker, on_desk=False)
        said = estimate(desk.store, desk.connections, options)
        assert said is not None
        assert (said.unsendable, said.pictures, said.sent) == (2, 0, 0)
        job = desk.run(judge_id, skip_pictures=True)
    assert (job.status, job.total) == ("done", 2)
    assert desk.made(3)[0].mark is not None  # by its transcript


# --- Asking again ---------------------------------------------------------------------------------------------------


def test_asking_again_makes_a_new_proposal_from_the_corrected_transcript(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [[page()], [page("cyan")]])
    with eyes({"number": 7304}, verdicts(transcript="the enzyme is derated")) as server:
        judge_id = desk.connect(server)
        desk.run(judge_id, shots=2)
        server.replies = [verdicts(QUOTE, transcript="")]
        desk.correct(0, "the enzyme is denatured")
        job = desk.work(ask_again(desk.store, desk.ids[0], desk.marker))
        assert (job.status, job.done, job.total) == ("done", 1, 1)
        assert "confirmed by a teacher" in server.words()
        asked = len(server.asked)
        desk.work(ask_again(desk.store, desk.ids[0], desk.marker))
        assert len(server.asked) == asked  # nothing has changed since
    old, new = desk.made(0)
    assert (old.mark, old.transcript) == (0, "the enzyme is derated")
    assert (new.mark, new.transcript) == (1, "")
    assert len(desk.made(1)) == 1
    assert desk.transcripts(0) == [("judge", "the enzyme is derated"), ("teacher", "the enzyme is denatured")]


def test_asking_again_says_what_is_missing(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [[page()]])
    with pytest.raises(RunError, match=r"cannot read pictures\. Write down what this answer says"):
        ask_again(desk.store, desk.ids[0], desk.marker)  # the exam's judge is the offline matcher
    with pytest.raises(RunError, match="no longer here"):
        ask_again(desk.store, 999, desk.marker)


def test_what_a_judge_read_is_kept_once_and_never_over_a_teachers(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [[page()]])
    with desk.store.write() as db:
        for text in ("one", "one", "two", "one", " "):
            keep_judges_transcript(db, desk.ids[0], None, text)
    assert desk.transcripts(0) == [("judge", "one"), ("judge", "two")]
    desk.correct(0, "three")
    with desk.store.write() as db:
        keep_judges_transcript(db, desk.ids[0], None, "four")
    assert desk.transcripts(0)[-1] == ("teacher", "three")


# --- Settings and batches -------------------------------------------------------------------------------------------


def test_how_pictures_are_read_is_part_of_what_a_judge_is(tmp_path: Path) -> None:
    store: Store = new_store(tmp_path)
    connections = Connections()
    plain = Endpoint("http://127.0.0.1:9/v1", "m")
    set_so = Endpoint("http://127.0.0.1:9/v1", "m", reading="transcribe", without_ruling=True)
    first, second = (connections.connect(store, each, "") for each in (plain, set_so))
    assert first != second
    with store.read() as db:
        one, other = judges.get(db, first), judges.get(db, second)
    assert one is not None
    assert other is not None
    assert one.settings == {"base_url": plain.base_url, "protocol": Protocol.FULL, "key_variable": "", "at_once": 8}
    assert endpoint_of(other, "") == set_so
    assert other.name.endswith("pictures read first, paper lines removed")


def batch_notes(desk: Desk, judge_id: int) -> tuple[int, list[dict[str, Any]]]:
    options = RunOptions(exam_id=desk.exam_id, judge_id=judge_id)
    batch_id = batches.start(desk.store, options, None, on_desk=False)
    assert Worker(desk.store, desk.connections).do_one()
    with desk.store.read() as db:
        return batch_id, stored_batches.get(db, batch_id).notes


def test_a_batch_carries_pictures_and_reads_what_was_read(tmp_path: Path) -> None:
    desk = Desk(tmp_path, ["it is denatured", [page()]])
    with eyes(ON_PAPER) as server:
        judge_id = desk.connect(server)
        batch_id, notes = batch_notes(desk, judge_id)
        assert notes == []
        lines = (tmp_path / "batches" / f"batch-{batch_id}.jsonl").read_text().splitlines()
        requests = [json.loads(line) for line in lines]
        content = requests[1]["body"]["messages"][1]["content"]
        assert [part["type"] for part in content] == ["text", "image_url"]
        out = io.BytesIO()
        for request, reply in zip(requests, (TYPED, ON_PAPER), strict=True):
            message = {"role": "assistant", "content": reply}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            body = {"id": "c", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice]}
            said = {"custom_id": request["custom_id"], "response": {"status_code": 200, "body": body}}
            out.write(json.dumps(said).encode() + b"\n")
        out.seek(0)
        batches.read_output(desk.store, batch_id, [out])
        assert Worker(desk.store, desk.connections).do_one()
    [drawn] = desk.made(1)
    assert (drawn.mark, drawn.transcript) == (1, "the enzyme is denatured")
    assert drawn.usage.prompt_version == "points.en.v1 + pictures.en.v1"
    assert desk.transcripts(1) == [("judge", "the enzyme is denatured")]
    assert desk.made(0)[0].usage.prompt_version == "points.en.v1"


def test_a_batch_leaves_out_pictures_that_take_two_calls(tmp_path: Path) -> None:
    desk = Desk(tmp_path, ["it is denatured", [page()], [page("cyan")]])
    desk.correct(2, "it is denatured")
    with eyes(ON_PAPER) as server:
        judge_id = desk.connect(server, reading="transcribe")
        batch_id, [note] = batch_notes(desk, judge_id)
    assert (note["candidate"], note["what"]) == ("0002", "Left out")
    assert "a batch asks only once" in note["words"]
    with desk.store.read() as db:
        assert sum(stored_batches.counts(db, batch_id).values()) == 2
