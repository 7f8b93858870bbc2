"""What `crdlint.light` makes behaves as what the standard library makes."""

from __future__ import annotations

import copy
import dataclasses
import operator
import pickle
import sys
from dataclasses import field
from enum import Enum as StandardEnum
from enum import auto
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any, ClassVar
from typing import NamedTuple as StandardTuple

import pytest

import crdlint
from crdlint.diagnostics import Diagnostic, Fix, Related
from crdlint.light import Enum, NamedTuple, dataclass, defaults_of, import_on_use, replace
from crdlint.yaml.edit import Edit

if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True)
class _One:
    only: int


def _shapes(make: Callable[..., Any]) -> list[Any]:
    """Return classes with all kinds of fields, made by a function."""

    @make(slots=True)
    class All:
        required: int
        default: str = "a"
        made: list[int] = field(default_factory=list)
        _made: dict[str, int] = field(default_factory=dict)
        later: int = field(init=False, default=4)
        new: set[int] = field(init=False, default_factory=set)
        unset: int = field(init=False)
        known: ClassVar[int] = 5

    @make(kw_only=True)
    class Named:
        required: int
        default: str = "a"

        def __post_init__(self) -> None:
            self.default += "b"

    @make
    class Below(Named):
        more: int = field(default=1, kw_only=False)
        last: bool = field(default=False, kw_only=True)

    @make
    class Empty:
        pass

    return [All, Named, Below, Empty]


CALLS: tuple[tuple[int, tuple[object, ...], dict[str, object]], ...] = (
    (0, (1,), {}),
    (0, (1, "b", [2], {"c": 3}), {}),
    (0, (1,), {"_made": {}, "default": "c"}),
    (0, (), {}),
    (0, (1,), {"later": 1}),
    (1, (), {"required": 1}),
    (1, (1,), {}),
    (2, (7,), {"required": 1, "last": True}),
    (2, (), {}),
    (3, (), {}),
    (3, (1,), {}),
)


@pytest.mark.parametrize(("kind", "arguments", "named"), CALLS)
def test_values_are_made_as_by_the_standard_library(
    kind: int, arguments: tuple[object, ...], named: dict[str, object]
) -> None:
    calls = [(make, arguments, named) for make in (dataclass, dataclasses.dataclass)]
    results = {_values(make, kind, *given, **rest) for make, given, rest in calls}
    assert len(results) == 1


def _values(make: Callable[..., Any], kind: int, *arguments: object, **named: object) -> str:
    """Return what two calls of a class give its fields, of which the first one compiles it, or the error of the first."""
    cls = _shapes(make)[kind]
    try:
        values = [cls(*arguments, **named) for _ in range(2)]
    except TypeError as error:
        return str(error).rpartition(".")[2]
    names = [each.name for each in dataclasses.fields(cls)]
    return str([[getattr(value, name, "unset") for name in names] for value in values])


def test_a_thread_may_compile_a_class_while_another_one_makes_a_value() -> None:
    @dataclass(slots=True)
    class Counted:
        number: int

    begun = Counted.__init__
    counted = [Counted(number) for number in range(100)]
    assert Counted.__init__ is not begun
    begun(counted[0], 7)
    assert counted[0] == Counted(7)


def test_values_are_made_alike_before_and_after_the_class_is_compiled() -> None:
    kind = _shapes(dataclass)[0]
    made = [kind(1, made=[number]) for number in range(100)]
    assert {value.required for value in made} == {1}
    assert [value.made for value in made] == [[number] for number in range(100)]
    assert not any(hasattr(value, "unset") for value in made)


@pytest.mark.parametrize("options", [{}, {"frozen": True}, {"order": True}, {"slots": True}])
def test_values_are_compared_as_by_the_standard_library(options: dict[str, bool]) -> None:
    results = {_comparisons(make, options) for make in (dataclass, dataclasses.dataclass)}
    assert len(results) == 1


