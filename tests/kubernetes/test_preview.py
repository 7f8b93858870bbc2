"""Kubernetes 1.38 is a preview: it can be checked for, and is never the default."""

from __future__ import annotations

import pytest
from commands import crdlint as run
from crds import crd_in_json, schema_with_spec

from crdlint import lint_text, lint_update
from crdlint.kubernetes.servers import NEWEST, PREVIEW, SERVERS, parse_range

NETWORK = {
    "type": "string",
    "maxLength": 30,
    "x-kubernetes-validations": [{"rule": "cidr(self).isMask()"}],
}


def test_the_preview_is_not_the_default() -> None:
    assert PREVIEW not in SERVERS
    assert PREVIEW.minor == NEWEST.minor + 1
    assert parse_range(str(NEWEST)).preview_note is None


def test_a_range_may_end_with_the_preview() -> None:
    versions = parse_range(f"{NEWEST}..{PREVIEW}")
    assert versions.servers == (NEWEST, PREVIEW)
    assert versions.preview_note == (
        "Kubernetes 1.38 is a preview, from the sources of v1.38.0-beta.0; its answers are not recorded"
    )


def test_later_versions_are_unknown() -> None:
    with pytest.raises(ValueError, match=r"1\.39"):
        parse_range("1.39")


@pytest.mark.parametrize("command", ["check", "validate", "diff"])
def test_the_last_line_says_that_it_is_a_preview(command: str) -> None:
    arguments = {
        "check": ["fixtures/valid/minimal.yaml"],
        "validate": ["--crd", "fixtures/resources/crd.yaml", "fixtures/resources/good.yaml"],
        "diff": ["fixtures/valid/minimal.yaml", "fixtures/valid/minimal.yaml"],
    }[command]
    done = run(command, "--kube-version", "1.38", *arguments)
    assert done.stdout.splitlines()[-1].startswith("Kubernetes 1.38 is a preview")


def test_a_new_function_is_for_stored_rules_first() -> None:
    crd = crd_in_json(schema_with_spec(NETWORK))
    assert "isMask" in lint_text(crd, kube_version="1.38")[0].message
    assert lint_update(crd, crd, kube_version="1.38") == []
