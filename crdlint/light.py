"""Dataclasses, named tuples and patterns that every run makes, in a tenth of the time: what is generated is left to first use.

An enumeration takes a twentieth of the time for each of its members.

So are modules that libraries import, but hardly use (`import_on_use`).

`replace` is that of dataclasses, in a quarter of the time: each finding is copied a few times.

To type checkers they are those of the standard library: a class that is frozen is one for them, and they keep to it. At run time
the standard library compiles up to seven functions for a dataclass and one text for each field of a named tuple, which was a
quarter of the time of checking one file.
"""

from __future__ import annotations

import operator
import re
import sys
from collections import namedtuple
from enum import auto
from functools import partial
from itertools import chain, count
from reprlib import recursive_repr
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

_ABSENT = object()

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import replace as replace
    from enum import Enum as Enum
    from re import compile as regex
    from typing import NamedTuple as NamedTuple
else:
    # A property that is quick; elsewhere than in C, a plain one.
    from collections import _tuplegetter

    def dataclass(
        cls=None,
        /,
        *,
        eq=True,
        frozen=False,
        order=False,
        slots=False,
        kw_only=False,
    ):
        """Make a dataclass whose `__init__` is compiled once many values are made; what compares and prints it is shared by all.

        The standard library makes its own description of the fields when it is asked for it.
        """
        if cls is None:
            return partial(
                dataclass,
                eq=eq,
                frozen=frozen,
                order=order,
                slots=slots,
                kw_only=kw_only,
            )
        own = cls.__dict__.copy()
        fields = _Fields(cls, own, kw_only)
        added = {
            "__init__": _first_init(fields),
            "__repr__": _shown,
            "__light_fields__": fields,
            "__dataclass_params__": _PARAMETERS,
            "__dataclass_fields__": _StandardFields(fields),
        }
        if eq:
            added |= _comparisons(fields, frozen=frozen, order=order)
        if slots:
            return _with_slots(fields, added)
        _keep_defaults(fields)
        for name in added.keys() - own.keys():
            setattr(cls, name, added[name])
        return cls

    class _Fields:
        """The fields of a class and those above it by name, which are read from its annotations once they are needed."""

        def __init__(self, cls, own, kw_only):
            self.cls, self.own, self.kw_only = cls, own, kw_only
            annotations = own.get("__annotations__", {})
            self.names = [
                name for name in annotations if not annotations[name].startswith("ClassVar")
            ]

        def __get__(self, instance, owner):
            return self.by_name

        def __getattr__(self, name):
            if name not in {"by_name", "positional", "values"}:
                raise AttributeError(name)
            self.by_name = self._read()
            compared = [name for name, each in self.by_name.items() if each.compare]
            self.values = operator.attrgetter(*compared) if compared else lambda _: ()
            self.positional = [
                name for name, each in self.by_name.items() if each.init and not each.kw_only
            ]
            return getattr(self, name)

        def _read(self):
            from dataclasses import Field

            fields = {}
            for base in self.of_bases():
                fields |= base.by_name
            for name in self.names:
                value = self.own.get(name, _ABSENT)
                make = _declared if isinstance(value, Field) else _FieldUse
                fields[name] = make(value, self.kw_only)
            return fields

        def of_bases(self):
            """Return the fields of the classes above, the highest first."""
            members = [vars(base) for base in self.cls.__mro__[-2:0:-1]]
            return [each["__light_fields__"] for each in members if "__light_fields__" in each]

    class _FieldUse:
        """A field: its default, or what makes one (`_ABSENT` without), and what it is a part of."""

        __slots__ = ("compare", "default", "init", "kw_only", "new", "repr")

        def __init__(self, default, kw_only):
            self.default, self.new = default, _ABSENT
            self.init = self.repr = self.compare = True
            self.kw_only = kw_only

    def _declared(declared, kw_only):
        """Return a field that is declared by the function `field` of the standard library."""
        from dataclasses import MISSING

        field = _FieldUse(_ABSENT if declared.default is MISSING else declared.default, kw_only)
        field.new = _ABSENT if declared.default_factory is MISSING else declared.default_factory
        field.init, field.repr, field.compare = declared.init, declared.repr, declared.compare
        field.kw_only = kw_only if declared.kw_only is MISSING else declared.kw_only
        return field

    # The standard library wants to know of a class whether the ones above it are frozen.
    _PARAMETERS = SimpleNamespace(frozen=False)

    def _with_slots(fields, added):
        """Return a copy of a class with more members, and with a slot for each field that no class above it has."""
        cls, own = fields.cls, fields.own
        names = [*chain.from_iterable(each.names for each in fields.of_bases()), *fields.names]
        inherited = {slot for base in cls.__mro__[1:] for slot in vars(base).get("__slots__", ())}
        members = added | own
        for name in ("__dict__", "__weakref__", *names):
            members.pop(name, None)
        members["__slots__"] = tuple(name for name in names if name not in inherited)
        members["__qualname__"] = cls.__qualname__
        return type(cls)(cls.__name__, cls.__bases__, members)

    def _keep_defaults(fields):
        """Replace what `field` declares in a class by the defaults, which it has itself."""
        own = fields.own
        for name in fields.names:
            if hasattr(own.get(name), "default_factory"):
                use = fields.by_name[name]
                if use.default is _ABSENT:
                    delattr(fields.cls, name)
                else:
                    setattr(fields.cls, name, use.default)

    # How many values of a class are made without compiling it: that takes 70 µs, and setting fields one by one 3 µs.
    _FEW = 20

    def _first_init(fields):
        """Return an `__init__` that sets one field after the other, until it is called often enough to be compiled."""
        calls = count()

        def first(self, /, *arguments, **named):
            values = dict(zip(fields.positional, arguments, strict=False)) | named
            is_all = len(values) == len(arguments) + len(named)
            is_valid = is_all and _complete(values, fields.by_name)
            if not is_valid or next(calls) >= _FEW:
                # Another thread may have replaced this function already.
                cls = next(
                    base
                    for base in type(self).__mro__
                    if vars(base).get("__light_fields__") is fields
                )
                cls.__init__ = _compiled_init(cls, fields.by_name)
                cls.__init__(self, *arguments, **named)
                return
            for name, value in values.items():
                setattr(self, name, value)
            if hasattr(self, "__post_init__"):
                self.__post_init__()

        return first

    def _complete(values, fields):
        """Add the defaults of fields to the values of a call; return whether it has all that it needs, and nothing else."""
        for name in values:
            if name not in fields or not fields[name].init:
                return False
        for name, field in fields.items():
            if name in values:
                continue
            if field.default is not _ABSENT:
                values[name] = field.default
            elif field.new is not _ABSENT:
                values[name] = field.new()
            elif field.init:
                return False
        return True

    def _compiled_init(cls, fields):
        """Return the `__init__` of a dataclass, compiled from a text as the standard library does."""
        positional, named, body, namespace = [], [], [], {"_not_given": _ABSENT}
        for name, field in fields.items():
            namespace |= {f"_default_{name}": field.default, f"_new_{name}": field.new}
            parameter, value, default = _of_field(name, field)
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

    def _of_field(name, field):
        """Return the texts of a field's parameter, of its value, and of its value without a parameter, None without a default."""
        default, new = f"_default_{name}", f"_new_{name}()"
        if field.default is not _ABSENT:
            return f"{name}={default}", name, default
        if field.new is not _ABSENT:
            return f"{name}=_not_given", f"{new} if {name} is _not_given else {name}", new
        return name, name, None

    def _comparisons(fields, *, frozen, order):
        """Return the methods that compare two values of a class by their fields."""

        def compared(holds):
            def compare(self, other):
                if other.__class__ is not self.__class__:
                    return NotImplemented
                return holds(fields.values(self), fields.values(other))

            return compare

        methods = {"__eq__": compared(operator.eq)}
        if order:
            methods |= {"__lt__": compared(operator.lt), "__le__": compared(operator.le)}
            methods |= {"__gt__": compared(operator.gt), "__ge__": compared(operator.ge)}
        methods["__hash__"] = (lambda self: hash(fields.values(self))) if frozen else None
        return methods

    class _StandardFields:
        """The fields as the standard library describes them, for its functions such as `fields` and `asdict`."""

        def __init__(self, fields):
            self._light = fields
            self._fields = None

        def __get__(self, instance, owner):
            if self._fields is None:
                self._fields = self._described()
            return self._fields

        def _described(self):
            import dataclasses

            cls, own = self._light.cls, self._light.own
            names = {
                "__annotations__",
                "__module__",
                "__orig_bases__",
                *own.get("__annotations__", ()),
            }
            members = {name: value for name, value in own.items() if name in names}
            # For a class without a docstring, the standard library makes one of its signature.
            model = type(cls)(cls.__name__, cls.__bases__, members | {"__doc__": cls.__name__})
            dataclasses.dataclass(
                model,
                init=False,
                repr=False,
                eq=False,
                kw_only=self._light.kw_only,
            )
            return model.__dataclass_fields__

    @recursive_repr()
    def _shown(self):
        fields = self.__light_fields__
        shown = [f"{name}={getattr(self, name)!r}" for name, each in fields.items() if each.repr]
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def replace(value, /, **changes):
        """Return a copy of a dataclass with other values of some fields."""
        kind = value.__class__
        read, positions, by_name = _COPIED.get(kind) or _COPIED.setdefault(kind, _copied(kind))
        values = [*read(value)]
        for name, changed in changes.items():
            values[positions[name]] = changed
        return kind(**dict(zip(positions, values, strict=True))) if by_name else kind(*values)

    _COPIED = {}

    def _copied(kind):
        """Return what reads the fields that a class is made with, their positions, and whether they are given by name."""
        fields = {name: each for name, each in kind.__light_fields__.items() if each.init}
        names = [*fields]
        # A getter of one name would return a value instead of a tuple.
        read = (
            operator.attrgetter(*names) if names[1:] else lambda value: (getattr(value, names[0]),)
        )
        positions = {name: position for position, name in enumerate(names)}
        return read, positions, any(each.kw_only for each in fields.values())

    class _NamedTuples(type):
        """Makes named tuples from classes with annotations, whose types are not needed at run time."""

        def __new__(cls, name, bases, members):
            if not bases:
                return super().__new__(cls, name, bases, members)
            names = tuple(members.get("__annotations__", ()))
            defaults = {each: members[each] for each in names if each in members}
            members |= {each: _tuplegetter(i, None) for i, each in enumerate(names)}
            added = {"_fields": names, "_field_defaults": defaults, "__match_args__": names}
            added |= _OF_TUPLES
            result = type(name, (tuple,), added | members)
            result.__new__ = _first_new(result)
            return result

    def _first_new(kind):
        """Return a `__new__` for the first values, whose calls are not compiled; that is done for many, or a wrong call."""
        calls = count()
        names = kind._fields

        def new(cls, /, *arguments, **named):
            if next(calls) < _FEW:
                is_in_full = len(arguments) == len(names) and not named
                values = arguments if is_in_full else _values_of_call(kind, arguments, named)
                if values is not None:
                    return tuple.__new__(cls, values)
            defaults = kind._field_defaults.values()
            kind.__new__ = namedtuple(kind.__name__, names, defaults=defaults).__new__
            return kind.__new__(cls, *arguments, **named)

        return new

    def _values_of_call(kind, arguments, named):
        """Return the values of all fields for the arguments of a call, None for a wrong one."""
        names = kind._fields
        by_position = dict(zip(names, arguments, strict=False))
        values = kind._field_defaults | by_position | named
        is_once = len(by_position) == len(arguments) and by_position.keys().isdisjoint(named)
        if not is_once or values.keys() != {*names}:
            return None
        return [values[name] for name in names]

    def _make(cls, iterable):
        values = tuple.__new__(cls, iterable)
        if len(values) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(values)}")
        return values

    def _replaced(self, /, **changes):
        kind = self.__class__
        positions = _POSITIONS.get(kind)
        if positions is None:
            positions = _POSITIONS[kind] = {name: i for i, name in enumerate(kind._fields)}
        values = [*self]
        try:
            for name, changed in changes.items():
                values[positions[name]] = changed
        except KeyError as error:
            raise ValueError(f"Got unexpected field names: {[*error.args]!r}") from None
        return tuple.__new__(kind, values)

    _POSITIONS = {}

    def _shown_tuple(self):
        shown = ", ".join(
            f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True)
        )
        return f"{self.__class__.__name__}({shown})"

    _OF_TUPLES = {
        "__slots__": (),
        "_make": classmethod(_make),
        "_replace": _replaced,
        "_asdict": lambda self: dict(zip(self._fields, self, strict=True)),
        "__repr__": _shown_tuple,
        "__getnewargs__": lambda self: tuple(self),
    }

    class NamedTuple(metaclass=_NamedTuples):
        """The base of named tuples."""

    class _Enums(type):
        """Makes the members of an enumeration: values of the class that are made once."""

        def __new__(cls, name, bases, members):
            kind = super().__new__(cls, name, bases, members)
            kind.__members__ = {}
            for each, value in members.items():
                if not each.startswith("_") and not hasattr(value, "__get__"):
                    member = kind.__members__[each] = kind()
                    member.name = each
                    member.value = len(kind.__members__) if isinstance(value, auto) else value
                    setattr(kind, each, member)
            return kind

        def __iter__(cls):
            return iter(cls.__members__.values())

        def __len__(cls):
            return len(cls.__members__)

    class Enum(metaclass=_Enums):
        """The base of enumerations, whose members are equal to themselves only."""

        def __repr__(self):
            return f"<{type(self).__name__}.{self.name}: {self.value!r}>"

        def __str__(self):
            return f"{type(self).__name__}.{self.name}"

        def __reduce__(self):
            return getattr, (type(self), self.name)  # the same member in another process

    class regex:  # noqa: N801  used as a function
        """A regular expression that is compiled when it is first used."""

        def __init__(self, *arguments):
            self._arguments = arguments

        def __getattr__(self, name):
            value = getattr(re.compile(*self._arguments), name)
            setattr(self, name, value)  # found without this method from now on
            return value


