"""An import as it was asked for, and doing it."""

from __future__ import annotations

from dataclasses import dataclass, field

from components.intake import ImportPlan
from components.intake.forms import Pseudonym
from components.intake.question_paper import PaperText
from components.marking import Marker, MarkError
from components.workflow.exam_setup.read_papers import fill_texts
from components.workflow.import_into import import_into
from components.workflow.import_parts import Imported
from components.workflow.import_table import DeskJudge, import_plan
from components.workflow.import_watch import Watch
from storage import Store

# Some three tenths of a second on a small machine: from here on an import is a job.
LARGE = 3_000


@dataclass(frozen=True)
class Wanted:
    """A checked plan, the key of its names, and all that was chosen; `exam_id` is None for a new exam.

    `title` is that of the exam, `marker_names` are the first and second marker's. `judge` and `imported_judge` are as
    `import_plan` has them, `leave_out` and `desk_judge` as `import_into`. `texts` are for questions without one.
    """

    plan: ImportPlan
    people: tuple[Pseudonym, ...]
    title: str
    exam_id: int | None
    marker_names: tuple[str, str]
    judge: DeskJudge | None = None
    imported_judge: str = ""
    leave_out: bool = False
    desk_judge: str | None = None
    texts: dict[str, PaperText] = field(default_factory=dict)

    @property
    def large(self) -> bool:
        """Whether it is to be a job."""
        return len(self.plan.responses) >= LARGE


def carry_out(store: Store, wanted: Wanted, marker: Marker | None, watch: Watch | None = None) -> Imported | None:
    """Store the import, all of it or nothing; None where there was nothing to add. Raises MarkError in words."""
    first, second = wanted.marker_names
    if wanted.exam_id is None:
        return import_plan(
            store,
            wanted.plan,
            title=wanted.title,
            marker=marker,
            judge=wanted.judge,
            imported_judge=wanted.imported_judge,
            first_marker_name=first,
            second_marker_name=second,
            people=wanted.people,
            watch=watch,
        )
    return import_into(
        store,
        wanted.plan,
        wanted.exam_id,
        marker=marker,
        first_marker_name=first,
        second_marker_name=second,
        leave_out=wanted.leave_out,
        people=wanted.people,
        desk_judge=wanted.desk_judge,
        watch=watch,
    )


def fill_in(store: Store, marker: Marker | None, wanted: Wanted) -> int:
    """Put the file's texts into questions of the exam that have none; gives how many were filled in."""
    if wanted.exam_id is None or marker is None or not wanted.texts:
        return 0
    try:
        return sum(each.saved for each in fill_texts(store, marker, wanted.exam_id, wanted.texts))
    except MarkError:
        return 0  # the exam went meanwhile; the import stands
