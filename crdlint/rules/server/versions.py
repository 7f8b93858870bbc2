"""spec.versions: names, storage, deprecation, what each must have, whether one is served, and status.storedVersions.

Reproduces apiextensions validation (validateCustomResourceDefinitionSpec, ...Version, ...StoredVersions).
"""

from __future__ import annotations

import re
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
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.common import ValidationOptions
from crdlint.rules.engine.examples import HEAD
from crdlint.rules.engine.finding import OUTDENTED, Edits, Finding, Fixer, expect, require
from crdlint.rules.engine.rule import Caution, Rule
from crdlint.rules.fixes.v1beta1 import open_schema
from crdlint.safety.bugs import attempt
from crdlint.yaml.nodes import Mapping, child, items_of

_VERSIONS = Path("spec").child("versions")
_VERSIONS_TYPE: Final = "[]apiextensions.CustomResourceDefinitionVersion"
_SPEC = "apiextensions/validation validateCustomResourceDefinitionSpec"
_Rule: Final = partial(Rule, source=_SPEC, scope="spec")
_VERSION: Final = re.compile(
    r"[vV]?([1-9]\d*)(?:\.0)*[ ._]*((?:(?:alpha|beta)[1-9]\d*)?)\Z", re.IGNORECASE
)
_SCHEMAS_REQUIRED: Final = Wording.by_version("schemas are required", (34, ""))


def _version(name: str, *, storage: bool = True, fields: str = "", served: bool = True) -> str:
    flags = f"served: {str(served).lower()}, storage: {str(storage).lower()}"
    return f"{{name: {name}, {flags}, schema: {{openAPIV3Schema: {{type: object{fields}}}}}}}"


def _versions(*versions: str) -> str:
    return "".join(["versions:\n", *(f"- {version}\n" for version in versions)])


_ANY: Final = ", x-kubernetes-preserve-unknown-fields: true"
_BASE: Final = _version("v1")
_WITH_COLUMN = HEAD.replace("- name: v1\n    served", "- served") + (
    "        type: object\n    additionalPrinterColumns:\n    - jsonPath: .metadata.name\n      name: A\n      type: string\n"
)
_GOOD = _versions(_BASE, _version("v2", storage=False, fields=_ANY))


@Fixer("Add a schema that keeps all fields", "unsafe").example(
    good=f"versions: [{_version('v1', fields=_ANY)}]"
)
def _any_schema(finding: Finding) -> Edits:
    version = finding.mapping(
        _VERSIONS.index(next(step for step in finding.path.steps() if isinstance(step, int)))
    )
    schema = child(version, "schema")
    if not isinstance(schema, Mapping) or not schema.items:
        yield finding.editor.set(version, "schema", open_schema(finding.editor))


@Fixer("Write the name as Kubernetes names versions", "unsafe")
def _like_a_version(finding: Finding) -> Edits:
    match = require(_VERSION.match(finding.scalar().value))
    yield finding.editor.respell(finding.scalar(), f"v{match[1]}{match[2].lower()}")


def _nodes(finding: Finding) -> list[Mapping]:
    listed = child(expect(Mapping, finding.root, "spec"), "versions")
    return [node for node in items_of(listed) if isinstance(node, Mapping)]


@Fixer("Store objects in the only version", "safe").example(
    bad=f"versions: [{_version('v1', storage=False)}]", good=f"versions: [{_BASE}]\n"
)
def _only_version(finding: Finding) -> Edits:
    versions = _nodes(finding)
    if (
        len(versions) == 1
        and not finding.crd.spec.versions[0].storage
        and not ends_early(finding.crd.spec.versions)
    ):
        yield finding.editor.set(versions[0], "storage", "true", after="served")


def ends_early(versions: SequenceOf[CustomResourceDefinitionVersion]) -> bool:
    """Return whether the last version lacks both fields that every version has, as in a file that ends in the middle."""
    return bool(versions) and not {"served", "storage"} & vars(versions[-1]).keys()


def _preference(version: CustomResourceDefinitionVersion) -> tuple[bool, bool, bool, int]:
    """Return what is greater for versions that objects are rather stored in: current, stable and later ones."""
    name, match = version.name, _VERSION.match(version.name)
    return (
        not version.deprecated,
        "alpha" not in name,
        "beta" not in name,
        int(match[1]) if match else 0,
    )


