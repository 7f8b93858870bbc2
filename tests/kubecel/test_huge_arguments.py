"""Each function of CEL that crdlint implements, with arguments as large as those of objects: a new one is called, too.

What a function costs Python grows with its arguments, or counts as work, which limits the size of its result.
"""

from __future__ import annotations

from functools import partial
from itertools import islice, product
from typing import TYPE_CHECKING, Any, Final

import pytest
from counting import LINEAR, lines_run
from kubecel_support import call

from crdlint.cel.ast import Uint
from crdlint.cel.errors import FunctionError
from crdlint.cel.eval.values import MAX_TIMESTAMP, NONE, Duration, Map, Optional_, Timestamp
from crdlint.kubecel.environment import new_expressions
from crdlint.kubecel.library.named_formats import FORMATS
from crdlint.kubernetes.servers import NEWEST_VERSION, parse_range
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crdlint.cel.decls import Overload

SIZE: Final = 1000
_FEW: Final = 2000  # lines of Python that any call may run
_MOST_CALLS: Final = 12  # of an overload
_LARGE: Final = 5_000
_MOST: Final = 64 * work.LIMIT  # characters of a result, which the limit of work allows

# Texts that are long for different functions.
TEXTS: Final = ("a", "1", ".", ":", "é", "%s", "a,", "1.", "0:", "(a*)*")
VALUES: Final[dict[str, Callable[[int], list[Any]]]] = {
    "string": lambda size: [text * (size // len(text)) for text in TEXTS],
    "bytes": lambda size: [b"a" * size, b"\xff" * size],
    "int": lambda size: [2**63 - 1, -(2**63), size],
    "uint": lambda _: [Uint(2**64 - 1)],
    "double": lambda _: [1.7e308, float("inf"), float("nan")],
    "bool": lambda _: [True],
    "dyn": lambda size: ["a" * size, ["a" * size] * 9],
    "net.IP": lambda _: [call("string_to_ip", "2001:db8::1")],
    "net.CIDR": lambda _: [call("string_to_cidr", "2001:db8::/32")],
    "kubernetes.Quantity": lambda _: [call("string_to_quantity", "9" * 900)],
    "kubernetes.Semver": lambda size: [call("string_to_semver", f"1.2.3-{'a.' * (size // 2)}b")],
    "kubernetes.URL": lambda size: [call("string_to_url", f"https://example.com/{'a' * size}")],
    "kubernetes.NamedFormat": lambda _: list(FORMATS.values()),
    "google.protobuf.Duration": lambda _: [Duration(2**63 - 1)],
    "google.protobuf.Timestamp": lambda _: [Timestamp(MAX_TIMESTAMP)],
}


def values(type_: str, size: int) -> list[Any]:
    """Return large values of a type; a type without any is a mistake of this test."""
    if type_.startswith("list("):
        return [[one] * size for one in values(type_[5:-1], size)[:3]]
    if type_.startswith("optional_type("):
        return [Optional_(values(type_[14:-1], size)[0]), NONE]
    if type_.startswith("map("):
        return [Map([(f"{number}", "a" * 9) for number in range(size)])]
    return VALUES["dyn" if type_.startswith("<") else type_](size)


def implemented() -> Iterator[Overload]:
    environment = new_expressions(parse_range(NEWEST_VERSION).newest)
    for overloads in environment.env.functions.values():
        yield from (each for each in overloads if each.implementation is not None)


def size_of(value: Any) -> int:
    """Return about how many characters and items a value has."""
    if isinstance(value, Optional_):
        return size_of(value.content) if value is not NONE else 1
    if isinstance(value, list | tuple):
        different = {id(each): each for each in value[:9]}  # memory that items share counts once
        return len(value) + sum(map(size_of, different.values()))
    return len(value) if isinstance(value, str | bytes) else 9


def called(overload: Overload, arguments: tuple[Any, ...]) -> Any:
    """Return the result of a call, or why it has none."""
    assert overload.implementation is not None
    try:
        with work.limited():
            return overload.implementation.call(*arguments)
    except (FunctionError, work.WorkLimitError) as error:
        return str(error)[:99]


def calls(overload: Overload, size: int) -> list[tuple[Any, ...]]:
    kinds = [values(str(type_), size) for type_ in overload.args]
    longest = max(map(len, kinds), default=1)
    same = [tuple(kind[i % len(kind)] for kind in kinds) for i in range(longest)]
    return [*same, *islice(product(*kinds), max(_MOST_CALLS - len(same), 0))]


def test_no_function_fails_or_fills_memory() -> None:
    count = 0
    for overload in implemented():
        for arguments in calls(overload, _LARGE):
            result = called(overload, arguments)
            assert size_of(result) <= _MOST, (overload.id, size_of(result))
            count += 1
    assert count > 400


@pytest.mark.exhaustive
def test_work_grows_as_the_arguments_do() -> None:
    wrong = []
    for overload in implemented():
        pairs = zip(calls(overload, SIZE), calls(overload, 2 * SIZE), strict=True)
        for number, (small, large) in enumerate(pairs):
            called(overload, large)  # what is imported and compiled once counts for neither
            lines = lines_run(partial(called, overload, large))
            before = lines_run(partial(called, overload, small))
            if lines > _FEW and lines > LINEAR * before:
                wrong.append((overload.id, number, before, lines))
    assert wrong == []
