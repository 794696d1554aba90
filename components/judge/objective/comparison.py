"""Whether one quantity is another: value, tolerance, significant figures and unit."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from components.judge.objective.number import rounded, to_figures
from components.judge.objective.quantity import Quantity
from components.judge.objective.reading import Unreadable, bare
from components.judge.objective.units import Unit, convert, of_one_use, read_unit
from components.marking import NumericKey

_ROUNDING = Fraction(1, 10**9)
# what a change of unit commonly does to a number, besides powers of ten
_USUAL_FACTORS = (Fraction(60), Fraction(3600), Fraction(18, 5), Fraction(24))
_PER_CENT_ASKED = re.compile(r"%|\bper\s?cent|百分", re.IGNORECASE)
_ASKED_IN = re.compile(r"\bin\s+((?:\$?\\?[\w°%/^⁻¹²³·{}-]+\$?\s?){1,4})")


class Standing(Enum):
    """RIGHT; NEARLY for a right value with no unit or the wrong number of figures; WRONG."""

    RIGHT = 1
    NEARLY = 2
    WRONG = 3


@dataclass(frozen=True)
class Comparison:
    """How an answer stands to a key, and why. `of_whole`: the whole line was compared, not its last side."""

    standing: Standing
    reason: str
    sure: bool = True
    of_whole: bool = False


@dataclass(frozen=True)
class Rules:
    """What a key asks of an answer beyond its value. `bare_only`: an entry without a unit takes answers without one."""

    key: NumericKey
    figures: int | None
    unit_required: bool
    question: str = ""
    bare_only: bool = False

    @property
    def exact(self) -> bool:
        return not self.key.tolerance and not self.key.relative_tolerance


def compare_quantities(key: Quantity, answer: Quantity, rules: Rules) -> Comparison:
    """How an answer stands to a key. Raises Unreadable where it depends on something only the teacher knows.

    A bare answer to a key with a unit is taken in that unit unless the unit is required. An answer with a unit to a
    bare key is taken in the unit the question asks for ("in metres"), else as written, with a note. A percentage and
    its decimal are one value; 50 for 50% is right unless the % is required, and 50% for a bare 50 only where the
    question speaks of per cent.
    """
    found = _compare(key, answer, rules)
    if found.standing is not Standing.RIGHT:
        return found
    if not answer.worked and bare(answer.text) != bare(key.text):
        raise Unreadable(f"{answer.text} comes to the key, {key.text}, but is not worked out. Please decide.")
    if key.unit and not answer.unit and rules.unit_required:
        return Comparison(Standing.NEARLY, f"{answer.text} is the right value but has no unit; the key is {key.text}.")
    if key.noun and not answer.noun and rules.unit_required:
        return Comparison(Standing.NEARLY, f"{answer.text} is the right value but does not say {key.noun}.")
    return _figures(answer, rules) or found


def _figures(answer: Quantity, rules: Rules) -> Comparison | None:
    if rules.figures is None:
        return None
    if answer.figures is None:
        raise Unreadable(
            f"{answer.text} has the right value, but its significant figures cannot be counted. Please decide."
        )
    fewest, most = answer.figures
    if fewest <= rules.figures <= most:
        return None
    written = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    noun = "figure" if written == "1" else "figures"
    return Comparison(
        Standing.NEARLY,
        f"{answer.text} has {written} significant {noun}; the mark scheme asks for {rules.figures}.",
    )


def _compare(key: Quantity, answer: Quantity, rules: Rules) -> Comparison:
    if key.unit and answer.unit:
        return _both_units(key, answer, key.unit, answer.unit, rules)
    if key.unit and answer.noun:
        raise Unreadable(f"“{answer.noun}” is not a unit this check knows; the key is {key.text}. Please decide.")
    if key.unit:
        return _bare_answer(key, answer, key.unit, rules)
    if answer.unit or answer.noun:
        if rules.bare_only:
            return _wrong(key, answer)
        return _bare_key(key, answer, rules)
    return _value(key, answer, answer.value, rules)


def _both_units(key: Quantity, answer: Quantity, wanted: Unit, given: Unit, rules: Rules) -> Comparison:
    if wanted.parts == given.parts:
        return _value(key, answer, answer.value, rules)
    if wanted.text.casefold() == given.text.casefold():
        raise Unreadable(
            f"{given.text} differs from the key's {wanted.text} only in capital letters. Please decide what it earns."
        )
    value = _converted(answer.value, given, wanted)
    if (value is None and "pound" in f"{given.text} {wanted.text}".lower()) or _used_differently(given, wanted):
        raise Unreadable(f"{given.text} and {wanted.text} may or may not stand for one another here. Please decide.")
    if value is None:
        return Comparison(
            Standing.WRONG, f"{answer.text} is not {key.text}: {given.text} and {wanted.text} measure different things."
        )
    return _value(key, answer, value, rules, converted=True)


def _used_differently(given: Unit, wanted: Unit) -> bool:
    """Hz for Bq, J for N m; but s⁻¹ will do for either, and kg m² s⁻² for J."""
    uses = of_one_use(given), of_one_use(wanted)
    return all(uses) and not uses[0] & uses[1]


def _bare_answer(key: Quantity, answer: Quantity, wanted: Unit, rules: Rules) -> Comparison:
    found = _value(key, answer, answer.value, rules)
    if found.standing is Standing.RIGHT and answer.value == key.value:
        return Comparison(Standing.RIGHT, f"{answer.text} is the value of the key, {key.text}, without its unit.")
    if found.standing is Standing.WRONG and wanted.ratio:
        value = _converted(answer.value, None, wanted)
        if value is not None:
            as_decimal = _value(key, answer, value, rules, converted=True)
            if as_decimal.standing is Standing.RIGHT and not rules.unit_required:
                return as_decimal
            if as_decimal.standing is Standing.RIGHT:
                return Comparison(Standing.NEARLY, f"{answer.text} is {key.text}, but not given as the question asks.")
    return found


def _bare_key(key: Quantity, answer: Quantity, rules: Rules) -> Comparison:
    """A key without a unit, and an answer with one."""
    if answer.unit is None:
        return _noun(key, answer, rules)
    if answer.unit.ratio:
        return _ratio_for_bare_key(key, answer, answer.unit, rules)
    asked = asked_unit(rules.question)
    if asked is not None and asked.parts != answer.unit.parts:
        value = _converted(answer.value, answer.unit, asked)
        if value is not None:
            in_unit = replace(key, text=f"{key.text} {asked.text}")
            return replace(_value(in_unit, answer, value, rules, converted=True), sure=False)
    found = _value(key, answer, answer.value, rules)
    if found.standing is Standing.RIGHT:
        return Comparison(
            Standing.RIGHT, f"{answer.text} has the value of the key, {key.text}, which gives no unit.", sure=False
        )
    in_radians = _converted(answer.value, answer.unit, None)
    if in_radians is not None and _value(key, answer, in_radians, rules, converted=True).standing is Standing.RIGHT:
        return Comparison(Standing.RIGHT, f"{answer.text} is the same as {key.text}.", sure=False)
    if answer.value and _usual_factor(key.value / answer.value):
        raise Unreadable(
            f"{answer.text} may be the key, {key.text}, in another unit; the key does not say which unit it is in. "
            "Please decide."
        )
    return replace(found, sure=False)


def _noun(key: Quantity, answer: Quantity, rules: Rules) -> Comparison:
    found = _value(key, answer, answer.value, rules)
    if key.noun and _stem(key.noun) == _stem(answer.noun):
        return found
    if key.noun or (found.standing is Standing.WRONG and _stem(answer.noun) not in rules.question.lower()):
        raise Unreadable(f"“{answer.noun}” after the number is not a unit this check knows. Please decide.")
    if found.standing is Standing.RIGHT:
        return Comparison(Standing.RIGHT, f"{answer.text} has the value of the key, {key.text}.", sure=False)
    return replace(found, sure=False)


def _stem(noun: str) -> str:
    noun = noun.lower().strip()
    return noun.removesuffix("s")


def _ratio_for_bare_key(key: Quantity, answer: Quantity, given: Unit, rules: Rules) -> Comparison:
    value = _converted(answer.value, given, None)
    assert value is not None
    found = _value(key, answer, value, rules, converted=True)
    if found.standing is Standing.RIGHT:
        return found
    as_written = _value(key, answer, answer.value, rules)
    if as_written.standing is not Standing.RIGHT:
        return found
    if _PER_CENT_ASKED.search(rules.question):
        return Comparison(Standing.RIGHT, f"{answer.text} is the key, {key.text}, with its sign.", sure=False)
    raise Unreadable(
        f"The key is {key.text} and the answer {answer.text}: whether the {given.text} belongs is for you to decide."
    )


def _value(key: Quantity, answer: Quantity, value: Fraction, rules: Rules, converted: bool = False) -> Comparison:
    """Compares a value with the key's, both in the key's unit. Raises Unreadable for a rounded form of an exact key."""
    difference = abs(value - key.value)
    slack = _ROUNDING * abs(key.value) if converted or key.exact or answer.exact else Fraction(0)
    if difference <= slack:
        return Comparison(Standing.RIGHT, _is_the_key(key, answer))
    if within := _within(difference, key, rules):
        return Comparison(Standing.RIGHT, f"{answer.text} is within {within} of the key, {key.text}.")
    if rules.figures is not None and abs(to_figures(key.value, rules.figures) - value) <= slack:
        return Comparison(Standing.RIGHT, f"{answer.text} is {key.text} to {rules.figures} significant figures.")
    if not converted:
        _check_rounding(key, answer, rules)
        if answer.exact and key.decimals and rounded(value, key.decimals) == key.value:
            return Comparison(
                Standing.RIGHT, f"{answer.text} is {key.text} to {key.decimals} decimal places.", sure=False
            )
        if answer.other is not None and _agrees(answer.other, key, rules):
            raise Unreadable(
                f"{answer.text} may have a thousands comma or a decimal comma, and only one reading is the key, "
                f"{key.text}. Please decide."
            )
    if rules.exact:
        return _wrong(key, answer)
    allowance = f"{rules.key.tolerance:g}" if rules.key.tolerance else f"{rules.key.relative_tolerance * 100:g}%"
    return Comparison(Standing.WRONG, f"{answer.text} is not within {allowance} of {key.text}.")


def _check_rounding(key: Quantity, answer: Quantity, rules: Rules) -> None:
    rough = answer.decimals is not None and answer.decimals >= 2
    if rules.exact and key.exact and rough and rounded(key.value, answer.decimals or 0) == answer.value:
        raise Unreadable(f"{answer.text} is {key.text} rounded, and the key says nothing of rounding. Please decide.")


def _agrees(value: Fraction, key: Quantity, rules: Rules) -> bool:
    difference = abs(value - key.value)
    return difference == 0 or bool(_within(difference, key, rules))


def _within(difference: Fraction, key: Quantity, rules: Rules) -> str:
    """The allowance that covers a difference, in words; empty where none does."""
    slack = 1 + _ROUNDING
    if difference <= Fraction(str(rules.key.tolerance)) * slack:
        return f"{rules.key.tolerance:g}"
    if difference <= Fraction(str(rules.key.relative_tolerance)) * abs(key.value) * slack:
        return f"{rules.key.relative_tolerance * 100:g}%"
    return ""


def _is_the_key(key: Quantity, answer: Quantity) -> str:
    if bare(key.text) == bare(answer.text):
        return f"{answer.text} is the key."
    return f"{answer.text} is the same as {key.text}."


def _wrong(key: Quantity, answer: Quantity) -> Comparison:
    return Comparison(Standing.WRONG, f"{answer.text} is not {key.text}.")


def _converted(value: Fraction, old: Unit | None, new: Unit | None) -> Fraction | None:
    converted = convert(float(value), old, new)
    return None if converted is None else Fraction(converted)


def _usual_factor(ratio: Fraction) -> bool:
    ratio = abs(ratio)
    if ratio <= 0:
        return False
    ratio = max(ratio, 1 / ratio)
    while ratio >= 10:
        if ratio in _USUAL_FACTORS:
            return True
        ratio /= 10
    return ratio == 1 or ratio in _USUAL_FACTORS


def asked_unit(question: str) -> Unit | None:
    """The unit a question asks for, as in "Give your answer in metres per second."; None where none can be read."""
    for asked in _ASKED_IN.finditer(question):
        words = asked.group(1).strip("$ ").split()
        for count in range(len(words), 0, -1):
            if (unit := read_unit(" ".join(words[:count]).strip("$.,;"))) is not None:
                return unit
    return None
