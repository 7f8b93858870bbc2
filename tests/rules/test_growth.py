"""The work of rules grows with the size of the schema, and no faster."""

from __future__ import annotations

import textwrap
from difflib import SequenceMatcher

import pytest
from counting import LINEAR, growth

import crdlint

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: foos, kind: Foo}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
"""


def crd(spec: str) -> str:
    return CRD + textwrap.indent(textwrap.dedent(spec).strip("\n") + "\n", " " * 12)


def map_list(keys: list[str], properties: list[str]) -> str:
    fields = ", ".join(f"{name}: {{type: string}}" for name in properties)
    return crd(
        f"{{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [{', '.join(keys)}],"
        f" items: {{type: object, properties: {{{fields}}}}}}}"
    )


def misspelled(n: int) -> str:
    """Return a CRD with an object of n fields, and a rule for each of them that misspells it."""
    fields = ", ".join(f"field{i}: {{type: string}}" for i in range(n))
    rules = ", ".join(f"{{rule: self.fieldx{i} == ''}}" for i in range(n))
    return crd(f"{{type: object, properties: {{{fields}}}, x-kubernetes-validations: [{rules}]}}")


INPUTS = {
    "equal map keys": lambda n: map_list(["name"] * n, ["name"]),
    "missing map keys": lambda n: map_list([f"k{i}" for i in range(n)], [f"p{i}" for i in range(n)]),
    "optional map keys": lambda n: map_list([f"k{i}" for i in range(n)], [f"k{i}" for i in range(n)]),
}


@pytest.mark.parametrize("text", INPUTS.values(), ids=INPUTS)
def test_work_is_linear(text) -> None:
    assert growth(lambda n: crdlint.lint_text(text(n)), 200) < LINEAR


def test_the_comparison_of_names_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    bound = SequenceMatcher.quick_ratio

    def counted(self) -> float:
        nonlocal count
        count += 1
        return bound(self)

    monkeypatch.setattr(SequenceMatcher, "quick_ratio", counted)
    crdlint.lint_text(misspelled(600))
    once, count = count, 0
    crdlint.lint_text(misspelled(1200))
    assert count < LINEAR * once


def test_a_misspelled_field_of_a_large_object() -> None:
    (first, *_) = crdlint.lint_text(misspelled(1200))
    assert first.help == "did you mean `field0`?"


def test_helps_stay_short() -> None:
    names = [f"name{i}" for i in range(1000)]
    for text in (map_list(["missing"], names), map_list(names, names)):
        for diagnostic in crdlint.lint_text(text):
            assert len(diagnostic.help) < 200
