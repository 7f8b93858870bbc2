"""What is at a position of a document: the object, the path of its nodes, and the schema or expression that they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Final, cast

from crdlint.cel.decls import Env
from crdlint.cel.types import Type
from crdlint.crd.convert import read_crd
from crdlint.crd.identity import identify
from crdlint.crd.model import CustomResourceDefinition, JSONSchemaProps
from crdlint.crd.positions import Locator, Span
from crdlint.kubecel.compilation import CompilationError, RuleCompiler
from crdlint.kubecel.completion import WordContext, context_at, type_of
from crdlint.kubecel.declarations import (
    DeclarationFailedError,
    Declarations,
    DeclField,
    SchemaContext,
)
from crdlint.kubecel.environment import Environment, new_expressions
from crdlint.kubernetes.servers import Server
from crdlint.light import regex
from crdlint.lsp.roots import roots
from crdlint.lsp.steps import Steps
from crdlint.lsp.workspace import OpenDocument
from crdlint.resources.definitions import Definition
from crdlint.resources.objects import text_at
from crdlint.schema.traversal import children, value_schema
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, text_or_empty
from crdlint.yaml.parse import Document
from crdlint.yaml.scalars import index_inside

if TYPE_CHECKING:
    from crdlint.lsp.checks import Checks  # what the playground does not load

SCHEMA: Final = ("schema", "openAPIV3Schema")
RULES: Final = "x-kubernetes-validations"
_EXPRESSIONS: Final = ("rule", "messageExpression")


@dataclass(frozen=True, slots=True)
class Cursor:
    """A cursor in a file: the object that it is in, and the path to its node.

    ``start`` is the index of the document's first character in the file. ``node`` is the innermost node, ``key`` the key
    of its value; ``on_key`` is true if the cursor is on the key. ``parents`` are the nodes above, from the object on.
    """

    document: Document
    start: int
    index: int
    root: Mapping
    steps: Steps
    parents: tuple[Node, ...]
    key: Node | None
    node: Node
    on_key: bool

    @property
    def is_crd(self) -> bool:
        """Whether the object is a CRD."""
        return identify(self.root, self.document.text).form not in {"other", "list", "crd-list"}

    @property
    def locator(self) -> Locator:
        """Where the parts of the object are in the file."""
        return Locator(self.root, self.document.line_offset, self.document.text)

    def has(self, span: Span) -> bool:
        """Return whether a place in the file is in the object."""
        first, last = (
            mark.line + self.document.line_offset + 1
            for mark in (self.root.start_mark, self.root.end_mark)
        )
        return span.line in range(first, last + 1)

    @property
    def is_behind(self) -> bool:
        """Whether the place is behind the value, as in a comment."""
        return (
            not self.on_key
            and isinstance(self.node, Scalar)
            and self.index - self.start > self.node.end_mark.index
        )

    @property
    def inside(self) -> int | None:
        """The index of the place in the value of its scalar, None if it is in no scalar's value."""
        if self.on_key or not isinstance(self.node, Scalar):
            return None
        return index_inside(self.document.text, self.node, self.index - self.start)


def cursor_at(text: str, index: int) -> Cursor | None:
    """Return the place of a character, None if it is in no object."""
    cursor: Cursor | None = None
    for document, start, root in roots(text):
        if root.start_mark.index <= index - start <= root.end_mark.index:
            cursor = _descend(document, start, index, root)
    return cursor


def _descend(
    document: Document,
    start: int,
    index: int,
    root: Mapping,
) -> Cursor:
    offset = index - start
    steps: list[str | int] = []
    parents: list[Node] = []
    node: Node = root
    key: Node | None = None
    on_key = False
    while not on_key:
        if isinstance(node, Mapping):
            pairs = [*takewhile(lambda pair: pair[0].start_mark.index <= offset, node.pairs())]
            if not pairs:
                break
            parents.append(node)
            key, node = pairs[-1]
            steps.append(text_or_empty(key))
            on_key = offset <= key.end_mark.index
        elif isinstance(node, Sequence):
            number = sum(1 for element in node.items if element.start_mark.index <= offset) - 1
            if number < 0:
                break
            parents.append(node)
            steps.append(number)
            key, node = None, node.items[number]
        else:
            break
    return Cursor(
        document,
        start,
        index,
        root,
        tuple(steps),
        tuple(parents),
        key,
        node,
        on_key=on_key,
    )


@lru_cache(maxsize=8)
def crd_of(root: Mapping, server: Server) -> CustomResourceDefinition:
    """Return the CRD of an object as far as it can be decoded, an empty one if it cannot."""
    try:
        return read_crd(root, server=server).crd
    except YAMLDecodeError:
        return CustomResourceDefinition()


