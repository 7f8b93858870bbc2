"""Ask the API server's code and crdlint about requests that nobody has recorded, and print where they differ.

Usage: compare.py PROGRAM CONFORMANCE KIND [COUNT [SEED]]

PROGRAM is built as README.md says, CONFORMANCE a folder of recorded requests, which are mutated and put together anew.
KIND is one of crds, updates, rules, garbled, resources, evaluated, text, yaml. REFERENCE_VERSION=1.30 in the environment
asks the server of that version about rules.
"""

from __future__ import annotations

import copy
import json
import os
import random
import re
import subprocess
import sys
from collections import defaultdict
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crdlint.rules.examples import small

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KEYWORDS = (
    "type format maxLength minLength pattern maximum minimum exclusiveMaximum exclusiveMinimum maxItems minItems uniqueItems "
    "multipleOf enum maxProperties minProperties required items allOf oneOf anyOf not properties additionalProperties "
    "patternProperties dependencies additionalItems definitions externalDocs example nullable default title description $ref "
    "$schema id x-kubernetes-preserve-unknown-fields x-kubernetes-embedded-resource x-kubernetes-int-or-string "
    "x-kubernetes-list-map-keys x-kubernetes-list-type x-kubernetes-map-type x-kubernetes-validations"
).split()
NAMES = "a b c x-y in spec status metadata kind apiVersion size foo namespace __a self".split()
VALUES: list[Any] = [
    True, False, None, 0, 1, -1, 5, 1.5, 1e20, 2**63 - 1, -(2**63), "", "a", "string", "integer", "object", "array", "boolean",
    "number", "null", "^a$", "(", "date-time", "int32", "int64", "int-or-string", "map", "set", "atomic", "granular", [], {},
    ["a"], ["a", "a"], [{"type": "string"}], {"type": "string"}, {"type": "object"}, {"a": {"type": "string"}},
    {"a": {"type": "integer", "default": 1}}, [None], [1, 2], "10", {"a": 1}, {"a": None}, [{"a": 1}], "1h", "2020-01-01",
    "2020-01-01T00:00:00Z", "10.0.0.1", "é",
]  # fmt: skip
TOKEN = re.compile(
    r"\s+|[A-Za-z_]\w*|\d+(?:\.\d+)?(?:e\d+)?u?|r?b?'(?:[^'\\]|\\.)*'|r?b?\"(?:[^\"\\]|\\.)*\"|&&|\|\||[=!<>]=|.",
    re.DOTALL,
)
BITS = [
    *"()[]{}.,:;?!-+*/%<>=&|'\"`\\@#$^~ \t\n_abcxyz0189ué😀", "&&", "||", "==", "in", "has(", "as", "for", "1.5e", "0x", "r'",
    'b"', "'''", '"""', "\\u", "\\x4", ".?", "[?", "{?", "..",
]  # fmt: skip
YAML_BITS = [
    *" \t\n:-?,[]{}#&*!|>'\"%@`~<.019abxyeEoOnN+_=\\é😀", "---\n", "...\n", "- ", "? ", ": ", "!!str ", "!!int ", "!!float ",
    "!!binary ", "!!bool ", "!!null ", "!!timestamp ", "&a ", "*a", "<<: ", "0x1F", "0o17", "017", "1_000", "1e3", ".inf", ".nan",
    "~", "yes", "on", "2020-01-01", "\u0085", "\ufeff", "\r\n", "\x07", "|\n  a\n", ">\n  b\n   c\n", '"\\x41\\n"',
]  # fmt: skip


def recorded(folder: Path, *names: str) -> list[dict[str, Any]]:
    """Return the rows of files."""
    return [json.loads(line) for name in names for line in (folder / f"{name}.ndjson").open(encoding="utf-8")]


