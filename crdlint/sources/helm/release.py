"""The size of the Secret in which Helm stores the release of a chart, with the share of each CRD.

Helm stores the chart's own files, its values and the rendered manifest as JSON, compressed by gzip and encoded as base64. It does
not store the files of charts in `charts/`, only what their templates render, and no CRD of their `crds/`. Upstream: helm
pkg/storage/driver/util.go, encodeRelease; pkg/chart/v2/loader/load.go, LoadFiles; pkg/ignore/rules.go.
"""

from __future__ import annotations

import json
import os
import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as MappingOf
from contextlib import suppress
from heapq import nlargest
from itertools import pairwise
from typing import Final

from crdlint.crd.positions import Span, node_span
from crdlint.files.read import (
    UnreadableError,
    decode,
    entries_of,
    is_folder,
    read_bytes,
    text_if_readable,
)
from crdlint.files.recognition import CRD_OBJECT, NAME_LINE
from crdlint.light import dataclass, regex, replace
from crdlint.linting.result import FileResult
from crdlint.phrases import some
from crdlint.rules.advice.deployment import RELEASE_TOO_LARGE
from crdlint.safety.programs import find
from crdlint.sources.helm.check import Results, manifest_as_installed
from crdlint.sources.helm.ignored import IGNORE_FILE, ignore_lines, is_ignored
from crdlint.sources.helm.layout import CHART, DEFAULTS, HelmValues
from crdlint.sources.helm.masking import masked_text
from crdlint.sources.helm.render import chart_digest
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.json_values import to_json
from crdlint.yaml.nodes import (
    Mapping,
    Node,
    Scalar,
    child,
    items_of,
    pairs_of,
    text_of,
    text_or_empty,
)
from crdlint.yaml.parse import parse_first

LIMIT: Final = 1024 * 1024  # bytes of the data of a Secret; upstream: core.MaxSecretSize
_LARGEST: Final = 100 * 1024 * 1024  # bytes of a chart that is read, as in Helm
_DOCUMENT: Final = regex(r"---(?:[ \t].*)?\r?\n")
_NEXT_DOCUMENT: Final = regex(r"\n(?=---(?:[ \t].*)?\r?\n)")


@dataclass(frozen=True, slots=True)
class ReleasePart:
    """A part of a release that belongs to one CRD, or to none: its text, and whether it is stored as base64."""

    crd: str
    text: str
    is_file: bool

    def stored(self) -> bytes:
        """Return the part as it is in the JSON of the release."""
        if self.is_file:
            return b64encode(self.text.encode("utf-8", "surrogateescape"))
        text = json.dumps(self.text, ensure_ascii=False)
        for character, escaped in _ESCAPED:
            text = text.replace(character, escaped)
        return text.encode("utf-8", "surrogatepass")

    def size(self) -> int:
        """Return the bytes that the part needs by itself."""
        return _encoded(len(zlib.compress(self.stored(), 9)))


# As Go does.
_ESCAPED: Final = tuple((character, f"\\u{ord(character):04x}") for character in "<>&\u2028\u2029")


def _encoded(size: int) -> int:
    return (size + 2) // 3 * 4


@dataclass(frozen=True, slots=True)
class ChartFiles:
    """The files of a chart that Helm loads, by path, with their sizes; `inner` are those of the charts in it."""

    folder: str
    own: MappingOf[str, int]
    inner: MappingOf[str, int]

    def at_most(self) -> int:
        """Return the size of a release whose JSON cannot be compressed, if each template is rendered to its own size."""
        rendered = sum(
            size for path, size in (*self.own.items(), *self.inner.items()) if _is_rendered(path)
        )
        return _encoded(sum(self.own.values()) + rendered)


def _is_rendered(path: str) -> bool:
    name = path.rpartition("/")[2]
    return "templates" in path.split("/")[:-1] and not name.startswith("_") and name != "NOTES.txt"


