"""Markers of controller-gen among the fields of a schema: the fields that they mean, and when that is not certain."""

from __future__ import annotations

from typing import Final

from crds import crd_with_spec
from tables import each

from crdlint.yaml.causes import syntax_cause
from crdlint.yaml.edit import apply
from crdlint.yaml.parse import parse_first

_VALIDATION: Final = "kubebuilder:validation:"
# The type of the schema, the marker, and the field that it means.
MEANT: Final = (
    ("string", f"{_VALIDATION}Enum=a;b", "enum: [a, b]"),
    ("string", f"{_VALIDATION}Enum={{a,b-c}}", "enum: [a, b-c]"),
    ("string", f'{_VALIDATION}Enum="";"a b";`c`', "enum: ['', 'a b', c]"),
    ("string", f'{_VALIDATION}Enum="true";no-1', "enum: ['true', no-1]"),
    ("integer", f"{_VALIDATION}Enum=1;-2", "enum: [1, -2]"),
    ("boolean", f"{_VALIDATION}Enum=true", "enum: [true]"),
    ("string", f"{_VALIDATION}Pattern=`^\\d+$`", "pattern: '^\\d+$'"),
    ("string", f'{_VALIDATION}Pattern="^a\'$"', "pattern: '^a''$'"),
    ("string", f"{_VALIDATION}Pattern=^[a-z]+=$", "pattern: '^[a-z]+=$'"),
    ("string", f"{_VALIDATION}MinLength=1", "minLength: 1"),
    ("string", f"{_VALIDATION}MaxLength:=63", "maxLength: 63"),
    ("integer", f"{_VALIDATION}Minimum=-1", "minimum: -1"),
    ("number", f"{_VALIDATION}Maximum=0.5", "maximum: 0.5"),
    ("integer", f"{_VALIDATION}MultipleOf=2", "multipleOf: 2"),
    ("integer", f"{_VALIDATION}ExclusiveMinimum=true", "exclusiveMinimum: true"),
    ("string", "kubebuilder:default=a", "default: a"),
    ("string", 'kubebuilder:default:="1"', "default: '1'"),
    ("boolean", "default=true", "default: true"),
    ("integer", "kubebuilder:default=3", "default: 3"),
    ("object", "nullable", "nullable: true"),
    ("object", f"{_VALIDATION}Nullable", "nullable: true"),
    ("object", f"{_VALIDATION}MaxProperties=3", "maxProperties: 3"),
)
_REPLACE: Final = (
    "Replace line {} with the fields of the schema that the marker means: "
    "controller-gen reads a marker only in a comment of Go code"
)
_OPTIONAL: Final = (
    "Remove line {}: a field is optional if `required` of its object does not name it"
)
_REQUIRED: Final = (
    "Remove line {}, and name the field in `required` of its object: "
    "controller-gen reads a marker only in a comment of Go code"
)
# A marker in a schema of type string, and the help.
UNCERTAIN: Final = (
    (f"{_VALIDATION}Enum=1;2", _REPLACE),
    (f"{_VALIDATION}Enum=true;b", _REPLACE),
    (f"{_VALIDATION}Enum=a b;c", _REPLACE),
    (f"{_VALIDATION}Enum=", _REPLACE),
    (f"{_VALIDATION}Minimum=1", _REPLACE),
    (f"{_VALIDATION}MinLength=one", _REPLACE),
    (f"{_VALIDATION}Format=date", _REPLACE),
    (f'{_VALIDATION}Pattern="^\\\\d$"', _REPLACE),
    (f'{_VALIDATION}XValidation:rule="self > 0"', _REPLACE),
    (f"{_VALIDATION}items:MaxLength=3", _REPLACE),
    ("kubebuilder:default=1", _REPLACE),
    ("kubebuilder:pruning:PreserveUnknownFields", _REPLACE),
    ("listType=set", _REPLACE),
    (f"{_VALIDATION}MaxLength=4", _REPLACE),  # which the schema has
    ("optional", _OPTIONAL),
    (f"{_VALIDATION}Optional", _OPTIONAL),
    ("required", _REQUIRED),
    (f"{_VALIDATION}Required", _REQUIRED),
)


