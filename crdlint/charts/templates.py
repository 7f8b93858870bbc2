"""CRDs of a template judged without Helm: by the template with its directives masked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from crdlint.charts.masking import mask
from crdlint.charts.rules import BRACES, IN_CRDS
from crdlint.diagnostics import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crdlint.charts.directives import Directive
    from crdlint.charts.masking import Masked
    from crdlint.linter import FileResult
    from crdlint.rules.registry import Rule

    # Judges a text under a file's name.
    Lint = Callable[[str, str], FileResult]

_CRD: Final = "CustomResourceDefinition"
_HINT: Final = "render it: helm template ... | crdlint check -"


def check_template(path: str, text: str, lint: Lint) -> FileResult:
    """Judge the CRDs of a template; what is too dynamic to be judged is skipped with a notice that says why."""
    if "{{" not in text:
        return lint(text, path)
    masked = mask(text)
    result = lint(masked.text, path)
    documents = list(_documents(masked.text))
    skipped: dict[int, str] = {}
    for start, end in documents:
        reason = _too_dynamic(masked, result, start, end)
        if reason:
            skipped[start] = reason
    kept = [
        one
        for one in result.diagnostics
        if one.line not in masked.unknown and not any(s in skipped and s <= one.line < e for s, e in documents)
    ]
    crds = tuple(crd for crd in result.crds if not any(s in skipped and s <= crd.line < e for s, e in documents))
    held = [(s, e) for s, e in documents if s not in skipped and any(s <= crd.line < e for crd in crds)]
    braces = [
        _unescaped(path, text, one)
        for one in masked.braces
        if any(s <= text.count("\n", 0, one.start) + 1 < e for s, e in held)
    ]
    notices = [*result.notices, *skipped.values()]
    found = sorted([*kept, *braces], key=lambda one: (one.line, one.column)) if braces else kept
    return replace(
        result,
        text=text,
        crds=crds,
        skipped=result.skipped + len(result.crds) - len(crds),
        diagnostics=tuple(found),
        notices=tuple(notices),
    )


def check_unrendered(path: str, text: str, lint: Lint) -> FileResult:
    """Judge a file of crds/, which Helm does not render: directives of its are text to the server."""
    result = lint(text, path)
    at = next((text.find(mark) for mark in _DIRECTIVES if mark in text), -1)
    if at < 0:
        return result
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    end = text.find("}}", at)
    stop = end + 2 if 0 <= end < (text.find("\n", at) % (len(text) + 1)) else at + 2
    message = "Helm does not render what is in crds/: this is sent to the API server as it is"
    return replace(
        result,
        diagnostics=(
            *result.diagnostics,
            _advice(IN_CRDS, path, message, line, column, line, column + stop - at, IN_CRDS.help),
        ),
    )


# What is plainly meant for Helm, not a text about templates.
_DIRECTIVES: Final = tuple(
    f"{{{{{trim}{blank}{word}"
    for trim in ("", "-")
    for blank in ("", " ")
    for word in (".Values.", ".Release.", ".Chart.", "include ", "if .Values", "if .Capabilities", "toYaml ")
)


def _documents(text: str) -> Iterator[tuple[int, int]]:
    """Yield the lines, from and to (not within), of each document."""
    start = 1
    number = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("---") and (len(line) == 3 or line[3] in " \t\r"):
            if number > start:
                yield start, number
            start = number + 1
    yield start, number + 1


def _too_dynamic(masked: Masked, result: FileResult, start: int, end: int) -> str:
    """Return why a document that is to be a CRD cannot be judged, with the line; empty where it can be."""
    lines = masked.text.split("\n")[start - 1 : end - 1]
    if not any(line.startswith("kind:") and _CRD in line for line in lines):
        return ""
    broken = [
        one.line
        for one in result.diagnostics
        if start <= one.line < end
        and one.kind == "decode"
        and (one.rule == "yaml-syntax" or one.line in masked.unknown)
    ]
    spec = next((start + i for i, line in enumerate(lines) if line.startswith("spec:")), end)
    anything = [line for line in sorted(masked.structure) if spec <= line < end]
    repeated = [line for line in sorted(masked.repeated) if start <= line < end]
    for found, why in (
        (repeated, "the range decides what is here"),
        (anything, "what is put here decides about the schema"),
        (broken, "with its directives left out it is no CRD"),
    ):
        if found:
            return f"line {found[0]}: skipped a CRD that is too dynamic to be read without Helm ({why}); {_HINT}"
    return ""


def _unescaped(path: str, text: str, directive: Directive) -> Diagnostic:
    start = text.rfind("\n", 0, directive.start) + 1
    line = text.count("\n", 0, directive.start) + 1
    given = text[directive.start : directive.end]
    shown = " ".join(given.split())
    message = f"Helm executes `{shown}`, and puts its result in place of it"
    escaped = "{{ " + ("`" if '"' in shown else '"') + shown + ("`" if '"' in shown else '"') + " }}"
    column = directive.start - start + 1
    last = line + given.count("\n")
    end_column = column + len(given) if last == line else len(given) - given.rfind("\n")
    return _advice(BRACES, path, message, line, column, last, end_column, f"to have it as text, write `{escaped}`")


def _advice(
    rule: Rule, file: str, message: str, line: int, column: int, end_line: int, end_column: int, help_: str
) -> Diagnostic:
    return Diagnostic(
        "crdlint", "advice", rule.id, rule.severity, message, detail=message, file=file, line=line, column=column,
        end_line=end_line, end_column=end_column, help=help_,
    )  # fmt: skip
