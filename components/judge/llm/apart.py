"""Waiting for a coroutine from code that is not one."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

_Result = TypeVar("_Result")


def apart(coroutine: Coroutine[Any, Any, _Result]) -> _Result:
    """The coroutine's result, run in a thread of its own: a notebook's has an event loop running already."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