def parsed(text: str) -> Any:
    """Return the value of a JSON text, None where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def schemas(crd: Any) -> list[dict[str, Any]]:
    """Return the schemas of a CRD, the whole ones first."""
    found: list[dict[str, Any]] = []
    spec = crd.get("spec") if isinstance(crd, dict) else None
    versions = spec.get("versions") if isinstance(spec, dict) else None
    pending: list[Any] = []
    for version in versions if isinstance(versions, list) else []:
        schema = version.get("schema") if isinstance(version, dict) else None
        pending.append(schema.get("openAPIV3Schema") if isinstance(schema, dict) else None)
    while pending:
        schema = pending.pop(0)
        if not isinstance(schema, dict):
            continue
        found.append(schema)
        for keyword, held in schema.items():
            if keyword in {"properties", "patternProperties", "definitions"} and isinstance(held, dict):
                pending.extend(held.values())
            elif keyword in {"items", "not", "additionalProperties", "additionalItems", "allOf", "anyOf", "oneOf"}:
                pending.extend(held if isinstance(held, list) else [held])
    return found


class Maker:
    """Makes requests of recorded ones."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.random = random.Random(seed)
        self.schemas: list[dict[str, Any]] = []
        self.rules: list[dict[str, Any]] = []
        self.defaults: list[Any] = []
        self.expressions: list[str] = []

    def learn(self, *names: str) -> list[Any]:
        """Take parts of the CRDs of files, and return the CRDs."""
        crds = []
        for row in recorded(self.folder, *names):
            for key in ("yaml", "old", "new", "crd"):
                crd = parsed(row[key]) if key in row and len(row[key]) < 20000 else None
                if isinstance(crd, dict):
                    crds.append(crd)
                    self._take(crd)
        return crds

    def _take(self, crd: Any) -> None:
        for schema in schemas(crd):
            if len(json.dumps(schema)) < 3000:
                self.schemas.append(schema)
            if "default" in schema:
                self.defaults.append(schema["default"])
            given = schema.get("x-kubernetes-validations")
            for rule in given if isinstance(given, list) else []:
                if isinstance(rule, dict) and isinstance(rule.get("rule"), str):
                    self.rules.append(rule)
                    self.expressions.append(rule["rule"])

    def one(self, among: Any) -> Any:
        """Return a copy of one of some things."""
        return copy.deepcopy(self.random.choice(among))

    def expression(self, text: str) -> str:
        """Return an expression like another: a token or a part of it exchanged, put in, left out."""
        choose, tokens = self.random.random(), TOKEN.findall(text)
        if not tokens or choose > 0.85:
            return str(self.one(self.expressions))
        at = self.random.randrange(len(tokens))
        if choose < 0.3:
            tokens[at] = self.one(TOKEN.findall(self.one(self.expressions)) or ["x"])
        elif choose < 0.5:
            inner, others = parts(text), parts(self.one(self.expressions))
            return text.replace(self.one(inner), self.one(others), 1) if inner and others else text
        elif choose < 0.6:
            del tokens[at]
        elif choose < 0.7:
            return (
                text + self.one([" && ", " || ", " == ", " + ", ".", " ? true : ", " in "]) + self.one(self.expressions)
            )
        else:
            tokens.insert(at, self.one(BITS))
        return "".join(tokens)

    def garbled(self, text: str) -> str:
        """Return an expression with characters changed."""
        for _ in range(self.one([1, 1, 2, 3, 5])):
            at, choose = self.random.randrange(len(text) + 1), self.random.random()
            kept = at if choose < 0.5 else at + self.one([1, 1, 2, 4])
            text = text[:at] + (self.one(BITS) if choose < 0.8 else "") + text[kept:]
        return text

    def change_schema(self, schema: dict[str, Any]) -> None:
        """Change a schema: a keyword, a property, a rule, a default."""
        choose = self.random.random()
        if choose < 0.25:
            schema[self.one(KEYWORDS)] = self.one(VALUES)
        elif choose < 0.45:
            properties = schema.setdefault("properties", {})
            if isinstance(properties, dict):
                properties[self.one(NAMES)] = self.one(self.schemas)
        elif choose < 0.6 and schema:
            del schema[self.one(list(schema))]
        elif choose < 0.75:
            other = self.one(self.schemas)
            schema.update({key: other[key] for key in list(other)[:1]})
        elif choose < 0.9:
            self.add_rule(schema)
        else:
            schema["default"] = self.one(self.defaults + VALUES)

    def add_rule(self, schema: dict[str, Any]) -> None:
        """Add a rule to a schema, often one that is like another."""
        rule, rules = self.one(self.rules), schema.setdefault("x-kubernetes-validations", [])
        for key in ("rule", "messageExpression"):
            if isinstance(rule.get(key), str) and self.random.random() < 0.6:
                rule[key] = self.expression(rule[key])
        if isinstance(rules, list):
            rules.append(rule)

    def change_anything(self, value: Any) -> None:
        """Change something within a value, whatever it is."""
        places: list[tuple[Any, Any]] = []
        pending = [value]
        while pending:
            held = pending.pop()
            at = list(held) if isinstance(held, dict) else list(range(len(held)))
            places += [(held, key) for key in at]
            pending += [held[key] for key in at if isinstance(held[key], dict | list)]
        if not places:
            return
        held, key = self.random.choice(places)
        choose = self.random.random()
        if choose < 0.4:
            held[key] = self.one(VALUES)
        elif choose < 0.6:
            del held[key]
        elif isinstance(held, list):
            held.append(copy.deepcopy(held[key]))
        elif choose < 0.8:
            held[f"{key}{self.one(['x', '_', ' ', '.a', '-'])}"] = held.pop(key)
        elif isinstance(held[key], str):
            held[key] += self.one(["A", "-", ".", "/", "é", "\n", " ", "x" * 300, "_", "%", '"', "<"])

    def crd(self, base: list[Any]) -> Any:
        """Return a CRD like another."""
        made = self.one(base)
        for _ in range(self.one([1, 1, 2, 3])):
            within = schemas(made)
            if within and self.random.random() < 0.75:
                self.change_schema(self.random.choice(within))
            else:
                self.change_anything(made)
        return made

    # Kinds of requests.

    def crds(self) -> Iterator[dict[str, Any]]:
        """New CRDs."""
        base = self.learn("synthetic-crd", "upstream-create")
        while True:
            yield {"op": "create", "yaml": json.dumps(self.crd(base))}

    def updates(self) -> Iterator[dict[str, Any]]:
        """CRDs that replace others."""
        base = self.learn("upstream-update", "synthetic-crd")
        while True:
            old = self.crd(base)
            new = copy.deepcopy(old)
            for within in [self.random.choice(schemas(new) or [{}]) for _ in range(self.one([0, 1, 1, 2]))]:
                self.change_schema(within)
            if all(isinstance(one.get("metadata"), dict) and one["metadata"].get("name") for one in (old, new)):
                yield {"op": "update", "old": json.dumps(old), "new": json.dumps(new)}

    def with_rules(self) -> Iterator[dict[str, Any]]:
        """CRDs with rules like others'."""
        base = self.learn("synthetic-cel", "synthetic-crd")
        version = os.environ.get("REFERENCE_VERSION")
        while True:
            crd = self.one(base)
            for _ in range(self.one([1, 2, 3])):
                self.add_rule(self.random.choice([one for one in schemas(crd) if one.get("type")] or [{}]))
            yield {"op": "create", "yaml": json.dumps(crd), **({"version": version} if version else {})}

    def with_garbled_rules(self) -> Iterator[dict[str, Any]]:
        """CRDs whose one rule is hardly an expression."""
        self.learn("synthetic-cel", "synthetic-crd", "upstream-create")
        while True:
            rule = self.garbled(self.one(self.expressions)[:120])
            spec = {
                "type": "object",
                "properties": {"x": {"type": "string"}, "a": {"type": "integer"}},
                "x-kubernetes-validations": [{"rule": rule}],
            }
            yield {"op": "create", "yaml": json.dumps(small({"type": "object", "properties": {"spec": spec}}))}

    def resources(self) -> Iterator[dict[str, Any]]:
        """Objects, new ones and such as replace others."""
        self.learn("synthetic-resources", "upstream-resources")
        base = recorded(self.folder, "synthetic-resources", "upstream-resources")
        while True:
            row = self.random.choice(base)
            crd, given = json.loads(row["crd"]), json.loads(row["cr"])
            old = json.loads(row["old_cr"]) if "old_cr" in row else None
            if self.random.random() < 0.35:
                self.change_schema(self.random.choice(schemas(crd)))
            if old is None and self.random.random() < 0.3:
                old = copy.deepcopy(given)
            objects = [given] if old is None else [given, old]
            for one in objects:
                for _ in range(self.one([0, 1, 2])):
                    self.change_anything(one)
            if all(one.get("kind") == "Foo" and isinstance(one.get("metadata"), dict) for one in objects):
                made = {"op": "cr", "crd": json.dumps(crd), "cr": json.dumps(given)}
                yield made if old is None else {**made, "old_cr": json.dumps(old)}

    def evaluated(self) -> Iterator[dict[str, Any]]:
        """Objects of CRDs with rules like others'."""
        self.learn("synthetic-resources", "upstream-resources", "synthetic-cel")
        base = recorded(self.folder, "synthetic-resources", "upstream-resources")
        while True:
            row = self.random.choice(base)
            crd = json.loads(row["crd"])
            schema = self.random.choice([one for one in schemas(crd) if "x-kubernetes-validations" in one] or [{}])
            own = [one["rule"] for one in schema.get("x-kubernetes-validations", [])] or self.expressions
            schema["x-kubernetes-validations"] = [{"rule": self.expression(self.one(own))}]
            yield {"op": "cr", "crd": json.dumps(crd), **{key: row[key] for key in ("cr", "old_cr") if key in row}}

    def text(self) -> Iterator[dict[str, Any]]:
        """CRDs as people write them, with lines changed."""
        base = [row["yaml"] for row in recorded(self.folder, "real") if len(row["yaml"]) < 60000]
        while True:
            lines = self.random.choice(base).split("\n")
            for _ in range(self.one([1, 1, 2, 3])):
                self._change_line(lines, base)
            yield {"op": "create", "yaml": "\n".join(lines)}

    def _change_line(self, lines: list[str], base: list[str]) -> None:
        at, choose = self.random.randrange(len(lines)), self.random.random()
        if choose < 0.2 and len(lines) > 1:
            del lines[at]
        elif choose < 0.4:
            lines.insert(at, lines[at])
        elif choose < 0.6:
            lines[at] = f" {lines[at]}" if choose < 0.5 else lines[at][1:]
        elif choose < 0.75:
            word = self.one(["integer", "strng", "boolean", "[string]", "{}", "null", "on", "1", "maybe"])
            lines[at] = re.sub(r"\b(?:string|true|object)\b", word, lines[at])
        elif choose < 0.85:
            lines[at] = lines[at].replace(":", self.one(["x:", " :", "::", ": &a", ": *a", ": !!str", ": |"]), 1)
        else:
            other = self.random.choice(base).split("\n")
            start = self.random.randrange(len(other))
            lines[at:at] = other[start : start + self.one([1, 2, 5])]

    def yaml(self) -> Iterator[dict[str, Any]]:
        """YAML texts, most of them odd."""
        base = [row["yaml"] for row in recorded(self.folder, "yaml")]
        while True:
            text = self.random.choice(base)
            for _ in range(self.one([1, 1, 2, 3, 4])):
                at, choose = self.random.randrange(len(text) + 1), self.random.random()
                other = self.random.choice(base)
                start = self.random.randrange(len(other) + 1)
                put = self.one(YAML_BITS) if choose < 0.5 else "" if choose < 0.7 else other[start : start + 9]
                text = text[:at] + put + text[at + (2 if 0.5 <= choose < 0.7 else 0) :]
            yield {"op": "yaml", "yaml": text}


