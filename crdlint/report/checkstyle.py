"""Checkstyle's XML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.report.xmltext import HEAD, attribute

if TYPE_CHECKING:
    from crdlint.report.checked import Checked


def render(checked: Checked) -> str:
    """Return the whole document."""
    lines = [HEAD, '<checkstyle version="4.3">']
    for result in checked.results:
        lines.append(f"  <file name={attribute(result.file)}>")
        for one in checked.shown(result):
            text = one.message + (f"\nhelp: {one.help}" if one.help else "")
            lines.append(
                f'    <error line="{one.line}" column="{one.column}" severity="{one.severity}"'
                f" message={attribute(text)} source={attribute(f'crdlint.{one.rule}')}/>"
            )
        lines.append("  </file>")
    for file, reason in checked.problems:
        lines.append(f"  <file name={attribute(file)}>")
        lines.append(f'    <error line="1" severity="error" message={attribute(reason)} source="crdlint.unreadable"/>')
        lines.append("  </file>")
    return "\n".join([*lines, "</checkstyle>", ""])
