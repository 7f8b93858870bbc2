"""A shape for each command, over findings and over sizes: the files of a size, and the arguments of the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, NamedTuple

_HEAD: Final = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Foo, plural: foos}
  versions:
  - name: v1
    served: true
    storage: true
"""
_SCHEMA: Final = """\
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
"""
_FIELD: Final = f"{_HEAD}{_SCHEMA}              a: {{type: integer}}\n"
_OBJECT: Final = (
    '{{apiVersion: example.com/v1, kind: Foo, metadata: {{name: a{0}}}, spec: {{a: "{0}"}}}}\n'
)
_COSTLY: Final = """\
a{0}: {{type: array, items: {{type: string}}, x-kubernetes-validations: [{{rule: "self.all(x, self.all(y, x != y))"}}]}}"""


class CommandShape(NamedTuple):
    """The arguments of a command, its files of `size` parts, and that size."""

    arguments: tuple[str, ...]
    files: Callable[[int], dict[str, str]]
    size: int


def _fields(text: str) -> Callable[[int], str]:
    """Return a function that makes a CRD with fields: `text` has the number of each."""
    return lambda size: (
        f"{_HEAD}{_SCHEMA}" + "".join(f"              {text.format(i)}\n" for i in range(size))
    )


def _one(make: Callable[[int], str]) -> Callable[[int], dict[str, str]]:
    return lambda size: {"crd.yaml": make(size)}


def _columns(size: int) -> str:
    column = "    - {{name: c{0}, type: string, jsonPath: .spec.f{0}}}\n"
    columns = "".join(column.format(i) for i in range(size))
    return f"{_HEAD}    additionalPrinterColumns:\n{columns}{_SCHEMA}              a: {{type: integer}}\n"


def _enum(size: int, prefix: str = "x") -> str:
    values = "".join(f"                - {prefix}{i}\n" for i in range(size))
    return f"{_HEAD}{_SCHEMA}              a:\n                type: string\n                enum:\n{values}"


def _equal_values(size: int) -> str:
    values = "                - x\n" * size
    return f"{_HEAD}{_SCHEMA}              a:\n                type: string\n                enum:\n{values}"


def _rules(size: int) -> str:
    rules = "".join(f'            - rule: "self.a > {i}"\n' for i in range(size))
    return f"{_FIELD}            x-kubernetes-validations:\n{rules}"


def _default(size: int) -> str:
    field = f"a: {{type: array, items: {{type: integer}}, default: [{', '.join(['x'] * size)}]}}\n"
    return f"{_HEAD}{_SCHEMA}              {field}"


def _list(size: int) -> str:
    return "apiVersion: v1\nkind: List\nitems:\n" + "".join(
        f"- {_OBJECT.format(i)}" for i in range(size)
    )


def _documents(size: int) -> str:
    return "".join(f"---\n{_OBJECT.format(i)}" for i in range(size))


def _suite(size: int) -> str:
    tests = [
        {"name": f"a{i}", "initial": _OBJECT.format(i), "expectedError": "integer"}
        for i in range(size)
    ]
    return json.dumps({"crdName": "foos.example.com", "tests": {"onCreate": tests}})


def _data(size: int) -> str:
    return json.dumps({"a": [{"b": i, "c": {"d": str(i)}} for i in range(size)]})


_CHECK: Final = ("check", "--no-cache", "crd.yaml")
_DIFF: Final = ("diff", "old.yaml", "crd.yaml")
_VALIDATE: Final = ("validate", "--crd", "crd.yaml", "a.yaml")

COMMANDS: Final = {
    "check: fixable findings": CommandShape(_CHECK, _one(_fields("a{0}: {{type: strnig}}")), 500),
    "check: ignore comments": CommandShape(
        _CHECK, _one(_fields("a{0}: {{type: strnig}} # crdlint: ignore[type-unsupported] x")), 500
    ),
    "check: duplicate keys": CommandShape(
        _CHECK, _one(_fields("a{0}: {{type: string, type: string}}")), 1000
    ),
    "check: columns": CommandShape(_CHECK, _one(_columns), 1000),
    "check: equal values of an enum": CommandShape(_CHECK, _one(_equal_values), 2000),
    "check: errors of a default": CommandShape(_CHECK, _one(_default), 4000),
    "check: rules": CommandShape(_CHECK, _one(_rules), 200),
    "check --against: enum": CommandShape(
        ("check", "--no-cache", "--against", "old.yaml", "crd.yaml"),
        lambda size: {"crd.yaml": _enum(size), "old.yaml": _enum(size, "y")},
        1000,
    ),
    "--fix": CommandShape(
        ("check", "--no-cache", "--fix", "crd.yaml"), _one(_fields("a{0}: {{type: strnig}}")), 200
    ),
    "--fix: fixes that fail": CommandShape(
        ("check", "--no-cache", "--fix", "crd.yaml"),
        _one(_fields("a{0}: {{type: integer, default: '1', minimum: 5}}")),
        200,
    ),
    "validate: a list": CommandShape(
        _VALIDATE, lambda size: {"crd.yaml": _FIELD, "a.yaml": _list(size)}, 100
    ),
    "validate: documents": CommandShape(
        _VALIDATE, lambda size: {"crd.yaml": _FIELD, "a.yaml": _documents(size)}, 100
    ),
    "diff: rules": CommandShape(
        _DIFF, lambda size: {"old.yaml": _FIELD, "crd.yaml": _rules(size)}, 200
    ),
    "diff: limits": CommandShape(
        _DIFF,
        lambda size: {
            "old.yaml": _fields("a{0}: {{type: string}}")(size),
            "crd.yaml": _fields("a{0}: {{type: string, maxLength: 3}}")(size),
        },
        300,
    ),
    "cost": CommandShape(("cost", "crd.yaml"), _one(_rules), 300),
    "cost --suggest": CommandShape(("cost", "--suggest", "crd.yaml"), _one(_fields(_COSTLY)), 200),
    "eval": CommandShape(
        ("eval", "self.a.all(x, x.b >= 0)", "--object", "a.json"),
        lambda size: {"a.json": _data(size)},
        1000,
    ),
    "test": CommandShape(
        ("test", "--crd", "crd.yaml", "a.testsuite.yaml"),
        lambda size: {"crd.yaml": _FIELD, "a.testsuite.yaml": _suite(size)},
        100,
    ),
}
