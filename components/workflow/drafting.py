"""Drafting transcripts of an exam's pictures, in a process of its own so that marking stays quick.

Run by the worker as `python -m components.workflow.drafting DATABASE EXAM_ID`; prints how far it is, a line each.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from components.intake import recogniser
from components.workflow.progress import Progress
from storage import Store, jobs, pictures, transcripts

DRAFT = "draft transcripts"
_ROOT = Path(__file__).parents[2]


def start(store: Store, exam_id: int) -> int:
    """Queue the drafting of every transcript that the exam's pictures lack. Gives the job's id."""
    with store.write() as db:
        return jobs.add(db, DRAFT, {"exam_id": exam_id})


def draft_exam(store: Store, exam_id: int, progress: Progress) -> str:
    """Draft in a child process; gives words. Ends the child when `progress` says the job is off."""
    if not recogniser.available():
        return "The recogniser is not installed; the README says how to add it."
    command = [sys.executable, "-m", __name__, str(store.path.resolve()), str(exam_id)]
    done, total = 0, 0
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8") as child:
        assert child.stdout is not None
        for line in child.stdout:
            done, total = (int(part) for part in line.split())
            if not progress(done, total, "Drafting transcripts"):
                child.kill()
                return f"Stopped after {done:,} of {total:,}."
    if child.returncode != 0:
        raise RuntimeError(f"Drafting the transcripts of exam {exam_id} ended with code {child.returncode}.")
    return f"{done:,} drafted, for a teacher to correct." if total else "Every picture has a transcript already."


def draft_all(store: Store, exam_id: int) -> None:
    """Draft what lacks a transcript, one response after another, each stored as it is done."""
    with store.read() as db:
        waiting = transcripts.lacking(db, exam_id)
    print(0, len(waiting), flush=True)
    for done, response_id in enumerate(waiting, 1):
        with store.read() as db:
            pages = [pictures.content(db, page.sha256) for page in pictures.pages(db, response_id)]
        text = "\n\n".join(recogniser.draft(page) for page in pages).strip()
        with store.write() as db:
            if transcripts.newest(db, response_id) is None:
                transcripts.add(db, response_id, text, transcripts.RECOGNISER)
        print(done, len(waiting), flush=True)


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(10)
    draft_all(Store(Path(sys.argv[1])), int(sys.argv[2]))
