"""Suites as data: `*.testsuite.yaml`, and files in openshift/api's `tests/<CRD>/`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence as SequenceOf
from typing import Any, Final, Literal, TypeAlias

from crdlint.crd.positions import node_span
from crdlint.files.paths import Selection, UnreadInput, discover
from crdlint.files.read import UnreadableError, decode, read_bytes
from crdlint.kubernetes.senders import DEFAULT_SENDER, SENDERS
from crdlint.light import dataclass
from crdlint.phrases import nearest
from crdlint.sources.fragments import SUITE_SUFFIX, is_suite
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.json_values import entries, to_json
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence
from crdlint.yaml.parse import parse_first

Kind: TypeAlias = Literal["create", "update"]


@dataclass(frozen=True, slots=True)
class Case:
    """One test: an object that is created, or created and then updated; texts are YAML.

    - `line`: its line in the file (1-based)
    - `expectation_line`: the line of what is expected, that of the test if nothing is
    - `patches`: JSON patch operations (RFC 6902), applied to the CRD before the object is created
    - `sender`: the name of the sender of the last object
    """

    kind: Kind
    name: str
    line: int
    expectation_line: int
    initial: str
    updated: str = ""
    expected: str = ""
    expected_error: str = ""
    expected_status_error: str = ""
    patches: tuple[dict[str, Any], ...] = ()
    sender: str = DEFAULT_SENDER


@dataclass(frozen=True, slots=True)
class Suite:
    """A file with tests of one CRD.

    - `crd_name`, `crd_file`: name the CRD, by its metadata.name or by a path relative to the suite
    - `version`: the version to test, empty if the CRD has only one
    - `feature_gates`: select among generated CRDs; a dash before a name means that the gate must be off
    """

    file: str
    name: str
    crd_name: str
    crd_file: str
    version: str
    feature_gates: tuple[str, ...]
    cases: tuple[Case, ...]
    ignored: tuple[tuple[int, str], ...] = ()  # entries without effect: the line, and a description


_SUITE: Final = (
    "apiVersion",
    "name",
    "crdName",
    "crd",
    "version",
    "featureGate",
    "featureGates",
    "tests",
)
_TESTS: Final = ("onCreate", "onUpdate")
_TEST: Final = ("name", "initial", "expected", "expectedError")
_CREATE: Final = (*_TEST, "sender")
# The fields of a test of each kind, and those that it must have.
_WORDS: Final[MappingOf[Kind, tuple[str, ...]]] = {
    "create": _CREATE,
    "update": (*_CREATE, "updated", "expectedStatusError", "initialCRDPatches"),
}
_INITIAL: Final = {"initial": "the object to create"}
_REQUIRED: Final[MappingOf[Kind, MappingOf[str, str]]] = {
    "create": _INITIAL,
    "update": {**_INITIAL, "updated": "the object after the update"},
}
# The texts of a test, and their attributes.
_TEXTS: Final = {
    "name": "name",
    "initial": "initial",
    "updated": "updated",
    "expected": "expected",
    "expectedError": "expected_error",
    "expectedStatusError": "expected_status_error",
}
_EXPECTATIONS: Final = ("expectedError", "expectedStatusError", "expected")
_PATCH: Final = ("op", "path", "value", "from")


class SuiteError(ValueError):
    """A text is not a valid suite; `line` is 1-based."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


def read_suite(text: str, file: str) -> Suite:
    """Parse a suite; raise SuiteError if it is invalid."""
    document = parse_first(text)
    if document.error is not None:
        raise SuiteError(document.error.message, document.error.line + 1)
    try:
        return _suite(document.root, file)
    except YAMLDecodeError as error:
        raise SuiteError(str(error), _line(error.node)) from error


