"""Validation of object metadata. Upstream: apimachinery pkg/api/validation/objectmeta.go, pkg/apis/meta/v1/validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final, Unpack

from crdlint.crd.decode import STORES, UNSET, Reader
from crdlint.crd.errors import (
    TOO_LONG,
    Code,
    Extra,
    FieldError,
    Reason,
    Wording,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long_detail,
)
from crdlint.crd.gotypes import OBJECT_META, GoType
from crdlint.crd.kubenames import (
    is_dns1123_label,
    is_dns1123_subdomain,
    is_label_key,
    is_label_value,
    mask_trailing_dash,
)
from crdlint.crd.model import ManagedFieldsEntry, ObjectMeta, OwnerReference
from crdlint.crd.paths import Path
from crdlint.crd.record import ZEROS, semantic_equal
from crdlint.golang.printing import GO_TYPES, Typed, marshal
from crdlint.golang.text import is_print, quote, to_lower
from crdlint.kubernetes.servers import Server
from crdlint.light import NamedTuple

NameCheck = Callable[[str, bool], list[str]]


_OWNER: Final = OBJECT_META.fields["ownerReferences"].type.element
# Fields of an owner reference without omitempty.
_ALWAYS: Final = {"apiVersion": "", "kind": "", "name": "", "uid": ""}
_ZERO_TIME: Final = "0001-01-01T00:00:00Z"
_LAST_GENERATION: Final = 2**63 - 1


class MetadataError(ValueError):
    """Go cannot decode the metadata as an ObjectMeta; the text is that of its decoder.

    `field` is the path of the field with the wrong type, `json_type` the type of its value and `go_type` the type in
    Go. They are empty if the metadata is not an object.
    """

    def __init__(
        self,
        text: str,
        field: str = "",
        json_type: str = "",
        go_type: str = "",
    ) -> None:
        super().__init__(text)
        self.field = field
        self.json_type = json_type
        self.go_type = go_type


class _MistypedError(ValueError):
    """A value has the wrong type."""


def read_object_meta(
    metadata: Any, *, drop_malformed: bool = False
) -> tuple[dict[str, Any], list[str]]:
    """Decode metadata as Go's ObjectMeta; return the result as JSON, and the paths of unknown fields.

    Raise MetadataError if Go cannot decode it; with `drop_malformed`, only if it is not an object. Upstream:
    objectmeta.GetObjectMetaWithOptions.
    """
    unknown: list[str] = []
    try:
        return _struct(OBJECT_META, metadata, "", unknown), unknown
    except _MistypedError:
        if not drop_malformed:
            raise decode_error(metadata) from None
    if metadata.__class__ is not dict:
        kind = GO_TYPES[metadata.__class__]
        raise MetadataError(f"invalid metadata: expected object, got {kind}")
    unknown.clear()
    valid_fields: dict[str, Any] = {}
    for name, value in metadata.items():
        with suppress(_MistypedError):
            valid_fields.update(_struct(OBJECT_META, {name: value}, "", unknown))
    return valid_fields, unknown


def decode_error(metadata: Any) -> MetadataError:
    """Return the error of decoding metadata as an ObjectMeta."""
    from crdlint.crd.decode_errors import decode  # most metadata needs neither
    from crdlint.yaml.json_events import json_node

    error = decode(OBJECT_META, json_node(metadata)).saved
    if error is None or error.struct != "ObjectMeta":
        return MetadataError(str(error))
    return MetadataError(
        str(error),
        error.field,
        error.value.partition(" ")[0],
        error.of,
    )


def _struct(
    of: GoType,
    value: Any,
    path: str,
    unknown: list[str],
) -> dict[str, Any]:
    """Return a struct as ToUnstructured converts it: without zero values that have omitempty."""
    values: dict[str, Any] = dict(_ALWAYS) if of is _OWNER else {}
    if value is None:
        return values
    if value.__class__ is not dict:
        raise _MistypedError
    for name, item in value.items():
        field_path = f"{path}.{name}" if path else name
        field = of.fields.get(name)
        if field is None:
            unknown.append(field_path)
            continue
        read = None if item is None else _value(field.type, item, field_path, unknown)
        keeps_zero = item is not None and (field.is_pointer or name in values)
        if read or keeps_zero:
            values[name] = read
    return values


def _value(
    of: GoType,
    value: Any,
    path: str,
    unknown: list[str],
) -> Any:
    """Return a value as Go stores it; an empty one if omitempty drops it."""
    kind = of.kind
    if kind == "struct":
        return _struct(of, value, path, unknown)
    if value is None:
        return ZEROS[kind]
    if kind == "fields":
        return value
    if kind in STORES:
        return _stored(of, value)
    element = of.element
    assert element is not None  # noqa: S101  other kinds have one
    if (kind, value.__class__) == ("map", dict):
        return {
            name: _value(element, item, f"{path}.{name}", unknown) for name, item in value.items()
        }
    if (kind, value.__class__) == ("slice", list):
        return [_value(element, item, f"{path}[{i}]", unknown) for i, item in enumerate(value)]
    raise _MistypedError


def _stored(of: GoType, value: Any) -> Any:
    stored = STORES[of.kind](_READER, of, value)
    if stored is UNSET:
        raise _MistypedError
    is_zero_time = of.kind == "time" and stored == _ZERO_TIME
    return None if is_zero_time else stored


# The decoder reads the output of Marshal, which prints an integral float below 1e21 as an integer.
_READER: Final = Reader(json=False)


def as_record(value: dict[str, Any], of: GoType = OBJECT_META) -> Any:
    """Return the metadata that `read_object_meta` returned as a record."""
    assert of.record is not None  # noqa: S101  a struct
    record = of.record()
    for name, field_value in value.items():
        field = of.fields[name]
        element = field.type.element
        if element is not None and element.kind == "struct":
            field_value = [as_record(item, element) for item in field_value]
        setattr(record, field.attribute, field_value)
    return record


RESOURCE_METADATA: Final = "resource-metadata"
ANNOTATIONS_LIMIT: Final = 262144  # bytes of all keys and values together
_MANAGER_LIMIT: Final = 128
_SUBRESOURCE_LIMIT: Final = 256
# The total length of owner references in errors that repeat the whole list.
_MOST_REPEATED: Final = 1 << 16


class Rules(NamedTuple):
    """The rule ids for findings about metadata, by what the finding is about."""

    name: str
    labels: str
    annotations: str
    annotations_size: str
    owners: str
    finalizers: str
    server_owned: str
    immutable: str


RESOURCE_RULES: Final = Rules(*[RESOURCE_METADATA] * 8)


def validate_object_meta(
    meta: ObjectMeta,
    path: Path,
    rules: Rules,
    server: Server,
) -> Iterator[FieldError]:
    """Yield the errors in metadata, except for name and namespace."""
    if meta.generation < 0:
        detail = "must be greater than or equal to 0"
        yield invalid(
            rules.server_owned,
            path.child("generation"),
            meta.generation,
            detail,
        )
    yield from _labels(meta, path, rules)
    yield from _annotations(meta, path, rules)
    yield from _owners(meta, path, rules, server)
    yield from _finalizers(meta, path, rules)
    yield from _managed_fields(meta, path, rules, server)


def validate_any_object_meta(
    meta: ObjectMeta,
    path: Path,
    server: Server,
    *,
    rules: Rules = RESOURCE_RULES,
    requires_namespace: bool,
    name_check: NameCheck,
) -> Iterator[FieldError]:
    """Yield the errors in metadata. Upstream: ValidateObjectMetaAccessor."""
    if meta.generate_name:
        messages = name_check(meta.generate_name, True)
        yield from _invalid(
            rules.name,
            path.child("generateName"),
            meta.generate_name,
            messages,
        )
    if meta.name:
        messages = name_check(meta.name, False)
        yield from _invalid(
            rules.name,
            path.child("name"),
            meta.name,
            messages,
        )
    else:
        yield required(rules.name, path.child("name"), "name or generateName is required")
    if requires_namespace and not meta.namespace:
        yield required(rules.name, path.child("namespace"), "")
    elif requires_namespace:
        messages = is_dns1123_label(meta.namespace)
        yield from _invalid(
            rules.name,
            path.child("namespace"),
            meta.namespace,
            messages,
        )
    yield from validate_object_meta(meta, path, rules, server)


def _invalid(
    rule: str,
    path: Path,
    text: str,
    messages: Iterable[str],
    **extra: Unpack[Extra],
) -> Iterator[FieldError]:
    for message in messages:
        yield invalid(rule, path, text, message, **extra)


def next_generation(generation: int) -> int:
    """Return the generation of a changed object; Go's int64 wraps around."""
    return generation + 1 if generation < _LAST_GENERATION else -_LAST_GENERATION - 1


