"""Defaults of a CRD's schema judged (apiextensions schema/defaulting/validation.go, ValidateDefaults).

A default must be what pruning leaves of it, and valid by the schema that it stands in. CEL's part is the caller's: a
hook judges a default by the rules at and below its schema.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from crdlint.crd.errors import NOT_EVALUATED, Code, Reason, Wording, invalid
from crdlint.diagnostics.spelling import nearest
from crdlint.kubernetes.servers import NEWEST
from crdlint.schema.embedded_resources import coerce, validate_embedded
from crdlint.schema.pruning import META_FIELDS, prune
from crdlint.schema.surrounding_object import TYPED_ROOT, SurroundingObject
from crdlint.schema.validator import ValueValidator
from crdlint.schema.value_help import LIKE
from crdlint.schema.values import deep_copy, deep_equal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.kubernetes.servers import Server

RULE: Final = "default-invalid"
_LISTED: Final = 3  # names of unknown fields in one help


class RuleHook(Protocol):
    """Judges a default by the rules at and below its schema, with a budget of its own for all defaults together."""

    def __call__(
        self, schema: JSONSchemaProps, value: Any, path: Path, *, is_resource_root: bool
    ) -> tuple[list[FieldError], bool]:
        """Return the errors, and whether the budget is spent, which ends the validation of defaults.

        ``is_resource_root`` is that of upstream's NewValidator: the schema is a whole resource's.
        Upstream runs the rules twice: with the default as the old value too, then, where that found nothing, with none.
        """


@dataclass(frozen=True, slots=True)
class _At:
    """Where the walk is: what encloses the schema, and whether it is within a resource's type or object metadata."""

    schema: JSONSchemaProps
    path: Path
    root: JSONSchemaProps
    root_embedded: bool
    surrounding: SurroundingObject
    inside_meta: bool


def validate_defaults(
    schema: JSONSchemaProps,
    path: Path,
    given: Iterable[JSONSchemaProps],
    *,
    require_pruned: bool = True,
    rules: RuleHook | None = None,
    server: Server = NEWEST,
) -> list[FieldError]:
    """Return what is wrong with defaults of a whole, structural schema at ``path``.

    ``given`` are the schemas within it that have defaults, parents first. ``require_pruned`` is false on update where
    the old CRD had unpruned defaults.
    """
    errors: list[FieldError] = []
    places: dict[int, _At | None] = {id(schema): _At(schema, path, schema, True, TYPED_ROOT, False)}
    for one in given:
        at = _find(one, places)
        if at is not None:
            found, spent = _judge(at, require_pruned, rules, server)
            errors.extend(found)
            if spent:
                return errors
    return errors


def _find(schema: JSONSchemaProps, places: dict[int, _At | None]) -> _At | None:
    """Return where a schema is, None where upstream's walk does not get: within additionalProperties, allOf and the like.

    ``places`` has those known by identity, the root's among them.
    """
    way: list[JSONSchemaProps] = []
    at: JSONSchemaProps | None = schema
    while at is not None and id(at) not in places:
        way.append(at)
        at = at.parent
    found = None if at is None else places[id(at)]
    for one in reversed(way):
        found = places[id(one)] = None if found is None else _below(found, one)
    return found


def _below(at: _At, schema: JSONSchemaProps) -> _At | None:
    """Return the place of a schema right below another."""
    kind, *rest = schema.steps
    if kind == "items" and not rest:
        return _enter(at, schema, at.path.child("items"), at.surrounding.index(), inside_meta=at.inside_meta)
    if kind != "properties":
        return None
    name = str(rest[0])
    embedded = at.schema.x_embedded_resource or (at.schema is at.root and at.root_embedded)
    inside = at.inside_meta or (embedded and name in META_FIELDS)
    path = at.path.child("properties").key(name)
    return _enter(at, schema, path, at.surrounding.child(name), inside_meta=inside)


def _enter(
    above: _At, schema: JSONSchemaProps, path: Path, surrounding: SurroundingObject, *, inside_meta: bool
) -> _At:
    if schema.x_embedded_resource:
        return _At(schema, path, schema, True, TYPED_ROOT, False)
    return _At(schema, path, above.root, above.root_embedded, surrounding, inside_meta)


def _judge(at: _At, require_pruned: bool, rules: RuleHook | None, server: Server) -> tuple[list[FieldError], bool]:
    schema, path = at.schema, at.path.child("default")
    assert schema.default is not None  # noqa: S101  the caller has looked
    value = deep_copy(schema.default.value)
    if at.inside_meta:
        errors = _inside_metadata(at, value, path)
        wrong = bool(errors)
    else:
        embedded = schema.x_embedded_resource or schema is at.root
        errors = []
        if require_pruned:
            pruned = deep_copy(value)
            unknown = prune(pruned, schema, is_resource_root=embedded)
            if not deep_equal(pruned, value):
                errors.append(_unpruned(path, value, unknown, schema))
        # From here on the default is what Go's ObjectMeta makes of it, and is shown so.
        coerced = coerce(path, value, schema, is_resource_root=embedded).error
        found = [coerced] if coerced else validate_embedded(path, value, schema, is_resource_root=embedded)
        errors.extend(found)
        wrong = bool(found)
    if wrong:
        return errors, False
    found = ValueValidator(schema, structural=True, server=server).validate(value, path)
    if found or rules is None:
        return [*errors, *found], any(error.type is NOT_EVALUATED for error in found)
    found, spent = rules(schema, value, path, is_resource_root=schema is at.root)
    return [*errors, *found], spent


def _unpruned(path: Path, value: Any, unknown: list[str], schema: JSONSchemaProps) -> FieldError:
    """Tell of fields that pruning takes out, at the first of them."""
    error = invalid(RULE, path, value, "must not have unknown fields", reason=Reason(Code.UNKNOWN_FIELDS))
    if not unknown:
        return error
    listed = ", ".join(f"`{name}`" for name in unknown[:_LISTED])
    more = f" and {len(unknown) - _LISTED} more" if len(unknown) > _LISTED else ""
    help_ = f"Remove {listed}{more} from the default, or specify it in `properties` of the schema"
    near = nearest(unknown[0], schema.properties, LIKE) if len(unknown) == 1 and isinstance(value, dict) else None
    if near is not None and near not in value:
        help_ = f"Rename `{unknown[0]}` in the default to `{near}`, or remove it"
    return replace(error, at=path.child(unknown[0]), key=True, help=help_)


def _inside_metadata(at: _At, value: Any, path: Path) -> list[FieldError]:
    """Judge a default within a resource's type or metadata by a resource that has nothing else."""
    whole = at.surrounding.around(deep_copy(value))
    coerced = coerce(None, whole, at.root, is_resource_root=True).error
    found = [coerced] if coerced else validate_embedded(None, whole, at.root, is_resource_root=True)
    if not found:
        return []
    return [invalid(RULE, path, value, Wording(partial(_metadata_detail, found)))]


def _metadata_detail(errors: list[FieldError], server: Server) -> str:
    texts = list(dict.fromkeys(str(error.on(server)) for error in errors))
    said = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    return f"must result in valid metadata: {said}"
