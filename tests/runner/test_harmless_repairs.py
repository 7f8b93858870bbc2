"""Repairs that lose nothing: no key becomes text, maps keep their keys, and equal mistakes are repaired in one pass."""

from __future__ import annotations

from textwrap import indent
from typing import Any

from crds import crd_with_schema
from repairs import check, errors, fixed
from tables import each

from crdlint.runner.fixes import fix
from crdlint.yaml import YAMLDecodeError, decode_yaml

PROSE = "description: |-\n  Spec of a box\n  https://example.com: see there\nproperties:\n  name:\n    type: string\n"


def of_field(text: str) -> str:
    """Return a CRD with a field `a` whose schema is a text, and with a field after it."""
    fields = f"a:\n{indent(text, '  ')}z:\n  type: string\n"
    return crd_with_schema(f"type: object\nproperties:\n{indent(fields, '  ')}")


# Lines of a schema with a mistake, and what a safe fix writes in their place.
REPAIRED = {
    "type: string maxLength: 63\n": "type: string\nmaxLength: 63\n",
    "type: stringmaxLength: 63\n": "type: string\nmaxLength: 63\n",
    "type: integer\nminimum: 1 maximum: 10\n": "type: integer\nminimum: 1\nmaximum: 10\n",
    "type: integer\nminimum: 1, maximum: 10\n": "type: integer\nminimum: 1\nmaximum: 10\n",
    "type: object\nproperties: {b: {type: string maxLength: 9}}\n": "type: object\nproperties: {b: {type: string, maxLength: 9}}\n",
    "description: | text\ntype: string\n": "description: text\ntype: string\n",
    "pattern: `^a$`\ntype: string\n": "pattern: ^a$\ntype: string\n",
    'type: object\nproperties:\n  b:\n    pattern: "^\\d+$"\n    type: string\n  c:\n    pattern: ^a\\.b$\n    type: string\n': (
        'type: object\nproperties:\n  b:\n    pattern: "^\\\\d+$"\n    type: string\n  c:\n    pattern: ^a\\.b$\n    type: string\n'
    ),
    "type: object\nproperties:\n  b: {type: string}\n  x-kubernetes-validations:\n  - {rule: self.b == 'c', message: wrong}\n": (
        "type: object\nx-kubernetes-validations:\n- {rule: self.b == 'c', message: wrong}\nproperties:\n  b: {type: string}\n"
    ),
    "type: object\nrequired: [b, c] properties: {b: {type: string}, c: {type: string}}\n": (
        "type: object\nrequired: [b, c]\nproperties: {b: {type: string}, c: {type: string}}\n"
    ),
    "type: string\nx-kubernetes-validations:\n- rule: `self != 'b c'`\n": (
        "type: string\nx-kubernetes-validations:\n- rule: 'self != ''b c'''\n"
    ),
    "type: object\nproperties:\n  b:\n    type: string\n  enum:\n  - low\n  - high\n": (
        "type: object\nproperties:\n  b:\n    type: string\n    enum:\n      - low\n      - high\n"
    ),
    "type: integer\nenum: (1, 2)\n": "type: integer\nenum: [1, 2]\n",
    "type: string maxLength: 63 minLength: 1\n": "type: string\nmaxLength: 63\nminLength: 1\n",
    "description: |- In two\n  lines\ntype: string\n": "description: |-\n  In two\n  lines\ntype: string\n",
    "allOf: [{pattern: `^a$`}]\ntype: string\n": "allOf: [{pattern: '^a$'}]\ntype: string\n",
    "format: int-or-string\n": "x-kubernetes-int-or-string: true\n",
    "type: object\nproperties:\n  b:\n    type: boolean\n  default: true\n": (
        "type: object\nproperties:\n  b:\n    type: boolean\n    default: true\n"
    ),
    "type: object\nproperties:\n  b:\n    type: string\n  enum: [low, high]\n": (
        "type: object\nproperties:\n  b:\n    type: string\n    enum: [low, high]\n"
    ),
    "type: object\nproperties: {b: {type: string}, x-kubernetes-validations: [{rule: has(self.b)}]}\n": (
        "type: object\nx-kubernetes-validations: [{rule: has(self.b)}]\nproperties: {b: {type: string}}\n"
    ),
    "type: map[string]string\n": "type: object\nadditionalProperties: {type: string}\n",
    "type: Number\nformat: int32\n": "type: integer\nformat: int32\n",
    "type: string|null\n": "type: string\nnullable: true\n",
    "type: null | int\n": "type: integer\nnullable: true\n",
    "type: string?\n": "type: string\nnullable: true\n",
    "type: interger\n": "type: integer\n",
    "type: strings\n": "type: string\n",
    "type: integer\nmin: 1\nmax: 5\n": "type: integer\nminimum: 1\nmaximum: 5\n",
    "type: string\nmax: 5\n": "type: string\nmaxLength: 5\n",
    "type: array\nitems: {type: string}\nmin: 1\n": "type: array\nitems: {type: string}\nminItems: 1\n",
    "type: object\nadditionalProperties: {type: string}\nmax: 5\n": (
        "type: object\nadditionalProperties: {type: string}\nmaxProperties: 5\n"
    ),
    "type: integer\nformat: 64\n": "type: integer\nformat: int64\n",
    "enum: 'on', \"off\", auto\ntype: string\n": "enum: ['on', \"off\", auto]\ntype: string\n",
    "enum: on|off\ntype: string\n": "enum: ['on', 'off']\ntype: string\n",
    'enum: \'"a", "b"\'\ntype: string\n': "enum: [a, b]\ntype: string\n",
    "type: object\nproperties: {b: {type: string}}\nrequired:\n  -b\n": (
        "type: object\nproperties: {b: {type: string}}\nrequired:\n  - b\n"
    ),
    "type: array\nitems: {type: object required: [b] properties: {b: {type: string}}}\n": (
        "type: array\nitems: {type: object, required: [b], properties: {b: {type: string}}}\n"
    ),
    "type: object\nproperties: {b: {type: string} c: {type: integer}}\n": (
        "type: object\nproperties: {b: {type: string}, c: {type: integer}}\n"
    ),
    "type: string\nenum: ['on' 'off' \"a b\"]\n": "type: string\nenum: ['on', 'off', \"a b\"]\n",
    "allOf: [{pattern: '^a' maxLength: 3} {minLength: 1}]\ntype: string\n": (
        "allOf: [{pattern: '^a', maxLength: 3}, {minLength: 1}]\ntype: string\n"
    ),
    '"type": "string",\nmaxLength: 3\n': "type: string\nmaxLength: 3\n",
    "'type': 'string';\nmaxLength: 3\n": "type: string\nmaxLength: 3\n",
    "**type**: string\n__maxLength__: 3\n": "type: string\nmaxLength: 3\n",
    "`type`: string\n**maxLength:** 3\n": "type: string\nmaxLength: 3\n",
    "description: |-\n  Of `a`: it is.\n`type`: string\n": (
        "description: |-\n  Of `a`: it is.\ntype: string\n"
    ),
    **{
        f"type: integer{note}\n": "type: integer\n"
        for note in (
            " // how many",
            " -- how many",
            " /* how many */",
            " <-- here",
            " (1)",
            " \\",
            "\u200b",
        )
    },
    "type: object\nadditionalProperties: 'true'\n": "type: object\nadditionalProperties: true\n",
    "type: object\nproperties:\n  description: The field of it.\n  b: {type: string}\n": (
        "type: object\ndescription: The field of it.\nproperties:\n  b: {type: string}\n"
    ),
    "type: object\nproperties:\n  maxProperties: 3\n  b: {type: string}\n": (
        "type: object\nmaxProperties: 3\nproperties:\n  b: {type: string}\n"
    ),
    "type: string\nenum:\n  low\n  high\n": "type: string\nenum: [low, high]\n",
    "type: object\nproperties: {b: {type: string}, c: {type: string}}\nrequired: b c\n": (
        "type: object\nproperties: {b: {type: string}, c: {type: string}}\nrequired: [b, c]\n"
    ),
    "type: string\nenum: 'on'|\"off\"|auto\n": "type: string\nenum: ['on', \"off\", auto]\n",
    "type => string\nmaxLength: 3\n": "type: string\nmaxLength: 3\n",
    "type=object\nproperties:\n  b:\n    type=string\n    maxLength: 3\n": (
        "type: object\nproperties:\n  b:\n    type: string\n    maxLength: 3\n"
    ),
    "type: “string”\n": "type: string\n",
    "type: array\nitems:\n  type: object\n  properties: {b: {type: array, itemType: string}}\n": (
        "type: array\nitems:\n  type: object\n  properties: {b: {type: array, items: {type: string}}}\n"
    ),
    "type: integer\ndefault: 3,\n": "type: integer\ndefault: 3\n",
    "type: boolean\ndefault: true;\n": "type: boolean\ndefault: true\n",
    "type: array\nitemType: string\n": "type: array\nitems: {type: string}\n",
    "type:object\nproperties\n  b:\n    type:string\n": "type: object\nproperties:\n  b:\n    type: string\n",
}
REPAIRED |= {
    "type: object\nproperties: {b: {type: []string, items: {type: string}}, c: {type: string}}\n": (
        "type: object\nproperties: {b: {type: array, items: {type: string}}, c: {type: string}}\n"
    ),
    "type: uint32\n": "type: integer\nminimum: 0\n",
    "type: uint\nminimum: 1\n": "type: integer\nminimum: 1\n",
    "type: array\nelements: {type: string}\n": "type: array\nitems: {type: string}\n",
    "&nbsp;type: string\n": " type: string\n",
}
REPAIRED |= {
    f'type: string\npattern: "{wrong}"\n': f"type: string\npattern: '{right}'\n"
    for wrong, right in (
        (r"^\d+\\.\d+$", r"^\d+\.\d+$"),
        (r"^\\d\.$", r"^\d\.$"),
        (r"^\d\"$", r'^\d"$'),
    )
}
# Lines of a schema that no safe fix changes, because more than one reading makes sense.
LEFT = (
    "description: In CamelCase. maxLength: 9\ntype: string\n",
    "type: map\n",
    *(f"type: {word}\n" for word in ("stringlist", "arraystring", "mapstring", "string|int", "emailstring")),
    "x-kubernetes-int-or-string: true\nmin: 1\n",
    "type: number\nformat: 64\n",
    "type: string\nx-kubernetes-validations: [{rule: self == True}]\n",
    "type: string\nx-kubernetes-validations: [{rule: self != nil}]\n",
    "type: numeric\nminimum: 1\n",
    "x: type: string\ntype: string\n",
    "type: object\nproperties:\n  b: {type: string}\n  x-kubernetes-validations:\n  - {rule: self == 'c', message: wrong}\n",
    "type: float\nformat: int32\n",
    "description: see type: string\ntype: string\n",  # a key that the mapping has already
    "type: object\nif: {properties: {b: {type: string}}}\n",
    "type: array\nitems: {type: string}\ndefault: ''\n",
    "type: object\nproperties: {b: {type: string, x-of: fast count: 3}}\n",
    "type: string\nenum: low high\n",
    # An author who writes `\d` between double quotes means no tab by `\t`, and no backspace by `\b`.
    'type: string\ndefault: "C:\\temp\\dir"\n',
    'type: string\npattern: "^\\bfoo\\d+$"\n',
    'type: string\npattern: "^\\bfoo\\d+$"\nminLength:1\n',
    "type: object\nproperties: {b: {type: string}, c: {type: string}}\nrequired: b d\n",
    "type: object\nproperties:\n  title: text\n  b: {type: string}\n",
)  # fmt: skip
# A rule reads a field that another object has: the declaration may be what is misspelled.
LEFT += (
    "type: object\nproperties:\n"
    "  b: {type: object, properties: {priority: {type: string}}}\n"
    "  c:\n    type: object\n    properties: {priorrity: {type: string}}\n"
    "    x-kubernetes-validations: [{rule: self.priority != 'a', message: wrong}]\n",
)
# Lines of a schema that no fix changes.
LEFT_BY_ALL = (
    "type: array\nproperties:\n  b: {type: string}\n",
    "type: string\nlength: 5\n",
    "type: string\npattern: ^((a|b)c$\n",
)
# Texts whose lines are indented too little, and what all fixes write.
OUTDENTED = {
    "description: |-\nFirst of them.\n  Second.\n  Third.\ntype: string\n": (
        "description: |-\n  First of them.\n  Second.\n  Third.\ntype: string\n"
    ),
    "description: |-\nFirst of them.\nSecond.\n  Third.\ntype: string\n": (
        "description: |-\n  First of them.\n  Second.\n    Third.\ntype: string\n"
    ),
}
# The line `type: object` of a field below a text in block style, with a syntax error.
BROKEN_BELOW_TEXT = (
    "  tls: type: object\n",
    "  tls type: object\n",
    ">   tls:\n",
    "  - tls:\n    type: object\n",
    "  tls: {type: object\n",
    '  "tls: object"\n',
    "  tls: description: text\n",
    " tls:\n    type: object\n",
)


