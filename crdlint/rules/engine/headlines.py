"""Headlines: what is wrong with which field, key, value or function, in at most 90 characters.

A headline is made from the path, the value and the reason of an error, never from the server's sentence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeGuard

from crdlint.crd.errors import (
    DUPLICATE,
    FORBIDDEN,
    INTERNAL,
    INVALID,
    NOT_SUPPORTED,
    REQUIRED,
    TOO_LONG,
    Code,
    FieldError,
    Reason,
)
from crdlint.crd.paths import Key, Path, Step
from crdlint.phrases import joined
from crdlint.rules.engine.advisory import JUNCTORS
from crdlint.safety.bugs import attempt
from crdlint.yaml.nodes import Scalar
from crdlint.yaml.resolve import key_text

if TYPE_CHECKING:
    from crdlint.crd.decode_errors import DecodeProblem
    from crdlint.yaml.nodes import Mapping as Object

LONGEST: Final = 90
_LONGEST_VALUE: Final = 32  # characters
_LONGEST_PATH: Final = 60  # characters
_SHOWN_VALUES: Final = 3
_ROOT: Final = "`openAPIV3Schema`"
_LONGEST_NAME: Final = 63  # characters
_PRINTED: Final = re.compile(r"[^.\[\]]+|\[[^\]]*\]?")
_RULES: Final = "x-kubernetes-validations"
# Internal names, and those of v1.
_RENAMED: Final = (
    ("JSONPath", "jsonPath"),
    ("webhookClientConfig", "webhook.clientConfig"),
    ("conversion.conversionReviewVersions", "conversion.webhook.conversionReviewVersions"),
)
_GO_TYPES: Final = {
    "string": "a string", "types.UID": "a string", "bool": "`true` or `false`", "int32": "an integer",
    "int64": "an integer", "float64": "a number", "[]string": "a list of strings", "v1.ValidationRules": "a list",
    "map[string]string": "a mapping of strings",
}  # fmt: skip
_JSON_TYPES: Final = {
    "string": "the string", "number": "the number", "bool": "the boolean", "object": "a mapping", "array": "a list",
}  # fmt: skip
_DEFAULTS: Final = frozenset({"default-invalid", "default-rule-failed"})
# Rules whose errors have the path of another field.
_REPORTED_ELSEWHERE: Final = frozenset({"schema-not-convertible", "conversion-webhook-service"})
_CHILDREN: Final = frozenset({"properties", "items", "additionalProperties"})


def of_message(message: str) -> str:
    """Return the headline of crdlint's own sentence: the sentence, or its part before a colon or comma if it is too long."""
    line = " ".join(message.split())
    if len(line) <= LONGEST:
        return line
    for mark in (" in '", ": ", "; ", " (", ", "):
        start, separator, _ = line[: LONGEST + len(mark)].rpartition(mark)
        is_whole = not start.count("`") % 2 and start.count("(") <= start.count(")")
        if separator and len(start) > _LONGEST_VALUE and is_whole:
            return start
    return cut(line)


def cut(text: str) -> str:
    """Return a text cut to the length of a headline."""
    if len(text) <= LONGEST:
        return text
    start = text[: LONGEST - 2].rstrip()
    return f"{start}…{'`' * (start.count('`') % 2)}"


def of_error(error: FieldError, summary: str) -> str:
    """Return the headline of a field error; `summary`, that of its rule, if there is no better one."""
    return attempt(_of_error, error) or summary


def named(headline: str, path: Path) -> str:
    """Return a headline that names no field with the field at a path before it."""
    return headline if "`" in headline else of_message(f"{_of_path(path).phrase}: {headline}")


def of_unknown(name: str, parent: str, nearest: str | None) -> str:
    """Return the headline of an unknown field below the one with a printed path, and the field that is probably meant."""
    where = _last_field(parent)
    meant = f": did you mean `{nearest}`?" if nearest else ""
    field = f"unknown field `{name}`"
    lines = [
        f"{field}{f' in {where}' if where else ''}{meant}",
        f"{field}{meant}",
        f"unknown field{meant}",
    ]
    return cut(next((line for line in lines if len(line) <= LONGEST), lines[0]))


