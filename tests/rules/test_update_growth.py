"""The work for an update grows with the CRD, not with its square."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from counting import LINEAR, growth
from crds import HEAD
from tables import each

import crdlint

if TYPE_CHECKING:
    from collections.abc import Callable

SPEC = HEAD.partition("  versions:")[0]
VERSION = """\
  - name: v{i}
    served: true
    storage: {storage}
    schema:
      openAPIV3Schema:
        type: object
        description: {text} {i}
"""


def versions(count: int, text: str = "old") -> str:
    first = VERSION.format(i=1, storage="true", text=text)
    return f"{SPEC}  versions:\n{first}" + "".join(
        VERSION.format(i=i, storage="false", text=text) for i in range(2, count + 1)
    )


def bundle(count: int, text: str = "old") -> str:
    data = base64.b64encode(b"-----BEGIN A-----\n-----END B-----\n" * count).decode()
    conversion = (
        "  conversion:\n    strategy: Webhook\n    webhook:\n      conversionReviewVersions: [v1]\n"
        f"      clientConfig: {{service: {{namespace: a, name: {text}}}, caBundle: {data}}}\n"
    )
    return SPEC + conversion + "  versions:\n" + VERSION.format(i=1, storage="true", text=text)


def stored(count: int, text: str = "old") -> str:
    names = ", ".join(f"w{i}" for i in range(count))
    return versions(2, text) + f"status: {{storedVersions: [v1, {names}]}}\n"


UPDATES: dict[str, tuple[Callable[..., str], int]] = {
    "versions": (versions, 80),
    "bundle": (bundle, 100),
    "stored versions": (stored, 80),
}


@each(("make", "size"), UPDATES.values(), ids=UPDATES)
@each("text", ["old", "new"])
def test_an_update(make: Callable[..., str], size: int, text: str) -> None:
    assert growth(lambda n: crdlint.lint_update(make(n), make(n, text)), size) < LINEAR
