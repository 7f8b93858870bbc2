"""The syntax of the paths of printer columns, by the code of client-go's parser, and of the paths of rules."""

from __future__ import annotations

from crds import SMALLEST
from schema_support import schema

from crdlint.linting.pipeline import lint_file
from crdlint.schema.json_paths import FieldPathError, syntax_error, valid_field_path

ACCEPTED = (
    ".spec.a", ".", " .a", ".a b", ".a[]", ".a[*].b", ".a[1:2:3]", ".a['b']", ".a['b.c\\.d']", ".a[0,'b']", "..[0]", ".a..b",
    ".a[?(@.type=='Ready')].status", '.a[?(@.x=="a)b")].c', ".a[?(@.x)]", ".a(b)", ".a}{.b", ".a 'x\\n'", ".a 5", ".a 5.",
    ".a[-00000000000000000000001]", ".metadata.annotations.a\\.b/c", ".a}text", ".a 'it\\'s'", ".a[?(@.x==1)]['y']", ".a\\ b",
    ".a[?(@.x=)]", ".a.._b\\,c", '.a[?(@.x=="a\\")b")]',
)  # fmt: skip
REJECTED = {
    ".a[0": "unterminated array",
    ".a[x]": "invalid array index x",
    '.a["b"]': 'invalid array index "b"',
    ".a[-]": "array index - is not a number",
    ".a[0,x]": "invalid array index x",
    ".a[9223372036854775808]": "array index 9223372036854775808 is not a number",
    ".a....b": "invalid multiple recursive descent",
    ".a.. @..b": "invalid multiple recursive descent",
    ".a['b..']..c": "invalid multiple recursive descent",
    ".a,b": "unrecognized character in action: U+002C ','",
    ".a\tb": "unrecognized character in action: U+0009",
    ".a}{.b]": "unrecognized character in action: U+005D ']'",
    ".a{b": "unrecognized character in action: U+007B '{'",
    ".a\\": "unclosed action",
    ".a\n": "unclosed action",
    ".a[?(@.x": "unterminated filter",
    ".a[?(@.x)": "unclosed array expect ]",
    ".a[?(@.x==)]": "unrecognized character in action: U+003D '='",
    ".a[?(=1)]": "unrecognized character in action: U+003D '='",
    ".a[?(@.x==1==1)]": "unrecognized character in action: U+003D '='",
    ".a 'x": "unterminated quoted string",
    ".a 'x\\q'": "unquote string 'x\\q' error invalid syntax",
    ".a '\\ud800'": "unquote string '\\ud800' error invalid syntax",
    ".a 5.5.5": "cannot parse number 5.5.5",
    ".a -": "cannot parse number -",
}


def test_paths() -> None:
    assert {path: syntax_error(path) for path in ACCEPTED} == dict.fromkeys(ACCEPTED)
    assert {path: syntax_error(path) for path in REJECTED} == REJECTED


FIELD_PATHS = {
    "['']": None,
    ".a['k.l']": None,
    ".b": "does not refer to a valid field",
    ".": "unexpected end of JSON path",
    "['": "expected single quoted string but got '",
    "['a": "expected single quoted string but got 'a",
    "['a'": "unexpected end of JSON path",
    "['a'.": "expected ] but got .",
    "a": "expected [ or . but got: a",
}


def error_of(path: str) -> str | None:
    of = schema('properties: {"": {}, a: {additionalProperties: {type: string}}}')
    try:
        valid_field_path(path, of)
    except FieldPathError as error:
        return str(error)
    return None


def test_field_paths() -> None:
    assert {path: error_of(path) for path in FIELD_PATHS} == FIELD_PATHS


def test_the_first_column_that_cannot_be_parsed_is_reported() -> None:
    for good, dropped in ((0, "all columns"), (1, "this column and all after it")):
        columns = [
            *["{name: a, type: string, jsonPath: .metadata.name}"] * good,
            *["{name: b, type: string, jsonPath: '.x[0'}"] * 2,
        ]
        text = SMALLEST.replace(
            "storage: true", f"storage: true\n    additionalPrinterColumns: [{', '.join(columns)}]"
        )
        found = [
            one
            for one in lint_file(text, filename="x").diagnostics
            if one.rule == "printer-column-unparsed"
        ]
        assert [one.message for one in found] == [
            f"`.x[0` cannot be parsed (unterminated array): the API server discards {dropped}"
        ]