def prepare_update(meta: ObjectMeta, old: ObjectMeta, *, is_manifest: bool) -> None:
    """Set the server's own fields in new metadata as they are stored, in place. Upstream: rest.BeforeUpdate.

    A stored object has a resource version, which every client sends, and a timestamp. An old object without them is a
    manifest; with `is_manifest`, the new timestamp is then that of the stored object.
    """
    meta.generation = old.generation
    meta.uid = meta.uid or old.uid
    meta.resource_version = meta.resource_version or old.resource_version or "1"
    if old.creation_timestamp or is_manifest:
        meta.creation_timestamp = old.creation_timestamp
    if old.deletion_timestamp:
        meta.deletion_timestamp = old.deletion_timestamp
    if meta.deletion_grace_period_seconds is None:
        meta.deletion_grace_period_seconds = old.deletion_grace_period_seconds


def validate_object_meta_update(
    meta: ObjectMeta,
    before: ObjectMeta,
    path: Path,
    rules: Rules,
    server: Server,
) -> Iterator[FieldError]:
    """Yield the errors of an update of metadata. Upstream: ValidateObjectMetaAccessorUpdate."""
    if before.deletion_timestamp is not None:
        extra = sorted(set(meta.finalizers) - set(before.finalizers))
        if extra:
            listed = "[]string{" + ", ".join(map(quote, extra)) + "}"
            detail = f"no new finalizers can be added if the object is being deleted, found new finalizers {listed}"
            yield forbidden(rules.immutable, path.child("finalizers"), detail)
    changed = Reason(Code.IMMUTABLE)
    for attribute, name in _IMMUTABLE_FIELDS.items():
        value = getattr(meta, attribute)
        if semantic_equal(value, getattr(before, attribute)):
            continue
        if attribute in _PRINTED_TYPES:
            # Values of these Go types are printed in their own way.
            value = Typed(value, _PRINTED_TYPES[attribute])
        detail = "field is immutable"
        yield invalid(
            rules.immutable,
            path.child(name),
            value,
            detail,
            reason=changed,
        )
    if meta.generation < before.generation:
        generation_path = path.child("generation")
        yield invalid(
            rules.server_owned,
            generation_path,
            meta.generation,
            "must not be decremented",
        )
    yield from _labels(meta, path, rules)
    yield from _annotations(meta, path, rules)
    yield from _owners(meta, path, rules, server)
    yield from _managed_fields(meta, path, rules, server)


