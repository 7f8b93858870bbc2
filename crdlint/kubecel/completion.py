"""What can be written at a position of an expression: fields, variables, functions and macros, by the types around it.

Each completion is compiled in its position before it is offered, so that none leads to an error of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Final, Literal

from crdlint.cel import macros
from crdlint.cel.compiler import compile_text
from crdlint.cel.decls import DeclarationError, Env, Overload, Variable
from crdlint.cel.lexer import BRACKETS, matched_brackets, tokenize
from crdlint.cel.library import stdlib
from crdlint.cel.types import DYN, INT, Kind, Type
from crdlint.kubecel.declarations import Declarations, type_text
from crdlint.kubecel.environment import LIBRARIES, Environment, new_expressions
from crdlint.kubernetes.servers import SERVERS, Server, Version
from crdlint.light import dataclass, replace

CompletionKind = Literal["field", "variable", "function", "method", "macro", "keyword"]

# What each function and macro does, in one sentence.
DOCS: Final = {
    **stdlib.DOCS,
    **macros.DOCS,
    **{name: text for library in LIBRARIES for name, text in library.docs.items()},
}

_TARGET: Final = "target__"  # the variable that represents the text before the dot
_OPERANDS: Final = frozenset(
    {"IDENTIFIER", "ESC_IDENTIFIER", "STRING", "BYTES", "NUM_INT", "NUM_UINT", "NUM_FLOAT"}
)
_KEYWORDS: Final = ("true", "false", "null")
# Arguments by type. More than one for a type parameter: the first that compiles is used.
_SAMPLES: Final = {
    Kind.STRING: ("''",),
    Kind.INT: ("0",),
    Kind.UINT: ("0u",),
    Kind.DOUBLE: ("0.0",),
    Kind.BOOL: ("true",),
    Kind.BYTES: ("b''",),
    Kind.LIST: ("[]",),
    Kind.MAP: ("{}",),
    Kind.DURATION: ("duration('1h')",),
    Kind.TIMESTAMP: ("timestamp('2026-01-01T00:00:00Z')",),
    Kind.TYPE: ("int",),
}
_NAMED_SAMPLES: Final = {
    "optional_type": "optional.none()",
    "kubernetes.Quantity": "quantity('1')",
    "kubernetes.Semver": "semver('1.0.0')",
    "kubernetes.URL": "url('https://example.com')",
    "net.IP": "ip('10.0.0.1')",
    "net.CIDR": "cidr('10.0.0.0/8')",
    "kubernetes.NamedFormat": "format.uuid().value()",
}
# Arguments that must be of a certain form, by function.
_SPECIAL_SAMPLES: Final = {
    "duration": ("'1h'",),
    "timestamp": ("'2026-01-01T00:00:00Z'",),
    "format": ("[]",),
}
_ANY_SAMPLES: Final = ("''", "0", f"{_TARGET}[0]", _TARGET, "true")
# Macros of a target: the arguments, and how many variables they declare.
_MACROS: Final = {
    **dict.fromkeys(("all", "exists", "exists_one", "filter"), ("x, true", 1)),
    "existsOne": ("i, x, true", 2),
    **dict.fromkeys(("map", "sortBy", "optMap"), ("x, x", 1)),
    "optFlatMap": ("x, optional.of(x)", 1),
    "transformList": ("i, x, x", 2),
    "transformMap": ("k, x, x", 2),
    "transformMapEntry": ("k, x, {k: x}", 2),
}
_WITH_ONE_OR_TWO: Final = frozenset({"all", "exists", "exists_one"})


@dataclass(frozen=True, slots=True)
class Completion:
    """A text that can be written.

    `name`: its name.
    `kind`: what it is.
    `type`: its type, as text.
    `arguments`: those of a call, as they compile; None for what is not a call.
    `since`: the Kubernetes version that introduced it, None if all have it.
    """

    name: str
    kind: CompletionKind
    type: str
    arguments: tuple[str, ...] | None = None
    since: Version | None = None

    @property
    def text(self) -> str:
        """The text to write, as it compiles."""
        return self.name if self.arguments is None else f"{self.name}({', '.join(self.arguments)})"


@dataclass(frozen=True, slots=True)
class WordContext:
    """The context of a word in an expression.

    `start`: where the word starts.
    `word`: what is written of it.
    `receiver`: what is before its dot, None if no dot is before the word.
    `env`: what the expression may use there, with the variables of the comprehensions around the word.
    """

    start: int
    word: str
    receiver: str | None
    env: Env


class _Tokens:
    """Tokens with the brackets that are open at the end, and the first token of each operand by its last one."""

    def __init__(self, kinds: Sequence[str], texts: Sequence[str], starts: Sequence[int]) -> None:
        self.kinds, self.texts, self.starts = kinds, texts, starts
        self.first: Final[dict[int, int]] = {}
        closing, self.open = matched_brackets(kinds)
        opening_of = {end: start for start, end in closing.items()}
        for index, kind in enumerate(kinds):
            if index in opening_of:
                self._close(index, opening_of[index])
            elif kind in _OPERANDS or texts[index] in _KEYWORDS:
                dot = self._dot_before(index)
                if dot is None:
                    self.first[index] = index
                elif dot - 1 in self.first:
                    self.first[index] = self.first[dot - 1]

    def _close(self, index: int, opening: int) -> None:
        """Note what the operand that a bracket closes begins with: the called function or the list before it, or the bracket."""
        kind = self.kinds[index]
        is_call = kind == ")" and opening > 0 and self.kinds[opening - 1] == "IDENTIFIER"
        follows_operand = is_call or kind == "]"
        if follows_operand and opening - 1 in self.first:
            self.first[index] = self.first[opening - 1]
        elif not is_call:
            self.first[index] = opening

    def _dot_before(self, index: int) -> int | None:
        """Return the index of the `.` or `.?` just before a token, None if there is none."""
        for dot in _DOTS:
            start = index - len(dot)
            if start > 0 and self.kinds[start:index] == [*dot]:
                return start
        return None

    def operand(self, end: int) -> int:
        """Return the index of the first token of the operand that ends before a token; ``end`` if there is none."""
        return self.first.get(end - 1, end)


def context_at(
    text: str,
    offset: int,
    env: Env,
    environment: Environment,
) -> WordContext | None:
    """Return the context at an offset of an expression; None within a string, or after characters that start no token."""
    tokenized = tokenize(text[:offset])
    if tokenized is None:
        return None
    # Without the end of the text.
    kinds, texts, starts = tokenized[0][:-1], tokenized[1][:-1], tokenized[2][:-1]
    start, word = offset, ""
    if kinds and _ends_with_word(kinds[-1], texts[-1], offset - starts[-1]):
        start, word = starts[-1], texts[-1]
        kinds, texts, starts = kinds[:-1], texts[:-1], starts[:-1]
    tokens = _Tokens(kinds, texts, starts)
    scope = _scope(text, tokens, env, environment)
    for dot in _DOTS:
        if kinds[-len(dot) :] == [*dot]:
            end = len(kinds) - len(dot)
            receiver = text[starts[tokens.operand(end)] : starts[end]].strip()
            return WordContext(
                start,
                word,
                receiver if dot == "." else f"{receiver}.?",
                scope,
            )
    return WordContext(start, word, None, scope)


def _ends_with_word(kind: str, text: str, length: int) -> bool:
    """Return whether the last token, which begins `length` characters before the offset, is a word that may go on."""
    return len(text) == length and (kind == "IDENTIFIER" or text in _WORDS)


_DOTS: Final = (".", ".?")
_WORDS: Final = frozenset({"in", "true", "false", "null"})


@dataclass(frozen=True, slots=True)
class ComparedText:
    """A text literal that is being written: where it starts, its quote (empty if none is there), and what it is compared with."""

    start: int
    quote: str
    operand: str


def compared_at(text: str, offset: int) -> ComparedText | None:
    """Return the text literal at an offset that is compared by `==`, `!=` or `in [...]`, None if there is none."""
    start, quote = _open_text(text, offset)
    tokens = _tokens_of(text[:start])
    if tokens is None:
        return None
    operator = _comparison(tokens)
    first = tokens.operand(operator)
    if first == operator:
        return None
    return ComparedText(start, quote, text[tokens.starts[first] : tokens.starts[operator]].strip())


def _tokens_of(text: str) -> _Tokens | None:
    """Return the tokens of the beginning of an expression, without its end; None if it has characters of no token."""
    tokenized = tokenize(text)
    if tokenized is None:
        return None
    kinds, texts, starts = tokenized
    return _Tokens(kinds[:-1], texts[:-1], starts[:-1])


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call whose arguments are being written: what is before its dot (empty if there is none), and the number of the argument."""

    receiver: str
    name: str
    argument: int


