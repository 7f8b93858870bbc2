"""What server-side apply reports about a CRD before it validates it, in the server's order.

Upstream: apiserver pkg/endpoints/handlers/patch.go (applyPatcher), apimachinery pkg/util/managedfields/internal
(structuredMergeManager.Apply) and pkg/runtime/converter.go (FromUnstructured).
"""

from __future__ import annotations

from typing import Any, Final

from crdlint.crd.convert import prepared
from crdlint.crd.decode import Decoded, Reader, decode_applied, reader_json
from crdlint.crd.decode_errors import DecodeProblem, DecodeState, decode
from crdlint.crd.errors import APPLY_REJECTED, RULE_DUPLICATE
from crdlint.crd.gotypes import CRD
from crdlint.crd.identity import json_type_of
from crdlint.crd.paths import Path
from crdlint.crd.positions import Locator
from crdlint.files.recognition import GROUP, KIND
from crdlint.kubernetes.servers import NEWEST, Server
from crdlint.light import NamedTuple
from crdlint.typed.builtin import type_of_crds
from crdlint.typed.conversion import conversion_errors
from crdlint.typed.metadata import (
    MANAGED_FIELDS,
    conflict_of_uid,
    has_managed_fields,
    name_problem,
    named,
    text_of,
    version_problem,
)
from crdlint.typed.walker import TypedError, check, joined
from crdlint.yaml.nodes import Node, Scalar, child
from crdlint.yaml.nodes import text_of as node_text

_TYPE: Final = f"{GROUP}/v1, Kind={KIND}"


class AppliedProblem(NamedTuple):
    """A problem for which server-side apply rejects a CRD that create accepts: its path, the message, and what is wrong."""

    path: Path | None
    message: str
    summary: str
    is_of_rule: bool = False


def applied_problems(root: Node, server: Server) -> list[AppliedProblem]:
    """Return the problems for which a server rejects a CRD on server-side apply, if it accepts the CRD on create.

    A uid and managed fields of a copy from a cluster are none, because create rejects its resource version.
    """
    value = reader_json(Reader(json=False), root, 1)
    start = f"failed to create typed patch object ({named(value)}; {_TYPE}): "
    errors = check(value, type_of_crds(server), server)
    problems = [
        AppliedProblem(
            e.path,
            f"{start}{e}",
            headline_of(e, root),
            is_of_rule(e),
        )
        for e in errors
    ]
    if text_of(value, "resourceVersion"):
        return problems
    for field, message in (
        ("managedFields", MANAGED_FIELDS if has_managed_fields(value) else ""),
        ("uid", conflict_of_uid(value, _RESOURCE)),
    ):
        if message:
            summary = f"`metadata.{field}` must not be set"
            problems.append(AppliedProblem(Path("metadata").child(field), message, summary))
    return problems


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
    first = [
        problem for problem in reported if problem.full_message or problem.is_contained
    ] or reported[:1]
    later = [problem for stage in stages for problem in stage if problem not in first]
    decoded = Decoded(
        decode_applied(root, server),
        tuple(first),
        tuple(later),
        tuple(lax.ignored.values()),
    )
    return prepared(decoded, stored=stored, server=server)


def _problem(root: Node, field: str, message: str) -> list[DecodeProblem]:
    """Return the problem of a field of the metadata, none without a message."""
    if not message:
        return []
    node = child(root, "metadata", field) or root
    return [DecodeProblem("decode", message, node, node, rule=APPLY_REJECTED)]


def _typed(
    value: dict[str, Any],
    root: Node,
    lax: DecodeState,
    server: Server,
) -> list[DecodeProblem]:
    """Return the problems of the typed check: the first has the message with all that are not hidden."""
    errors = check(value, type_of_crds(server), server)
    start = f"failed to create typed patch object ({named(value)}; {_TYPE}): "
    full_message = start + joined(errors)
    strict = {id(problem.node): problem for problem in lax.strict_errors.values()}
    locator = Locator(root)
    problems = [_typed_problem(error, start, locator, strict) for error in errors]
    problems[:1] = [
        first._replace(full_message=full_message, is_contained=False) for first in problems[:1]
    ]
    return problems


def _typed_problem(
    error: TypedError,
    start: str,
    locator: Locator,
    strict: dict[int, DecodeProblem],
) -> DecodeProblem:
    """Return the problem of a typed error; that of an unknown field has the help of its strict error."""
    location = None if error.path is None else locator.find(error.path)
    node = locator.root if location is None else location.node
    key = node if location is None else location.key or node
    message = f"{start}{error}"
    unknown = strict.get(id(key)) if error.expected == "nothing" else None
    if unknown is not None:
        return unknown._replace(
            kind="decode",
            message=message,
            is_contained=not error.hidden,
        )
    if is_of_rule(error):
        node = key = child(node, "rule") or node
    reported_node = node if isinstance(node, Scalar) else key
    problem = DecodeProblem(
        "decode",
        message,
        reported_node,
        node,
        is_contained=not error.hidden,
    )
    if error.expected:
        json_type, go_type = json_type_of(node), _GO_TYPES[error.expected]
        return problem._replace(
            json_type=json_type,
            go_type=go_type,
            field=error.printed[1:],
        )
    return problem._replace(rule=_rule_of(error), headline=headline_of(error, locator.root))


# Go types by which helps and headlines name what was expected; these name only the kind of a collection.
_GO_TYPES: Final = {
    "string": "string",
    "numeric": "float64",
    "boolean": "bool",
    "untyped": "string",
    "list": "[]",
    "map": "map",
    "nothing": "map",
}
_RULES: Final = "x-kubernetes-validations"


def _rule_of(error: TypedError) -> str:
    return RULE_DUPLICATE if is_of_rule(error) else APPLY_REJECTED


def is_of_rule(error: TypedError) -> bool:
    """Return whether an error is about a rule of x-kubernetes-validations that is repeated."""
    return (
        error.path is not None
        and error.path.parent is not None
        and error.path.parent.step == _RULES
    )


def headline_of(error: TypedError, root: Node) -> str:
    """Return what is wrong with a repeated or unidentified item, with the name of the rule or field."""
    if error.path is None or not is_of_rule(error):
        return f"`{error.printed[1:]}` {error.reason or error.text}"
    steps = (step if isinstance(step, int) else str(step) for step in error.path.steps())
    return f"repeated rule `{node_text(child(root, *steps, 'rule'))}`"


def _conversion(value: dict[str, Any], root: Node, server: Server) -> list[DecodeProblem]:
    """Return the problems of converting JSON values to Go's types, which only few types have after the typed check."""
    start = f"failed to convert new object ({named(value)}; {_TYPE}) to proper version: "
    start += f"unable to convert unstructured object to {_TYPE}: "
    return [
        error.problem()._replace(message=start + error.text)
        for error in conversion_errors(root, server)
    ]
