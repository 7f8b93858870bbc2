"""The examples of the playground."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

PLAYGROUND: Final = Path(__file__).parents[2] / "playground"
EXAMPLES: Final = sorted((PLAYGROUND / "examples").glob("*.yaml"))


def parts(file: Path) -> dict[str, str]:
    """Return the texts of an example, as build.mjs reads them."""
    first, _, rest = file.read_text(encoding="utf-8").partition("\n")
    head = json.loads(first.removeprefix("# "))
    texts = [[""]]
    for line in rest.splitlines(keepends=True):
        if line.startswith("#=== "):
            texts.append([""])
        else:
            texts[-1].append(line)
    crd, resource, old = (["".join(text) for text in texts] + ["", ""])[:3]
    return {"version": "1.36", **head, "crd": crd, "resource": resource, "old": old}
