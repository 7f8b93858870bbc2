"""A configuration's values judged: by the JSON Schema that ships with crdlint, then by what a schema cannot know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crdlint.__about__ import __version__
from crdlint.config.model import Config, ConfigError, ConfigProblem, with_sets
from crdlint.config.rule_patterns import did_you_mean, is_known, shown, unknown_rule
from crdlint.inputs.patterns import is_pattern
from crdlint.kubernetes.servers import parse_range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crdlint.config.model import LineColumn, Source, Step

# A person mends a few at a time, and each takes a look through all rules.
_MOST: Final = 20
_TYPES: Final = {
    "array": "a list",
    "object": "keys with values",
    "string": "text",
    "number": "a number",
    "boolean": "true or false",
}
_LONGEST_SPECIFIER: Final = 200  # characters; packaging converts each number in it
# The schema takes numbers for them, since an editor sees one in 1.30; here a number is one that has lost its zeros.
_TEXTS: Final = ("kube-version", "required-version")


def config_of(source: Source, file: str, folder: str) -> Config:
    """Return what a file's values say, for what lies below ``folder``. Raises ConfigError with every fault found."""
    values = {} if source.values is None else source.values
    _check_version(values, source, file)
    faults = [ConfigProblem(message, file, *place) for message, place in source.said]
    for message, place in _complaints(values, source):
        faults.append(ConfigProblem(message, file, *place))
        if len(faults) == _MOST:
            break
    if faults:
        raise ConfigError(tuple(sorted(faults, key=lambda fault: (fault.line, fault.column))))
    sets = tuple((name, tuple(rules)) for name, rules in values.get("sets", {}).items())
    severities = values.get("severity", {}).items()
    return Config(
        file=file,
        folder=folder,
        select=with_sets(values.get("select", ("*",)), sets),
        ignore=with_sets(values.get("ignore", ()), sets),
        severity=tuple((rule, level) for name, level in severities for rule in with_sets((name,), sets)),
        per_file_ignores=tuple(
            (glob, with_sets(rules, sets)) for glob, rules in values.get("per-file-ignores", {}).items()
        ),
        min_severity=values.get("min-severity", "info"),
        sets=sets,
        kube_version=values.get("kube-version"),
        exclude=tuple(values.get("exclude", ())),
        fail_on=values.get("fail-on", "error"),
        required_version=values.get("required-version"),
        include_dependencies=values.get("include-dependencies", False),
        crds=tuple(values.get("crds", ())),
        placeholders=_placeholders(values.get("placeholders", True)),
    )


def _placeholders(value: bool | list[str]) -> tuple[str, ...] | None:
    if isinstance(value, list):
        return tuple(value)
    return () if value else None


def _complaints(values: Any, source: Source) -> Iterator[tuple[str, LineColumn]]:
    found = False
    for message, place in _by_schema(values, source):
        found = True
        yield message, place
    if not found:
        yield from _by_meaning(values, source)


def _by_schema(values: Any, source: Source) -> Iterator[tuple[str, LineColumn]]:
    from jsonschema import Draft202012Validator

    schema = json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8"))
    for error in Draft202012Validator(schema).iter_errors(values):
        steps = list(error.absolute_path)
        if error.validator == "additionalProperties":
            for name in error.instance:
                if name not in error.schema["properties"]:
                    said = f"unknown key {shown(name)}{did_you_mean(name, error.schema['properties'])}"
                    yield said, source.place([*steps, name], True)
        elif error.validator != "enum" or isinstance(error.instance, str):  # the type is reported besides
            yield _said(error, steps), source.place(steps, False)


def _said(error: Any, steps: Sequence[Step]) -> str:
    """Return a finding of jsonschema's in words for who writes the file."""
    what = _named(steps)
    if error.validator == "enum":
        known = [str(word) for word in error.validator_value]
        given = error.instance
        words = f"{', '.join(known[:-1])} or {known[-1]}"
        return f"{what} is {words}, not {shown(given)}{did_you_mean(given, known)}"
    if error.validator == "type":
        wanted = error.validator_value
        wanted = _TYPES[wanted if isinstance(wanted, str) else wanted[0]]
        return f"{what} must be {wanted}, not {_kind(error.instance)}"
    return f"{what} is empty" if steps else "the configuration must be keys with values"


