"""Headlines: what is wrong with which field, key, value or function, in at most 90 characters.

A headline is made from the path, the value and the reason of an error, never from the server's sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

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
)
from crdlint.crd.paths import Key, Path, Step
from crdlint.light import NamedTuple, regex
from crdlint.phrases import joined
from crdlint.rules.engine.advisory import JUNCTORS
from crdlint.safety.bugs import attempt
from crdlint.yaml.nodes import Scalar, text_or_empty
from crdlint.yaml.resolve import key_text

if TYPE_CHECKING:
    from crdlint.crd.decode_errors import DecodeProblem
    from crdlint.yaml.nodes import Mapping as Object

# A template, a function that returns the headline, or these by the type of the error; empty for the usual one.
Headline: TypeAlias = "_Shape | dict[str, _Shape]"
_Shape: TypeAlias = "str | Callable[[FieldError, ErrorSubject], str]"
# What a headline names: the field at the path of the error, the default there, the place that is reported if it is another
# one, or the last field of the path of a value, which may be the whole object.
Named: TypeAlias = Literal["field", "default", "place", "object"]
LONGEST: Final = 90
_LONGEST_VALUE: Final = 32  # characters
_LONGEST_PATH: Final = 60  # characters
_SHOWN_VALUES: Final = 3
_ROOT: Final = "`openAPIV3Schema`"
_LONGEST_NAME: Final = 63  # characters
_PRINTED: Final = regex(r"[^.\[\]]+|\[[^\]]*\]?")
_RULES: Final = "x-kubernetes-validations"
# Internal names, and those of v1.
_RENAMED: Final = (
    ("JSONPath", "jsonPath"),
    ("webhookClientConfig", "webhook.clientConfig"),
    ("conversion.conversionReviewVersions", "conversion.webhook.conversionReviewVersions"),
)
_GO_TYPES: Final = {
    "string": "a string",
    "types.UID": "a string",
    "bool": "`true` or `false`",
    "int32": "an integer",
    "int64": "an integer",
    "float64": "a number",
    "[]string": "a list of strings",
    "v1.ValidationRules": "a list",
    "map[string]string": "a mapping of strings",
}
_JSON_TYPES: Final = {
    "string": "the string",
    "number": "the number",
    "bool": "the boolean",
    "object": "a mapping",
    "array": "a list",
}
_CHILDREN: Final = frozenset({"properties", "items", "additionalProperties"})


def of_message(message: str) -> str:
    """Return the headline of crdlint's own sentence: the sentence, or its part before a colon or comma if it is too long.

    Of a sentence that introduces lines below it, the headline is what is before their colon.
    """
    first, _, others = message.partition("\n")
    if others and first.endswith(":"):
        message = first.removesuffix(":")
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


def of_error(
    error: FieldError,
    headline: Headline,
    names: Named,
    summary: str,
) -> str:
    """Return the headline of a field error as its rule declares it; the rule's `summary` if there is no better one."""
    return attempt(_of_error, error, headline, names) or summary


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
    name = text_or_empty(problem.node)
    if problem.headline:
        return of_message(problem.headline)
    if problem.path:
        # YAML reads a key such as `on` as another one.
        read = key_text(problem.node) if isinstance(problem.node, Scalar) else None
        return of_unknown(name, problem.path.removesuffix(read or name), problem.nearest)
    if problem.expected:
        return f"the value must be {problem.expected}"
    if problem.go_type:
        return _of_go_type(problem, name)
    return of_message(f"`{name}`: {problem.message}" if name else problem.message)


