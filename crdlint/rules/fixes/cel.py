"""Fixes for the findings of `rules/server/cel.py`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial
from typing import Final

from crdlint.crd.errors import Code
from crdlint.light import regex
from crdlint.rules.engine.edits import expect, quoted_tag, quoted_with_comment
from crdlint.rules.engine.finding import FieldFinding
from crdlint.rules.engine.fixer import Fixer, FixesOf
from crdlint.rules.fixes.expression_fixes import in_expression
from crdlint.rules.server.cel import COMPILES, OPTIONAL_OLD_SELF, OUTPUT_TYPE, schema_with
from crdlint.safety.work import Effort
from crdlint.yaml.edit import Edit
from crdlint.yaml.nodes import Scalar


def _quoted_expression(finding: FieldFinding) -> Iterable[Edit]:
    node = finding.scalar()
    yield from quoted_tag(finding.editor, node)
    with_comment = list(quoted_with_comment(finding.editor, node))
    if not with_comment:
        return
    from crdlint.kubecel.repair.patterns import Tokens

    if Tokens(node.value).is_open:
        yield from with_comment


def meant(finding: FieldFinding, *, certain: bool) -> Iterable[Edit]:
    """Write what is meant by an expression, or by the rule because of which a default is not valid."""
    reason, path = finding.reason(Code.MEANT), finding.path
    failed = finding.reason(Code.RULE_FAILED)
    if failed is not None and finding.error.cause is not None:
        from crdlint.kubecel.hints import hint

        compiled, schema = failed.arguments
        reason = hint(compiled, Effort()).reason
        index = list(map(id, schema.x_validations)).index(id(finding.error.cause.rule))
        path = schema.path.child("x-kubernetes-validations").index(index).child("rule")
    if reason is None:
        return
    edits, is_certain = reason.arguments
    expression = finding.scalar(path)
    if certain == (is_certain and not _may_be_right(expression.value, edits, finding.editor.text)):
        yield from in_expression(finding, expression, edits)


def _may_be_right(expression: str, edits: Iterable[Edit], document: str) -> bool:
    """Return whether edits replace the name of one field by that of another: the field that is declared may be misspelled."""
    changed = ((expression[edit.start : edit.end], edit.text) for edit in edits)
    names = [two for two in changed if all(map(_NAME.fullmatch, two))]
    return bool(names) and any(map(_keys(document).issuperset, names))


@lru_cache(maxsize=4)
def _keys(document: str) -> frozenset[str]:
    """Return the identifiers that are keys of a document, in block or flow style."""
    return frozenset(_KEY.findall(document))


_NAME: Final = regex(r"[A-Za-z_]\w*")
_KEY: Final = regex(r"(?<![\w.-])([A-Za-z_]\w*)\"?:")


@Fixer("Remove `optionalOldSelf`", "safe")
def _unused_optional(finding: FieldFinding) -> Iterable[Edit]:
    """Remove `optionalOldSelf` from a rule without `oldSelf`; one with it does not compile, which is the cause."""
    return [] if "oldSelf" in expect(Scalar, finding.owner, "rule").value else finding.remove()


FIXES: Final = FixesOf(
    FieldFinding,
    {
        COMPILES.id: (
            Fixer(
                "Put the expression in quotes",
                "safe",
                _quoted_expression,
                bad=schema_with("rule: !self.ready == false", "ready", "ready: {type: boolean}"),
                good=schema_with("rule: '!self.ready == false'", "ready", "ready: {type: boolean}"),
            ),
            Fixer(
                "Put the expression in quotes",
                "safe",
                _quoted_expression,
                bad=schema_with("rule: self.name != ' #'", "name", "name: {type: string}"),
                good=schema_with(
                    "rule: 'self.name != '' #" + "'" * 3, "name", "name: {type: string}"
                ),
            ),
            Fixer(
                "Correct the expression",
                "safe",
                partial(meant, certain=True),
                bad=schema_with("rule: self.replicas > 0 and self.replicas < 9"),
                good=schema_with("rule: self.replicas > 0 && self.replicas < 9"),
            ),
            Fixer(
                "Correct the expression",
                "unsafe",
                partial(meant, certain=False),
                bad=schema_with("rule: (self.replicas > 0"),
                good=schema_with("rule: (self.replicas > 0)"),
            ),
        ),
        OUTPUT_TYPE.id: (
            Fixer(
                "Correct the expression",
                "unsafe",
                partial(meant, certain=False),
                bad=schema_with("rule: \"'self.replicas > 0'\""),
                good=schema_with('rule: "self.replicas > 0"'),
            ),
        ),
        OPTIONAL_OLD_SELF.id: (
            _unused_optional.example(good=schema_with('{rule: "self.replicas > 0"}')),
        ),
    },
)
