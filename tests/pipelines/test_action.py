"""The GitHub action: its steps run as a runner runs them, with crdlint installed as it says."""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pytest
from ruamel.yaml import YAML
from scratch import BAD, GOOD, ROOT, clean, run, write

from crdlint import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ACTION: dict[str, Any] = YAML(typ="safe").load(ROOT / "action.yml")
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")

pytestmark = pytest.mark.skipif(
    shutil.which("bash") is None, reason="the action's steps are bash's"
)


@dataclass
class Runner:
    """What GitHub's runner keeps of a job."""

    temp: Path
    workspace: Path
    action: Path
    env: Mapping[str, str]
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    summary: str = ""

    def value(self, text: str) -> str:
        """Put values in place of expressions."""
        return _EXPRESSION.sub(lambda found: self._lookup(found[1]), text)

    def _lookup(self, name: str) -> str:
        if name.startswith("inputs."):
            name = name.removeprefix("inputs.")
            return str(self.inputs.get(name, ACTION["inputs"][name]["default"]))
        _, step, _, output = name.split(".")
        return self.outputs.get(step, {}).get(output, "")

    def step(self, name: str) -> tuple[int, str]:
        """Run a step, and return its exit status and what it says."""
        [step] = [one for one in STEPS if one.get("id") == name]
        assert step["shell"] == "bash"
        script, output, summary = (
            self.temp / f"{name}.{what}" for what in ("sh", "output", "summary")
        )
        script.write_text(step["run"], encoding="utf-8")
        output.write_text("")
        summary.write_text("")
        env = {
            **self.env,
            **{key: self.value(value) for key, value in step["env"].items()},
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(self.action),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_WORKSPACE": str(self.workspace),
            "RUNNER_TEMP": str(self.temp),
        }
        folder = self.workspace / self.value(step.get("working-directory", "."))
        done = run(
            "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script, cwd=folder, env=env
        )
        self.outputs[name] = dict(line.split("=", 1) for line in output.read_text().splitlines())
        self.summary = summary.read_text(encoding="utf-8")
        return done.returncode, done.stdout + done.stderr


# Modules that Python, venv, pip or crdlint import: each leaves a mark if it is imported from the workspace.
PLANTED = (
    "click", "codecs", "concurrent", "crdlint", "encodings", "ensurepip", "json", "logging", "multiprocessing", "os", "pip",
    "re", "ruamel", "runpy", "secrets", "sitecustomize", "subprocess", "typing", "usercustomize", "venv",
)  # fmt: skip


def plant(workspace: Path, mark: Path) -> None:
    """Put modules into a workspace, as a pull request may."""
    code = f"open({str(mark)!r}, 'a').write(__name__ + ' ')\n"
    write(
        workspace,
        {f"{name}.py": code for name in PLANTED}
        | {"crdlint/__init__.py": code, "crdlint/__main__.py": code},
    )


