"""ObjectMeta as Go decodes it: metadata is decoded into the struct and converted back, which drops unknown fields.

Values of wrong types are errors. Upstream: apiextensions pkg/apiserver/schema/objectmeta, GetObjectMetaWithOptions.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.decode_values import INT_RANGES
from crdlint.crd.gotypes import OBJECT_META

if TYPE_CHECKING:
    from crdlint.crd.gotypes import GoType

_OWNER: Final = OBJECT_META.fields["ownerReferences"].type.element
_ALWAYS: Final = {"apiVersion": "", "kind": "", "name": "", "uid": ""}  # fields of an owner reference without omitempty
_ZEROS: Final[dict[str, Any]] = {"string": "", "int64": 0, "bool": False}
_ZERO_TIME: Final = "0001-01-01T00:00:00Z"


class MetadataError(ValueError):
    """Go cannot decode the metadata as an ObjectMeta; the text is that of its decoder.

    `field` is the path of the field with the wrong type, `json_type` the type of its value and `go_type` the type in
    Go. They are empty if the metadata is not an object.
    """

    def __init__(self, text: str, field: str = "", json_type: str = "", go_type: str = "") -> None:
        super().__init__(text)
        self.field = field
        self.json_type = json_type
        self.go_type = go_type


class _MistypedError(ValueError):
    """A value has the wrong type."""


def read_object_meta(metadata: Any, *, drop_malformed: bool = False) -> tuple[dict[str, Any], list[str]]:
    """Decode metadata as Go's ObjectMeta; return the result as JSON, and the paths of unknown fields.

    Raise MetadataError if Go cannot decode it; with `drop_malformed`, only if it is not an object. Upstream:
    objectmeta.GetObjectMetaWithOptions.
    """
    unknown: list[str] = []
    try:
        decoded = _struct(OBJECT_META, metadata, "", unknown)
    except _MistypedError:
        if not drop_malformed:
            raise decode_error(metadata) from None
    else:
        return decoded, unknown
    if metadata.__class__ is not dict:
        raise MetadataError(f"invalid metadata: expected object, got {_GO_TYPES[metadata.__class__]}")
    unknown.clear()
    valid_fields: dict[str, Any] = {}
    for name, value in metadata.items():
        with suppress(_MistypedError):
            valid_fields.update(_struct(OBJECT_META, {name: value}, "", unknown))
    return valid_fields, unknown


_GO_TYPES: Final = {str: "string", bool: "bool", int: "int64", float: "float64", list: "[]interface {}"}


def decode_error(metadata: Any) -> MetadataError:
    """Return the error of decoding metadata as an ObjectMeta."""
    from crdlint.crd.decode_errors import GoError, explain  # most metadata needs neither
    from crdlint.yaml.from_json import json_node

    error, _ = explain(OBJECT_META, json_node(metadata))
    if not isinstance(error, GoError) or error.struct != "ObjectMeta":
        return MetadataError(str(error))
    return MetadataError(str(error), error.field, error.value.partition(" ")[0], error.of)


def _struct(of: GoType, value: Any, path: str, unknown: list[str]) -> dict[str, Any]:
    """Return a struct as ToUnstructured converts it: without zero values that have omitempty."""
    made: dict[str, Any] = dict(_ALWAYS) if of is _OWNER else {}
    if value is None:
        return made
    if value.__class__ is not dict:
        raise _MistypedError
    for name, item in value.items():
        field_path = f"{path}.{name}" if path else name
        field = of.fields.get(name)
        if field is None:
            unknown.append(field_path)
        elif item is not None:
            read = _value(field.type, item, field_path, unknown)
            if read or field.is_pointer or name in made:
                made[name] = read
    return made


def _value(of: GoType, value: Any, path: str, unknown: list[str]) -> Any:
    """Return a value other than null as Go stores it; an empty one if omitempty drops it."""
    kind, value_type = of.kind, value.__class__
    if kind == "string" and value_type is str:
        return value
    if kind == "int64" and value_type in {int, float}:
        return _integer(value)
    if kind == "bool" and value_type is bool:
        return value
    if kind == "time" and value_type is str:
        return _time(value)
    if kind == "map" and value_type is dict:
        return {name: _item(of, item, f"{path}.{name}", unknown) for name, item in value.items()}
    if kind == "slice" and value_type is list:
        return [_item(of, item, f"{path}[{i}]", unknown) for i, item in enumerate(value)]
    if kind == "struct":
        return _struct(of, value, path, unknown)
    if kind == "fields":
        return value
    raise _MistypedError


def _item(of: GoType, value: Any, path: str, unknown: list[str]) -> Any:
    element = of.element
    assert element is not None  # noqa: S101  slices and maps have one
    if value is None and element.kind != "struct":
        return _ZEROS[element.kind]
    return _value(element, value, path, unknown) if value is not None else _struct(element, None, path, unknown)


def _time(value: str) -> str | None:
    from crdlint.golang.times import as_utc, check_rfc3339  # few CRDs were read from a server

    if check_rfc3339(value) is not None:
        raise _MistypedError
    shown = as_utc(value)
    return None if shown == _ZERO_TIME else shown


def _integer(value: float) -> int:
    # The decoder reads the output of Marshal, which prints an integral float below 1e21 as an integer.
    low, high = INT_RANGES["int64"]
    if (value.__class__ is float and (not value.is_integer() or abs(value) >= 1e21)) or not low <= value <= high:
        raise _MistypedError
    return int(value)


def as_record(value: dict[str, Any], of: GoType = OBJECT_META) -> Any:
    """Return the metadata that `read_object_meta` returned as a record."""
    assert of.record is not None  # noqa: S101  a struct
    record = of.record()
    for name, item_value in value.items():
        field = of.fields[name]
        element = field.type.element
        if element is not None and element.kind == "struct":
            item_value = [as_record(item, element) for item in item_value]
        setattr(record, field.attribute, item_value)
    return record