@Fixer("Store objects in one version only", "unsafe").example(
    good=_versions(_version("v1", storage=False), _version("v2", fields=_ANY))
)
def _one_stored(finding: Finding) -> Edits:
    versions = finding.crd.spec.versions
    nodes = _nodes(finding)
    stored = [i for i, version in enumerate(versions) if version.storage]
    if len(nodes) != len(versions) or not nodes or len(stored) == 1 or ends_early(versions):
        return
    keep = max(stored or range(len(nodes)), key=lambda i: (_preference(versions[i]), i))
    for i, node in enumerate(nodes):
        if (i == keep) != versions[i].storage:
            yield finding.editor.set(
                node, "storage", "true" if i == keep else "false", after="served"
            )


@Fixer("Mark the version as deprecated", "safe")
def _deprecated(finding: Finding) -> Edits:
    if finding.reason(Code.NOT_DEPRECATED):
        yield finding.editor.set(finding.owner, "deprecated", "true", before="deprecationWarning")


SCHEMA_REQUIRED = _Rule("schema-required", "Version without a schema",
    why="The API server prunes all fields that a schema does not specify, so every version needs a schema.",
    help="Add `schema: {openAPIV3Schema: {type: object}}` to the version, and specify its fields under `properties`",
    bad="versions: [{name: v1, served: true, storage: true}]", good=f"versions: [{_BASE}]\n", fixes=(_any_schema,))  # fmt: skip
NAME = _Rule("version-name-invalid", "Invalid version name",
    why="The version name becomes part of URLs and of `apiVersion`, so it must be a DNS label.",
    help="Rename the version to a name such as `v1`, `v1beta1` or `v2alpha3`",
    marker="correct `+versionName`, or the name of the Go package",
    bad=f"versions: [{_version('v1.0')}]", good=f"versions: [{_BASE}]\n",
    fixes=(
        _like_a_version,
        OUTDENTED.example(f"{_WITH_COLUMN}      name: v1\n", f"{_WITH_COLUMN}    name: v1\n", "text"),
    ))  # fmt: skip
UNIQUE = _Rule("version-name-duplicate", "Duplicate version name",
    why="Each version is served at its own URL, so two versions cannot have the same name.",
    help="Rename one of the two versions, or remove it",
    bad=_versions(_BASE, _version("v1", storage=False, fields=_ANY)), good=_GOOD)  # fmt: skip
STORAGE = _Rule("storage-version-exactly-one", "Not exactly one version has `storage: true`",
    why="The API server stores all objects in one version, and converts them when a client requests another one.",
    help="Set `storage: true` on one version and `storage: false` on all others",
    marker="write `+kubebuilder:storageversion` on one version",
    bad=_versions(_BASE, _version("v2", fields=_ANY)), good=_GOOD, fixes=(_only_version, _one_stored))  # fmt: skip
DEPRECATION = Rule("deprecation-warning-invalid", "Invalid `deprecationWarning`", scope="version",
    why="The API server sends the text in an HTTP header. It must be printable, at most 256 bytes long, and set on a "
    "deprecated version.",
    help="Set `deprecated: true` on the version, and shorten the warning to one printable line of at most 256 bytes",
    marker="correct `+kubebuilder:deprecatedversion`",
    bad="deprecationWarning: use v2", good="deprecated: true\ndeprecationWarning: use v2\n",
    source="apiextensions/validation validateDeprecationWarning", fixes=(_deprecated,))  # fmt: skip
STORED = Rule("stored-version-missing", "Version in `status.storedVersions` is missing from `spec.versions`",
    observed=("storage-version-cannot-be-removed",),
    why="Without the version, the API server could no longer read the objects that are stored in it.",
    help="Restore the version in `spec.versions` (`served: false` is enough), migrate all objects to the storage "
    "version, then remove it from `status.storedVersions`",
    source="apiextensions/validation ValidateCustomResourceDefinitionStoredVersions", scope="manifest")  # fmt: skip


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
        yield invalid(NAME.id, path.child("name"), version.name, ",".join(errors))


