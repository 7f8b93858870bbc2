"""The work of rules grows with the size of the schema, and no faster."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import pytest
from counting import LINEAR, growth, recording
from crds import crd_with_spec
from present import present
from tables import each

import crdlint
from crdlint.cel.compiler import compile_text
from crdlint.kubecel import compilation, sharing

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def map_list(keys: list[str], properties: list[str]) -> str:
    fields = ", ".join(f"{name}: {{type: string}}" for name in properties)
    return crd_with_spec(
        f"{{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [{', '.join(keys)}],"
        f" items: {{type: object, properties: {{{fields}}}}}}}"
    )


def misspelled(n: int) -> str:
    """Return a CRD with an object of n fields, and a rule for each of them that misspells it."""
    fields = ", ".join(f"field{i}: {{type: string}}" for i in range(n))
    rules = ", ".join(f"{{rule: self.fieldxx{i} == ''}}" for i in range(n))
    return crd_with_spec(
        f"{{type: object, properties: {{{fields}}}, x-kubernetes-validations: [{rules}]}}"
    )


def nested_defaults(n: int) -> str:
    """Return a CRD with defaults within each other's schemas, and a rule in the innermost."""
    schema = "{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: '!has(self.a)'}]}"
    for _ in range(n):
        schema = f"{{type: object, default: {{}}, properties: {{a: {schema}}}}}"
    return crd_with_spec(schema)


def optional_fields(n: int) -> str:
    """Return a CRD with an object of n optional fields, and a rule for each of them that reads it."""
    fields = ", ".join(f"f{i}: {{type: integer}}" for i in range(n))
    rules = ", ".join(f"{{rule: self.f{i} > {i}}}" for i in range(n))
    return crd_with_spec(
        f"{{type: object, properties: {{{fields}}}, x-kubernetes-validations: [{rules}]}}"
    )


def copies(
    term: str, schema: str = "type: string, maxLength: 9", last: str = "true"
) -> Callable[[int], str]:
    """Return a CRD of a size with a rule of as many terms, and as many aliases of the schema that has it.

    `last` is one more term of the rule.
    """

    def text(n: int) -> str:
        rule = f"{term} && " * n + last
        first = f'a: &a {{{schema}, x-kubernetes-validations: [{{rule: "{rule}"}}]}}'
        rest = (f"a{i}: *a" for i in range(n))
        return crd_with_spec(f"{{type: object, properties: {{{', '.join((first, *rest))}}}}}")

    return text


_NAMED = "type: object, properties: {name: {type: string, maxLength: 9}}"
_LIST = "type: array, maxItems: 9, items: {type: string, maxLength: 9}"
INPUTS = {
    "rules that read optional fields": optional_fields,
    "nested defaults": nested_defaults,
    "equal map keys": lambda n: map_list(["name"] * n, ["name"]),
    "missing map keys": lambda n: map_list(
        [f"k{i}" for i in range(n)], [f"p{i}" for i in range(n)]
    ),
    "optional map keys": lambda n: map_list(
        [f"k{i}" for i in range(n)], [f"k{i}" for i in range(n)]
    ),
}


@each("text", INPUTS.values(), ids=INPUTS)
def test_work_is_linear(text: Callable[..., Any]) -> None:
    assert growth(lambda n: crdlint.lint_text(text(n)), 200) < LINEAR


COPIES: dict[str, Callable[[int], str]] = {
    "copies of a rule": copies("self != 'a'"),
    "copies of a rule with a misspelt field": copies(
        "self.name != 'a'", _NAMED, last="self.nmae != 'a'"
    ),
    "copies of a rule with an optional field": copies("self.name != 'a'", _NAMED),
    "copies of a rule with a word that is no value": copies(
        "self != 'c'", "type: string, enum: [a, b]"
    ),
    "copies of a rule with negative indexes": copies("self[-1] != 'a'", _LIST),
    "keys behind wrong indentation": lambda n: "kind: CustomResourceDefinition\n" + " a:\n" * n,
}


