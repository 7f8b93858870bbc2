"""What keeps a document from being read or checked: unreadable files, bugs, YAML syntax, types, unknown fields, duplicate keys.

`crdlint.yaml` and `crdlint.crd.decode` create the messages about YAML and fields; this module has the texts of the rules.
kubectl and client-go keep the last of equal keys: see https://github.com/kubernetes/kubernetes/issues/125885.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from crdlint import diagnostics
from crdlint.crd.positions import Span, node_span
from crdlint.diagnostics import INTERNAL_ERROR, Diagnostic, Related
from crdlint.light import replace
from crdlint.rules.engine.examples import HEAD
from crdlint.rules.engine.finding import RepeatedKeyFinding
from crdlint.rules.engine.relations import IN_SAME_VALUE, MOVED
from crdlint.rules.engine.rule import Caution, Link, Rule
from crdlint.safety.bugs import Bug
from crdlint.yaml.json_values import DuplicateKey
from crdlint.yaml.nodes import Mapping, Node, Scalar, text_or_empty
from crdlint.yaml.resolve import resolve

_GOOD: Final = """\
type: object
properties:
  mode:
    type: string
    # crdlint: ignore[yaml-boolean] the old clients send true and false
    enum: [on, off]
"""
_Caution: Final = partial(Caution, scope="schema")

# Each rule in a few lines: what is wrong, why it matters and what to do; then the examples.
# fmt: off
INTERNAL: Final = Rule(INTERNAL_ERROR, "Document that crdlint cannot check because of a bug", scope="text",
    claims_nothing=True,
    why="crdlint does not know whether the API server accepts the document. Other documents are checked. The exit status "
    "is 3, and no configuration, ignore comment or baseline hides the finding.",
    help="Check the document with another version of crdlint, and report the bug with it",
    origin="crdlint")
UNREADABLE: Final = Rule("unreadable", "File or directory cannot be read",
    claims_nothing=True,
    scope="text", origin="crdlint",
    why="crdlint does not know what the file contains. The exit status is 2.",
    help="Correct the file, make it readable, or exclude it")
MALFORMED: Final = _Caution("ignore-malformed", "Ignore comment cannot be parsed",
    claims_nothing=True,
    why="The comment has no effect, so crdlint still reports the findings that it should ignore.",
    help="Write `# crdlint: ignore[RULE] reason` with one or more rule ids; `crdlint rules` lists them",
    bad="type: object # crdlint: ignore\n", good=_GOOD)
UNKNOWN_RULE: Final = _Caution("ignore-unknown-rule", "Ignore comment names an unknown rule",
    claims_nothing=True,
    why="The comment has no effect. The id is misspelled, or belongs to another version of crdlint.",
    help="Correct the rule id; `crdlint rules` lists all ids",
    bad="type: object # crdlint: ignore[unknown-feild]\n", good=_GOOD)
UNUSED: Final = _Caution("ignore-unused", "Ignore comment or entry matches no finding",
    claims_nothing=True,
    unnecessary=True, in_each_run=False,
    why="Either the finding was fixed, or the comment is in the wrong place, or the entry of the configuration names another "
    "one. It could hide a new finding of the same rule.",
    help="Remove the comment, or move it: a comment at the end of a line covers that line, a comment on its own line "
    "covers the key or item below it, and `# crdlint: ignore-file[RULE]` covers the file",
    bad="type: object # crdlint: ignore[pattern-invalid]\n", good=_GOOD)
# fmt: on

_V1BETA1 = """\
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  group: example.com
  version: v1
  names: {plural: foos, kind: Foo}
  scope: Namespaced
"""

_V1 = HEAD + "        type: object\n"

V1BETA1_FULL = f"""\
{_V1BETA1}  preserveUnknownFields: false
  subresources:
    status: {{}}
  additionalPrinterColumns:
  - {{name: Ready, type: string, JSONPath: .status.ready}}
  validation:
    # The whole object.
    openAPIV3Schema:
      type: object
"""

V1_FULL = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  group: example.com
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      # The whole object.
      openAPIV3Schema:
        type: object
    subresources:
      status: {}
    additionalPrinterColumns:
    - {name: Ready, type: string, jsonPath: .status.ready}
  names: {plural: foos, kind: Foo}
  scope: Namespaced
"""

