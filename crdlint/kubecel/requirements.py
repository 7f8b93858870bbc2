"""From which Kubernetes version on a new rule is accepted, and what it uses that older ones lack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crdlint.cel.ast import Comprehension, Select
from crdlint.cel.builder import RESERVED
from crdlint.cel.traversal import nodes
from crdlint.kubecel.environment import KEYWORDS_AS_FIELDS, LIBRARIES, new_expressions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.kubecel.compilation import Expression
    from crdlint.kubecel.library.declaration import Library
    from crdlint.kubernetes.servers import Range, Server, Version


@dataclass(frozen=True, slots=True)
class Requirement:
    """The first server that accepts an expression, and in a word or two why older ones do not."""

    server: Server
    reason: str


def requirement(expression: Expression, versions: Range) -> Requirement | None:
    """Return what an expression that the newest version takes requires, None where the oldest takes it too.

    An expression that is stored already requires nothing.
    """
    if expression.error is not None or expression.environment.is_stored:
        return None
    accepting = (one for one in versions.servers if expression.under(new_expressions(one)).error is None)
    server = next(accepting, versions.newest)
    if server is versions.oldest:
        return None
    used = ", ".join(_used(expression, (server.major, server.cel.compatible_with)))
    return Requirement(server, f"{used}, which new CRDs may use one release later" if used else "")


def _used(expression: Expression, introduced: Version) -> Iterator[str]:
    """Yield what an expression uses of what a version brought."""
    if introduced == KEYWORDS_AS_FIELDS:
        selected = (node.field for node in nodes(expression.compiled.expr) if isinstance(node, Select))
        words = ", ".join(f"`{word}`" for word in dict.fromkeys(selected) if word in RESERVED)
        if words:
            yield f"{words} as a field's name, of {_text(introduced)}"
    for library in LIBRARIES:
        if library.introduced == introduced:
            names = list(_names(expression, library))
            if names:
                yield f"{', '.join(names)}, library {library.name} of {_text(introduced)}"


def _names(expression: Expression, library: Library) -> Iterator[str]:
    references = expression.compiled.result.reference_map.values()
    ids = {id_ for reference in references for id_ in reference.overload_ids}
    functions = dict.fromkeys(row.function for row in library.functions if row.id in ids)
    yield from (f"{name}()" for name in functions if name.replace(".", "").isidentifier())
    if any(count == 3 for _, count, _ in library.macros) and any(
        isinstance(node, Comprehension) and node.iter_var2 for node in nodes(expression.compiled.expr)
    ):
        yield "macros over two variables"


def _text(version: Version) -> str:
    return f"{version[0]}.{version[1]}"
