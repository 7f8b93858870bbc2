"""Answers of earlier runs: the same to the byte, and none for a question that differs, or that asked for more."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from crdlint.cli import answers, streams

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import CompletedProcess

ROOT: Final = Path(__file__).resolve().parents[2]
FIXTURES: Final = ROOT / "fixtures"
BAD: Final = FIXTURES / "invalid" / "list-map-key-optional.yaml"
# Runs the program, and writes into a file whether it imported the commands.
RUN: Final = """
import atexit, sys
from pathlib import Path
from crdlint.__main__ import main
done = Path(sys.argv.pop(1))
atexit.register(lambda: done.write_text("run" if "click" in sys.modules else "answered"))
main()
"""


class Place:
    """A folder to run in, which has a CRD with an error, and a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        self.crd = self.folder / "crd.yaml"
        self.crd.write_bytes(BAD.read_bytes())
        self.cache = folder / "cache"
        self._how = folder / "how"

    def run(self, *arguments: str, **environment: str) -> tuple[CompletedProcess[bytes], str]:
        """Run the program, and return what it did, and whether it `run` or `answered`."""
        known = {name: text for name, text in os.environ.items() if not name.startswith("CRDLINT_")}
        own = {"CRDLINT_CACHE_DIR": str(self.cache), "CRDLINT_CACHE_KEY": "k", **environment}
        done = subprocess.run(
            [sys.executable, "-c", RUN, str(self._how), *arguments],
            cwd=self.folder,
            env={**known, "PYTHONPATH": str(ROOT), **own},
            capture_output=True,
            check=False,
        )
        return done, self._how.read_text()

    def is_answered(self, *arguments: str, **environment: str) -> bool:
        return self.run(*arguments, **environment)[1] == "answered"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def require_same(place: Place, *arguments: str) -> None:
    """Require that a run without the cache, the first and the second with it write the same, the last without a run."""
    plain, _ = place.run(*arguments, "--no-cache")
    first, how_first = place.run(*arguments)
    second, how = place.run(*arguments)
    assert (how_first, how) == ("run", "answered")
    shown = {(done.stdout, done.stderr, done.returncode) for done in (plain, first, second)}
    assert len(shown) == 1


OPTIONS: Final = {
    "text": (),
    "quiet": ("-q",),
    "lines": ("--format", "concise"),
    "annotations": ("--format=github",),
    "SARIF": ("--format", "sarif"),
    "Markdown": ("--format", "markdown"),
    "colours": ("--color", "always"),
    "counted": ("--statistics",),
    "one rule": ("--select", "unknown-field"),
    "a range of servers": ("--kube-version", "1.30..1.33"),
    "no trouble": ("--fail-on", "never"),
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_the_answer_is_the_same_to_the_byte(place: Place, options: tuple[str, ...]) -> None:
    (place.folder / "ä.yaml").write_text((FIXTURES / "valid" / "minimal.yaml").read_text())
    require_same(place, "check", "crd.yaml", "ä.yaml", *options)


def fixtures() -> list[Path]:
    return sorted((FIXTURES / "invalid").glob("*.yaml")) + sorted(
        (FIXTURES / "valid").glob("*.yaml")
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", fixtures(), ids=lambda path: path.stem)
def test_the_answer_about_each_fixture(place: Place, path: Path) -> None:
    place.crd.write_bytes(path.read_bytes())
    require_same(place, "check", "crd.yaml")


def test_what_nobody_reads_any_more(place: Place) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    statuses = []
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-m", "crdlint", "check", "crd.yaml"],
            cwd=place.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "CRDLINT_CACHE_DIR": str(place.cache)},
            stdout=writer,
            stderr=subprocess.PIPE,
            check=False,
        )
        statuses.append((done.returncode, done.stderr))
        place.run("check", "crd.yaml", CRDLINT_CACHE_KEY="")
    os.close(writer)
    assert set(statuses) == {(141, b"")}


def _write(name: str, text: str = "") -> Callable[[Place], None]:
    def change(place: Place) -> None:
        path = place.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    return change


def _link(name: str, target: str) -> Callable[[Place], None]:
    def change(place: Place) -> None:
        (place.folder / name).unlink(missing_ok=True)
        (place.folder / name).symlink_to(target)

    return change


