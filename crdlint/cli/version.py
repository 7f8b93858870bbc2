"""`crdlint --version`: the version, the commit if it is known, and the Kubernetes versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from crdlint.__about__ import COMMIT, __version__

_DIGITS: Final = 12


def version_line() -> str:
    """Return the line that `--version` prints."""
    from crdlint.kubernetes.servers import NEWEST, OLDEST

    commit = COMMIT or _installed_commit() or _commit_of_checkout()
    return f"crdlint {__version__}{f' ({commit[:_DIGITS]})' if commit else ''}, Kubernetes {OLDEST} to {NEWEST}"


def _installed_commit() -> str:
    """Return the commit that pip installed from a git URL, empty if it installed something else."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        origin = json.loads(distribution("crdlint").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return ""
    return str(origin.get("vcs_info", {}).get("commit_id", ""))


def _commit_of_checkout() -> str:
    """Return the commit of the working copy that the package is in, empty if it is in none."""
    folder = Path(__file__).parents[2]
    if not (folder / ".git").exists():
        return ""
    from crdlint.safety.programs import ProgramError, find, run

    git = find("git")
    try:
        done = None if git is None else run([git, "rev-parse", "HEAD"], folder=str(folder))
    except ProgramError:
        return ""
    return "" if done is None or done.status else done.output.strip()
