"""spec.versions: names, storage, deprecation, what each must have, whether one is served, and status.storedVersions.

Reproduces apiextensions validation (validateCustomResourceDefinitionSpec, ...Version, ...StoredVersions).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from collections.abc import Sequence as SequenceOf
from functools import partial
from typing import Final

from crdlint.crd.errors import Code, FieldError, Reason, Wording, invalid, required
from crdlint.crd.kubenames import is_dns1035_label
from crdlint.crd.model import CustomResourceDefinitionSpec, CustomResourceDefinitionVersion
from crdlint.crd.paths import Path
from crdlint.golang.printing import Typed
from crdlint.golang.text import is_print
from crdlint.rules.engine import headlines
from crdlint.rules.engine.common import ValidationOptions
from crdlint.rules.engine.relations import EMPTY, OF_EMPTY_CRD, OF_OLD_SCHEMA, between_fields
from crdlint.rules.engine.rule import Link, Rule
from crdlint.rules.helps.versions import ends_early, storage
from crdlint.rules.server import names
from crdlint.rules.texts import reading
from crdlint.safety.bugs import attempt

VERSIONS = Path("spec").child("versions")
_VERSIONS_TYPE: Final = "[]apiextensions.CustomResourceDefinitionVersion"
_SPEC = "apiextensions/validation validateCustomResourceDefinitionSpec"
_Rule: Final = partial(Rule, source=_SPEC, scope="spec")

_SCHEMAS_REQUIRED: Final = Wording.by_version("schemas are required", (34, ""))


def version_with(
    name: str,
    *,
    storage: bool = True,
    fields: str = "",
    served: bool = True,
) -> str:
    """Return a version with a schema, as one line."""
    flags = f"served: {str(served).lower()}, storage: {str(storage).lower()}"
    return f"{{name: {name}, {flags}, schema: {{openAPIV3Schema: {{type: object{fields}}}}}}}"


def versions_with(*versions: str) -> str:
    """Return the versions of a spec."""
    return "".join(["versions:\n", *(f"- {version}\n" for version in versions)])


ANY_FIELDS: Final = ", x-kubernetes-preserve-unknown-fields: true"
BASE: Final = version_with("v1")

_GOOD = versions_with(BASE, version_with("v2", storage=False, fields=ANY_FIELDS))


SCHEMA_REQUIRED = _Rule(
    "schema-required",
    "Version without a schema",
    observed=("named-fields-and-other-keys",),
    follows=(Link(reading.UNKNOWN_FIELD, EMPTY), Link(reading.UNKNOWN_FIELD, OF_OLD_SCHEMA)),
    headline="version has no `schema.openAPIV3Schema`",
    why="The API server prunes all fields that a schema does not specify, so every version needs a schema.",
    help="Add `schema: {openAPIV3Schema: {type: object}}` to the version, and specify its fields under `properties`",
    bad="versions: [{name: v1, served: true, storage: true}]",
    good=f"versions: [{BASE}]\n",
)
NAME = _Rule(
    "version-name-invalid",
    "Invalid version name",
    claims_nothing=True,
    follows=(Link(None, between_fields("spec.version", "spec.versions")),),
    headline="version name {wrong}",
    why="The version name becomes part of URLs and of `apiVersion`, so it must be a DNS label.",
    help="Rename the version to a name such as `v1`, `v1beta1` or `v2alpha3`",
    marker="correct `+versionName`, or the name of the Go package",
    bad=f"versions: [{version_with('v1.0')}]",
    good=f"versions: [{BASE}]\n",
)
UNIQUE = _Rule(
    "version-name-duplicate",
    "Duplicate version name",
    claims_nothing=True,
    headline=headlines.repeated_versions,
    why="Each version is served at its own URL, so two versions cannot have the same name.",
    help="Rename one of the two versions, or remove it",
    bad=versions_with(BASE, version_with("v1", storage=False, fields=ANY_FIELDS)),
    good=_GOOD,
)
STORAGE = _Rule(
    "storage-version-exactly-one",
    "Not exactly one version has `storage: true`",
    observed=("version-added",),
    follows=(
        Link(names.GROUP, OF_EMPTY_CRD),
        Link(None, between_fields("status.storedVersions", "spec.versions")),
    ),
    headline=headlines.storage,
    why="The API server stores all objects in one version, and converts them when a client requests another one.",
    help="Set `storage: true` on one version and `storage: false` on all others",
    marker="write `+kubebuilder:storageversion` on one version",
    bad=versions_with(BASE, version_with("v2", fields=ANY_FIELDS)),
    good=_GOOD,
)
DEPRECATION = Rule(
    "deprecation-warning-invalid",
    "Invalid `deprecationWarning`",
    observed=("deprecation-warning-is-a-header",),
    scope="version",
    why="The API server sends the text in an HTTP header. It must be printable, at most 256 bytes long, and set on a "
    "deprecated version.",
    help="Set `deprecated: true` on the version, and shorten the warning to one printable line of at most 256 bytes",
    marker="correct `+kubebuilder:deprecatedversion`",
    bad="deprecationWarning: use v2",
    good="deprecated: true\ndeprecationWarning: use v2\n",
    source="apiextensions/validation validateDeprecationWarning",
)
STORED = Rule(
    "stored-version-missing",
    "Version in `status.storedVersions` is missing from `spec.versions`",
    headline="{value} is stored, but is no version in `spec.versions`",
    in_each_run=False,
    observed=("storage-version-cannot-be-removed",),
    why="Without the version, the API server could no longer read the objects that are stored in it.",
    help="Restore the version in `spec.versions` (`served: false` is enough), migrate all objects to the storage "
    "version, then remove it from `status.storedVersions`",
    source="apiextensions/validation ValidateCustomResourceDefinitionStoredVersions",
    scope="manifest",
)


def schemas_required(
    spec: CustomResourceDefinitionSpec, path: Path, options: ValidationOptions
) -> Iterator[FieldError]:
    """Yield the versions that lack a schema and need one."""
    if spec.root_schema is not None:
        return
    if not options.require_open_api_schema and spec.preserve_unknown_fields:
        return
    detail = (
        _SCHEMAS_REQUIRED
        if options.require_open_api_schema
        else "because otherwise all fields are pruned"
    )
    for i, version in enumerate(spec.versions):
        if version.root_schema is None and (options.require_open_api_schema or version.served):
            version_path = path.child("versions").index(i)
            # The version's name, since there is no schema to point at.
            where = (
                version_path.child("schema")
                if version.schema is not None
                else version_path.child("name")
            )
            yield required(
                SCHEMA_REQUIRED.id,
                version_path.child("schema", "openAPIV3Schema"),
                detail,
                at=where,
            )


def name(version: CustomResourceDefinitionVersion, path: Path) -> Iterator[FieldError]:
    """Yield what is wrong with a version's name."""
    if errors := is_dns1035_label(version.name):
        yield invalid(
            NAME.id,
            path.child("name"),
            version.name,
            ",".join(errors),
        )


