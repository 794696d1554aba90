"""What an exam's author wrote: questions and mark schemes, as Markdown with LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence

import streamlit as st

from components.marking import AssessmentObjective, ChoiceKey, MarkingPoint, Question, Scheme
from components.widgets.figures import plain

_PICTURE = re.compile(r"!(?=\[)")


def author_markdown(text: str) -> str:
    """Author's Markdown without picture syntax: nothing on a page may load from another host."""
    return _PICTURE.sub(r"!\\", text)


def show_question(question: Question, pictures: Sequence[tuple[bytes, str]] = ()) -> None:
    """The stimulus, if any, the question's text, and its pictures, each with what is to be seen on it in words."""
    if question.stimulus:
        st.markdown(author_markdown(question.stimulus))
    if question.text:
        st.markdown(author_markdown(question.text))
    elif not question.stimulus and not pictures:
        st.caption("This question came without its text.")
    show_pictures(pictures)


def show_pictures(pictures: Sequence[tuple[bytes, str]]) -> None:
    """Pictures of a question (PNG or JPEG), each over its caption."""
    for content, caption in pictures:
        st.image(content, caption=plain(caption) or None, alt=caption or "A picture of the question")


def show_scheme(scheme: Scheme, model_answer: str) -> None:
    """Every part of the mark scheme that its author gave."""
    st.markdown(author_markdown(scheme_markdown(scheme, model_answer)))


def scheme_markdown(scheme: Scheme, model_answer: str = "") -> str:
    """The scheme as Markdown: points under their groups, bands, key, text, note."""
    parts = [_point_lines(scheme), *(_objective_lines(objective) for objective in scheme.objectives)]
    if scheme.choice is not None:
        parts += _choice_lines(scheme.choice, scheme.max_mark)
    if scheme.numeric is not None:
        parts.append(f"Key: **{' or '.join(scheme.numeric.correct)}**" + _partial_line(scheme.numeric.partial))
    if scheme.text:
        parts.append(scheme.text)
    if scheme.note:
        parts.append(f"*Note to the judge:* {scheme.note}")
    if model_answer:
        parts.append(f"*Model answer:* {model_answer}")
    return "\n\n".join(part for part in parts if part) or "*This question has no mark scheme yet.*"


def _choice_lines(key: ChoiceKey, max_mark: float) -> list[str]:
    right = " or ".join(key.correct)
    lines = []
    if key.each:
        right = " · ".join(f"{place} {letters}" for place, letters in enumerate(key.each, start=1))
        lines.append(f"Each of the {len(key.each)} sub-questions is worth {max_mark / len(key.each):g}.")
    lines.insert(0, f"Key: **{right}**" + _partial_line(key.partial))
    if key.subset_marks is not None:
        where = ", in each sub-question," if key.each else ""
        lines.append(f"A right selection that is incomplete{where} earns {key.subset_marks:g}.")
    if key.rule == "published":
        lines.append("Read and marked by GAOKAO-Bench's rule.")
    return lines


def _point_lines(scheme: Scheme) -> str:
    lines = [_point_line(point) for point in scheme.points if point.group is None]
    for group in scheme.groups:
        lines.append(f"- *{group.text or group.code}* (at most {group.cap:g})")
        lines += [f"    {_point_line(point)}" for point in scheme.points if point.group == group.code]
    return "\n".join(lines)


def _point_line(point: MarkingPoint) -> str:
    line = f"- **{point.code}** ({point.marks:g}) {point.text}"
    if point.needs:
        line += f" · needs {', '.join(point.needs)}"
    if point.follow_through:
        line += " · follow through"
    if point.accept:
        line += f" · *accept* {'; '.join(point.accept)}"
    if point.reject:
        line += f" · *do not accept* {'; '.join(point.reject)}"
    return line


def _objective_lines(objective: AssessmentObjective) -> str:
    head = f"**{objective.code}** {objective.name} (out of {objective.max_mark:g})"
    bands = [
        f"- **Level {level.level}** ({level.low:g}–{level.high:g}) {level.descriptor}"
        for level in sorted(objective.levels, key=lambda level: -level.level)
    ]
    return "\n".join([head, "", *bands])


def _partial_line(partial: dict[str, float]) -> str:
    return "".join(f" · {answer} earns {marks:g}" for answer, marks in partial.items())