def chart_files(chart: str) -> ChartFiles:
    """Return the files of a chart that Helm loads, in its order."""
    ignored = ignore_lines(os.path.join(chart, IGNORE_FILE))
    own: dict[str, int] = {}
    inner: dict[str, int] = {}
    pending = [""]
    while pending:
        below = pending.pop()
        folders = []
        with suppress(OSError):
            for entry in entries_of(os.path.join(chart, below)):
                path = f"{below}{entry.name}"
                if is_ignored(ignored, path, is_folder=is_folder(entry)):
                    continue
                if is_folder(entry) and not entry.is_symlink():
                    folders.append(f"{path}/")
                target = inner if path.startswith("charts/") and not path.endswith(".prov") else own
                with suppress(OSError):  # a link to itself, or a file that is gone
                    if entry.is_file():
                        target[path] = entry.stat().st_size
        pending += reversed(folders)
    return ChartFiles(chart, own, inner)


@dataclass(slots=True)
class Release:
    """The size of a release in bytes, that of each CRD in it, and its parts."""

    size: int
    shares: dict[str, int]
    parts: list[ReleasePart]

    def without_descriptions(self) -> int:
        """Return how many bytes less the release would need without the descriptions of its CRDs."""
        return sum(
            part.size() - without(part, descriptions(part)).size()
            for part in self.parts
            if part.crd
        )

    def largest_descriptions(self, count: int) -> list[tuple[str, str, int]]:
        """Return CRD, path and saved bytes of the descriptions whose removal saves most."""
        ranges: dict[tuple[str, str], list[tuple[ReleasePart, Description]]] = {}
        for part in self.parts:
            for description in descriptions(part) if part.crd else ():
                ranges.setdefault((part.crd, description.path), []).append((part, description))
        longest = nlargest(
            count, ranges, key=lambda key: sum(each.end - each.start for _, each in ranges[key])
        )
        saved = {
            key: sum(part.size() - without(part, [each]).size() for part, each in ranges[key])
            for key in longest
        }
        return sorted(((*key, size) for key, size in saved.items()), key=lambda each: -each[2])


