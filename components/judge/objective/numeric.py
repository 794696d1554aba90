"""What a numeric or algebraic answer earns against its key."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from components.judge.objective.algebra import same, same_equation
from components.judge.objective.comparison import Comparison, Rules, Standing, compare_quantities
from components.judge.objective.expression import Tree, letters, read_expression, with_letters
from components.judge.objective.form import asks_for_a_rearrangement, check_form, check_not_the_question
from components.judge.objective.quantity import Quantity, read_quantity
from components.judge.objective.reading import Judgement, Unreadable, bare, plain, trimmed
from components.judge.objective.working import FinalAnswer, alternatives, final_answer, is_name
from components.marking import NumericKey, format_mark


@dataclass(frozen=True)
class Entry:
    """One answer of a key, read: a quantity, expression, equation, list of values, or (none of them) its words."""

    text: str
    body: str
    name: str = ""
    quantity: Quantity | None = None
    tree: Tree | None = None
    equation: tuple[Tree, Tree] | None = None
    several: tuple[Entry, ...] = ()

    @property
    def readable(self) -> bool:
        """Whether it is more than words to be matched as they stand, such as 10:30 or x > 3."""
        return bool(self.quantity or self.tree or self.equation or self.several)


class _Answer:
    """A final answer, its value read once however many keys it is held against."""

    def __init__(self, final: FinalAnswer, text: str) -> None:
        self.final = final
        self.text = text

    @cached_property
    def quantity(self) -> Quantity | None:
        return read_quantity(self.text)

    @cached_property
    def tree(self) -> Tree:
        return read_expression(self.text)


def mark_numeric(key: NumericKey, max_mark: float, text: str, question: str = "") -> Judgement:
    """The mark a numeric or algebraic answer earns. `question` is the question's text, for the unit it may ask for.

    Raises Unreadable where the answer, or the key, cannot be read in one way.
    """
    if not key.correct:
        raise Unreadable("The mark scheme has no key for this question. Please add one, or mark it yourself.")
    clean = plain(text)
    correct = [read_entry(entry) for entry in key.correct]
    if words := next((entry for entry in correct if not entry.readable and bare(entry.text) == bare(clean)), None):
        return Judgement(max_mark, f"{words.text} is the key.", *trimmed(clean, 0, len(clean)))
    final = final_answer(clean)
    rules = Rules(key, key.significant_figures, key.unit_required, question)
    mark, comparison = _best(correct, final, rules, max_mark, key)
    read = final.whole if comparison.of_whole else final.value
    return Judgement(mark, comparison.reason, read.start, read.end, comparison.sure and not final.interpreted)


def _best(
    correct: list[Entry], final: FinalAnswer, rules: Rules, max_mark: float, key: NumericKey
) -> tuple[float, Comparison]:
    doubts: list[Unreadable] = []
    against = _each(correct, final, rules, doubts)
    if right := next((found for found in against if found.standing is Standing.RIGHT), None):
        return max_mark, right
    with_units = any(entry.quantity and (entry.quantity.unit or entry.quantity.noun) for entry in correct)
    lenient = Rules(rules.key, None, False, rules.question, bare_only=with_units)
    partial: list[tuple[float, Comparison]] = []
    for entry, marks in key.partial.items():
        found = _each([read_entry(entry)], final, lenient, doubts)
        partial += [(marks, one) for one in found if one.standing is Standing.RIGHT]
    near = next((found for found in against if found.standing is Standing.NEARLY), against[0] if against else None)
    if partial:
        marks, listed = max(partial, key=lambda pair: pair[0])
        why = f"{near.reason if near else ''} The mark scheme gives it {format_mark(marks)} of {format_mark(max_mark)}."
        return marks, replace(listed, reason=why.strip())
    if doubts or near is None:
        raise doubts[0]
    _check_no_side_right(correct, final, rules)
    return 0.0, near


def _each(entries: Iterable[Entry], final: FinalAnswer, rules: Rules, doubts: list[Unreadable]) -> list[Comparison]:
    """The comparisons that could be made; why the others could not goes to `doubts`."""
    made = []
    for entry in entries:
        try:
            made.append(_compare(entry, final, rules))
        except Unreadable as doubt:
            doubts.append(doubt)
    return made


def _check_no_side_right(correct: list[Entry], final: FinalAnswer, rules: Rules) -> None:
    """Raises Unreadable where an earlier side of 2(x+1) = 2x+2 = 0 is the key: the last is then hardly the answer."""
    for part in final.parts[:-1]:
        if is_name(part.text) or any(entry.equation or entry.several for entry in correct):
            continue
        for entry in correct:
            try:
                found = _compare_value(entry, _Answer(final, part.text), rules)
            except Unreadable:
                continue
            if found.standing is Standing.RIGHT:
                raise Unreadable(
                    f"{part.text} in the answer is right, but it ends with {final.value.text}. Please decide."
                )


@lru_cache(maxsize=1024)
def read_entry(text: str) -> Entry:
    """A key's entry, read. Raises Unreadable where its characters cannot be."""
    clean = plain(text).strip()
    values = alternatives(clean)
    if len(values) > 1:
        entries = tuple(read_entry(value) for value in values)
        if all(entry.quantity for entry in entries):
            return Entry(text, clean, several=entries)
    sides = [side.strip() for side in clean.split("=")]
    if len(sides) == 2 and is_name(sides[0]):
        quantity, tree = _value(sides[1])
        return Entry(text, sides[1], sides[0], quantity, tree)
    if len(sides) == 2:
        left, right = (_tree(side) for side in sides)
        return Entry(text, clean, equation=(left, right) if left is not None and right is not None else None)
    quantity, tree = _value(clean)
    return Entry(text, clean, "", quantity, tree)


