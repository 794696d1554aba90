"""The evidence pack: everything behind an exam's marks, which a fresh install takes back byte for byte."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from components.judge.llm import prompt as prompts
from components.marking import Marker, Outcome, Proposal, ProposalStatus, Role, Stage, Usage, WholeVerdict
from components.workflow.exam_setup.body import PictureBody
from components.workflow.exam_setup.editing import change, open_question, save
from components.workflow.marks_out.evidence import write_pack
from components.workflow.marks_out.pack_format import Manifest, PackError, without_keys
from components.workflow.marks_out.restore import main, restore
from storage import (
    Store,
    annotations,
    decisions,
    events,
    evidence,
    exams,
    judges,
    open_store,
    pictures,
    proposals,
    question_pictures,
    responses,
    rulings,
    standardisation,
    standings,
    transcripts,
    trial_answers,
    trial_marks,
    trials,
)
from storage.connect import now
from storage.pictures import NewPage, Picture
from storage.trial_marks import Basis
from storage.trials import NewArm
from tests.support import add_exam, add_marker, new_store, propose_points


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path / "old")


@pytest.fixture
def fresh(tmp_path: Path) -> Store:
    return new_store(tmp_path / "fresh")


def picture(colour: str) -> Picture:
    data = io.BytesIO()
    Image.new("RGB", (60, 40), colour).save(data, "PNG")
    return Picture(data.getvalue(), "image/png", 60, 40)


def packed(store: Store, exam_id: int) -> bytes:
    file = io.BytesIO()
    write_pack(store, exam_id, file)
    return file.getvalue()


def contents(pack: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(pack)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rows(pack: bytes, table: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in contents(pack)[f"tables/{table}.jsonl"].splitlines()]


def full_exam(store: Store) -> tuple[int, list[list[int]], Marker]:
    """Two candidates, two questions, and something in every table: ids that do not begin at 1, too."""
    add_exam(store, [["not", "of", "this", "exam"]], title="Another exam")
    exam_id, ids = add_exam(store, [["enzyme \u2028 denatured 酶", "=1+1"], ["", "y"]], title="Mock “2026”")
    teacher, head = add_marker(store), add_marker(store, "Dr Ferris", Role.HEAD)
    first, second = ids[0]
    with store.write() as db:
        pictures.attach(db, ids[1][0], [NewPage(picture("white"), original=picture("grey"), source="scan.pdf, page 3")])
        strokes = [{"kind": "tick", "colour": "red", "x": 0.1, "y": 0.1, "size": 0.1, "turn": 0, "text": ""}]
        annotations.add(db, ids[1][0], 1, teacher.id, strokes, "a1")
        transcripts.add(db, ids[1][0], "what it says", transcripts.TEACHER, marker_id=teacher.id)
        judge = judges.ensure(db, "Model one", judges.LLM, "one", {"base_url": "https://me:pw@h/v1", "api_key": "sk-1"})
        exams.set_judge(db, exam_id, judge, head.id)
        run = db.execute(
            "INSERT INTO runs (exam_id, judge_id, settings, created_at) VALUES (?, ?, ?, ?)",
            (exam_id, judge, '{"temperature": 0.10}', now()),
        ).lastrowid
        question = exams.questions(db, exam_id)[0]
        usage = Usage(
            model="one-0601", prompt_version="points.en.v1", prompt_hash=prompts.load("points.en.v1").hash,
            price=0.1 + 0.2, raw_reply='{"mark": 1}\r\n\u2029"',
        )  # fmt: skip
        verdicts = (WholeVerdict(mark=1, reason="half of it"),)
        made = Proposal(status=ProposalStatus.PROPOSED, label="one", mark=1, verdicts=verdicts, usage=usage)
        proposal = proposals.add(db, first, judge, question.scheme_id, made, run_id=run)
        proposals.record_sighting(db, first, teacher.id, proposal)
        rulings.record_shown(db, second, head.id, None)
        old = decisions.record(db, first, teacher.id, Outcome.MARK, Stage.AI_FIRST, mark=1, proposal_id=proposal)
        decisions.undo(db, old.decision_id, teacher.id, "u1")
        decisions.record(db, first, teacher.id, Outcome.MARK, Stage.AI_FIRST, mark=2, points=("M1", "A1"))
        decisions.record(db, first, head.id, Outcome.MARK, Stage.ADJUDICATED, mark=1, marks_hidden=True)
        decisions.record(db, second, teacher.id, Outcome.NO_RESPONSE, Stage.BLIND, seconds=3.25)
        third = exams.questions(db, exam_id)[1].scheme_id
        hidden = proposals.add(db, ids[1][1], judge, third, made)
        decisions.record(db, ids[1][1], teacher.id, Outcome.MARK, Stage.BLIND, mark=1, proposal_id=hidden)
        decisions.add_note(db, second, teacher.id, "flag", "odd", "n1")
        standardisation.choose(db, first, head.id)
        events.log(db, "something of another exam", "exam 1")
        scheme = exams.add_scheme_version(db, question.id, question.question, question.scheme, head.id)
        remedy = db.execute(
            "INSERT INTO remedies (exam_id, question_id, judge_id, marker_id, pattern, pattern_key, behind, scheme_id, "
            "draft, sample, state, applied_scheme_id, created_at, changed_at) "
            "VALUES (?, ?, ?, ?, 'too lenient', 'k', '[]', ?, '{}', '[]', 'applied', ?, ?, ?)",
            (exam_id, question.id, judge, head.id, question.scheme_id, scheme, now(), now()),
        ).lastrowid
        db.execute("INSERT INTO remedy_results (remedy_id, response_id, paid) VALUES (?, ?, 0.1)", (remedy, first))
        db.execute("INSERT INTO answer_books (exam_id, layout, created_at) VALUES (?, '{}', ?)", (exam_id, now()))
        pictures_of_question = (question.id, pictures.add(db, picture("blue")))
        db.execute("INSERT INTO question_images (question_id, place, sha256) VALUES (?, 1, ?)", pictures_of_question)
        db.execute(
            "INSERT INTO question_drafts (thread, exam_id, question_id, marker_id, state, body, saved_at) "
            "VALUES ('t', ?, ?, ?, 'edited', '{}', ?)",
            (exam_id, question.id, head.id, now()),
        )
        db.execute(
            "INSERT INTO imports (exam_id, filename, sha256, created_at) VALUES (?, 'a.csv', '00', ?)", (exam_id, now())
        )
        for title in ("earlier", "later"):  # which takes over what the earlier one was told
            trial = trials.add(db, exam_id, title, {"seed": 1}, head.id, [NewArm(judge), NewArm(judge, criteria=False)])
            trial_marks.take(db, trial, Basis(exam_id, None, (teacher.id, None)))
            one, other = trials.arms(db, trial)
            trial_answers.take_imported(db, one.id, judge, [ids[1][1]])
            if not trial_answers.take_known(db, other.id, judge, 1, [(ids[1][1], "h")]):
                trial_answers.keep_each(db, other.id, [(ids[1][1], third, "h", made)])
    return exam_id, ids, teacher


def test_a_pack_restored_into_a_fresh_install_makes_the_same_pack_byte_for_byte(store: Store, fresh: Store) -> None:
    exam_id, ids, _ = full_exam(store)
    pack = packed(store, exam_id)
    empty = [table.name for table in evidence.TABLES if not rows(pack, table.name)]
    assert empty == []
    restored = restore(fresh, io.BytesIO(pack))
    assert (restored.exam_id, restored.exam) == (exam_id, "Mock “2026”")
    assert sum(row["taken_id"] is not None for row in rows(pack, "trial_proposals")) == 1
    assert restored.counts["decisions"] == 6
    assert packed(fresh, exam_id) == pack
    with store.read() as old, fresh.read() as new:
        for table in ("standings", "progress", "pairs", "tallies"):
            some = "n > 0" if table == "tallies" else "1"
            sql = f"SELECT * FROM {table} WHERE exam_id = ? AND {some} ORDER BY 1, 2, 3, 4"
            expected = [tuple(row) for row in old.execute(sql, (exam_id,))]
            assert expected
            assert [tuple(row) for row in new.execute(sql, (exam_id,))] == expected
        assert standings.get(new, ids[0][0]).final_mark == 1  # the adjudicator's


def test_a_picture_that_only_a_draft_has_comes_back_with_it(store: Store, fresh: Store) -> None:
    exam_id, _, _ = full_exam(store)
    head = add_marker(store, "Ms Head", Role.HEAD)
    with store.write() as db:
        question = exams.questions(db, exam_id)[1]
        added = pictures.add(db, picture("green"))
    opened = open_question(store, question.id)
    assert opened is not None
    change(store, head, opened, lambda body: body.pictures.append(PictureBody(sha256=added)))
    restore(fresh, io.BytesIO(packed(store, exam_id)))
    there = open_question(fresh, question.id)
    assert there is not None
    save(fresh, head, there)
    with fresh.read() as db:
        assert [content for content, _ in question_pictures.shown(db, question.id)] == [picture("green").content]


def test_what_was_restored_can_be_marked_on_and_stays_append_only(store: Store, fresh: Store) -> None:
    exam_id, ids, teacher = full_exam(store)
    restore(fresh, io.BytesIO(packed(store, exam_id)))
    with fresh.write() as db:
        decisions.record(db, ids[1][1], teacher.id, Outcome.MARK, Stage.BLIND, mark=2)
    with pytest.raises(Exception, match="append-only"), fresh.write() as db:
        db.execute("UPDATE decisions SET mark = 0")
    with fresh.read() as db:
        assert events.latest(db)[0].kind == "evidence pack restored"


def test_the_pack_has_this_exam_alone(store: Store) -> None:
    exam_id, ids, _ = full_exam(store)
    pack = packed(store, exam_id)
    assert {row["id"] for row in rows(pack, "responses")} == {each for row in ids for each in row}
    assert all("another" not in str(row["kind"]) for row in rows(pack, "events"))
    assert rows(pack, "events")[0]["kind"] == "judge chosen"
    assert {row["name"] for row in rows(pack, "markers")} == {"Ms Khan", "Dr Ferris"}


def test_a_judges_keys_are_not_in_the_pack(store: Store) -> None:
    exam_id, _, _ = full_exam(store)
    everything = b"".join(contents(packed(store, exam_id)).values())
    assert b"sk-1" not in everything
    assert b"me:pw" not in everything
    assert b"https://h/v1" in everything


def test_settings_without_keys_are_left_exactly_as_they_are() -> None:
    settings = '{"max_tokens":  512, "base_url": "https://h/v1?api-version=3", "temperature": 0.10}'
    assert without_keys(settings) == settings
    assert json.loads(without_keys('{"a": {"Authorization": "x", "n": 1}, "key_variable": "K"}')) == {"a": {"n": 1}}


def test_the_manifest_counts_and_hashes_every_file(store: Store) -> None:
    exam_id, _, _ = full_exam(store)
    files = contents(packed(store, exam_id))
    manifest = Manifest.model_validate_json(files.pop("manifest.json"))
    assert {name: hashlib.sha256(body).hexdigest() for name, body in files.items()} == {
        name: file.sha256 for name, file in manifest.files.items()
    }
    assert (manifest.counts["responses"], manifest.counts["images"], manifest.counts["decisions"]) == (4, 3, 6)
    for name in files:
        if name.startswith("pictures/"):
            assert hashlib.sha256(files[name]).hexdigest() == name[9:73]


def test_the_prompt_is_in_the_pack_while_its_words_are_those_that_were_used(store: Store) -> None:
    exam_id, _, _ = full_exam(store)
    files = contents(packed(store, exam_id))
    assert files["prompts/points.en.v1.txt"] == (prompts.FOLDER / "points.en.v1.txt").read_bytes()
    assert "prompts/words.en.v1.txt" in files
    assert json.loads(files["prompts.json"])[0]["state"].startswith("The prompt reads as it did")


@pytest.mark.parametrize(
    ("version", "state"),
    [("points.en.v1", "has changed since"), ("points.en.v9", "is not in"), ("../../pyproject.v1", "is not in")],
)
def test_a_prompt_that_has_changed_or_gone_is_said_to_have(store: Store, version: str, state: str) -> None:
    exam_id, [[first]] = add_exam(store, [["x"]])
    with store.write() as db:
        question = exams.questions(db, exam_id)[0]
        usage = Usage(prompt_version=version, prompt_hash="0" * 64)
        made = Proposal(status=ProposalStatus.ABSTAINED, label="one", reason="blank", usage=usage)
        judge = judges.ensure(db, "Model one", judges.LLM, "one")
        proposals.add(db, first, judge, question.scheme_id, made)
    files = contents(packed(store, exam_id))
    assert state in json.loads(files["prompts.json"])[0]["state"]
    assert not [name for name in files if name.startswith("prompts/")]


def test_a_prompt_made_of_two_is_known_by_the_hash_of_both(store: Store) -> None:
    exam_id, [[first]] = add_exam(store, [["x"]])
    both = prompts.with_pictures(prompts.load("points.en.v1"))
    three = prompts.both(prompts.transcribing_prompt(both), both)
    with store.write() as db:
        question = exams.questions(db, exam_id)[0]
        usage = Usage(prompt_version=three.version, prompt_hash=three.hash)
        made = Proposal(status=ProposalStatus.ABSTAINED, label="one", reason="blank", usage=usage)
        proposals.add(db, first, judges.ensure(db, "Model one", judges.LLM), question.scheme_id, made)
    names = [name for name in contents(packed(store, exam_id)) if name.startswith("prompts/")]
    assert names == [f"prompts/{kind}.en.v1.txt" for kind in ("pictures", "points", "transcribe", "words")]


def test_every_table_is_packed_or_left_out_for_a_reason(store: Store) -> None:
    with store.read() as db:
        tables = {row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    packed_tables = {table.name for table in evidence.TABLES}
    assert not packed_tables & set(evidence.LEFT_OUT)
    assert {name for name in tables if not name.startswith("sqlite_")} == packed_tables | set(evidence.LEFT_OUT)


def test_an_exam_that_is_already_there_is_not_restored_over(store: Store) -> None:
    exam_id, _, _ = full_exam(store)
    pack = packed(store, exam_id)
    with pytest.raises(PackError, match=r"already has an exam with the number 2, “Mock “2026””.*SECOND_MARKER_DATA"):
        restore(store, io.BytesIO(pack))
    assert packed(store, exam_id) == pack


def test_rows_with_the_packs_ids_are_not_restored_over(store: Store, fresh: Store) -> None:
    exam_id, _, _ = full_exam(store)
    add_exam(fresh, [["a"] * 6], title="Already here")
    before = packed(fresh, 1)
    with pytest.raises(PackError, match="candidates with numbers of the pack's: 5, 6"):
        restore(fresh, io.BytesIO(packed(store, exam_id)))
    assert packed(fresh, 1) == before
    with fresh.read() as db:
        assert [exam.title for exam in exams.listed(db)] == ["Already here"]


def test_another_person_under_a_markers_number_is_refused_by_name(store: Store, fresh: Store) -> None:
    exam_id, _, _ = full_exam(store)
    add_marker(fresh, "Mr Older")
    with pytest.raises(PackError, match="In the pack marker 1 is Ms Khan; in this install it is Mr Older"):
        restore(fresh, io.BytesIO(packed(store, exam_id)))


def test_the_same_person_and_the_usual_judges_may_be_there_already(store: Store, fresh: Store) -> None:
    exam_id, [[first]] = add_exam(store, [["x"]])
    teacher = add_marker(store)
    propose_points(store, first, ["M1"])
    with store.write() as db:
        decisions.record(db, first, teacher.id, Outcome.MARK, Stage.BLIND, mark=1)
    from components.workflow.connections import default_judges

    default_judges(fresh)
    add_marker(fresh)
    pack = packed(store, exam_id)
    restore(fresh, io.BytesIO(pack))
    assert packed(fresh, exam_id) == pack


def test_a_pack_is_restored_from_the_command_line(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    exam_id, _, _ = full_exam(store)
    file = tmp_path / "pack.zip"
    file.write_bytes(packed(store, exam_id))
    monkeypatch.setenv("SECOND_MARKER_DATA", str(tmp_path / "empty"))
    assert main([str(file)]) == 0
    assert "Restored “Mock “2026””" in capsys.readouterr().out
    assert main([str(file)]) == 1
    assert "already has an exam" in capsys.readouterr().err
    assert packed(open_store(), exam_id) == file.read_bytes()


def remade(pack: bytes, change: Callable[[dict[str, bytes]], None], *, manifest: bool = False) -> io.BytesIO:
    """The pack with its files changed; `manifest` makes one that agrees with them, as a forger would."""
    files = contents(pack)
    change(files)
    if manifest:
        old = json.loads(files.pop("manifest.json"))
        old["files"] = {n: {"sha256": hashlib.sha256(b).hexdigest(), "size": len(b)} for n, b in files.items()}
        files["manifest.json"] = json.dumps(old).encode()
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    made.seek(0)
    return made


def refused(fresh: Store, pack: io.BytesIO, words: str) -> None:
    with pytest.raises(PackError, match=words):
        restore(fresh, pack)
    with fresh.read() as db:
        for table in ("exams", "markers", "decisions", "images", "events", "judges"):
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0


def test_changed_bytes_are_found_and_named(store: Store, fresh: Store) -> None:
    exam_id, _, _ = full_exam(store)

    def change(files: dict[str, bytes]) -> None:
        name = "tables/decisions.jsonl"
        files[name] = files[name].replace(b'"mark":2.0', b'"mark":0.0')

    refused(fresh, remade(packed(store, exam_id), change), r"tables/decisions.jsonl is not as in its manifest")


def test_missing_and_added_files_are_named(store: Store, fresh: Store) -> None:
    exam_id, _, _ = full_exam(store)
    pack = packed(store, exam_id)
    shown = next(name for name in contents(pack) if name.startswith("pictures/"))
    refused(fresh, remade(pack, lambda files: files.pop(shown) and None), f"not complete: {shown} is missing")
    extra = "pictures/" + "0" * 64 + ".png"
    refused(fresh, remade(pack, lambda files: files.update({extra: b"x"})), f"added to: {extra} is not in")


@pytest.mark.parametrize("name", ["../evil.txt", "/etc/evil", "tables/../../x.jsonl", "C:\\x", "tables\\x.jsonl", "a/"])
def test_a_file_that_no_pack_has_is_refused_unread(store: Store, fresh: Store, name: str) -> None:
    exam_id, _, _ = full_exam(store)
    made = remade(packed(store, exam_id), lambda files: files.update({name: b"x"}), manifest=True)
    refused(fresh, made, "a file that no pack has")


def test_a_bomb_is_refused_before_it_is_unpacked(store: Store, fresh: Store) -> None:
    exam_id, _, _ = full_exam(store)
    bomb = b"\n" * 20_000_000
    made = remade(packed(store, exam_id), lambda files: files.update({"tables/events.jsonl": bomb}), manifest=True)
    refused(fresh, made, "tables/events.jsonl would unpack to far more")


def test_two_files_of_one_name_are_refused(store: Store, fresh: Store) -> None:
    exam_id, _, _ = full_exam(store)
    file = io.BytesIO(packed(store, exam_id))
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(file, "a") as archive:
        archive.writestr("tables/decisions.jsonl", b"")
    refused(fresh, file, "two files of the same name")


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x05\x06" + b"\0" * 18])
def test_what_is_no_pack_is_said_in_words(fresh: Store, content: bytes) -> None:
    refused(fresh, io.BytesIO(content), "not an evidence pack")


def test_a_pack_cut_short_or_with_a_flipped_bit_is_refused(store: Store, fresh: Store) -> None:
    exam_id, _, _ = full_exam(store)
    pack = packed(store, exam_id)
    refused(fresh, io.BytesIO(pack[:-200]), "not an evidence pack")
    with zipfile.ZipFile(io.BytesIO(pack)) as archive:
        entry = archive.getinfo("tables/proposals.jsonl")
    start = entry.header_offset + 30 + sum(struct.unpack_from("<HH", pack, entry.header_offset + 26))
    spoilt = bytearray(pack)
    spoilt[start + entry.compress_size // 2] ^= 0xFF
    refused(fresh, io.BytesIO(bytes(spoilt)), "tables/proposals.jsonl is not as in its manifest")


def test_a_pack_of_a_newer_version_is_refused(store: Store, fresh: Store) -> None:
    exam_id, _, _ = full_exam(store)

    def newer(files: dict[str, bytes]) -> None:
        files["manifest.json"] = json.dumps(json.loads(files["manifest.json"]) | {"schema_version": 99}).encode()

    refused(fresh, remade(packed(store, exam_id), newer), "made by a newer version of Second Marker")


def edit(table: str, **values: object) -> Callable[[dict[str, bytes]], None]:
    """Change the table's first row."""

    def change(files: dict[str, bytes]) -> None:
        first, *others = files[f"tables/{table}.jsonl"].splitlines(keepends=True)
        row = json.loads(first) | values
        files[f"tables/{table}.jsonl"] = b"".join([json.dumps(row).encode() + b"\n", *others])

    return change


