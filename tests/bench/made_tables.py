"""Tables that the benches import: candidates' answers with the marks of two people and an AI."""

from __future__ import annotations

import csv
import io
import random

QUESTIONS = 20
WORDS = "because the enzyme is denatured at high temperature so its active site no longer fits the substrate"
HEADINGS = ("candidate", "class", "question", "answer", "max mark", "mark 1", "mark 2", "AI mark")


def table(rows: int) -> bytes:
    """A CSV of so many rows: 20 questions of 1 to 6 marks, answers of about 90 letters, three marks on every row."""
    draw = random.Random(6)
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(HEADINGS)
    for row in range(rows):
        candidate, question = divmod(row, QUESTIONS)
        most = 1 + question % 6
        marks = [draw.randint(0, most) for _ in range(3)]
        answer = " ".join(draw.choices(WORDS.split(), k=15))
        writer.writerow((f"{candidate + 1:05d}", f"11{'ABCDEF'[candidate % 6]}", question + 1, answer, most, *marks))
    return out.getvalue().encode()
