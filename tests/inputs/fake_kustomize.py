"""A stand-in for kustomize: `build .` for resources, bases and JSON patches with a target, as crdlint writes them.

Run as a program. LOG is a file that the folders of its builds are appended to.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

LOG = os.devnull


def built(folder: Path) -> list[dict[str, Any]]:
    layer = json.loads((folder / "kustomization.yaml").read_text(encoding="utf-8"))
    objects: list[dict[str, Any]] = []
    for name in layer.get("resources", []):
        path = folder / name
        objects += built(path) if path.is_dir() else list(YAML(typ="safe").load_all(path))
    for patch in layer.get("patches", []):
        text = (
            (folder / patch["path"]).read_text(encoding="utf-8")
            if "path" in patch
            else patch["patch"]
        )
        for target in objects:
            if target["metadata"]["name"] == patch["target"]["name"]:
                apply(target, YAML(typ="safe").load(text))
    return objects


def apply(target: Any, operations: list[dict[str, Any]]) -> None:
    for operation in operations:
        *parents, last = operation["path"].strip("/").split("/")
        node = target
        for step in parents:
            node = node[int(step)] if isinstance(node, list) else node[step]
        node[last] = operation["value"]


def main() -> None:
    with Path(LOG).open("a", encoding="utf-8") as log:
        log.write(Path.cwd().name + "\n")
    for value in built(Path.cwd()):
        sys.stdout.write("---\n" + json.dumps(value, indent=1) + "\n")


if __name__ == "__main__":
    main()
