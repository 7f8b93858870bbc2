"""Junctors, rules, limits and required fields with the same effect, whichever of them a schema has, and objects that they break."""

from __future__ import annotations

import json
from typing import Any

from changes_support import read, with_spec

from crdlint.changes.change import Policy
from crdlint.changes.examples import mentioned
from crdlint.linting.documents import collect_crds
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.resources.validation import ResourceValidator

ABC = "properties: {a: {type: string}, b: {type: string}, c: {type: string}}"
EXACTLY_ONE = "[has(self.a),has(self.b)].filter(x,x==true).size() == 1"
EITHER = "anyOf: [{required: [a]}, {required: [b]}]"
ONE = "oneOf: [{required: [a]}, {required: [b]}]"
IF_X = "anyOf: [{properties: {a: {enum: [x]}}}, {required: [b]}]"
NUMBERS = "k: {type: array, items: {type: integer%s}%s}"


def rule(text: str) -> str:
    """Return a rule as a part of a schema."""
    return f"x-kubernetes-validations: [{{rule: {json.dumps(text)}}}]"


def nested(schema: str) -> str:
    """Return a schema with the field `o`, an object."""
    return f"properties: {{o: {{type: object, {schema}}}}}"


# What differs in the schema of `.spec`, and whether that rejects objects. The first side is the old one.
SPECS: list[tuple[str, str, bool]] = [
    ("anyOf: [{required: [a]}]", EITHER, False),
    (EITHER, "anyOf: [{required: [a]}]", True),
    ("required: [a]", EITHER, False),
    (EITHER, "required: [a]", True),
    (ONE, rule(EXACTLY_ONE), False),
    (rule(EXACTLY_ONE), ONE, False),
    (ONE, EITHER, False),
    (EITHER, ONE, True),
    (EITHER, rule("has(self.a) || has(self.b)"), False),
    (rule("has(self.a) || has(self.b)"), EITHER, False),
    (ONE, "not: {required: [a, b]}", False),
    ("not: {required: [a, b]}", ONE, True),
    ("not: {required: [a, b]}", rule("!(has(self.a) && has(self.b))"), False),
    ("not: {required: [a]}", "not: {required: [a, b]}", False),
    ("not: {required: [a, b]}", "not: {required: [a]}", True),
    (rule("has(self.a) && has(self.b)"), "required: [a, b]", False),
    (rule("has(self.a) || has(self.b)"), "required: [a, b]", True),
    (rule("has(self.a) != has(self.b)"), ONE, False),
    ("minProperties: 1", "anyOf: [{required: [a]}, {required: [b]}, {required: [c]}]", False),
    ("anyOf: [{required: [a]}, {required: [b]}, {required: [c]}]", "minProperties: 1", False),
    (IF_X, IF_X.replace("[x]", "[x, z]"), False),
    (IF_X.replace("[x]", "[x, z]"), IF_X, True),
]  # fmt: skip
# The same for the whole schema of `.spec`.
WHOLE: list[tuple[str, str, bool]] = [
    (f"{nested(f'{ABC}, {EITHER}')}", f"{nested(ABC)}, {rule('!has(self.o) || has(self.o.a) || has(self.o.b)')}", False),
    (f"{nested(ABC)}, {rule('!has(self.o) || has(self.o.a) || has(self.o.b)')}", nested(f"{ABC}, {EITHER}"), False),
    (f"properties: {{{NUMBERS % ('', '')}}}, {rule('!has(self.k) || self.k.all(x, x > 3)')}",
     f"properties: {{{NUMBERS % (', ' + rule('self > 3'), '')}}}", False),
    (f"properties: {{{NUMBERS % (', ' + rule('self > 3'), '')}}}",
     f"properties: {{{NUMBERS % ('', ', ' + rule('self.all(x, x > 3)'))}}}", False),
    (f"properties: {{{NUMBERS % ('', '')}}}", f"properties: {{{NUMBERS % ('', ', ' + rule('self.all(x, x > 3)'))}}}", True),
    (nested("additionalProperties: {type: string}, " + rule("size(self) <= 5")),
     nested("additionalProperties: {type: string}, maxProperties: 5"), False),
    (nested("additionalProperties: {type: string}, " + rule("size(self) <= 5")),
     nested("additionalProperties: {type: string}, maxProperties: 4"), True),
]  # fmt: skip
# What a map requires of its values, and whether the second way rejects objects of the first one.
MAPS = (
    "properties: {k: {type: object, maxProperties: 9, additionalProperties: {type: integer%s}%s}}"
)
ABOVE_3 = [
    (f", {rule('self > 3')}", ""),
    (", minimum: 4", ""),
    ("", f", {rule('self.all(k, self[k] > 3)')}"),
]
WHOLE += [(MAPS % old, MAPS % new, False) for old in ABOVE_3 for new in ABOVE_3 if old != new]
WHOLE += [(MAPS % old, MAPS % (", minimum: 5", ""), True) for old in ABOVE_3]
WHOLE += [
    (MAPS % ("", ""), MAPS % ("", f", {rule('self.all(k, size(k) < 5)')}"), True),
    ("required: [l], properties: {l: {type: array, items: {type: string}}, k: {type: integer}}",
     "required: [l], properties: {l: {type: array, minItems: 1, items: {type: string}}, k: {type: integer}}, "
     + rule("!has(self.k) || self.k < 5"), True),
    ("required: [l], properties: {l: {type: array, minItems: 1, items: {type: string}}, k: {type: string}}",
     "required: [l], properties: {l: {type: array, minItems: 1, items: {type: string}}, k: {type: string, maxLength: 1}}", True),
]  # fmt: skip
# A field that is a keyword of CEL, which rules name as it is and escaped, and texts that a pattern determines.
KEYWORD = "properties: {p: {type: object, properties: {namespace: {type: string%s}}}}"
OF_FIELD = KEYWORD % (", " + rule("self != 'x'"))
for condition in (
    "!has(self.p) || !has(self.p.namespace) || self.p.namespace != 'x'",
    "!has(self.p) || !has(self.p.__namespace__) || self.p.__namespace__ != 'x'",
    "self.?p.namespace.orValue('') != 'x'",
    "!self.?p.?namespace.hasValue() || self.p.namespace != 'x'",
):
    of_object = KEYWORD % "" + ", " + rule(condition)
    WHOLE += [(of_object, OF_FIELD, False), (OF_FIELD, of_object, False)]
