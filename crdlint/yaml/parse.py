"""Text to nodes (temporary, until the loader lands)."""

from __future__ import annotations

import gc
import re
from dataclasses import dataclass, field
from typing import Any

from _ruamel_yaml import CParser
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from crdlint.yaml.nodes import Mapping, Scalar, Sequence
from crdlint.yaml.resolve import is_plain_string


@dataclass
class YAMLProblem:
    message: str
    line: int
    column: int


@dataclass
class Document:
    root: Any
    line_offset: int
    error: YAMLProblem | None = None
    text: str = ""


@dataclass
class Stream:
    documents: list[Document] = field(default_factory=list)
    notice: str | None = None


def parse_stream(text: str) -> Stream:
    stream = Stream()
    offset = 0
    for chunk in re.split(r"(?m)^---(?=\s)", text):
        try:
            root = _parse(chunk)
            stream.documents.append(Document(root, offset, None, chunk))
        except MarkedYAMLError as e:
            m = e.problem_mark
            stream.documents.append(
                Document(None, offset, YAMLProblem(f"yaml: line {m.line + 1}: {e.problem}", m.line + offset, m.column), chunk)
            )
        offset += chunk.count("\n")
    return stream


def _parse(chunk: str) -> Any:
    enabled = gc.isenabled()
    gc.disable()
    try:
        return _build(chunk)
    finally:
        if enabled:
            gc.enable()


def _build(chunk: str) -> Any:
    get = CParser(chunk).get_event
    top: list[Any] = []
    append = top.append
    stack: list[Any] = []
    node: Any = None
    anchors: dict[str, Any] = {}
    while (ev := get()) is not None:
        c = ev.__class__
        if c is Scalar:
            append(ev)
            if ev.anchor is not None:
                anchors[ev.anchor] = ev
        elif c is MappingStartEvent or c is SequenceStartEvent:
            new = Mapping(ev) if c is MappingStartEvent else Sequence(ev)
            append(new)
            if ev.anchor is not None:
                anchors[ev.anchor] = new
            stack.append((node, append))
            node = new
            append = new.items.append
        elif c is MappingEndEvent:
            node.end_mark = ev.end_mark
            keys = node.items[::2]
            try:
                names = [k.value for k in keys]
                node.simple = len(set(names)) == len(names) and all(map(is_plain_string, names))
            except AttributeError:
                node.simple = False
            node, append = stack.pop()
        elif c is SequenceEndEvent:
            node.end_mark = ev.end_mark
            node, append = stack.pop()
        elif c is AliasEvent:
            append(anchors[ev.anchor])
    return top[0] if top else None
