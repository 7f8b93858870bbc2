"""Validation of a configuration: by the JSON Schema of crdlint, then by checks that a schema cannot express."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain, filterfalse, islice
from pathlib import Path
from typing import Any, Final

from crdlint.__about__ import __version__
from crdlint.changes.change import Policy
from crdlint.config.model import (
    Config,
    ConfigError,
    ConfigProblem,
    ConfigSource,
    Ignore,
    LineColumn,
    Step,
    with_sets,
)
from crdlint.config.rule_patterns import (
    cycle_of,
    did_you_mean,
    expanded,
    is_known,
    shown,
    unknown_rule,
)
from crdlint.files.patterns import is_pattern
from crdlint.gathering import object_of
from crdlint.kubernetes.servers import NEWEST_VERSION, parse_range
from crdlint.phrases import some

# A message, the steps to the value that it is about, and whether it is about the key.
_Complaint = tuple[str, Sequence[Step], bool]
# Names of sets, with the rules of each.
Sets = tuple[tuple[str, tuple[str, ...]], ...]

# Each error needs a search through all rules, and people fix only a few at a time.
_MOST: Final = 20
_TYPES: Final = {
    "array": "a list",
    "object": "keys with values",
    "string": "text",
    "number": "a number",
    "boolean": "true or false",
}
_SHOWN: Final = 4  # sets that contain one another
_LONGEST_SPECIFIER: Final = 200  # characters, because packaging converts each number in it
# The schema accepts numbers for versions, as editors read 1.30 as one; here a number has lost its trailing zeros.
_TEXTS: Final = ("kube-version", "required-version")
# Settings that a `Config` has as they are in the file.
_PLAIN: Final = (*_TEXTS, "min-severity", "fail-on", "include-dependencies", "field-validation")


# Settings to which a configuration adds what the one that it extends has; it replaces the others.
_ADDED: Final = (
    "ignore",
    "ignores",
    "severity",
    "per_file_ignores",
    "exclude",
    "exclude_samples",
    "crds",
)


def config_of(
    source: ConfigSource,
    file: str,
    folder: str,
    base: Config | None = None,
) -> Config:
    """Return the configuration for files below `folder`, which may extend another one; raise ConfigError with all errors."""
    values = {} if source.values is None else source.values
    base = base or Config()
    _check_version(values, source, file)
    _check(values, source, file, base)
    named: dict[str, Any] = {**dict(base.sets), **values.get("sets", {})}
    sets = tuple(expanded(named).items())
    settings = _settings(values, sets)
    if "ignore" in values:
        settings |= _ignores(values["ignore"], source, file, sets)
    for name in settings.keys() & set(_ADDED):
        settings[name] = getattr(base, name) + settings[name]
    return base._replace(
        file=file,
        folder=folder,
        sets=sets,
        **settings,
    )


def _check(
    values: dict[str, Any],
    source: ConfigSource,
    file: str,
    base: Config,
) -> None:
    """Raise ConfigError with the errors of a configuration, in the order of the file."""
    faults = [ConfigProblem(message, file, *position) for message, position in source.problems]
    complaints = _complaints(values, dict(base.sets))
    for message, steps, is_key in islice(complaints, max(_MOST - len(faults), 0)):
        faults.append(ConfigProblem(message, file, *source.locate(steps, is_key)))
    if faults:
        raise ConfigError(*sorted(faults, key=lambda fault: (fault.line, fault.column)))


def _ignores(
    entries: list[Any],
    source: ConfigSource,
    file: str,
    sets: Sets,
) -> dict[str, Any]:
    """Return the rules that are ignored everywhere, and the entries for some places."""
    rules = (entry for entry in entries if isinstance(entry, str))
    for_places = tuple(
        _ignore(
            entry,
            sets,
            file,
            source.locate(["ignore", i], False),
        )
        for i, entry in enumerate(entries)
        if isinstance(entry, dict)
    )
    return {"ignore": with_sets(rules, sets), "ignores": for_places}


def _settings(values: dict[str, Any], sets: Sets) -> dict[str, Any]:
    """Return the fields of a Config that a file sets, but for `ignore`."""
    made_by: dict[str, Callable[[Any], Any]] = {
        "select": lambda rules: with_sets(rules, sets),
        "severity": lambda levels: tuple(
            (rule, level) for name, level in levels.items() for rule in with_sets((name,), sets)
        ),
        "per-file-ignores": lambda globs: tuple(
            (glob, with_sets(rules, sets)) for glob, rules in globs.items()
        ),
        "exclude": tuple,
        "exclude-samples": tuple,
        "crds": tuple,
        "senders": tuple,
        "placeholders": _placeholders,
        "change": lambda policy: Policy(**policy),
        "kube-version": parse_range,
    }
    made_by = dict.fromkeys(_PLAIN, lambda value: value) | made_by
    return {
        name.replace("-", "_"): make(values[name])
        for name, make in made_by.items()
        if name in values
    }


def _placeholders(value: bool | list[str]) -> tuple[str, ...] | None:
    """Return additional patterns of placeholders, None for no placeholders at all."""
    if isinstance(value, list):
        return tuple(value)
    return () if value else None


def _ignore(
    entry: dict[str, Any],
    sets: Sets,
    file: str,
    position: LineColumn,
) -> Ignore:
    line, column = position
    rules = with_sets(entry["rules"], sets)
    return Ignore(**entry)._replace(
        rules=rules,
        file=file,
        line=line,
        column=column,
    )


def _complaints(values: Any, inherited: Mapping[str, Sequence[str]]) -> Iterator[_Complaint]:
    by_schema = _by_schema(values)
    first = next(by_schema, None)
    yield from _by_meaning(values, inherited) if first is None else chain([first], by_schema)


def _by_schema(values: Any) -> Iterator[_Complaint]:
    from jsonschema import Draft202012Validator

    schema = json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8"))
    for error in Draft202012Validator(schema).iter_errors(values):
        steps = list(error.absolute_path)
        if error.validator == "additionalProperties":
            for name in error.instance:
                if name not in error.schema["properties"]:
                    message = (
                        f"unknown key {shown(name)}{did_you_mean(name, error.schema['properties'])}"
                    )
                    yield message, [*steps, name], True
        elif error.validator != "enum" or isinstance(
            error.instance, str
        ):  # the type is reported besides
            yield _schema_message(error, steps), steps, False


def _schema_message(error: Any, steps: Sequence[Step]) -> str:
    return _MESSAGES.get(error.validator, _of_empty)(error, steps)


def _of_enum(error: Any, steps: Sequence[Step]) -> str:
    choices = list(map(str, error.validator_value))
    value = error.instance
    words = f"{', '.join(choices[:-1])} or {choices[-1]}"
    return f"{_named(steps)} is {words}, not {shown(value)}{did_you_mean(value, choices)}"


def _of_type(error: Any, steps: Sequence[Step]) -> str:
    expected = error.validator_value
    expected = _TYPES[expected if isinstance(expected, str) else expected[0]]
    return f"{_named(steps)} must be {expected}, not {_kind(error.instance)}"


def _of_required(error: Any, steps: Sequence[Step]) -> str:
    missing = filterfalse(error.instance.__contains__, error.validator_value)
    return f"{_named(steps)} has no '{next(missing)}'"


def _of_empty(_: Any, steps: Sequence[Step]) -> str:
    return f"{_named(steps)} is empty" if steps else "the configuration must be keys with values"


# By the keyword of the schema that a value violates.
_MESSAGES: Final[Mapping[str, Callable[[Any, Sequence[Step]], str]]] = {
    "enum": _of_enum,
    "type": _of_type,
    "required": _of_required,
}


def _named(steps: Sequence[Step]) -> str:
    if not steps:
        return "the configuration"
    names = [step for step in steps if isinstance(step, str)]
    name = f"{names[0]}: {shown(names[1])}" if len(names) > 1 else f"'{names[0]}'"
    return f"an entry of {name}" if isinstance(steps[-1], int) else name


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return shown(value)
    return _KINDS.get(type(value)) or str(value).lower()


_KINDS: Final[dict[type, str]] = {
    type(None): "nothing",
    list: "a list",
    dict: "keys with values",
}


def _by_meaning(
    values: dict[str, Any], inherited: Mapping[str, Sequence[str]]
) -> Iterator[_Complaint]:
    """Yield the errors of values that match the schema: unknown rules and versions, and invalid patterns."""
    yield from _of_rules(values, inherited)
    yield from _of_versions(values)
    yield from _of_days(values)
    yield from _of_files(values)


def _of_rules(
    values: dict[str, Any], inherited: Mapping[str, Sequence[str]]
) -> Iterator[_Complaint]:
    own = {**inherited, **values.get("sets", {})}
    cycle = cycle_of(own)
    if cycle:
        through = f" through {some([*map(shown, cycle[1:])], _SHOWN - 1)}" if len(cycle) > 1 else ""
        yield f"the set {shown(cycle[0])} contains itself{through}", ["sets", cycle[0]], True
    for name in filter(is_known, values.get("sets", {})):
        yield (
            f"{shown(name)} is the name of a rule or of one of crdlint's sets",
            ["sets", name],
            True,
        )
    for steps, pattern, is_key in _patterns_of_rules(values):
        message = unknown_rule(pattern, own)
        if message is not None:
            yield message, steps, is_key


def _of_versions(values: dict[str, Any]) -> Iterator[_Complaint]:
    for name in _TEXTS:
        if not isinstance(values.get(name, ""), str):
            yield f"'{name}' must be text, not {_kind(values[name])}", [name], False
    version = values.get("kube-version")
    try:
        parse_range(version if isinstance(version, str) else NEWEST_VERSION)
    except ValueError as error:
        yield f"'kube-version': {error}", ["kube-version"], False


def _of_files(values: dict[str, Any]) -> Iterator[_Complaint]:
    files: list[tuple[list[Step], str]] = [
        ([name, i], glob)
        for name in ("exclude", "exclude-samples")
        for i, glob in enumerate(values.get(name, ()))
    ]
    files += [(["per-file-ignores", glob], glob) for glob in values.get("per-file-ignores", {})]
    for steps, pattern in files:
        if not is_pattern(pattern):
            yield (
                f"{shown(pattern)} is not a pattern of files",
                steps,
                steps[0] == "per-file-ignores",
            )


def _of_days(values: dict[str, Any]) -> Iterator[_Complaint]:
    for i, entry in enumerate(values.get("ignore", ())):
        until = entry.get("until", "") if isinstance(entry, dict) else ""
        if until and not _is_day(until):
            message = f"'until' is a day such as 2026-12-31, not {shown(until)}"
            yield message, ["ignore", i, "until"], False


def _is_day(text: str) -> bool:
    """Return whether a text is a date in the long form of ISO 8601."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _patterns_of_rules(values: dict[str, Any]) -> Iterator[tuple[list[Step], str, bool]]:
    """Yield (steps, pattern, whether it is a key) of every rule in the configuration."""
    yield from _patterns_in(["select"], values.get("select", ()))
    entries = values.get("ignore", ())
    yield from _patterns_in(["ignore"], entries)
    for i, entry in enumerate(entries):
        if isinstance(entry, dict):
            yield from _patterns_in(["ignore", i, "rules"], entry["rules"])
    for setting in ("sets", "per-file-ignores"):
        for name, rules in values.get(setting, {}).items():
            yield from _patterns_in([setting, name], rules)
    for pattern in values.get("severity", {}):
        yield ["severity", pattern], pattern, True


