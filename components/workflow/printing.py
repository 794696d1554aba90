"""Printing answer books and separator sheets for an exam, and remembering how, so that they can be read back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from components.intake.answer_book import AnswerBook, answer_book, checked_candidates, print_answer_books
from components.intake.book_code import short_hash
from components.intake.book_layout import BookPicture, BookQuestion
from components.intake.page_regions import ScanFault
from components.marking.scheme import Frozen
from components.workflow.answers import AnswerError, candidate_number
from components.workflow.printed_words import printed_words
from components.workflow.progress import Progress
from storage import Store, events, exams, jobs, pictures, question_pictures, scans
from storage.jobs import Job

BOOKS = "books"
AT_ONCE = 40  # candidates; more take several seconds and become a job

Paper = Literal["ruled", "squared", "plain"]


class RoomPicture(Frozen):
    """A picture of a question by its SHA-256, with its size in pixels: the layout is read back from it."""

    sha256: str
    width: int
    height: int


class Room(Frozen):
    """The room for one question's answer: lines of 8 mm, what is printed on them, and the pictures above them."""

    number: str
    text: str
    max_mark: float
    lines: int
    paper: Paper = "ruled"
    pictures: tuple[RoomPicture, ...] = ()


class Print(Frozen):
    """Books to print: everything that decides what their pages look like."""

    title: str
    exam_key: str
    rooms: tuple[Room, ...]
    candidates: tuple[str, ...]

    def questions(self) -> list[BookQuestion]:
        return [
            BookQuestion(
                each.number,
                each.text,
                each.max_mark,
                each.lines,
                paper=each.paper,
                pictures=tuple(BookPicture(shown.sha256, shown.width, shown.height) for shown in each.pictures),
            )
            for each in self.rooms
        ]

    def book(self) -> AnswerBook:
        return answer_book(self.title, self.questions(), self.exam_key)


def class_list(pasted: str) -> tuple[str, ...]:
    """The candidate numbers in a pasted list, one a line or with commas between. Raises ScanFault, naming the row."""
    names = [part for line in pasted.splitlines() for part in line.replace(";", ",").replace("\t", ",").split(",")]
    numbers = []
    for row, name in enumerate((each for each in names if each.strip()), 1):
        try:
            numbers.append(candidate_number(name))
        except AnswerError as error:
            raise ScanFault(f"Row {row} of the class list: {error}") from error
    return tuple(checked_candidates(numbers))


def default_rooms(store: Store, exam_id: int) -> list[Room]:
    """Room by marks, two lines a mark, for every question of the exam.

    What several parts are about is printed before the first of them alone.
    """
    with store.read() as db:
        stored = [(each.question, question_pictures.sizes(db, each.id)) for each in exams.questions(db, exam_id)]
    abouts = ["", *(question.stimulus.strip() for question, _ in stored)]
    return [
        Room(
            number=question.number,
            text=printed_words("\n\n".join(part for part in ("" if about == before else about, question.text) if part)),
            max_mark=question.max_mark,
            lines=min(24, max(2, round(2 * question.max_mark))),
            pictures=tuple(RoomPicture(sha256=sha256, width=width, height=height) for sha256, width, height in shown),
        )
        for (question, shown), about, before in zip(stored, abouts[1:], abouts[:-1], strict=True)
    ]


def order_books(store: Store, exam_id: int, rooms: Sequence[Room], candidates: Sequence[str], marker_id: int) -> int:
    """Note the print and make its PDF, at once for a small class, else as a job. Gives the print's id.

    Raises ScanFault, before anything is noted, where the books cannot be laid out.
    """
    with store.read() as db:
        exam = exams.get(db, exam_id)
    if exam is None:
        raise ScanFault("This exam has been archived or reset. Choose another exam.")
    wanted = Print(
        title=exam.title,
        exam_key=short_hash(f"{exam.id} {exam.created_at}"),  # the title may change, these never do
        rooms=tuple(rooms),
        candidates=tuple(checked_candidates(candidates)),
    )
    wanted.book()
    with store.write() as db:
        book_id = scans.add_book(db, exam_id, wanted.model_dump(mode="json"))
        about = {"print": book_id, "candidates": len(candidates)}
        events.log(db, "answer books printed", f"exam {exam_id}", about, marker_id)
        if len(candidates) > AT_ONCE:
            jobs.add(db, BOOKS, {"exam_id": exam_id, "book_id": book_id})
    if len(candidates) <= AT_ONCE:
        _make(store, book_id, wanted)
    return book_id


def do_books(store: Store, job: Job, progress: Progress) -> str:
    """Make the PDF of a print. Gives a summary in words."""
    wanted = printed(store, job.payload["book_id"])
    progress(0, len(wanted.candidates), "")
    _make(store, job.payload["book_id"], wanted)
    progress(len(wanted.candidates), len(wanted.candidates), "")
    return f"{len(wanted.candidates):,} answer books are ready."


def printed(store: Store, book_id: int) -> Print:
    """What a print was asked to be. Raises LookupError where there is none."""
    with store.read() as db:
        return Print.model_validate(scans.book(db, book_id).layout)


def prints(store: Store, exam_id: int) -> dict[int, tuple[str, Print]]:
    """By id, when books of each layout were last printed and for whom in all, newest first."""
    with store.read() as db:
        found = [(book.id, book.created_at, Print.model_validate(book.layout)) for book in scans.books(db, exam_id)]
    alike: dict[str, list[tuple[int, str, Print]]] = {}
    for each in found:
        alike.setdefault(each[2].book().layout, []).append(each)
    merged = {}
    for (book_id, made, newest), *older in alike.values():
        everyone = dict.fromkeys(number for each in (newest, *(old for *_, old in older)) for number in each.candidates)
        merged[book_id] = (made, newest.model_copy(update={"candidates": tuple(everyone)}))
    return merged


def books_file(store: Store, book_id: int) -> Path:
    """Where the print's PDF lies once it is made."""
    return store.path.parent / "prints" / f"answer-books-{book_id}.pdf"


def _make(store: Store, book_id: int, wanted: Print) -> None:
    place = books_file(store, book_id)
    place.parent.mkdir(parents=True, exist_ok=True)
    half = place.with_suffix(".part")
    with store.read() as db:
        named = [picture.sha256 for room in wanted.rooms for picture in room.pictures]
        shown = {sha256: pictures.content(db, sha256) for sha256 in named}
    pdf = print_answer_books(
        wanted.title, wanted.questions(), wanted.candidates, exam_key=wanted.exam_key, pictures=shown
    )
    half.write_bytes(pdf)
    half.replace(place)  # a download never meets half a file