# Each rule in a few lines: what is wrong, why it matters and what to do; then the examples.
# fmt: off
YAML_SYNTAX = Rule("yaml-syntax", "Invalid YAML syntax",
    observed=("syntax-error-in-a-document",),
    scope="text", source="sigs.k8s.io/yaml YAMLToJSON",
    why="kubectl and the API server stop at the first syntax error, so nothing in the document is applied.",
    help="Fix the syntax at the reported position; the cause is often on the line before it",
    bad="apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: foos.example.com\n name: x\n",
    good=_V1)
AFTER_END = Caution("text-after-document-end", "Text after the end of a document is not read", scope="text",
    observed=("text-after-three-dots",),
    why="A line of three dots ends a YAML document. kubectl and Helm read one document between two lines of three dashes, "
    "so they do not apply what follows the dots, and do not report it.",
    help="Write `---` instead of `...`, or remove the text after it",
    bad=f"{_V1}...\n{_V1}", good=f"{_V1}---\n{_V1}",
    source="k8s.io/apimachinery pkg/util/yaml YAMLOrJSONDecoder.Decode")
DECODE_TYPE = Rule("decode-type", "Field has the wrong JSON type",
    observed=("first-value-of-a-wrong-type",),
    scope="schema",
    why="The API server cannot decode the document and rejects it at the first value of a wrong type.",
    help="Write a value of the type that the message names: a number without quotes, a string in quotes, a list, or a mapping",
    bad='type: object\nproperties:\n  name: {type: string, maxLength: "63"}\n',
    good="type: object\nproperties:\n  name: {type: string, maxLength: 63}\n",
    source="sigs.k8s.io/json UnmarshalCaseSensitivePreserveInts")
UNKNOWN_FIELD = Rule(diagnostics.UNKNOWN_FIELD, "Unknown field",
    follows=(Link(None, MOVED), Link(None, IN_SAME_VALUE)),
    unnecessary=True, scope="schema", source="sigs.k8s.io/json UnmarshalStrict",
    observed=("unknown-field-by-validation",),
    why="With strict field validation (kubectl's default) the API server rejects the object. With `Warn` or "
    "`Ignore` it drops the field, so the setting has no effect.",
    help="Remove the field, or correct its spelling (field names are case-sensitive)",
    bad="type: object\nproperties:\n  name: {type: string, maxlength: 63}\n",
    good="type: object\nproperties:\n  name: {type: string, maxLength: 63}\n")
UNKNOWN_FIELD_IGNORED = Caution("unknown-field-ignored", "Unknown field that the API server drops without an error",
    misread=True,
    observed=("dropped-keyword-starts-to-work",),
    why="The decoder of `items` and `additionalProperties` is not strict: below them the API server drops unknown "
    "fields without an error, so the setting has no effect. A limit that is spelled right also applies to stored objects.",
    help="Remove the field, or correct its spelling (field names are case-sensitive)",
    bad="type: object\nproperties:\n  names: {type: array, items: {type: string, maxlength: 63}}\n",
    good="type: object\nproperties:\n  names: {type: array, items: {type: string, maxLength: 63}}\n", scope="schema",
    source="k8s.io/apiextensions-apiserver pkg/apis/apiextensions/v1 JSONSchemaPropsOrArray.UnmarshalJSON")
DUPLICATE_KEY = Rule("duplicate-key", "Key is set twice in one mapping", scope="schema", severity="warning",
    observed=("duplicate-key",),
    why="kubectl and other clients that send JSON keep the last value, so the API server never sees the first one. "
    "A request that contains the YAML itself is rejected with `fieldValidation=Strict`.",
    help="Remove one of the two keys: the API server uses the last",
    bad="type: object\nproperties:\n  name:\n    type: string\n    type: integer\n",
    good="type: object\nproperties:\n  name:\n    type: integer\n", source="sigs.k8s.io/yaml YAMLToJSONStrict")
