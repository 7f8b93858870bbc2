"""Random changes of CRDs, custom resources and rules, the same for the same random numbers.

A CRD or resource is a value of JSON; a change replaces, removes, moves or adds a part of it.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

JSON: TypeAlias = Any


class Part(NamedTuple):
    """A part of a value: the object or list that holds it, its key or index there, and the keys that lead to the holder."""

    holder: Any
    key: Any
    path: tuple[Any, ...]

    @property
    def value(self) -> JSON:
        """The part itself."""
        return self.holder[self.key]


SCALARS: Final[tuple[JSON, ...]] = (
    None, True, False, 0, 1, -1, 3, 100, 2**31, 2**53, 2**63 - 1, 2**63, -(2**63) - 1, 0.5, 1e300, -0.0,
    "", "a", "A", "1", "true", "é", "a b", "a/b", "a.b", "*", "v1", "spec", "string", "object", "x" * 64,
    "2024-01-01T00:00:00Z", "1h", "10.0.0.0/8", "::1", "https://a.b/c?d", "100m", "1.2.3", "aGk=", "50%",
)  # fmt: skip

# Keywords of schemas with values that the API knows, or nearly knows.
KEYWORDS: Final[tuple[tuple[str, tuple[JSON, ...]], ...]] = (
    ("type", ("string", "integer", "number", "boolean", "object", "array", "null", "", "strnig")),
    (
        "format",
        (
            "int32",
            "int64",
            "float",
            "double",
            "date-time",
            "date",
            "byte",
            "duration",
            "ipv4",
            "uuid",
            "x",
        ),
    ),
    ("nullable", (True, False)),
    ("default", (None, {}, [], "a", 1, True, {"a": 1}, ["a", "a"], 0.5)),
    ("enum", ([], ["a"], [1, 2], ["a", "a"], [None], [{"a": 1}])),
    ("pattern", ("^[a-z]+$", "[", "(?=x)", "a{1001}", "", "(?i)x", r"\d{1,3}")),
    ("minLength", (0, 1, 5, -1)),
    ("maxLength", (0, 1, 10, 2**31, -1)),
    ("minimum", (0, -1, 1.5, 10)),
    ("maximum", (0, -1, 1.5, 10, 2**53)),
    ("exclusiveMinimum", (True, False)),
    ("exclusiveMaximum", (True, False)),
    ("multipleOf", (1, 0, 2, 0.5)),
    ("minItems", (0, 1, -1)),
    ("maxItems", (0, 1, 10, 1000, -1)),
    ("minProperties", (0, 1)),
    ("maxProperties", (0, 1, 10, 1000)),
    ("uniqueItems", (True, False)),
    ("required", ([], ["a"], ["spec"], ["a", "a"], ["nope"])),
    (
        "items",
        ({"type": "string"}, {"type": "object"}, {}, [{"type": "string"}], {"type": "integer"}),
    ),
    ("properties", ({"a": {"type": "string"}}, {}, {"metadata": {"type": "object"}}, {"a": {}})),
    ("additionalProperties", (True, False, {"type": "string"}, {}, {"type": "object"})),
    ("allOf", ([], [{}], [{"required": ["a"]}], [{"properties": {"a": {"minLength": 1}}}])),
    ("anyOf", ([{"required": ["a"]}, {"required": ["b"]}], [{"type": "string"}], [{}])),
    ("oneOf", ([{"required": ["a"]}, {"required": ["b"]}], [{}, {}])),
    ("not", ({}, {"required": ["a"]}, {"type": "string"})),
    ("title", ("t", 1)),
    ("description", ("d", "")),
    ("example", ("e", {"a": 1})),
    ("externalDocs", ({"url": "https://a.b"}, {})),
    ("$ref", ("#/definitions/a", "")),
    ("x-kubernetes-int-or-string", (True, False)),
    ("x-kubernetes-preserve-unknown-fields", (True, False)),
    ("x-kubernetes-embedded-resource", (True, False)),
    ("x-kubernetes-list-type", ("atomic", "set", "map", "", "list")),
    ("x-kubernetes-list-map-keys", ([], ["a"], ["a", "a"], ["name"])),
    ("x-kubernetes-map-type", ("atomic", "granular", "")),
)

# Fields of a CRD outside of its schemas.
FIELDS: Final[tuple[tuple[str, tuple[JSON, ...]], ...]] = (
    ("served", (True, False)),
    ("storage", (True, False)),
    ("deprecated", (True, False)),
    ("deprecationWarning", ("gone", "", "x" * 300)),
    ("preserveUnknownFields", (True, False)),
    ("scope", ("Namespaced", "Cluster", "Global", "")),
    (
        "subresources",
        (
            {"status": {}},
            {"scale": {"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a"}},
            {},
        ),
    ),
    ("selectableFields", ([{"jsonPath": ".spec.a"}], [], [{"jsonPath": "spec"}])),
    (
        "additionalPrinterColumns",
        ([{"name": "A", "type": "string", "jsonPath": ".spec.a"}], [{"name": "A"}]),
    ),
    ("conversion", ({"strategy": "None"}, {"strategy": "Webhook"}, {"strategy": "x"})),
    ("shortNames", (["a"], ["a", "a"], ["A"], [""])),
    ("categories", (["all"], ["x y"])),
    ("listKind", ("AList", "a list", "")),
    ("annotations", ({"api-approved.kubernetes.io": "unapproved, x"}, {"a b": "c"}, {})),
    ("labels", ({"a": "b"}, {"a": "b c"}, {"": ""})),
    ("finalizers", (["a"], ["example.com/a"], ["customresourcecleanup.apiextensions.k8s.io"])),
)


def parts(value: JSON, path: tuple[Any, ...] = ()) -> Iterator[Part]:
    """Yield all parts of a value, those that hold others first."""
    if isinstance(value, dict):
        keys: Sequence[Any] = list(value)
    elif isinstance(value, list):
        keys = range(len(value))
    else:
        return
    for key in keys:
        yield Part(value, key, path)
        yield from parts(value[key], (*path, key))


def mutated(random: Random, value: JSON, others: Sequence[JSON] = ()) -> JSON:
    """Return a changed copy of a value; parts of `others` may be put in."""
    changed = copy.deepcopy(value)
    for _ in range(1 + int(random.expovariate(0.9))):
        random.choice(_CHANGES)(random, changed, others)
    return changed


def _any_part(random: Random, value: JSON) -> Part | None:
    found = list(parts(value))
    return random.choice(found) if found else None


def _remove(random: Random, value: JSON, _others: Sequence[JSON]) -> None:
    part = _any_part(random, value)
    if part is not None:
        del part.holder[part.key]


def _replace_scalar(random: Random, value: JSON, _others: Sequence[JSON]) -> None:
    leaves = [part for part in parts(value) if not isinstance(part.value, dict | list)]
    if leaves:
        part = random.choice(leaves)
        part.holder[part.key] = random.choice(SCALARS)


def _copy_part(random: Random, value: JSON, _others: Sequence[JSON]) -> None:
    """Put a copy of one part in the place of another."""
    source, target = _any_part(random, value), _any_part(random, value)
    if source is not None and target is not None:
        target.holder[target.key] = copy.deepcopy(source.value)


def _splice(random: Random, value: JSON, others: Sequence[JSON]) -> None:
    """Put a part of another value in the place of one with the same key, if there is one."""
    if not others:
        return
    source = _any_part(random, random.choice(others))
    if source is None:
        return
    alike = [part for part in parts(value) if part.key == source.key]
    target = random.choice(alike) if alike else _any_part(random, value)
    if target is not None:
        target.holder[target.key] = copy.deepcopy(source.value)


def _repeat_item(random: Random, value: JSON, _others: Sequence[JSON]) -> None:
    lists = [part.value for part in parts(value) if isinstance(part.value, list) and part.value]
    if lists:
        items = random.choice(lists)
        items.append(copy.deepcopy(random.choice(items)))


def _rename_key(random: Random, value: JSON, _others: Sequence[JSON]) -> None:
    named = [part for part in parts(value) if isinstance(part.holder, dict)]
    if len(named) > 1:
        source, target = random.choice(named), random.choice(named)
        source.holder[target.key] = source.holder.pop(source.key)


def _add_keyword(random: Random, value: JSON, _others: Sequence[JSON]) -> None:
    schemas = [
        part.value
        for part in parts(value)
        if isinstance(part.value, dict) and _is_schema(part.value)
    ]
    if schemas:
        name, values = random.choice(KEYWORDS)
        random.choice(schemas)[name] = copy.deepcopy(random.choice(values))


def _add_field(random: Random, value: JSON, _others: Sequence[JSON]) -> None:
    objects = [
        part.value
        for part in parts(value)
        if isinstance(part.value, dict) and not _is_schema(part.value)
    ]
    if objects:
        name, values = random.choice(FIELDS)
        random.choice(objects)[name] = copy.deepcopy(random.choice(values))


def _is_schema(value: dict[str, JSON]) -> bool:
    return not value.keys().isdisjoint(
        {"type", "properties", "items", "x-kubernetes-int-or-string"}
    )


_CHANGES: Final[tuple[Callable[[Random, JSON, Sequence[JSON]], None], ...]] = (
    _remove,
    _replace_scalar,
    _replace_scalar,
    _copy_part,
    _splice,
    _repeat_item,
    _rename_key,
    _add_keyword,
    _add_keyword,
    _add_keyword,
    _add_field,
)

_TOKENS: Final = (
    *(
        "self",
        "oldSelf",
        "x",
        "y",
        "has(self.a)",
        "self.a",
        "self.spec",
        "1",
        "-1",
        "1u",
        "1.5",
        "'a'",
        "''",
        "true",
        "null",
    ),
    *(
        "[]",
        "{}",
        "[1, 2]",
        "{'a': 1}",
        "==",
        "!=",
        "<",
        ">=",
        "&&",
        "||",
        "!",
        "+",
        "-",
        "*",
        "/",
        "%",
        "in",
        "?",
        ":",
    ),
    *(
        "(",
        ")",
        "[",
        "]",
        ",",
        ".",
        ".?",
        "[?",
        "size(",
        "matches(",
        "quantity(",
        "cidr(",
        "ip(",
        "url(",
        "duration(",
    ),
    *(
        ".all(x, ",
        ".exists(x, ",
        ".map(x, ",
        ".filter(x, ",
        ".size()",
        ".orValue(",
        ".hasValue()",
        ".value()",
    ),
    *(
        ".startsWith('a')",
        ".contains('a')",
        ".format([self])",
        ".split(',')",
        ".join()",
        ".lowerAscii()",
        ".sum()",
    ),
    *(
        ".transformList(i, v, ",
        ".sortBy(x, x)",
        ".distinct()",
        ".optMap(v, ",
        "type(",
        "dyn(",
        "string(",
        "int(",
        "`a-b`",
    ),
)


def mutated_rule(random: Random, rule: str, others: Sequence[str]) -> str:
    """Return a changed expression of CEL; pieces of other expressions may be put in."""
    changed = rule
    for _ in range(1 + int(random.expovariate(0.9))):
        start = random.randrange(len(changed) + 1)
        end = min(start + int(random.expovariate(0.2)), len(changed))
        action = random.randrange(4)
        if action == 0:
            changed = changed[:start] + changed[end:]
        elif action == 1:
            changed = changed[:start] + random.choice(_TOKENS) + changed[start:]
        elif action == 2:
            changed = changed[:start] + random.choice(_TOKENS) + changed[end:]
        elif others:
            changed = random.choice(_JUNCTIONS).format(changed, random.choice(others))
    return changed


_JUNCTIONS: Final = (
    "{0} && {1}",
    "{0} || {1}",
    "({0}) == ({1})",
    "{0} ? {1} : true",
    "[{0}, {1}].all(z, z)",
    "!({0}) || {1}",
    "has(self.a) && {1}",
    "dyn({0}) == dyn({1})",
    "[{0}].exists(q, q == ({1}))",
)


def smaller(value: JSON) -> Iterator[JSON]:
    """Yield copies of a value that each lack one part, the largest parts first, or have a shorter text."""
    for part in sorted(parts(value), key=_size, reverse=True):
        if isinstance(part.value, str):
            for text in shorter(part.value):
                reduced, holder = _copied(value, part)
                holder[part.key] = text
                yield reduced
        reduced, holder = _copied(value, part)
        del holder[part.key]
        yield reduced


def _size(part: Part) -> int:
    return len(json.dumps(part.value))


def _copied(value: JSON, part: Part) -> tuple[JSON, Any]:
    """Return a copy of a value, and in it the holder of a part."""
    holder = whole = copy.deepcopy(value)
    for key in part.path:
        holder = holder[key]
    return whole, holder


def shorter(text: str) -> Iterator[str]:
    """Yield texts that lack a piece, the longest pieces first."""
    length = len(text) // 2
    while length:
        for start in range(0, len(text) - length + 1, length):
            yield text[:start] + text[start + length :]
        length //= 2
