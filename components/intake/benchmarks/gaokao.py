"""GAOKAO-Bench: files of questions, and files of results with a model's answers and the marks they were given."""

from __future__ import annotations

import ast
import json
import math
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from components.intake.benchmarks.characters import whole
from components.intake.benchmarks.findings import Findings, shown
from components.intake.benchmarks.gaokao_criteria import Criterion
from components.intake.benchmarks.gaokao_results import shipped_result
from components.intake.benchmarks.gaokao_tasks import OPEN, GaokaoTask, task_of
from components.intake.benchmarks.items import Benchmark, Item, ShippedResult
from components.intake.errors import IntakeError

_LETTERS = re.compile(r"[A-G]{1,7}")
_ASKED = ("question", "answer", "standard_answer")
_RESULT_FIELDS = ("model_output", "model_answer", "model_correction", "model_correction_score", "correction_score")


@dataclass(frozen=True)
class GaokaoFile:
    """A file's questions or, of a results file, its results (each with its question).

    `criteria` are those of rows that hold nothing else of a question but its number.
    """

    items: list[Item]
    results: list[ShippedResult]
    criteria: list[Criterion]


def read_gaokao(name: str, content: bytes, findings: Findings) -> GaokaoFile:
    """What a file holds.

    Raises IntakeError, naming the file, where it is none of GAOKAO-Bench's.
    """
    data, rows = _rows(name, content, findings)
    keyword = _keyword(name, data)
    answers = [_literal(row.get("answer", row.get("standard_answer"))) for row in rows]
    task = task_of(keyword, answers)
    if not task.subject:
        findings.note(
            f"{shown(name)}: the keyword “{keyword}” names no subject of GAOKAO-Bench; loaded without a subject."
        )
    items: list[Item] = []
    results: list[ShippedResult] = []
    model, judge = _model(name, keyword, data), str(data.get("teacher_model_name") or "")
    criteria: list[Criterion] = []
    names = tuple(dict.fromkeys((keyword, PurePosixPath(name).stem)))
    for place, (row, answer) in enumerate(zip(rows, answers, strict=True)):
        if not any(row.get(field) for field in _ASKED):
            if row.get("index") is None:
                findings.add(
                    shown(name), "marking criteria without the number of their question; left out.", place, of="place"
                )
            else:
                criteria.append(Criterion(names, _number(row, place), _criteria(row)))
            continue
        item = _item(task, row, answer, place, shown(name), findings)
        if item is None:
            continue
        if any(field in row for field in _RESULT_FIELDS):
            results.append(shipped_result(item, row, model, judge, shown(name), findings))
        else:
            items.append(item)
    return GaokaoFile(items, results, criteria)


def _rows(name: str, content: bytes, findings: Findings) -> tuple[dict[str, object], list[dict[str, object]]]:
    try:
        data = whole(json.loads(content.decode("utf-8-sig")))
    except UnicodeDecodeError:
        raise IntakeError(f"“{name}” is not in UTF-8, as GAOKAO-Bench's files are. Get the file again.") from None
    except (ValueError, RecursionError):
        raise IntakeError(f"“{name}” cannot be read as JSON; it may be cut off. Get the file again.") from None
    listed = data.get("example") if isinstance(data, dict) else None
    if isinstance(data, dict) and listed is None and "model_name" in data:
        raise IntakeError(f"“{name}” has totals that came with results, and no answers. Load the files beside it.")
    if not isinstance(listed, list):
        raise IntakeError(
            f"“{name}” is no GAOKAO-Bench file: those have “keywords” and a list of questions called “example”. "
            "Choose the files in its Data or Results folders."
        )
    rows = []
    for place, row in enumerate(listed):
        if isinstance(row, dict) and (any(row.get(field) for field in _ASKED) or _criteria(row)):
            rows.append(row)
        else:
            findings.add(shown(name), "neither a question nor an answer; left out.", place, of="place")
    if listed and not rows:
        raise IntakeError(f"“{name}” is no GAOKAO-Bench file: nothing in its “example” is a question.")
    return data, rows


