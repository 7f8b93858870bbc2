"""Advice: slips in patterns, enums, bounds and rules that the API server accepts, and that change what a schema means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from crdlint.golang.values import marshal
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.finding import Edits, Finding, Fixer
from crdlint.rules.engine.rule import Caution, Nodes
from crdlint.schema.values import equality_key
from crdlint.yaml.nodes import Scalar, Sequence, child, items_of

if TYPE_CHECKING:
    from crdlint.cel.ast import Expr
    from crdlint.crd.model import JSONSchemaProps

_PATTERN: Final = "name:\n  type: string\n  pattern: {}"
_STRAIGHT: Final = str.maketrans("\u201c\u201d\u2018\u2019", "\"\"''")
# A `^` behind a character that is read, or a `$` before one: only such a pattern can match no text.
_INNER_EDGE: Final = re.compile(r"(?<![\[(|:?\\^])(?<=.)\^|(?<!\\)\$(?=[^)|$])", re.DOTALL)
_NOTHING: Final = r"[^\x00-\x{10FFFF}]"
_INT32: Final = (("minimum", -(2**31)), ("maximum", 2**31 - 1))
_MODE: Final = (
    "mode:\n  type: string\n  maxLength: 9\n  x-kubernetes-validations:\n  - rule: self {0} 'Fast' {1} self {0} 'Safe'"
)
_COMPARISONS: Final = frozenset({"_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "@in"})
_LONGEST: Final = 300  # characters of a rule
_NEVER_FALSE: Final = "the rule is never false, so it checks nothing"
_NEVER_TRUE: Final = "the rule is never true, so every value is rejected"


@Fixer("Write straight quotes", "unsafe").example(
    bad=_PATTERN.format("'^[^“”]+$'"), good=_PATTERN.format("'^[^\"\"]+$'")
)
def _straight(finding: Finding) -> Edits:
    node = finding.scalar()
    yield finding.editor.respell(node, node.value.translate(_STRAIGHT))


@Caution(
    id="pattern-curly-quotes",
    summary="Pattern has curly quotes",
    why="Word processors and chat programs replace straight quotes by curly ones. The pattern then rejects what users type.",
    bad=_PATTERN.format("'^[^“”]+$'"),
    good=_PATTERN.format("'^[^\"]+$'"),
    help="Write straight quotes",
    marker="write straight quotes in `+kubebuilder:validation:Pattern`",
    fixes=(_straight,),
).advice_on(Nodes({"pattern"}))
def _curly_quotes(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    curly = "".join(sorted({char for char in schema.pattern if ord(char) in _STRAIGHT}))
    if curly:
        yield Advisory(
            f"the pattern has curly quotes ({curly}), which are not those on a keyboard", schema.path.child("pattern")
        )


@Caution(
    id="pattern-matches-nothing",
    summary="Pattern that no text matches",
    why="The API server accepts the CRD and then rejects every object that sets this field. `^` is the start of the text and `$` "
    "its end, wherever they are in a pattern.",
    bad=_PATTERN.format("/^[a-z]+$/"),
    good=_PATTERN.format("^[a-z]+$"),
    help="Write `\\^` and `\\$` for the characters, or move `^` to the start and `$` to the end",
    marker="correct `+kubebuilder:validation:Pattern`",
).advice_on(Nodes({"pattern"}))
def _patterns_without_texts(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    pattern = schema.pattern
    if _INNER_EDGE.search(pattern) is None:
        return
    from crdlint.golang.regexp_language import UnsupportedError, compare

    try:
        example = compare(pattern, _NOTHING).only_first
    except UnsupportedError:
        return
    if example is None:
        slashes = pattern.startswith("/") and pattern.endswith("/")
        help_ = "Remove the slashes at both ends of the pattern" if slashes else None
        yield Advisory("no text matches the pattern", schema.path.child("pattern"), help_)


@Fixer("Remove the repeated value", "safe")
def _once(finding: Finding) -> Edits:
    node = finding.node()
    values = finding.editor.parent(node)
    if isinstance(values, Sequence):
        yield finding.editor.remove_item(values, finding.editor.index(node))


@Caution(
    id="enum-value-duplicate",
    summary="Value is in an enum twice",
    why="A repeated value has no effect, and usually means that another one was intended, which is then rejected.",
    bad="name:\n  type: string\n  enum: [Always, Never, Never]",
    good="name:\n  type: string\n  enum: [Always, Never]",
    help="Remove the repeated value, or write the one that is meant",
    marker="correct `+kubebuilder:validation:Enum`",
    fixes=(_once,),
).advice_on(Nodes({"enum"}))
def _repeated_values(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    seen = set()
    for i, value in enumerate(schema.enum):
        key = equality_key(value)
        if key in seen:
            yield Advisory(f"`{marshal(value)}` is in the enum already", schema.path.child("enum").index(i))
        seen.add(key)


@Caution(
    id="enum-values-merged",
    summary="Two values of an enum are one text",
    why="YAML continues a text on the next line if that is indented further, also if it begins with a dash. The API server then "
    "rejects both values.",
    bad="name:\n  type: string\n  enum:\n  - Always\n    - Never",
    good="name:\n  type: string\n  enum:\n  - Always\n  - Never",
    help="Indent the second dash like the first one",
).advice_on(Nodes({"enum"}))
def _merged_values(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    for i, node in enumerate(items_of(child(schema.node, "enum"))):
        is_long = isinstance(node, Scalar) and not node.style and node.start_mark.line < node.end_mark.line
        if is_long and " - " in str(schema.enum[i]):
            message = f"`{schema.enum[i]}` is one value: the dash in it is part of the text"
            yield Advisory(message, schema.path.child("enum").index(i))


@Caution(
    id="bound-beyond-format",
    summary="Bound is beyond the range of the format",
    why="Since Kubernetes 1.36 the API server rejects values beyond the range of the format. On older servers, clients in Go fail "
    "to read such values.",
    bad="name:\n  type: integer\n  format: int32\n  maximum: 4294967295",
    good="name:\n  type: integer\n  format: int64\n  maximum: 4294967295",
    help="Set `format: int64`, or a bound within the range of the format",
    marker="use `int64` in the Go type",
).advice_on(
    Nodes({"format"}, types={"integer"}, when=lambda fields, _: not fields.isdisjoint({"maximum", "minimum"})),
    once=True,
)
def _bounds(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    for name, limit in _INT32 if schema.format == "int32" else ():
        value = getattr(schema, name)
        if value is not None and (value > limit if limit > 0 else value < limit):
            message = f"`{name}` {marshal(value)} is beyond int32, whose {name} is {limit}"
            yield Advisory(message, schema.path.child(name))


@Caution(
    id="cel-rule-constant",
    summary="Rule has the same result for every value",
    why="A value differs from one of two texts at least, and is not equal to both. A rule that combines such comparisons with the "
    "wrong operator accepts every value, or rejects every value.",
    bad=_MODE.format("!=", "||"),
    good=_MODE.format("!=", "&&"),
    help="Use `&&` to require all conditions, or `||` to require one of them",
    marker="correct `+kubebuilder:validation:XValidation`",
).practice
def _constant_rules(crd: DecodedCRD) -> Iterator[Advisory]:
    for rule in crd.rules:
        text = rule.rule.rule
        is_short = len(text) <= _LONGEST  # the time grows with the number of comparisons
        consequence = _consequence(text) if is_short and _compares_again(rule.compiled.rule.compiled.expr) else ""
        if consequence:
            yield Advisory(consequence, rule.path.child("rule"))


def _compares_again(expr: Expr) -> bool:
    """Return whether an operand is compared with constants twice, without which hardly any rule is constant."""
    from crdlint.cel.ast import Call, ListExpr, Literal, nodes
    from crdlint.kubecel.syntax_trees import key

    operands = [
        arg
        for node in nodes(expr)
        if isinstance(node, Call) and node.function in _COMPARISONS
        for arg, other in (node.args, node.args[::-1])
        if isinstance(other, (Literal, ListExpr)) and not isinstance(arg, (Literal, ListExpr))
    ]
    return len({key(operand) for operand in operands}) < len(operands)


@lru_cache(maxsize=1024)
def _consequence(text: str) -> str:
    """Return what is wrong with a rule: no object is left if the rule, or its negation, is known to be true."""
    from crdlint.kubecel.reasoning.reasoner import Facts, Reasoner
    from crdlint.kubecel.syntax_trees import parsed

    false, reasoner = parsed("false"), Reasoner(Facts())
    for known, consequence in ((text, _NEVER_TRUE), (f"!({text}\n)", _NEVER_FALSE)):
        tree = parsed(known)
        if tree is not None and false is not None and not reasoner.results(false, [tree]):
            return consequence
    return ""
