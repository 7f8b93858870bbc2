"""field.Error's bad values and encoding/json's Marshal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tables import each

from crdlint.golang.printing import Typed, bad_value, marshal

if TYPE_CHECKING:
    from collections.abc import Callable


class Reference:
    GO_FIELDS = (("Name", "name", ""), ("Port", "port", ""))
    name: str = ""
    port: int | None = None


class Config:
    GO_FIELDS = (
        ("URL", "url", ""),
        ("Reference", "reference", ""),
        ("CABundle", "ca_bundle", ""),
        ("Names", "names", ""),
        ("Labels", "labels", ""),
        ("Ratio", "ratio", ""),
        ("Enabled", "enabled", ""),
    )
    url: str | None = None
    reference: Reference | None = None
    ca_bundle: bytes = b""
    names: object = ()
    labels: object = {}
    ratio: float | None = None
    enabled: bool = False


class Anything:
    GO_FIELDS = ()
    value: object = None


class Nothing:
    GO_FIELDS = ()


def config(**given: object) -> Config:
    made = Config()
    vars(made).update(given)
    return made


ZERO = '{"URL":null,"Reference":null,"CABundle":null,"Names":null,"Labels":null,"Ratio":null,"Enabled":false}'


@each(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (-5, "-5"),
        (10**18, "1000000000000000000"),
        (2.0, "2"),
        (1e6, "1e+06"),
        (float("inf"), "+Inf"),
        ("", '""'),
        ("<a>\u2028", r'"<a>\u2028"'),
        ([], "[]"),
        (("v1", "v<2>"), r'["v1","v\u003c2\u003e"]'),
        ({}, "{}"),
        ([1e6, 1e-7, True, None], "[1000000,1e-7,true,null]"),
        (Typed("a<b", "*string"), r'"a\u003cb"'),
        (Typed(1e6, "*float64"), "1000000"),
        (Typed(None, "*string"), "null"),
    ],
)
def test_bad_value(value: object, text: str) -> None:
    assert bad_value(value) == text


@each(
    ("value", "text"),
    [
        ('a"b\\c/d', r'"a\"b\\c/d"'),
        ("\b\f\n\r\t", r'"\b\f\n\r\t"'),
        ("\x00\x0b\x1f\x7f", '"\\u0000\\u000b\\u001f\x7f"'),
        ("<>&", r'"\u003c\u003e\u0026"'),
        ("\u2028\u2029", r'"\u2028\u2029"'),
        ("é中😀\u200b", '"é中😀\u200b"'),
        ("x\udc00", r'"x\ufffd\ufffd\ufffd"'),
        (b"", '""'),
        (b"\x00\xffab", '"AP9hYg=="'),
        ({"b": 1, "a": {"<": []}, "B": None}, r'{"B":null,"a":{"\u003c":[]},"b":1}'),
        ({"é": 1, "z": 2, "😀": 3, "\uffff": 4}, '{"z":2,"é":1,"\uffff":4,"😀":3}'),
        ([[], {}, [[]], ""], '[[],{},[[]],""]'),
    ],
)
def test_marshal(value: object, text: str) -> None:
    assert marshal(value) == text


def test_struct_prints_every_field_in_go_order_and_what_was_not_given_as_nil() -> None:
    assert marshal(config()) == ZERO


def test_struct_prints_empty_collections_that_were_given() -> None:
    made = config(names=[], labels={}, ca_bundle=b"")
    assert marshal(made) == (
        '{"URL":null,"Reference":null,"CABundle":"","Names":[],"Labels":{},"Ratio":null,"Enabled":false}'
    )


def test_structs_nest() -> None:
    reference = Reference()
    reference.name = "svc"
    made = config(
        url="https://x?a&b",
        reference=reference,
        names=["n", config()],
        labels={"k": reference},
        ratio=0.5,
    )
    assert marshal(made) == (
        '{"URL":"https://x?a\\u0026b","Reference":{"Name":"svc","Port":null},"CABundle":null,'
        f'"Names":["n",{ZERO}],"Labels":{{"k":{{"Name":"svc","Port":null}}}},"Ratio":0.5,"Enabled":false}}'
    )


def test_an_interface_prints_its_value() -> None:
    default = Anything()
    assert marshal([default]) == "[null]"
    default.value = {"b": [], "a": "x"}
    assert marshal([default, Nothing()]) == '[{"a":"x","b":[]},{}]'


@each(
    "wrap", [lambda inner: [inner], lambda inner: {"a": inner}, lambda inner: config(names=inner)]
)
def test_any_depth(wrap: Callable[..., Any]) -> None:
    depth = 12_500
    value: object = "x"
    for _ in range(depth):
        value = wrap(value)
    assert marshal(value).count(marshal(wrap("x")).split('"x"')[0]) == depth


@pytest.mark.parametrize("value", [object(), {1, 2}])
def test_refuses_what_stands_for_nothing(value: object) -> None:
    with pytest.raises(TypeError, match="no Go value: "):
        marshal([value])
