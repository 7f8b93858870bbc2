"""The examples in docstrings do what they say."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import crdlint

ROOT = Path(crdlint.__file__).parent


def test_examples_do_what_they_say() -> None:
    tried, wrong = 0, []
    for path in sorted(ROOT.rglob("*.py")):
        if "\n    >>> " in path.read_text(encoding="utf-8"):
            parts = path.relative_to(ROOT.parent).with_suffix("").parts
            module = importlib.import_module(".".join(part for part in parts if part != "__init__"))
            result = doctest.testmod(module)
            tried += result.attempted
            wrong += [module.__name__] * result.failed
    assert wrong == []
    assert tried >= 20
