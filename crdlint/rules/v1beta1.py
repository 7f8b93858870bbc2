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
    ("schema", "schema"),
    ("subresources", "subresources"),
    ("additionalPrinterColumns", "additionalPrinterColumns"),
    ("selectableFields", "selectableFields"),
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
    if spec.find("preserveUnknownFields") is not None:
        yield editor.remove(spec, "preserveUnknownFields")
    if spec.find("scope") is None:
        yield editor.insert(spec, "scope", "Namespaced", before=editor.first(spec))
    yield from _moved(editor, spec, _shared_fields(editor, spec), {"schema": _indented(_NO_SCHEMA)})
    yield from _conversion(editor, spec, "[v1beta1]")


def in_v1(finding: Finding) -> Iterable[Edit]:
    """Yield the edits that move fields, which v1beta1 had in the spec, to where v1 has them."""
    editor, spec = finding.editor, mapping_at(finding.root, "spec")
    mapping, key, _ = finding.entry
    if mapping is spec and key.value in _MOVED and not spec.flow:
        given, names = spec.find("version"), _version_names(spec)
        if given is None or not names or getattr(given[1], "value", None) in names:
            yield from _moved(editor, spec, _shared_fields(editor, spec, keeps=False), {})
    elif mapping is _conversion_of(spec) and key.value in {"webhookClientConfig", "conversionReviewVersions"}:
        yield from _conversion(editor, spec, "[v1]")


def _version_names(spec: Mapping) -> list[str]:
    """Return the names of the versions in the spec, without those that cannot be read."""
    found = spec.find("versions")
    listed = found[1].items if found is not None and isinstance(found[1], Sequence) else []
    names = [one.find("name") for one in listed if isinstance(one, Mapping)]
    return [name[1].value for name in names if name is not None and isinstance(name[1], Scalar)]


def _moved(editor: Editor, spec: Mapping, shared: dict[str, str], defaults: dict[str, str]) -> Iterator[Edit]:
    """Yield the edits that move fields of the spec into each version, which gets ``defaults`` for what it lacks."""
    for name in _MOVED:
        if spec.find(name) is not None:
            yield editor.remove(spec, name)
    yield from _versions(editor, spec, shared, defaults)


def _shared_fields(editor: Editor, spec: Mapping, *, keeps: bool = True) -> dict[str, str]:
    """Return the fields that each version gets, as they are written there."""
    keeps = keeps and getattr((spec.find("preserveUnknownFields") or (None, None))[1], "value", "true") == "true"
    fields: dict[str, str] = {}
    for old, new in _PER_VERSION:
        found = spec.find(old)
        if found is None:
            continue
        source = _block(editor, found[1])
        if old == "validation" and keeps:
            source = _keeping(found[1], source)
        if new in fields:
            raise UneditableError
        fields[new] = _OLD_PATH.sub(r"\1jsonPath:", source)
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


def _versions(editor: Editor, spec: Mapping, shared: dict[str, str], defaults: dict[str, str]) -> Iterator[Edit]:
    found = spec.find("versions")
    fields = {**defaults, **shared}
    if found is not None and isinstance(found[1], Sequence) and found[1].items:
        for version in found[1].items:
            if not isinstance(version, Mapping) or version.flow or any(version.find(name) for name in shared):
                raise UneditableError  # a version with a field of its own would not get what is removed
            for name, source in fields.items():
                if version.find(name) is None:
                    yield editor.insert(version, name, source)
        return
    given = spec.find("version")
    if given is None or not isinstance(given[1], Scalar):
        raise UneditableError
    lines = [f"- name: {editor.value(given[1].value, like=given[1])}", "  served: true", "  storage: true"]
    for field, source in fields.items():
        separator = "" if source.startswith("\n") else " "
        lines.append(f"  {field}:{separator}" + source.replace("\n", "\n  "))
    yield editor.insert(spec, "versions", "\n" + "\n".join(lines), before=_first_kept(spec))


def _first_kept(spec: Mapping) -> str:
    """Return the name of a field of the spec that stays where it is."""
    gone = {*_MOVED, "preserveUnknownFields", "versions"}
    return next(str(one.value) for one in spec.items[::2] if isinstance(one, Scalar) and one.value not in gone)


_MOVED: Final = ("version", *(old for old, _ in _PER_VERSION))


def _conversion_of(spec: Mapping) -> Mapping | None:
    found = spec.find("conversion")
    return found[1] if found is not None and isinstance(found[1], Mapping) else None


def _conversion(editor: Editor, spec: Mapping, default: str) -> Iterator[Edit]:
    """Yield the edits that move the webhook's configuration below `webhook`, with ``default`` as its review versions."""
    conversion = _conversion_of(spec)
    if conversion is None:
        return
    client = conversion.find("webhookClientConfig")
    reviewed = conversion.find("conversionReviewVersions")
    webhook_given = conversion.find("webhook")
    if client is None and reviewed is None:
        return
    if conversion.flow or (client is not None and webhook_given is not None):
        raise UneditableError
    if client is None and reviewed is not None:
        below = mapping_at(conversion, "webhook")
        if below.find("conversionReviewVersions") is None:
            yield editor.insert(below, "conversionReviewVersions", _block(editor, reviewed[1]))
            yield editor.remove(conversion, "conversionReviewVersions")
        return
    assert client is not None  # noqa: S101  one of the two is given
    versions = default if reviewed is None else _block(editor, reviewed[1])
    config = _block(editor, client[1]).replace("\n", "\n  ")
    separator = "" if config.startswith("\n") else " "
    between = "" if versions.startswith("\n") else " "
    listed = versions.replace("\n", "\n  ")
    webhook = f"\n  clientConfig:{separator}{config}\n  conversionReviewVersions:{between}{listed}"
    if reviewed is not None:
        yield editor.remove(conversion, "conversionReviewVersions")
    yield editor.remove(conversion, "webhookClientConfig")
    yield editor.insert(conversion, "webhook", webhook, before="strategy")