def _of_go_type(problem: DecodeProblem, name: str) -> str:
    """Return the headline of a value that Go cannot decode as the type of its field."""
    if "openAPIV3Schema" not in problem.field and len(problem.field) <= _LONGEST_PATH:
        name = problem.field or name
    elif not name or problem.node is problem.content:
        name = problem.field.rpartition(".")[2]
    of_kind = "a list" if problem.go_type.startswith("[]") else "a mapping"
    expected = _GO_TYPES.get(problem.go_type, of_kind)
    actual = _JSON_TYPES[problem.json_type]
    value = text_or_empty(problem.content)
    shown = f" `{_short(value)}`" if value else ""
    is_whole = problem.go_type.startswith(("[]", "map["))
    part = "" if is_whole else _PARTS.get(problem.field.rpartition(".")[2], "")
    sentence = f"must be {expected}, not {actual}{shown}"
    if len(f"{part}`{name}` {sentence}") > LONGEST:
        name = ".".join(name.split(".")[-2:])
    return cut(f"{part}`{name}` {sentence}")


# What the values of maps and the items of lists are called, by the name of the field.
_PARTS: Final = {
    **dict.fromkeys(("annotations", "labels"), "value in "),
    **dict.fromkeys(
        (
            *("additionalPrinterColumns", "categories", "conversionReviewVersions", "finalizers"),
            *("ownerReferences", "required", "selectableFields", "shortNames", "storedVersions"),
            *("versions", "x-kubernetes-list-map-keys", "x-kubernetes-validations"),
        ),
        "item of ",
    ),
}


def _of_error(error: FieldError, headline: Headline, names: Named) -> str:
    target = _target(error, names)
    declared = headline.get(error.type) if isinstance(headline, dict) else headline
    if callable(declared):
        return cut(declared(error, target))
    template = declared or _of_reason(error, target) or _default(error, target)
    values = _values(error, target)
    text = template.format_map(values)
    if len(text) > LONGEST and values["fix"]:
        text = template.format_map(values | {"fix": ""})
    return cut(" ".join(text.split()))


def _of_reason(error: FieldError, target: ErrorSubject) -> str | None:
    if error.code is Code.ENUM and target.keyword:
        return None
    return _CODES.get(error.code)


def _values(error: FieldError, target: ErrorSubject) -> dict[str, object]:
    """Return the values of the names in a template."""
    code, arguments = error.code, error.arguments
    is_word = target.keyword.isalpha()  # and could be the name of a property
    return {
        "of": target.inside or target.phrase,
        "field": target.phrase,
        "key": f"`{target.keyword}`",
        "keyword": f"keyword `{target.keyword}`" if is_word else f"`{target.keyword}`",
        "junctor": f"`{target.junctor}`",
        "value": _shown(error.value),
        "at": f"`{error.at.step}`" if error.at is not None else "a keyword beside `properties`",
        "label": "key" if error.key else "value",
        "wrong": _Fault(error.value),
        "what": "field" if code is Code.NO_FIELD else "string, boolean or integer",
        "subject": _short(str(error.subject)),
        "args": arguments,
        "parents": _listed(arguments) if code is Code.NOT_BELOW else "",
        "fix": f": use {_listed(arguments)}" if code is Code.ENUM and arguments else "",
    }


class _Fault(NamedTuple):
    """What is wrong with a name, which is only looked for if a template asks for it."""

    name: object

    def __format__(self, _spec: str) -> str:
        return _wrong(self.name)


def _default(error: FieldError, target: ErrorSubject) -> str:
    if error.type == REQUIRED and error.value is not None:
        return "{of} is empty" if not target.keyword else "{key} of {of} is empty"
    without_value = None if _shown(error.value) else _WITHOUT_VALUE.get(error.type)
    of_schema, of_field = without_value or _BY_TYPE[error.type]
    return of_schema if target.keyword else of_field


class ErrorSubject(NamedTuple):
    """What an error is about: a phrase for a field, its schema's keyword and junctor, and `inside`, the phrase with the junctor."""

    phrase: str
    keyword: str = ""
    junctor: str = ""
    inside: str = ""


