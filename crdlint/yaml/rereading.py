"""The events of a text by ruamel's parser, which reads only the part of it that differs from an earlier text.

The parser is a machine with a state. Before the first difference its states are those of the earlier reading. Behind the
last one, as soon as a state is one that the earlier reading had at the same place, all later events are the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import field
from typing import Any, Final

from ruamel.yaml.error import MarkedYAMLError, StreamMark
from ruamel.yaml.events import (
    DocumentEndEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from crdlint.light import NamedTuple, dataclass
from crdlint.yaml.machine import Position, Reading, State

_BETWEEN: Final = 16  # events, at least, between two states that are remembered
_LOOKAHEAD: Final = 16  # characters, more than the parser reads before it consumes them
# How much is remembered in all: readings, their events, and the characters of their texts.
_MOST: Final = 32
_MOST_EVENTS: Final = 200_000
MOST_CHARACTERS: Final = 12_000_000


class _Kept(NamedTuple):
    """A state of a reading, and the number of its events at that time."""

    state: State
    events: int


@dataclass(slots=True, eq=False)
class _Read:
    """What a reading of a text has returned; it is not complete if the text has an error, or is still read."""

    text: str
    events: list[Any] = field(default_factory=list)
    states: list[_Kept] = field(default_factory=list)
    is_complete: bool = False

    def keep(self, state: State) -> None:
        """Keep a state, unless the last one is near."""
        if not self.states or len(self.events) - self.states[-1].events >= _BETWEEN:
            self.states.append(_Kept(state, len(self.events)))


class _Shared(NamedTuple):
    """How many characters two texts share at their start, and at their end."""

    start: int
    end: int


READINGS: Final[list[_Read]] = []  # the last used one is the last one


def events(text: str) -> Iterator[Any]:
    """Yield the events of the first document of a text, which must not be changed; raise MarkedYAMLError."""
    earlier = _nearest(text)
    problem = None
    if earlier is not None and earlier.is_complete and earlier.text == text:
        read = earlier
    else:
        read = _Read(text)
        _remember(earlier)
        try:
            _Rereading(read, earlier).run()
        except MarkedYAMLError as error:
            problem = error
    _remember(read)
    yield from read.events
    if problem is not None:
        raise problem


def _nearest(text: str) -> _Read | None:
    """Return the earlier reading that leaves the least to read, None if that is more than half of the text."""
    least = min(READINGS, key=lambda read: (_to_read(read, text), read.text != text), default=None)
    return None if least is None or 2 * _to_read(least, text) > len(text) else least


def _to_read(read: _Read, text: str) -> int:
    """Return how many characters a reading leaves to read: all after a difference, if it did not reach the end of its text."""
    start, end = _shared(read.text, text)
    return len(text) - start - (end if read.is_complete else 0)


def _remember(read: _Read | None) -> None:
    """Keep a reading, and forget those that were not used for long."""
    if read is None:
        return
    if read in READINGS:
        READINGS.remove(read)
    READINGS.append(read)
    while len(READINGS) > 1 and _is_too_much():
        READINGS.pop(0)


def _is_too_much() -> bool:
    events = sum(len(read.events) for read in READINGS)
    characters = sum(len(read.text) for read in READINGS)
    return len(READINGS) > _MOST or events > _MOST_EVENTS or characters > MOST_CHARACTERS


def _shared(before: str, after: str) -> _Shared:
    shorter = min(len(before), len(after))
    start = _longest(shorter, lambda low, high: before[low:high] == after[low:high])

    def ends_alike(low: int, high: int) -> bool:
        return _from_end(before, low, high) == _from_end(after, low, high)

    return _Shared(start, _longest(shorter - start, ends_alike))


def _from_end(text: str, low: int, high: int) -> str:
    return text[len(text) - high : len(text) - low]


def _longest(most: int, is_equal: Callable[[int, int], bool]) -> int:
    """Return the length of the longest common part, up to `most`; `is_equal` compares from one offset to another."""
    low = 0
    while low < most:
        middle = (low + most + 1) // 2
        if is_equal(low, middle):
            low = middle
        else:
            most = middle - 1
    return low


class _Rereading:
    """Reads a text into `read`, with the help of a reading of a similar text."""

    def __init__(self, read: _Read, earlier: _Read | None) -> None:
        self._read = read
        self._reading = Reading(read.text)
        self._earlier = _Read("") if earlier is None else earlier
        shared = _shared(self._earlier.text, read.text)
        self._moved = len(read.text) - len(self._earlier.text)
        self._same_from = len(self._earlier.text) - shared.end
        self._later = {each.state.position.offset: each for each in self._earlier.states}
        self._begin(shared.start - _LOOKAHEAD)

    def _begin(self, end: int) -> None:
        """Take over the states and events that end before a place."""
        states = [each for each in self._earlier.states if each.state.position.offset <= end]
        if states:
            self._read.states = states
            self._read.events = self._earlier.events[: states[-1].events]
            self._reading.restore(states[-1].state)

    def run(self) -> None:
        """Read the text to the end of its first document; raise MarkedYAMLError."""
        read = self._read
        while not read.is_complete:
            event = self._reading.next_event()
            if event is not None:
                read.events.append(event)
            if event is None or event.__class__ is DocumentEndEvent:
                read.is_complete = True
            elif self._reading.is_calm:
                self._use(self._reading.state())

    def _use(self, state: State) -> None:
        """Keep a state; take over all that follows if the earlier reading had the same one."""
        offset = state.position.offset - self._moved
        earlier_state = self._later.get(offset) if offset >= self._same_from else None
        if earlier_state is None or not earlier_state.state.is_like(state):
            self._read.keep(state)
            return
        self._later = {}
        end = None if self._earlier.is_complete else self._earlier.states[-1].events
        by = state.position.line - earlier_state.state.position.line
        move = _Move(
            self._moved, by, dict(zip(map(id, earlier_state.state.marks), state.marks, strict=True))
        )
        shift = len(self._read.events) - earlier_state.events
        later = self._earlier.states[self._earlier.states.index(earlier_state) :]
        self._read.events += map(move.event, self._earlier.events[earlier_state.events : end])
        self._read.states += [_Kept(move.state(each.state), each.events + shift) for each in later]
        self._read.is_complete = self._earlier.is_complete
        if not self._read.is_complete:
            self._reading.restore(self._read.states[-1].state)


class _Move:
    """Moves events and states by characters and lines; `marks` are those of collections that began before, by identity."""

    def __init__(self, characters: int, lines: int, marks: dict[int, Any]) -> None:
        self._characters = characters
        self._lines = lines
        self._marks = marks
        self._is_needed = bool(characters or lines)

    def event(self, event: Any) -> Any:
        """Return an event, which is not changed, at its new place."""
        if not self._is_needed:
            return event
        start = self._mark(event.start_mark)
        return _AT.get(event.__class__, _other)(event, start, self._mark(event.end_mark))

    def state(self, state: State) -> State:
        """Return a state at its new place."""
        marks = tuple(self._marks.get(id(mark)) or self._mark(mark) for mark in state.marks)
        position = state.position
        moved = Position(
            position.offset + self._characters, position.line + self._lines, position.column
        )
        return state._replace(position=moved, marks=marks)

    def _mark(self, mark: Any) -> StreamMark:
        index, line = mark.index + self._characters, mark.line + self._lines
        return StreamMark(None, index, line, mark.column)


def _scalar(event: Any, start: StreamMark, end: StreamMark) -> Any:
    return ScalarEvent(
        event.anchor,
        event.ctag,
        event.implicit,
        event.value,
        start,
        end,
        event.style,
    )


def _start(event: Any, start: StreamMark, end: StreamMark) -> Any:
    return event.__class__(
        event.anchor,
        event.ctag,
        event.implicit,
        start,
        end,
        event.flow_style,
    )


def _end(event: Any, start: StreamMark, end: StreamMark) -> Any:
    return event.__class__(start, end)


def _other(event: Any, start: StreamMark, end: StreamMark) -> Any:
    copied = copy(event)
    copied.start_mark, copied.end_mark = start, end
    return copied


# Most events are of these classes, which their classes make in less time than a copy takes.
_AT: Final[dict[type, Callable[[Any, StreamMark, StreamMark], Any]]] = {
    ScalarEvent: _scalar,
    MappingStartEvent: _start,
    SequenceStartEvent: _start,
    MappingEndEvent: _end,
    SequenceEndEvent: _end,
}
