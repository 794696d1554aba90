"""Reads files into the vocabulary: tables now; form exports, mark schemes and scans later."""

from components.intake.columns import FIELD_LABELS, Mapping, group_name, guess_mapping, is_personal
from components.intake.errors import IntakeError
from components.intake.plan import (
    Defaults,
    ImportPlan,
    PlannedAIMark,
    PlannedMark,
    PlannedQuestion,
    PlannedResponse,
    plan_import,
)
from components.intake.report import RowReport, report_csv
from components.intake.tables import Table, read_table

__all__ = [
    "FIELD_LABELS",
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
    "plan_import",
    "read_table",
    "report_csv",
]