def defaults_of(kind: type[Any]) -> dict[str, Any]:
    """Return the defaults of the fields of a dataclass by name, without those that are made for each value."""
    fields = kind.__light_fields__.items()
    return {name: each.default for name, each in fields if each.default is not _ABSENT}


def import_on_use(name: str, *, named: str = "") -> None:
    """Import a module only when something is read from it: importing it or a module in it does not execute it.

    `named` is a class that a library reads first, but only names: it gets `object`.
    """
    from importlib.util import find_spec, module_from_spec  # runs that are answered do not need it

    spec = find_spec(name)
    if spec is None or name in sys.modules:
        return
    module = module_from_spec(spec)
    unread = {named}

    def read(attribute: str) -> object:
        if attribute == "__path__":  # `from` asks each module for that of a package
            raise AttributeError(attribute)
        if attribute in unread:
            unread.remove(attribute)
            return object
        vars(module).pop("__getattr__", None)
        spec.loader.exec_module(module)  # type: ignore[union-attr]  # what is found has one
        return getattr(module, attribute)

    vars(module)["__getattr__"] = read
    sys.modules[name] = module
    package, _, own_name = name.rpartition(".")
    if package:
        setattr(sys.modules[package], own_name, module)


__all__ = ["Enum", "NamedTuple", "dataclass", "defaults_of", "import_on_use", "regex", "replace"]
