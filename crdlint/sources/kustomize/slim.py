"""The files of a kustomization without the schemas of CRDs, which kustomize reads and writes slowly and seldom changes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from crdlint.sources.kustomize.kustomization import PATCHES

if TYPE_CHECKING:
    from collections.abc import Container

    from crdlint.sources.kustomize.kustomization import Kustomization

_MARK: Final = "x-crdlint-schema-"
_SCHEMA: Final = re.compile(r"^( *)openAPIV3Schema: *\n((?:\1 +\S[^\n]*\n| *\n)+)", re.MULTILINE)
# A stub that is the only field, as a build leaves it unless the schema is changed.
_STUB: Final = re.compile(rf"^( *)openAPIV3Schema:\n(\1 +){_MARK}(\d+): 0\n(?!\2)", re.MULTILINE)
# Tabs and aliases are rare in CRDs; whether they are left as they are depends on the rest of the file.
_KEPT: Final = re.compile(rf"(?:^|[:\-\[{{,]) *[&*]\w|[\t\r]|{_MARK}", re.MULTILINE)
_OPENAPI: Final = ("crds", "openapi")
# kustomize changes fields by the paths in these, and does not report that a path leads to nothing.
_PATHS: Final = ("configurations", "generators", "replacements", "transformers", "validators", "vars")


@dataclass(slots=True)
class Slim:
    """Files in which stubs replace schemas, by path, and the schemas by the numbers of the stubs."""

    tree: dict[str, bytes]
    schemas: list[str] = field(default_factory=list)

    def restored(self, output: str) -> str | None:
        """Return the output of a build with its schemas, or None if a stub was changed."""

        def schema(match: re.Match[str]) -> str:
            return f"{match[1]}openAPIV3Schema:\n{_indented(self.schemas[int(match[3])], len(match[2]))}"

        text, count = _STUB.subn(schema, output)
        return text if count == output.count(_MARK) else None

    def _replace(self, match: re.Match[str]) -> str:
        self.schemas.append(match[2])
        return f"{match[1]}openAPIV3Schema:\n{match[1]}  {_MARK}{len(self.schemas) - 1}: 0\n"

    def add(self, text: str) -> str:
        """Return a text with stubs in place of its schemas."""
        return text if _KEPT.search(text) else _SCHEMA.sub(self._replace, text)


def slimmed(kustomization: Kustomization, files: Container[str]) -> Slim | None:
    """Return a kustomization with stubs for the schemas in files, by their real paths.

    It is None if there are none, or if kustomize may change them unnoticed. A patch of a schema fails or adds to the stub.
    """
    layers = kustomization.layers.values()
    if any(layer.document.get(name) for layer in layers for name in _OPENAPI) or _has_paths(kustomization, files):
        return None
    slim = Slim({})
    replaced = {
        path: slim.add(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        for layer in layers
        for path, data in layer.files.items()
        if path in files
    }
    slim.tree = kustomization.tree(replaced)
    return slim if slim.schemas else None


def _has_paths(kustomization: Kustomization, files: Container[str]) -> bool:
    """Return whether something other than patches may change fields of schemas by their paths."""
    layers = kustomization.layers.values()
    if not any(layer.document.get(name) for layer in layers for name in _PATHS):
        return False
    patches = {path for layer in layers for path in layer.patch_paths()}
    texts = [json.dumps({**layer.document, **dict.fromkeys(PATCHES)}).encode() for layer in layers]
    texts += [
        data for layer in layers for path, data in layer.files.items() if path not in files and path not in patches
    ]
    return any(b"chema" in text for text in texts)


def _indented(text: str, depth: int) -> str:
    """Return lines with an indentation for the first one, and for the others relative to it."""
    lines = text.split("\n")
    first = next(line for line in lines if line.strip())
    shift = depth - (len(first) - len(first.lstrip(" ")))
    if shift >= 0:
        return "\n".join(" " * shift + line if line else line for line in lines)
    return "\n".join(line[-shift:] for line in lines)