def open_call_at(text: str, offset: int) -> OpenCall | None:
    """Return the innermost call that is open at an offset of an expression, None if there is none."""
    start, _ = _open_text(text, offset)
    tokens = _tokens_of(text[:start])
    if tokens is None:
        return None
    opening = tokens.open[-1] if tokens.open else 0
    if opening < 1 or tokens.kinds[opening] != "(" or tokens.kinds[opening - 1] != "IDENTIFIER":
        return None
    return OpenCall(
        _before_dot(text, tokens, opening - 1), tokens.texts[opening - 1], _commas(tokens, opening)
    )


def _before_dot(text: str, tokens: _Tokens, name: int) -> str:
    """Return the operand before the dot of a function's name, empty if it has none."""
    dot = name - 1
    if dot < 1 or tokens.kinds[dot] != ".":
        return ""
    return text[tokens.starts[tokens.operand(dot)] : tokens.starts[dot]].strip()


def _commas(tokens: _Tokens, opening: int) -> int:
    """Return the number of commas between the arguments of an open bracket."""
    depth = commas = 0
    for kind in tokens.kinds[opening + 1 :]:
        depth += (kind in BRACKETS) - (kind in BRACKETS.values())
        commas += kind == "," and depth == 0
    return commas


def _open_text(text: str, offset: int) -> tuple[int, str]:
    """Return where the literal starts that is open at an offset, and its quote: the offset itself if none is open."""
    if tokenize(text[:offset]) is not None:
        return offset, ""
    start = max(text.rfind("'", 0, offset), text.rfind('"', 0, offset))
    return (start, text[start]) if start >= 0 else (offset, "")


