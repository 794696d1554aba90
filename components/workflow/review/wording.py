"""Changing the words of a mark scheme and nothing else: its codes, marks and structure stay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from components.marking import MarkError, Scheme
from components.workflow.review.remedy_error import RemedyError

MOST_NOTE = 1_000  # characters, as on the exams page
MOST_WORDS = 4_000  # characters of one piece of wording


@dataclass(frozen=True)
class PointWords:
    """A marking point's words; `accept` and `reject` hold one wording an entry."""

    text: str
    accept: tuple[str, ...] = ()
    reject: tuple[str, ...] = ()


def lines(text: str) -> tuple[str, ...]:
    """The wordings in a field with one a line; empty lines and repetitions left out."""
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


def reworded(
    scheme: Scheme,
    *,
    note: str | None = None,
    text: str | None = None,
    points: Mapping[str, PointWords] | None = None,
    descriptors: Mapping[tuple[str, int], str] | None = None,
) -> Scheme:
    """The scheme with other words; what is None or not named stays. Descriptors go by (AO, level).

    Raises RemedyError where a point or a level would be left without words, or words are too long.
    """
    points, descriptors = points or {}, descriptors or {}
    _check(scheme, note, text, points, descriptors)
    body = scheme.model_dump()
    for point in body["points"]:
        if words := points.get(point["code"]):
            point.update(text=words.text.strip(), accept=words.accept, reject=words.reject)
    for objective in body["objectives"]:
        for level in objective["levels"]:
            descriptor = descriptors.get((objective["code"], level["level"]))
            if descriptor is not None:
                level["descriptor"] = descriptor.strip()
    body["note"] = scheme.note if note is None else note.strip()
    body["text"] = scheme.text if text is None else text.strip()
    try:
        return Scheme.model_validate(body)
    except MarkError as error:
        raise RemedyError(str(error)) from error


def same_structure(scheme: Scheme, other: Scheme) -> bool:
    """Whether two schemes differ in their words alone."""
    return _bare(scheme) == _bare(other)


def changes(before: Scheme, after: Scheme) -> list[str]:
    """What differs in words, a line each: “B1, accept: added “speed””."""
    said = _line("Note to the judge", before.note, after.note) + _line("Scheme's text", before.text, after.text)
    for old, new in zip(before.points, after.points, strict=True):
        said += _line(f"{old.code}", old.text, new.text)
        for name, was, now in (("accept", old.accept, new.accept), ("reject", old.reject, new.reject)):
            said += _list(f"{old.code}, {name}", was, now)
    for objective, other in zip(before.objectives, after.objectives, strict=True):
        for level, renewed in zip(objective.levels, other.levels, strict=True):
            said += _line(f"{objective.code} level {level.level}", level.descriptor, renewed.descriptor)
    return said


def _check(
    scheme: Scheme,
    note: str | None,
    text: str | None,
    points: Mapping[str, PointWords],
    descriptors: Mapping[tuple[str, int], str],
) -> None:
    for code in points.keys() - {point.code for point in scheme.points}:
        raise RemedyError(f"The scheme has no marking point {code} any more. Start the remedy again.")
    if len(note or "") > MOST_NOTE:
        raise RemedyError(f"The note has {len(note or ''):,} characters. Please keep it under {MOST_NOTE:,}.")
    needed = {f"Point {code}": words.text for code, words in points.items()}
    needed |= {f"{code} level {level}": words for (code, level), words in descriptors.items()}
    for name, words in needed.items():
        if not words.strip():
            raise RemedyError(f"{name} is left without words. Say what earns it, or put its old words back.")
    wordings = {f"Point {code}": "\n".join((*words.accept, *words.reject)) for code, words in points.items()}
    for name, words in (*needed.items(), *wordings.items(), ("The scheme's text", text or "")):
        if len(words) > MOST_WORDS:
            raise RemedyError(f"{name} is too long. Please keep it under {MOST_WORDS:,} characters.")


def _bare(scheme: Scheme) -> Scheme:
    points = tuple(point.model_copy(update={"text": "", "accept": (), "reject": ()}) for point in scheme.points)
    objectives = tuple(
        objective.model_copy(
            update={"levels": tuple(level.model_copy(update={"descriptor": ""}) for level in objective.levels)}
        )
        for objective in scheme.objectives
    )
    return scheme.model_copy(update={"note": "", "text": "", "points": points, "objectives": objectives})


def _line(name: str, before: str, after: str) -> list[str]:
    if before == after:
        return []
    if not before:
        return [f"{name}: added “{after}”"]
    return [f"{name}: “{before}” becomes “{after}”" if after else f"{name}: took out “{before}”"]


def _list(name: str, before: Iterable[str], after: Iterable[str]) -> list[str]:
    added = [words for words in after if words not in set(before)]
    gone = [words for words in before if words not in set(after)]
    parts = [f"{name}: added {_quoted(added)}"] if added else []
    return [*parts, f"{name}: took out {_quoted(gone)}"] if gone else parts


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"“{each}”" for each in words)
