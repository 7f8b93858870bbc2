"""Fields in the wrong object: the help names the lines or the object, and following it leads to an accepted CRD."""

from __future__ import annotations

import re
import textwrap

from crds import HEAD, SMALLEST
from present import present
from tables import each

import crdlint
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.rules.consequences import causes
from crdlint.rules.fixes import v1beta1
from crdlint.runner.fixes import fix
from crdlint.yaml import decode_yaml
from crdlint.yaml.edit import apply

NAMES = "  names:\n    plural: foos\n    kind: Foo\n"
CRD = f"""\
{HEAD.replace("  names: {plural: foos, kind: Foo}" + chr(10), NAMES)}        type: object
        properties:
          spec:
            type: object
            # The fields that users set.
            properties:
              hosts:
                type: array
                description: |
                  They have names:

                  a: b
                items:
                  type: string
              port:
                type: integer
            required:
            - port
          state:
            type: object
            properties:
              ready:
                type: boolean
"""


def outdented(text: str, key: str) -> str:
    """Return a text with two spaces fewer before the lines below the first line that is only the key."""
    lines = text.split("\n")
    first = lines.index(key)
    column = len(key) - len(key.lstrip())
    for i in range(first + 1, len(lines)):
        if lines[i] and len(lines[i]) - len(lines[i].lstrip()) <= column:
            break
        lines[i] = lines[i][2:]
    return "\n".join(lines)


def followed(text: str, help_: str) -> str:
    """Return a text after a help of the form `Indent lines 3 to 7 by 2 more spaces` is followed."""
    match = re.match(r"Indent lines? (\d+)(?: to (\d+))? by (\d) more spaces: ", help_)
    assert match is not None
    lines = text.split("\n")
    for i in range(int(match[1]) - 1, int(match[2] or match[1])):
        lines[i] = " " * int(match[3]) + lines[i] if lines[i] else ""
    return "\n".join(lines)


KEYS = {
    "spec": ("spec:", "they are fields"),
    "names": ("  names:", "they are fields"),
    "schema": ("    schema:", "it is a field"),
    "openAPIV3Schema": ("      openAPIV3Schema:", "they are fields"),
    "properties of the root": ("        properties:", "they are fields"),
    "properties of a field": ("            properties:", "they are fields"),
    "property": ("              port:", "it is a field"),
}


@each(("key", "what"), KEYS.values(), ids=KEYS)
def test_lines_that_are_not_below_their_key_are_named(key: str, what: str) -> None:
    assert lint_file(CRD, filename="x").diagnostics == ()
    text = outdented(CRD, key)
    result = lint_file(text, "x", CheckRequest(fixes=True))
    shown = [one for one in result.diagnostics if not one.hidden]
    (only,) = [one for one in shown if id(one) not in causes(shown)]
    help_ = str(only.help)
    assert f": {what} of `{key.strip()[:-1]}` in line {CRD.split(chr(10)).index(key) + 1}" in help_
    assert followed(text, help_) == CRD
    assert (
        fix(result, lambda text: lint_file(text, "x", CheckRequest(fixes=True)), unsafe=False).text
        == CRD
    )


def test_each_field_that_v1beta1_has_in_another_place_has_a_help() -> None:
    values = {"conversionReviewVersions": "[v1]", "selectableFields": "[{jsonPath: .spec.a}]"}
    values["additionalPrinterColumns"] = "[{name: a, type: string, JSONPath: .spec.a}]"
    for name, help_ in v1beta1.MOVED.items():
        is_below = name in {"webhookClientConfig", "conversionReviewVersions"}
        head = "conversion:\n    strategy: None\n    " if is_below else ""
        text = SMALLEST.replace("  scope", f"  {head}{name}: {values.get(name, '{}')}\n  scope")
        found = [
            one for one in lint_file(text, filename="x").diagnostics if one.rule == "unknown-field"
        ]
        assert [one.help for one in found] == [help_], name


