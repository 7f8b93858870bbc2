"""How to correct what `rules/server/forbidden_fields.py` rejects, in words."""

from __future__ import annotations

import re
from typing import Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.light import regex
from crdlint.phrases import OneCommand, Sample, nearest
from crdlint.rules.helps.structural import implied_type
from crdlint.schema.structural import TYPES

_LIKE: Final = 0.7
# Names that people use for the supported types.
MEANT_TYPES: Final = {
    word: meant
    for meant, words in (
        ("integer", "int int32 int64 long uint uint32 uint64"),
        ("number", "float float32 float64 double decimal"),
        ("string", "str text"),
        ("boolean", "bool"),
        ("array", "list slice seq sequence"),
        ("object", "map dict struct obj mapping dictionary hash hashmap record"),
    )
    for word in words.split()
}
VAGUE: Final = frozenset({"num", "numeric"})  # integers or fractions


TYPES_OF_FORMATS: Final = {
    "int32": "integer",
    "int64": "integer",
    "float": "number",
    "double": "number",
}
BESIDE_PROPERTIES: Final = (
    "Replace `patternProperties` with `x-kubernetes-preserve-unknown-fields: true`, which accepts other fields, "
    "or move these fields into a map of their own"
)
_UNIQUE_BY_KEYS: Final = "Remove `uniqueItems`: no two items of a map list have the same keys"
_UNIQUE_ITEMS_HELPS: Final = {
    "object": "Remove `uniqueItems`; for items that differ in some fields, add `x-kubernetes-list-type: map` and those "
    "fields as `x-kubernetes-list-map-keys`",
    "array": "Remove `uniqueItems`: a set needs items of a scalar type",
}
NO_OTHERS: Final = (
    "Remove `additionalProperties: false`: the API server drops fields that are not in `properties`"
)


# Maps of texts to values of a type, and lists, as Go, Java, Rust and Python write them.
MAP: Final = regex(
    r"map\[string\](\w+)|(?:hash|tree|btree)?map<str(?:ing)?,(\w+)>|dict\[str,(\w+)\]",
    re.IGNORECASE,
)
BYTES: Final = frozenset({"[]byte", "byte[]", "[]uint8"})  # texts in JSON
LIST: Final = regex(r"(?:list|vec|array|slice|set)[<\[](\w+)[>\]]", re.IGNORECASE)


_ANY_SCHEMA: Final = JSONSchemaProps()


def meant_type(word: str, schema: JSONSchemaProps = _ANY_SCHEMA) -> str | None:
    """Return the type for a type name of another language, or for a misspelled one; None if other keywords contradict it."""
    if word in BYTES or word.lower() in VAGUE:
        return None
    if word.startswith("[]") or word.endswith("[]") or LIST.fullmatch(word):
        return "array"
    is_map = word.startswith("map[") or MAP.fullmatch(word.replace(" ", ""))
    meant = "object" if is_map else MEANT_TYPES.get(word.lower()) or _misspelled(word)
    return meant if _implied_type(schema) in {None, meant} else None


def _implied_type(schema: JSONSchemaProps) -> str | None:
    """Return the type that the format of a schema, or the schemas below it, cannot do without."""
    if schema.items is not None:
        return "array"
    return "object" if schema.properties else TYPES_OF_FORMATS.get(schema.format)


_STRAY: Final = " :;,.\"'`\u2018\u2019\u201c\u201d\u200b\u200c\u200d\u2060\ufeff"  # around a word
# A word before a comment of another language, the number of a note, or the end of a line of a shell.
_BEFORE_NOTE: Final = regex(r"([A-Za-z]+) *(?: (?://|--|/\*|#)|<-|<\d|\(\d|\\\Z).*")


def _misspelled(word: str) -> str | None:
    """Return the type that a word spells, with a third of its letters wrong at most; `stringlist` is no such word."""
    from crdlint.spelling import differing_letters

    noted = _BEFORE_NOTE.fullmatch(word)
    word = (word if noted is None else noted[1]).strip(_STRAY)
    near = nearest(word, TYPES, _LIKE)
    if near is None or not word.isalpha():
        return None
    return near if differing_letters(word, near) * 3 <= len(near) else None


# A type, or null, as other languages write it.
_OR_NULL: Final = regex(
    r"null\s*(?:[|,/]|or\b)\s*(\w+)|(\w+)\s*(?:\?|(?:[|,/]|\bor\b)\s*null)|\?(\w+)|optional[\[<](\w+)[\]>]",
    re.IGNORECASE,
)


def is_unsigned(word: str) -> bool:
    """Return whether a type of Go has no values below 0."""
    return word.lower().startswith("uint")


def names_other_type(word: str, type_: str) -> bool:
    """Return whether a text of several words names another type than one that other keywords imply.

    >>> names_other_type("string or integer", "string"), names_other_type("enum", "string")
    (True, False)
    """
    words = [each.rstrip("s") for each in _LETTERS.findall(word.lower())]
    types = {MEANT_TYPES.get(each, each) for each in words}
    return len(words) > 1 and not (types & _TYPES) <= {type_}


_TYPES: Final = frozenset(TYPES)
_LETTERS: Final = regex(r"[a-z]+")


def nullable_type(word: str) -> str | None:
    """Return the type of a word that means this type or null, None for other words.

    >>> nullable_type("string|null"), nullable_type("int?"), nullable_type("string|int")
    ('string', 'integer', None)
    """
    match = _OR_NULL.fullmatch(word)
    return None if match is None else meant_type(next(filter(None, match.groups())))


def of_type(schema: JSONSchemaProps) -> str | None:
    """Return the help for a type that does not exist."""
    if schema.type == "null":
        implied = implied_type(schema)
        return f"Write `type: {implied}` and `nullable: true`" if implied else _NULL
    nullable = nullable_type(schema.type)
    if nullable:
        return f"Write `type: {nullable}` and `nullable: true`"
    meant = meant_type(schema.type, schema)
    if meant == "object" and not _keeps_fields(schema):
        return _OBJECT
    bound = " and `minimum: 0`" if is_unsigned(schema.type) and schema.minimum is None else ""
    return OneCommand(f"Write `type: {meant}`{bound}") if meant else None


_NULL: Final = Sample(
    "Write the type of the values that are not null, such as `type: string`, and `nullable: true`"
)
_OBJECT: Final = Sample(
    "Write `type: object`, and the schema of its values as `additionalProperties` or of its fields as `properties`"
)


def _keeps_fields(schema: JSONSchemaProps) -> bool:
    """Return whether an object of a schema keeps any of its fields."""
    return bool(
        schema.properties or schema.additional_properties or schema.x_preserve_unknown_fields
    )


def of_unique_items(schema: JSONSchemaProps) -> str | None:
    """Return the help for `uniqueItems`, None for a list whose items could be those of a set."""
    if schema.type != "array":
        return "Remove `uniqueItems`: it has no effect on a value that is not a list"
    if schema.x_list_type == "map":
        return _UNIQUE_BY_KEYS
    items = schema.item_schema
    return None if items is None else _UNIQUE_ITEMS_HELPS.get(items.type)