def _target(error: FieldError, names: Named) -> ErrorSubject:
    if names == "object":
        # The server has no path for some errors, such as those of oneOf.
        return ErrorSubject(
            _last_field(str(error.path)) or _last_field(str(error.at or "")) or "the object"
        )
    is_elsewhere = names == "place" or "default" in map(str, error.path.steps())
    path = error.at if error.at is not None and is_elsewhere else error.path
    target = _of_path(path)
    is_default = names == "default" and target.keyword == "default"
    return ErrorSubject(f"default of {target.phrase}") if is_default else target


def _of_path(path: Path) -> ErrorSubject:
    steps = path.steps()
    for i, step in enumerate(steps):
        if step == "openAPIV3Schema" and not isinstance(step, Key):
            return _target_of_schema(steps[i + 1 :])
    start = 3 if steps[:2] == ["spec", "versions"] and len(steps) > 3 else 0
    shown = steps[start:]
    if len(_printed(shown)) > _LONGEST_PATH:
        shown = shown[-3:] if isinstance(shown[-2], int) else shown[-2:]
    return ErrorSubject(f"`{_printed(shown)}`")


def _target_of_schema(steps: Sequence[Step]) -> ErrorSubject:
    left = list(reversed(steps))
    schema = _SchemaPhrase()
    while left and schema.enter(left):
        pass
    if not left:
        return schema.subject("")
    step = left.pop()
    if step == "default" and left:
        inner = _last_field(_printed(list(reversed(left))))
        return ErrorSubject(f"{inner} in the default of {schema.phrase}", "", schema.junctor)
    if step == _RULES and left:
        return schema.subject(str(left[0]))
    return schema.subject(str(step))


class _SchemaPhrase:
    """The phrase for a schema: `field` is the last property on the way, `inside` the phrase with the junctor."""

    __slots__ = ("field", "inside", "junctor", "phrase")

    def __init__(self) -> None:
        self.phrase = self.field = _ROOT
        self.junctor = self.inside = ""

    def subject(self, keyword: str) -> ErrorSubject:
        """Return what an error at a keyword of the schema is about."""
        return ErrorSubject(
            self.phrase,
            keyword,
            self.junctor,
            self.inside,
        )

    def enter(self, left: list[Step]) -> bool:
        """Take the steps to the next schema from the end of `left`; return whether they lead to one."""
        if len(left) < 2:
            return False
        step, following = left[-1], left[-2]
        if step == "properties" and isinstance(following, Key):
            name = str(following)
            self.field = f"property `{name}`" if name in _CHILDREN else f"`{name}`"
            self._set_phrase(self.field)
            del left[-2:]
        elif step in JUNCTORS:
            self._enter_alternative(str(step), following)
            del left[-2 if isinstance(following, int) else -1 :]
        elif step in _CHILDREN:
            self._set_phrase(f"`{step}` of {self.field}")
            del left[-2 if isinstance(following, int) else -1 :]
        else:
            return False
        return True

    def _enter_alternative(self, junctor: str, index: Step) -> None:
        self.junctor = junctor
        shown = f"{junctor}[{index}]" if isinstance(index, int) else junctor
        self.inside = f"`{shown}` of {self.phrase}"

    def _set_phrase(self, phrase: str) -> None:
        self.phrase = phrase
        self.inside = self.junctor and f"{phrase} in `{self.junctor}`"


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
    if value is None:
        return "`null`"
    if isinstance(value, (bool, int, float)):
        return f"`{str(value).lower()}`"
    if isinstance(value, str):
        return _shown_text(value)
    if isinstance(value, (list, tuple)):
        is_short = bool(value) and _are_scalars(value[:_SHOWN_VALUES])
        return _listed(value, "and") if is_short else ""
    if isinstance(value, dict) and 0 < len(value) <= _SHOWN_VALUES and _are_scalars(value.values()):
        return _listed([f"{name}: {item}" for name, item in value.items()], "and")
    return ""