def _value(text: str) -> tuple[Quantity | None, Tree | None]:
    try:
        quantity = read_quantity(text)
    except Unreadable:
        quantity = None
    may_be_letter = quantity is not None and quantity.unit is not None and len(quantity.unit.text) == 1
    return quantity, _tree(text) if quantity is None or may_be_letter else None


def _tree(text: str) -> Tree | None:
    try:
        return read_expression(text)
    except Unreadable:
        return None


def _compare(entry: Entry, final: FinalAnswer, rules: Rules) -> Comparison:
    """Raises Unreadable where the answer cannot be held against this entry."""
    if entry.several:
        return _compare_several(entry, final, rules)
    values = alternatives(final.whole.text)
    if len(values) > 1 and bare(final.whole.text) != bare(entry.text):
        return _all_the_same(entry, final, values, rules)
    if _letter(entry.name) and _letter(final.name) and entry.name.lower() != final.name.lower():
        raise Unreadable(f"The answer gives a value for {final.name}, the key one for {entry.name}. Please decide.")
    if entry.equation or (entry.name and entry.tree is not None and not final.name and len(final.parts) == 2):
        return _compare_equations(entry, final)
    return _compare_value(entry, _Answer(final, final.value.text), rules)


def _letter(name: str) -> bool:
    return len(name) == 1


def _compare_value(entry: Entry, answer: _Answer, rules: Rules) -> Comparison:
    if entry.quantity is not None and answer.quantity is not None:
        found = compare_quantities(entry.quantity, answer.quantity, rules)
        if found.standing is Standing.RIGHT:
            check_not_the_question(answer.text, entry.body, rules.question)
            check_form(answer.quantity, entry.quantity, rules.question)
        return found
    if entry.quantity is not None and entry.tree is None:
        raise _not_a_value(answer)
    if bare(answer.text) == bare(entry.body):
        return Comparison(Standing.RIGHT, f"{answer.text} is the key.")
    if entry.tree is None:
        raise Unreadable(f"The key {entry.text} is not one this check can work with. Please mark this answer yourself.")
    if entry.quantity is not None and letters(answer.tree) - letters(entry.tree):
        raise _not_a_value(answer)
    tree = _in_letters_of(entry.tree, answer.tree)
    if same(entry.tree, tree):
        check_not_the_question(answer.text, entry.body, rules.question)
        if asks_for_a_rearrangement(rules.question):
            why = f"{answer.text} is equivalent to {entry.body}; whether it is in the form asked for is not checked."
            return Comparison(Standing.RIGHT, why, sure=False)
        return Comparison(Standing.RIGHT, f"{answer.text} is equivalent to {entry.body}.")
    if entry.quantity is not None:
        raise _not_a_value(answer)
    return Comparison(Standing.WRONG, f"{answer.text} is not equivalent to {entry.body}.")


