"""Options of the whole suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-expected", action="store_true", help="write fixtures/expected and golden files anew")
