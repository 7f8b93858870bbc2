# ruff: noqa: E501  a case a line
"""Each help of a YAML syntax error, followed to the letter: it names the wrong line, and the CRD is accepted afterwards."""

from __future__ import annotations

import re
from typing import NamedTuple

from crds import crd_with_spec
from tables import each

from crdlint.linting.pipeline import lint_file

CRD = crd_with_spec("""\
type: object
properties:
  host:
    description: The name of a host.
    type: string
    maxLength: 9
  hosts:
    type: array
    items:
      type: string
  text:
    description: |-
      It has several lines,
      and no quotes.
    type: string
required:
- host
""")


class Case(NamedTuple):
    """A text of the CRD and what is broken about it, the help, and the text after it is followed."""

    old: str
    broken: str
    help: str
    followed: str


def b(old: str, broken: str, help_: str, followed: str | None = None) -> Case:
    return Case(old, broken, help_, old if followed is None else followed)


HOST = "                description: The name of a host.\n"
TYPE = "                type: string\n                maxLength: 9\n"
SCOPE = "  scope: Namespaced\n"
REQUIRED = "            required:\n            - host\n"
HOSTS = "              hosts:\n                type: array\n"
CASES = {
    "three keys in a line": b(TYPE, "                type: string maxLength: 9 minLength: 1\n", "Write `maxLength: 9` and `minLength: 1` on lines of their own, below line {}", f"{TYPE}                minLength: 1\n"),
    "a text that begins in the line of its mark": b("                description: |-\n                  It has", "                description: |- It has", "Write the text after `|-` in line {} on a line below it"),
    "a pattern in backquotes between brackets": b(HOST, "                allOf: [{pattern: `^a`}]\n", "Put the value in line {} in quotes instead of backquotes: `'^a'`", "                allOf: [{pattern: '^a'}]\n"),
    "a pattern with brackets in backquotes between brackets": b(HOST, "                allOf: [{pattern: `^x-[0-9]+$`}]\n", "Put the value in line {} in quotes: `'^x-[0-9]+$'`", "                allOf: [{pattern: '^x-[0-9]+$'}]\n"),
    "an equals sign instead of the colon of a key with fields": b("              hosts:\n", "              hosts =\n", "Write a colon instead of `=` in line {}: `hosts:`"),
    "an arrow instead of the colon of a key with fields": b("              hosts:\n", "              hosts =>\n", "Write a colon instead of `=>` in line {}: `hosts:`"),
    "a semicolon instead of the colon of a key with fields": b("              hosts:\n", "              hosts;\n", "Write a colon instead of `;` in line {}: `hosts:`"),
    "items of required without the key": b(REQUIRED, "            - host\n", "Add `required:` above line {}, indented by 12 spaces"),
    "a limit as in a marker of Go": b("                maxLength: 9\n", "                MaxLength=9\n", "Write a colon instead of `=` in line {}: `maxLength: 9`"),
    "tab": b(HOST, f"\t\t\t\t\t\t\t\t{HOST.lstrip()}", "Indent line {} with spaces: YAML does not allow tabs"),
    "tabs in several lines": b(TYPE, TYPE.replace("                ", "\t\t"), "Indent lines {} and {+1} with spaces: YAML does not allow tabs"),
    "tab after spaces": b(HOST, HOST.replace("                d", "              \td"), "Indent line {} with spaces: YAML does not allow tabs"),
    "tab after a dash": b("- host\n", "-\thost: x\n", "Replace the tab after the dash in line {} with a space", "- host\n"),
    "colon in a text": b(HOST, HOST.replace("of a", "of: a"), "Put the value in line {} in quotes, since it contains a colon and a space: `'The name of: a host.'`", HOST.replace("The name of a host.", "'The name of: a host.'")),
    "colon at the end of a text": b(HOST, HOST.replace("host.", "host:"), "Put the value in line {} in quotes, since it contains a colon and a space: `'The name of a host:'`", HOST.replace("The name of a host.", "'The name of a host:'")),
    "colon in the second line of a text": b(HOST, HOST + "                  Note: It has a limit.\n", "Put the text in lines {} to {+1} in quotes, since it contains a colon and a space", HOST.replace("The", "'The") + "                  Note: It has a limit.'\n"),
    "text that begins with an at sign": b(HOST, HOST.replace("The", "@The"), "Put the value in line {} in quotes, since it begins with `@`: `'@The name of a host.'`", HOST.replace("The name of a host.", "'@The name of a host.'")),
    "text that begins with an alias": b(HOST, HOST.replace("The", "*The"), "Put the value in line {} in quotes, since it begins with `*`: `'*The name of a host.'`", HOST.replace("The name of a host.", "'*The name of a host.'")),
    "alias and a second line": b(HOST, HOST.replace("The", "*The") + "                  It is long.\n", "Put the text in lines {} to {+1} in quotes, since it begins with `*`", HOST.replace("The", "'*The") + "                  It is long.'\n"),
    "text that begins with a bracket": b(HOST, HOST.replace("The", "[Beta] The"), "Put the value in line {} in quotes, since it continues after `]`: `'[Beta] The name of a host.'`", HOST.replace("The name of a host.", "'[Beta] The name of a host.'")),
    "pattern that begins with a bracket": b("maxLength: 9\n", "pattern: [a-z]+[0-9]*\n", "Put the value in line {} in quotes, since it continues after `]`: `'[a-z]+[0-9]*'`", "pattern: '[a-z]+[0-9]*'\n"),
    "text that begins with a quoted word": b(HOST, HOST.replace("The name", '"The" name'), "Put the value in line {} in quotes, since it continues after \": `'\"The\" name of a host.'`", HOST.replace("The name of a host.", "'\"The\" name of a host.'")),
    "text of two lines indented less than the fields below": b(HOST, "            description: The name\n              of a host.\n", "Indent lines {} and {+1} by 4 more spaces", "                description: The name\n                  of a host.\n"),
    "conflict": b(SCOPE, f"<<<<<<< HEAD\n{SCOPE}=======\n  scope: Cluster\n>>>>>>> 3f2a1bc (Change the scope)\n", "Resolve the merge conflict in lines {} to {+4}: keep line {+1} or line {+3}, and remove the other lines"),
    "conflict of several lines": b(TYPE, f"<<<<<<< HEAD\n{TYPE}=======\n{TYPE.replace('9', '8')}>>>>>>> feature: a branch\n", "Resolve the merge conflict in lines {} to {+6}: keep lines {+1} and {+2} or lines {+4} and {+5}, and remove the other lines"),
    "conflict in diff3 style": b(SCOPE, f"<<<<<<< ours\n{SCOPE}||||||| merged common ancestors\n{SCOPE}=======\n  scope: Cluster\n>>>>>>> theirs\n", "Resolve the merge conflict in lines {} to {+6}: keep line {+1} or line {+5}, and remove the other lines"),
    "conflict with an empty side": b(SCOPE, f"<<<<<<< HEAD\n=======\n{SCOPE}>>>>>>> theirs\n", "Resolve the merge conflict in lines {} to {+3}: keep no line or line {+2}, and remove the other lines"),
    "two conflicts": b(SCOPE, f"<<<<<<< HEAD\n{SCOPE}=======\n  scope: Cluster\n>>>>>>> theirs\n<<<<<<< HEAD\n=======\n  a: b\n>>>>>>> theirs\n", "Resolve the merge conflict in lines {} to {+4}: keep line {+1} or line {+3}, and remove the other lines, and resolve 1 more below"),
    "rest of a conflict": b(SCOPE, f"{SCOPE}>>>>>>> theirs\n", "Resolve the merge conflict: remove the conflict marker in line {+1}"),
    "middle of a conflict": b(HOST, f"=======\n{HOST}>>>>>>> theirs\n", "Resolve the merge conflict: remove the conflict markers in lines {} and {+2}"),
    "backslash between double quotes": b("maxLength: 9\n", 'pattern: "^\\d+$"\n', "Write `\\\\` for a backslash between double quotes in line {}, or use single quotes", 'pattern: "^\\\\d+$"\n'),
    "missing quote at the end": b(HOST, HOST.replace("The", "'The"), "Add `'` at the end of the value in line {} to close the quote", HOST.replace("The name of a host.", "'The name of a host.'")),
    "missing double quote of a type": b(TYPE, TYPE.replace("string", '"string'), 'Add `"` at the end of the value in line {} to close the quote', TYPE.replace("string", '"string"')),
    "missing quote of an item": b("- host\n", '- "host\n', 'Add `"` at the end of the value in line {} to close the quote', '- "host"\n'),
    "missing quote of two lines": b(HOST, HOST.replace("The", "'Note: The") + "                  It is long.\n", "Add `'` at the end of line {+1} to close the quote in line {}", HOST.replace("The", "'Note: The") + "                  It is long.'\n"),
    "quote inside": b(HOST, HOST.replace("The name of a host.", "'It isn't long.'"), "Write `''` for an apostrophe between single quotes in line {}", HOST.replace("The name of a host.", "'It isn''t long.'")),
    "list in the line of its key": b(REQUIRED, "            required: - host\n", "Move the list in line {} to lines of its own, below the key"),
    "list below a value": b(REQUIRED, "            required: host\n            - host\n", "Remove the value in line {} or the list below it: a key cannot have both"),
    "properties without their key": b("    text:\n", "    box:\n                type: object\n                  size:\n                    type: string\n              text:\n", "Add `properties:` above line {+2}, indented by 16 spaces", "    box:\n                type: object\n                properties:\n                  size:\n                    type: string\n              text:\n"),
    "properties without their key below a description": b("    text:\n", "    box:\n                description: A box.\n                  size: {type: string}\n                type: object\n              text:\n", "Add `properties:` above line {+2}, indented by 16 spaces", "    box:\n                description: A box.\n                properties:\n                  size: {type: string}\n                type: object\n              text:\n"),
    "fields below a value": b(HOSTS, "              hosts: a\n                type: array\n", "Make a comment of `a` in line {}: the value is below it"),
    "one space too few": b("                maxLength: 9\n", "               maxLength: 9\n", "Indent line {} by 16 spaces instead of 15 spaces"),
    "one space too many": b("                maxLength: 9\n", "                 maxLength: 9\n", "Indent line {} by 16 spaces instead of 17 spaces"),
    "one space too many after a text": b("and no quotes.\n                type: string\n", "and no quotes.\n                 type: string\n", "Indent line {+1} by 16 spaces instead of 17 spaces"),
    "first key with one space too few": b(HOSTS, HOSTS.replace("                type", "               type"), "Indent line {+1} by 16 spaces instead of 15 spaces"),
    "block with one space too many": b("              hosts:\n                type: array\n                items:\n                  type: string\n", "               hosts:\n                 type: array\n                 items:\n                   type: string\n", "Indent lines {} to {+3} by 1 fewer space"),
    "two spaces too many": b("                maxLength: 9\n", "                  maxLength: 9\n", "Indent line {} by 16 spaces instead of 18 spaces"),
    "text with too few spaces": b("                  and no quotes.\n", "              and no quotes.\n", "Indent line {} by 18 spaces instead of 14 spaces, like the text above"),
    "no space after a colon": b(TYPE, TYPE.replace("type: ", "type:"), "Write a space after the colon in line {}: `type: string`"),
    "no space after a dash": b("            - host\n", "            - host\n            -hosts\n", "Write a space after the dash in line {+1}", "            - host\n            - hosts\n"),
    "no space after any dash": b(REQUIRED, "            required:\n            -host\n            -hosts\n", "Write a space after the dash in lines {+1} and {+2}", "            required:\n            - host\n            - hosts\n"),
    "key without a colon": b("                items:\n", "                items\n", "Add a colon after the key in line {}: `items:`"),
    "field without a colon": b(TYPE, TYPE.replace("type:", "type"), "Add a colon after the key in line {}: `type: string`"),
    "equals sign": b(TYPE, TYPE.replace("type:", "type ="), "Write a colon instead of `=` in line {}: `type: string`"),
    "apiVersion without a colon": b("apiVersion: ", "apiVersion ", "Add a colon after the key in line {}: `apiVersion: apiextensions.k8s.io/v1`"),
    "non-breaking spaces in the indentation": b(HOST, HOST.replace("    ", "\u00a0\u00a0  ", 1), "Replace the non-breaking spaces in line {} with plain spaces"),
    "non-breaking space after a colon": b(TYPE, TYPE.replace("type: ", "type:\u00a0"), "Replace the non-breaking space in line {}, column 22 with a space"),
    "non-breaking spaces in several lines": b(TYPE, TYPE.replace("        ", "\u00a0" * 8), "Replace the non-breaking spaces in lines {} and {+1} with plain spaces"),
    "byte order mark before a key": b(SCOPE, f"\ufeff{SCOPE}", "Remove the byte order mark in line {}, column 1"),
    "zero width space in the indentation": b(HOST, HOST.replace("  ", "  \u200b", 1), "Remove the zero width space in line {}, column 3"),
    "unclosed list": b(TYPE, TYPE.replace("maxLength: 9", "enum: [a, b") + "                title: x\n", "Add `]` to close the bracket in line {+1}", TYPE.replace("maxLength: 9", "enum: [a, b]") + "                title: x\n"),
    "unclosed list of several lines": b(TYPE, TYPE.replace("maxLength: 9", "enum: [a,\n                  b") + "                title: x\n", "Add `]` at the end of line {+2} to close the bracket in line {+1}", TYPE.replace("maxLength: 9", "enum: [a,\n                  b]") + "                title: x\n"),
    "missing comma": b(TYPE, TYPE.replace("maxLength: 9", "enum: [\n                  'a'\n                  'b'\n                ]"), "Add a comma at the end of line {+2}", TYPE.replace("maxLength: 9", "enum: [\n                  'a',\n                  'b'\n                ]")),
    "text after a separator": b("apiVersion", "--- a CRD\napiVersion", "Remove `a CRD` after `---` in line {}, or move it to a line of its own", "---\napiVersion"),
    "template in the place of a field": b(SCOPE, "  {{- include \"labels\" . | nindent 2 }}\n", "Check the rendered file: line {} contains template syntax"),
    "template in the place of a value": b(SCOPE, "  scope: {{ .Values.scope }}\n", "Check the rendered file: line {} contains template syntax"),
    "value with two brackets": b(HOST, HOST.replace("The name of a host.", "{[a]: b}"), "Write a text as the key in line {}, or put the value in quotes: `'{[a]: b}'`", HOST.replace("The name of a host.", "'{[a]: b}'")),
    "fence of Markdown": b("apiVersion", "```yaml\napiVersion", "Remove line {}: it is not part of the YAML document"),
    "command before the document": b("apiVersion", "Apply this:\n\n$ kubectl apply -f - <<END\napiVersion", "Remove lines {} and {+2}: they are not part of the YAML document"),
}  # fmt: skip


