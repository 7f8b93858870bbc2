"""The limit of the work that crdlint does for one document."""

from __future__ import annotations

from typing import Final

from crdlint.crd.errors import EVALUATION_LIMIT
from crdlint.rules.engine.rule import Rule


def _schema(times: int) -> str:
    doubled = ".map(x, x + x)" * times
    rule = f"[['a']]{doubled}.all(x, x.indexOf('b') < 0)"
    spec = f"    type: object\n    default: {{}}\n    x-kubernetes-validations:\n    - rule: >-\n        {rule}\n"
    return f"type: object\nproperties:\n  config:\n{spec}"


LIMIT: Final = Rule(
    id=EVALUATION_LIMIT,
    summary="Evaluating a rule or pattern takes too much work",
    why="crdlint limits the work for each document, so that no input can block a run. Whether the API server accepts "
    "the object remains unknown.",
    bad=_schema(24),
    good=_schema(2),
    help="Simplify the rule or the pattern, or split the document; the API server has to do the same work",
    origin="crdlint",
)

RULES = (LIMIT,)
