"""The texts of shared links, as node decodes them."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest

SHARE = Path(__file__).parents[2] / "playground/web/share.js"
NODE = shutil.which("node")
TEXTS = {"crd": "a: 1\n", "resource": "", "old": "", "version": "1.37"}
DECODE = """
const { decode } = await import(process.argv[1]);
const fragments = JSON.parse(require("fs").readFileSync(0, "utf8"));
Promise.all(fragments.map(decode)).then((states) => console.log(JSON.stringify(states.map((state) => state?.crd.length ?? null))));
"""


def link(text: str) -> str:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(text.encode()) + packer.flush()
    return "1." + base64.urlsafe_b64encode(data).decode().rstrip("=")


def of_size(characters: int) -> str:
    return link(json.dumps({**TEXTS, "crd": "x" * characters}))


def decoded(*fragments: str) -> list[int | None]:
    """Return how long the first text of each fragment is, None for a fragment that is not opened."""
    if NODE is None:
        pytest.skip("node is not installed")
    script = f"(async () => {{{DECODE}}})()"
    done = subprocess.run(
        [NODE, "-e", script, SHARE.as_uri()],
        input=json.dumps(fragments),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    lengths: list[int | None] = json.loads(done.stdout)
    return lengths


def test_a_link_inflates_to_at_most_five_megabytes() -> None:
    bomb = of_size(60_000_000)
    assert len(bomb) < 100_000
    assert decoded(of_size(5), of_size(4_999_000), of_size(5_000_000), bomb) == [
        5,
        4_999_000,
        None,
        None,
    ]


def test_another_fragment_is_not_opened() -> None:
    others = [
        "",
        "1.",
        "1.!!!",
        "2." + link("{}")[2:],
        link("[]"),
        link("null"),
        link('{"crd": 1}'),
        link(json.dumps({**TEXTS, "old": None})),
        link(json.dumps(TEXTS))[:-4],
    ]
    assert decoded(*others) == [None] * len(others)
