"""Edits of an expression in the text of its document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from crdlint.light import regex
from crdlint.rules.engine.edits import require
from crdlint.rules.engine.finding import PathFinding
from crdlint.yaml.edit import Edit, apply
from crdlint.yaml.editor import quoted
from crdlint.yaml.nodes import Scalar
from crdlint.yaml.scalars import offsets_inside

_PLAIN: Final = regex(r"[\w(.$/](?:[^#:\n]|:(?! |$)|(?<! )#)*\Z")


def in_expression(finding: PathFinding, node: Scalar, edits: Iterable[Edit]) -> Iterator[Edit]:
    """Yield the edits of the document that make edits of an expression, which is put in quotes if it needs them."""
    text = apply(node.value, edits := tuple(edits))
    is_in_brackets = getattr(finding.editor.parent(node), "flow", True)
    if edits and not node.style and (is_in_brackets or not _PLAIN.match(text)):
        yield finding.editor.replace(node, quoted(text))
        return
    for edit in edits:
        offsets = require(
            offsets_inside(
                finding.editor.text,
                node,
                edit.start,
                edit.end,
            )
        )
        is_quoted = node.style in ("'", '"')
        written = finding.editor.value(edit.text, like=node)[1:-1] if is_quoted else edit.text
        yield Edit(*offsets, written)
