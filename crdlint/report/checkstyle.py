"""Checkstyle's XML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.report.escapes import XML_HEAD, xml_attribute

if TYPE_CHECKING:
    from crdlint.report.checked import Checked


def render(checked: Checked) -> str:
    """Return the whole document."""
    lines = [XML_HEAD, '<checkstyle version="4.3">']
    for result in checked.results:
        lines.append(f"  <file name={xml_attribute(result.file)}>")
        for one in checked.shown(result):
            text = one.message + (f"\nhelp: {one.help}" if one.help else "")
            lines.append(
                f'    <error line="{one.line}" column="{one.column}" severity="{one.severity}"'
                f" message={xml_attribute(text)} source={xml_attribute(f'crdlint.{one.rule}')}/>"
            )
        lines.append("  </file>")
    for file, reason in checked.problems:
        lines.append(f"  <file name={xml_attribute(file)}>")
        lines.append(
            f'    <error line="1" severity="error" message={xml_attribute(reason)} source="crdlint.unreadable"/>'
        )
        lines.append("  </file>")
    return "\n".join([*lines, "</checkstyle>", ""])
