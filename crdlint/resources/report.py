"""Texts in, a report on a resource out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crdlint.crd.convert import read_crd
from crdlint.crd.decode_values import Reader, is_json, reader_json
from crdlint.crd.positions import Locator
from crdlint.diagnostics import Diagnostic
from crdlint.resources.validation import NotDecodedError, ResourceValidator
from crdlint.yaml.errors import YAMLDecodeError
from crdlint.yaml.nodes import Mapping
from crdlint.yaml.parse import parse_first

if TYPE_CHECKING:
    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import CustomResourceDefinition
    from crdlint.resources.validation import Outcome
    from crdlint.yaml.nodes import Node


@dataclass(frozen=True, slots=True)
class ResourceReport:
    """What the server says of a resource.

    ``errors`` are in its order, ``unknown_fields`` the paths of fields it prunes, sorted, ``resource`` the object pruned
    and defaulted, as JSON values, ``cel_cost`` the cost units that rules took: None where none ran.
    """

    errors: list[Diagnostic]
    unknown_fields: list[str]
    resource: dict[str, Any]
    cel_cost: int | None


def read_resource(root: Node) -> dict[str, Any]:
    """Return an object as the server holds it: integers and floats told apart; raises `YAMLDecodeError`."""
    if not isinstance(root, Mapping):
        raise YAMLDecodeError("the document is no object", root)
    value: dict[str, Any] = reader_json(Reader(json=is_json(root)), root, 1)
    return value


def version_of(crd: CustomResourceDefinition, resource: dict[str, Any]) -> str:
    """Return the version that a resource is of, that of the CRD which is stored where it has no such."""
    wanted = str(resource.get("apiVersion", "")).rpartition("/")[2]
    names = [version.name for version in crd.spec.versions]
    if wanted in names:
        return wanted
    return next((one.name for one in crd.spec.versions if one.storage), names[0] if names else wanted)


def report(crd_text: str, resource_text: str, old_text: str | None, *, filename: str = "<stdin>") -> ResourceReport:
    """Judge the resource of a text by the CRD of another, as an update where there is an old one."""
    root = _root(resource_text)
    resource = read_resource(root)
    crd = read_crd(_root(crd_text), stored=True).crd
    validator = ResourceValidator(crd, version_of(crd, resource))
    try:
        outcome = (
            validator.create(resource)
            if old_text is None
            else validator.update(resource, read_resource(_root(old_text)))
        )
    except NotDecodedError as error:
        return ResourceReport([_refused(str(error), filename)], [], resource, None)
    locator = Locator(root, 0, resource_text)
    return ResourceReport(
        diagnostics(outcome, locator, filename), list(outcome.unknown), outcome.resource, outcome.cel_cost
    )


def diagnostics(outcome: Outcome, locator: Locator, filename: str) -> list[Diagnostic]:
    """Return the errors of a resource where they stand in its file, none twice."""
    seen: set[str] = set()
    found = []
    for error in outcome.errors:
        message = str(error)
        if message not in seen:
            seen.add(message)
            found.append(_diagnostic(error, message, locator, filename))
    return found


def _diagnostic(error: FieldError, message: str, locator: Locator, filename: str) -> Diagnostic:
    span = locator.span_of_text(str(error.path))
    return Diagnostic(
        origin="apiserver",
        kind="field",
        rule=error.rule,
        severity="error",
        message=message,
        error_type=error.type,
        field=str(error.path),
        detail=error.detail,
        file=filename,
        line=span.line,
        column=span.column,
        end_line=span.end_line,
        end_column=span.end_column,
        help=error.help,
    )


def _refused(message: str, filename: str) -> Diagnostic:
    return Diagnostic("apiserver", "decode", "resource-decode", "error", message, detail=message, file=filename)


def _root(text: str) -> Node:
    document = parse_first(text)
    if document.error is not None:
        raise YAMLDecodeError(document.error.message)
    if document.root is None:
        raise YAMLDecodeError("the document is empty")
    return document.root
