"""Fixes of a second entry of a field that an object above lacks."""

from __future__ import annotations

from crdlint.rules.engine.edits import Edits
from crdlint.rules.engine.finding import PathFinding
from crdlint.rules.engine.fixer import Fixer
from crdlint.yaml.nodes import Mapping, Node, Sequence, key_names


def repeated_below(finding: PathFinding) -> list[Mapping]:
    """Return the blocks below the owner that end with a second entry of the missing field.

    A block is a field of the owner, or the last item of a list there.
    """
    owner, name = finding.owner, finding.name
    if owner.find(name) is not None:
        return []
    blocks = list(map(_last_block, owner.items[1::2]))
    return [block for block in blocks if block is not None and _ends_with_second(block, name)]


def _last_block(value: Node) -> Mapping | None:
    """Return a mapping in block style that is a value, or its last item."""
    last = value.items[-1] if isinstance(value, Sequence) and value.items else value
    return last if isinstance(last, Mapping) and not last.flow else None


def _ends_with_second(block: Mapping, name: str) -> bool:
    """Return whether the last entry of a mapping has a name that another entry has, too."""
    names = key_names(block)
    return names.count(name) > 1 and names[-1] == name


def _outdented(finding: PathFinding) -> Edits:
    for below in repeated_below(finding):
        key = below.items[-2]
        by = finding.owner.start_mark.column - key.start_mark.column
        yield from finding.editor.shifted(key.start_mark.index, key.end_mark.index, by)


OUTDENTED = Fixer(
    "Indent the repeated field like the object above, which lacks it", "unsafe", _outdented
)
