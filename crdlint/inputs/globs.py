"""Globs that no shell expanded, as bash reads them with `globstar`: matched one path component at a time during a walk."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from crdlint.inputs.patterns import BrokenPatternError, Segment, segment

# Which components of the pattern may match next: their indexes, and their number once all have matched.
States: TypeAlias = "frozenset[int]"
_MAGIC: Final = re.compile(r"[*?\[]")


class _Component(NamedTuple):
    """A component of a glob. ``segment`` is None for ``**``; ``hidden`` is set if names that begin with a dot match."""

    segment: Segment | None
    hidden: bool


@dataclass(frozen=True, slots=True)
class Glob:
    """A glob: the folder to start in (empty or with a closing slash), and the components below it.

    ``text`` is the glob as given, ``only_folders`` is set if it ends in a slash (but ``**/``), ``open_end`` if it ends in a ``*``.
    """

    text: str
    base: str
    components: tuple[_Component, ...]
    only_folders: bool
    open_end: bool

    @staticmethod
    def of(text: str) -> Glob | None:
        """Return a text as a glob, None for a plain path and for a pattern that never matches."""
        parts = text.replace(os.sep, "/").split("/")
        first = next((i for i, part in enumerate(parts) if _MAGIC.search(part)), None)
        if first is None:
            return None
        below = [part for part in parts[first:] if part not in {"", "."}]
        try:
            components = tuple(map(_component, below))
        except BrokenPatternError:
            return None
        base = "".join(f"{part}/" for part in parts[:first])
        only_folders = not parts[-1] and components[-1].segment is not None
        return Glob(text, base, components, only_folders, below[-1].endswith("*"))

    def start(self) -> States:
        """Return the states of the folder to start in."""
        return self._with_optional({0})

    def step(self, states: States, name: str, *, is_link: bool = False) -> States:
        """Return the states below an entry of a folder, none if it does not match. ``**`` matches no link to a folder."""
        encoded = os.fsencode(name)
        is_hidden = name.startswith(".")
        after: set[int] = set()
        for i in states - {len(self.components)}:
            component = self.components[i]
            if is_hidden and not component.hidden:
                continue
            if component.segment is None:
                if not is_link:
                    after |= {i, i + 1} if i + 1 == len(self.components) else {i}
            elif component.segment.matches(encoded):
                after.add(i + 1)
        return self._with_optional(after)

    def states_of(self, path: str) -> States:
        """Return the states of a path relative to ``base``."""
        states = self.start()
        for part in path.replace(os.sep, "/").split("/"):
            states = self.step(states, part)
        return states

    def accepts(self, states: States) -> bool:
        """Return whether the entry with these states matches the glob."""
        return len(self.components) in states

    def accepts_whole(self, states: States) -> bool:
        """Return whether the folder with these states matches, rather than what ``**`` finds below it."""
        return self.accepts(states) and self.components[-1].segment is not None

    def leads_on(self, states: States) -> bool:
        """Return whether an entry below the folder with these states may match."""
        return bool(states - {len(self.components)})

    def _with_optional(self, states: set[int]) -> States:
        """Add the component behind each ``**``, which may match no folder at all; at the end it matches one entry or more."""
        last = len(self.components) - 1
        for i in range(last):
            if i in states and self.components[i].segment is None:
                states.add(i + 1)
        return frozenset(states)


def _component(text: str) -> _Component:
    found = None if text == "**" else segment(os.fsencode(text))
    return _Component(found, text.startswith("."))
