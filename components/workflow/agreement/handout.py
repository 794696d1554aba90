"""All that is handed out about an exam's agreement, read once, so that every file says the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from itertools import combinations

from components.marking import Marker
from components.workflow.agreement.drift import drift_text
from components.workflow.agreement.fairness import GroupFairness, comparisons_text, fairness
from components.workflow.agreement.figures import ExamFigures
from components.workflow.agreement.handout_tables import (
    drift_table,
    groups_table,
    judges_table,
    over_time_table,
    ranges_table,
    sample_table,
    versions_table,
)
from components.workflow.agreement.judges import (
    JudgeVersion,
    SideBySide,
    judge_versions,
    judges_with_pairs,
    side_by_side,
)
from components.workflow.agreement.over_time import OverTime, over_time
from components.workflow.agreement.pair_table import adjudications
from components.workflow.agreement.provenance import Provenance, provenance
from components.workflow.agreement.tables import Table, Value, definitions, figure_tables
from storage import Store, blind_sample
from storage.blind_sample import QuestionSample

MOST_JUDGES = 4  # that are set side by side, each with each: those with the most pairs


@dataclass(frozen=True)
class Handout:
    """`judges` holds two judges at a time; `groups_text` says how many groups were compared and what that means.
    `zone` is the reader's, for times in sentences; tables have UTC."""

    figures: ExamFigures
    over_time: OverTime
    drift: str
    judges: tuple[SideBySide, ...]
    versions: tuple[JudgeVersion, ...]
    groups: tuple[GroupFairness, ...]
    groups_text: str
    samples: Mapping[int, QuestionSample]
    adjudications: Table
    provenance: Provenance
    zone: tzinfo

    @property
    def tables(self) -> tuple[Table, ...]:
        """Everything as tables, in the order in which a reader wants them."""
        return (
            about(self),
            *figure_tables(self.figures),
            ranges_table(self.figures.questions),
            over_time_table(self.over_time),
            drift_table(self.over_time, self.drift),
            judges_table(self.judges),
            versions_table(self.versions),
            groups_table(self.groups),
            sample_table(self.figures.questions, self.samples),
            self.adjudications,
            self.provenance.versions,
            definitions(),
        )


def handout(store: Store, figures: ExamFigures, viewer: Marker, zone: tzinfo = UTC) -> Handout:
    """What `viewer` may take away about the selection of these figures. Raises LookupError where the exam is gone."""
    selection = figures.selection
    known = sorted(judges_with_pairs(store, selection.exam_id), key=lambda judge: -judge.n)[:MOST_JUDGES]
    marks = over_time(store, selection, figures)
    groups = fairness(store, selection)
    with store.read() as db:
        samples = {sample.question_id: sample for sample in blind_sample.of_exam(db, selection.exam_id)}
    return Handout(
        figures=figures,
        over_time=marks,
        drift=drift_text(marks.drift, zone),
        judges=tuple(
            found
            for a, b in combinations(known, 2)
            if (found := side_by_side(store, selection, a.id, b.id)).comparison is not None
        ),
        versions=judge_versions(store, selection),
        groups=groups,
        groups_text=comparisons_text(groups),
        samples=samples,
        adjudications=adjudications(store, selection, viewer),
        provenance=provenance(store, selection, viewer),
        zone=zone,
    )


def about(found: Handout) -> Table:
    """What the file is about, and what it rests on."""
    exam, origin = found.figures.exam, found.provenance
    rows: tuple[tuple[Value, ...], ...] = (
        ("Exam", exam.title),
        ("Subject", exam.subject),
        ("Level", exam.level),
        ("Series", exam.series),
        ("Notice", exam.notice),
        ("Selection", origin.selection),
        ("Judges", ", ".join(found.figures.overall.judges)),
        ("Questions", len(found.figures.questions)),
        ("Candidates", origin.candidates),
        ("Responses", origin.responses),
        ("Marked by a teacher", origin.marked),
        ("Blind pairs", found.figures.blind_pairs),
        ("Imported pairs", found.figures.imported_pairs),
        ("Share marked blind by lot", origin.blind_share),
        ("Last mark (UTC)", found.figures.last_mark_at),
        ("Record", origin.record),
        ("Made at (UTC)", origin.made_at),
        ("Software", origin.software),
    )
    return Table("About", ("What", "Value"), rows)
