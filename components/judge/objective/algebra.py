"""Asking the algebra process, with a time limit: a process that is late is killed and a new one started next time."""

from __future__ import annotations

import atexit
import json
import os
import queue
import subprocess
import sys
import threading
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from components.judge.objective.expression import Tree
from components.judge.objective.reading import Unreadable

SECONDS = 4.0
_SECONDS_TO_START = 60.0
_SCRIPT = Path(__file__).with_name("algebra_process.py")
_ENVIRONMENT = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "TEMP", "TMP", "LANG")


class AlgebraProcess:
    """One child process, started when first asked. Safe to ask from several threads; they take turns."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._replies: queue.Queue[str | None] = queue.Queue()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request. Raises Unreadable when it takes too long, goes wrong, or cannot be started."""
        with self._lock:
            process = self._started()
            assert process.stdin is not None
            try:
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
            except OSError:
                self._stop()
                raise Unreadable("The algebra check stopped. Please mark this answer yourself.") from None
            reply = self._reply(self.seconds)
        if "error" in reply:
            raise Unreadable("The algebra of this answer cannot be worked out. Please mark it yourself.")
        return reply

    @property
    def pid(self) -> int | None:
        """The child's process id, None while there is none."""
        return self._process.pid if self._process else None

    def close(self) -> None:
        """Ends the child. It is started again if asked again."""
        with self._lock:
            self._stop()

    def _started(self) -> subprocess.Popen[str]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._stop()
        self._replies = queue.Queue()
        try:
            # -I: neither the working folder nor the environment decides what the child imports
            self._process = subprocess.Popen(
                [sys.executable, "-I", str(_SCRIPT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            )
        except OSError as error:
            raise Unreadable(f"The algebra check could not be started ({error}). Please mark it yourself.") from None
        threading.Thread(target=_pass_on, args=(self._process, self._replies), daemon=True).start()
        self._reply(_SECONDS_TO_START)
        return self._process

    def _reply(self, seconds: float) -> dict[str, Any]:
        try:
            line = self._replies.get(timeout=seconds)
        except queue.Empty:
            self._stop()
            raise Unreadable("The algebra of this answer takes too long to check. Please mark it yourself.") from None
        if line is None:
            self._stop()
            raise Unreadable("The algebra check stopped. Please mark this answer yourself.")
        return dict(json.loads(line))

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        if process.stdin is not None:
            try:
                process.stdin.close()
            except OSError:
                return  # what was still to be written has nowhere to go


def _pass_on(process: subprocess.Popen[str], replies: queue.Queue[str | None]) -> None:
    """Hands on the child's lines, then None; a thread of its own because a pipe cannot be read with a time limit."""
    assert process.stdout is not None
    with process.stdout:
        for line in process.stdout:
            replies.put(line)
    replies.put(None)


_process = AlgebraProcess()
atexit.register(_process.close)


def value_of(tree: Tree) -> Fraction | None:
    """The value of an expression without variables, to 30 figures; None where it is no real number."""
    return _value_of(json.dumps(tree))


def same(first: Tree, second: Tree) -> bool:
    """Whether two expressions are equal wherever both are defined. Raises Unreadable where that cannot be settled."""
    return _settled(json.dumps({"task": "expressions", "first": first, "second": second}))


def same_equation(first: tuple[Tree, Tree], second: tuple[Tree, Tree]) -> bool:
    """Whether one equation is the other times a constant. Raises Unreadable where it is not shown to be."""
    return _settled(json.dumps({"task": "equations", "first": first, "second": second}))


@lru_cache(maxsize=2048)
def _value_of(tree: str) -> Fraction | None:
    value = _process.ask({"task": "value", "tree": json.loads(tree)})["value"]
    return None if value is None else Fraction(value)


@lru_cache(maxsize=2048)
def _settled(request: str) -> bool:
    answer = _process.ask(json.loads(request))["answer"]
    if answer == "unknown":
        raise Unreadable("This answer may or may not be equivalent to the key. Please decide.")
    return bool(answer == "equal")
