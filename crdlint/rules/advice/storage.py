"""What the API server does not store as it is written, or rejects: copies from a cluster, leftovers, large and empty values.

Upstream: apiserver pkg/storage/etcd3 store.Create. Which fields of a copy the server sets itself: pkg/registry/rest/meta.go
WipeObjectMetaSystemFields and the strategies' PrepareForCreate. It keeps `managedFields`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from crdlint.crd import model
from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.object_meta import ANNOTATIONS_LIMIT
from crdlint.crd.paths import Path
from crdlint.crd.record import Record
from crdlint.golang.printing import marshal
from crdlint.light import regex
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.edits import Edits, expect
from crdlint.rules.engine.finding import AdviceFinding
from crdlint.rules.engine.fixer import Fixer, removal
from crdlint.rules.engine.rule import Hint, Nodes, OnRequest, Rule
from crdlint.safety.bugs import attempt
from crdlint.yaml.json_values import to_json
from crdlint.yaml.nodes import Mapping, Node, Scalar, child, items_of, key_names
from crdlint.yaml.resolve import resolve

_COPIED: Final = (
    "uid",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
    "managedFields",
)
_UINT64: Final = 2**64
_MESSAGE: Final = "resourceVersion should not be set on objects to be created"
PATH: Final = Path("metadata").child("resourceVersion")
_WRITES: Final = "the API server writes it"
_LEFTOVERS: Final = (
    (Path("status"), _WRITES),
    (Path("metadata").child("creationTimestamp"), _WRITES),
    (Path("metadata").child("namespace"), "CRDs are cluster-scoped, and the API server removes it"),
)
# The annotation's name and the line break at its end.
_ADDED: Final = len("kubectl.kubernetes.io/last-applied-configuration") + 1
_SHOWN_DESCRIPTIONS: Final = 3  # descriptions
_WORTH_A_WORD: Final = 200  # characters of a description
# Argo CD, which then does not use client-side apply for the object.
_SYNC_OPTIONS: Final = "argocd.argoproj.io/sync-options"
_SYNCED_OTHERWISE: Final = regex(r"(?:ServerSideApply|Replace)=true")
_SYNC_HELP: Final = "Use the sync option `ServerSideApply=true` of Argo CD"
_ETCD_LIMIT: Final = 1536 * 1024  # bytes of a request (--max-request-bytes)
# Times the limit: a text may have comments, and characters that JSON escapes.
_SURELY: Final = 1.15
_SURELY_NOT: Final = 0.95
_ANCHOR: Final = regex(r"&(?<=[\s\[{,]&)[^\s&]")


def _omitted(record: type[Record], *stored: str) -> dict[str, str]:
    """Return what encoding/json leaves out (omitempty) if it is false, 0 or empty: all but pointers and what is always `stored`."""
    fields = (field for field in record.FIELDS if not field.go_type.startswith("*"))
    return {
        field.json_name: field.attribute for field in fields if field.json_name not in {"", *stored}
    }


_DESCRIPTION: Final = SCHEMA_BITS["description"]
_SCHEMA: Final = _omitted(JSONSchemaProps, "description", "type")
_RULE: Final = _omitted(model.ValidationRule, "rule")
_NAMES: Final = _omitted(model.CustomResourceDefinitionNames, "plural", "kind")
_VERSION: Final = _omitted(
    model.CustomResourceDefinitionVersion,
    "name",
    "served",
    "storage",
)
_COLUMN: Final = _omitted(
    model.CustomResourceColumnDefinition,
    "name",
    "type",
    "jsonPath",
)
_METADATA: Final = _omitted(model.ObjectMeta, "name", "creationTimestamp")


@Fixer("Remove the fields that the API server sets", "safe")
def _removal(finding: AdviceFinding) -> Edits:
    yield from finding.editor.remove_all(
        expect(Mapping, finding.root, "metadata"), ("resourceVersion", *_COPIED)
    )
    yield from finding.editor.remove_all(finding.root, ("status",))


RESOURCE_VERSION = Rule(
    "resource-version-on-create",
    "Object to be created has a `resourceVersion`, like a copy from a cluster",
    in_each_run=False,
    observed=("resource-version-on-create",),
    why="The storage of the API server rejects a create request with the field. `kubectl create` and `kubectl apply` remove it and "
    "create the object, but the next `kubectl apply` of the same file fails with a conflict.",
    help="Remove `metadata.resourceVersion`",
    bad="resourceVersion: '12345'\nuid: 6f1e1f9c-3c1b-4b8e-9d6e-0a1f2b3c4d5e\n",
    good="name: foos.example.com",
    source="apiserver/pkg/storage/etcd3 Create",
    fixes=(_removal,),
    scope="metadata",
    origin="storage",
)


def of_copy(root: Mapping, version: object, *, has_status: bool) -> Advisory | None:
    """Return the finding that an object with a `resourceVersion` cannot be created; `has_status`: the server drops its status."""
    is_number = (
        isinstance(version, str)
        and version.isascii()
        and version.isdigit()
        and len(version.lstrip("0")) <= 20
    )
    if not is_number or not 0 < int(str(version)) < _UINT64:
        return None
    others = [name for name in _COPIED if child(root, "metadata", name) is not None]
    others += ["status"] * (has_status and root.find("status") is not None)
    if not others:
        return Advisory(_MESSAGE, PATH, rule=RESOURCE_VERSION.id)
    names = ", ".join(f"`{name}`" for name in others)
    help_ = f"{RESOURCE_VERSION.help}, and {names} of the same copy: the API server sets these fields itself"
    return Advisory(_MESSAGE, PATH, help_, rule=RESOURCE_VERSION.id)


@RESOURCE_VERSION.advice
def on_create(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield that the CRD cannot be created."""
    version = (
        None
        if crd.old_names is not None
        else getattr(child(crd.root, *map(str, PATH.steps())), "value", None)
    )
    advisory = of_copy(crd.root, version, has_status=True)
    if advisory is not None:
        yield advisory


