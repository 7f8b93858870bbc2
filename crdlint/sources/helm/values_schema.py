"""The values of a chart against its `values.schema.json`, without Helm.

Upstream: helm pkg/chart/common/util/jsonschema.go, ValidateAgainstSchema; the sentences are those of the library that Helm uses,
github.com/santhosh-tekuri/jsonschema/v6, for the keywords that it words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from crdlint.gathering import list_of, object_of
from crdlint.golang.matching import PatternError, matches
from crdlint.light import NamedTuple
from crdlint.safety.work import WorkLimitError
from crdlint.sources.helm.chart import Chart
from crdlint.sources.helm.chart_values import (
    UnknownValuesError,
    enabled_charts,
    given_values,
    merged,
)
from crdlint.sources.helm.failures import Failure, with_values
from crdlint.sources.helm.layout import HelmValues
from crdlint.sources.helm.render import runs_of

if TYPE_CHECKING:
    from jsonschema import ValidationError

_SCHEMA: Final = "values.schema.json"
_GLOBAL: Final = "global"
_REJECTED: Final = (
    "values don't meet the specifications of the schema(s) in the following chart(s):"
)
_STEPS: Final = 100_000  # keywords that are checked for one chart
_SHOWN: Final = 10  # errors of one chart
# Keywords for which Python's library matches patterns as Go does not, compares each item with each, or follows references.
_NOT_READ: Final = (b'"patternProperties"', b'"uniqueItems"', b'"$dynamicRef"', b'"$recursiveRef"')


class _Rejected(NamedTuple):
    """A value that a keyword of a schema rejects, at the path of some steps; `has_parts` is whether parts of it have errors."""

    path: tuple[str | int, ...]
    keyword: str
    expected: Any
    value: Any
    schema: Any
    has_parts: bool


class _UnknownError(Exception):
    """Whether the values meet a schema is not known here."""


def failures_of(chart: Chart, values: HelmValues) -> list[Failure]:
    """Return why Helm does not render a chart: values that its schemas, or those of the charts in it, reject.

    A schema that refers to others, and values that only Helm can read, are not checked.
    """
    has_schemas = any(_SCHEMA in each.files for each in chart.all_charts())
    if chart.is_library or not has_schemas:
        return []
    failures: list[Failure] = []
    for run in runs_of(chart.shown, values):
        try:
            rejected = list(map(" ".join, _rejected(chart, given_values(run))))
        except (UnknownValuesError, _UnknownError):
            continue
        if rejected:
            why = " ".join([_REJECTED, *rejected])
            failures.append(
                Failure(
                    chart.shown,
                    why,
                    with_values(run),
                    values.are_given,
                )
            )
    return failures


def _rejected(chart: Chart, overrides: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the name of each chart whose schema rejects its values, followed by the errors."""
    if any(map(_imports_values, chart.all_charts())):
        raise _UnknownError
    enabled = enabled_charts(chart, overrides)
    for each in chart.all_charts():
        schema = each.files.get(_SCHEMA)
        if schema is None or each.path not in enabled:
            continue
        own = _values_of(each, enabled, overrides if each is chart else {})
        if each is not chart:
            own.setdefault(_GLOBAL, {})
        errors = _errors(schema.data, own)
        if errors:
            yield [f"{each.name}:", *errors]


def _imports_values(chart: Chart) -> bool:
    entries = list_of(chart.metadata.get("dependencies"))
    return any(isinstance(entry, dict) and "import-values" in entry for entry in entries)