def as_a_whole(spec: CustomResourceDefinitionSpec, path: Path) -> Iterator[FieldError]:
    """Yield what is wrong with the versions taken together."""
    versions, versions_path = spec.versions, path.child("versions")
    names = [version.name for version in versions]
    if len(set(names)) != len(names):
        twice = sorted(name for name, times in Counter(names).items() if times > 1)
        first = names.index(twice[0])
        repeated = versions_path.index(names.index(twice[0], first + 1)).child("name")
        help_ = f"Rename this version, or remove it: `spec.versions[{first}]` is named `{twice[0]}`, too"
        value, detail = Typed(versions, _VERSIONS_TYPE), "must contain unique version names"
        yield invalid(UNIQUE.id, versions_path, value, detail, help=help_, at=repeated)
    marked = [i for i, version in enumerate(versions) if version.storage]
    if len(marked) != 1:
        where = versions_path.index(marked[1]).child("storage") if marked else None
        value, detail = (
            Typed(versions, _VERSIONS_TYPE),
            "must have exactly one version marked as storage version",
        )
        hint = attempt(_storage_help, [names[i] for i in marked], names)
        if not marked and ends_early(versions):
            hint = f"Add `served: true` and `storage: true` to `{names[-1]}`, unless the rest of the file is missing, too"
        yield invalid(STORAGE.id, versions_path, value, detail, at=where, help=hint)


def _storage_help(stored: SequenceOf[str], names: SequenceOf[str]) -> str | None:
    if len(stored) > 1:
        return f"Set `storage: true` on one version only: {' and '.join(f'`{n}`' for n in stored)} have it"
    return (
        f"Set `storage: true` on `{names[-1]}`, or on the version that is stored" if names else None
    )


def version_field(spec: CustomResourceDefinitionSpec, path: Path) -> Iterator[FieldError]:
    """Yield what is wrong with the internal spec.version, which is the first version's name."""
    if spec.version and (errors := is_dns1035_label(spec.version)):
        yield invalid(NAME.id, path.child("version"), spec.version, ",".join(errors))


def deprecation(version: CustomResourceDefinitionVersion, path: Path) -> Iterator[FieldError]:
    """Yield what is wrong with a version's deprecation warning."""
    text = version.deprecation_warning
    if text is None:
        return
    warning_path, value = path.child("deprecationWarning"), Typed(text, "*string")
    if not version.deprecated:
        detail = "can only be set for deprecated versions"
        yield invalid(
            DEPRECATION.id, warning_path, value, detail, reason=Reason(Code.NOT_DEPRECATED)
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
        here, help_ = _VERSIONS if versions else stored_path, "Set `storage: true` on one version"
        detail = "must have at least one stored version"
        yield invalid(STORAGE.id, stored_path, Typed(None, "[]string"), detail, at=here, help=help_)
        return
    positions = {name: i for i, name in enumerate(stored)}
    for version in versions:
        if version.storage and version.name not in positions:
            detail, help_ = (
                f"must have the storage version {version.name}",
                "Set `storage: true` on one version only",
            )
            yield invalid(
                STORAGE.id, stored_path, Typed(stored, "[]string"), detail, at=_VERSIONS, help=help_
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
        yield invalid(STORED.id, stored_path.index(i), name_, detail, at=_VERSIONS, help=help_)


@Fixer("Serve the only version", "unsafe")
def _served(finding: Finding) -> Edits:
    yield finding.editor.replace(finding.scalar(), "true")


_UNSERVED: Final = _version("v1", served=False)
_SECOND: Final = _version("v2", served=False, storage=False)
NONE_SERVED = Caution("no-version-served", "No version of the CRD is served", scope="spec",
    observed=("storage-version-not-served",),
    why="The API server has no endpoint for the resource, so no object can be read, created or changed.",
    help="Set `served: true` on at least one version", marker="remove `+kubebuilder:unservedversion`",
    bad=_versions(_UNSERVED, _SECOND), good=_versions(_BASE, _SECOND))  # fmt: skip
STORAGE_NOT_SERVED = Caution("storage-version-not-served", "Only version of the CRD is not served", scope="spec",
    observed=("storage-version-not-served",),
    why="The API server stores objects of this version, but has no endpoint for it, so no object can be read, created or changed.",
    help="Set `served: true` on the version", marker="remove `+kubebuilder:unservedversion`",
    bad=_versions(_UNSERVED), good=_versions(_BASE), fixes=(_served,))  # fmt: skip


@NONE_SERVED.practice
def served(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield that no version is served: of the only one at its place, of several at their list."""
    versions = crd.spec.versions
    if not versions or any(version.served for version in versions):
        return
    path = Path("spec").child("versions")
    if len(versions) == 1:
        message = "the only version is not served: the API server has no endpoint for its objects"
        yield Advisory(message, path.index(0).child("served"), rule=STORAGE_NOT_SERVED.id)
    else:
        message = f"none of the {len(versions):,} versions is served: the API server has no endpoint for their objects"
        yield Advisory(message, path)
