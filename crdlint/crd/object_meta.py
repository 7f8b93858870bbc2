"""ObjectMeta as Go reads it: metadata goes through the struct and back, which drops unknown fields.

Values of other types are errors. Upstream: apiextensions pkg/apiserver/schema/objectmeta, GetObjectMetaWithOptions.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.decode_errors import GoError, explain
from crdlint.crd.decode_values import INT_RANGES
from crdlint.crd.gotypes import OBJECT_META
from crdlint.golang.times import as_utc, check_rfc3339
from crdlint.yaml.from_json import json_node

if TYPE_CHECKING:
    from crdlint.crd.gotypes import GoType

_OWNER: Final = OBJECT_META.fields["ownerReferences"].type.element
_ALWAYS: Final = {"apiVersion": "", "kind": "", "name": "", "uid": ""}  # fields of an owner without omitempty
_ZEROS: Final[dict[str, Any]] = {"string": "", "int64": 0, "bool": False}
_ZERO_TIME: Final = "0001-01-01T00:00:00Z"


class MetadataError(ValueError):
    """Metadata that Go does not read as an ObjectMeta; the text is its decoder's.

    ``field`` is the path of the field of another type, ``given`` its JSON type and ``wanted`` Go's; empty if all of the
    metadata is.
    """

    def __init__(self, text: str, field: str = "", given: str = "", wanted: str = "") -> None:
        super().__init__(text)
        self.field = field
        self.given = given
        self.wanted = wanted


class _MistypedError(ValueError):
    """A value of another type than Go's."""


def read_object_meta(metadata: Any, *, drop_malformed: bool = False) -> tuple[dict[str, Any], list[str]]:
    """Return metadata as it comes out of Go's ObjectMeta, and the paths of unknown fields within it.

    Raises MetadataError for what Go does not read; with ``drop_malformed`` only where it is no object
    (GetObjectMetaWithOptions).
    """
    unknown: list[str] = []
    try:
        found = _struct(OBJECT_META, metadata, "", unknown)
    except _MistypedError:
        if not drop_malformed:
            raise decode_error(metadata) from None
    else:
        return found, unknown
    if metadata.__class__ is not dict:
        raise MetadataError(f"invalid metadata: expected object, got {_GO_TYPES[metadata.__class__]}")
    unknown.clear()
    kept: dict[str, Any] = {}
    for name, value in metadata.items():
        with suppress(_MistypedError):
            kept.update(_struct(OBJECT_META, {name: value}, "", unknown))
    return kept, unknown


_GO_TYPES: Final = {str: "string", bool: "bool", int: "int64", float: "float64", list: "[]interface {}"}


def decode_error(metadata: Any) -> MetadataError:
    """Return the error in which decoding metadata as an ObjectMeta ends."""
    error = explain(OBJECT_META, json_node(metadata))
    if not isinstance(error, GoError) or error.struct != "ObjectMeta":
        return MetadataError(str(error))
    return MetadataError(str(error), error.field, error.value.partition(" ")[0], error.of)


def _struct(of: GoType, value: Any, path: str, unknown: list[str]) -> dict[str, Any]:
    """Return a struct as ToUnstructured gives it back: what is zero and omitempty left out."""
    made: dict[str, Any] = dict(_ALWAYS) if of is _OWNER else {}
    if value is None:
        return made
    if value.__class__ is not dict:
        raise _MistypedError
    for name, item in value.items():
        at = f"{path}.{name}" if path else name
        field = of.fields.get(name)
        if field is None:
            unknown.append(at)
        elif item is not None:
            read = _value(field.type, item, at, unknown)
            if read or field.is_pointer or name in made:
                made[name] = read
    return made


def _value(of: GoType, value: Any, path: str, unknown: list[str]) -> Any:
    """Return a value that is not null as Go holds it; an empty one for what omitempty leaves out."""
    kind, given = of.kind, value.__class__
    if kind == "string" and given is str:
        return value
    if kind == "int64" and given in {int, float}:
        return _integer(value)
    if kind == "bool" and given is bool:
        return value
    if kind == "time" and given is str and check_rfc3339(value) is None:
        shown = as_utc(value)
        return None if shown == _ZERO_TIME else shown
    if kind == "map" and given is dict:
        return {name: _item(of, item, f"{path}.{name}", unknown) for name, item in value.items()}
    if kind == "slice" and given is list:
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


def _integer(value: float) -> int:
    # The decoder sees what Marshal prints, an integral float below 1e21 as an integer.
    low, high = INT_RANGES["int64"]
    if (value.__class__ is float and (not value.is_integer() or abs(value) >= 1e21)) or not low <= value <= high:
        raise _MistypedError
    return int(value)


def as_record(value: dict[str, Any], of: GoType = OBJECT_META) -> Any:
    """Return metadata that `read_object_meta` returned as the record of its type."""
    assert of.record is not None  # noqa: S101  a struct
    record = of.record()
    for name, held in value.items():
        field = of.fields[name]
        element = field.type.element
        if element is not None and element.kind == "struct":
            held = [as_record(item, element) for item in held]
        setattr(record, field.attribute, held)
    return record
