"""Options of the whole suite."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-expected", action="store_true", help="write fixtures/expected and golden files anew")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the recorded answers first: they show at once whether crdlint still answers as the API server does."""
    items.sort(key=lambda item: "conformance/test_sample.py" not in item.nodeid)


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the suite's results out of the user's cache."""
    os.environ["CRDLINT_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    yield
    del os.environ["CRDLINT_CACHE_DIR"]
