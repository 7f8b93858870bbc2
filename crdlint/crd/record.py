"""Go structs as Python classes: each field is declared once, with its Go name, its Go type, and its name in JSON.

From the declarations follow Go's zero values, the tables by which structs are decoded (`crdlint.crd.gotypes`), and
those by which ``encoding/json`` and ``%#v`` print them (`crdlint.golang`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

if TYPE_CHECKING:
    from crdlint.yaml.nodes import Mapping


class Field(NamedTuple):
    """A field: its attribute, its names in Go and in JSON, and its Go type; a name is empty if it has none."""

    attribute: str
    go_name: str
    json_name: str
    go_type: str

    @property
    def is_pointer(self) -> bool:
        """Whether the field is a pointer, so that a zero value differs from none."""
        return self.go_type.startswith("*")


class _Declaration(NamedTuple):
    go_name: str
    go_type: str
    json_name: str | None
    zero: Any


_BY_TYPE: Final = object()


def go(name: str, of: str, *, json: str | None = None, zero: Any = _BY_TYPE) -> Any:
    """Declare a field by its Go name and type; types of the struct's own package are written without it.

    A defined slice or map type is written ``Name=underlying type``. ``name`` is empty for a field that only v1 has,
    ``json`` for one that only the internal type has or that has a decoder of its own; by default it is the name in
    camel case. ``zero`` is the value where a document has none; Go's zero value by default, None for a nil pointer.
    """
    return _Declaration(name, of, json, zero)


class Record:
    """A Go struct: zero values on the class, given values on the instance. `semantic_equal` compares two of them.

    ``FIELDS`` lists the fields in Go's order, ``GO_FIELDS`` those of the internal type as (Go name, attribute, Go type).
    An API type, which has JSON tags, has the names of JSON by Go's in ``JSON_TAGS``, and in ``OMITTED_NIL`` the
    attributes that JSON leaves out if they are nil.
    """

    GO_PACKAGE: ClassVar[str] = "apiextensions"
    FIELDS: ClassVar[tuple[Field, ...]] = ()
    GO_FIELDS: ClassVar[tuple[tuple[str, str, str], ...]] = ()
    JSON_TAGS: ClassVar[dict[str, str]] = {}
    OMITTED_NIL: ClassVar[frozenset[str]] = frozenset()
    node: Mapping | None = None  # the YAML mapping it was read from; None where a default made it

    def __init_subclass__(cls, *, package: str = "apiextensions", has_json_tags: bool = False) -> None:
        """Make the tables of the declared fields, and set their zero values on the class."""
        RECORDS[cls.__name__] = cls
        cls.GO_PACKAGE = package
        declared = [(name, one) for name, one in vars(cls).items() if isinstance(one, _Declaration)]
        fields = []
        for attribute, one in declared:
            of = _TYPE_NAME.sub(rf"{package}.\1", one.go_type)
            setattr(cls, attribute, _zero(of) if one.zero is _BY_TYPE else one.zero)
            json_name = _camel_case(one.go_name) if one.json_name is None else one.json_name
            fields.append(Field(attribute, one.go_name, json_name, of))
        cls.FIELDS = tuple(fields)
        cls.GO_FIELDS = tuple((one.go_name, one.attribute, one.go_type) for one in fields if one.go_name)
        if has_json_tags:
            cls.JSON_TAGS = {one.go_name: one.json_name for one in fields}
            cls.OMITTED_NIL = frozenset(one.attribute for one in fields if one.is_pointer)


RECORDS: Final[dict[str, type[Record]]] = {}

# A type name without its package; those of Go itself are in lower case.
_TYPE_NAME: Final = re.compile(r"(?<![\w.])([A-Z]\w*)")
_INITIALS: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]+")
_ZEROS: Final[dict[str, Any]] = {
    "string": "", "bool": False, "int32": 0, "int64": 0, "float64": 0.0, "[]uint8": b"", "v1.Time": None,
}  # fmt: skip


def _camel_case(name: str) -> str:
    """Return a Go name as JSON has it: ``JSONPath`` as ``jsonPath``."""
    return _INITIALS.sub(lambda initials: initials[0].lower(), name, count=1)


def _zero(of: str) -> Any:
    """Return the zero value of a Go type; of slices and maps an empty one."""
    if of.startswith("*"):
        return None
    if of in _ZEROS:
        return _ZEROS[of]
    underlying = of if of.startswith(("[", "map[")) else of.partition("=")[2]
    if underlying:
        return {} if underlying.startswith("map[") else ()
    record = RECORDS.get(of.rpartition(".")[2])
    return "" if record is None else record()  # other types with a name are strings
