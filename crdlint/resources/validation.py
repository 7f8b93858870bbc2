"""A custom resource on its way into the API server: pruned, defaulted, judged.

Reproduces apiextensions pkg/apiserver (schemaCoercingDecoder, unstructuredDefaulter) and
pkg/registry/customresource (strategy.go, validator.go).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.errors import (
    INVALID,
    NOT_EVALUATED,
    NOT_SUPPORTED,
    REQUIRED,
    TOO_LONG,
    TOO_MANY,
    TYPE_INVALID,
    Code,
    FieldError,
    Reason,
    invalid,
)
from crdlint.crd.object_meta import MetadataError, read_object_meta
from crdlint.crd.object_meta_validation import (
    dns_subdomain,
    path_segment,
    validate_resource_meta,
    validate_resource_meta_update,
)
from crdlint.crd.paths import Path
from crdlint.golang.numbers import format_float
from crdlint.golang.values import GO_TYPES
from crdlint.kubecel.evaluation import MISSING, OutOfBudgetError, Ratcheting, Run, rule_validator, validate_rules
from crdlint.kubecel.limits import RUNTIME_BUDGET
from crdlint.kubernetes.servers import NEWEST, Server
from crdlint.safety import work
from crdlint.schema.correlation import Correlation
from crdlint.schema.defaulting import apply_defaults, prune_defaults, prune_nulls
from crdlint.schema.embedded_resources import coerce, validate_embedded
from crdlint.schema.list_type import validate_list_sets_and_maps
from crdlint.schema.pruning import prune
from crdlint.schema.validator import ValueValidator
from crdlint.schema.values import deep_copy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from crdlint.crd.model import (
        CustomResourceDefinition,
        CustomResourceSubresources,
        CustomResourceSubresourceScale,
        JSONSchemaProps,
    )

    Withhold = Callable[[FieldError], bool]

RULE_ID: Final = "resource-rule"
SCALE: Final = "resource-scale"
TYPE_META: Final = "resource-type"

_BLOCKING: Final = frozenset({REQUIRED, TOO_LONG, TOO_MANY, TYPE_INVALID})
_NOT_CHECKED: Final = (
    "some validation rules were not checked because the object was invalid;"
    " correct the existing errors to complete validation"
)
_MAX_REPLICAS: Final = 2**31 - 1


class UnknownVersionError(ValueError):
    """The CRD has no version of that name."""


class NotDecodedError(ValueError):
    """An object that the server's decoder refuses; the text is its. ``metadata`` is set if its metadata is the reason."""

    def __init__(self, text: str, metadata: MetadataError | None = None) -> None:
        super().__init__(text)
        self.metadata = metadata


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the server makes of an object.

    ``errors`` and ``warnings`` in its order, ``unknown`` the paths of fields that were pruned, sorted, ``resource`` the
    object pruned and defaulted, ``cel_cost`` the cost units that rules took: None where none ran.
    """

    errors: tuple[FieldError, ...]
    warnings: tuple[FieldError, ...]
    unknown: tuple[str, ...]
    resource: dict[str, Any]
    cel_cost: int | None


@dataclass(frozen=True, slots=True)
class _Admitted:
    resource: dict[str, Any]
    unknown: tuple[str, ...]


class ResourceValidator:
    """Judges objects of one version of a CRD; made once for as many objects as there are.

    ``as_requests`` does with the status what the server does with a request's where the status is a subresource: it is
    no part of a new object, and stays as it was on update.
    """

    def __init__(
        self, crd: CustomResourceDefinition, version: str, *, server: Server = NEWEST, as_requests: bool = False
    ) -> None:
        """Prepare a CRD in its internal form; raises `UnknownVersionError`."""
        self._server = server
        spec = crd.spec
        found = next((one for one in spec.versions if one.name == version), None)
        if found is None:
            message = f"the CRD {crd.metadata.name} has no version {version!r}"
            raise UnknownVersionError(message)
        validation = found.schema or spec.validation
        self.schema: JSONSchemaProps | None = None if validation is None else validation.open_api_v3_schema
        self.kind = spec.names.kind
        self.group = spec.group
        self.api_version = f"{spec.group}/{version}"
        self._namespaced = spec.scope == "Namespaced"
        self._preserves = bool(spec.preserve_unknown_fields)
        subresources = found.subresources or spec.subresources
        self._scale = _scale(subresources)
        self._keeps_status = as_requests and subresources is not None and subresources.status is not None
        if self.schema is not None:
            self._values = ValueValidator(self.schema, server=server)
            self._rules = rule_validator(self.schema, server, is_root=True)
            self._defaults = prune_defaults(self.schema)

    @work.limited()
    def create(self, given: dict[str, Any], withhold: Withhold | None = None) -> Outcome:
        """Judge a new object; errors that ``withhold`` accepts are left out, as if the server had not found them."""
        admitted = self._admit(given)
        resource = admitted.resource
        if self._keeps_status:
            resource.pop("status", None)
        errors = self._type_errors(resource)
        if not errors:
            meta = read_object_meta(resource.get("metadata"))[0]
            errors += validate_resource_meta(
                meta, Path("metadata"), requires_namespace=self._namespaced, name_check=dns_subdomain
            )
            if self.schema is not None:
                errors += self._values.validate(resource)
            errors += _scale_spec_errors(self._scale, resource)
            errors += _scale_status_errors(self._scale, resource)
        errors += validate_embedded(None, resource, self.schema, is_resource_root=False)
        errors += validate_list_sets_and_maps(None, self.schema, resource)
        return self._with_rules(admitted, errors, MISSING, None, withhold=withhold)

    @work.limited()
    def update(self, given: dict[str, Any], old: dict[str, Any], withhold: Withhold | None = None) -> Outcome:
        """Judge an object that is to replace another; what did not change is let pass. For ``withhold`` see create."""
        admitted, before = self._admit(given), self._admit(old).resource
        resource = admitted.resource
        if self._keeps_status:
            resource.pop("status", None)
            if "status" in before:
                resource["status"] = deep_copy(before["status"])
        correlation = self._correlation(resource, before)
        common, errors = self._metadata_update_errors(resource, before)
        wrong_type = self._type_errors(resource)
        if wrong_type:
            common, errors = [*common, *errors], wrong_type
        else:
            if self.schema is not None:
                errors += (
                    self._values.validate(resource)
                    if correlation is None
                    else self._values.validate_update(resource, before, correlation=correlation)
                )
            errors += _scale_spec_errors(self._scale, resource)
            errors += _scale_status_errors(self._scale, resource)
        errors += validate_embedded(None, resource, self.schema, is_resource_root=False)
        if not validate_list_sets_and_maps(None, self.schema, before):
            errors += validate_list_sets_and_maps(None, self.schema, resource)
        return self._with_rules(admitted, errors, before, correlation, common, withhold)

    @work.limited()
    def update_status(self, given: dict[str, Any], old: dict[str, Any]) -> Outcome:
        """Judge an update of the status subresource: of what is given nothing but the status counts."""
        admitted, before = self._admit(given), self._admit(old).resource
        resource = deep_copy(before)
        resource.pop("status", None)
        if "status" in admitted.resource:
            resource["status"] = admitted.resource["status"]
        correlation = self._correlation(resource, before)
        common, errors = self._metadata_update_errors(before, before)
        schema = None if self.schema is None else self.schema.properties.get("status")
        if schema is not None and "status" in resource:
            values = ValueValidator(schema, server=self._server)
            old_status = None if correlation is None else correlation.key("status")
            path = Path("status") if self._server.locates_status_errors else None
            status = resource["status"]
            errors += (
                values.validate(status, path)
                if old_status is None
                else values.validate_update(status, before["status"], path, correlation=old_status)
            )
        errors += _scale_status_errors(self._scale, resource)
        if not validate_list_sets_and_maps(None, self.schema, before):
            errors += validate_list_sets_and_maps(None, self.schema, resource)
        return self._with_rules(_Admitted(resource, admitted.unknown), errors, before, correlation, common)

    def _correlation(self, resource: dict[str, Any], old: dict[str, Any]) -> Correlation | None:
        """Return what is unchanged in an object, None where the server validates all of it."""
        if self.schema is None or not self._server.ratchets_values:
            return None
        return Correlation(resource, old, self.schema)

    def read(self, stored: dict[str, Any]) -> dict[str, Any]:
        """Return a stored object as a client reads it: defaulted once more."""
        resource: dict[str, Any] = deep_copy(stored)
        if self.schema is not None:
            apply_defaults(resource, self.schema, self._defaults)
        return resource

    def _with_rules(
        self,
        admitted: _Admitted,
        errors: list[FieldError],
        old: Any,
        correlation: Correlation | None,
        common: Sequence[FieldError] = (),
        withhold: Withhold | None = None,
    ) -> Outcome:
        """Run the rules unless an error keeps the server from it, which ``common`` ones do not."""
        if withhold is not None:
            common = [error for error in common if not withhold(error)]
            errors = [error for error in errors if not withhold(error)]
        rules = None if self.schema is None else self._rules
        run = Run(RULE_ID, RUNTIME_BUDGET)
        cost: int | None = None
        if rules is not None and any(map(self._is_blocking, errors)):
            errors.append(
                FieldError(RULE_ID, INVALID, Path("<nil>"), None, _NOT_CHECKED, reason=Reason(Code.NOT_CHECKED))
            )
        elif rules is not None and all(error.type is not NOT_EVALUATED for error in errors):
            try:
                validate_rules(rules, run, None, admitted.resource, old, Ratcheting(correlation))
                cost = RUNTIME_BUDGET - run.budget
            except OutOfBudgetError:
                cost = RUNTIME_BUDGET + 1
        if withhold is not None:
            run.errors = [error for error in run.errors if not withhold(error)]
            run.warnings = [error for error in run.warnings if not withhold(error)]
        return Outcome(
            tuple(error.on(self._server) for error in (*common, *errors, *run.errors)),
            tuple(error.on(self._server) for error in run.warnings),
            admitted.unknown,
            admitted.resource,
            cost,
        )

    def _is_blocking(self, error: FieldError) -> bool:
        """Return whether an error keeps the server from running rules."""
        return error.type in _BLOCKING or (error.type is NOT_SUPPORTED and self._server.enum_errors_block_rules)

    def _admit(self, given: dict[str, Any]) -> _Admitted:
        """Return an object pruned and defaulted; raises `NotDecodedError`."""
        resource = deep_copy(given)
        kept = {name: resource[name] for name in ("kind", "apiVersion") if isinstance(resource.get(name), str)}
        unknown: list[str] = []
        meta = None
        if "metadata" in resource:
            try:
                meta, unknown_meta = read_object_meta(resource["metadata"])
            except MetadataError as error:
                raise NotDecodedError(str(error), error) from error
            unknown.extend(f"metadata.{path}" for path in unknown_meta)
        group = str(kept.get("apiVersion", "")).rpartition("/")[0]
        is_ours = (group, kept.get("kind")) == (self.group, self.kind)
        if is_ours:
            if not self._preserves:
                unknown += prune(resource, self.schema, is_resource_root=True)
                prune_nulls(resource, self.schema)
            coerced = coerce(None, resource, self.schema, is_resource_root=False)
            if coerced.error is not None:
                raise NotDecodedError(str(coerced.error.on(self._server)))
            unknown += coerced.unknown
        resource.update(kept)
        if meta is not None:
            resource["metadata"] = meta
        if is_ours and self.schema is not None:
            apply_defaults(resource, self.schema, self._defaults)
        return _Admitted(resource, tuple(sorted(unknown)))

    def _metadata_update_errors(
        self, resource: dict[str, Any], old: dict[str, Any]
    ) -> tuple[list[FieldError], list[FieldError]]:
        """Return what is wrong with the metadata of an object that is to replace another.

        First what the server finds in any object's (rest.validateCommonFields), then what the CRD's strategy finds too.
        """
        meta, old_meta = (read_object_meta(one.get("metadata"))[0] for one in (resource, old))
        meta, path = _taken_over(meta, old_meta), Path("metadata")
        of_update = {str(error): error for error in validate_resource_meta_update(meta, old_meta, path)}
        found = validate_resource_meta(meta, path, requires_namespace=self._namespaced, name_check=path_segment)
        common = {str(error): error for error in found}
        return [error for text, error in common.items() if text not in of_update], list(of_update.values())

    def _type_errors(self, resource: dict[str, Any]) -> list[FieldError]:
        return [
            invalid(TYPE_META, Path(name), resource.get(name, ""), f"must be {wanted}")
            for name, wanted in (("kind", self.kind), ("apiVersion", self.api_version))
            if resource.get(name, "") != wanted
        ]


def _taken_over(meta: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """Return metadata with the server's own fields as an update leaves them (rest.BeforeUpdate).

    Manifests leave out what clients send along, the version above all.
    """
    made: dict[str, Any] = {"resourceVersion": "1"}
    made.update({name: old[name] for name in _KEPT if name in old})
    made.update({name: held for name, held in meta.items() if name not in _SERVERS})
    made.update({name: old[name] for name in (*_SERVERS, "deletionTimestamp") if name in old})
    return made


_KEPT: Final = ("resourceVersion", "uid", "deletionGracePeriodSeconds")  # where the new object says nothing
_SERVERS: Final = ("generation", "creationTimestamp")  # whatever it says


def _scale(subresources: CustomResourceSubresources | None) -> CustomResourceSubresourceScale | None:
    return None if subresources is None else subresources.scale


def _scale_spec_errors(scale: CustomResourceSubresourceScale | None, resource: dict[str, Any]) -> Iterator[FieldError]:
    """Yield what is wrong with the wanted number of replicas (ValidateScaleSpec)."""
    if scale is not None:
        yield from _replicas_errors(scale.spec_replicas_path, resource)


def _scale_status_errors(
    scale: CustomResourceSubresourceScale | None, resource: dict[str, Any]
) -> Iterator[FieldError]:
    """Yield what is wrong with the number of replicas that there are, and their selector (ValidateScaleStatus)."""
    if scale is None:
        return
    yield from _replicas_errors(scale.status_replicas_path, resource)
    if scale.label_selector_path is not None:
        _, problem = _nested(resource, scale.label_selector_path, str)
        if problem is not None:
            yield invalid(SCALE, Path(scale.label_selector_path), "", problem)


def _replicas_errors(name: str, resource: dict[str, Any]) -> Iterator[FieldError]:
    value, problem = _nested(resource, name, int)
    if problem is not None:
        yield invalid(SCALE, Path(name), 0, problem)
    elif value is not None and value < 0:
        yield invalid(SCALE, Path(name), value, "should be a non-negative integer")
    elif value is not None and value > _MAX_REPLICAS:
        yield invalid(
            SCALE,
            Path(name),
            value,
            f"should be less than or equal to {_MAX_REPLICAS}",
            reason=Reason(Code.MOST, (str(_MAX_REPLICAS), False)),
        )


def _nested(resource: dict[str, Any], path: str, wanted: type) -> tuple[Any, str | None]:
    """Return the value at a path of fields, None where there is none, and what is wrong with it (NestedFieldNoCopy)."""
    names = path.removeprefix(".").split(".")
    at: Any = resource
    for i, name in enumerate(names):
        if at is None:
            return None, None
        if at.__class__ is not dict:
            return None, _accessor_error(names[: i + 1], at, "map[string]interface {}".replace(" ", ""))
        if name not in at:
            return None, None
        at = at[name]
    return (at, None) if at.__class__ is wanted else (None, _accessor_error(names, at, GO_TYPES[wanted]))


def _accessor_error(names: list[str], value: Any, wanted: str) -> str:
    path = "".join(f".{name}" for name in names)
    return f"{path} accessor error: {_printed(value)} is of the type {GO_TYPES[value.__class__]}, expected {wanted}"


_NOTHING: Final = object()


def _printed(value: Any) -> str:
    """Return a JSON value as Go's `%v` prints it."""
    out: list[str] = []
    pending = [("", value)]  # what stands before a value, and the value
    while pending:
        before, item = pending.pop()
        out.append(before)
        if item.__class__ is list:
            out.append("[")
            pending.append(("]", _NOTHING))
            pending.extend((" " if i else "", item[i]) for i in reversed(range(len(item))))
        elif item.__class__ is dict:
            out.append("map[")
            pending.append(("]", _NOTHING))
            names = sorted(item)
            pending.extend((f"{' ' if i else ''}{names[i]}:", item[names[i]]) for i in reversed(range(len(names))))
        elif item is not _NOTHING:
            out.append(_printed_scalar(item))
    return "".join(out)


def _printed_scalar(value: Any) -> str:
    if value is None:
        return "<nil>"
    if value.__class__ is bool:
        return "true" if value else "false"
    return format_float(value) if value.__class__ is float else str(value)
