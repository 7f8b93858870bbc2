"""Names of a CRD in each other's place: both are written right, and no fix leaves a wrong one behind."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final

from crds import crd_with_spec
from tables import each

import crdlint
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.yaml import decode_yaml

NAMES: Final = {
    "name": "gadgets.shop.example.com",
    "group": "shop.example.com",
    "kind": "Gadget",
    "listKind": "GadgetList",
    "plural": "gadgets",
    "singular": "gadget",
    "shortName": "gd",
}
CRD: Final = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: {name}
spec:
  group: {group}
  names:
    kind: {kind}
    listKind: {listKind}
    plural: {plural}
    singular: {singular}
    shortNames: [{shortName}]
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
"""
MEANT: Final = CRD.format(**NAMES)
# The API server accepts these exchanges: they are reported, or may be meant.
ACCEPTED: Final = {("kind", "listKind"), ("singular", "shortName")}


def written(**names: str) -> str:
    """Return the CRD with other names."""
    return CRD.format(**{**NAMES, **names})


def errors(text: str) -> list[str]:
    """Return the messages of the errors in a CRD."""
    result = lint_file(text, "x.yaml", CheckRequest())
    return [found.message for found in result.diagnostics if found.severity == "error"]


@each("first, second", sorted(set(combinations(NAMES, 2)) - ACCEPTED))
def test_two_names_that_are_exchanged_are_both_written_right(first: str, second: str) -> None:
    text = written(**{first: NAMES[second], second: NAMES[first]})
    assert errors(text)
    assert crdlint.fix_text(text, filename="x.yaml") == MEANT
    helps = {
        found.help
        for found in lint_file(text, "x.yaml", CheckRequest(fixes=True)).diagnostics
        if found.fix is not None
    }
    assert len(helps) == 1
    assert "` and `" in str(helps)


@each("first, second", sorted(ACCEPTED))
def test_exchanges_that_are_accepted_stay(first: str, second: str) -> None:
    text = written(**{first: NAMES[second], second: NAMES[first]})
    assert crdlint.fix_text(text, filename="x.yaml", unsafe=True) == text


# A wrong name, and whether a safe fix writes the one that is meant.
WRONG: Final = [
    ("plural", "gadget", True),
    ("plural", "gadgetes", True),
    ("plural", "Gadgets", True),
    ("plural", "gadgetlist", True),
    ("plural", "gad_gets", False),
    ("singular", "Gadget", True),
    ("singular", "GadgetList", False),
    ("singular", "Gadgets", False),
    ("singular", "shop.example.com", False),
    ("kind", "GadgetList", True),
    ("kind", "shop.example.com", False),
    ("listKind", "Gadget", True),
    ("shortName", "GD", True),
    ("shortName", "Gadget", False),
    ("shortName", "GadgetList", False),
    ("shortName", "gadgets.shop.example.com", False),
    ("name", "gadget.shop.example.com", True),
    ("name", "Gadgets.shop.example.com", True),
    ("name", "gadgets.shop.example.org", False),
    ("group", "Shop.example.com", True),
    ("group", "shop.example.org", False),
]


@each("name, value, is_safe", WRONG)
def test_a_safe_fix_writes_the_name_that_is_meant_or_nothing(
    name: str, value: str, is_safe: bool
) -> None:
    text = written(**{name: value})
    assert errors(text)
    assert crdlint.fix_text(text, filename="x.yaml") == (MEANT if is_safe else text)


@each(
    "names",
    [
        {"plural": "gadget", "singular": "gadgets", "kind": "Gadgets"},
        {"plural": "gadget", "singular": "Gadgets"},
        {
            "plural": "gadgetxes",
            "singular": "gadgetx",
            "kind": "Gadgetx",
            "name": "gadgetxs.shop.example.com",
        },
        {"plural": "gadget", "name": "gadgets.shop.example.org"},
    ],
)
def test_names_that_do_not_agree_are_left(names: dict[str, str]) -> None:
    text = written(**names)
    assert errors(text)
    assert crdlint.fix_text(text, filename="x.yaml") == text


@each("list_kind", ["Gadgets", "gadgets", "ListGadget", "GadgetItems"])
def test_a_kind_of_lists_without_list_is_reported(list_kind: str) -> None:
    result = lint_file(written(listKind=list_kind), "x.yaml", CheckRequest())
    assert "list-kind-misspelled" in {found.rule for found in result.diagnostics}


@each("name", ["size,omitzero", 'size `json:"size"`', 'size `json:"size,omitempty" yaml:"size"`'])
def test_a_property_with_a_go_tag_is_reported(name: str) -> None:
    text = crd_with_spec(f"type: object\nproperties:\n  {name}: {{type: string}}")
    found = lint_file(text, "x.yaml", CheckRequest()).diagnostics
    assert {one.help for one in found if one.rule == "property-with-tag-options"} == {
        "Write `size`"
    }


@each("type_", ["byte[]", "'[]byte'", "'[]uint8'"])
def test_bytes_of_go_are_texts(type_: str) -> None:
    text = crd_with_spec(f"type: object\nproperties:\n  a: {{type: {type_}}}")
    values: Any = decode_yaml(crdlint.fix_text(text, filename="x.yaml", unsafe=True))
    root = values["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert root["properties"]["spec"]["properties"]["a"] == {"type": "string", "format": "byte"}


@each("types", [("array", "object"), ("object", "array"), ("object", "string")])
def test_one_of_two_types_is_not_removed(types: tuple[str, str]) -> None:
    first, later = types
    text = crd_with_spec(f"type: object\nproperties:\n  a:\n    type: {first}\n    type: {later}")
    assert crdlint.fix_text(text, filename="x.yaml", unsafe=True).count(f"type: {first}\n") >= 1


def test_a_misspelled_name_is_not_exchanged_with_the_right_one() -> None:
    right = crdlint.fix_text(written(shortNames="[gadgets]"), filename="x.yaml")
    assert not errors(right)
    misspelled = right.replace("plural: gadgets", "plural: gadgts")
    assert misspelled != right
    assert crdlint.fix_text(misspelled, filename="x.yaml") == right
