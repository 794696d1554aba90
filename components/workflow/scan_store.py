"""Storing what was cut from a scan: every answer of it or none, and none that is there already in another form."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from sqlite_utils import Database

from components.intake.page_regions import ScanFault
from components.intake.scan_types import Cut, ScanPlan
from components.marking import Marker
from components.workflow.answers import MOST_PAGES, ask_judge
from components.workflow.scan_results import forget_results, results
from components.workflow.scan_setup import ScanSetup
from components.workflow.scanning import folder_of, setup_of
from storage import Store, events, exams, pictures, responses, scans
from storage.pictures import NewPage, Picture

BLANK_REGION = "blank region"
_NAMED = 5  # conflicts named before "and … more"

Place = tuple[str, str]  # candidate, question number


@dataclass(frozen=True)
class StoredScan:
    """What storing did: new answers, those that were there already, and whether the exam's judge is asked."""

    added: int
    already: int
    candidates: int
    blank: int
    asked: bool


def store_scan(store: Store, marker: Marker, scan_id: int) -> StoredScan:
    """Store every answer of the scan with its candidates and pages, in one transaction, and queue the judge.

    An answer whose pages and text are there already is left as it is. Raises ScanFault, and stores nothing, while a
    problem is not settled, when the reading is older than what was settled, when the exam lacks a question, or when a
    candidate has another answer to a question already.
    """
    with store.write() as db:
        scan = scans.get(db, scan_id)
        exam = exams.get(db, scan.exam_id)
        if scan.state != scans.OPEN or exam is None:
            raise ScanFault("This scan has been stored or thrown away already. Reload the page.")
        setup, plan = setup_of(scan), _plan(store, scan_id, setup_of(scan))
        answers = _grouped(plan.storable())
        questions = {each.question.number: each.id for each in exams.questions(db, exam.id)}
        _check_questions(answers, questions)
        there = responses.places(db, exam.id)
        fresh = {place: cuts for place, cuts in answers.items() if place not in there}
        _check_conflicts(db, {place: cuts for place, cuts in answers.items() if place in there}, there)
        ids = responses.add_candidates(db, exam.id, list(dict.fromkeys(candidate for candidate, _ in fresh)))
        rows = [(questions[number], ids[candidate], _text(cuts)) for (candidate, number), cuts in fresh.items()]
        added = responses.add_responses(db, exam.id, rows, kind="scanned")
        for (question_id, candidate_id, _), cuts in zip(rows, fresh.values(), strict=True):
            for cut in cuts:  # one picture in memory at a time
                pictures.attach(db, added[question_id, candidate_id], [_page(cut, setup)])
        scans.close(db, scan_id, scans.STORED)
        blank = sum(all(looks_blank(cut, setup) for cut in cuts) for cuts in fresh.values())
        about = {"scan": scan_id, "added": len(fresh), "already": len(answers) - len(fresh), "blank": blank}
        events.log(db, "scan stored", f"exam {exam.id}", about, marker.id)
        asked = [ask_judge(db, exam, question_id) for question_id in dict.fromkeys(row[0] for row in rows)]
    forget_results(folder_of(store, scan_id))
    return StoredScan(len(fresh), len(answers) - len(fresh), len(ids), blank, any(asked))


def looks_blank(cut: Cut, setup: ScanSetup) -> bool:
    """Whether nothing is written in the cut: as a person said, else as it was found."""
    return setup.looks_blank.get(cut.path.name, cut.blank)


def _plan(store: Store, scan_id: int, setup: ScanSetup) -> ScanPlan:
    kept = results(folder_of(store, scan_id))
    if kept is None:
        raise ScanFault("This scan has not been read to its end yet.")
    if kept.read_by != setup.read_by():
        raise ScanFault("Something has been settled since the scan was read. Read it again, then store it.")
    return kept.plan


def _grouped(cuts: Sequence[Cut]) -> dict[Place, list[Cut]]:
    answers: dict[Place, list[Cut]] = {}
    for cut in cuts:
        answers.setdefault((cut.candidate, cut.question), []).append(cut)
    if not answers:
        raise ScanFault("No answer was found in this scan, so there is nothing to store.")
    for (candidate, number), parts in answers.items():
        parts.sort(key=lambda cut: cut.part)
        if len(parts) > MOST_PAGES:
            raise ScanFault(f"Candidate {candidate}, question {number}: an answer has at most {MOST_PAGES} pages.")
    return answers


def _check_questions(answers: dict[Place, list[Cut]], questions: dict[str, int]) -> None:
    lost = [number for number in dict.fromkeys(number for _, number in answers) if number not in questions]
    if lost:
        raise ScanFault(
            f"The exam has no question {', '.join(lost)}, which this scan has answers to. Nothing was stored: "
            "draw its region for a question the exam has, or read books printed for the exam as it is now."
        )


def _check_conflicts(db: Database, meeting: dict[Place, list[Cut]], there: dict[Place, tuple[int, str]]) -> None:
    pages = pictures.pages_of(db, [there[place][0] for place in meeting])
    conflicts = []
    for place, cuts in meeting.items():
        response_id, text = there[place]
        stored = [page.sha256 for page in pages.get(response_id, [])]
        if text != _text(cuts) or stored != [hashlib.sha256(cut.picture()).hexdigest() for cut in cuts]:
            conflicts.append(place)
    if not conflicts:
        return
    named = "; ".join(f"candidate {candidate}, question {number}" for candidate, number in conflicts[:_NAMED])
    more = f"; and {len(conflicts) - _NAMED:,} more" if len(conflicts) > _NAMED else ""
    raise ScanFault(
        f"These have another answer already: {named}{more}. Nothing was stored. Leave the pages of these candidates "
        "out of this scan, or change their answers one by one under “One answer”."
    )


def _text(cuts: Sequence[Cut]) -> str:
    return "\n".join(cut.text for cut in cuts if cut.text).replace("\x00", "\ufffd")


def _page(cut: Cut, setup: ScanSetup) -> NewPage:
    source = cut.source + (f" · {BLANK_REGION}" if looks_blank(cut, setup) else "")
    return NewPage(Picture(cut.picture(), cut.mime, cut.width, cut.height), source=source)
