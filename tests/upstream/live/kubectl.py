"""Sending CRDs with the real kubectl, in three ways, and comparing what it prints with crdlint's answers for its senders."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import crdlint
from crdlint.cli import console

from .answers import plain
from .cluster import Cluster
from .programs import Programs
from .tally import Counts

# Each way to send a manifest, with the sender that crdlint is asked for.
WAYS: Final[Mapping[str, str]] = {
    "create": "kubectl",
    "apply": "kubectl-apply",
    "apply --server-side": "kubectl-server-side",
}
_KINDS: Final = ("decode", "strict", "field")
# The rule of CRDs that are too large for the annotation of client-side apply, and what the server then says.
_TOO_LARGE: Final = "too-large-to-apply"
_TOO_LONG: Final = "metadata.annotations: Too long: may not be more than 262144 bytes"
_LISTED: Final = re.compile(r"^\* ", re.MULTILINE)
_LONGEST: Final = 700  # characters of what kubectl prints


class Printed(NamedTuple):
    """Whether kubectl has sent a manifest that the server accepts, and what it prints on standard error."""

    accepted: bool
    text: str


def ask_kubectl(
    cluster: Cluster, programs: Programs, rows: Iterable[dict[str, Any]], show: int
) -> int:
    """Send the CRDs of requests to create one, by dry run, in all ways. Return how many answers differ."""
    counts = Counts()
    kubectl = programs.kubectl()
    with tempfile.TemporaryDirectory(prefix="crdlint-kubectl-") as folder:
        for row in rows:
            if row["op"] != "create":
                continue
            for way, sender in WAYS.items():
                lines = _compared(
                    kubectl, cluster.kubeconfig, Path(folder), way, sender, row["yaml"]
                )
                counts.add(way, is_alike=not lines)
                if lines and counts.different <= show:
                    console.out("\n".join([f"--- {row['id']}: kubectl {way}", *lines]))
    console.out(counts.summary())
    return counts.different


def _compared(
    kubectl: Path, kubeconfig: Path, folder: Path, way: str, sender: str, text: str
) -> list[str]:
    """Return in lines where crdlint's answer for a sender differs from what kubectl prints."""
    file = folder / ("crd.json" if _is_json(text) else "crd.yaml")
    file.write_text(text, encoding="utf-8")
    printed = _printed([str(kubectl), f"--kubeconfig={kubeconfig}", *way.split()], file)
    found = crdlint.lint_text(text, filename=file.name, sender=sender, kube_version="1.37")
    errors = [one for one in found if one.origin == "apiserver" and one.severity == "error"]
    rejections = [one for one in errors if one.kind in _KINDS]
    if way == "apply" and any(one.rule == _TOO_LARGE for one in found):
        return [] if _TOO_LONG in printed.text else [f"kubectl does not print {_TOO_LONG!r}"]
    lines = list(_missing(printed.text, rejections))
    if printed.accepted == bool(rejections):
        lines[:0] = [f"kubectl {'accepts' if printed.accepted else 'rejects'} it, crdlint does not"]
    return [*lines, f"  kubectl: {printed.text[:_LONGEST]}"] if lines else []


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _printed(command: list[str], file: Path) -> Printed:
    ran = subprocess.run(
        [*command, "--dry-run=server", "-f", file.name],
        cwd=file.parent,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    return Printed(ran.returncode == 0, ran.stderr)


def _missing(printed: str, rejections: list[crdlint.Diagnostic]) -> Iterator[str]:
    """Yield crdlint's messages that kubectl does not print, and how many errors kubectl lists if crdlint has another number.

    The lines of an error of server-side apply are in a random order, and words are wrapped.
    """
    told = _words(printed)
    first = [one for kind in _KINDS if (one := [r for r in rejections if r.kind == kind])][:1]
    messages = {plain(rejection.message) for rejection in (first[0] if first else ())}
    for message in sorted(messages):
        if any(_words(line) not in told for line in message.splitlines()):
            yield f"  only crdlint: {message[:_LONGEST]}"
    listed = len(_LISTED.findall(printed))
    if listed and messages and listed != len(messages):
        yield f"  kubectl lists {listed} errors, crdlint {len(messages)}"


def _words(text: str) -> str:
    return " ".join(plain(text).split())
