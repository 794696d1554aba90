"""Responses of several questions in one column: each one's question, its maximum, and how many it stands for."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import ArrayLike, NDArray

from components.agreement.pairs import FloatArray, check_marks, check_scale, column
from components.agreement.sums import Sums

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Rows:
    """Responses with a mark by each of several markers.

    `codes` is each row's question as a place in `names` and `maxima`, `times` how many responses the row stands for.
    """

    marks: tuple[FloatArray, ...]
    names: list[Hashable]
    codes: Codes
    maxima: FloatArray
    times: FloatArray

    @property
    def n(self) -> int:
        return int(self.times.sum())


def complete_rows(
    marks: Mapping[str, ArrayLike], question: Iterable[Hashable], max_mark: ArrayLike, counts: ArrayLike | None
) -> Rows:
    """Rows with every marker's mark, those that stand for no response left out; `marks` are by what to call them.

    Raises ValueError naming the row (from 1) whose mark is missing or off the scale, whose maximum differs from that
    of its question, or whose count is not a whole number, and where the columns differ in length.
    """
    columns = {name: column(given) for name, given in marks.items()}
    asked = question if isinstance(question, np.ndarray) else list(question)
    sizes = {**{name: given.size for name, given in columns.items()}, "the question": len(asked)}
    if len(set(sizes.values())) > 1:
        counted = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise ValueError(f"Columns differ in length: {counted}; give complete rows.")
    check_scale(max_mark, None)
    for name, given in columns.items():
        check_marks(given, name, max_mark, None)
    times = frequencies(counts, len(asked))
    most = np.broadcast_to(np.asarray(max_mark, dtype=np.float64), times.shape)
    kept = times > 0
    places = np.flatnonzero(kept)
    if places.size < kept.size:
        columns = {name: given[kept] for name, given in columns.items()}
        asked = asked[kept] if isinstance(asked, np.ndarray) else list(compress(asked, kept))
        most, times = most[kept], times[kept]
    names, codes = numbered(asked)
    return Rows(tuple(columns.values()), names, codes, _maxima_of(most, codes, len(names), places), times)


def numbered(question: Iterable[Hashable]) -> tuple[list[Hashable], Codes]:
    """The questions in the order they first come, and each response's place among them."""
    if isinstance(question, np.ndarray) and question.dtype.kind in "iu" and question.ndim == 1 and question.size:
        least, span = int(question.min()), int(question.max()) - int(question.min()) + 1
        # A table of all numbers between the least and the most is quick, where they lie close together.
        if span <= 4 * question.size + 1024:
            return _numbered_by_table(question, least, span)
    numbers: dict[Hashable, int] = {}
    codes = [numbers.setdefault(name, len(numbers)) for name in question]
    return list(numbers), np.array(codes, dtype=np.intp)


def _numbered_by_table(question: NDArray[np.integer], least: int, span: int) -> tuple[list[Hashable], Codes]:
    offset = question.astype(np.int64) - least
    first = np.full(span, -1, dtype=np.intp)
    # Of several writes to one place the last stands, so from the end the first response of each question does.
    first[offset[::-1]] = np.arange(question.size - 1, -1, -1)
    met = np.flatnonzero(first >= 0)
    met = met[np.argsort(first[met])]
    place = np.empty(span, dtype=np.intp)
    place[met] = np.arange(met.size)
    return [int(number) + least for number in met], place[offset]


def _maxima_of(most: FloatArray, codes: Codes, questions: int, places: Codes) -> FloatArray:
    """Each question's maximum. Raises ValueError naming the response, by its place (from 0), with another than that."""
    maxima = np.zeros(questions)
    maxima[codes] = most
    wrong = maxima[codes] != most
    if wrong.any():
        position = int(places[np.argmax(wrong)]) + 1
        raise ValueError(f"Response {position}: its maximum mark differs from another of the same question.")
    return maxima


def frequencies(counts: ArrayLike | None, rows: int) -> FloatArray:
    """How many responses each row stands for: one each where `counts` is None.

    Raises ValueError where there are not as many counts as rows, or one is not a whole number from 0.
    """
    if counts is None:
        return np.ones(rows)
    times = np.asarray(counts, dtype=np.float64)
    if times.shape != (rows,):
        raise ValueError(f"There are {times.size} counts for {rows} rows; give one for each.")
    wrong = ~np.isfinite(times) | (times < 0) | (times != np.round(times))
    if wrong.any():
        position = int(np.argmax(wrong))
        raise ValueError(f"Row {position + 1}: a count is a whole number from 0, not {times[position]:g}.")
    return times


def per_question(values: FloatArray, codes: Codes, questions: int) -> FloatArray:
    """The sum of the values of each question."""
    return np.bincount(codes, weights=values, minlength=questions).astype(np.float64, copy=False)


def sums_between(rows: Rows, markers: Sequence[tuple[int, int]]) -> list[Sums]:
    """The six sums of each question between two markers, for several such pairs; markers are places in `rows.marks`."""

    def total(values: FloatArray) -> FloatArray:
        return per_question(values, rows.codes, len(rows.names))

    n = total(rows.times)
    weighted = [rows.times * marks for marks in rows.marks]
    first = [total(marks) for marks in weighted]
    squares = [total(times * marks) for times, marks in zip(weighted, rows.marks, strict=True)]
    return [Sums(n, first[i], first[j], squares[i], squares[j], total(weighted[i] * rows.marks[j])) for i, j in markers]
