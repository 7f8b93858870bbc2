"""The work that defaults take grows no faster than they do, counted in calls."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from crds import crd_in_json
from tables import each

from crdlint.crd.errors import DEFAULT_INVALID
from crdlint.linting import manifest
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.schema import default_validation

if TYPE_CHECKING:
    from collections.abc import Callable


def crd(schema: str) -> str:
    return crd_in_json({"type": "object", "properties": {"p": "@"}}, scope="Cluster").replace(
        '"@"', schema
    )


def calls(text: str) -> int:
    """Return how many functions are called to check a text."""
    count = 0

    def counted(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        lint_file(text, filename="x")
    finally:
        sys.setprofile(None)
    return count


def at_each_level(depth: int, inner: str) -> str:
    return '{"type":"object","default":{},"properties":{"a":' * depth + inner + "}}" * depth


RULED = '{"type":"string","x-kubernetes-validations":[{"rule":"self != \'x\'"}]}'
INPUTS: list[Callable[[int], str]] = [
    lambda n: at_each_level(n, '{"type":"string","default":"x"}'),
    lambda n: at_each_level(n, RULED),
    lambda n: (
        '{"type":"object","x-kubernetes-preserve-unknown-fields":true,"default":'
        + '{"a":' * n
        + "1"
        + "}" * n
        + "}"
    ),
    lambda n: (
        '{"type":"array","items":{"type":"integer"},"default":[' + ",".join(['"x"'] * 4 * n) + "]}"
    ),
]


@each("schema", INPUTS, ids=range(len(INPUTS)))
def test_growth(schema: Callable[[int], str]) -> None:
    lint_file(crd(schema(1)), filename="x")  # imports
    small, large = calls(crd(schema(200))), calls(crd(schema(400)))
    assert large < 2.3 * small


def test_an_error_of_many_costs_little() -> None:
    def text(count: int) -> str:
        return crd(INPUTS[-1](count))

    lint_file(text(1), filename="x")
    more = calls(text(400)) - calls(text(200))
    assert more < 290 * 4 * 200


def test_the_first_findings_of_many_have_their_own_headline_and_fix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(manifest, "_IN_DETAIL", 3)
    fields = ",".join(f'"f{i}":{{"type":"string","default":1}}' for i in range(6))
    text = crd('{"type":"object","properties":{' + fields + "}}")
    result = lint_file(text, "x", CheckRequest(fixes=True))
    found = [one for one in result.diagnostics if one.rule == DEFAULT_INVALID]
    assert [one.headline for one in found] == [
        *(f"default of `f{i}` must have the type `string`, not `integer`" for i in range(3)),
        *["Default is not valid for its own schema"] * 3,
    ]
    assert [one.fix is not None for one in found] == [True] * 3 + [False] * 3
    assert len({(one.line, one.column, one.message, one.user_path) for one in found}) == 6


def array(items: str, default: str) -> str:
    return f'{{"type":"array","items":{items},"default":{default}}}'


SERVERS_DIFFER = [
    (array('{"type":"integer"}', '["x"]'), False),
    (array('{"type":"integer"}', '[1,"x"]'), True),  # the range of a number
    (array('{"type":"string","format":"k8s-short-name"}', '["A",1]'), True),
    (array('{"type":"string","format":"k8s-short-name"}', "[1]"), False),
    (array(array('{"type":"string"}', '["x"]'), "[[true]]"), False),
    (array('{"anyOf":[{"maxLength":3}],"type":"string"}', "[true]"), True),
    ('{"type":"object","properties":{"a":{"type":"boolean"}},"default":{"a":"x"}}', False),
    (
        '{"type":"object","properties":{"a":{"type":"integer"}},"default":{"a":1.5e300}}',
        True,
    ),
    ('{"type":"string","default":1}', False),
    ('{"type":"integer","default":1.5}', True),
]


@each("schema, differ", SERVERS_DIFFER)
def test_defaults_are_validated_once_for_servers_that_agree(schema: str, differ: bool) -> None:
    validated = 0
    validate = default_validation.validate_defaults

    def counted(*arguments: Any, **named: Any) -> Any:
        nonlocal validated
        validated += 1
        return validate(*arguments, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(default_validation, "validate_defaults", counted)
        result = lint_file(crd(schema), "x", CheckRequest(names_servers=True))
    assert result.diagnostics[0].rule == DEFAULT_INVALID
    assert (validated > 1) is differ
