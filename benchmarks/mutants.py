"""Mutation testing of the core: how many of 1,000 seeded faults in its functions make a test fail.

    python benchmarks/mutants.py --count 1000 --seed 1 tests

Two runs of pytest. The first records which test reaches which fault while none is active. The second activates one fault at a
time, in a forked process, and runs the tests that reach it until one fails. Faults are compiled into the modules as they are
imported, so that no file changes. Tests in processes of their own reach none.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import copy
import importlib.machinery
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

ROOMS: Final = ("cel", "crd", "kubecel", "rules", "schema")
SETTINGS: Final = "CRDLINT_MUTATION"
SWITCH: Final = "__mutant__"
CPU_PER_MUTANT: Final = 10.0  # seconds of recorded time; the tests beyond are not run
MEMORY: Final = 6 << 30  # bytes

COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.Mod: ast.Mult,
}


def mutated(node: ast.AST) -> ast.expr | None:
    """Return the faulty expression in the place of `node`, or None where no fault is known."""
    match node:
        case ast.Compare(ops=[op, *_]) if type(op) in COMPARISONS:
            other = copy.deepcopy(node)
            other.ops[0] = COMPARISONS[type(op)]()
            return other
        case ast.BoolOp():
            other_bool = copy.deepcopy(node)
            other_bool.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
            return other_bool
        case ast.UnaryOp(op=ast.Not()):
            return copy.deepcopy(node.operand)
        case ast.BinOp() if type(node.op) in OPERATORS:
            other_bin = copy.deepcopy(node)
            other_bin.op = OPERATORS[type(node.op)]()
            return other_bin
        case ast.Constant(value=bool()):
            return ast.Constant(not node.value)
        case ast.Constant(value=int()):
            return ast.Constant(cast("int", node.value) + 1)
        case ast.Constant(value=str(text)) if text:
            return ast.Constant(text + "?")
    return None


class _Faults(ast.NodeTransformer):
    """Counts the places of a module that can be faulty, and compiles switches into those of `chosen`."""

    def __init__(self, chosen: dict[int, int]) -> None:
        self.chosen = chosen  # the number of a place in its module, and the number of its mutant
        self.places: list[tuple[int, str]] = []
        self._functions = 0

    def _switch(self, node: ast.AST) -> int | None:
        self.places.append((cast("ast.expr", node).lineno, ast.unparse(node)))
        return self.chosen.get(len(self.places) - 1)

    @staticmethod
    def _active(mutant: int) -> ast.expr:
        return ast.Call(ast.Name(SWITCH, ast.Load()), [ast.Constant(mutant)], [])

    def visit(self, node: ast.AST) -> ast.AST:
        """Visit the code of functions, without what is evaluated at import."""
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            return self._function(node)
        if isinstance(node, ast.JoinedStr | ast.pattern):
            return node
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                node.value = cast("ast.expr", self.visit(node.value))
            return node
        if not self._functions:
            return self.generic_visit(node)
        if isinstance(node, ast.Expr):
            return self._statement(node)
        fault = mutated(node) if isinstance(node, ast.expr) else None
        if fault is None:
            return self.generic_visit(node)
        mutant = self._switch(node)
        correct = cast("ast.expr", self.generic_visit(node))
        return correct if mutant is None else ast.IfExp(self._active(mutant), fault, correct)

    def _function(self, node: ast.FunctionDef | ast.Lambda) -> ast.AST:
        self._functions += 1
        if isinstance(node, ast.Lambda):
            node.body = cast("ast.expr", self.visit(node.body))
        else:
            node.body = [cast("ast.stmt", self.visit(statement)) for statement in node.body]
        self._functions -= 1
        return node

    def _statement(self, node: ast.Expr) -> ast.AST:
        """Leave out a call or a `yield` whose value is not used."""
        if not isinstance(node.value, ast.Call | ast.Yield | ast.YieldFrom):
            return node if isinstance(node.value, ast.Constant) else self.generic_visit(node)
        mutant = self._switch(node)
        correct = cast("ast.stmt", self.generic_visit(node))
        return correct if mutant is None else ast.If(self._active(mutant), [ast.Pass()], [correct])


@dataclass(frozen=True, slots=True)
class Mutant:
    """A place where a fault can be activated: 1-based line, and the correct code."""

    path: str
    place: int
    line: int
    code: str


def choose(root: Path, count: int, seed: int) -> list[Mutant]:
    """Choose places of faults in the core, at random but the same for the same seed and sources."""
    every = []
    for room in ROOMS:
        for path in sorted((root / "crdlint" / room).rglob("*.py")):
            faults = _Faults({})
            faults.visit(ast.parse(path.read_text(encoding="utf-8")))
            name = str(path.relative_to(root))
            every += [Mutant(name, place, *what) for place, what in enumerate(faults.places)]
    return sorted(
        random.Random(seed).sample(every, count), key=lambda mutant: (mutant.path, mutant.place)
    )


class _Loader(importlib.machinery.SourceFileLoader):
    chosen: dict[int, int]

    def get_code(self, fullname: str) -> CodeType:
        """Compile the source with its mutants; no bytecode is read or kept."""
        path = self.get_filename(fullname)
        tree = _Faults(self.chosen).visit(ast.parse(Path(path).read_text(encoding="utf-8")))
        return compile(
            ast.fix_missing_locations(cast("ast.Module", tree)), path, "exec", dont_inherit=True
        )


class _Finder:
    """Imports the modules that have mutants with their switches."""

    def __init__(self, root: Path, mutants: Sequence[Mutant]) -> None:
        self._chosen: dict[str, dict[int, int]] = {}
        for number, mutant in enumerate(mutants):
            self._chosen.setdefault(str(root / mutant.path), {})[mutant.place] = number

    def find_spec(
        self, name: str, path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the specification of a module whose source has mutants."""
        if not name.startswith("crdlint."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.origin in self._chosen:
            loader = _Loader(name, spec.origin)
            loader.chosen = self._chosen[spec.origin]
            spec.loader = loader
        return spec


class Plugin:
    """The part of a run within pytest."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mutants = [
            Mutant(**line)
            for line in json.loads((folder / "mutants.json").read_text(encoding="utf-8"))
        ]
        self._active = -1
        self._reached: set[int] = set()
        self._tests: dict[str, tuple[float, list[int]]] = {}
        self._failed = False
        sys.meta_path.insert(
            0, cast("importlib.abc.MetaPathFinder", _Finder(Path.cwd(), self._mutants))
        )
        setattr(builtins, SWITCH, self._switch)

    def _switch(self, mutant: int) -> bool:
        self._reached.add(mutant)
        return mutant == self._active

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Record the CPU time of a test and the mutants that it reaches; a test that fails without a fault is left out."""
        self._reached.clear()
        start = time.process_time()
        yield
        if not self._failed:
            self._tests[item.nodeid] = (time.process_time() - start, sorted(self._reached))
        elif self._active < 0:
            self._failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notice a test that fails."""
        self._failed |= report.failed

    def pytest_sessionfinish(self) -> None:
        """Write what the tests of this process reached."""
        if self._active < 0 and self._tests:
            (self._folder / f"tests-{os.getpid()}.json").write_text(
                json.dumps(self._tests), encoding="utf-8"
            )

    def run(self, session: pytest.Session, jobs: int) -> None:
        """Activate each mutant that a test reaches, and write what became of it."""
        tests: dict[str, tuple[float, list[int]]] = {}
        for file in self._folder.glob("tests-*.json"):
            tests |= json.loads(file.read_text(encoding="utf-8"))
        items = {item.nodeid: item for item in session.items}
        reaching: dict[int, list[str]] = {}
        for name, (_, reached) in sorted(tests.items(), key=lambda entry: entry[1][0]):
            if name in items:
                for mutant in reached:
                    reaching.setdefault(mutant, []).append(name)
        outcomes = dict.fromkeys(range(len(self._mutants)), "not reached")
        running: dict[int, int] = {}
        waiting = sorted(reaching)
        while waiting or running:
            if waiting and len(running) < jobs:
                mutant = waiting.pop()
                running[self._start(mutant, [items[name] for name in reaching[mutant]], tests)] = (
                    mutant
                )
                continue
            process, status = os.wait()
            mutant = running.pop(process)
            outcomes[mutant] = "survived" if status == 0 else "killed"
        (self._folder / "outcomes.json").write_text(json.dumps(outcomes), encoding="utf-8")

    def _start(
        self, mutant: int, items: list[pytest.Item], tests: dict[str, tuple[float, list[int]]]
    ) -> int:
        process = os.fork()
        if process:
            return process
        try:
            silent = os.open(os.devnull, os.O_RDWR)
            for descriptor in (1, 2):
                os.dup2(silent, descriptor)
            self._active = mutant
            chosen: list[pytest.Item] = []
            spent = 0.0
            for item in items:
                spent += tests[item.nodeid][0]
                if chosen and spent > CPU_PER_MUTANT:
                    break
                chosen.append(item)
            seconds = int(5 * spent) + 20
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            signal.alarm(4 * seconds)  # what waits forever
            for item, following in zip(chosen, [*chosen[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if self._failed:
                    os._exit(1)
            os._exit(0)
        except BaseException:  # the mutant ended the run of the tests
            os._exit(1)


def pytest_configure(config: pytest.Config) -> None:
    """Compile the mutants into the modules that tests import."""
    config.pluginmanager.register(Plugin(Path(os.environ[SETTINGS])), "mutation-run")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the tests for each mutant in the second run."""
    jobs = int(os.environ.get(f"{SETTINGS}_JOBS", "0"))
    if not jobs:
        return None
    plugin = cast("Plugin", session.config.pluginmanager.get_plugin("mutation-run"))
    plugin.run(session, jobs)
    return True


def main() -> None:
    """Choose mutants, run the tests with each, and print those that no test notices."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--keep", type=Path, help="keep what was recorded in this folder, and use what it has"
    )
    parser.add_argument("arguments", nargs="*", default=["tests"], help="arguments of pytest")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        mutants = choose(Path.cwd(), options.count, options.seed)
        (folder / "mutants.json").write_text(
            json.dumps([asdict(mutant) for mutant in mutants]), encoding="utf-8"
        )
        here = str(Path(__file__).parent)
        environment = {
            **os.environ,
            SETTINGS: str(folder),
            "PYTHONPATH": os.pathsep.join([".", here]),
        }
        pytest_run = [sys.executable, "-m", "pytest", "-q", "-p", "mutants", *options.arguments]
        if not list(folder.glob("tests-*.json")):
            subprocess.run([*pytest_run, "-n", str(options.jobs)], env=environment, check=False)
        subprocess.run(
            [*pytest_run, "-p", "no:randomly"],
            env={**environment, f"{SETTINGS}_JOBS": str(options.jobs)},
            check=True,
        )
        outcomes = json.loads((folder / "outcomes.json").read_text(encoding="utf-8"))
    for number, mutant in enumerate(mutants):
        if outcomes[str(number)] != "killed":
            print(f"{mutant.path}:{mutant.line}: {outcomes[str(number)]}: {mutant.code}")
    print(
        ", ".join(
            f"{count} {outcome}" for outcome, count in sorted(Counter(outcomes.values()).items())
        )
    )


if __name__ == "__main__":
    main()