@pytest.fixture(scope="module")
def installed(
    tmp_path_factory: pytest.TempPathFactory, source: Path, offline: Mapping[str, str]
) -> Runner:
    temp, workspace = (tmp_path_factory.mktemp(name) for name in ("runner temp", "workspace"))
    mark = temp / "mark"
    plant(workspace, mark)
    env = {**offline, "CRDLINT_CACHE_DIR": str(temp / "cache"), "PYTHONPATH": "."}
    runner = Runner(
        temp, workspace, source, env, outputs={"python": {"python-path": sys.executable}}
    )
    status, said = runner.step("install")
    assert status == 0, said
    assert f"crdlint {__version__}" in said
    assert not mark.exists(), mark.read_text()
    return runner


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A job in which the Python of the tests has crdlint."""
    workspace = write(tmp_path / "work space", {"crds/good.yaml": GOOD, "crds/bad one.yaml": BAD})
    temp = tmp_path / "runner temp"
    folder = temp / "crdlint"
    folder.mkdir(parents=True)
    outputs = {"python": sys.executable, "folder": str(folder)}
    env = {**clean(), "CRDLINT_CACHE_DIR": str(temp / "cache"), "PYTHONPATH": "."}
    return Runner(
        temp,
        workspace,
        ROOT,
        env,
        outputs={"python": {"python-path": sys.executable}, "install": outputs},
    )


def test_annotates_sums_up_and_writes_sarif(runner: Runner) -> None:
    status, said = runner.step("check")
    assert status == 1
    assert runner.outputs["check"]["exit-code"] == "1"
    plain = re.sub(r"\x1b\[[\d;]*m", "", said)
    assert "  --> crds/bad one.yaml:15:15" in plain
    assert re.search(
        r"^::error file=crds/bad one\.yaml,line=15,.*title=type of `openAPIV3Schema`",
        said,
        re.MULTILINE,
    )
    assert "crds/bad one.yaml" in runner.summary
    with open(runner.outputs["check"]["sarif-file"], encoding="utf-8") as file:  # noqa: PTH123
        [result, *_] = json.load(file)["runs"][0]["results"]
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "crds/bad%20one.yaml"
    assert location["region"]["startLine"] == 15


def test_passes(runner: Runner) -> None:
    runner.inputs = {"paths": "crds/good.yaml"}
    status, said = runner.step("check")
    assert status == 0
    assert runner.outputs["check"]["exit-code"] == "0"
    assert "::error" not in said
    assert "checked 1 file, 1 CRD" in said
    assert runner.outputs["check"]["sarif-file"]


INPUTS: Final[list[tuple[dict[str, str], int, str]]] = [
    ({"paths": 'crds/good.yaml "crds/bad one.yaml"'}, 1, "checked 2 files"),
    ({"kube-version": "9.9"}, 2, "'9.9'"),
    ({"args": "--quiet --exclude 'crds/bad one.yaml'"}, 0, ""),
    ({"args": "--exclude 'unclosed"}, 1, "checked 2 files"),
    ({"paths": "it's a\\b.yaml"}, 1, "checked 2 files"),
    ({"working-directory": "crds", "paths": "good.yaml"}, 0, "checked 1 file"),
]
MORE_INPUTS: Final[list[tuple[dict[str, str], int, str]]] = [
    ({"args": '--exclude="crds/bad one.yaml"'}, 0, "checked 1 file"),
    ({"args": '--stdin-filename "open'}, 2, "--stdin-filename requires - as PATH"),
    ({"paths": "'crds/bad one.yaml'\ncrds/good.yaml"}, 1, "checked 2 files"),
    ({"paths": "crds/g*.yaml"}, 0, "checked 1 file"),
    ({"fail-on": "never"}, 0, "checked 2 files"),
    ({"fail-on": "sometimes"}, 2, "'sometimes' is not one of"),
    ({"kube-version": "1.29..1.35"}, 1, "checked 2 files"),
    ({"args": "--format concise"}, 1, "crds/bad one.yaml:15:15: error["),
    ({"paths": ""}, 1, "checked 2 files"),
    ({"paths": "nowhere"}, 2, "nowhere: No such file"),
]


@pytest.mark.parametrize(
    ("inputs", "status", "said"),
    [*INPUTS, *(pytest.param(*row, marks=pytest.mark.exhaustive) for row in MORE_INPUTS)],
)
def test_inputs(runner: Runner, inputs: dict[str, str], status: int, said: str) -> None:
    runner.inputs = inputs
    if "it's" in inputs.get("paths", ""):
        write(runner.workspace, {"it's": BAD, "a\\b.yaml": GOOD})
    got, output = runner.step("check")
    assert got == status, output
    assert said in output


@pytest.mark.exhaustive
def test_no_module_of_the_workspace_is_imported(
    installed: Runner, runner: Runner, tmp_path: Path
) -> None:
    """The installation imports none either, see `installed`."""
    runner.outputs = dict(installed.outputs)
    mark = tmp_path / "mark"
    plant(runner.workspace, mark)
    write(runner.workspace, {f"many/{i}.yaml": BAD for i in range(20)})
    runner.inputs = {"args": "--jobs 2"}
    status, said = runner.step("check")
    assert status == 1, said
    assert "crds/bad one.yaml" in said
    assert not mark.exists(), mark.read_text()


@pytest.mark.parametrize(
    "name",
    [
        "paths",
        "args",
        *(pytest.param(one, marks=pytest.mark.exhaustive) for one in ("kube-version", "fail-on")),
    ],
)
def test_inputs_are_never_run(runner: Runner, name: str) -> None:
    runner.inputs = {
        name: "x; touch pwned $(touch pwned) `touch pwned` && touch pwned\ntouch pwned"
    }
    runner.step("check")
    assert not (runner.workspace / "pwned").exists()


def test_text_of_files_does_not_speak_to_the_runner(runner: Runner) -> None:
    """A runner takes lines that begin with :: as commands, except between stop-commands and its token."""
    speaking = GOOD.replace("kind: Widget", "kind: '::error::x ::set-output name=a::b'")
    write(runner.workspace, {"crds/bad one.yaml": speaking})
    _, said = runner.step("check")
    match = re.search(
        r"^::stop-commands::([0-9a-f]{32})\n(.*)^::\1::\n", said, re.MULTILINE | re.DOTALL
    )
    assert match is not None
    heard = said[: match.start()] + said[match.end() :]
    commands = [line for line in heard.splitlines() if line.lstrip().startswith("::")]
    assert {line.split(" ")[0].split("::")[1] for line in commands} == {
        "group",
        "error",
        "endgroup",
    }


def test_what_was_written_before_is_not_taken_again(runner: Runner) -> None:
    runner.step("check")
    runner.inputs = {"fail-on": "sometimes"}
    status, said = runner.step("check")
    assert status == 2
    assert "sarif-file" not in runner.outputs["check"]
    assert "::group::" not in said


@pytest.mark.parametrize(
    "version", ["1.0; touch pwned", "--index-url=x", "1.0 @ file:///x", "$(touch pwned)"]
)
def test_version_is_a_version(runner: Runner, version: str) -> None:
    runner.inputs = {"version": version}
    status, said = runner.step("install")
    assert status == 2
    assert (
        said
        == "::error title=crdlint::The input 'version' is not a version. Write one such as 0.1.0, or remove it.\n"
    )


def test_no_script_has_an_expression_within() -> None:
    for step in STEPS:
        assert "${{" not in step.get("run", "")
        assert step.get("shell", "bash") == "bash"


def test_other_actions_are_pinned_to_commits() -> None:
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert len(used) == 2
    assert all(re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40}", one) for one in used)


def test_inputs_and_outputs_are_all_used_and_all_there() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"inputs\.([a-z-]+)", text)) == set(ACTION["inputs"])
    ids = {step["id"] for step in STEPS if "id" in step}
    assert set(re.findall(r"steps\.([a-z]+)\.", text)) <= ids
    assert all(isinstance(one["default"], str) for one in ACTION["inputs"].values())
