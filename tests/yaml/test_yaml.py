"""YAML as the API server's decoder reads it: values, positions, errors, bounds."""

from __future__ import annotations

import gc
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from present import present
from tables import each

import crdlint
from crdlint.yaml import parse
from crdlint.yaml.json_values import duplicate_keys
from crdlint.yaml.nodes import Mapping, child, is_json, items_of, text_of
from crdlint.yaml.parse import parse_first, parse_stream, reading_notice

LONG = "k" * 1025  # longer than YAML's keys without a question mark

if TYPE_CHECKING:
    from typing import Any


@each(
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
        ("!!timestamp 0000-2-29", "0000-2-29"),
        ("!!timestamp '2001-12-14t21:59:43.10-05:00'", "2001-12-14t21:59:43.10-05:00"),
        ("!!timestamp 2001-12-14  1:2:3", "2001-12-14  1:2:3"),
        ("!!float 1", 1),
        ("!!binary aGk=", "hi"),
        ("yess", "yess"),
        ("0b+11", 3),
        ("0b-11", -3),
        (".5_0e0_1", 5),
        ("._5", "._5"),
        (".5_", ".5_"),
        (".1e1_0001", ".1e1_0001"),
        ('"it\\\'s"', "it's"),
    ],
)
def test_scalars(text: str, value: Any) -> None:
    assert crdlint.decode_yaml(f"v: {text}\n") == {"v": value}


@each(
    ("text", "value"),
    [
        ("on: 1\n", {"true": 1}),
        ("1: a\n2.5: b\n", {"1": "a", "2.5": "b"}),
        ("a: &x {k: 1}\nb: *x\n", {"a": {"k": 1}, "b": {"k": 1}}),
        (
            "a: &x {k: 1, z: 1}\nb:\n  <<: *x\n  z: 2\n",
            {"a": {"k": 1, "z": 1}, "b": {"k": 1, "z": 2}},
        ),
        (
            "k: &x {a: 1, b: 1}\nl: &y {b: 2}\n<<: [*x, *y, {c: 3, b: 3}]\n",
            {"k": {"a": 1, "b": 1}, "l": {"b": 2}, "c": 3, "b": 1, "a": 1},
        ),
        ("a: 1\na: 2\n", {"a": 2}),
        ("\ufeffa: 1\r\nb: 2\r\n", {"a": 1, "b": 2}),
        ("", None),
        ("# nothing\n", None),
        ("a: 1\n---\nb: 2\n", {"a": 1}),
        ("!!str <<: x", {"<<": "x"}),
        ("a: !!binary '4oI='", {"a": "\ufffd\ufffd"}),
        # what libyaml refuses and Go takes
        ("a: {b: http://x, c: [d:e::f, g:]}\n", {"a": {"b": "http://x", "c": ["d:e::f", "g:"]}}),
        ("{x:y: z, 'a':b, \"c d\":[e], f:}", {"x:y": "z", "a": "b", "c d": ["e"], "f:": None}),
        (
            'a: [x\':y, x":z]\nb: |\n  p:q\nc: "r:\\ue000"\n',
            {"a": ["x':y", 'x":z'], "b": "p:q\n", "c": "r:\ue000"},
        ),
        ("%TAG !e! tag:e.com,2000:\n---\na: [!e!x b, &c d:e, *c ]", {"a": ["b", "d:e", "d:e"]}),
        ('{"a": "\\ud83d\\ude00 \\ue000 \\\\ud83d"}', {"a": "\U0001f600 \ue000 \\ud83d"}),
        ("\ufeffa: 1\n\ufeffb: [c:d]\n", {"a": 1, "\ufeffb": ["c:d"]}),
        ('{"a": "\\ud83d", "\\udE00\\uD83D": "x"}', {"a": "\ufffd", "\ufffd\ufffd": "x"}),
        (
            f'\n{{"{LONG}":[1,-2.5e1,"[\\"\\/ \\u00e9",{{}}],\r\n\t"a": {{"b":true, "c": null}}}}\n',
            {LONG: [1, -25, '["/ é', {}], "a": {"b": True, "c": None}},
        ),
    ],
)
def test_documents(text: str, value: dict[str, Any] | None) -> None:
    assert crdlint.decode_yaml(text) == value