def of_type(root: Object) -> str:
    """Return the headline of an object without a kind or an apiVersion, empty if it has both."""
    from crdlint.crd.identity import type_keys
    from crdlint.yaml.json_values import to_json

    keys = type_keys(root)
    for name in ("kind", "apiVersion"):
        key, value = keys.get(name, (None, None))
        if key is None or value is None or str(to_json(key)).lower() != name.lower():
            return f"`{name}` is missing"
        if not isinstance(to_json(value), str):
            return f"`{name}` must be a string"
    return ""


def of_format(name: str, type_: str, path: Path) -> str:
    """Return the headline of a format that the server does not know for a type; `path` is that of the format."""
    return cut(
        f"format `{_short(name)}` of {_of_path(path).phrase} is unknown for the type `{type_ or 'string'}`"
    )


def of_set(type_: str, path: Path) -> str:
    """Return the headline of a set whose items are no scalars; `path` is that of its list type."""
    return cut(
        f"{_of_path(path).phrase} is a set of scalars, but its items have the type `{type_}`"
    )


def of_decode(problem: DecodeProblem) -> str:
    """Return the headline of a problem of the decoder."""
    name = problem.node.value if isinstance(problem.node, Scalar) else ""
    if problem.headline:
        return of_message(problem.headline)
    if problem.path:
        # YAML reads a key such as `on` as another one.
        read = key_text(problem.node) if isinstance(problem.node, Scalar) else None
        return of_unknown(name, problem.path.removesuffix(read or name), problem.nearest)
    if problem.expected:
        return f"the value must be {problem.expected}"
    if not problem.go_type:
        return of_message(f"`{name}`: {problem.message}" if name else problem.message)
    if "openAPIV3Schema" not in problem.field and len(problem.field) <= _LONGEST_PATH:
        name = problem.field or name
    elif not name or problem.node is problem.content:
        name = problem.field.rpartition(".")[2]
    expected = _GO_TYPES.get(problem.go_type) or (
        "a list" if problem.go_type.startswith("[]") else "a mapping"
    )
    value = problem.content.value if isinstance(problem.content, Scalar) else ""
    actual = _JSON_TYPES[problem.json_type]
    return cut(f"`{name}` must be {expected}, not {actual}{f' `{_short(value)}`' if value else ''}")


def _of_error(error: FieldError) -> str:
    target, reason = _target(error), error.reason
    special = _SPECIAL.get(error.rule) or (
        _SPECIAL_VALUES.get(error.rule) if error.type == INVALID else None
    )
    if special is not None:
        return cut(special(error, target))
    codes = (
        ()
        if reason is None or (reason.code is Code.ENUM and target.keyword)
        else (_CODES.get(reason.code),)
    )
    templates = (_BY_RULE.get((error.rule, error.type)), _BY_RULE.get((error.rule, "")), *codes)
    template = next(filter(None, templates), None) or _default(error, target)
    is_word = target.keyword.isalpha()  # and could be the name of a property
    values: dict[str, object] = {
        "of": target.inside or target.phrase,
        "field": target.phrase,
        "key": f"`{target.keyword}`",
        "keyword": f"keyword `{target.keyword}`" if is_word else f"`{target.keyword}`",
        "junctor": f"`{target.junctor}`",
        "value": _shown(error.value),
        "at": f"`{error.at.step}`" if error.at is not None else "a keyword beside `properties`",
        "label": "key" if error.key else "value",
        "wrong": _wrong(error.value) if "{wrong}" in template else "",
        "what": "field"
        if reason is not None and reason.code is Code.NO_FIELD
        else "string, boolean or integer",
        "subject": _short(str(error.subject)),
        "args": () if reason is None else reason.arguments,
        "parents": _listed(reason.arguments)
        if reason is not None and reason.code is Code.NOT_BELOW
        else "",
        "fix": f": use {_listed(reason.arguments)}" if _has_allowed_values(reason) else "",
    }
    text = template.format_map(values)
    if len(text) > LONGEST and values["fix"]:
        text = template.format_map(values | {"fix": ""})
    return cut(" ".join(text.split()))


