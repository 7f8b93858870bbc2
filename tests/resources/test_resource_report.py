"""What is said of resources: positions, ways out, updates, bad input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from crds import HEAD
from present import present
from tables import each

from crdlint.kubecel.evaluation import recorded
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.resources.definitions import Definitions
from crdlint.resources.pipeline import ResourceOptions, old_objects, report, validate_text
from crdlint.resources.placeholders import PlaceholderPatterns
from crdlint.yaml.edit import apply

if TYPE_CHECKING:
    from crdlint.resources.pipeline import Validated

SPEC = """
            type: object
            required: [size]
            properties:
              size: {type: integer, minimum: 3}
              flag: {type: boolean}
              text: {type: string}
              when: {type: string, format: date-time}
              mode: {type: string, enum: [Fast, Safe]}
              tags: {type: array, items: {type: string}}
              map: {type: object, additionalProperties: {type: integer}}
              pair: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k],
                     items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}
              either: {type: object, properties: {a: {type: string}, b: {type: string}},
                       oneOf: [{required: [a]}, {required: [b]}]}
              inner: {type: object, properties: {depth: {type: integer}}}
              fixed: {type: string}
              "y": {type: integer}
              switch: {type: object, required: [mode], properties: {mode: {type: string, enum: ["on", a]}}}
              odd: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {z: {type: string}}}
              template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
            x-kubernetes-validations:
            - {rule: "self.size < 9", message: too big, fieldPath: .size}
            - {rule: "!has(oldSelf.fixed) || self.fixed == oldSelf.fixed"}
            - {rule: "!has(self.odd) || self.odd.z != 'bad'"}
