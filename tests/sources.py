"""The modules of crdlint as text and syntax trees, each read and parsed once."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "crdlint"


class Source(NamedTuple):
    text: str
    tree: ast.Module


@cache
def sources() -> Mapping[str, Source]:
    """Return each module by its path below `crdlint/`: `yaml/parse.py`."""
    texts = {
        path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(PACKAGE.rglob("*.py"))
    }
    return MappingProxyType({name: Source(text, ast.parse(text)) for name, text in texts.items()})
