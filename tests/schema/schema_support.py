"""Schemas for tests, read from YAML as those of a CRD are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.crd.convert import read_crd
from crdlint.crd.decode import Reader, reader_json
from crdlint.rules.engine.examples import HEAD
from crdlint.yaml.parse import parse_first

if TYPE_CHECKING:
    from typing import Any

    from crdlint.crd.model import JSONSchemaProps


def schema(text: str) -> JSONSchemaProps:
    """Return the schema of a YAML text."""
    indented = "".join(f"        {line}\n" for line in text.splitlines())
    root = parse_first(HEAD + indented).root
    assert root is not None
    validation = read_crd(root).crd.spec.validation
    assert validation is not None
    assert validation.open_api_v3_schema is not None
    return validation.open_api_v3_schema


def value(text: str) -> Any:
    """Return the JSON value of a JSON text, its numbers as Go's."""
    root = parse_first(text).root
    assert root is not None
    return reader_json(Reader(json=True), root, 1)
