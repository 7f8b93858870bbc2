"""What is loaded when: a pre-commit hook is felt."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from crds import crd_with_spec

ROOT = Path(__file__).resolve().parents[1]
PLAIN = str(ROOT / "fixtures" / "valid" / "minimal.yaml")
BAD = str(ROOT / "fixtures" / "invalid" / "list-map-key-optional.yaml")
# Completion in the playground, which has stand-ins for the libraries of editors.
PLAYGROUND = """
import sys
sys.path = [{stand_ins!r}, *sys.path, {python!r}]
import editing
""".format(**{part: str(ROOT / "playground" / part) for part in ("stand_ins", "python")})
RUN = "from crdlint.cli.main import cli\ntry: cli.main({}, standalone_mode=False)\nexcept SystemExit: pass"
# A run from its start, as that of `python -m crdlint`.
STARTED = """
import sys
from crdlint.__main__ import main
sys.argv = ["crdlint", *{}]
try: main()
except SystemExit: pass
"""
# What only rules, values, configurations, charts and other formats need.
LATER = {
    "pygls", "lsprotocol", "asyncio", "crdlint.lsp",
    "antlr4", "re2", "jsonschema", "packaging", "jsonpatch", "rich", "xml", "difflib", "multiprocessing",
    "crdlint.cel.ast", "crdlint.cel.checker", "crdlint.cel.parser", "crdlint.cel.types",
    "crdlint.kubecel.compilation", "crdlint.kubecel.evaluation", "crdlint.schema.validator",
    "crdlint.kubecel.cost.explain", "crdlint.kubecel.cost.suggest", "crdlint.resources", "crdlint.suites",
    "crdlint.sources.helm.render", "crdlint.report.json",
}  # fmt: skip

# What only the cache, updates, ranges of versions and rejected metadata need; patterns and formats of schemas, certificates
# and times of metadata; fixes, and texts that are not ASCII.
LATER_THAN_A_CLEAN_CHECK = {
    "platformdirs",
    "crdlint.linting.update",
    "crdlint.linting.version_range",
    "crdlint.yaml.broken_text",
    "crdlint.yaml.json_events",
    "crdlint.golang.regexp",
    "crdlint.golang.addresses",
    "crdlint.golang.times",
    "crdlint.golang.encodings",
    "crdlint.schema.formats",
    "crdlint.schema.value_errors",
    "heapq",
    "unicodedata",
    "zlib",
}
# What decides whether a file belongs to a chart or a kustomization, the budgets of
# rules and the settings for changes are declared in these rooms, and are small.
ROOMS = ("cel", "kubecel", "changes", "sources.kustomize", "sources.helm")
DECLARATIONS = {
    "crdlint.cel.dialect",
    "crdlint.kubecel.cost",
    "crdlint.kubecel.sharing",
    "crdlint.changes.change",
    "crdlint.sources.helm.layout",
}
# Runs the command line as `python -m crdlint` does, and prints how often Python collected garbage.
COLLECTIONS = """
import gc, sys
from crdlint.__main__ import main
sys.argv = ["crdlint", "check", "--no-cache", {path!r}]
before = sum(one["collections"] for one in gc.get_stats())
try:
    main()
except SystemExit:
    print(sum(one["collections"] for one in gc.get_stats()) - before, gc.get_freeze_count())