def _default(error: FieldError, target: _Target) -> str:
    if error.type == REQUIRED and error.value is not None:
        return "{of} is empty" if not target.keyword else "{key} of {of} is empty"
    without_value = None if _shown(error.value) else _WITHOUT_VALUE.get(error.type)
    of_schema, of_field = without_value or _BY_TYPE[error.type]
    return of_schema if target.keyword else of_field


class _Target(NamedTuple):
    """What an error is about: a phrase for a field, its schema's keyword and junctor, and `inside`, the phrase with the junctor."""

    phrase: str
    keyword: str = ""
    junctor: str = ""
    inside: str = ""


def _target(error: FieldError) -> _Target:
    is_at = error.rule in _REPORTED_ELSEWHERE or "default" in map(str, error.path.steps())
    path = error.at if error.at is not None and is_at else error.path
    if error.rule.startswith("resource-"):
        # The server has no path for some errors, such as those of oneOf.
        return _Target(_last_field(str(path)) or _last_field(str(error.at or "")) or "the object")
    target = _of_path(path)
    is_default = target.keyword == "default" and error.rule in _DEFAULTS
    return _Target(f"default of {target.phrase}") if is_default else target


def _of_path(path: Path) -> _Target:
    steps = path.steps()
    for i, step in enumerate(steps):
        if step == "openAPIV3Schema" and not isinstance(step, Key):
            return _target_of_schema(steps[i + 1 :])
    start = 3 if steps[:2] == ["spec", "versions"] and len(steps) > 3 else 0
    shown = steps[start:]
    if len(_printed(shown)) > _LONGEST_PATH:
        shown = shown[-3:] if isinstance(shown[-2], int) else shown[-2:]
    return _Target(f"`{_printed(shown)}`")


def _target_of_schema(steps: Sequence[Step]) -> _Target:
    phrase = field = _ROOT
    junctor = inside = ""
    left = list(reversed(steps))
    while left:
        step = left.pop()
        if step == "properties" and left and isinstance(left[-1], Key):
            name = str(left.pop())
            phrase = field = f"property `{name}`" if name in _CHILDREN else f"`{name}`"
            inside = junctor and f"{phrase} in `{junctor}`"
        elif step in JUNCTORS and left:
            junctor = str(step)
            inside = (
                f"`{junctor}[{left.pop()}]` of {phrase}"
                if isinstance(left[-1], int)
                else f"`{junctor}` of {phrase}"
            )
        elif step in _CHILDREN and left:
            if isinstance(left[-1], int):
                left.pop()
            phrase = f"`{step}` of {field}"
            inside = junctor and f"{phrase} in `{junctor}`"
        elif step == "default" and left:
            inner = _last_field(_printed(list(reversed(left))))
            return _Target(f"{inner} in the default of {phrase}", "", junctor)
        elif step == _RULES:
            return _Target(phrase, str(left[0]) if left else _RULES, junctor, inside)
        else:
            return _Target(phrase, str(step), junctor, inside)
    return _Target(phrase, "", junctor, inside)


def _printed(steps: Sequence[Step]) -> str:
    text = "".join(f"[{step}]" if isinstance(step, (int, Key)) else f".{step}" for step in steps)
    for internal, name in _RENAMED:
        text = text.replace(internal, name)
    return text.removeprefix(".")


def _last_field(path: str) -> str:
    """Return the last name of a printed path with the index or key behind it, empty for a path without names."""
    parts = _PRINTED.findall(path)
    names = [i for i, part in enumerate(parts) if part[0] not in "[<"]
    if not names:
        return f"`{''.join(parts)}`" if parts and parts[0][0] == "[" else ""
    return f"`{''.join(parts[names[-1] :])}`"