def as_a_whole(spec: CustomResourceDefinitionSpec, path: Path) -> Iterator[FieldError]:
    """Yield what is wrong with the versions taken together."""
    names = [version.name for version in spec.versions]
    yield from _repeated_names(spec, names, path.child("versions"))
    yield from _storage_versions(spec, names, path.child("versions"))


def _repeated_names(
    spec: CustomResourceDefinitionSpec, names: SequenceOf[str], versions_path: Path
) -> Iterator[FieldError]:
    if len(set(names)) != len(names):
        repeated = min(name for name, times in Counter(names).items() if times > 1)
        first = names.index(repeated)
        second = names.index(repeated, first + 1)
        help_ = f"Rename this version, or remove it: `spec.versions[{first}]` is named `{repeated}`, too"
        detail = "must contain unique version names"
        later = versions_path.index(second).child("name")
        yield invalid(
            UNIQUE.id,
            versions_path,
            Typed(spec.versions, _VERSIONS_TYPE),
            detail,
            help=help_,
            at=later,
        )


def _storage_versions(
    spec: CustomResourceDefinitionSpec, names: SequenceOf[str], versions_path: Path
) -> Iterator[FieldError]:
    versions = spec.versions
    marked = [i for i, version in enumerate(versions) if version.storage]
    if len(marked) != 1:
        where = versions_path.index(marked[1]).child("storage") if marked else None
        detail = "must have exactly one version marked as storage version"
        hint = attempt(storage, [names[i] for i in marked], names)
        if not versions:
            hint = "Add a version with `served: true` and `storage: true`, unless the rest of the file is missing"
        elif not marked and ends_early(versions):
            hint = f"Add `served: true` and `storage: true` to `{names[-1]}`, unless the rest of the file is missing, too"
        yield invalid(
            STORAGE.id,
            versions_path,
            Typed(versions, _VERSIONS_TYPE),
            detail,
            at=where,
            help=hint,
        )