"""
# The spec in line 4 of an object: line 4's column, the start of the message, what the help has.
FOUND = {
    "text for an integer": (
        "{size: '7'}",
        14,
        "spec.size: Invalid value:",
        "Write it without quotes: `7`",
    ),
    "no number at all": ("{size: seven}", 14, "spec.size: Invalid value:", "Write an integer"),
    "a fraction": ("{size: 3.5}", 14, "spec.size: Invalid value:", "Write an integer, such as `4`"),
    "too small": (
        "{size: 1}",
        14,
        "spec.size: Invalid value: 1:",
        "Write 3 or a number greater than 3",
    ),
    "missing, with a word": (
        "{size: 3, switch: {}}",
        17,
        "spec.switch.mode: Required value",
        'Add `mode: "on"`',
    ),
    "missing, with a limit": ("{text: x}", 1, "spec.size: Required value", "Add `size: 3`"),
    "a number for a flag": ("{size: 3, flag: 1}", 23, "spec.flag:", "Write `true`"),
    "a word for a flag": (
        "{size: 3, flag: 'yes'}",
        23,
        "spec.flag:",
        "Write it without quotes: `yes`",
    ),
    "a number for a text": (
        "{size: 3, text: 8080}",
        23,
        "spec.text:",
        'Write it in quotes: "8080"',
    ),
    "a format": ("{size: 3, when: now}", 23, "spec.when:", "such as `2026-01-31T15:04:05Z`"),
    "an enum": (
        "{size: 3, mode: fast}",
        23,
        "spec.mode: Unsupported value",
        "Write `Fast` instead",
    ),
    "a scalar for a list": ("{size: 3, tags: a}", 23, "spec.tags:", "Write it as a list: `[a]`"),
    "a key with a dot": ("{size: 3, map: {a.b: x}}", 28, "spec.map.a.b:", "Write an integer"),
    "an item twice": (
        "{size: 3, pair: [{k: a}, {k: a}]}",
        32,
        "spec.pair[1]: Duplicate",
        "change its `k`",
    ),
    "alternatives": (
        "{size: 3, either: {}}",
        17,
        "<nil>: Invalid value:",
        "Set exactly one of `a`, `b`",
    ),
    "an unknown field": (
        "{size: 3, txet: x}",
        17,
        'unknown field "spec.txet"',
        "Write `text` instead",
    ),
    "a field of what is below": (
        "{size: 3, depth: 1}",
        17,
        'unknown field "spec.depth"',
        "a field of `inner`",
    ),
    "a field of what is above": (
        "{size: 3, inner: {flag: 1}}",
        25,
        'unknown field "spec.inner.flag"',
        "one level up",
    ),
    "a field beside what is like it": (
        "{sizes: 4, size: 3}",
        8,
        'unknown field "spec.sizes"',
        "`size` is set here already",
    ),
    "a field of what is above, set there": (
        "{size: 3, inner: {size: 1}}",
        25,
        'unknown field "spec.inner.size"',
        "Remove",
    ),
    "a field that YAML reads as another": (
        "{size: 3, y: 1}",
        17,
        'unknown field "spec.true"',
        'Write `"y"`: without',
    ),
    "a field with a dot": ("{size: 3, x.y: 1}", 17, 'unknown field "spec.x.y"', "Remove `x.y`"),
    "a rule": ("{size: 9}", 14, "spec.size: Invalid value: ", "so that the rule evaluates to true"),
    "a rule that ends in an error": ("{size: 3, odd: {}}", 1, "spec: Invalid value:", "Set `z`"),
    "an embedded resource": (
        "{size: 3, template: {apiVersion: v1, kind: A, metadata: {labels: {x: a b}}}}",
        76,
        'spec.template.metadata.labels: Invalid value: "a b"',
        "Change the metadata",
    ),
}


def crd(schema: str, scope: str = "Namespaced") -> str:
    """Return the smallest CRD whose spec has a schema, which begins on the line of `spec`."""
    return f"{HEAD.replace('Namespaced', scope)}        type: object\n        properties:\n          spec: {schema}\n"


def definitions(schema: str = SPEC, scope: str = "Namespaced") -> Definitions:
    found = Definitions()
    found.add(lint_file(crd(schema, scope), "crd.yaml", CheckRequest(keep=True)))
    return found


DEFINED = definitions()
DEFAULTS = ResourceOptions()


def judged(
    text: str,
    defined: Definitions = DEFINED,
    old: str | None = None,
    options: ResourceOptions = DEFAULTS,
) -> Validated:
    before = None if old is None else old_objects(old, filename="old.yaml").by_key
    return validate_text(
        text, filename="foo.yaml", definitions=defined, old=before, options=options
    )


def foo(spec: str, metadata: str = "{name: x}") -> str:
    return f"apiVersion: example.com/v1\nkind: Foo\nmetadata: {metadata}\nspec: {spec}\n"


def test_the_crd_is_sound() -> None:
    assert DEFINED.by_kind["example.com", "Foo"].errors == ()


@each(("spec", "column", "message", "way_out"), FOUND.values(), ids=FOUND)
def test_found(spec: str, column: int, message: str, way_out: str) -> None:
    found = [one for one in judged(foo(spec)).result.diagnostics if one.message.startswith(message)]
    assert found
    assert (found[0].line, found[0].column) == (4, column)
    assert way_out in present(found[0].help)


def test_the_headline_of_an_error_without_a_path_names_the_value() -> None:
    (found, *_) = judged(foo("{size: 3, either: {}}")).result.diagnostics
    assert (found.message[:5], found.headline) == (
        "<nil>",
        "`either` does not match exactly one schema of `oneOf`",
    )


def test_a_key_that_yaml_reads_as_another_is_put_in_quotes() -> None:
    text = foo("{size: 3, y: 1}")
    (found,) = judged(text, options=ResourceOptions(fixes=True)).result.diagnostics
    assert found.headline == "unknown field `y` in `spec`"
    assert apply(text, present(found.fix).edits) == foo("{size: 3, 'y': 1}")


# Metadata in line 3: column, the start of the message, what the help has.
METADATA = {
    "a name": ("{name: A_b}", 18, 'metadata.name: Invalid value: "A_b"', "Write `a-b`"),
    "no name": ("{}", 1, "metadata.name: Required value", "Add `name: my-foo`"),
    "a label's value": (
        "{name: x, labels: {a: b c}}",
        33,
        'metadata.labels: Invalid value: "b c"',
        "Write `b-c`",
    ),
    "a label's key": (
        "{name: x, labels: {-a: b}}",
        30,
        'metadata.labels: Invalid value: "-a"',
        "Write `a`",
    ),
    "a generated name": (
        "{generateName: AB-}",
        26,
        'metadata.generateName: Invalid value: "AB-"',
        "Write `ab-`",
    ),
    "what comes of it": (
        "{generateName: AB-}",
        26,
        'metadata.name: Invalid value: "AB-xxxxx"',
        "Write `ab-`",
    ),
    "an annotation": (
        "{name: x, annotations: {a: b, c: 1}}",
        44,
        "json: cannot unmarshal number",
        'YAML reads it as a number: "1"',
    ),
    "unknown below": (
        "{name: x, ownerReferences: [{label: a}]}",
        40,
        'unknown field "metadata.owner',
        "Remove `label`",
    ),
    "unknown": (
        "{name: x, lables: {}}",
        21,
        'unknown field "metadata.lables"',
        "Write `labels` instead",
    ),
    "no object": ("[x]", 1, "json: cannot unmarshal array", "Write a value of the type"),
}


@each(("metadata", "column", "message", "way_out"), METADATA.values(), ids=METADATA)
def test_metadata(metadata: str, column: int, message: str, way_out: str) -> None:
    found = [
        one
        for one in judged(foo("{size: 3}", metadata)).result.diagnostics
        if one.message.startswith(message)
    ]
    assert found
    assert (found[0].line, found[0].column) == (3, column)
    assert way_out in present(found[0].help)


def test_the_rule_s_own_place() -> None:
    (found,) = judged(foo("{size: 9}")).result.diagnostics
    text = crd(SPEC).splitlines()
    assert (present(found.related).label, present(found.related).file) == (
        "rule `self.size < 9`",
        "crd.yaml",
    )
    assert text[present(found.related).line - 1][present(found.related).column - 1 :].startswith(
        '"self.size < 9"'
    )


UPDATES = {
    "nothing wrong": ("{size: 3}", "{size: 3}", []),
    "a transition": (
        "{size: 3, fixed: b}",
        "{size: 3, fixed: a}",
        [("error", "Restore the previous value")],
    ),
    "ratcheting of a rule": (
        "{size: 9}",
        "{size: 9}",
        [("warning", "so that the rule evaluates to true")],
    ),
    "ratcheting of a value": ("{size: 3, mode: Old}", "{size: 3, mode: Old}", []),
    "changed": ("{size: 10}", "{size: 9}", [("error", "so that the rule evaluates to true")]),
}


@each(("new", "old", "wanted"), UPDATES.values(), ids=UPDATES)
def test_updates(new: str, old: str, wanted: list[tuple[str, str]]) -> None:
    found = judged(foo(new), old=foo(old)).result.diagnostics
    assert [one.severity for one in found] == [severity for severity, _ in wanted]
    assert all(help_ in present(one.help) for one, (_, help_) in zip(found, wanted, strict=True))


def test_a_rule_of_an_optional_old_self_does_not_ask_for_a_previous_value() -> None:
    rule = '{rule: "oldSelf.hasValue() || !has(self.text)", optionalOldSelf: true}'
    defined = definitions(f"{SPEC}            - {rule}\n")
    (found,) = judged(foo("{size: 3, text: a}"), defined).result.diagnostics
    assert "so that the rule evaluates to true" in present(found.help)


NOTICES = {
    "not among the old": (
        foo("{size: 3}"),
        foo("{size: 3}", "{name: y}"),
        "is not among the old objects",
    ),
    "an old one that is broken": (
        foo("{size: 3}"),
        foo("{}", "{name: x, labels: 7}"),
        "had an old object that cannot be decoded",
    ),
}


@pytest.mark.parametrize(("new", "old", "said"), NOTICES.values(), ids=NOTICES)
def test_no_old_object(new: str, old: str, said: str) -> None:
    result = judged(new, old=old).result
    assert not result.diagnostics
    assert said in result.notices[0]


def test_an_unchanged_object_differs_from_the_stored_one() -> None:
    bare = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {}\n"
    needed = crd("{type: object}", "Cluster").replace(
        "properties:", "required: [spec]\n        properties:"
    )
    messages = [one.message for one in report(needed, bare, bare).errors]
    assert "spec: Required value" in messages


def test_an_object_is_converted_before_its_type_is_read() -> None:
    (one,) = judged("apiVersion: 1\nkind: Foo\nspec: .inf\n").result.diagnostics
    assert one.message == "json: unsupported value: +Inf"


def test_what_is_broken_in_old_objects() -> None:
    old = old_objects("a: [\n---\n" + foo("{}") + "---\n? [x]\n: 1\n", filename="old.yaml")
    assert {key[3] for key in old.by_key} == {"x"}
    assert [place for place, _ in old.broken] == ["old.yaml:2:1", "old.yaml:8:3"]


UNDEFINED = {
    "a version": (
        "example.com/v9",
        "Foo",
        'no matches for kind "Foo" in version "example.com/v9"',
        "Use a served version of Foo: `v1`",
    ),
    "a kind": (
        "example.com/v1",
        "Foos",
        'no matches for kind "Foos"',
        "Write `Foo` instead: the CRDs of example.com",
    ),
    "a group": (
        "exampel.com/v1",
        "Foo",
        'no matches for kind "Foo"',
        "Write `example.com/v1` instead",
    ),
    "a CRD's name": (
        "foos.example.com/v1",
        "Foo",
        'no matches for kind "Foo"',
        "Write `example.com/v1` instead",
    ),
    "no apiVersion": (
        "",
        "Foo",
        "Object 'apiVersion' is missing",
        "Add `apiVersion: example.com/v1`",
    ),
    "no kind": ("example.com/v1", "", "Object 'Kind' is missing", "define `Foo` (v1)"),
    "a kind that is no text": (
        "example.com/v1",
        "7",
        "couldn't get version/kind; json parse error:",
        "type",
    ),
    "an apiVersion that is no text": (
        "7",
        "Foo",
        "couldn't get version/kind; json parse error:",
        "type",
    ),
}


@each(("api_version", "kind", "message", "way_out"), UNDEFINED.values(), ids=UNDEFINED)
def test_undefined(api_version: str, kind: str, message: str, way_out: str) -> None:
    (found,) = judged(
        f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: x}}\n"
    ).result.diagnostics
    assert found.message.startswith(message)
    assert way_out in present(found.help)


PASSED_OVER = {
    "Kubernetes' own": ("v1", "Foo", ()),
    "Kubernetes' own, with a dot": ("networking.k8s.io/v1", "Foo", ()),
    "of no CRD": (
        "other.io/v1",
        "Foo",
        ("line 1 and 1 more: no CRD here defines `Foo` of `other.io/v1`: not validated",),
    ),
    "neither": ("", "", ()),
}


@each(("api_version", "kind", "notices"), PASSED_OVER.values(), ids=PASSED_OVER)
def test_passed_over(api_version: str, kind: str, notices: tuple[str]) -> None:
    text = f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: x}}\n"
    result = judged(f"{text}---\n{text}").result
    assert (result.diagnostics, result.crds, result.skipped, result.notices) == ((), (), 2, notices)


def test_templates_are_passed_over() -> None:
    template = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: {{ .Release.Name }}}\n"
    result = judged(f"{template}---\n{{{{- if .x }}}}\na: 1\n---\n" + foo("{size: 1}")).result
    assert [one.line for one in result.diagnostics] == [11]
    assert (result.skipped, len(result.notices)) == (2, 1)
    assert result.notices[0].startswith("line 3 and 1 more: skipped a template")


def test_namespaces() -> None:
    assert judged(foo("{size: 3}")).stored[0]["metadata"] == {"name": "x", "namespace": "default"}
    cluster = definitions(scope="Cluster")
    stored = judged(foo("{size: 3}", "{name: x, namespace: z}"), cluster)
    assert (stored.result.diagnostics, stored.stored[0]["metadata"]) == ((), {"name": "x"})
    for old in ("{name: x}", "{name: x, namespace: a}"):
        updated = judged(
            foo("{size: 3}", "{name: x, namespace: z}"), cluster, foo("{size: 3}", old)
        )
        assert (updated.result.diagnostics, updated.result.notices) == ((), ())


def test_a_made_up_name_is_not_shown() -> None:
    assert "name" not in judged(foo("{size: 3}", "{generateName: a-}")).stored[0]["metadata"]


def test_lists_and_one_that_is_broken() -> None:
    text = f"""\
