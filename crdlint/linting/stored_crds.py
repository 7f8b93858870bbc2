"""The CRDs of a text as the API server stores them, for the validation of updates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from crdlint.crd.convert import assume_established, read_crd
from crdlint.crd.identity import Identity, is_partial
from crdlint.crd.paths import Path
from crdlint.crd.positions import Locator, node_span
from crdlint.files.recognition import KIND, names_crd
from crdlint.linting.documents import manifests, read_documents
from crdlint.linting.result import CollectedCRDs, OldCRD, UnreadDocument
from crdlint.yaml.parse import Document, collector_paused

if TYPE_CHECKING:
    from crdlint.yaml.nodes import Mapping

_NAME: Final = Path("metadata").child("name")


def collect_crds(text: str, file: str = "") -> CollectedCRDs:
    """Return the CRDs of a text as the API server stores them: established, unless their status contradicts that.

    `file` is the name of the text for messages.
    """
    crds: dict[str, OldCRD] = {}
    unread: list[UnreadDocument] = []

    def read(document: Document) -> None:
        for root, identity in manifests(document):
            unread.extend(_collect(root, identity, document, crds, file))

    with collector_paused():
        for document, line, column, reason in read_documents(text, read):
            if column is None:
                unread.append(UnreadDocument(line, document.text, reason))
            elif names_crd(document.text.encode("utf-8", "replace")):  # it may contain a CRD
                template = document.line_of("{{")
                unread.append(
                    UnreadDocument(line, document.text, reason)
                    if template is None
                    else UnreadDocument(template, document.text, "a template", "template")
                )
    return CollectedCRDs(crds, tuple(unread))


def _collect(
    root: Mapping, identity: Identity, document: Document, crds: dict[str, OldCRD], file: str
) -> Iterator[UnreadDocument]:
    """Add an object to `crds` if it is a CRD; yield a CRD that cannot be decoded."""
    if identity.form not in {"crd", "unserved"}:
        return
    offset = document.line_offset
    if identity.error is not None:
        if identity.kind != KIND:
            return  # such as a test suite, which has the apiVersion of a CRD
        line = node_span(identity.node or root, offset).line
        cause: Final = "unserved version" if identity.form == "unserved" else "broken"
        yield UnreadDocument(line, document.text, identity.error, cause)
        return
    if is_partial(root):
        return
    decoded = read_crd(root, stored=True)
    rejection = next((problem for problem in decoded.problems if problem.kind == "decode"), None)
    if rejection is not None:
        yield UnreadDocument(node_span(rejection.node, offset).line, document.text, rejection.message)
        return
    crd = decoded.crd
    assume_established(crd)
    locator = Locator(root, offset, document.text)
    problems = frozenset(problem.message for problem in decoded.problems)
    crds.setdefault(crd.metadata.name, OldCRD(crd, locator, locator.span(_NAME), file, problems))
