"""The values of a chart without Helm: what it takes from its values files, and the conditions that they decide.

Everything that is not certain is `None`: a function that is not evaluated here, or a value of the cluster. Upstream: helm
pkg/chart/common/util/coalesce.go; pkg/chart/v2/util/dependencies.go; text/template, truth.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import ge, gt, le, lt, not_
from sys import maxsize
from typing import Any, Final, TypeAlias

from crdlint.files.read import text_if_readable
from crdlint.files.recognition import KIND
from crdlint.gathering import object_at, object_of
from crdlint.light import NamedTuple, regex
from crdlint.sources.helm.chart import Chart, Dependency
from crdlint.sources.helm.layout import HelmValues
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.json_values import to_json
from crdlint.yaml.parse import parse_first

_GLOBAL: Final = "global"
_SET: Final = regex(r"[\w.-]+=[^,\[\]{}\\]*")  # an assignment that needs no parser of its own
_CONSTANTS: Final[Mapping[str, Any]] = {"true": True, "false": False, "null": None, "": ""}


class UnknownValuesError(Exception):
    """Values that only Helm can read."""


def given_values(values: HelmValues) -> dict[str, Any]:
    """Return the values of files and assignments; raise UnknownValuesError for those that only Helm can read."""
    if any(values.others):
        raise UnknownValuesError
    overrides: dict[str, Any] = {}
    for path in values.files:
        overrides = merged(_read(path), overrides)
    for assignment in values.sets:
        for part in assignment.split(","):
            if not _SET.fullmatch(part):
                raise UnknownValuesError
            name, _, text = part.partition("=")
            overrides = merged(_nested(name.split("."), _CONSTANTS.get(text, text)), overrides)
    return overrides


def _read(path: str) -> dict[str, Any]:
    text = text_if_readable(path)
    if text is None:
        raise UnknownValuesError
    try:
        root = parse_first(text).root
        value = {} if root is None else to_json(root)
    except YAMLDecodeError as error:
        raise UnknownValuesError from error
    return object_of(value)


def _nested(names: Sequence[str], value: Any) -> dict[str, Any]:
    for name in reversed(names):
        value = {name: value}
    return dict(value)


def merged(upper: Mapping[str, Any], lower: Mapping[str, Any]) -> dict[str, Any]:
    """Return values in which those of `upper` come first; a null there removes a value."""
    result = dict(lower)
    for name, value in upper.items():
        below = lower.get(name)
        if isinstance(value, dict) and isinstance(below, dict):
            result[name] = merged(value, below)
        elif value is None and name in lower:
            del result[name]
        else:
            result[name] = value
    return result


def with_defaults(chart: Chart, overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a chart, with those of the charts in it below their names."""
    values = merged(overrides, chart.values)
    for inner in chart.charts:
        below = dict(object_of(values.get(inner.name)))
        if isinstance(values.get(_GLOBAL), dict):
            below[_GLOBAL] = merged(values[_GLOBAL], below.get(_GLOBAL) or {})
        values[inner.name] = with_defaults(inner, below)
    return values