def _keyword(name: str, data: dict[str, object]) -> str:
    """The task's name, without the years where the file's own has none."""
    said = data.get("keywords") or data.get("keyword")
    return str(said).strip() if said else PurePosixPath(name).stem


def _model(name: str, keyword: str, data: dict[str, object]) -> str:
    """The model that answered: as the file says, else what its name says before the keyword."""
    before, found, _ = PurePosixPath(name).stem.partition(f"_{keyword}")
    return str(data.get("model_name") or "") or (before if found else "")


def _literal(answer: object) -> object:
    """The key as a tuple where the answer is a list or is written as one ("['D']"); anything else as it is."""
    if isinstance(answer, str) and answer.strip().startswith("["):
        try:
            written = ast.literal_eval(answer.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return answer
        letters = isinstance(written, list) and all(_LETTERS.fullmatch(_tidy(entry)) for entry in written)
        answer = written if letters else answer
    return tuple(_tidy(entry) for entry in answer) if isinstance(answer, list) else answer


def _tidy(entry: object) -> str:
    return re.sub(r"[\s,，、]+", "", str(entry)).upper()


def _item(
    task: GaokaoTask, row: dict[str, object], answer: object, place: int, file: str, findings: Findings
) -> Item | None:
    number = _number(row, place)
    points = _points(row.get("score"))
    if points is None:
        findings.add(file, "no number of points above 0, so it cannot be marked; left out.", number)
        return None
    faults = [] if str(row.get("question") or "").strip() else ["the question is blank."]
    kind, key, answer = _key(task, answer, faults)
    for fault in faults:
        findings.add(file, fault, number)
    return Item(
        benchmark=Benchmark.GAOKAO_BENCH,
        task=task.keyword,
        number=number,
        split="test",
        question=str(row.get("question") or ""),
        kind=kind,
        key=key,
        points=points,
        answer=answer,
        analysis=str(row.get("analysis") or ""),
        criteria=_criteria(row) if kind == OPEN else "",
        year=str(row.get("year") or ""),
        category=str(row.get("category") or ""),
        subject=task.subject,
        level="High school",
        cluster=task.streams,
        faults=tuple(faults),
    )


def _number(row: dict[str, object], place: int) -> str:
    """The row's number, 1 for 1.0 too; its place where it says none."""
    said = str(place if row.get("index") is None else row["index"]).strip()
    return re.sub(r"(?<=\d)\.0+$", "", said)


def _criteria(row: dict[str, object]) -> str:
    """What the mark scheme of a written question is in the files of criteria that judges were given."""
    told = row.get("marking_criterion") or ""
    return "\n".join(str(each).strip() for each in (told if isinstance(told, list) else [told])).strip()


def _key(task: GaokaoTask, answer: object, faults: list[str]) -> tuple[str, tuple[str, ...], str]:
    """The kind, the key and the standard answer in words, of which an item has one; what is wrong goes to `faults`."""
    if task.kind == OPEN:
        words = "\n".join(answer) if isinstance(answer, tuple) else str(answer or "")
        if not words.strip():
            faults.append("the standard answer is blank.")
        return OPEN, (), words
    entries = answer if isinstance(answer, tuple) else (_tidy(answer or ""),)
    if all(_LETTERS.fullmatch(entry) for entry in entries) and entries:
        return task.kind, tuple("".join(sorted(set(entry))) for entry in entries), ""
    shown = ", ".join(entry or "nothing" for entry in entries) or "nothing"
    faults.append(f"the key is {shown[:60]}, not letters, so it cannot be marked.")
    return task.kind, (), ""


def _points(score: object) -> float | None:
    try:
        points = float(str(score))
    except ValueError:
        return None
    return points if math.isfinite(points) and points > 0 else None
