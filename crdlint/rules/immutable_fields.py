"""Advice: immutable fields that can be removed and set again, which no rule on the field itself can prevent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.finding import Edits, Finding, Fixer
from crdlint.rules.engine.markers import rule_marker
from crdlint.rules.engine.rule import Hint, once
from crdlint.yaml.nodes import Mapping, Node, Sequence

if TYPE_CHECKING:
    from crdlint.crd.model import JSONSchemaProps

_RULES: Final = "x-kubernetes-validations"
_OLD_SELF: Final = "oldSelf"


def _spec(required: str, rules: str = "") -> str:
    return (
        f"spec:\n  type: object\n{required}  properties:\n    class:\n      type: string\n      maxLength: 63\n"
        f"      x-kubernetes-validations:\n      - rule: self == oldSelf\n{rules}"
    )


@Fixer("Add a rule that keeps the field", "unsafe").example(
    good=_spec(
        "",
        "  x-kubernetes-validations:\n  - rule: 'has(oldSelf.class) == has(self.class)'\n    message: 'class is immutable'\n",
    )
)
def _guard(finding: Finding) -> Edits:
    about, editor = finding.advisory, finding.editor
    if about is None or not isinstance(about.subject, tuple):
        return
    name, field = about.subject
    owner: Node | None = finding.node()
    for _ in range(5):  # rule, list of rules, schema of the field, properties, object
        owner = None if owner is None else editor.parent(owner)
    if not isinstance(owner, Mapping):
        return
    rule, message = editor.value(_guard_of(field)), editor.value(f"{name} is immutable")
    rules = owner.find(_RULES)
    if owner.flow or (rules is not None and isinstance(rules[1], Sequence) and rules[1].flow):
        item = f"{{{editor.name('rule')}: {rule}, {editor.name('message')}: {message}}}"
        if rules is None:
            yield editor.insert(owner, _RULES, f"[{item}]")
        elif isinstance(rules[1], Sequence):
            yield editor.append(rules[1], item)
    elif rules is None:
        yield editor.insert(owner, _RULES, f"\n- rule: {rule}\n  message: {message}")
    elif isinstance(rules[1], Sequence):
        blanks = " " * (rules[1].start_mark.column + 2)
        yield editor.append(rules[1], f"rule: {rule}{editor.newline}{blanks}message: {message}")


def _guard_of(field: str) -> str:
    """Return the rule that lets a field, in CEL's spelling, neither appear nor disappear."""
    return f"has(oldSelf.{field}) == has(self.{field})"


@Hint(
    id="immutable-bypass",
    summary="Immutable field can be removed and added again with another value",
    why="A rule with `oldSelf` is only evaluated if the field is set before and after an update. Two updates, one without the "
    "field and one with another value, get around it.",
    bad=_spec(""),
    good=_spec("  required: [class]\n"),
    help="Add the field to `required`, or add a rule to the object that has it: `has(oldSelf.FIELD) == has(self.FIELD)`",
    marker='write `+kubebuilder:validation:XValidation:rule="has(oldSelf.FIELD) == has(self.FIELD)"` on the struct',
    fixes=(_guard,),
).practice
def bypasses(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the rules `self == oldSelf` of optional properties that no rule above keeps, as one finding."""
    yield from once(list(_bypasses(crd)))


def _bypasses(crd: DecodedCRD) -> Iterator[Advisory]:
    rules = [rule for rule in crd.rules if _OLD_SELF in rule.rule.rule]
    if not rules:
        return
    from crdlint.kubecel.escaping import escape
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
        if (
            not keeps_value(rule.compiled.rule.compiled.expr)
            or not _is_optional_property(schema)
            or _is_of_status(schema)
        ):
            continue
        name = str(schema.steps[1])
        field = escape(name)
        if field is None or _is_kept(schema.parent, field, keeping, mentioned):
            continue
        message = (
            f"`{name}` can be removed and added again with another value: the rule is skipped if either is missing"
        )
        help_ = f"Add `{name}` to `required`, or add this rule to the object that has it: `{_guard_of(field)}`"
        marker = f"write {rule_marker(_guard_of(field), f'{name} is immutable')} on the struct that has the field"
        yield Advisory(message, rule.path.child("rule"), help_, subject=(name, field), marker=marker)


def _is_optional_property(schema: JSONSchemaProps) -> bool:
    parent = schema.parent
    if schema.steps[:1] != ("properties",) or parent is None:
        return False
    return schema.default is None and schema.steps[1] not in parent.required


def _is_of_status(schema: JSONSchemaProps) -> bool:
    """Return whether a schema is below `.status`, which only controllers write."""
    steps = schema.steps
    while schema.parent is not None:
        schema, steps = schema.parent, schema.steps
    return steps == ("properties", "status")


def _is_kept(ancestor: JSONSchemaProps | None, field: str, keeping: set[int], mentioned: dict[int, set[str]]) -> bool:
    """Return whether a rule at or above a schema keeps the whole value, or mentions the field beside oldSelf."""
    while ancestor is not None:
        if id(ancestor) in keeping or field in mentioned.get(id(ancestor), ()):
            return True
        ancestor = ancestor.parent
    return False
