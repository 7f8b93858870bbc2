"""Programs of checked expressions, with the functions and costs of a server."""

from __future__ import annotations

from functools import cache
from itertools import chain

from crdlint.cel.compiler import Compiled
from crdlint.cel.decls import Env
from crdlint.cel.eval.cost import CostModel
from crdlint.cel.eval.functions import Functions
from crdlint.cel.eval.program import Program, plan
from crdlint.cel.library.stdlib_functions import BOUND, SINGLETONS
from crdlint.kubecel.environment import LIBRARIES, OVERLOAD_COSTS, Environment, function_costs
from crdlint.kubernetes.servers import CELDialect


def program(compiled: Compiled, environment: Environment) -> Program:
    """Return the program of an expression without errors; raise PlanError if it cannot be planned."""
    return plan(compiled.expr, compiled.result, functions_of(environment.env), costs_of(environment.dialect))


@cache
def functions_of(env: Env) -> Functions:
    """Return the functions that an environment declares, with their implementations."""
    bindings = dict(BOUND)
    for library in LIBRARIES:
        bindings |= library.older_bindings(env.dialect)
    regexes = {name: call for library in LIBRARIES for name, call in library.regexes.items()}
    return Functions(chain.from_iterable(env.functions.values()), bindings, SINGLETONS, regexes)


@cache
def costs_of(dialect: CELDialect) -> CostModel:
    """Return the cost model of a server for evaluation."""
    return CostModel(dialect, OVERLOAD_COSTS, function_costs(dialect))