def version_field(spec: CustomResourceDefinitionSpec, path: Path) -> Iterator[FieldError]:
    """Yield what is wrong with the internal spec.version, which is the first version's name."""
    if spec.version and (errors := is_dns1035_label(spec.version)):
        yield invalid(
            NAME.id,
            path.child("version"),
            spec.version,
            ",".join(errors),
        )


def deprecation(version: CustomResourceDefinitionVersion, path: Path) -> Iterator[FieldError]:
    """Yield what is wrong with a version's deprecation warning."""
    text = version.deprecation_warning
    if text is None:
        return
    warning_path, value = path.child("deprecationWarning"), Typed(text, "*string")
    if not version.deprecated:
        detail = "can only be set for deprecated versions"
        yield invalid(
            DEPRECATION.id,
            warning_path,
            value,
            detail,
            reason=Reason(Code.NOT_DEPRECATED),
        )
        return
    for message in _deprecation_errors(text):
        yield invalid(DEPRECATION.id, warning_path, value, message)


def _deprecation_errors(text: str) -> Iterator[str]:
    if len(text.encode("utf-8", "surrogatepass")) > 256:
        yield "must be <= 256 characters long"
    if not text:
        yield "must not be an empty string"
    offset = 0
    for char in text:
        if not is_print(ord(char)):
            yield (
                f"must only contain printable UTF-8 characters; non-printable character found at index {offset}"
            )
            break
        offset += len(char.encode("utf-8", "surrogatepass"))


def stored_versions(
    stored: SequenceOf[str], versions: SequenceOf[CustomResourceDefinitionVersion], path: Path
) -> Iterator[FieldError]:
    """Yield the stored versions that the spec lacks, or the other way round."""
    stored_path = path.child("storedVersions")
    if not stored:
        # On create there is no status yet: what is missing is a version with `storage: true`.
        here, help_ = VERSIONS if versions else stored_path, "Set `storage: true` on one version"
        detail = "must have at least one stored version"
        yield invalid(
            STORAGE.id,
            stored_path,
            Typed(None, "[]string"),
            detail,
            at=here,
            help=help_,
        )
        return
    positions = {name: i for i, name in enumerate(stored)}
    for version in versions:
        if version.storage and version.name not in positions:
            detail, help_ = (
                f"must have the storage version {version.name}",
                "Set `storage: true` on one version only",
            )
            yield invalid(
                STORAGE.id,
                stored_path,
                Typed(stored, "[]string"),
                detail,
                at=VERSIONS,
                help=help_,
            )
        positions.pop(version.name, None)
    for name_, i in positions.items():
        since_1_33 = (
            f"missing from spec.versions; {name_} was previously a storage version, and must remain in spec.versions until "
            f"a storage migration ensures no data remains persisted in {name_} and removes {name_} from status.storedVersions"
        )
        detail = Wording.by_version("must appear in spec.versions", (33, since_1_33))
        help_ = (
            f"Restore `{name_}` in `spec.versions` (`served: false` is enough), run a storage migration, "
            f"then remove `{name_}` from `status.storedVersions`"
        )
        yield invalid(
            STORED.id,
            stored_path.index(i),
            name_,
            detail,
            at=VERSIONS,
            help=help_,
        )
