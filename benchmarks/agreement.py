"""How often other programs give the verdict of the API server about a CRD: the recorded requests, written as files.

`python benchmarks/agreement.py` runs each program once on all files, and prints a table; `--write` puts it into
docs/comparison.md. The programs are those of `peers.py`, which installs them. What a program answers is its JSON output.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import platformdirs
from peers import ROOT, installed, written

sys.path.insert(0, str(ROOT / "tests"))

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PAGE: Final = ROOT / "docs" / "comparison.md"
# Requests about whole CRDs: their shapes, their CEL rules, their metadata, and reported mistakes.
FAMILIES: Final = ("crd", "cel", "metadata", "reported")


class Files(NamedTuple):
    """The requests as files, and those of them that the API server rejects."""

    folder: Path
    names: frozenset[str]
    rejected: frozenset[str]
    schema: str  # the path of the JSON schema of a CRD

    def paths(self) -> list[str]:
        """Return the paths of all files."""
        return [str(self.folder / name) for name in sorted(self.names)]


class Verdicts(NamedTuple):
    """How often a program rejects what the API server rejects, and what it accepts."""

    right: int
    wrong: int


def requests(folder: Path) -> Files:
    """Write each recorded request to create a CRD as a file."""
    from upstream.records import load_all
    from upstream.rows import recorded_requests
    from upstream.versions import newest

    answers = load_all()[newest().minor].answers
    names, rejected = set(), set()
    for request in (row for family in FAMILIES for row in recorded_requests(family)):
        if request["op"] != "create" or request["id"] not in answers:
            continue
        name = request["id"].replace("/", "-") + ".yaml"
        (folder / name).write_text(request["yaml"] + "\n", encoding="utf-8")
        names.add(name)
        if _is_rejection(answers[request["id"]][0]):
            rejected.add(name)
    schema_file = str(folder.parent / "customresourcedefinition.json")
    return Files(folder, frozenset(names), frozenset(rejected), schema_file)


def _is_rejection(answer: dict[str, Any]) -> bool:
    """Return whether the API server rejects the CRD of a request with strict field validation."""
    return any(answer.get(key) for key in ("decode_error", "errors", "strict_errors", "panic"))


def verdicts(files: Files, reported: Iterable[str]) -> Verdicts:
    """Return how many of the files that a program reports are rejected, and how many are not."""
    found = {Path(name).name for name in reported} & files.names
    return Verdicts(len(found & files.rejected), len(found - files.rejected))


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _crdlint(_program: str, files: Files) -> Iterable[str]:
    options = ["check", "--format", "json", "--isolated", "--no-samples", "--show-all"]
    given: dict[str, Any] = json.loads(
        _output([sys.executable, "-P", "-m", "crdlint", *options, *files.paths()])
    )
    errors = [one for one in given["diagnostics"] if one["severity"] == "error"]
    return [one["file"] for one in errors]


def _yamllint(program: str, files: Files) -> Iterable[str]:
    text = _output([program, "-d", "relaxed", "--no-warnings", "-f", "parsable", *files.paths()])
    return re.findall(r"(?m)^(.+?):\d+:\d+: \[error\]", text)


_SCHEMAS: Final = (
    "python/lib/python*/site-packages/kubernetes_validate/kubernetes-json-schema/v{}.0-local-strict"
)
_OF_CRD: Final = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition"


def schema(tools: Path) -> str:
    """Return the JSON schema of a CRD in one text, from the definitions that kubernetes-validate has."""
    from upstream.versions import newest

    [folder] = tools.glob(_SCHEMAS.format(newest().minor))
    text = (folder / "_definitions.json").read_text(encoding="utf-8")
    given: dict[str, Any] = json.loads(text.replace("_definitions.json#/", "#/"))
    [of_crd] = (found[name] for found in given.values() if (name := _OF_CRD) in found)
    return json.dumps({**of_crd, **given})


def _check_jsonschema(program: str, files: Files) -> Iterable[str]:
    text = _output([program, "-o", "json", "--schemafile", files.schema, *files.paths()])
    given: dict[str, Any] = json.loads(text)
    broken = [one["filename"] for one in given["parse_errors"]]
    return [*broken, *(one["filename"] for one in given["errors"])]


def _kubeconform(program: str, files: Files) -> Iterable[str]:
    # The name of the file with the kind left open, which kubeconform fills in.
    name = files.schema.replace("customresourcedefinition", "{{ .ResourceKind }}")
    text = _output([program, "-output", "json", "-schema-location", name, *files.paths()])
    given: dict[str, Any] = json.loads(text)
    return [one["filename"] for one in given["resources"]]


_TOGETHER: Final = 64  # files of one run of kubectl-validate


def _kubectl_validate(program: str, files: Files) -> Iterable[str]:
    pending = batched(files.paths(), _TOGETHER)
    while pending:
        paths = pending.pop()
        output = _output([program, "-o", "json", *paths])
        if output:
            answers: dict[str, Any] = json.loads(output)
            yield from (name for name, each in answers.items() if any(map(_has_failed, each)))
        elif len(paths) == 1:
            yield paths[0]  # the program ends with a panic, as the API server may
        else:
            pending += batched(paths, len(paths) // 2)


def batched(paths: list[str], size: int) -> list[list[str]]:
    """Return the paths in lists of at most `size`."""
    return [paths[start : start + size] for start in range(0, len(paths), size)]


def _has_failed(answer: dict[str, Any]) -> bool:
    return answer.get("status") != "Success"


PROGRAMS: Final[dict[str, Callable[[str, Files], Iterable[str]]]] = {
    "crdlint": _crdlint,
    "kubectl-validate": _kubectl_validate,
    "kubeconform": _kubeconform,
    "check-jsonschema": _check_jsonschema,
    "yamllint": _yamllint,
}


def table(files: Files, results: dict[str, Verdicts]) -> str:
    """Return the table of the page."""
    accepted = len(files.names) - len(files.rejected)
    lines = [
        f"| program | of {len(files.rejected):,} rejected CRDs | of {accepted:,} accepted CRDs |",
        "| --- | --- | --- |",
        *(f"| {name} | {one.right:,} | {one.wrong:,} |" for name, one in results.items()),
    ]
    return "".join(f"{line}\n" for line in lines)


def main() -> None:
    """Run all programs on all requests, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=Path, default=platformdirs.user_cache_path("crdlint-peers"))
    parser.add_argument("--write", action="store_true", help="write the table to the page")
    given = parser.parse_args()
    programs = {"crdlint": "", **installed(given.tools, ())}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "files")
        folder.mkdir()
        files = requests(folder)
        Path(files.schema).write_text(schema(given.tools), encoding="utf-8")
        results = {
            program: verdicts(files, ask(programs[program], files))
            for program, ask in PROGRAMS.items()
            if program in programs
        }
    part = table(files, results)
    print(part)
    if given.write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), part), encoding="utf-8")


if __name__ == "__main__":
    main()
