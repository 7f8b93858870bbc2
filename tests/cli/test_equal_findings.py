"""What text says once for several files or values, and which servers reject what the newest does; JSON leaves nothing out."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from click.testing import CliRunner
from crds import SMALLEST, crd_with_spec
from tables import each

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = """\
type: object
properties:
  a: {type: object, properties: {x: {type: string}}}
  l: {type: array, items: {type: object, required: [k], properties: {k: {type: string}}}}
"""
CRD = crd_with_spec(SCHEMA)
OBJECT = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a}\nspec: "
BLOCK = re.compile(r"^(?:error|warning)\[[a-z-]+\]: .*$", re.MULTILINE)


def check(folder: Path, files: dict[str, str], *arguments: str) -> str:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    done = CliRunner().invoke(
        cli, ["check", "--no-cache", *arguments, str(folder)], catch_exceptions=False
    )
    return done.stdout.replace(f"{folder}/", "")


def samples(spec: str) -> dict[str, str]:
    """Return eight objects of different names with a spec, by the names of their files."""
    named = {f"samples/{i}.yaml": OBJECT.replace("name: a", f"name: a{i}") for i in range(8)}
    return {name: f"{text}{spec}\n" for name, text in named.items()}


def blocks(text: str) -> list[str]:
    return BLOCK.findall(text)


def test_equal_findings_of_files_are_described_once(tmp_path: Path) -> None:
    files = {"crd.yaml": CRD, **samples("")}
    text = check(tmp_path, files)
    assert len(blocks(text)) == 1
    also = "also in samples/1.yaml:4, samples/2.yaml:4, samples/3.yaml:4, samples/4.yaml:4, samples/5.yaml:4"
    assert f"is null (samples/0.yaml:4), {also} and 2 more: --show-all shows each" in " ".join(
        text.split()
    )
    assert len(blocks(check(tmp_path, files, "--show-all"))) == 8
    found = json.loads(check(tmp_path, files, "--format", "json"))["diagnostics"]
    assert len(found) == 8


def test_each_place_of_an_error_is_named(tmp_path: Path) -> None:
    objects = samples("{a: {x: 1}}")
    text = check(tmp_path, {"crd.yaml": CRD, **objects})
    assert len(blocks(text)) == 1
    assert all(f"{name}:4" in text for name in objects)


# A spec, and the blocks of its findings, with what is said about others.
VALUES = {
    "a list instead of an object, with fields": (
        "{a: [{x: b, z: c}]}",
        ["`a` must have the type `object`, not `array`"],
        "= note: 2 more errors follow from this: unknown field `x` in `a[0]`; unknown field `z`",
    ),
    "the same in several items": ("{l: [{}, {}, {}]}", ["`k` is missing"], "also in line 4"),
    "a null that is required": (
        "{l: [{k: null}]}",
        ["`k` is null, which is dropped, but it is required"],
        "Give the field a value",
    ),
}


@each(("spec", "expected", "note"), VALUES.values(), ids=VALUES)
def test_one_cause_once(spec: str, expected: list[str], note: str, tmp_path: Path) -> None:
    text = check(tmp_path, {"crd.yaml": CRD, "samples/a.yaml": f"{OBJECT}{spec}\n"})
    assert [block.partition(": ")[2] for block in blocks(text)] == expected
    assert note in text


def test_a_missing_field_is_at_its_object(tmp_path: Path) -> None:
    required = CRD.replace("type: object", "required: [status]\n        type: object", 1)
    text = check(tmp_path, {"crd.yaml": required, "samples/a.yaml": f"{OBJECT}{{}}\n"})
    assert "samples/a.yaml:1:1  Foo a (root)" in text
    text = check(tmp_path, {"crd.yaml": CRD, "samples/a.yaml": f"{OBJECT}{{l: [{{}}]}}\n"})
    assert "Foo a .spec.l[0]" in text


FIRST = SMALLEST
OTHER = SMALLEST.replace("{type: object}", "{type: object, description: a}")
LABELED = SMALLEST.replace("metadata:", "metadata:\n  labels: {a: b}", 1)
# Texts, and the rules of their findings.
TEXTS = {
    "a CRD twice": (f"{FIRST}---\n{OTHER}", ["crd-twice-in-file"]),
    "three of which two are equal": (f"{FIRST}---\n{FIRST}---\n{OTHER}", ["crd-twice-in-file"]),
    "equal CRDs": (f"{FIRST}---\n{FIRST}", []),
    "other CRDs": (f"{FIRST}---\n{OTHER.replace('foo', 'bar').replace('Foo', 'Bar')}", []),
    "other labels": (f"{FIRST}---\n{LABELED}", []),
    "prose with a colon": (f"Install it: with kubectl\n---\n{FIRST}", ["decode-type"]),
    "prose": (f"Install it\n---\n{FIRST}", ["decode-type"]),
    "a shell prompt": (f"$ kubectl get crd foos -o yaml\n---\n{FIRST}", ["decode-type"]),
    "a prompt with a colon": (f"me@host: ~$ kubectl get crd\n---\n{FIRST}", ["decode-type"]),
    "values": (f"replicas: 3\n---\n{FIRST}", []),
    "an object": (f"kind: ConfigMap\napiVersion: v1\n---\n{FIRST}", []),
}


@each(("text", "expected"), TEXTS.values(), ids=TEXTS)
def test_what_is_beside_a_crd_in_its_file(text: str, expected: list[str], tmp_path: Path) -> None:
    document = json.loads(check(tmp_path, {"a.yaml": text}, "--format", "json"))
    assert [finding["rule"] for finding in document["diagnostics"]] == expected


EXPENSIVE = crd_with_spec(
    """\
type: object
properties:
  l:
    type: array
    maxItems: 32
    items:
      type: string
      x-kubernetes-validations: [{rule: "matches(self, '^([0-9]{1,5}(h|m|s|ms)){1,4}$')"}]
"""
)
NEWEST_ONLY = "rejected from Kubernetes 1.37 on"


def test_the_servers_that_reject_are_named_by_default(tmp_path: Path) -> None:
    files = {"a.yaml": EXPENSIVE}
    assert NEWEST_ONLY in check(tmp_path, files)
    (finding,) = json.loads(check(tmp_path, files, "--format", "json"))["diagnostics"]
    assert finding["versions"] == ["1.37"]
    assert NEWEST_ONLY not in check(tmp_path, files, "--kube-version", "1.37")
    everywhere = {"a.yaml": EXPENSIVE.replace("maxItems: 32", "maxItems: -1")}
    assert "on Kubernetes" not in check(tmp_path, everywhere)


def test_the_longest_text_of_a_pattern_is_the_limit_to_set(tmp_path: Path) -> None:
    assert "Set `maxLength: 28` on" in check(tmp_path, {"a.yaml": EXPENSIVE})
