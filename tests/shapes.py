"""CRDs of one shape and any size, for which the work must grow with the size and no faster.

Each shape once took work that grew with its square. `benchmarks/growth.py` measures the time that they take.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.linting.documents import collect_crds
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.report.page import PLAIN
from crdlint.report.pieces import View
from crdlint.report.text import TextReport
from crdlint.rules.engine.examples import HEAD, small

if TYPE_CHECKING:
    from collections.abc import Callable

_SCHEMA: Final = "        "
_SPEC: Final = HEAD.partition("  versions:")[0]
_VERSIONS: Final = HEAD.removeprefix(_SPEC)
_RULE: Final = "self.l.all(x, self.l.all(y, x.all(z, y.all(w, w.contains(z)))))"


class Shape(NamedTuple):
    """A shape: the CRD of a size, and the CRD that it is an update of, if it is one."""

    text: Callable[[int], str]
    old: Callable[[int], str] | None = None


def checked(shape: Shape, n: int) -> int:
    """Check the CRD of a size, with fixes and a report; return the number of findings."""
    old = collect_crds(shape.old(n)).by_name.get if shape.old else None
    result = lint_file(
        shape.text(n), "a.yaml", CheckRequest(previous=old, skip_unfinished=True, fixes=True)
    )
    list(TextReport(View(PLAIN)).lines(result))
    return len(result.diagnostics)


def _fields(line: str, first: str = "", last: str = "type: object") -> Callable[[int], str]:
    """Return a CRD with a line for each number below `properties`."""

    def text(n: int) -> str:
        lines = [
            last,
            "properties:",
            *([f"  {first}"] if first else []),
            *(f"  {line.replace('@', str(i))}" for i in range(n)),
        ]
        return HEAD + "".join(f"{_SCHEMA}{one}\n" for one in lines)

    return text


def _spec(line: str) -> Callable[[int], str]:
    """Return a CRD with a line for each number in its spec."""
    schema = f"{_VERSIONS.rstrip()} {{type: object}}\n"
    return lambda n: _SPEC + "".join(f"  {line.replace('@', str(i))}\n" for i in range(n)) + schema


def _nested(opening: str, closing: str, innermost: str = "type: string") -> Callable[[int], str]:
    return lambda n: (
        f"{HEAD}{_SCHEMA}{{type: object, properties: {{a: {{{opening * n}{innermost}{closing * n}}}}}}}\n"
    )


def _listed(schema: str) -> Callable[[int], str]:
    """Return a CRD with a list of n names in a schema."""
    return lambda n: f"{HEAD}{_SCHEMA}{schema.replace('@', ', '.join(f'f{i}' for i in range(n)))}\n"


def _json(n: int) -> str:
    crd = small({"type": "object"})
    crd["spec"].update((f"gruop{i}", 1) for i in range(n))
    return json.dumps(crd)


def _documents(line: str) -> Callable[[int], str]:
    return lambda n: f"{HEAD}{_SCHEMA}type: object\n" + f"---\n{line}\n" * n


_LIST: Final = (
    "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [key],"
    " items: {type: object, required: [key], properties: {key: {type: string}}}}"
)
_MAPS: Final = "type: object, additionalProperties: {"
SHAPES: Final = {
    "misspelt fields": Shape(_json),
    "misspelt fields with comments": Shape(_spec("gruop@: 1  # crdlint: ignore[unknown-field]")),
    "fields below an empty key": Shape(_fields("type: x", "a:")),
    "findings below merge keys": Shape(_fields("b@: {<<: *a, nullable: true}", "a: &a {type: strnig}")),
    "findings below aliases": Shape(_fields("b@: *a", "a: &a {type: strnig}")),
    "two equal keys": Shape(_fields("a@: {type: string}\n          a@: {type: string}")),
    "equal keys": Shape(_fields("a: {type: string}")),
    "nested properties": Shape(_nested("type: object, properties: {a: {", "}}")),
    "nested maps": Shape(_nested(_MAPS, "}")),
    "nested maps in an update": Shape(_nested(_MAPS, "}"), _nested(_MAPS, "}", "type: integer")),
    "fields": Shape(_fields("a@: {type: string, maxLength: 5, enum: [a, b]}")),
    "defaults": Shape(_fields("a@: {type: integer, default: 3}")),
    "defaults of objects": Shape(_fields("a@: {type: object, default: {b: 3}, properties: {b: {type: integer}}}")),
    "lists by key": Shape(_fields(f"a@: {_LIST}")),
    "rules of one object": Shape(
        lambda n: f"{HEAD}{_SCHEMA}type: object\n{_SCHEMA}properties: {{a: {{type: string, maxLength: 5}}}}\n"
        f"{_SCHEMA}x-kubernetes-validations: [{', '.join(f'{{rule: self.a.size() < {i}}}' for i in range(6, n + 6))}]\n"
    ),
    "wrong defaults": Shape(_listed("{type: object, properties: {a: {type: array, items: {type: integer}, default: [@]}}}")),
    "required names": Shape(_listed("{type: object, required: [@]}")),
    "values of an enum": Shape(_listed("{type: object, properties: {a: {type: string, enum: [@]}}}")),
    "documents": Shape(_documents("a: b")),
    "other objects": Shape(_documents("kind: ConfigMap")),
    "costly rules behind aliases": Shape(
        lambda n: f"{HEAD}{_SCHEMA}type: object\n{_SCHEMA}properties:\n"
        f"{_SCHEMA}  l: {{type: array, items: {{type: array, items: {{type: string}}}}}}\n"
        f"{_SCHEMA}x-kubernetes-validations: [&r {{rule: '{_RULE}'}}{', *r' * n}]\n"
    ),
}  # fmt: skip
