"""What decides how charts and kustomizations are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from crdlint.linter import FileResult


class Lint(Protocol):
    """What judges a text: ``crdlint.linter.lint_file`` or what stands in for it, with the caller's own options."""

    def __call__(
        self, text: str, *, filename: str, kube_version: str | None = None, skip_unfinished: bool = True
    ) -> FileResult:
        """Judge a text; without ``kube_version`` by the caller's own."""
        ...


@dataclass(frozen=True, slots=True)
class ChartOptions:
    """How to read charts and kustomizations.

    ``values`` are values files and ``sets`` assignments that go on to helm. ``kube_version`` is the one that the user asked
    for: where it is None, Chart.yaml's kubeVersion says what to check for. ``timeout`` holds for each run of a program,
    in seconds; a program that is None is not used.
    """

    values: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    include_dependencies: bool = False
    kube_version: str | None = None
    helm: str | None = "helm"
    kustomize: tuple[str, ...] = ("kustomize", "kubectl")
    timeout: float = 60.0
