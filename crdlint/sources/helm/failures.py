"""Charts that Helm cannot render, as findings at the positions that it names, and CRDs that the values omit."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from crdlint.crd.positions import Span
from crdlint.files.read import readable_text, text_if_readable
from crdlint.files.repository import is_below
from crdlint.light import NamedTuple, dataclass, regex, replace
from crdlint.linting.result import FileResult
from crdlint.phrases import some
from crdlint.rules.advice.deployment import RENDER, SKIPPED
from crdlint.sources.helm.layout import CHART, VALUES, HelmValues
from crdlint.sources.helm.masking import Block, Masked, mask
from crdlint.yaml.nodes import Mapping, child, items_of, text_of, text_or_empty
from crdlint.yaml.parse import parse_first

if TYPE_CHECKING:
    from crdlint.diagnostics import Severity

INSTEAD: Final = "templates are read without Helm, their directives masked"


class _Cause(NamedTuple):
    """A text in Helm's reason, what helps, the severity (None if it is only a notice), and the key of Chart.yaml to report."""

    mark: str
    help: str
    severity: Severity | None = "error"
    key: str = "name"


_VALUES: Final = (
    "Set the value with `--set` or `--values`, or in a file `ci/*-values.yaml` of the chart"
)
_CAUSES: Final = (
    # The chart itself ends its rendering, by `required` or `fail`, or rejects the values by its schema.
    _Cause("execution error at (", _VALUES),
    _Cause(
        "library charts are not installable",
        "The charts that include this library are checked",
        None,
    ),
    _Cause(
        "missing in charts/",
        "Run `helm dependency build {chart}` first",
        "warning",
        "dependencies",
    ),
    _Cause(
        "incompatible with Kubernetes",
        "Helm installs the chart on no known version",
        "warning",
        "kubeVersion",
    ),
    # YAML reads `{version}` as an object.
    _Cause(
        "cannot unmarshal object into Go struct field Metadata.",
        "Check the chart with values instead of the placeholders in Chart.yaml",
        "info",
    ),
    _Cause("values don't meet the specifications", _VALUES),
    _Cause("", "Check the chart with `helm template {chart}`, which shows the same error"),
)
# The places in Helm's errors; of an error in an included template, the last place is the cause.
_AT: Final = r"(?P<file>[^\s:()]+):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?"
_PLACES: Final = (
    regex(rf"^(?:execution|parse) error at \({_AT}\)"),
    regex(rf"\btemplate: {_AT}: "),
    regex(rf"(?:^| ){_AT} executing \""),  # Helm 4
    regex(r"^YAML parse error on (?P<file>[^\s:]+):"),
)
_OWN_FILE: Final = regex(r"cannot load (values\.yaml|Chart\.yaml)\b")
# The first value that a schema rejects: the chart, the error, and the pointer to the value.
_REJECTED_VALUE: Final = regex(
    r"in the following chart\(s\): (?P<chart>\S+): - (?P<error>at '(?P<pointer>[^']*)': .*?)(?= - at '|$)"
)
# The same before Helm 3.18: the path of the value, `(root)` for all values.
_REJECTED_BEFORE: Final = regex(
    r"in the following chart\(s\): (?P<chart>\S+): - (?P<error>(?P<path>[\w.()-]+): .*?)(?= - [\w.()-]+: |$)"
)
# The dependencies that a chart lacks.
_MISSING: Final = regex(r"missing in charts/ directory: (.{1,200})")
_DEPENDENCIES: Final = "dependencies that are not in charts/"  # a `Diagnostic.cause`
_YAML_LINE: Final = regex(r"\byaml: line (\d{1,9})")


class _RejectedValue(NamedTuple):
    """A value that a schema rejects: the name of the chart, the error, and the keys that lead to the value."""

    chart: str
    error: str
    steps: tuple[str, ...]


def _rejected_value(why: str) -> _RejectedValue | None:
    """Return the first value that a schema rejects, by the words of Helm."""
    now = _REJECTED_VALUE.search(why)
    if now is not None:
        return _RejectedValue(now["chart"], now["error"], tuple(now["pointer"].split("/")[1:]))
    before = _REJECTED_BEFORE.search(why)
    if before is None:
        return None
    steps = () if before["path"] == "(root)" else tuple(before["path"].split("."))
    return _RejectedValue(before["chart"], before["error"], steps)


