"""Small files of our own in the formats of the published benchmarks."""

from __future__ import annotations

import json
from typing import Any

from components.intake.benchmarks import Loaded, load_files

M3KE_NAME = "dev/Biology-Natural Sciences-High school.jsonl"


def gaokao(keyword: str, *rows: dict[str, Any], **head: Any) -> bytes:
    return json.dumps({"keywords": keyword, **head, "example": rows}, ensure_ascii=False).encode()


def objective(index: int, answer: object, score: float = 4, **fields: Any) -> dict[str, Any]:
    row = {
        "year": "2021",
        "category": "（我们的卷）",
        "question": "细胞的哪一部分进行光合作用？",
        "answer": answer,
        "analysis": "叶绿体。",
    }
    return {**row, "index": index, "score": score, **fields}


def m3ke(*rows: dict[str, Any]) -> bytes:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def four(number: int, answer: str = "B", **cells: Any) -> dict[str, Any]:
    return {
        "id": number,
        "question": "哪一个是偶数?",
        "A": "一",
        "B": "二",
        "C": "三",
        "D": "五",
        "answer": answer,
        **cells,
    }


def csv(*rows: str, head: str = "id,question,A,B,C,D,answer") -> bytes:
    return "\n".join([head, *rows]).encode()


def one(files: list[tuple[str, bytes]]) -> Loaded:
    (loaded,) = load_files(files)
    return loaded