@each("text", COPIES.values(), ids=COPIES)
def test_copies_of_a_rule_by_aliases_are_judged_once(text: Callable[..., Any]) -> None:
    assert growth(lambda n: crdlint.lint_text(text(n)), 12) < LINEAR


def test_the_comparison_of_names_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[object] = []
    blocks = SequenceMatcher.get_matching_blocks
    monkeypatch.setattr(
        SequenceMatcher, "get_matching_blocks", recording(compared, blocks, "names")
    )
    crdlint.lint_text(misspelled(300))
    once = len(compared)
    crdlint.lint_text(misspelled(600))
    assert len(compared) - once < LINEAR * once


def test_a_misspelled_field_of_a_large_object() -> None:
    (first, *_) = crdlint.lint_text(misspelled(300))
    assert present(first.help).startswith("Did you mean `field0`? The fields are field0, field1")


def test_helps_stay_short() -> None:
    names = [f"name{i}" for i in range(1000)]
    for text in (map_list(["missing"], names), map_list(names, names)):
        for diagnostic in crdlint.lint_text(text):
            assert len(str(diagnostic.help)) < 200


def compilations(text: str) -> int:
    """Return how many expressions are compiled while a text is linted."""
    compiled: list[object] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compilation, "compile_text", recording(compiled, compile_text))
        patch.setattr(sharing, "_shared", sharing.Sharing())  # what other tests compiled
        crdlint.lint_text(text)
    return len(compiled)


def aliases(n: int) -> str:
    """Return a CRD in which n times n aliases repeat a schema with an expensive rule."""
    rule = "self.all(a, self.all(b, a == b))"
    leaf = (
        f"{{type: array, items: {{type: string}}, x-kubernetes-validations: [{{rule: '{rule}'}}]}}"
    )
    inner = ", ".join([f"p0: &leaf {leaf}", *(f"p{i}: *leaf" for i in range(1, n))])
    outer = ", ".join(
        [
            f"q0: &inner {{type: object, properties: {{{inner}}}}}",
            *(f"q{i}: *inner" for i in range(1, n)),
        ]
    )
    return crd_with_spec(f"{{type: object, properties: {{{outer}}}}}")


@each(
    ("text", "expected"),
    [
        (aliases(20), 1),
        (
            crd_with_spec(
                "{type: integer, x-kubernetes-validations: [" + "{rule: self =! 1}," * 50 + "]}"
            ),
            1,
        ),
        (
            crd_with_spec(
                "{type: array, items: {type: string, x-kubernetes-validations: [{rule: self == 1}]}}"
            ),
            1,
        ),
        (
            crd_with_spec(
                "{type: object, properties: {a: {type: string, maxLength: 3, x-kubernetes-validations: [{rule: size(self) > 1}]},"
                " b: {type: string, maxLength: 4, x-kubernetes-validations: [{rule: size(self) > 1}]}}}"
            ),
            2,
        ),
    ],
    ids=[
        "aliases",
        "equal rules with a syntax error",
        "one rule",
        "equal rules on unequal schemas",
    ],
)
def test_equal_rules_are_compiled_once(text: str, expected: int) -> None:
    assert compilations(text) == expected


def test_each_alias_has_its_findings() -> None:
    found = crdlint.lint_text(aliases(20))
    fields = {d.field for d in found if d.rule == "cel-rule-cost"}
    assert len(fields) == 400


def test_helps_about_an_equal_schema_name_its_own_fields() -> None:
    one = "{type: object, properties: {replicas: {type: integer}}, x-kubernetes-validations: [{rule: self.replica > 0}]}"
    found = crdlint.lint_text(
        crd_with_spec(f"{{type: object, properties: {{a: {one}, b: {one}}}}}")
    )
    assert [d.help for d in found] == ["Write `replicas` instead"] * 2
