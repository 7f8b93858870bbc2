"""The values of a chart against its `values.schema.json`, without Helm.

Upstream: helm pkg/chart/common/util/jsonschema.go, ValidateAgainstSchema; the sentences are those of the library that Helm uses,
github.com/santhosh-tekuri/jsonschema/v6, as far as it is known what they say of the keyword.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from crdlint.golang.matching import PatternError, matches
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
_REFERENCES: Final = 10_000  # that are followed for one chart
_SHOWN: Final = 10  # errors of one chart
# Keywords of which Python's library matches patterns as Go does not, or follows references without a limit.
_NOT_READ: Final = (b'"patternProperties"', b'"$dynamicRef"', b'"$recursiveRef"')


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
            rejected = [" ".join(each) for each in _rejected(chart, given_values(run))]
        except (UnknownValuesError, _UnknownError):
            continue
        if rejected:
            why = " ".join([_REJECTED, *rejected])
            failures.append(Failure(chart.shown, why, with_values(run), values.are_given))
    return failures


def _rejected(chart: Chart, overrides: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the name of each chart whose schema rejects its values, followed by the errors."""
    if any(_imports_values(each) for each in chart.all_charts()):
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
    dependencies = chart.metadata.get("dependencies")
    entries = dependencies if isinstance(dependencies, list) else []
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
        errors = list(_validator_of(json.loads(schema_text)).iter_errors(values))
    except (ValueError, RecursionError, SchemaError, Unresolvable):
        raise _UnknownError from None
    if any(error.instance is None for error in errors):  # Helm removes some of them
        raise _UnknownError
    errors.sort(key=lambda error: [str(step) for step in error.absolute_path])
    sentences = (f"- at '{_pointer(error)}': {_sentence(error)}" for error in errors)
    return list(dict.fromkeys(sentences))[:_SHOWN]


def _validator_of(schema: Any) -> Any:
    """Return a validator that reads nothing but the schema, with bounded work, and matches patterns as Go does."""
    from jsonschema import Draft202012Validator, ValidationError, validators
    from referencing import Registry

    is_named = isinstance(schema, dict) and "$schema" in schema
    kind = validators.validator_for(schema, None if is_named else Draft202012Validator)
    if kind is None:
        raise _UnknownError
    follow, followed = kind.VALIDATORS["$ref"], 0

    def reference(*arguments: Any) -> Iterator[ValidationError]:
        nonlocal followed
        followed += 1
        if followed > _REFERENCES:
            raise _UnknownError
        return follow(*arguments)

    def pattern(_: Any, expression: Any, value: Any, __: Any) -> Iterator[ValidationError]:
        if isinstance(value, str) and not _matches(expression, value):
            yield ValidationError("")

    kind.check_schema(schema)
    own = {"$ref": reference, "pattern": pattern}
    return validators.extend(kind, own)(schema, registry=Registry())


def _matches(expression: str, value: str) -> bool:
    try:
        return matches(expression, value)
    except (PatternError, WorkLimitError):
        raise _UnknownError from None


def _pointer(error: ValidationError) -> str:
    return "".join(
        f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in error.absolute_path
    )


def _sentence(error: ValidationError) -> str:
    """Return the sentence of Helm's library about an error."""
    keyword = str(error.validator)
    sentence = _SENTENCES.get(keyword)
    if sentence is not None:
        return sentence(error)
    value, wanted = error.instance, error.validator_value
    if keyword in _LENGTHS:
        return f"{keyword}: got {len(value)}, want {wanted}"
    if keyword in _NUMBERS:
        return f"{keyword}: got {_shown(value)}, want {_shown(wanted)}"
    return f"'{keyword}' failed"


_LENGTHS: Final = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}
)
_NUMBERS: Final = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)


def _of_type(error: ValidationError) -> str:
    wanted = error.validator_value
    names = [wanted] if isinstance(wanted, str) else wanted
    return f"got {_type_of(error.instance)}, want {' or '.join(names)}"


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, dict):
        return "object"
    return "array" if isinstance(value, list) else "number"


def _of_required(error: ValidationError) -> str:
    missing = [name for name in error.validator_value if name not in error.instance]
    return f"missing {'property' if len(missing) == 1 else 'properties'} {_listed(missing)}"


def _of_additional(error: ValidationError) -> str:
    known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
    names = [name for name in error.instance if name not in known]
    return f"additional properties {_listed(names)} not allowed"


def _of_enum(error: ValidationError) -> str:
    choices = error.validator_value
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


_SENTENCES: Final[Mapping[str, Callable[[ValidationError], str]]] = {
    "type": _of_type,
    "required": _of_required,
    "additionalProperties": _of_additional,
    "enum": _of_enum,
    "pattern": lambda error: (
        f"{_shown(error.instance)} does not match pattern {_shown(error.validator_value)}"
    ),
    "oneOf": lambda error: "'oneOf' failed, none matched" if error.context else "'oneOf' failed",
}
