"""Placeholders in samples, such as ``${SIZE}``: values that a tool replaces before a cluster gets the object.

A placeholder may stand for a value of any type, so findings that its own text causes are withheld, and counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final

from crdlint.crd.errors import DUPLICATE, INVALID, NOT_SUPPORTED
from crdlint.kubecel.reads import is_read, paths_read
from crdlint.yaml.nodes import Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from crdlint.cel.ast import Expr
    from crdlint.crd.errors import FieldError
    from crdlint.crd.paths import Path
    from crdlint.crd.positions import SourceLocation
    from crdlint.resources.places import ResourceLocator
    from crdlint.yaml.nodes import Node

    _Steps: TypeAlias = tuple["_Steps | None", str | int]

# ${NAME}, <name>, ($name), and a variable as a whole text.
_BUILT_IN: Final = re.compile(r"\$\{[^{}\n]*\}|<[A-Za-z][^<>\n]*>|\(\$[A-Za-z_][^()\n]*\)|\A\$[A-Za-z_][A-Za-z0-9_]*\Z")
_VARIABLE: Final = re.compile(r"\$[A-Za-z_]")
_MOST: Final = 1000  # placeholders in an object that are compared with what a rule reads
# Errors about a list or an object that its items and fields can cause.
_OF_CONTENTS: Final = frozenset({DUPLICATE, INVALID, NOT_SUPPORTED})


@dataclass(frozen=True, slots=True)
class Patterns:
    """What placeholders look like.

    ``own`` adds patterns of the configuration, in which ``*`` is any text; ``built_in`` is False to recognise no others.
    """

    own: tuple[str, ...] = ()
    built_in: bool = True

    def find(self, text: str) -> str | None:
        """Return the first placeholder of a text, None if it has none."""
        if self.built_in:
            match = _BUILT_IN.search(text)
            if match is not None:
                return match[0]
            if text[:1] == "(" and text[-1] == ")" and _VARIABLE.search(text):
                return text
        return text if any(_contains(text, pattern) for pattern in self.own) else None


def _contains(text: str, pattern: str) -> bool:
    at = 0
    for piece in pattern.split("*"):
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


@dataclass(slots=True)
class Placeholders:
    """The placeholders of one object; ``withheld`` are those that cause findings, by line and column of the file."""

    patterns: Patterns
    locator: ResourceLocator
    withheld: dict[tuple[int, int], str] = field(default_factory=dict)
    _below: dict[int, list[_Found]] = field(default_factory=dict)  # those within a node, by its identity

    def cause(self, error: FieldError) -> bool:
        """Return whether a placeholder may be all that causes an error, and note it then."""
        if not self._within(self.locator.root):
            return False
        cause = error.cause
        if cause is not None and cause.expr is not None:
            return self._withhold(self._read_by(cause.expr, cause.self_path))
        place = self.locator.find(error.at or error.path)
        if isinstance(error.value, str) and self.patterns.find(error.value):
            return self.is_within(place) or self._withhold(place.key or place.node)
        if not place.exact or (error.type not in _OF_CONTENTS and not isinstance(place.node, Scalar)):
            return False
        return self.is_within(place)

    def is_key(self, place: SourceLocation, name: str) -> bool:
        """Return whether the name of an unknown field is a placeholder, and note it then."""
        return self._withhold(place.key or place.node if self.patterns.find(name) else None)

    def is_within(self, place: SourceLocation) -> bool:
        """Return whether a value is or contains a placeholder, and note it then."""
        return self._withhold(next((one.node for one in self._within(place.node)), None))

    def _read_by(self, expr: Expr, self_path: Path | None) -> Node | None:
        """Return a placeholder that a rule reads; its ``self`` is at a path, None for the whole object."""
        node = self.locator.root if self_path is None else self.locator.find(self_path).node
        found = self._within(node)
        if len(found) > _MOST:
            return found[0].node
        read = paths_read(expr)
        return next((one.node for one in found if is_read(one.path(), read)), None)

    def _within(self, node: Node) -> list[_Found]:
        known = self._below.get(id(node))
        if known is None:
            known = self._below[id(node)] = list(islice(self._walk(node), _MOST + 1))
        return known

    def _walk(self, root: Node) -> Iterator[_Found]:
        pending: list[tuple[Node, _Steps | None]] = [(root, None)]
        while pending:
            node, steps = pending.pop()
            if isinstance(node, Scalar):
                if self.patterns.find(node.value):
                    yield _Found(node, steps)
            elif isinstance(node, Sequence):
                pending.extend((node.items[i], (steps, i)) for i in reversed(range(len(node.items))))
            elif isinstance(node, Mapping):
                entries = [(value, (steps, str(getattr(key, "value", "")))) for key, value in node.pairs()]
                pending.extend(reversed(entries))

    def _withhold(self, node: Node | None) -> bool:
        if node is None:
            return False
        text = self.patterns.find(node.value) if isinstance(node, Scalar) else None
        place = (node.start_mark.line + 1 + self.locator.line_offset, node.start_mark.column + 1)
        self.withheld[place] = text or ""
        return True


@dataclass(frozen=True, slots=True)
class _Found:
    """A placeholder, and the steps to it, the last one first."""

    node: Scalar
    steps: _Steps | None

    def path(self) -> list[str | int]:
        """Return the steps to it, the first one first."""
        path: list[str | int] = []
        left = self.steps
        while left is not None:
            left, step = left
            path.append(step)
        return path[::-1]
