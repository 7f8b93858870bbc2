"""Objects that a schema describes, to be stored on a server: the fullest first, an empty one last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

Schema: TypeAlias = Mapping[str, Any]
_TEXTS: Final = {
    "date-time": "2020-01-02T03:04:05Z",
    "date": "2020-01-02",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "cidr": "192.0.2.0/24",
    "uuid": "6f1e1f9c-3c1b-4b8e-9d6e-0a1f2b3c4d5e",
    "duration": "1h",
    "byte": "eA==",
}
_WORDS: Final = ("abc", "a", "x1", "1", "1h", "Ready", "{}", "")


def sample(schema: Schema) -> Iterator[dict[str, Any]]:
    """Yield objects without apiVersion, kind and metadata, of which the first that is valid is the fullest."""
    fields = {
        key: below
        for key, below in _properties(schema).items()
        if key not in {"apiVersion", "kind", "metadata"}
    }
    for word in _WORDS:
        yield {key: _value(below, word) for key, below in fields.items()}
    for key, below in fields.items():
        yield {key: _value(below, _WORDS[0])}
    yield {key: {} for key, below in fields.items() if below.get("type") == "object"}
    yield {}


def _value(schema: Schema, word: str) -> Any:
    """Return a value of a schema; `word` is the text where it asks for any."""
    if schema.get("default") is not None:
        return schema["default"]
    for value in schema.get("enum") or ():
        if value is not None:
            return value
    if schema.get("x-kubernetes-int-or-string"):
        return 1
    make = _MAKERS.get(schema.get("type", ""))
    return make(schema, word) if make is not None else {"k": word}


def _text(schema: Schema, word: str) -> str:
    text = _TEXTS.get(schema.get("format", ""), word)
    missing = int(schema.get("minLength") or 0) - len(text)
    return (text + "x" * max(missing, 0))[: schema.get("maxLength")]


def _number(schema: Schema, _word: str) -> float:
    low, high = schema.get("minimum"), schema.get("maximum")
    return (
        low + 1
        if low is not None and (high is None or high > low)
        else high
        if high is not None
        else 1
    )


def _list(schema: Schema, word: str) -> list[Any]:
    item = schema.get("items")
    count = max(1, int(schema.get("minItems") or 0))
    return [_value(item, word)] * count if isinstance(item, Mapping) else []


def _object(schema: Schema, word: str) -> dict[str, Any]:
    values = {key: _value(below, word) for key, below in _properties(schema).items()}
    values |= {key: word for key in schema.get("required") or () if key not in values}
    extra = schema.get("additionalProperties")
    if isinstance(extra, Mapping):
        values["k"] = _value(extra, word)
    elif schema.get("x-kubernetes-preserve-unknown-fields") or not values:
        values["k"] = word
    if schema.get("x-kubernetes-embedded-resource"):
        values |= {"apiVersion": "v1", "kind": "ConfigMap"}
    return values


def _properties(schema: Schema) -> Mapping[str, Schema]:
    properties = schema.get("properties")
    return properties if isinstance(properties, Mapping) else {}


_MAKERS: Final = {
    "string": _text, "integer": _number, "number": _number, "boolean": lambda _schema, _word: True,
    "array": _list, "object": _object,
}  # fmt: skip