@Fixer("Remove the field", "safe")
def _without_leftover(finding: AdviceFinding) -> Edits:
    *parents, name = map(str, finding.path.steps())
    return [finding.editor.remove(expect(Mapping, finding.root, *parents), name)]


@OnRequest(
    "leftover-field",
    "Field has no effect in a manifest",
    scope="manifest",
    observed=("fields-that-the-server-writes",),
    why="The API server writes `status` and `metadata.creationTimestamp` itself, and removes `metadata.namespace`: CRDs "
    "are cluster-scoped. Tools that compare manifests with the cluster report such fields as differences, unless they "
    "ignore them for CRDs as Argo CD does.",
    help="Remove the field",
    bad="metadata: {creationTimestamp: null}",
    good="metadata: {name: foos.example.com}",
    fixes=(
        _without_leftover,
        _without_leftover.example(bad="status: {conditions: []}", good="spec: {}"),
    ),
    in_set="gitops",
    aliases=("gitops-status", "gitops-creation-timestamp", "metadata-namespace"),
).advice
def leftovers(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the fields that the server sets or removes itself, unless the finding about a copy from a cluster names them."""
    if any(on_create.findings(crd)):
        return
    for path, reason in _LEFTOVERS:
        if child(crd.root, *map(str, path.steps())) is not None:
            yield Advisory(
                f"`{path}` has no effect in a manifest: {reason}", path, "Remove the field"
            )


@Hint(
    "too-large-to-apply",
    "CRD is too large for client-side `kubectl apply`",
    scope="schema",
    observed=("too-large-for-client-side-apply",),
    why="Client-side apply stores the whole object in the annotation kubectl.kubernetes.io/last-applied-configuration. "
    f"The API server rejects more than {ANNOTATIONS_LIMIT} bytes of annotations with `metadata.annotations: Too long`.",
    help="Use `kubectl apply --server-side`, or generate the CRD without descriptions (controller-gen `crd:maxDescLen=0`)",
    bad="type: object\ndescription: " + "x" * ANNOTATIONS_LIMIT + "\n",
    good="type: object",
).advice
def _too_large(crd: DecodedCRD) -> Iterator[Advisory]:
    severity = "error" if _is_by_argo_cd(crd) else crd.client_side_severity
    if severity is None:
        return
    size = _size(crd.root, crd.text)
    if size > ANNOTATIONS_LIMIT:
        limit = _kibibytes(ANNOTATIONS_LIMIT)
        apply = "client-side apply" if _is_by_argo_cd(crd) else "`kubectl apply`"
        message = f"about {_kibibytes(size)} of JSON are too large for {apply}: its annotation holds {limit}"
        if size > _ETCD_LIMIT:
            message += f"; etcd rejects requests of more than {_kibibytes(_ETCD_LIMIT)} by default"
        yield Advisory(
            message,
            Path("metadata"),
            attempt(_help, crd, size),
            severity=severity,
        )


def _is_by_argo_cd(crd: DecodedCRD) -> bool:
    """Return whether Argo CD sends the CRD by client-side apply, which an annotation of the CRD changes."""
    options = crd.annotations.get(_SYNC_OPTIONS, "")
    return crd.is_by_argo_cd and _SYNCED_OTHERWISE.search(options) is None


def _help(crd: DecodedCRD, size: int) -> str:
    """Return the help; removing descriptions is part of it if the remaining size is small enough."""
    described = _copies(crd) * sum(len(schema.description) for schema in crd.schemas)
    share = f"{described / size:.0%}"
    apply = _SYNC_HELP if _is_by_argo_cd(crd) else "Use `kubectl apply --server-side`"
    if size - described <= ANNOTATIONS_LIMIT:
        return f"{apply}, or remove the descriptions (controller-gen `crd:maxDescLen=0`): {share} of the CRD{_largest(crd)}"
    return (
        apply
        if share == "0%"
        else f"{apply}: the CRD is too large even without its descriptions ({share} of it)"
    )


def _copies(crd: DecodedCRD) -> int:
    return 1 if crd.spec.validation is None else len(crd.spec.versions)


def _largest(crd: DecodedCRD) -> str:
    from crdlint.kubecel.cost.explain import value_path

    times = _copies(crd)
    largest = sorted(crd.schemas, key=lambda schema: len(schema.description), reverse=True)[
        :_SHOWN_DESCRIPTIONS
    ]
    named = [
        f"`{value_path(schema)}` ({times * len(schema.description.encode('utf-8', 'surrogatepass')):,} bytes)"
        for schema in largest
        if len(schema.description) >= _WORTH_A_WORD
    ]
    return f", the largest of them {', '.join(named)}" if named else ""


def _kibibytes(size: int) -> str:
    return f"{size // 1024:,} KiB"


def _size(root: Mapping, text: str) -> int:
    """Return the bytes of a document's compact JSON: exact near the limit, elsewhere as its text suggests."""
    if len(text) < ANNOTATIONS_LIMIT // 2:
        return len(text)
    lines = text.count("\n")
    # JSON has no indentation, and adds quotes and braces to most lines.
    written = len(text) - 2 * text.count("  ")
    about = written + 2 * lines
    if about > _SURELY * ANNOTATIONS_LIMIT:
        return about
    most = written + 4 * lines + 2 * text.count(",")
    if most < _SURELY_NOT * ANNOTATIONS_LIMIT and not _ANCHOR.search(text):
        return most
    return _json_size(to_json(root)) + _ADDED


def _json_size(value: Any) -> int:
    """Return the bytes of a value's compact JSON, as Go writes it: with three characters of HTML escaped."""
    from json import dumps

    try:
        compact = dumps(value, separators=(",", ":"), ensure_ascii=False)
    except RecursionError:  # Python's goes no deeper than its own calls
        compact = marshal(value)
    else:
        compact += "12345" * sum(map(compact.count, "<>&"))
    return len(compact.encode("utf-8", "surrogatepass"))


NOT_STORED = Hint(
    "not-stored",
    "Value that the API server does not store",
    scope="spec",
    in_set="gitops",
    observed=("values-that-are-not-stored",),
    why="The API leaves out empty values and `false` where they are the default. GitOps tools compare the file with the "
    "cluster and see a difference that no sync removes.",
    help="Remove the line: without it the API server stores the same CRD",
    bad="preserveUnknownFields: false",
    good="{}",
    fixes=(Fixer("Remove the value", "safe", removal),),
)


@NOT_STORED.practice
def not_stored(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the values that decoding and encoding by the API's own types lose, but not null, and nothing of the status."""
    spec = Path("spec")
    yield from _within(child(crd.root, "metadata"), _METADATA, Path("metadata"))
    node = child(crd.root, "spec")
    yield from _within(node, ["preserveUnknownFields"], spec)
    yield from _within(child(node, "names"), _NAMES, spec.child("names"))
    client = ("conversion", "webhook", "clientConfig")
    yield from _within(child(node, *client), ["caBundle"], spec.child(*client))
    for i, version in enumerate(items_of(child(node, "versions"))):
        version_path = spec.child("versions").index(i)
        yield from _within(version, _VERSION, version_path)
        columns = version_path.child("additionalPrinterColumns")
        for j, column in enumerate(items_of(child(version, "additionalPrinterColumns"))):
            yield from _within(column, _COLUMN, columns.index(j))
    # A description is what nearly all schemas have.
    for schema in [
        schema
        for schema in crd.schemas
        if not schema.description and schema.set_fields & _DESCRIPTION
    ]:
        yield _advisory(schema.path.child("description"), "description", "")


@NOT_STORED.advice_on(Nodes({"x-kubernetes-validations"}))
def _of_rules(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    path = schema.path.child("x-kubernetes-validations")
    for i, rule in enumerate(schema.x_validations):
        for name, attribute in _RULE.items():
            if attribute in vars(rule) and not getattr(rule, attribute):
                yield _advisory(path.index(i).child(name), name, "")


@NOT_STORED.advice_on(Nodes({"type"}, types={""}))
def _of_type(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    yield _advisory(schema.path.child("type"), "type", "")


@NOT_STORED.advice_on(Nodes(_SCHEMA.keys()))
def of_schema(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterable[Advisory]:
    """Return the fields of a schema that are false or empty, but its description."""
    return () if all(vars(schema).values()) else _of_schema(schema)


def _of_schema(schema: JSONSchemaProps) -> Iterator[Advisory]:
    for name, attribute in _SCHEMA.items():
        if schema.set_fields & SCHEMA_BITS[name] and not getattr(schema, attribute):
            yield _advisory(schema.path.child(name), name, getattr(schema, attribute))


def _within(mapping: Node | None, names: Iterable[str], path: Path) -> Iterator[Advisory]:
    written = set(key_names(mapping)) if isinstance(mapping, Mapping) else ()
    for name in [name for name in names if name in written]:
        node = child(mapping, name)
        value = (
            resolve(node) if isinstance(node, Scalar) else node.items if node is not None else None
        )
        if value is not None and not value:
            yield _advisory(path.child(name), name, {} if isinstance(node, Mapping) else value)


def _advisory(path: Path, name: str, value: Any) -> Advisory:
    shown = marshal(list(value) if isinstance(value, tuple) else value)
    return Advisory(
        f"the API server does not store `{name}: {shown}`: GitOps tools always see a difference",
        path,
    )
