"""Scratch repositories, and commands run in them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[1]

GOOD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
"""
WITH_SPEC = f"""\
{GOOD}        properties:
          spec:
            type: object
"""
BAD = GOOD.replace("type: object", "type: strange")
WIDGET_OF_SIZE = """\
apiVersion: example.com/v1
kind: Widget
metadata:
  name: one
spec:
  size: {}
"""
NO_CRD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: none\ndata:\n  a: b\n"

# What stands in the environment of a CI job, or of the hook that runs the tests, is not for the commands under test.
_FOREIGN = (
    "CI_",
    "CRDLINT_DEBUG",
    "FORCE_COLOR",
    "GIT_",
    "GITHUB_",
    "NO_COLOR",
    "PIP_",
    "PRE_COMMIT",
)


def clean() -> dict[str, str]:
    """Return the environment without what is another's, and with nobody's configuration of git."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    return {
        **kept,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "COLUMNS": "80",
    }


def run(
    *command: str | Path, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


def must(*command: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    """Run a command that is to succeed, and return what it says."""
    done = run(*command, cwd=cwd, env=env)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files below a folder, and return the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def commit(folder: Path) -> str:
    """Make a folder a git repository, commit all that is in it, and return the commit."""
    who = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    must("git", "init", "-q", cwd=folder, env=clean())
    must("git", "add", "-A", cwd=folder, env=clean())
    must("git", *who, "commit", "-q", "-m", "all", cwd=folder, env=clean())
    return must("git", "rev-parse", "HEAD", cwd=folder, env=clean()).strip()
