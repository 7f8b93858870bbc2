"""CRDs of apiextensions.k8s.io/v1beta1 rewritten for v1, as its conversion does.

Upstream: apiextensions pkg/apis/apiextensions/v1beta1 conversion.go and defaults.go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from crdlint.rules.engine.finding import mapping_at
from crdlint.yaml.editor import UneditableError
from crdlint.yaml.nodes import Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.rules.engine.finding import Finding
    from crdlint.yaml.edit import Edit
    from crdlint.yaml.editor import Editor
    from crdlint.yaml.nodes import Node

# What moves from the spec into each version: its name in the spec and in a version.
_PER_VERSION: Final = (
    ("validation", "schema"),
    ("subresources", "subresources"),
    ("additionalPrinterColumns", "additionalPrinterColumns"),
)
_OLD_PATH: Final = re.compile(r"^( *(?:- +)?)JSONPath:", re.MULTILINE)
_NO_SCHEMA: Final = "openAPIV3Schema:\n  type: object\n  x-kubernetes-preserve-unknown-fields: true"
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"


def rewritten(finding: Finding) -> Iterable[Edit]:
    """Yield the edits that make a block-style CRD of v1beta1 one of v1."""
    editor, root = finding.editor, finding.root
    api_version = root.find("apiVersion")
    spec = mapping_at(root, "spec")
    if api_version is None or not isinstance(api_version[1], Scalar) or spec.flow:
        raise UneditableError
    if api_version[1].value != "apiextensions.k8s.io/v1beta1":
        return
    yield editor.respell(api_version[1], "apiextensions.k8s.io/v1")
    shared = _shared_fields(editor, spec)
    for name in ("version", "preserveUnknownFields", *(old for old, _ in _PER_VERSION)):
        if spec.find(name) is not None:
            yield editor.remove(spec, name)
    if spec.find("scope") is None:
        yield editor.insert(spec, "scope", "Namespaced", before=editor.first(spec))
    yield from _versions(editor, spec, shared)
    yield from _conversion(editor, spec)


def _shared_fields(editor: Editor, spec: Mapping) -> dict[str, str]:
    """Return the fields that each version gets, as they are written there."""
    keeps = getattr((spec.find("preserveUnknownFields") or (None, None))[1], "value", "true") == "true"
    fields: dict[str, str] = {}
    for old, new in _PER_VERSION:
        found = spec.find(old)
        if found is None:
            continue
        source = _block(editor, found[1])
        if old == "validation" and keeps:
            source = _keeping(found[1], source)
        fields[new] = _OLD_PATH.sub(r"\1jsonPath:", source)
    fields.setdefault("schema", _indented(_NO_SCHEMA))
    return fields


def _keeping(validation: Node, source: str) -> str:
    """Return the source of a validation with unknown fields kept at the root of its schema."""
    schema = mapping_at(validation, "openAPIV3Schema")
    if schema.find(_PRESERVE) is not None:
        return source
    if schema.flow:
        raise UneditableError
    return f"{source}\n    {_PRESERVE}: true"


def _block(editor: Editor, node: Node) -> str:
    """Return a value as it follows a key: in the same line, or as a block below it."""
    source = editor.source(node)
    if isinstance(node, Scalar) or node.flow:
        return source
    return f"\n{source}" if isinstance(node, Sequence) else _indented(source)


def _indented(text: str) -> str:
    return "".join(f"\n  {line}" if line else "\n" for line in text.split("\n"))


def _versions(editor: Editor, spec: Mapping, shared: dict[str, str]) -> Iterator[Edit]:
    found = spec.find("versions")
    if found is not None and isinstance(found[1], Sequence) and found[1].items:
        for version in found[1].items:
            if not isinstance(version, Mapping) or version.flow:
                raise UneditableError
            for name, source in shared.items():
                if version.find(name) is None:
                    yield editor.insert(version, name, source)
        return
    given = spec.find("version")
    if given is None or not isinstance(given[1], Scalar):
        raise UneditableError
    lines = [f"- name: {editor.value(given[1].value, like=given[1])}", "  served: true", "  storage: true"]
    for field, source in shared.items():
        separator = "" if source.startswith("\n") else " "
        lines.append(f"  {field}:{separator}" + source.replace("\n", "\n  "))
    yield editor.insert(spec, "versions", "\n" + "\n".join(lines), before=_first_kept(spec))


def _first_kept(spec: Mapping) -> str:
    """Return the name of a field of the spec that stays where it is."""
    gone = {"version", "preserveUnknownFields", "versions", *(old for old, _ in _PER_VERSION)}
    return next(str(one.value) for one in spec.items[::2] if isinstance(one, Scalar) and one.value not in gone)


def _conversion(editor: Editor, spec: Mapping) -> Iterator[Edit]:
    """Yield the edits that move the webhook's configuration below `webhook`."""
    found = spec.find("conversion")
    if found is None or not isinstance(found[1], Mapping):
        return
    conversion = found[1]
    client = conversion.find("webhookClientConfig")
    if client is None:
        return
    if conversion.flow:
        raise UneditableError
    reviewed = conversion.find("conversionReviewVersions")
    versions = "[v1beta1]" if reviewed is None else _block(editor, reviewed[1])
    config = _block(editor, client[1]).replace("\n", "\n  ")
    separator = "" if config.startswith("\n") else " "
    between = "" if versions.startswith("\n") else " "
    listed = versions.replace("\n", "\n  ")
    webhook = f"\n  clientConfig:{separator}{config}\n  conversionReviewVersions:{between}{listed}"
    if reviewed is not None:
        yield editor.remove(conversion, "conversionReviewVersions")
    yield editor.remove(conversion, "webhookClientConfig")
    yield editor.insert(conversion, "webhook", webhook, before="strategy")
