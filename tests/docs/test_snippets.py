"""Every command and every snippet of the documentation, run as a reader would run it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from commands import crdlint
from ruamel.yaml import YAML
from scratch import clean, commit, must
from scratch import run as in_folder
from snippets import ROOT, Snippet, commands, snippets
from terminal import on_terminal
from upstream.rows import recorded_requests

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

LANGUAGES: Final = {
    "",
    "console",
    "elisp",
    "js",
    "json",
    "lua",
    "pycon",
    "python",
    "sh",
    "text",
    "toml",
    "yaml",
}

# What a reader has: files of the project by the fixture that they are.
PROJECT: Final = {
    "api": "suites",
    "widgets.testsuite.yaml": "suites/widgets.testsuite.yaml",
    "charts/gadgets/crds/gadgets.yaml": "valid/minimal.yaml",
    "charts/plain/templates/other.yaml": "valid/other-kinds.yaml",
    "config/samples": "resources/good.yaml",
    "samples/widget.yaml": "resources/good.yaml",
    "widget.yaml": "resources/good.yaml",
    "before.yaml": "resources/good.yaml",
    "after.yaml": "resources/changed.yaml",
    "crds/widgets.yaml": "resources/crd.yaml",
}
# The CRD in config/crd/ by the page that shows it.
CRD: Final = {
    "README.md": "invalid/list-map-key-optional.yaml",
    "docs/cost.md": "invalid/rule-too-expensive.yaml",
    "docs/eval.md": "eval/crd.yaml",
    "docs/suites.md": "suites/widgets.crd.yaml",
}
# Further files by the page that uses them.
FILES: Final = {
    "docs/eval.md": {
        "samples/cluster.yaml": "eval/sample.yaml",
        "samples/cluster-before.yaml": "eval/old.yaml",
    },
}

# Commands that are not run here, and what does instead.
NOT_RUN: Final = {
    "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/crdlint check fixtures/": "tests/pipelines",
    "python3 -m venv .venv": "tests/pipelines",
    ".venv/bin/pip install -q .": "tests/pipelines",
    ".venv/bin/crdlint check fixtures/": "tests/pipelines",
    "python3 -m venv .venv && .venv/bin/pip install -q -e '.[dev]' && .venv/bin/pytest -n auto": "this run",
    "uvx --from git+https://github.com/crdlint/crdlint crdlint check .": "needs the repository",
    "crdlint lsp": "tests/lsp",
    "pip install './crdlint[lsp]'": "tests/lsp",
    "pre-commit run crdlint --all-files": "tests/pipelines",
    "crdlint completion bash > ~/.local/share/bash-completion/completions/crdlint": "tests/cli",
    "crdlint check --against v1.0.0 charts/demo": "tests/inputs/test_old_side.py",
    "crdlint diff v1.0.0:charts/demo charts/demo": "tests/inputs/test_old_side.py",
    "crdlint diff demo-1.0.0.tgz demo-1.1.0.tgz": "tests/inputs/test_old_side.py",
    "kubectl get crd widgets.example.com -o yaml --show-managed-fields > old.yaml": "needs a cluster",
    "crdlint check --against old.yaml --sender server-side-apply crd.yaml": "tests/cli/test_senders.py",
    "pip wheel --no-deps --wheel-dir dist .": "tests/pipelines",
    "pip download --dest dist --require-hashes --only-binary :all: -r .ci/runtime.txt": "needs the registry",
    "python docs/make_playground.py site/playground": "tests/browser",
    "python -m http.server --directory site": "does not end",
    "cd editors/vscode": "CI",
    "npm ci": "CI",
    "npm run wheels": "CI",
    "npm run package": "CI",
    "docker build --tag crdlint .": "needs a Docker engine",
    'docker run --rm --volume "$PWD:/work:ro" crdlint check .': "needs a Docker engine",
}
# Commands that end in another status than 0, by page.
STATUS: Final = {
    ("README.md", "crdlint check ."): 1,
    ("README.md", "crdlint check --kube-version 1.29..1.37 ."): 1,
    ("README.md", "crdlint validate --crd config/crd samples"): 1,
    ("docs/cost.md", "crdlint cost config/crd/"): 1,
    ("docs/cost.md", "crdlint cost --explain exists_one config/crd/"): 1,
    ("docs/cost.md", "crdlint cost --format html config/crd/ > cost.html"): 1,
    (
        "docs/eval.md",
        "crdlint eval --rule spec --crd config/crd --object samples/cluster.yaml --old samples/cluster-before.yaml",
    ): 1,
    ("docs/validate.md", "crdlint validate --crd crds --old before.yaml after.yaml"): 1,
}

# Programs of others, as shell functions: chart-testing runs its commands once a chart.
PRELUDE: Final = """
helm() { cat widget.yaml; }
ct() { for chart in charts/*; do bash -c "${3//'{{ .Path }}'/$chart}" || return; done; }
"""


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Make the project of a page's reader once: a chart, CRDs, resources and suites, and a branch `origin/main`."""

    @cache
    def make(page: str) -> Path:
        folder = tmp_path_factory.mktemp("project")
        crd = {"config/crd/widgets.yaml": CRD.get(page, "resources/crd.yaml")}
        for name, fixture in {**PROJECT, **crd, **FILES.get(page, {})}.items():
            copy(fixture, folder / name)
        shown = folder / "config/crd/widgets.yaml"
        # comments of fixtures that the pages leave out
        shown.write_text(
            re.sub(" +# <- .*", "", shown.read_text(encoding="utf-8")), encoding="utf-8"
        )
        for chart in ("gadgets", "plain"):
            text = f"apiVersion: v2\nname: {chart}\nversion: 0.1.0\n"
            (folder / "charts" / chart / "Chart.yaml").write_text(text, encoding="utf-8")
        commit(folder)
        must("git", "update-ref", "refs/remotes/origin/main", "HEAD", cwd=folder, env=clean())
        return folder

    return make


@pytest.fixture
def new_project(
    projects: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Path]:
    """Copy the project of a page's reader, and make the copy the working directory."""
    for name in ("FORCE_COLOR", *(name for name in os.environ if name.startswith("GIT"))):
        monkeypatch.delenv(name, raising=False)
    numbers = count()

    def copied(page: str) -> Path:
        folder = tmp_path / str(next(numbers))
        shutil.copytree(projects(page), folder)
        monkeypatch.chdir(folder)
        return folder

    return copied


def copy(fixture: str, target: Path) -> None:
    source = ROOT / "fixtures" / fixture
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    elif target.suffix:
        shutil.copy(source, target)
    else:
        target.mkdir()
        shutil.copy(source, target)


def run(command: str, folder: Path, *, terminal: bool = False) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, which is the working directory: in this process, or in a shell if it needs one."""
    environment = {
        "CRDLINT_CACHE_DIR": f"{folder}-cache",
        "NO_COLOR": "1",
        "COLUMNS": "80",
        "GITHUB_STEP_SUMMARY": f"{folder}-summary.md",
    }
    program, *arguments = shlex.split(command)
    if program == "crdlint" and not terminal and not set(arguments) & {"|", ">"}:
        return crdlint(*arguments, **environment)
    tools = Path(f"{folder}-bin")
    tools.mkdir(exist_ok=True)
    script = tools / "crdlint"
    script.write_text(
        f"#!{sys.executable}\nfrom crdlint.cli.main import main\nmain()\n", encoding="utf-8"
    )
    script.chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    shell = ("bash", "-c", PRELUDE + command)
    env = {**clean(), **environment, "PATH": path, "PYTHONPATH": str(ROOT)}
    return (
        on_terminal(shell, 80, env, cwd=folder)
        if terminal
        else in_folder(*shell, cwd=folder, env=env)
    )


COMMANDS: Final = commands()


@pytest.mark.parametrize(
    "page", sorted({command.page for command in COMMANDS if command.text not in NOT_RUN})
)
def test_a_command_does_what_the_page_says(
    page: str, new_project: Callable[[str], Path], subtests: pytest.Subtests
) -> None:
    for command in COMMANDS:
        if command.page != page or command.text in NOT_RUN:
            continue
        with subtests.test(str(command)):
            done = run(
                command.text, new_project(page), terminal="├" in command.output
            )  # a tree is for terminals
            assert done.returncode == STATUS.get((page, command.text), 0), done.stdout + done.stderr
            assert "Usage:" not in done.stderr
            if command.output:
                assert done.stdout.split() == re.sub(r" in \d+\.\d+ s", "", command.output).split()


def test_every_command_that_is_not_run_is_in_the_documentation() -> None:
    assert set(NOT_RUN) - {command.text for command in COMMANDS} == set()
    assert set(STATUS) - {(command.page, command.text) for command in COMMANDS} == set()


def pages_of(language: str) -> list[str]:
    return sorted({snippet.page for snippet in snippets(language)})


@pytest.mark.parametrize("page", pages_of("yaml"))
def test_a_yaml_snippet_holds(
    page: str, new_project: Callable[[str], Path], subtests: pytest.Subtests
) -> None:
    for snippet in snippets("yaml"):
        if snippet.page == page:
            with subtests.test(str(snippet)):
                value: Any = YAML(typ="safe").load(snippet.text)
                kinds = [
                    name for name, (is_kind, _) in KINDS.items() if is_kind(snippet.text, value)
                ]
                assert len(kinds) == 1, kinds
                KINDS[kinds[0]][1](snippet, value, new_project(page))


def test_a_toml_snippet_is_a_configuration(
    new_project: Callable[[str], Path], subtests: pytest.Subtests
) -> None:
    for snippet in snippets("toml"):
        with subtests.test(str(snippet)):
            check_configuration("pyproject.toml", snippet.text, new_project(snippet.page))


def test_a_json_snippet_is_json(subtests: pytest.Subtests) -> None:
    for snippet in snippets("json"):
        with subtests.test(str(snippet)):
            assert json.loads(snippet.text)


def test_every_block_names_a_known_language() -> None:
    from markdown_it import MarkdownIt
    from snippets import PAGES

    for page in PAGES:
        fences = [
            t for t in MarkdownIt().parse(page.read_text(encoding="utf-8")) if t.type == "fence"
        ]
        assert {fence.info for fence in fences} <= LANGUAGES, page


def check_configuration(name: str, text: str, project: Path) -> None:
    """A configuration that is accepted: the checked file is clean or has findings, and no problem is reported."""
    (project / "crds" / name).write_text(text, encoding="utf-8")
    done = run("crdlint check crds", project)
    assert done.returncode in {0, 1}, done.stderr
    assert name not in done.stderr


def _configuration(snippet: Snippet, _value: Any, project: Path) -> None:
    check_configuration(".crdlint.yaml", snippet.text, project)


def _pre_commit(_snippet: Snippet, value: Any, _project: Path) -> None:
    hooks = {hook["id"] for hook in YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")}
    assert {hook["id"] for repository in value["repos"] for hook in repository["hooks"]} <= hooks


def _workflow(_snippet: Snippet, value: Any, _project: Path) -> None:
    steps = (
        value
        if isinstance(value, list)
        else [s for job in value["jobs"].values() for s in job["steps"]]
    )
    ours = [step for step in steps if step["uses"].startswith("crdlint/crdlint@")]
    assert ours
    inputs = set(YAML(typ="safe").load(ROOT / "action.yml")["inputs"])
    for step in ours:
        assert set(step.get("with", {})) <= inputs


def _gitlab(_snippet: Snippet, value: Any, project: Path) -> None:
    [(_, job)] = value.items()
    install, *script = job["script"]
    assert install.startswith("pip install")
    for line in script:
        done = run(line, project)
        assert done.returncode in {0, 1}, done.stderr
    for report in job["artifacts"]["reports"].values():
        assert (project / report).stat().st_size


def _chart_testing(_snippet: Snippet, value: Any, project: Path) -> None:
    for command in value["additional-commands"]:
        done = run(f'ct lint --additional-commands "{command}"', project)
        assert done.returncode == 0, done.stderr


def _suite(snippet: Snippet, _value: Any, project: Path) -> None:
    (project / "api" / "docs.testsuite.yaml").write_text(snippet.text, encoding="utf-8")
    done = run("crdlint test api/docs.testsuite.yaml", project)
    assert done.returncode == 0, done.stdout + done.stderr


def _ignore_comments(snippet: Snippet, _value: Any, project: Path) -> None:
    """Part of a schema: its ignore comments are read, and each one hides a finding."""
    crd = (ROOT / "fixtures/valid/minimal.yaml").read_text(encoding="utf-8")
    schema = "".join(f"        {line}\n" for line in snippet.text.splitlines())
    (project / "crds/docs.yaml").write_text(crd.rstrip() + "\n" + schema, encoding="utf-8")
    done = run("crdlint check crds/docs.yaml --format concise", project)
    assert "ignore-" not in done.stdout, done.stdout
    assert "yaml-boolean" not in done.stdout, done.stdout


def _editor_schema(snippet: Snippet, _value: Any, _project: Path) -> None:
    [path] = re.findall(r"crdlint/crdlint/main/(\S+)", snippet.text)
    assert json.loads((ROOT / path).read_text(encoding="utf-8"))


def _keys(value: Any) -> set[str]:
    return set(value) if isinstance(value, dict) else set()


KINDS: Final[dict[str, tuple[Callable[[str, Any], bool], Callable[..., None]]]] = {
    "configuration": (lambda text, _: text.startswith("# .crdlint.yaml"), _configuration),
    "pre-commit": (lambda _, value: "repos" in _keys(value), _pre_commit),
    "workflow": (lambda _, value: "jobs" in _keys(value) or isinstance(value, list), _workflow),
    "GitLab": (lambda _, value: "crdlint" in _keys(value), _gitlab),
    "chart-testing": (lambda _, value: "additional-commands" in _keys(value), _chart_testing),
    "suite": (lambda _, value: "tests" in _keys(value), _suite),
    "ignore comments": (lambda text, _: "# crdlint: ignore" in text, _ignore_comments),
    "schema for editors": (
        lambda text, _: text.startswith("# yaml-language-server"),
        _editor_schema,
    ),
}


def test_the_number_of_recorded_requests_is_right() -> None:
    """The pages may lag behind: somebody who adds a few requests need not change them."""
    requests = len(recorded_requests())
    for page in ("README.md", "docs/index.md", "docs/parity.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        stated = [int(number.replace(",", "")) for number in _REQUESTS.findall(text)]
        assert stated, page
        assert all(requests - 100 <= number <= requests for number in stated), (page, stated)


_REQUESTS: Final = re.compile(r"(\d,\d{3}) requests\b")
