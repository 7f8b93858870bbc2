"""Columns, scale and status that do not work, although the API server accepts them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from functools import partial
from typing import Final

from crdlint.crd.model import (
    JSONSchemaProps,
)
from crdlint.crd.paths import Path
from crdlint.light import NamedTuple, regex
from crdlint.phrases import OneCommand
from crdlint.rules.engine.advisory import Advisory, DecodedCRD, VersionParts
from crdlint.rules.engine.edits import Edits, expect
from crdlint.rules.engine.finding import AdviceFinding
from crdlint.rules.engine.fixer import Fixer
from crdlint.rules.engine.rule import Caution, Hint, once
from crdlint.rules.server.subresources import SCALE_PATHS
from crdlint.schema.json_paths import METADATA, Missing, follow, syntax_error
from crdlint.spelling import SimilarName
from crdlint.spelling import meant as name_meant
from crdlint.yaml.nodes import Mapping, Scalar, child

# The type of the field of each path of the scale, and what happens if the schema does not have it.
_SCALE_FIELDS: Final = {
    "specReplicasPath": (
        "integer",
        "autoscalers fail, and `kubectl scale` reports success but changes nothing",
    ),
    "statusReplicasPath": ("integer", "the scale always has 0 replicas in its status"),
    "labelSelectorPath": ("string", "autoscalers find no pods"),
}


_OfVersion: Final = partial(Caution, scope="version")


_ENABLED: Final = "subresources: {status: {}}\n"


@Fixer("Correct the path of the field", "unsafe")
def _meant(finding: AdviceFinding) -> Edits:
    yield finding.editor.respell(finding.scalar(), finding.subject_as(str))


def _version(more: str, status: str = "phase: {type: string}", required: str = "") -> str:
    return (
        f"schema:\n  openAPIV3Schema:\n    type: object\n{required}    properties:\n"
        "      spec: {type: object, properties: {replicas: {type: integer}}}\n"
        f"      status: {{type: object, properties: {{{status}}}}}\n{more}"
    )


def _column(path: str) -> str:
    return _version(
        f"{_ENABLED}additionalPrinterColumns: [{{name: Phase, type: string, jsonPath: {path}}}]\n"
    )


def _scale(path: str) -> str:
    scale = f"{{specReplicasPath: {path}, statusReplicasPath: .status.replicas}}"
    return _version(
        f"subresources: {{status: {{}}, scale: {scale}}}\n", "replicas: {type: integer}"
    )


DEAD_COLUMN = _OfVersion(
    "printer-column-dead-path",
    "Printer column of a field that the schema does not have",
    observed=("column-of-a-missing-field",),
    why="The API server drops fields that the schema does not have, so `kubectl get` always shows an empty column.",
    help="Correct the `jsonPath`, add the field to the schema, or remove the column",
    marker="correct the `JSONPath` of `+kubebuilder:printcolumn`",
    bad=_column(".status.Phase"),
    good=_column(".status.phase"),
    fixes=(_meant,),
)


DEAD_SCALE = _OfVersion(
    "scale-path-dead",
    "Scale path to a field that the schema does not have",
    observed=(
        "scale-selector-of-wrong-type",
        "scale-dead-status-path",
        "scale-dead-spec-path",
        "scale-path-of-wrong-type",
    ),
    why="Without the field of `specReplicasPath`, autoscalers fail, and `kubectl scale` reports success but changes nothing. "
    "Without that of `statusReplicasPath`, the scale always has 0 replicas. If a field has another type, objects that set it "
    "are rejected.",
    help="Correct the path, or add the field to the schema: integers for replicas, a string for the label selector",
    marker="correct `+kubebuilder:subresource:scale`",
    bad=_scale(".spec.replica"),
    good=_scale(".spec.replicas"),
    fixes=(_meant,),
)


@DEAD_COLUMN.practice
def dead_paths(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield paths of columns and scale that lead to no field, or to one of a wrong type; those that versions share once."""
    by_message: dict[str, list[Advisory]] = {}
    for parts in () if crd.spec.preserve_unknown_fields else crd.parts:
        if parts.schema is not None:
            columns = _with_one_cause(_columns(parts, parts.schema))
            for advisory in (*columns, *_scale_paths(parts, parts.schema)):
                by_message.setdefault(advisory.message, []).append(advisory)
    for shared in by_message.values():
        yield from once(shared)


