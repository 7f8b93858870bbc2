"""How the time grows for hostile CRDs, configurations, comments, byte searches and commands, as their size doubles twice.

The last columns are the exponents between two sizes: 1 for linear work, 2 for the square. For CRDs, where the program that
links the API server's packages can be built, the last one is the time of the largest size by that of the program, both without
what a small CRD takes. The server stops at fields of a wrong type, so that the ratio says nothing where a shape has them.

Brackets within brackets are measured a second time as libyaml reads them alone: it looks at all open brackets for each token, so
that its time grows with the square.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from contextlib import suppress
from functools import partial
from itertools import pairwise
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING

import api_server
from _ruamel_yaml import CParser
from click.testing import CliRunner
from command_shapes import COMMANDS, CommandShape

from crdlint.cli.main import cli
from crdlint.config.comments import read_comments
from crdlint.config.load import read_config
from crdlint.config.model import ConfigError
from crdlint.files.patterns import compiled
from crdlint.files.recognition import may_hold_crd
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.sources.kustomize.build import Slim

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from shapes import SHAPES, Shape, checked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FIELDS = 1000
SIZE = 100_000  # a configuration may have 256 KiB
LARGE = 500_000
TABLE = "[tool.crdlint]\n"
CRD = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"


def _config(name: str) -> Callable[[str], None]:
    def run(text: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_text(text, encoding="utf-8")
            with suppress(ConfigError):
                read_config(str(path))

    return run


def _comments(text: str) -> None:
    read_comments(f"a: b\n{text}", "a.yaml")


def _look(text: str) -> None:
    may_hold_crd(text.encode())


def _lint(text: str) -> None:
    lint_file(CRD + text, "a.yaml", CheckRequest(skip_unfinished=True))


def _slim(text: str) -> None:
    slim = Slim({})
    slim.restored(slim.add(text))


def _patterns(text: str) -> None:
    compiled(text.encode().split(b"\n")).match("a" * 250)


# Name: (what runs, the text of a size, that size).
CASES: dict[str, tuple[Callable[[str], None], Callable[[int], str], int]] = {
    "toml: blanks": (_config("pyproject.toml"), lambda n: "crdlint tool" + " " * n, SIZE),
    "toml: blank lines": (_config("pyproject.toml"), lambda n: "crdlint\n" + " \n" * (n // 2), SIZE),
    "toml: quotes": (_config("pyproject.toml"), lambda n: "crdlint\n." + '"' * n, SIZE),
    "toml: keys": (_config("pyproject.toml"), lambda n: TABLE + "".join(f"k{i} = 1\n" for i in range(n // 10)), SIZE),
    "toml: inline table": (
        _config("pyproject.toml"), lambda n: TABLE + "a = {" + ",".join(f"k{i}=1" for i in range(n // 8)) + "}", SIZE,
    ),
    "yaml: rules": (_config(".crdlint.yaml"), lambda n: "select: [" + "a," * (n // 2) + "]", SIZE),
    "yaml: one pattern": (_config(".crdlint.yaml"), lambda n: "ignore: ['" + "*a" * (n // 2) + "']", SIZE),
    "yaml: version": (_config(".crdlint.yaml"), lambda n: "required-version: '>=" + "1." * (n // 2) + "'", SIZE),
    "comments: above one key": (
        _comments, lambda n: "x:\n" + "# crdlint: ignore[cel-*]\n" * (n // 50) + "-" + " " * (n // 2) + "1\n", LARGE,
    ),
    "comments: names": (_comments, lambda n: "# crdlint: ignore[" + "a," * (n // 2) + "]\n", LARGE),
    "comments: blanks": (_comments, lambda n: "x: 1 # crdlint:" + " " * n, LARGE),
    "look: kinds": (_look, lambda n: "".join(f"kind: Custom{i}\n" for i in range(n // 16)), LARGE),
    "look: escapes": (_look, lambda n: "\\u003e" * (n // 6), LARGE),
    "look: broken lines": (_look, lambda n: "!" + "\n " * (n // 2), LARGE),
    "template: open directives": (_lint, lambda n: "a: b: " + "{{ " * (n // 3), LARGE),
    "template: placeholders": (_lint, lambda n: "a: b: " + "${a} " * (n // 5), LARGE),
    "broken documents": (_lint, lambda n: "---\nkind: x\na: b: c\n" * (n // 20), SIZE // 4),
    "kustomize: blank lines": (_slim, lambda n: " openAPIV3Schema:\n  a: b\n" + "  \n" * (n // 3), LARGE),
    "kustomize: schemas": (_slim, lambda n: " openAPIV3Schema:\n  a: b\n" * (n // 24), LARGE),
    "kustomize: no schema": (_slim, lambda n: (" " * 99 + "openAPIV3Schema:") * (n // 115), LARGE),
    "gitignore: lines": (_patterns, lambda n: "".join(f"*a*{i}\n" for i in range(n // 8)), LARGE),
    "gitignore: one line": (_patterns, lambda n: "*a" * (n // 2) + "*b", LARGE),
}  # fmt: skip


def _read_alone(text: str) -> None:
    """Read a text as libyaml does, without making anything of it."""
    for _ in iter(CParser(text).get_event, None):
        pass


def _command(shape: CommandShape, size: int) -> None:
    """Run a command on its files of a size, in a folder of its own."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in shape.files(size).items():
            Path(name).write_text(text, encoding="utf-8")
        CliRunner().invoke(cli, shape.arguments)
        os.chdir(before)


def _print(name: str, works: Iterable[Callable[[], object]], server: float | None = None) -> None:
    """Print the seconds of works that double, the exponents between them, and the ratio to the server's seconds if known."""
    times = [min(_seconds(work) for _ in range(3)) for work in works]
    exponents = (log2(later / earlier) for earlier, later in pairwise(times))
    ratio = [] if server is None else [f"{times[-1] / server:6.2f} of the server"]
    columns = [*(f"{one:8.3f} s" for one in times), *(f"{one:6.2f}" for one in exponents)]
    print(f"{name:32}", *columns, *ratio)


def _of_server(program: str | None, shape: Shape, size: int) -> float | None:
    """Return the least CPU seconds of the server's packages for the CRD of a size, without those for a small one."""
    if program is None:
        return None
    small, large = (
        min(api_server.seconds(program, _request(shape, n)) for _ in range(3)) for n in (1, size)
    )
    return max(large - small, 1e-3)


def _request(shape: Shape, size: int) -> dict[str, str]:
    return api_server.request(shape.text(size), None if shape.old is None else shape.old(size))


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return max(time.process_time() - start, 1e-6)


def main() -> None:
    """Print a line for each shape of CRDs, and for each other text."""
    _config(".crdlint.yaml")("select: [cel-*]")  # loads what is loaded once
    _config("pyproject.toml")(TABLE)
    program = api_server.program()
    for name, shape in SHAPES.items():
        works = [partial(checked, shape, n * FIELDS) for n in (1, 2, 4)]
        _print(name, works, _of_server(program, shape, 4 * FIELDS))
        if name.startswith("nested") and CParser is not None:
            texts = [shape.text(n * FIELDS) for n in (1, 2, 4)]
            _print("  libyaml alone", [partial(_read_alone, text) for text in texts])
    for name, (run, make, size) in CASES.items():
        _print(name, [partial(run, make(n * size)) for n in (1, 2, 4)])
    for name, command in COMMANDS.items():
        _print(name, [partial(_command, command, n * command.size) for n in (1, 2, 4)])


if __name__ == "__main__":
    main()
