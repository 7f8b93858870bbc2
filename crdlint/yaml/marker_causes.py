"""Markers of controller-gen among the keys of a schema, where they are no YAML: the keywords that they mean.

Upstream: sigs.k8s.io/controller-tools pkg/crd/markers and pkg/markers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Final

from crdlint.light import NamedTuple, regex
from crdlint.phrases import joined
from crdlint.yaml import repairs
from crdlint.yaml.broken_text import BrokenText, Cause, carriage_return, indent_of
from crdlint.yaml.editor import is_plain, quoted
from crdlint.yaml.pasted_causes import comments_apart, is_other_comment, with_hash

_MARKER: Final = regex(
    r" *\+(kubebuilder:(?:validation|default|pruning)(?::\w+)*|nullable|optional|required|default"
    r"|listType|listMapKey|mapType|structType)(?::?=([^\r]*))?\r?\Z"
)
_WHOLE: Final = regex(r"\d+\Z")
_INTEGER: Final = regex(r"-?\d+\Z")
_NUMBER: Final = regex(r"-?\d+(?:\.\d+)?\Z")
_BOOLEAN: Final = regex(r"(?:true|false)\Z")
_WORD: Final = regex(r"[A-Za-z][\w.-]*\Z")
_QUOTED: Final = regex(r"\"([^\"\\]*)\"\Z|`([^`]*)`\Z")
_MOST: Final = 40  # markers that are read
_ONLY_GO: Final = "controller-gen reads a marker only in a comment of Go code"

# What the value of a type looks like.
_OF_TYPE: Final = {"boolean": _BOOLEAN, "integer": _INTEGER, "number": _NUMBER}
# What the value of a keyword looks like, and the types that it limits.
_NUMBERS: Final = ("integer", "number")
_LIMITS: Final = {
    "maximum": (_NUMBER, _NUMBERS),
    "minimum": (_NUMBER, _NUMBERS),
    "multipleOf": (_NUMBER, _NUMBERS),
    "exclusiveMaximum": (_BOOLEAN, _NUMBERS),
    "exclusiveMinimum": (_BOOLEAN, _NUMBERS),
    "maxLength": (_WHOLE, ("string",)),
    "minLength": (_WHOLE, ("string",)),
    "maxItems": (_WHOLE, ("array",)),
    "minItems": (_WHOLE, ("array",)),
    "maxProperties": (_WHOLE, ("object",)),
    "minProperties": (_WHOLE, ("object",)),
}


class _Marker(NamedTuple):
    """A marker in a line: its name without that of controller-gen's group, and its value, empty without one."""

    name: str
    value: str

    def entry(self, type_: str) -> str:
        """Return the entry of a schema of a type that the marker means, empty if that is not certain."""
        keyword = self.name[:1].lower() + self.name[1:]
        pattern, types = _LIMITS.get(keyword, (None, ()))
        if pattern is not None:
            fits = type_ in types and pattern.match(self.value) is not None
            return f"{keyword}: {self.value}" if fits else ""
        text = ""
        if keyword == "default":
            text = _value(self.value, type_)
        elif keyword == "enum":
            text = _values(self.value, type_)
        elif keyword == "pattern" and type_ == "string":
            text = _pattern(self.value)
        elif keyword == "nullable" and not self.value:
            text = "true"
        return text and f"{keyword}: {text}"


def markers(text: BrokenText) -> Iterator[Cause]:
    """Find markers of controller-gen; the repair writes what they mean, if that is certain where the parser stops."""
    here = _above_stop(text)
    if not here:
        return
    entries = {i: _entry(text, i) for i in islice(_with_marker(text), _MOST)}
    unclear = next((i for i in here if not entries.get(i)), None)
    if unclear is not None:
        help_ = _help(_marker(text.lines[unclear]), text.line(unclear))
        yield text.cause(None, unclear, help_)
        return
    entries = {i: entry for i, entry in entries.items() if entry}
    fields = [f"`{entry}` in line {text.line(i)}" for i, entry in entries.items()]
    rewritten = {i: with_hash(text.lines[i]) for i in comments_apart(text)}
    rewritten |= {i: _indented(text.lines[i], entry) for i, entry in entries.items()}
    yield text.cause(
        repairs.KEYWORDS,
        here[0],
        f"Write {joined(fields)}: {_ONLY_GO}",
        tuple(text.replaced(i, rewritten[i]) for i in sorted(rewritten)),
    )


