"""The results of suites as JUnit's XML, which every CI reads."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from crdlint.report.escapes import XML_HEAD, xml_attribute, xml_content

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.suites.run import Result


def render(results: Sequence[Result], broken: Sequence[tuple[str, str]], seconds: float) -> str:
    """Return the whole document; ``broken`` are suites that could not be run, and why."""
    failed = sum(bool(result.failure) for result in results)
    lines = [
        XML_HEAD,
        f'<testsuites name="crdlint" tests="{len(results) + len(broken)}" failures="{failed}" errors="{len(broken)}"'
        f' time="{seconds:.3f}">',
    ]
    for (file, crd), group in groupby(results, key=lambda result: (result.suite.file, result.crd_file)):
        own = list(group)
        bad = sum(bool(result.failure) for result in own)
        name = xml_attribute(f"{own[0].suite.name} ({crd})")
        lines.append(f'  <testsuite name={name} tests="{len(own)}" failures="{bad}" errors="0">')
        for result in own:
            lines.extend(_case(result, file))
        lines.append("  </testsuite>")
    for file, reason in broken:
        lines.append(f'  <testsuite name={xml_attribute(file)} tests="1" failures="0" errors="1">')
        lines.append(f'    <testcase classname={xml_attribute(file)} name="suite">')
        lines.append(f"      <error message={xml_attribute(reason)}/>")
        lines.extend(("    </testcase>", "  </testsuite>"))
    lines.append("</testsuites>")
    return "\n".join(lines) + "\n"


def _case(result: Result, file: str) -> list[str]:
    case = result.case
    head = (
        f"    <testcase classname={xml_attribute(file)} name={xml_attribute(case.name)} file={xml_attribute(file)}"
        f' line="{case.line}"'
    )
    body = []
    if result.failure:
        text = xml_content("\n".join(result.failure))
        body.append(f"      <failure message={xml_attribute(result.failure[0])}>{text}</failure>")
    if result.disagreements:
        text = xml_content("\n".join(result.disagreements))
        body.append(f"      <system-out>{text}</system-out>")
    return [f"{head}>", *body, "    </testcase>"] if body else [f"{head}/>"]
