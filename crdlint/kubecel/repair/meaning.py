"""The expression that is meant by one that does not compile, as far as compiling it again proves it."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.cel.ast import Call, Ident, Select, children, nodes
from crdlint.cel.compiler import compile_text
from crdlint.cel.errors import Code
from crdlint.cel.source_ranges import error_range, range_at
from crdlint.cel.types import BOOL, Kind
from crdlint.diagnostics.spelling import nearest
from crdlint.kubecel.compilation import MESSAGE
from crdlint.kubecel.environment import LIBRARIES
from crdlint.kubecel.escaping import escape
from crdlint.kubecel.repair.false_friends import CHARACTERS, CONDITIONS, PATHS, ROWS
from crdlint.kubecel.repair.patterns import BRACKETS, Text
from crdlint.yaml.edit import Edit, apply, composed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.cel.ast import Expr
    from crdlint.cel.compiler import Compiled
    from crdlint.kubecel.compilation import Expression
    from crdlint.kubecel.declarations import DeclType
    from crdlint.kubecel.repair.false_friends import Row
    from crdlint.kubecel.repair.patterns import Match, Token
    from crdlint.safety.work import Effort

LIKE: Final = 0.6  # the minimum similarity of a suggested name
_LONGEST: Final = 3000  # characters of an expression
_MOST_COMPILATIONS: Final = 150
_MOST_STEPS: Final = 6
_MOST_OFFERED: Final = 3
_MOST_ALONE: Final = 4  # matches of a row that are rewritten one at a time
_LONGEST_SHOWN: Final = 70
_MOST_ENDS: Final = 60  # places of a missing bracket
_SHOWN: Final = 40  # characters before an insertion
_PART: Final = re.compile(r"\{([A-Za-z]+'?)\}")
_WORD: Final = re.compile(r"[A-Za-z_]\w*\Z")
_OPERATORS_AROUND: Final = frozenset({"", "(", "[", "{", ",", "&&", "||", "?", ":", ")", "]", "}"})
_BRACKETS_AROUND: Final = frozenset({"", "(", "[", "{", ",", ")", "]", "}"})
# Variables that other uses of CEL in Kubernetes have.
_OTHER_VARIABLES: Final = frozenset({"request", "params", "variables", "authorizer", "namespaceObject"})


class Choice(NamedTuple):
    """Edits of which one may be meant; `help` is the help for each of them, by default what they write."""

    alternatives: tuple[tuple[Edit, ...], ...]
    is_certain: bool = True
    helps: tuple[str, ...] = ()


class Meaning(NamedTuple):
    """The help for an expression, and the edits with which it compiles, empty if more than one may be meant."""

    help: str
    edits: tuple[Edit, ...] = ()
    is_certain: bool = False


class _State:
    """A text of the expression, with the result of compiling it."""

    def __init__(self, text: str, compiled: Compiled, *, is_right_type: bool) -> None:
        self.text: Final = text
        self.compiled: Final = compiled
        self.is_parsed: Final = bool(compiled.result.type_map)
        self.error: Final = min(compiled.errors, key=lambda each: each.location, default=None)
        self.offset = len(text)
        if self.error is not None and self.error.location.line > 0:
            line, column = self.error.location
            self.offset = compiled.source.line_offsets[line - 1] + column
        self.stage: Final = (1 if self.is_parsed else 2) if self.error is not None else -int(is_right_type)

    @property
    def is_accepted(self) -> bool:
        """Whether the expression compiles."""
        return self.stage < 0

    def is_further(self, before: _State, edits: Iterable[Edit]) -> bool:
        """Return whether its first error is of a later stage, or after the place of the first error before some edits."""
        if self.stage != before.stage:
            return self.stage < before.stage
        moved = before.offset
        for edit in edits:
            if edit.start <= before.offset:
                moved += len(edit.text) - (min(edit.end, before.offset) - edit.start)
        return self.stage > 0 and self.offset > moved

    @property
    def node(self) -> Expr | None:
        """The node of the first error."""
        error = self.error
        return None if error is None else next((n for n in nodes(self.compiled.expr) if n.id == error.expr_id), None)


class _Step(NamedTuple):
    edits: tuple[Edit, ...]
    written: str
    help: str
    is_certain: bool
    after: _State


def meaning(expression: Expression, effort: Effort) -> Meaning | None:
    """Return what is probably meant by an expression with an error, or None if nothing is known."""
    return _Search(expression, effort).meaning() if len(expression.text) <= _LONGEST else None


class _Search:
    def __init__(self, expression: Expression, effort: Effort) -> None:
        self._expression: Final = expression
        self._effort: Final = effort
        self._left = _MOST_COMPILATIONS

    def meaning(self) -> Meaning | None:
        state = self._state(self._expression.text, self._expression.compiled)
        edits: list[Edit] = []
        helps: list[str] = []
        is_certain = True
        for _ in range(_MOST_STEPS):
            steps = self._steps(state)
            if len(steps) > 1 and is_certain:
                return Meaning(_sentence([*helps, _either(steps)]))
            if len(steps) != 1:
                break
            (step,) = steps
            edits = composed(edits, step.edits)
            helps.append(step.help)
            is_certain = is_certain and step.is_certain
            state = step.after
            if state.is_accepted:
                return Meaning(_sentence(helps), tuple(edits), is_certain)
        return Meaning(_sentence(helps)) if helps and is_certain else None

    def _state(self, text: str, compiled: Compiled) -> _State:
        output = self._expression.kind.output
        return _State(text, compiled, is_right_type=output is None or compiled.output_type is output)

    def _steps(self, before: _State) -> list[_Step]:
        """Return the alternatives of the first choice that leads to an expression that compiles, or else to a later error."""
        further: list[_Step] = []
        tried = {before.text}
        for choice in self._choices(before):
            steps = list(self._tried(before, choice, tried))
            accepted = [step for step in steps if step.after.is_accepted]
            if accepted:
                return accepted
            further = further or steps
        return further[:1]

    def _tried(self, before: _State, choice: Choice, tried: set[str]) -> Iterator[_Step]:
        for index, written in enumerate(choice.alternatives):
            edits = tuple(piece for edit in written for piece in _pieces(edit, before.text))
            text = apply(before.text, edits)
            if text in tried or not self._left or not self._effort.affords(len(text)):
                continue
            tried.add(text)
            self._left -= 1
            self._effort.spend(len(text))
            after = self._state(text, compile_text(text, self._expression.env, self._expression.environment.parser))
            if after.is_further(before, edits):
                help_ = choice.helps[index] if choice.helps else _written(written, before.text)
                yield _Step(edits, written[0].text, help_, choice.is_certain, after)

    def _choices(self, state: _State) -> Iterator[Choice]:
        text = Text(state.text)
        scope = _scope(text, state.offset)
        if not state.is_parsed:
            yield from _characters(state.text)
            yield from _strings(state.text, text)
            yield from _brackets(text)
        elif state.error is None:
            if self._expression.kind is MESSAGE:
                whole = state.text.strip()
                yield Choice(((Edit(0, len(state.text), f"string({whole})"),),), is_certain=False)
        else:
            yield from self._fields_in_scope(state, scope)
        yield from _without_quotes(text)
        unknown = [each.problem.args[0] for each in state.compiled.errors if each.problem.code is Code.UNDECLARED_REFERENCE]
        for row in chain(PATHS, ROWS, CONDITIONS if _needs_condition(state) else ()):
            yield from _rewritten(row, text, state, scope, unknown)
        if state.is_parsed and state.error is not None:
            yield from self._names(state, scope)
            yield from self._other_fields(state)

    # Names

    def _fields_in_scope(self, state: _State, scope: list[str]) -> Iterator[Choice]:
        """Yield a name as a field of the variables around it."""
        name, span = _wrong_name(state)
        if name is not None and isinstance(state.node, (Ident, Call)) and not _is_function(state.node):
            fields = [f"{variable}.{escape(name) or name}" for variable in scope]
            helps = tuple(f"Read the field through {field.partition('.')[0]}: `{field}`" for field in fields)
            yield Choice(tuple((Edit(*span, field),) for field in fields), helps=helps)

    def _names(self, state: _State, scope: list[str]) -> Iterator[Choice]:
        """Yield the names that are similar to a wrong one, and the name as a string."""
        name, span = _wrong_name(state)
        node = state.node
        if name is None or node is None:
            return
        whole = re.compile(r"\w+(?:-\w+)+").match(state.text, span[0])
        if whole is not None:
            yield Choice(((Edit(*whole.span(), escape(whole[0]) or ""),),))
        known = list(self._known(state, node, name, scope))
        slips = [each for each in known if _is_slip(name, each.rpartition(".")[2])]
        near = slips or [each for each in (self._nearest(name, known),) if each is not None]
        similar = Choice(
            tuple((Edit(*span, each),) for each in near),
            is_certain=bool(slips),
            helps=tuple(f"Did you mean `{each}`?" for each in near),
        )
        if any("." not in each for each in slips):
            yield similar
        if isinstance(node, Ident) and name not in _OTHER_VARIABLES:
            end = re.compile(r"(?:\.\w+)*(?!\s*\()").match(state.text, span[1])
            quoted = state.text[span[0] : span[1] if end is None else end.end()]
            as_string = (Edit(span[0], span[0] + len(quoted), f"'{quoted}'"),)
            if slips:
                helps = (*similar.helps, f"Write `'{quoted}'` instead of `{quoted}`")
                yield Choice((*similar.alternatives, as_string), similar.is_certain, helps)
            yield Choice((as_string,), is_certain=name[0].isupper())
        yield similar

    def _known(self, state: _State, node: Expr, name: str, scope: list[str]) -> Iterable[str]:
        """Yield the names that may be meant by one that is not declared."""
        expression = self._expression
        if isinstance(node, Select) or (state.error is not None and state.error.problem.code is Code.UNDEFINED_FIELD):
            declared = _object(expression, state.compiled, node)
            fields = {} if declared is None else declared.fields or {}
            properties = {} if declared is None or declared.schema is None else declared.schema.properties
            return dict.fromkeys([*fields, *(escape(each) or each for each in properties)])
        if _is_function(node):
            if any(row.function == name for library in LIBRARIES for row in library.functions):
                return []  # a function of another version
            functions = [each for each in expression.env.function_names() if each.isidentifier()]
            return dict.fromkeys([*functions, *(macro for macro, *_ in expression.environment.parser.macros if macro != "existsOne")])
        self_type = expression.declarations.self_type
        of_self = expression.declarations.object(self_type.name) if self_type.kind is Kind.STRUCT else None
        fields = {} if of_self is None else of_self.fields or {}
        return dict.fromkeys([*scope, "self", "oldSelf", *(f"self.{each}" for each in fields)])

    def _other_fields(self, state: _State) -> Iterator[Choice]:
        """Yield similar fields in place of those whose type does not fit."""
        if state.error is None or state.error.problem.code not in _TYPE_ERRORS or state.node is None:
            return
        for operand in children(state.node):
            declared = _object(self._expression, state.compiled, operand) if isinstance(operand, Select) else None
            offsets = state.compiled.source.offsets.get(operand.id)
            if declared is None or offsets is None or not isinstance(operand, Select):
                continue
            span = range_at(state.text, offsets[0])
            others = [each for each in declared.fields or {} if each != operand.field and _is_slip(operand.field, each)]
            helps = tuple(f"Did you mean `{each}`?" for each in others)
            yield Choice(tuple((Edit(*span, each),) for each in others), is_certain=False, helps=helps)

    def _nearest(self, name: str, known: list[str]) -> str | None:
        if not self._effort.affords(len(known)):
            return None
        self._effort.spend(len(known))
        by_name = {each.rpartition(".")[2]: each for each in reversed(known)}
        near = nearest(name, by_name, LIKE)
        return None if near is None else by_name[near]


def _is_function(node: Expr) -> bool:
    return isinstance(node, Call) and _WORD.match(node.function) is not None


def _wrong_name(state: _State) -> tuple[str | None, tuple[int, int]]:
    """Return the name that the first error is about, and its offsets."""
    error, node = state.error, state.node
    if error is None:
        return None, (0, 0)
    found = error_range(error, state.compiled.source)
    if error.problem.code is Code.NO_MATCHING_OVERLOAD and isinstance(node, Call) and not _is_function(node):
        # A name of a type that is also the name of a field.
        for operand in node.args:
            if isinstance(operand, Ident) and operand.name.lstrip(".") in state.compiled.source.text:
                start = state.compiled.source.offsets[operand.id][0]
                if operand.name in _TYPES:
                    return operand.name, (start, start + len(operand.name))
        return None, (0, 0)
    if found is None or error.problem.code not in _NAMES or not _WORD.match(state.text[slice(*found)]):
        return None, (0, 0)
    return state.text[slice(*found)], found


_NAMES: Final = frozenset({Code.UNDECLARED_REFERENCE, Code.UNDEFINED_FIELD})
_TYPE_ERRORS: Final = frozenset({Code.NO_MATCHING_OVERLOAD, Code.NOT_A_RANGE, Code.NO_FIELD_SELECTION})
_TYPES: Final = frozenset({"type", "string", "int", "double", "bool", "bytes", "list", "map", "uint"})


def _object(expression: Expression, compiled: Compiled, node: Expr) -> DeclType | None:
    """Return the type of the object that a field is selected from."""
    operand = node.operand if isinstance(node, Select) else node.args[0] if isinstance(node, Call) else None
    type_ = None if operand is None else compiled.result.type_map.get(operand.id)
    unwrapped = None if type_ is None else type_.unwrapped
    if unwrapped is None or unwrapped.kind is not Kind.STRUCT:
        return None
    return expression.declarations.object(unwrapped.name)


def _is_slip(name: str, known: str) -> bool:
    """Return whether two names differ in one letter, in the order of two, or in case and underscores only."""
    first, second = (each.lower().replace("_", "") for each in (name, known))
    if first == second:
        return True
    if min(len(first), len(second)) < 3 or abs(len(first) - len(second)) > 1 or re.sub(r"\D", "", first) != re.sub(r"\D", "", second):
        return False
    start = next((i for i, (a, b) in enumerate(zip(first, second)) if a != b), min(len(first), len(second)))  # noqa: B905
    rest, other = first[start:], second[start:]
    return (rest[1:] == other[1:] and len(first) > 4) or rest[1:] == other or rest == other[1:] or (
        rest[:2] == other[1::-1] and rest[2:] == other[2:]
    )


def _needs_condition(state: _State) -> bool:
    error, node = state.error, state.node
    if error is None:
        return state.compiled.output_type is not BOOL
    is_not = isinstance(node, Call) and node.function == "!_"
    return is_not or (error.problem.code is Code.TYPE_MISMATCH and error.problem.args[0] is BOOL)


# Rows of the table


def _scope(text: Text, offset: int) -> list[str]:
    """Return the variables at an offset, those of the innermost macro first, and `self` last."""
    found: list[str] = []
    for match in text.matches("( v ,"):
        closing = text.closing.get(match.start)
        if text.tokens[match.start].start < offset and (closing is None or offset <= text.tokens[closing].start):
            if match.start and text.tokens[match.start - 1].is_name:
                found.append(text.part(match, "v"))
    return [*dict.fromkeys(reversed(found)), "self"]


def _rewritten(row: Row, text: Text, state: _State, scope: list[str], unknown: list[str]) -> Iterator[Choice]:
    """Yield what a row makes of an expression: of each match in one that is not parsed, of the wrong part of others."""
    matches = list(text.matches(row.written))
    if state.is_parsed and state.error is not None and row not in PATHS:
        matches = [each for each in matches if _covers(text, each, state.offset)]
    if not matches:
        return
    together = [matches, *([match] for match in matches[:_MOST_ALONE] if len(matches) > 1)]
    for group in together:
        alternatives = [
            tuple(_edit(text, match, row.written, template, name) for match in group)
            for template in row.meant
            for name in (scope if "{scope}" in template else unknown if "{u}" in template else ("",))
        ]
        yield Choice(tuple(alternatives), row.is_certain)


def _covers(text: Text, match: Match, offset: int) -> bool:
    start, end = text.span(match.start, match.end)
    return start <= offset < end


_OPERATOR: Final = re.compile(r"[}')\d] (\S+) ")


def _edit(text: Text, match: Match, pattern: str, template: str, name: str) -> Edit:
    """Return the edit that writes a template in place of the match of a pattern."""

    def part(found: re.Match[str]) -> str:
        if found[1] in ("scope", "u"):
            return name
        value = text.part(match, found[1])
        if found[1] == "s'" and template[found.start() - 1 : found.start()] == ".":
            return escape(value) or value
        return value

    new = _PART.sub(part, template)
    around = _BRACKETS_AROUND if re.search(r"&&|\|\||\?", template) else _OPERATORS_AROUND
    before = text.tokens[match.start - 1].text if match.start else ""
    after = text.tokens[match.end].text if match.end < len(text.tokens) else ""
    operators = {found[1] for found in _OPERATOR.finditer(template)}
    if operators and not operators <= set(pattern.split()) and not {before, after} <= around:
        new = f"({new})"
    return Edit(*text.span(match.start, match.end), new)


# Characters, strings and brackets


def _characters(text: str) -> Iterator[Choice]:
    edits = tuple(
        Edit(i, i + 1, char.translate(CHARACTERS)) for i, char in enumerate(text) if ord(char) in CHARACTERS
    )
    if edits:
        yield Choice((edits,))


_DURATION: Final = re.compile(r"(['\"])(\d+)\s*(?:(ns|us|ms|s|m|h)|(s|m|h)(?:ec|in|our|r)\w*)\1")
_ESCAPED: Final = re.compile(r"\\(.)")
_VALID_ESCAPES: Final = frozenset("abfnrtv\"'\\?`xXuU0123")
_INTERPOLATED: Final = re.compile(r"\$?\{([^{}]*)\}")
_OF_VALUE: Final = re.compile(r"[\w./*:@-]*")


def _strings(text: str, tokens: Text) -> Iterator[Choice]:
    """Yield other spellings of strings: with escapes that CEL lacks, in other quotes, or not closed."""
    raw: list[Edit] = []
    templates: list[Edit] = []
    for token in tokens.tokens:
        if not token.is_string:
            continue
        if token.text[0] == "`":
            pieces = [f"'{each}'" if i % 2 == 0 else f"string({each})" for i, each in enumerate(_INTERPOLATED.split(token.content))]
            templates.append(Edit(token.start, token.end, " + ".join(each for each in pieces if each != "''") or "''"))
        elif token.text[0] not in "rR":
            escapes = _ESCAPED.findall(token.content)
            if any(each not in _VALID_ESCAPES for each in escapes):
                raw += _without_escapes(token.start, token.text, escapes)
    yield from (Choice((tuple(edits),)) for edits in (raw, templates) if edits)
    quote = next((each for each in tokens.tokens if each.text in ("'", '"', "`")), None)
    if quote is not None:
        other = '"' if quote.text == "'" else "'"
        closing = text.find(other, quote.end)
        end = _OF_VALUE.match(text, quote.end)
        yield Choice(((Edit(quote.start, quote.end, other),),), is_certain=False)
        if closing >= 0:
            yield Choice(((Edit(closing, closing + 1, quote.text),),), is_certain=False)
        yield Choice(((Edit(quote.start, quote.end, ""),),), is_certain=False)
        ends = dict.fromkeys([len(text.rstrip()), *([end.end()] if end is not None else [])])
        yield Choice(tuple((Edit(each, each, quote.text),) for each in ends), is_certain=False)


_REGEX: Final = re.compile(r"(?<![\w)\]'\"])/((?:[^/\\\n]|\\.)+)/[a-z]*")
_SPECIAL: Final = frozenset("/*^.$\\[-@#%")


def _without_quotes(text: Text) -> Iterator[Choice]:
    """Yield patterns and arguments of functions as strings."""
    patterns = tuple(Edit(*match.span(), _string(match[1])) for match in _REGEX.finditer(text.text))
    arguments = []
    for start, end in text.closing.items():
        content = text.text[text.tokens[start].end : text.tokens[end].start]
        if start and text.tokens[start - 1].is_name and content[:1] in _SPECIAL and not re.search(r"['\"]|\s", content):
            arguments.append(Edit(text.tokens[start].end, text.tokens[end].start, _string(content)))
    durations = tuple(Edit(*match.span(), f"'{match[2]}{match[3] or match[4]}'") for match in _DURATION.finditer(text.text))
    digits = tuple(Edit(*match.span(), "") for match in re.finditer(r"(?<=\d)_(?=\d)", text.text))
    yield from (Choice(tuple([tuple(edits)])) for edits in (patterns, arguments, durations, digits) if edits)


def _string(content: str) -> str:
    return f"{'r' if chr(92) in content else ''}'{content}'"


def _without_escapes(start: int, string: str, escapes: list[str]) -> Iterator[Edit]:
    """Yield the edits that make a string raw, or, where it has valid escapes, that double the backslashes of the others."""
    if not any(each in _VALID_ESCAPES for each in escapes):
        yield Edit(start, start, "r")
        return
    for match in _ESCAPED.finditer(string):
        if match[1] not in _VALID_ESCAPES:
            yield Edit(start + match.start(), start + match.start(), "\\")


def _brackets(text: Text) -> Iterator[Choice]:
    """Yield brackets closed, replaced and removed."""
    pending: list[Token] = []
    for token in text.tokens:
        if token.text in BRACKETS:
            pending.append(token)
        elif token.text in BRACKETS.values():
            expected = BRACKETS[pending.pop().text] if pending else None
            if expected == token.text:
                continue
            if expected is not None:
                insert = (Edit(token.start, token.start, expected),)
                yield Choice(((Edit(token.start, token.end, expected),), insert), is_certain=False)
            yield Choice(((Edit(token.start, token.end, ""),),), is_certain=False)
            return
    if len(pending) != 1:
        return
    opening, closing = pending[0].text, BRACKETS[pending[0].text]
    ends = [token.end for token in text.tokens if token.start >= pending[0].start]
    for end in (ends[-1], *ends[:_MOST_ENDS]):
        help_ = f"Close the `{opening}`: write `{closing}` after `{_last(text.text[:end])}`"
        yield Choice(((Edit(end, end, closing),),), is_certain=False, helps=(help_,))


# Helps


def _sentence(helps: list[str]) -> str:
    first, *rest = helps
    return "; ".join([first, *(f"{each[0].lower()}{each[1:]}" if each.startswith("Write") else each for each in rest)])


def _either(steps: list[_Step]) -> str:
    instead = [each.help.partition(" instead of ") for each in steps]
    if all(first.startswith("Write ") and last == instead[0][2] for first, _, last in instead):
        shown = [f"`{step.written}`" for step in steps[:_MOST_OFFERED]]
        return f"Write {' or '.join(shown)} instead of {instead[0][2]}"
    return ", or: ".join(step.help for step in steps[:_MOST_OFFERED])


def _last(text: str) -> str:
    """Return the end of a text in one line."""
    return " ".join((f"...{text[-_SHOWN:]}" if len(text) > _SHOWN else text).split())


def _written(edits: tuple[Edit, ...], text: str) -> str:
    """Return the help to make some edits."""
    edit = edits[0]
    old, new = text[edit.start : edit.end], edit.text
    if not old:
        return f"Write `{new}` after `{_last(text[: edit.start])}`" if edit.start else f"Write `{new}` at the start"
    if not new:
        return f"Remove the `{old}`"
    if max(len(old), len(new)) > _LONGEST_SHOWN:
        small, *others = _pieces(edit, text)
        if small.text and small.end > small.start and not others:
            old, new = text[small.start : small.end], small.text
    return f"Write `{' '.join(new.split())}` instead of `{' '.join(old.split())}`"


def _pieces(edit: Edit, text: str) -> Iterator[Edit]:
    """Yield the parts of an edit, without the words that it keeps."""
    from difflib import SequenceMatcher

    old, new = (re.findall(r"\w+|\s+|\W", each) for each in (text[edit.start : edit.end], edit.text))
    starts = [edit.start]
    for word in old:
        starts.append(starts[-1] + len(word))
    for kind, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield Edit(starts[first], starts[last], "".join(new[start:end]))