def numbered(help_: str, first: int) -> str:
    """Return a help with the numbers of its lines; `{}` is the first one, and `{+1}` the next."""
    return re.sub(r"\{(\+\d)?\}", lambda number: str(first + int(number[1] or 0)), help_)


@each("case", CASES.values(), ids=CASES)
def test_the_help_names_the_cause_and_works_to_the_letter(case: Case) -> None:
    assert CRD.count(case.old) >= 1
    text = CRD.replace(case.old, case.broken, 1)
    first = CRD[: CRD.index(case.old)].count("\n") + 1
    help_ = numbered(case.help, first)
    (found,) = lint_file(text, filename="x").diagnostics
    assert (found.rule, found.help) == ("yaml-syntax", help_)
    assert str(found.line) in re.findall(r"\d+", help_)
    followed = CRD.replace(case.old, case.followed, 1)
    assert [
        one.message
        for one in lint_file(followed, filename="x").diagnostics
        if one.severity != "info"
    ] == []


AFTER = {
    "end of a command": (["EOF"], "Remove line {}: it is not part of the YAML document"),
    "word": (["done"], "Remove line {}: it is not part of the YAML document"),
    "brace": (["}"], "Remove line {}: it is not part of the YAML document"),
    "fence of Markdown": (["```"], "Remove line {}: it is not part of the YAML document"),
    "sentence": (["end of file"], "Remove line {}: it is not part of the YAML document"),
    "fence and a sentence": (["```", "", "Then wait."], "Remove lines {} and {+2}: they are not part of the YAML document"),
    "command": (["EOF", "kubectl get crds"], "Remove lines {} and {+1}: they are not part of the YAML document"),
}  # fmt: skip


