"""On request: how the versions of a CRD fit together."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final, TypeAlias

from crdlint.crd.model import CustomResourceDefinitionVersion, JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.light import regex
from crdlint.phrases import agreeing, joined
from crdlint.rules.advice.pruned_objects import keeps_as_item
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.rule import OnRequest
from crdlint.schema.deep_equal import deep_equal
from crdlint.schema.defaulting import META_FIELDS
from crdlint.schema.traversal import schemas

_Stability: Final = partial(OnRequest, in_set="stability", scope="spec")
_A: Final = "a: {type: string}"
_VERSIONS: Final = Path("spec").child("versions")
_NAME: Final = regex(r"v(\d+)(?:(alpha|beta)(\d+))?")
_STABILITY: Final = {"alpha": 0, "beta": 1, None: 2}
# What holds the schemas of values, and the step to them, empty if that is a name.
_FIELDS_OF: Final = {"properties": "", "items": "[*]", "additionalProperties": "[key]"}
_INJECTORS: Final = ("inject-ca", "inject-cabundle", "ca-injector")
_STEPS: Final = frozenset(_FIELDS_OF.values())
_Earlier: TypeAlias = "list[tuple[str, JSONSchemaProps]]"


def _versions(*versions: tuple[str, str, str]) -> str:
    lines = ["versions:"]
    for i, (name, more, fields) in enumerate(versions):
        schema = (
            f"{{type: object, properties: {{spec: {{type: object, properties: {{{fields}}}}}}}}}"
        )
        lines.append(
            f"- {{name: {name}, served: true, storage: {str(not i).lower()}, {more}schema: {{openAPIV3Schema: {schema}}}}}"
        )
    return "\n".join(lines) + "\n"


def _webhook(more: str) -> str:
    client = f"{{service: {{name: a, namespace: a}}{more}}}"
    return f"conversion: {{strategy: Webhook, webhook: {{conversionReviewVersions: [v1], clientConfig: {client}}}}}\n"


def _served(crd: DecodedCRD) -> list[tuple[str, dict[tuple[str, ...], JSONSchemaProps]]]:
    """Return the served versions with schemas of their own that no webhook converts: the fields of each by their steps."""
    if crd.spec.conversion_strategy == "Webhook":
        return []
    versions = crd.spec.versions
    roots = [(version.name, version.root_schema) for version in versions if version.served]
    served = [(name, _fields(root)) for name, root in roots if root is not None]
    return served if len(served) > 1 else []


def _fields(root: JSONSchemaProps) -> dict[tuple[str, ...], JSONSchemaProps]:
    """Return the schemas of all fields, items and map values, but those of metadata, by their steps."""
    names: dict[int, tuple[str, ...]] = {id(root): ()}
    fields = {}
    for schema in schemas(root):
        parent = schema.parent
        parent_steps = None if parent is None else names.get(id(parent))
        if parent is None or parent_steps is None or schema.steps[0] not in _FIELDS_OF:
            continue
        is_object = parent is root or parent.x_embedded_resource
        if not (is_object and schema.steps[0] == "properties" and schema.steps[1] in META_FIELDS):
            names[id(schema)] = steps = (
                *parent_steps,
                _FIELDS_OF[schema.steps[0]] or str(schema.steps[1]),
            )
            fields[steps] = schema
    return fields


@_Stability(
    "type-differs-between-versions",
    "Field has another type in another served version",
    severity="warning",
    observed=("types-differ-between-versions",),
    why="Without a conversion webhook the API server only changes `apiVersion`. Objects with the type of one version are "
    "invalid in the other.",
    help="Use the same type in all served versions, or a conversion webhook",
    bad=_versions(("v1", "", _A), ("v2", "", "a: {type: integer}")),
    good=_versions(("v1", "", _A), ("v2", "", "a: {type: string}")),
    of_whole_crds=True,
).practice
def _types(crd: DecodedCRD) -> Iterator[Advisory]:
    for steps, schema, earlier in _in_earlier_versions(crd):
        names = [name for name, other in earlier if _type(other) != _type(schema)]
        if names:
            other = next(_type(other) for name, other in earlier if name == names[0])
            message = (
                f"`{_shown(steps)}` is {_type(schema)} here, but {other} in {_versions_of(names)}"
            )
            yield Advisory(message, schema.path)


def _type(schema: JSONSchemaProps) -> str:
    return (
        "an int-or-string"
        if schema.x_int_or_string
        else f"of type {schema.type}"
        if schema.type
        else "of any type"
    )


@_Stability(
    "none-conversion-loses-fields",
    "Field is only in some of the served versions",
    of_whole_crds=True,
    observed=("served-pair-storage-lacks-field", "served-pair-write-drops-field"),
    why="Without a conversion webhook, each write in a version that lacks the field drops it from the object, also a write of a "
    "label. If the storage version lacks it, the field is never stored, and clients get no warning.",
    help="Add the field to all served versions, or use a conversion webhook",
    bad=_versions(("v1", "", f"{_A}, b: {{type: string}}"), ("v2", "", _A)),
    good=_versions(
        ("v1", "", f"{_A}, b: {{type: string}}"), ("v2", "", f"{_A}, b: {{type: string}}")
    ),
).practice
def _lost_fields(crd: DecodedCRD) -> Iterator[Advisory]:
    versions = _served(crd)
    roots = {version.name: version.root_schema for version in crd.spec.versions}
    for own, fields in versions:
        others = [(name, {(): roots[name], **fields_}) for name, fields_ in versions if name != own]
        for steps, schema in fields.items():
            names = [
                name
                for name, schemas in others
                if steps not in schemas and _drops(schemas.get(steps[:-1]), steps[-1])
            ]
            if names:
                message = f"{_versions_of(names)} {'drop' if len(names) > 1 else 'drops'} `{_shown(steps)}`"
                yield Advisory(message, schema.path)


def _drops(parent: JSONSchemaProps | None, step: str) -> bool:
    """Return whether an object without a property drops it; None is an object that a version drops itself."""
    if parent is None or step in _STEPS or parent.type != "object":
        return False
    return not (
        parent.x_preserve_unknown_fields or parent.additional_properties or keeps_as_item(parent)
    )


def _shown(steps: tuple[str, ...]) -> str:
    return "".join(step if step in _STEPS else f".{step}" for step in steps)


def _versions_of(names: list[str]) -> str:
    return f"{agreeing(len(names), 'version', 'versions')} {joined(names)}"


def _stability(version: CustomResourceDefinitionVersion) -> int:
    match = _NAME.fullmatch(version.name)
    return -1 if match is None else _STABILITY[match[2]]


@_Stability(
    "default-differs-between-versions",
    "Field has another default in another served version",
    withheld=True,
    observed=("default-of-the-stored-version",),
    why="Without a conversion webhook, an object has the default of the version in which it was created. If it was stored "
    "without the field, it has the default of the version that it is stored in, also where it is read in another one.",
    help="Set the same default in all served versions, or use a conversion webhook",
    marker="correct `+kubebuilder:default` in one of the versions",
    bad=_versions(
        ("v1", "", "a: {type: string, default: x}"), ("v2", "", "a: {type: string, default: other}")
    ),
    good=_versions(
        ("v1", "", "a: {type: string, default: x}"), ("v2", "", "a: {type: string, default: x}")
    ),
    of_whole_crds=True,
).practice
def _defaults(crd: DecodedCRD) -> Iterator[Advisory]:
    for steps, schema, earlier in _in_earlier_versions(crd):
        default = schema.default_value
        names = [name for name, other in earlier if not deep_equal(other.default_value, default)]
        if names:
            yield Advisory(
                f"the default of `{_shown(steps)}` differs in {_versions_of(names)}", schema.path
            )


def _in_earlier_versions(
    crd: DecodedCRD,
) -> Iterator[tuple[tuple[str, ...], JSONSchemaProps, _Earlier]]:
    """Yield the fields of served versions with those of the same steps in earlier versions."""
    versions = _served(crd)
    for i, (_, fields) in enumerate(versions):
        for steps, schema in fields.items() if i else ():
            yield (
                steps,
                schema,
                [(name, earlier[steps]) for name, earlier in versions[:i] if steps in earlier],
            )


@_Stability(
    "storage-version-less-stable",
    "Storage version is less stable than a served one",
    observed=("storage-version-cannot-be-removed",),
    why="All objects are stored in the alpha or beta version, which cannot be removed before they are migrated.",
    help="Set `storage: true` on the more stable version once no release in use lacks it, and `storage: false` on the other",
    marker="write `+kubebuilder:storageversion` on the type of the more stable version",
    bad=_versions(("v1beta1", "", _A), ("v1", "", _A)),
    good=_versions(("v1", "", _A), ("v1beta1", "", _A)),
).practice
def _less_stable(crd: DecodedCRD) -> Iterator[Advisory]:
    for i, version in enumerate(crd.spec.versions):
        better = [
            other.name
            for other in crd.spec.versions
            if other.served and 0 <= _stability(version) < _stability(other)
        ]
        if version.storage and better:
            message = f"objects are stored in {version.name}, although {better[0]} is served"
            yield Advisory(message, _VERSIONS.index(i).child("storage"))


@_Stability(
    "webhook-without-ca",
    "Conversion webhook without a CA bundle",
    of_whole_crds=True,
    observed=("ca-bundle-removed",),
    why="The API server then trusts only the system's certificate authorities. Requests that convert an object fail if the webhook "
    "has a certificate of another authority. Requests in the storage version succeed.",
    help="Set `caBundle`, or the annotation of the tool that injects it, such as `cert-manager.io/inject-ca-from`",
    bad=_webhook(""),
    good="conversion: {strategy: None}",
).practice
def _without_ca(crd: DecodedCRD) -> Iterator[Advisory]:
    client = crd.spec.conversion_client
    injected = any(word in name for name in crd.annotations for word in _INJECTORS)
    is_called = client is not None and crd.spec.conversion_strategy == "Webhook"
    if client is not None and is_called and not client.ca_bundle and not injected:
        message = "the API server has no certificate authority to trust the webhook by"
        yield Advisory(message, Path("spec").child("conversion", "webhookClientConfig"))
