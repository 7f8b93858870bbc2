"""Everyday breakages of real CRDs, none of which the tests of rules have: how many are repaired, and that no field is lost."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from repairs import check, errors, fixed, leaves

from crdlint.yaml import decode_yaml

REAL = Path(__file__).parents[3] / "shared/conformance/real.ndjson"
LONGEST = 60_000  # characters of a CRD
pytestmark = pytest.mark.skipif(not REAL.is_file(), reason="needs the recorded requests")


class Breakage(NamedTuple):
    """What is replaced where it is found first in a CRD, which fixes repair it, and whether that restores every value."""

    name: str
    fixes: str
    pattern: str
    new: str
    restored: bool = True


def _b(name: str, fixes: str, pattern: str, new: str, *, restored: bool = True) -> Breakage:
    return Breakage(name, fixes, pattern, new, restored)


BREAKAGES = (
    _b("type in capitals", "safe", r"type: string$", "type: String"),
    _b("transposed type", "safe", r"type: integer$", "type: interger"),
    _b("plural of a type", "safe", r"type: boolean$", "type: booleans"),
    _b("type array in capitals", "safe", r"type: array$", "type: Array"),
    _b("column type", "safe", r"(?<=      )type: date$", "type: Date"),
    _b("requires", "safe", r"^( {12})required:$", r"\1requires:"),
    _b("propertie", "safe", r"^( {12})properties:$", r"\1propertie:"),
    _b("openAPIv3Schema", "safe", r"openAPIV3Schema", "openAPIv3Schema"),
    _b("printerColumns", "safe", r"additionalPrinterColumns", "printerColumns"),
    _b("additionalPrinterColumn", "safe", r"additionalPrinterColumns", "additionalPrinterColumn"),
    _b("jsonpath", "safe", r"jsonPath:", "jsonpath:"),
    _b("path from the dollar on", "safe", r"jsonPath: \.", "jsonPath: $."),
    _b("path without a dot", "safe", r"jsonPath: \.", "jsonPath: "),
    _b("subResources", "safe", r"^    subresources:", "    subResources:"),
    _b("status of true", "safe", r"status: \{\}", "status: true"),
    _b("lower scope", "safe", r"scope: Namespaced", "scope: namespaced"),
    _b("name without the group", "safe", r"^  name: ([\w-]+)\..*$", r"  name: \1"),
    _b("singular name", "safe", r"^  name: ([\w-]+)s\.", r"  name: \1."),
    _b("no group", "safe", r"^  group: .*\n", ""),
    _b("no plural", "safe", r"^    plural: .*\n", ""),
    _b("singular like the kind", "unsafe", r"^    singular: (\w)", r"    singular: X\1"),
    _b("no storage version", "unsafe", r"storage: true", "storage: false", restored=False),
    _b("quoted storage", "safe", r"storage: true", "storage: 'yes'"),
    _b("quoted served", "safe", r"served: true", 'served: "True"'),
    _b("wrong group of the API", "safe", r"apiextensions.k8s.io/v1$", "apiextension.k8s.io/v1"),
    _b("kind without an i", "safe", r"^kind: CustomResourceDefinition", "kind: CustomResourceDefinton"),
    _b("v1beta1", "unsafe", r"apiextensions.k8s.io/v1$", "apiextensions.k8s.io/v1beta1", restored=False),
    _b("quoted limit", "safe", r"(minimum|maxLength|minLength|maxItems|minItems): (\d+)$", r'\1: "\2"'),
    _b("default in quotes", "safe", r"default: (\d+|true|false)$", r'default: "\1"'),
    _b("one required field", "safe", r"required:\n +- (\S+)\n(?! +- )", r"required: \1\n"),
    _b("required: true", "unsafe", r"^( {18})type: string$", r"\1type: string\n\1required: true", restored=False),
    _b("quoted marker", "safe", r"x-kubernetes-preserve-unknown-fields: true", "x-kubernetes-preserve-unknown-fields: 'true'"),
    _b("marker without its prefix", "safe", r"x-kubernetes-preserve-unknown-fields", "preserve-unknown-fields"),
    _b("alternatives in the wrong order", "safe", r"- type: integer\n( +)- type: string", r"- type: string\n\1- type: integer"),
    _b("oneOf for anyOf", "safe", r"anyOf:\n( +- type: integer\n)", r"oneOf:\n\1"),
    _b("a type for a schema", "safe", r"^( {14})(\w+):\n +type: string\n(?=\1\w+:)", r"\1\2: string\n"),
    _b("tab", "unsafe", r"^ {12}  (  )*type: string$", "\t\t\t\t\t\t\t\ttype: string"),
    _b("one blank too many", "unsafe", r"^( +)type: boolean$", r"\1 type: boolean"),
    _b("one blank too few", "unsafe", r"^( +) type: boolean$", r"\1type: boolean"),
    _b("no blank behind a colon", "safe", r"^( {12,})type: integer$", r"\1type:integer"),
    _b("key without a colon", "safe", r"^( {12})properties:$", r"\1properties"),
    _b("non-breaking blank", "safe", r"^( {12,})type: integer$", "\\1type:\u00a0integer"),
    _b("uniqueItems of a list", "unsafe", r"^( +)type: array$", r"\1type: array\n\1uniqueItems: true", restored=False),
    _b("unknown fields forbidden", "safe", r"^( {12})properties:$", r"\1additionalProperties: false\n\1properties:"),
    _b("items in a list", "safe", r"^( +)items:\n +type: string$", r"\1items:\n\1- type: string"),
    _b("type that may be null", "safe", r"type: integer$", 'type: [integer, "null"]', restored=False),
    _b("readOnly", "unsafe", r"^( {18})type: string$", r"\1type: string\n\1readOnly: true"),
    _b("one short name", "safe", r"shortNames:\n +- (\S+)\n(?! +- )", r"shortNames: \1\n"),
)  # fmt: skip


@cache
def crds() -> tuple[str, ...]:
    """Return the real CRDs that are short and accepted."""
    with REAL.open(encoding="utf-8") as lines:
        texts = [json.loads(line)["yaml"] for line in lines]
    return tuple(text for text in texts if len(text) < LONGEST and not errors(check(text)))


@pytest.mark.parametrize("part", range(4))
def test_real_crds_are_repaired(part: int, subtests: pytest.Subtests) -> None:
    for breakage in BREAKAGES[part::4]:
        with subtests.test(breakage.name):
            assert_repaired(breakage)


def assert_repaired(breakage: Breakage) -> None:
    broken = [
        (text, re.sub(breakage.pattern, breakage.new, text, count=1, flags=re.MULTILINE))
        for text in crds()
    ]
    text, bad = next((text, bad) for text, bad in broken if bad != text and errors(check(bad)))
    is_unsafe = breakage.fixes == "unsafe"
    assert (errors(fixed(bad, unsafe=False).result) == []) != is_unsafe
    done = fixed(bad, unsafe=is_unsafe)
    assert errors(done.result) == []
    assert fixed(done.text, unsafe=is_unsafe).text == done.text
    given, left = dict(leaves(decode_yaml(text))), dict(leaves(decode_yaml(done.text)))
    if breakage.restored:
        left = {path: value for path, value in left.items() if path in given}
        assert left == given
    else:
        assert {path for path, value in given.items() if value not in ([], {})} - set(left) == set()


def test_most_breakages_are_repaired_without_a_guess() -> None:
    assert sum(one.fixes == "safe" for one in BREAKAGES) * 40 >= 22 * len(BREAKAGES)