def _comparison(tokens: _Tokens) -> int:
    """Return the index of the operator whose right side is being written, 0 if there is none."""
    last = len(tokens.texts) - 1
    if last >= 0 and tokens.texts[last] in ("==", "!="):
        return last
    if not tokens.open or tokens.texts[last] not in ("[", ","):
        return 0
    opening = tokens.open[-1]
    is_in = tokens.texts[opening] == "[" and tokens.texts[opening - 1 : opening] == ["in"]
    return opening - 1 if is_in else 0


def type_of(text: str, env: Env, environment: Environment) -> Type | None:
    """Return the type of an expression, None if it does not compile."""
    compiled = compile_text(text, env, environment.parser)
    return None if compiled.errors else compiled.output_type


def complete(
    text: str,
    offset: int,
    env: Env,
    environment: Environment,
    declarations: Declarations,
) -> tuple[WordContext | None, list[Completion]]:
    """Return the context at an offset of an expression, and what can be written there, whatever of it is written already."""
    position = context_at(text, offset, env, environment)
    if position is None:
        return None, []
    if position.receiver is None:
        return position, list(_globals(position.env, environment, declarations))
    optional = position.receiver.endswith(".?")
    receiver = position.receiver.removesuffix(".?")
    names = [name for name in position.env.functions if name.startswith(f"{receiver}.")]
    type_ = type_of(receiver, position.env, environment)
    if type_ is None:
        return position, list(
            _calls_of_namespace(
                names,
                receiver,
                position.env,
                environment,
            )
        )
    if optional:
        return position, list(_fields(type_, declarations))
    members = _members(type_, position.env, environment, declarations)
    return position, [_with_target(member, receiver) for member in members]


def _calls_of_namespace(
    names: Iterable[str],
    namespace: str,
    env: Env,
    environment: Environment,
) -> Iterator[Completion]:
    """Yield calls of functions whose name begins with a namespace, as what follows its dot."""
    for call in _calls(names, None, env, environment):
        yield replace(call, name=call.name.removeprefix(f"{namespace}."))


def _with_target(member: Completion, receiver: str) -> Completion:
    if not member.arguments:
        return member
    arguments = tuple(text.replace(_TARGET, receiver) for text in member.arguments)
    return replace(member, arguments=arguments)


def _globals(
    env: Env, environment: Environment, declarations: Declarations
) -> Iterator[Completion]:
    for variable in env.idents.values():  # the innermost first
        if variable.type.kind is not Kind.TYPE:
            type_ = type_text(variable.type, environment.dialect)
            yield Completion(variable.name, "variable", type_)
    for word in _KEYWORDS:
        yield Completion(word, "keyword", "null" if word == "null" else "bool")
    names = filter(_is_name, env.functions)
    yield from _calls(names, None, env, environment)
    if _has_macro(environment, "has"):
        self_ = env.find_ident("self")
        fields = _fields(self_.type, declarations) if self_ is not None else iter(())
        for field in itertools.islice(fields, 1):
            yield Completion("has", "macro", "bool", (f"self.{field.name}",))


def _is_name(function: str) -> bool:
    """Return whether a function is no operator, and is not internal."""
    has_plain_signs = function.replace(".", "").replace("_", "").isalnum()
    return function[0].isalpha() and has_plain_signs


def _has_macro(environment: Environment, name: str) -> bool:
    return any(macro == name for macro, _, _ in environment.parser.macros)


def _members(
    type_: Type,
    env: Env,
    environment: Environment,
    declarations: Declarations,
) -> Iterator[Completion]:
    yield from _fields(type_, declarations)
    with_target = env.extend([Variable(_TARGET, type_)])
    for name, (arguments, _) in _MACROS.items():
        if _has_macro(environment, name):
            result = type_of(f"{_TARGET}.{name}({arguments})", with_target, environment)
            if result is not None:
                written = tuple(arguments.split(", "))
                yield Completion(
                    name,
                    "macro",
                    type_text(result, environment.dialect),
                    written,
                    since(name),
                )
    yield from _calls(env.functions, type_, with_target, environment)