def _with_one_cause(columns: Iterable[Advisory]) -> Iterator[Advisory]:
    """Yield columns, of which those that are to be removed or corrected by hand share the cause of the first of them."""
    cause = ""
    for column in columns:
        if column.help is None:
            cause = cause or column.cause
            yield column._replace(cause=cause)
        else:
            yield column


# The key of a label or an annotation whose dots are not escaped.
_UNESCAPED: Final = regex(
    r"(\.metadata\.(?:labels|annotations)\.)((?:[^.\[\]{}\\]|\\.)+(?:\.(?:[^.\[\]{}\\]|\\.)+)+)"
)
_DOT: Final = regex(r"(?<!\\)\.")
_ENDS_IN_DOT: Final = regex(r"[^.\\]\.\Z")


def _columns(parts: VersionParts, schema: JSONSchemaProps) -> Iterator[Advisory]:
    columns_path = parts.path.child("additionalPrinterColumns")
    paths = {column.json_path for column in parts.columns}
    for i, column in enumerate(parts.columns):
        path = columns_path.index(i).child("jsonPath")
        slip = _slip(column.json_path)
        target = follow(column.json_path, schema)
        if slip is not None:
            yield Advisory(
                f"column `{column.name}` is always empty: {slip.reason}",
                path,
                OneCommand(f"Write `{slip.meant}`"),
                subject=slip.meant,
            )
        elif isinstance(target, Missing):
            meant = _meant_column(target, column.json_path, schema, paths)
            help_, inside, subject = _help(target, column.json_path, meant, _COLUMN)
            yield Advisory(
                f"column `{column.name}` is always empty: {_reason(target)}",
                path,
                help_,
                inside,
                subject,
                cause=_cause(target),
            )


class _PathSlip(NamedTuple):
    """Why the path of a column never has a value whatever the schema is, and the path that is meant."""

    reason: str
    meant: str


def _slip(path: str) -> _PathSlip | None:
    unescaped = _UNESCAPED.fullmatch(path)
    if unescaped is not None:
        meant = unescaped[1] + _DOT.sub(r"\\.", unescaped[2])
        return _PathSlip(f"`{unescaped[2]}` is read as several fields", meant)
    if _ENDS_IN_DOT.search(path) is not None and syntax_error(path) is None:
        return _PathSlip("its path ends in a dot", path[:-1])
    return None


def _scale_paths(parts: VersionParts, schema: JSONSchemaProps) -> Iterator[Advisory]:
    scale = parts.scale
    if scale is None:
        return
    for name, attribute, parents in SCALE_PATHS:
        text = getattr(scale, attribute) or ""
        if text.startswith(tuple(f"{parent}." for parent in parents)):  # else it is rejected
            path = parts.path.child("subresources", "scale", name)
            yield from _scale_path(name, text, path, schema)


def _scale_path(
    name: str,
    text: str,
    path: Path,
    schema: JSONSchemaProps,
) -> Iterator[Advisory]:
    """Yield what is wrong with the field to which a path of the scale leads."""
    type_, consequence = _SCALE_FIELDS[name]
    target = follow(text, schema)
    if isinstance(target, Missing):
        fields = target.schema.properties.items()
        fitting = [field for field, its_schema in fields if its_schema.type == type_]
        meant = _respelled(target, text, fitting, typed=True)
        message = f"{_reason(target)}: {consequence}"
        yield Advisory(
            message,
            path,
            *_help(target, text, meant, _SCALE),
            rule=DEAD_SCALE.id,
        )
    elif target is not None and target.type and target.type != type_:
        message = (
            f"`{text}` is of type {target.type}, not {type_}: objects that set it are rejected"
        )
        help_ = f"Set `{name}` to a field of type {type_}"
        yield Advisory(message, path, help_, rule=DEAD_SCALE.id)


def _reason(missing: Missing) -> str:
    if not missing.name:
        return f"`{missing.before}` is a list, which has no fields"
    if missing.schema is METADATA:
        return f"`metadata` has no field `{missing.name}`"
    return f"`{missing.path}` is not in the schema"


def _cause(missing: Missing) -> str:
    """Return what columns have in common that lead to fields of one object that has none, or to the same missing field."""
    return _reason(missing) if missing.schema.properties else f"`{missing.before}` has no fields"