@pytest.mark.parametrize(
    ("table", "values"),
    [
        ("decisions", {"mark": 99.0}),  # off the scale: the triggers are on
        ("decisions", {"mark": "much"}),
        ("decisions", {"id": 2**70}),
        ("decisions", {"id": None}),
        ("decisions", {"response_id": 1_000}),
        ("decisions", {"bonus": 1}),
        ("candidates", {"exam_id": 7}),
        ("exams", {"settings": '{"what_stands": "whatever"}'}),
        ("exams", {"title": " "}),
        ("judges", {"settings": "{"}),
        ("images", {"mime": "image/svg+xml"}),
        ("images", {"sha256": "0" * 64}),
        ("markers", {"role": "owner"}),
        ("schemes", {"body": "[]"}),
    ],
)
def test_a_forged_row_restores_nothing(store: Store, fresh: Store, table: str, values: dict[str, object]) -> None:
    exam_id, _, _ = full_exam(store)
    refused(
        fresh,
        remade(packed(store, exam_id), edit(table, **values), manifest=True),
        "restored|Get the pack again|PNG and JPEG|Update the app",
    )


def test_a_pack_cannot_add_to_another_exam(store: Store, fresh: Store) -> None:
    exam_id, _, _ = full_exam(store)
    other = new_store(fresh.path.parent / "third")
    [[here]] = add_exam(other, [["a"]], title="Already here")[1]

    def change(files: dict[str, bytes]) -> None:
        note = json.loads(files["tables/notes.jsonl"]) | {"response_id": here}
        files["tables/notes.jsonl"] = json.dumps(note, separators=(",", ":")).encode() + b"\n"

    with pytest.raises(PackError, match="rows that are not this exam's"):
        restore(other, remade(packed(store, exam_id), change, manifest=True))
    with other.read() as db:
        assert decisions.notes(db, here) == []


