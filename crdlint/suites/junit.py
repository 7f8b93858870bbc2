"""Results as JUnit's XML, which every CI reads."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.suites.run import Result

_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(results: Sequence[Result], broken: Sequence[tuple[str, str]], seconds: float) -> str:
    """Return the whole document; ``broken`` are suites that could not be run, and why."""
    failed = sum(bool(result.failure) for result in results)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="crdlint" tests="{len(results) + len(broken)}" failures="{failed}" errors="{len(broken)}"'
        f' time="{seconds:.3f}">',
    ]
    for (file, crd), group in groupby(results, key=lambda result: (result.suite.file, result.crd_file)):
        own = list(group)
        bad = sum(bool(result.failure) for result in own)
        name = _attribute(f"{own[0].suite.name} ({crd})")
        lines.append(f'  <testsuite name={name} tests="{len(own)}" failures="{bad}" errors="0">')
        for result in own:
            lines.extend(_case(result, file))
        lines.append("  </testsuite>")
    for file, reason in broken:
        lines.append(f'  <testsuite name={_attribute(file)} tests="1" failures="0" errors="1">')
        lines.append(f'    <testcase classname={_attribute(file)} name="suite">')
        lines.append(f"      <error message={_attribute(reason)}/>")
        lines.extend(("    </testcase>", "  </testsuite>"))
    lines.append("</testsuites>")
    return "\n".join(lines) + "\n"


def _case(result: Result, file: str) -> list[str]:
    case = result.case
    head = (
        f"    <testcase classname={_attribute(file)} name={_attribute(case.name)} file={_attribute(file)}"
        f' line="{case.line}"'
    )
    if not result.failure:
        return [f"{head}/>"]
    text = escape(_NO_XML.sub("\ufffd", "\n".join(result.failure)))
    return [f"{head}>", f"      <failure message={_attribute(result.failure[0])}>{text}</failure>", "    </testcase>"]


def _attribute(text: str) -> str:
    return quoteattr(_NO_XML.sub("\ufffd", text))
