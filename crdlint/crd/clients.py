"""What a client reports about a manifest before it sends it: kubectl, and Helm, which has the same libraries.

Upstream: cli-runtime pkg/resource (metadata_decoder.go, mapper.go, visitor.go), apimachinery pkg/util/yaml/decoder.go.
"""

from __future__ import annotations

from copy import copy
from typing import Final

from crdlint.crd.decode import is_null
from crdlint.crd.decode_errors import DecodeProblem, decode, is_beyond_float64
from crdlint.crd.errors import APPLY_REJECTED
from crdlint.crd.gotypes import OBJECT_META, STRING, GoField, GoType
from crdlint.crd.kubenames import is_path_segment
from crdlint.crd.record import Record
from crdlint.golang.json_syntax import syntax_error
from crdlint.golang.text import quote
from crdlint.yaml.json_values import entries
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, child, is_json, nodes_of
from crdlint.yaml.resolve import resolve

# The struct into which a client decodes the metadata of an object.
_METADATA_ONLY: Final = GoType(
    "struct",
    "resource.metadataOnlyObject",
    record=type("metadataOnlyObject", (Record,), {}),
    fields={
        "apiVersion": GoField("", STRING),
        "kind": GoField("", STRING),
        "metadata": GoField("", OBJECT_META),
    },
)


def client_problem(root: Node, file: str, *, by_name: bool = False) -> DecodeProblem | None:
    """Return the problem because of which a client does not send an object of a file, None without one.

    One that sends objects `by_name` puts the name into the URL of its request.
    """
    number = _too_large_number(root) if is_json(root) else None
    if number is not None:
        reason = f"json: cannot unmarshal number {number.value} into Go value of type float64"
        return DecodeProblem(
            "decode",
            _invalid(file, reason),
            number,
            number,
            json_type="number",
            go_type="float64",
        )
    error = decode(_METADATA_ONLY, root).saved
    if error is None:
        return _name_problem(root) if by_name else None
    problem = error.problem()
    return problem._replace(message=f"unable to decode {quote(source_of(file))}: {problem.message}")


def _name_problem(root: Node) -> DecodeProblem | None:
    """Return the problem that an object has no name by which a request can be made, None if it has one.

    Upstream: kubectl pkg/cmd/apply (applyOneObject), client-go rest (Request.Name).
    """
    name, generated = (_text(child(root, "metadata", key)) for key in ("name", "generateName"))
    reasons = is_path_segment(name, False) if name else []
    if name and not reasons:
        return None
    message = "resource name may not be empty"
    if reasons:
        message = f"invalid resource name {quote(name)}: [{' '.join(reasons)}]"
    elif generated:
        message = f"from {generated}: cannot use generate name with apply"
    metadata = child(root, "metadata") or root
    return DecodeProblem(
        "decode",
        message,
        metadata,
        metadata,
        rule=APPLY_REJECTED,
    )


def without_nulls(root: Node) -> Node:
    """Return a document as client-side apply sends a new object: without fields that are null; null items of lists stay.

    What is not null remains at its position. Raise YAMLDecodeError for a key that JSON does not allow.
    Upstream: kubectl pkg/cmd/apply (pruneNullsFromMap).
    """
    collections = [node for node in nodes_of(root) if isinstance(node, (Mapping, Sequence))]
    if not any(map(_has_null, collections)):
        return root
    copies: dict[int, Mapping | Sequence] = {id(node): copy(node) for node in collections}
    for copied in list(copies.values()):
        if isinstance(copied, Mapping):
            _drop_nulls(copied)
        copied.items = [copies.get(id(item), item) for item in copied.items]
    return copies[id(root)]


def _has_null(node: Mapping | Sequence) -> bool:
    return isinstance(node, Mapping) and any(is_null(value) for _, value in node.pairs())


def _drop_nulls(mapping: Mapping) -> None:
    """Delete the fields of a mapping that are null, in place; it is simple afterwards."""
    rest = [entry for entry in entries(mapping) if not is_null(entry[2])]
    names = tuple(name for name, _, _ in rest)
    pairs = [node for _, key, value in rest for node in (key, value)]
    mapping.replace(names, pairs)


def _text(node: Node | None) -> str:
    value = resolve(node) if isinstance(node, Scalar) else None
    return value if isinstance(value, str) else ""


def type_problem(root: Mapping, file: str) -> str:
    """Return a client's error for an object without a group, version and kind, empty for others.

    Upstream: kubectl pkg/validation/validation.go (getObjectKind).
    """
    reasons = [
        reason for name in ("apiVersion", "kind") if (reason := _no_text(child(root, name), name))
    ]
    if not reasons:
        return ""
    return _invalid(file, reasons[0] if len(reasons) == 1 else f"[{', '.join(reasons)}]")


def _no_text(node: Node | None, name: str) -> str:
    value = resolve(node) if isinstance(node, Scalar) else node
    if value is None:
        return f"{name} not set"
    return "" if isinstance(value, str) else f"{name} isn't string type"


def _invalid(file: str, reason: str) -> str:
    """Return the error of a client that validates an object before it sends it."""
    hint = "if you choose to ignore these errors, turn validation off with --validate=false"
    return f"error validating {quote(source_of(file))}: error validating data: {reason}; {hint}"


def _too_large_number(root: Node) -> Scalar | None:
    """Return the first number of a JSON document that is no float64, which is read as a text."""
    pending: list[Node] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping):
            pending.extend(value for _, value in reversed(list(node.pairs())))
        elif isinstance(node, Sequence):
            pending.extend(reversed(node.items))
        elif (
            isinstance(node, Scalar)
            and not node.style
            and is_beyond_float64(node.value, resolve(node))
        ):
            return node
    return None


def parse_error(message: str, text: str, file: str) -> str:
    """Return a client's words for a YAML syntax error in a document of a file; text that begins as JSON has another error."""
    error = syntax_error(text) if text.lstrip(_SPACE).startswith("{") else None
    if error is None:
        reason = f"error converting YAML to JSON: {message}"
    elif error.offset is None:
        reason = error.text
    else:
        reason = f"json: offset {error.offset}: {error.text}"
    return f"error parsing {source_of(file)}: {reason}"


def source_of(file: str) -> str:
    """Return a file as a client names it in errors."""
    return "STDIN" if file in {"-", "<stdin>"} else file


_SPACE: Final = " \t\r\n"
