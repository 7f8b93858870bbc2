"""The Kubernetes version that a new rule requires, and the feature that older versions lack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crdlint.cel.ast import Comprehension, Select, nodes
from crdlint.cel.builder import RESERVED
from crdlint.kubecel.environment import KEYWORDS_AS_FIELDS, LIBRARIES, new_expressions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.kubecel.compilation import Expression
    from crdlint.kubecel.library.declaration import Library
    from crdlint.kubernetes.servers import Range, Server, Version


@dataclass(frozen=True, slots=True)
class Requirement:
    """The oldest server that accepts an expression, and a short reason why older ones do not."""

    server: Server
    reason: str


def requirement(expression: Expression, versions: Range) -> Requirement | None:
    """Return the requirement of an expression that the newest version accepts, or None if the oldest accepts it as well.

    Stored expressions have no requirement.
    """
    if expression.error is not None or expression.environment.is_stored:
        return None
    accepting = (server for server in versions.servers if expression.under(new_expressions(server)).error is None)
    server = next(accepting, versions.newest)
    if server is versions.oldest:
        return None
    introduced = (server.major, server.cel.compatible_with)
    used = ", ".join(_used(expression, introduced))
    reason = f"{used} came with {introduced[0]}.{introduced[1]}, and new rules may use it from {server} on"
    return Requirement(server, reason if used else "")


def _used(expression: Expression, introduced: Version) -> Iterator[str]:
    """Yield the features used by an expression that a version introduced."""
    if introduced == KEYWORDS_AS_FIELDS:
        selected = (node.field for node in nodes(expression.compiled.expr) if isinstance(node, Select))
        words = ", ".join(f"`{word}`" for word in dict.fromkeys(selected) if word in RESERVED)
        if words:
            yield f"{words} as a field's name"
    for library in LIBRARIES:
        if library.introduced == introduced:
            yield from _names(expression, library)


def _names(expression: Expression, library: Library) -> Iterator[str]:
    references = expression.compiled.result.reference_map.values()
    ids = {id_ for reference in references for id_ in reference.overload_ids}
    functions = dict.fromkeys(row.function for row in library.functions if row.id in ids)
    yield from (f"`{name}()`" for name in functions if name.replace(".", "").isidentifier())
    if any(count == 3 for _, count, _ in library.macros) and any(
        isinstance(node, Comprehension) and node.iter_var2 for node in nodes(expression.compiled.expr)
    ):
        yield "macros over two variables"