def add_decisions(store: Store, number: int, comment: str) -> int:
    exam_id, [ids] = add_exam(store, [["x"] * 50])
    teacher = add_marker(store)
    with store.write() as db:
        scheme = exams.questions(db, exam_id)[0].scheme_id
        db.conn.executemany(
            "INSERT INTO decisions (response_id, marker_id, outcome, stage, mark, comment, scheme_id, created_at) "
            "VALUES (?, ?, 'mark', 'blind', ?, ?, ?, ?)",
            [(ids[i % 50], teacher.id, i % 3, comment, scheme, now()) for i in range(number)],
        )
    return exam_id


def test_32_000_decisions_are_packed_in_bounded_memory(store: Store, tmp_path: Path) -> None:
    exam_id = add_decisions(store, 32_000, "a comment " * 10)
    with (tmp_path / "pack.zip").open("w+b") as file:
        tracemalloc.start()
        manifest = write_pack(store, exam_id, file)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert manifest.counts["decisions"] == 32_000
    assert manifest.files["tables/decisions.jsonl"].size > 10_000_000
    assert peak < 1_000_000


def test_a_long_pack_is_restored_in_bounded_memory(store: Store, fresh: Store, tmp_path: Path) -> None:
    exam_id = add_decisions(store, 1_200, "".join(f"{i}," for i in range(2_000)))
    with (tmp_path / "pack.zip").open("w+b") as file:
        manifest = write_pack(store, exam_id, file)
        tracemalloc.start()
        restored = restore(fresh, file)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert restored.counts["decisions"] == 1_200
    assert manifest.files["tables/decisions.jsonl"].size > 10_000_000
    assert peak < 7_000_000


def test_an_exam_that_is_not_there_is_said(store: Store) -> None:
    with pytest.raises(LookupError, match="no exam 5"):
        packed(store, 5)


def test_responses_come_back_word_for_word(store: Store, fresh: Store) -> None:
    exam_id, ids, _ = full_exam(store)
    restore(fresh, io.BytesIO(packed(store, exam_id)))
    with fresh.read() as db:
        found = responses.get(db, ids[0][0])
        assert found is not None
        assert found.text == "enzyme \u2028 denatured 酶"
