"""Draws the next page while this one is being cut: PDFium and the cutting each keep a core busy."""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator, Iterator
from typing import TypeVar

T = TypeVar("T")
_LONGEST = 2  # pages waiting: memory stays that of a few pages


def ahead(items: Iterator[T]) -> Generator[T, None, None]:
    """The items, made up to two ahead in a thread of their own, which ends with this generator. Errors come through."""
    waiting: queue.Queue[tuple[str, T | BaseException | None]] = queue.Queue(_LONGEST)
    stopped = threading.Event()

    def put(kind: str, item: T | BaseException | None) -> bool:
        while not stopped.is_set():
            try:
                waiting.put((kind, item), timeout=0.1)
            except queue.Full:
                continue
            return True
        return False

    def make() -> None:
        try:
            for item in items:
                if not put("item", item):
                    break
            else:
                put("end", None)
        except BaseException as error:  # whatever it is, the reader must hear of it
            put("error", error)
        finally:
            if (close := getattr(items, "close", None)) is not None:
                close()

    thread = threading.Thread(target=make, name="scan-pages", daemon=True)
    thread.start()
    try:
        while True:
            kind, item = waiting.get()
            if kind == "end":
                return
            if isinstance(item, BaseException):
                raise item
            yield item  # type: ignore[misc]
    finally:
        stopped.set()
        thread.join()
