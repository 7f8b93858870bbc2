"""CRDs of apiextensions.k8s.io/v1beta1 rewritten for v1, as its conversion does.

Upstream: apiextensions pkg/apis/apiextensions/v1beta1 conversion.go and defaults.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from crdlint.rules.engine.finding import Edits, Finding, Fixer, expect
from crdlint.yaml.edit import Edit, apply
from crdlint.yaml.editor import Editor, UneditableError
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, child, items_of, text_of
from crdlint.yaml.values import to_json

# What moves from the spec into each version: its name in the spec, its name in a version, and what the help adds.
_PER_VERSION: Final = (
    ("validation", "schema", ""),
    ("schema", "schema", ""),
    ("subresources", "subresources", ""),
    ("additionalPrinterColumns", "additionalPrinterColumns", ", with `jsonPath` instead of `JSONPath`"),
    ("selectableFields", "selectableFields", ""),
)
_OF_WEBHOOK: Final = {"webhookClientConfig": "clientConfig", "conversionReviewVersions": "conversionReviewVersions"}
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_NEWLINE: Final = "\n"
_COMMENT: Final = re.compile(r"(?<=\s)#")


def _moved_help(old: str, new: str, more: str) -> str:
    to = "to each item of `spec.versions`"
    return f"Move `{old}` {to}{more}" if old == new else f"Move the content of `{old}` {to}, below `{new}`"


# The help for each field of v1beta1 that v1 has in another place.
MOVED: Final = {
    "version": "Remove `version`: the versions are in `spec.versions`",
    **{old: _moved_help(old, new, more) for old, new, more in _PER_VERSION},
    **{old: f"Move `{old}` to `conversion.webhook.{new}`" for old, new in _OF_WEBHOOK.items()},
}
_OF_SPEC: Final = frozenset(MOVED) - frozenset(_OF_WEBHOOK)


@Fixer("Rewrite the CRD for apiextensions.k8s.io/v1", "unsafe")
def rewritten(finding: Finding) -> Edits:
    """Yield the edits that make a CRD of v1beta1 one of v1."""
    editor, root = finding.editor, finding.root
    api_version, spec = expect(Scalar, root, "apiVersion"), expect(Mapping, root, "spec")
    if api_version.value != "apiextensions.k8s.io/v1beta1":
        return
    yield editor.respell(api_version, "apiextensions.k8s.io/v1")
    preserve = child(spec, "preserveUnknownFields")
    keeps = preserve is None or getattr(preserve, "value", "") == "true"
    if spec.flow:
        yield from _flow_spec(editor, spec, keeps=keeps, default=True)
        return
    if spec.find("scope") is None:
        yield editor.insert(spec, "scope", "Namespaced", before=editor.first(spec))
    gone = () if preserve is None else ("preserveUnknownFields",)
    yield from _block_spec(editor, spec, gone, keeps=keeps, default=True)
    yield from _conversion(editor, spec, "[v1beta1]")


def moved(finding: Finding) -> str | None:
    """Return the help for a field that v1 has in another place, None for others."""
    mapping, key, value = finding.entry
    spec = expect(Mapping, finding.root, "spec")
    if mapping is spec and key.value == "version" and isinstance(value, Scalar) and spec.find("versions") is None:
        return (
            f"Write `versions` instead, with an item that has `name: {value.value}`, `served: true` and `storage: true`"
        )
    names = _OF_SPEC if mapping is spec else _OF_WEBHOOK if mapping is child(spec, "conversion") else ()
    return MOVED[key.value] if key.value in names else None


def in_v1(finding: Finding) -> Edits:
    """Yield the edits that move fields, which v1beta1 had in the spec, to where v1 has them."""
    editor, spec = finding.editor, expect(Mapping, finding.root, "spec")
    if moved(finding) is None:
        return
    if finding.entry[0] is spec:
        version = child(spec, "version")
        names = {text_of(child(node, "name")) for node in items_of(child(spec, "versions"))} - {None}
        if version is None or not names or text_of(version) in names:
            if spec.flow:
                yield from _flow_spec(editor, spec, keeps=False, default=False)
            else:
                yield from _block_spec(editor, spec, (), keeps=False, default=False)
    else:
        yield from _conversion(editor, spec, "[v1]")


def _fields(spec: Mapping) -> dict[str, tuple[Scalar, Node]]:
    fields: dict[str, tuple[Scalar, Node]] = {}
    for old, new, _ in _PER_VERSION:
        entry = spec.find(old)
        if entry is None or not isinstance(entry[0], Scalar):
            continue
        if new in fields:
            raise UneditableError
        fields[new] = entry[0], entry[1]
    return fields


def _lacking(version: Node, fields: dict[str, tuple[Scalar, Node]], added: Iterable[str]) -> tuple[Mapping, list[str]]:
    """Return a version and what it lacks of the added fields; raise UneditableError if it has another value for one."""
    mapping = expect(Mapping, version)
    for name, (_, value) in fields.items():
        own = mapping.find(name)
        if own is not None and to_json(own[1]) != to_json(value):
            raise UneditableError
    if not mapping.items:
        raise UneditableError
    return mapping, [name for name in dict.fromkeys((*fields, *added)) if mapping.find(name) is None]


def _edits_within(editor: Editor, value: Node, *, keeps: bool) -> Iterator[Edit]:
    """Yield the edits of a moved value: columns with `jsonPath`, and a schema that keeps unknown fields."""
    for column in items_of(value):
        json_path = column.find("JSONPath") if isinstance(column, Mapping) else None
        if json_path is not None and isinstance(json_path[0], Scalar):
            yield editor.respell(json_path[0], "jsonPath")
    if keeps and isinstance(value, Mapping) and value.find("openAPIV3Schema") is not None:
        schema = expect(Mapping, value, "openAPIV3Schema")
        if schema.find(_PRESERVE) is None:
            yield editor.insert(schema, _PRESERVE, "true")


def _within(editor: Editor, start: int, end: int, edits: Edits) -> str:
    return apply(editor.text[start:end], [edit.moved(-start) for edit in edits])


# CRDs in block style: fields move as whole lines, with the comments above and beside them.


def _lines_of(editor: Editor, key: Scalar, value: Node) -> tuple[int, int]:
    """Return the start and end of the lines of an entry, with the comments directly above it."""
    start, indent = editor.line_start(key.start_mark.index), " " * key.start_mark.column
    while start:
        line_above = editor.line_start(start - 1)
        if not editor.text.startswith(f"{indent}#", line_above):
            break
        start = line_above
    return start, editor.line_end(max(editor.end(value), key.end_mark.index))


def _block_spec(editor: Editor, spec: Mapping, gone: tuple[str, ...], *, keeps: bool, default: bool) -> Iterator[Edit]:
    """Yield the edits that move fields of the spec into its versions, and remove those of ``gone``."""
    fields = _fields(spec)
    lines: dict[str, list[str]] = {}
    for name, (key, value) in fields.items():
        start, end = _lines_of(editor, key, value)
        edits = [editor.respell(key, name), *_edits_within(editor, value, keeps=keeps and name == "schema")]
        column = key.start_mark.column
        lines[name] = [line[column:].rstrip("\r") for line in _within(editor, start, end, edits).split("\n")]
    if default and "schema" not in lines:
        lines["schema"] = ["schema:", "  openAPIV3Schema:", "    type: object", f"    {_PRESERVE}: true"]
    spans = [_lines_of(editor, key, value) for key, value in fields.values()]
    for name in gone:
        key, value = editor.entry(spec, name)
        spans.append((editor.line_start(key.start_mark.index), _lines_of(editor, key, value)[1]))
    versions = items_of(child(spec, "versions"))
    if versions and spec.find("version") is not None:
        spans.append(_lines_of(editor, *editor.entry(spec, "version")))
    for version in versions:
        yield from _filled(editor, version, fields, lines)
    if not versions:
        key, value = editor.entry(spec, "version")
        yield _first_version(editor, key, expect(Scalar, value), lines)
    text = editor.text
    yield from (Edit(start, text.find("\n", end) + 1 or len(text), "") for start, end in spans)


def _filled(
    editor: Editor, node: Node, fields: dict[str, tuple[Scalar, Node]], lines: dict[str, list[str]]
) -> Iterator[Edit]:
    """Yield the edit that adds the fields that a version lacks, which is then written in block style."""
    version, names = _lacking(node, fields, lines)
    added = [line for name in sorted(names) for line in lines[name]]
    if not added:
        return
    separator = f"{editor.newline}{' ' * version.start_mark.column}"
    if not version.flow:
        offset = editor.line_end(max(editor.end(version.items[-1]), version.items[-2].end_mark.index))
        yield Edit(offset, offset, _joined(separator, ["", *added]))
        return
    listed = editor.parent(version)
    if listed is None or (not isinstance(listed, Scalar) and listed.flow):
        raise UneditableError
    entries = [editor.text[key.start_mark.index : editor.end(value)] for key, value in version.pairs()]
    yield Edit(version.start_mark.index, editor.end(version), _joined(separator, [*entries, *added]))


def _first_version(editor: Editor, key: Scalar, value: Scalar, lines: dict[str, list[str]]) -> Edit:
    """Return the edit that writes a list of one version in place of its name."""
    name = editor.text[value.start_mark.index : editor.line_end(value.end_mark.index)]
    below = [f"  {line}" for name_ in lines for line in lines[name_]]
    made = ["versions:", f"- name: {name}", "  served: true", "  storage: true", *below]
    separator = f"{editor.newline}{' ' * key.start_mark.column}"
    return Edit(key.start_mark.index, editor.line_end(value.end_mark.index), _joined(separator, made))


def _joined(separator: str, lines: list[str]) -> str:
    newline = separator.rstrip(" ")
    return "".join(line if not i else f"{separator}{line}" if line else newline for i, line in enumerate(lines))


# CRDs in flow style, and JSON: the spec is replaced by the texts of its entries.


def _flow_spec(editor: Editor, spec: Mapping, *, keeps: bool, default: bool) -> Iterator[Edit]:
    """Yield the edit that writes a spec in flow style with its fields moved into its versions."""
    start, end = spec.items[0].start_mark.index, editor.end(spec.items[-1])
    if _COMMENT.search(editor.text, start, end) or child(spec, "conversion", "webhookClientConfig") is not None:
        raise UneditableError
    fields = _fields(spec)
    mark = '"' if editor.text[start] == '"' else ""

    def key_of(name: str) -> str:
        return f"{mark}{name}{mark}"

    added = {
        name: f"{key_of(name)}: "
        + _within(editor, value.start_mark.index, editor.end(value), _edits_within(editor, value, keeps=keeps))
        for name, (_, value) in fields.items()
    }
    if default and "schema" not in added:
        object_ = f"{{{key_of('type')}: {key_of('object')}, {key_of(_PRESERVE)}: true}}"
        added["schema"] = f"{key_of('schema')}: {{{key_of('openAPIV3Schema')}: {object_}}}"
    listed = child(spec, "versions")
    entries: list[str] = []
    for key, value in spec.pairs():
        name, begin, stop = getattr(key, "value", ""), key.start_mark.index, editor.end(value)
        if name == "versions" and items_of(value):
            entries.append(_within(editor, begin, stop, _filled_in_flow(editor, value, fields, added)))
        elif name == "version" and not items_of(listed):
            text = editor.text[value.start_mark.index : stop]
            head = f"{key_of('name')}: {text}, {key_of('served')}: true, {key_of('storage')}: true"
            entries.append(f"{key_of('versions')}: [{{{', '.join([head, *added.values()])}}}]")
        elif name not in {*_OF_SPEC, "versions"} and not (default and name == "preserveUnknownFields"):
            entries.append(editor.text[begin:stop])
    if not items_of(listed) and spec.find("version") is None:
        raise UneditableError
    if default and spec.find("scope") is None:
        entries.append(f"{key_of('scope')}: {key_of('Namespaced')}")
    indent = editor.text[editor.line_start(start) : start]
    separator = ", " if indent.strip() else f",{editor.newline}{indent}"
    yield Edit(start, end, separator.join(entries))


def _filled_in_flow(
    editor: Editor, versions: Node, fields: dict[str, tuple[Scalar, Node]], added: dict[str, str]
) -> Iterator[Edit]:
    """Yield the edits that add the fields that versions in flow style lack."""
    for node in items_of(versions):
        version, names = _lacking(node, fields, added)
        if names:
            offset = editor.end(version.items[-1])
            yield Edit(offset, offset, "".join(f", {added[name]}" for name in names))


def block(editor: Editor, node: Node) -> str:
    """Return a value as it follows a key: in the same line, or as a block below it."""
    source = editor.source(node)
    if isinstance(node, Scalar) or node.flow:
        return source
    return f"\n{source if isinstance(node, Sequence) else shifted(source, 2)}"


def shifted(text: str, by: int) -> str:
    """Return a text with its lines indented by more spaces."""
    return "\n".join(" " * by + line if line else line for line in text.split("\n"))


def _conversion(editor: Editor, spec: Mapping, default: str) -> Iterator[Edit]:
    """Yield the edits that move the webhook's configuration below `webhook`, with ``default`` as its review versions."""
    conversion = child(spec, "conversion")
    client, reviewed = child(conversion, "webhookClientConfig"), child(conversion, "conversionReviewVersions")
    if not isinstance(conversion, Mapping) or (client is None and reviewed is None):
        return
    if conversion.flow or (client is not None and conversion.find("webhook") is not None):
        raise UneditableError
    versions = default if reviewed is None else block(editor, reviewed)
    if client is not None:
        webhook = {"clientConfig": block(editor, client), "conversionReviewVersions": versions}
        lines = (f"\n{name}:{'' if value[:1] == _NEWLINE else ' '}{value}" for name, value in webhook.items())
        if reviewed is not None:
            yield editor.remove(conversion, "conversionReviewVersions")
        yield editor.remove(conversion, "webhookClientConfig")
        yield editor.insert(conversion, "webhook", "".join(lines).replace("\n", "\n  "), before="strategy")
        return
    below = expect(Mapping, conversion, "webhook")
    if below.find("conversionReviewVersions") is None:
        yield editor.insert(below, "conversionReviewVersions", versions)
        yield editor.remove(conversion, "conversionReviewVersions")
