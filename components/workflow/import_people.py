"""Whose rows a file holds, where an exam has the key of names: the same person keeps the same candidate number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from components.intake import ImportPlan
from components.intake.forms import Pseudonym
from components.intake.spelling import may_be_one
from components.marking import MarkError
from storage import Store, pseudonyms, responses
from storage.pseudonyms import Known


@dataclass(frozen=True)
class Renumbered:
    """The plan and its key with the exam's own candidate numbers; `known` of the people were there already."""

    plan: ImportPlan
    people: tuple[Pseudonym, ...]
    known: int


def renumbered(store: Store, exam_id: int, plan: ImportPlan, people: Sequence[Pseudonym]) -> Renumbered:
    """The plan of a file without candidate numbers, for an exam that is there: people by the key, others new.

    Raises MarkError, in words, where the exam has candidates and nothing tells who of them is who.
    """
    with store.read() as db:
        known, numbers = pseudonyms.of_exam(db, exam_id), responses.candidates(db, exam_id)
    if not numbers:
        return Renumbered(plan, tuple(people), 0)
    if not known or not people:
        why = (
            "the file has neither candidate numbers nor names"
            if not people
            else "the file has names but no candidate numbers, and the key of names is not kept for this exam"
        )
        raise MarkError(
            f"Nobody can say who in this file is which candidate of the exam: {why}. Give the file a column with the "
            "exam's candidate numbers, or import it as a new exam."
        )
    given = _numbers(people, known, numbers)
    return Renumbered(
        replace(
            plan,
            responses=tuple(replace(each, candidate=given[each.candidate]) for each in plan.responses),
            groups={given[number]: values for number, values in plan.groups.items()},
        ),
        tuple(replace(each, number=given[each.number]) for each in people),
        len(set(numbers) & set(given.values())),
    )


def _numbers(people: Sequence[Pseudonym], known: Sequence[Known], numbers: Sequence[str]) -> dict[str, str]:
    """By the file's running number the exam's; people who are not known get the next ones."""
    by_email: dict[str, list[Known]] = {}
    by_name: dict[str, list[Known]] = {}
    for each in known:
        by_name.setdefault(each.name.casefold(), []).append(each)
        if each.email:
            by_email.setdefault(each.email.casefold(), []).append(each)
    highest = max((int(number) for number in numbers if number.isascii() and number.isdigit()), default=0)
    given: dict[str, str] = {}
    taken: set[str] = set()
    for person in people:
        number = _by_email(person, by_email.get(person.email.casefold(), [])) if person.email else None
        if number is None and person.name:
            number = _by_name(person, by_name.get(person.name.casefold(), []))
        if number is None and not person.name and not person.email:
            raise MarkError(
                f"The candidate numbered {person.number} in this file has neither a name nor an e-mail address, so "
                "nobody can say who of the exam they are. Fill one in, or give the file candidate numbers."
            )
        if number is None:
            highest += 1
            number = f"{highest:04d}"
        if number in taken:
            raise MarkError(
                f"Two people in this file are one candidate of the exam, {number}. Give the file a column with the "
                "exam's candidate numbers."
            )
        given[person.number] = number
        taken.add(number)
    return given


def _by_email(person: Pseudonym, found: Sequence[Known]) -> str | None:
    """The number of the one with that address and, as families share addresses, of that name as far as it is known."""
    fitting = [each for each in found if may_be_one(each.name, person.name)]
    if len(found) == 1 and not fitting:
        raise MarkError(
            f"Candidate {person.number} of this file has the e-mail address of the exam's candidate {found[0].number}, "
            "but another name. Give the file a column with the exam's candidate numbers."
        )
    if len(fitting) > 1:
        raise MarkError(
            f"Several candidates of the exam have the e-mail address of candidate {person.number} of this file, and "
            "the names do not tell who it is. Give the file a column with the exam's candidate numbers."
        )
    return fitting[0].number if fitting else None


def _by_name(person: Pseudonym, found: Sequence[Known]) -> str | None:
    """The number of the only one of that name whose e-mail address is not another."""
    fitting = [each for each in found if not each.email or not person.email]
    if len(fitting) > 1:
        raise MarkError(
            f"The exam has several candidates of the name that candidate {person.number} of this file has. Give the "
            "file a column with the exam's candidate numbers."
        )
    return fitting[0].number if fitting else None
