"""Findings on the custom resources of a document, and on the tests of a suite."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from crdlint.crd.errors import REQUIRED
from crdlint.diagnostics.diagnostic import Diagnostic
from crdlint.resources.definitions import may_have_crd
from crdlint.resources.placeholders import Patterns
from crdlint.resources.report import ResourceOptions, validate_text
from crdlint.sources.helm.masking import mask
from crdlint.suites.crds import MissingCRDError, SuiteCRDs
from crdlint.suites.read import SuiteError, read_suite
from crdlint.suites.run import run_suite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.config.model import Config
    from crdlint.linting.result import FileResult
    from crdlint.lsp.crd_index import CRDIndex
    from crdlint.resources.definitions import Definitions
    from crdlint.sources.helm.masking import Masked
    from crdlint.suites.read import Suite

_API_VERSION: Final = re.compile(r"""apiVersion["']?\s*:\s*["']?([^\s"'/,}]{1,253})/""")
# Rules whose findings depend on values that a template has not put out yet.
_OF_WHOLE_OBJECTS: Final = frozenset({"resource-rule"})
# A placeholder of any type, as long as the directive in its place.
_SHORTEST: Final = len("${}")


def groups_in(text: str) -> set[str]:
    """Return the groups of objects that CRDs may define, as far as a text names them."""
    return {group for group in _API_VERSION.findall(text) if may_have_crd(group)}


def validated(text: str, path: str, definitions: Definitions, config: Config, *, is_template: bool) -> FileResult:
    """Return the result of validating the custom resources of a text; a template is read with its directives masked."""
    patterns = Patterns(config.placeholders or (), built_in=config.placeholders is not None or is_template)
    options = ResourceOptions(patterns)
    if not is_template:
        return validate_text(text, filename=path, definitions=definitions, options=options).result
    from dataclasses import replace

    masked = mask(text)
    result = validate_text(_with_placeholders(masked), filename=path, definitions=definitions, options=options).result
    lines = _incomplete_lines(masked)
    findings = [
        finding
        for finding in result.diagnostics
        if not (lines and _depends_on_whole(finding)) and finding.line not in lines
    ]
    return replace(result, diagnostics=tuple(findings))


def _depends_on_whole(finding: Diagnostic) -> bool:
    """Return whether a finding may be due to fields that the template adds when it is rendered."""
    return finding.error_type == REQUIRED or finding.rule in _OF_WHOLE_OBJECTS


def _incomplete_lines(masked: Masked) -> set[int]:
    """Return the 1-based lines of directives that may add lines or leave some out."""
    lines = {line for block in masked.blocks for line in (block.line, block.end_line)}
    return lines | {output.directive.line for output in masked.outputs if output.alone}


def _with_placeholders(masked: Masked) -> str:
    """Return a masked template whose values are placeholders, each as long as its directive."""
    pieces = list(masked.pieces)
    for output in masked.outputs:
        filler = pieces[output.piece]
        if not output.alone and "\n" not in filler and len(filler) >= _SHORTEST:
            pieces[output.piece] = "${" + filler[_SHORTEST:] + "}"
    return "".join(pieces)


def tested(text: str, path: str, index: CRDIndex, kube_version: str) -> Iterator[Diagnostic]:
    """Yield a finding for each test of a suite that fails, and for what keeps the suite from being run."""
    try:
        suite = read_suite(text, path)
    except SuiteError as error:
        yield _finding(path, error.line, str(error))
        return
    for line, message in suite.ignored:
        yield _finding(path, line, message)
    try:
        yield from _failures(suite, path, _crds_of(suite, index, kube_version))
    except MissingCRDError as error:
        yield _finding(path, 1, str(error))


def _crds_of(suite: Suite, index: CRDIndex, kube_version: str) -> SuiteCRDs:
    near = SuiteCRDs((), kube_version, index.text_of)
    try:
        near.of(suite)
    except MissingCRDError:
        elsewhere = index.texts_with(suite.crd_name) if suite.crd_name else []
        return SuiteCRDs(elsewhere, kube_version) if elsewhere else near
    return near


def _failures(suite: Suite, path: str, crds: SuiteCRDs) -> Iterator[Diagnostic]:
    for target in crds.of(suite):
        for result in run_suite(suite, target, crds):
            if result.failure:
                name = result.case.name or f"on{result.case.kind.title()}"
                yield _finding(path, result.case.line, f"{name}:\n" + "\n".join(result.failure))


def _finding(path: str, line: int, message: str) -> Diagnostic:
    """Return a finding about a line of a suite, which is of no rule."""
    end = 1_000  # the end of the line
    return Diagnostic(
        "crdlint", "advice", "", "error", message, file=path, line=line, column=1, end_line=line, end_column=end
    )
