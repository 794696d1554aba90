"""Numeric and algebraic answers marked by rule, and attacks on the reading of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import timeit
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from components.judge.objective import ObjectiveJudge
from components.judge.objective.algebra import AlgebraProcess
from components.judge.objective.reading import Unreadable
from components.marking import (
    Confidence,
    NumericKey,
    Proposal,
    ProposalStatus,
    Question,
    QuestionType,
    Response,
    Scheme,
    WholeVerdict,
)

REPOSITORY = Path(__file__).parents[2]


def marked(
    text: str,
    key: str | NumericKey,
    asked: str = "Work it out.",
    max_mark: float = 1,
) -> Proposal:
    return ObjectiveJudge().propose(
        Question(number="1", type=QuestionType.NUMERIC, text=asked, max_mark=max_mark),
        Scheme(max_mark=max_mark, numeric=key if isinstance(key, NumericKey) else NumericKey(correct=(key,))),
        Response(id="r1", text=text),
    )


def reason(proposal: Proposal) -> str:
    if proposal.status is ProposalStatus.ABSTAINED:
        return proposal.reason
    (only,) = proposal.verdicts
    assert isinstance(only, WholeVerdict)
    return only.reason


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("0.5", "1/2"), ("50%", "1/2"), ("50 per cent", "0.5"), ("½", "0.5"), ("2/4", "1/2"), (".5", "0.5"),
        ("0.50", "0.5"), ("1 1/2", "1.5"), ("1½", "3/2"), (r"$\frac{1}{2}$", "0.5"), (r"\(5\)", "5"),
        ("12,500", "12500"), ("12 500", "12500"), ("1,234,567.8", "1234567.8"), ("1,00,000", "100000"),
        ("12,5", "12.5"), ("0,500", "0.5"), ("1.234,5", "1234.5"),
        ("−3", "-3"), ("–3", "-3"), ("minus 3", "-3"), ("- 3", "-3"), ("+5", "5"), ("５", "5"), ("٥", "5"),
        ("3.2 × 10^5", "3.2e5"), ("3.2x10^5", "320000"), ("3.2*10**5", "3.2e5"), ("3.2 · 10⁵", "3.2e5"),
        ("3.2E+5", "320 000"), ("3.2×10⁻⁵", "0.000032"), ("10⁵", "100000"), ("5 million", "5000000"),
        ("≈ 12.5.", "12.5"), ("approximately 12.5", "12.5"), ("x = 12.5", "12.5"), ("= 12.5", "12.5"),
        ("12.5 = x", "12.5"), ("x = 12.5", "x = 12.5"), ("pH 3", "3"), ("pH = 3", "3"), ("twelve", "12"),
        ("Answer: 12.5", "12.5"), ("答案：12.5", "12.5"), ("12.5 (3 s.f.)", "12.5"), ("12.5 to 1 d.p.", "12.5"),
        ("√2/2", "1/√2"), ("2^10", "2^10"), ("1024", "2^10"), ("10:30", "10:30"), ("x > 3", "x>3"),
    ],
)  # fmt: skip
def test_equivalent_ways_of_writing_a_value_are_right(text: str, key: str) -> None:
    proposal = marked(text, key)
    assert (proposal.mark, proposal.confidence) == (1, Confidence.SURE), reason(proposal)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("10 m", "1000 cm"), ("45 km/h", "12.5 m/s"), ("45 kmh⁻¹", "12.5 m/s"), ("12.5 m s^-1", "12.5 m/s"),
        ("12.5ms⁻¹", "12.5 m/s"), ("12.5 ms-1", "12.5 m/s"), ("12.5 metres per second", "12.5 m/s"),
        ("x = 12.5 m/s", "12.5 m/s"), ("5µm", "5 μm"), ("0.005 mm", "5 μm"), ("25 degrees C", "25 °C"),
        ("25℃", "25 °C"), ("298.15 K", "25 °C"), ("0.01 m²", "100 cm^2"), ("5 square metres", "5 m²"),
        ("5 amps", "5 A"), ("5000 mA", "5 A"), ("5 ohms", "5 Ω"), ("2 kg", "2000 g"), ("2 Kg", "2 kg"),
        ("1000 kg m⁻³", "1 g cm⁻³"), ("4200 J kg⁻¹ K⁻¹", "4200 J/kg°C"), ("3×10^8 ms^-1", "300000 km/s"),
        ("120 minutes", "2 h"), ("£5.00", "£5"), ("500p", "£5"), ("5 pounds", "£5"), ("1/8", "12.5%"),
        ("25pi cm2", "25π cm²"), ("5 Pa", "5 N m⁻²"), ("6 apple", "6 apples"), ("10 厘米", "10 cm"),
    ],
)  # fmt: skip
def test_equivalent_units_are_right(text: str, key: str) -> None:
    proposal = marked(text, key)
    assert (proposal.mark, proposal.confidence) == (1, Confidence.SURE), reason(proposal)


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("10 m", "10 cm", "10 m is not 10 cm."),
        ("45 m/s", "45 km/h", "45 m/s is not 45 km/h."),
        ("5 kg", "5 m", "5 kg is not 5 m: kg and m measure different things."),
        ("$5", "£5", "$5 is not £5"),
        ("13", "12", "13 is not 12."),
        ("x = 13 m", "12 m", "13 m is not 12 m."),
        ("-3", "3", "-3 is not 3."),
        ("0.6", "1/2", "0.6 is not 1/2."),
        ("9.8", "9.81", "9.8 is not 9.81."),
        ("60%", "0.5", "60% is not 0.5."),
        ("3+5", "7", "3+5 is not 7."),
        ("7 m", "12", "7 m is not 12."),
        ("320", "3.2e5", "320 is not 3.2e5."),
    ],
)
def test_a_readable_wrong_value_is_0_with_its_reason(text: str, key: str, words: str) -> None:
    proposal = marked(text, key)
    assert proposal.mark == 0
    assert words in reason(proposal)


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("4 or 5", "4", "more than one value"),
        ("x = 4 or x = 5", "5", "more than one value"),
        ("20 ± 1", "20", "range"),
        ("x < 5", "5", "range"),
        ("it is not 12", "12", "mark it yourself"),
        ("The value is less than 12", "12", "mark it yourself"),
        ("12,500", "12.5", "decimal comma"),
        ("3.2 x 105", "3.2e5", "letters or words"),
        ("banana", "5", "words"),
        ("5 halves", "5", "may change its value"),
        ("5!", "120", "does not read"),
        ("3/0", "5", "no value"),
        ("3 + 4", "7", "not worked out"),
        ("2^3", "8", "not worked out"),
        ("sin 30", "0.5", "sine"),
        ("50%", "50", "for you to decide"),
        ("0.33", "1/3", "rounded"),
        ("1.732", "√3", "rounded"),
        ("10 mW", "10 MW", "capital letters"),
        ("10 blobs", "10 cm", "not a unit"),
        ("13 blobs", "12", "not a unit"),
        ("5 J", "5 N m", "stand for one another"),
        ("60 rad/s", "60 Hz", "stand for one another"),
        ("5 pounds", "5 kg", "stand for one another"),
        ("1.2 km", "1200", "another unit"),
        ("4 h 30 min", "4.5 h", "no number"),
        ("y = 5", "x = 5", "value for y"),
        ("12 =", "12", "nothing on one side"),
        ("", "12", "blank"),
        ("?", "12", "no value"),
        ("5", "see the text", "key see the text"),
        ("10:31", "10:30", "key 10:30"),
    ],
)
def test_what_cannot_be_read_in_one_way_gets_no_proposal_and_never_0(text: str, key: str, words: str) -> None:
    proposal = marked(text, key)
    assert (proposal.status, proposal.mark) == (ProposalStatus.ABSTAINED, None)
    assert words in reason(proposal)


@pytest.mark.parametrize(
    ("text", "mark", "quote"),
    [
        ("speed = distance / time\n= 36 / 3\n= 12 m/s", 1, "12 m/s"),
        ("36/3 = 12 m/s", 1, "12 m/s"),
        ("v = u + at\nv = 2 + 10\nso v = 12 m/s", 1, "12 m/s"),
        ("36 ÷ 3\nAnswer: 12 m/s\nchecked", 1, "12 m/s"),
        ("The speed of the car is 12 m/s.", 1, "12 m/s"),
        ("12 m/s because I divided", 1, "12 m/s"),
        ("12 m/s or 43.2 km/h", 1, "12 m/s or 43.2 km/h"),
        ("36 × 3 = 108 m/s", 0, "108 m/s"),
    ],
)
def test_an_answer_taken_out_of_working_is_fairly_sure(text: str, mark: float, quote: str) -> None:
    proposal = marked(text, "12 m/s")
    assert (proposal.mark, proposal.confidence) == (mark, Confidence.FAIRLY_SURE), reason(proposal)
    (evidence,) = proposal.verdicts[0].evidence
    assert evidence.quote == text[evidence.start : evidence.end] == quote


@pytest.mark.parametrize(
    ("text", "key", "mark"),
    [
        ("12.6", NumericKey(correct=("12.5",), tolerance=0.1), 1),
        ("12.4", NumericKey(correct=("12.5",), tolerance=0.1), 1),
        ("12.61", NumericKey(correct=("12.5",), tolerance=0.1), 0),
        ("1.26 m", NumericKey(correct=("125 cm",), tolerance=1), 1),
        ("1.27 m", NumericKey(correct=("125 cm",), tolerance=1), 0),
        ("51%", NumericKey(correct=("50%",), tolerance=1), 1),
        ("52%", NumericKey(correct=("50%",), tolerance=1), 0),
        ("102", NumericKey(correct=("100",), relative_tolerance=0.02), 1),
        ("103", NumericKey(correct=("100",), relative_tolerance=0.02), 0),
        ("-102", NumericKey(correct=("-100",), relative_tolerance=0.02), 1),
        ("78.5", NumericKey(correct=("25π",), tolerance=0.1), 1),
        ("7", NumericKey(correct=("5", "7")), 1),
        ("6", NumericKey(correct=("5", "7")), 0),
    ],
)
def test_tolerance_is_in_the_keys_own_unit(text: str, key: NumericKey, mark: float) -> None:
    assert marked(text, key).mark == mark


@pytest.mark.parametrize(
    ("text", "key", "figures", "mark"),
    [
        ("12.5", "12.5", 3, 1),
        ("12.50", "12.5", 3, 0),
        ("12.5", "12.48", 3, 1),
        ("12.48", "12.48", 3, 0),
        ("1200", "1200", 3, 1),  # trailing zeros may or may not be significant
        ("1200", "1200", 5, 0),
        ("0.00120", "0.0012", 3, 1),
        ("0.0012", "0.0012", 3, 0),
        ("3.20 × 10^5", "3.2e5", 3, 1),
        ("3.2 × 10^5", "3.2e5", 3, 0),
        ("0.333", "1/3", 3, 1),
        ("1/3", "1/3", 3, None),
    ],
)
def test_significant_figures_are_counted_as_written(text: str, key: str, figures: int, mark: float | None) -> None:
    proposal = marked(text, NumericKey(correct=(key,), significant_figures=figures))
    assert proposal.mark == mark
    assert mark == 1 or "significant figure" in reason(proposal)


@pytest.mark.parametrize(
    ("text", "partial", "mark", "words"),
    [
        ("12.5 m/s", {}, 2, "is the key"),
        ("12.5", {}, 0, "no unit"),
        ("12.5", {"12.5": 1}, 1, "gives it 1 of 2"),
        ("13", {"12.5": 1}, 0, "is not"),
        ("12.5 kg", {"12.5": 1}, 0, "different things"),
        ("1.25 m/s", {"1.25 m/s": 1}, 1, "gives it 1 of 2"),
        ("4.5 km/h", {"1.25 m/s": 1}, 1, "gives it 1 of 2"),
    ],
)
def test_a_required_unit_and_the_partial_table(text: str, partial: dict[str, float], mark: float, words: str) -> None:
    proposal = marked(text, NumericKey(correct=("12.5 m/s",), unit_required=True, partial=partial), max_mark=2)
    assert proposal.mark == mark
    assert words in reason(proposal)


@pytest.mark.parametrize(
    ("text", "key", "asked", "mark"),
    [
        ("12.5", "12.5 m/s", "How fast?", 1),
        ("50", "50%", "What part?", 1),
        ("12 m", "12", "How far?", 1),
        ("90°", "90", "What angle?", 1),
        ("50%", "50", "What percentage of the class passed?", 1),
        ("1.2 km", "1200", "Give the distance in metres.", 1),
        ("1200 km", "1200", "Give the distance in metres.", 0),
        ("12 apples", "12", "How many?", 1),
        ("13 apples", "12", "How many apples?", 0),
    ],
)
def test_a_unit_on_one_side_only_is_taken_as_the_question_means_it(
    text: str, key: str, asked: str, mark: float
) -> None:
    assert marked(text, key, asked).mark == mark


@pytest.mark.parametrize(
    ("text", "key", "asked"),
    [
        ("45 km/h", "12.5 m/s", "Convert 45 km/h to m/s."),
        ("1/2", "50%", "Write 1/2 as a percentage."),
        ("0.5", "50%", "Write ½ as a percentage."),
        ("10/12", "5/6", "Give your answer in its simplest form."),
        ("320000", "3.2e5", "Write it in standard form."),
        ("2(x+1)", "2x+2", "Expand $2(x+1)$."),
    ],
)
def test_a_right_value_in_the_wrong_form_is_left_to_the_teacher(text: str, key: str, asked: str) -> None:
    assert marked(text, key, asked).mark is None
    assert marked(key, key, asked).mark == 1


@pytest.mark.parametrize(
    ("text", "key", "mark"),
    [
        ("2x+2", "2(x+1)", 1),
        ("2 + 2x", "2(x+1)", 1),
        ("2X+2", "2(x+1)", 1),
        ("2x+3", "2(x+1)", 0),
        ("x²+2x+1", "(x+1)^2", 1),
        ("x²+1", "(x+1)^2", 0),
        ("a²+2ab+b²", "(a+b)^2", 1),
        ("½x", "x/2", 1),
        ("2sinx cosx", "sin 2x", 1),
        ("1", "sin²x + cos²x", 1),
        ("2 ln x", "ln(x^2)", 1),
        ("ln x", "log x", 0),
        ("2pir", "2πr", 1),
        (r"\frac{x}{2} + \sqrt{x}", "x/2 + √x", 1),
        ("y = 2x + 3", "y = 3 + 2x", 1),
        ("3+2x", "y = 2x + 3", 1),
        ("y - 2x = 3", "y = 2x + 3", 1),
        ("(x-2)(x-3) = 0", "x^2 - 5x + 6 = 0", 1),
        ("x = 3 or x = 2", "x=2 or x=3", 1),
        ("x = 2", "x=2 or x=3", 0),
        ("2, 4", "2, 3", 0),
        ("2y+2", "2(x+1)", None),
        ("1/2x", "x/2", None),
        ("√(x²)", "x", None),
        ("2(x+1) = 2x+2 = 0", "2x+2", None),
        ("9^9^9", "2x", None),
    ],
)
def test_algebra_is_compared_by_equivalence(text: str, key: str, mark: float | None) -> None:
    proposal = marked(text, key)
    assert proposal.mark == mark, reason(proposal)


ATTACKS = [
    "__import__('os').system('touch x')", "().__class__.__bases__", "9**9**9**9", "9^9^9^9", "(9^9)^(9^9)",
    "(x+1)^999999", "((((x+1)^19)^19)^19)^19", "2" * 50_000, "(" * 4_000, "x" * 4_000, "1\0002", "\u202e21", "B\u200f",
    "1e999999999", "10^999999999", "(lambda: 5)()", "exec('1')", "eval(5)", "{5}", "\\input{x}", "[1][0]",
    "5 if 1 else 2",
    "sqrt(" * 60, "\\frac" * 200, "-" * 900, "1/(1-1)", "\ud800",
]  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("key", ["5", "2x+1"])
def test_an_attack_executes_nothing_does_not_hang_and_gets_words_not_a_mark(
    attack: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked("2x+1", "1+2x")  # the algebra process is up
    monkeypatch.chdir(tmp_path)
    started = time.perf_counter()
    proposal = marked(attack, key)
    assert time.perf_counter() - started < 2
    assert proposal.mark is None
    assert proposal.reason.endswith(".")
    assert list(tmp_path.iterdir()) == []


def test_sympy_is_imported_in_the_child_alone() -> None:
    code = (
        "import sys; from components.judge.objective.algebra import same;"
        "assert same(['sym', 'x'], ['sym', 'x']); print('sympy' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_a_sum_that_never_ends_is_stopped_and_the_next_is_worked_out() -> None:
    process = AlgebraProcess(seconds=0.5)
    try:
        one = {"task": "value", "tree": ["num", "1"]}
        assert process.ask(one) == {"value": "1"}
        first = process.pid
        endless = ["pow", ["num", "9"], ["pow", ["num", "9"], ["pow", ["num", "9"], ["num", "2"]]]]
        started = time.perf_counter()
        with pytest.raises(Unreadable, match=r"too long|cannot be worked out"):
            process.ask({"task": "value", "tree": ["sub", endless, ["num", "1"]]})
        assert time.perf_counter() - started < 3
        assert process.ask(one) == {"value": "1"}
        assert first is not None
    finally:
        process.close()


def test_an_algebra_process_that_dies_is_started_again() -> None:
    process = AlgebraProcess()
    try:
        one = {"task": "value", "tree": ["num", "1"]}
        process.ask(one)
        assert process.pid is not None
        gone = process.pid
        os.kill(gone, 9)
        with suppress(Unreadable):  # the first to ask may be the one to find it gone
            process.ask(one)
        assert process.ask(one) == {"value": "1"}
        assert process.pid != gone
    finally:
        process.close()


def test_an_unknown_operation_is_refused_by_the_child() -> None:
    process = AlgebraProcess()
    try:
        with pytest.raises(Unreadable, match="cannot be worked out"):
            process.ask({"task": "value", "tree": ["__import__", ["num", "1"]]})
    finally:
        process.close()


def test_many_threads_may_ask_at_once() -> None:
    answers = [f"{n}x + {n}" for n in range(1, 25)]
    with ThreadPoolExecutor(8) as pool:
        marks = list(pool.map(lambda pair: marked(pair[1], f"{pair[0]}(x+1)").mark, enumerate(answers, 1)))
    assert marks == [1] * 24
    assert threading.active_count() < 20


def test_the_child_ends_with_its_parent() -> None:
    code = (
        "from components.judge.objective import algebra;"
        "algebra.same(['sym', 'x'], ['sym', 'x']); print(algebra._process.pid, flush=True);"
        "import os; os._exit(0)"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    child = int(ran.stdout)
    deadline = time.monotonic() + 10
    while _running(child) and time.monotonic() < deadline:
        threading.Event().wait(0.02)
    assert not _running(child)


def _running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


def test_a_number_is_marked_within_two_milliseconds() -> None:
    assert min(timeit.repeat(lambda: marked("x = 45 km/h", "12.5 m/s"), number=1, repeat=50)) < 0.002


def test_a_proposal_travels_as_json() -> None:
    proposal = marked("45 km/h", "12.5 m/s")
    assert Proposal.model_validate(json.loads(proposal.model_dump_json())) == proposal
