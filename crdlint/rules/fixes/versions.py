"""Fixes for the findings of `rules/server/versions.py`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from crdlint.crd.errors import Code
from crdlint.crd.model import CustomResourceDefinitionVersion
from crdlint.light import regex
from crdlint.rules.engine.edits import Edits, expect, require
from crdlint.rules.engine.examples import HEAD
from crdlint.rules.engine.finding import FieldFinding
from crdlint.rules.engine.fixer import Fixer, FixesOf
from crdlint.rules.fixes.repeated_fields import OUTDENTED
from crdlint.rules.fixes.v1beta1 import open_schema
from crdlint.rules.helps.versions import ends_early
from crdlint.rules.server.versions import (
    ANY_FIELDS,
    BASE,
    DEPRECATION,
    NAME,
    SCHEMA_REQUIRED,
    STORAGE,
    VERSIONS,
    version_with,
    versions_with,
)
from crdlint.yaml.nodes import Mapping, child, items_of

_VERSION: Final = regex(
    r"[vV]?([1-9]\d{0,61})(?:\.0)*[ ._]*((?:(?:alpha|beta)[1-9]\d*)?)\Z", re.IGNORECASE
)


_WITH_COLUMN = HEAD.replace("- name: v1\n    served", "- served") + (
    "        type: object\n    additionalPrinterColumns:\n    - jsonPath: .metadata.name\n      name: A\n      type: string\n"
)


@Fixer("Add a schema that keeps all fields", "unsafe").example(
    good=f"versions: [{version_with('v1', fields=ANY_FIELDS)}]"
)
def _any_schema(finding: FieldFinding) -> Edits:
    version = finding.mapping(
        VERSIONS.index(next(step for step in finding.path.steps() if isinstance(step, int)))
    )
    schema = child(version, "schema")
    if not isinstance(schema, Mapping) or not schema.items:
        yield finding.editor.set(version, "schema", open_schema(finding.editor))


@Fixer("Write the name as Kubernetes names versions", "unsafe")
def _like_a_version(finding: FieldFinding) -> Edits:
    match = require(_VERSION.match(finding.scalar().value))
    yield finding.editor.respell(finding.scalar(), f"v{match[1]}{match[2].lower()}")


def _nodes(finding: FieldFinding) -> list[Mapping]:
    listed = child(expect(Mapping, finding.root, "spec"), "versions")
    return [node for node in items_of(listed) if isinstance(node, Mapping)]


@Fixer("Store objects in the only version", "safe").example(
    bad=f"versions: [{version_with('v1', storage=False)}]", good=f"versions: [{BASE}]\n"
)
def _only_version(finding: FieldFinding) -> Edits:
    versions = _nodes(finding)
    if (
        len(versions) == 1
        and not finding.crd.spec.versions[0].storage
        and not ends_early(finding.crd.spec.versions)
    ):
        yield finding.editor.set(
            versions[0],
            "storage",
            "true",
            after="served",
        )


def _preference(version: CustomResourceDefinitionVersion) -> tuple[bool, bool, bool, int]:
    """Return what is greater for versions that objects are rather stored in: current, stable and later ones."""
    name, match = version.name, _VERSION.match(version.name)
    return (
        not version.deprecated,
        "alpha" not in name,
        "beta" not in name,
        int(match[1]) if match else 0,
    )


def _storage_candidates(
    versions: Sequence[CustomResourceDefinitionVersion], nodes: Sequence[Mapping]
) -> Sequence[int]:
    """Return the indexes of the versions of which one may be meant: those that are stored, else the only one without `storage`."""
    stored = [i for i, version in enumerate(versions) if version.storage]
    unset = [i for i, node in enumerate(nodes) if node.find("storage") is None]
    if stored:
        return stored
    return unset if len(unset) == 1 else range(len(nodes))


@Fixer("Store objects in one version only", "unsafe").example(
    good=versions_with(version_with("v1", storage=False), version_with("v2", fields=ANY_FIELDS))
)
def _one_stored(finding: FieldFinding) -> Edits:
    versions = finding.crd.spec.versions
    nodes = _nodes(finding)
    if len(nodes) != len(versions) or not nodes or ends_early(versions):
        return
    candidates = _storage_candidates(versions, nodes)
    keep = max(candidates, key=lambda i: (_preference(versions[i]), i))
    for i, node in enumerate(nodes):
        if (i == keep) != versions[i].storage:
            yield finding.editor.set(
                node,
                "storage",
                "true" if i == keep else "false",
                after="served",
            )


@Fixer("Mark the version as deprecated", "safe")
def _deprecated(finding: FieldFinding) -> Edits:
    if finding.reason(Code.NOT_DEPRECATED):
        yield finding.editor.set(
            finding.owner,
            "deprecated",
            "true",
            before="deprecationWarning",
        )


FIXES: Final = FixesOf(
    FieldFinding,
    {
        SCHEMA_REQUIRED.id: (_any_schema,),
        NAME.id: (
            _like_a_version,
            OUTDENTED.example(
                f"{_WITH_COLUMN}      name: v1\n", f"{_WITH_COLUMN}    name: v1\n", "text"
            ),
        ),
        STORAGE.id: (_only_version, _one_stored),
        DEPRECATION.id: (_deprecated,),
    },
)