@each(("lines", "help_"), AFTER.values(), ids=AFTER)
def test_text_behind_a_document_is_named(lines: list[str], help_: str) -> None:
    text = CRD + "".join(f"{line}\n" for line in lines)
    first = CRD.count("\n") + 1
    (found,) = lint_file(text, filename="x").diagnostics
    assert (found.rule, found.line, found.help) == ("yaml-syntax", first, numbered(help_, first))


@each(("lines", "help_"), AFTER.values(), ids=AFTER)
def test_text_around_a_document_is_named(lines: list[str], help_: str) -> None:
    text = "```yaml\n" + CRD + "".join(f"{line}\n" for line in lines)
    (found,) = lint_file(text, filename="x").diagnostics
    named = re.findall(r"\d+", numbered(help_, CRD.count("\n") + 2))
    assert (found.line, re.findall(r"\d+", str(found.help))) == (1, ["1", *named])


# What the server could not convert to JSON either, if the syntax were right.
ODD = (
    "{team}: x",
    "[team]: x",
    "? [team]\n    : x",
    "~: x",
    "null: x",
    "<<: x",
    "a: !!bool x",
    "a: .inf",
    "!!null a: x",
)


def test_a_cause_is_found_beside_keys_that_are_not_strings() -> None:
    assert lint_file(CRD, filename="x").diagnostics == ()
    for odd in ODD:
        text = CRD.replace("spec:\n", f"  labels:\n    {odd}\nspec:\n", 1).replace(
            "  scope", "   scope", 1
        )
        (found,) = lint_file(text, filename="x").diagnostics
        line = text[: text.index("   scope")].count("\n") + 1
        assert found.help == f"Indent line {line} by 2 spaces instead of 3 spaces", odd


def test_a_name_between_two_levels_is_that_of_the_crd() -> None:
    name = "  name: foos.example.com\n"
    text = CRD.replace(name, f"  annotations:\n    owner: team\n {name}", 1)
    (found,) = lint_file(text, filename="x").diagnostics
    line = text[: text.index("   name")].count("\n") + 1
    assert found.help == f"Indent line {line} by 2 spaces instead of 3 spaces"