@each(
    ("text", "message"),
    [
        ("a:\n  b: 1\n c: 2\n", "yaml: line 2: did not find expected key"),
        ("a: b: c\n", "yaml: mapping values are not allowed in this context"),
        ("a: *nope\n", "yaml: unknown anchor 'nope' referenced"),
        ("&a [*a]", "yaml: anchor 'a' value contains itself"),
        ("a: .inf\n", "json: unsupported value: +Inf"),
        ("~: v\n", 'unsupported map key of type: %!s(<nil>), key: <nil>, value: "v"'),
        ("? [a]\n: b\n", 'yaml: invalid map key: []interface {}{"a"}'),
        (
            "a: &x [{b: c}]\nd:\n  <<: *x\n",
            "yaml: map merge requires map or sequence of maps as the value",
        ),
        ("a:\n  <<: x\n", "yaml: map merge requires map or sequence of maps as the value"),
        ("~:\n", "unsupported map key of type: %!s(<nil>), key: <nil>, value: <nil>"),
        (
            "~: 12345678901234567890",
            "unsupported map key of type: %!s(<nil>), key: <nil>, value: 0xab54a98ceb1f0ad2",
        ),
        (
            "? [1.0, 1e6, ~]\n: b\n",
            "yaml: invalid map key: []interface {}{1, 1e+06, interface {}(nil)}",
        ),
        (
            "? {2: a, 1: on}\n: b\n",
            'yaml: invalid map key: map[interface {}]interface {}{1:true, 2:"a"}',
        ),
        (
            "{" * 2000 + "a: b" + "}" * 2000,
            'yaml: invalid map key: map[interface {}]interface {}{"a":"b"}',
        ),
        ("%YAML 1.2\n---\na: 1\n", "yaml: found incompatible YAML document"),
        ("#\n%YAML 1.2\n---\na: 1\n", "yaml: line 1: found incompatible YAML document"),
        (f"{{'{LONG}': 1}}", "yaml: did not find expected ',' or '}'"),
        (f'{{"{LONG}": NaN}}', "yaml: did not find expected ',' or '}'"),
        ("a: [b?c]", "yaml: did not find expected ',' or ']'"),
        ("a: [b:c\n", "yaml: line 1: did not find expected ',' or ']'"),
        ("a: {b: :c}", "yaml: did not find expected node content"),
        ('a: "\\ud83d\\ude00"', "yaml: found invalid Unicode character escape code"),
        ("a: !!int 2020-01-01", "yaml: cannot decode !!str `2020-01-01` as a !!int"),
        ("a: !!timestamp 2020-13-01", "yaml: cannot decode !!str `2020-13-01` as a !!timestamp"),
        ("a: !!timestamp 2020-1-1T1", "yaml: cannot decode !!str `2020-1-1T1` as a !!timestamp"),
        ("a: !!timestamp 1", "yaml: cannot decode !!int `1` as a !!timestamp"),
        ("a: \x01", "yaml: control characters are not allowed"),
        ("[" * 10001, "yaml: exceeded max depth of 10000"),
        ("v: !!int x\n", "yaml: cannot decode !!str `x` as a !!int"),
        ("!!float v: x\n", "yaml: cannot decode !!str `v` as a !!float"),
        # what is dropped is decoded too
        ("v: !!int\nv: 1\n", "yaml: cannot decode !!null `` as a !!int"),
        ("a:\n  <<: x\na: 1\n", "yaml: map merge requires map or sequence of maps as the value"),
        # all is decoded before any of it becomes JSON, and all is parsed before any is decoded
        ("~: v\nv: !!int\n", "yaml: cannot decode !!null `` as a !!int"),
        ("v: !!int\n!!float w: 1\n", "yaml: cannot decode !!null `` as a !!int"),
        ("v: {? [a, !!int x] : b}\n? [c]\n: d\n", "yaml: cannot decode !!str `x` as a !!int"),
        ("a: &x {k:: *x\n", "yaml: line 1: did not find expected ',' or '}'"),
        # where a key lacks its colon
        ('a: 1\n"b"\n ', "yaml: line 4: could not find expected ':'"),
        ('a: 1\n"b"\n', "yaml: line 3: could not find expected ':'"),
        ("a: 1\n[b]\n # c", "yaml: line 4: could not find expected ':'"),
        ("a: 1\nb\n ", "yaml: line 3: could not find expected ':'"),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(crdlint.YAMLDecodeError) as raised:
        crdlint.decode_yaml(text)
    assert str(raised.value) == message


@each(
    ("text", "told"),
    [
        ('a: 1\n"a": 2', ['line 2: key "a" already set in map']),
        ("1: a\n'1': b\n0x1: c", ["line 3: key 1 already set in map"]),
        ("on: 1\ntrue: 2\n'true': 3", ["line 2: key true already set in map"]),
        ("1: a\n1.0: b", []),
        ("123456789.5: a\n123456789.5: b", ["line 2: key 1.234567895e+08 already set in map"]),
        (".inf: a\n.inf: b\n.nan: c\n.nan: d", ["line 2: key +Inf already set in map"]),
        ("a: &x {b: c}\nd:\n  <<: *x\n  b: e", ['line 4: key "b" already set in map']),
    ],
)
def test_keys_that_stand_twice(text: str, told: list[str]) -> None:
    assert [
        one.message for one in duplicate_keys(parse_stream(text)[0].non_simple_mappings)
    ] == told


def test_aliases_that_explode_are_refused() -> None:
    lines = ["a0: &a0 [x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)]
    with pytest.raises(crdlint.YAMLDecodeError, match="excessive aliasing"):
        crdlint.decode_yaml("\n".join(lines))


def test_documents_know_their_lines() -> None:
    documents = parse_stream("a: 1\n---\nb: 2\n---\n: [\n---\nc: 3\n")
    assert [(d.line_offset, d.error is None) for d in documents] == [
        (0, True),
        (2, True),
        (4, False),
        (6, True),
    ]
    third = documents[2].error
    assert third is not None
    assert third.line >= 4


def test_what_stands_behind_a_separator_is_refused() -> None:
    documents = parse_stream("a: 1\n--- x\nb: 2\n")
    assert [d.error and d.error.message for d in documents] == [
        None,
        "invalid Yaml document separator: x",
    ]


@each(
    ("text", "simple"),
    [
        ("a: 1\nb: 2\n", True),
        ("on: 1\n", False),
        ("'on': 1\n", True),
        ("a: 1\na: 2\n", False),
        ("<<: {a: 1}\n", False),
    ],
)
def test_simple_mappings(text: str, simple: bool) -> None:
    root = parse_stream(text)[0].root
    assert isinstance(root, Mapping)
    assert root.simple is simple


def test_the_pure_parser_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: [1, two, {b: 'c'}]\nd: |\n  x\n  y\n&k e: *k\n" + "f: &f {g: on}\nh: *f\n"
    with_libyaml = crdlint.decode_yaml(text)
    monkeypatch.setattr(parse, "CParser", None)
    assert crdlint.decode_yaml(text) == with_libyaml
    assert "slower" in str(reading_notice())


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_left_as_it_was(enabled: bool) -> None:
    was = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        parse_stream("a: [")
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if was else gc.disable)()


YAMLISH = st.text(
    alphabet=st.sampled_from(list("ab:-[]{},&*!|>'\"#%@`?~<0. \n\t\\\x00\x85\u2028é\ud800")),
    max_size=60,
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(YAMLISH)
def test_any_text_ends_in_a_value_or_an_error(text: Any) -> None:
    with suppress(crdlint.YAMLDecodeError):
        crdlint.decode_yaml(text)
    header = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n"
    for diagnostic in crdlint.lint_text(header + text):
        assert diagnostic.message
        assert diagnostic.line >= 1
        assert diagnostic.column >= 1


@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_places_are_those_of_an_editor(bom: str) -> None:
    """YAML 1.1 breaks lines where no editor does."""
    document = parse_stream(f'{bom}a: "x\u2028y\u0085"\r\nb: z\u2029\nc: 1\n')[0]
    assert isinstance(document.root, Mapping)
    starts = [(node.start_mark.line, node.start_mark.column) for node in document.root.items]
    assert starts == [(0, 0), (0, 3), (1, 0), (1, 3), (2, 0), (2, 3)]
    problem = present(parse_stream(f'{bom}a: "x\u2028y"\nb: c: d\n')[0].error)
    assert (problem.message, problem.line, problem.column) == (
        "yaml: line 3: mapping values are not allowed in this context",
        1,
        4,
    )
    odd = parse_stream(f'{bom}a: "\u2028"\na: 2\n')[0].non_simple_mappings
    assert [one.message for one in duplicate_keys(odd)] == ['line 3: key "a" already set in map']


def test_comments_with_windows_line_ends_before_a_separator() -> None:
    # Two ways to read each line end took twice as long with every line.
    comments = "# a comment\r\n" * 200
    assert [d.root is None for d in parse_stream(f"{comments}a: 1\r\n---\r\nb: 1\r\n")] == [
        False,
        False,
    ]
    assert len(parse_stream(f"{comments}%YAML 1.2\r\n---\r\nb: 1\r\n")) == 1


@each(
    ("steps", "text"),
    [
        (("a", "b"), "1"),
        (("a", "l", 1), "y"),
        ((), None),
        (("a", "l"), None),
        (("a", "l", 2), None),
        (("a", "l", "x"), None),
        (("a", 0), None),
        (("a", "b", "c"), None),
        (("merged", "b"), None),
    ],
)
def test_children_of_nodes(steps: tuple[str | int, ...], text: str | None) -> None:
    root = parse_first("a: &a {b: 0, b: 1, l: [x, y]}\nmerged: {<<: *a}\n").root
    assert text_of(child(root, *steps)) == text


def test_items_of_what_is_no_list() -> None:
    root = parse_first("a: {b: 1}\nl: [x, y]\n").root
    assert [text_of(item) for item in items_of(child(root, "l"))] == ["x", "y"]
    assert items_of(child(root, "a")) == []
    assert items_of(child(root, "missing")) == []


@each(
    ("text", "expected"),
    [
        ('{"a": 1.0}', True),
        ('\n {"a": {"b": []}}\n', True),
        ("{}", True),
        ('# a comment\n{"a": 1.0}', False),
        ('{"a": 1.0} # a comment', False),
        ('---\n{"a": 1.0}', False),
        ("{a: 1.0}", False),
        ('{"a": 1.0,}', False),
        ("{'a': 1.0}", False),
        ('{"a": NaN}', False),
        ("a: 1.0", False),
    ],
)
def test_json_is_what_go_accepts_as_json(text: str, expected: bool) -> None:
    root = parse_first(text).root
    assert root is not None
    assert is_json(root) is expected


def in_brackets(levels: int, values: str) -> str:
    return f"kind: CustomResourceDefinition\na: {'[' * levels}{values}{']' * levels}\n"


IN_BLOCKS = "kind: CustomResourceDefinition\na:\n" + "".join(
    f"{'  ' * i}- b:\n{'  ' * i}  - 1\n" for i in range(1, 50)
)


@each(
    ("text", "is_read"),
    [
        (in_brackets(50, "1, " * 1000), False),
        (in_brackets(50, "{a: 1}, " * 1000), False),
        (in_brackets(50, '"]]]", ' * 1000), False),
        (in_brackets(25, "1, " * 2000) + "b: 1\n", False),
        ("# \u2028\n" + in_brackets(50, "\u00e9, " * 1000), False),
        ("\ufeff" + in_brackets(50, "1, " * 1000), False),
        (in_brackets(50, "1, " * 100), True),
        (in_brackets(1, "1, " * 9000), True),
        (in_brackets(1, "[1], " * 3000), True),
        (in_brackets(100, "1"), True),
        (IN_BLOCKS, True),
        ("a: '" + "[" * 900 + "'\n" + "b: {c: 1}\n" * 1000, True),
    ],
)
def test_values_within_many_brackets_are_not_read(
    monkeypatch: pytest.MonkeyPatch, text: str, *, is_read: bool
) -> None:
    monkeypatch.setattr(parse, "_MOST_LEVELS", 20_000)
    document = parse_first(text)
    assert (document.error is None) is is_read
    own = [each for each in crdlint.lint_text(text) if each.origin == "crdlint"]
    assert is_read or [(each.rule, each.severity) for each in own] == [("yaml-syntax", "error")]


def test_the_deepest_document_that_the_server_reads_is_read() -> None:
    assert parse_first(in_brackets(9_990, "1")).error is None
