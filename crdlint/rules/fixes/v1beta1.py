"""CRDs of v1beta1 rewritten for v1. Upstream: apiextensions pkg/apis/apiextensions/v1beta1 conversion.go and defaults.go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from crdlint.light import regex
from crdlint.rules.engine.edits import Edits, expect
from crdlint.rules.engine.finding import DecodeFinding, DocumentFinding
from crdlint.rules.engine.fixer import Fixer
from crdlint.yaml.edit import Edit, apply
from crdlint.yaml.editor import Editor, UneditableError, apart
from crdlint.yaml.json_values import to_json
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, child, entry, items_of, text_of

# What moves from the spec into each version: its name in the spec, its name in a version, and what the help adds.
_PER_VERSION: Final = (
    ("validation", "schema", ""),
    ("schema", "schema", ""),
    ("subresources", "subresources", ""),
    (
        "additionalPrinterColumns",
        "additionalPrinterColumns",
        ", with `jsonPath` instead of `JSONPath`",
    ),
    ("selectableFields", "selectableFields", ""),
)
_OF_WEBHOOK: Final = {
    "webhookClientConfig": "clientConfig",
    "conversionReviewVersions": "conversionReviewVersions",
}
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_COMMENT: Final = regex(r"(?<=\s)#")


def _moved_help(old: str, new: str, more: str) -> str:
    to = "to each item of `spec.versions`"
    return (
        f"Move `{old}` {to}{more}"
        if old == new
        else f"Move the content of `{old}` {to}, below `{new}`"
    )


# The help for each field of v1beta1 that v1 has in another place.
MOVED: Final = {
    "version": "Remove `version`: the versions are in `spec.versions`",
    **{old: _moved_help(old, new, more) for old, new, more in _PER_VERSION},
    **{old: f"Move `{old}` to `conversion.webhook.{new}`" for old, new in _OF_WEBHOOK.items()},
}
_OF_SPEC: Final = frozenset(MOVED) - frozenset(_OF_WEBHOOK)


@Fixer("Rewrite the CRD for apiextensions.k8s.io/v1", "unsafe")
def rewritten(finding: DocumentFinding) -> Edits:
    """Yield the edits that make a CRD of v1beta1 one of v1."""
    editor, root = finding.editor, finding.root
    api_version, spec = expect(Scalar, root, "apiVersion"), expect(Mapping, root, "spec")
    if api_version.value != "apiextensions.k8s.io/v1beta1":
        return
    yield editor.respell(api_version, "apiextensions.k8s.io/v1")
    preserve = child(spec, "preserveUnknownFields")
    keeps = preserve is None or getattr(preserve, "value", "") == "true"
    if spec.find("scope") is None:
        yield editor.insert(
            spec,
            "scope",
            editor.value("Namespaced"),
            before=editor.first(spec),
        )
    yield from _into_versions(editor, spec, keeps=keeps, default=True)
    if not spec.flow:
        yield from _conversion(editor, spec, "[v1beta1]")


def moved(finding: DecodeFinding) -> str | None:
    """Return the help for a field that v1 has in another place, None for others."""
    mapping, key, value = finding.entry
    spec = expect(Mapping, finding.root, "spec")
    if (
        mapping is spec
        and key.value == "version"
        and isinstance(value, Scalar)
        and spec.find("versions") is None
    ):
        return f"Write `versions` instead, with an item that has `name: {value.value}`, `served: true` and `storage: true`"
    names = (
        _OF_SPEC if mapping is spec else _OF_WEBHOOK if mapping is child(spec, "conversion") else ()
    )
    return MOVED[key.value] if key.value in names else None


def in_v1(finding: DecodeFinding) -> Edits:
    """Yield the edits that move fields, which v1beta1 had in the spec, to where v1 has them."""
    editor, spec = finding.editor, expect(Mapping, finding.root, "spec")
    if moved(finding) is None:
        return
    if finding.entry[0] is spec:
        version = child(spec, "version")
        names = {text_of(child(node, "name")) for node in items_of(child(spec, "versions"))} - {
            None
        }
        if version is None or not names or text_of(version) in names:
            yield from _into_versions(editor, spec, keeps=False, default=False)
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


def _edits_within(editor: Editor, value: Node, *, keeps: bool) -> Iterator[Edit]:
    """Yield the edits of a moved value: columns with `jsonPath`, and a schema that keeps unknown fields."""
    for column in items_of(value):
        json_path = entry(column, "JSONPath")
        if json_path is not None and isinstance(json_path[0], Scalar):
            yield editor.respell(json_path[0], "jsonPath")
    if keeps and isinstance(value, Mapping) and value.find("openAPIV3Schema") is not None:
        schema = expect(Mapping, value, "openAPIV3Schema")
        if schema.find(_PRESERVE) is None:
            yield editor.insert(schema, _PRESERVE, "true")


def _into_versions(
    editor: Editor,
    spec: Mapping,
    *,
    keeps: bool,
    default: bool,
) -> Iterator[Edit]:
    """Yield edits that move fields of the spec, with their comments, into versions; with `default` those of a CRD of v1beta1."""
    start, end = spec.items[0].start_mark.index, editor.end(spec.items[-1])
    has_client = child(spec, "conversion", "webhookClientConfig") is not None
    if spec.flow and (has_client or _COMMENT.search(editor.text, start, end)):
        raise UneditableError
    fields = _fields(spec)
    entries = {
        name: _entry(
            editor,
            name,
            *entry,
            keeps=keeps and name == "schema",
        )
        for name, entry in fields.items()
    }
    if default:
        entries.setdefault("schema", f"{editor.name('schema')}: {open_schema(editor)}")
    versions = items_of(child(spec, "versions"))
    if not versions:
        yield from _first_version(editor, spec, list(entries.values()))
    for version in versions:
        yield from _filled(editor, expect(Mapping, version), fields, entries)
    gone = ["preserveUnknownFields"] if default else []
    gone.append("version" if versions else "versions")
    yield from _removed(editor, spec, gone, fields)


def _removed(
    editor: Editor,
    spec: Mapping,
    gone: list[str],
    moved: dict[str, tuple[Scalar, Node]],
) -> Iterator[Edit]:
    """Yield the edits that remove fields of the spec: those that are gone, and those that were moved with their comments."""
    if spec.flow:
        yield from editor.remove_all(spec, (*gone, *(key.value for key, _ in moved.values())))
        return
    spans = [_lines_of(editor, key, value) for key, value in moved.values()]
    for key, value in (editor.entry(spec, name) for name in gone if spec.find(name) is not None):
        spans.append((editor.line_start(key.start_mark.index), _lines_of(editor, key, value)[1]))
    for start, end in spans:
        yield Edit(start, editor.text.find("\n", end) + 1 or len(editor.text), "")


def open_schema(editor: Editor) -> str:
    """Return the `schema` of a version that keeps all fields."""
    object_ = f"{{{editor.name('type')}: {editor.value('object')}, {editor.name(_PRESERVE)}: true}}"
    return f"{{{editor.name('openAPIV3Schema')}: {object_}}}"


def _entry(
    editor: Editor,
    name: str,
    key: Scalar,
    value: Node,
    *,
    keeps: bool,
) -> str:
    """Return a field as an entry of a version, with its lines relative to the column of its key."""
    flow = expect(Mapping, editor.parent(key)).flow
    start, end = (
        (key.start_mark.index, editor.end(value)) if flow else _lines_of(editor, key, value)
    )
    edits = [editor.respell(key, name), *_edits_within(editor, value, keeps=keeps)]
    lines = apply(editor.text[start:end], [edit.moved(-start) for edit in edits]).split("\n")
    column = 0 if flow else key.start_mark.column
    return "\n".join(line[column:].rstrip("\r") for line in lines)


def _lines_of(editor: Editor, key: Scalar, value: Node) -> tuple[int, int]:
    """Return the start and end of the lines of an entry, with the comments directly above it."""
    start, blanks = editor.line_start(key.start_mark.index), " " * key.start_mark.column
    while start:
        line_above = editor.line_start(start - 1)
        if not editor.text.startswith(f"{blanks}#", line_above):
            break
        start = line_above
    return start, editor.line_end(max(editor.end(value), key.end_mark.index))


def _filled(
    editor: Editor,
    version: Mapping,
    fields: dict[str, tuple[Scalar, Node]],
    entries: dict[str, str],
) -> Iterator[Edit]:
    """Yield the edit that adds the entries that a version lacks; raise UneditableError if it has another value for one."""
    if not version.items or _has_other_values(version, fields, entries):
        raise UneditableError
    added = [text for name, text in entries.items() if version.find(name) is None]
    if added:
        yield _with_entries(editor, version, added)


def _has_other_values(
    version: Mapping, fields: dict[str, tuple[Scalar, Node]], names: Iterable[str]
) -> bool:
    """Return whether a version has another value for one of the fields with some names."""
    for name in names:
        entry = version.find(name)
        if entry is None or name not in fields:
            continue
        if to_json(entry[1]) != to_json(fields[name][1]):
            return True
    return False


def _with_entries(editor: Editor, version: Mapping, added: list[str]) -> Edit:
    """Return the edit that adds entries to a version, in the style of the list that has it."""
    end, listed = editor.end(version.items[-1]), expect(Sequence, editor.parent(version))
    if listed.flow:
        if not expect(Mapping, editor.parent(listed)).flow:
            raise UneditableError
        return Edit(end, end, "".join(f", {text}" for text in added))
    column = version.start_mark.column
    if version.flow:  # which is then written in block style
        pairs = version.pairs()
        old = [editor.text[key.start_mark.index : editor.end(value)] for key, value in pairs]
        lines = _indented(editor, [*old, *added], column)
        return Edit(version.start_mark.index, editor.end(version), lines.lstrip(" "))
    offset = editor.line_end(max(end, version.items[-2].end_mark.index))
    return Edit(offset, offset, editor.newline + _indented(editor, added, column))


def _first_version(editor: Editor, spec: Mapping, entries: list[str]) -> Iterator[Edit]:
    """Yield the edits that write a list of one version in place of its name."""
    key, value = editor.entry(spec, "version")
    more = [f"{editor.name('served')}: true", f"{editor.name('storage')}: true", *entries]
    end = editor.end(value) if spec.flow else editor.line_end(expect(Scalar, value).end_mark.index)
    fields = [f"{editor.name('name')}: {editor.text[value.start_mark.index : end]}", *more]
    yield editor.respell(key, "versions")
    if spec.flow:
        yield editor.replace(value, f"[{{{', '.join(fields)}}}]")
        return
    column = key.start_mark.column
    lines = _indented(editor, fields, column + 2)
    colon = editor.text.index(":", key.end_mark.index)
    yield Edit(colon + 1, end, f"{editor.newline}{' ' * column}- {lines.lstrip(' ')}")


def _indented(editor: Editor, lines: list[str], column: int) -> str:
    return shifted("\n".join(lines), column).replace("\n", editor.newline)


def block(editor: Editor, node: Node) -> str:
    """Return a value as it follows a key: in the same line, or as a block below it."""
    source = editor.source(node)
    if isinstance(node, Scalar) or node.flow:
        return source
    return f"\n{source if isinstance(node, Sequence) else shifted(source, 2)}"


def shifted(text: str, by: int) -> str:
    """Return a text with its lines indented by more spaces."""
    from textwrap import indent  # only for fixes

    return indent(text, " " * by)


def _conversion(editor: Editor, spec: Mapping, default: str) -> Iterator[Edit]:
    """Yield the edits that move the webhook's configuration below `webhook`, with ``default`` as its review versions."""
    conversion = child(spec, "conversion")
    client, reviewed = (
        child(conversion, "webhookClientConfig"),
        child(conversion, "conversionReviewVersions"),
    )
    if not isinstance(conversion, Mapping) or (client is None and reviewed is None):
        return
    if conversion.flow or (client is not None and conversion.find("webhook") is not None):
        raise UneditableError
    versions = default if reviewed is None else block(editor, reviewed)
    if client is not None:
        webhook = {"clientConfig": block(editor, client), "conversionReviewVersions": versions}
        lines = "".join(f"\n{name}:{apart(value)}" for name, value in webhook.items())
        if reviewed is not None:
            yield editor.remove(conversion, "conversionReviewVersions")
        yield editor.remove(conversion, "webhookClientConfig")
        yield editor.insert(
            conversion,
            "webhook",
            shifted(lines, 2),
            before="strategy",
        )
        return
    below = expect(Mapping, conversion, "webhook")
    if below.find("conversionReviewVersions") is None:
        yield editor.insert(below, "conversionReviewVersions", versions)
        yield editor.remove(conversion, "conversionReviewVersions")
