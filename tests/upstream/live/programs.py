"""Building kube-apiserver, etcd, kubectl and Helm from the module proxy, into a cache folder outside of the repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import platformdirs

from .releases import ETCD, ETCD_VERSION, HELM, Release

Report = Callable[[str], None]
_NO_GO: Final = "Go is not installed. Install Go 1.26 or newer, or name a running API server with --url and --token."
_NO_PROXY: Final = "the Go module proxy (GOPROXY) cannot be reached or does not serve it"


class NotBuiltError(Exception):
    """A program cannot be built; the message says why, in a sentence for a person."""


def cache_folder() -> Path:
    """Return the folder of programs that were built before; CRDLINT_UPSTREAM_CACHE overrides it."""
    named = os.environ.get("CRDLINT_UPSTREAM_CACHE")
    return Path(named) if named else Path(platformdirs.user_cache_dir("crdlint")) / "upstream"


@dataclass(frozen=True)
class Programs:
    """The programs of one release. Each is built when its path is asked for first, which takes minutes, and then kept.

    `report` gets a sentence for each program that is built. All methods raise NotBuiltError.
    """

    release: Release
    report: Report
    cache: Path

    def kube_apiserver(self) -> Path:
        return self._of_kubernetes("kube-apiserver")

    def kubectl(self) -> Path:
        return self._of_kubernetes("kubectl")

    def etcd(self) -> Path:
        return self._alone("etcd", ETCD, ETCD_VERSION)

    def helm(self, name: str) -> Path:
        """Return the path of Helm 3 ("helm3") or Helm 4 ("helm4")."""
        return self._alone(name, *HELM[name])

    def _of_kubernetes(self, name: str) -> Path:
        folder = self.cache / str(self.release)
        program = folder / "bin" / name
        if not program.exists():
            self.report(f"building {name} {self.release} (some minutes the first time)")
            self._write_module(folder)
            arguments = ["-mod=mod", "-ldflags", self.release.linker_flags, "-o", str(program)]
            _go("build", *arguments, f"k8s.io/kubernetes/cmd/{name}", folder=folder)
        return program

    def _write_module(self, folder: Path) -> None:
        """Write the go.mod that requires all of Kubernetes; the go command adds the rest, and the sums of all modules."""
        if (folder / "go.mod").exists():
            return
        folder.mkdir(parents=True, exist_ok=True)
        answer = _go("mod", "download", "-json", f"k8s.io/kubernetes@{self.release}", folder=folder)
        upstream = Path(json.loads(answer)["GoMod"]).read_text(encoding="utf-8")
        (folder / "go.mod").write_text(self.release.go_mod(upstream), encoding="utf-8")

    def _alone(self, name: str, package: str, version: str) -> Path:
        """Return the path of a program that is no part of Kubernetes."""
        folder = self.cache / f"{name}-{version}"
        program = folder / name
        if not program.exists():
            self.report(f"building {name} {version}")
            _write_module_of(f"{package}@{version}", folder)
            _go("build", "-mod=mod", "-o", str(program), package, folder=folder)
        return program


def _write_module_of(package: str, folder: Path) -> None:
    """Write the go.mod of a module that requires a package.

    `go install` would do without one, but refuses programs whose own go.mod replaces modules, as that of etcd does.
    """
    if (folder / "go.mod").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    _go("mod", "init", "program", folder=folder)
    _go("get", package, folder=folder)


def _go(*arguments: str, folder: Path) -> str:
    """Run the go command and return what it prints. Raises NotBuiltError."""
    go = shutil.which("go")
    if go is None:
        raise NotBuiltError(_NO_GO)
    environment = {**os.environ, "GOWORK": "off", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"}
    run = subprocess.run(
        [go, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if run.returncode:
        raise NotBuiltError(_reason(" ".join(arguments[:2]), f"{run.stderr}\n{run.stdout}"))
    return run.stdout


def _reason(command: str, output: str) -> str:
    """Return why the go command failed, in a sentence; `output` is all that it printed."""
    lines = [line for line in output.splitlines() if line.strip()]
    is_network = any(
        sign in output
        for sign in ("dial tcp", "403 Forbidden", "404 Not Found", "no such host", "timeout")
    )
    reason = _NO_PROXY if is_network else "the go command failed"
    return "\n".join([f"go {command}: {reason}:", *lines[-3:]])