def _named(steps: Sequence[Step]) -> str:
    if not steps:
        return "the configuration"
    names = [step for step in steps if isinstance(step, str)]
    whole = f"{names[0]}: {shown(names[1])}" if len(names) > 1 else f"'{names[0]}'"
    return f"an entry of {whole}" if isinstance(steps[-1], int) else whole


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return shown(value)
    return "a list" if isinstance(value, list) else "keys with values" if isinstance(value, dict) else str(value)


def _by_meaning(values: dict[str, Any], source: Source) -> Iterator[tuple[str, LineColumn]]:
    """Yield what is wrong of values that the schema takes: rules, versions and patterns that there are not."""
    own = values.get("sets", {})
    for name in own:
        if is_known(name):
            yield f"{shown(name)} is the name of a rule or of one of crdlint's sets", source.place(["sets", name], True)
    for steps, pattern, is_key in _patterns_of_rules(values):
        said = None if pattern in own and steps[0] != "sets" else unknown_rule(pattern)
        if said is not None:
            yield said, source.place(steps, is_key)
    for name in _TEXTS:
        if not isinstance(values.get(name, ""), str):
            yield f"'{name}' must be text, not {_kind(values[name])}", source.place([name], False)
    version = values.get("kube-version")
    said = version_fault(version) if isinstance(version, str) else None
    if said is not None:
        yield said, source.place(["kube-version"], False)
    for steps, pattern, is_key in _patterns_of_files(values):
        if not is_pattern(pattern):
            yield f"{shown(pattern)} is not a pattern of files", source.place(steps, is_key)


def _patterns_of_rules(values: dict[str, Any]) -> Iterator[tuple[list[Step], str, bool]]:
    """Yield (steps, pattern, whether it is a key) of every rule named."""
    for name in ("select", "ignore"):
        for i, pattern in enumerate(values.get(name, ())):
            yield [name, i], pattern, False
    for name, rules in values.get("sets", {}).items():
        for i, pattern in enumerate(rules):
            yield ["sets", name, i], pattern, False
    for pattern in values.get("severity", {}):
        yield ["severity", pattern], pattern, True
    for glob, rules in values.get("per-file-ignores", {}).items():
        for i, pattern in enumerate(rules):
            yield ["per-file-ignores", glob, i], pattern, False


def _patterns_of_files(values: dict[str, Any]) -> Iterator[tuple[list[Step], str, bool]]:
    for i, pattern in enumerate(values.get("exclude", ())):
        yield ["exclude", i], pattern, False
    for pattern in values.get("per-file-ignores", {}):
        yield ["per-file-ignores", pattern], pattern, True


def version_fault(version: str) -> str | None:
    """Return what is wrong with a kube-version, None where it can be answered for."""
    try:
        parse_range(version)
    except ValueError as error:
        return f"'kube-version': {error}"
    return None


def _check_version(values: Any, source: Source, file: str) -> None:
    """Refuse a file that is for another crdlint before its other keys are looked at, which may be that one's."""
    wanted = values.get("required-version") if isinstance(values, dict) else None
    if not isinstance(wanted, str):
        return
    from packaging.specifiers import SpecifierSet

    place = source.place(["required-version"], False)
    try:
        if len(wanted) > _LONGEST_SPECIFIER:
            raise ValueError(len(wanted))
        fits = SpecifierSet(wanted).contains(__version__, prereleases=True)
    except ValueError as error:  # InvalidSpecifier is one
        meant = "; did you mean " + repr(f">={wanted}") + "?" if wanted[:1].isdigit() and len(wanted) < _MOST else ""
        message = f"'required-version': {shown(wanted)} is not a version specifier{meant}"
        raise ConfigError((ConfigProblem(message, file, *place),)) from error
    if not fits:
        said = f"this is crdlint {__version__}, and the configuration is for {wanted}: pip install 'crdlint{wanted}'"
        raise ConfigError((ConfigProblem(said, file, *place),))
