"""Expressions that begin with what YAML reads as a tag, put in quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.yaml.edit import Edit
from crdlint.yaml.editor import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crdlint.rules.engine.finding import Finding
    from crdlint.yaml.nodes import Scalar


def quoted_tag(finding: Finding, node: Scalar) -> Iterable[Edit]:
    """Yield the edit that puts a scalar in quotes that begins with what was meant as an exclamation mark."""
    editor = finding.editor
    start = node.start_mark.index
    end = editor.line_end(start)
    text = editor.text[start:end].partition(" #")[0].rstrip()
    if (
        node.tag
        and not node.tag.startswith("tag:")
        and not node.style
        and text.startswith("!")
        and node.end_mark.index <= end
    ):
        yield Edit(start, start + len(text), quoted(text))
