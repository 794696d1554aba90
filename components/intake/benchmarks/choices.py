"""A question with four options and one letter for an answer, as E-EVAL and M3KE have them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from components.intake.benchmarks.findings import Findings
from components.intake.benchmarks.items import Benchmark, Item, Split
from components.intake.benchmarks.spreadsheet import likely_original

LETTERS = ("A", "B", "C", "D")


@dataclass(frozen=True)
class Task:
    """What a file's name says of all its questions."""

    benchmark: Benchmark
    name: str
    split: Split
    subject: str
    level: str
    cluster: str


def choice_item(
    task: Task, cells: Mapping[str, object], row: int, place: int, file: str, of: str, findings: Findings
) -> Item | None:
    """The question in one row; None, and said, where nothing is in it. `place` numbers a row without an id, from 0."""
    question = _text(cells.get("question"))
    options = {letter: _text(cells.get(letter)) for letter in LETTERS}
    if not question.strip() and not any(option.strip() for option in options.values()):
        findings.add(file, "neither a question nor options; left out.", row, of=of)
        return None
    faults = [*_question_fault(question), *_option_faults(options)]
    key, answer_fault = _key(_text(cells.get("answer")), file, row, of, findings)
    if answer_fault:
        faults.append(answer_fault)
    for fault in faults:
        findings.add(file, fault, row, of=of)
    return Item(
        benchmark=task.benchmark,
        task=task.name,
        number=_text(cells.get("id")).strip() or str(place),
        split=task.split,
        question=question,
        options=options,
        key=key,
        analysis=_text(cells.get("explanation")),
        subject=task.subject,
        level=task.level,
        cluster=task.cluster,
        faults=tuple(faults),
    )


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _question_fault(question: str) -> list[str]:
    return [] if question.strip() else ["the question is blank."]


def _option_faults(options: Mapping[str, str]) -> list[str]:
    faults = []
    for letter, option in options.items():
        if not option.strip():
            faults.append(f"option {letter} is empty.")
            continue
        likely = likely_original(option)
        if likely is not None:
            faults.append(f"option {letter}, “{option}”, looks turned by a spreadsheet; it was likely {likely}.")
    return faults


def _key(answer: str, file: str, row: int, of: str, findings: Findings) -> tuple[tuple[str, ...], str]:
    """The right letter and what is wrong with it; no letter and nothing wrong where the answer is private."""
    if not answer.strip():
        return (), ""
    letter = unicodedata.normalize("NFKC", answer).strip().upper()
    if letter not in LETTERS:
        return (), f"the answer “{answer.strip()}” is none of A, B, C, D, so the question cannot be marked."
    if answer != letter:
        spaced = answer.strip() == letter
        findings.add(
            file, "spaces around the answer; read without them." if spaced else "the answer's letter is written oddly; "
            "read as a plain capital.", row, of=of,
        )  # fmt: skip
    return (letter,), ""
