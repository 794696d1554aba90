"""M3KE: one file of JSON lines a task, as tjunlp-lab/M3KE ships them."""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath

from components.intake.benchmarks.characters import whole
from components.intake.benchmarks.choices import LETTERS, Task, choice_item
from components.intake.benchmarks.findings import Findings, shown
from components.intake.benchmarks.items import Benchmark, Item, Split
from components.intake.errors import IntakeError

CLUSTERS = ("Arts & Humanities", "Social Sciences", "Natural Sciences", "Other")
LEVELS = ("Primary school", "Junior high school", "High school", "College", "Other")
_AGAIN = re.compile(r" ?\(\d+\)$")
_SLIPS = {"High schoo": "High school", "Others": "Other"}


def read_m3ke(name: str, content: bytes, findings: Findings) -> list[Item]:
    """The questions of one file. Raises IntakeError, naming the file, where it is none of M3KE's."""
    rows = _rows(name, content, findings)
    if not any("question" in row and any(letter in row for letter in LETTERS) for _, row in rows):
        raise IntakeError(
            f"“{name}” is no M3KE file: M3KE's have on each line a question, A, B, C, D and an answer, as JSON."
        )
    task = _task(name, answered=any(str(row.get("answer") or "").strip() for _, row in rows), findings=findings)
    found = (
        choice_item(task, row, line, place, shown(name), "line", findings) for place, (line, row) in enumerate(rows)
    )
    return [item for item in found if item is not None]


def _rows(name: str, content: bytes, findings: Findings) -> list[tuple[int, dict[str, object]]]:
    """Each line's question, with the line's number."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise IntakeError(f"“{name}” is not in UTF-8, as M3KE's files are. Get the file again.") from None
    rows = []
    for line, written in enumerate(text.split("\n"), 1):
        if not written.strip():
            continue
        try:
            row = whole(json.loads(written))
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict):
            rows.append((line, row))
        else:
            findings.add(shown(name), "not a question in JSON (is the line cut off?); left out.", line, of="line")
    return rows


def _task(name: str, answered: bool, findings: Findings) -> Task:
    path = PurePosixPath(name)
    parts = _AGAIN.sub("", path.stem).rsplit("-", 2)
    subject, cluster, level = parts if len(parts) == 3 else (parts[0], "", "")
    if level in _SLIPS:
        findings.note(f"{shown(name)}: the level is written “{level}”; taken as “{_SLIPS[level]}”.")
    cluster, level = _SLIPS.get(cluster, cluster), _SLIPS.get(level, level)
    if cluster not in CLUSTERS or level not in LEVELS:
        raise IntakeError(
            f"“{name}” has M3KE's questions, but its name does not say task, cluster and level. "
            "Name it as M3KE does, like “Biology-Natural Sciences-High school.jsonl”."
        )
    return Task(
        benchmark=Benchmark.M3KE,
        name=f"{subject}-{cluster}-{level}",
        split=_split(path.parent.name.lower(), answered),
        subject=subject,
        level=level,
        cluster=cluster,
    )


def _split(folder: str, answered: bool) -> Split:
    """What the folder says; of a file on its own, test where no line has an answer, since test answers are private."""
    for split in ("dev", "val", "test"):
        if folder == split:
            return split
    return "dev" if answered else "test"
