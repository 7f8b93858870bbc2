"""What to write instead of a value of another type."""

from __future__ import annotations

from tables import each

from crdlint.linting.pipeline import lint_file
from crdlint.rules.engine.examples import HEAD

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com, labels: {a: LABEL}}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: foos, kind: Foo, shortNames: NAMES}
  versions:
  - name: v1
    served: SERVED
    storage: true
    schema:
      openAPIV3Schema: {type: object, maximum: MAXIMUM, title: TITLE, maxLength: LENGTH, properties: PROPERTIES}
"""
FITTING = {
    "LABEL": "b",
    "NAMES": "[]",
    "SERVED": "true",
    "MAXIMUM": "1.5",
    "TITLE": "t",
    "LENGTH": "1",
    "PROPERTIES": "{}",
}
CASES = [
    ("LENGTH", '"63"', "Write `63` without quotes"),
    ("LENGTH", "1.5", "Write an integer: this number has a fraction"),
    ("LENGTH", "many", "Write an integer instead of this text"),
    ("LENGTH", "[1]", "Write an integer, without quotes"),
    ("MAXIMUM", '"1e3"', "Write `1e3` without quotes"),
    ("MAXIMUM", "{}", "Write a number, without quotes"),
    ("SERVED", '"true"', "Write `true` without quotes"),
    ("SERVED", "maybe", "Write `true` or `false`, without quotes"),
    ("SERVED", "1", "Write `true` or `false`, without quotes"),
    ("TITLE", "5", 'Write it in quotes: `"5"`'),
    ("TITLE", "on", 'Write it in quotes: `"on"`'),
    ("TITLE", "{a: b}", "Write a string, not a mapping"),
    ("TITLE", "[a]", "Write the value without the list: `a`"),
    ("TITLE", "1" * 50, 'Write it in quotes: `"..."`'),
    ("NAMES", "fo", "Write a list: `[fo]`"),
    ("NAMES", "{fo: }", "Write a list, such as `[a, b]`"),
    ("LABEL", "1", 'Write it in quotes: `"1"`'),
    ("LABEL", "[1]", 'Write the value without the list: `"1"`'),
    ("PROPERTIES", "x", "Write a mapping: `key: value`"),
    ("PROPERTIES", "[]", "Write a mapping: `key: value`"),
]


@each(("field", "value", "help_"), CASES)
def test_the_way_out(field: str, value: str, help_: str) -> None:
    text = CRD
    for name, given in {**FITTING, field: value}.items():
        text = text.replace(name, given)
    found = [
        one for one in lint_file(text, filename="c.yaml").diagnostics if one.rule == "decode-type"
    ]
    assert [one.help for one in found] == [help_], found


@each(
    ("char", "name"),
    [("\u00a0", "U+00A0 (no-break space)"), ("\ufeff", "U+FEFF (zero width no-break space)")],
)
@each(
    ("before", "rule"),
    [
        ("          a:\n            {}type: string\n", "unknown-field"),
        ("          {}a: string\n", "decode-type"),
    ],
)
def test_an_invisible_character_in_a_key_is_named(
    char: str, name: str, before: str, rule: str
) -> None:
    text = f"{HEAD}        type: object\n        properties:\n{before.format(char)}"
    (found,) = (one for one in lint_file(text, filename="x").diagnostics if one.rule == rule)
    column = text.split("\n")[found.line - 1].index(char) + 1
    assert found.help == f"Remove the invisible character {name} in column {column}"


def test_a_non_breaking_space_in_an_earlier_indentation_is_named() -> None:
    lines = "          a:\n          \u00a0 type: string\n" + "".join(
        f"            {one}: 1\n" for one in "bcdef"
    )
    text = f"{HEAD}        type: object\n        properties:\n{lines}"
    (found,) = (
        one for one in lint_file(text, filename="x").diagnostics if one.rule == "yaml-syntax"
    )
    line = 1 + next(i for i, one in enumerate(text.split("\n")) if "\u00a0" in one)
    assert found.help == f"Replace the non-breaking space in line {line}, column 11 with a space"