def enabled_charts(chart: Chart, overrides: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the values of the chart and of each chart in it that the values do not turn off, by the chart's path."""
    values = with_defaults(chart, overrides)
    enabled: dict[str, Mapping[str, Any]] = {}
    pending: list[tuple[Chart, Mapping[str, Any], str]] = [(chart, values, "")]
    while pending:
        current, own, prefix = pending.pop()
        enabled[current.path] = own
        on = (inner for inner in current.charts if is_enabled(current, inner, values, prefix))
        pending += ((inner, own.get(inner.name, {}), f"{prefix}{inner.name}.") for inner in on)
    return enabled


def is_enabled(
    chart: Chart,
    inner: Chart,
    values: Mapping[str, Any],
    prefix: str,
) -> bool:
    """Return whether the values of the outermost chart leave a chart in `chart` on; `prefix` is the path of `chart` in them."""
    entry = next((each for each in chart.dependencies if each.alias == inner.name), None)
    if entry is None:
        return True
    by_condition = deciding_condition(entry, values, prefix)
    if by_condition is not None:
        return bool(value_at(values, f"{prefix}{by_condition}"))
    tags = value_at(values, "tags")
    if not isinstance(tags, dict):
        return True
    set_tags = [tags[tag] for tag in entry.tags if isinstance(tags.get(tag), bool)]
    return not set_tags or any(set_tags)


def deciding_condition(entry: Dependency, values: Mapping[str, Any], prefix: str) -> str | None:
    """Return the first condition of a dependency that the values set to a boolean, or None."""
    for path in map(str.strip, entry.conditions):
        if isinstance(value_at(values, f"{prefix}{path}"), bool):
            return path
    return None


def value_at(values: Any, path: str) -> Any:
    """Return the value at a path of names, or None."""
    *parents, name = path.split(".")
    return object_at(values, *parents).get(name)


_TOKEN: Final = regex(
    r"""\s+|(?P<open>\()|(?P<close>\))|(?P<pipe>\|)|(?P<text>"(?:[^"\\]|\\.)*"|`[^`]*`)|(?P<word>[^\s()|"`]+)"""
    r"""|(?P<unclosed>["`][\s\S]*)"""
)
_NUMBER: Final = regex(r"-?\d+(?:\.\d+)?")
_VARIABLE: Final = regex(r"\$[A-Za-z_]\w*(?![\w.])")
_UNKNOWN: Final = object()
_HAS: Final = ".Capabilities.APIVersions.Has"
_KUBE_VERSION: Final = ".Capabilities.KubeVersion"
_IN_CLUSTER: Final = frozenset({"lookup", _HAS, f"${_HAS}"})


class ClusterState(NamedTuple):
    """What a template finds in the cluster: whether a CRD is there, because the release is upgraded.

    `api_names` are the names of its versions and kinds that `.Capabilities.APIVersions.Has` knows.
    """

    crd: str
    api_names: frozenset[str]
    has_crd: bool


def holds(
    condition: str,
    values: Mapping[str, Any] | None,
    variables: Mapping[str, str] | None = None,
    cluster: ClusterState | None = None,
    kube_version: tuple[int, int] | None = None,
) -> bool | None:
    """Return whether the condition of an `if` holds with the values of its chart (None: unknown), None if that is not certain.

    `variables` are the pipelines that the variables of the template are set to. Without a `cluster`, the release is installed.
    `kube_version` is the version of Kubernetes, major and minor, if it is known.

    >>> holds("and .Values.crds.install (not .Values.skip)", {"crds": {"install": True}})
    True
    >>> holds('lookup "v1" "Secret" "" ""', {}) is None
    True
    """
    text = _VARIABLE.sub(lambda match: _pipeline_of(match[0], variables or {}), condition)
    tokens = [match for match in _TOKEN.finditer(text) if match.lastgroup is not None]
    if tokens and tokens[-1].lastgroup == "unclosed":
        return None
    value = _Evaluator(tokens, values, cluster, kube_version).pipeline()
    return None if value is _UNKNOWN else bool(value)


def _pipeline_of(variable: str, variables: Mapping[str, str]) -> str:
    pipeline = variables.get(variable)
    return variable if pipeline is None or _VARIABLE.search(pipeline) else f"({pipeline})"


class _Evaluator:
    """Evaluates a pipeline of the template language, as far as it has only values, texts, numbers and a few functions."""

    def __init__(
        self,
        tokens: Sequence[re.Match[str]],
        values: Mapping[str, Any] | None,
        cluster: ClusterState | None,
        kube_version: tuple[int, int] | None,
    ) -> None:
        self._tokens = tokens
        self._values = values
        self._cluster = cluster
        self._kube_version = kube_version
        self._next = 0

    def pipeline(self) -> Any:
        """Return the value of the tokens up to a closing parenthesis, or `_UNKNOWN`."""
        value: list[Any] = []
        while True:
            name, operands = self._command()
            value = [self._applied(name, [*operands, *value])]
            if not self._takes("pipe"):
                self._takes("close")
                return value[0]

    def _command(self) -> tuple[str, list[Any]]:
        """Return the function of the next command, empty without one, and its operands."""
        name = ""
        operands: list[Any] = []
        while self._next < len(self._tokens):
            token = self._tokens[self._next]
            if token["close"] or token["pipe"]:
                break
            self._next += 1
            is_first = not (name or operands)
            if token["open"]:
                operands.append(self.pipeline())
            elif is_first and _is_function(token["word"]):
                name = token["word"].removeprefix("$")
            else:
                operands.append(self._operand(token))
        return name, operands

    def _takes(self, kind: str) -> bool:
        """Pass the next token if it is of a kind, and return whether it was."""
        is_next = self._next < len(self._tokens) and self._tokens[self._next][kind] is not None
        self._next += is_next
        return is_next

    def _operand(self, token: re.Match[str]) -> Any:
        if token["text"]:
            return _UNKNOWN if "\\" in token["text"] else token["text"][1:-1]
        word = token["word"].removeprefix("$")
        if word in _CONSTANTS:
            return _CONSTANTS[word]
        if _NUMBER.fullmatch(word):
            return float(word)
        if word == ".Values" or word.startswith(".Values."):
            return self._of_values(word.removeprefix(".Values").removeprefix("."))
        if word.startswith(_KUBE_VERSION):
            return self._of_kube_version(word.removeprefix(_KUBE_VERSION))
        return self._of_release(word)

    def _of_values(self, path: str) -> Any:
        if self._values is None:
            return _UNKNOWN
        return value_at(self._values, path) if path else dict(self._values)

    def _of_kube_version(self, field: str) -> Any:
        """Return a field of the version of Kubernetes that a template sees."""
        if self._kube_version is None:
            return _UNKNOWN
        major, minor = self._kube_version
        text = f"v{major}.{minor}.0"
        fields = {"": text, ".Version": text, ".GitVersion": text}
        return {**fields, ".Major": str(major), ".Minor": str(minor)}.get(field, _UNKNOWN)

    def _of_release(self, word: str) -> Any:
        """Return what a template sees of its release: the first revision of it, or the next one if the CRD is there."""
        is_upgrade = self._cluster is not None and self._cluster.has_crd
        release = {
            ".Release.IsInstall": not is_upgrade,
            ".Release.IsUpgrade": is_upgrade,
            ".Release.Revision": 2 if is_upgrade else 1,
        }
        return release.get(word, _UNKNOWN)

    def _applied(self, name: str, operands: Sequence[Any]) -> Any:
        """Return the result of a function, or the only operand without one."""
        if not name:
            return operands[0] if len(operands) == 1 else _UNKNOWN
        if name in _FUNCTIONS:
            return _FUNCTIONS[name](operands)
        return self._in_cluster(name, operands)

    def _in_cluster(self, name: str, operands: Sequence[Any]) -> Any:
        """Return what `lookup` or `.Capabilities.APIVersions.Has` finds of the CRD in the cluster."""
        cluster = self._cluster
        if cluster is None:
            return _UNKNOWN
        match operands:
            case [api_name, *_] if name == _HAS and api_name in cluster.api_names:
                return cluster.has_crd
            case [_, kind, _, crd] if name != _HAS and kind == KIND and crd == cluster.crd:
                return {"metadata": {}} if cluster.has_crd else {}
        return _UNKNOWN


def _is_function(word: str | None) -> bool:
    return word in _FUNCTIONS or word in _IN_CLUSTER


_Function: TypeAlias = Callable[[Sequence[Any]], Any]


def _of_known(function: Callable[..., Any], least: int, most: int) -> _Function:
    """Return a function of `least` to `most` operands, whose result is only known if all of them are."""

    def applied(operands: Sequence[Any]) -> Any:
        is_known = least <= len(operands) <= most and _UNKNOWN not in operands
        return function(*operands) if is_known else _UNKNOWN

    return applied


def _junction(operands: Sequence[Any], *, decides: bool) -> Any:
    """Return the result of `and` or `or`: one operand that `decides` is enough, else the last one is the result."""
    certain = [value for value in operands if value is not _UNKNOWN]
    if any(bool(value) is decides for value in certain):
        return decides
    return operands[-1] if operands and len(certain) == len(operands) else _UNKNOWN


def _equal(first: Any, *others: Any) -> bool:
    are_texts = isinstance(first, str)
    return any(first == other and are_texts == isinstance(other, str) for other in others)


def _default(operands: Sequence[Any]) -> Any:
    """Return the second operand, or the first one, which may be unknown, in the place of an empty second one."""
    if len(operands) != 2 or operands[1] is _UNKNOWN:
        return _UNKNOWN
    return operands[1] or operands[0]


def _length(value: Any) -> Any:
    return len(value) if isinstance(value, (str, dict, list)) else _UNKNOWN


def _satisfies(constraint: Any, version: Any) -> Any:
    """Return whether a version of Kubernetes satisfies a constraint; `_UNKNOWN` for another text, or a constraint about patches."""
    from crdlint.kubernetes.constraints import ConstraintError, satisfying

    match = _RELEASE.fullmatch(version) if isinstance(version, str) else None
    if match is None or not isinstance(constraint, str):
        return _UNKNOWN
    minor = int(match[1]), int(match[2])
    try:
        return minor in satisfying(constraint, [minor])
    except ConstraintError:
        return _UNKNOWN


_RELEASE: Final = regex(r"v(\d{1,9})\.(\d{1,9})\.0")


def _number(value: Any) -> Any:
    is_number = isinstance(value, (int, float)) or (
        isinstance(value, str) and _NUMBER.fullmatch(value) is not None
    )
    return float(value) if is_number else _UNKNOWN


def _ordered(compare: Callable[[float, float], bool]) -> _Function:
    """Return a function that compares two numbers."""

    def applied(first: Any, second: Any) -> Any:
        are_numbers = isinstance(first, float) and isinstance(second, float)
        return compare(first, second) if are_numbers else _UNKNOWN

    return _of_known(applied, 2, 2)


_NOT: Final = _of_known(not_, 1, 1)
_FUNCTIONS: Final[dict[str, _Function]] = {
    "not": _NOT,
    "empty": _NOT,
    "and": partial(_junction, decides=False),
    "or": partial(_junction, decides=True),
    "eq": _of_known(_equal, 2, maxsize),
    "ne": _of_known(lambda *operands: not _equal(*operands), 2, maxsize),
    "default": _default,
    "len": _of_known(_length, 1, 1),
    "semverCompare": _of_known(_satisfies, 2, 2),
    "atoi": _of_known(_number, 1, 1),
    "int": _of_known(_number, 1, 1),
    "lt": _ordered(lt),
    "le": _ordered(le),
    "gt": _ordered(gt),
    "ge": _ordered(ge),
}
