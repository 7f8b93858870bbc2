"""Advice: a CRD too large for `kubectl apply` to remember in an annotation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.object_meta import ANNOTATIONS_LIMIT
from crdlint.crd.paths import Path
from crdlint.golang.values import marshal
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.rule import Hint
from crdlint.safety.bugs import attempt
from crdlint.yaml.values import to_json

if TYPE_CHECKING:
    from crdlint.yaml.nodes import Mapping

# The annotation's name and the line break at its end.
_ADDED: Final = len("kubectl.kubernetes.io/last-applied-configuration") + 1
_SHOWN: Final = 3  # descriptions
_WORTH_A_WORD: Final = 200  # characters of a description
_ETCD_LIMIT: Final = 1536 * 1024  # bytes of a request (--max-request-bytes)


@Hint(
    id="too-large-to-apply",
    summary="CRD is too large for client-side `kubectl apply`",
    why="Client-side apply stores the whole object in the annotation kubectl.kubernetes.io/last-applied-configuration. "
    f"The API server rejects more than {ANNOTATIONS_LIMIT} bytes of annotations with `metadata.annotations: Too long`.",
    bad="type: object\ndescription: " + "x" * ANNOTATIONS_LIMIT + "\n",
    good="type: object",
    scope="schema",
    help="Use `kubectl apply --server-side`, or generate the CRD without descriptions (controller-gen `crd:maxDescLen=0`)",
).advice
def _too_large(crd: DecodedCRD) -> Iterator[Advisory]:
    size = _size(crd.root, crd.text)
    if size > ANNOTATIONS_LIMIT:
        message = (
            f"about {_kibibytes(size)} of JSON, more than the {_kibibytes(ANNOTATIONS_LIMIT)} that `kubectl apply` can store "
            "in an annotation"
        )
        if size > _ETCD_LIMIT:
            message += f"; etcd rejects requests of more than {_kibibytes(_ETCD_LIMIT)} by default"
        yield Advisory(message, Path("metadata"), help=attempt(_help, crd, size))


def _help(crd: DecodedCRD, size: int) -> str:
    """Return the help; removing descriptions is part of it if the remaining size is small enough."""
    described = _copies(crd) * sum(len(schema.description) for schema in crd.schemas)
    share = f"{described / size:.0%}"
    apply = "Use `kubectl apply --server-side`"
    if size - described <= ANNOTATIONS_LIMIT:
        return f"{apply}, or remove the descriptions (controller-gen `crd:maxDescLen=0`): {share} of the CRD{_largest(crd)}"
    return apply if share == "0%" else f"{apply}: the CRD is too large even without its descriptions ({share} of it)"


def _copies(crd: DecodedCRD) -> int:
    """Return how often the manifest has each schema: once for each version if all versions share it."""
    return 1 if crd.spec.validation is None else len(crd.spec.versions)


def _largest(crd: DecodedCRD) -> str:
    """Return the largest descriptions, with the bytes that removing each of them saves."""
    from crdlint.kubecel.cost.explain import value_path

    times = _copies(crd)
    largest = sorted(crd.schemas, key=lambda schema: len(schema.description), reverse=True)[:_SHOWN]
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
    written = len(text) - 2 * text.count("  ")  # JSON has no indentation, and adds quotes and braces to most lines
    about = written + 2 * lines
    if about > _SURELY * ANNOTATIONS_LIMIT:
        return about
    most = written + 4 * lines + 2 * text.count(",")
    if most < _SURELY_NOT * ANNOTATIONS_LIMIT and not _ANCHOR.search(text):
        return most
    return _json_size(to_json(root)) + _ADDED


def _json_size(value: Any) -> int:
    """Return the bytes of a value's compact JSON, as Go writes it: with three characters of HTML escaped."""
    try:
        from json import dumps  # most CRDs are far from the limits

        compact = dumps(value, separators=(",", ":"), ensure_ascii=False)
    except RecursionError:  # Python's goes no deeper than its own calls
        compact = marshal(value)
    else:
        compact += "12345" * sum(map(compact.count, "<>&"))
    return len(compact.encode("utf-8", "surrogatepass"))


# Times the limit: a text may have comments, and characters that JSON escapes.
_SURELY: Final = 1.15
_SURELY_NOT: Final = 0.95
_ANCHOR: Final = re.compile(r"&(?<=[\s\[{,]&)[^\s&]")
