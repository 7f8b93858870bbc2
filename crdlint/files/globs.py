"""Globs that no shell expanded, with bash's rules for `globstar`: matched one path component at a time during a walk."""

from __future__ import annotations

import os
import re
from typing import Final, NamedTuple, TypeAlias

from crdlint.files.patterns import BrokenPatternError, Segment, segment

# The indexes of the components that may match next; the number of components if all have matched.
States: TypeAlias = "frozenset[int]"
_MAGIC: Final = re.compile(r"[*?\[]")


class _Component(NamedTuple):
    """A component of a glob; `segment` is None for `**`; if `hidden`, names that begin with a dot match."""

    segment: Segment | None
    hidden: bool


class Glob(NamedTuple):
    """A glob: the directory to start in (empty or with a closing slash), and the components below it.

    `text` is the original glob. `only_folders` is true if it ends in a slash (other than `**/`), `open_end` if it ends
    in a `*`.
    """

    text: str
    base: str
    components: tuple[_Component, ...]
    only_folders: bool
    open_end: bool

    @staticmethod
    def of(text: str) -> Glob | None:
        """Return a text as a glob, or None for a plain path and for a pattern that never matches."""
        parts = text.replace(os.sep, "/").split("/")
        first = next((i for i, part in enumerate(parts) if _MAGIC.search(part)), None)
        if first is None:
            return None
        below = [part for part in parts[first:] if part not in {"", "."}]
        try:
            segments = [None if part == "**" else segment(os.fsencode(part)) for part in below]
        except BrokenPatternError:
            return None
        components = tuple(_Component(each, part.startswith(".")) for each, part in zip(segments, below, strict=True))
        base = "".join(f"{part}/" for part in parts[:first])
        only_folders = not parts[-1] and components[-1].segment is not None
        return Glob(text, base, components, only_folders, below[-1].endswith("*"))

    def start(self) -> States:
        """Return the states of the directory to start in."""
        return self._with_optional({0})

    def step(self, states: States, name: str, *, is_link: bool = False) -> States:
        """Return the states after an entry of a directory, empty if it does not match; `**` does not match links to directories."""
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
        """Return whether the directory with these states itself matches, other than by `**`."""
        return self.accepts(states) and self.components[-1].segment is not None

    def leads_on(self, states: States) -> bool:
        """Return whether an entry below the directory with these states may match."""
        return bool(states - {len(self.components)})

    def _with_optional(self, states: set[int]) -> States:
        """Add the component after each `**`, which may match no directory; at the end it matches at least one entry."""
        last = len(self.components) - 1
        for i in range(last):
            if i in states and self.components[i].segment is None:
                states.add(i + 1)
        return frozenset(states)