_PRINTED_TYPES: Final = {
    "uid": "types.UID",
    "creation_timestamp": "v1.Time",
    "deletion_timestamp": "v1.Time",
}
_IMMUTABLE: Final = {
    "Name",
    "Namespace",
    "UID",
    "CreationTimestamp",
    "DeletionTimestamp",
    "DeletionGracePeriodSeconds",
}
_IMMUTABLE_FIELDS: Final = {
    field.attribute: field.json_name for field in ObjectMeta.FIELDS if field.go_name in _IMMUTABLE
}


def _labels(meta: ObjectMeta, within: Path, rules: Rules) -> Iterator[FieldError]:
    path = within.child("labels")
    for key, value in meta.labels.items():
        key_path = path.child(key)
        yield from _invalid(
            rules.labels,
            path,
            key,
            is_label_key(key),
            at=key_path,
            key=True,
        )
        yield from _invalid(
            rules.labels,
            path,
            value,
            is_label_value(value),
            at=key_path,
        )


def _annotations(meta: ObjectMeta, within: Path, rules: Rules) -> Iterator[FieldError]:
    path = within.child("annotations")
    size = 0
    for key, value in meta.annotations.items():
        size += _bytes(key) + _bytes(value)
        yield from _invalid(
            rules.annotations,
            path,
            key,
            is_label_key(to_lower(key)),
            at=path.child(key),
            key=True,
        )
    if size > ANNOTATIONS_LIMIT:
        detail = too_long_detail(ANNOTATIONS_LIMIT)
        yield FieldError(
            rules.annotations_size,
            TOO_LONG,
            path,
            None,
            detail,
        )


def _bytes(text: str) -> int:
    """Return the length of a text in UTF-8."""
    return len(_as_bytes(text))


def _owners(
    meta: ObjectMeta,
    within: Path,
    rules: Rules,
    server: Server,
) -> Iterator[FieldError]:
    """Yield the errors of owner references; before 1.37 their paths have no index. Upstream: ValidateOwnerReferences."""
    path = within.child("ownerReferences")
    controllers = _surplus_controllers(meta.owner_references, path, rules)
    for i, owner in enumerate(meta.owner_references):
        yield from _owner(owner, path, path.index(i), rules, server)
        if i in controllers:
            yield controllers[i]


