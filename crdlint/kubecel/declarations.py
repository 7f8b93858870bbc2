"""CEL declarations of a schema: types, fields with their names in CEL, size bounds and cardinalities.

Upstream: apiserver pkg/cel/escaping.go, types.go and common/schemas.go, apiextensions' validation.CELSchemaContext.

Upstream renames a whole tree of types for each schema with rules (MaybeAssignTypeName). Here types are named when they
are used: `Declarations` returns the CEL type of a declaration under a name that depends on its path.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import field
from typing import Final

from crdlint.cel import types
from crdlint.cel.builder import RESERVED
from crdlint.cel.decls import WellKnownTypes
from crdlint.cel.dialect import CELDialect
from crdlint.cel.errors import format_type
from crdlint.cel.estimates import UINT64_MAX, multiply
from crdlint.cel.types import BOOL, INT, STRING, Kind, Type, type_type
from crdlint.crd.model import JSONSchemaProps
from crdlint.gathering import without_none
from crdlint.kubecel.sharing import Sharing
from crdlint.light import dataclass, regex

_NAME: Final = regex(r"[a-zA-Z_/.-][a-zA-Z0-9_/.-]*")
_ESCAPED_PARTS: Final = regex(r"__|[-./]")
_ESCAPES: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}


def escape(name: str) -> str | None:
    """Return the name of a field in CEL, or None if CEL cannot refer to it.

    >>> escape("image-pull")
    'image__dash__pull'
    """
    if name in RESERVED:
        return f"__{name}__"
    if name.isascii() and name.isidentifier() and "__" not in name:
        return name
    if _NAME.fullmatch(name) is None:
        return None
    return _ESCAPED_PARTS.sub(lambda match: _ESCAPES[match[0]], name)


_ESCAPED: Final = regex(r"__([^_]+)__")
_UNESCAPES: Final = {"underscores": "__", "dot": ".", "dash": "-", "slash": "/"}


def unescape(name: str) -> str | None:
    """Return the field name for a name in CEL, or None if no field has that escaped name."""
    if "__" not in name:
        return name
    parts: list[str] = []
    end = 0
    for match in _ESCAPED.finditer(name):
        word = match[1]
        plain = _UNESCAPES.get(word)
        if plain is None:
            if word not in RESERVED or len(match[0]) != len(name):
                return None
            plain = word
        parts += (name[end : match.start()], plain)
        end = match.end()
    return "".join((*parts, name[end:]))


@dataclass(
    frozen=True,
    slots=True,
    eq=False,
)
class DeclField:
    """A field of an object: its escaped name, its declaration, and its property (None for the fields of every resource)."""

    name: str
    type: DeclType
    required: bool = False
    schema: JSONSchemaProps | None = None

    @property
    def is_optional(self) -> bool:
        """Whether a valid object may lack it."""
        return not self.required and (self.schema is None or self.schema.default is None)


@dataclass(
    frozen=True,
    slots=True,
    eq=False,
)
class DeclType:
    """A declared type: a scalar, a list (`elem`), a map (`key` and `elem`) or an object (`fields`). Upstream: cel.DeclType.

    `min_serialized_size`: the least size of a value (bytes of JSON).
    `max_elements`: the limit of elements, entries, or bytes of a string.
    `type`: the CEL type of a scalar, None for others, whose type depends on their name.
    `key`, `elem`: the types of keys, and of values or items.
    `fields`: the fields of an object, by their escaped names.
    `schema`: the schema whose limits bound the size, None for scalars without bounds in a schema.
    `shape`: a number that is equal for declarations that differ only in their schemas (see `Sharing`), 0 if unknown.
    """

    min_serialized_size: int
    max_elements: int = 0
    type: Type | None = None
    key: DeclType | None = None
    elem: DeclType | None = None
    fields: Mapping[str, DeclField] = field(default_factory=dict)
    schema: JSONSchemaProps | None = None
    shape: int = 0

    @property
    def properties(self) -> Mapping[str, JSONSchemaProps]:
        """The properties of its schema, which may be more than its fields."""
        return {} if self.schema is None else self.schema.properties

    def below(self, step: str) -> DeclType | None:
        """Return the declaration of a field by its escaped name, or of the elements or keys; None if there is none."""
        if step in _ELEMENTS:
            return self.elem
        if step == "@keys":
            return self.key
        return self.fields[step].type if step in self.fields else None


# What the paths of the estimator and the names of types call the elements of lists and the values of maps.
_ELEMENTS: Final = frozenset({"@items", "@values", "@idx", "@elem"})

# Kubernetes' sizes of values (bytes of JSON). Upstream: pkg/cel/limits.go.
MAX_REQUEST_SIZE: Final = 3 * 1024 * 1024
_MAX_DURATION_SIZE: Final = 32
_MAX_DATETIME_SIZE: Final = 32
_MIN_DURATION_SIZE: Final = 3
_DATE_SIZE: Final = 12
_MIN_DATETIME_SIZE: Final = 21
_MIN_STRING_SIZE: Final = 2
_MIN_BOOL_SIZE: Final = 4
_MIN_NUMBER_SIZE: Final = 1


def max_cardinality(min_serialized_size: int) -> int:
    """Return how many values of a minimum size (bytes of JSON) fit into a request. Upstream: model.maxCardinality."""
    return MAX_REQUEST_SIZE // (min_serialized_size + 1)


# Shapes of declarations that do not depend on a schema are negative.
_STRING: Final = DeclType(_MIN_STRING_SIZE, type=STRING, shape=-1)
_BOOL: Final = DeclType(_MIN_BOOL_SIZE, type=BOOL, shape=-2)
_DOUBLE: Final = DeclType(_MIN_NUMBER_SIZE, type=types.DOUBLE, shape=-3)
_INT: Final = DeclType(_MIN_NUMBER_SIZE, type=INT, shape=-4)
_FIXED: Final = {"boolean": _BOOL, "number": _DOUBLE, "integer": _INT}

_LONGEST_STRING: Final = MAX_REQUEST_SIZE - 2
# By format: the type, the minimum size as JSON, and the maximum length (None: as long as fits into a request).
_FORMATS: Final[dict[str, tuple[Type, int, int | None]]] = {
    "byte": (types.BYTES, _MIN_STRING_SIZE, None),
    "duration": (types.DURATION, _MIN_DURATION_SIZE, _MAX_DURATION_SIZE),
    "date": (types.TIMESTAMP, _DATE_SIZE, _DATE_SIZE),
    "date-time": (types.TIMESTAMP, _MIN_DATETIME_SIZE, _MAX_DATETIME_SIZE),
}

# The type and object metadata of a resource are always unbounded strings, regardless of its schema.
_META_STRING: Final = DeclType(
    _MIN_STRING_SIZE,
    _LONGEST_STRING,
    STRING,
    shape=-5,
)
_OBJECT_META: Final = DeclType(
    2, fields={name: DeclField(name, _META_STRING) for name in ("name", "generateName")}, shape=-6
)
# The characters of names: of a subdomain, and of one with a suffix.
_LONGEST_NAMES: Final = {"name": 253, "generateName": 252}
_RESOURCE_FIELDS: Final = {
    "kind": _META_STRING,
    "apiVersion": _META_STRING,
    "metadata": _OBJECT_META,
}

_DOUBTFUL: Final = DeclType(1, type=types.DYN)


@dataclass(frozen=True, slots=True)
class Doubts:
    """Schemas, by identity, whose types are not known before their errors are fixed.

    - `unknown`: may become anything: they are declared as `dyn`, which accepts any expression
    - `objects`: can only be objects with the fields of their properties, also if their type is missing or they are a map
    """

    unknown: AbstractSet[int] = frozenset()
    objects: AbstractSet[int] = frozenset()


_NO_DOUBTS: Final = Doubts()


@dataclass(slots=True)
class Declarer:
    """Declares the schemas of one CRD version, each once even if several rules need it.

    `declare` returns None if CEL has no type for the schema: an array without items, or an unknown type.
    `switches` are the names of those switches of the dialect that the declarations depend on.
    """

    dialect: CELDialect
    sharing: Sharing = field(default_factory=Sharing)
    doubts: Doubts = _NO_DOUBTS
    switches: set[str] = field(default_factory=set)
    _by_schema: dict[tuple[int, bool], DeclType | None] = field(default_factory=dict)

    def declare(self, schema: JSONSchemaProps, *, is_resource: bool) -> DeclType | None:
        """Return the declaration of a schema; a resource also has type and object metadata. Upstream: common.SchemaDeclType."""
        declared = self._by_schema
        order = [] if (id(schema), is_resource) in declared else [(schema, is_resource)]
        for current, _ in order:  # which grows: parents before their children
            children = self._parts(current)
            order += [child for child in children if (id(child[0]), child[1]) not in declared]
        for current, resource in reversed(order):
            if (id(current), resource) not in declared:
                declared[id(current), resource] = self._build(current, is_resource=resource)
        return declared[id(schema), is_resource]

    def _type(self, schema: JSONSchemaProps) -> str:
        """Return the type of a schema, empty if it is unknown."""
        if id(schema) in self.doubts.unknown:
            return ""
        return "object" if id(schema) in self.doubts.objects else schema.type

    def _parts(self, schema: JSONSchemaProps) -> list[tuple[JSONSchemaProps, bool]]:
        """Return the schemas that the declaration of a schema contains, each with whether it is a resource."""
        if schema.x_int_or_string:
            return []
        type_ = self._type(schema)
        below: Iterable[JSONSchemaProps | None] = ()
        if type_ == "array":
            below = (schema.item_schema,)
        elif type_ == "object":
            is_map = self._is_map(schema)
            below = (schema.additional_schema,) if is_map else schema.properties.values()
        return [(child, child.x_embedded_resource) for child in without_none(below)]

    def _is_map(self, schema: JSONSchemaProps) -> bool:
        return schema.additional_schema is not None and id(schema) not in self.doubts.objects

    def _child(self, schema: JSONSchemaProps) -> DeclType | None:
        return self._by_schema[id(schema), schema.x_embedded_resource]

    def _build(self, schema: JSONSchemaProps, *, is_resource: bool) -> DeclType | None:
        if id(schema) in self.doubts.unknown:
            return _DOUBTFUL
        if schema.x_int_or_string:
            return self._int_or_string(schema)
        type_ = self._type(schema)
        if type_ == "object":
            return self._object(schema, is_resource=is_resource)
        if type_ == "array":
            return self._container(schema, schema.item_schema, schema.max_items)
        if type_ == "string":
            return self._string(schema)
        return _FIXED.get(type_)

    def _int_or_string(self, schema: JSONSchemaProps) -> DeclType:
        most = _LONGEST_STRING
        if self._has("max_length_bounds_int_or_string"):
            most = _max_length(schema)
        shape = self.sharing.shape("int-or-string", most)
        return DeclType(1, most, types.DYN, schema=schema, shape=shape)

    def _container(
        self,
        schema: JSONSchemaProps,
        values: JSONSchemaProps | None,
        bound: int | None,
        key: DeclType | None = None,
    ) -> DeclType | None:
        """Return the declaration of a list, or of a map with keys, of some values."""
        elem = None if values is None else self._child(values)
        if elem is None:
            return None
        least = elem.min_serialized_size + (1 if key is None else 6)
        most = max(bound, 0) if bound is not None else (MAX_REQUEST_SIZE - 2) // least
        shape = self.sharing.shape("list" if key is None else "map", most, elem.shape)
        return DeclType(
            2,
            most,
            key=key,
            elem=elem,
            schema=schema,
            shape=shape,
        )

    def _object(self, schema: JSONSchemaProps, *, is_resource: bool) -> DeclType | None:
        if self._is_map(schema):
            return self._container(
                schema,
                schema.additional_schema,
                schema.max_properties,
                _STRING,
            )
        required = set(schema.required)
        fields: dict[str, DeclField] = {}
        size = 2
        for name, (declared, child) in self._members(schema, is_resource=is_resource).items():
            if declared is None:
                continue
            escaped = escape(name)
            if escaped is not None:
                fields[escaped] = DeclField(escaped, declared, name in required, child)
            if name in required and not _has_default(child):
                size += len(name.encode()) + declared.min_serialized_size + 4
        return self._of_fields(size, fields, schema)

    def _members(
        self, schema: JSONSchemaProps, *, is_resource: bool
    ) -> dict[str, tuple[DeclType | None, JSONSchemaProps | None]]:
        """Return the declarations of the properties of an object with their schemas, and those of resource metadata."""
        members: dict[str, tuple[DeclType | None, JSONSchemaProps | None]] = {
            name: (self._child(child), child) for name, child in schema.properties.items()
        }
        if is_resource and not has_resource_fields(schema):
            members |= {name: (declared, None) for name, declared in _RESOURCE_FIELDS.items()}
            if self._has("caps_metadata_names"):
                members["metadata"] = self._capped_metadata(schema), None
        return members

    def _of_fields(
        self, size: int, fields: dict[str, DeclField], schema: JSONSchemaProps | None = None
    ) -> DeclType:
        shape = self.sharing.shape(
            "object", *((name, member.type.shape) for name, member in fields.items())
        )
        return DeclType(
            size,
            fields=fields,
            schema=schema,
            shape=shape,
        )

    def _capped_metadata(self, schema: JSONSchemaProps) -> DeclType:
        """Return the object metadata of a resource, with names of the maximum length, or shorter if the schema limits them."""
        metadata = schema.properties.get("metadata")
        properties = {} if metadata is None else metadata.properties
        fields = {}
        for name, longest in _LONGEST_NAMES.items():
            limit = properties[name].max_length if name in properties else None
            most = max(longest if limit is None else min(limit, longest), 0) * 4
            declared = DeclType(
                _MIN_STRING_SIZE,
                most,
                STRING,
                shape=self.sharing.shape(STRING.name, most),
            )
            fields[name] = DeclField(name, declared)
        return self._of_fields(2, fields)

    def _string(self, schema: JSONSchemaProps) -> DeclType:
        type_, least, most = _FORMATS.get(schema.format, (STRING, _MIN_STRING_SIZE, None))
        if type_ is STRING:
            most = self._longest(schema)
        elif most is None:
            most = _LONGEST_STRING if schema.max_length is None else max(schema.max_length, 0)
        return DeclType(
            least,
            most,
            type_,
            schema=schema,
            shape=self.sharing.shape(type_.name, most),
        )

    def _longest(self, schema: JSONSchemaProps) -> int:
        """Return the maximum length of a string in bytes."""
        if schema.enum and schema.max_length is None and self._has("enum_bounds_strings"):
            texts = (value for value in schema.enum if isinstance(value, str))
            return max((len(text.encode()) for text in texts), default=0)
        return _max_length(schema)

    def _has(self, switch: str) -> bool:
        """Return a switch of the dialect, which the declarations then depend on."""
        self.switches.add(switch)
        return bool(getattr(self.dialect, switch))


def has_resource_fields(schema: JSONSchemaProps) -> bool:
    """Return whether a schema declares all fields of resource metadata. Upstream: common.WithTypeAndObjectMeta."""
    meta = schema.properties.get("metadata")
    if meta is None or meta.type != "object":
        return False
    has_names = _has_texts(meta, ("name", "generateName"))
    return has_names and _has_texts(schema, ("kind", "apiVersion"))


def _has_texts(schema: JSONSchemaProps, names: Iterable[str]) -> bool:
    properties = schema.properties
    return all(name in properties and properties[name].type == "string" for name in names)


def _has_default(schema: JSONSchemaProps | None) -> bool:
    """Return whether a schema has a default other than null."""
    return schema is not None and schema.default_value is not None


def _max_length(schema: JSONSchemaProps) -> int:
    """Return maxLength in bytes, as long as fits without one; a code point takes up to four, in 64-bit arithmetic."""
    if schema.max_length is None:
        return _LONGEST_STRING
    return max(schema.max_length, 0) * 4 & UINT64_MAX


# Upstream appends digits of the current time to it.
_SELF_TYPE: Final = "selfType"

# Names of scalar types in the provider of a schema, besides CEL's own names (findScalar).
_SCALARS: Final = {
    "bool": BOOL,
    "bytes": types.BYTES,
    "double": types.DOUBLE,
    "duration": types.DURATION,
    "int": INT,
    "null_type": types.NULL,
    "string": STRING,
    "timestamp": types.TIMESTAMP,
    "uint": types.UINT,
    "list": types.list_type(types.ANY),
    "map": types.map_type(types.ANY, types.ANY),
}
_SCALAR_TYPES: Final = {name: type_type(type_) for name, type_ in _SCALARS.items()}


def type_text(type_: Type, dialect: CELDialect | None = None) -> str:
    """Return a type for people, to whom the objects of a schema have no names of their own."""
    return format_type(
        type_, dialect, lambda part: "object" if part.name.startswith(_SELF_TYPE) else None
    )


class Declarations(WellKnownTypes):
    """The types of one schema with rules, as a provider for the checker. Upstream: cel.DeclTypeProvider.

    Objects are named by their path, starting with `selfType`; `self_type` is the type of the variable `self`. With
    `keywords_as_fields`, `a.namespace` means `a.__namespace__`. With `types_names_of_types`, the name of a type T has
    the type `type(T)` instead of T.
    """

    def __init__(
        self, root: DeclType, *, keywords_as_fields: bool, types_names_of_types: bool = True
    ) -> None:
        self._keywords_as_fields = keywords_as_fields
        self._scalars = _SCALAR_TYPES if types_names_of_types else _SCALARS
        self._root = root
        self._objects: dict[str, DeclType] = {}
        self._located: dict[str, DeclType | None] = {}
        self._types: dict[tuple[str, str], Type] = {}
        self.self_type: Final = self._named(root, _SELF_TYPE)
        # Upstream names a root that is a map `map`.
        self._map_values = (
            self.self_type.params[1] if self.self_type.kind is Kind.MAP else types.ANY
        )

    def find_struct_type(self, name: str) -> Type | None:
        """Return the type for the name of an object of the schema, a scalar or a message."""
        if name in self._objects:
            return type_type(types.object_type(name))
        return self._scalars.get(name) or super().find_struct_type(name)

    def find_struct_field_type(self, struct: str, field: str) -> Type | None:
        """Return the type of a field of an object, by its escaped name."""
        if (struct, field) in self._types:
            return self._types[struct, field]
        if struct == "map":
            return self._map_values
        declared = self._objects.get(struct)
        if declared is None:
            return super().find_struct_field_type(struct, field)
        member = self.field(declared, field)
        if member is not None:
            self._types[struct, field] = self._named(member.type, f"{struct}.{member.name}")
        return self._types.get((struct, field))

    def field(self, declared: DeclType, name: str) -> DeclField | None:
        """Return the field of an object by its name in an expression."""
        member = declared.fields.get(name)
        if member is None and self._keywords_as_fields and name in RESERVED:
            member = declared.fields.get(f"__{name}__")
        return member

    def member(self, type_: Type | None, name: str) -> DeclField | None:
        """Return the field of objects of a type by its name in an expression."""
        declared = None if type_ is None else self.object(type_.name)
        return None if declared is None else self.field(declared, name)

    def object(self, name: str) -> DeclType | None:
        """Return the declaration of an object by the name of its type."""
        declared = self._objects.get(name)
        if declared is None and name not in self._located:
            self._located[name] = self._locate(name)
        return declared or self._located[name]

    def _locate(self, name: str) -> DeclType | None:
        """Return the object with a name, for expressions that were compiled for an equal schema, whose names are not known here."""
        start, *steps = name.split(".")
        declared: DeclType | None = self._root if start == _SELF_TYPE else None
        for step in steps:
            declared = declared and declared.below(step)
        return (
            declared
            if declared is not None and declared.type is None and declared.elem is None
            else None
        )

    def _named(self, declared: DeclType, name: str) -> Type:
        """Return the CEL type of a declaration under a name. Upstream: DeclType.MaybeAssignTypeName."""
        containers = []
        while declared.elem is not None:
            containers.append(declared)
            name += ".@idx" if declared.key is None else ".@elem"
            declared = declared.elem
        if declared.type is not None:
            named = declared.type
        else:
            self._objects[name] = declared
            named = types.object_type(name)
        for container in reversed(containers):
            named = (
                types.list_type(named) if container.key is None else types.map_type(STRING, named)
            )
        return named


_NO_DECLARATION: Final = "unable to convert structural schema to CEL declarations"


class DeclarationFailedError(Exception):
    """A schema that a rule needs cannot be declared in CEL; the text is upstream's."""


