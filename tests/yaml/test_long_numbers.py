"""Numbers of more digits than Python converts: Go's answer, and no more work than their length."""

from __future__ import annotations

import json

import pytest
from crds import crd_in_json
from tables import each

import crdlint
from crdlint import lint_text, validate_resource
from crdlint.yaml import resolve

MANY = "9" * 5000
ZEROS = "0" * 5000
FORMS = {
    MANY: MANY,
    f"-{MANY}": f"-{MANY}",
    f"+{MANY}": f"+{MANY}",
    f"1_{MANY}": f"1_{MANY}",
    f"0x{'f' * 5000}": f"0x{'f' * 5000}",
    f"0x{ZEROS}f": 15,
    f"0b{ZEROS}11": 3,
    f"0{'7' * 5000}": f"0{'7' * 5000}",
    f"0{ZEROS}7": 7,
    f"0.{MANY}": 1,
    f"1e{MANY}": f"1e{MANY}",
    f"1e-{MANY}": 0,
    f"0x{'f' * 16}": 2**64 - 1,
    f"0b{'1' * 64}": 2**64 - 1,
    f"-0b1{'0' * 63}": -(2**63),
    "9" * 300: float("9" * 300),
}


@each("text", FORMS, ids=range(len(FORMS)))
def test_scalars(text: str) -> None:
    assert crdlint.decode_yaml(f"v: {text}\n") == {"v": FORMS[text]}
    assert crdlint.decode_yaml(f"? {MANY}\n: 1\n") == {MANY: 1}


def crd(**fields: object) -> str:
    return crd_in_json(
        {"type": "object", "properties": {"a": {"type": "integer", **fields}}}, scope="Cluster"
    )


def number(text: str) -> str:
    """Return a JSON text whose one marked text is a number of many digits."""
    return text.replace('"@"', MANY)


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_a_crd(form: str) -> None:
    text = number(crd(maxLength="@"))
    (error,) = (
        one
        for one in lint_text(text if form == "json" else text.replace('"apiVersion"', "apiVersion"))
        if one.severity == "error"
    )
    given = f"number {MANY}" if form == "json" else "string"
    assert error.message.startswith(f"json: cannot unmarshal {given} into Go struct field")
    assert error.message.endswith("maxLength of type int64")


def test_a_resource() -> None:
    foo = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}, "a": "@"}
    (error,) = validate_resource(crd(), number(json.dumps(foo))).errors
    assert (
        error.message == 'a: Invalid value: "string": a in body must be of type integer: "string"'
    )


@each(
    "rule",
    [
        f"self > {MANY}",
        f"self > int('{MANY}')",
        f"uint('{MANY}') > 1u",
        f"duration('{MANY}s') > duration('1s')",
        f"semver('{MANY}.0.0').major() > 0",
        f"cidr('1.2.3.4/{MANY}').prefixLength() > 0",
        f"'%.{MANY}f'.format([1.0]) != ''",
        f"timestamp('{MANY}-01-01T00:00:00Z') > timestamp('2000-01-01T00:00:00Z')",
        f"'a'.matches('a{{{MANY}}}')",
    ],
    ids=range(9),
)
def test_rules(rule: str) -> None:
    foo = '{"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}, "a": 1}'
    text = crd(**{"x-kubernetes-validations": [{"rule": rule}]})
    (error,) = validate_resource(text, foo).errors
    assert error.rule == "resource-rule"


def test_no_more_digits_are_converted_than_64_bits_have(monkeypatch: pytest.MonkeyPatch) -> None:
    converted: list[int] = []

    def counting(text: str, base: int = 10) -> int:
        converted.append(len(text))
        return int(text, base)

    monkeypatch.setattr(resolve, "int", counting, raising=False)
    assert crdlint.decode_yaml(f"v: [{MANY}, 0x{'f' * 5000}, {ZEROS}7, 12]") == {
        "v": [MANY, f"0x{'f' * 5000}", 7, 12]
    }
    assert converted
    assert max(converted) <= 65