CHANGES: Final = {
    "the content": _write("crd.yaml", BAD.read_text(encoding="utf-8") + "# more\n"),
    "a configuration": _write(".crdlint.yaml", "ignore: [list-map-key-required]\n"),
    "a configuration above": _write("../.crdlint.yaml", "kube-version: '1.30'\n"),
    "a project": _write("pyproject.toml", "[tool.crdlint]\nfail-on = 'never'\n"),
    "a chart": _write("Chart.yaml", "name: c\nversion: 1.0.0\napiVersion: v2\n"),
    "a chart above": _write("../Chart.yaml", "name: c\nversion: 1.0.0\napiVersion: v2\n"),
    "a kustomization": _write("kustomization.yaml", "patches: [{path: crd.yaml}]\n"),
    "a kustomization above": _write("../Kustomization", "patches: [{path: work/crd.yaml}]\n"),
    "a test of chainsaw": _write(
        "chainsaw-test.yaml", "spec: {steps: [{assert: {file: crd.yaml}}]}\n"
    ),
    "a link instead of the file": _link("crd.yaml", str(BAD)),
    "no file": lambda place: place.crd.unlink(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_another_question_has_another_answer(place: Place, change: Callable[[Place], None]) -> None:
    place.run("check", "crd.yaml")
    assert place.is_answered("check", "crd.yaml")
    change(place)
    done, how = place.run("check", "crd.yaml")
    assert how == "run"
    plain, _ = place.run("check", "crd.yaml", "--no-cache")
    assert (plain.stdout, plain.stderr, plain.returncode) == (
        done.stdout,
        done.stderr,
        done.returncode,
    )


def test_another_environment_or_secret(place: Place) -> None:
    place.run("check", "crd.yaml")
    assert place.is_answered("check", "crd.yaml")
    assert place.is_answered("check", "crd.yaml", OLDPWD="/", SHLVL="7")
    assert not place.is_answered("check", "crd.yaml", GITHUB_ACTIONS="true")
    assert not place.is_answered("check", "crd.yaml", CRDLINT_CACHE_KEY="of another one")
    assert not place.is_answered("check", "./crd.yaml")
    assert not place.is_answered("check", str(place.crd))


def test_an_entry_under_another_name_is_no_answer(place: Place) -> None:
    place.run("check", "crd.yaml")
    known = set(place.cache.glob("??/*"))
    place.run("check", "crd.yaml", "-q")
    (entry,) = set(place.cache.glob("??/*")) - known
    for other in known:
        entry.write_bytes(other.read_bytes())
        plain, how = place.run("check", "crd.yaml", "-q")
        assert (how, plain.returncode) == ("run", 1)
    entry.write_bytes(b"{}")
    assert not place.is_answered("check", "crd.yaml", "-q")
    assert place.is_answered("check", "crd.yaml", "-q")


def test_another_day(monkeypatch: pytest.MonkeyPatch) -> None:
    (today, tomorrow) = (_key(monkeypatch, day) for day in ("2026-11-28", "2026-11-29"))
    assert today == _key(monkeypatch, "2026-11-28")
    assert today != tomorrow


def _key(monkeypatch: pytest.MonkeyPatch, day: str) -> str:
    monkeypatch.setattr(time, "strftime", lambda _: day)
    return answers.Question(["check", str(BAD)]).key(b"secret")


# What asks for more than the files that are named.
MORE: Final = {
    "a folder": ("check", "."),
    "a pattern": ("check", "*.yaml"),
    "standard input": ("check", "-"),
    "standard input by another name": ("check", "/dev/stdin"),
    "an open file": ("check", "/dev/fd/0"),
    "no cache": ("check", "crd.yaml", "--no-cache"),
    "the time": ("check", "crd.yaml", "--format", "json"),
    "the time for JUnit": ("check", "crd.yaml", "--format", "junit"),
    "what is done": ("check", "crd.yaml", "--verbose"),
    "a report in a file": ("check", "crd.yaml", "--output", "json=report.json"),
    "a baseline": ("check", "crd.yaml", "--baseline=base.yaml", "--update-baseline"),
    "a configuration elsewhere": ("check", "crd.yaml", "--config=elsewhere/other.yaml"),
    "a revision": ("check", "crd.yaml", "--against", "HEAD"),
    "an older file": ("check", "crd.yaml", "--against=old.yaml"),
    "a comment": ("check", "crd.yaml", "--add-ignore"),
    "fixes": ("check", "crd.yaml", "--fix", "--unsafe-fixes"),
    "a chart": ("check", "chart/crds/crd.yaml"),
    "a configuration that extends another one": ("check", "extending/crd.yaml"),
    "a kustomization": ("check", "built/crd.yaml"),
    "settings": ("check", "crd.yaml", "--show=settings"),
}


@pytest.mark.parametrize("arguments", MORE.values(), ids=MORE)
def test_what_asks_for_more_is_run_each_time(place: Place, arguments: tuple[str, ...]) -> None:
    for folder in ("", "elsewhere/"):
        _write(f"{folder}other.yaml", "ignore: [list-map-key-required]\n")(place)
    for folder in ("chart", "chart/crds", "extending", "built"):
        _write(f"{folder}/crd.yaml", BAD.read_text(encoding="utf-8"))(place)
    _write("old.yaml", BAD.read_text(encoding="utf-8"))(place)
    _write("chart/Chart.yaml", "name: c\nversion: 1.0.0\napiVersion: v2\n")(place)
    _write("extending/.crdlint.yaml", "extend: ../other.yaml\n")(place)
    _write("built/kustomization.yaml", "resources: [crd.yaml]\n")(place)
    subprocess.run(["git", "init", "-q", "."], cwd=place.folder, check=True)
    place.run(*arguments)
    place.crd.write_bytes(BAD.read_bytes())
    assert not place.is_answered(*arguments)


@pytest.mark.parametrize("is_changed", [True, False])
def test_a_file_that_changes_during_the_run(
    place: Place, monkeypatch: pytest.MonkeyPatch, is_changed: bool
) -> None:
    monkeypatch.setenv("CRDLINT_CACHE_DIR", str(place.cache))
    monkeypatch.setattr(sys, "addaudithook", lambda _: None)
    monkeypatch.setattr(answers, "_is_terminal", lambda _: False)
    # Other tests import modules and change folders meanwhile.
    monkeypatch.setattr(answers, "_circumstances", lambda: iter(()))
    monkeypatch.delitem(sys.modules, "multiprocessing", raising=False)
    assert answers.answered(["check", str(place.crd)]) is None
    streams.written("found\n", is_error=False)
    if is_changed:
        _write("crd.yaml", "kind: ConfigMap\n")(place)
    streams.keep(1)
    streams.listen(None)
    assert len([*place.cache.glob("??/*")]) == (0 if is_changed else 1)


ASKED: Final = ("stat", "lstat", "open", "scandir", "listdir", "readlink", "access")
NAMED_FILES: Final = {
    "check": ("check", "crd.yaml"),
    "validate": ("validate", "--crd", "crds", "samples", "samples/one.yaml"),
}


@pytest.mark.parametrize("arguments", NAMED_FILES.values(), ids=NAMED_FILES)
def test_a_run_asks_for_nothing_that_is_not_in_its_question(
    place: Place, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    """The program asks whether files are there, of which Python tells no audit hook."""
    from crdlint.cli.main import cli

    (place.folder / ".git").mkdir()
    _write(".crdlint.yaml", "fail-on: never\n")(place)
    _resources(place)
    monkeypatch.chdir(place.folder)
    monkeypatch.setenv("CRDLINT_CACHE_DIR", str(place.cache))
    question = answers.Question(arguments)
    asked: set[str] = set()
    for name in ASKED:
        monkeypatch.setattr(os, name, _noting(getattr(os, name), asked))
    cli.main([*arguments], standalone_mode=False)
    monkeypatch.undo()
    beside = {
        f"{folder.rstrip(os.sep)}{os.sep}{name}"
        for folder in question.folders
        for name in answers.LOOKED_FOR
    }
    own = (str(place.cache), str(Path(answers.__file__).parents[1]), *filter(None, sys.path))
    others = {path for path in asked if not path.startswith(own)}
    known = question.files | set(question.folders) | beside
    options = {str(place.folder / each) for each in arguments if each.startswith("-")}
    unknown = others - known - options
    assert {path for path in unknown if not path.endswith("messages.mo")} == set()
    assert str(place.folder / ".crdlint.yaml") in asked


FIELDS: Final = (
    "        properties: {spec: {type: object, properties: {replicas: {type: integer}}}}\n"
)
SAMPLE: Final = (
    "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {replcias: 1}\n"
)
FLUX: Final = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"


def _resources(place: Place) -> None:
    """Write a CRD and a custom resource with an unknown field, each in a folder of its own."""
    _write("crds/crd.yaml", (FIXTURES / "valid" / "minimal.yaml").read_text() + FIELDS)(place)
    _write("samples/one.yaml", SAMPLE)(place)


VALIDATED: Final = {
    "a file": ("validate", "--crd", "crds/crd.yaml", "samples/one.yaml"),
    "folders": ("validate", "--crd", "crds", "samples"),
    "an update": ("validate", "--crd", "crds", "--old", "samples/one.yaml", "samples/one.yaml"),
}


@pytest.mark.parametrize("arguments", VALIDATED.values(), ids=VALIDATED)
@pytest.mark.parametrize("is_repository", [True, False])
def test_the_answer_about_resources(
    place: Place, arguments: tuple[str, ...], is_repository: bool
) -> None:
    _resources(place)
    if is_repository:
        subprocess.run(["git", "init", "-q", "."], cwd=place.folder, check=True)
        _write(".gitignore", "*.tmp\n")(place)
    require_same(place, *arguments)


OTHER_RESOURCES: Final = {
    "the object": _write("samples/one.yaml", SAMPLE.replace("replcias", "other")),
    "the CRD": _write("crds/crd.yaml", "kind: ConfigMap\n"),
    "another CRD": _write("crds/more.yaml", BAD.read_text(encoding="utf-8")),
    "another object": _write("samples/two.yaml", SAMPLE),
    "an object further down": _write("samples/more/two.yaml", SAMPLE),
    "who applies it": _write("samples/flux.yaml", FLUX),
    "a configuration": _write("samples/.crdlint.yaml", "ignore: [unknown-field]\n"),
    "a chart": _write("samples/Chart.yaml", "name: c\nversion: 1.0.0\napiVersion: v2\n"),
    "what git ignores": _write(".gitignore", "one.yaml\n"),
    "what git ignores in one folder": _write("samples/.gitignore", "one.yaml\n"),
    "a link": _link("samples/two.yaml", "one.yaml"),
    "no object": lambda place: (place.folder / "samples" / "one.yaml").unlink(),
}


@pytest.mark.parametrize("change", OTHER_RESOURCES.values(), ids=OTHER_RESOURCES)
def test_other_resources_have_another_answer(place: Place, change: Callable[[Place], None]) -> None:
    arguments = VALIDATED["folders"]
    _resources(place)
    subprocess.run(["git", "init", "-q", "."], cwd=place.folder, check=True)
    (place.folder / "samples" / "more").mkdir()
    place.run(*arguments)
    assert place.is_answered(*arguments)
    change(place)
    done, how = place.run(*arguments)
    assert how == "run"
    plain, _ = place.run(*arguments, "--no-cache")
    assert (plain.stdout, plain.stderr, plain.returncode) == (
        done.stdout,
        done.stderr,
        done.returncode,
    )


def test_a_neighbour_of_a_named_file(place: Place) -> None:
    arguments = VALIDATED["a file"]
    _resources(place)
    place.run(*arguments)
    assert place.is_answered(*arguments)
    _write("samples/flux.yaml", FLUX)(place)
    assert not place.is_answered(*arguments)


MORE_OF_RESOURCES: Final = {
    "CRDs near them": ("validate", "samples/one.yaml"),
    "the time": ("validate", "--crd", "crds", "--format", "json", "samples"),
    "fixes": ("validate", "--crd", "crds", "--fix", "--unsafe-fixes", "samples"),
    "a report in a file": ("validate", "--crd", "crds", "--output", "json=report.json", "samples"),
    "a folder in one word with its option": ("validate", "--crd=crds", "samples"),
    "standard input": ("validate", "--crd", "crds", "-"),
}


@pytest.mark.parametrize("arguments", MORE_OF_RESOURCES.values(), ids=MORE_OF_RESOURCES)
def test_a_validation_that_asks_for_more(place: Place, arguments: tuple[str, ...]) -> None:
    _resources(place)
    place.run(*arguments)
    _resources(place)
    assert not place.is_answered(*arguments)


def test_a_folder_with_too_many_files(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    _resources(place)
    monkeypatch.chdir(place.folder)
    monkeypatch.setattr(answers, "_is_terminal", lambda _: False)
    assert answers.question_of(VALIDATED["folders"]) is not None
    monkeypatch.setattr(answers, "_MOST_ENTRIES", 1)
    assert answers.question_of(VALIDATED["folders"]) is None
    monkeypatch.undo()
    monkeypatch.chdir(place.folder)
    monkeypatch.setattr(answers, "_is_terminal", lambda _: False)
    monkeypatch.setattr(answers, "_MOST_BYTES", 100)
    assert answers.question_of(VALIDATED["folders"]) is None


def _noting(function: Callable[..., Any], asked: set[str]) -> Callable[..., Any]:
    def noted(path: Any = ".", *arguments: Any, **settings: Any) -> Any:
        if not isinstance(path, int):
            asked.add(str(Path(os.fsdecode(path)).absolute()))
        return function(path, *arguments, **settings)

    return noted