def _suite(root: Node | None, file: str) -> Suite:
    ignored: list[tuple[int, str]] = []
    values = _fields(root, _SUITE, "a suite", ignored)
    crd_name, crd_file = _text(values, "crdName"), _text(values, "crd")
    if not (crd_name or crd_file):
        raise SuiteError("`crdName` is missing: the metadata.name of the CRD to test")
    if "tests" not in values:
        raise SuiteError("`tests` is missing, with `onCreate` or `onUpdate`")
    tests = _fields(values["tests"], _TESTS, "tests")
    cases = [_case(node, "create") for node in _items(tests.get("onCreate"))]
    cases += [_case(node, "update") for node in _items(tests.get("onUpdate"))]
    gates = tuple(str(to_json(node)) for node in _items(values.get("featureGates")))
    name = _text(values, "name") or crd_name
    return Suite(
        file,
        name,
        crd_name,
        crd_file,
        _text(values, "version"),
        gates,
        tuple(cases),
        tuple(ignored),
    )


def _case(node: Node, kind: Kind) -> Case:
    values = _fields(node, _WORDS[kind], "a test")
    for name, what in _REQUIRED[kind].items():
        if name not in values:
            raise SuiteError(f"`{name}` is missing: {what}", _line(node))
    patches = list(_items(values.get("initialCRDPatches")))
    for patch in patches:
        _fields(patch, _PATCH, "a patch")
    texts = {attribute: _text(values, name) for name, attribute in _TEXTS.items()}
    expectations = (values[name] for name in _EXPECTATIONS if name in values)
    return Case(
        kind,
        line=_line(node),
        expectation_line=_line(next(expectations, node)),
        patches=tuple(map(to_json, patches)),
        sender=_sender(values),
        **texts,
    )


def _sender(values: dict[str, Node]) -> str:
    """Return who sends the object of a test."""
    sender = _text(values, "sender") or DEFAULT_SENDER
    if sender not in SENDERS:
        raise SuiteError(f"`sender` is one of {_listed(tuple(SENDERS))}", _line(values["sender"]))
    return sender


def _fields(
    node: Node | None,
    words: tuple[str, ...],
    what: str,
    ignored: list[tuple[int, str]] | None = None,
) -> dict[str, Node]:
    """Return the values of a mapping by key; unknown keys are added to `ignored`, or are errors if it is None."""
    if not isinstance(node, Mapping):
        raise SuiteError(f"{what} is a mapping with {_listed(words)}", _line(node))
    values: dict[str, Node] = {}
    for name, key, value in entries(node):
        if name not in words:
            near = nearest(name, words)
            hint = f"did you mean `{near}`?" if near else f"there are {_listed(words)}"
            message = f"{what} has no `{name}`: {hint}"
            if ignored is None:
                raise SuiteError(message, _line(key))
            ignored.append((_line(key), message))
            continue
        values[name] = value
    return values


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _items(node: Node | None) -> Iterator[Node]:
    if node is None or (isinstance(node, Scalar) and to_json(node) is None):
        return
    if not isinstance(node, Sequence):
        raise SuiteError("a list is wanted here", _line(node))
    yield from node.items


def _text(values: dict[str, Node], name: str) -> str:
    node = values.get(name)
    value = None if node is None else to_json(node)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise SuiteError(f"`{name}` is a text", _line(values[name]))
    return value


def _line(node: Node | None) -> int:
    """Return the line of a node, the first one for none."""
    return 1 if node is None else node_span(node, 0).line


def find_suites(
    paths: SequenceOf[str], selection: Selection
) -> Iterator[tuple[str, str] | UnreadInput]:
    """Yield the file and text of each suite, and problems with reading; files named by the user are always suites."""
    discovered = discover(paths, selection)
    yield from (problem for problem in discovered.problems if problem.fatal)
    named = set(paths)
    for path in discovered.files:
        is_named = path in named or path.endswith(SUITE_SUFFIX)
        if (
            not is_named
            and os.path.basename(os.path.dirname(os.path.dirname(os.path.abspath(path)))) != "tests"
        ):
            continue
        try:
            text = decode(read_bytes(path))
        except UnreadableError as error:
            yield UnreadInput(path, str(error))
            continue
        if is_named or is_suite(path, text.encode()):
            yield path, text