def _patterns_in(
    steps: list[Step], patterns: Sequence[Any]
) -> Iterator[tuple[list[Step], str, bool]]:
    """Yield the texts of a list of patterns at some steps."""
    for i, pattern in enumerate(patterns):
        if isinstance(pattern, str):
            yield [*steps, i], pattern, False


def _check_version(values: Any, source: ConfigSource, file: str) -> None:
    """Reject a file that requires another version of crdlint before checking keys that only that version knows."""
    specifier = object_of(values).get("required-version")
    if not isinstance(specifier, str):
        return
    from packaging.specifiers import SpecifierSet

    position = source.locate(["required-version"], False)
    try:
        if len(specifier) > _LONGEST_SPECIFIER:
            raise ValueError(len(specifier))
        fits = SpecifierSet(specifier).contains(__version__, prereleases=True)
    except ValueError as error:  # InvalidSpecifier is one
        is_version = specifier[:1].isdigit() and len(specifier) < _MOST
        meant = f"; did you mean {f'>={specifier}'!r}?" if is_version else ""
        message = f"'required-version': {shown(specifier)} is not a version specifier{meant}"
        raise ConfigError(ConfigProblem(message, file, *position)) from error
    if not fits:
        problem = f"this is crdlint {__version__}, and the configuration is for {specifier}"
        raise ConfigError(
            ConfigProblem(f"{problem}: pip install 'crdlint{specifier}'", file, *position)
        )