PATH = "properties: {p: {type: string, pattern: '^[a-z]+[.]io/v[0-9]$'%s}}"
WHOLE += [
    (PATH % "", PATH % f", {rule(f'self.{call}')}", rejects)
    for call, rejects in (
        ("contains('.io/')", False), ("contains('_io/')", True), ("startsWith('a')", True), ("endsWith('1')", True),
    )
]  # fmt: skip
# Keywords of a field, the same as a rule, and a tighter keyword.
FIELDS = [
    ("integer", "maximum: 5", "self < 6", "maximum: 4"),
    ("integer", "multipleOf: 2", "self % 2 == 0", "multipleOf: 4"),
    ("string", "maxLength: 5", "size(self) <= 5", "maxLength: 4"),
    ("string", "enum: [x, z]", "self == 'x' || self == 'z'", "enum: [x]"),
    ("string", "not: {enum: [x]}", "self != 'x'", "not: {enum: [x, z]}"),
    ("string", "pattern: '^[a-z]+$'", "self.matches('^[a-z]+$')", "enum: [z]"),
    ("array, items: {type: string}", "minItems: 2", "self.size() >= 2", "minItems: 3"),
]
# Fields of other kinds of change that reject objects, and what is added to them or takes their place.
ITEMS = "type: array, items: {type: object, properties: {k: {type: string}, l: {type: string%s}}, required: [k, l]}"
MAP = ", x-kubernetes-list-type: map, x-kubernetes-list-map-keys: "
CONDITIONS = "type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [t], items: {type: object, "
CONDITIONS += "properties: {t: {type: string}, s: {type: string, enum: [A]}, u: {type: string, format: date}}, required: [t, s, u]}"
KEPT = "type: object, x-kubernetes-preserve-unknown-fields: true"
REJECTING = [
    ("type: string, format: date-time", "type: string, format: date"),
    ("x-kubernetes-int-or-string: true", "x-kubernetes-int-or-string: true, maxLength: 5"),
    ("type: string, pattern: '^(A|B|C)$'", "type: string, enum: [A, B]"),
    ("type: array, items: {type: string, nullable: true}", "type: array, items: {type: string}"),
    (CONDITIONS, f"{CONDITIONS}, maxItems: 3"),
    ("type: boolean, nullable: true", "type: boolean, nullable: true, enum: [true, false]"),
    (ITEMS % ", default: x", ITEMS % ""),
    ("type: array, items: {type: string}", "type: array, x-kubernetes-list-type: set, items: {type: string}"),
    (ITEMS % "" + MAP + "[k, l]", ITEMS % "" + MAP + "[l]"),
    (KEPT, f"{KEPT}, properties: {{b: {{x-kubernetes-int-or-string: true}}}}"),
    (KEPT, "type: object, additionalProperties: {type: string}"),
    (KEPT, f"{KEPT}, x-kubernetes-embedded-resource: true"),
]  # fmt: skip


