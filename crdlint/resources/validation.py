"""Handling of a custom resource as in the API server: pruning, defaulting, validation.

Upstream: apiextensions pkg/apiserver (schemaCoercingDecoder, unstructuredDefaulter) and pkg/registry/customresource
(strategy.go, validator.go).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd import object_meta
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
from crdlint.crd.kubenames import is_path_segment
from crdlint.crd.model import (
    CustomResourceDefinition,
    CustomResourceDefinitionVersion,
    CustomResourceSubresourceScale,
    JSONSchemaProps,
    ObjectMeta,
)
from crdlint.crd.object_meta import MetadataError, as_record, read_object_meta
from crdlint.crd.paths import Path
from crdlint.crd.record import semantic_equal
from crdlint.gathering import object_at
from crdlint.golang.printing import GO_TYPES, print_value
from crdlint.kubecel.cost import RUNTIME_BUDGET
from crdlint.kubecel.evaluation import (
    MISSING,
    OutOfBudgetError,
    Ratcheting,
    RuleValidators,
    Run,
    validate_rules,
)
from crdlint.kubernetes.servers import NEWEST, Server
from crdlint.light import NamedTuple
from crdlint.resources.objects import DEFAULT_NAMESPACE
from crdlint.rules.texts import resource as rules
from crdlint.safety import work
from crdlint.schema.client_side import as_patched
from crdlint.schema.correlation import Correlation, list_type_search, validate_list_sets_and_maps
from crdlint.schema.deep_equal import deep_copy, deep_equal
from crdlint.schema.defaulting import (
    apply_defaults,
    default_search,
    prune,
    prune_defaults,
    prune_nulls,
)
from crdlint.schema.embedded_resources import coerce, embedded_search, validate_embedded
from crdlint.schema.validator import ValueValidator

if TYPE_CHECKING:
    from crdlint.typed.applied_objects import AppliedObjects, ApplyRejection, Manager

Withhold = Callable[[FieldError], bool]

RULE_ID: Final = rules.RULE_FAILED.id
SCALE: Final = rules.SCALE.id
TYPE_META: Final = rules.TYPE_META.id

_BLOCKING: Final = frozenset({REQUIRED, TOO_LONG, TOO_MANY, TYPE_INVALID})
_NOT_CHECKED: Final = (
    "some validation rules were not checked because the object was invalid;"
    " correct the existing errors to complete validation"
)
NOWHERE: Final = Path("<nil>")
_RULES_NOT_CHECKED: Final = FieldError(
    RULE_ID,
    INVALID,
    NOWHERE,
    None,
    _NOT_CHECKED,
    reason=Reason(Code.NOT_CHECKED),
    errors=0,
)
_METADATA: Final = Path("metadata")
# The fields that the server sets itself on an object that server-side apply creates.
_WIPED: Final = frozenset(
    {
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "generation",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)
# Server-side apply writes the managed fields of what is applied, whatever the object has.
_SET_BY_APPLY: Final = _WIPED | {"managedFields"}
_MAX_REPLICAS: Final = 2**31 - 1


class UnknownVersionError(ValueError):
    """The CRD has no version with that name."""


class NotDecodedError(ValueError):
    """The server cannot decode an object; the text is the server's.

    `metadata` is set if its metadata is the cause. `rejection` is set if server-side apply does not accept the object.
    """

    def __init__(
        self,
        text: str,
        metadata: MetadataError | None = None,
        rejection: ApplyRejection | None = None,
    ) -> None:
        super().__init__(text)
        self.metadata = metadata
        self.rejection = rejection


class ObjectResult(NamedTuple):
    """The server's result for an object.

    `errors` and `warnings` are in the server's order. `unknown` are the sorted paths of pruned fields. `resource` is
    the pruned and defaulted object. `cel_cost` is the cost of rules in cost units, None if none was evaluated.
    """

    errors: tuple[FieldError, ...]
    warnings: tuple[FieldError, ...]
    unknown: tuple[str, ...]
    resource: dict[str, Any]
    cel_cost: int | None


def _version_named(crd: CustomResourceDefinition, name: str) -> CustomResourceDefinitionVersion:
    """Return a version of a CRD; raise `UnknownVersionError` if the CRD does not have it."""
    for version in crd.spec.versions:
        if version.name == name:
            return version
    raise UnknownVersionError(f"the CRD {crd.metadata.name} has no version {name!r}")


class ResourceValidator:
    """Validates objects of one version of a CRD; it can be used for any number of objects.

    With `as_requests`, an object is a manifest that a client sends. Its status is dropped from a new object and
    unchanged on update if it is a subresource, and its generation is 1 if it is new.
    """

    def __init__(
        self,
        crd: CustomResourceDefinition,
        version: str,
        *,
        server: Server = NEWEST,
        as_requests: bool = False,
    ) -> None:
        """Prepare a CRD of the internal version; raise `UnknownVersionError` if it does not have the version."""
        self._server = server
        spec = crd.spec
        crd_version = _version_named(crd, version)
        validation = crd_version.schema or spec.validation
        self.schema: JSONSchemaProps | None = (
            None if validation is None else validation.open_api_v3_schema
        )
        self._versions = {candidate.name for candidate in spec.versions}
        self.kind = spec.names.kind
        self.group = spec.group
        self.api_version = f"{spec.group}/{version}"
        self._resource = f"{spec.names.plural}.{spec.group}"
        self._namespaced = spec.scope == "Namespaced"
        self._preserves = bool(spec.preserve_unknown_fields)
        subresources = crd_version.subresources or spec.subresources
        self._scale = None if subresources is None else subresources.scale
        self._as_requests = as_requests
        self.has_status = subresources is not None and subresources.status is not None
        self._keeps_status = as_requests and self.has_status
        self._embedded = embedded_search()
        self._list_types = list_type_search()
        self._with_defaults = default_search()
        if self.schema is not None:
            self._values = ValueValidator(self.schema, server=server)
            self._rules = RuleValidators(server).of(self.schema)
            self._defaults = prune_defaults(self.schema)

    @work.limited()
    def create(
        self,
        sent: dict[str, Any],
        withhold: Withhold | None = None,
        created: ObjectResult | None = None,
    ) -> ObjectResult:
        """Validate a new object; errors that `withhold` accepts are ignored, as if the server had not reported them.

        `created` is the result for another object with the same `withhold`. It is returned if both are stored as the same object.
        """
        resource, unknown = self._admit(sent)
        resource = self._as_new(resource)
        if created is not None and deep_equal(resource, created.resource):
            return created
        return self._new(resource, withhold)._replace(unknown=unknown)

    def apply(
        self,
        sent: dict[str, Any],
        withhold: Withhold | None = None,
        created: ObjectResult | None = None,
    ) -> ObjectResult:
        """Validate a new object that is sent by server-side apply, which neither prunes it nor drops nulls before that.

        The numbers of `sent` are those of YAML. Raise `NotDecodedError` for an object that is rejected unvalidated.
        `created` is the result of `create` with the same `withhold`, which is that of an object that is not pruned.
        """
        resource = self._as_applied(sent)
        if created is not None and deep_equal(resource, created.resource):
            return created
        result = self._new(resource, withhold)
        return result._replace(resource=self._read_back(result.resource))

    @work.limited()
    def _as_applied(self, sent: dict[str, Any]) -> dict[str, Any]:
        """Return an object as server-side apply validates it; raise `NotDecodedError`."""
        rejection = self._applied.rejection(sent)
        if rejection is not None:
            raise NotDecodedError(rejection.text, rejection=rejection)
        return self._as_new(self._applied_as(deep_copy(sent), _SET_BY_APPLY))

    @work.limited()
    def reapply(
        self,
        sent: dict[str, Any],
        old: dict[str, Any],
        by: Manager,
        withhold: Withhold | None = None,
        *,
        applied_before: dict[str, Any] | None = None,
    ) -> ObjectResult:
        """Validate what server-side apply makes of a stored object by merging `sent` into it.

        The owners of fields are in the managed fields of the old object; without any, the same manager has applied it, or
        `applied_before` if that is given.
        Raise `NotDecodedError` for an object that is rejected unvalidated, or that changes fields of other managers.
        """
        from crdlint.typed.applied_objects import ApplyRejection, StoredObject

        before, _ = self._admit(old)
        merged = self._applied.merged(sent, StoredObject(before, applied_before or old), by)
        if isinstance(merged, ApplyRejection):
            raise NotDecodedError(merged.text, rejection=merged)
        _drop_managed_fields(before)
        resource = self._applied_as(deep_copy(merged), frozenset({"managedFields"}))
        if self._keeps_status:
            _replace_status(resource, before)
        if self._as_requests:
            _count_generation(resource, before)
        result = self._updated(resource, before, withhold)
        return result._replace(resource=self._read_back(result.resource))

    def _applied_as(self, resource: dict[str, Any], ignored: frozenset[str]) -> dict[str, Any]:
        """Return an applied object with defaults and without fields of its metadata that the server sets itself."""
        meta = {
            name: value
            for name, value in (resource.get("metadata") or {}).items()
            if name not in ignored
        }
        try:
            resource["metadata"] = read_object_meta(meta)[0]
        except MetadataError as error:
            raise NotDecodedError(str(error), error) from error
        self._set_namespace(resource["metadata"])
        self._set_defaults(resource)
        return resource

    def _set_defaults(self, resource: dict[str, Any]) -> None:
        if self.schema is not None:
            apply_defaults(
                resource,
                self.schema,
                self._defaults,
                self._with_defaults,
            )

    def _set_namespace(self, meta: dict[str, Any]) -> None:
        """Set the namespace of a request, as the server does after it has read an applied object."""
        if not self._namespaced:
            meta.pop("namespace", None)
        elif self._as_requests and not meta.get("namespace"):
            meta["namespace"] = DEFAULT_NAMESPACE

    def _read_back(self, resource: dict[str, Any]) -> dict[str, Any]:
        """Return an object as the server reads it from its storage, or as it is if it cannot be stored."""
        try:
            return self._admit(resource)[0]
        except NotDecodedError:
            return resource

    @cached_property
    def _applied(self) -> AppliedObjects:
        from crdlint.typed.applied_objects import AppliedObjects  # only some senders apply

        return AppliedObjects(
            self.schema,
            self._resource,
            self.api_version,
            self.kind,
            self._server,
            preserves=self._preserves,
            has_status=self.has_status,
        )

    def _as_new(self, resource: dict[str, Any]) -> dict[str, Any]:
        """Remove from a new object what a client cannot set."""
        if self._keeps_status:
            resource.pop("status", None)
        if self._as_requests:
            _set_as_created(resource.get("metadata") or {})
        return resource

    @work.limited()
    def _new(self, resource: dict[str, Any], withhold: Withhold | None) -> ObjectResult:
        """Validate an object that is defaulted, as a new one."""
        errors = self._type_errors(resource)
        if not errors:
            meta = as_record(resource.get("metadata") or {})
            errors += self._metadata_errors(meta, object_meta.dns_subdomain)
            errors += self._value_errors(resource)
        schema = self._schema_of(resource)
        errors += validate_embedded(
            None,
            resource,
            schema,
            self._server,
            self._embedded,
            is_resource_root=False,
        )
        errors += validate_list_sets_and_maps(schema, resource, self._list_types)
        return self._with_rules(
            resource,
            errors,
            MISSING,
            None,
            withhold=withhold,
        )

    @work.limited()
    def update(
        self, sent: dict[str, Any], old: dict[str, Any], withhold: Withhold | None = None
    ) -> ObjectResult:
        """Validate a replacement of an object; unchanged values are not rejected. See `create` for `withhold`."""
        (resource, unknown), (before, _) = self._admit(sent), self._admit(old)
        if self._keeps_status:
            _replace_status(resource, before)
        if self._as_requests:
            _count_generation(resource, before)
        return self._updated(resource, before, withhold)._replace(unknown=unknown)

    def patch(
        self,
        sent: dict[str, Any],
        old: dict[str, Any],
        withhold: Withhold | None = None,
        *,
        applied_before: dict[str, Any] | None = None,
    ) -> ObjectResult:
        """Validate what client-side apply makes of a stored object; see `create` for `withhold`.

        What was applied before is in an annotation of the old object, else `applied_before`, else the old object itself.
        """
        before, _ = self._admit(old)
        return self.update(as_patched(sent, before, applied_before or old), old, withhold)

    def _updated(
        self, resource: dict[str, Any], before: dict[str, Any], withhold: Withhold | None = None
    ) -> ObjectResult:
        """Validate an object that is pruned and defaulted, as the replacement of another."""
        correlation = self._correlation(resource, before)
        common, errors = self._metadata_update_errors(resource, before)
        wrong_type = self._type_errors(resource)
        if wrong_type:
            common, errors = [*common, *errors], wrong_type
        else:
            errors += self._value_errors(resource, correlation)
        schema = self._schema_of(resource)
        errors += validate_embedded(
            None,
            resource,
            schema,
            self._server,
            self._embedded,
            is_resource_root=False,
        )
        if not validate_list_sets_and_maps(schema, before, self._list_types):
            errors += validate_list_sets_and_maps(schema, resource, self._list_types)
        return self._with_rules(
            resource,
            errors,
            before,
            correlation,
            common,
            withhold,
        )

    @work.limited()
    def update_status(self, sent: dict[str, Any], old: dict[str, Any]) -> ObjectResult:
        """Validate an update of the status subresource, which uses only the status of the new object."""
        (new, unknown), (before, _) = self._admit(sent), self._admit(old)
        resource: dict[str, Any] = deep_copy(before)
        _replace_status(resource, new)
        correlation = self._correlation(resource, before) if self._server.ratchets_status else None
        common, errors = self._metadata_update_errors(before, before)
        schema = None if self.schema is None else self.schema.properties.get("status")
        if schema is not None and "status" in resource:
            values = ValueValidator(schema, server=self._server)
            old_status = None if correlation is None else correlation.key("status")
            path = Path("status") if self._server.locates_status_errors else None
            errors += values.validate(resource["status"], path, old_status)
        errors += _scale_status_errors(self._scale, resource)
        if not validate_list_sets_and_maps(self.schema, before, self._list_types):
            errors += validate_list_sets_and_maps(self.schema, resource, self._list_types)
        return self._with_rules(
            resource,
            errors,
            before,
            correlation,
            common,
        )._replace(unknown=unknown)

    @work.limited()
    def update_scale(self, replicas: int, old: dict[str, Any]) -> ObjectResult:
        """Validate an update of the scale subresource, which sets the number of replicas of an object.

        Without such a subresource, nothing is set. Raise `NotDecodedError` if the object has no place for the number.
        Upstream: scaleUpdatedObjectInfo.UpdatedObject.
        """
        (resource, _), (before, _) = self._admit(old), self._admit(old)
        if self._scale is not None:
            _set_nested(resource, self._scale.spec_replicas_path, replicas)
        return self._updated(resource, before)

    def _value_errors(
        self, resource: dict[str, Any], correlation: Correlation | None = None
    ) -> Iterator[FieldError]:
        if self.schema is not None:
            yield from self._values.validate(resource, old=correlation)
        if self._scale is not None:  # upstream: ValidateScaleSpec
            yield from _replicas_errors(self._scale.spec_replicas_path, resource)
        yield from _scale_status_errors(self._scale, resource)

    def _correlation(self, resource: dict[str, Any], old: dict[str, Any]) -> Correlation | None:
        """Return the correlation with the old object, or None for a server that does not ratchet."""
        if self.schema is None or not self._server.ratchets_values:
            return None
        correlation = Correlation(resource, old, self.schema)
        # A stored object has a resourceVersion, which upstream cannot correlate
        correlation.known_equal = False
        return correlation

    def read(self, stored: dict[str, Any]) -> dict[str, Any]:
        """Return a stored object as a client reads it, with defaults applied again."""
        resource: dict[str, Any] = deep_copy(stored)
        self._set_defaults(resource)
        return resource

    def _with_rules(
        self,
        resource: dict[str, Any],
        errors: list[FieldError],
        old: Any,
        correlation: Correlation | None,
        common: Sequence[FieldError] = (),
        withhold: Withhold | None = None,
    ) -> ObjectResult:
        """Evaluate the rules unless an error prevents that; errors in `common` do not. Pruned fields are left out."""
        common, errors = _not_withheld(common, withhold), _not_withheld(errors, withhold)
        rules = None if self._schema_of(resource) is None else self._rules
        run = Run(RULE_ID, RUNTIME_BUDGET)
        cost: int | None = None
        if rules is not None and self._are_rules_blocked(errors):
            errors.append(_RULES_NOT_CHECKED)
        elif rules is not None and all(error.type is not NOT_EVALUATED for error in errors):
            try:
                validate_rules(
                    rules,
                    run,
                    None,
                    resource,
                    old,
                    Ratcheting(correlation),
                )
                cost = RUNTIME_BUDGET - run.budget
            except OutOfBudgetError:
                cost = RUNTIME_BUDGET + 1
        of_object = (*common, *errors, *_not_withheld(run.errors, withhold))
        warnings = _not_withheld(run.warnings, withhold)
        return ObjectResult(
            self._worded(of_object),
            self._worded(warnings),
            (),
            resource,
            cost,
        )

    def _are_rules_blocked(self, errors: Sequence[FieldError]) -> bool:
        """Return whether the server does not evaluate rules because of errors."""
        blocks_enum = self._server.enum_errors_block_rules
        blocking = _BLOCKING | {NOT_SUPPORTED} if blocks_enum else _BLOCKING
        return any(error.type in blocking for error in errors)

    def _worded(self, errors: Iterable[FieldError]) -> tuple[FieldError, ...]:
        """Return errors in the words of the server."""
        return tuple(error.on(self._server) for error in errors)

    def _schema_of(self, resource: dict[str, Any]) -> JSONSchemaProps | None:
        """Return the schema for embedded resources, lists and rules, which some servers find by the object's version."""
        api_version = str(resource.get("apiVersion", ""))
        version = api_version.rpartition("/")[2] if api_version.count("/") < 2 else ""
        return (
            self.schema
            if self._server.ignores_object_versions or version in self._versions
            else None
        )

    def _admit(self, sent: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return a pruned and defaulted object, and the sorted paths of pruned fields; raise `NotDecodedError`."""
        resource = deep_copy(sent)
        names = ("kind", "apiVersion")
        type_meta = {name: sent[name] for name in names if isinstance(sent.get(name), str)}
        meta, unknown = self._admitted_metadata(resource)
        group = str(type_meta.get("apiVersion", "")).rpartition("/")[0]
        is_ours = (group, type_meta.get("kind")) == (self.group, self.kind)
        if is_ours:
            unknown += self._pruned(resource)
        resource.update(type_meta)
        if meta is not None:
            resource["metadata"] = self._kept_metadata(meta)
        if is_ours:
            self._set_defaults(resource)
        return resource, tuple(sorted(unknown))

    def _admitted_metadata(
        self, resource: dict[str, Any]
    ) -> tuple[dict[str, Any] | None, list[str]]:
        """Return the metadata as the server keeps it, None if there is none, and the paths of unknown fields."""
        if "metadata" not in resource:
            return None, []
        try:
            meta, unknown = read_object_meta(resource["metadata"])
        except MetadataError as error:
            raise NotDecodedError(str(error), error) from error
        return meta, [f"metadata.{path}" for path in unknown]

    def _kept_metadata(self, meta: dict[str, Any]) -> dict[str, Any]:
        """Return metadata without what the server drops. Upstream: rest.EnsureObjectNamespaceMatchesRequestNamespace."""
        if not self._namespaced:
            meta.pop("namespace", None)
        is_manifest = self._as_requests
        if is_manifest and not object_meta.kept_managed_fields(as_record(meta), self.group):
            meta.pop("managedFields", None)
        return meta

    def _pruned(self, resource: dict[str, Any]) -> list[str]:
        """Prune an object and what is embedded in it, and return the paths of pruned fields."""
        unknown: list[str] = []
        if not self._preserves:
            unknown += prune(resource, self.schema, is_resource_root=True)
            prune_nulls(resource, self.schema)
        coerced = coerce(
            None,
            resource,
            self.schema,
            is_resource_root=False,
            search=self._embedded,
        )
        if coerced.error is not None:
            raise NotDecodedError(str(coerced.error.on(self._server)))
        return [*unknown, *coerced.unknown]

    def _metadata_errors(
        self, meta: Any, name_check: Callable[[str, bool], list[str]]
    ) -> Iterator[FieldError]:
        return object_meta.validate_any_object_meta(
            meta,
            _METADATA,
            self._server,
            requires_namespace=self._namespaced,
            name_check=name_check,
        )

    def _metadata_update_errors(
        self, resource: dict[str, Any], old: dict[str, Any]
    ) -> tuple[list[FieldError], list[FieldError]]:
        """Return the errors of a replacement's metadata: those of rest.validateCommonFields, and of the CRD's strategy."""
        meta, old_meta = (
            as_record(read_object_meta(each.get("metadata"))[0]) for each in (resource, old)
        )
        object_meta.prepare_update(meta, old_meta, is_manifest=self._as_requests)
        rules = object_meta.RESOURCE_RULES
        updated = object_meta.validate_object_meta_update(
            meta,
            old_meta,
            _METADATA,
            rules,
            self._server,
        )
        of_update = {str(error): error for error in updated}
        common = {str(error): error for error in self._metadata_errors(meta, is_path_segment)}
        return [error for text, error in common.items() if text not in of_update], list(
            of_update.values()
        )

    def finalizer_warnings(
        self, sent: dict[str, Any], old: dict[str, Any] | None
    ) -> Iterator[tuple[str, str]]:
        """Yield the finalizers of a new object, or that an update adds, with the server's warning of each."""
        if not object_at(sent, "metadata").get("finalizers"):
            return
        meta, old_meta = _metadata_of(sent), None if old is None else _metadata_of(old)
        if meta is not None:
            yield from object_meta.finalizer_warnings(meta, old_meta, self._server)

    def _type_errors(self, resource: dict[str, Any]) -> list[FieldError]:
        return [
            invalid(
                TYPE_META,
                Path(name),
                resource.get(name, ""),
                f"must be {expected}",
            )
            for name, expected in (("kind", self.kind), ("apiVersion", self.api_version))
            if resource.get(name, "") != expected
        ]


def _not_withheld(errors: Iterable[FieldError], withhold: Withhold | None) -> list[FieldError]:
    """Return errors without those that are withheld."""
    return [error for error in errors if withhold is None or not withhold(error)]


def _metadata_of(sent: dict[str, Any]) -> ObjectMeta | None:
    """Return the metadata of an object, or None if it cannot be decoded."""
    try:
        metadata, _ = read_object_meta(sent.get("metadata"))
    except MetadataError:
        return None
    record: ObjectMeta = as_record(metadata)
    return record


def _replace_status(resource: dict[str, Any], source: dict[str, Any]) -> None:
    resource.pop("status", None)
    if "status" in source:
        resource["status"] = deep_copy(source["status"])


def _set_as_created(meta: dict[str, Any]) -> None:
    """Wipe the metadata that the server itself sets in a new object, and set the generation that a client sends."""
    is_counted = "generation" in meta
    for name in _WIPED & meta.keys():
        del meta[name]
    if is_counted:
        meta["generation"] = 1


def _drop_managed_fields(resource: dict[str, Any]) -> None:
    """Drop the managed fields of an object, which its update replaces."""
    meta = resource.get("metadata")
    if isinstance(meta, dict):
        meta.pop("managedFields", None)


def _count_generation(resource: dict[str, Any], before: dict[str, Any]) -> None:
    """Replace the generation that a client sends by that of the stored object, or by the next one. Upstream: PrepareForUpdate."""
    meta = resource.get("metadata")
    if not isinstance(meta, dict) or "generation" not in meta:
        return
    generation = (before.get("metadata") or {}).get("generation", 0)
    if not semantic_equal({**resource, "metadata": None}, {**before, "metadata": None}):
        generation = object_meta.next_generation(generation)
    del meta["generation"]
    if generation:
        meta["generation"] = generation


def _scale_status_errors(
    scale: CustomResourceSubresourceScale | None, resource: dict[str, Any]
) -> Iterator[FieldError]:
    """Yield the errors of the actual number of replicas and their selector. Upstream: ValidateScaleStatus."""
    if scale is None:
        return
    yield from _replicas_errors(scale.status_replicas_path, resource)
    if scale.label_selector_path is not None:
        _, problem = _nested(resource, scale.label_selector_path, str)
        if problem is not None:
            yield invalid(SCALE, Path(scale.label_selector_path), "", problem)


def _replicas_errors(name: str, resource: dict[str, Any]) -> Iterator[FieldError]:
    value, problem = _nested(resource, name, int)
    reason = None
    if value is not None and value < 0:
        problem = "should be a non-negative integer"
    elif value is not None and value > _MAX_REPLICAS:
        problem = f"should be less than or equal to {_MAX_REPLICAS}"
        reason = Reason(Code.MOST, (str(_MAX_REPLICAS), False))
    if problem is not None:
        yield invalid(
            SCALE,
            Path(name),
            value or 0,
            problem,
            reason=reason,
        )


def _nested(resource: dict[str, Any], path: str, expected: type) -> tuple[Any, str | None]:
    """Return the value at a path of fields, None if absent, and an error text or None. Upstream: NestedFieldNoCopy."""
    names = path.removeprefix(".").split(".")
    current: Any = resource
    for i, name in enumerate(names):
        if current.__class__ is not dict:
            return None, None if current is None else _accessor_error(
                names[: i + 1], current, "map[string]interface{}"
            )
        if name not in current:
            return None, None
        current = current[name]
    if current.__class__ is expected:
        return current, None
    return None, _accessor_error(names, current, GO_TYPES[expected])


def _set_nested(resource: dict[str, Any], path: str, value: int) -> None:
    """Set the value at a path of fields; raise `NotDecodedError` where a value is no object. Upstream: SetNestedField."""
    *parents, last = path.removeprefix(".").split(".")
    current: Any = resource
    for i, name in enumerate(parents):
        current = current.setdefault(name, {})
        if current.__class__ is not dict:
            dotted = "".join(f".{parent}" for parent in parents[: i + 1])
            raise NotDecodedError(
                f"value cannot be set because {dotted} is not a map[string]interface{{}}"
            )
    current[last] = value


def _accessor_error(names: list[str], value: Any, expected: str) -> str:
    path, type_ = "".join(f".{name}" for name in names), GO_TYPES[value.__class__]
    return (
        f"{path} accessor error: {print_value(value)} is of the type {type_}, expected {expected}"
    )
