"""`streamlit run app.py` in a process of its own, begun cold or as a copy of one that has the libraries loaded."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
# Loading these is most of what a start takes. Widgets stay out: they make themselves known to a server that runs.
LIBRARIES = [
    "streamlit.web.cli",
    "streamlit.web.bootstrap",
    "uvicorn",
    "plotly.graph_objects",
    "pint",
    "pages.shared.desk_services",
    "components.workflow.agreement.handout",
    "components.workflow.answer_view",
    "components.workflow.desk",
    "components.workflow.marks_out.restore",
    "components.workflow.trial.report",
    "tests.app_process",
]
COPIES = multiprocessing.get_context("forkserver")
COPIES.set_forkserver_preload(LIBRARIES)
COLD = multiprocessing.get_context("spawn")


def start_app(port: int, environment: dict[str, str], log: Path, *, cold: bool = False) -> BaseProcess:
    """The started process. `cold` loads everything anew, as on a teacher's machine."""
    process = (COLD if cold else COPIES).Process(target=_run, args=(port, environment, log), daemon=True)
    with _no_main_program():
        process.start()
    return process


@contextmanager
def _no_main_program() -> Iterator[None]:
    """Or the new process would first run this one's main program, which the tests of pages leave to be app.py."""
    own = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = own


def _run(port: int, environment: dict[str, str], log: Path) -> None:
    """What the command `streamlit run app.py` does; the process ends with it."""
    with log.open("ab") as out:
        for stream in (1, 2):
            os.dup2(out.fileno(), stream)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    from streamlit.web import cli

    cli.main(
        ["run", "app.py", f"--server.port={port}", "--server.fileWatcherType=none"],
        prog_name="streamlit",
    )
