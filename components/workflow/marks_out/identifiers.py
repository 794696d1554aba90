"""By what another system knows the candidates: a list of two columns, or a column of the exam's key of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from components.intake.errors import IntakeError
from components.intake.tables import read_rows
from components.marking import Marker, MarkError
from components.workflow.review.rules import must_be_head
from storage import Store, pseudonyms

LONGEST = 200


@dataclass(frozen=True)
class Identifiers:
    """By candidate number, the identifier. `unknown` are numbers in the list that the exam does not have."""

    by_candidate: Mapping[str, str]
    unknown: tuple[str, ...]


def pasted_identifiers(text: str, candidates: Iterable[str]) -> Identifiers:
    """Identifiers from pasted lines of candidate number and identifier, with a tab, comma or semicolon between.

    Raises MarkError, naming the row, for what is no such list.
    """
    return read_identifiers("the pasted list", text.encode(), candidates)


def read_identifiers(name: str, content: bytes, candidates: Iterable[str]) -> Identifiers:
    """Identifiers from a CSV or XLSX file with two columns; a heading above them is passed over.

    A number that a spreadsheet has robbed of its leading zeros is known again. Raises MarkError, naming the row, for
    what is no such list, for a candidate with two identifiers, and for an identifier of two candidates.
    """
    try:
        rows = read_rows(name, content).rows
    except IntakeError as error:
        raise MarkError(
            "This is no list of two columns. Give the candidate number, then a tab, comma or semicolon, then the "
            "identifier, one candidate a line."
        ) from error
    return _checked(rows, list(candidates))


def key_columns(store: Store, exam_id: int, marker: Marker) -> dict[str, dict[str, str]]:
    """What the exam's key of names holds: by heading, an identifier by candidate number. Nothing where there is no key.

    Raises MarkError for anyone but a head of department.
    """
    must_be_head(marker)
    with store.read() as db:
        people = pseudonyms.of_exam(db, exam_id)
    found: dict[str, dict[str, str]] = {}
    for person in people:
        for heading, cell in (("E-mail", person.email), *person.other, ("Name", person.name)):
            if cell.strip():
                found.setdefault(heading, {}).setdefault(person.number, cell.strip())
    return found


def _checked(rows: Sequence[Sequence[str]], candidates: Sequence[str]) -> Identifiers:
    without_zeros: dict[str, list[str]] = {}
    for number in candidates:
        without_zeros.setdefault(number.lstrip("0"), []).append(number)
    found: dict[str, str] = {}
    owners: dict[str, str] = {}
    unknown: list[str] = []
    heading = True
    for row_number, row in enumerate(rows, 1):
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        if len([cell for cell in cells if cell]) > 2:
            raise MarkError(
                f"Row {row_number} has more than two columns. Leave the candidate number and one identifier."
            )
        given, identifier = (*cells, "", "")[:2]
        alike = without_zeros.get(given.lstrip("0"), [])
        number = given if given in candidates else alike[0] if len(alike) == 1 and given else ""
        if not number:
            if not heading:
                unknown.append(given)
            heading = False
            continue
        heading = False
        if not identifier:
            continue
        if len(identifier) > LONGEST:
            raise MarkError(f"Row {row_number}: the identifier of {number} is longer than {LONGEST} characters.")
        if found.get(number, identifier) != identifier:
            raise MarkError(
                f"Row {row_number}: candidate {number} has two identifiers, {found[number]} and {identifier}."
            )
        if owners.get(identifier, number) != number:
            raise MarkError(
                f"Row {row_number}: {identifier} is the identifier of {owners[identifier]} and of {number}."
            )
        found[number], owners[identifier] = identifier, number
    if not found:
        raise MarkError(
            "No row has one of this exam's candidate numbers in its first column and an identifier in its second."
        )
    return Identifiers(found, tuple(unknown))
