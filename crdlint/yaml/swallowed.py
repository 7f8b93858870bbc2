"""Whether edits of a broken document lose keys without a word: as the text of a scalar, or under a key that is set twice."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from collections.abc import Sequence as SequenceOf
from itertools import accumulate
from typing import Final

from crdlint.light import regex
from crdlint.yaml.broken_text import FIELD, KEYWORDS, BrokenText, indent_of
from crdlint.yaml.edit import Edit, in_order
from crdlint.yaml.nodes import Mapping, Node, Scalar, nodes_of

# A key of the schemas of CRDs without its colon, in quotes, or after a mark.
_KEYWORD: Final = regex(
    rf" *(?:[->+] *)*[\"'`*]*(?:{'|'.join(sorted(KEYWORDS - {'description', 'title'}))})[\"'`*]*"
    r"(?: *[:=;]| *\r?\Z| (?=[\w\[{]+ *(?:[=;#].*)?\r?\Z))"
)

_ODD_KEY: Final = regex(r" *(?:- +)*[A-Za-z$][\w$-]* ?:[,;:{\[]? *\r?\Z")


def swallows_keys(text: BrokenText, edits: SequenceOf[Edit], root: Node) -> bool:
    """Return whether a line with a key, as far as edits keep it, is within a scalar of the document after them."""
    ordered = list(in_order(edits))
    moved = _moves(ordered)
    keys = sorted(map(moved, _key_offsets(text, ordered)))
    written = [(moved(edit.start), edit) for edit in ordered]
    scalars = (node for node in nodes_of(root) if isinstance(node, Scalar))
    return any(_holds_any(keys, scalar) and _is_new_text(scalar, written) for scalar in scalars)


def repeats_keys(edits: SequenceOf[Edit], root: Node) -> bool:
    """Return whether edits moved or wrote a key that its mapping has already: the API server would use only the last one."""
    ordered = list(in_order(edits))
    moved = _moves(ordered)
    written = sorted(moved(edit.start) for edit in ordered)
    mappings = (node for node in nodes_of(root) if isinstance(node, Mapping))
    return any(_is_written(key, written) for mapping in mappings for key in _repeated(mapping))


def _repeated(mapping: Mapping) -> Iterator[Scalar]:
    """Yield the keys of a mapping that it has more than once."""
    keys = [key for key in mapping.items[::2] if isinstance(key, Scalar)]
    names = Counter(key.value for key in keys)
    return (key for key in keys if names[key.value] > 1 and key.value != "<<")


def _is_written(key: Scalar, written: SequenceOf[int]) -> bool:
    """Return whether edits changed the line of a key before it, or the key itself."""
    start = key.start_mark.index - key.start_mark.column
    index = bisect_left(written, start)
    return index < len(written) and written[index] <= key.end_mark.index


def _key_offsets(text: BrokenText, edits: SequenceOf[Edit]) -> Iterator[int]:
    """Yield the offsets of the keys that begin lines, without those that edits remove."""
    removed = [edit for edit in edits if edit.end > edit.start]
    starts = [edit.start for edit in removed]
    for i in text.structure:
        line = text.lines[i]
        if not _begins_with_key(line):
            continue
        offset = text.starts[i] + indent_of(line)
        index = bisect_right(starts, offset) - 1
        is_removed = index >= 0 and offset < removed[index].end
        if not is_removed:
            yield offset


def _begins_with_key(line: str) -> bool:
    return any(pattern.match(line) for pattern in (FIELD, _KEYWORD, _ODD_KEY))


def _moves(edits: SequenceOf[Edit]) -> Callable[[int], int]:
    """Return a function from the offset of a character to that after edits, which are in order."""
    ends = [edit.end for edit in edits]
    longer = (len(edit.text) - (edit.end - edit.start) for edit in edits)
    shifts = list(accumulate(longer, initial=0))
    return lambda offset: offset + shifts[bisect_right(ends, offset)]


def _holds_any(keys: SequenceOf[int], scalar: Scalar) -> bool:
    """Return whether a scalar of several lines has a key in it."""
    start, end = scalar.start_mark, scalar.end_mark
    if start.line == end.line:
        return False
    index = bisect_right(keys, start.index)
    return index < len(keys) and keys[index] < end.index


def _is_new_text(scalar: Scalar, written: SequenceOf[tuple[int, Edit]]) -> bool:
    """Return whether edits are why a scalar has its lines; its text may look like keys anyway.

    Those are edits within it, also in its quotes. What looks like a key was none before in a text in block style (see
    `structure` of BrokenText), unless an edit only now makes it a text in block style.
    """
    start, end = scalar.start_mark.index, scalar.end_mark.index
    if scalar.style not in {"|", ">"}:
        return any(start <= offset <= end for offset, _ in written)
    head = start - scalar.start_mark.column
    new = [edit for offset, edit in written if head <= offset <= start]
    return not any(edit.text.strip() for edit in new)