class _FailedLine(NamedTuple):
    file: str
    text: str
    line: int = 1
    column: int | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Helm does not render a chart: its reason, a description of the values (empty: its own), and whether the user chose them."""

    chart: str
    why: str
    values: str = ""
    is_chosen: bool = False

    @property
    def _cause(self) -> _Cause:
        return next(cause for cause in _CAUSES if cause.mark in self.why)

    @property
    def is_finding(self) -> bool:
        """Whether it is reported as a finding, not only as a notice."""
        return self._cause.severity is not None

    @property
    def entry(self) -> str:
        """The failure as a text for the cache, whose key covers the chart."""
        return f"{self.is_chosen:d}{self.values}\n{self.why}"

    @staticmethod
    def cached(chart: str, entry: str) -> Failure:
        """Return the failure of an entry of the cache."""
        start, _, why = entry.partition("\n")
        return Failure(chart, why, start[1:], start[0] == "1")

    @property
    def notice(self) -> str:
        """The failure as a notice."""
        return f"helm does not render {self.chart}{self.values}: {self.why}; {INSTEAD}"

    def result(self, *, has_crds: bool = True, has_objects: bool = True) -> FileResult:
        """Return the result of the file that Helm names, with a finding at Helm's line and column.

        It is an info if a dependency is missing and no template `has_crds`, which are those of the chart itself, and if there are
        no objects that CRDs may define either.
        """
        position = self._position()
        lines = position.text.split("\n")
        line = min(position.line, len(lines))
        shown = lines[line - 1]
        column = len(shown) - len(shown.lstrip()) if position.column is None else position.column
        span = Span(
            line,
            column + 1,
            line,
            max(len(shown.rstrip()), column + 1) + 1,
        )
        message = f"Helm does not render the chart{self.values}: {self.why}"
        finding = RENDER.diagnostic(
            position.file,
            "advice",
            message,
            span,
            self._cause.help.format(chart=self.chart),
        )
        rejected = _rejected_value(self.why)
        if rejected is not None:
            headline = f"Helm does not render the chart{self.values}: {rejected.error}"
            finding = replace(finding, headline=headline)
        missing = _MISSING.search(self.why)
        if missing is not None:
            headline = f"Helm does not render the chart{self.values} without `{missing[1]}`"
            finding = replace(finding, headline=headline, cause=_DEPENDENCIES)
        severity = self._cause.severity
        if not self.is_chosen and severity is not None:
            is_missing = severity == "warning"
            is_minor = not has_crds and (is_missing or not has_objects)
            finding = replace(finding, severity="info" if is_minor else severity)
        return FileResult(
            position.file,
            position.text,
            diagnostics=(finding,),
            masked=mask(position.text).text,
        )

    def _line_at(self, match: re.Match[str]) -> _FailedLine | None:
        """Return the line of a template that Helm names, None if the chart has no such file."""
        path = os.path.normpath(os.path.join(self.chart, *match["file"].split("/")[1:]))
        is_inside = is_below(os.path.realpath(path), os.path.realpath(self.chart))
        text = text_if_readable(path) if is_inside else None
        if text is None:
            return None
        named = match.groupdict()
        line, column = int(named.get("line") or 1), named.get("column")
        character = None if column is None else _characters(text, line, int(column))
        return _FailedLine(path, text, line, character)

    def _value_line(self) -> _FailedLine | None:
        """Return the line of the chart's own values that a schema rejects: of the last key of the pointer that is there."""
        rejected = None if self.values else _rejected_value(self.why)
        about = readable_text(os.path.join(self.chart, CHART))
        if rejected is None or text_of(child(parse_first(about).root, "name")) != rejected.chart:
            return None
        path = self._path_of(VALUES)
        text = text_if_readable(path)
        node = None if text is None else parse_first(text).root
        line = None
        for step in rejected.steps:
            entry = node.find(step) if isinstance(node, Mapping) else None
            if entry is None:
                break
            line, node = entry[0].start_mark.line + 1, entry[1]
        return None if text is None or line is None else _FailedLine(path, text, line)

    def _position(self) -> _FailedLine:
        """Return the place that Helm names, or the start of Chart.yaml."""
        for pattern in _PLACES:
            matches = list(pattern.finditer(self.why))
            if not matches:
                continue
            line = self._line_at(matches[-1])
            if line is not None:
                return line
        value = self._value_line()
        if value is not None:
            return value
        own = _OWN_FILE.search(self.why)
        if own is not None:
            path = self._path_of(own[1])
            line_match = _YAML_LINE.search(self.why, own.end())
            line_number = 1 if line_match is None else int(line_match[1])
            return _FailedLine(path, readable_text(path), line_number)
        path = self._path_of(CHART)
        text = readable_text(path)
        key = re.search(rf"^{self._cause.key}\b", text, re.MULTILINE)
        return _FailedLine(path, text, 1 if key is None else text.count("\n", 0, key.start()) + 1)

    def _path_of(self, name: str) -> str:
        """Return the path of a file of the chart."""
        return os.path.normpath(os.path.join(self.chart, name))


