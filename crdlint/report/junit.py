"""JUnit's XML: a suite for each file, a test for each CRD."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.report.escapes import XML_HEAD, xml_attribute, xml_content

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crdlint.diagnostics import Diagnostic
    from crdlint.report.checked import Checked
    from crdlint.results import FileResult


def render(checked: Checked) -> str:
    """Return the whole document; findings below severity error are no failures, and stand in a test's output."""
    suites = [list(_suite(checked, result)) for result in checked.results]
    suites += [_unreadable(file, reason) for file, reason in checked.problems]
    tests = sum(line.startswith("    <testcase ") for suite in suites for line in suite)
    failures = sum(line.startswith("      <failure ") for suite in suites for line in suite)
    head = (
        f'<testsuites name="crdlint" tests="{tests}" failures="{failures}" errors="{len(checked.problems)}"'
        f' time="{checked.summary.seconds:.3f}">'
    )
    return "\n".join([XML_HEAD, head, *(line for suite in suites for line in suite), "</testsuites>", ""])


def _suite(checked: Checked, result: FileResult) -> Iterator[str]:
    found = list(checked.shown(result))
    names = list(dict.fromkeys([crd.name for crd in result.crds] + [one.crd or "" for one in found])) or [""]
    failed = sum(any(one.severity == "error" and (one.crd or "") == name for one in found) for name in names)
    yield (
        f"  <testsuite name={xml_attribute(result.file)} tests={xml_attribute(len(names))} failures={xml_attribute(failed)}"
        ' errors="0" skipped="0">'
    )
    for name in names:
        own = [one for one in found if (one.crd or "") == name]
        head = f"    <testcase classname={xml_attribute(result.file)} name={xml_attribute(name or 'file')}"
        if not own:
            yield f"{head}/>"
            continue
        yield f"{head}>"
        errors = [one for one in own if one.severity == "error"]
        if errors:
            kind = xml_attribute(errors[0].rule)
            yield f"      <failure type={kind} message={xml_attribute(_headline(errors))}>{_texts(errors)}</failure>"
        others = [one for one in own if one.severity != "error"]
        if others:
            yield f"      <system-out>{_texts(others)}</system-out>"
        yield "    </testcase>"
    yield "  </testsuite>"


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


def _unreadable(file: str, reason: str) -> list[str]:
    return [
        f'  <testsuite name={xml_attribute(file)} tests="1" failures="0" errors="1" skipped="0">',
        f'    <testcase classname={xml_attribute(file)} name="file">',
        f'      <error type="unreadable" message={xml_attribute(reason)}/>',
        "    </testcase>",
        "  </testsuite>",
    ]
