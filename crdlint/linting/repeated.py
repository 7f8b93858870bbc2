"""CRDs that a file contains twice, with different specs."""

from __future__ import annotations

from collections.abc import Iterator

from crdlint.crd.positions import node_span
from crdlint.diagnostics import Diagnostic, Related
from crdlint.gathering import grouped
from crdlint.light import replace
from crdlint.linting.documents import manifests, name_of
from crdlint.linting.result import CRD, FileResult
from crdlint.rules.advice.name_conflicts import TWICE_IN_FILE
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.json_values import to_json
from crdlint.yaml.nodes import Mapping, child
from crdlint.yaml.parse import chunks, parse_chunk


def with_repeated(result: FileResult) -> FileResult:
    """Return a result with the findings about CRDs that its file has twice."""
    by_name = grouped(result.crds, lambda crd: crd.name)
    twice = {name: crds for name, crds in by_name.items() if name and len(crds) > 1}
    if not twice:
        return result
    findings = tuple(_findings(result, twice))
    return replace(result, diagnostics=(*result.diagnostics, *findings))


def _findings(result: FileResult, twice: dict[str, list[CRD]]) -> Iterator[Diagnostic]:
    """Yield one finding for each document that has another spec than the first CRD of its name."""
    first: dict[str, tuple[int, object]] = {}
    lines = {crd.line for crds in twice.values() for crd in crds}
    for line, root in _roots(result.text, lines):
        name = name_of(root)
        try:
            spec = to_json(child(root, "spec") or root)
        except YAMLDecodeError:
            continue
        first_line, first_spec = first.setdefault(name, (line, spec))
        if line != first_line and spec != first_spec:
            message = f"`{name}` is also in line {first_line}, with another spec"
            named = child(root, "metadata", "name") or root
            span = node_span(named, line - 1 - root.start_mark.line)
            finding = TWICE_IN_FILE.diagnostic(
                result.file,
                "advice",
                message,
                span,
            )
            related = Related("the first one", result.file, first_line, 1)
            yield replace(
                finding,
                crd=name,
                user_path="metadata.name",
                related=related,
            )


def _roots(text: str, lines: set[int]) -> Iterator[tuple[int, Mapping]]:
    """Yield the CRDs that start in lines (1-based), with these."""
    for chunk in chunks(text):
        document = parse_chunk(chunk)
        for root, identity in manifests(document) if document.root is not None else ():
            line = node_span(root, document.line_offset).line
            if identity.form == "crd" and line in lines:
                yield line, root