def release_of(files: ChartFiles, manifest: str | None = None, *, level: int = 9) -> Release | None:
    """Return the release of a chart, or None if a file cannot be read.

    `manifest` is what Helm renders. If it is None, each template counts as if it were rendered to its own text. `level`
    is that of gzip: Helm uses 9, and lower ones return more bytes in less time.
    """
    inner = filter(_is_rendered, files.inner) if manifest is None else ()
    contents = _contents(files.folder, [*files.own, *inner])
    if contents is None:
        return None
    own = {path: data for path, data in contents.items() if path in files.own}
    if manifest is None:
        manifest = _unrendered_manifest(contents)
    parts = [*_parts_of_chart(own), *_by_document(manifest, is_file=False)]
    compressor = zlib.compressobj(level, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    shares: dict[str, int] = {}
    total = 0
    for part in parts:
        # The flush makes the output of each part complete; it adds a few bytes.
        size = len(compressor.compress(part.stored())) + len(compressor.flush(zlib.Z_SYNC_FLUSH))
        total += size
        if part.crd:
            shares[part.crd] = shares.get(part.crd, 0) + size
    total += len(compressor.flush())
    return Release(_encoded(total), {crd: _encoded(size) for crd, size in shares.items()}, parts)


def _unrendered_manifest(contents: dict[str, bytes]) -> str:
    """Return the texts of the templates among files, as the documents of one manifest."""
    rendered = (data for path, data in contents.items() if _is_rendered(path))
    return "\n---\n".join(data.decode("utf-8", "surrogateescape") for data in rendered)


def _contents(folder: str, paths: Iterable[str]) -> dict[str, bytes] | None:
    """Return the contents of files by their paths, None if one cannot be read or they are too large."""
    contents: dict[str, bytes] = {}
    left = _LARGEST
    for path in paths:
        try:
            contents[path] = read_bytes(os.path.join(folder, path), left)
        except UnreadableError:
            return None
        left -= len(contents[path])
    return contents


def _parts_of_chart(files: dict[str, bytes]) -> Iterator[ReleasePart]:
    for path, data in files.items():
        if path in _AS_JSON:
            text = ""
            with suppress(UnreadableError, YAMLDecodeError, RecursionError):
                root = parse_first(decode(data)).root
                text = (
                    ""
                    if root is None
                    else json.dumps(to_json(root), separators=(",", ":"), default=str)
                )
            yield ReleasePart("", text, is_file=False)
            continue
        if path in {
            "requirements.yaml",
            "requirements.lock",
        } and b"apiVersion: v1" not in files.get(CHART, b""):
            continue
        yield ReleasePart("", f'{{"name":"{path}","data":', is_file=False)
        yield from _by_document(data.decode("utf-8", "surrogateescape"), is_file=True)


_AS_JSON: Final = frozenset({CHART, "Chart.lock", "values.yaml"})


def _by_document(text: str, *, is_file: bool) -> Iterator[ReleasePart]:
    """Yield the documents of a text, those with a CRD with its name; other documents in a row are one part."""
    if CRD_OBJECT.search(text) is None:
        yield ReleasePart("", text, is_file)
        return
    start = 0
    for begin, end in pairwise(
        [0, *(match.end() for match in _NEXT_DOCUMENT.finditer(text)), len(text)]
    ):
        if CRD_OBJECT.search(text, begin, end) is None:
            continue
        names = (match[1] for match in NAME_LINE.finditer(text, begin, end))
        dotted_names = (name for name in names if "." in name)
        if start < begin:
            yield ReleasePart("", text[start:begin], is_file)
        yield ReleasePart(next(dotted_names, ""), text[begin:end], is_file)
        start = end
    if start < len(text):
        yield ReleasePart("", text[start:], is_file)


@dataclass(frozen=True, slots=True)
class Description:
    """A description in a part: the path of its field, and the range of its key and value."""

    path: str
    start: int
    end: int


def descriptions(part: ReleasePart) -> list[Description]:
    """Return the descriptions in the schemas of a CRD."""
    text = masked_text(part.text) or part.text
    match = _DOCUMENT.match(text)
    offset = match.end() if match is not None else 0
    root = parse_first(text[offset:]).root
    ranges: list[Description] = []
    versions = items_of(child(root, "spec", "versions"))
    pending: list[tuple[Node | None, str]] = [
        (child(each, "schema", "openAPIV3Schema"), "") for each in versions
    ]
    while pending:
        node, path = pending.pop()
        pending += ((item, path) for item in items_of(node))
        for key, value in pairs_of(node):
            name = text_or_empty(key)
            if name == "description" and isinstance(value, Scalar):
                start, end = key.start_mark.index, value.end_mark.index
                ranges.append(Description(path, offset + start, offset + end))
            else:
                pending += _below(name, value, path)
    return sorted(ranges, key=lambda description: description.start)


def _below(name: str, value: Node, path: str) -> Iterator[tuple[Node, str]]:
    """Yield the schemas in a keyword of a schema, with the paths of their values."""
    if name == "properties" and isinstance(value, Mapping):
        yield from ((below, f"{path}.{text_of(field)}") for field, below in value.pairs())
    elif name in {"items", "additionalProperties"}:
        yield value, f"{path}[*]"
    elif name in {"allOf", "anyOf", "oneOf", "not"}:
        yield value, path


def without(part: ReleasePart, left_out: Sequence[Description]) -> ReleasePart:
    """Return a part without descriptions, which are in order."""
    pieces, start = [], 0
    for description in left_out:
        if description.start >= start:
            pieces.append(part.text[start : description.start])
            start = description.end
    return ReleasePart(part.crd, "".join([*pieces, part.text[start:]]), part.is_file)


NEAR: Final = LIMIT * 3 // 4
_QUICK: Final = 1  # of gzip: at most a third larger than Helm's 9, in a sixth of the time
_SHOWN: Final = 5  # CRDs
_DESCRIPTIONS: Final = 3
_WORTH_A_WORD: Final = 100  # bytes that a description saves


def check_release(
    chart: str, values: HelmValues | None, cache: Results | None = None
) -> FileResult | None:
    """Return the result for the Chart.yaml of a chart whose release is near the limit or above it, or None.

    The sizes of its files are enough for most charts. The others are compressed, and rendered with `values` if near the limit.
    """
    files = chart_files(chart)
    if files.at_most() < NEAR:
        return None
    path = os.path.join(chart, CHART)
    program = None if values is None else find("helm")
    digest = None if cache is None else chart_digest(chart, values or DEFAULTS, program)
    if cache is None or digest is None:
        return _checked(path, files, values)
    key = cache.key(digest, "release")
    result = cache.get(key, path, "")
    if result is None:
        result = _checked(path, files, values) or FileResult(path)
        cache.put(key, result)
    return result if result.diagnostics else None


def _checked(path: str, files: ChartFiles, values: HelmValues | None) -> FileResult | None:
    release = _near_the_limit(files, values)
    text = text_if_readable(path)
    if release is None or text is None:
        return None
    root = parse_first(text).root
    entry = root.find("name") if isinstance(root, Mapping) else None
    span = Span(1, 1, 1, 2) if entry is None else node_span(entry[0])
    finding = RELEASE_TOO_LARGE.diagnostic(
        path,
        "advice",
        _message(release),
        span,
        _help(release),
    )
    if release.size <= LIMIT:
        finding = replace(finding, severity="info")
    return FileResult(path, text, documents=1, diagnostics=(finding,))


def _near_the_limit(files: ChartFiles, values: HelmValues | None) -> Release | None:
    """Return the release of a chart, by the most exact of its sizes, if it is near the limit."""
    release = release_of(files, level=_QUICK)
    if _is_near(release):
        release = release_of(files)
    if _is_near(release) and values is not None:
        release = release_of(files, manifest_as_installed(files.folder, values))
    return release if _is_near(release) else None


def _is_near(release: Release | None) -> bool:
    return release is not None and release.size >= NEAR


def _message(release: Release) -> str:
    more_than = ", more than" if release.size > LIMIT else " of"
    start = f"the release needs about {_kibibytes(release.size)}{more_than} the {_kibibytes(LIMIT)} that a Secret can store"
    shares = sorted(release.shares.items(), key=lambda share: -share[1])
    if not shares:
        return start
    total = _kibibytes(sum(release.shares.values()))
    named = [f"{crd} {_kibibytes(share)} ({share / release.size:.0%})" for crd, share in shares]
    return f"{start}; {total} are CRDs: {some(named, _SHOWN)}"


def _help(release: Release) -> str:
    saved = release.without_descriptions()
    if saved < _WORTH_A_WORD:
        return (
            "Move large files out of the chart, or list them in `.helmignore`"
            if not release.shares
            else _MOVE
        )
    enough = "" if release.size - saved <= LIMIT else ", which is not enough"
    saves = f"that saves about {_kibibytes(saved)}{enough}"
    parts = [
        f"Remove the descriptions of the CRDs (controller-gen `crd:maxDescLen=0`): {saves}",
        f"Or {_MOVE[0].lower()}{_MOVE[1:]}",
    ]
    described = (
        each for each in release.largest_descriptions(_DESCRIPTIONS) if each[2] >= _WORTH_A_WORD
    )
    largest = [
        f"`{path.removeprefix('.') or 'self'}` of {crd} ({size:,} bytes)"
        for crd, path, size in described
    ]
    if largest:
        parts.append(f"The largest descriptions, with what each saves: {', '.join(largest)}")
    return ". ".join(parts)


_MOVE: Final = (
    "Move the CRDs to the `crds/` folder of a chart in `charts/`, whose files Helm does not store, if the chart was never released "
    "or was released with `helm.sh/resource-policy: keep` on them"
)


def _kibibytes(size: int) -> str:
    return f"{size / 1024:,.0f} KiB"
