"""The JSON object of `crdlint cost`, as docs/cost.md describes it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from crdlint.kubecel.limits import CRD_COST_LIMIT, RULE_COST_LIMIT
from crdlint.report.escapes import json_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.linting.cost_entries import Entry
    from crdlint.report.pieces import Costs, View


class Report:
    """The whole object."""

    def __init__(self, view: View) -> None:
        del view

    def pieces(self, costs: Costs) -> Iterator[str]:
        """Yield the object."""
        document = {
            "version": 1,
            "limits": {"rule": RULE_COST_LIMIT, "schema": CRD_COST_LIMIT},
            "rules": [_rule(one) for one in costs.shown],
            "unestimated": [asdict(one) for one in costs.unestimated],
            "unreadable": [{"file": file, "reason": reason} for file, reason in costs.problems],
        }
        yield f"{json_text(document, 2)}\n"


def _rule(one: Entry) -> dict[str, object]:
    by_version = {version: asdict(cost) for version, cost in one.by_version.items()}
    return asdict(one.cost) | {"place": one.place, "times": one.times, "help": one.help, "by_version": by_version}
