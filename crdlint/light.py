"""Dataclasses, named tuples and patterns that every run makes, in a tenth of the time: what is generated is left to first use.

`replace` is that of dataclasses, in a quarter of the time: each finding is copied a few times.

To type checkers they are those of the standard library: a class that is frozen is one for them, and they keep to it. At run time
the standard library compiles up to seven functions for a dataclass and one text for each field of a named tuple, which was a
quarter of the time of checking one file.
"""

from __future__ import annotations

import re
from collections import namedtuple
from functools import partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import replace as replace
    from re import compile as regex
    from typing import NamedTuple as NamedTuple
else:

    def dataclass(cls=None, /, *, eq=True, frozen=False, **options):
        """Make a dataclass whose `__init__` is compiled on its first call; what compares and prints it is shared by all."""
        if cls is None:
            return partial(
                dataclass,
                eq=eq,
                frozen=frozen,
                **options,
            )
        import dataclasses  # not for an answer of an earlier run

        own = frozenset(vars(cls))
        # For a class without a docstring, the standard library makes one of its signature, and parses that as Python.
        cls.__doc__ = cls.__doc__ or cls.__qualname__
        result = dataclasses.dataclass(
            cls,
            init=False,
            repr=False,
            eq=False,
            **options,
        )
        if "__init__" not in own:
            result.__init__ = _first_init(result)
        if "__repr__" not in own:
            result.__repr__ = _shown
        if eq:
            _compare_by_fields(result, own, frozen=frozen)
        return result

    def _first_init(cls):
        def first(self, /, *arguments, **named):
            cls.__init__ = _compiled_init(cls)
            cls.__init__(self, *arguments, **named)

        return first

    def _compiled_init(cls):
        """Return the `__init__` of a dataclass, compiled from a text as the standard library does."""
        positional, named, body, namespace = [], [], [], {"_not_given": object()}
        for field in _fields(cls):
            name = field.name
            namespace |= {f"_default_{name}": field.default, f"_new_{name}": field.default_factory}
            parameter, value, default = _of_field(field)
            if field.init:
                (named if field.kw_only else positional).append(parameter)
                body.append(f"self.{name} = {value}")
            elif default is not None:
                body.append(f"self.{name} = {default}")
        if hasattr(cls, "__post_init__"):
            body.append("self.__post_init__()")
        parameters = ", ".join(["self", *positional, *(["*", *named] if named else [])])
        text = f"def __init__({parameters}):\n " + "\n ".join(body or ["pass"])
        members = {}
        exec(text, namespace, members)  # noqa: S102  it consists of names of fields
        members["__init__"].__qualname__ = f"{cls.__qualname__}.__init__"
        return members["__init__"]

    def _of_field(field):
        """Return the texts of a field's parameter, of its value, and of its value without a parameter, None without a default."""
        from dataclasses import MISSING

        name, default, new = field.name, f"_default_{field.name}", f"_new_{field.name}()"
        if field.default is not MISSING:
            return f"{name}={default}", name, default
        if field.default_factory is not MISSING:
            return f"{name}=_not_given", f"{new} if {name} is _not_given else {name}", new
        return name, name, None

    def _fields(cls):
        from dataclasses import fields

        return fields(cls)

    def _compare_by_fields(cls, own, *, frozen):
        names = [each.name for each in _fields(cls) if each.compare]
        values = attrgetter(*names) if names else lambda _: ()

        def equal(self, other):
            return (
                values(self) == values(other)
                if other.__class__ is self.__class__
                else NotImplemented
            )

        if "__eq__" not in own:
            cls.__eq__ = equal
        if "__hash__" not in own:
            cls.__hash__ = (lambda self: hash(values(self))) if frozen else None

    @recursive_repr()
    def _shown(self):
        shown = [
            f"{field.name}={getattr(self, field.name)!r}" for field in _fields(self) if field.repr
        ]
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def replace(value, /, **changes):
        """Return a copy of a dataclass with other values of some fields; `__init__` takes all of them by position."""
        kind = value.__class__
        read, positions = _COPIED.get(kind) or _COPIED.setdefault(kind, _copied(kind))
        values = [*read(value)]
        for name, changed in changes.items():
            values[positions[name]] = changed
        return kind(*values)

    _COPIED = {}

    def _copied(kind):
        names = [field.name for field in _fields(kind)]
        # A getter of one name would return a value instead of a tuple.
        read = attrgetter(*names) if names[1:] else lambda value: (getattr(value, names[0]),)
        return read, {name: position for position, name in enumerate(names)}

    class _NamedTuples(type):
        """Makes named tuples from classes with annotations, whose types are not needed at run time."""

        def __new__(cls, name, bases, members):
            if not bases:
                return super().__new__(cls, name, bases, members)
            names = tuple(members.get("__annotations__", ()))
            defaults = [members[each] for each in names if each in members]
            result = namedtuple(
                name,
                names,
                defaults=defaults,
                module=members["__module__"],
            )
            for each, value in members.items():
                if each not in names and each not in _OF_THE_CLASS:
                    setattr(result, each, value)
            return result

    _OF_THE_CLASS = frozenset({"__module__", "__slots__"})

    class NamedTuple(metaclass=_NamedTuples):
        """The base of named tuples."""

    class regex:  # noqa: N801  used as a function
        """A regular expression that is compiled when it is first used."""

        def __init__(self, *arguments):
            self._arguments = arguments

        def __getattr__(self, name):
            value = getattr(re.compile(*self._arguments), name)
            setattr(self, name, value)  # found without this method from now on
            return value


__all__ = ["NamedTuple", "dataclass", "regex", "replace"]