def found(old: str, new: str) -> tuple[set[str], list[str]]:
    """Return the severities of the changes, and the examples of errors."""
    before, after = (with_spec(schema) for schema in (old, new))
    stored = collect_crds(json.dumps(before)).by_name
    request = CheckRequest(previous=stored.get, policy=Policy(explains=True))
    result = lint_file(json.dumps(after), "new", request)
    changes = [each for each in result.diagnostics if each.rule.startswith("change-")]
    examples = [each.example or "" for each in changes if each.severity == "error" or each.example]
    crds = [
        stored["foos.example.com"].crd,
        collect_crds(json.dumps(after)).by_name["foos.example.com"].crd,
    ]
    for example in examples:
        sent: Any = {**read(example), "metadata": {"name": "a", "namespace": "b"}}
        verdicts = [not ResourceValidator(crd, "v1").create(sent).errors for crd in crds]
        assert verdicts == [True, False], (old, new, example)
    return {each.severity for each in changes}, examples


def test_what_has_the_same_effect_breaks_nothing_and_all_else_has_an_example() -> None:
    specs = [(f"{ABC}, {old}", f"{ABC}, {new}", breaks) for old, new, breaks in SPECS]
    for type_, keyword, text, tighter in FIELDS:
        field = "properties: {{k: {{type: {}, {}}}}}".format
        specs += [
            (field(type_, keyword), field(type_, rule(text)), False),
            (field(type_, rule(text)), field(type_, keyword), False),
            (field(type_, keyword), field(type_, tighter), True),
            (field(type_, rule(text)), field(type_, tighter), True),
            (field(type_, tighter), field(type_, keyword), False),
        ]
    specs += [
        (f"properties: {{k: {{{old}}}}}", f"properties: {{k: {{{new}}}}}", True)
        for old, new in REJECTING
    ]
    wrong = []
    for old, new, breaks in [*specs, *WHOLE]:
        severities, examples = found(old, new)
        if bool(examples) != breaks or (not breaks and "warning" in severities):
            wrong.append((old, new, severities))
    assert not wrong


def test_values_are_tried_in_the_order_of_the_condition() -> None:
    """Otherwise, it depends on the process whether an example is found, and with it the severity of a change."""
    texts = [f"text {number}" for number in range(50)]
    condition = " || ".join(f"self.a == '{text}'" for text in texts)
    assert list(mentioned(condition)[1]) == texts
