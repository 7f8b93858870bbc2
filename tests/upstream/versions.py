"""The versions of Kubernetes that the recorder is built for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from .rows import HERE
from .toml_files import toml

RECORDER: Final = HERE / "recorder"

# The modules whose code decides answers; the others only support them.
_DECIDING: Final = (
    "k8s.io/apiextensions-apiserver",
    "k8s.io/apimachinery",
    "k8s.io/apiserver",
    "github.com/google/cel-go",
    "k8s.io/kube-openapi",
    "sigs.k8s.io/json",
    "sigs.k8s.io/yaml",
    "sigs.k8s.io/structured-merge-diff",
    "github.com/google/gnostic-models",
    "go.yaml.in/yaml",
)


@dataclass(frozen=True, slots=True)
class Build:
    """A build of the recorder.

    `name` is the minor version (`1.37`), or a patch release (`1.34.0`) whose answers differ from those of the newest.
    `release` is the patch release whose packages it is built with. `tags` choose the shims. `differs` is what a first patch
    release does otherwise than the newest one.
    """

    name: str
    release: str
    tags: tuple[str, ...]
    differs: str = ""

    @property
    def minor(self) -> str:
        """The minor version, such as `1.37`."""
        return ".".join(self.release.split(".")[:2])

    @property
    def packages(self) -> str:
        """The version of the server's packages, which is `0.37.2` for Kubernetes 1.37.2."""
        return "0" + self.release[1:]

    @property
    def go_mod(self) -> Path:
        """The file that pins the modules."""
        return RECORDER / "versions" / self.name / "go.mod"

    def modules(self) -> dict[str, str]:
        """Return the versions of the modules whose code decides answers."""
        pinned = re.findall(
            r"^(?:require)?\s+(\S+) (v\S+)", self.go_mod.read_text(encoding="utf-8"), re.MULTILINE
        )
        return {module: version for module, version in pinned if _decides(module)}


def _decides(module: str) -> bool:
    return re.sub(r"/v\d+$", "", module) in _DECIDING


@cache
def builds() -> dict[str, Build]:
    """Return all builds by name, the newest version first, each before its first patch release."""
    table = toml(HERE / "versions.toml")
    found: dict[str, Build] = {}
    for minor, row in table.items():
        tags = tuple(row.get("tags", ()))
        found[minor] = Build(minor, row["release"], tags)
        if "first" in row:
            own_tags = tuple(row.get("first_tags", tags))
            found[row["first"]] = Build(row["first"], row["first"], own_tags, row["differs"])
    return found


def newest() -> Build:
    """Return the build of the newest version."""
    return next(iter(builds().values()))
