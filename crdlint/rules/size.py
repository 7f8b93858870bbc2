"""Advice: a CRD too large for `kubectl apply` to remember in an annotation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from crdlint.crd.object_meta import ANNOTATIONS_LIMIT
from crdlint.crd.paths import Path
from crdlint.golang.values import marshal
from crdlint.rules.registry import Remark, Rule
from crdlint.yaml.values import to_json

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def remarks(root: Mapping, text: str) -> Iterator[Remark]:
    """Yield that the annotation would be too long; ``text`` is the document's."""
    if _is_too_large(root, text):
        message = f"more than the {ANNOTATIONS_LIMIT} bytes that `kubectl apply` can store in an annotation"
        yield Remark("advice", TOO_LARGE.id, message, Path("metadata"))


def _is_too_large(root: Mapping, text: str) -> bool:
    """Tell whether the compact JSON of a document is too long, looking closely only where the text leaves a doubt."""
    if len(text) < _SURELY_NOT * ANNOTATIONS_LIMIT:
        return False
    written = len(text) - text.count(" ") - text.count("\n")  # white space is what JSON does without
    if written > _SURELY * ANNOTATIONS_LIMIT:
        return True
    return _json_size(to_json(root)) + 1 + len(_LAST_APPLIED) > ANNOTATIONS_LIMIT  # kubectl ends it with a line break


def _json_size(value: Any) -> int:
    """Return the bytes of a value's compact JSON, as Go writes it: with three characters of HTML escaped."""
    try:
        compact = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    except RecursionError:  # Python's goes no deeper than its own calls
        compact = marshal(value)
    else:
        compact += "12345" * sum(map(compact.count, "<>&"))
    return len(compact.encode("utf-8", "surrogatepass"))


# Times the limit. JSON has quotes, commas and the blanks of descriptions besides what is written, and no indentation.
_SURELY = 1.02
_SURELY_NOT = 0.9
