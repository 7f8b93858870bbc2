"""Fixes of custom resources: what the helps of `crdlint validate` describe, as edits."""

from __future__ import annotations

from typing import Final, TypeVar

from crdlint.crd.errors import REQUIRED
from crdlint.gathering import only
from crdlint.light import regex
from crdlint.rules.engine.edits import Edits, expect, require
from crdlint.rules.engine.examples import stream
from crdlint.rules.engine.finding import FieldFinding, PathFinding
from crdlint.rules.engine.fixer import Fixer
from crdlint.rules.engine.mistakes import Mistake, is_item, is_short, plain_value
from crdlint.spelling import name_meant
from crdlint.yaml.editor import UneditableError, quoted
from crdlint.yaml.nodes import Mapping, Node, Scalar, child
from crdlint.yaml.resolve import resolve

_OF_FLOW: Final = regex(r"[][,{}]|: ")
_JSON_NUMBER: Final = regex(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_FindingT = TypeVar("_FindingT", bound=PathFinding)


def _example(
    fixer: Fixer[_FindingT],
    bad: str,
    good: str,
    **changed: str,
) -> Fixer[_FindingT]:
    """Return a fix with an example: the spec of a resource, or what is `changed` of one that has a spec."""
    return fixer.example(stream(bad, **changed), stream(good), "resource")


def _mistake(finding: PathFinding) -> Mistake:
    return finding.subject_as(Mistake)


def _word_meant(written: str, mistake: Mistake) -> str | None:
    return name_meant(written, mistake.words) or name_meant(written, mistake.fitting, typed=True)


@Fixer("Correct the spelling", "safe")
def _respelled(finding: PathFinding) -> Edits:
    mistake, editor = _mistake(finding), finding.editor
    node = expect(Scalar, mistake.node)
    # YAML may read a key such as `y` as another one.
    word = node.value if node.value in mistake.words else require(_word_meant(node.value, mistake))
    owner = editor.parent(node) if editor.is_key(node) else None
    # Itself, if YAML reads it as another key.
    entry = None if owner is None else expect(Mapping, owner).find(word)
    if (entry is None or entry[0] is node) and "{{" not in node.value:
        yield editor.respell(node, word)


@Fixer("Write the valid name", "unsafe")
def _valid(finding: PathFinding) -> Edits:
    mistake = _mistake(finding)
    if mistake.valid:
        yield finding.editor.respell(expect(Scalar, mistake.node), mistake.valid)


def _mistyped(finding: PathFinding) -> tuple[Scalar, str]:
    """Return a scalar of the wrong type, and the type that is expected."""
    mistake = _mistake(finding)
    node = expect(Scalar, mistake.node)
    if (
        not mistake.expected
        or "{{" in node.value
        or not is_short(node.value)
        or node.style in {"|", ">"}
    ):
        raise UneditableError
    return node, mistake.expected


@Fixer("Put the value in quotes", "safe")
def _in_quotes(finding: PathFinding) -> Edits:
    node, expected = _mistyped(finding)
    if expected == "string" and not node.style and not isinstance(resolve(node), (str, type(None))):
        yield finding.editor.replace(node, quoted(node.value, double=True))


@Fixer("Write the value without quotes", "safe")
def _without_quotes(finding: PathFinding) -> Edits:
    node, expected = _mistyped(finding)
    value = plain_value(node.value, expected) if finding.editor.is_text(node) else None
    if isinstance(value, bool):
        yield finding.editor.replace(node, str(value).lower())
    elif value is not None and (_JSON_NUMBER.fullmatch(node.value) or not finding.editor.is_json):
        yield finding.editor.replace(node, node.value)


@Fixer("Write `true` or `false`", "unsafe")
def _boolean(finding: PathFinding) -> Edits:
    node, expected = _mistyped(finding)
    if expected == "boolean" and node.value in {"0", "1"}:
        yield finding.editor.replace(node, "true" if node.value == "1" else "false")


@Fixer("Make a list of the value", "safe")
def _list(finding: PathFinding) -> Edits:
    node, expected = _mistyped(finding)
    if (
        expected == "array"
        and is_item(node.value, _mistake(finding).schema)
        and not (_OF_FLOW.search(node.value) and not node.style)
        and resolve(node) is not None
    ):
        yield finding.editor.replace(node, f"[{finding.written(node)}]")


@Fixer("Add the field with its only value", "safe")
def _only_value(finding: FieldFinding) -> Edits:
    mistake, editor = _mistake(finding), finding.editor
    values = mistake.schema.enum
    if finding.error.type != REQUIRED or len(values) != 1 or not isinstance(values[0], str):
        return
    yield editor.insert(expect(Mapping, mistake.node), finding.name, editor.value(values[0]))


@Fixer("Move the field to the object that has it", "unsafe")
def _moved(finding: PathFinding) -> Edits:
    """Move an unknown field to the only object around it or beside it that may have it."""
    mistake, editor = _mistake(finding), finding.editor
    key = expect(Scalar, mistake.node)
    owner = expect(Mapping, editor.parent(key))
    around, fields = editor.parent(owner), mistake.schema.properties
    if not editor.is_key(key) or name_meant(key.value, fields) is not None:
        return
    homes: list[Node | None] = [around] if key.value in mistake.outer.properties else []
    homes += [
        child(owner, name) for name, schema in fields.items() if key.value in schema.properties
    ]
    home = expect(Mapping, only(homes))
    if home.find(key.value) is None and not owner.flow and not home.flow and len(owner.items) > 2:
        from crdlint.rules.fixes.v1beta1 import block

        value = block(editor, owner.items[editor.index(key) + 1])
        yield editor.remove(owner, key.value)
        yield editor.insert(
            home,
            key.value,
            value,
            before=editor.name_of(owner if home is around else None),
        )


UNKNOWN: Final = (
    _example(_respelled, "{replica: 1}", "{replicas: 1}"),
    _example(
        _moved, "\n  image: a\n  pod:\n    tier: web", "\n  pod:\n    tier: web\n    image: a"
    ),
)
VALUE: Final = (
    _example(_respelled, "{mode: fast}", "{mode: Fast}"),
    _example(_in_quotes, "{pod: {tier: web, image: 8}}", '{pod: {tier: web, image: "8"}}'),
    _example(_without_quotes, '{replicas: "8"}', "{replicas: 8}"),
    _example(_boolean, "{paused: 1}", "{paused: true}"),
    _example(_list, "{ports: 80}", "{ports: [80]}"),
    _example(_only_value, "{pod: {image: a}}", "{pod: {image: a, tier: web}}"),
)
METADATA: Final = (
    _valid.example(stream("{}", metadata="{name: X_, namespace: team}"), stream("{}"), "resource"),
)
DECODE: Final = (
    _in_quotes.example(
        stream("{}", metadata="{name: x, labels: {a: 1}}"),
        stream("{}", metadata='{name: x, labels: {a: "1"}}'),
        "resource",
    ),
)
NO_MATCH: Final = (
    _respelled.example(stream("{}", api_version="exampel.com/v1"), stream("{}"), "resource"),
)
