# ruff: noqa: E501, RUF001  a breakage a line, also with characters that look like others
"""Breakages of any CRD, in the classes in which people make them; each knows the text that is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from breakages import CRD
from style_breakages import DATABASES, ROUTES

if TYPE_CHECKING:
    from collections.abc import Callable

_CONVERSION_OF_WIDGETS = """\
  conversion:
    strategy: Webhook
    webhook:
      clientConfig:
        service:
          name: converter
          namespace: acme-system
          path: /convert
      conversionReviewVersions:
      - v1
"""
# The CRDs that are broken, as generators and as people write them.
CRDS = {
    "widgets": CRD.replace("spec:\n  group", f"spec:\n{_CONVERSION_OF_WIDGETS}  group", 1),
    "routes": ROUTES,
    "databases": DATABASES,
}


class Kind(NamedTuple):
    """What is replaced by what in a CRD; `meant` is written in its place, by default what there was."""

    group: str
    name: str
    pattern: str
    new: str | Callable[[re.Match[str]], str]
    meant: str | Callable[[re.Match[str]], str] = r"\g<0>"

    def broken(self, crd: str, *, last: bool) -> tuple[str, str] | None:
        """Return a CRD with the breakage at its first or last place, and the text that is meant; None if it has no place."""
        found = list(re.finditer(self.pattern, crd, re.MULTILINE))
        if not found or (last and len(found) == 1):
            return None
        match = found[-1 if last else 0]
        new, meant = (
            one(match) if callable(one) else match.expand(one) for one in (self.new, self.meant)
        )
        return tuple(crd[: match.start()] + text + crd[match.end() :] for text in (new, meant))  # type: ignore[return-value]


def shifted(by: int) -> Callable[[re.Match[str]], str]:
    """Return what indents the lines that match by more blanks, or fewer."""

    def new(match: re.Match[str]) -> str:
        lines = match[0].splitlines(keepends=True)
        return "".join(
            " " * by + line if by > 0 else line.removeprefix(" " * -by) for line in lines
        )

    return new


def prefixed(prefix: str) -> Callable[[re.Match[str]], str]:
    """Return what writes a text before each line."""
    return lambda match: (
        re.sub(r"^", prefix, match[0].removesuffix("\n"), flags=re.MULTILINE) + "\n"
    )


def numbered(match: re.Match[str]) -> str:
    return "".join(f"{i:>4} {line}" for i, line in enumerate(match[0].splitlines(keepends=True), 1))


def twice(match: re.Match[str]) -> str:
    return match[0] + match[0]


_PROPERTY = r"^(?P<i> {12,})[a-z]\w*:\n(?:(?P=i)  .*\n)+"  # a property with its fields
_SECOND = r"(?<=\n)(?P<i> {14,})(?!type|items|properties|enum|required|default)[a-z]\w*:\n(?:(?P=i)  .*\n)+(?=(?P=i)\w)"
_FIELD = r"^ {12,}(?:maxLength|format|maximum|minimum|default|pattern): .*\n"
_TYPE = r"^ {14,}type: (?:string|integer|boolean)\n"
_LIST = r"^ {4,}(?:shortNames|categories|required|enum|x-kubernetes-list-map-keys):\n(?: +- .*\n)+"
_ALL = r"\A(?s:.*)\Z"
_QUOTED_RULE = r"rule: (\S.*[^'\"])$"
_CONVERSION = r"^  conversion:\n(?:    .*\n)+"
_JSON_PATH = r"jsonPath: (\.\S+)$"


def _k(group: str) -> Callable[..., Kind]:
    def kind(
        name: str,
        pattern: str,
        new: str | Callable[[re.Match[str]], str],
        meant: str | Callable[[re.Match[str]], str] = r"\g<0>",
    ) -> Kind:
        return Kind(group, name, pattern, new, meant)

    return kind


_i, _y, _c, _p, _t, _m = map(
    _k, ("indentation", "YAML syntax", "characters", "pasted text", "types", "misspelt")
)
_v, _x, _n, _b, _s, _w, _j = map(
    _k,
    ("values", "x-kubernetes", "names", "v1beta1", "columns", "conversion", "JSON, Helm, anchors"),
)

KINDS = (
    _i("property two deeper", _PROPERTY, shifted(2)),
    _i("property two deeper, below another", _SECOND, shifted(2)),
    _i("property two less", _SECOND, shifted(-2)),
    _i("property four deeper", _SECOND, shifted(4)),
    _i("property one deeper", _SECOND, shifted(1)),
    _i("property one less", _SECOND, shifted(-1)),
    _i("type two deeper", _TYPE, shifted(2)),
    _i("type two less", _TYPE, shifted(-2)),
    _i("type four less", _TYPE, shifted(-4)),
    _i("type one deeper", _TYPE, shifted(1)),
    _i("type one less", _TYPE, shifted(-1)),
    _i("type at the margin", _TYPE, lambda match: match[0].lstrip(" ")),
    _i("field two deeper", _FIELD, shifted(2)),
    _i("field two less", _FIELD, shifted(-2)),
    _i("field one less", _FIELD, shifted(-1)),
    _i("fields below names at the level of names", r"^    (?:kind|plural|singular|listKind): \S+\n", shifted(-2)),
    _i("scope below names", r"^  scope: .*\n", shifted(2)),
    _i("spec of a version two deeper", r"^    served: true\n    storage: true\n", shifted(2)),
    _i("spec of a version two less", r"^    served: true\n    storage: true\n", shifted(-2)),
    _i("properties as deep as what is above", r"^( {10,})properties:\n((?:\1  .*\n)+)", lambda match: match[1] + "properties:\n" + re.sub(r"(?m)^  ", "", match[2])),
    _i("items as deep as their key", r"^( {12,})items:\n((?:\1  .*\n)+)", lambda match: match[1] + "items:\n" + re.sub(r"(?m)^  ", "", match[2])),
    _i("required in properties", r"^( {12,})required:\n(?:\1- .*\n)+", shifted(2)),
    _i("required two less", r"^( {12,})required:\n(?:\1- .*\n)+", shifted(-2)),
    _i("whole schema at the level of its key", r"^( +)openAPIV3Schema:\n((?:\1  .*\n)+)", lambda match: match[1] + "openAPIV3Schema:\n" + re.sub(r"(?m)^  ", "", match[2])),
    _i("tab for the indentation of a line", _TYPE, lambda match: "\t" * (len(match[0]) // 4) + match[0].lstrip()),
    _i("tabs for a block", _SECOND, lambda match: re.sub(r"(?m)^ +", lambda blanks: "\t" * (len(blanks[0]) // 2), match[0])),
    _i("list item less", r"^( +)(?:required|enum|x-kubernetes-list-map-keys):\n\1- .*\n", lambda match: match[0].split("\n")[0] + "\n" + match[1][2:] + match[0].split("\n")[1].lstrip() + "\n"),
    _i("rule of an item two less", r"^( +)- message: .*\n\1  rule: .*\n", lambda match: re.sub(r"\n  ( +rule)", r"\n\1", match[0])),
    _i("metadata name at the margin", r"^  name: [\w.-]+\n", shifted(-2)),

    _y("no colon", r"^( {10,})properties:\n", r"\1properties\n"),
    _y("no blank behind a colon", r"^( {12,})type: (\w+)\n", r"\1type:\2\n"),
    _y("no blank behind a dash", r"^( +)- (\w+)$", r"\1-\2"),
    _y("equals sign", r"^( {12,})type: (\w+)\n", r"\1type = \2\n"),
    _y("open double quote", r"description: (\w[^'\":\n]*)$", r'description: "\1'),
    _y("open single quote", r"description: (\w[^'\":\n]*)$", r"description: '\1"),
    _y("quote only at the end", r"^( +)type: string$", r'\1type: string"'),
    _y("colon in a description", r"description: ([A-Z]\w+) ([^'\":\n]*)$", r"description: \1: \2", r"description: '\1: \2'"),
    _y("open bracket", r"^( {4,})(shortNames|required|x-kubernetes-list-map-keys):\n +- (\S+)\n(?! +- )", r"\1\2: [\3\n"),
    _y("close bracket of another kind", r"^( {4,})(shortNames|required|x-kubernetes-list-map-keys):\n +- (\S+)\n(?! +- )", r"\1\2: [\3}\n"),
    _y("close bracket too many", r"^( {4,})(shortNames|required|x-kubernetes-list-map-keys):\n +- (\S+)\n(?! +- )", r"\1\2: [\3]]\n"),
    _y("trailing comma", r"^( {12,})type: (\w+)\n", r"\1type: \2,\n"),
    _y("trailing semicolon", r"^( {12,})type: (\w+)\n", r"\1type: \2;\n"),
    _y("semicolon for a colon", r"^( {12,})type: (\w+)\n", r"\1type; \2\n"),
    _y("two colons", r"^( {12,})type: (\w+)\n", r"\1type:: \2\n"),
    _y("blank before the colon", r"^( {12,})type: (\w+)\n", r"\1type : \2\n"),
    _y("anchor of a star", r"(?<=- )(all|Recreate|Passthrough)$", r"*", r"'*'"),
    _y("pattern with an escape", r"pattern: \S.*$", r'pattern: "^\\d+$"', r"pattern: '^\\d+$'"),
    _y("rule that begins with an exclamation mark", _QUOTED_RULE, r"rule: !has(self.x) || \1", r"rule: '!has(self.x) || \1'"),
    _y("key set twice", r"^ {14,}type: (?:string|integer)\n", twice),
    _y("dash too many", r"^( {12,})type: (string|integer)\n", r"\1- type: \2\n"),
    _y("value and block", r"^( {10,})properties:\n", r"\1properties: {}\n"),
    _y("comment without a blank", r"^( {12,}type: (?:string|boolean))\n", r"\1# comment\n"),

    _c("curly quotes around a value", r"^( {12,})type: (\w+)$", "\\1type: “\\2”"),
    _c("curly single quotes around a value", r"^( {12,})type: (\w+)$", "\\1type: ‘\\2’"),
    _c("curly quotes around a key", r"^( {12,})type: (\w+)$", "\\1“type”: \\2"),
    _c("curly quotes around a path", _JSON_PATH, "jsonPath: “\\1”"),
    _c("curly quotes around an item", r"^( +)- (\w+)$", "\\1- “\\2”"),
    _c("non-breaking blank behind a colon", r"^( {12,})type: (\w+)$", "\\1type:\u00a0\\2"),
    _c("non-breaking blank as indentation", r"^( {12,})type: (\w+)$", lambda match: match[0].replace("  ", "\u00a0\u00a0", 1)),
    _c("zero width blank in a key", r"^( {12,})type: (\w+)$", "\\1ty\u200bpe: \\2"),
    _c("zero width blank in a value", r"^( {12,})type: (\w+)$", "\\1type: \\2\u200b"),
    _c("full width colon", r"^( {12,})type: (\w+)$", "\\1type：\\2"),
    _c("en dash for a dash", r"^( +)- (\w+)$", "\\1– \\2"),
    _c("Cyrillic letter in a key", r"^( {12,})type: (\w+)$", "\\1typе: \\2"),
    _c("Cyrillic letter in a value", r"^( {12,})type: string$", "\\1type: strіng"),
    _c("en dash in a keyword", r"x-kubernetes-list-type", "x–kubernetes–list–type"),
    _c("soft hyphen", r"maxLength", "max\u00adLength"),
    _c("control character", r"^( {12,})type: (\w+)$", "\\1type: \\2\x08"),
    _c("byte order mark within", r"^spec:", "\ufeffspec:"),
    _c("curly quotes around a whole rule", _QUOTED_RULE, "rule: “\\1”"),

    _p("conflict with equal sides", _TYPE, lambda match: f"<<<<<<< HEAD\n{match[0]}=======\n{match[0]}>>>>>>> main\n"),
    _p("conflict with one side", _TYPE, lambda match: f"<<<<<<< HEAD\n{match[0]}=======\n>>>>>>> main\n"),
    _p("leftover conflict marker", _TYPE, lambda match: f"{match[0]}>>>>>>> main\n"),
    _p("block with +", _SECOND, lambda match: re.sub(r"(?m)^ ", "+", match[0])),
    _p("block with + before it", _SECOND, prefixed("+")),
    _p("a line with +", _TYPE, lambda match: "+" + match[0]),
    _p("a line with + for a blank", _TYPE, lambda match: "+" + match[0][1:]),
    _p("a change as a diff", _TYPE, lambda match: "-" + match[0][1:].replace("type: ", "type: old") + "+" + match[0][1:]),
    _p("whole document as a diff", _ALL, prefixed("+")),
    _p("whole document as a citation", _ALL, prefixed("> ")),
    _p("Markdown fences", _ALL, "```yaml\n\\g<0>```\n"),
    _p("Markdown fence at the end", _ALL, "\\g<0>```\n"),
    _p("line numbers", _ALL, numbered),
    _p("a command above", _ALL, "$ kubectl get crd foo -o yaml\n\\g<0>"),
    _p("cat <<EOF", _ALL, "cat <<EOF | kubectl apply -f -\n\\g<0>EOF\n"),
    _p("EOF at the end", _ALL, "\\g<0>EOF\n"),
    _p("indented document", _ALL, shifted(2)),
    _p("marker of kubebuilder", _TYPE, lambda match: " " * (len(match[0]) - len(match[0].lstrip())) + "+kubebuilder:validation:MinLength=1\n" + match[0]),
    _p("marker of kubebuilder in a comment of Go", _TYPE, lambda match: " " * (len(match[0]) - len(match[0].lstrip())) + "// +kubebuilder:validation:MinLength=1\n" + match[0]),
    _p("comment of Go", _TYPE, lambda match: " " * (len(match[0]) - len(match[0].lstrip())) + "// The kind of it.\n" + match[0]),
    _p("comment of Go at the end of a line", r"^( {12,}type: \w+)$", r"\1 // a comment"),
    _p("comment of C", _TYPE, lambda match: " " * (len(match[0]) - len(match[0].lstrip())) + "/* The kind of it. */\n" + match[0]),
    _p("dots for what is left out", _TYPE, lambda match: match[0] + "...\n"),
    _p("HTML entities", r"pattern: (\S.*)$", r"pattern: &quot;^a&quot;", r'pattern: "^a"'),
    _p("block pasted twice", _SECOND, twice),
    _p("line pasted twice", r"^ {14,}maxLength: .*\n", twice),
    _p("stray word", _TYPE, lambda match: match[0] + "foo\n"),

    *(_t(f"{written} for {type_}", rf"^( {{10,}})type: {type_}$", rf"\1type: {written}") for type_, written in (
        ("integer", "int"), ("integer", "Integer"), ("integer", "int32"), ("integer", "int64"), ("integer", "number "), ("string", "str"), ("string", "String"), ("string", "text"),
        ("string", "strng"), ("boolean", "bool"), ("boolean", "Boolean"), ("boolean", "boolen"), ("array", "list"), ("array", "Array"), ("array", "arry"), ("array", "[]"),
        ("object", "map"), ("object", "obj"), ("object", "dict"), ("object", "Object"), ("object", "struct"), ("string", "'string '"))),
    _t("type in a list", r"^( {14,})type: (string|integer)$", r"\1type: [\2]"),
    _t("type in a block list", r"^( {14,})type: (string|integer)$", r"\1type:\n\1- \2"),
    _t("type and null", r"^( {14,})type: (string|integer)$", r'\1type: [\2, "null"]', r"\1type: \2\n\1nullable: true"),
    _t("no type of a string", r"^( {14,})type: string\n(?=\1?\w|(?!\1))", "", r"\g<0>"),
    _t("no type of an object", r"(?<=\n)( {12,})type: object\n", ""),
    _t("no type of an array", r"(?<=\n)( {12,})type: array\n", ""),
    _t("no type of the root", r"^        type: object\n", ""),
    _t("schema of a word", r"^( {14,})(\w+):\n\1  type: string\n(?!\1  )", r"\1\2: string\n"),
    _t("type with a colon", r"^( {14,})type: (string|integer)$", r"\1type: :\2"),
    _t("items in a list", r"^( +)items:\n\1  type: string\n", r"\1items:\n\1- type: string\n"),
    _t("no items", r"^( +)items:\n\1  type: string\n", ""),
    _t("date", r"^( {14,})format: date-time\n\1type: string\n", r"\1type: date\n", r"\1format: date-time\n\1type: string\n"),

    *(_m(f"{written} for {word}", rf"^( +(?:- )?){word}:", rf"\1{written}:") for word, written in (
        ("description", "desciption"), ("description", "Description"), ("properties", "propertys"), ("properties", "property"), ("properties", "Properties"), ("required", "requried"),
        ("required", "require"), ("items", "item"), ("maxLength", "maxlength"), ("maxLength", "max_length"), ("maxLength", "maxLenght"), ("maxItems", "maxitems"), ("minimum", "min"), ("maximum", "max"),
        ("pattern", "patern"), ("pattern", "regex"), ("default", "defualt"), ("default", "defaultValue"), ("enum", "enums"), ("enum", "oneof"), ("format", "fromat"), ("openAPIV3Schema", "openApiV3Schema"), ("openAPIV3Schema", "openAPIV3Scheme"),
        ("additionalPrinterColumns", "additionalPrintColumns"), ("additionalPrinterColumns", "printerColumns"), ("additionalPrinterColumns", "printColumns"), ("jsonPath", "JSONPath"), ("jsonPath", "jsonpath"), ("jsonPath", "path"), ("subresources", "subResources"), ("subresources", "subresource"),
        ("served", "serve"), ("storage", "stored"), ("schema", "schemas"), ("versions", "version"), ("group", "groups"), ("scope", "Scope"), ("names", "name"), ("plural", "plurals"), ("singular", "singluar"),
        ("listKind", "listkind"), ("listKind", "kindList"), ("shortNames", "shortnames"), ("shortNames", "shortName"), ("shortNames", "aliases"), ("additionalProperties", "additionalProperty"), ("additionalProperties", "additionalproperties"),
        ("rule", "rules"), ("rule", "Rule"), ("rule", "expression"), ("message", "msg"), ("anyOf", "anyof"), ("type", "typ"), ("type", "Type"), ("type", "kind"), ("metadata", "metdata"), ("spec", "specs"), ("kind", "Kind"), ("apiVersion", "apiversion"))),

    _v("limit in quotes", r"(maxLength|maxItems|maximum|minimum): (\d+)$", r'\1: "\2"'),
    _v("limit with a comma", r"(maxLength|maxItems|maximum): (\d)(\d+)$", lambda match: f"{match[1]}: 1,024", lambda match: f"{match[1]}: 1024"),
    _v("limit with an underscore", r"(maxLength|maxItems|maximum): (\d)(\d+)$", lambda match: f"{match[1]}: 1_024", lambda match: f"{match[1]}: 1024"),
    _v("limit with a unit", r"(maxLength|maxItems|maximum): (\d+)$", r"\1: \2 characters"),
    _v("limit with k", r"(maxLength|maximum): (\d+)$", r"\1: 1k", r"\1: 1000"),
    _v("limit as a float", r"(maxLength|maxItems): (\d+)$", r"\1: \2.0"),
    _v("limit as a power", r"(maxLength|maxItems): (\d+)$", r"\1: 2^10", r"\1: 1024"),
    _v("limit as a word", r"(maxLength|maxItems): (\d+)$", r"\1: ten", r"\1: 10"),
    _v("limit is negative", r"(maxLength|maxItems): (\d+)$", r"\1: -\2"),
    _v("limit in a list", r"(maxLength|maxItems): (\d+)$", r"\1: [\2]"),
    _v("limit is a mapping", r"^( +)(maxLength|maxItems): (\d+)$", r"\1\2:\n\1  value: \3"),
    _v("limits swapped", r"^( +)maximum: (\d+)\n\1minimum: (\d+)", r"\1maximum: \3\n\1minimum: \2"),
    _v("limit with a letter O", r"(maxLength|maxItems|maximum): (\d*)0", r"\1: \2O"),
    _v("limit with an l", r"(maxLength|maxItems|maximum): 1(\d+)", r"\1: l\2"),
    _v("minimum: less than", r"(maximum): (\d+)", r"\1: <=\2"),
    _v("empty limit", r"(maxLength|maxItems): (\d+)$", r"\1:"),
    _v("no blank after the limit's colon in flow style", r"(minimum|maximum): (\d+)(?=[,}])", r"\1:\2"),
    _v("boolean in quotes", r"(served|storage): true$", r'\1: "true"'),
    _v("yes for a boolean in quotes", r"(served|storage): true$", r'\1: "yes"'),
    _v("boolean as a number", r"(served|storage): true$", r"\1: 1"),
    _v("boolean misspelt", r"(served|storage): true$", r"\1: ture"),
    _v("boolean of Python in quotes", r"(served|storage): true$", r"\1: 'True'"),
    _v("boolean as t", r"(served|storage): true$", r"\1: t"),
    _v("enabled for a boolean", r"(served|storage): true$", r"\1: enabled"),
    _v("boolean in a list", r"(served|storage): true$", r"\1: [true]"),
    _v("default of a boolean in quotes", r"default: (true|false)$", r'default: "\1"'),
    _v("default of a boolean as a number", r"default: false$", "default: 0"),
    _v("default of a number in quotes", r"default: (\d+)$", r'default: "\1"'),
    _v("default of a number as a float", r"default: (\d+)$", r"default: \1.0"),
    _v("default of a string as a number", r"^( +)type: string\n(?!\1default)", r"\1type: string\n\1default: 8\n", "\\1type: string\n\\1default: '8'\n"),
    _v("default of a string as a boolean", r"^( {14,})type: string\n(?!\1default)", r"\1type: string\n\1default: true\n", "\\1type: string\n\\1default: 'true'\n"),
    _v("default in another case", r"default: ([A-Z])(\w+)$", lambda match: f"default: {match[0][9:].lower()}"),
    _v("default misspelt", r"default: ([A-Z]\w+)(\w)(\w)$", r"default: \1\3\2"),
    _v("default of a list as a scalar", r"^( +)type: array\n(?!\1default)", r"\1type: array\n\1default: a\n", r"\1type: array\n\1default: [a]\n"),
    _v("default of a list as an object", r"^( +)maxItems: (\d+)\n", r"\1maxItems: \2\n\1default: {}\n", r"\1maxItems: \2\n\1default: []\n"),
    _v("default of an object as text", r"^( {12,})type: object\n(?=\1x-kubernetes-preserve)", "\\1type: object\n\\1default: '{}'\n", r"\1type: object\n\1default: {}\n"),
    _v("enum as a scalar", r"^( +)enum:\n\1- (\S+)\n\1- (\S+)\n", r"\1enum: \2, \3\n"),
    _v("enum with bars", r"^( +)enum:\n\1- ([A-Z]\S+)\n\1- (\S+)\n(?!\1-)", r"\1enum: \2|\3\n"),
    _v("enum with semicolons", r"^( +)enum:\n\1- ([A-Z]\S+)\n\1- (\S+)\n(?!\1-)", r"\1enum: \2;\3\n"),
    _v("enum as a mapping", r"^( +)enum:\n\1- ([A-Z]\S+)\n\1- (\S+)\n(?!\1-)", r"\1enum:\n\1  \2:\n\1  \3:\n"),
    _v("enum with a repetition", r"^( +)enum:\n\1- ([A-Z]\S+)\n", r"\1enum:\n\1- \2\n\1- \2\n"),
    _v("required as a scalar", r"^( {10,})required:\n +- (\S+)\n(?! +- )", r"\1required: \2\n"),
    _v("required as text in quotes", r"^( {10,})required:\n\1- (\S+)\n\1- (\S+)\n(?!\1-)", "\\1required: '\\2, \\3'\n"),
    _v("required as JSON in quotes", r"^( {10,})required:\n\1- (\S+)\n\1- (\S+)\n(?!\1-)", "\\1required: '[\"\\2\", \"\\3\"]'\n"),
    _v("required with names that do not exist", r"^( {10,})required:\n\1- (\S+)\n", r"\1required:\n\1- \2x\n"),
    _v("required: true", r"^( {14,})maxLength: (\d+)\n", r"\1maxLength: \2\n\1required: true\n", r"\1maxLength: \2\n"),
    _v("required: false", r"^( {14,})maxLength: (\d+)\n", r"\1maxLength: \2\n\1required: false\n", r"\1maxLength: \2\n"),
    _v("optional: true", r"^( {14,})maxLength: (\d+)\n", r"\1maxLength: \2\n\1optional: true\n", r"\1maxLength: \2\n"),
    _v("nullable in quotes", r"^( {14,})maxLength: (\d+)\n", r"\1maxLength: \2\n\1nullable: 'true'\n", r"\1maxLength: \2\n\1nullable: true\n"),
    _v("format in capitals", r"format: date-time", "format: DateTime"),
    _v("format with an underscore", r"format: date-time", "format: date_time"),
    _v("format of Go", r"format: int32", "format: int"),
    _v("pattern with slashes", r"pattern: (\^.*\$)$", r"pattern: /\1/"),
    _v("pattern with an open bracket", r"pattern: (\^.*\$)$", "pattern: ^[a-z$", "pattern: ^[a-z]$"),
    _v("pattern with an open group", r"pattern: \^\((.*)\)\+\$$", r"pattern: ^(\1+$"),
    _v("pattern with a lookahead", r"pattern: (\^.*\$)$", r"pattern: ^(?!foo).*$", r"\g<0>"),
    _v("description as a list", r"description: (\w[^'\":\n]*)$", r"description: [\1]"),
    _v("description as a number", r"description: (\w[^'\":\n]*)$", r"description: 5", r"description: '5'"),
    _v("type in capitals and quotes", r"^( {14,})type: (string)$", r'\1type: "STRING"'),
    _v("uniqueItems", r"^( +)x-kubernetes-list-type: set\n", r"\1uniqueItems: true\n"),
    _v("readOnly", r"^( {14,})type: (string|integer)\n", r"\g<0>\1readOnly: true\n", r"\g<0>"),
    _v("deprecated", r"^( {14,})type: (string|integer)\n", r"\g<0>\1deprecated: true\n", r"\g<0>"),
    _v("const", r"^( +)enum:\n\1- (\S+)\n\1- (\S+)\n(?!\1-)", r"\1const: \2\n", r"\1enum:\n\1- \2\n"),
    _v("exclusiveMinimum as a number", r"^( +)minimum: (\d+)$", r"\1exclusiveMinimum: \2", r"\1minimum: \2\n\1exclusiveMinimum: true"),
    _v("additionalProperties of a word", r"additionalProperties:\n +type: string\n(?! +max)", "additionalProperties: string\n"),
    _v("additionalProperties: false", r"^( {10,})properties:\n", r"\1additionalProperties: false\n\g<0>", r"\g<0>"),
    _v("additionalProperties: true", r"^( {10,})properties:\n", r"\1additionalProperties: true\n\g<0>", r"\1x-kubernetes-preserve-unknown-fields: true\n\g<0>"),
    _v("definitions", r"^        type: object\n", "        definitions: {}\n\\g<0>", r"\g<0>"),
    _v("$schema", r"^        type: object\n", "        $schema: http://json-schema.org/draft-07/schema#\n\\g<0>", r"\g<0>"),
    _v("examples", r"^( {14,})type: (string|integer)\n", "\\g<0>\\1examples: [a]\n", r"\g<0>"),

    _x("wrong prefix", r"x-kubernetes-list-type", "x-k8s-list-type"),
    _x("no prefix", r"x-kubernetes-list-type", "list-type"),
    _x("camel case", r"x-kubernetes-list-type", "x-kubernetes-listType"),
    _x("underscores", r"x-kubernetes-list-type", "x_kubernetes_list_type"),
    _x("list-map-key", r"x-kubernetes-list-map-keys", "x-kubernetes-list-map-key"),
    _x("map-keys", r"x-kubernetes-list-map-keys", "x-kubernetes-map-keys"),
    _x("validation", r"x-kubernetes-validations", "x-kubernetes-validation"),
    _x("validations without a prefix", r"x-kubernetes-validations", "validations"),
    _x("int-or-string", r"x-kubernetes-int-or-string", "x-kubernetes-int-or-str"),
    _x("preserve", r"x-kubernetes-preserve-unknown-fields", "x-kubernetes-preserve-unknown"),
    _x("preserveUnknownFields in a schema", r"x-kubernetes-preserve-unknown-fields", "preserveUnknownFields"),
    _x("list type in capitals", r"x-kubernetes-list-type: map", "x-kubernetes-list-type: Map"),
    _x("list type is a list", r"x-kubernetes-list-type: map", "x-kubernetes-list-type: [map]"),
    _x("list type misspelt", r"x-kubernetes-list-type: (map|set|atomic)", r"x-kubernetes-list-type: \1s"),
    _x("list type mapping", r"x-kubernetes-list-type: map", r"x-kubernetes-list-type: mapping"),
    _x("list type associative", r"x-kubernetes-list-type: map", r"x-kubernetes-list-type: associative"),
    _x("list type granular", r"x-kubernetes-list-type: map", r"x-kubernetes-list-type: granular"),
    _x("no keys", r"^( +)x-kubernetes-list-map-keys:\n(?:\1- .*\n)+", ""),
    _x("keys as a scalar", r"^( +)x-kubernetes-list-map-keys:\n\1- (\w+)\n(?!\1-)", r"\1x-kubernetes-list-map-keys: \2\n"),
    _x("keys misspelt", r"^( +)x-kubernetes-list-map-keys:\n\1- (\w+)(\w)\n", r"\1x-kubernetes-list-map-keys:\n\1- \2\n"),
    _x("keys in another case", r"^( +)x-kubernetes-list-map-keys:\n\1- (\w)(\w+)\n", lambda match: f"{match[1]}x-kubernetes-list-map-keys:\n{match[1]}- {match[2].upper()}{match[3]}\n"),
    _x("keys twice", r"^( +)x-kubernetes-list-map-keys:\n\1- (\w+)\n", r"\g<0>\1- \2\n"),
    _x("keys as a path", r"^( +)x-kubernetes-list-map-keys:\n\1- (\w+)\n", r"\1x-kubernetes-list-map-keys:\n\1- .\2\n"),
    _x("keys without a type", r"^( +)x-kubernetes-list-type: map\n", ""),
    _x("key not required", r"^( +)required:\n\1- (\w+)\n(?=\1type: object\n(?:.*\n){1,3} +x-kubernetes-list-map-keys:)", ""),
    _x("set for a map", r"x-kubernetes-list-type: map", "x-kubernetes-list-type: set"),
    _x("list type inside items", r"^( +)items:\n((?:\1  .*\n)+)((?:\1(?!x-).*\n)*)\1(x-kubernetes-list-type: set)\n", r"\1items:\n\2\1  \4\n\3"),
    _x("preserve in quotes", r"x-kubernetes-preserve-unknown-fields: true", 'x-kubernetes-preserve-unknown-fields: "true"'),
    _x("preserve is false", r"^( {12,})properties:\n", r"\1x-kubernetes-preserve-unknown-fields: false\n\g<0>", r"\g<0>"),
    _x("int-or-string in quotes", r"x-kubernetes-int-or-string: true", "x-kubernetes-int-or-string: 'true'"),
    _x("int-or-string with a type", r"^( +)x-kubernetes-int-or-string: true\n", r"\1type: string\n\g<0>", r"\g<0>"),
    _x("int-or-string not marked", r"^( +)x-kubernetes-int-or-string: true\n", ""),
    _x("int-or-string as a type", r"^( +)(?:anyOf:\n\1- type: integer\n\1- type: string\n\1)?x-kubernetes-int-or-string: true\n", r"\1type: int-or-string\n", r"\1x-kubernetes-int-or-string: true\n"),
    _x("int-or-string as a list of types", r"^( +)(?:anyOf:\n\1- type: integer\n\1- type: string\n\1)?x-kubernetes-int-or-string: true\n", r"\1type: [integer, string]\n", r"\1x-kubernetes-int-or-string: true\n"),
    _x("oneOf for anyOf", r"anyOf:(?=\n +- type: integer)", "oneOf:"),
    _x("rules as a mapping", r"^( +)x-kubernetes-validations:\n\1- message: (.*)\n\1  rule: (.*)\n(?!\1-)", r"\1x-kubernetes-validations:\n\1  message: \2\n\1  rule: \3\n"),
    _x("rules as a list of texts", r"^( +)x-kubernetes-validations:\n\1- message: (.*)\n\1  rule: (\w.*)\n(?!\1-)", r"\1x-kubernetes-validations:\n\1- \3\n", r"\1x-kubernetes-validations:\n\1- rule: \3\n"),
    _x("rules as a text", r"^( +)x-kubernetes-validations:\n\1- message: (.*)\n\1  rule: (\w.*)\n(?!\1-)", r"\1x-kubernetes-validations: \3\n", r"\1x-kubernetes-validations:\n\1- rule: \3\n"),
    _x("reason in lower case", r"^( +)  rule: (.*)\n", r"\g<0>\1  reason: fieldValueInvalid\n", r"\g<0>\1  reason: FieldValueInvalid\n"),
    _x("reason shortened", r"^( +)  rule: (.*)\n", r"\g<0>\1  reason: Invalid\n", r"\g<0>\1  reason: FieldValueInvalid\n"),
    _x("fieldPath without a dot", r"^( +)  rule: (self\.(\w+)\..*)\n", r"\g<0>\1  fieldPath: \3\n", r"\g<0>\1  fieldPath: .\3\n"),
    _x("fieldPath with self", r"^( +)  rule: (self\.(\w+)\..*)\n", r"\g<0>\1  fieldPath: self.\3\n", r"\g<0>\1  fieldPath: .\3\n"),
    _x("fieldPath with a dollar", r"^( +)  rule: (self\.(\w+)\..*)\n", r"\g<0>\1  fieldPath: $.\3\n", r"\g<0>\1  fieldPath: .\3\n"),
    _x("message of two lines", r"^( +)- message: (\w+) (.*)\n", r'\1- message: "\2\\n\3"' + "\n", r"\g<0>"),
    _x("empty message", r"^( +)- message: .*\n\1  ", "\\1- message: ''\n\\1  ", r"\1- "),
    _x("embedded resource without its type", r"^( +)type: object\n\1x-kubernetes-preserve-unknown-fields: true\n", r"\1x-kubernetes-embedded-resource: true\n\1x-kubernetes-preserve-unknown-fields: true\n", r"\1type: object\n\1x-kubernetes-embedded-resource: true\n\1x-kubernetes-preserve-unknown-fields: true\n"),
    _x("map-type of a list", r"^( +)x-kubernetes-list-type: (set|atomic)\n", r"\1x-kubernetes-map-type: atomic\n", r"\1x-kubernetes-list-type: atomic\n"),
    _x("map-type misspelt", r"^( {14,})properties:\n", r"\1x-kubernetes-map-type: Atomic\n\g<0>", r"\1x-kubernetes-map-type: atomic\n\g<0>"),

    _n("name in the singular", r"^  name: ([\w-]+)s\.", r"  name: \1."),
    _n("name without the group", r"^  name: ([\w-]+)\.[\w.]+$", r"  name: \1"),
    _n("name with a typo in the group", r"^  name: ([\w-]+)\.(\w)(\w)([\w.]+)$", r"  name: \1.\3\2\4"),
    _n("name with a typo in the plural", r"^  name: (\w)(\w)([\w.]+)$", r"  name: \2\1\3"),
    _n("name in capitals", r"^  name: (\w)([\w.]+)$", lambda match: f"  name: {match[1].upper()}{match[2]}"),
    _n("name reversed", r"^  name: ([\w-]+)\.([\w.]+)$", r"  name: \2.\1"),
    _n("name with a slash", r"^  name: ([\w-]+)\.([\w.]+)$", r"  name: \1/\2"),
    _n("name is the kind", r"^  name: (\w)([\w-]+)s\.([\w.]+)$", lambda match: f"  name: {match[1].upper()}{match[2]}"),
    _n("group in capitals", r"^  group: (\w)(.*)$", lambda match: f"  group: {match[1].upper()}{match[2]}"),
    _n("group with a typo", r"^  group: (\w)(\w)(.*)$", r"  group: \2\1\3"),
    _n("group with a version", r"^  group: (.*)$", r"  group: \1/v1"),
    _n("group with an underscore", r"^  group: (\w+)\.(.*)$", r"  group: \1_\2"),
    _n("group without a domain", r"^  group: (\w+)\.(.*)$", r"  group: \1"),
    _n("no group", r"^  group: .*\n", ""),
    _n("empty group", r"^  group: .*\n", "  group: ''\n"),
    _n("no scope", r"^  scope: .*\n", ""),
    _n("scope in lower case", r"^  scope: (\w+)$", lambda match: match[0].replace("N", "n").replace("C", "c")),
    _n("scope Namespace", r"^  scope: Namespaced$", "  scope: Namespace"),
    _n("scope namespaced: true", r"^  scope: Namespaced$", "  namespaced: true"),
    _n("scope in capitals", r"^  scope: (\w+)$", lambda match: "  scope: " + match[1].upper()),
    _n("scope Clustered", r"^  scope: Cluster$", "  scope: Clustered"),
    _n("plural in capitals", r"^    plural: (\w)(.*)$", lambda match: f"    plural: {match[1].upper()}{match[2]}"),
    _n("plural in the singular", r"^    plural: (\w+)s$", r"    plural: \1"),
    _n("plural with a typo", r"^    plural: (\w)(\w)(.*)$", r"    plural: \2\1\3"),
    _n("plural with the group", r"^    plural: (\w+)$", r"    plural: \1.example.com"),
    _n("no plural", r"^    plural: .*\n", ""),
    _n("no kind", r"^    kind: .*\n", ""),
    _n("kind in lower case and blanks", r"^    kind: (\w+)$", r"    kind: \1 x", r"    kind: \1"),
    _n("kind with a dash", r"^    kind: ([A-Z]\w+)$", r"    kind: \1-", r"    kind: \1"),
    _n("kind in an underscore", r"^    kind: ([A-Z]\w\w)(\w+)$", r"    kind: \1_\2"),
    _n("singular in capitals", r"^    singular: (\w)(.*)$", lambda match: f"    singular: {match[1].upper()}{match[2]}"),
    _n("listKind is the kind", r"^    listKind: (\w+)List$", r"    listKind: \1"),
    _n("listKind with a blank", r"^    listKind: (\w+)List$", r"    listKind: \1 List"),
    _n("short names in capitals", r"^( +)shortNames:\n\1- (\w+)$", lambda match: f"{match[1]}shortNames:\n{match[1]}- {match[2].upper()}"),
    _n("short names in a scalar", r"^( +)shortNames:\n\1- (\w+)$", r"\1shortNames: \2"),
    _n("short names with a comma", r"^( +)shortNames:\n\1- (\w+)$", r"\1shortNames: \2,xx", r"\1shortNames: [\2, xx]"),
    _n("category with a blank", r"^( +)categories:\n\1- (\w+)$", r"\1categories:\n\1- \2 x", r"\1categories:\n\1- \2"),
    _n("version in capitals", r"^(  - |    )name: v(\d\w*)$", r"\1name: V\2"),
    _n("version with a dot", r"^(  - |    )name: v1$", r"\1name: v1.0"),
    _n("version is a number", r"^(  - |    )name: v(\d\w*)$", lambda match: f"{match[1]}name: 1" if match[2] == "1" else match[0]),
    _n("two storage versions", r"storage: false", "storage: true"),
    _n("no storage version", r"storage: true", "storage: false"),
    _n("no storage", r"^    storage: true\n", ""),
    _n("no served", r"^    served: true\n", ""),
    _n("no schema", r"^    schema:\n(?:     .*\n)+", "", r"\g<0>"),
    _n("version with a typo", r"^apiVersion: apiextensions.k8s.io/v1$", "apiVersion: apiextension.k8s.io/v1"),
    _n("v1 alone", r"^apiVersion: apiextensions.k8s.io/v1$", "apiVersion: v1"),
    _n("apiextensions/v1", r"^apiVersion: apiextensions.k8s.io/v1$", "apiVersion: apiextensions/v1"),
    _n("no apiVersion", r"^apiVersion: apiextensions.k8s.io/v1\n", ""),
    _n("no kind of the document", r"^kind: CustomResourceDefinition\n", ""),
    _n("kind CRD", r"^kind: CustomResourceDefinition$", "kind: CRD"),
    _n("kind in lower case", r"^kind: CustomResourceDefinition$", "kind: customresourcedefinition"),
    _n("kind in the plural", r"^kind: CustomResourceDefinition$", "kind: CustomResourceDefinitions"),
    _n("names as the only field: scope", r"^  names:\n(?:    .*\n)+  scope: (\w+)\n", r"  names:\n    scope: \1\n"),
    _n("label as a number", r"^metadata:\n", "metadata:\n  labels:\n    tier: 1\n", "metadata:\n  labels:\n    tier: '1'\n"),
    _n("annotation as a boolean", r"^  annotations:\n", "  annotations:\n    a.io/on: true\n", "  annotations:\n    a.io/on: 'true'\n"),
    _n("versions as a mapping", r"^  versions:\n  - (?=\w+:\n)", "  versions:\n    "),

    _b("v1beta1", r"^apiVersion: apiextensions.k8s.io/v1$", "apiVersion: apiextensions.k8s.io/v1beta1"),
    _b("leftover version", r"^  versions:\n", "  version: v1\n  versions:\n", r"\g<0>"),
    _b("leftover JSONPath", _JSON_PATH, r"JSONPath: \1"),
    _b("preserveUnknownFields: false", r"^  scope: .*\n", r"\g<0>  preserveUnknownFields: false\n", r"\g<0>"),
    _b("preserveUnknownFields: true", r"^  scope: .*\n", r"\g<0>  preserveUnknownFields: true\n", r"\g<0>"),
    _b("subresources of the spec", r"^    subresources:\n      status: \{\}\n(?=\Z)", "  subresources:\n    status: {}\n"),
    _b("subresources of the spec in front", r"^  scope: .*\n((?:.*\n)*?)    subresources:\n      status: \{\}\n(?=\Z)", lambda match: "  subresources:\n    status: {}\n" + match[0].removesuffix("    subresources:\n      status: {}\n")),
    _b("validation of the version", r"^    schema:$", "    validation:"),
    _b("webhookClientConfig", r"^    webhook:\n      clientConfig:\n((?:        .*\n)+)(      conversionReviewVersions:\n      - v1\n)", lambda match: "    webhookClientConfig:\n" + re.sub(r"(?m)^  ", "", match[1]) + re.sub(r"(?m)^  ", "", match[2])),

    _s("path without a dot", _JSON_PATH, lambda match: f"jsonPath: {match[1][1:]}"),
    _s("path with a dollar", _JSON_PATH, r"jsonPath: $\1"),
    _s("path with braces", _JSON_PATH, "jsonPath: '{\\1}'"),
    _s("path with open braces", _JSON_PATH, "jsonPath: {\\1}"),
    _s("path with self", _JSON_PATH, r"jsonPath: self\1"),
    _s("path with slashes", _JSON_PATH, lambda match: "jsonPath: " + match[1].replace(".", "/")),
    _s("path with an open bracket", _JSON_PATH, r"jsonPath: \1["),
    _s("path with two dots", _JSON_PATH, lambda match: "jsonPath: ." + match[1]),
    _s("path to a field misspelt", r"jsonPath: (\.(?:spec|status)\.\w+)(\w)(\w)$", r"jsonPath: \1\3\2"),
    _s("no path", r"^( +)- jsonPath: .*\n\1  ", r"\1- "),
    _s("no name of a column", r"^      name: .*\n(?=      type)", ""),
    _s("no type of a column", r"^(      name: .*\n)      type: \w+\n", r"\1"),
    *(_s(f"column type {written}", rf"^      type: {type_}$", f"      type: {written}") for type_, written in (
        ("integer", "int"), ("integer", "Integer"), ("string", "String"), ("string", "str"), ("string", "text"), ("date", "Date"), ("date", "datetime"), ("date", "timestamp"), ("date", "time"), ("string", "array"), ("string", "object"))),
    _s("priority in quotes", r"^(      name: .*\n)(      type: \w+\n)", "\\1      priority: '1'\n\\2", r"\1      priority: 1\n\2"),
    _s("columns as a mapping", r"^( +)((?:- )?additionalPrinterColumns):\n +- (jsonPath: .*)\n +(name: .*)\n +(type: .*)\n(?! +- )", r"\1\2:\n\1      \3\n\1      \4\n\1      \5\n"),
    _s("column format", r"^(      name: .*\n)(      type: \w+\n)", r"\1      format: datetime\n\2", r"\1      format: date-time\n\2"),
    _s("status of null", r"status: \{\}", "status:"),
    _s("status of true", r"status: \{\}", "status: true"),
    _s("status of a list", r"status: \{\}", "status: []"),
    _s("status of a text", r"status: \{\}", "status: enabled"),
    _s("subresources as a list", r"^( +)subresources:\n\1  status: \{\}\n", r"\1subresources:\n\1- status\n"),
    _s("subresources as a flow list", r"^( +)subresources:\n\1  status: \{\}\n", r"\1subresources: [status]\n"),
    _s("subresources as a list of mappings", r"^( +)subresources:\n\1  status: \{\}\n", r"\1subresources:\n\1- status: {}\n"),
    _s("subresources as a word", r"^( +)subresources:\n\1  status: \{\}\n", r"\1subresources: status\n"),
    _s("Status", r"^( +)subresources:\n\1  status: \{\}\n", r"\1subresources:\n\1  Status: {}\n"),
    _s("status beside subresources", r"^( +)subresources:\n\1  status: \{\}\n", r"\1subresources: {}\n\1status: {}\n"),
    _s("scale beside subresources", r"^( +)subresources:\n((?:\1  .*\n)*)\1  scale:\n((?:\1    .*\n)+)((?:\1  .*\n)*)", lambda match: f"{match[1]}subresources:\n{match[2]}{match[4]}{match[1]}scale:\n" + re.sub(r"(?m)^  ", "", match[3])),
    _s("fields of scale beside it", r"^( +)scale:\n((?:\1  .*\n)+)", lambda match: f"{match[1]}scale:\n" + re.sub(r"(?m)^  ", "", match[2])),
    _s("scale path without a dot", r"specReplicasPath: \.", "specReplicasPath: "),
    _s("scale path with a dollar", r"specReplicasPath: \.", "specReplicasPath: $."),
    _s("scale path in the status", r"specReplicasPath: \.spec", "specReplicasPath: .status"),
    _s("scale path missing", r"^ +specReplicasPath: .*\n", ""),
    _s("status path missing", r"^ +statusReplicasPath: .*\n", ""),
    _s("replicasPath", r"specReplicasPath", "replicasPath"),
    _s("selectable field as a text", r"^( +)selectableFields:\n\1- jsonPath: (\S+)\n", r"\1selectableFields:\n\1- \2\n"),
    _s("selectable field as a flow list", r"^( +)selectableFields:\n\1- jsonPath: (\S+)\n", r"\1selectableFields: [\2]\n"),
    _s("selectable field as one text", r"^( +)selectableFields:\n\1- jsonPath: (\S+)\n", r"\1selectableFields: \2\n"),
    _s("selectable field twice", r"^( +)selectableFields:\n\1- jsonPath: (\S+)\n", r"\g<0>\1- jsonPath: \2\n"),
    _s("selectable field misspelt", r"^( +)selectableFields:\n\1- jsonPath: (\S+)(\w)(\w)\n", r"\1selectableFields:\n\1- jsonPath: \2\4\3\n"),
    _s("selectable path", r"^( +)selectableFields:\n\1- jsonPath: (\S+)\n", r"\1selectableFields:\n\1- path: \2\n"),
    _s("selectable field as a mapping", r"^( +)selectableFields:\n\1- jsonPath: (\S+)\n", r"\1selectableFields:\n\1  jsonPath: \2\n"),

    _w("strategy in lower case", r"strategy: Webhook", "strategy: webhook"),
    _w("strategy WebHook", r"strategy: Webhook", "strategy: WebHook"),
    _w("strategy misspelt", r"strategy: Webhook", "strategy: Webook"),
    _w("no strategy", r"^    strategy: Webhook\n", ""),
    _w("strategy None with a webhook", r"strategy: Webhook", "strategy: None"),
    _w("clientconfig", r"clientConfig", "clientconfig"),
    _w("no clientConfig", r"^      clientConfig:\n((?:        .*\n)+)", lambda match: re.sub(r"(?m)^  ", "", match[1])),
    _w("no webhook", r"^    webhook:\n((?:      .*\n)+)", lambda match: re.sub(r"(?m)^  ", "", match[1])),
    _w("review versions beside the webhook", r"^      conversionReviewVersions:\n      - v1\n", "    conversionReviewVersions:\n    - v1\n"),
    _w("review versions of the scalar", r"^      conversionReviewVersions:\n      - v1\n", "      conversionReviewVersions: v1\n"),
    _w("review versions missing", r"^      conversionReviewVersions:\n      - v1\n", ""),
    _w("review versions of v1beta1", r"^      conversionReviewVersions:\n      - v1\n", "      conversionReviewVersions:\n      - v1beta1\n", "      conversionReviewVersions:\n      - v1\n      - v1beta1\n"),
    _w("review versions in capitals", r"^      conversionReviewVersions:\n      - v1\n", "      conversionReviewVersions:\n      - V1\n"),
    _w("review versions empty", r"^      conversionReviewVersions:\n      - v1\n", "      conversionReviewVersions: []\n"),
    _w("reviewVersions", r"conversionReviewVersions", "reviewVersions"),
    _w("path without a slash", r"path: /convert", "path: convert"),
    _w("path of a URL", r"path: /convert", "path: https://convert"),
    _w("port in quotes", r"^( +)path: /convert\n", "\\g<0>\\1port: '443'\n", r"\g<0>\1port: 443\n"),
    _w("port by name", r"^( +)path: /convert\n", "\\g<0>\\1port: https\n", r"\g<0>\1port: 443\n"),
    _w("port zero", r"^( +)path: /convert\n", "\\g<0>\\1port: 0\n", r"\g<0>"),
    _w("service in a text", r"^( +)service:\n(?:\1  .*\n)+", r"\1service: acme-system/converter\n", "\\1service:\n\\1  name: converter\n\\1  namespace: acme-system\n"),
    _w("no namespace", r"^ +namespace: acme-system\n", ""),
    _w("serviceName", r"^( +)service:\n\1  name:", r"\1service:\n\1  serviceName:"),
    _w("url beside the service", r"^( +)service:\n", r"\1url: https://x.example.com/convert\n\g<0>", r"\g<0>"),
    _w("url of http", r"^( +)service:\n(?:\1  .*\n)+", r"\1url: http://x.example.com/convert\n", r"\1url: https://x.example.com/convert\n"),
    _w("conversion as a text", _CONVERSION, "  conversion: None\n", "  conversion:\n    strategy: None\n"),
    _w("conversion of a version", _CONVERSION, lambda match: match[0].replace("webhook:", "webHook:")),

    _j("wrong type within an anchor", r"^( {14,})type: string\n", "\\1type: str\n"),
    _j("comment without a number sign", r"^( {14,})type: (string|integer)\n", "\\g<0>\\1this is a comment\n"),
    _j("comment with slashes", r"^( {14,})type: (string|integer)$", "\\g<0> // TODO"),
    _j("comment with a semicolon", r"^( {14,})type: (string|integer)\n", "\\1; a comment\n\\g<0>"),
    _j("comment with two dashes", r"^( {14,})type: (string|integer)\n", "\\1-- a comment\n\\g<0>"),
    _j("field commented out", r"^( {12,})type: array\n", r"\1# type: array\n"),
    _j("key commented out", r"^( {12,})items:\n", r"\1# items:\n"),
    _j("alias without its anchor", r"^( {14,})(\w+):\n\1  type: string\n(?!\1  )", "\\1\\2: *text\n", r"\g<0>"),
    _j("alias misspelt", r"^( {14,})(\w+):\n\1  type: string\n(?!\1  )(?=(?:.*\n)*?\1(\w+):\n\1  type: string\n(?!\1  ))", "\\1\\2: *txt\n", r"\g<0>"),
)  # fmt: skip


class Case(NamedTuple):
    """A broken CRD, and what was meant."""

    group: str
    name: str
    broken: str
    meant: str


def cases() -> Iterator[Case]:
    """Yield each kind of breakage at its first and last place in each CRD, each text once."""
    seen: set[str] = set()
    for kind in KINDS:
        for name, crd in CRDS.items():
            for last in (False, True):
                made = kind.broken(crd, last=last)
                if made is not None and made[0] != made[1] and made[0] not in seen:
                    seen.add(made[0])
                    yield Case(
                        kind.group, f"{kind.name} in {name}, {'last' if last else 'first'}", *made
                    )
