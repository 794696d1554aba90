"""Following an import while it is stored: how far it is, whether it is still wanted, and what it has made."""

from __future__ import annotations

from collections.abc import Sequence

from sqlite_utils import Database

from components.workflow.import_parts import Imported
from storage import standings

# The shares of the time that the steps take before where each response stands is worked out, which takes the rest.
HUMAN_MARKS, AI_MARKS, STANDINGS = 0.2, 0.35, 0.45
RESPONSES_AT_ONCE = 4_000


class Watch:
    """Is told of an import within its transaction. This one lets every import go on and keeps nothing."""

    def began(self, db: Database) -> None:
        """The transaction has begun."""

    def at(self, share: float, what: str) -> None:
        """So much of the storing is done, from 0 to 1, and this comes next. What it raises undoes the import."""

    def made(self, db: Database, imported: Imported | None) -> None:
        """All is stored and is about to be committed; None where there was nothing to add."""


def refresh(db: Database, response_ids: Sequence[int], watch: Watch) -> None:
    """Bring the responses' standings up to date, some thousands at a time."""
    for done in range(0, len(response_ids), RESPONSES_AT_ONCE):
        part = done / len(response_ids)
        watch.at(STANDINGS + (1 - STANDINGS) * part, f"Counting marks: {done:,} of {len(response_ids):,} responses")
        standings.refresh_each(db, response_ids[done : done + RESPONSES_AT_ONCE])
