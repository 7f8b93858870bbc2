"""What the comparisons with recorded answers share."""

from __future__ import annotations

import pytest

from crdlint.kubecel import hints


@pytest.fixture
def without_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the search for what a broken expression may mean, half of the work: no answer depends on it."""
    monkeypatch.setattr(hints, "meaning", lambda *_: None)
