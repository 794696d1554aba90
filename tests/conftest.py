"""What tests of pages and of components both stand on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from components.judge import prices


@pytest.fixture
def price_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Prices of the test's own: the model "cheap" takes $1 a million tokens in, $4 out."""
    file = tmp_path / "prices.toml"
    file.write_text('[models]\n"cheap" = { input = 1, output = 4 }\n')
    monkeypatch.setattr(prices, "PRICES", file)
    return file


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser stories come last: a browser keeps its event loop running, and commands want to run their own.

    Of their files, each for one worker, those of many stories come first: so all workers end at about the same time.
    """
    stories = Counter(item.path for item in items if "e2e" in item.path.parts)
    items.sort(key=lambda item: (item.path in stories, -stories[item.path]))
