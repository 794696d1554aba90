"""E-EVAL: one CSV a subject and split, as AI-EDU-LAB/E-EVAL ships them."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from components.intake.benchmarks.choices import LETTERS, Task, choice_item
from components.intake.benchmarks.findings import Findings, shown
from components.intake.benchmarks.items import Benchmark, Item, Split
from components.intake.errors import IntakeError
from components.intake.tables import Table, read_table

# The paper counts 13 subjects of arts and 10 of science, and does not list them; by name they divide so.
ARTS = frozenset({"Chinese", "English", "Ethics", "Geography", "History", "Politics"})
SCIENCE = frozenset({"Biology", "Chemistry", "Mathematics", "Physics", "Science"})
_NAME = re.compile(
    r"(?P<level>primary|middle|high)[_ ]school[_ ](?P<subject>[a-z]+)(?:[_ ](?P<split>dev|val|test))?(?: ?\(\d+\))?",
    re.IGNORECASE,
)
_SUBJECTS = {
    "High": {
        "Biology",
        "Chemistry",
        "Chinese",
        "English",
        "Geography",
        "History",
        "Mathematics",
        "Physics",
        "Politics",
    },
    "Primary": {"Chinese", "English", "Ethics", "Mathematics", "Science"},
}
_SUBJECTS["Middle"] = _SUBJECTS["High"]


def read_e_eval(name: str, content: bytes, findings: Findings) -> list[Item]:
    """The questions of one file. Raises IntakeError, naming the file, where it is none of E-EVAL's."""
    table = read_table(name, content)
    columns = {column.strip().lower(): place for place, column in enumerate(table.columns)}
    missing = [column for column in ("question", *LETTERS) if column.lower() not in columns]
    if missing:
        raise IntakeError(
            f"“{name}” is no E-EVAL file: it has no column {', '.join(missing)}. E-EVAL's have the columns "
            "id, question, A, B, C, D, answer and explanation."
        )
    task = _task(name, set(columns), findings)
    for number in sorted(table.too_wide | table.too_narrow):
        findings.add(shown(name), "more or fewer cells than headings; read as far as they go.", number, of="row")
    return _items(table, columns, task, findings)


def _items(table: Table, columns: dict[str, int], task: Task, findings: Findings) -> list[Item]:
    wanted = {key: columns[key.lower()] for key in ("id", "question", *LETTERS, "answer", "explanation")
              if key.lower() in columns}  # fmt: skip
    items = []
    for place, (number, cells) in enumerate(zip(table.row_numbers, table.rows, strict=True)):
        named = {key: cells[at] for key, at in wanted.items()}
        item = choice_item(task, named, number, place, shown(table.name), "row", findings)
        if item is not None:
            items.append(item)
    return items


def _task(name: str, columns: set[str], findings: Findings) -> Task:
    path = PurePosixPath(name)
    found = _NAME.fullmatch(path.stem)
    if found is None:
        raise IntakeError(
            f"“{name}” has E-EVAL's columns, but its name does not say level and subject. "
            "Name it as E-EVAL does, like “High_School_Biology_val.csv”."
        )
    level, subject = found["level"].capitalize(), found["subject"].capitalize()
    if subject not in _SUBJECTS[level]:
        findings.note(f"{shown(name)}: {level} school {subject} is none of E-EVAL's 23 subjects; loaded all the same.")
    return Task(
        benchmark=Benchmark.E_EVAL,
        name=f"{level}_school_{subject}".lower(),
        split=_split((found["split"] or path.parent.name).lower(), columns),
        subject=subject,
        level=f"{level} school",
        cluster="arts" if subject in ARTS else "science" if subject in SCIENCE else "",
    )


def _split(said: str, columns: set[str]) -> Split:
    """What the name or folder says; else what the columns tell: explanations are dev's, and test has no answers."""
    for split in ("dev", "val", "test"):
        if said == split:
            return split
    if "explanation" in columns:
        return "dev"
    return "val" if "answer" in columns else "test"