def _shown(value: object) -> str:
    """Return a value in backticks, shortened; empty for a struct, which is too long for one line."""
    value = _untyped(value)
    if value is None or isinstance(value, (bool, int, float)):
        return f"`{str(value).lower().replace('none', 'null')}`"
    if isinstance(value, str):
        if value.strip() not in {"", value} and len(value) < _LONGEST_VALUE:
            return f"`{json.dumps(value, ensure_ascii=False)}`"  # what is wrong is at an end
        return (
            f"`{_short(value)}`"
            if value[:_LONGEST_VALUE].strip()
            else "empty"
            if not value
            else "blank"
        )
    if isinstance(value, (list, tuple)):
        are_short = value and all(
            isinstance(item, (str, int, float)) for item in value[:_SHOWN_VALUES]
        )
        return _listed(value, "and") if are_short else ""
    if not isinstance(value, dict) or not 0 < len(value) <= _SHOWN_VALUES:
        return ""
    are_short = all(isinstance(item, (str, int, float)) for item in value.values())
    return _listed([f"{name}: {item}" for name, item in value.items()], "and") if are_short else ""


def _untyped(value: Any) -> Any:
    from crdlint.golang.printing import Typed  # runs without errors do not need it

    return value.value if isinstance(value, Typed) else value


def _short(text: str) -> str:
    line = " ".join(text[: 4 * _LONGEST_VALUE].split())
    return line if len(line) <= _LONGEST_VALUE else f"{line[: _LONGEST_VALUE - 1]}…"


def _has_allowed_values(reason: Reason | None) -> TypeGuard[Reason]:
    """Return whether an error names the values of an enum, one of which can be used."""
    return reason is not None and reason.code is Code.ENUM and bool(reason.arguments)


def _listed(values: Sequence[object], word: str = "or") -> str:
    shown = [f"`{_short(str(value))}`" for value in values[:_SHOWN_VALUES]]
    if len(values) > _SHOWN_VALUES:
        return f"{', '.join(shown)}, …"
    return joined(shown, word)


def _wrong(value: object) -> str:
    """Return what is wrong with a name, and the name; its prefix, up to a slash, does not count."""
    value = _untyped(value)
    if isinstance(value, list):
        return f"excludes another: {_listed(value, 'and')}"
    if not value:
        return "is empty"
    name = str(value).rpartition("/")[2]
    is_plain = name.replace("-", "").isalnum() and name.isascii()
    faults = {
        "is longer than 63 characters": len(name) > _LONGEST_NAME,
        "has an empty name": not name,
        "does not begin and end with a letter or digit": not (
            name[:1].isalnum() and name[-1:].isalnum()
        ),
        "begins with a digit": is_plain and name[:1].isdigit(),
        "has upper-case letters": is_plain and name != name.lower(),
        "has characters that are not allowed": True,
    }
    return f"{next(text for text, applies in faults.items() if applies)}: {_shown(value)}"


def _rule_failed(error: FieldError, target: _Target) -> str:
    reason, cause = error.reason, error.cause
    if reason is not None and reason.code in {Code.NOT_CHECKED, Code.OUT_OF_BUDGET}:
        return _CODES[reason.code].format(of=target.phrase)
    if reason is not None and reason.code is Code.NO_KEY:
        return f"{target.phrase} lacks `{reason.arguments[0]}`, which a rule reads"
    rule = "" if cause is None else f" `{_short(cause.rule.rule)}`"
    if reason is not None and reason.code is Code.RULE_FAILED:
        return f"{target.phrase}: rule{rule} does not compile"
    if reason is not None and reason.code is Code.EVALUATION_FAILED:
        return f"{target.phrase}: {_short(reason.arguments[0])} in rule{rule}"
    author = "" if cause is None else " ".join(str(cause.rule.message)[: 2 * LONGEST].split())
    return (
        cut(f"{target.phrase}: {author}") if author else f"{target.phrase} violates the rule{rule}"
    )


