"""`extend`: a configuration that adds to another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from commands import crdlint
from crds import SMALLEST
from tables import each

from crdlint.config.load import read_config
from crdlint.config.model import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

BASE: Final = """\
select: ["cel-*", ours]
ignore: [pattern-invalid, {rules: [yaml-boolean], crd: old.example.com, reason: old}]
severity: {yaml-boolean: error, cel-*: warning}
exclude: [/generated/]
kube-version: 1.30..1.31
fail-on: warning
sets: {ours: [yaml-boolean, names-defaulted]}
"""


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = folder / name.replace("__", "/")
        path.mkdir(parents=True, exist_ok=True)
        (path / ".crdlint.yaml").write_text(text)


def test_settings_are_added_or_replaced(tmp_path: Path) -> None:
    own = "extend: ../base/.crdlint.yaml\nignore: [enum-*]\nseverity: {yaml-boolean: info}\n"
    write(tmp_path, base=BASE, app=f"{own}kube-version: '1.29'\nexclude: [x.yaml]\n")
    config = read_config(str(tmp_path / "app/.crdlint.yaml"))
    assert config.file == str(tmp_path / "app/.crdlint.yaml")
    assert config.folder == str(tmp_path / "app")
    assert config.select == ("cel-*", "yaml-boolean", "names-defaulted")
    assert config.ignore == ("pattern-invalid", "enum-*")
    [entry] = config.ignores
    assert (entry.file, entry.line) == (str(tmp_path / "base/.crdlint.yaml"), 2)
    assert config.severity_of("yaml-boolean", "warning") == "info"
    assert config.severity_of("cel-rule-cost", "error") == "warning"
    assert config.exclude == ("/generated/", "x.yaml")
    assert (str(config.kube_version), config.fail_on) == ("1.29", "warning")


def test_sets_of_the_other_file_have_names_here(tmp_path: Path) -> None:
    own = "extend: ../base/.crdlint.yaml\nsets: {mine: [ours, enum-*]}\nselect: [mine]\n"
    write(tmp_path, base=BASE, app=own)
    config = read_config(str(tmp_path / "app/.crdlint.yaml"))
    assert config.select == ("yaml-boolean", "names-defaulted", "enum-*")


def test_a_file_extends_one_that_extends_another(tmp_path: Path) -> None:
    toml = "[tool.crdlint]\nextend = '.crdlint.yaml'\nfail-on = 'never'\n"
    write(tmp_path, base=BASE, app__sub="extend: ../../base/pyproject.toml\nselect: ['*']\n")
    (tmp_path / "base/pyproject.toml").write_text(toml)
    config = read_config(str(tmp_path / "app/sub/.crdlint.yaml"))
    assert (config.select, config.fail_on) == (("*",), "never")
    assert str(config.kube_version) == "1.30..1.31"


@each(
    "texts, message",
    [
        ({"a": "extend: ../b/.crdlint.yaml\n"}, "a/.crdlint.yaml:1:9: 'extend': "),
        (
            {"a": "extend: .crdlint.yaml\n"},
            "a/.crdlint.yaml:1:9: 'extend': the file extends itself",
        ),
        (
            {"a": "x-y: 1\n", "b": "\nextend: ../a/.crdlint.yaml\n"},
            "a/.crdlint.yaml:1:1: unknown key 'x-y'",
        ),
        (
            {"a": "extend: ../b/.crdlint.yaml\n", "b": "extend: ../a/.crdlint.yaml\n"},
            "extends itself",
        ),
        ({"a": "extend: [b]\n"}, "a/.crdlint.yaml:1:1: 'extend' must be text, not a list"),
        ({"a": "extend: ''\n"}, "a/.crdlint.yaml:1:9: 'extend' is empty"),
        ({"a": "select: [ours]\n"}, "there is no rule 'ours'"),
    ],
)
def test_mistakes_have_positions(texts: dict[str, str], message: str, tmp_path: Path) -> None:
    write(tmp_path, **texts)
    last = max(texts)
    with pytest.raises(ConfigError) as error:
        read_config(str(tmp_path / last / ".crdlint.yaml"))
    assert message in str(error.value)
    for name in texts:
        (tmp_path / name / ".crdlint.yaml").unlink()


def test_files_outside_of_the_repository_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("password: x\n")
    write(tmp_path, repo="extend: ../secret\n")
    (tmp_path / "repo/.git").mkdir()
    with pytest.raises(ConfigError, match="is not in the repository"):
        read_config(str(tmp_path / "repo/.crdlint.yaml"))
    (tmp_path / "repo/.crdlint.yaml").write_text("extend: link\n")
    (tmp_path / "repo/link").symlink_to("../secret")
    with pytest.raises(ConfigError, match="is not in the repository"):
        read_config(str(tmp_path / "repo/.crdlint.yaml"))


@pytest.mark.parametrize("name", [r"\0", r"a\0b.yaml", "x" * 5000, "/".join("x" * 3000)])
def test_names_that_no_file_has_are_mistakes(name: str, tmp_path: Path) -> None:
    write(tmp_path, repo=f'extend: "{name}"\n')
    with pytest.raises(ConfigError, match="'extend': "):
        read_config(str(tmp_path / "repo/.crdlint.yaml"))


def test_settings_name_the_line_that_extends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, base=BASE, app="extend: ../base/.crdlint.yaml\nfail-on: error\n")
    (tmp_path / "app/a.yaml").write_text(SMALLEST)
    shown = crdlint("check", "--show=settings", "app").stdout.splitlines()
    assert 'kube-version = "1.30..1.31"  # app/.crdlint.yaml:1 (extend)' in shown
    assert 'fail-on = "error"  # app/.crdlint.yaml:2' in shown
    assert 'min-severity = "info"  # default' in shown