def parts(text: str) -> list[str]:
    """Return what stands in brackets in an expression."""
    found, opened = [], []
    for at, char in enumerate(text):
        if char in "([{":
            opened.append(at)
        elif char in ")]}" and opened:
            found.append(text[opened.pop() + 1 : at])
    return [one for one in found if one.strip()]


KINDS: dict[str, Callable[[Maker], Iterator[dict[str, Any]]]] = {
    "crds": Maker.crds,
    "updates": Maker.updates,
    "rules": Maker.with_rules,
    "garbled": Maker.with_garbled_rules,
    "resources": Maker.resources,
    "evaluated": Maker.evaluated,
    "text": Maker.text,
    "yaml": Maker.yaml,
}


def main(program: str, conformance: str, kind: str, count: str = "2000", seed: str = "1") -> None:
    """Make requests, ask, compare, print."""
    folder = Path(conformance)
    spec = spec_from_file_location("parity", folder.parent / "parity.py")
    assert spec is not None
    assert spec.loader is not None
    parity = module_from_spec(spec)
    spec.loader.exec_module(parity)
    made = KINDS[kind](Maker(folder, int(seed)))
    rows = [{"id": str(number), **next(made)} for number in range(int(count))]
    asked = "\n".join(map(json.dumps, rows)).encode("utf-8", "surrogatepass")
    answers = subprocess.run([program], input=asked, capture_output=True, check=True).stdout.decode()
    compared, differing = 0, defaultdict(list)
    for row, line in zip(rows, answers.rstrip("\n").split("\n"), strict=True):
        expect = json.loads(line)["expect"]
        if "panic" in expect or (row["op"] in {"cr", "update"} and "decode_error" in expect):
            continue
        got, want = parity.OPS[row["op"]](dict(row), expect)
        compared += 1
        wrong = next((key for key in want if got[key] != want[key]), None)
        if wrong is not None:
            differing[wrong].append((row, want[wrong], got[wrong]))
    print(f"{kind}: {compared} compared, {sum(map(len, differing.values()))} differ")
    for what, found in differing.items():
        for row, want, got in found[:3]:
            print(f"--- {what}\n  want {str(want)[:600]}\n  got  {str(got)[:600]}\n  of   {json.dumps(row)[:1500]}")


if __name__ == "__main__":
    if not 4 <= len(sys.argv) <= 6 or sys.argv[3] not in KINDS:
        sys.exit(__doc__)
    main(*sys.argv[1:])
