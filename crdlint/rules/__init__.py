"""The checks, one module a family."""

from __future__ import annotations

from typing import Final

# The sets of rules that a team can request by one name.
SETS: Final = ("conventions", "ssa", "gitops", "stability")
