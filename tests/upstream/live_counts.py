"""How many requests running servers answered, which `live --record` keeps for docs/parity.md."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any, Final

from .rows import ANSWERS

LIVE: Final[Path] = ANSWERS / "live.json"


def live_counts() -> dict[str, Any]:
    """Return the counts by version: `server` is the release, and `asked` and `alike` are numbers of requests."""
    counts: dict[str, Any] = json.loads(LIVE.read_text(encoding="utf-8")) if LIVE.exists() else {}
    return counts


def write_live_counts(version: str, server: str, asked: int, alike: int) -> None:
    """Keep the counts of one version."""
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    counts = {
        **live_counts(),
        version: {"server": server, "date": today, "asked": asked, "alike": alike},
    }
    LIVE.write_text(json.dumps(dict(sorted(counts.items())), indent=2) + "\n", encoding="utf-8")
