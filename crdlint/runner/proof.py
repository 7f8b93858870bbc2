"""Proof that fixes change only what they name: crdlint compares the CRDs before and after them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from crdlint.changes.change import Policy
from crdlint.changes.compare import changes
from crdlint.crd.identity import identify
from crdlint.crd.paths import Path
from crdlint.crd.positions import Locator
from crdlint.kubernetes.servers import NEWEST_ALONE
from crdlint.linting.documents import collect_crds
from crdlint.linting.result import OldCRD
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.edit import Edit, apply, in_order, line_and_column, line_starts
from crdlint.yaml.nodes import Mark, Scalar, nodes_of
from crdlint.yaml.parse import Document, iter_documents, split

Lines = list[tuple[int, int]]
# `spec.versions[0].schema` has so many steps more than `spec.validation`, the place of one schema for all versions.
_MORE_STEPS: Final = 2


def unnamed_changes(text: str, edits: Iterable[Edit], *, keeps_meaning: bool = False) -> list[str]:
    """Return the changes of CRDs on lines that no edit touches, or all changes with `keeps_meaning`.

    A CRD that cannot be decoded before the edits has no changes. Of other objects, no value elsewhere may vanish or appear.
    """
    edits = list(in_order(edits))
    fixed = apply(text, edits)
    written = _edited_lines(text, fixed, edits)
    old = collect_crds(text).by_name
    new = collect_crds(fixed).by_name if old else {}
    lines = None if keeps_meaning else written
    has_others = len(old) < len(split(text))
    return [*(_unnamed_values(text, fixed, written) if has_others else ())] + [
        f"{name}: {change.text}"
        for name, before in old.items()
        if (after := new.get(name)) is not None
        for change in changes(before.crd, after.crd, NEWEST_ALONE, Policy())
        if lines is None
        or not _is_named((before, change.old, lines[0]), (after, change.new, lines[1]))
    ]


def _unnamed_values(text: str, fixed: str, lines: tuple[Lines, Lines]) -> Iterator[str]:
    """Yield the keys and values of objects other than CRDs that vanish or appear on lines that are not edited."""
    for pair in zip(iter_documents(text), iter_documents(fixed), strict=False):
        if all(map(_is_other_object, pair)):
            before, after = map(_values_beside, pair, lines)
            yield from (f"`{value}` is gone" for value in before - after)
            yield from (f"`{value}` is new" for value in after - before)


def _is_other_object(document: Document) -> bool:
    """Return whether a document has an object other than a CRD, which Go can decode."""
    if document.root is None:
        return False
    try:
        return identify(document.root, document.text).form == "other"
    except YAMLDecodeError:
        return False


def _values_beside(document: Document, lines: Lines) -> Counter[str]:
    """Count the keys and values of a document on lines that are not edited."""
    counts: Counter[str] = Counter()
    for node in nodes_of(document.root):
        if isinstance(node, Scalar):
            first, last = (
                mark.line + document.line_offset + 1 for mark in (node.start_mark, node.end_mark)
            )
            counts[node.value] += not any(start <= last and first <= end for start, end in lines)
    return counts


def _is_named(*sides: tuple[OldCRD, Path, Lines]) -> bool:
    """Return whether edits touch what changes, on the side that has it, or the key of an object around it."""
    # The side that has what the other one lacks.
    deepest = max(_depth(path) for _, path, _ in sides)
    located = [
        (crd.positions, crd.positions.find(path), path, lines)
        for crd, path, lines in sides
        if _depth(path) == deepest
    ]
    is_anywhere = any(location.exact for _, location, _, _ in located)
    for locator, (node, key, exact), path, lines in located:
        if exact >= is_anywhere and _touches(
            lines,
            locator,
            (key or node).start_mark,
            node.end_mark,
        ):
            return True
        ancestor = path.parent
        while ancestor is not None:
            holder = locator.find(ancestor).key
            if holder is not None and _touches(lines, locator, holder.start_mark, holder.end_mark):
                return True
            ancestor = ancestor.parent
    return False


def _depth(path: Path) -> int:
    """Return the number of steps to a place, in a version as many as in the spec that the versions share."""
    steps = path.steps()
    return (
        len(steps) - _MORE_STEPS
        if steps[1:2] == ["versions"] and steps[3:4] == ["schema"]
        else len(steps)
    )


def _touches(
    lines: Lines,
    locator: Locator,
    start: Mark,
    end: Mark,
) -> bool:
    """Return whether edited lines are among the lines between two marks."""
    begin, last_line = (
        start.line + locator.line_offset + 1,
        end.line + locator.line_offset + bool(end.column),
    )
    return any(first <= max(begin, last_line) and begin <= last for first, last in lines)


def _edited_lines(text: str, fixed: str, edits: list[Edit]) -> tuple[Lines, Lines]:
    """Return the first and last line (1-based) of each edit, before and after the edits."""
    old, new, moved = line_starts(text), line_starts(fixed), 0
    before: Lines = []
    after: Lines = []
    for edit in edits:
        start, end = edit.start + moved, edit.start + moved + len(edit.text)
        before.append(
            (line_and_column(old, edit.start)[0] + 1, line_and_column(old, edit.end)[0] + 1)
        )
        after.append((line_and_column(new, start)[0] + 1, line_and_column(new, end)[0] + 1))
        moved = end - edit.end
    return before, after
