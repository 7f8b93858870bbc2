"""Advice: slips in patterns, enums, bounds and rules that the API server accepts, and that change what a schema means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.golang.printing import marshal
from crdlint.light import NamedTuple, regex
from crdlint.phrases import Layout, joined
from crdlint.rules.engine.advisory import Advisory, DecodedCRD, on_rules, top_property
from crdlint.rules.engine.edits import Edits, expect
from crdlint.rules.engine.finding import AdviceFinding
from crdlint.rules.engine.fixer import Fixer
from crdlint.rules.engine.markers import rule_marker
from crdlint.rules.engine.rule import Caution, Hint, Nodes, once
from crdlint.rules.fixes.pattern_fixes import WITHOUT_SLASHES
from crdlint.schema.deep_equal import equality_key
from crdlint.schema.traversal import lineage
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, child, items_of

if TYPE_CHECKING:
    from crdlint.cel.ast import Expr
    from crdlint.kubecel.cost import EstimatedRule

_PATTERN: Final = "name:\n  type: string\n  pattern: {}"
_STRAIGHT: Final = str.maketrans("\u201c\u201d\u2018\u2019", "\"\"''")
_CURLY_MARKS: Final = frozenset(map(chr, _STRAIGHT))
_CURLY_QUOTED: Final = regex("[\u2018\u201c](.*)[\u2019\u201d]", re.DOTALL)
# A `^` behind a character that is read, or a `$` before one: only such a pattern can match no text.
_INNER_EDGE: Final = regex(r"(?<![\[(|:?\\^])(?<=.)\^|(?<!\\)\$(?=[^)|$])", re.DOTALL)
_NOTHING: Final = r"[^\x00-\x{10FFFF}]"
_INT32: Final = (("minimum", -(2**31)), ("maximum", 2**31 - 1))
_MODE: Final = "mode:\n  type: string\n  maxLength: 9\n  x-kubernetes-validations:\n  - rule: self {0} 'Fast' {1} self {0} 'Safe'"
_COMPARISONS: Final = frozenset({"_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "@in"})
_COMPARED: Final = regex(r"[=!]=|[<>]|\bin\b")  # in the text of a rule
_LONGEST: Final = 300  # characters of a rule
_NEVER_FALSE: Final = "the rule is never false, so it checks nothing"
_NEVER_TRUE: Final = "the rule is never true, so every value is rejected"
_RULES: Final = "x-kubernetes-validations"
_OLD_SELF: Final = "oldSelf"


@Fixer("Write straight quotes", "unsafe").example(
    bad=_PATTERN.format("'^[^“”]+$'"), good=_PATTERN.format("'^[^\"\"]+$'")
)
def _straight(finding: AdviceFinding) -> Edits:
    node = finding.scalar()
    around = _CURLY_QUOTED.fullmatch(node.value)
    yield finding.editor.respell(node, around[1] if around else node.value.translate(_STRAIGHT))


_CURLY: Final = Caution(
    "curly-quotes",
    "Curly quotes in a pattern, or around a default or a value of an enum",
    observed=("quotes-of-text-in-a-pattern",),
    why="Word processors and chat programs replace straight quotes with curly ones. They are part of the value for the API server, "
    "which then rejects what users type.",
    help="Write straight quotes",
    marker="write straight quotes in `+kubebuilder:validation:Pattern`, `Enum` or `+kubebuilder:default`",
    bad=_PATTERN.format("'^[^“”]+$'"),
    good=_PATTERN.format("'^[^\"]+$'"),
    fixes=(_straight,),
)


@_CURLY.advice_on(Nodes({"pattern", "enum"}))
def _curly_quotes(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    curly = "".join(sorted(_CURLY_MARKS.intersection(schema.pattern)))
    if curly:
        message = f"the pattern has curly quotes ({curly}) instead of straight ones"
        yield Advisory(message, schema.path.child("pattern"))
    for i, value in enumerate(schema.enum):
        if isinstance(value, str) and _CURLY_QUOTED.fullmatch(value):
            yield Advisory(
                f"the curly quotes of {value} are a part of the value",
                schema.path.child("enum").index(i),
            )


@_CURLY.advice_on(Nodes({"default"}, types={"string"}))
def _curly_default(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    value = schema.default_value
    if isinstance(value, str) and _CURLY_QUOTED.fullmatch(value):
        message = f"the curly quotes of {value} are a part of the default"
        yield Advisory(message, schema.path.child("default"))


@Caution(
    "pattern-matches-nothing",
    "Pattern that no text matches",
    observed=("slashes-around-a-pattern",),
    why="The API server accepts the CRD and then rejects every object that sets this field. `^` is the start of the text and `$` "
    "its end, wherever they are in a pattern.",
    help="Write `\\^` and `\\$` for the characters, or move `^` to the start and `$` to the end",
    marker="correct `+kubebuilder:validation:Pattern`",
    bad=_PATTERN.format("/^[a-z]+$/"),
    good=_PATTERN.format("'^[a-z]+$'"),
    fixes=(WITHOUT_SLASHES,),
).advice_on(Nodes({"pattern"}))
def _patterns_without_texts(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    pattern = schema.pattern
    if _INNER_EDGE.search(pattern) is not None and _matches_nothing(pattern):
        # With all of Go's patterns, which few schemas need.
        from crdlint.golang.regexp_repair import (
            repair,
        )

        slashes = pattern.startswith("/") and pattern.endswith("/")
        help_ = "Remove the slashes at both ends of the pattern" if slashes else None
        meant = repair(schema.pattern)  # such as a pattern of JavaScript, with slashes
        yield Advisory(
            "no text matches the pattern",
            schema.path.child("pattern"),
            help_ if meant is None else meant.help,
        )


@lru_cache(maxsize=1024)
def _matches_nothing(pattern: str) -> bool:
    """Return whether no text matches a pattern, as far as that can be decided."""
    from crdlint.golang.regexp_language import UnsupportedError, compare

    try:
        return compare(pattern, _NOTHING).only_first is None
    except UnsupportedError:
        return False


@Caution(
    "enum-value-duplicate",
    "Value is in an enum twice",
    observed=("repeated-enum-value",),
    why="A repeated value has no effect, and usually means that another one was intended, which is then rejected.",
    help="Remove the repeated value, or replace it with the value that is missing",
    marker="correct `+kubebuilder:validation:Enum`",
    bad="name:\n  type: string\n  enum: [Always, Never, Never]",
    good="name:\n  type: string\n  enum: [Always, Never]",
    fixes=(Fixer("Remove the repeated value", "safe", AdviceFinding.remove_item),),
).advice_on(Nodes({"enum"}))
def _repeated_values(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    seen = set()
    for i, value in enumerate(schema.enum):
        key = equality_key(value)
        if key in seen:
            yield Advisory(
                f"`{marshal(value)}` is in the enum already", schema.path.child("enum").index(i)
            )
        seen.add(key)


@Caution(
    "enum-values-merged",
    "Two values of an enum are one text",
    observed=("enum-values-in-one",),
    why="YAML continues a text on the next line if that is indented further, also if it begins with a dash. The API server then "
    "rejects both values.",
    help=Layout("Indent the second dash like the first one"),
    bad="name:\n  type: string\n  enum:\n  - Always\n    - Never",
    good="name:\n  type: string\n  enum:\n  - Always\n  - Never",
).advice_on(Nodes({"enum"}))
def _merged_values(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    for i, node in enumerate(items_of(child(schema.node, "enum"))):
        is_long = (
            isinstance(node, Scalar)
            and not node.style
            and node.start_mark.line < node.end_mark.line
        )
        if is_long and " - " in str(schema.enum[i]):
            message = f"`{schema.enum[i]}` is one value: the dash in it is part of the text"
            yield Advisory(message, schema.path.child("enum").index(i))


@Caution(
    "bound-beyond-format",
    "Bound is beyond the range of the format",
    observed=("bound-beyond-the-format",),
    why="Since Kubernetes 1.36 the API server rejects every value then, also those within the range. On older servers, clients in "
    "Go fail to read values beyond the range.",
    help="Set `format: int64`, or a bound within the range of the format",
    marker="use `int64` in the Go type",
    bad="name:\n  type: integer\n  format: int32\n  maximum: 4294967295",
    good="name:\n  type: integer\n  format: int64\n  maximum: 4294967295",
).advice_on(
    Nodes(
        {"format"},
        types={"integer"},
        when=lambda fields, _: not fields.isdisjoint({"maximum", "minimum"}),
    ),
    once=True,
)
def _bounds(schema: JSONSchemaProps, crd: DecodedCRD) -> Iterator[Advisory]:
    effect = ": no value can match" if crd.versions.newest.checks_number_ranges else ""
    for name, limit in beyond_int32(schema):
        message = f"`{name}` {marshal(getattr(schema, name))} is beyond int32, whose {name} is {limit}{effect}"
        yield Advisory(message, schema.path.child(name))


def beyond_int32(schema: JSONSchemaProps) -> Iterator[tuple[str, int]]:
    """Yield the bounds of a schema that are beyond the range of its format int32, and the bound of that."""
    for name, limit in _INT32 if schema.format == "int32" else ():
        value = getattr(schema, name)
        if value is not None and (value > limit if limit > 0 else value < limit):
            yield name, limit


@Caution(
    "cel-rule-constant",
    "Rule has the same result for every value",
    withheld=True,
    observed=("rule-that-is-always-true",),
    why="A value differs from one of two texts at least, and is not equal to both. A rule that combines such comparisons with the "
    "wrong operator accepts every value, or rejects every value.",
    help="Use `&&` to require all conditions, or `||` to require one of them",
    marker="correct `+kubebuilder:validation:XValidation`",
    bad=_MODE.format("!=", "||"),
    good=_MODE.format("!=", "&&"),
).practice
def _constant_rules(crd: DecodedCRD) -> Iterator[Advisory]:
    return on_rules(crd, _constant)


def _constant(rule: EstimatedRule) -> Iterator[Advisory]:
    text = rule.rule.rule
    # The time grows with the number of comparisons, and hardly any rule with one is constant.
    is_judged = len(text) <= _LONGEST and len(_COMPARED.findall(text)) > 1
    if is_judged and _compares_again(rule.compiled.rule.compiled.expr):
        consequence = _consequence(text)
        if consequence:
            yield Advisory(consequence, rule.path)


def _compares_again(expr: Expr) -> bool:
    """Return whether an operand is compared with constants twice, without which hardly any rule is constant."""
    from crdlint.cel.ast import ListExpr, Literal, calls
    from crdlint.kubecel.syntax_trees import key

    operands = [
        arg
        for node in calls(expr, _COMPARISONS)
        for arg, other in (node.args, node.args[::-1])
        if isinstance(other, (Literal, ListExpr)) and not isinstance(arg, (Literal, ListExpr))
    ]
    return len(set(map(key, operands))) < len(operands)


@lru_cache(maxsize=1024)
def _consequence(text: str) -> str:
    """Return what is wrong with a rule: no object is left if the rule, or its negation, is known to be true."""
    from crdlint.kubecel.reasoning.facts import Facts
    from crdlint.kubecel.reasoning.reasoner import Reasoner
    from crdlint.kubecel.syntax_trees import parsed

    false, reasoner = parsed("false"), Reasoner(Facts())
    for premise, consequence in ((text, _NEVER_TRUE), (f"!({text}\n)", _NEVER_FALSE)):
        tree = parsed(premise)
        if tree is not None and false is not None and not reasoner.results(false, [tree]):
            return consequence
    return ""


def _spec(required: str, rules: str = "") -> str:
    return (
        f"type: object\nrequired: [spec]\nproperties:\n  spec:\n    type: object\n{required}    properties:\n      class:\n"
        "        type: string\n        maxLength: 63\n        x-kubernetes-validations:\n        - rule: self == oldSelf\n"
        f"{rules}"
    )


class _OptionalField(NamedTuple):
    """A field that may be missing: its name, the name in CEL, and how many objects are between it and the immutable field."""

    name: str
    field: str
    distance: int

    @property
    def guard(self) -> str:
        """A rule of the object that has the field, by which a field that is set stays set, and can still be set later."""
        return f"!has(oldSelf.{self.field}) || has(self.{self.field})"

    @property
    def message(self) -> str:
        return f"{self.name} cannot be removed"


@Fixer("Add a rule that keeps the field", "unsafe").example(
    good=_spec(
        "",
        "    x-kubernetes-validations:\n    - rule: '!has(oldSelf.class) || has(self.class)'\n"
        "      message: 'class cannot be removed'\n",
    )
)
def _guard(finding: AdviceFinding) -> Edits:
    levels: tuple[_OptionalField, ...] = finding.subject_as(tuple)
    for level in levels:
        node: Node | None = finding.node()
        # Rule, list of rules, schema of the field, properties, object; properties, object; ...
        steps = 5 + 2 * level.distance
        for _ in range(steps):
            node = finding.editor.parent(node)
        yield from _with_rule(finding, expect(Mapping, node), level)


def _with_rule(finding: AdviceFinding, owner: Mapping, level: _OptionalField) -> Edits:
    """Add the rule that guards a field to the object that has it."""
    editor = finding.editor
    rule, message = editor.value(level.guard), editor.value(level.message)
    item = f"{{{editor.name('rule')}: {rule}, {editor.name('message')}: {message}}}"
    if owner.find(_RULES) is None:
        yield editor.insert(
            owner, _RULES, f"[{item}]" if owner.flow else f"\n- rule: {rule}\n  message: {message}"
        )
        return
    rules = expect(Sequence, owner, _RULES)
    blanks = " " * (rules.start_mark.column + 2)
    in_lines = f"rule: {rule}{editor.newline}{blanks}message: {message}"
    yield editor.append(rules, item if owner.flow or rules.flow else in_lines)


@Hint(
    "immutable-bypass",
    "Immutable field can be removed and added again with another value",
    scope="schema",
    observed=(
        "immutable-bypass-needs-every-parent",
        "immutable-guard-at-the-root",
        "immutable-bypass",
        "immutable-set-once",
        "immutable-equal-presence",
    ),
    why="A rule with `oldSelf` is only evaluated if the field is set before and after an update. Two updates get around it: one "
    "without the field or an object above it, and one with another value.",
    help="Add the field and each object above it to `required` in a new CRD; in an existing one, add a rule that keeps them: "
    "`!has(oldSelf.FIELD) || has(self.FIELD)`",
    marker='write `+kubebuilder:validation:XValidation:rule="!has(oldSelf.FIELD) || has(self.FIELD)"` on the struct',
    bad=_spec(""),
    good=_spec("    required: [class]\n"),
    fixes=(_guard,),
).practice
def bypasses(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the rules `self == oldSelf` of fields that may be missing and that no rule above keeps, as one finding."""
    yield from once(list(_bypasses(crd)))


