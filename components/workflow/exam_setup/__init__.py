"""Setting up an exam: its details, its questions and their mark schemes, as a teacher types them."""

from components.workflow.exam_setup.arranging import move, remove, split
from components.workflow.exam_setup.body import QuestionBody, with_scheme
from components.workflow.exam_setup.checking import Checked, check, hints
from components.workflow.exam_setup.editing import (
    Opened,
    Saved,
    change,
    drop,
    open_question,
    open_thread,
    restore,
    save,
    start_new,
    thrown_away,
    unfinished,
)

__all__ = [
    "Checked",
    "Opened",
    "QuestionBody",
    "Saved",
    "change",
    "check",
    "drop",
    "hints",
    "move",
    "open_question",
    "open_thread",
    "remove",
    "restore",
    "save",
    "split",
    "start_new",
    "thrown_away",
    "unfinished",
    "with_scheme",
]
