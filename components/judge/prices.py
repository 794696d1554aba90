"""What a model's tokens cost, from assets/prices.toml, which people may edit while the app runs."""

from __future__ import annotations

import logging
import re
import tomllib
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

log = logging.getLogger(__name__)
PRICES = Path(__file__).parents[2] / "assets" / "prices.toml"
PER = 1_000_000

# What may follow a listed name: a date or version, or a word that names the newest of the same model.
_VERSION = re.compile(r"([-@:][\d.-]*\d|[-@:](latest|preview))*")


class PriceError(ValueError):
    """The price file cannot be used. The message says what is wrong and what to do."""


class Price(BaseModel):
    """US dollars per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class _Table(BaseModel):
    models: dict[str, Price]


def price_of(model: str, tokens_in: int, tokens_out: int, *, file: Path | None = None) -> float | None:
    """US dollars for these tokens, or None where the price file does not know the model or cannot be read.

    Of the listed names that the model's name begins with, with at most a date or version after it, the longest counts.
    """
    try:
        price = _find(model, table(file or PRICES))
    except PriceError as error:
        log.warning("%s", error)
        return None
    return None if price is None else (tokens_in * price.input + tokens_out * price.output) / PER


def fault(file: Path | None = None) -> str:
    """What is wrong with the price file, in words for people, or nothing."""
    try:
        table(file or PRICES)
    except PriceError as error:
        return str(error)
    return ""


def table(file: Path) -> dict[str, Price]:
    """Prices by model name in lower case. Raises PriceError where the file is missing or not as it should be."""
    try:
        return _read(file, file.stat().st_mtime_ns)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PriceError(
            f"The price file {file.name} in the assets folder cannot be read ({error}), so no price is known."
        ) from error
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise PriceError(
            f"The price file {file.name} in the assets folder has a fault at {where}, so no price is known. "
            "Each model needs input and output, in US dollars for a million tokens."
        ) from error


@lru_cache(maxsize=4)
def _read(file: Path, changed: int) -> dict[str, Price]:
    listed = _Table.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    return {name.lower(): price for name, price in listed.models.items()}


def _find(model: str, prices: dict[str, Price]) -> Price | None:
    name = model.lower().rsplit("/", 1)[-1]  # some servers say "models/gemini-2.5-pro" or "openai/gpt-4o"
    fits = [listed for listed in prices if name.startswith(listed) and _VERSION.fullmatch(name.removeprefix(listed))]
    return prices[max(fits, key=len)] if fits else None
