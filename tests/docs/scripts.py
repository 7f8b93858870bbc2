"""The scripts of docs/, as modules."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING, Final

from snippets import ROOT

if TYPE_CHECKING:
    from types import ModuleType

DOCS: Final = ROOT / "docs"


def script(name: str) -> ModuleType:
    """Return a script as a module."""
    spec = spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