VERSION = "  - name: v1\n"
MOVED = {
    "field of the spec in the names": (
        "  scope: Namespaced\n  names:\n", "  names:\n    scope: Namespaced\n",
        "Move `scope` out of `names`: it is a field of `spec`",
    ),
    "property beside properties": (
        "              port:\n                type: integer\n            required:\n",
        "            port:\n              type: integer\n            required:\n",
        "Indent `port` like the properties above",
    ),
    "schema without openAPIV3Schema": (
        "    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n",
        "    openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n",
        "Put the schema below `schema` and `openAPIV3Schema`",
    ),
    "constant": (
        "                type: integer\n", "                type: integer\n                const: 5\n",
        "Write `enum: [5]` instead of `const`",
    ),
    "subresources of v1beta1": (
        "  scope: Namespaced\n", "  scope: Namespaced\n  subresources: {status: {}}\n",
        "Move `subresources` to each item of `spec.versions`",
    ),
    "other name": ("    schema:\n", "    validation:\n", "Write `schema` instead"),
    "keyword that is not kept": (
        "                type: integer\n", "                type: integer\n                readOnly: true\n",
        "Remove the field: the API server keeps it in no schema",
    ),
}  # fmt: skip


@each(("old", "new", "help_"), MOVED.values(), ids=MOVED)
def test_the_help_names_the_object_of_a_field(old: str, new: str, help_: str) -> None:
    text = CRD.replace(old, new, 1)
    assert text != CRD
    found = [
        one.help for one in lint_file(text, filename="x").diagnostics if one.rule == "unknown-field"
    ]
    assert found == [help_]


SCHEMA = "    schema:\n      openAPIV3Schema:"
FIXED = {
    "missing kind": (CRD, "kind: CustomResourceDefinition\n", ""),
    "openAPIV3Schema of a version": (CRD, SCHEMA, "    openAPIV3Schema:"),
    "openAPIV3Schema in flow style": (SMALLEST, SCHEMA, "    openAPIV3Schema:"),
    "schema of a version": (CRD, SCHEMA, "    schema:"),
}


@each(("crd", "old", "new"), FIXED.values(), ids=FIXED)
def test_what_is_missing_above_is_added(crd: str, old: str, new: str) -> None:
    result = lint_file(crd.replace(old, new), "x", CheckRequest(fixes=True))
    fixes = [one.fix for one in result.diagnostics if one.fix is not None]
    assert decode_yaml(crd) in [
        decode_yaml(apply(crd.replace(old, new), one.edits)) for one in fixes
    ]


# A field in another object of a CRD than the one that has it, by the path at which it is written.
BESIDE = {
    "metadata.group": ("  group: example.com\n", "metadata:\n"),
    "metadata.scope": ("  scope: Namespaced\n", "metadata:\n"),
    "metadata.names": ("  names:\n    plural: foos\n    kind: Foo\n", "metadata:\n"),
    "metadata.plural": ("    plural: foos\n", "metadata:\n"),
    "metadata.kind": ("    kind: Foo\n", "metadata:\n"),
    "spec.labels": ("  labels: {a: b}\n", "spec:\n"),
    "spec.name": ("  name: foos.example.com\n", "spec:\n"),
}
OF_BESIDE = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
  labels: {a: b}
spec:
  group: example.com
  names:
    plural: foos
    kind: Foo
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object}
"""


@each("path", BESIDE)
def test_a_field_of_an_object_beside_is_moved_there(path: str) -> None:
    lines, above = BESIDE[path]
    indented = textwrap.indent(textwrap.dedent(lines), "  ")
    text = OF_BESIDE.replace(lines, "", 1).replace(above, f"{above}{indented}", 1)
    assert decode_yaml(text) != decode_yaml(OF_BESIDE)
    found = next(
        each_
        for each_ in lint_file(text, "x.yaml", CheckRequest(fixes=True)).diagnostics
        if each_.rule == "unknown-field"
    )
    assert present(found.help).startswith(f"Move `{path.partition('.')[2]}` into `")
    assert decode_yaml(crdlint.fix_text(text, filename="x.yaml")) == decode_yaml(OF_BESIDE)


def test_a_field_that_the_object_beside_has_is_not_moved() -> None:
    text = OF_BESIDE.replace("metadata:\n", "metadata:\n  group: example.org\n")
    assert crdlint.fix_text(text, filename="x.yaml", unsafe=True) == text
