"""Keys that are set twice: a warning with both places, in words that say which clients notice."""

from __future__ import annotations

from textwrap import indent

from crds import crd_with_schema
from tables import each

import crdlint
from crdlint.config.apply import apply
from crdlint.config.model import Config
from crdlint.linting.pipeline import lint_file

ABOVE = "a: 1\n---\n"
LAST_WINS = (
    ": kubectl and every client that sends JSON keep the last value, so the API server never sees the first; "
    "it rejects only a request with the {} itself"
)


def crd(lines: str) -> str:
    return ABOVE + crd_with_schema("type: object\nproperties:\n" + indent(lines, "  "))


TWICE = crd("a:\n  type: string\n  maxLength: 5\n  maxLength: 6")
MERGED = crd(
    "a: &a\n  type: string\n  maxLength: 5\n  maxLength: 6\nb: {<<: *a}\nc: {<<: *a}\nd: {<<: *a, maxLength: 7}"
)
LATE_MERGE = crd("a: &a {type: string, maxLength: 5}\nb:\n  maxLength: 6\n  <<: *a")
OVERRIDE = crd("a: &a {type: string, maxLength: 5}\nb:\n  <<: *a\n  maxLength: 6")
JSON = (
    '{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",\n"metadata": {"name": "a.b.c"},\n'
    '"spec": {"group": "b.c",\n"group": "b.c"}}'
)


def found(text: str, *select: str) -> list[crdlint.Diagnostic]:
    result = lint_file(text, filename="x")
    config = Config(select=select) if select else Config()
    return [one for one in apply(result, config).result.diagnostics if one.kind == "strict"]


@each(
    ("text", "message", "first", "later"),
    [
        (
            TWICE,
            f"key `maxLength` is set twice, in lines 21 and 22{LAST_WINS.format('YAML')}",
            21,
            22,
        ),
        (
            MERGED,
            f"key `maxLength` is set twice, in lines 21 and 22{LAST_WINS.format('YAML')} (3 more mappings merge it)",
            21,
            22,
        ),
        (
            LATE_MERGE,
            f"`<<` replaces key `maxLength` of line 21 by that of line 19{LAST_WINS.format('YAML')}",
            21,
            19,
        ),
        (
            JSON,
            f"field `spec.group` is set twice, in lines 3 and 4{LAST_WINS.format('file')}",
            3,
            4,
        ),
    ],
)
def test_a_warning_names_both_lines_of_the_file(
    text: str, message: str, first: int, later: int
) -> None:
    [one] = found(text)
    assert (one.rule, one.severity, one.message) == ("duplicate-key", "warning", message)
    assert (one.line, one.related and one.related.line) == (later, first)


# Two fields of an integer or a text, the bound that one of them is probably meant for, and whether that is the first.
BOUNDS = (
    ("maximum: 10\n  maximum: 1", "minimum", False),
    ("maximum: 1\n  maximum: 10", "minimum", True),
    ("minimum: -1\n  minimum: 0.5", "maximum", False),
    ("maxLength: 63\n  minItems: 1\n  maxLength: 1", "minLength", False),
    ("minItems: 9\n  minItems: 0", "maxItems", True),
)
# The same key twice, without an opposite bound that one of them may be meant for.
OTHERS = (
    "maximum: 10\n  maximum: 9\n  minimum: 1",
    "multipleOf: 2\n  multipleOf: 3",
    "pattern: a\n  pattern: b",
    "maxLength: many\n  maxLength: 3",
)


@each(("fields", "opposite", "is_first"), BOUNDS)
def test_a_bound_that_may_be_meant_for_the_opposite_one_is_a_question(
    fields: str, opposite: str, is_first: bool
) -> None:
    text = crd(f"a:\n  type: string\n  {fields}")
    (finding,) = [one for one in found(text) if one.rule == "duplicate-key"]
    first = 21
    line = first if is_first else first + fields.count("\n")
    assert str(finding.help).startswith(f"Did you mean `{opposite}` in line {line}? Otherwise, ")
    assert crdlint.fix_text(text, filename="x.yaml", unsafe=True) == text


@each("fields", OTHERS)
def test_no_fix_removes_one_of_two_different_values(fields: str) -> None:
    text = crd(f"a:\n  type: string\n  {fields}")
    helps = [one.help for one in found(text) if one.rule == "duplicate-key"]
    assert helps == ["Remove one of the two keys: the API server uses the last"]
    assert crdlint.fix_text(text, filename="x.yaml", unsafe=True) == text


def test_repetitions_in_several_mappings_are_no_block() -> None:
    fields = "type: string\n  maxLength: 9\n  maxLength: 9\n"
    text = crd(f"a:\n  {fields}b:\n  {fields}")
    assert not any("indentation" in str(one.help) for one in found(text))
    assert crdlint.fix_text(text, filename="x.yaml").count("maxLength: 9") == len("ab")


def test_a_repetition_within_a_repeated_block_stays_where_it_may_be_out_of_place() -> None:
    text = crd(
        "a:\n  type: object\n  properties:\n    b: {type: string}\n  properties:\n    c:\n      type: object\n"
        "      type: object"
    )
    assert [one.rule for one in found(text)] == ["duplicate-key", "duplicate-key"]
    assert crdlint.fix_text(text, filename="x.yaml", unsafe=True) == text


def test_the_help_for_a_merge_below_other_keys_says_where_it_belongs() -> None:
    [one] = found(LATE_MERGE)
    assert (
        one.help == "Write `<<` above the keys that override it: the decoder keeps the last value"
    )
    assert found(OVERRIDE) == []


def test_a_key_that_overrides_a_merged_one_is_reported_on_request() -> None:
    assert found(OVERRIDE) == []
    assert found(OVERRIDE, "*") == []
    [one] = found(OVERRIDE, "*", "merge-key-override")
    assert (one.severity, one.line, one.related and one.related.line) == ("info", 22, 19)
    assert found(OVERRIDE, "merge-*") == [one]
    result = lint_file(OVERRIDE, filename="x")
    [severe] = apply(result, Config(severity=(("merge-key-override", "error"),))).result.diagnostics
    assert severe.severity == "error"


@each(
    ("text", "messages"),
    [
        (TWICE, ['line 20: key "maxLength" already set in map']),
        (
            MERGED,
            [
                'line 20: key "maxLength" already set in map',
                'line 23: key "maxLength" already set in map',
            ],
        ),
        (LATE_MERGE, ['line 17: key "maxLength" already set in map']),
        (OVERRIDE, ['line 20: key "maxLength" already set in map']),
        (JSON, ['duplicate field "spec.group"']),
    ],
)
def test_lint_text_has_the_server_s_messages(text: str, messages: list[str]) -> None:
    strict = [one for one in crdlint.lint_text(text) if one.kind == "strict"]
    assert [one.message for one in strict] == messages
    assert [one.detail for one in strict] == messages
    assert {one.server_message for one in strict} == {None}


def test_what_repeated_merging_costs_grows_with_the_mappings() -> None:
    """One finding, however many mappings merge it."""
    for mappings in (10, 20):
        merging = "".join(f"\nb{i}: {{<<: *a}}" for i in range(mappings))
        [one] = found(crd(f"a: &a\n  type: string\n  type: string{merging}"))
        assert one.message.endswith(f"({mappings} more mappings merge it)")