def _shown_text(text: str) -> str:
    if not text:
        return "empty"
    if text.strip() not in {"", text} and len(text) < _LONGEST_VALUE:
        import json  # few findings show such a value

        return f"`{json.dumps(text, ensure_ascii=False)}`"  # what is wrong is at an end
    return f"`{_short(text)}`" if text[:_LONGEST_VALUE].strip() else "blank"


def _are_scalars(values: Iterable[object]) -> bool:
    return all(isinstance(value, (str, int, float)) for value in values)


def _untyped(value: Any) -> Any:
    from crdlint.golang.printing import Typed  # runs without errors do not need it

    return value.value if isinstance(value, Typed) else value


def _short(text: str) -> str:
    line = " ".join(text[: 4 * _LONGEST_VALUE].split())
    return line if len(line) <= _LONGEST_VALUE else f"{line[: _LONGEST_VALUE - 1]}…"


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


def rule_failed(error: FieldError, target: ErrorSubject) -> str:
    """Return the headline of a value that violates a rule, or of a rule that cannot be evaluated for it."""
    rule = message = ""
    if error.cause is not None:
        rule = f" `{_short(error.cause.rule.rule)}`"
        message = str(error.cause.rule.message)
    template = _OF_RULES.get(error.code)
    if template is not None:
        shown = [_short(str(argument)) for argument in error.arguments]
        return template.format(*shown, of=target.phrase, rule=rule)
    author = " ".join(message[: 2 * LONGEST].split())
    return (
        cut(f"{target.phrase}: {author}") if author else f"{target.phrase} violates the rule{rule}"
    )


def not_compiled(error: FieldError, target: ErrorSubject) -> str:
    """Return the headline of an expression that does not compile, from the first problem that the compiler found."""
    kind, problem = target.keyword, error.subject
    expression = f"{kind} on {target.phrase}"
    if problem is None or isinstance(problem, str):
        return (
            of_message(f"{expression}: {problem}") if problem else f"{expression} does not compile"
        )
    code, args = problem.code.name, list(map(_name, problem.args))  # type: ignore[attr-defined]
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
    if code == "UNDECLARED_REFERENCE" and args[0] in _MACROS:
        return f"{expression}: `{args[0]}` needs {_MACROS[args[0]]}"
    text = _CEL.get(code, "{message}").format(*args, message=problem.message)  # type: ignore[attr-defined]
    return cut(f"{expression}: {text}")


def _name(argument: object) -> str:
    """Return an argument of a CEL problem: a name, an operator without its underscores, or a type."""
    text = str(argument)
    return text.strip("_@") if _OPERATOR.fullmatch(text) or text in _OPERATORS else _short(text)


def storage(error: FieldError, target: ErrorSubject) -> str:
    """Return the headline of versions of which not exactly one is stored."""
    if not target.phrase.startswith("`spec"):
        return f"{target.phrase} does not contain the storage version"
    versions = _untyped(error.value)
    stored = [version.name for version in versions or () if version.storage]
    if versions and versions[-1].is_unfinished:
        return f"version `{versions[-1].name}` has neither `served` nor `storage`: the file may end too early"
    if not stored:
        return (
            "no version has `storage: true`"
            if versions
            else "`spec.versions` has no version: the file may end too early"
        )
    return f"{len(stored)} versions have `storage: true`: {_listed(stored, 'and')}"


def _repeated(names: Sequence[str]) -> str:
    return (
        f"{_listed(sorted({name for name in names if names.count(name) > 1}), 'and')} is repeated"
    )


def uncorrelatable(error: FieldError, target: ErrorSubject) -> str:
    """Return the headline of a rule that uses `oldSelf` in a list or map whose items are not matched."""
    within: Any = error.subject
    is_list = error.path.steps()[len(within.steps())] == "items"
    reason = "is not a map list" if is_list else "has an unknown `x-kubernetes-map-type`"
    return f"rule on {target.phrase} cannot use `oldSelf`: {_of_path(within).phrase} {reason}"


