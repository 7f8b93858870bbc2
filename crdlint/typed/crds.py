"""What server-side apply says of a CRD before it validates it, in the server's order.

Upstream: apiserver pkg/endpoints/handlers/patch.go (applyPatcher), apimachinery pkg/util/managedfields/internal
(structuredMergeManager.Apply) and pkg/runtime/converter.go (FromUnstructured).
"""

from __future__ import annotations

from typing import Any, Final

from crdlint.crd.convert import prepared
from crdlint.crd.decode import Decoded, Reader, decode_applied, reader_json
from crdlint.crd.decode_errors import DecodeProblem, DecodeState, decode
from crdlint.crd.gotypes import CRD
from crdlint.crd.positions import Locator
from crdlint.files.recognition import GROUP, KIND
from crdlint.kubernetes.servers import NEWEST, Server
from crdlint.typed.builtin import type_of_crds
from crdlint.typed.check import TypedError, check, joined
from crdlint.typed.conversion import conversion_errors
from crdlint.typed.metadata import (
    MANAGED_FIELDS,
    conflict_of_uid,
    has_managed_fields,
    name_problem,
    named,
    version_problem,
)
from crdlint.yaml.nodes import Node, child

_TYPE: Final = f"{GROUP}/v1, Kind={KIND}"


_RESOURCE: Final = f"customresourcedefinitions.{GROUP}"


def read_applied_crd(root: Node, *, stored: bool = False, server: Server = NEWEST) -> Decoded:
    """Return a CRD as server-side apply reads it, with the problems for which it rejects the CRD unvalidated.

    Raise YAMLDecodeError for a document that cannot be converted to JSON.
    """
    value = reader_json(Reader(json=False), root, 1)
    lax = decode(CRD, root, server, goes_on=True)
    stages = [
        _problem(root, "name", name_problem(value)),
        _problem(root, "managedFields", MANAGED_FIELDS if has_managed_fields(value) else ""),
        _typed(value, root, lax, server),
        _conversion(value, root, server),
        _problem(root, "uid", conflict_of_uid(value, _RESOURCE)),
        _problem(root, "resourceVersion", version_problem(value)),
    ]
    reported = next(filter(None, stages), [])
    first = [problem for problem in reported if problem.whole] or reported[:1]
    later = [problem for stage in stages for problem in stage if problem not in first]
    decoded = Decoded(decode_applied(root, server), tuple(first), tuple(later), tuple(lax.ignored.values()))
    return prepared(decoded, stored=stored, server=server)


def _problem(root: Node, field: str, message: str) -> list[DecodeProblem]:
    """Return the problem of a field of the metadata, none without a message."""
    if not message:
        return []
    node = child(root, "metadata", field) or root
    return [DecodeProblem("decode", message, node, node)]


def _typed(value: dict[str, Any], root: Node, lax: DecodeState, server: Server) -> list[DecodeProblem]:
    """Return the problems of the typed check; `whole` is the message with all that are not hidden."""
    errors = check(value, type_of_crds(server), server)
    start = f"failed to create typed patch object ({named(value)}; {_TYPE}): "
    whole = start + joined(errors)
    strict = {id(problem.node): problem for problem in lax.strict_errors.values()}
    locator = Locator(root)
    return [_typed_problem(error, start, whole, locator, strict) for error in errors]


def _typed_problem(
    error: TypedError, start: str, whole: str, locator: Locator, strict: dict[int, DecodeProblem]
) -> DecodeProblem:
    """Return the problem of a typed error; that of an unknown field has the help of its strict error."""
    location = None if error.path is None else locator.find(error.path)
    node = locator.root if location is None else location.node
    key = node if location is None else location.key or node
    message, all_errors = f"{start}{error}", "" if error.hidden else whole
    unknown = strict.get(id(key)) if error.is_unknown_field else None
    if unknown is not None:
        return unknown._replace(kind="decode", message=message, whole=all_errors)
    return DecodeProblem("decode", message, key, node, whole=all_errors)


def _conversion(value: dict[str, Any], root: Node, server: Server) -> list[DecodeProblem]:
    """Return the problems of converting JSON values to Go's types, which only few types have after the typed check."""
    start = f"failed to convert new object ({named(value)}; {_TYPE}) to proper version: "
    start += f"unable to convert unstructured object to {_TYPE}: "
    return [error.problem()._replace(message=start + error.text) for error in conversion_errors(root, server)]
