"""Go structs as Python classes: each field is declared once, with its Go name, Go type and JSON name.

The declarations determine Go's zero values, the tables for decoding structs (`crdlint.crd.gotypes`), and the tables for
printing them with `encoding/json` and `%#v` (`crdlint.golang`).
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, TypeVar

from crdlint.light import NamedTuple, regex
from crdlint.yaml.nodes import Mapping

# Attributes that are not fields of a struct: the source of an object.
PROVENANCE: Final = frozenset({"node", "parent_ref", "root", "set_fields", "steps"})


class Field(NamedTuple):
    """A field: its attribute, its names in Go and JSON (empty if it has none), and its Go type."""

    attribute: str
    go_name: str
    json_name: str
    go_type: str

    @property
    def is_pointer(self) -> bool:
        """Whether the field is a pointer, so that a zero value differs from nil."""
        return self.go_type.startswith("*")


class _Declaration(NamedTuple):
    """What `go` declares; `json_name` is None for the usual one."""

    go_name: str
    go_type: str
    json_name: str | None

    def field(self, attribute: str, package: str) -> Field:
        """Return the field of a struct in a Go package."""
        json_name = self.json_name
        if json_name is None:
            json_name = _json_name(self.go_name)
        go_type = self.go_type
        if not go_type.islower():
            go_type = _TYPE_NAME.sub(rf"{package}.\1", go_type)
        return Field(attribute, self.go_name, json_name, go_type)


def go(name: str, of: str, *, json: str | None = None) -> Any:
    """Declare a field by its Go name and type; types of the struct's own package are written without it.

    A defined slice or map type is written as `Name=underlying type`. `name` is empty for a field that only v1 has.
    `json` is empty for one that only the internal type has or that has its own decoder; by default it is the name in
    camel case, or that of an extension.
    """
    return _Declaration(name, of, json)


Made = TypeVar("Made", bound="Record")


class Record:
    """A Go struct: zero values on the class, fields that are set on the instance; `semantic_equal` compares records.

    `FIELDS` contains the fields in Go's order, `GO_FIELDS` those of the internal type as (Go name, attribute, Go type).
    An API type, which has JSON tags, also has `JSON_TAGS` (JSON name by Go name) and `OMITTED_NIL`, the attributes that
    JSON omits if they are nil.
    """

    GO_PACKAGE: ClassVar[str] = "apiextensions"
    FIELDS: ClassVar[tuple[Field, ...]] = ()
    GO_FIELDS: ClassVar[tuple[tuple[str, str, str], ...]] = ()
    JSON_TAGS: ClassVar[dict[str, str]] = {}
    OMITTED_NIL: ClassVar[frozenset[str]] = frozenset()
    # The YAML mapping that it was decoded from; None if it is a default
    node: Mapping | None = None

    def __init_subclass__(
        cls, *, package: str = "apiextensions", has_json_tags: bool = False
    ) -> None:
        """Create the tables of the declared fields, and set their zero values on the class."""
        RECORDS[cls.__name__] = cls
        cls.GO_PACKAGE = package
        fields = []
        for attribute, declaration in list(vars(cls).items()):
            if isinstance(declaration, _Declaration):
                field = declaration.field(attribute, package)
                setattr(cls, attribute, _zero(field.go_type))
                fields.append(field)
        cls.FIELDS = tuple(fields)
        cls.GO_FIELDS = tuple(
            (field.go_name, field.attribute, field.go_type) for field in fields if field.go_name
        )
        if has_json_tags:
            cls.JSON_TAGS = {field.go_name: field.json_name for field in fields}
            cls.OMITTED_NIL = frozenset(field.attribute for field in fields if field.is_pointer)

    @classmethod
    def of(cls: type[Made], **attributes: Any) -> Made:
        """Return a record with some fields, which was not decoded."""
        record = cls()
        vars(record).update(attributes)
        return record


RECORDS: Final[dict[str, type[Record]]] = {}

# A type name without its package; names of Go's own types are in lower case.
_TYPE_NAME: Final = regex(r"(?<![\w.])([A-Z]\w*)")
# Go's zero values.
ZEROS: Final[dict[str, Any]] = {
    "string": "",
    "bool": False,
    "int32": 0,
    "int64": 0,
    "uint8": 0,
    "float64": 0.0,
    "[]uint8": b"",
    "v1.Time": None,
}


def _json_name(name: str) -> str:
    """Return a Go name as a JSON name: `JSONPath` as `jsonPath`, `XListType` as `x-kubernetes-list-type`."""
    if name[1:2].islower():
        return name[0].lower() + name[1:]
    if name[:1] == "X" and name[1:2].isupper():
        parts = (f"-{each.lower()}" if each.isupper() else each for each in name[1:])
        return "x-kubernetes" + "".join(parts)
    end = next((i for i, each in enumerate(name) if not each.isupper()), len(name))
    if name[end : end + 1].islower():  # the last initial begins a word
        end -= 1
    return name[:end].lower() + name[end:]


def _zero(of: str) -> Any:
    """Return the zero value of a Go type, for slices and maps an empty one."""
    if of.startswith("*"):
        return None
    if of in ZEROS:
        return ZEROS[of]
    underlying = of if of.startswith(("[", "map[")) else of.partition("=")[2]
    if underlying:
        return {} if underlying.startswith("map[") else ()
    record = RECORDS.get(of.rpartition(".")[2])
    return "" if record is None else record()  # other named types are strings


def semantic_equal(left: Any, right: Any) -> bool:
    """Return whether two values of the model are equal, at any depth. Upstream: equality.Semantic.DeepEqual."""
    pending = [(left, right)]
    while pending:
        a, b = pending.pop()
        if a is not b and not _compare(a, b, pending):
            return False
    return True


def _compare(a: Any, b: Any, pending: list[tuple[Any, Any]]) -> bool:
    """Return whether two values can be equal, and push the parts of them that must be."""
    kind = a.__class__
    if kind is not b.__class__:
        # Empty lists are equal, set or not.
        are_lists = {kind, b.__class__} <= _LISTS
        are_empty = not a and not b
        return are_lists and are_empty
    if kind in _SCALARS:
        return bool(a == b)
    if isinstance(a, Record):
        return _push_fields(a, b, pending)
    if len(a) != len(b):
        return False
    if kind is not dict:
        pending.extend(zip(a, b, strict=True))
        return True
    pending.extend((value, b[key]) for key, value in a.items() if key in b)
    return bool(a.keys() == b.keys())


def _push_fields(a: Record, b: Any, pending: list[tuple[Any, Any]]) -> bool:
    """Push the fields of two records that must be compared; return False if scalars differ already."""
    ours, theirs = a.__dict__, b.__dict__
    for name, value in ours.items():
        if name in PROVENANCE:
            continue
        other = theirs[name] if name in theirs else getattr(b, name)
        are_texts = value.__class__ is str and other.__class__ is str
        if are_texts and value != other:
            return False
        if value is not other and not are_texts:
            pending.append((value, other))
    for name, other in theirs.items():
        if name not in ours and name not in PROVENANCE:
            pending.append((getattr(a, name), other))
    return True


_LISTS: Final = frozenset({list, tuple})
_SCALARS: Final = frozenset({str, int, float, bool, bytes, type(None)})
