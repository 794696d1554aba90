"""A progress bar on a terminal; where there is none, a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

from components.workflow.benchmarks.wording import in_words

WIDTH = 30
LINE_SECONDS = 30.0  # between two lines in a file


class Bar:
    """How far something is, on standard error: the results alone go to standard output."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stderr
        self._alone = self._out.isatty()
        self._began = time.monotonic()
        self._first: int | None = None
        self._told = ""
        self._told_at = float("-inf")

    def draw(self, done: int, total: int) -> None:
        if self._first is None:
            self._first = done
        line = self._line(done, total)
        if self._alone:
            self._out.write(f"\r{line:<{len(self._told)}}")
        elif line != self._told and (time.monotonic() - self._told_at >= LINE_SECONDS or done >= total):
            self._told_at = time.monotonic()
            self._out.write(f"{line}\n")
        else:
            return
        self._told = line
        self._out.flush()

    def part(self, behind: int, whole: int) -> Callable[[int, int], None]:
        """What draws a part's progress as that of the whole, `behind` of which is done before it."""
        return lambda done, _: self.draw(behind + done, whole)

    def close(self) -> None:
        if self._alone and self._told:
            self._out.write("\n")
            self._out.flush()

    def _line(self, done: int, total: int) -> str:
        share = min(1.0, done / total) if total else 0.0
        filled = round(WIDTH * share)
        said = f"[{'#' * filled}{'.' * (WIDTH - filled)}] {done:,} of {total:,}"
        came, seconds = done - (self._first or 0), time.monotonic() - self._began
        if came > 0 and done < total:
            said += f", {came / seconds:.1f} a second, about {in_words((total - done) * seconds / came)} left"
        return said