_COLUMN: Final = "remove the column"
_SCALE: Final = "correct the path"


def _help(
    missing: Missing,
    text: str,
    meant: SimilarName | None,
    otherwise: str,
) -> tuple[str | None, None, str | None]:
    """Return the help of an advisory, no part to point at, and the path that is meant if that is known."""
    if not missing.name:
        return (
            f"Write `{missing.before}[*]{text[len(missing.before) :]}` for all items, or remove the path",
            None,
            None,
        )
    if missing.schema is METADATA:
        return _help_of_metadata(meant, otherwise)
    if meant is None:
        return None, None, None
    if not meant.is_known:
        question = f"Did you mean `{meant.name}`? Otherwise add `{missing.name}` to the schema, or {otherwise}"
        return question, None, None
    return f"Write `{meant.name}`, or add `{missing.name}` to the schema", None, meant.name


def _help_of_metadata(meant: SimilarName | None, otherwise: str) -> tuple[str, None, str | None]:
    """Return the help, no part, and the path that is meant, of a field that `metadata` does not have: no CRD can add one."""
    if meant is None:
        return (
            f"Write a field of every object's metadata, such as `labels`, or {otherwise}",
            None,
            None,
        )
    if not meant.is_known:
        return f"Did you mean `{meant.name}`? Otherwise {otherwise}", None, None
    return OneCommand(f"Write `{meant.name}`"), None, meant.name


def _respelled(
    missing: Missing,
    text: str,
    names: Iterable[str],
    *,
    typed: bool,
) -> SimilarName | None:
    """Return the path with the one of some names in place of the missing one that is known or likely to be meant."""
    near = name_meant(missing.name, names, typed=typed)
    if near is None:
        return None
    return near._replace(name=f"{missing.before}.{near.name}{text[len(missing.path) :]}")


def _meant_column(
    missing: Missing,
    text: str,
    root: JSONSchemaProps,
    columns: Set[str],
) -> SimilarName | None:
    """Return the path that is known or likely to be meant by that of a column, if no other of the columns shows it."""
    path = _to_its_end(
        _respelled(
            missing,
            text,
            missing.schema.properties,
            typed=False,
        ),
        root,
    )
    if path is None or not path.is_known:
        other = _on_other_side(text, root)
        path = path if other is None else SimilarName(other, is_known=True)
    is_other_wrong = syntax_error(text) is not None  # which is reported by itself
    return None if path is None or path.name in columns or is_other_wrong else path


def _to_its_end(path: SimilarName | None, root: JSONSchemaProps) -> SimilarName | None:
    """Return a path with its further fields respelled as well, None if it leads to no field."""
    while path is not None and isinstance(missing := follow(path.name, root), Missing):
        further = _respelled(
            missing,
            path.name,
            missing.schema.properties,
            typed=False,
        )
        is_known = further is not None and further.is_known and path.is_known
        path = None if further is None else further._replace(is_known=is_known)
    return path


def _on_other_side(text: str, root: JSONSchemaProps) -> str | None:
    """Return a path below `.spec` that is written below `.status`, or the other way round, if the schema has it only there."""
    for mine, other in ((".status.", ".spec."), (".spec.", ".status.")):
        path = f"{other}{text.removeprefix(mine)}"
        if text.startswith(mine) and isinstance(follow(path, root), JSONSchemaProps):
            return path
    return None


