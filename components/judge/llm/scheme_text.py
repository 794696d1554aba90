"""A mark scheme as a marker reads it, in the words of assets/prompts/words.*."""

from __future__ import annotations

from collections.abc import Callable

from components.marking import AssessmentObjective, Scheme, format_mark

Word = Callable[..., str]


def scheme_text(scheme: Scheme, word: Word, *, marks: bool = True, note: bool = True) -> str:
    """The scheme's text, points, levels and keys. `word(name, **values)` gives a phrase in the wanted language.

    The possible marks are named where nothing else tells them, unless `marks` is off; the teacher's note comes last,
    unless `note` is off. Empty where the scheme holds nothing.
    """
    lines = [scheme.text] if scheme.text else []
    lines += _point_lines(scheme, word)
    for objective in scheme.objectives:
        lines += _objective_lines(objective, word)
    lines += _key_lines(scheme, word)
    if marks and not scheme.points and not scheme.objectives:
        lines.append(word("marks", marks=possible_marks(scheme)))
    if note and scheme.note:
        lines.append(word("note", words=scheme.note))
    return "\n".join(lines)


def possible_marks(scheme: Scheme) -> str:
    """Every legal mark, as people write them."""
    return ", ".join(format_mark(mark) for mark in scheme.scale.marks())


def _point_lines(scheme: Scheme, word: Word) -> list[str]:
    lines: list[str] = []
    for point in scheme.points:
        lines.append(f"{point.code} [{format_mark(point.marks)}] {point.text}")
        for name, items in (("accept", point.accept), ("reject", point.reject), ("needs", point.needs)):
            lines += [f"   {word(name, words='; '.join(items))}"] if items else []
        lines += [f"   {word('follow_through')}"] if point.follow_through else []
        lines += [f"   {word('in_group', code=point.group)}"] if point.group is not None else []
    lines += [word("group", code=g.code, cap=format_mark(g.cap), words=g.text) for g in scheme.groups]
    return lines


def _objective_lines(objective: AssessmentObjective, word: Word) -> list[str]:
    lines = [f"{objective.code} {objective.name}".strip()]
    for level in sorted(objective.levels, key=lambda band: band.level, reverse=True):
        low, high = format_mark(level.low), format_mark(level.high)
        lines.append(f"   {word('level', level=level.level, low=low, high=high, descriptor=level.descriptor)}")
    return [*lines, f"   {word('level_0')}"]


def _key_lines(scheme: Scheme, word: Word) -> list[str]:
    lines: list[str] = []
    either = f" {word('right_or')} "
    if scheme.choice:
        choice = scheme.choice
        lines += [word("option", letter=letter, words=text) for letter, text in choice.options.items()]
        in_order = " ".join(f"{i}. {right}" for i, right in enumerate(choice.each, 1))
        lines.append(word("right", words=in_order or either.join(choice.correct)))
        lines += [word("partial", answer=answer, mark=format_mark(mark)) for answer, mark in choice.partial.items()]
        if choice.subset_marks is not None:
            lines.append(word("subset", mark=format_mark(choice.subset_marks)))
    if scheme.numeric:
        key = scheme.numeric
        lines.append(word("right", words=either.join(key.correct)))
        lines += [word("tolerance", amount=f"{key.tolerance:g}")] if key.tolerance else []
        share = f"{key.relative_tolerance:.2%}"
        lines += [word("relative_tolerance", amount=share)] if key.relative_tolerance else []
        lines += [word("figures", count=key.significant_figures)] if key.significant_figures else []
        lines += [word("unit")] if key.unit_required else []
        lines += [word("partial", answer=answer, mark=format_mark(mark)) for answer, mark in key.partial.items()]
    return lines
