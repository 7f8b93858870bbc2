"""Short names that two CRDs of a run share, in different files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from crds import SMALLEST

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path


def crd(name: str, names: str = "", group: str = "example.com") -> str:
    """Return a CRD with a plural, and with other names."""
    text = SMALLEST.replace("foos", name).replace("example.com", group)
    kind = name.capitalize()
    return text.replace("kind: Foo", f"kind: {kind}, listKind: {kind}List{names}")


def findings(folder: Path, *arguments: str) -> list[tuple[str, int, str]]:
    result = CliRunner().invoke(cli, ["check", "--format", "json", *arguments, str(folder)])
    found = [one for one in json.loads(result.stdout)["diagnostics"] if one["rule"] == "short-name-own-name"]
    return [(one["file"].rpartition("/")[2], one["line"], one["message"]) for one in found]


LINE = next(i for i, line in enumerate(SMALLEST.splitlines(), 1) if "plural: foos" in line)


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (crd("bars", ", singular: bar, shortNames: [ba, fo]"), "`fo` is also a short name of foos.example.com"),
        (crd("bars", ", singular: bar, shortNames: [foos]"), "`foos` is also the plural of foos.example.com"),
        (crd("bars", ", singular: bar, shortNames: [foo]"), "`foo` is also the singular of foos.example.com"),
        (crd("fo", ", singular: bar"), "`fo`, the plural, is also a short name of foos.example.com"),
        (crd("bars", ", singular: fo"), "`fo`, the singular, is also a short name of foos.example.com"),
        (crd("bars", ", singular: foo"), None),
        (crd("bars", ", singular: bar, shortNames: [fo]", "other.example.com"), None),
        (crd("foos", ", singular: foo, shortNames: [fo]"), None),
        (crd("bars", ", singular: bar, shortNames: [ba]"), None),
    ],
)
def test_names_of_two_crds_of_a_group(tmp_path: Path, second: str, expected: str | None) -> None:
    (tmp_path / "a.yaml").write_text(crd("foos", ", singular: foo, shortNames: [fo]"))
    (tmp_path / "b.yaml").write_text(second)
    message = f"{expected}: only one of the two CRDs can have it"
    wanted = [] if expected is None else [("b.yaml", LINE, message)]
    assert findings(tmp_path) == wanted
    assert findings(tmp_path) == wanted  # from the cache


def test_two_crds_of_one_file_share_a_name(tmp_path: Path) -> None:
    texts = [crd(name, f", singular: {name}x, shortNames: [fo]") for name in ("foos", "bars", "bazes")]
    (tmp_path / "a.yaml").write_text("---\n".join(texts))
    names = [message.partition(" is also ")[0] for _, _, message in findings(tmp_path)]
    assert names == ["`fo`", "`fo`"]


def test_shared_names_can_be_ignored(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(crd("foos", ", singular: foo, shortNames: [fo]"))
    text = crd("bars", ", singular: bar, shortNames: [fo]").splitlines()
    text[LINE - 1] += " # crdlint: ignore[short-name-own-name] renamed in v2"
    (tmp_path / "b.yaml").write_text("\n".join(text))
    assert findings(tmp_path) == []
    assert findings(tmp_path, "--ignore", "short-name-own-name") == []
