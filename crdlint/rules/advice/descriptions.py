"""Advice: fields of a schema that are lines of its description, because they are indented like the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from crdlint.crd.gotypes import SCHEMA
from crdlint.crd.model import JSONSchemaProps
from crdlint.light import regex
from crdlint.phrases import Layout
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.edits import Edits
from crdlint.rules.engine.finding import AdviceFinding
from crdlint.rules.engine.fixer import Fixer
from crdlint.rules.engine.rule import Caution, Nodes
from crdlint.rules.fixes.structural import fields_in_text, fields_of, lacks_all
from crdlint.yaml import nodes
from crdlint.yaml.json_values import to_json
from crdlint.yaml.nodes import Node, is_block_text

_MOST: Final = 8  # lines of a description from which fields are read
# The types of values in JSON, by the kind of the Go type.
_CLASSES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "bool": (bool,),
    "int64": (int, float),
    "float64": (int, float),
    "slice": (list,),
    "map": (dict,),
    "schema-or-array": (dict,),
    "schema-or-bool": (dict,),
}
# Other keywords, such as `default` and `title`, also begin a line of prose.
_KEYWORDS: Final = (
    "maxLength minLength maxItems minItems maxProperties minProperties maximum minimum multipleOf "
    "exclusiveMinimum exclusiveMaximum uniqueItems nullable enum required pattern format "
    "properties items additionalProperties x-kubernetes-int-or-string x-kubernetes-list-map-keys "
    "x-kubernetes-preserve-unknown-fields x-kubernetes-embedded-resource x-kubernetes-validations"
)
_TYPES: Final = {name: _CLASSES[SCHEMA.fields[name].type.kind] for name in _KEYWORDS.split()}
# What a text has to be: prose may be behind these words, too.
_TEXTS: Final = {"pattern": regex(r"\A\^.*\$\Z"), "format": regex(r"\A[a-z][a-z0-9-]*\Z")}


@Fixer("Move the fields out of the description", "unsafe")
def _out_of_text(finding: AdviceFinding) -> Edits:
    names = finding.subject_as(tuple)
    for text in fields_in_text(finding.owner, finding.editor):
        if tuple(text.fields) == names and lacks_all(finding.owner, names):
            yield from finding.editor.shifted(text.start, text.end, -text.excess)
            return


@Caution(
    "keyword-in-description",
    "Keyword of a schema is a line of its description",
    observed=("keyword-in-a-description",),
    why="A block of text below `|` or `>` contains all lines that are indented like its first one. The API server reads the "
    "keyword as text, so it limits no value.",
    help="Indent the keyword like `description`",
    bad="name:\n  type: string\n  description: |-\n    The name.\n    maxLength: 63",
    good="name:\n  type: string\n  description: |-\n    The name.\n  maxLength: 63",
    fixes=(_out_of_text,),
).advice_on(Nodes({"description"}))
def _keywords(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    description = schema.description
    node = nodes.child(schema.node, "description") if "\n" in description else None
    if node is None or not is_block_text(node):
        return
    for start, line in islice(_lines_with_keyword(schema, description), _MOST):
        fields = fields_of(description[start:])
        if fields and all(_fits(schema, name, value) for name, value in fields.items()):
            shown = line.strip()
            yield Advisory(
                f"`{shown}` is a line of the description, so it checks nothing",
                schema.path.child("description"),
                Layout(f"Indent `{shown}` like `description`"),
                inside=(start, start + len(line)),
                subject=tuple(fields),
            )
            return


def _lines_with_keyword(schema: JSONSchemaProps, text: str) -> Iterator[tuple[int, str]]:
    """Yield each line that begins with a keyword which the schema does not have, with its offset."""
    start = 0
    for line in text.split("\n"):
        name, colon, _ = line.partition(":")
        if colon and name in _TYPES and nodes.child(schema.node, name) is None:
            yield start, line
        start += len(line) + 1


def _fits(schema: JSONSchemaProps, name: str, node: Node) -> bool:
    """Return whether a schema has no field of a name, and a value is one that the field can have."""
    if name not in _TYPES or nodes.child(schema.node, name) is not None:
        return False
    value, types = to_json(node), _TYPES[name]
    pattern = _TEXTS.get(name)
    is_of_type = isinstance(value, types) and isinstance(value, bool) == (bool in types)
    return is_of_type and (pattern is None or pattern.match(str(value)) is not None)