def _values_of(
    chart: Chart, enabled: Mapping[str, Mapping[str, Any]], overrides: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values of a chart with those of the charts in it, of which one that is off has only what the chart gives it."""
    values = dict(enabled[chart.path])
    own = merged(overrides, chart.values)
    for inner in chart.charts:
        below = values.pop(inner.name, None)
        if inner.path in enabled and isinstance(below, dict):
            values[inner.name] = {_GLOBAL: {}, **below}
        elif inner.name in own:
            values[inner.name] = own[inner.name]
    return values


def _errors(schema_text: bytes, values: Mapping[str, Any]) -> list[str]:
    """Return the errors of values, each as Helm prints it."""
    from jsonschema import SchemaError
    from referencing.exceptions import Unresolvable

    if any(keyword in schema_text for keyword in _NOT_READ):
        raise _UnknownError
    try:
        all_errors = list(_validator_of(json.loads(schema_text)).iter_errors(values))
    except (ValueError, RecursionError, SchemaError, Unresolvable):
        raise _UnknownError from None
    errors = list(map(_rejected_value, all_errors))
    if any(error.value is None for error in errors):  # Helm removes some of them
        raise _UnknownError
    errors.sort(key=lambda error: list(map(str, error.path)))
    sentences = (f"- at '{_pointer(error)}': {_sentence(error)}" for error in errors)
    return list(dict.fromkeys(sentences))[:_SHOWN]


def _rejected_value(error: ValidationError) -> _Rejected:
    path = tuple(error.absolute_path)
    expected: Any = error.validator_value
    return _Rejected(
        path,
        str(error.validator),
        expected,
        error.instance,
        error.schema,
        bool(error.context),
    )


def _validator_of(schema: Any) -> Any:
    """Return a validator that reads nothing but the schema, with bounded work, and matches patterns as Go does."""
    from jsonschema import ValidationError, validators
    from referencing import Registry

    kind = _draft_of(schema)
    kind.check_schema(schema)
    steps = 0

    def bounded(check: Callable[..., Iterator[ValidationError] | None]) -> Any:
        def counted(*arguments: Any) -> Iterator[ValidationError] | None:
            nonlocal steps
            steps += 1
            if steps > _STEPS:
                raise _UnknownError
            return check(*arguments)

        return counted

    def pattern(
        _: Any,
        expression: Any,
        value: Any,
        __: Any,
    ) -> Iterator[ValidationError]:
        if isinstance(value, str) and not _matches(expression, value):
            yield ValidationError("")

    keywords = {name: bounded(check) for name, check in kind.VALIDATORS.items()}
    extend: Any = validators.extend
    return extend(kind, {**keywords, "pattern": pattern})(schema, registry=Registry())


def _draft_of(schema: Any) -> Any:
    """Return the class of validators for the draft that a schema names, without one for the newest that Helm knows."""
    import jsonschema

    newest = jsonschema.Draft202012Validator
    named = object_of(schema).get("$schema")
    if named is None:
        return newest
    drafts: list[Any] = [
        newest,
        jsonschema.Draft201909Validator,
        jsonschema.Draft7Validator,
        jsonschema.Draft6Validator,
        jsonschema.Draft4Validator,
    ]
    identifier = named.rstrip("#") if isinstance(named, str) else named
    for draft in drafts:
        if draft.ID_OF(draft.META_SCHEMA).rstrip("#") == identifier:
            return draft
    raise _UnknownError


def _matches(expression: str, value: str) -> bool:
    try:
        return matches(expression, value)
    except (PatternError, WorkLimitError):
        raise _UnknownError from None


def _pointer(error: _Rejected) -> str:
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in error.path)


def _sentence(error: _Rejected) -> str:
    """Return the sentence of Helm's library about an error."""
    return _SENTENCES.get(error.keyword, _failed)(error)


def _failed(error: _Rejected) -> str:
    return f"'{error.keyword}' failed"


def _of_length(error: _Rejected) -> str:
    return f"{error.keyword}: got {len(error.value)}, want {error.expected}"


def _of_number(error: _Rejected) -> str:
    return f"{error.keyword}: got {_shown(error.value)}, want {_shown(error.expected)}"


_LENGTHS: Final = (
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
)
_NUMBERS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def _of_type(error: _Rejected) -> str:
    expected = error.expected
    names = [expected] if isinstance(expected, str) else expected
    return f"got {_TYPES.get(type(error.value), 'number')}, want {' or '.join(names)}"


_TYPES: Final[Mapping[type, str]] = {
    bool: "boolean",
    str: "string",
    dict: "object",
    list: "array",
}


def _of_required(error: _Rejected) -> str:
    missing = [name for name in error.expected if name not in error.value]
    return f"missing {'property' if len(missing) == 1 else 'properties'} {_listed(missing)}"


def _of_additional(error: _Rejected) -> str:
    declared = object_of(error.schema).get("properties", {})
    names = [name for name in error.value if name not in declared]
    return f"additional properties {_listed(names)} not allowed"


def _of_enum(error: _Rejected) -> str:
    choices = error.expected
    if any(isinstance(each, (dict, list)) for each in choices):
        return "'enum' failed"
    return f"value must be {'one of ' if len(choices) > 1 else ''}{_listed(choices)}"


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(map(_shown, values))


def _shown(value: Any) -> str:
    """Return a value as Helm's library shows it."""
    if isinstance(value, str):
        inner = json.dumps(value, ensure_ascii=False)[1:-1].replace('\\"', '"')
        return "'" + inner.replace("'", "\\'") + "'"
    return json.dumps(value)


_SENTENCES: Final[Mapping[str, Callable[[_Rejected], str]]] = {
    **dict.fromkeys(_LENGTHS, _of_length),
    **dict.fromkeys(_NUMBERS, _of_number),
    "type": _of_type,
    "required": _of_required,
    "additionalProperties": _of_additional,
    "enum": _of_enum,
    "pattern": lambda error: (
        f"{_shown(error.value)} does not match pattern {_shown(error.expected)}"
    ),
    "oneOf": lambda error: "'oneOf' failed, none matched" if error.has_parts else "'oneOf' failed",
}
