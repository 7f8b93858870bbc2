# ruff: noqa: E501  a case a line
"""Every fix turns its bad example into its good one, and changes nothing else of the text."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from crds import EVERY_RULE, SMALLEST, crd_with_schema, crd_with_spec
from tables import each

import crdlint
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.resources.definitions import Definitions
from crdlint.resources.pipeline import ResourceOptions, validate_text
from crdlint.rules.catalog import all_rules, fixes
from crdlint.rules.engine.examples import CRD_OF_EXAMPLES, manifest
from crdlint.runner.fixes import fix
from crdlint.yaml import decode_yaml
from crdlint.yaml.edit import apply

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.linting.result import FileResult
    from crdlint.rules.engine.fixer import Fixer
    from crdlint.rules.engine.rule import Rule

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
FIXES = [
    pytest.param(rule, fixer, id=f"{rule.id}-{i}")
    for rule in all_rules().values()
    for i, fixer in enumerate(fixes(rule.id))
]


def is_of_resource(fixer: Fixer[Any]) -> bool:
    return fixer.bad.startswith(CRD_OF_EXAMPLES)


def checker(rule: Rule, fixer: Fixer[Any]) -> Callable[[str], FileResult]:
    """Return what checks a text, with the rule requested if it is only reported on request."""
    if is_of_resource(fixer):
        definitions = Definitions()
        definitions.add(lint_file(CRD_OF_EXAMPLES, "crd.yaml", CheckRequest(keep=True)))
        options = ResourceOptions(fixes=True)
        return lambda text: (
            validate_text(text, filename="x", definitions=definitions, options=options).result
        )
    requested = frozenset({rule.id})
    return lambda text: lint_file(
        text, "x", CheckRequest(skip_unfinished=True, fixes=True, requested=requested)
    )


def examples(rule: Rule, fixer: Fixer[Any]) -> tuple[str, str]:
    """Return the manifests before and after a fix."""
    scoped = rule._replace(scope=fixer.scope or rule.scope)
    return manifest(scoped, fixer.bad or rule.bad), manifest(scoped, fixer.good or rule.good)


def errors(result: FileResult) -> list[str]:
    return [
        diagnostic.message for diagnostic in result.diagnostics if diagnostic.severity == "error"
    ]


# Fragments are laid over a line of JSON where a rule is about a whole object.
IN_LINES = [row for row in FIXES if not examples(*row.values)[0].startswith("{")]  # type: ignore[arg-type]


@each(("rule", "fixer"), FIXES)
def test_the_bad_example_is_fixed(rule: Rule, fixer: Fixer[Any]) -> None:
    check = checker(rule, fixer)
    bad, good = examples(rule, fixer)
    before = check(bad)
    offered = [one.fix for one in before.diagnostics if one.rule == rule.id and one.fix is not None]
    assert (fixer.title, fixer.applicability) in {(one.title, one.applicability) for one in offered}
    fixed = fix(
        before,
        check,
        unsafe=fixer.applicability == "unsafe",
        config=EVERY_RULE,
        of_resources=is_of_resource(fixer),
    )
    assert (rule.id, fixer.title) in {(one.rule, one.title) for one in fixed.applied}
    assert fixed.undone == ()
    assert errors(fixed.result) == []
    assert apply(bad, fixed.edits) == fixed.text
    if bad.startswith("{"):  # fragments are laid over JSON, whose order is not theirs
        assert decode_yaml(fixed.text) == decode_yaml(good)
    else:
        assert fixed.text == good
    again = fix(
        fixed.result,
        check,
        unsafe=fixer.applicability == "unsafe",
        config=EVERY_RULE,
        of_resources=is_of_resource(fixer),
    )
    assert again.edits == ()


@each(("rule", "fixer"), FIXES)
def test_only_unsafe_fixes_need_to_be_asked_for(rule: Rule, fixer: Fixer[Any]) -> None:
    check = checker(rule, fixer)
    bad, _ = examples(rule, fixer)
    fixed = fix(
        check(bad), check, unsafe=False, config=EVERY_RULE, of_resources=is_of_resource(fixer)
    )
    assert (fixer.title in {one.title for one in fixed.applied}) == (fixer.applicability == "safe")


@each(("rule", "fixer"), IN_LINES)
@each("how", ["line ends", "comments"])
def test_the_rest_of_the_text_is_kept(rule: Rule, fixer: Fixer[Any], how: str) -> None:
    check = checker(rule, fixer)
    bad, good = examples(rule, fixer)
    if how == "line ends":
        bad, good = bad.replace("\n", "\r\n"), good.replace("\n", "\r\n")
    else:
        bad, good = (
            f"# first\n---\n# above\n{bad}# below\n",
            f"# first\n---\n# above\n{good}# below\n",
        )
    assert (
        fix(
            check(bad),
            check,
            unsafe=fixer.applicability == "unsafe",
            config=EVERY_RULE,
            of_resources=is_of_resource(fixer),
        ).text
        == good
    )


@each("value", ["[]", "{}", "~", "[1]", "[a, b]", "{a: 1}", "1", "x"])
def test_values_of_other_types_are_fixed_or_left(value: str) -> None:
    """Every scalar of a CRD is replaced in turn; the fix of what is found ends, and brings no new error."""
    text = (FIXTURES / "valid" / "minimal.yaml").read_text(encoding="utf-8")
    for match in re.finditer(r"(?<=: )\S.*$", text, re.MULTILINE):
        check = partial(
            lint_file, filename="x", request=CheckRequest(skip_unfinished=True, fixes=True)
        )
        before = check(f"{text[: match.start()]}{value}{text[match.end() :]}")
        fixed = fix(before, check, unsafe=True, config=EVERY_RULE)
        assert len(errors(fixed.result)) <= len(errors(before))


def _of_field(schema: str) -> str:
    return crd_with_schema(f"type: object\nproperties:\n  a: {schema}\n")


V1BETA1 = SMALLEST.replace("v1\n", "v1beta1\n", 1).replace(
    "  scope:", "  preserveUnknownFields: false\n  scope:"
)
V1BETA1_IN_FLOW = (
    "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {{name: foos.example.com}}\n"
    "spec: {{group: example.com, scope: Namespaced, names: {{plural: foos, kind: Foo}}, versions: {versions}}}\n"
)
NAMES = "  names: {plural: foos, kind: Foo}\n"
LEFT = {
    "text for an object": (f"{SMALLEST}    subresource: x\n", "unknown-field"),
    "text for a list of objects": (f"{SMALLEST}    additionalPrinterColumn: x\n", "unknown-field"),
    "what is no schema alone": (
        SMALLEST.replace("      openAPIV3Schema: {type: object}\n", "      type: object\n      surprise: 1\n"),
        "schema-required",
    ),
    "a keyword alone among properties": (
        SMALLEST.replace("{type: object}", "{type: object, properties: {description: x}}"),
        "decode-type",
    ),
    "a selectable field of no path": (f"{SMALLEST}    selectableFields: [{{jsonPath: '{{'}}]\n", "selectable-field-invalid"),
    "scope in the spec and in the names": (
        SMALLEST.replace(NAMES, "  names:\n    plural: foos\n    kind: Foo\n    scope: Cluster\n"),
        "unknown-field",
    ),
    "two types that are not an int-or-string": (
        _of_field("{anyOf: [{type: integer}, {type: number}]}"), "structural-forbidden-in-junctor",
    ),
    "a number that is no text of the pattern": (_of_field("{type: string, default: 60, pattern: '^[0-9]+s$'}"), "default-invalid"),
    "a group that may end in its last alternative": (
        _of_field("{type: string, pattern: '^(http|https://.*$'}"), "pattern-invalid",
    ),
    "null in an enum of strings": (_of_field("{type: string, enum: [a, null]}"), "never-valid"),
    "version that is a text": (V1BETA1_IN_FLOW.format(versions="[v1]"), "api-version-removed"),
    "version without fields": (V1BETA1_IN_FLOW.format(versions="[{}]"), "api-version-removed"),
    "webhook of v1beta1 and of v1": (
        V1BETA1.replace(NAMES, f"{NAMES}  conversion:\n    webhookClientConfig: {{url: a}}\n    webhook: {{}}\n"),
        "api-version-removed",
    ),
    "a column whose name and path are exchanged": (
        crd_with_schema("type: object\nproperties:\n  status: {type: object, properties: {id: {type: string}}}\n")
        + "    subresources: {status: {}}\n    additionalPrinterColumns: [{name: .status.id, type: string, jsonPath: ID}]\n",
        "printer-column-invalid",
    ),
    "a boolean for a pattern": (_of_field("{type: string, pattern: true}"), "decode-type"),
}  # fmt: skip


@each(("text", "rule"), LEFT.values(), ids=LEFT)
def test_what_no_fix_can_know_is_left(text: str, rule: str) -> None:
    check = partial(lint_file, filename="x", request=CheckRequest(skip_unfinished=True, fixes=True))
    before = check(text)
    assert rule in {one.rule for one in before.diagnostics}
    assert fix(before, check, unsafe=True, config=EVERY_RULE).edits == ()
    assert [one.rule for one in before.diagnostics if one.rule == "internal-error"] == []


def of_schema(frame: str) -> Callable[[str], str]:
    return lambda part: crd_with_schema(frame % part)


def named(part: str) -> str:
    group = part.split("\n", 1)[0].partition(".")[2] if part.startswith("foos.") else "example.com"
    return SMALLEST.replace("foos.example.com", part).replace(
        "group: example.com", f"group: {group}"
    )


PATHED = of_schema(
    "type: object\nproperties:\n  a: {type: string}\nx-kubernetes-validations:\n- {rule: has(self.a), message: a, %s}\n"
)


def with_column(part: str) -> str:
    return f"{SMALLEST}    additionalPrinterColumns: [{{name: A, type: string, {part}}}]\n"


def short_names(part: str) -> str:
    return SMALLEST.replace("kind: Foo}", f"kind: Foo, shortNames: {part}}}")


FIELD = of_schema("type: object\nproperties:\n  a: %s\n")
IMMUTABLE = of_schema(
    "type: object\nrequired: [spec]\nproperties:\n  spec:\n    type: object\n    properties:\n      a:\n        type: string\n"
    "        x-kubernetes-validations:\n        - rule: self == oldSelf\n    x-kubernetes-validations:%s\n"
)
SCHEMA = of_schema("type: object\n%s  a: {type: string}\n  b: {type: string}\n")
DEFAULT = "default-invalid"
APPROVAL = "foos.example.k8s.io\n  annotations: {%s}"
UNAPPROVED = "api-approved.kubernetes.io: 'unapproved, not reviewed by the Kubernetes community'"
UNIQUE = (
    "{type: array, %sx-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b], "
    "items: {type: object, required: [b], properties: {b: {type: string}}}}"
)
GUARD = "rule: '!has(oldSelf.a) || has(self.a)'%smessage: 'a cannot be removed'"
# What a manifest is made by from a part of it, the rule whose fix is applied, and the part before and after it: None for no fix.
PARTS = {
    "field path as in a rule": (
        PATHED, "rule-field-path-invalid", "fieldPath: self.a", "fieldPath: .a",
    ),
    "column path as in a rule": (
        with_column, "printer-column-invalid", "jsonPath: self.spec.a", "jsonPath: .spec.a",
    ),
    "annotation beside others": (named, "api-approval", APPROVAL % "a: b", APPROVAL % f"a: b, {UNAPPROVED}"),
    "annotation in an empty map": (named, "api-approval", APPROVAL % "", None),
    "unique items of a map list": (FIELD, "unique-items-forbidden", UNIQUE % "uniqueItems: true, ", UNIQUE % ""),
    "properties and a schema": (
        FIELD, "properties-and-additional-properties",
        "{type: object, properties: {b: {type: string}}, additionalProperties: {type: string}}", None,
    ),
    "item": (FIELD, DEFAULT, "{type: array, items: {type: string}, default: x}", "{type: array, items: {type: string}, default: [x]}"),
    "item in a block": (FIELD, DEFAULT, "\n    type: array\n    items: {type: string}\n    default: |\n      x", None),
    "item of another type": (FIELD, DEFAULT, "{type: array, items: {type: integer}, default: x}", None),
    "item below": (FIELD, DEFAULT, "{type: object, properties: {b: {type: array, items: {type: string}}}, default: {b: x}}", None),
    "type and format exchanged": (
        FIELD, "type-unsupported", "{type: int32, format: integer}", "{type: integer, format: int32}",
    ),
    "type that the items contradict": (
        FIELD, "type-unsupported", "{type: strings, items: {type: string}}", "{type: array, items: {type: string}}",
    ),
    "two short names in one text": (short_names, "names-invalid", "[fo; fs]", None),
    "empty list": (FIELD, DEFAULT, "{type: array, items: {type: string}, default: {}}", "{type: array, items: {type: string}, default: []}"),
    "empty object": (FIELD, DEFAULT, "{type: object, default: []}", "{type: object, default: {}}"),
    "type of a bound with a fraction": (FIELD, "structural-type-required", "{maximum: 1.5}", "{maximum: 1.5, type: number}"),
    "enum": (FIELD, DEFAULT, "{type: string, enum: [1, 2], default: '1'}", "{type: string, enum: ['1', '2'], default: '1'}"),
    "rule beside others": (
        IMMUTABLE, "immutable-bypass",
        "\n      - rule: has(self.a)", f"\n      - rule: has(self.a)\n      - {GUARD % (chr(10) + ' ' * 8)}",
    ),
    "rule beside others in a line": (
        IMMUTABLE, "immutable-bypass", " [{rule: has(self.a)}]", f" [{{rule: has(self.a)}}, {{{GUARD % ', '}}}]",
    ),
    "several names": (SCHEMA, "decode-type", "properties:\n  required: [a, b]\n", "required: [a, b]\nproperties:\n"),
}  # fmt: skip


@each(("made", "rule", "before", "after"), PARTS.values(), ids=PARTS)
def test_a_part_is_fixed(
    made: Callable[[str], str], rule: str, before: str, after: str | None
) -> None:
    text = made(before)
    [offered] = [
        one.fix
        for one in lint_file(text, "x", CheckRequest(fixes=True)).diagnostics
        if one.rule == rule and not one.hidden
    ]
    assert (None if offered is None else apply(text, offered.edits)) == (
        None if after is None else made(after)
    )


@each(
    ("name", "applicability"),
    [("foo.example.com", "safe"), ("foo.other.org", "unsafe"), ("foos.other.org", "unsafe")],
)
def test_a_name_is_replaced_unasked_only_if_it_is_like_the_right_one(
    name: str, applicability: str
) -> None:
    text = SMALLEST.replace("foos.example.com", name)
    [offered] = [one.fix for one in lint_file(text, "x", CheckRequest(fixes=True)).diagnostics]
    assert offered is not None
    assert (offered.applicability, apply(text, offered.edits)) == (applicability, SMALLEST)


@each(
    ("line", "help_"),
    [
        ("id: a  # why", "Remove `id: a`"),
        ("id: 'a # b'", "Remove `id: 'a # b'`"),
        ("id: a#b", "Remove `id: a#b`"),
    ],
)
def test_a_help_leaves_out_the_comment_of_a_line(line: str, help_: str) -> None:
    result = lint_file(crd_with_spec(f"type: string\n{line}\n"), "a.yaml", CheckRequest(fixes=True))
    assert [finding.help for finding in result.diagnostics] == [help_]


@each(
    ("fields", "help_"),
    [
        ("a: {type: boolean, default: 'false'}", "Write `a: {type: boolean, default: false}`"),
        ("a: {type: integer, default: '-1'}", "Write `a: {type: integer, default: -1}`"),
        (
            "a: {type: integer, exclusiveMinimum: 0}",
            "Write `a: {type: integer, exclusiveMinimum: true, minimum: 0}`",
        ),
        (
            "a: {type: integer, minimum: 0, exclusiveMinimum: 0}",
            "Write `a: {type: integer, minimum: 0, exclusiveMinimum: true}`",
        ),
        (
            "a: {type: integer, minimum: 0, exclusiveMinimum: 3}",
            "Write `a: {type: integer, minimum: 3, exclusiveMinimum: true}`",
        ),
        (
            "a: {type: integer, maximum: 3, exclusiveMaximum: 9}",
            "Write `a: {type: integer, maximum: 3, exclusiveMaximum: false}`",
        ),
        ("a:\n    description: b\n  type: boolean", "Indent the field below the property above"),
    ],
)
def test_the_help_has_the_value_of_the_fix(fields: str, help_: str) -> None:
    result = lint_file(
        crd_with_schema(f"type: object\nproperties:\n  {fields}\n"),
        "a.yaml",
        CheckRequest(fixes=True),
    )
    assert [finding.help for finding in result.diagnostics if not finding.hidden] == [help_]


@each("type_", ["string or integer", "array of strings", "string, integer", "list of string"])
def test_a_type_of_several_words_is_not_narrowed_to_what_other_keywords_imply(type_: str) -> None:
    text = crd_with_spec(f"type: object\nproperties:\n  a:\n    type: {type_}\n    maxLength: 9\n")
    assert crdlint.fix_text(text, filename="x.yaml") == text


def test_a_key_among_others_in_one_item_of_required_is_not_added_again() -> None:
    items = "{type: object, properties: {a: {type: string}, b: {type: string}}, required: ['a, b']}"
    spec = f"type: object\nproperties:\n  l:\n    type: array\n    x-kubernetes-list-type: map\n    x-kubernetes-list-map-keys: [a]\n    items: {items}\n"
    text = crd_with_spec(spec)
    assert "required: [a, a" not in crdlint.fix_text(text, filename="x.yaml", unsafe=True)
    assert ", a]" not in crdlint.fix_text(text, filename="x.yaml", unsafe=True)
