"""crdlint: the errors that kube-apiserver would report about a CustomResourceDefinition, offline, with exact positions.

The names of the Python API, `crdlint.api.__all__`, are loaded on first use, so that importing this package is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from crdlint.__about__ import __version__ as __version__

if TYPE_CHECKING:
    from crdlint.api import *  # noqa: F403
    from crdlint.api import __all__ as __all__
else:

    def __getattr__(name: str) -> object:
        if name.startswith("__") and name != "__all__":  # what Python itself asks modules for
            raise AttributeError(name)
        api = import_module("crdlint.api")
        if name == "__all__":
            return api.__all__
        if name not in api.__all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(api, name)

    def __dir__() -> list[str]:
        return sorted((*globals(), *import_module("crdlint.api").__all__))