MERGE_KEY_OVERRIDE = Rule(diagnostics.MERGE_KEY_OVERRIDE, "Key overrides a key that `<<` merges", severity="info",
    observed=("key-beside-a-merge",),
    why="kubectl and other clients that send JSON accept this, but the API server rejects it in a YAML request "
    "with `fieldValidation=Strict`. crdlint reports it only if `select` or `severity` names this rule.",
    help="Write out the merged keys instead of using `<<`",
    bad="name: &name {type: string, maxLength: 63}\nlong: {<<: *name, maxLength: 253}",
    good="name: {type: string, maxLength: 63}\nlong: {type: string, maxLength: 253}", on_request=True,
    source="sigs.k8s.io/yaml YAMLToJSONStrict")
CRD_MISSPELLED = Rule("crd-misspelled", "Misspelled kind or apiVersion of a CRD",
    observed=("kind-of-a-crd-misspelled",),
    scope="text",
    why="No API server has this kind or version, so kubectl cannot apply the document. Tools that find CRDs by "
    "their kind skip it.",
    help="Write `apiVersion: apiextensions.k8s.io/v1` and `kind: CustomResourceDefinition`",
    bad=_V1.replace("kind: CustomResourceDefinition", "kind: CustomResourceDefinitions"), good=_V1,
    source="k8s.io/apimachinery pkg/api/meta NoKindMatchError")
API_VERSION_REMOVED = Rule(diagnostics.REMOVED_VERSION, "CRD uses an API version that Kubernetes has removed",
    observed=("kind-of-a-crd-misspelled",),
    scope="text",
    outdated=True,
    why="Kubernetes 1.22 removed apiextensions.k8s.io/v1beta1, so kubectl cannot apply the CRD to any supported cluster.",
    help="Convert the CRD to `apiextensions.k8s.io/v1`: move `spec.version` to `spec.versions[].name`, "
    "`spec.validation` to `versions[].schema`, and `subresources` and `additionalPrinterColumns` to `versions[]`; "
    "rename `JSONPath` to `jsonPath`; make the schema structural",
    bad=_V1BETA1, good=_V1, source="k8s.io/apiextensions-apiserver pkg/apis/apiextensions/v1")
# fmt: on


def internal_error(file: str, bug: Bug, span: Span) -> Diagnostic:
    """Return the finding that a document is not checked."""
    return INTERNAL.diagnostic(
        file,
        "advice",
        f"a bug in crdlint keeps the document from being checked: {bug.text}",
        span,
    )


_ONLY_RAW: Final = "the API server rejects only a request with the {} itself"
_LAST_WINS: Final = (
    "kubectl and every client that sends JSON keep the last value, so the API server never sees the first; "
    "it rejects only a request with the {} itself"
)
_APART: Final = 2  # lines
_MOST_ITEMS: Final = 1000  # of a mapping, with its keys
_BOUNDS: Final = tuple((f"min{of}", f"max{of}") for of in ("imum", "Length", "Items", "Properties"))
_OPPOSITE: Final = dict(_BOUNDS) | {high: low for low, high in _BOUNDS}
_REMOVE_ONE: Final = "remove one of the two keys: the API server uses the last"


def repeated_block(
    duplicate: DuplicateKey, others: Sequence[DuplicateKey], line_offset: int
) -> str | None:
    """Return the help for a key that is one of several that a block repeats, None for another key.

    The usual cause is a block that is indented too far, so that it becomes a part of the one above.
    """
    if duplicate.how != "written twice":
        return None
    column = duplicate.later.start_mark.column
    block = [
        other
        for other in others
        if other.how == duplicate.how
        and other.later.start_mark.column == column
        and abs(_distance(other) - _distance(duplicate)) <= _APART
        and abs(other.later.start_mark.line - duplicate.later.start_mark.line)
        <= len(others) + _APART
    ]
    if len(block) == 1:
        return None
    earlier = [other.first.start_mark.line + 1 + line_offset for other in block]
    later = [other.later.start_mark.line + 1 + line_offset for other in block]
    if max(earlier) >= min(later):
        return None  # keys of several mappings, each with its repetition
    return (
        f"Check the indentation of lines {min(later)} to {max(later)}: they repeat the keys of lines {min(earlier)} to "
        f"{max(earlier)}, and are probably meant for another mapping"
    )


