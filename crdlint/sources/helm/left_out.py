"""CRDs that the values of a chart leave out, and the values that render them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from crdlint.files.read import UnreadableError, decode, read_bytes
from crdlint.rules.charts import SKIPPED
from crdlint.sources.helm.layout import CHART
from crdlint.yaml.nodes import Scalar, child, items_of
from crdlint.yaml.parse import parse_first

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.linting.result import FileResult
    from crdlint.sources.helm.masking import Block, Masked

# A condition on values alone: whether they are set, joined by `and` or `or`.
_SIMPLE: Final = re.compile(r"if\s+(?:(?P<join>and|or)\s+)?(?P<values>(?:\(?(?:not\s+)?\.Values(?:\.\w+)+\)?\s*)+)")
_VALUE: Final = re.compile(r"(not\s+)?\.Values\.([\w.]+)")
_SHOWN: Final = 60
_CHOOSE: Final = "choose others with `--set` or `--values`"


def explained(result: FileResult, help_of: Callable[[int], str]) -> FileResult:
    """Return the result of a template with other helps for CRDs that are not checked, by their lines."""
    diagnostics = tuple(
        replace(finding, help=help_of(finding.line)) if finding.rule == SKIPPED.id else finding
        for finding in result.diagnostics
    )
    return replace(result, diagnostics=diagnostics)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The CRDs of a template that Helm renders without them: its path is that below the outermost chart."""

    masked: Masked
    chart: str
    template: str

    def help(self, line: int) -> str:
        """Return which values render the CRD at a line, or the condition that leaves it out."""
        assignments: list[str] = []
        inner = self.template.split("/")[1:-2:2] if self.template.startswith("charts/") else []
        for block in self.masked.blocks:
            if not block.line <= line <= block.end_line or block.directive.keyword != "if":
                continue
            needed = _assignments(block)
            if needed is None:
                body = " ".join(block.directive.body.split())[:_SHOWN]
                return f"`{{{{ {body} }}}}` in line {block.line} leaves it out: {_CHOOSE}"
            assignments += [name if name.startswith("global.") else ".".join((*inner, name)) for name in needed]
        if not assignments:
            assignments = [f"{name}=true" for name in _condition(self.chart, inner[:1])]
        shown = " ".join(f"--set {assignment}" for assignment in assignments)
        return f"The values leave it out: `{shown}` renders it" if shown else f"The values leave it out: {_CHOOSE}"


def _assignments(block: Block) -> list[str] | None:
    """Return the assignments for which the condition of a block holds, or None if it is not only about values being set."""
    simple = None if block.has_else else _SIMPLE.fullmatch(block.directive.body.strip())
    if simple is None:
        return None
    needed = [f"{name}={'false' if negated else 'true'}" for negated, name in _VALUE.findall(simple["values"])]
    return needed[:1] if simple["join"] == "or" else needed


def _condition(chart: str, inner: list[str]) -> list[str]:
    """Return the value on which a chart includes an inner chart, if there is one."""
    try:
        root = parse_first(decode(read_bytes(os.path.join(chart, CHART)))).root
    except UnreadableError:
        return []
    for dependency in items_of(child(root, "dependencies")):
        names = [child(dependency, key) for key in ("name", "alias", "condition")]
        name, alias, condition = (node.value if isinstance(node, Scalar) else "" for node in names)
        if inner and inner[0] in {name, alias} and condition:
            return [condition.partition(",")[0].strip()]
    return []