def _bypasses(crd: DecodedCRD) -> Iterator[Advisory]:
    rules = [rule for rule in crd.rules if _OLD_SELF in rule.rule.rule]
    if not rules:
        return
    from crdlint.kubecel.syntax_trees import fields_beside_old_self, keeps_value

    keeping: set[int] = set()  # schemas whose whole value is kept
    mentioned: dict[int, set[str]] = {}  # fields that the transition rules of a schema mention
    for rule in rules:
        schema, expr = rule.node.schema, rule.compiled.rule.compiled.expr
        if keeps_value(expr):
            keeping.add(id(schema))
        mentioned.setdefault(id(schema), set()).update(fields_beside_old_self(expr))
    for rule in rules:
        schema = rule.node.schema
        is_immutable = (
            keeps_value(rule.compiled.rule.compiled.expr) and top_property(schema) != "status"
        )
        is_kept_above = any(id(each) in keeping for each in lineage(schema.parent))
        if is_immutable and not is_kept_above:
            levels = tuple(_unguarded(schema, mentioned))
            if levels:
                yield _bypass(rule.path.child("rule"), str(schema.steps[1]), levels)


def _unguarded(schema: JSONSchemaProps, mentioned: dict[int, set[str]]) -> Iterator[_OptionalField]:
    """Yield the field of a schema and the objects above it that may be missing, up to a list or a map.

    Not those that a transition rule at or above their object mentions, nor those that no rule can name.
    """
    from crdlint.kubecel.declarations import escape

    distance = 0
    while schema.parent is not None and schema.steps[:1] == ("properties",):
        name = str(schema.steps[1])
        field = escape(name)
        is_always_set = schema.default is not None or name in schema.parent.required
        is_mentioned = any(field in mentioned.get(id(each), ()) for each in lineage(schema.parent))
        if not is_always_set and not is_mentioned and field is not None:
            yield _OptionalField(name, field, distance)
        schema, distance = schema.parent, distance + 1


def _bypass(path: Path, name: str, levels: tuple[_OptionalField, ...]) -> Advisory:
    """Return the finding of an immutable field that can be changed by removing what may be missing: itself or an object above."""
    first = levels[0]
    value = "value" if first.distance == 0 else f"`{name}`"
    message = f"`{first.name}` can be removed and added again with another {value}: the rule is skipped if either is missing"
    names, guards = (
        joined([f"`{level.name}`" for level in levels]),
        joined([f"`{level.guard}`" for level in levels]),
    )
    markers = joined([rule_marker(level.guard, level.message) for level in levels])
    if len(levels) == 1:
        help_ = f"Add this rule to the object that has it: {guards}; or, in a new CRD, add {names} to `required`"
        marker = f"write {markers} on the struct that has the field"
    else:
        help_ = f"Add a rule to each object that has one of them: {guards}; or, in a new CRD, add {names} to their `required`"
        marker = f"write {markers} on the structs that have the fields"
    return Advisory(
        message,
        path,
        help_,
        subject=levels,
        marker=marker,
    )
