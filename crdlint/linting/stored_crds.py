"""The CRDs of a text as the API server stores them, for the validation of updates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.crd.convert import assume_established, read_crd
from crdlint.crd.identity import is_partial
from crdlint.crd.paths import Path
from crdlint.crd.positions import Locator, node_span, problem_span
from crdlint.files.recognition import KIND, names_crd
from crdlint.linting.documents import manifests
from crdlint.linting.result import CollectedCRDs, OldCRD, UnreadDocument
from crdlint.safety.bugs import contain
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.parse import Document, collector_paused, iter_documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.crd.identity import Identity
    from crdlint.yaml.nodes import Mapping

_NAME: Final = Path("metadata").child("name")


def collect_crds(text: str, file: str = "") -> CollectedCRDs:
    """Return the CRDs of a text as the API server stores them: established, unless their status contradicts that.

    `file` is the name of the text for messages.
    """
    crds: dict[str, OldCRD] = {}
    unread: list[UnreadDocument] = []
    with collector_paused():
        for document in iter_documents(text):
            unread += _of_document(document, crds, file)
    return CollectedCRDs(crds, tuple(unread))


def _of_document(document: Document, crds: dict[str, OldCRD], file: str) -> Iterator[UnreadDocument]:
    """Add the CRDs of a document to `crds`, and yield those that cannot be read."""
    problem = document.error
    if problem is not None:
        yield from _unread(document, problem_span(problem).line, problem.message)
        return
    try:
        for root, identity in manifests(document):
            yield from _collect(root, identity, document, crds, file)
    except YAMLDecodeError as error:
        node = error.node or document.root
        line = document.line_offset + 1 if node is None else node_span(node, document.line_offset).line
        yield from _unread(document, line, str(error))
    except Exception as error:
        yield UnreadDocument(document.line_offset + 1, document.text, f"a bug in crdlint: {contain(error).text}")


def _unread(document: Document, line: int, reason: str) -> Iterator[UnreadDocument]:
    """Yield a document that is not YAML for the API server, if it may contain a CRD."""
    if names_crd(document.text.encode("utf-8", "replace")):
        template = document.line_of("{{")
        if template is None:
            yield UnreadDocument(line, document.text, reason)
        else:
            yield UnreadDocument(template, document.text, "a template", "template")


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