@each("bad", REPAIRED)
def test_a_mistake_with_one_reading_is_repaired(bad: str) -> None:
    done = fixed(of_field(bad), unsafe=False)
    assert decode_yaml(done.text) == decode_yaml(of_field(REPAIRED[bad]))
    assert errors(done.result) == []


@each("bad", LEFT)
def test_a_mistake_with_several_readings_is_left(bad: str) -> None:
    assert fix(check(of_field(bad)), check, unsafe=False).text == of_field(bad)


@each("bad", LEFT_BY_ALL)
def test_a_guess_is_left_by_all_fixes(bad: str) -> None:
    assert fix(check(of_field(bad)), check, unsafe=True).text == of_field(bad)


@each("bad", OUTDENTED)
def test_a_text_is_indented_below_its_key(bad: str) -> None:
    done = fixed(of_field(bad), unsafe=True)
    assert decode_yaml(done.text) == decode_yaml(of_field(OUTDENTED[bad]))


@each("line", BROKEN_BELOW_TEXT)
def test_no_repair_makes_text_of_keys(line: str) -> None:
    """The fields above the mistake are fields after every repair, also if they follow a description in block style."""
    text = of_field(f"type: object\n{PROSE}{line}")
    for unsafe in (False, True):
        done = fixed(text, unsafe=unsafe)
        try:
            decoded: Any = decode_yaml(done.text)
        except YAMLDecodeError:
            continue
        schema = decoded["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        assert schema["properties"]["a"]["properties"]["name"] == {"type": "string"}
        assert "properties" not in schema["properties"]["a"]["description"]


def test_a_text_after_its_mark_at_the_end_of_a_file() -> None:
    schema = "type: object\nproperties:\n  b:\n    type: string\n    description: "
    done = fixed(crd_with_schema(f"{schema}| The host: a name.\n"), unsafe=False)
    assert decode_yaml(done.text) == decode_yaml(crd_with_schema(f"{schema}'The host: a name.'\n"))


def test_many_equal_mistakes_are_repaired_at_once() -> None:
    text = of_field(
        "type: object\nproperties:\n"
        + "".join(f"  f{i}:\n    type: string\n    minLength: 1\n" for i in range(60))
    )
    broken = text.replace("minLength: 1", "minLength:1")
    assert fixed(broken, unsafe=False).text == text
    assert len(fixed(broken, unsafe=False).applied) == 1


def test_the_same_mistake_in_two_equal_versions() -> None:
    items = "type: array\nitems:\n  properties:\n    b: {type: string}\n"
    one = of_field(items)
    start = one.index("  - name: v1")
    two = one + one[start:].replace("name: v1", "name: v2").replace(
        "storage: true", "storage: false"
    )
    done = fixed(two, unsafe=False)
    assert errors(done.result) == []
    assert done.text.count("type: object") == two.count("type: object") + 2


def test_a_cost_that_a_wrong_type_hides_is_not_new() -> None:
    text = of_field(
        "type: object\nproperties:\n  s: {type: strnig}\n  l: {type: array, items: {type: string}}\n"
        'x-kubernetes-validations: [{rule: "self.l.all(x, self.l.all(y, self.s.contains(x + y)))", message: no}]\n'
    )
    assert "s: {type: string}" in fixed(text, unsafe=False).text


def test_a_type_with_the_rest_of_another_value_stays() -> None:
    text = of_field("type: object\n  == 1'\nproperties:\n  b: {type: string}\n")
    assert errors(check(text))
    assert fixed(text, unsafe=False).text == text
