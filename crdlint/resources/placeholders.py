"""Placeholders in samples, such as `${SIZE}`: values that a tool replaces before the object is sent to a cluster.

A placeholder may represent a value of any type, so findings that its own text causes are withheld and counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from itertools import islice
from typing import Final, TypeAlias

from crdlint.cel.ast import Expr
from crdlint.crd.errors import DUPLICATE, INVALID, NOT_SUPPORTED, Code, FieldError
from crdlint.crd.paths import Path
from crdlint.crd.positions import SourceLocation
from crdlint.files.patterns import is_in_order
from crdlint.kubecel.syntax_trees import is_read, paths_read
from crdlint.light import NamedTuple, dataclass, regex
from crdlint.resources.objects import ResourceLocator
from crdlint.rules.texts.resource import SCALE
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, text_or_empty

_Steps: TypeAlias = tuple["_Steps | None", str | int]

# ${NAME}, $(NAME), {{ name }}, [[ name ]], {name}, {0}, <name>, <00-name>, ($name), @name@, %NAME%, __NAME__; a variable, a
# choice such as `a | b`, or words such as REPLACE_ME, YOUR_NAME and TODO as the complete text.
_BUILT_IN: Final = regex(
    r"\$\{[^{}\n]*\}|\$\([A-Za-z_][\w.-]*\)|\{\{[^{}\n]*\}\}|\{(?:[A-Za-z_][\w-]*|\d)\}|<[A-Za-z][^<>\n]*>"
    r"|<[\d._-]+[A-Za-z][\w.-]*>|\(\$[A-Za-z_][^()\n]*\)|@[A-Za-z_][\w-]*@|\A\$[A-Za-z_][A-Za-z0-9_]*\Z"
    r"|\A[\w.-]+(?: \| ?[\w.-]+)+\Z|\[\[[^\[\]\n]*[A-Za-z][^\[\]\n]*\]\]|%[A-Z][A-Z0-9_]{2,}%|__[A-Z][A-Z0-9_]*?__"
    r"|\A(?:REPLACE|CHANGE|INSERT|FILL|ENTER|ADD)[_-]?(?:ME|THIS|WITH|HERE|IN|YOUR)(?![A-Za-z])[A-Z0-9_-]*\Z"
    r"|\AYOUR[_-][A-Z0-9_-]+\Z|\A(?:TODO|TBD|FIXME)(?![A-Za-z])"
)
# What a value is, in capital letters, where no value of an enumeration is expected: NAME, WORKSPACE_ID.
_IN_CAPITALS: Final = regex(
    r"(?:[A-Z0-9]+_)*(?:ID|NAME|KEY|SECRET|TOKEN|URL|HOST|NAMESPACE|PASSWORD|USER|EMAIL|IP|REGION|BUCKET)"
)
# A name of several words in capital letters, where a value of another type is expected: REPLICAS_REPLACEMENT.
_WORDS_IN_CAPITALS: Final = regex(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_VARIABLE: Final = regex(r"\$[A-Za-z_]")
_FEWEST_EMPTY: Final = 10  # empty texts of an object that lists all fields
_MOST: Final = 1000  # the number of placeholders in an object that are compared with the paths that a rule reads
# Errors about a list or an object that can be caused by its items and fields.
_OF_CONTENTS: Final = frozenset({DUPLICATE, INVALID, NOT_SUPPORTED})


class PlaceholderPatterns(NamedTuple):
    """The patterns of placeholders: `own` ones, in which `*` matches any text, and unless that is off the `built_in` ones."""

    own: tuple[str, ...] = ()
    built_in: bool = True

    def find(self, text: str) -> str | None:
        """Return the first placeholder of a text, or None."""
        match = _BUILT_IN.search(text) if self.built_in and not _is_plain(text) else None
        if match is not None:
            return match[0]
        is_own = any(is_in_order(f"*{pattern}*".split("*"), text) for pattern in self.own)
        return text if is_own or (self.built_in and _is_command(text)) else None


def _is_plain(text: str) -> bool:
    """Return whether a text has no sign of placeholders, nor begins with capitals, as TODO does."""
    return _SIGNS.isdisjoint(text) and not text[:2].isupper()


# One of these is in each placeholder that does not begin with capitals.
_SIGNS: Final = frozenset("$%(<@[_{|")


def _is_command(text: str) -> bool:
    """Return whether a text is in parentheses, and has a variable."""
    return text[:1] == "(" and text[-1] == ")" and _VARIABLE.search(text) is not None


@dataclass(slots=True)
class Placeholders:
    """The placeholders of one object; `withheld` are those that cause findings, by line and column of the file."""

    patterns: PlaceholderPatterns
    locator: ResourceLocator
    withheld: dict[tuple[int, int], str] = field(default_factory=dict)
    _lists_all_fields: bool | None = None
    # The placeholders in a node, by its identity, each with the steps to it, the last one first.
    _below: dict[int, list[tuple[Scalar, _Steps | None]]] = field(default_factory=dict)

    def cause(self, error: FieldError) -> bool:
        """Return whether a placeholder may be the only cause of an error, and record it in that case."""
        location = self.locator.find(error.at or error.path)
        rule = error.cause
        if rule is None and self.is_left_empty(location):
            return True
        if self._is_in_capitals(error):
            return self._withhold_at(location)
        if self._is_of_other_type(error, location):
            return True
        if not self._within(self.locator.root):
            return False
        if rule is not None and rule.expr is not None:
            return self._withhold(self._read_by(rule.expr, rule.self_path))
        return self._is_caused_at(location, error)

    def _is_in_capitals(self, error: FieldError) -> bool:
        """Return whether an error is about a text that only names what the value is, in capital letters."""
        value = error.value if error.type != NOT_SUPPORTED and error.cause is None else None
        is_text = self.patterns.built_in and isinstance(value, str)
        return is_text and _IN_CAPITALS.fullmatch(str(value)) is not None

    def _is_of_other_type(self, error: FieldError, location: SourceLocation) -> bool:
        """Return whether an error is about the type of a name in capital letters, see `is_in_capitals`."""
        is_of_type = error.reason is not None and error.reason.code is Code.TYPE
        return (is_of_type or error.rule == SCALE.id) and self.is_in_capitals(location)

    def is_in_capitals(self, location: SourceLocation) -> bool:
        """Return whether a value without quotes is a name of several words in capital letters, and record it in that case.

        Where it has the wrong type, a tool replaces it by a number or a boolean.
        """
        node = location.node if self.patterns.built_in and location.exact else None
        is_plain = isinstance(node, Scalar) and not node.style
        is_name = is_plain and _WORDS_IN_CAPITALS.fullmatch(text_or_empty(node)) is not None
        return is_name and self._withhold_at(location)

    def _is_caused_at(self, location: SourceLocation, error: FieldError) -> bool:
        """Return whether the value that an error is about may be wrong by a placeholder only, and record it in that case."""
        if location.exact and self.is_written_as_mapping(location.node):
            return self.is_within(location)
        is_about_placeholder = isinstance(error.value, str) and self.patterns.find(error.value)
        if is_about_placeholder:
            return self.is_within(location) or self._withhold_at(location)
        # Those in an object cause no error about what it lacks.
        depends_on_value = error.type in _OF_CONTENTS or isinstance(location.node, Scalar)
        return location.exact and depends_on_value and self.is_within(location)

    def is_left_empty(self, location: SourceLocation) -> bool:
        """Return whether a value is an empty one of an object of documentation, which lists all fields; record it then."""
        if not (self.patterns.built_in and location.exact and _is_empty(location.node)):
            return False
        if self._lists_all_fields is None:
            empty = filter(_is_empty_text, _scalars(self.locator.root))
            self._lists_all_fields = len(list(islice(empty, _FEWEST_EMPTY))) == _FEWEST_EMPTY
        return self._lists_all_fields and self._withhold_at(location)

    def is_key(self, location: SourceLocation, name: str) -> bool:
        """Return whether the name of an unknown field is a placeholder, and record it in that case."""
        return bool(self.patterns.find(name)) and self._withhold_at(location)

    def is_written_as_mapping(self, node: Node | None) -> bool:
        """Return whether a node is a placeholder such as `{name}`, which YAML reads as a mapping with a null."""
        return self.patterns.built_in and _key_of_braces(node) is not None

    def is_within(self, location: SourceLocation) -> bool:
        """Return whether a value is or contains a placeholder, and record it in that case."""
        return self._withhold(next((node for node, _ in self._within(location.node)), None))

    def _read_by(self, expr: Expr, self_path: Path | None) -> Node | None:
        """Return a placeholder that a rule reads; `self_path` is the path of `self`, None for the whole object."""
        owner = self.locator.root if self_path is None else self.locator.find(self_path).node
        placeholders = self._within(owner)
        if len(placeholders) > _MOST:
            return placeholders[0][0]
        read = paths_read(expr)
        for scalar, steps in placeholders:
            if is_read(_path_of(steps), read):
                return scalar
        return None

    def _within(self, node: Node) -> list[tuple[Scalar, _Steps | None]]:
        below = self._below.get(id(node))
        if below is None:
            below = self._below[id(node)] = list(islice(self._walk(node), _MOST + 1))
        return below

    def _walk(self, root: Node) -> Iterator[tuple[Scalar, _Steps | None]]:
        pending: list[tuple[Node, _Steps | None]] = [(root, None)]
        while pending:
            node, steps = pending.pop()
            placeholder = self._placeholder(node)
            if placeholder is not None:
                yield placeholder, steps
                continue
            below = [(value, (steps, step)) for step, value in _steps_below(node)]
            pending.extend(reversed(below))

    def _placeholder(self, node: Node) -> Scalar | None:
        """Return the text of a node that is or has a placeholder, None for others."""
        if isinstance(node, Scalar):
            return node if self.patterns.find(node.value) else None
        return _key_of_braces(node) if self.patterns.built_in else None

    def _withhold_at(self, location: SourceLocation) -> bool:
        return self._withhold(location.key or location.node)

    def _withhold(self, node: Node | None) -> bool:
        if node is None:
            return False
        text = self.patterns.find(node.value) if isinstance(node, Scalar) else None
        position = (node.start_mark.line + 1 + self.locator.line_offset, node.start_mark.column + 1)
        self.withheld[position] = text or ""
        return True


def _steps_below(node: Node) -> Iterator[tuple[str | int, Node]]:
    """Yield the items or the values of a node, each with the step that leads to it."""
    if isinstance(node, Sequence):
        yield from enumerate(node.items)
    elif isinstance(node, Mapping):
        for key, value in node.pairs():
            yield text_or_empty(key), value


def _scalars(root: Node) -> Iterator[Scalar]:
    """Yield the scalar values in a node."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, Scalar):
            yield node
        pending += [value for _, value in _steps_below(node)]


def _is_empty_text(node: Scalar) -> bool:
    return not node.value and bool(node.style)


def _is_empty(node: Node) -> bool:
    """Return whether a value is an empty text, list or object."""
    if isinstance(node, Scalar):
        return _is_empty_text(node)
    return isinstance(node, (Mapping, Sequence)) and not node.items


def _key_of_braces(node: Node | None) -> Scalar | None:
    """Return the only key of a mapping in braces that has no value."""
    match node:
        case Mapping(items=[Scalar() as key, Scalar(value="") as value]):
            is_plain = node.flow and not key.style and not value.style
            return key if is_plain and _NAME.fullmatch(key.value) else None
    return None


_NAME: Final = regex(r"[A-Za-z_][\w-]*")


def _path_of(steps: _Steps | None) -> list[str | int]:
    """Return the steps to a placeholder, the first one first."""
    path: list[str | int] = []
    while steps is not None:
        steps, step = steps
        path.append(step)
    return path[::-1]
