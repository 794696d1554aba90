"""Reads files into the vocabulary: tables now; form exports, mark schemes and scans later."""

from components.intake.columns import (
    FIELD_LABELS,
    AIColumn,
    Mapping,
    group_name,
    guess_mapping,
    is_personal,
    language_of,
    names_an_ai,
)
from components.intake.errors import IntakeError
from components.intake.plan import plan_import
from components.intake.planned import (
    Defaults,
    ImportPlan,
    PlannedAIMark,
    PlannedMark,
    PlannedQuestion,
    PlannedResponse,
)
from components.intake.report import RowReport, report_csv
from components.intake.tables import Table, read_table

__all__ = [
    "FIELD_LABELS",
    "AIColumn",
    "Defaults",
    "ImportPlan",
    "IntakeError",
    "Mapping",
    "PlannedAIMark",
    "PlannedMark",
    "PlannedQuestion",
    "PlannedResponse",
    "RowReport",
    "Table",
    "group_name",
    "guess_mapping",
    "is_personal",
    "language_of",
    "names_an_ai",
    "plan_import",
    "read_table",
    "report_csv",
]
