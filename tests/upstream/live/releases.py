"""The releases of Kubernetes whose API server can be built here, and the modules that it is built from."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ..versions import builds

ETCD: Final = "go.etcd.io/etcd/server/v3"
ETCD_VERSION: Final = "v3.6.14"
HELM: Final = {
    "helm3": ("helm.sh/helm/v3/cmd/helm", "v3.19.5"),
    "helm4": ("helm.sh/helm/v4/cmd/helm", "v4.3.1"),
}
# The newest patch of each minor version that the module proxy serves.
PATCHES: Final = {
    name: int(build.release.rpartition(".")[2])
    for name, build in builds().items()
    if name == build.minor
}
_STAGED: Final = re.compile(r"^\s+(k8s\.io/\S+) v0\.0\.0$", re.MULTILINE)
_GO: Final = re.compile(r"^go (\S+)$", re.MULTILINE)
_VERSION_PACKAGES: Final = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")


class Release(NamedTuple):
    """A patch release of Kubernetes, such as 1.37.2."""

    minor: int
    patch: int

    def __str__(self) -> str:
        return f"v1.{self.minor}.{self.patch}"

    @property
    def staged(self) -> str:
        """The version of the modules that are released with it, such as k8s.io/apiserver."""
        return f"v0.{self.minor}.{self.patch}"

    @property
    def linker_flags(self) -> str:
        """The flags of the linker with which a program reports the release as its version, and not that of a test build.

        Without them, the server runs with the feature gates of an unknown version.
        """
        values = {
            "gitVersion": str(self),
            "gitMajor": "1",
            "gitMinor": str(self.minor),
            "gitTreeState": "clean",
        }
        settings = [
            f"-X {package}.{name}={value}"
            for package in _VERSION_PACKAGES
            for name, value in values.items()
        ]
        return " ".join(["-s -w", *settings])

    def go_mod(self, upstream: str) -> str:
        """Return the go.mod of a module that builds programs of the release; `upstream` is the go.mod of k8s.io/kubernetes.

        That one names the modules that are released with it by v0.0.0, and replaces them by folders of its repository, which
        no other module can do.
        """
        go = _GO.search(upstream)
        if go is None:
            raise ValueError("the go.mod of k8s.io/kubernetes names no version of Go")
        replaced = "".join(
            f"\t{name} => {name} {self.staged}\n" for name in sorted(set(_STAGED.findall(upstream)))
        )
        return f"module server\n\ngo {go[1]}\n\nrequire k8s.io/kubernetes {self}\n\nreplace (\n{replaced})\n"


def release_of(version: str) -> Release:
    """Return the newest release of a minor version such as "1.37", or the release itself. Raises ValueError."""
    numbers = version.removeprefix("v").split(".")
    minor = ".".join(numbers[:2])
    if minor not in PATCHES or not all(number.isdigit() for number in numbers) or len(numbers) > 3:
        known = ", ".join(reversed(PATCHES))
        raise ValueError(
            f"no API server {version} can be built: choose one of {known}, or a patch release of one"
        )
    patch = int(numbers[2]) if len(numbers) == 3 else PATCHES[minor]
    return Release(int(numbers[1]), patch)