def _not_compiled(error: FieldError, target: _Target) -> str:
    """Return the headline of an expression that does not compile, from the first problem that the compiler found."""
    kind, problem = target.keyword, error.subject
    expression = f"{kind} on {target.phrase}"
    if problem is None or isinstance(problem, str):
        return (
            of_message(f"{expression}: {problem}") if problem else f"{expression} does not compile"
        )
    code, args = problem.code.name, [_name(argument) for argument in problem.args]  # type: ignore[attr-defined]
    if code == "UNRECOGNIZED_TOKEN" and args[0][:1] in {"'", '"'}:
        escape = re.search(r"(?<!\\)(?:\\\\)*(\\.)$", args[0])
        what = (
            f"`{escape[1]}` is no escape of CEL"
            if escape
            else f"the string `{args[0]}` is not closed"
        )
        return f"{expression}: {what}"
    if code == "NO_MATCHING_OVERLOAD" and args[1][:1] not in {"(", ""}:
        receiver, _, types = args[1].partition(".(")
        return cut(f"{expression}: `{receiver}` has no function `{args[0]}({types.rstrip(')')})`")
    text = _CEL.get(code, "{message}").format(*args, message=problem.message)  # type: ignore[attr-defined]
    return cut(f"{expression}: {text}")


def _name(argument: object) -> str:
    """Return an argument of a CEL problem: a name, an operator without its underscores, or a type."""
    text = str(argument)
    return (
        text.strip("_@") if re.fullmatch(r"[_@]\W.*", text) or text in _OPERATORS else _short(text)
    )


def _storage(error: FieldError, target: _Target) -> str:
    if not target.phrase.startswith("`spec"):
        return f"{target.phrase} does not contain the storage version"
    versions = _untyped(error.value)
    stored = [version.name for version in versions or () if version.storage]
    if versions and not {"served", "storage"} & vars(versions[-1]).keys():
        return f"version `{versions[-1].name}` has neither `served` nor `storage`: the file may end too early"
    if not stored:
        return (
            "no version has `storage: true`"
            if versions
            else "`spec.versions` has no version to store objects in"
        )
    return f"{len(stored)} versions have `storage: true`: {_listed(stored, 'and')}"


def _repeated(names: Sequence[str]) -> str:
    return (
        f"{_listed(sorted({name for name in names if names.count(name) > 1}), 'and')} is repeated"
    )


def _uncorrelatable(error: FieldError, target: _Target) -> str:
    within: Any = error.subject
    is_list = error.path.steps()[len(within.steps())] == "items"
    reason = "is not a map list" if is_list else "has an unknown `x-kubernetes-map-type`"
    return f"rule on {target.phrase} cannot use `oldSelf`: {_of_path(within).phrase} {reason}"


def _map_items(error: FieldError, target: _Target) -> str:
    shown = _shown(error.value)
    if not shown:
        return f"{target.phrase} has a list of schemas as `items`, but items of a map list have one"
    type_ = "no type" if shown == "empty" else f"the type {shown}"
    return f"{target.phrase} has {type_}, but map lists need objects"


def _too_expensive(error: FieldError, target: _Target) -> str:
    if error.reason is None:
        return f"{target.keyword} on {target.phrase} adds to a total cost above the limit"
    cost, limit = error.reason.arguments
    factor = cost / limit
    times = (
        "more than 100 times"
        if factor > 100
        else f"{factor:.1f} times"
        if factor >= 1.05
        else "slightly more than"
    )
    of_all = error.rule == "cel-schema-cost"
    who = (
        "rules of `openAPIV3Schema` together" if of_all else f"{target.keyword} on {target.phrase}"
    )
    return f"{who} may cost {times} the limit"


