"""What is loaded when: a pre-commit hook is felt."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import crdlint", {"ruamel", "rich", "click", "pathspec"}),
        (
            "from crdlint.cli.main import cli; cli.main(['--version'], standalone_mode=False)",
            {"ruamel", "rich", "pathspec"},
        ),
        ("import crdlint; crdlint.lint_text('a: 1')", {"rich", "click", "hypothesis", "antlr4"}),
    ],
)
def test_heavy_modules_stay_out(code, absent):
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sorted({{m.partition('.')[0] for m in sys.modules}}))"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.splitlines()[-1].split())
    assert loaded.isdisjoint(absent)
