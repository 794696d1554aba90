"""Units as candidates write them: a closed list of names, converted by pint."""

from __future__ import annotations

import re
import threading
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from components.judge.objective.reading import caret_exponents

_PREFIXES = {
    "f": "femto", "p": "pico", "n": "nano", "μ": "micro", "u": "micro", "m": "milli", "k": "kilo", "M": "mega",
    "G": "giga", "T": "tera",
}  # fmt: skip
_BASES = {
    "m": "meter", "g": "gram", "s": "second", "A": "ampere", "K": "kelvin", "mol": "mole", "Hz": "hertz",
    "N": "newton", "Pa": "pascal", "J": "joule", "W": "watt", "C": "coulomb", "V": "volt", "F": "farad", "Ω": "ohm",
    "S": "siemens", "Wb": "weber", "T": "tesla", "H": "henry", "lx": "lux", "lm": "lumen", "Bq": "becquerel",
    "Gy": "gray", "Sv": "sievert", "L": "liter", "l": "liter", "eV": "electron_volt", "Wh": "watt_hour",
    "bar": "bar", "cal": "calorie",
}  # fmt: skip
_WORDS = {
    "met(?:re|er)": "meter", "gram(?:me)?": "gram", "second|sec": "second", "minute|min": "minute", "hour|hr": "hour",
    "day": "day", "week": "week", "year|yr": "year", "lit(?:re|er)": "liter", "newton": "newton", "joule": "joule",
    "watt": "watt", "volt": "volt", "amp(?:ere)?": "ampere", "ohm": "ohm", "hertz": "hertz", "pascal": "pascal",
    "kelvin": "kelvin", "mole": "mole", "coulomb": "coulomb", "farad": "farad", "tesla": "tesla",
    "becquerel": "becquerel", "tonne": "metric_ton", "mile": "mile", "foot|feet": "foot", "inche?": "inch",
    "yard": "yard", "calorie": "calorie", "degree|deg": "degree", "radian": "radian", "hectare": "hectare",
}  # fmt: skip
_OTHERS = {
    "cm": "centimeter", "dm": "decimeter", "cl": "centiliter", "cL": "centiliter", "dl": "deciliter", "dL": "deciliter",
    "hPa": "hectopascal", "cd": "candela", "min": "minute", "h": "hour", "t": "metric_ton", "ha": "hectare",
    "cc": "cubic_centimeter", "mph": "mile_per_hour", "ft": "foot", "in": "inch", "yd": "yard", "lb": "pound",
    "lbs": "pound", "oz": "ounce", "atm": "standard_atmosphere", "mmHg": "millimeter_Hg", "rad": "radian",
    "sr": "steradian", "Å": "angstrom", "u": "unified_atomic_mass_unit",
    "°": "degree", "degC": "degree_Celsius", "degF": "degree_Fahrenheit", "%": "percent", "percent": "percent",
    "‰": "permille", "ppm": "ppm", "p": "pence", "pence": "pence", "penny": "pence", "$": "USD", "£": "GBP",
    "€": "EUR", "¥": "CNY", "元": "CNY", "dollar": "USD", "dollars": "USD", "euro": "EUR", "euros": "EUR",
    "pounds": "GBP",
    "米": "meter", "千米": "kilometer", "公里": "kilometer", "厘米": "centimeter", "毫米": "millimeter", "秒": "second",
    "分钟": "minute", "小时": "hour", "天": "day", "年": "year", "克": "gram", "千克": "kilogram", "公斤": "kilogram",
    "吨": "metric_ton", "升": "liter", "毫升": "milliliter", "牛": "newton", "牛顿": "newton", "焦": "joule",
    "焦耳": "joule", "瓦": "watt", "伏": "volt", "安": "ampere", "欧": "ohm", "度": "degree",
}  # fmt: skip
_COMPOUND = {
    "Nm": ("N", "m"), "kNm": ("kN", "m"), "Ns": ("N", "s"), "Js": ("J", "s"), "VA": ("V", "A"), "ms": ("m", "s"),
    "kmph": ("km", "/h"), "kph": ("km", "/h"),
}  # fmt: skip
_CURRENCIES = ("USD", "GBP", "EUR", "CNY")
_LARGEST_POWER = 6


def _all_names() -> dict[str, str]:
    names = {symbol + base: f"{word}{name}" for symbol, word in _PREFIXES.items() for base, name in _BASES.items()}
    del names["pH"]
    return names | _BASES | _OTHERS


_NAMES = _all_names()
_FOLDED = {
    folded: next(symbol for symbol in _NAMES if symbol.lower() == folded)
    for folded, count in Counter(symbol.lower() for symbol in _NAMES).items()
    if count == 1 and len(folded) > 1
}
_WORD = re.compile(
    r"(?P<prefix>kilo|centi|milli|micro|nano|mega|giga)?"
    rf"(?:{'|'.join(f'(?P<w{number}>{word})' for number, word in enumerate(_WORDS))})s?",
    re.IGNORECASE,
)
_REWRITES = (
    (re.compile(r"(?:°|\bdeg(?:rees?)?\b)\s*(?:C\b|celsius|centigrade)|℃|\b(?:celsius|centigrade)\b", re.I), " degC "),
    (re.compile(r"(?:°|\bdeg(?:rees?)?\b)\s*(?:F\b|fahrenheit)|℉|\bfahrenheit\b", re.I), " degF "),
    (re.compile(r"\bper\s?cent\b|\bpercentage\b", re.I), " % "),
    (re.compile(r"\b(?:square|sq\.?)\s+([A-Za-z]+)", re.I), r" \1^2 "),
    (re.compile(r"\b(?:cubic|cu\.?)\s+([A-Za-z]+)", re.I), r" \1^3 "),
    (re.compile(r"\b([A-Za-z]+)\s+squared\b", re.I), r" \1^2 "),
    (re.compile(r"\b([A-Za-z]+)\s+cubed\b", re.I), r" \1^3 "),
    (re.compile(r"\bper\b|每", re.I), " / "),
    (re.compile(r"平方([米厘千毫公里]+)"), r" \1^2 "),
    (re.compile(r"立方([米厘千毫]+)"), r" \1^3 "),
    (re.compile(r"[·×*]\s?(?!\*)(?<!\*\*)"), " "),
)
_TOKEN = re.compile(
    r"\s*(?:(?P<slash>/)|[()]"
    r"|(?P<name>[A-Za-zμΩÅ]+|[°%‰$£€¥]|[一-鿿]+)"
    r"(?:\s?(?:\^|\*\*)\s?[({]?(?P<caret>[+-]?\d)[)}]?|\s?(?P<minus>-\d)|(?P<plus>\d))?(?!\d))"
)


