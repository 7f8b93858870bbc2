"""How findings of a CRD are related, of which one follows from the other."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Final

from crdlint.crd.errors import REQUIRED, TYPE_INVALID
from crdlint.crd.paths import is_within
from crdlint.diagnostics import Diagnostic
from crdlint.light import regex
from crdlint.yaml.nodes import Node

Key = Callable[[Diagnostic], str | None]
# The key of a finding and that of its cause, which are equal and not None if they are related.
Relation = tuple[Key, Key]

_LAST_STEP: Final = regex(r"(?:\.[^.\[\]]*|\[[^\[\]]*\])\Z")
_ROOT: Final = ".openAPIV3Schema"
# Values of `Diagnostic.cause`.
INT_OR_STRING: Final = "int-or-string"
ONLY_COMMENTS: Final = "an object whose fields are comments"
NO_VALUE: Final = "a field without a value"
SCAFFOLD: Final = "the placeholder of a new sample"
EMPTY_CRD: Final = "a CRD without group, names and versions"


def _schema(field: str) -> str:
    return field.partition(_ROOT)[0]


def _move(finding: Diagnostic) -> str | None:
    """Return the object that lacks an unknown field, and how to move the field there."""
    return f"{finding.lacks.partition(' ')[0]} {finding.help}" if finding.lacks else None


def _parent(field: str) -> str:
    return _LAST_STEP.sub("", field)


def type_of(field: str) -> str:
    """Return the key of a field whose value has the wrong type."""
    return f"{_TYPE_OF}{field}"


_TYPE_OF: Final = "type of "


def lacking(mapping: Node, name: str) -> str:
    """Return the identification of a mapping of a document and a field that it lacks, see `Diagnostic.lacks`.

    Without a name, it is that of a null in the place of a mapping.
    """
    return f"{mapping.start_mark.index} {name}"


def between_fields(field: str, cause: str) -> Relation:
    """Relate findings in or below a field to those in or below another one."""
    return (
        lambda finding: field if is_within(finding.field, field) else None,
        lambda finding: field if is_within(finding.field, cause) else None,
    )


def _alike(key: Key) -> Relation:
    return key, key


SAME_FIELD: Final = _alike(attrgetter("field"))
SIBLING: Final = _alike(lambda finding: _parent(finding.field))
# The same for advice, which names no field of the server.
SAME_SCHEMA: Final = _alike(lambda finding: finding.user_path or None)
# The type of an alternative, and that of the schema with the alternatives.
OF_ALTERNATIVE: Final[Relation] = (
    lambda finding: _parent(finding.field),
    lambda finding: _parent(_parent(_parent(finding.field))),
)
# A required field of a mapping, and an unknown field there that probably was meant to be it.
MISSPELLED: Final = _alike(lambda finding: finding.lacks or None)
# A required object that is null, and an unknown field that belongs to it.
EMPTY: Final[Relation] = (
    lambda finding: finding.lacks.removesuffix(" ") if finding.lacks.endswith(" ") else None,
    lambda finding: finding.lacks.partition(" ")[0] or None,
)
# Fields that one edit moves into their object.
MOVED: Final = _alike(_move)
SAME_PLACE: Final = _alike(lambda finding: f"{finding.line}:{finding.column}")
SAME_LINE: Final = _alike(lambda finding: str(finding.line))
# A name that contains another one, and names that could not be read.
OF_UNREAD_NAMES: Final[Relation] = (lambda _: "spec.names", attrgetter("user_path"))
# A type beside `x-kubernetes-int-or-string`, and a format `int-or-string`: that field is to be written instead of both.
TYPE_OF_INT_OR_STRING: Final = _alike(
    lambda finding: finding.user_path if finding.cause == INT_OR_STRING else None
)
# What a CRD lacks, and that it defines nothing.
OF_EMPTY_CRD: Final[Relation] = (
    lambda _: EMPTY_CRD,
    lambda finding: finding.cause or None,
)
# A rule, and the schema that its cost is added to.
OF_SCHEMA: Final[Relation] = (
    lambda finding: _schema(finding.field),
    lambda finding: _schema(finding.field) if finding.field.endswith(_ROOT) else None,
)
ANYWHERE: Final = _alike(lambda _: "")
# An unknown field inside of a value whose type is wrong.
OF_MISTYPED: Final[Relation] = (
    lambda finding: finding.lacks or None,
    lambda finding: type_of(finding.field) if finding.error_type == TYPE_INVALID else None,
)
# A version without a schema, and the schema where v1beta1 has it.
OF_OLD_SCHEMA: Final[Relation] = (lambda _: "spec.validation", attrgetter("user_path"))
# What the spec of a sample lacks that only has the placeholder of kubebuilder.
OF_SCAFFOLD: Final[Relation] = (
    lambda finding: SCAFFOLD if finding.error_type == REQUIRED else None,
    lambda finding: finding.cause or None,
)
# Two of these.
IN_SAME_VALUE: Final = _alike(
    lambda finding: finding.lacks if finding.lacks.startswith(_TYPE_OF) else None
)
# That the rules of an object are not evaluated, and an error of its values.
NOT_EVALUATED: Final[Relation] = (lambda finding: None if finding.errors else "", lambda _: "")
