"""How to correct what `rules/server/structural.py` rejects, in words."""

from __future__ import annotations

from typing import Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.light import regex
from crdlint.phrases import OneCommand, Sample
from crdlint.yaml.editor import quoted

INT_OR_STRING_FORMAT: Final = "int-or-string"
_NEGATIVE: Final = regex(r"\^\(\?!((?:[^()\\]|\\.|\([^()?]*\))*)\)(.*)\Z")
_GROUPS: Final = regex(r"\\.|\[(?:[^\]\\]|\\.)*(?:\]|\\?\Z)|\([^()]*\)")
# Keywords that only make sense with one type, for the suggestion.
_SPEAKS_OF: Final = (
    (
        ("properties", "additional_properties", "max_properties", "min_properties", "required"),
        "object",
    ),
    (("items", "max_items", "min_items", "x_list_type"), "array"),
    (("pattern", "max_length", "min_length"), "string"),
    (("maximum", "minimum", "multiple_of"), "integer"),
)
_OF_VALUE: Final = {str: "string", bool: "boolean", int: "integer", list: "array", dict: "object"}
_OF_FORMAT: Final = {"int32": "integer", "int64": "integer", "float": "number", "double": "number"}
_JUNCTOR: Final = regex(r"\.(allOf|anyOf|oneOf|not)(?![^.\[])")


def implied_type(schema: JSONSchemaProps) -> str:
    """Return the type that follows from the other fields of a node, empty if none does."""
    attributes = vars(schema)
    for names, type_ in _SPEAKS_OF:
        if not attributes.keys().isdisjoint(names):
            return type_
    if schema.format == INT_OR_STRING_FORMAT:
        return ""
    if schema.format:
        return _OF_FORMAT.get(schema.format, "string")
    values = list(schema.enum)
    if schema.default is not None:
        values.append(schema.default.value)
    types = {_OF_VALUE.get(value.__class__, "") for value in values}
    return types.pop() if len(types) == 1 else ""


def missing_type(schema: JSONSchemaProps) -> str:
    """Return the help for a schema without a type: the type that its other fields imply, if any."""
    guess = implied_type(schema)
    if guess:
        return OneCommand(f"Add `type: {guess}`")
    if schema.format == INT_OR_STRING_FORMAT:
        return "Write `x-kubernetes-int-or-string: true` instead of `format`"
    if any(alternative.type for alternative in (*schema.any_of, *schema.one_of)):
        return (
            "Add the `type` here, outside of the alternatives; `x-kubernetes-int-or-string: true` accepts "
            "integers and strings"
        )
    return Sample(
        "Add the `type` of this value, such as `type: string`; "
        "`x-kubernetes-preserve-unknown-fields: true` accepts any value"
    )


def items(schema: JSONSchemaProps) -> str | None:
    """Return the help for a list without a schema of its items, None without a special one."""
    if schema.items is None:
        return _FIELDS_OF_ITEMS if schema.properties else None
    return "Write one schema for all items instead of the list of schemas"


_FIELDS_OF_ITEMS: Final = "Write `properties` below `items: {type: object}`: the items of a list have fields, not the list"


def root_map(schema: JSONSchemaProps) -> str | None:
    """Return the help for additional properties of the root, None without a special one."""
    additional = schema.additional_properties
    if additional is None or additional.allows:
        return None
    return "Remove `additionalProperties: false`: the API server drops unknown fields"


def nested(schema: JSONSchemaProps, name: str) -> str:
    """Return the help for a keyword that a schema within a junctor may not have."""
    junctors = _JUNCTOR.findall(str(schema.path)) or ["junctor"]
    outside = f"outside of the `{junctors[-1]}`"
    if name == "type":
        if schema.parent is not None and schema.parent.type == schema.type:
            return f"Remove `type` here: the schema {outside} has the same"
        types = _types_of_alternatives(schema)
        if types <= {"integer", "string"}:
            return (
                f"Remove `type` here, and specify it {outside}; for an integer or a string use "
                "`x-kubernetes-int-or-string: true` with `anyOf: [{type: integer}, {type: string}]`"
            )
        if len(types) > 1:
            return (
                f"Remove `type` here: a value has one type, specified {outside}. For values of several types, use "
                "`x-kubernetes-preserve-unknown-fields: true` instead of a type"
            )
    return f"Remove `{name}` here, and specify it {outside}"


def _types_of_alternatives(schema: JSONSchemaProps) -> set[str]:
    """Return the types of a schema within a junctor and of the others there."""
    around = schema.parent
    others = () if around is None else (*around.any_of, *around.one_of, *around.all_of)
    return {other.type for other in (schema, *others) if other.type}


def pattern_error(pattern: str) -> str | None:
    """Return Go's error of compiling a pattern, None if there is none."""
    from crdlint.golang.regexp import compile_error  # many CRDs have no pattern

    return compile_error(pattern)


def without_lookahead(pattern: str) -> tuple[str, str] | None:
    """Return a rule and a pattern that match what a pattern with a negative lookahead at its start was meant to match."""
    negative = _NEGATIVE.match(pattern)
    if negative is None or "'" in negative[1] or pattern_error(f"^({negative[1]})") is not None:
        return None
    rest = "" if negative[2] in {"", ".*", ".*$"} else f"^{negative[2]}"
    if pattern_error(rest) is not None or "|" in _GROUPS.sub("", rest):
        return None
    raw = "r" if "\\" in negative[1] else ""
    return f"!self.matches({raw}'^({negative[1]})')", rest


def cause_in_short(pattern: str, error: str) -> str:
    """Return in a few words why Go rejects a pattern."""
    from crdlint.golang.regexp_repair import cause  # only wrong patterns need it

    return cause(pattern, error)


def pattern_help(pattern: str) -> str | None:
    """Return the help for a pattern with lookaround; for a negative lookahead alone, an equivalent rule."""
    without = without_lookahead(pattern)
    if without is not None:
        rule, rest = without
        change = f"Write the pattern as `{rest}`" if rest else "Remove the pattern"
        return f"{change}, and add `x-kubernetes-validations: [{{rule: {quoted(rule)}}}]`: RE2 has no lookahead"
    if any(opening in pattern for opening in ("(?!", "(?<!", "(?=", "(?<=")):
        return "Split the condition into several patterns or rules, each without lookaround: RE2 has none"
    from crdlint.golang.regexp_repair import repair

    meant = repair(pattern)
    return None if meant is None else meant.help