_OPERATORS: Final = frozenset({"_in_", "@in", "_?_:_", "-_", "!_"})
_SPECIAL: Final[Mapping[str, Callable[[FieldError, _Target], str]]] = {
    "resource-rule": _rule_failed, "default-rule-failed": _rule_failed, "cel-compilation": _not_compiled,
    "cel-output-type": lambda error, of: f"{of.keyword} on {of.phrase} evaluates to `{_short(str(error.subject))}`, "
                                         f"not `{'bool' if of.keyword == 'rule' else 'string'}`",
    "storage-version-exactly-one": _storage,
    "version-name-duplicate": lambda error, _: f"version name {_repeated([each.name for each in _untyped(error.value) or ()])}",
    "list-map-key-duplicate": lambda error, of: f"list map key {_repeated(_untyped(error.value))} in {of.phrase}",
    "cel-old-self-uncorrelatable": _uncorrelatable, "cel-rule-cost": _too_expensive, "cel-schema-cost": _too_expensive,
}  # fmt: skip
# Of invalid values.
_SPECIAL_VALUES: Final[Mapping[str, Callable[[FieldError, _Target], str]]] = {
    "metadata-name": lambda error, of: f"{of.phrase} must be `{error.subject or '<plural>.<group>'}`, not {_shown(error.value)}",
    "list-map-items": _map_items,
    "rule-message-invalid": lambda error, of: f"message of a rule on {of.phrase} "
                                              f"{'has several lines' if str(_untyped(error.value)).strip() else 'is blank'}",
}  # fmt: skip
# By the type of an error: for a keyword of a schema, and for any other field.
_BY_TYPE: Final = {
    REQUIRED: ("{of} has no {key}", "{of} is missing"),
    INVALID: ("{key} of {of} cannot be {value}", "{of} cannot be {value}"),
    "FieldValueTypeInvalid": ("{key} of {of} cannot be {value}", "{of} cannot be {value}"),
    NOT_SUPPORTED: ("{key} of {of} cannot be {value}{fix}", "{of} cannot be {value}{fix}"),
    FORBIDDEN: ("{keyword} is not allowed on {of}", "{of} is not allowed here"),
    DUPLICATE: ("{key} of {of} repeats {value}", "{of} repeats {value}"),
    TOO_LONG: ("{key} of {of} is too long", "{of} is too long"),
    "FieldValueTooMany": ("{key} of {of} has too many items", "{of} has too many items"),
    INTERNAL: ("{key} of {of} cannot be checked", "{of} cannot be checked"),
    "NotEvaluated": (
        "rules of {of} take too much work to check",
        "{of} takes too much work to check",
    ),
    "NoAnswer": ("API server panics on {of}", "API server panics on {of}"),
}
_WITHOUT_VALUE: Final = {
    INVALID: ("{key} of {of} is not valid", "{of} is not valid"),
    DUPLICATE: ("{key} of {of} repeats an item", "{of} repeats an earlier item"),
}
# By the reason of an error.
_CODES: Final = {
    Code.TYPE: "{of} must have the type `{args[0]}`, not `{args[1]}`",
    Code.FORMAT: "{of} does not have the format `{args[0]}`: {value}",
    Code.RANGE: "{of} is outside the range of `{args[0]}`",
    Code.ENUM: "{of} cannot be {value}{fix}",
    Code.LEAST: "{of} is {value}, and its minimum is {args[0]}",
    Code.MOST: "{of} is {value}, and its maximum is {args[0]}",
    Code.MULTIPLE: "{of} is {value}, not a multiple of {args[0]}",
    Code.PATTERN: "{of} does not match its pattern: {value}",
    Code.TOO_SHORT: "{of} is shorter than its `minLength` {args[0]}: {value}",
    Code.TOO_LONG: "{of} is longer than its `maxLength` {args[0]}",
    Code.TOO_FEW: "{of} has fewer than {args[0]} {args[1]}",
    Code.TOO_MANY: "{of} has more than {args[0]} items",
    Code.NOT_UNIQUE: "{of} repeats {value}",
    Code.ANY_OF: "{of} matches no schema of `anyOf`",
    Code.ONE_OF: "{of} does not match exactly one schema of `oneOf`",
    Code.ALL_OF: "{of} does not match all schemas of `allOf`",
    Code.NOT: "{of} matches the schema of `not`",
    Code.UNFIT_LIMIT: "`{args[0]}` in the schema of {of} accepts no such value",
    Code.NO_MAP_ITEM: "{of} is not an object, and map lists have only objects",
    Code.NOT_CHECKED: "rules of {of} are not all evaluated until the other errors are fixed",
    Code.IMMUTABLE: "{of} cannot be changed",
    Code.OUT_OF_BUDGET: "rules of {of} cost too much to evaluate",
    Code.UNKNOWN_FIELDS: "{of} is not in the schema",
    Code.NO_FIELD: "`fieldPath` {value} is not a field of {of}",
    Code.NOT_DEPRECATED: "{of} is set, but the version is not deprecated",
    Code.NOT_BELOW: "{of} {value} does not start with {parents}",
    Code.NO_WEBHOOK_STRATEGY: "{of} is set, but `strategy` is not `Webhook`",
}
# By the rule, and the type of an error if the rule has errors of several types.
_BY_RULE: Final = {
    (rule, type_): text
    for rule, type_, text in (
        ("structural-items-required", "", "list {of} has no `items`"),
        ("structural-root-not-object", "", "type of {of} is {value}, not `object`"),
        ("root-type-with-status", "", "type of `openAPIV3Schema` is {value}, not `object`"),
        ("structural-forbidden-in-junctor", "", "{key} is not allowed on {of}"),
        (
            "structural-incomplete",
            "",
            "{of} is specified only inside `allOf`, `anyOf`, `oneOf` or `not`",
        ),
        (
            "metadata-restricted",
            "",
            "schema of `metadata` may only restrict `name` and `generateName`",
        ),
        ("metadata-in-junctor", "", "`metadata` is not allowed inside {junctor}"),
        ("metadata-type", "", "type of {of} is {value}, not `{args[0]}`"),
        (
            "embedded-resource-shape",
            INVALID,
            "embedded resource {of} has the type {value}, not `object`",
        ),
        (
            "embedded-resource-shape",
            FORBIDDEN,
            "{key} is not allowed on the embedded resource {of}",
        ),
        ("embedded-resource-shape", REQUIRED, "embedded resource {of} has no {key}"),
        ("int-or-string-exclusive", "", "{key} is not allowed on {of}, which is an int-or-string"),
        ("pattern-invalid", "", "pattern of {of}: {subject}"),
        ("type-unsupported", "", "{of} has the unknown type {value}"),
        ("default-forbidden", "", "default of {of} is not allowed {subject}"),
        ("type-null", "", "type of {of} cannot be `null`"),
        ("items-not-a-schema", "", "`items` of {of} must be one schema, not a list of schemas"),
        ("unique-items-forbidden", "", "`uniqueItems: true` is not allowed on {of}"),
        (
            "properties-and-additional-properties",
            "",
            "{of} cannot have both `properties` and `additionalProperties`",
        ),
        (
            "map-type-not-object",
            "",
            "`x-kubernetes-map-type` is set on {of}, which is not an object",
        ),
        (
            "list-type-not-array",
            "",
            "`x-kubernetes-list-type` is set on {of}, which is not an array",
        ),
        ("set-items-not-atomic", "", "{of} must be a scalar or atomic, as the list is a set"),
        (
            "list-map-keys-without-map",
            "",
            "{of} has `x-kubernetes-list-map-keys`, but its list type is not `map`",
        ),
        (
            "list-map-keys-required",
            "",
            "`x-kubernetes-list-type: map` on {of} needs `x-kubernetes-list-map-keys`",
        ),
        ("list-map-items", REQUIRED, "map list {of} has no schema for its items"),
        (
            "list-map-key-unknown",
            "",
            "list map key {value} of {of} is not a property of the list's items",
        ),
        (
            "list-map-key-not-scalar",
            "",
            "list map key {of} has the type {value}, which is not a scalar",
        ),
        ("list-map-key-required", "", "list map key {of} must be required or have a default"),
        ("list-map-key-nullable", "", "list map key {of} cannot be nullable"),
        ("list-items-nullable", "", "{of} cannot be nullable, as the list is a set or a map"),
        (
            "root-fields-with-status",
            "",
            "{at} is not allowed at the root of a schema with the status subresource",
        ),
        ("root-nullable", "", "`nullable: true` is not allowed at the root of the schema"),
        ("rule-required", "", "rule on {of} is empty"),
        ("rule-message-invalid", REQUIRED, "rule on {of} has several lines and no message"),
        ("rule-reason-unsupported", "", "{key} of a rule on {of} cannot be {value}"),
        ("rule-message-expression-empty", "", "`messageExpression` of a rule on {of} is blank"),
        ("rule-field-path-invalid", "", "`fieldPath` {value} of a rule on {of} leads to no field"),
        (
            "cel-optional-old-self-unused",
            "",
            "rule on {of} sets `optionalOldSelf` without using `oldSelf`",
        ),
        ("cel-schema-without-type", "", "rule on {of}, whose schema gives CEL no type"),
        ("metadata-labels", INVALID, "{label} in {of} {wrong}"),
        ("group-invalid", INVALID, "{of} is not a lower-case domain name with a dot: {value}"),
        ("names-invalid", INVALID, "{of} {wrong}"),
        (
            "selectable-field-invalid",
            INVALID,
            "`jsonPath` {value} of a selectable field leads to no {what}",
        ),
        ("metadata-annotations", INVALID, "key in {of} {wrong}"),
        ("metadata-annotations-too-long", "", "{of} is larger than 256 KiB in total"),
        ("metadata-finalizers", INVALID, "name in {of} {wrong}"),
        ("version-name-invalid", "", "version name {wrong}"),
        (
            "api-approval",
            REQUIRED,
            "annotation `api-approved.kubernetes.io` is missing: the group is protected",
        ),
        ("spec-immutable", "", "{of} cannot be changed to {value}"),
        ("conversion-webhook-service", INVALID, "{of} {subject}: {value}"),
        ("conversion-webhook-url", INVALID, "{of} {subject}: {value}"),
        ("preserve-unknown-fields", "", "`spec.preserveUnknownFields: true` is not allowed in v1"),
        (
            "defaults-with-preserve-unknown-fields",
            "",
            "defaults are not allowed with `spec.preserveUnknownFields: true`",
        ),
        ("schema-not-convertible", "", "{keyword} is not allowed on {of}"),
        (
            "structural-root-additional-properties",
            "",
            "{key} is not allowed at the root of the schema",
        ),
        (
            "embedded-resource-in-metadata",
            "",
            "{key} is not allowed inside the metadata of a resource",
        ),
        ("schema-required", "", "version has no `schema.openAPIV3Schema`"),
        ("names-list-kind-same", "", "`spec.names.kind` and `listKind` cannot both be {value}"),
        ("stored-version-missing", "", "{value} is stored, but is no version in `spec.versions`"),
    )
}
_CEL: Final = {
    "UNEXPECTED_END": "the expression ends too early",
    "UNEXPECTED_TOKEN": "`{0}` is not expected there",
    "UNRECOGNIZED_TOKEN": "`{0}` is not CEL",
    "RESERVED_IDENTIFIER": "`{0}` is a reserved word",
    "UNDEFINED_FIELD": "no field `{0}`",
    "UNDECLARED_REFERENCE": "no name `{0}`",
    "NO_MATCHING_OVERLOAD": "`{0}` does not apply to `{1}`",
    "TYPE_MISMATCH": "`{1}` where `{0}` is expected",
    "NO_FIELD_SELECTION": "`{0}` has no fields",
    "NOT_A_VARIABLE": "a macro needs a variable before its condition",
    "NOT_A_RANGE": "`{0}` is neither a list nor a map",
    "INVALID_LITERAL": "invalid argument of `{0}`",
}
