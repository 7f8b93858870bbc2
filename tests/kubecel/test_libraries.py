"""The declarations of the libraries, taken together."""

from __future__ import annotations

from collections import defaultdict

from crdlint.cel.library.stdlib import FUNCTIONS
from crdlint.cel.library.stdlib_functions import BOUND, SINGLETONS
from crdlint.kubecel.environment import LIBRARIES
from crdlint.kubecel.library import authz

# The evaluator's own steps implement these.
OF_THE_EVALUATOR = {
    "_?_:_",
    "_&&_",
    "_||_",
    "_==_",
    "_!=_",
    "_[_]",
    "_?._",
    "_[?_]",
    "or",
    "orValue",
}


def test_every_function_is_implemented() -> None:
    declared = [
        one
        for library in LIBRARIES
        if library not in (authz.LIBRARY, *authz.LIBRARY.later)
        for one in library.functions
    ]
    missing = [
        one.id
        for one in declared
        if one.implementation is None and one.function not in OF_THE_EVALUATOR
    ]
    assert missing == []
    known = OF_THE_EVALUATOR | SINGLETONS.keys()
    assert [one.id for one in FUNCTIONS if one.id not in BOUND and one.function not in known] == []


def test_every_binding_is_of_a_declared_function() -> None:
    assert BOUND.keys() <= {one.id for one in FUNCTIONS}
    assert SINGLETONS.keys() <= {one.function for one in FUNCTIONS}


def test_costs_are_of_declared_functions_and_each_from_one_library() -> None:
    libraries = defaultdict(set)
    for library in LIBRARIES:
        declared = {one.function for one in library.functions}
        assert library.costs.keys() <= declared, library.name
        for name, cost in library.costs.items():
            libraries[name].add(cost)
    assert [
        name for name, costs in libraries.items() if len({cost.estimate for cost in costs}) > 1
    ] == []


def test_an_overload_is_declared_once() -> None:
    declared = defaultdict(set)
    for library in LIBRARIES:
        for one in library.functions:
            declared[one.id].add(one)
    assert [id_ for id_, ones in declared.items() if len(ones) > 1] == []
