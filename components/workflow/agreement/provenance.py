"""Where figures come from: which part of which exam, whose proposals, made with what, and how to make them again."""

from __future__ import annotations

import platform
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import scipy

from components.marking import Marker, Role
from components.workflow.agreement.chosen import chosen
from components.workflow.agreement.selection import Selection
from components.workflow.agreement.tables import Table
from storage import Store, exams, judges, markers, pair_rows, pairs, responses, standings
from storage.connect import now

COLUMNS = (
    "Judge", "Kind", "Model", "Prompt version", "Question", "Mark scheme version", "Pairs", "First proposal (UTC)",
    "Last proposal (UTC)",
)  # fmt: skip


@dataclass(frozen=True)
class Provenance:
    """`versions` has a row for each version of a judge on each question. `record` names the last decision and the
    last proposal that the figures may rest on: with the same two the same figures come out."""

    made_at: str
    selection: str
    candidates: int
    responses: int
    marked: int
    blind_share: float
    versions: Table
    record: str
    software: str


def provenance(store: Store, selection: Selection, viewer: Marker) -> Provenance:
    """Where the selection's figures come from, as they stand. Raises LookupError where there is no such exam."""
    with store.read() as db:
        found = chosen(db, selection)
        exam = exams.get(db, selection.exam_id)
        assert exam is not None
        known = {judge.id: judge for judge in (*judges.listed(db), *judges.retired(db))}
        cells = pair_rows.version_cells(db, found.wanted, found.judged)
        progress = [standings.progress(db, exam.id, stored.id) for stored in found.questions]
        candidates = len(responses.candidates(db, exam.id))
        decision, proposal, *_ = pairs.state(db, exam.id)
        marker = None if selection.marker_id is None else markers.get(db, selection.marker_id)
    judge = None if selection.judge_id is None or selection.judge_id not in known else known[selection.judge_id].name
    name = "one teacher" if marker is None or viewer.role is not Role.HEAD else marker.name
    numbers = {stored.id: stored.question.number for stored in found.questions}
    counted: dict[tuple[int, str, str, int, int], list[tuple[int, str, str]]] = defaultdict(list)
    for cell in cells:
        key = (cell.judge_id, cell.model, cell.prompt_version, cell.question_id, cell.scheme_version)
        counted[key].append((cell.n, cell.first, cell.last))
    order = {question: place for place, question in enumerate(numbers)}
    rows = tuple(
        (
            known[judge_id].name if judge_id in known else "",
            known[judge_id].kind if judge_id in known else "",
            model,
            prompt,
            numbers[question],
            scheme,
            sum(n for n, _, _ in parts),
            min(first for _, first, _ in parts),
            max(last for _, _, last in parts),
        )
        for (judge_id, model, prompt, question, scheme), parts in sorted(
            counted.items(), key=lambda each: (each[0][:3], order[each[0][3]], each[0][4])
        )
    )
    return Provenance(
        made_at=now(),
        selection=selection_text(selection, judge, name),
        candidates=candidates,
        responses=sum(total for _, total in progress),
        marked=sum(done for done, _ in progress),
        blind_share=1.0 if exam.blind else exam.blind_share,
        versions=Table("Versions", COLUMNS, rows),
        record=f"decision {decision:,}, proposal {proposal:,}",
        software=f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}",
    )


def selection_text(selection: Selection, judge: str | None = None, marker: str = "one teacher") -> str:
    """The selection in words, as "Questions 1, 2(a); handwritten answers"."""
    parts = []
    if selection.questions:
        parts.append(f"question{'' if len(selection.questions) == 1 else 's'} {', '.join(selection.questions)}")
    if selection.aos:
        parts.append(f"assessment objective{'' if len(selection.aos) == 1 else 's'} {', '.join(selection.aos)}")
    if selection.types:
        parts.append(f"question type {' or '.join(str(each).replace('_', ' ') for each in selection.types)}")
    if selection.judge_id is not None:
        parts.append(f"the judge {judge}" if judge else "one judge")
    if selection.marker_id is not None:
        parts.append(f"marks by {marker}")
    if selection.stage is not None:
        parts.append(f"{selection.stage} marks only")
    if selection.handwritten is not None:
        parts.append("handwritten answers" if selection.handwritten else "typed answers")
    if selection.since is not None:
        parts.append(f"marks given from {selection.since.isoformat()}")
    if selection.until is not None:
        parts.append(f"marks given until {selection.until.isoformat()}")
    parts += [f"candidates with {name} {value}" for name, value in selection.groups]
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}" if text else "The whole exam"