def map_items(error: FieldError, target: ErrorSubject) -> str:
    """Return the headline of a map list whose items are no objects."""
    shown = _shown(error.value)
    if not shown:
        return f"{target.phrase} has a list of schemas as `items`, but items of a map list have one"
    type_ = "no type" if shown == "empty" else f"the type {shown}"
    return f"{target.phrase} has {type_}, but map lists need objects"


def too_expensive(error: FieldError, target: ErrorSubject) -> str:
    """Return the headline of a rule that costs too much, alone or together with the others."""
    part = f"{target.keyword} on {target.phrase}"
    return _above_limit(part, error, target)


def too_expensive_together(error: FieldError, target: ErrorSubject) -> str:
    """Return the headline of the rules of a schema that cost too much together."""
    return _above_limit("rules of `openAPIV3Schema` together", error, target)


def _above_limit(who: str, error: FieldError, target: ErrorSubject) -> str:
    if error.reason is None:
        return f"{target.keyword} on {target.phrase} adds to a total cost above the limit"
    cost, limit = error.reason.arguments
    factor = cost / limit
    if factor > 100:
        times = "more than 100 times"
    elif factor >= 1.05:
        times = f"{factor:.1f} times"
    else:
        times = "slightly more than"
    return f"{who} may cost {times} the limit"


def wrong_output(error: FieldError, target: ErrorSubject) -> str:
    """Return the headline of an expression that evaluates to another type."""
    needed = "bool" if target.keyword == "rule" else "string"
    actual = _short(str(error.subject))
    return f"{target.keyword} on {target.phrase} evaluates to `{actual}`, not `{needed}`"


def repeated_versions(error: FieldError, _target: ErrorSubject) -> str:
    """Return the headline of versions that have the same name."""
    return f"version name {_repeated([each.name for each in _untyped(error.value) or ()])}"


def repeated_keys(error: FieldError, target: ErrorSubject) -> str:
    """Return the headline of a list that has a key twice."""
    return f"list map key {_repeated(_untyped(error.value))} in {target.phrase}"


def wrong_name(error: FieldError, target: ErrorSubject) -> str:
    """Return the headline of a CRD with another name than that of its plural and group."""
    expected = error.subject or "<plural>.<group>"
    return f"{target.phrase} must be `{expected}`, not {_shown(error.value)}"


def wrong_message(error: FieldError, target: ErrorSubject) -> str:
    """Return the headline of a message that is not one line of text."""
    fault = "has several lines" if str(_untyped(error.value)).strip() else "is blank"
    return f"message of a rule on {target.phrase} {fault}"


_OPERATOR: Final = regex(r"[_@]\W.*")
_OPERATORS: Final = frozenset({"_in_", "@in", "_?_:_", "-_", "!_"})
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
_CODES: Final[Mapping[Code | None, str]] = {
    Code.NOTHING_DEFINED: "the CRD has no group, no names and no versions",
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
# The same of rules, which a value does not violate: they are not or cannot be evaluated.
_OF_RULES: Final[Mapping[Code | None, str]] = {
    Code.NOT_CHECKED: _CODES[Code.NOT_CHECKED],
    Code.OUT_OF_BUDGET: _CODES[Code.OUT_OF_BUDGET],
    Code.NO_KEY: "{of} lacks `{}`, which a rule reads",
    Code.RULE_FAILED: "{of}: rule{rule} does not compile",
    Code.EVALUATION_FAILED: "{of}: {} in rule{rule}",
}
_CONDITION: Final = "a variable and a condition"
# What macros need; a call of one with other arguments is that of an unknown function.
_MACROS: Final = {
    **dict.fromkeys(("all", "exists", "exists_one", "filter"), _CONDITION),
    "existsOne": "two variables and a condition",
    "map": "a variable and an expression",
    "has": "one field",
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