def nearest_schema(
    crd: CustomResourceDefinition, steps: Steps
) -> tuple[JSONSchemaProps, Steps] | None:
    """Return the deepest schema of a version on a path, and the steps below it; None if the path leads to none."""
    if (*steps[:2], *steps[3:5]) != ("spec", "versions", *SCHEMA) or not isinstance(steps[2], int):
        return None
    versions = crd.spec.versions
    if steps[2] >= len(versions):
        return None
    validation = versions[steps[2]].schema or crd.spec.validation
    schema = None if validation is None else validation.open_api_v3_schema
    if schema is None:
        return None
    rest = steps[5:]
    while below := next(
        (each for each in children(schema) if rest[: len(each.steps)] == each.steps), None
    ):
        schema, rest = below, rest[len(below.steps) :]
    return schema, rest


@dataclass(frozen=True, slots=True)
class EditedExpression:
    """The expression of a rule or message, its CRD, which holds its schemas, and what it is compiled with."""

    crd: CustomResourceDefinition
    text: str
    node: Scalar
    schema: JSONSchemaProps
    environment: Environment
    env: Env
    declarations: Declarations


def expression_at(cursor: Cursor, server: Server) -> EditedExpression | None:
    """Return the expression that a place is in, None if it is in none or its schema has no type."""
    if not isinstance(cursor.node, Scalar) or not _is_in_rule(cursor):
        return None
    crd = crd_of(cursor.root, server)
    nearest = nearest_schema(crd, cursor.steps)
    if nearest is None or len(nearest[1]) != _STEPS_IN_RULES:
        return None
    schema = nearest[0]
    try:
        compiler = RuleCompiler(SchemaContext(server.cel).declared(schema))
    except (CompilationError, DeclarationFailedError):
        return None
    environment = new_expressions(server)
    optional = _has_optional_old_self(schema, cursor.steps[-2])
    env = compiler.env(environment, optional_old_self=optional)
    return EditedExpression(
        crd,
        cursor.node.value,
        cursor.node,
        schema,
        environment,
        env,
        compiler.declarations(environment),
    )


_STEPS_IN_RULES: Final = 3  # `x-kubernetes-validations`, the number of the rule, and its field


def _is_in_rule(cursor: Cursor) -> bool:
    """Return whether a place is the value of an expression in the rules of a CRD."""
    steps = cursor.steps
    if cursor.on_key or not cursor.is_crd or len(steps) < _STEPS_IN_RULES:
        return False
    rules, number, field = steps[-_STEPS_IN_RULES:]
    return rules == RULES and isinstance(number, int) and field in _EXPRESSIONS


def _has_optional_old_self(schema: JSONSchemaProps, number: object) -> bool:
    rules = schema.x_validations
    is_rule = isinstance(number, int) and number < len(rules)
    return is_rule and bool(rules[cast("int", number)].optional_old_self)


def definition_of(
    document: OpenDocument, cursor: Cursor, checks: Checks
) -> tuple[Definition, JSONSchemaProps] | None:
    """Return the CRD of a custom resource, and the schema of a place of it."""
    group, _, version = text_at(cursor.root, "apiVersion").rpartition("/")
    if not group:
        return None
    checked = checks.of(document)
    definitions = checks.index.definitions(document, checked.config, checks.versions(checked))
    definition = definitions.kinds(group).get(text_at(cursor.root, "kind"))
    if definition is None or version not in {
        served.name for served in definition.crd.spec.versions
    }:
        return None
    schema = value_schema(definition.validator(version).schema, cursor.steps)
    return None if schema is None else (definition, schema)


_WORD: Final = regex(r"[A-Za-z_]\w*")


def word_at(
    expression: EditedExpression, index: int
) -> tuple[re.Match[str] | None, WordContext | None]:
    """Return the word at an index of an expression, and its context, each None if there is none."""
    word = next(
        (name for name in _WORD.finditer(expression.text) if name.start() <= index <= name.end()),
        None,
    )
    return word, word and context_at(
        expression.text,
        word.end(),
        expression.env,
        expression.environment,
    )


def schema_named(
    expression: EditedExpression, context: WordContext, word: str
) -> JSONSchemaProps | None:
    """Return the schema of the field that a word of an expression names, None if it names none."""
    member = field_of(expression, context, word)
    return None if member is None else member.schema


def field_of(expression: EditedExpression, context: WordContext, word: str) -> DeclField | None:
    """Return the field that a word of an expression names, also behind `.?`, None if it names none."""
    receiver = context.receiver and context.receiver.removesuffix(".?")
    type_ = type_of(receiver, context.env, expression.environment) if receiver else None
    return member_of(expression.declarations, type_, word)


def member_of(declarations: Declarations, type_: Type | None, name: str) -> DeclField | None:
    """Return the field of objects of a type, which may be an optional one, None if there is none."""
    return declarations.member(None if type_ is None else type_.unwrapped, name)
