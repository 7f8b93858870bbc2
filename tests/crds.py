"""The smallest CRD that the API server accepts, which tests extend, an object of it, and a configuration."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

from crdlint.config.model import Config
from crdlint.rules.engine.examples import HEAD, small

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "EVERY_RULE",
    "HEAD",
    "SMALLEST",
    "crd_in_json",
    "crd_with_schema",
    "crd_with_spec",
    "object_in_json",
    "schema_with_spec",
    "small",
]

EVERY_RULE = Config(select=("?*",))  # named by a pattern, so that fixes of advice apply
SMALLEST = f"{HEAD.rstrip()} {{type: object}}\n"
_WITH_SPEC = f"""\
{HEAD}        type: object
        properties:
          spec:
"""


def crd_in_json(
    schema: Mapping[str, object], *, scope: str = "Namespaced", **version: object
) -> str:
    """Return the smallest CRD with a schema and more fields of its version, as JSON."""
    crd = small(dict(schema))
    crd["spec"]["scope"] = scope
    crd["spec"]["versions"][0].update(version)
    return json.dumps(crd)


def crd_with_schema(schema: str) -> str:
    """Return the smallest CRD with a schema, which is in YAML and begins at line 15, column 9 (1-based)."""
    return HEAD + _indented(schema, 8)


def crd_with_spec(schema: str) -> str:
    """Return the smallest CRD whose objects have a spec with a schema, which is in YAML."""
    return _WITH_SPEC + _indented(schema, 12)


def _indented(text: str, width: int) -> str:
    return textwrap.indent(textwrap.dedent(text).strip("\n") + "\n", " " * width)


def schema_with_spec(schema: Mapping[str, object]) -> dict[str, Any]:
    """Return the schema of objects whose spec has a schema."""
    return {"type": "object", "properties": {"spec": schema}}


def object_in_json(spec: object, **metadata: str) -> str:
    """Return an object of the smallest CRD, as JSON."""
    meta = {"name": "a", "namespace": "b", **metadata}
    return json.dumps(
        {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": meta, "spec": spec}
    )
