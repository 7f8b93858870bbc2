"""The CRDs of an old file. Templates of charts are read with their directives masked, as they are without Helm."""

from __future__ import annotations

from dataclasses import replace

from crdlint.linting.result import CollectedCRDs, UnreadDocument
from crdlint.linting.stored_crds import collect_crds


def collect(text: str) -> CollectedCRDs:
    """Return the CRDs of a text; a document that only Helm can render contains none."""
    found = collect_crds(text)
    if not any(one.cause == "template" for one in found.unread):
        return found
    from crdlint.inputs.helm.analysis import analyse
    from crdlint.inputs.helm.masking import mask

    masked = mask(text)
    if masked.broken is not None:
        return found
    analysis = analyse(masked)
    readable = collect_crds(analysis.text)
    lines = text.split("\n")
    unread = [
        UnreadDocument(one.line, "\n".join(lines[one.part.start - 1 : one.part.end - 1]), one.reason, "template")
        for one in analysis.skipped
    ]
    unread += [replace(one, cause="template") for one in readable.unread]
    return CollectedCRDs(readable.by_name, tuple(unread))
