"""Validation of defaults. Upstream: apiextensions schema/defaulting/validation.go (ValidateDefaults).

A default must be equal to its pruned form, and valid against its schema. The caller provides a hook that evaluates the
rules at and below the schema.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Final, Protocol

from crdlint.crd.errors import (
    DEFAULT_INVALID,
    NOT_EVALUATED,
    Code,
    FieldError,
    Reason,
    Wording,
    invalid,
)
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.kubernetes.servers import NEWEST, Server
from crdlint.light import NamedTuple
from crdlint.phrases import some
from crdlint.schema.deep_equal import deep_copy, deep_equal
from crdlint.schema.defaulting import META_FIELDS, TYPED_ROOT, SurroundingObject, prune
from crdlint.schema.embedded_resources import coerce, validate_embedded
from crdlint.schema.validator import ValueValidator
from crdlint.schema.value_help import fits
from crdlint.spelling import name_meant

RULE: Final = DEFAULT_INVALID
_LISTED: Final = 3  # names of unknown fields in one help


class RuleHook(Protocol):
    """Evaluates the rules at and below the schema of a default, with one budget for all defaults."""

    def __call__(
        self,
        schema: JSONSchemaProps,
        value: Any,
        path: Path,
        *,
        is_resource_root: bool,
    ) -> tuple[list[FieldError], bool]:
        """Return the errors, and whether the budget is exhausted, which ends the validation of defaults.

        `is_resource_root` is true if the schema is that of a whole resource (see upstream's NewValidator). Upstream
        evaluates the rules twice: with the default as old value as well and, if that finds no errors, without one.
        """


class _At(NamedTuple):
    """The position of the walk.

    `schema`: the schema.
    `root`: the schema of the whole object.
    `outer`: the position of the default in that object.
    `inside_meta`: whether it is in type or object metadata.
    """

    schema: JSONSchemaProps
    root: JSONSchemaProps
    outer: SurroundingObject
    inside_meta: bool


def validate_defaults(
    schema: JSONSchemaProps,
    with_defaults: Iterable[JSONSchemaProps],
    *,
    require_pruned: bool = True,
    rules: RuleHook | None = None,
    server: Server = NEWEST,
) -> list[FieldError]:
    """Return the errors of the defaults of a structural root schema.

    `with_defaults` are the schemas within it that have defaults, parents first. `require_pruned` is false on update if
    the old CRD has unpruned defaults.
    """
    errors: list[FieldError] = []
    positions: dict[int, _At | None] = {id(schema): _At(schema, schema, TYPED_ROOT, False)}
    for subschema in with_defaults:
        position = _find(subschema, positions)
        if position is not None:
            found_errors, spent = _validate_default(position, require_pruned, rules, server)
            errors.extend(found_errors)
            if spent:
                return errors
    return errors


def _find(schema: JSONSchemaProps, positions: dict[int, _At | None]) -> _At | None:
    """Return the position of a schema, or None if upstream does not visit it: within additionalProperties, allOf and others.

    `positions` contains the known positions by the identity of the schema, including that of the root.
    """
    way: list[JSONSchemaProps] = []
    ancestor: JSONSchemaProps | None = schema
    while ancestor is not None and id(ancestor) not in positions:
        way.append(ancestor)
        ancestor = ancestor.parent
    position = None if ancestor is None else positions[id(ancestor)]
    for subschema in reversed(way):
        if position is not None:
            position = _below(position, subschema)
        positions[id(subschema)] = position
    return position


def _below(position: _At, schema: JSONSchemaProps) -> _At | None:
    """Return the position of a child schema."""
    kind, *rest = schema.steps
    inside = position.inside_meta
    if kind == "items" and not rest:
        outer = position.outer.item()
    elif kind == "properties":
        name = str(rest[0])
        embedded = position.schema.x_embedded_resource or position.schema is position.root
        inside = inside or (embedded and name in META_FIELDS)
        outer = position.outer.child(name)
    else:
        return None
    if schema.x_embedded_resource:
        return _At(schema, schema, TYPED_ROOT, False)
    return _At(
        schema,
        position.root,
        outer,
        inside,
    )


def _validate_default(
    position: _At,
    require_pruned: bool,
    rules: RuleHook | None,
    server: Server,
) -> tuple[list[FieldError], bool]:
    """Return the errors of a default, and whether they end the validation of defaults."""
    schema, path = position.schema, position.schema.path.child("default")
    assert schema.default is not None  # noqa: S101  the caller checks it
    value = deep_copy(schema.default.value)
    errors, wrong = _errors_of_fields(
        position,
        value,
        path,
        server,
        require_pruned=require_pruned,
    )
    if wrong:
        return [*errors, *wrong], False
    mistakes = ValueValidator(schema, structural=True, server=server).validate(value, path)
    if mistakes or rules is None:
        spent = any(error.type is NOT_EVALUATED for error in mistakes)
    else:
        is_root = schema is position.root
        mistakes, spent = rules(schema, value, path, is_resource_root=is_root)
    return [*errors, *mistakes], spent


def _errors_of_fields(
    position: _At,
    value: Any,
    path: Path,
    server: Server,
    *,
    require_pruned: bool,
) -> tuple[list[FieldError], list[FieldError]]:
    """Return the error for unknown fields of a default, and the errors in metadata, which is coerced in place."""
    if position.inside_meta:
        return [], _inside_metadata(position, value, path, server)
    if value.__class__ not in _WITH_FIELDS:
        return [], []
    schema = position.schema
    embedded = schema.x_embedded_resource or schema is position.root
    unknown = (
        _unknown_fields(
            schema,
            value,
            path,
            is_resource_root=embedded,
        )
        if require_pruned
        else []
    )
    # Go coerces metadata in place, so the default is printed in the coerced form from here on.
    wrong = _metadata_errors(
        path,
        value,
        schema,
        server,
        is_resource_root=embedded,
    )
    return unknown, wrong


_WITH_FIELDS: Final[frozenset[type]] = frozenset({dict, list})


def _metadata_errors(
    path: Path | None,
    value: Any,
    schema: JSONSchemaProps,
    server: Server,
    *,
    is_resource_root: bool,
) -> list[FieldError]:
    """Coerce type and metadata of a value and the resources in it, in place, and return their errors."""
    coerced = coerce(
        path,
        value,
        schema,
        is_resource_root=is_resource_root,
    )
    if coerced.error is not None:
        return [coerced.error]
    return validate_embedded(
        path,
        value,
        schema,
        server,
        is_resource_root=is_resource_root,
    )


def _unknown_fields(
    schema: JSONSchemaProps,
    value: Any,
    path: Path,
    *,
    is_resource_root: bool,
) -> list[FieldError]:
    """Return the error for fields that pruning removes, if there are any."""
    pruned = deep_copy(value)
    unknown = prune(pruned, schema, is_resource_root=is_resource_root)
    if deep_equal(pruned, value):
        return []
    return [_unpruned(path, value, unknown, schema)]


def _unpruned(
    path: Path,
    value: Any,
    unknown: list[str],
    schema: JSONSchemaProps,
) -> FieldError:
    """Return the error for fields of a default that pruning removes, positioned at the first of them."""
    error = invalid(
        RULE,
        path,
        value,
        "must not have unknown fields",
        reason=Reason(Code.UNKNOWN_FIELDS),
    )
    if not unknown:
        return error
    listed = some([f"`{name}`" for name in unknown], _LISTED)
    help_ = f"Remove {listed} from the default, or specify it in `properties` of the schema"
    near = _name_meant(unknown[0], value, schema) if len(unknown) == 1 else None
    if near is not None:
        help_ = f"Rename `{unknown[0]}` in the default to `{near}`, or remove it"
        error = error._replace(reason=Reason(Code.UNKNOWN_FIELDS, (near,)))
    return error._replace(
        at=path.child(unknown[0]),
        key=True,
        help=help_,
    )


def _name_meant(name: str, value: Any, schema: JSONSchemaProps) -> str | None:
    """Return the property that an unknown field of a default may mean: the value fits, and has none of that name."""
    if not isinstance(value, dict):
        return None
    item = value.get(name)
    fitting = [each for each, below in schema.properties.items() if fits(item, below)]
    near = name_meant(name, fitting, typed=True)
    return None if near in value else near


def _inside_metadata(
    position: _At,
    value: Any,
    path: Path,
    server: Server,
) -> list[FieldError]:
    """Return the errors of a default in type or object metadata, checked in a resource that contains nothing else."""
    resource = position.outer.around(deep_copy(value))
    wrong = _metadata_errors(
        None,
        resource,
        position.root,
        server,
        is_resource_root=True,
    )
    if not wrong:
        return []
    return [invalid(RULE, path, value, Wording(partial(_metadata_detail, wrong)))]


def _metadata_detail(errors: list[FieldError], server: Server) -> str:
    texts = list(dict.fromkeys(str(error.on(server)) for error in errors))
    joined = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    return f"must result in valid metadata: {joined}"
