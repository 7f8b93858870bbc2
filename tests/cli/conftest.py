"""What the commands find in their environment."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def _no_settings_of_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what a hook of git that runs the tests has set."""
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