"""


def loaded(code: str, folder: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sorted(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import crdlint", {"ruamel", "rich", "click"}),
        (
            "import crdlint; crdlint.lint_text('a: 1')",
            {"rich", "click", "hypothesis", "antlr4", "re2"},
        ),
        (
            RUN.format(["--version"]),
            {"ruamel", "rich", "crdlint.runner.task", "crdlint.rules", "platformdirs"},
        ),
        (
            RUN.format(["check", "--no-require-crds", "none.yaml"]),
            {*LATER, "ruamel", "crdlint.linting.pipeline", "crdlint.config"},
        ),
        (RUN.format(["check", "--no-cache", PLAIN]), {*LATER, *LATER_THAN_A_CLEAN_CHECK}),
        (RUN.format(["rules"]), {"rich", "xml", "crdlint.cel.ast"}),
        (RUN.format(["explain", "yaml-syntax"]), {"rich", "xml", "crdlint.cel.ast"}),
        (RUN.format(["cost", PLAIN]), {"rich", "xml"}),
        (RUN.format(["check", "--no-cache", BAD]), {"rich", "xml"}),
        (
            STARTED.format(["check", "--no-cache", PLAIN]),
            {
                "ast",
                "dis",
                "linecache",
                "locale",
                "platform",
                "tokenize",
                "base64",
                "ruamel.yaml.main",
            },
        ),
        (PLAYGROUND, {"rich", "click", "crdlint.lsp.checks", "crdlint.sources", "crdlint.suites"}),
    ],
    ids=[
        "import",
        "lint_text",
        "--version",
        "a file without CRDs",
        "a CRD without rules",
        "rules",
        "explain",
        "cost",
        "findings in a pipe",
        "what libraries import for other uses",
        "completion in the playground",
    ],
)
def test_heavy_modules_stay_out(code: str, absent: set[str], tmp_path: Path) -> None:
    (tmp_path / "none.yaml").write_text("kind: ConfigMap\n")
    modules = loaded(code, tmp_path)
    below = tuple(f"{name}." for name in absent)
    assert [module for module in sorted(modules) if f"{module}.".startswith(below)] == []


def test_a_crd_without_rules_needs_no_module_of_rules_changes_or_charts(tmp_path: Path) -> None:
    field = "type: object\nproperties: {a: {type: string, default: x, pattern: 'x+'}}\n"
    (tmp_path / "crd.yaml").write_text(crd_with_spec(field), encoding="utf-8")
    modules = loaded(RUN.format(["check", "--no-cache", "crd.yaml"]), tmp_path)
    rooms = {f"crdlint.{room}" for room in ROOMS}
    below = tuple(f"{room}." for room in rooms)
    assert "crdlint.schema.default_validation" in modules
    assert {module for module in modules if module.startswith(below)} - rooms <= DECLARATIONS


def test_a_custom_resource_needs_nothing_of_charts_and_advice(tmp_path: Path) -> None:
    (tmp_path / "crd.yaml").write_text(
        crd_with_spec(
            "type: object\nproperties: {a: {type: integer}}\n"
            "x-kubernetes-validations: [{rule: self.a > 0}]\n"
        ),
        encoding="utf-8",
    )
    (tmp_path / "foo.yaml").write_text(
        "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a}\nspec: {a: 1}\n",
        encoding="utf-8",
    )
    modules = loaded(RUN.format(["validate", "--crd", "crd.yaml", "foo.yaml"]), tmp_path)
    assert "crdlint.kubecel.evaluation" in modules
    charts = {name for name in modules if name.startswith("crdlint.sources.helm.")}
    assert charts <= {"crdlint.sources.helm.layout", "crdlint.sources.helm.on_demand"}
    absent = {
        "subprocess",
        "tarfile",
        "tempfile",
        "crdlint.changes.compare",
        "crdlint.kubecel.reasoning",
        # Paths, addresses, patterns, times and encodings are read when an object has some.
        "pathlib",
        "urllib.parse",
        "ipaddress",
        "calendar",
        "unicodedata",
        "crdlint.golang.matching",
        "crdlint.golang.regexp",
        "crdlint.golang.encodings",
        "crdlint.golang.addresses",
        "json",
        # Only ranges of versions, copies from a cluster, fixes and selectable fields need them.
        "crdlint.linting.version_range",
        "crdlint.rules.server.schema_warnings",
        "crdlint.rules.advice.storage",
        "crdlint.rules.fixes.v1beta1",
        "crdlint.rules.fixes.value_fixes",
        "crdlint.schema.json_paths",
        # Only some senders encode objects anew, and only some runs write files.
        "crdlint.crd.clients",
        "crdlint.crd.decode_errors",
        "crdlint.safety.atomic",
    }
    assert modules & absent == set()


ANSWERED = STARTED.format(["check", "bad.yaml"])


def test_an_answer_that_is_known_needs_no_command(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_bytes(Path(BAD).read_bytes())
    modules = [loaded(ANSWERED, tmp_path) for _ in range(2)][-1]
    own = {name for name in modules if name.startswith("crdlint.")}
    assert own <= {
        "crdlint.__about__", "crdlint.__main__", "crdlint.light",
        "crdlint.cli", "crdlint.cli.answers", "crdlint.cli.interrupts", "crdlint.cli.streams",
        "crdlint.files", "crdlint.files.read", "crdlint.files.recognition",
        "crdlint.runner", "crdlint.runner.program", "crdlint.runner.store",
        "crdlint.safety", "crdlint.safety.atomic", "crdlint.safety.bugs", "crdlint.safety.escapes", "crdlint.safety.signals",
    }  # fmt: skip
    assert modules & {"click", "ruamel", "dataclasses", "inspect"} == set()


def test_a_file_from_the_cache_needs_no_rules(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[project]\nname = 'x'\n[tool.crdlint]\nkube-version = '1.36'\n", encoding="utf-8"
    )
    (tmp_path / "bad.yaml").write_bytes(Path(BAD).read_bytes())
    modules = [loaded(RUN.format(["check", "bad.yaml"]), tmp_path) for _ in range(2)][-1]
    assert "crdlint.runner.cache" in modules
    assert (
        modules
        & {"ruamel.yaml", "crdlint.rules.catalog", "crdlint.rules.engine.rule", "crdlint.crd.model"}
        == set()
    )


# Runs a check, and prints how many dataclasses were made, each of which compiles up to seven functions.
DATACLASSES = """
import dataclasses
make, made = dataclasses._process_class, []
dataclasses._process_class = lambda cls, *args: made.append(cls.__module__) or make(cls, *args)
{run}
print(sum(name.startswith("crdlint.") for name in made))
"""


def test_no_dataclass_of_the_standard_library_is_made_at_the_start(tmp_path: Path) -> None:
    code = DATACLASSES.format(run=RUN.format(["check", "--no-cache", PLAIN]))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    # Each takes about 0.2 ms.
    assert done.stdout.splitlines()[-1] == "0"


def test_few_collections_of_garbage_at_the_start_and_none_at_the_end(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COLLECTIONS.format(path=PLAIN)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    collections, frozen = map(int, done.stdout.splitlines()[-1].split())
    assert collections < 20
    assert frozen > 10_000


@pytest.mark.parametrize(
    "file", sorted((ROOT / "tests" / "cel").rglob("*.py")), ids=lambda file: file.name
)
def test_tests_of_the_language_need_no_room_that_knows_kubernetes(file: Path) -> None:
    imported = re.findall(
        r"^ *(?:from|import) (crdlint\.\w+|second_opinion)", file.read_text(), re.MULTILINE
    )
    assert set(imported) <= {"crdlint.cel", "crdlint.golang", "crdlint.safety", "crdlint.light"}
