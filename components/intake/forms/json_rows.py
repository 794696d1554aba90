"""JSON and JSONL as a table: a list of objects, {"responses": […]}, or an object a line."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from components.intake.errors import IntakeError
from components.intake.tables import LARGEST, Table

_LISTS = ("responses", "answers", "submissions", "rows", "data", "items", "records", "results")
_NUMBER_KEYS = ("number", "question", "question_number", "question_id", "id")
_QUESTION_KEYS = _NUMBER_KEYS[1:-1]
_NESTED = ("answers", "responses", "questions", "items")
_ENDINGS = frozenset({".json", ".jsonl", ".ndjson"})
_AT_LEAST = 'It needs a list of objects such as [{"candidate": "0417", "question": "1", "answer": "…"}].'


class _KeyTwiceError(Exception):
    """An object names one key twice; Python would keep the later without a word."""


def looks_like_json(name: str, content: bytes) -> bool:
    """Whether a file is named as JSON, or begins as a list of objects or an object does."""
    if PurePath(name).suffix.casefold() in _ENDINGS:
        return True
    start = b"".join(content[:400].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").split())
    return start.startswith((b"[{", b'{"', b"[]", b"{}"))


def read_json(name: str, content: bytes) -> Table:
    """The objects as rows, numbered by their place in the list or their line. Raises IntakeError in words."""
    if len(content) > LARGEST:
        raise IntakeError(f"“{name}” is larger than 200 MB. Split it into smaller files.")
    text = _text(name, content)
    numbered, known, by_line = _objects(name, text)
    rows = [(number, flat) for number, each in numbered for flat in _flat(each)]
    if known:
        rows = [(number, known.get(row.get("question", ""), {}) | row) for number, row in rows]
    columns = tuple(dict.fromkeys(key for _, row in rows for key in row))
    if len(columns) < 2 or not any(any(row.values()) for _, row in rows):
        raise IntakeError(f"“{name}” holds no table. {_AT_LEAST}")
    return Table(
        name=name,
        columns=columns,
        rows=tuple(tuple(row.get(column, "") for column in columns) for _, row in rows),
        row_numbers=tuple(number for number, _ in rows),
        header_row=0,
        too_wide=frozenset(),
        too_narrow=frozenset(),
        notes=(
            "Read as JSON lines; rows are numbered by their line."
            if by_line
            else "Read as JSON; rows are numbered by their place in the list, from 1.",
        ),
        sheets=(),
        sheet=None,
        sha256=hashlib.sha256(content).hexdigest(),
    )


def _text(name: str, content: bytes) -> str:
    try:
        return content.decode(json.detect_encoding(content)).lstrip("\ufeff")
    except UnicodeDecodeError as error:
        raise IntakeError(f"“{name}” is not in UTF-8, which JSON is written in. Save it as UTF-8.") from error


def _objects(name: str, text: str) -> tuple[list[tuple[int, dict[str, Any]]], dict[str, dict[str, str]], bool]:
    """The objects that are rows with their numbers, what is said of questions, and whether the numbers are lines."""
    known: dict[str, dict[str, str]] = {}
    lines = text.split("\n")  # not splitlines, which parts an answer at the paragraph signs of Unicode
    first = next((line for line in lines if line.strip()), "")
    several = sum(1 for line in lines if line.strip()) > 1
    if several and first.lstrip().startswith("{") and first.rstrip().endswith("}"):
        numbered = [(number, _parsed(name, line, number)) for number, line in enumerate(lines, 1) if line.strip()]
        by_line = True
    else:
        whole = _parsed(name, text)
        numbered = list(enumerate(_rows_of(name, whole), start=1))
        known = _questions_of(whole)
        by_line = False
    for number, each in numbered:
        if not isinstance(each, dict):
            where = "line" if by_line else "item"
            raise IntakeError(f"“{name}”, {where} {number}: this is not an object. {_AT_LEAST}")
    return numbered, known, by_line


def _parsed(name: str, text: str, line: int | None = None) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_each_key_once)
    except _KeyTwiceError as error:
        raise IntakeError(
            f"“{name}”{f', line {line}' if line else ''}: an object has the key “{error}” twice, and nobody can say "
            "which is meant. Give each a key of its own."
        ) from error
    except json.JSONDecodeError as error:
        raise IntakeError(
            f"“{name}”, line {line or error.lineno}, character {error.colno}: the JSON breaks off or has a mistake "
            "there. Correct it or export the file again."
        ) from error
    except (RecursionError, ValueError) as error:
        raise IntakeError(f"“{name}” is JSON that is nested too deep or has numbers too long. {_AT_LEAST}") from error


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _KeyTwiceError(next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1))
    return found


def _rows_of(name: str, whole: Any) -> list[Any]:
    """The list of rows in the whole."""
    if isinstance(whole, list):
        return whole
    if isinstance(whole, dict):
        for key in _LISTS:
            if isinstance(whole.get(key), list):
                return whole[key]  # type: ignore[no-any-return]
    raise IntakeError(f"“{name}” has no list of responses. {_AT_LEAST}")


def _questions_of(whole: Any) -> dict[str, dict[str, str]]:
    """What a list of questions beside that of responses says of each, by its number."""
    questions = whole.get("questions") if isinstance(whole, dict) else None
    known: dict[str, dict[str, str]] = {}
    for question in questions if isinstance(questions, list) else ():
        number = _question_number(question) if isinstance(question, dict) else ""
        if number:
            about = {_question_key(key): _cell(value) for key, value in question.items() if key not in _NUMBER_KEYS}
            known[number] = about
    return known


def _question_number(about: dict[str, Any]) -> str:
    return next((_cell(about[key]) for key in _NUMBER_KEYS if key in about), "")


def _question_key(key: str) -> str:
    return "question text" if key in {"text", "wording", "stem", "prompt"} else key


def _flat(each: dict[str, Any]) -> Iterator[dict[str, str]]:
    """One row of an object, or one an answer where the object holds a candidate's answers as a list or by number."""
    nested = next((key for key in _NESTED if isinstance(each.get(key), list | dict) and each[key]), None)
    outer = {_key(key): _cell(value) for key, value in each.items() if key != nested}
    if nested is None:
        yield outer
    elif isinstance(each[nested], list) and all(isinstance(item, dict) for item in each[nested]):
        for item in each[nested]:
            yield outer | _inner(item, outer, nested)
    elif isinstance(each[nested], dict):
        for number, value in each[nested].items():
            inner = value if isinstance(value, dict) else {"answer": value}
            yield outer | {"question": _key(number)} | _inner(inner, outer, nested, numbered=True)
    else:
        for place, value in enumerate(each[nested], start=1):
            yield outer | {"question": str(place), "answer": _cell(value)}


def _inner(item: dict[str, Any], outer: dict[str, str], nested: str, *, numbered: bool = False) -> dict[str, str]:
    """What an answer says of itself. Never in the place of what is said of its candidate: its own “id” is its
    question's, where it gives no other number."""
    cells = {_key(key): _cell(value) for key, value in item.items()}
    if numbered and "question" in cells:
        cells["question text"] = cells.pop("question")
    named = numbered or any(key in cells for key in _NUMBER_KEYS[:-1]) or any(key in outer for key in _QUESTION_KEYS)
    if not named and "id" in cells:
        cells["question"] = cells.pop("id")
    return {f"{nested} {key}" if key in outer else key: value for key, value in cells.items()}


def _key(key: str) -> str:
    return " ".join(_clean(key).split()) or "unnamed"


def _cell(value: Any) -> str:
    """A value as it would stand in a sheet: 3, not 3.0; nothing for null."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, int):
        return str(value)
    return _clean(json.dumps(value, ensure_ascii=False))


def _clean(text: str) -> str:
    """Text without what no file can hold: half a character, written as an escape."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
