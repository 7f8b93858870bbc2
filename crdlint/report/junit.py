"""JUnit's XML: a suite for each file, a test for each CRD."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.report.escapes import XML_HEAD, xml_attribute, xml_content
from crdlint.report.pieces import Spool, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Outcome


class Report:
    """The whole document; findings below severity error are no failures, and go to a test's output."""

    def __init__(self, *, hidden: bool) -> None:
        self._hidden = hidden
        self._tests = 0
        self._failures = 0
        self._suites = Spool()

    def file(self, result: FileResult) -> Iterable[str]:
        """Return nothing: the totals go before the suites."""
        found: dict[str, list[Diagnostic]] = {crd.name: [] for crd in result.crds}
        for one in shown(result, hidden=self._hidden):
            found.setdefault(one.crd or "", []).append(one)
        self._add(result.file, found or {"": []})
        return ()

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the whole document."""
        problems = outcome.problems
        yield (
            f'{XML_HEAD}\n<testsuites name="crdlint" tests="{self._tests + len(problems)}" failures="{self._failures}"'
            f' errors="{len(problems)}" time="{outcome.summary.seconds:.3f}">\n'
        )
        yield from self._suites.pieces()
        for file, reason in problems:
            yield from _unreadable(file, reason)
        yield "</testsuites>\n"

    def _add(self, file: str, found: dict[str, list[Diagnostic]]) -> None:
        failures = sum(any(one.severity == "error" for one in own) for own in found.values())
        self._tests += len(found)
        self._failures += failures
        self._suites.write(
            f'  <testsuite name={xml_attribute(file)} tests="{len(found)}" failures="{failures}" errors="0" skipped="0">\n'
        )
        for name, own in found.items():
            for piece in _test(file, name, own):
                self._suites.write(piece)
        self._suites.write("  </testsuite>\n")


def _test(file: str, name: str, found: Sequence[Diagnostic]) -> Iterator[str]:
    head = f"    <testcase classname={xml_attribute(file)} name={xml_attribute(name or 'file')}"
    if not found:
        yield f"{head}/>\n"
        return
    yield f"{head}>\n"
    errors = [one for one in found if one.severity == "error"]
    if errors:
        kind = xml_attribute(errors[0].rule)
        yield f"      <failure type={kind} message={xml_attribute(_headline(errors))}>{_texts(errors)}</failure>\n"
    others = [one for one in found if one.severity != "error"]
    if others:
        yield f"      <system-out>{_texts(others)}</system-out>\n"
    yield "    </testcase>\n"


def _headline(errors: Sequence[Diagnostic]) -> str:
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{errors[0].message}{more}"


def _texts(found: Sequence[Diagnostic]) -> str:
    return xml_content(
        "\n\n".join(
            f"{one.file}:{one.line}:{one.column}: {one.severity}[{one.rule}]\n{one.message}"
            + (f"\nhelp: {one.help}" if one.help else "")
            for one in found
        )
    )


def _unreadable(file: str, reason: str) -> Iterator[str]:
    yield f'  <testsuite name={xml_attribute(file)} tests="1" failures="0" errors="1" skipped="0">\n'
    yield f'    <testcase classname={xml_attribute(file)} name="file">\n'
    yield f'      <error type="unreadable" message={xml_attribute(reason)}/>\n'
    yield "    </testcase>\n  </testsuite>\n"