def other_bound(finding: RepeatedKeyFinding, line_offset: int) -> str | None:
    """Return the help for a bound that is set to two numbers, None for another key.

    One of them is probably the opposite bound, if the schema lacks that.
    """
    key = finding.key
    name = text_or_empty(key.later)
    opposite = _OPPOSITE.get(name)
    mapping = None if opposite is None else _mapping_with_both(finding)
    if mapping is None or opposite is None or mapping.find(opposite) is not None:
        return None
    values = [mapping.items[finding.editor.index(node) + 1] for node in (key.first, key.later)]
    first, later = map(_number, values)
    if first is None or later is None or first == later:
        return None
    is_first = (first < later) == name.startswith("max")
    line = (key.first if is_first else key.later).start_mark.line + 1 + line_offset
    return f"Did you mean `{opposite}` in line {line}? Otherwise, {_REMOVE_ONE}"


def _mapping_with_both(finding: RepeatedKeyFinding) -> Mapping | None:
    """Return the mapping with a key written twice, None for a large one or if `<<` merges one of the two."""
    first, later = (finding.editor.parent(node) for node in (finding.key.first, finding.key.later))
    if first is not later or finding.key.how != "written twice":
        return None
    return first if isinstance(first, Mapping) and len(first.items) <= _MOST_ITEMS else None


def _number(value: Node) -> float | None:
    number = resolve(value) if isinstance(value, Scalar) else None
    return number if isinstance(number, (int, float)) else None


def _distance(duplicate: DuplicateKey) -> int:
    lines: int = duplicate.later.start_mark.line - duplicate.first.start_mark.line
    return lines


def duplicate_in_yaml(
    duplicate: DuplicateKey,
    file: str,
    line_offset: int,
    help_: str | None = None,
) -> Diagnostic:
    """Return the finding about a key of a YAML document; ``line_offset`` is the number of lines above the document."""
    name = "`{}`".format(duplicate.name.strip('"'))
    first_span, later_span = (
        node_span(duplicate.first, line_offset),
        node_span(duplicate.later, line_offset),
    )
    first, later = first_span.line, later_span.line
    rule, severity = DUPLICATE_KEY, DUPLICATE_KEY.severity
    if duplicate.how == "overrides merge":
        rule = MERGE_KEY_OVERRIDE
        message = f"key {name} overrides the one that `<<` merges from line {first}: {_ONLY_RAW.format('YAML')}"
    elif duplicate.how == "replaced by merge":
        message = f"`<<` replaces key {name} of line {first} by that of line {later}: {_LAST_WINS.format('YAML')}"
        help_ = "Write `<<` above the keys that override it: the decoder keeps the last value"
        severity = "info" if duplicate.is_equal else severity
    else:
        message = f"key {name} is set twice, {_lines(first, later)}: {_LAST_WINS.format('YAML')}"
    if duplicate.repetitions:
        message += f" ({duplicate.repetitions:,} more mappings merge it)"
    finding = rule.diagnostic(file, "strict", message, later_span, help_)
    finding = replace(finding, severity=severity) if rule is DUPLICATE_KEY else finding
    return _after(first_span, finding, duplicate.message)


def duplicate_in_json(
    server_message: str,
    path: str,
    first: Node,
    later: Node,
    file: str,
    line_offset: int,
) -> Diagnostic:
    """Return the finding about a field of a JSON document."""
    first_span, later_span = node_span(first, line_offset), node_span(later, line_offset)
    message = f"field `{path}` is set twice, {_lines(first_span.line, later_span.line)}: {_LAST_WINS.format('file')}"
    finding = DUPLICATE_KEY.diagnostic(
        file,
        "strict",
        message,
        later_span,
    )
    return _after(first_span, finding, server_message)


def _lines(first: int, later: int) -> str:
    return f"in line {first}" if first == later else f"in lines {first} and {later}"


def _after(first: Span, finding: Diagnostic, server_message: str) -> Diagnostic:
    related = Related("first set", finding.file, first.line, first.column)
    return replace(finding, server_message=server_message, related=related)
