"""Runs over questions with pictures: what a proposal depends on, models without eyes, estimates, batches."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

from components.judge.llm import Endpoint, LLMJudge, apart, try_pictures
from components.judge.objective import ObjectiveJudge
from components.judge.offline import OfflineJudge
from components.marking import Confidence
from components.workflow import batches
from components.workflow.cohort import RunOptions
from components.workflow.estimate import Estimate, estimate
from components.workflow.inputs import inputs_hashes
from components.workflow.looking import question_for_judge
from components.workflow.proposing import items_of, plan
from components.workflow.tokens import PICTURE_TOKENS
from components.workflow.trial.arms import ArmChoice
from components.workflow.trial.planning import TrialOptions
from components.workflow.trial.planning import plan as plan_trial
from components.workflow.trial.starting import start
from components.workflow.worker import Worker
from pages.pilot import trial_words
from pages.pilot.run_words import figures_text
from storage import exams, pictures, question_pictures, trials
from storage.exams import StoredQuestion
from storage.pictures import Picture
from storage.question_pictures import QuestionPicture
from tests.eyes import MODEL, blind_said, eyes, page, verdicts
from tests.reviewing import give
from tests.unit.test_vision_runs import Desk

TYPED = verdicts("it is denatured", transcript=None)
NUMBER = {"number": 7304}
# By the code before questions' pictures reached judges: the hash of test_vision_runs, with no picture on the question.
BEFORE = "b3d1ab569625b82a761232e0469a98ec0e2f037401671af3004490df3a9e05b2"


class Pictured(Desk):
    """A desk whose one question has a picture."""

    def __init__(self, folder: Path, answers: list[str | list[bytes]]) -> None:
        super().__init__(folder, answers)
        self.show((page("magenta"), "a rate curve"))

    def show(self, *shown: tuple[bytes, str]) -> None:
        """Give the question these pictures with their captions."""
        with self.store.write() as db:
            made = [
                QuestionPicture(pictures.add(db, Picture(each, "image/png", 300, 400)), caption)
                for each, caption in shown
            ]
            question_pictures.set_of(db, exams.questions(db, self.exam_id)[0].id, made)

    def question(self) -> StoredQuestion:
        with self.store.read() as db:
            return exams.questions(db, self.exam_id)[0]

    def ahead(self, judge_id: int) -> Estimate:
        found = estimate(self.store, self.connections, RunOptions(exam_id=self.exam_id, judge_id=judge_id))
        assert found is not None
        return found


def test_a_stored_question_names_its_pictures_and_is_asked_about_with_their_bytes(tmp_path: Path) -> None:
    desk = Pictured(tmp_path, ["it is denatured"])
    stored = desk.question()
    assert [each.caption for each in stored.pictures] == ["a rate curve"]
    assert stored.question.figures == ()
    [figure] = question_for_judge(desk.store, stored).figures
    assert (figure.content, figure.caption) == (page("magenta"), "a rate curve")


def test_a_picture_changed_during_a_run_is_not_shown_in_the_name_of_the_one_before(tmp_path: Path) -> None:
    desk = Pictured(tmp_path, ["it is denatured"])
    planned = desk.question()
    desk.show((page("yellow"), "another"))
    assert [each.content for each in question_for_judge(desk.store, planned).figures] == [page("magenta")]
    desk.show()
    assert [each.caption for each in question_for_judge(desk.store, planned).figures] == ["a rate curve"]


def test_pictures_their_order_and_captions_are_inputs_of_every_judge_but_the_rules(tmp_path: Path) -> None:
    desk = Pictured(tmp_path, ["it is denatured"])
    judge, offline, rules = LLMJudge(Endpoint("http://x/v1", "m")), OfflineJudge(), ObjectiveJudge()
    one, other = (page("magenta"), "a rate curve"), (page("yellow"), "")
    hashes: dict[str, list[str]] = {"llm": [], "offline": [], "rules": []}
    for shown in ((), (one,), (other,), (one, other), (other, one), ((one[0], "another caption"),)):
        desk.show(*shown)
        for name, asked in (("llm", judge), ("offline", offline), ("rules", rules)):
            hashes[name].append(inputs_hashes(asked, desk.question(), desk.stored())[desk.ids[0]])
    assert hashes["llm"][0] == BEFORE
    assert {name: len(set(found)) for name, found in hashes.items()} == {"llm": 6, "offline": 6, "rules": 1}


def test_a_changed_picture_is_asked_about_anew_and_the_same_one_is_not(tmp_path: Path) -> None:
    desk = Pictured(tmp_path, ["it is denatured", ""])
    with eyes(NUMBER, TYPED) as server:
        judge_id = desk.connect(server)
        desk.run(judge_id)
        desk.run(judge_id)
        assert len(server.asked) == 2  # one to find out whether it sees, and the answer that is not blank
        assert [shown.getpixel((200, 200)) for shown in server.pictures()] == [(255, 0, 255)]
        desk.show((page("yellow"), "a rate curve"))
        desk.run(judge_id)
        assert len(server.asked) == 3
        assert [shown.getpixel((200, 200)) for shown in server.pictures()] == [(255, 255, 0)]
    assert [(made.mark, made.flags) for made in desk.made(0)] == [(1, ()), (1, ())]


def test_a_run_finds_out_once_that_a_model_sees_nothing_and_asks_without_the_picture(tmp_path: Path) -> None:
    desk = Pictured(tmp_path, ["it is denatured", "so it is denatured"])
    with eyes(blind_said(), TYPED) as server:
        judge_id = desk.connect(server, at_once=1)
        before = desk.ahead(judge_id)
        job = desk.run(judge_id)
        after = desk.ahead(judge_id)
        desk.run(judge_id)
    assert (job.status, job.done, job.total) == ("done", 2, 2)
    assert len(server.asked) == 3  # nothing is asked twice
    assert [server.pictures(request) for request in (1, 2)] == [[], []]
    for place in (0, 1):
        [made] = desk.made(place)
        assert (made.mark, made.confidence) == (1, Confidence.UNSURE)
        assert made.flags[0].text.startswith("The judge has not seen the question's picture")
    assert (before.figures, before.unseen_figures) == (2, 0)
    assert (after.unseen, after.unseen_figures) == (0, 0)


def test_an_estimate_counts_the_questions_picture_and_says_where_it_will_not_be_seen(tmp_path: Path) -> None:
    desk = Pictured(tmp_path, ["it is denatured", "so denatured", ""])
    with eyes(blind_said()) as server:
        judge_id = desk.connect(server, samples=3)
        seen = desk.ahead(judge_id)
        desk.show()
        without = desk.ahead(judge_id)
        desk.show((page("magenta"), "a rate curve"))
        judge = desk.connections.llm(judge_id)
        assert judge is not None
        apart(try_pictures(judge))
        unseen = desk.ahead(judge_id)
    pictures_alone = 2 * 3 * PICTURE_TOKENS
    assert pictures_alone < seen.tokens_in - without.tokens_in < pictures_alone + 2 * 3 * 400
    assert 0 < unseen.tokens_in - without.tokens_in < 2 * 3 * 150
    assert (seen.figures, without.figures, unseen.unseen_figures) == (2, 0, 2)
    assert figures_text(seen) == "With 2 responses the question's own picture will be sent."
    assert figures_text(without) == ""
    assert figures_text(unseen) == (
        "2 responses answer a question with a picture, and seer cannot read pictures. It will mark without having seen "
        "it: each such proposal says so and is not sure. Choose another model to have the picture seen."
    )


def test_what_is_set_aside_for_a_response_counts_the_questions_picture(tmp_path: Path) -> None:
    desk = Pictured(tmp_path, ["it is denatured"])
    judge_id = desk.connections.connect(desk.store, Endpoint("http://127.0.0.1:9/v1", "gpt-4o"), "")
    options = RunOptions(exam_id=desk.exam_id, judge_id=judge_id)

    def likely() -> float:
        made, judge = plan(desk.store, desk.connections, options), desk.connections.llm(judge_id)
        assert made is not None
        assert judge is not None
        [part] = made.parts
        return items_of(part, judge, 0)[0].estimate

    with_it = likely()
    desk.show()
    assert with_it > likely() > 0


def test_a_batch_carries_the_questions_picture_and_reads_its_answers(tmp_path: Path) -> None:
    desk = Pictured(tmp_path, ["it is denatured"])
    with eyes(TYPED) as server:
        judge_id = desk.connect(server)
        options = RunOptions(exam_id=desk.exam_id, judge_id=judge_id)
        batch_id = batches.start(desk.store, options, None, on_desk=False)
        assert Worker(desk.store, desk.connections).do_one()
        [line] = (tmp_path / "batches" / f"batch-{batch_id}.jsonl").read_text().splitlines()
        request = json.loads(line)
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": TYPED}}
        body = {"id": "c", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice]}
        said = {"custom_id": request["custom_id"], "response": {"status_code": 200, "body": body}}
        batches.read_output(desk.store, batch_id, [io.BytesIO(json.dumps(said).encode())])
        assert Worker(desk.store, desk.connections).do_one()
        desk.run(judge_id)
        server.replies = [TYPED]
        live = desk.made(0)
    content = request["body"]["messages"][1]["content"]
    assert [part["type"] for part in content] == ["text", "image_url", "text"]
    [made] = live  # a live run after it has nothing to ask
    assert (made.mark, made.flags, made.usage.prompt_version) == (1, (), "points.en.v1 + figures.en.v1")


def test_a_run_of_the_offline_matcher_flags_what_it_has_not_seen(tmp_path: Path) -> None:
    desk = Pictured(tmp_path, ["the enzyme is denatured"])
    with desk.store.read() as db:
        exam = exams.get(db, desk.exam_id)
    assert exam is not None
    assert exam.judge_id is not None
    desk.run(exam.judge_id)
    [made] = desk.made(0)
    assert [flag.kind for flag in made.flags] == ["figure"]


def test_a_trial_that_finds_out_that_a_model_sees_nothing_keeps_its_marks_from_an_arm_that_sees(tmp_path: Path) -> None:
    desk = Pictured(tmp_path, ["it is denatured", "so it is denatured"])
    for response_id in desk.ids:
        give(desk.store, response_id, desk.marker, 1)

    def begin(judge_id: int) -> tuple[str, str]:
        """The planning page's warning, and the trial's last words."""
        options = TrialOptions(exam_id=desk.exam_id, arms=(ArmChoice(judge_id=judge_id),))
        warned = trial_words.unseen(plan_trial(desk.store, desk.connections, options))
        start(desk.store, desk.connections, options, desk.marker)
        assert Worker(desk.store, desk.connections).do_one()
        with desk.store.read() as db:
            return " ".join(warned), trials.listed(db)[0].message

    with eyes(blind_said(), TYPED) as server:
        judge_id = desk.connect(server, at_once=1)
        assert begin(judge_id) == ("", "2 marks.")
        assert len(server.asked) == 3  # one to find out, and nothing twice
        assert begin(judge_id) == ("", "2 marks.")  # of the same blind inputs
        assert len(server.asked) == 3
        with desk.store.read() as db:
            flags = [row[0] for row in db.execute("SELECT flags FROM trial_proposals ORDER BY id LIMIT 2")]
        assert all("has not seen the question" in each for each in flags)
        desk.show((page("yellow"), ""))
        options = TrialOptions(exam_id=desk.exam_id, arms=(ArmChoice(judge_id=judge_id),))
        assert trial_words.unseen(plan_trial(desk.store, desk.connections, options)) == [
            "2 responses answer a question with a picture, and seer cannot read pictures. It will mark without having "
            "seen it: each such proposal says so and is not sure. Choose another model to have the picture seen."
        ]
        desk.show((page("magenta"), "a rate curve"))
        # The same model comes to see: what it said blind is not what it would say now.
        judge = desk.connections.llm(judge_id)
        assert judge is not None
        judge.exchange.found = replace(judge.exchange.found, pictures=True)
        assert begin(judge_id) == ("", "2 marks.")
        assert len(server.asked) == 5
        assert len(server.pictures()) == 1