def _characters(text: str, line: int, column: int) -> int:
    """Return a 0-based column in characters for Go's, which counts bytes."""
    shown = "".join(text.split("\n")[line - 1 : line])
    return len(shown.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))


def with_values(*values: HelmValues) -> str:
    """Return the description of sets of values in a failure, empty for those of the chart."""
    files = [", ".join(run.files) for run in values if run.files]
    return f" with {some(files, 1)}" if files else ""


# A condition on values alone: whether they are set, joined by `and` or `or`.
_SIMPLE: Final = regex(
    r"if\s+(?:(?P<join>and|or)\s+)?(?P<values>(?:\(?(?:not\s+)?\.Values(?:\.\w+)+\)?\s*)+)"
)
_VALUE: Final = regex(r"(not\s+)?\.Values\.([\w.]+)")
_SHOWN: Final = 60
_CHOOSE_VERSION: Final = "choose another version with `--kube-version`"
_CHOOSE: Final = "choose others with `--set` or `--values`"


def explained(result: FileResult, help_of: Callable[[int], str]) -> FileResult:
    """Return the result of a template with other helps for CRDs that are not checked, by their lines."""
    findings = result.diagnostics
    others = (
        replace(each, help=help_of(each.line)) if each.rule == SKIPPED.id else each
        for each in findings
    )
    return replace(result, diagnostics=tuple(others))


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
                choose = _CHOOSE_VERSION if ".KubeVersion" in block.directive.body else _CHOOSE
                return f"`{{{{ {body} }}}}` in line {block.line} leaves it out: {choose}"
            assignments += (_in_parent(name, inner) for name in needed)
        if not assignments:
            assignments = [f"{name}=true" for name in _condition(self.chart, inner[:1])]
        if not assignments:
            return f"The values leave it out: {_CHOOSE}"
        shown = " ".join(f"--set {assignment}" for assignment in assignments)
        return f"The values leave it out: `{shown}` renders it"


def _in_parent(name: str, inner: Sequence[str]) -> str:
    """Return a value of a chart in `charts/` as one of the outermost chart."""
    return name if name.startswith("global.") else ".".join((*inner, name))


def _assignments(block: Block) -> list[str] | None:
    simple = None if block.has_else else _SIMPLE.fullmatch(block.directive.body.strip())
    if simple is None:
        return None
    needed = [
        f"{name}={'false' if negated else 'true'}"
        for negated, name in _VALUE.findall(simple["values"])
    ]
    return needed[:1] if simple["join"] == "or" else needed


def _condition(chart: str, inner: list[str]) -> list[str]:
    """Return the value on which a chart includes an inner chart, if there is one."""
    root = parse_first(readable_text(os.path.join(chart, CHART))).root
    for dependency in items_of(child(root, "dependencies")):
        names = [child(dependency, key) for key in ("name", "alias", "condition")]
        name, alias, condition = map(text_or_empty, names)
        if inner and inner[0] in {name, alias} and condition:
            return [condition.partition(",")[0].strip()]
    return []
