"""Advice: patterns, values of enums and words in rules that mean something else than they look like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from crdlint.crd.errors import Code
from crdlint.crd.model import JSONSchemaProps
from crdlint.golang.printing import marshal
from crdlint.light import NamedTuple, regex
from crdlint.phrases import OneCommand, joined
from crdlint.rules.advice.measures import Unit, units_of_field, units_of_text
from crdlint.rules.engine.advisory import Advisory, DecodedCRD, on_rules
from crdlint.rules.engine.rule import Caution, Nodes
from crdlint.yaml.nodes import Scalar, Sequence, child

if TYPE_CHECKING:
    from crdlint.cel.ast import Expr
    from crdlint.kubecel.cost import EstimatedRule
    from crdlint.kubernetes.servers import Server

_PATTERN: Final = "name:\n  type: string\n  pattern: {}"
_NAMED: Final = regex(
    r"\[:\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]"
)
_REPETITION: Final = regex(
    r"\{(?: +\d+ *(?:, *(?:\d+ *)?)?|\d+(?: +(?:, *(?:\d+ *)?)?|, +(?:\d+ *)?))\}"
)
_BETWEEN: Final = regex(r"[ ,]+")
_DASH: Final = regex("[A-Za-z0-9][\u2013\u2014\u2212][A-Za-z0-9]")
_WORDS: Final = regex(r"[A-Za-z][\w-]*(?:(?:[ ]+|, ?)[A-Za-z][\w-]*)+")
_COMPARISONS: Final = frozenset({"_==_", "_!=_"})
_ORDERS: Final = {"_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">="}
# What a rule has that compares with a text, or by an order.
_QUOTES: Final = frozenset("'\"")
_ORDER_SIGNS: Final = frozenset("<>")


def _ordered(rule: str) -> str:
    fields = "idle: {type: string, maxLength: 9, default: 15m}\n  total: {type: string, maxLength: 9, default: 8h}"
    return f"type: object\nproperties:\n  {fields}\nx-kubernetes-validations:\n- rule: {rule}\n"


@Caution(
    "pattern-slip",
    "Part of a pattern has another meaning",
    observed=("pattern-slips",),
    why="Without another pair of brackets, `[:alnum:]` is a set of the characters in it. A repetition with a blank is plain text, "
    "and a long dash is a character of its own.",
    help="Write `[[:alnum:]]`, no blank in a repetition, and `-` in a range",
    marker="correct `+kubebuilder:validation:Pattern`",
    bad=_PATTERN.format("'^[:alnum:]+$'"),
    good=_PATTERN.format("'^[[:alnum:]]+$'"),
).advice_on(Nodes({"pattern"}))
def _pattern_slips(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    if not any(slip.search(schema.pattern) for slip in (_NAMED, _REPETITION, _DASH)):
        return
    for text, message, help_ in _slips(schema.pattern):
        yield Advisory(f"`{text}` {message}", schema.path.child("pattern"), help_)


def _slips(pattern: str) -> Iterator[tuple[str, str, str]]:
    """Yield each part of a pattern that is not what it looks like, what it means, and the help."""
    position = 0
    while position < len(pattern):
        char = pattern[position]
        if char == "\\":
            position += 2
            continue
        if char == "[":
            end = _end_of_class(pattern, position)
            named = _NAMED.match(pattern, position)
            dash = _DASH.search(pattern, position, end)
            if named is not None:
                yield (
                    named[0],
                    "is the set of the characters in it",
                    OneCommand(f"Write `[{named[0]}]`"),
                )
            elif dash is not None:
                meant = f"{dash[0][0]}-{dash[0][-1]}"
                yield dash[0], "has a long dash, which is no range", OneCommand(f"Write `{meant}`")
            position = end
            continue
        match = _REPETITION.match(pattern, position) if char == "{" else None
        if match is not None:
            meant = match[0].replace(" ", "")
            yield match[0], "is plain text because of the blank", OneCommand(f"Write `{meant}`")
        position += 1


def _end_of_class(pattern: str, start: int) -> int:
    """Return the end of the class of characters that begins with a bracket."""
    position = start + 1 + pattern.startswith("[^", start)
    position += pattern.startswith("]", position)
    while position < len(pattern) and pattern[position] != "]":
        named = _NAMED.match(pattern, position)
        if named is not None:
            position = named.end()
        else:
            position += 2 if pattern[position] == "\\" else 1
    return position + 1


@Caution(
    "pattern-anchors-alternatives",
    "Anchors of a pattern belong to its outer alternatives only",
    observed=("pattern-anchors-of-alternatives",),
    why="`^a|b$` accepts every text that begins with `a`, and every text that ends with `b`.",
    help="Write the alternatives in a group: `^(a|b)$`",
    marker="correct `+kubebuilder:validation:Pattern`",
    bad=_PATTERN.format("^fast|slow$"),
    good=_PATTERN.format("^(fast|slow)$"),
).advice_on(Nodes({"pattern"}))
def _anchors(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    pattern = schema.pattern
    if "|" not in pattern or not (pattern.startswith("^") and pattern.endswith("$")):
        return
    from crdlint.golang.regexp import anchors_of_alternatives

    ends = anchors_of_alternatives(pattern)
    is_split = len(ends) > 1 and ends[0] == (True, False) and ends[-1] == (False, True)
    if is_split and not _is_equal_in_group(pattern):
        message = "`^` and `$` belong to the first and the last alternative only"
        help_ = OneCommand(f"Write `^({pattern[1:-1]})$`")
        yield Advisory(message, schema.path.child("pattern"), help_)


@lru_cache(maxsize=1024)
def _is_equal_in_group(pattern: str) -> bool:
    """Return whether a pattern matches the same texts if its alternatives are in a group, as far as that can be decided.

    A dot matches all characters here, since few texts contain a line feed.
    """
    from crdlint.golang.regexp_language import UnsupportedError, compare

    try:
        return compare(f"(?s){pattern}", f"(?s)^({pattern[1:-1]})$").only_first is None
    except UnsupportedError:
        return False


@Caution(
    "enum-values-in-one-text",
    "Values of an enum are one text",
    observed=("enum-values-without-commas",),
    why="Commas separate the items of a list in brackets, and an item with a dash is one value, with its blanks and commas. "
    "The API server then rejects each of these values.",
    help="Write commas between the values in brackets, or one value after each dash",
    marker="correct `+kubebuilder:validation:Enum`",
    bad="mode: {type: string, enum: [Fast Slow Auto]}",
    good="mode: {type: string, enum: [Fast, Slow, Auto]}",
).advice_on(Nodes({"enum"}))
def _one_text(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    path, values = schema.path.child("enum"), schema.enum
    first = values[0] if len(values) == 1 else None
    node = child(schema.node, "enum")
    if isinstance(first, str) and isinstance(node, Sequence) and _WORDS.fullmatch(first):
        help_ = _apart(_BETWEEN.split(first), node)
        if help_:
            yield Advisory(f"`{first}` is one value", path.index(0), help_)
    for i, value in enumerate(values):
        if isinstance(value, str) and len(value) > 1 and value.endswith(","):
            help_ = OneCommand(f"Write `{value[:-1]}`")
            yield Advisory(f"the comma is a part of the value `{value}`", path.index(i), help_)


def _apart(words: list[str], values: Sequence) -> str:
    """Return how to write words as values of their own, empty for a text in quotes or of several lines, which is meant as one."""
    item = values.items[0]
    is_in_one_line = item.start_mark.line == item.end_mark.line
    if not isinstance(item, Scalar) or item.style or not is_in_one_line:
        return ""
    if values.flow:
        return f"Write `[{', '.join(words)}]`, if these are values of their own"
    items = joined([f"`- {word}`" for word in words])
    return f"Write each on a line of its own if these are several values: {items}"


@Caution(
    "enum-value-refused",
    "Value of an enum is not valid",
    observed=("enum-value-that-the-pattern-refuses",),
    why="The API server rejects an object with the value, because another keyword of the schema does not accept it.",
    help="Correct the value, or the keyword that does not accept it",
    marker="correct `+kubebuilder:validation:Enum`",
    bad="a: {type: string, maxLength: 4, enum: [fast, slower]}",
    good="a: {type: string, maxLength: 6, enum: [fast, slower]}",
).advice_on(Nodes({"enum"}))
def _refused(schema: JSONSchemaProps, crd: DecodedCRD) -> Iterator[Advisory]:
    if vars(schema).keys().isdisjoint(_RESTRICTING):
        return
    refused = _refusals(schema, crd.versions.newest)
    if len(refused) == len(schema.enum):
        return  # `never-valid` reports it
    for i, keyword in refused.items():
        message = f"`{marshal(schema.enum[i])}` is in the enum, but `{keyword}` does not accept it"
        yield Advisory(message, schema.path.child("enum").index(i))


# The attributes of a schema that may not accept a value of its enum, and those by which they do.
_RESTRICTING: Final = frozenset(
    {"max_length", "min_length", "pattern", "maximum", "minimum", "multiple_of"}
)
_COMPARED: Final = _RESTRICTING | {"type", "exclusive_maximum", "exclusive_minimum"}
_KEYWORDS: Final[Mapping[Code | None, str]] = {
    Code.TOO_LONG: "maxLength",
    Code.TOO_SHORT: "minLength",
    Code.PATTERN: "pattern",
    Code.MOST: "maximum",
    Code.LEAST: "minimum",
    Code.MULTIPLE: "multipleOf",
}


def _refusals(schema: JSONSchemaProps, server: Server) -> dict[int, str]:
    """Return the keyword that does not accept a value of the enum, by the index of the value."""
    from crdlint.golang.regexp import compile_error
    from crdlint.schema.validator import ValueValidator

    if compile_error(schema.pattern) is not None:
        return {}  # which is reported itself
    part = {name: getattr(schema, name) for name in vars(schema).keys() & _COMPARED}
    validator = ValueValidator(JSONSchemaProps.of(**part), server=server)
    refusals = {}
    for i, value in enumerate(schema.enum):
        keywords = (_KEYWORDS.get(error.code) for error in validator.validate(value))
        keyword = next(filter(None, keywords), None)
        if keyword is not None:
            refusals[i] = keyword
    return refusals


@Caution(
    "rule-index-negative",
    "Rule reads an item by a negative index",
    observed=("rule-with-a-negative-index",),
    why="CEL has no negative indexes: the rule fails with `index out of bounds`, so the API server rejects every object that sets "
    "the field.",
    help="Write `self[size(self) - 1]` for the last item",
    marker="correct `+kubebuilder:validation:XValidation`",
    bad="a: {type: array, maxItems: 9, items: {type: string, maxLength: 9}, "
    "x-kubernetes-validations: [{rule: \"self[-1] == 'x'\"}]}",
    good="a: {type: array, maxItems: 9, items: {type: string, maxLength: 9}, "
    "x-kubernetes-validations: [{rule: \"size(self) == 0 || self[size(self) - 1] == 'x'\"}]}",
).practice
def _negative_indexes(crd: DecodedCRD) -> Iterator[Advisory]:
    return on_rules(crd, _negative_index)


def _negative_index(rule: EstimatedRule) -> Iterator[Advisory]:
    if "[-" in rule.rule.rule.replace(" ", "") and _has_negative_index(_tree_of(rule)):
        yield Advisory("rule reads an item by a negative index, so it always fails", rule.path)


def _tree_of(rule: EstimatedRule) -> Expr:
    return rule.compiled.rule.compiled.expr


def _has_negative_index(tree: Expr) -> bool:
    from crdlint.cel.ast import Literal, calls

    indexes = (call.args[1] for call in calls(tree, {"_[_]"}))
    return any(
        isinstance(each, Literal) and isinstance(each.value, int) and each.value < 0
        for each in indexes
    )


@Caution(
    "rule-word-not-in-enum",
    "Rule compares with a word that is not in the enum",
    observed=("rule-compares-with-no-value-of-the-enum",),
    why="No valid value is equal to the word, so the comparison has the same result for all of them.",
    help="Write a value of the enum",
    marker="correct `+kubebuilder:validation:XValidation`",
    bad="a: {type: string, enum: [Fast, Slow], x-kubernetes-validations: [{rule: \"self != 'fast'\"}]}",
    good="a: {type: string, enum: [Fast, Slow], x-kubernetes-validations: [{rule: \"self != 'Fast'\"}]}",
).practice
def _words(crd: DecodedCRD) -> Iterator[Advisory]:
    return on_rules(crd, _words_of)


def _words_of(rule: EstimatedRule) -> Iterator[Advisory]:
    if _QUOTES.isdisjoint(rule.rule.rule):
        return
    for field, words in _compared_words(_tree_of(rule), rule.node.schema):
        values = dict.fromkeys(value for value in field.enum if isinstance(value, str))
        shown = ", ".join(f"`{value}`" for value in [*values][:5])
        for word in words:
            if values and word and word not in values:
                message = f"rule compares with `{word}`, which is not in the enum"
                yield Advisory(message, rule.path, f"Write one of {shown}")


def _compared_words(
    tree: Expr, schema: JSONSchemaProps
) -> Iterable[tuple[JSONSchemaProps, Iterable[str]]]:
    """Return the fields of type string that a rule of a schema reads, with the texts that it compares each with."""
    from crdlint.cel.ast import Literal, calls

    compared: dict[int, tuple[JSONSchemaProps, dict[str, None]]] = {}
    for comparison in calls(tree, _COMPARISONS):
        for side, other in (comparison.args, comparison.args[::-1]):
            if not isinstance(other, Literal) or not isinstance(other.value, str):
                continue
            field = _field_of(side, schema)
            if field is not None and field.type == "string":
                compared.setdefault(id(field), (field, {}))[1][other.value] = None
    return compared.values()


def _field_of(expr: Expr, schema: JSONSchemaProps) -> JSONSchemaProps | None:
    """Return the field that an expression such as `self.spec.mode` reads, None for another expression."""
    from crdlint.cel.ast import Ident, Select

    names: list[str] = []
    while isinstance(expr, Select) and not expr.test_only:
        names.append(expr.field)
        expr = expr.operand
    if not isinstance(expr, Ident) or expr.name != "self":
        return None
    field: JSONSchemaProps | None = schema
    for name in reversed(names):
        field = None if field is None else field.properties.get(name)
    return field


@Caution(
    "rule-orders-texts",
    "Rule compares durations or quantities as texts",
    observed=("texts-compared-by-their-letters",),
    why="CEL compares texts letter by letter, so that `9m` is greater than `10m`. The rule rejects values that it should accept, "
    "and accepts others.",
    help="Compare the values by `duration()`, `quantity()` or `int()`",
    marker="correct `+kubebuilder:validation:XValidation`",
    bad=_ordered("self.idle <= self.total"),
    good=_ordered("duration(self.idle) <= duration(self.total)"),
    scope="schema",
).practice
def _orders(crd: DecodedCRD) -> Iterator[Advisory]:
    return on_rules(crd, _orders_of)


def _orders_of(rule: EstimatedRule) -> Iterator[Advisory]:
    if _ORDER_SIGNS.isdisjoint(rule.rule.rule):
        return
    from crdlint.cel.ast import calls

    schema = rule.node.schema
    for node in calls(_tree_of(rule), _ORDERS):
        first = _measure(node.args[0], schema)
        if not first.units:
            continue
        second = _measure(node.args[1], schema)
        help_ = _compared(first, second, node.function)
        if help_:
            message = f"rule compares `{first.text}` and `{second.text}` letter by letter"
            yield Advisory(message, rule.path, help_)


def _compared(first: _Measure, second: _Measure, function: str) -> str:
    """Return how to compare two measures by their numbers, empty if they have no unit in common."""
    texts = [
        f"`{pattern.format(first.text, _ORDERS[function], second.text)}`"
        for unit, pattern in _COMPARED_BY.items()
        if unit in first.units & second.units
    ]
    if len(texts) == 1:
        return OneCommand(f"Write {texts[0]}")
    return f"Write {' or '.join(texts)}" if texts else ""


class _Measure(NamedTuple):
    """A side of a comparison that is a number as a text: its expression, and what the number may count."""

    text: str
    units: frozenset[Unit]


def _measure(side: Expr, schema: JSONSchemaProps) -> _Measure:
    """Return a side of a comparison, without units if it is no text that holds a number by its literal, pattern or default."""
    from crdlint.cel.ast import Literal

    if isinstance(side, Literal):
        text = side.value if isinstance(side.value, str) else ""
        return _Measure(f"'{text}'", units_of_text(text) - {"number", "decimal"})
    field = _field_of(side, schema)
    if field is None or field.type != "string" or field.format:
        return _Measure("", frozenset())
    return _Measure(_text_of(side), units_of_field(field))


def _text_of(side: Expr) -> str:
    """Return the text of an expression such as `self.spec.mode`, whose names are not escaped."""
    from crdlint.cel.ast import Ident, Select

    names: list[str] = []
    while isinstance(side, Select):
        names.append(side.field)
        side = side.operand
    root = side.name if isinstance(side, Ident) else ""
    return ".".join([root, *reversed(names)])


_COMPARED_BY: Final[dict[Unit, str]] = {
    "number": "int({0}) {1} int({2})",
    "decimal": "double({0}) {1} double({2})",
    "duration": "duration({0}) {1} duration({2})",
    "quantity": "quantity({0}).compareTo(quantity({2})) {1} 0",
}
