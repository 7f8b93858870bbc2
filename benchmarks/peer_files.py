"""The files that `peers.py` measures on: CRDs of a size, CRDs whose rules do not compile, and custom resources."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from corpus import documents, with_spec
from resources import crd, objects

import crdlint

if TYPE_CHECKING:
    from collections.abc import Iterator


class Case(NamedTuple):
    """Files of one kind: `size` is the number of bytes or of objects; `resources` are validated against a CRD.

    `every` is in which rounds they are measured: others take minutes for the large ones.
    """

    name: str
    title: str
    size: int
    resources: bool = False
    every: int = 1


CASES: Final = (
    Case("one", "one CRD, 36 KB", 36_000),
    Case("few", "0.38 MB of CRDs", 380_000),
    Case("many", "16 MB of CRDs", 16_000_000, every=3),
    Case("broken", "100 CRDs with broken rules", 100),
    Case("object", "one custom resource", 1, resources=True),
    Case("objects", "1,000 custom resources", 1000, resources=True, every=3),
)
_BROKEN: Final = with_spec(
    "type: object\nproperties:\n  replicas: {type: integer}\n  name: {type: string}\n"
    "  ports: {type: array, maxItems: 9, items: {type: integer}}\n"
    "x-kubernetes-validations:\n- rule: self.replica@ > 0\n- rule: self.name.length == @\n- rule: self.ports.all(p, p > name@)"
)


def made_files(case: Case, folder: Path) -> None:
    """Write the files of a case: `files`, the CRDs and schemas that programs need for them, and requests for the recorder."""
    texts = list(_texts(case))
    for name in ("files", "crds", "schemas"):
        (folder / name).mkdir(parents=True)
    for number, text in enumerate(texts):
        (folder / "files" / f"{number:05}.yaml").write_text(text, encoding="utf-8")
    kind = "Foo" if case.resources else "CustomResourceDefinition"
    schema = _schema() if case.resources else {"type": "object", "required": ["spec", "metadata"]}
    for name in ("schema", kind.lower()):
        (folder / "schemas" / f"{name}.json").write_text(json.dumps(schema), encoding="utf-8")
    (folder / "crds" / "crd.yaml").write_text(crd(20), encoding="utf-8")
    requests = (json.dumps({"op": "create", "yaml": text}) for text in texts)
    (folder / "requests.ndjson").write_text(
        "".join(f"{one}\n" for one in requests), encoding="utf-8"
    )


def _texts(case: Case) -> Iterator[str]:
    if case.resources:
        yield from (text for text in objects(case.size).split("---\n") if text)
    elif case.name == "broken":
        yield from (_BROKEN.replace("@", str(number)) for number in range(case.size))
    elif case.name == "one":
        yield min(documents(), key=lambda text: abs(len(text) - case.size))
    else:
        yield from _up_to(case.size)


def _up_to(size: int) -> Iterator[str]:
    """Yield CRDs of so many bytes in all, each with another name."""
    texts, written, number = documents(), 0, 0
    while written < size:
        text = texts[number % len(texts)]
        if len(text) < size // 8:
            text = f"{text.rstrip()}\n# {number}\n"
            written += len(text)
            yield text
        number += 1


def _schema() -> dict[str, Any]:
    """Return the JSON schema of the custom resources, which other programs need in a file."""
    decoded: Any = crdlint.decode_yaml(re.sub(r"x-kubernetes-validations: .*", "", crd(20)))
    schema: dict[str, Any] = decoded["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return schema
