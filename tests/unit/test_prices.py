"""What tokens cost: the price file, which names it knows, and what happens when a person breaks it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from components.judge import prices
from components.judge.prices import PriceError, fault, price_of, table


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "prices.toml"
    path.write_text(
        '[models]\n"gpt-4o" = { input = 2.5, output = 10 }\n"gpt-4o-mini" = { input = 0.15, output = 0.6 }\n'
        '"Qwen2.5" = { input = 0, output = 0.0 }\n'
    )
    return path


def test_the_price_is_per_million_tokens_in_and_out(file: Path) -> None:
    # 1,000 × $2.50/M + 200 × $10/M = $0.0025 + $0.0020
    assert price_of("gpt-4o", 1000, 200, file=file) == pytest.approx(0.0045)
    assert price_of("gpt-4o-mini", 2_000_000, 1_000_000, file=file) == pytest.approx(0.9)


@pytest.mark.parametrize(
    "name",
    ["gpt-4o-mini-2024-07-18", "GPT-4o-mini", "openai/gpt-4o-mini", "gpt-4o-mini-latest", "gpt-4o-mini-0718-preview"],
)
def test_versions_of_a_model_take_the_price_of_the_longest_name_that_fits(file: Path, name: str) -> None:
    assert price_of(name, 1_000_000, 0, file=file) == pytest.approx(0.15)


@pytest.mark.parametrize("name", ["", "llama3", "gpt-4", "gpt-4o-audio", "gpt-4o-mini-tts", "gpt-4o1", "gpt-4o.5"])
def test_another_model_has_no_price_rather_than_a_wrong_one(file: Path, name: str) -> None:
    assert price_of(name, 1000, 200, file=file) is None


def test_a_model_listed_at_nothing_costs_nothing(file: Path) -> None:
    assert price_of("Qwen2.5", 1000, 200, file=file) == 0


def test_an_edited_file_counts_at_once(file: Path) -> None:
    assert price_of("mine", 1_000_000, 0, file=file) is None
    file.write_text("[models]\nmine = { input = 3, output = 4 }\n")
    os.utime(file, ns=(1, 1))
    assert price_of("mine", 1_000_000, 0, file=file) == 3


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("[models\n", "cannot be read"),
        ('[models]\n"gpt-4o" = { input = 1 }\n', "models.gpt-4o.output"),
        ('[models]\n"gpt-4o" = { input = -1, output = 1 }\n', "models.gpt-4o.input"),
        ("", "models"),
    ],
)
def test_a_broken_file_leaves_prices_unknown_and_says_where(file: Path, words: str, told: str) -> None:
    file.write_text(words)
    os.utime(file, ns=(2, 2))
    assert price_of("gpt-4o", 1000, 200, file=file) is None
    assert told in fault(file)
    with pytest.raises(PriceError, match="no price is known"):
        table(file)


def test_a_missing_file_is_told_in_words(tmp_path: Path) -> None:
    assert "prices.toml" in fault(tmp_path / "prices.toml")


def test_the_file_that_is_shipped_can_be_read_and_says_that_prices_change() -> None:
    assert fault() == ""
    assert price_of("gpt-4o-mini-2024-07-18", 1000, 200) is not None
    assert "Prices change" in prices.PRICES.read_text(encoding="utf-8")