@dataclass(frozen=True)
class Unit:
    """A product of powers of known units: pint's name and the power, sorted. `text` is as the candidate wrote it."""

    parts: tuple[tuple[str, int], ...]
    text: str

    @property
    def ratio(self) -> bool:
        """A way of writing a plain number, such as %."""
        return self.parts in (_PERCENT, (("permille", 1),), (("ppm", 1),))

    @property
    def percent(self) -> bool:
        return self.parts == _PERCENT


_PERCENT = (("percent", 1),)
_OF_ONE_USE = ("hertz", "becquerel", "gray", "sievert", "radian", "joule", "lumen", "lux")


def of_one_use(unit: Unit) -> frozenset[str]:
    """What a unit is kept for beyond its dimensions: Hz and Bq are both s⁻¹, a moment of 1 N m is no joule."""
    names = {"radian" if name == "degree" else name for name, _ in unit.parts}
    uses = {use for use in _OF_ONE_USE for name in names if name.endswith(use)}
    return frozenset(uses | ({"moment"} if unit.parts == (("meter", 1), ("newton", 1)) else set()))


@lru_cache(maxsize=2048)
def read_unit(text: str) -> Unit | None:
    """The unit in "m/s", "m s^-1", "ms⁻¹", "metres per second", "°C", "%", "cm²"; None where it is not one known here.

    Units after a slash are all below it, as in J/kg K. "ms⁻¹" is metres per second, as schools write it.
    """
    written = text.strip().rstrip(".,;")
    rewritten = caret_exponents(written)
    for pattern, replacement in _REWRITES:
        rewritten = pattern.sub(replacement, rewritten)
    rewritten = re.sub(r"^\s*1\s*/", "/", rewritten).strip()
    powers: Counter[str] = Counter()
    at, below = 0, False
    while at < len(rewritten):
        token = _TOKEN.match(rewritten, at)
        if token is None or len(rewritten) > 60:
            return None
        at = token.end()
        below = below or token["slash"] is not None
        if token["name"] is None:
            continue
        power = int(token["caret"] or token["minus"] or token["plus"] or 1)
        names = _names(token["name"], power)
        if names is None or abs(power) > _LARGEST_POWER:
            return None
        for name, times in names:
            powers[name] += -times if below else times
    parts = tuple(sorted((name, power) for name, power in powers.items() if power))
    return Unit(parts, written) if parts else None


def _names(symbol: str, power: int) -> list[tuple[str, int]] | None:
    """pint's names for one written symbol, which may be several run together (kgm⁻³: the power is the last one's)."""
    if symbol in _COMPOUND and (symbol != "ms" or power < 0):
        first, last = _COMPOUND[symbol]
        return [(_NAMES[first], 1), (_NAMES[last.strip("/")], -power if last.startswith("/") else power)]
    if (name := _name(symbol)) is not None:
        return [(name, power)]
    for cut in range(1, len(symbol)):
        head, tail = symbol[:cut], symbol[cut:]
        if power != 1 and head in _NAMES and tail in _NAMES:
            return [(_NAMES[head], 1), (_NAMES[tail], power)]
    return None


def _name(symbol: str) -> str | None:
    if symbol in _NAMES:
        return _NAMES[symbol]
    if word := _WORD.fullmatch(symbol):
        stem = next(name for i, name in enumerate(_WORDS.values()) if word[f"w{i}"])
        return (word["prefix"] or "").lower() + stem
    folded = _FOLDED.get(symbol.lower())
    return _NAMES[folded] if folded else None


def convert(value: float, old: Unit | None, new: Unit | None) -> float | None:
    """The value in another unit, None for no unit (a plain number); None where the two measure different things."""
    import pint  # noqa: PLC0415 - half a second, which an exam without units need not wait for

    with _lock:
        try:
            return float(_registry().Quantity(value, _pint_unit(old)).m_as(_pint_unit(new)))
        except (pint.DimensionalityError, pint.OffsetUnitCalculusError):
            return None


_lock = threading.RLock()


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint  # noqa: PLC0415

    registry: Any = pint.UnitRegistry()
    for currency in _CURRENCIES:
        registry.define(f"{currency} = [{currency}]")
    registry.define("pence = 0.01 GBP")
    return registry


def _pint_unit(unit: Unit | None) -> Any:
    registry = _registry()
    if unit is None or not unit.parts:
        return registry.dimensionless
    if len(unit.parts) == 1 and unit.parts[0][1] == 1:
        return registry.Unit(unit.parts[0][0])
    product = registry.dimensionless
    for name, power in unit.parts:
        # inside a compound a degree Celsius is a difference, as in J/kg °C
        step = {"degree_Celsius": "delta_degree_Celsius", "degree_Fahrenheit": "delta_degree_Fahrenheit"}.get(
            name, name
        )
        product = product * registry.Unit(step) ** power
    return product
