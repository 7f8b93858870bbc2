"""Rules as authors of other languages write them: what the fix makes of them, and what their helps lead to.

A line of `false_friends.txt` is the applicability of the fix, the rule, and the fixed rule, separated by tabs; for `either`
it is the help that names what may be meant, and there is no fix.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from kubecel_support import node
from kubecel_support import schema as schema_of_text

from crdlint.evaluation.evaluate import Workbench
from crdlint.evaluation.source import ExpressionSource
from crdlint.kubecel.repair.false_friends import ROWS
from crdlint.kubecel.repair.patterns import Tokens, candidates
from crdlint.kubernetes.servers import parse_range
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.rules.engine.examples import HEAD
from crdlint.yaml.edit import apply

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic

TEXT = "{type: string, maxLength: 253}"
PORT = f"{{type: object, required: [name, port], properties: {{name: {TEXT}, port: {{type: integer}}, protocol: {TEXT}}}}}"
NAMED = f"{{type: object, required: [name], properties: {{name: {TEXT}}}}}"
FIELDS = {
    **dict.fromkeys(
        (
            "mode",
            "name",
            "value",
            "hostname",
            "uri",
            "url",
            "region",
            "interval",
            "namespace",
            "image-pull",
        ),
        TEXT,
    ),
    "type": "{type: string, maxLength: 32, enum: [Exact, Hostname, URI, Cookie, None]}",
    "timeout": "{type: string, format: duration}",
    **dict.fromkeys(("replicas", "minReplicas", "maxReplicas", "port"), "{type: integer}"),
    "ratio": "{type: number}",
    **dict.fromkeys(("paused", "external"), "{type: boolean}"),
    "numbers": "{type: array, maxItems: 16, items: {type: integer}}",
    "either": "{x-kubernetes-int-or-string: true}",
    "cookie": f"{{type: object, properties: {{name: {TEXT}, lifetimeType: {TEXT}}}}}",
    "configMap": NAMED,
    "secret": NAMED,
    "hosts": f"{{type: array, maxItems: 16, items: {TEXT}}}",
    "ports": f"{{type: array, maxItems: 16, items: {PORT}}}",
    "labels": f"{{type: object, maxProperties: 16, additionalProperties: {TEXT}}}",
}
KEYS = (
    f"{{name: {TEXT}, kind: {TEXT}, group: {TEXT}, sectionName: {TEXT}, port: {{type: integer}}}}"
)
SERVER = parse_range("1.37").servers[0]  # later servers may have what is no function here
SCHEMAS = {
    "object": "type: object, required: [type, mode, replicas, value, ports, hosts, name], properties: {"
    + ", ".join(f"{name}: {schema}" for name, schema in FIELDS.items())
    + "}",
    "objects": f"type: array, maxItems: 16, items: {{type: object, required: [name, kind, group], properties: {KEYS}}}",
    "texts": f"type: array, maxItems: 16, items: {TEXT}",
    "text": TEXT[1:-1],
    "number": "type: integer",
    "map": f"type: object, maxProperties: 16, additionalProperties: {TEXT}",
}
PLACE = re.compile(
    r"Write `(?P<new>[^\n]*?)` (?:instead of `(?P<old>.*)`|after `(?P<after>.*)`)|Remove the `(?P<gone>.*?)`.*"
)


def crd(schema: str, rule: str) -> str:
    """Return a CRD with a rule on a field."""
    rules = f"x-kubernetes-validations: [{{message: x, rule: {json.dumps(rule)}}}]"
    return (
        f"{HEAD}        type: object\n        properties:\n          spec: {{{schema}, {rules}}}\n"
    )


def rule_of(text: str) -> str:
    """Return the rule of a CRD that `crd` returns."""
    rule, _ = json.JSONDecoder().raw_decode(text.rpartition("rule: ")[2])
    return str(rule)


@cache
def found_in(schema: str, rule: str) -> Diagnostic:
    """Return the first finding of a CRD with a rule, with its fix."""
    return lint_file(
        crd(SCHEMAS[schema], rule), "x", CheckRequest(versions=parse_range(str(SERVER)), fixes=True)
    ).diagnostics[0]


@cache
def rows() -> list[tuple[str, str, str, str]]:
    found, schema = [], ""
    for line in (
        Path(__file__).with_name("false_friends.txt").read_text(encoding="utf-8").splitlines()
    ):
        if line.startswith("# "):
            schema = line[2:]
        else:
            kind, written, meant = line.split("\t")
            found.append((schema, kind, written, meant))
    return found


def followed(rule: str, help_: str, marked: str) -> str:
    """Return a rule after each edit that a help names."""
    for part in re.split(r"; (?=[a-z]+ `)", help_):
        named = re.fullmatch(r"Write `(.*)` instead", part)
        place = PLACE.fullmatch(re.sub(r"^Close the `.`: w|^w", "W", part))
        if named is not None:
            before = r"(?<![\w.])" if "." in named[1] else r"(?<!\w)"
            rule = re.sub(rf"{before}{re.escape(marked)}(?!\w)", named[1], rule, count=1)
        elif place is not None and place["gone"] is not None:
            before, _, after = rule.rpartition(place["gone"])
            rule = before + after
        elif place is not None and place["after"] is not None:
            end = place["after"].removeprefix("...")
            rule = rule.replace(end, end + place["new"], 1)
        elif place is not None:
            old = re.escape(place["old"])
            rule = re.sub(rf"(?<![\w.]){old}(?!\w)|{old}", place["new"].replace("\\", r"\\"), rule)
    return rule


def test_what_other_languages_write_is_understood() -> None:
    wrong = []
    for schema, kind, written, meant in rows():
        text = crd(SCHEMAS[schema], written)
        found = found_in(schema, written)
        fix = found.fix
        if kind == "either":
            expected: tuple[object, ...] = (None, meant)
            got: tuple[object, ...] = (fix, found.help)
        else:
            expected = (kind, meant)
            got = (
                (None, None)
                if fix is None
                else (fix.applicability, rule_of(apply(text, fix.edits)))
            )
        if got != expected:
            wrong.append((written, got, expected))
    assert wrong == []
    assert len(rows()) > 300


def test_only_rows_whose_tokens_an_expression_has_are_matched() -> None:
    tried, wrong = 0, []
    for _, _, written, _ in rows():
        text = Tokens(written)
        expected = [row for row in ROWS if any(True for _ in text.matches(row.written))]
        few = list(candidates(text))
        tried += len(few)
        if [row for row in few if row in expected] != expected:
            wrong.append(written)
    assert wrong == []
    assert tried < len(rows()) * len(ROWS) / 20


def test_eval_gives_the_same_helps() -> None:
    wrong = []
    for name, schema in SCHEMAS.items():
        root = node(schema_of_text(f"type: object\nproperties: {{spec: {{{schema}}}}}"), "spec")
        bench = Workbench(ExpressionSource(SERVER, root, "the object"))
        for _, _, written, _ in [row for row in rows() if row[0] == name][::3]:
            found = found_in(name, written)
            answer = bench.evaluate(written)
            if found.rule == "cel-compilation" and [each.help for each in answer.errors] != [
                found.help
            ]:
                wrong.append((written, answer.errors, found.help))
    assert wrong == []


def test_a_help_that_is_followed_to_the_letter_removes_the_finding() -> None:
    left = []
    for schema, kind, written, _ in rows():
        text = crd(SCHEMAS[schema], written)
        found = found_in(schema, written)
        if kind == "either" or found.help is None:
            continue
        marked = text.splitlines()[found.line - 1][found.column - 1 : found.end_column - 1]
        after = lint_file(
            crd(SCHEMAS[schema], followed(written, found.help, marked)), filename="x"
        ).diagnostics
        if any(each.severity == "error" for each in after):
            left.append((written, found.help, followed(written, found.help, marked)))
    assert left == []