def _not_a_value(answer: _Answer) -> Unreadable:
    try:
        found = letters(answer.tree)
    except Unreadable as reason:
        return reason
    if not found:
        return Unreadable(f"{answer.text} has no value. Please mark it yourself.")
    return Unreadable("The answer has letters or words in it that are no number and no unit. Please mark it yourself.")


def _in_letters_of(key: Tree, answer: Tree) -> Tree:
    """The answer's tree with X taken for the key's x. Raises Unreadable for a letter the key does not use at all."""
    used = letters(key)
    by_fold = {letter.lower(): letter for letter in used}
    strange = letters(answer) - used
    unknown = [letter for letter in sorted(strange) if letter.lower() not in by_fold]
    if unknown:
        raise Unreadable(f"The answer uses {', '.join(unknown)}, which the key does not. Please mark it yourself.")
    return with_letters(answer, {letter: by_fold[letter.lower()] for letter in strange})


def _compare_equations(entry: Entry, final: FinalAnswer) -> Comparison:
    if bare(final.whole.text) == bare(entry.text):
        return Comparison(Standing.RIGHT, f"{final.whole.text} is the key.", of_whole=True)
    key = entry.equation
    if key is None and entry.tree is not None and _letter(entry.name):
        key = (["sym", entry.name], entry.tree)
    if key is None or len(final.parts) != 2:
        raise Unreadable("The key is an equation, and no single equation can be read in the answer. Please decide.")
    left, right = (read_expression(part.text) for part in final.parts)
    whole_key: Tree = ["sub", *key]
    if same_equation(key, (_in_letters_of(whole_key, left), _in_letters_of(whole_key, right))):
        return Comparison(Standing.RIGHT, f"{final.whole.text} is the same equation as {entry.text}.", False, True)
    raise Unreadable("The answer may or may not be the key's equation rearranged. Please decide.")


def _values(texts: Iterable[str], final: FinalAnswer) -> list[_Answer]:
    return [_Answer(final, text.rpartition("=")[2].strip()) for text in texts]


def _compare_several(entry: Entry, final: FinalAnswer, rules: Rules) -> Comparison:
    """A key of several values, all of them wanted, in any order."""
    answers = _values(alternatives(final.whole.text), final)
    right = [
        [_compare_value(wanted, answer, rules).standing is Standing.RIGHT for wanted in entry.several]
        for answer in answers
    ]
    needed = [any(row) for row in right]
    met = [any(column) for column in zip(*right, strict=True)]
    if all(met) and all(needed):
        return Comparison(
            Standing.RIGHT, f"{final.whole.text} gives the values of the key, {entry.text}.", of_whole=True
        )
    if not all(needed):
        return Comparison(
            Standing.WRONG, f"{final.whole.text} has a value that is not in the key, {entry.text}.", of_whole=True
        )
    return Comparison(Standing.WRONG, f"{final.whole.text} is only part of the key, {entry.text}.", of_whole=True)


def _all_the_same(entry: Entry, final: FinalAnswer, values: list[str], rules: Rules) -> Comparison:
    """One value written several ways ("0.5 or 1/2") may be right; several values are for the teacher."""
    try:
        if all(_compare_value(entry, a, rules).standing is Standing.RIGHT for a in _values(values, final)):
            return Comparison(Standing.RIGHT, f"{final.whole.text}: each is the key, {entry.text}.", False, True)
    except Unreadable:
        pass
    raise Unreadable(f"The answer gives more than one value ({_short(final.whole.text)}). Please decide what it earns.")


def _short(text: str) -> str:
    text = re.sub(r"\s+", " ", text)
    return text if len(text) <= 60 else text[:57] + "…"