def _crd(type_: str, line: str, more: str = "") -> str:
    return crd_with_spec(
        f"type: object\nproperties:\n  size:\n    {line}\n    type: {type_}\n{more}"
    )


@each(("type_", "marker", "field"), MEANT)
def test_a_marker_becomes_the_field_that_it_means(type_: str, marker: str, field: str) -> None:
    document = parse_first(_crd(type_, f"+{marker}"))
    cause = syntax_cause(document, lambda _: 0)
    assert cause is not None
    assert cause.help.startswith(f"Write `{field}` in line ")
    assert apply(document.text, cause.edits) == _crd(type_, field)


@each(("type_", "marker", "field"), MEANT)
def test_a_marker_in_a_comment_of_go_stays_a_comment(type_: str, marker: str, field: str) -> None:
    document = parse_first(_crd(type_, f"// +{marker}"))
    cause = syntax_cause(document, lambda _: 0)
    assert cause is not None
    assert cause.help.startswith("Begin the comment in line ")
    assert apply(document.text, cause.edits) == _crd(type_, f"# +{marker}")
    assert field not in cause.help


@each(("marker", "help_"), UNCERTAIN)
def test_a_marker_without_a_certain_meaning_stays(marker: str, help_: str) -> None:
    text = _crd("string", f"+{marker}", more="    maxLength: 9\n")
    line = text[: text.index("+")].count("\n") + 1
    cause = syntax_cause(parse_first(text), lambda _: 0)
    assert cause is not None
    assert (cause.line, cause.help, cause.edits) == (line, help_.format(line), ())


def test_a_marker_among_names_of_properties_stays() -> None:
    text = crd_with_spec(
        f"type: object\nproperties:\n  +{_VALIDATION}Enum=a;b\n  type: {{type: string}}\n"
    )
    cause = syntax_cause(parse_first(text), lambda _: 0)
    assert cause is not None
    assert cause.edits == ()


def test_several_markers_are_written_at_once() -> None:
    comments = [f"// The size {i}" for i in range(9)]
    markers = [f"+{_VALIDATION}Enum=a;b", *comments, "+kubebuilder:default=a"]
    fields = ["enum: [a, b]", *(line.replace("//", "#") for line in comments), "default: a"]
    broken = _crd("string", "\n    ".join(markers))
    document = parse_first(broken)
    cause = syntax_cause(document, lambda _: 0)
    assert cause is not None
    assert apply(document.text, cause.edits) == _crd("string", "\n    ".join(fields))


# How older releases of controller-gen write the descriptions of conditions and of their types.
_TEXTS: Final = (
    'description: "A list. // Known\\n      types are: a // +patchMergeKey=type\n      // +listType=map\n'
    '      // +listMapKey=type Conditions"\n',
    "description: type of condition in CamelCase.\n      --- Many values are consistent\n      across resources\n",
    "description: type of condition\n      in CamelCase.\n      // Many values are consistent\n      across resources\n",
)


@each("described", _TEXTS)
def test_a_comment_within_a_text_does_not_keep_a_marker_from_its_meaning(described: str) -> None:
    around = f"    maxLength: 9\n    {described}"
    document = parse_first(_crd("string", f"+{_VALIDATION}Enum=a;b", more=around))
    cause = syntax_cause(document, lambda _: 0)
    assert cause is not None
    assert apply(document.text, cause.edits) == _crd("string", "enum: [a, b]", more=around)


@each("described", _TEXTS)
def test_only_a_comment_outside_of_texts_gets_its_sign(described: str) -> None:
    around = f"    maxLength: 9\n    {described}"
    document = parse_first(_crd("string", "// The mode", more=around))
    cause = syntax_cause(document, lambda _: 0)
    assert cause is not None
    assert apply(document.text, cause.edits) == _crd("string", "# The mode", more=around)


def test_a_marker_that_is_a_line_of_a_text_stays() -> None:
    text = _crd(
        "string", "description: a\n      +optional", more="    enum: [a\n    maxLength: 3\n"
    )
    cause = syntax_cause(parse_first(text), lambda _: 0)
    assert cause is not None
    assert "marker" not in cause.headline
