"""YAML as the API server's decoder reads it: values, positions, errors, bounds."""

from __future__ import annotations

import gc
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crdlint
from crdlint.yaml import parse
from crdlint.yaml.nodes import Mapping
from crdlint.yaml.parse import parse_stream


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", True),
        ("y", True),
        ("No", False),
        ("off", False),
        ("~", None),
        ("", None),
        ("010", 8),
        ("0o17", 15),
        ("0x1F", 31),
        ("0b101", 5),
        ("1_000", 1000),
        ("1e3", 1000),
        ("1.50", 1.5),
        ("-0", 0),
        ("18446744073709551615", 18446744073709551615),
        ("18446744073709551616", 18446744073709552000),
        ("1:30", "1:30"),
        ("2020-01-01", "2020-01-01"),
        ("1e400", "1e400"),
        ("'on'", "on"),
        ("!!str on", "on"),
        ("!!float 1", 1),
        ("!!binary aGk=", "hi"),
        ("yess", "yess"),
    ],
)
def test_scalars(text, value):
    assert crdlint.decode_yaml(f"v: {text}\n") == {"v": value}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on: 1\n", {"true": 1}),
        ("1: a\n2.5: b\n", {"1": "a", "2.5": "b"}),
        ("a: &x {k: 1}\nb: *x\n", {"a": {"k": 1}, "b": {"k": 1}}),
        ("a: &x {k: 1, z: 1}\nb:\n  <<: *x\n  z: 2\n", {"a": {"k": 1, "z": 1}, "b": {"k": 1, "z": 2}}),
        ("a: 1\na: 2\n", {"a": 2}),
        ("\ufeffa: 1\r\nb: 2\r\n", {"a": 1, "b": 2}),
        ("", None),
        ("# nothing\n", None),
        ("a: 1\n---\nb: 2\n", {"a": 1}),
    ],
)
def test_documents(text, value):
    assert crdlint.decode_yaml(text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a:\n  b: 1\n c: 2\n", "yaml: line 2: did not find expected key"),
        ("a: b: c\n", "yaml: mapping values are not allowed in this context"),
        ("a: *nope\n", "yaml: unknown anchor 'nope' referenced"),
        ("&a [*a]", "yaml: anchor 'a' value contains itself"),
        ("a: .inf\n", "json: unsupported value: +Inf"),
        ("~: v\n", 'unsupported map key of type: %!s(<nil>), key: <nil>, value: "v"'),
        ("? [a]\n: b\n", 'yaml: invalid map key: []interface {}{"a"}'),
        ("a:\n  <<: x\n", "yaml: map merge requires map or sequence of maps as the value"),
        ("a: \x01", "yaml: control characters are not allowed"),
        ("[" * 10001, "yaml: exceeded max depth of 10000"),
        ("v: !!int x\n", "yaml: cannot decode !!str `x` as a !!int"),
    ],
)
def test_errors(text, message):
    with pytest.raises(crdlint.YAMLDecodeError) as raised:
        crdlint.decode_yaml(text)
    assert str(raised.value) == message


def test_aliases_that_explode_are_refused():
    lines = ["a0: &a0 [x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)]
    with pytest.raises(crdlint.YAMLDecodeError, match="excessive aliasing"):
        crdlint.decode_yaml("\n".join(lines))


def test_documents_know_their_lines():
    stream = parse_stream("a: 1\n---\nb: 2\n---\n: [\n---\nc: 3\n")
    assert [(d.line_offset, d.error is None) for d in stream.documents] == [(0, True), (2, True), (4, False), (6, True)]
    third = stream.documents[2].error
    assert third is not None
    assert third.line >= 4


def test_what_stands_behind_a_separator_is_refused():
    stream = parse_stream("a: 1\n--- x\nb: 2\n")
    assert [d.error and d.error.message for d in stream.documents] == [None, "invalid Yaml document separator: x"]


@pytest.mark.parametrize(
    ("text", "simple"),
    [("a: 1\nb: 2\n", True), ("on: 1\n", False), ("'on': 1\n", True), ("a: 1\na: 2\n", False), ("<<: {a: 1}\n", False)],
)
def test_simple_mappings(text, simple):
    root = parse_stream(text).documents[0].root
    assert isinstance(root, Mapping)
    assert root.simple is simple


def test_the_pure_parser_gives_the_same(monkeypatch):
    text = "a: [1, two, {b: 'c'}]\nd: |\n  x\n  y\n&k e: *k\n" + "f: &f {g: on}\nh: *f\n"
    with_libyaml = crdlint.decode_yaml(text)
    monkeypatch.setattr(parse, "CParser", None)
    assert crdlint.decode_yaml(text) == with_libyaml
    assert "slower" in (parse_stream(text).notice or "")


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_left_as_it_was(enabled):
    was = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        parse_stream("a: [")
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if was else gc.disable)()


YAMLISH = st.text(alphabet=st.sampled_from(list("ab:-[]{},&*!|>'\"#%@`?~<0. \n\t\\\x00\x85\u2028é\ud800")), max_size=60)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(YAMLISH)
def test_any_text_ends_in_a_value_or_an_error(text):
    with suppress(crdlint.YAMLDecodeError):
        crdlint.decode_yaml(text)
    header = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n"
    for diagnostic in crdlint.lint_text(header + text):
        assert diagnostic.message
        assert diagnostic.line >= 1
        assert diagnostic.column >= 1
