"""The demo's class scan: the paper demo's questions as an exam without answers, and the class PDF ready to be read."""

from __future__ import annotations

import io

from components.marking import Marker
from components.workflow import demo_content, paper_demo, scanning
from components.workflow.connections import default_judges
from components.workflow.scan_setup import Region
from storage import Store, exams, responses

TITLE = "Demo class scan (invented)"


def is_paper_demo(store: Store, exam_id: int) -> bool:
    """Whether this is the demo exam on paper, or the one that its class scan is read into."""
    with store.read() as db:
        exam = exams.get(db, exam_id)
    return exam is not None and (exam.title == TITLE or (exam.demo and exam.title == paper_demo.content()[0]["title"]))


def demo_scan(store: Store, marker: Marker) -> tuple[int, int]:
    """(exam id, scan id): the class PDF, its template and the regions, waiting to be read. Some seconds' work."""
    content, template = paper_demo.demo_class_scan(), paper_demo.demo_template()
    exam_id = _exam(store)
    candidates = list(paper_demo.content()[0]["candidates"])
    files = [("demo-class.pdf", io.BytesIO(content))]
    scan_id = scanning.begin(store, exam_id, marker, "coded separators", candidates, files)
    regions = [Region(question=r.question, page=r.page, x=r.x, y=r.y, w=r.w, h=r.h) for r in paper_demo.REGIONS]
    scanning.set_template(store, scan_id, "demo-paper.pdf", io.BytesIO(template), regions)
    return exam_id, scan_id


def _exam(store: Store) -> int:
    """The exam of the class scan; made where there is none yet."""
    _, offline = default_judges(store)
    about, questions = paper_demo.content()
    with store.write() as db:
        standing = [exam.id for exam in exams.listed(db) if exam.title == TITLE]
        if standing:
            return standing[-1]
        exam_id = exams.add_exam(
            db,
            TITLE,
            subject=about["subject"],
            level=about["level"],
            series=about["series"],
            language=about["language"],
            notice=about["notice"],
            judge_id=offline,
            blind_share=0,  # what is drawn when a scan is read would differ from one demo to the next
        )
        for item in questions:
            demo_content.add_question(db, exam_id, item)
        responses.add_candidates(db, exam_id, about["candidates"])
    return exam_id