def _with_marker(text: BrokenText) -> Iterator[int]:
    """Yield the indexes of the lines with a marker."""
    return (i for i in text.structure if _MARKER.match(text.lines[i]))


def _above_stop(text: BrokenText) -> list[int]:
    """Return the indexes of the lines with a marker, among comments, where the parser stops or directly above."""
    upwards = reversed(text.structure[: bisect_left(text.structure, text.stop)])
    lines = [*takewhile(lambda i: _is_comment(text.lines[i]), upwards)][::-1]
    return text.fitting([*lines, text.stop], _MARKER.match)


def _is_comment(line: str) -> bool:
    return _MARKER.match(line) is not None or is_other_comment(line)


def _help(marker: _Marker, line: int) -> str:
    """Return what to do about a marker in a line for which no entry is certain."""
    if marker.name == "optional":
        return (
            f"Remove line {line}: a field is optional if `required` of its object does not name it"
        )
    if marker.name == "required":
        return f"Remove line {line}, and name the field in `required` of its object: {_ONLY_GO}"
    return f"Replace line {line} with the fields of the schema that the marker means: {_ONLY_GO}"


def _marker(line: str) -> _Marker:
    """Return the marker of a line that has one."""
    match = _MARKER.match(line)
    assert match is not None  # noqa: S101  the line has a marker
    prefix, _, name = match[1].rpartition(":")
    is_common = prefix in {"", "kubebuilder", "kubebuilder:validation"}
    name = name if is_common else match[1]
    name = name.lower() if name in {"Optional", "Required"} else name
    return _Marker(name, (match[2] or "").strip())


def _indented(line: str, entry: str) -> str:
    end = carriage_return(line)
    return f"{' ' * indent_of(line)}{entry}{end}"


def _entry(text: BrokenText, index: int) -> str:
    """Return the entry that a marker means among the keys around it, empty if that is not certain."""
    fields = text.fields_around(index)
    # A property is a mapping, so that fields with a type are those of a schema.
    entry = _marker(text.lines[index]).entry(fields.get("type", ""))
    return "" if entry.partition(":")[0] in fields else entry


def _value(written: str, type_: str) -> str:
    """Return a value of a type as YAML, empty if it is not certain which one is meant."""
    if type_ == "string":
        return _text(written)
    pattern = _OF_TYPE.get(type_)
    return written if pattern is not None and pattern.match(written) else ""


def _text(written: str) -> str:
    """Return a text as YAML, empty if it may mean another value."""
    in_quotes = _QUOTED.match(written)
    if in_quotes is not None:
        text = in_quotes[1] or in_quotes[2] or ""
        return text if is_plain(text) else quoted(text)
    is_word = _WORD.match(written) is not None and is_plain(written)
    return written if is_word else ""


def _values(written: str, type_: str) -> str:
    """Return a list of values of a type as YAML, empty if it is not certain which ones are meant."""
    in_braces = written.startswith("{") and written.endswith("}")
    parts = written[1:-1].split(",") if in_braces else written.split(";")
    values = [_value(part.strip(), type_) for part in parts]
    return f"[{', '.join(values)}]" if all(values) else ""


def _pattern(written: str) -> str:
    """Return a pattern as YAML, empty if it has escapes of Go."""
    in_quotes = _QUOTED.match(written)
    if in_quotes is not None:
        return quoted(in_quotes[1] or in_quotes[2] or "")
    return "" if not written or written[0] in '"`' else quoted(written)