@_OfVersion(
    "printer-column-unparsed",
    "Printer column whose path the API server cannot parse",
    observed=("column-that-cannot-be-parsed",),
    why="The API server accepts such a CRD, but `kubectl get` shows neither the column nor those after it.",
    help="Correct the syntax of the `jsonPath`, such as `.status.phases[0].name`",
    marker="correct the `JSONPath` of `+kubebuilder:printcolumn`",
    bad=_column("'.status.phases[0'"),
    good=_column(".status.phase"),
).practice
def unparsed_columns(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the first column of each version whose path the server cannot parse."""
    for parts in crd.parts:
        for i, column in enumerate(parts.columns):
            error = syntax_error(column.json_path)
            if error is not None:
                dropped = "this column and all after it" if i else "all columns"
                message = f"`{column.json_path}` cannot be parsed ({error}): the API server discards {dropped}"
                yield Advisory(
                    message, parts.path.child("additionalPrinterColumns").index(i).child("jsonPath")
                )
                break


@Fixer("Enable the status subresource", "unsafe")
def _enabled(finding: AdviceFinding) -> Edits:
    node = finding.node()
    while not (isinstance(node, Mapping) and node.find("served") is not None):
        parent = finding.editor.parent(node)
        if parent is None:
            return
        node = parent
    if node.find("subresources") is None:
        yield finding.editor.insert(
            node, "subresources", "{status: {}}" if node.flow else "\n  status: {}"
        )
    else:
        yield finding.editor.insert(expect(Mapping, node, "subresources"), "status", "{}")


NO_SUBRESOURCE = Hint(
    "status-without-subresource",
    "Schema has `status`, but the status subresource is disabled",
    observed=("status-before-the-subresource",),
    why="Requests to `/status` end in 404, and each write of the status raises `metadata.generation`. With the subresource, the "
    "API server ignores the status in other updates. Until then, `/status` does not exist.",
    help="Change the controller to write the status by `/status`, and by the main resource if that returns 404; then add "
    "`subresources: {status: {}}` to the version",
    marker="write `+kubebuilder:subresource:status`",
    bad=_version(""),
    good=_version(_ENABLED),
    fixes=(_enabled,),
    scope="version",
)


STATUS_REQUIRED = _OfVersion(
    "status-required",
    "No object can be created: `status` is required",
    observed=("required-status-with-default",),
    why="With the status subresource, the API server drops `status` from a new object, also a default of it, and then "
    "rejects the object because `status` is missing.",
    help="Remove `status` from `required`",
    marker="write `+optional` on the field `Status`",
    bad=_version(_ENABLED, required="    required: [status]\n"),
    good=_version(_ENABLED),
    fixes=(Fixer("Remove `status` from `required`", "unsafe", AdviceFinding.remove_item),),
)


@Fixer("Write `status: {}`", "unsafe")
def _mapping(finding: AdviceFinding) -> Edits:
    yield finding.editor.set(finding.owner, finding.name, "{}")


NULL_STATUS = _OfVersion(
    "status-subresource-null",
    "`status:` without a value does not enable the status subresource",
    observed=("status-null",),
    why="YAML reads the missing value as null, and the API server ignores a subresource that is null. Requests to `/status` end "
    "in 404.",
    help="Write `status: {}`; the API server then ignores the status in writes to the main resource",
    bad=_version("subresources: {status: }\n"),
    good=_version(_ENABLED),
    fixes=(_mapping,),
)


@NO_SUBRESOURCE.practice
def status(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the versions with a status but no subresource, as one finding, and those whose status is null or required."""
    without: list[Advisory] = []
    for i, parts in enumerate(crd.parts):
        node = child(
            crd.root,
            "spec",
            "versions",
            i,
            "subresources",
            "status",
        )
        is_null = isinstance(node, Scalar) and not parts.has_status
        if is_null:
            message = "the status subresource is not enabled: `status` is null"
            yield Advisory(message, parts.path.child("subresources", "status"), rule=NULL_STATUS.id)
        if parts.schema is None:
            continue
        if parts.has_status:
            yield from _required_status(parts, parts.schema)
        elif not is_null and _keeps_status(parts.schema):
            message = "the status subresource is disabled: `/status` does not exist, and writes of it raise the generation"
            without.append(Advisory(message, parts.schema_path.child("properties").key("status")))
    yield from once(without)


def _keeps_status(schema: JSONSchemaProps) -> bool:
    """Return whether objects can have a status: a schema of it without fields drops them."""
    field = schema.properties.get("status")
    return field is not None and bool(
        field.properties or field.additional_properties or field.x_preserve_unknown_fields
    )


def _required_status(parts: VersionParts, schema: JSONSchemaProps) -> Iterator[Advisory]:
    """Yield that a version requires the status that the API server drops on create."""
    is_field = "status" in schema.properties or schema.x_preserve_unknown_fields
    if is_field and "status" in schema.required:
        message = "no object can be created: the API server drops `status` on create, and then requires it"
        index = list(schema.required).index("status")
        path = parts.schema_path.child("required").index(index)
        yield Advisory(message, path, rule=STATUS_REQUIRED.id)
