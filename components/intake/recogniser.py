"""A draft of what a picture says, by a recogniser on this machine: for a teacher to correct, never to mark by."""

from __future__ import annotations

import importlib.util
from functools import cache
from typing import Any

LEAST_SURE = 0.5  # below it a line is more often wrong than right


def available() -> bool:
    """Whether the optional recogniser is installed (`uv run --extra transcripts …`)."""
    return all(importlib.util.find_spec(name) is not None for name in ("rapidocr", "onnxruntime"))


def draft(picture: bytes) -> str:
    """The lines of writing on a PNG or JPEG, from top to bottom; "" where none is found.

    A line that the recogniser is unsure of ends in "[?]". Raises RuntimeError where it is not installed.
    """
    if not available():
        raise RuntimeError("The recogniser is not installed. Start the app with: uv run --extra transcripts …")
    found = _engine()(picture)
    if found.txts is None or found.boxes is None:
        return ""
    lines = [
        (float(box[:, 1].mean()), float(box[:, 0].min()), float(box[:, 1].max() - box[:, 1].min()), text, score)
        for box, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
        if text.strip()
    ]
    return "\n".join(" ".join(row) for row in _rows(lines))


def _rows(lines: list[tuple[float, float, float, str, float]]) -> list[list[str]]:
    """Pieces that stand side by side become one line: their middles are less than half a line's height apart."""
    rows: list[tuple[float, list[tuple[float, str]]]] = []
    for middle, left, height, text, score in sorted(lines):
        piece = (left, text.strip() if score >= LEAST_SURE else f"{text.strip()} [?]")
        if rows and middle - rows[-1][0] < height / 2:
            rows[-1][1].append(piece)
        else:
            rows.append((middle, [piece]))
    return [[text for _, text in sorted(pieces)] for _, pieces in rows]


@cache
def _engine() -> Any:
    """The recogniser with the models inside its package: a few seconds, once."""
    from rapidocr import RapidOCR  # noqa: PLC0415 — optional, and slow to import

    # One thread: several wait for each other in a spin, which makes a busy machine many times slower.
    onnx = {"EngineConfig.onnxruntime.intra_op_num_threads": 1, "EngineConfig.onnxruntime.inter_op_num_threads": 1}
    return RapidOCR(params={"Global.log_level": "warning", **onnx})
