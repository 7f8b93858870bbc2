"""How the CEL of one Kubernetes server differs from that of others, as named switches."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CELDialect:
    """The CEL of a server: its libraries, checker and costs. The defaults are those of the oldest server in the table.

    ``compatible_with`` is the minor version whose libraries new expressions may use, and ``stored_with`` the last one
    whose libraries the server has for stored expressions.
    """

    compatible_with: int
    stored_with: int
