"""Drafts of transcripts by the recogniser on this machine: print is read, and what a person wrote is never replaced."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from components.intake import recogniser
from components.workflow import drafting
from components.workflow.connections import Connections
from components.workflow.worker import Worker
from storage import Store, jobs, pictures, transcripts
from storage.pictures import NewPage, Picture
from tests.support import add_exam, new_store


def page(*lines: str) -> Picture:
    picture = Image.new("RGB", (900, 80 * len(lines) + 40), "white")
    draw = ImageDraw.Draw(picture)
    for place, line in enumerate(lines):
        draw.text((20, 20 + 80 * place), line, fill="black", font=ImageFont.load_default(48))
    data = io.BytesIO()
    picture.save(data, "PNG")
    return Picture(data.getvalue(), "image/png", *picture.size)


def with_pages(store: Store, response_id: int, *pages: Picture) -> None:
    with store.write() as db:
        pictures.attach(db, response_id, [NewPage(each) for each in pages])


def test_an_exams_pictures_are_drafted_and_a_teachers_words_are_left(tmp_path: Path) -> None:
    assert recogniser.available()
    store = new_store(tmp_path)
    exam_id, [row] = add_exam(store, [["", "", "typed"]])
    with_pages(store, row[0], page("the enzyme denatures", "x = 3y + 12"), page("second page"))
    with_pages(store, row[1], page("something else"))
    with store.write() as db:
        transcripts.add(db, row[1], "as I read it", transcripts.TEACHER)
    job_id = drafting.start(store, exam_id)
    assert Worker(store, Connections()).do_one()
    with store.read() as db:
        job = jobs.get(db, job_id)
        drafts = [transcripts.newest(db, response_id) for response_id in row]
    assert job is not None
    assert (job.status, job.done, job.total) == ("done", 1, 1)
    assert drafts[0] is not None
    assert drafts[0].source == transcripts.RECOGNISER
    assert "".join(drafts[0].text.split()) == "theenzymedenaturesx=3y+12secondpage"
    assert drafts[0].text.index("denatures") < drafts[0].text.index("12") < drafts[0].text.index("second")
    assert drafts[1] is not None
    assert (drafts[1].version, drafts[1].text) == (1, "as I read it")
    assert drafts[2] is None


def test_an_empty_page_gives_an_empty_draft() -> None:
    assert recogniser.draft(page("").content) == ""