def _fields(type_: Type, declarations: Declarations) -> Iterator[Completion]:
    """Yield the fields of an object; of an optional one, those of its value."""
    type_ = type_.unwrapped
    declared = declarations.object(type_.name) if type_.kind is Kind.STRUCT else None
    for name in () if declared is None else declared.fields:
        field_type = declarations.find_struct_field_type(type_.name, name)
        yield Completion(name, "field", "" if field_type is None else type_text(field_type))


def _calls(
    names: Iterable[str],
    target: Type | None,
    env: Env,
    environment: Environment,
) -> Iterator[Completion]:
    """Yield the calls of some functions, without those that do not compile with any arguments."""
    return filter(None, (_call(name, target, env, environment) for name in names))


def _call(
    name: str,
    target: Type | None,
    env: Env,
    environment: Environment,
) -> Completion | None:
    """Return a call of a function, with arguments with which it compiles; None if there are none."""
    for overload in env.find_function(name):
        if not _may_be_called_on(overload, target):
            continue
        parameters = overload.args[1:] if overload.member else overload.args
        before = f"{_TARGET}." if overload.member else ""
        samples = itertools.product(*(_samples(name, parameter) for parameter in parameters))
        for arguments in itertools.islice(samples, _MOST_TRIED):
            result = type_of(f"{before}{name}({', '.join(arguments)})", env, environment)
            if result is not None:
                kind: CompletionKind = "method" if overload.member else "function"
                text = type_text(result, environment.dialect)
                return Completion(name, kind, text, tuple(arguments), since(name))
    return None


def _may_be_called_on(overload: Overload, target: Type | None) -> bool:
    """Return whether an overload may have a target of a type, or has none where `target` is None."""
    if target is None or not overload.member:
        return target is None and not overload.member
    return target.is_dyn or overload.args[0].kind in (Kind.TYPE_PARAM, target.kind)


_MOST_TRIED: Final = 12  # arguments


def _samples(function: str, type_: Type) -> Sequence[str]:
    special = _SPECIAL_SAMPLES.get(function)
    if special is not None:
        return special
    if type_.kind is Kind.OPAQUE or type_.kind is Kind.STRUCT:
        named = _NAMED_SAMPLES.get(type_.name)
        return () if named is None else (named,)
    return _SAMPLES.get(type_.kind, _ANY_SAMPLES)


@cache
def since(name: str) -> Version | None:
    """Return the oldest Kubernetes version that has a function or macro, None if all that crdlint knows have it."""
    oldest: Server | None = None
    for server in sorted(SERVERS, key=lambda server: (server.major, server.minor), reverse=True):
        environment = new_expressions(server)
        if not _has_macro(environment, name) and not environment.env.find_function(name):
            return None if oldest is None else (oldest.major, oldest.minor)
        oldest = server
    return None


def _scope(
    text: str,
    tokens: _Tokens,
    env: Env,
    environment: Environment,
) -> Env:
    """Return the environment at the end of the tokens, with the variables of the macros that are open there."""
    for opening in tokens.open:
        if tokens.kinds[opening] != "(" or opening < 2 or tokens.kinds[opening - 2] != ".":
            continue
        variables = _declared_variables(tokens, opening, tokens.texts[opening - 1])
        first = tokens.operand(opening - 2)
        if not variables or first == opening - 2:
            continue
        range_ = type_of(text[tokens.starts[first] : tokens.starts[opening - 2]], env, environment)
        types = _variable_types(DYN if range_ is None else range_, len(variables))
        with suppress(DeclarationError):  # it has the name of another variable
            env = env.extend(map(Variable, variables, types))
    return env


def _declared_variables(tokens: _Tokens, opening: int, macro: str) -> list[str]:
    """Return the variables that the arguments of a macro declare, as far as they are written and followed by a comma."""
    if macro not in _MACROS:
        return []
    fewest = _MACROS[macro][1]
    most = 2 if macro in _WITH_ONE_OR_TWO else fewest
    indexes = range(opening + 1, len(tokens.kinds), 2)
    written = itertools.takewhile(
        lambda index: tokens.kinds[index : index + 2] == ["IDENTIFIER", ","], indexes
    )
    names = [tokens.texts[index] for index in itertools.islice(written, most)]
    return names if len(names) >= fewest else []


def _variable_types(range_: Type, count: int) -> list[Type]:
    while range_.is_optional:
        range_ = range_.params[0]
        if count == 1:
            return [range_]
    if range_.kind is Kind.LIST:
        return [range_.params[0]] if count == 1 else [INT, range_.params[0]]
    return list(range_.params[:count]) if range_.kind is Kind.MAP else [DYN] * count