@dataclass(frozen=True, slots=True)
class _ScopedNode:
    """A node of the schema: whether it is in the scope of a rule, its maximum cardinality (None: unbounded), its declaration.

    `declared` is a text if declaring failed. It is None outside of the scope of rules, or if the parent has no such part.
    """

    in_scope: bool
    cardinality: int | None
    declared: DeclType | str | None


class SchemaContext:
    """Declarations and cardinalities of one schema, each computed once when needed."""

    def __init__(
        self,
        dialect: CELDialect,
        sharing: Sharing | None = None,
        doubts: Doubts = _NO_DOUBTS,
    ) -> None:
        self._declarer = Declarer(dialect, sharing or Sharing(), doubts)
        self._nodes: dict[int, _ScopedNode] = {}

    def is_same_on(self, dialect: CELDialect) -> bool:
        """Return whether all that is declared so far is declared alike for another dialect."""
        own = self._declarer.dialect
        return all(
            getattr(own, switch) == getattr(dialect, switch) for switch in self._declarer.switches
        )

    def cardinality(self, schema: JSONSchemaProps) -> int | None:
        """Return the maximum number of values of a node in one object, None if a list or map is unbounded."""
        return self._node(schema).cardinality

    def declared(self, schema: JSONSchemaProps) -> DeclType | None:
        """Return the declaration of a node with rules; raise `DeclarationFailedError` if it has none."""
        declared = self._node(schema).declared
        if isinstance(declared, str):
            raise DeclarationFailedError(declared)
        return declared

    def _node(self, schema: JSONSchemaProps) -> _ScopedNode:
        chain = []
        current: JSONSchemaProps | None = schema
        while current is not None and id(current) not in self._nodes:
            chain.append(current)
            current = current.parent
        for node in reversed(chain):
            self._nodes[id(node)] = self._scoped(node, node.parent)
        return self._nodes[id(schema)]

    def _scoped(self, schema: JSONSchemaProps, parent: JSONSchemaProps | None) -> _ScopedNode:
        if parent is None:
            in_scope = bool(schema.x_validations)
            return _ScopedNode(
                in_scope, 1, self._converted(schema, is_resource=True) if in_scope else None
            )
        parent_node = self._nodes[id(parent)]
        is_object = id(parent) in self._declarer.doubts.objects
        most = 1 if is_object else max_elements(parent)
        times = parent_node.cardinality
        cardinality = None if times is None or most is None else multiply(times, most)
        in_scope = parent_node.in_scope or bool(schema.x_validations)
        declared = self._declared(schema, parent, parent_node.declared) if in_scope else None
        return _ScopedNode(in_scope, cardinality, declared)

    def _declared(
        self, schema: JSONSchemaProps, parent: JSONSchemaProps, declared: DeclType | str | None
    ) -> DeclType | str | None:
        """Return the declaration of a child, given that of its parent. Upstream: CELTypeInfo.accessTypeInfo."""
        if isinstance(declared, str):
            return declared
        if declared is not None and id(parent) not in self._declarer.doubts.unknown:
            is_field = schema.steps[0] == "properties"
            below = declared.below((escape(str(schema.steps[1])) or "") if is_field else "@items")
            if below is not None or not is_field:
                return below
        return self._converted(schema, is_resource=schema.x_embedded_resource)

    def _converted(self, schema: JSONSchemaProps, *, is_resource: bool) -> DeclType | str:
        return self._declarer.declare(schema, is_resource=is_resource) or _NO_DECLARATION


def max_elements(schema: JSONSchemaProps) -> int | None:
    """Return the maximum number of direct children of a value, None if unbounded. Upstream: extractMaxElements."""
    if schema.type == "object" and schema.additional_properties is not None:
        bound = schema.max_properties
    elif schema.type == "array":
        bound = schema.max_items
    else:
        return 1
    return None if bound is None else max(bound, 0)