def _comparisons(make: Callable[..., Any], options: dict[str, bool]) -> str:
    """Return what the operators return for values of a class, and whether they can be keys."""

    class Pair:
        first: int
        second: int = 0
        beside: int = field(default=0, compare=False, repr=False)

    kind: Any = make(**options)(Pair)
    values: list[Any] = [kind(1), kind(1, 0, 5), kind(1, 2), kind(0, 9)]
    operators: tuple[Callable[[Any, Any], object], ...] = (
        operator.eq,
        operator.ne,
        operator.lt,
        operator.le,
        operator.gt,
        operator.ge,
    )
    results = [
        _outcome(lambda: run(one, other))  # noqa: B023  it is called at once
        for run in operators
        for one in values
        for other in (*values, (1, 0))
    ]
    return str([results, _outcome(lambda: hash(values[0]) == hash(kind(1)))])


def _outcome(run: Callable[[], object]) -> str:
    try:
        return str(run())
    except TypeError as error:
        return type(error).__name__


def test_the_standard_library_knows_the_fields() -> None:
    for make in (dataclass, dataclasses.dataclass):
        kind: Any = make(slots=True)(
            type("Pair", (), {"__annotations__": {"a": "int", "b": "str"}, "b": "c"})
        )
        value: Any = kind(1)
        is_known = dataclasses.is_dataclass(value)
        assert is_known
        assert dataclasses.asdict(value) == {"a": 1, "b": "c"}
        assert dataclasses.replace(value, a=2) == kind(2)


def test_the_fields_of_all_classes_are_those_of_the_standard_library() -> None:
    """It refuses a list as a default, and a field without a default behind one with a default."""
    modules = [module.name for module in walk_packages(crdlint.__path__, "crdlint.")]
    skipped = ("crdlint.lsp", "crdlint.__main__")
    loaded = [import_module(name) for name in modules if not name.startswith(skipped)]
    kinds = {
        id(value): value
        for module in loaded
        for value in vars(module).values()
        if isinstance(value, type) and hasattr(value, "__light_fields__")
    }
    assert len(kinds) > 200
    for kind in kinds.values():
        fields: dict[str, Any] = kind.__light_fields__
        standard = {
            each.name: (each.init, each.repr, each.compare) for each in dataclasses.fields(kind)
        }
        assert {
            name: (each.init, each.repr, each.compare) for name, each in fields.items()
        } == standard


class _Place(NamedTuple):
    """A position."""

    line: int
    column: int = 1

    def shown(self) -> str:
        return f"{self.line}:{self.column}"


class _StandardPlace(StandardTuple):
    line: int
    column: int = 1


@pytest.mark.parametrize("kind", [_Place, _StandardPlace], ids=["light", "standard"])
def test_named_tuples_are_those_of_the_standard_library(kind: Any) -> None:
    assert kind(1) == (1, 1)
    assert kind(column=3, line=2) == (2, 3)
    assert [kind(number, 0)[0] for number in range(100)] == [*range(100)]
    assert repr(kind(2, 3)).partition("(")[2] == "line=2, column=3)"
    assert kind(2)._replace(line=4) == (4, 1)
    assert kind._make([5, 6])._asdict() == {"line": 5, "column": 6}
    assert pickle.loads(pickle.dumps(kind(7))) == (7, 1)
    assert copy.copy(kind(8)).line == 8
    assert (kind._fields, kind._field_defaults) == (("line", "column"), {"column": 1})
    wrong: tuple[Callable[[], object], ...] = (
        kind,
        lambda: kind(1, 2, 3),
        lambda: kind(1, row=2),
        lambda: kind._make([1]),
    )
    for call in wrong:
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match=r"unexpected field names"):
        kind(1)._replace(row=2)
    with pytest.raises(AttributeError):
        kind(1).line = 2


def test_a_named_tuple_has_the_methods_of_its_class() -> None:
    assert _Place(2).shown() == "2:1"
    assert _Place.__doc__ == "A position."


class _Size(Enum):
    """A size."""

    SMALL = auto()
    LARGE = "large"
    _known = 3

    def is_small(self) -> bool:
        return self is _Size.SMALL


class _StandardSize(StandardEnum):
    """A size."""

    SMALL = auto()
    LARGE = "large"


