"""Advice: a CRD too large for `kubectl apply` to remember in an annotation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from crdlint.crd.object_meta import ANNOTATIONS_LIMIT
from crdlint.crd.paths import Path
from crdlint.golang.values import marshal
from crdlint.rules.registry import Remark, Rule
from crdlint.schema.traversal import schemas, whole_schemas
from crdlint.yaml.values import to_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.crd.model import CustomResourceDefinitionSpec
    from crdlint.yaml.nodes import Mapping

TOO_LARGE = Rule(
    id="too-large-to-apply",
    summary="A CRD that client-side `kubectl apply` cannot store.",
    why="It keeps the whole object in the annotation kubectl.kubernetes.io/last-applied-configuration, and annotations may "
    f"take {ANNOTATIONS_LIMIT} bytes in all: the API server then says `metadata.annotations: Too long`.",
    bad="type: object\ndescription: " + "x" * ANNOTATIONS_LIMIT + "\n",
    good="type: object\n",
    help="use `kubectl apply --server-side`, or generate the CRD without descriptions (controller-gen crd:maxDescLen=0)",
    severity="info",
    origin="crdlint",
)

RULES = (TOO_LARGE,)

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def remarks(root: Mapping, text: str, spec: CustomResourceDefinitionSpec) -> Iterator[Remark]:
    """Yield that the annotation would be too long; ``text`` is the document's."""
    size = _size(root, text)
    if size > ANNOTATIONS_LIMIT:
        message = (
            f"about {_kibibytes(size)} of JSON, more than the {_kibibytes(ANNOTATIONS_LIMIT)} that `kubectl apply` can store "
            "in an annotation"
        )
        yield Remark("advice", TOO_LARGE.id, message, Path("metadata"), help=_help(spec, size))


def _help(spec: CustomResourceDefinitionSpec, size: int) -> str:
    """Return the ways out; descriptions are one where what remains without them is small enough."""
    described = sum(len(schema.description) for whole in whole_schemas(spec) for schema in schemas(whole))
    apply = "use `kubectl apply --server-side`"
    if size - described > ANNOTATIONS_LIMIT:
        return f"{apply}: without its descriptions ({described / size:.0%}) it would be too large, too"
    return f"{apply}, or leave out its descriptions, {described / size:.0%} of it (controller-gen crd:maxDescLen=0)"


def _kibibytes(size: int) -> str:
    return f"{size // 1024:,} KiB"


def _size(root: Mapping, text: str) -> int:
    """Return the bytes of a document's compact JSON: as good as the text tells where that leaves no doubt."""
    if len(text) < _SURELY_NOT * ANNOTATIONS_LIMIT:
        return len(text)
    written = len(text) - text.count(" ") - text.count("\n")  # white space is what JSON does without
    if written > _SURELY * ANNOTATIONS_LIMIT:
        return int(written * _JSON_ADDS)
    return _json_size(to_json(root)) + 1 + len(_LAST_APPLIED)  # kubectl ends it with a line break


def _json_size(value: Any) -> int:
    """Return the bytes of a value's compact JSON, as Go writes it: with three characters of HTML escaped."""
    try:
        compact = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    except RecursionError:  # Python's goes no deeper than its own calls
        compact = marshal(value)
    else:
        compact += "12345" * sum(map(compact.count, "<>&"))
    return len(compact.encode("utf-8", "surrogatepass"))


# What JSON writes besides, the blanks of descriptions above all: 1.26 times on average of 71 large CRDs of real projects.
_JSON_ADDS = 1.26
# Times the limit. JSON has quotes, commas and the blanks of descriptions besides what is written, and no indentation.
_SURELY = 1.02
_SURELY_NOT = 0.9
