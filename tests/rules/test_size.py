"""CRDs too large for the annotation of client-side apply: how large, and what of it descriptions are."""

from __future__ import annotations

import pytest

import crdlint
from crdlint.rules.engine.examples import HEAD

CRD = (
    HEAD
    + """\
        type: object
        properties:
"""
)
FIELD = "          f{}:\n            type: string\n            description: {}\n"


def advice(fields: int, description: int) -> list[tuple[str, str | None]]:
    text = CRD + "".join(FIELD.format(i, "x" * description) for i in range(fields))
    return [(one.message, one.help) for one in crdlint.lint_text(text) if one.rule == "too-large-to-apply"]


def test_descriptions_that_may_be_left_out() -> None:
    [(message, help_)] = advice(1000, 400)
    assert message.endswith(" KiB of JSON, more than the 256 KiB that `kubectl apply` can store in an annotation")
    assert 400 < int(message.split()[1]) < 600
    assert help_ is not None
    assert "or remove the descriptions, " in help_


def test_descriptions_that_are_not_what_is_too_large() -> None:
    [(_, help_)] = advice(12000, 5)
    assert help_ is not None
    assert "the CRD would still be too large" in help_


@pytest.mark.parametrize(("bytes_left", "found"), [(0, 1), (2, 0)])
def test_the_limit(bytes_left: int, found: int) -> None:
    """What kubectl stores: compact JSON, a line break, and the annotation's own name."""
    head = crdlint.decode_yaml(CRD + FIELD.format(0, "x"))
    import json

    taken = len(json.dumps(head, separators=(",", ":"))) + 1 + len("kubectl.kubernetes.io/last-applied-configuration")
    assert len(advice(1, 262144 - taken + 2 - bytes_left)) == found