@pytest.mark.parametrize("kind", [_Size, _StandardSize], ids=["light", "standard"])
def test_members_are_those_of_the_standard_library(kind: Any) -> None:
    small, large = kind
    assert [small, large] == [kind.SMALL, kind.LARGE]
    assert (len(kind), [*kind.__members__]) == (2, ["SMALL", "LARGE"])
    assert (small.name, small.value, large.name, large.value) == ("SMALL", 1, "LARGE", "large")
    assert small != large
    assert small != 1
    assert {small: 1, large: 2}[kind.LARGE] == 2
    assert str(small) == f"{kind.__name__}.SMALL"
    assert repr(large) == f"<{kind.__name__}.LARGE: 'large'>"
    assert isinstance(small, kind)
    for made in (pickle.loads(pickle.dumps(large)), copy.copy(large), copy.deepcopy(large)):
        assert made is large


def test_members_have_the_methods_of_their_class() -> None:
    assert [each.is_small() for each in _Size] == [True, False]
    assert _Size.__doc__ == "A size."


def test_the_defaults_of_a_class_are_those_of_its_fields() -> None:
    assert defaults_of(_shapes(dataclass)[0]) == {"default": "a", "later": 4}


def test_each_value_has_a_list_of_its_own() -> None:
    kind = _shapes(dataclass)[0]
    first, second = kind(1), kind(2)
    first.made.append(3)
    assert (first.made, second.made) == ([3], [])


VALUES: tuple[tuple[DataclassInstance, dict[str, object]], ...] = (
    (_One(1), {"only": (1, 2)}),
    (Edit(1, 2, "a"), {"text": "b", "start": 0}),
    (Fix("Write it", "safe", (Edit(1, 2, "a"),)), {"applicability": "unsafe"}),
    (Related("here", "a.yaml", 1, 2), {}),
    (Diagnostic("storage", "advice", "a-rule", "info", "A sentence."), {"hidden": True, "version": "v1"}),
)  # fmt: skip


def test_a_copy_is_that_of_the_standard_library() -> None:
    for value, changes in VALUES:
        copy = replace(value, **changes)
        assert copy == dataclasses.replace(value, **changes)
        assert copy is not value
        assert type(copy) is type(value)


@pytest.mark.parametrize("number", range(3))
def test_a_copy_of_each_shape_is_that_of_the_standard_library(number: int) -> None:
    kind = _shapes(dataclass)[number]
    value = kind(required=1)
    copy = replace(value, required=2)
    standard = dataclasses.replace(value, required=2)
    names = [each.name for each in dataclasses.fields(kind)]
    assert [getattr(copy, name, "unset") for name in names] == [
        getattr(standard, name, "unset") for name in names
    ]


def test_a_copy_with_an_unknown_field_is_an_error() -> None:
    with pytest.raises(KeyError):
        replace(_One(1), other=2)  # type: ignore[call-arg]


def test_a_module_is_executed_when_something_is_read_from_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    import_on_use("colorsys")
    module = import_module("colorsys")
    assert "rgb_to_hsv" not in vars(module)
    assert module.rgb_to_hsv(1, 1, 1) == (0, 0, 1)
    with pytest.raises(AttributeError, match="colorsys"):
        _ = module.unknown
    import_on_use("colorsys")
    assert import_module("colorsys") is module


def test_a_package_is_executed_when_something_is_read_from_it_but_not_for_its_modules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [name for name in sys.modules if f"{name}.".startswith("wsgiref.")]:
        monkeypatch.delitem(sys.modules, name)
    import_on_use("wsgiref.headers")
    package = import_module("wsgiref")
    assert "Headers" not in vars(package.headers)
    assert package.headers.Headers([("a", "b")])["a"] == "b"


def test_a_class_that_is_only_named_does_not_execute_its_module(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    import_on_use("colorsys", named="rgb_to_hsv")
    module = import_module("colorsys")
    named = [module.rgb_to_hsv]
    assert named == [object]
    assert "hsv_to_rgb" not in vars(module)
    assert module.rgb_to_hsv(1, 1, 1) == (0, 0, 1)


def test_a_module_that_cannot_be_imported_fails_at_its_import() -> None:
    import_on_use("no_such_module")
    with pytest.raises(ModuleNotFoundError):
        import_module("no_such_module")