def _surplus_controllers(
    owners: Sequence[OwnerReference], path: Path, rules: Rules
) -> dict[int, FieldError]:
    """Return the errors of references with `controller: true` after the first one, by index, without duplicates.

    Each error repeats the whole list. If they exceed _MOST_REPEATED characters in total, the last error that is
    returned contains the number of omitted ones in its help.
    """
    first: str | None = None
    indexes: dict[str, int] = {}
    for i, owner in enumerate(owners):
        if owner.controller:
            name = f"{owner.kind}/{owner.name}"
            if first is None:
                first = name
            else:
                indexes.setdefault(name, i)
    if not indexes:
        return {}
    most = max(_MOST_REPEATED // len(marshal(owners)), 1)
    reported = list(indexes.items())[:most]
    bad = Typed(owners, "[]v1.OwnerReference")
    help_ = "Set `controller: true` on one reference only"
    errors = {}
    for name, i in reported:
        references = f"references for {first} and {name}"
        detail = f'Only one reference can have Controller set to true. Found "true" in {references}'
        controller_path = path.index(i).child("controller")
        errors[i] = invalid(
            rules.owners,
            path,
            bad,
            detail,
            at=controller_path,
            help=help_,
        )
    left_out = len(indexes) - len(reported)
    if left_out:
        _, last = reported[-1]
        help_ = f"{help_}; {left_out:,} more references have it"
        errors[last] = errors[last]._replace(help=help_)
    return errors


def _owner(
    owner: OwnerReference,
    path: Path,
    location: Path,
    rules: Rules,
    server: Server,
) -> Iterator[FieldError]:
    """Yield the errors of the owner reference at `location` in the list at `path`."""
    group, _, version = owner.api_version.rpartition("/")
    if owner.api_version.count("/") > 1:
        # schema.FromAPIVersionAndKind returns empty values if it cannot parse the text.
        group = version = ""
    is_newer = server.requires_metadata_fields
    own_path = location if is_newer else path
    fields = (
        ("apiVersion", owner.api_version, version, "version must not be empty"),
        ("kind", owner.kind, owner.kind, _not_empty("kind")),
        ("name", owner.name, owner.name, _not_empty("name")),
        ("uid", owner.uid, owner.uid, _not_empty("uid")),
    )
    for name, value, is_set, message in fields:
        if is_newer and not value:
            yield required(rules.owners, own_path.child(name), "must not be empty")
        elif not is_set:
            bad = Typed(value, "types.UID") if name == "uid" else value
            detail = "must be <group>/<version> or <version>" if is_newer else message
            yield invalid(
                rules.owners,
                own_path.child(name),
                bad,
                detail,
                at=location.child(name),
            )
    if (group, version, owner.kind) == ("", "v1", "Event"):
        detail = "/v1, Kind=Event is disallowed from being an owner"
        yield invalid(rules.owners, own_path, owner, detail, at=location)


def _not_empty(field: str) -> str:
    return Wording.by_version(f"{field} must not be empty", (34, "must not be empty"))


def _finalizers(meta: ObjectMeta, within: Path, rules: Rules) -> Iterator[FieldError]:
    path = within.child("finalizers")
    for i, finalizer in enumerate(meta.finalizers):
        yield from _invalid(
            rules.finalizers,
            path,
            finalizer,
            is_label_key(finalizer),
            at=path.index(i),
        )
    if {"orphan", "foregroundDeletion"} <= set(meta.finalizers):
        detail = "finalizer orphan and foregroundDeletion cannot be both set"
        yield invalid(
            rules.finalizers,
            path,
            Typed(meta.finalizers, "[]string"),
            detail,
        )


# The finalizers that need no domain. Upstream: customresource.standardFinalizers.
_STANDARD_FINALIZERS: Final = frozenset({"orphan", "foregroundDeletion", "kubernetes"})
_PREFERRED: Final = "to avoid accidental conflicts with other finalizer writers"


def finalizer_warnings(
    meta: ObjectMeta, old: ObjectMeta | None, server: Server
) -> Iterator[tuple[str, str]]:
    """Yield the finalizers that a request adds to a custom resource and the server warns of, each with its warning.

    Upstream: customresource.generateWarningsFromObj.
    """
    if not server.warns_of_finalizers:
        return
    before = () if old is None else old.finalizers
    for finalizer in sorted(set(meta.finalizers).difference(before), key=_as_bytes):
        name = f"metadata.finalizers: {quote(finalizer)}"
        for message in is_label_key(finalizer):
            worded = message.on(server) if isinstance(message, Wording) else message
            yield finalizer, f"{name}: {worded}"
        if "/" in finalizer or finalizer in _STANDARD_FINALIZERS:
            continue
        names_path = server.wants_paths_of_finalizers and "." in finalizer
        path = " including a path (/)" if names_path else ""
        yield finalizer, f"{name}: prefer a domain-qualified finalizer name{path} {_PREFERRED}"


def _as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


_RANDOM_SUFFIX: Final = "xxxxx"  # represents five random characters
_LONGEST_BASE: Final = 58  # the number of bytes of generateName that are kept


def generated_name(base: str) -> str:
    """Return a name as the server generates it from `generateName`, with `x` for each random character.

    Upstream: apiserver pkg/storage/names/generate.go.
    """
    return base.encode()[:_LONGEST_BASE].decode("utf-8", "replace") + _RANDOM_SUFFIX


def kept_managed_fields(meta: ObjectMeta, group: str) -> list[ManagedFieldsEntry]:
    """Return the managed fields that the server keeps of those that a client sends for an object of a group.

    It keeps none if it cannot decode all of them, and none that name no field or are of another group.
    Upstream: apimachinery pkg/util/managedfields/internal DecodeManagedFields, FieldManager.Update.
    """
    if not all(map(_is_decodable, meta.managed_fields)):
        return []
    of_group = [entry for entry in meta.managed_fields if entry.api_version.startswith(f"{group}/")]
    return [entry for entry in of_group if entry.fields_v1]


def _is_decodable(entry: ManagedFieldsEntry) -> bool:
    if entry.operation not in _OPERATIONS or entry.fields_type != "FieldsV1":
        return False
    return bool(entry.api_version) and _is_set_of_fields(entry.fields_v1)


_OPERATIONS: Final = ("Apply", "Update")


# The kinds of elements of a path: a field, the keys of an item, its value, its index.
_ELEMENTS: Final = ("f:", "k:", "v:", "i:")


def _is_set_of_fields(value: Any) -> bool:
    """Return whether a value has the form of a set of fields. Upstream: structured-merge-diff's fieldpath.Set.FromJSON."""
    pending = [value]
    while pending:
        current = pending.pop()
        if not isinstance(current, dict):
            return current is None
        if not all(key == "." or key.startswith(_ELEMENTS) for key in current):
            return False
        pending.extend(current.values())
    return True


def _managed_fields(
    meta: ObjectMeta,
    within: Path,
    rules: Rules,
    server: Server,
) -> Iterator[FieldError]:
    for i, entry in enumerate(meta.managed_fields):
        path = within.child("managedFields").index(i)
        if entry.operation not in _OPERATIONS:
            operation = Typed(entry.operation, "v1.ManagedFieldsOperationType")
            yield _wrong_operation(operation, path, rules, server)
        fields_type = entry.fields_type
        if fields_type not in {"", "FieldsV1"}:
            detail = "must be `FieldsV1`"
            yield invalid(
                rules.server_owned,
                path.child("fieldsType"),
                fields_type,
                detail,
            )
        yield from _manager(entry.manager, path.child("manager"), rules)
        subresource = path.child("subresource")
        yield from _too_long(
            entry.subresource,
            _SUBRESOURCE_LIMIT,
            subresource,
            rules,
        )


def _manager(manager: str, path: Path, rules: Rules) -> Iterator[FieldError]:
    yield from _too_long(manager, _MANAGER_LIMIT, path, rules)
    position = 0
    for char in manager:
        if not is_print(ord(char)):
            detail = f"invalid character U+{ord(char):04X} (at position {position})"
            yield invalid(rules.server_owned, path, manager, detail)
        position += _bytes(char)


def _too_long(
    text: str,
    limit: int,
    path: Path,
    rules: Rules,
) -> Iterator[FieldError]:
    if _bytes(text) > limit:
        yield FieldError(
            rules.server_owned,
            TOO_LONG,
            path,
            None,
            too_long_detail(limit),
        )


def _wrong_operation(
    operation: Typed,
    path: Path,
    rules: Rules,
    server: Server,
) -> FieldError:
    operation_path = path.child("operation")
    if not server.requires_metadata_fields:
        return invalid(
            rules.server_owned,
            operation_path,
            operation,
            "must be `Apply` or `Update`",
        )
    if not operation.value:
        return required(rules.server_owned, operation_path, "must not be empty")
    return not_supported(
        rules.server_owned,
        operation_path,
        operation,
        _OPERATIONS,
    )


def dns_subdomain(text: str, prefix: bool) -> list[str]:
    """Return the reasons why a text is not a valid name of a custom resource, or generateName. Upstream: NameIsDNSSubdomain."""
    return is_dns1123_subdomain(mask_trailing_dash(text) if prefix else text)
