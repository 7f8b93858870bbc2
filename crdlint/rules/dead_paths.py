"""Advice: paths of printer columns and of the scale subresource to fields that the schema does not have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from crdlint.diagnostics.spelling import nearest
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.finding import Edits, Finding, Fixer
from crdlint.rules.engine.parts import VersionParts, version_parts
from crdlint.rules.engine.rule import Caution, once
from crdlint.schema.json_paths import Missing, follow, syntax_error

if TYPE_CHECKING:
    from crdlint.crd.model import JSONSchemaProps

_HPA_FAILS: Final = "HorizontalPodAutoscalers fail"
_FAILS: Final = "`kubectl scale` and HorizontalPodAutoscalers fail"
_LIKE: Final = 0.7


@Fixer("Write the path of the field that is meant", "unsafe")
def _meant(finding: Finding) -> Edits:
    about = finding.advisory
    if about is not None and isinstance(about.subject, str):
        yield finding.editor.respell(finding.scalar(), about.subject)


def _with_status(fields: str, more: str) -> str:
    return (
        "schema:\n  openAPIV3Schema:\n    type: object\n    properties:\n"
        "      spec: {type: object, properties: {replicas: {type: integer}}}\n"
        f"      status: {{type: object, properties: {{{fields}}}}}\n"
        f"{more}"
    )


def _column(path: str) -> str:
    return _with_status(
        "phase: {type: string}",
        "subresources: {status: {}}\n"
        f"additionalPrinterColumns: [{{name: Phase, type: string, jsonPath: {path}}}]\n",
    )


def _scale(path: str) -> str:
    return _with_status(
        "replicas: {type: integer}",
        f"subresources: {{status: {{}}, scale: {{specReplicasPath: {path}, statusReplicasPath: .status.replicas}}}}\n",
    )


_FIXERS: Final = (_meant,)

COLUMN = Caution(
    id="printer-column-dead-path",
    summary="Printer column of a field that the schema does not have",
    why="The API server drops fields that the schema does not have, so `kubectl get` always shows an empty column.",
    bad=_column(".status.Phase"),
    good=_column(".status.phase"),
    help="Correct the `jsonPath`, add the field to the schema, or remove the column",
    scope="version",
    marker="correct the `JSONPath` of `+kubebuilder:printcolumn`",
    fixes=_FIXERS,
)
SCALE = Caution(
    id="scale-path-dead",
    summary="Scale path to a field that the schema does not have",
    why="`kubectl scale` and autoscalers read and write the fields of these paths. They fail if the schema does not have "
    "such a field, or has it with another type.",
    bad=_scale(".spec.replica"),
    good=_scale(".spec.replicas"),
    help="Correct the path, or add the field to the schema: integers for replicas, a string for the label selector",
    scope="version",
    marker="correct `+kubebuilder:subresource:scale`",
    fixes=_FIXERS,
)


@COLUMN.practice
def dead_paths(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the paths of columns and of the scale subresource that lead to no field, or to one of a wrong type.

    Those that several versions share are one finding.
    """
    by_message: dict[str, list[Advisory]] = {}
    for parts in () if crd.spec.preserve_unknown_fields else version_parts(crd.spec):
        if parts.schema is not None:
            for advisory in (*_columns(parts, parts.schema), *_scale_paths(parts, parts.schema)):
                by_message.setdefault(advisory.message, []).append(advisory)
    for shared in by_message.values():
        yield from once(shared)


def _columns(parts: VersionParts, schema: JSONSchemaProps) -> Iterator[Advisory]:
    columns_path = parts.path.child("additionalPrinterColumns")
    for i, column in enumerate(parts.columns):
        target = follow(column.json_path, schema)
        if isinstance(target, Missing):
            message = f"the column {column.name} is always empty: {_reason(target)}"
            yield Advisory(message, columns_path.index(i).child("jsonPath"), *_help(target, column.json_path))


def _scale_paths(parts: VersionParts, schema: JSONSchemaProps) -> Iterator[Advisory]:
    scale = parts.subresources.scale if parts.subresources is not None else None
    if scale is None:
        return
    scale_path = parts.path.child("subresources", "scale")
    for name, text, parents, type_, consequence in (
        ("specReplicasPath", scale.spec_replicas_path, (".spec.",), "integer", _FAILS),
        ("statusReplicasPath", scale.status_replicas_path, (".status.",), "integer", _FAILS),
        ("labelSelectorPath", scale.label_selector_path or "", (".spec.", ".status."), "string", _HPA_FAILS),
    ):
        if not text.startswith(parents):
            continue  # which the server rejects
        target = follow(text, schema)
        if isinstance(target, Missing):
            message = f"{consequence}: {_reason(target)}"
            yield Advisory(message, scale_path.child(name), *_help(target, text), rule=SCALE.id)
        elif target is not None and target.type and target.type != type_:
            message = f"{consequence}: `{text}` is of type {target.type}, not {type_}"
            yield Advisory(message, scale_path.child(name), f"Set `{name}` to a field of type {type_}", rule=SCALE.id)


def _reason(missing: Missing) -> str:
    if not missing.name:
        return f"`{missing.before}` is a list, which has no fields"
    return f"`{missing.path}` is not in the schema"


def _help(missing: Missing, text: str) -> tuple[str | None, None, str | None]:
    """Return the help of an advisory, no part to point at, and the path that was meant if one is close."""
    if not missing.name:
        return f"Write `{missing.before}[*]{text[len(missing.before) :]}` for all items, or remove the path", None, None
    near = nearest(missing.name, missing.schema.properties, _LIKE)
    if near is None:
        return None, None, None
    meant = f"{missing.before}.{near}{text[len(missing.path) :]}"
    return f"Write `{meant}`, or add `{missing.name}` to the schema", None, meant


@Caution(
    id="printer-column-unparsed",
    summary="Printer column whose path the API server cannot parse",
    why="The API server accepts such a CRD, but `kubectl get` shows neither the column nor those after it.",
    bad=_column("'.status.phases[0'"),
    good=_column(".status.phase"),
    help="Correct the syntax of the `jsonPath`, such as `.status.phases[0].name`",
    scope="version",
    marker="correct the `JSONPath` of `+kubebuilder:printcolumn`",
).practice
def unparsed_columns(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the first column of each version whose path the server cannot parse."""
    for parts in version_parts(crd.spec):
        for i, column in enumerate(parts.columns):
            error = syntax_error(column.json_path)
            if error is not None:
                dropped = "this column and all after it" if i else "all columns"
                message = f"`{column.json_path}` cannot be parsed ({error}): the API server discards {dropped}"
                yield Advisory(message, parts.path.child("additionalPrinterColumns").index(i).child("jsonPath"))
                break
