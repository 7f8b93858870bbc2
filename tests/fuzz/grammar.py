"""Random CRDs, resources, expressions and configurations that are mostly well-formed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from random import Random

NAMES: Final = (
    "a",
    "b",
    "name",
    "spec",
    "status",
    "metadata",
    "kind",
    "apiVersion",
    "namespace",
    "a-b",
    "a.b",
    "x/y",
    "0",
    "",
)
TYPES: Final = ("string", "integer", "number", "boolean", "object", "array", "null", "strnig", "")
FORMATS: Final = (
    "date-time",
    "date",
    "duration",
    "byte",
    "int32",
    "int64",
    "email",
    "ipv4",
    "cidr",
    "uuid",
    "password",
    "x",
)
PATTERNS: Final = (
    "^[a-z]+$",
    "(a*)*b",
    "[",
    "\\d{1,3}",
    "(?i)x",
    "\\pL{9}",
    "a{1001}",
    "(?=x)",
    "\\b",
    "",
)
SCALARS: Final[tuple[Any, ...]] = (
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2**31,
        2**63,
        -(2**63) - 1,
        0.5,
        1e300,
        "",
        "a",
        "1",
        "true",
        "é",
        "\x00",
        "a" * 300,
    ),
    *(
        "2024-01-01T00:00:00Z",
        "1h",
        "10.0.0.0/8",
        "::1",
        "https://a.b/c?d",
        "100m",
        "v1.2.3",
        "aGk=",
    ),
)
_TEXTS: Final = (
    "''",
    "'a'",
    '"é"',
    "'a*'",
    "'(a'",
    "r'\\d'",
    "b'a'",
    "'''x'''",
    "'1h'",
    "'2024-01-01T00:00:00Z'",
    "'10.0.0.1'",
)
_NUMBERS: Final = (
    "0",
    "1",
    "-1",
    "9223372036854775807",
    "9223372036854775808",
    "1u",
    "0x1F",
    "1.5",
    "1e400",
    ".5",
)
_OPERATORS: Final = ("==", "!=", "<", "<=", ">", ">=", "&&", "||", "+", "-", "*", "/", "%", "in")
_METHODS: Final = (
    *(
        "size",
        "startsWith",
        "endsWith",
        "contains",
        "matches",
        "find",
        "findAll",
        "split",
        "join",
        "replace",
        "substring",
    ),
    *(
        "lowerAscii",
        "trim",
        "charAt",
        "indexOf",
        "format",
        "isSorted",
        "sum",
        "min",
        "max",
        "indexOf",
        "getSeconds",
    ),
    *(
        "hasValue",
        "value",
        "orValue",
        "or",
        "isGreaterThan",
        "compareTo",
        "add",
        "family",
        "containsIP",
        "reverse",
    ),
    *("distinct", "flatten", "slice", "first", "last", "nope"),
)
_FUNCTIONS: Final = (
    *(
        "size",
        "string",
        "int",
        "uint",
        "double",
        "bool",
        "bytes",
        "duration",
        "timestamp",
        "dyn",
        "type",
        "matches",
    ),
    *(
        "quantity",
        "isQuantity",
        "ip",
        "isIP",
        "cidr",
        "isCIDR",
        "url",
        "isURL",
        "semver",
        "isSemver",
        "format.named",
    ),
    *(
        "sets.contains",
        "sets.intersects",
        "math.greatest",
        "math.least",
        "optional.of",
        "optional.none",
        "lists.range",
        "nope",
    ),
)
_MACROS: Final = (
    "all",
    "exists",
    "exists_one",
    "map",
    "filter",
    "sortBy",
    "transformList",
    "optMap",
    "existsOne",
)


def expression(random: Random, depth: int = 4) -> str:
    """Return a CEL expression, mostly one that parses."""
    if depth <= 0 or random.randrange(8) == 0:
        return random.choice((_field, _variable, _text, _number, _word))(random)
    inner = expression(random, depth - 1)
    kind = random.randrange(12)
    if kind < 4:
        return f"{inner} {random.choice(_OPERATORS)} {expression(random, depth - 1)}"
    if kind == 4:
        arguments = ", ".join(expression(random, depth - 2) for _ in range(random.randrange(3)))
        return f"{inner}.{random.choice(_METHODS)}({arguments})"
    if kind == 5:
        arguments = ", ".join(expression(random, depth - 2) for _ in range(1 + random.randrange(2)))
        return f"{random.choice(_FUNCTIONS)}({arguments})"
    if kind < 8:
        names = ", ".join(random.choice("xyz") for _ in range(1 + (random.randrange(4) == 0)))
        return f"{_field(random)}.{random.choice(_MACROS)}({names}, {inner})"
    if kind == 8:
        return random.choice(
            (
                f"!({inner})",
                f"-({inner})",
                f"({inner})",
                f"has({_field(random)})",
                f"{inner}[0]",
                f"{inner}['a']",
            )
        )
    if kind == 9:
        return f"{inner} ? {expression(random, depth - 1)} : {expression(random, depth - 1)}"
    if kind == 10:
        return f"[{inner}, {expression(random, depth - 2)}]"
    return f"{{{_text(random)}: {inner}}}"


def condition(random: Random, depth: int) -> str:
    """Return a CEL expression that is a condition more often than `expression` alone."""
    first, second = expression(random, depth), expression(random, depth - 2)
    return random.choice(
        (
            first,
            f"{first} == {second}",
            f"size({first}) < 3",
            f"!({first} in [{second}])",
            "self == self",
            "true",
        )
    )


def _field(random: Random) -> str:
    steps = "".join(
        random.choice((".", ".?" if random.randrange(6) == 0 else ".")) + random.choice(_FIELDS)
        for _ in range(1 + random.randrange(3))
    )
    return random.choice(("self", "self", "self", "oldSelf")) + steps


_FIELDS: Final = (
    "s",
    "i",
    "n",
    "b",
    "l",
    "m",
    "o",
    "any",
    "time",
    "spec",
    "name",
    "a__dash__b",
    "namespace",
    "nope",
)


def _variable(random: Random) -> str:
    return random.choice(("x", "y", "z", "self", "oldSelf"))


def _text(random: Random) -> str:
    return random.choice(_TEXTS)


def _number(random: Random) -> str:
    return random.choice(_NUMBERS)


def _word(random: Random) -> str:
    return random.choice(("true", "false", "null", "if", "type", "int", "[]", "{}"))


def schema(random: Random, depth: int = 3) -> dict[str, Any]:
    """Return a schema, mostly a structural one."""
    type_ = random.choice(
        ("object", "object", "array", "string", "integer", "boolean", "number")
        if depth
        else TYPES[:4]
    )
    if random.randrange(80) == 0:
        type_ = random.choice(TYPES)
    made: dict[str, Any] = {"type": type_}
    if type_ == "object" and depth:
        if random.randrange(4):
            made["properties"] = {
                random.choice(NAMES): schema(random, depth - 1) for _ in range(random.randrange(4))
            }
        else:
            made["additionalProperties"] = random.choice((schema(random, depth - 1), True, False))
    if type_ == "array" and depth:
        made["items"] = schema(random, depth - 1)
    if random.randrange(4) == 0:
        made["x-kubernetes-validations"] = [rule(random) for _ in range(1 + random.randrange(2))]
    for _ in range(random.choice((0, 0, 0, 0, 1, 2))):
        name, keyword = random.choice(_KEYWORDS)
        made[name] = keyword(random)
    return made


_KEYWORDS: Final = (
    ("description", lambda random: random.choice(("", "x", "a\nb", 1))),
    ("default", lambda random: value(random)),
    ("enum", lambda random: [random.choice(SCALARS) for _ in range(random.randrange(3))]),
    ("required", lambda random: [random.choice(NAMES) for _ in range(random.randrange(3))]),
    ("maxLength", lambda random: random.choice((0, 1, 64, -1, 2**63))),
    ("maxItems", lambda random: random.choice((0, 1, 64, -1))),
    ("maxProperties", lambda random: random.choice((0, 1, 64))),
    ("minimum", lambda random: random.choice((0, 1.5, -1e300))),
    ("pattern", lambda random: random.choice(PATTERNS)),
    ("format", lambda random: random.choice(FORMATS)),
    ("nullable", lambda random: random.choice((True, False))),
    ("uniqueItems", lambda random: random.choice((True, False))),
    ("x-kubernetes-preserve-unknown-fields", lambda random: random.choice((True, False))),
    ("x-kubernetes-int-or-string", lambda random: random.choice((True, False))),
    ("x-kubernetes-embedded-resource", lambda random: random.choice((True, False))),
    ("x-kubernetes-list-type", lambda random: random.choice(("set", "map", "atomic", "x"))),
    (
        "x-kubernetes-list-map-keys",
        lambda random: [random.choice(NAMES) for _ in range(random.randrange(3))],
    ),
    ("x-kubernetes-map-type", lambda random: random.choice(("granular", "atomic", "x"))),
    ("allOf", lambda random: [schema(random, 1)]),
    ("anyOf", lambda _random: [{"type": "integer"}, {"type": "string"}]),
    ("not", lambda random: schema(random, 1)),
    ("x-kubernetes-validations", lambda random: [rule(random) for _ in range(9)]),
    ("x-unknown", lambda _random: 1),
)


def rule(random: Random) -> dict[str, Any]:
    """Return a validation rule."""
    made: dict[str, Any] = {"rule": condition(random, random.choice((1, 3, 5)))}
    if random.randrange(4) == 0:
        made["messageExpression"] = random.choice(("'a' + string(self)", expression(random, 3)))
    if random.randrange(5) == 0:
        made["message"] = random.choice(("x", "", "a\nb"))
    if random.randrange(6) == 0:
        made["fieldPath"] = random.choice((".a", ".spec.b", "a", ".a['b']", ".items[0]", ""))
    if random.randrange(8) == 0:
        made["optionalOldSelf"] = random.choice((True, False))
    if random.randrange(8) == 0:
        made["reason"] = random.choice(("FieldValueInvalid", "x"))
    return made


def value(random: Random, depth: int = 2) -> Any:
    """Return a JSON value."""
    kind = random.randrange(6)
    if depth and kind == 0:
        return [value(random, depth - 1) for _ in range(random.randrange(4))]
    if depth and kind == 1:
        return {random.choice(NAMES): value(random, depth - 1) for _ in range(random.randrange(4))}
    return random.choice(SCALARS)


def value_of(random: Random, given: Any, depth: int = 5) -> Any:
    """Return a value that mostly fits a schema."""
    if not isinstance(given, dict) or random.randrange(20) == 0 or not depth:
        return value(random)
    type_ = given.get("type")
    if type_ == "object":
        properties = given.get("properties")
        made = {
            name: value_of(random, one, depth - 1)
            for name, one in (properties.items() if isinstance(properties, dict) else ())
            if random.randrange(4)
        }
        for _ in range(random.randrange(3)):
            name = random.choice(NAMES)
            made.setdefault(name, value_of(random, given.get("additionalProperties"), depth - 1))
        return made
    if type_ == "array":
        return [value_of(random, given.get("items"), depth - 1) for _ in range(random.randrange(4))]
    if type_ == "string":
        return random.choice([one for one in SCALARS if isinstance(one, str)])
    if type_ in ("integer", "number"):
        return random.choice((0, 1, -1, 64, 2**40, 1.5))
    return random.choice((True, False)) if type_ == "boolean" else value(random)


def crd(random: Random) -> dict[str, Any]:
    """Return a CRD with random schemas."""
    root = {"type": "object", "properties": {"spec": schema(random), "status": schema(random, 2)}}
    versions = []
    for i in range(random.choice((1, 1, 1, 2))):
        own = (
            root
            if random.randrange(3)
            else {"type": "object", "properties": {"spec": schema(random)}}
        )
        version: dict[str, Any] = {
            "name": f"v{i + 1}",
            "served": True,
            "storage": i == 0,
            "schema": {"openAPIV3Schema": own},
        }
        if random.randrange(4) == 0:
            version["subresources"] = {"status": {}}
        if random.randrange(6) == 0:
            version["additionalPrinterColumns"] = [
                {"name": "A", "type": random.choice(TYPES), "jsonPath": ".spec.a"}
            ]
        if random.randrange(6) == 0:
            version["selectableFields"] = [
                {"jsonPath": random.choice((".spec.a", ".spec", ".x", "a"))}
            ]
        versions.append(version)
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "foos.example.com"},
        "spec": {
            "group": "example.com",
            "scope": random.choice(("Namespaced", "Cluster")),
            "names": {"plural": "foos", "kind": "Foo"},
            "versions": versions,
        },
    }


def resource(random: Random, of: dict[str, Any]) -> dict[str, Any]:
    """Return a custom resource of a CRD."""
    version = of["spec"]["versions"][0]
    metadata: dict[str, Any] = {"name": "x"}
    if random.randrange(5) == 0:
        metadata |= {
            random.choice(
                ("labels", "ownerReferences", "managedFields", "finalizers", "uid", "x")
            ): value(random)
        }
    body = value_of(random, version["schema"]["openAPIV3Schema"])
    made = body if isinstance(body, dict) else {"spec": body}
    return {
        **made,
        "apiVersion": f"example.com/{version['name']}",
        "kind": "Foo",
        "metadata": metadata,
    }


def written(random: Random, data: Any) -> str:
    """Return JSON data as YAML text: in block style, as one line, or indented."""
    style = random.randrange(3)
    if style == 0:
        return json.dumps(data)
    if style == 1:
        return json.dumps(data, indent=random.choice((1, 2)))
    return _block(data, 0).lstrip("\n") + "\n"


def _block(data: Any, indent: int) -> str:
    blanks = "\n" + " " * indent
    if isinstance(data, dict) and data:
        return "".join(
            f"{blanks}{json.dumps(key)}: {_block(one, indent + 2)}" for key, one in data.items()
        )
    if isinstance(data, list) and data:
        return "".join(f"{blanks}- {_block(one, indent + 2).lstrip()}" for one in data)
    return json.dumps(data)