apiVersion: example.com/v1
kind: FooList
items:
- metadata: {{name: a}}
  spec: {{size: 1}}
- {{apiVersion: example.com/v1, kind: Foo, metadata: {{name: b}}, spec: {{size: 3}}}}
---
a: [
---
{foo("{size: 2}")}"""
    result = judged(text).result
    assert [one.line for one in result.diagnostics] == [5, 8, 13]
    assert [one.name for one in result.crds] == ["Foo a", "Foo b", "Foo x"]


def test_json_s_duplicates() -> None:
    text = '{"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}, "spec": {"size": 3, "size": 3}}'
    [found] = judged(text).result.diagnostics
    assert (found.severity, found.server_message) == ("warning", 'duplicate field "spec.size"')
    assert found.message.startswith(
        "field `spec.size` is set twice, in line 1: kubectl and every client"
    )


def test_the_errors_of_a_rejected_crd_are_counted() -> None:
    broken = definitions(SPEC.replace("type: string", "type: strng"))
    (found,) = judged(foo("{size: 3}"), broken).result.diagnostics
    first, *shown, more = found.message.split("\n")
    assert (first, len(shown)) == ("the CRD foos.example.com itself is rejected:", 3)
    assert more.startswith("and ")
    assert found.severity == "warning"
    assert found.help == (
        "Fix the CRD first: run `crdlint check crd.yaml`; crdlint validates its resources as if it were accepted"
    )


REJECTED = {
    "a type": ("text: {type: string}", "text: {type: strng}"),
    "a pattern": ("text: {type: string}", "text: {type: string, pattern: '('}"),
    "a rule": ("self.size < 9", "self.nothing < 9"),
    "a default": ("flag: {type: boolean}", "flag: {type: boolean, default: 'yes'}"),
}


@each(("before", "after"), REJECTED.values(), ids=REJECTED)
def test_resources_of_a_rejected_crd_are_validated_as_if_it_were_accepted(
    before: str, after: str
) -> None:
    assert before in SPEC
    broken = definitions(SPEC.replace(before, after))
    texts = [foo("{size: 3, text: x}"), foo("{size: 1, text: x}", "{name: z}")]
    results = [judged(text, broken).result for text in texts]
    found = [
        (one.rule, one.severity, one.message.partition("\n")[0][:42])
        for one in results[0].diagnostics
    ]
    assert found == [
        ("resource-crd-rejected", "warning", "the CRD foos.example.com itself is rejecte")
    ]
    # The reason is reported once for the CRD.
    assert [one.rule for one in results[1].diagnostics] == ["resource-value"]
    assert [len(result.crds) for result in results] == [1, 1]


def test_the_resources_of_a_crd_that_cannot_be_decoded_are_each_reported() -> None:
    broken = definitions(scope="[Namespaced]")
    found = [
        judged(foo("{size: 3}", f"{{name: {name}}}"), broken).result.diagnostics for name in "ab"
    ]
    assert [[(one.rule, one.severity) for one in one_file] for one_file in found] == [
        [("resource-crd-unreadable", "error")]
    ] * 2
    assert "cannot unmarshal array" in found[0][0].message
    assert (
        found[1][0].message
        == "not validated: the CRD of example.com that may define Foo cannot be decoded"
    )


KINDS = {
    "a kind of its own": ("FooConfig", False, None),
    "a kind of its own, strictly": ("FooConfig", True, "the CRDs of example.com define `Foo` (v1)"),
    "a misspelt one": (
        "Fooo",
        False,
        "Write `Foo` instead: the CRDs of example.com define `Foo` (v1)",
    ),
    "another case": (
        "foo",
        False,
        "Write `Foo` instead: the CRDs of example.com define `Foo` (v1)",
    ),
}


@each(("kind", "strict", "help_"), KINDS.values(), ids=KINDS)
def test_kinds_that_no_crd_of_the_group_defines(kind: str, strict: bool, help_: str | None) -> None:
    text = f"apiVersion: example.com/v1\nkind: {kind}\nmetadata: {{name: x}}\n"
    result = judged(text, options=ResourceOptions(strict_kinds=strict)).result
    if help_ is None:
        assert (result.diagnostics, result.skipped) == ((), 1)
        assert result.notices == (
            f"line 1: no CRD here defines `{kind}` of `example.com/v1`: not validated",
        )
    else:
        (found,) = result.diagnostics
        assert (found.rule, found.severity, found.help) == ("resource-no-match", "error", help_)


SKIPPED = {
    "Foo": True,
    "example.com/Foo": True,
    "example.com/v1/Foo": True,
    "foo": False,
    "example.com/v2/Foo": False,
}


@each(("name", "skipped"), SKIPPED.items())
def test_kinds_are_skipped(name: str, skipped: bool) -> None:
    result = judged(
        foo("{size: 1}"), options=ResourceOptions(skipped_kinds=frozenset({"Bar", name}))
    ).result
    assert (len(result.diagnostics), len(result.crds), result.skipped) == (
        (0, 0, 1) if skipped else (1, 1, 0)
    )


# A spec and metadata, what is reported, what placeholders cause, and the one that is named.
FREE = {
    "a number": ("{size: '${SIZE}'}", "{name: x}", [], 1, "${SIZE}"),
    "in angle brackets": ("{size: <size>}", "{name: x}", [], 1, "<size>"),
    "a variable of chainsaw": ("{size: ($size)}", "{name: x}", [], 1, "($size)"),
    "an expression": ("{size: \"(join('-', [$a, $b]))\"}", "{name: x}", [], 1, "(join('-', [$a, $b]))"),
    "a variable as a whole": ("{size: $SIZE}", "{name: x}", [], 1, "$SIZE"),
    "no placeholder": ("{size: SIZE$}", "{name: x}", ["spec.size: Invalid", "<nil>: Invalid"], 0, ""),
    "text around it": ("{size: 3, when: '2026-${MONTH}-01'}", "{name: x}", [], 1, "${MONTH}"),
    "an enum": ("{size: 3, mode: '${MODE}'}", "{name: x}", [], 1, "${MODE}"),
    "an object": ("'${SPEC}'", "{name: x}", [], 1, "${SPEC}"),
    "the name": ("{size: 3}", "{name: '${NAME}'}", [], 1, "${NAME}"),
    "a made up name": ("{size: 3}", "{generateName: '${NAME}-'}", [], 1, "${NAME}"),
    "a label": ("{size: 3}", "{name: x, labels: {a: <b>, '${K}': c}}", [], 2, "<b>"),
    "labels as a whole": ("{size: 3}", "{name: x, labels: '${LABELS}', annotations: {a: '${A}'}}", [], 1, "${LABELS}"),
    "metadata of an embedded object": (
        "{size: 3, template: {apiVersion: v1, kind: A, metadata: {labels: {x: '${X} y'}}}}", "{name: x}", [], 1, "${X}",
    ),
    "an unknown field": ("{size: 3, '${FIELD}': 1}", "{name: x}", [], 1, "${FIELD}"),
    "keys of a list": ("{size: 3, pair: [{k: '${A}'}, {k: '${A}'}]}", "{name: x}", [], 1, "${A}"),
    "other fields": (
        "{size: '${SIZE}', flag: 1, mode: Off, txet: 1}",
        "{name: x}",
        ['unknown field "spec.txet"', "spec.flag: Invalid", "spec.mode: Invalid", "spec.mode: Unsup", "<nil>: Invalid"],
        1,
        "${SIZE}",
    ),
    "a missing field": ("{text: '${TEXT}'}", "{name: x}", ["spec.size: Required", "<nil>: Invalid"], 0, ""),
    "a rule that does not read it": ("{size: 9, text: '${TEXT}'}", "{name: x}", ["spec.size: Invalid value"], 0, ""),
    "a rule that reads it": ("{size: 3, odd: {z: bad, y: '${Y}'}, fixed: '${F}'}", "{name: x}", [], 1, "${Y}"),
}  # fmt: skip


@each(("spec", "metadata", "messages", "count", "named"), FREE.values(), ids=FREE)
def test_placeholders_are_free_of_types(
    spec: str, metadata: str, messages: list[str], count: int, named: str
) -> None:
    result = judged(foo(spec, metadata)).result
    found = [one.message for one in result.diagnostics]
    assert len(found) == len(messages)
    assert all(message.startswith(start) for message, start in zip(found, messages, strict=True))
    accepted = f"a placeholder such as `{named}` is accepted as a value of any type"
    if count > 1:
        accepted = f"{count} placeholders such as `{named}` are accepted as values of any type"
    assert [notice.partition(": ")[2] for notice in result.notices] == ([accepted] if count else [])


def test_the_lines_of_placeholders_are_named() -> None:
    text = foo("{size: '${A}'}") + "---\n" + foo("{size: '${B}', flag: '${C}'}", "{name: '${D}'}")
    assert judged(text).result.notices == (
        "line 4 and below: 4 placeholders such as `${A}` are accepted as values of any type",
    )


def test_placeholders_of_the_configuration() -> None:
    text = foo("{size: '@SIZE@', text: '${X}', flag: '${Y}'}")
    own = judged(text, options=ResourceOptions(placeholders=PlaceholderPatterns(("@*@",)))).result
    assert (own.diagnostics, len(own.notices)) == ((), 1)
    none = judged(
        text, options=ResourceOptions(placeholders=PlaceholderPatterns(built_in=False))
    ).result
    assert sorted(one.field for one in none.diagnostics) == ["<nil>", "spec.flag", "spec.size"]


@each(
    ("api_version", "kind"), [("example.com/v1", "${KIND}"), ("<group>/v1", "Foo"), ("${X}", "Bar")]
)
def test_an_object_of_which_the_kind_is_a_placeholder_is_skipped(
    api_version: str, kind: str
) -> None:
    result = judged(f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: x}}\n").result
    assert (result.diagnostics, result.skipped) == ((), 1)
    assert result.notices == ("line 1: skipped: apiVersion or kind is a placeholder",)


DEPTH = 2500
DEEP = {
    "a rule at the bottom": (
        "{type: object, properties: {a: " * DEPTH
        + "{type: object, properties: {b: {type: integer}}, x-kubernetes-validations: [{rule: self.b > 1}]}"
        + "}}" * DEPTH,
        "{a: " * DEPTH + "{b: 1}" + "}" * DEPTH,
        "failed rule: self.b > 1",
    ),
    "objects compared": (
        "{x-kubernetes-validations: [{rule: self != self}], type: object, properties: {a: "
        + "{type: object, properties: {a: " * DEPTH
        + "{type: integer}"
        + "}}" * (DEPTH + 1),
        "{a: " * (DEPTH + 1) + "1" + "}" * (DEPTH + 1),
        "failed rule: self != self",
    ),
    "lists compared": (
        "{x-kubernetes-validations: [{rule: self.l != self.l}], type: object, properties: {l: "
        + "{type: array, maxItems: 1, items: " * DEPTH
        + "{type: integer}"
        + "}" * DEPTH
        + "}}",
        "{l: " + "[" * DEPTH + "1" + "]" * DEPTH + "}",
        "failed rule: self.l != self.l",
    ),
    "an enum of objects": (
        "{type: object, x-kubernetes-preserve-unknown-fields: true, enum: [{a: 1}]}",
        "{a: " * 9000 + "1" + "}" * 9000,
        "supported values",
    ),
}


@each(("schema", "spec", "said"), DEEP.values(), ids=DEEP)
def test_depth(schema: str, spec: str, said: str) -> None:
    defined = definitions(schema)
    assert [said in one.message for one in judged(foo(spec), defined).result.diagnostics] == [True]


def test_a_rule_that_runs_away_is_stopped() -> None:
    schema = """{type: object, properties: {l: {type: array, maxItems: 1000, items: {type: integer}}},
      x-kubernetes-validations: [{rule: "self.l.all(x, self.l.all(y, x + y > -1))"}]}"""
    (found,) = judged(foo("{l: [" + "1, " * 1000 + "]}"), definitions(schema)).result.diagnostics
    assert "actual cost limit exceeded" in found.message
    assert "`crdlint cost`" in present(found.help)


# How often the rules are evaluated: once more only if a kind of apply validates something else.
EVALUATED: Final = {
    "an object that both validate": ("{size: 4}", 1),
    "in JSON": ('{"size": 4}', 1),
    "one with what is rejected alike": ("{size: 10}", 1),
    "a null that client-side apply drops": ("{size: 4, odd: {other: null}}", 2),
    "a null that is dropped alike": ("{size: 4, odd: null}", 1),
    "one that server-side apply does not read": ("{size: 4, unknown: 1}", 1),
}


@each(("spec", "times"), EVALUATED.values(), ids=EVALUATED)
def test_rules_are_evaluated_once(spec: str, times: int) -> None:
    with recorded() as evaluations:
        judged(foo(spec))
    rules = [evaluation.cause.rule.rule for evaluation in evaluations]
    assert rules.count("self.size < 9") == times


def test_a_null_that_a_new_object_loses_is_also_validated_as_applied() -> None:
    schema = (
        "{type: object, properties: {size: {type: integer, nullable: true}, mode: {type: string}},"
        " x-kubernetes-validations: [{rule: self.size != 4}]}"
    )
    with recorded() as evaluations:
        result = judged(foo("{size: 3, mode: null}"), definitions(schema)).result
    assert [found.rule for found in result.diagnostics] == ["resource-apply-rejected"]
    assert len(evaluations) == 1
