"""Our own mark schemes with the structure each should be read into, and how far a draft is from it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from components.intake.mark_scheme import QuestionDraft, SchemeDraft

FOLDER = Path(__file__).parent / "data" / "mark_schemes"


@dataclass(frozen=True)
class Written:
    """One scheme as a teacher might paste it, and by question number what it holds.

    A point is [code, marks, text, needs, group] and perhaps its alternatives, accept, reject, ignore and ft.
    """

    name: str
    text: str
    questions: dict[str, dict[str, Any]]


def written_schemes(part: str) -> list[Written]:
    """The schemes of "tuned" or "held_out"."""
    found = []
    for path in sorted((FOLDER / part).glob("*.md")):
        for section in path.read_text(encoding="utf-8").split("\n## ")[1:]:
            blocks = re.findall(r"```(scheme|json)\n(.*?)\n?```", section, re.DOTALL)
            texts = dict(blocks)
            found.append(Written(f"{path.stem}: {section.splitlines()[0]}", texts["scheme"], json.loads(texts["json"])))
    return found


def wanted_entries(written: Written) -> list[Any]:
    """Every point and level that the scheme holds, with all that is compared of it."""
    entries: list[Any] = []
    for number, question in written.questions.items():
        for code, marks, text, needs, group, *more in question.get("points", []):
            extras = {"alternatives": [], "accept": [], "reject": [], "ignore": [], "ft": False} | (
                more[0] if more else {}
            )
            entries.append([number, code, marks, text, needs, group, extras])
        entries.extend([number, *level] for level in question.get("levels", []))
    return entries


def read_entries(draft: SchemeDraft) -> list[Any]:
    """The same of a draft."""
    entries: list[Any] = []
    for question in draft.questions:
        for point in question.points:
            extras = {
                "alternatives": list(point.alternatives),
                "accept": list(point.accept),
                "reject": list(point.reject),
                "ignore": list(point.ignore),
                "ft": point.follow_through,
            }
            entries.append(
                [question.number, point.code, point.marks, point.text, list(point.needs), point.group, extras]
            )
        entries.extend(
            [question.number, level.objective, level.level, level.low, level.high, level.descriptor]
            for level in question.levels
        )
    return entries


def question_faults(wanted: dict[str, Any], read: QuestionDraft | None) -> list[str]:
    """What is wrong with a question apart from its points: maximum, caps, indicative content, special cases, AOs."""
    if read is None:
        return ["not found"]
    pairs = {
        "max": (wanted["max"], read.max_mark),
        "groups": (wanted.get("groups", {}), {group.code: group.cap for group in read.groups}),
        "indicative": (wanted.get("indicative", []), list(read.indicative)),
        "special": (wanted.get("special", []), [case.text for case in read.special_cases]),
        "aos": (wanted.get("aos", list(read.aos)), list(read.aos)),
    }
    return [f"{name}: wanted {one}, read {other}" for name, (one, other) in pairs.items() if one != other]
