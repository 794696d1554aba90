"""A mark scheme or a question paper between being read and being confirmed: kept, so that a reload loses nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pydantic import TypeAdapter, ValidationError

from components.intake.mark_scheme import QuestionDraft, SchemeDraft, SourceLine
from components.intake.question_paper import Paper
from components.intake.scan_pages import ScanFile
from components.judge.llm.scheme_lines import LinesDraft
from components.marking import Marker
from storage import Store, readings

LARGEST_KEPT = 30_000_000  # bytes of a question paper
PAPER = "paper"


@dataclass(frozen=True)
class JudgesDraft:
    """What a judge, by name, drafted of a question's lines that no rule understood. `price` is in US dollars."""

    judge: str
    draft: LinesDraft
    price: float | None = None


@dataclass(frozen=True)
class SchemeReading:
    """What was read of a mark scheme, as the teacher has corrected it so far.

    `left_out` are the places of questions that are not to be taken in; `drafts` are judges' drafts by a question's
    place.
    """

    name: str
    lines: tuple[SourceLine, ...]
    read: SchemeDraft
    left_out: tuple[int, ...] = ()
    drafts: tuple[tuple[int, JudgesDraft], ...] = ()

    def drafted(self, place: int) -> JudgesDraft | None:
        return next((draft for at, draft in self.drafts if at == place), None)

    def with_draft(self, place: int, draft: JudgesDraft) -> SchemeReading:
        return replace(self, drafts=(*((at, each) for at, each in self.drafts if at != place), (place, draft)))

    def with_questions(self, questions: dict[int, QuestionDraft], left_out: tuple[int, ...]) -> SchemeReading:
        """With these questions, by place, as they are now."""
        now = tuple(questions.get(at, each) for at, each in enumerate(self.read.questions))
        return replace(self, read=replace(self.read, questions=now), left_out=left_out)


@dataclass(frozen=True)
class KeptPaper:
    """A question paper by its file's name: the lines of its text, and the paper itself where its PDF was kept."""

    name: str
    lines: tuple[str, ...]
    paper: Paper | None


_SCHEME: TypeAdapter[SchemeReading] = TypeAdapter(SchemeReading)


def about_scheme(marker: Marker, thread: str = "") -> str:
    """Under which name a marker's reading is kept: of the whole exam, or of the question with this thread."""
    return f"scheme {marker.id} {thread}".strip()


def keep_scheme(store: Store, marker: Marker, exam_id: int, about: str, reading: SchemeReading) -> None:
    """Keep it in the place of the one before."""
    body = _SCHEME.dump_python(reading, mode="json")
    with store.write(durable=False) as db:
        readings.keep(db, exam_id, about, marker.id, name=reading.name, body=body)


def kept_scheme(store: Store, exam_id: int, about: str) -> SchemeReading | None:
    """The reading that waits to be confirmed; None where there is none, or an older version of the app kept it."""
    with store.read() as db:
        kept = readings.get(db, exam_id, about)
    if kept is None:
        return None
    try:
        return _SCHEME.validate_python(kept.body)
    except ValidationError:
        return None


def is_waiting(store: Store, exam_id: int, about: str) -> bool:
    """Whether something was read and is neither confirmed nor discarded."""
    with store.read() as db:
        return readings.get(db, exam_id, about) is not None


def keep_paper(store: Store, marker: Marker, exam_id: int, paper: Paper) -> None:
    """Keep the exam's question paper: its text, and the PDF itself where it is not too large."""
    whole = paper.file.content
    content = whole if isinstance(whole, bytes) and len(whole) <= LARGEST_KEPT else None
    body = {"pages": paper.pages, "lines": list(paper.lines)}
    with store.write() as db:
        readings.keep(db, exam_id, PAPER, marker.id, name=paper.file.name, body=body, content=content)


def kept_paper(store: Store, exam_id: int) -> KeptPaper | None:
    """The exam's question paper; None where none was chosen."""
    with store.read() as db:
        kept = readings.get(db, exam_id, PAPER)
        content = readings.content(db, exam_id, PAPER) if kept is not None else None
    if kept is None:
        return None
    lines = tuple(str(line) for line in kept.body.get("lines", ()))
    pages = int(kept.body.get("pages", 1))
    return KeptPaper(kept.name, lines, None if content is None else Paper(ScanFile(kept.name, content), pages, lines))


def paper_version(store: Store, exam_id: int) -> str:
    """Changes whenever another question paper is kept; blank where there is none."""
    with store.read() as db:
        kept = readings.get(db, exam_id, PAPER)
    return "" if kept is None else kept.saved_at


def discard(store: Store, exam_id: int, about: str) -> None:
    """Throw a reading away, confirmed or not wanted."""
    with store.write() as db:
        readings.discard(db, exam_id, about)
