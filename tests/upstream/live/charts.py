"""Installing and upgrading the charts of `upstream/charts.py` on a server with Helm 3 and Helm 4, and what became of the CRDs.

Each chart is installed, upgraded to itself, uninstalled, and installed again. Each pair of revisions is installed and upgraded. The
errors are recorded for people to read; only whether there is one is compared, because Helm's words depend on time and order.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from crdlint.cli import console
from crdlint.phrases import counted

from ..charts import BY_CHANCE, CHECKED, GROUP, UPGRADED, write
from .api import CRDS, NAMES, Server
from .claims import today
from .cluster import Cluster
from .programs import NotBuiltError, Programs
from .releases import HELM
from .trying import clear

RECORD: Final = Path(__file__).parent.parent / "charts.json"
_NAMESPACE: Final = "crdlint-charts"
_RELEASE: Final = "machine"
_DISCOVERED: Final = 1.0  # seconds until the server lists the names of a changed CRD to clients
_DELETED: Final = 1.0  # seconds in which the server deletes a CRD that Helm asked it to delete
_LONGEST: Final = 300  # characters of an error
_NO_RELEASE: Final = "v0.0.0"
Outcome: TypeAlias = dict[str, Any]


def try_charts(cluster: Cluster, programs: Programs, name: str, *, record: bool) -> int:
    """Install the charts whose names contain `name` with both versions of Helm. Return how many outcomes differ from the record.

    Raises NotBuiltError, also for a server whose version no `kubeVersion` of a chart accepts.
    """
    version = cluster.server.version()
    if version.startswith(_NO_RELEASE):
        raise NotBuiltError(
            f"the server calls itself {version}, which Helm takes for no release: build it with the linker flags of releases.py"
        )
    known = _recorded()
    record_of = {"server": version, "date": today()}
    record_of |= {helm: release for helm, (_, release) in HELM.items()}
    failed = tried = 0
    for title, outcome in _outcomes(cluster, programs, name):
        tried += 1
        lines = _differences(title, known.get(title), outcome)
        failed += bool(lines)
        console.out("\n".join([f"{'differs' if lines else 'as recorded'}: {title}", *lines]))
        if record and lines:
            _write({**record_of, "outcomes": {**_recorded(), title: outcome}})
    console.out(f"{counted(tried, 'chart')}, {failed} {'recorded anew' if record else 'different'}")
    return 0 if record else failed


def _recorded() -> dict[str, Any]:
    """Return the recorded outcomes by the names of charts."""
    if not RECORD.exists():
        return {}
    outcomes: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))["outcomes"]
    return outcomes


def _write(values: Mapping[str, Any]) -> None:
    ordered = {**values, "outcomes": dict(sorted(values["outcomes"].items()))}
    RECORD.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _outcomes(cluster: Cluster, programs: Programs, name: str) -> Iterator[tuple[str, Outcome]]:
    """Yield the names of charts and pairs of charts with what each version of Helm did."""
    trials: dict[str, Callable[[_Trial], Outcome]] = {}
    for title, (files, _) in CHECKED.items():
        trials[f"check: {title}"] = lambda trial, files=files: trial.lived(files)  # type: ignore[misc]
    for title, (old, new, _) in UPGRADED.items():
        trials[f"upgrade: {title}"] = lambda trial, old=old, new=new: trial.upgraded(old, new)  # type: ignore[misc]
    for title, trial_of in trials.items():
        if name in title:
            yield title, {helm: _tried(cluster, programs.helm(helm), trial_of) for helm in HELM}


def _tried(cluster: Cluster, helm: Path, trial_of: Callable[[_Trial], Outcome]) -> Outcome:
    """Return the outcome of a trial in a folder of its own; what it creates is removed before and after."""
    with tempfile.TemporaryDirectory(prefix="crdlint-chart-") as folder:
        trial = _Trial(cluster, helm, Path(folder))
        trial.clear()
        try:
            return trial_of(trial)
        finally:
            trial.clear()


def _differences(title: str, recorded: Outcome | None, outcome: Outcome) -> list[str]:
    """Return in lines how an outcome differs from the recorded one, of which errors count only as errors."""
    if recorded is None:
        return ["  nothing is recorded", f"  + {json.dumps(outcome)}"]
    if any(name in title for name in BY_CHANCE) or _compared(recorded) == _compared(outcome):
        return []
    return [f"  - {json.dumps(recorded)}", f"  + {json.dumps(outcome)}"]


def _compared(outcome: Any) -> Any:
    """Return an outcome in which each error is True and each success False."""
    if isinstance(outcome, dict):
        return {key: _compared(value) for key, value in outcome.items()}
    return outcome if isinstance(outcome, list) else bool(outcome)


@dataclass
class _Trial:
    """A chart on a server: the Helm that installs it, and the folder of its files."""

    cluster: Cluster
    helm: Path
    folder: Path

    @property
    def _server(self) -> Server:
        return self.cluster.server

    def lived(self, files: Mapping[str, str]) -> Outcome:
        """Install a chart, upgrade it to itself, uninstall it, and install it again.

        `lost` are CRDs that were not the same after the upgrade, `left` those that were there after the uninstallation.
        """
        chart = str(write(self.folder / "chart", files))
        outcome: Outcome = {"install": self._run("install", _RELEASE, chart)}
        if outcome["install"]:
            return outcome | {"left": sorted(self._crds())}
        before = self._crds()
        outcome["upgrade"] = self._run("upgrade", _RELEASE, chart)
        outcome["lost"] = self._lost(before)
        outcome["uninstall"] = self._run("uninstall", _RELEASE)
        outcome["left"] = sorted(self._crds())
        outcome["again"] = self._run("install", _RELEASE, chart)
        return outcome

    def upgraded(self, old: Mapping[str, str], new: Mapping[str, str]) -> Outcome:
        """Install a chart, and upgrade it to another one.

        `lost` are CRDs that were not the same after the upgrade, `updated` those whose specs changed, `added` new ones.
        """
        outcome: Outcome = {
            "install": self._run("install", _RELEASE, str(write(self.folder / "old", old)))
        }
        before = self._crds()
        generations = dict(self._generations(before))
        outcome["upgrade"] = self._run("upgrade", _RELEASE, str(write(self.folder / "new", new)))
        after = self._crds()
        outcome["lost"] = self._lost(before)
        outcome["updated"] = sorted(
            name
            for name, generation in self._generations(after)
            if generations.get(name, generation) != generation
        )
        outcome["added"] = sorted(after.keys() - before.keys())
        return outcome

    def clear(self) -> None:
        """Remove what trials leave: the CRDs with their objects, and all that Helm has in their namespace."""
        clear(self._server, GROUP)
        place = f"/api/v1/namespaces/{_NAMESPACE}"
        for kind in ("secrets", "configmaps"):
            self._server.ask("DELETE", f"{place}/{kind}")

    def _run(self, *arguments: str) -> str:
        """Run Helm, and wait until the server has done what it asked for. Return Helm's error, empty if it succeeds."""
        # A new home each time: Helm keeps the names of resources there for hours.
        home = tempfile.mkdtemp(dir=self.folder)
        environment = {**os.environ, "KUBECONFIG": str(self.cluster.kubeconfig), "HOME": home}
        command = [str(self.helm), *arguments, "--namespace", _NAMESPACE]
        if arguments[0] == "install":
            command.append("--create-namespace")
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        time.sleep(_DELETED if arguments[0] == "uninstall" else _DISCOVERED)
        return _error(ran.stderr, str(self.folder)) if ran.returncode else ""

    def _crds(self) -> dict[str, str]:
        """Return the uids of the CRDs of the trial by their names; those that are being deleted do not count."""
        found = self._server.ask("GET", CRDS, accept=NAMES).body.get("items") or []
        metadata = [each["metadata"] for each in found]
        return {
            each["name"]: each["uid"]
            for each in metadata
            if each["name"].endswith(f".{GROUP}") and "deletionTimestamp" not in each
        }

    def _lost(self, before: Mapping[str, str]) -> list[str]:
        after = self._crds()
        return sorted(name for name, uid in before.items() if after.get(name) != uid)

    def _generations(self, names: Iterable[str]) -> Iterator[tuple[str, int]]:
        for name in names:
            yield name, self._server.ask("GET", f"{CRDS}/{name}").body["metadata"]["generation"]


def _error(output: str, folder: str) -> str:
    """Return the error among the lines that Helm writes, without the names of temporary folders."""
    start = max(output.find("Error: "), 0)
    return " ".join(output[start:].replace(folder, "").split())[:_LONGEST]
