"""What is meant by an expression that does not compile, as far as compiling it again proves it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Final

from crdlint.cel.ast import Call, Expr, Select, children
from crdlint.cel.compiler import Compiled, compile_text, compile_valid
from crdlint.cel.parser import last_read
from crdlint.cel.types import DYN
from crdlint.kubecel.compilation import MESSAGE, Expression
from crdlint.kubecel.repair import characters, names
from crdlint.kubecel.repair.patterns import Tokens, rewritten, variables
from crdlint.kubecel.repair.state import Choice, CompiledText
from crdlint.kubecel.repair.unrendered import placeholder_in
from crdlint.light import NamedTuple, regex
from crdlint.safety.work import Effort
from crdlint.search import Search, TrialBudget
from crdlint.yaml.edit import Edit, apply, composed

_LONGEST: Final = 3000  # characters of an expression
_MOST_COMPILATIONS: Final = 150
_MOST_CHARACTERS: Final = 30_000  # of all compiled texts together
# To find the errors of a text that does not parse takes longer than to parse one.
_STEPS_PER_UNPARSED_CHARACTER: Final = 1
_MOST_STEPS: Final = 6
_FOR_CHOICES: Final = 100  # the steps of work to find the choices, without compiling them
_MOST_OFFERED: Final = 3
_LONGEST_SHOWN: Final = 70
_WORD: Final = regex(r"\w+|\s+|\W")


# has() of what is always set, or of an element, which has() does not take.
_HAS_ALWAYS: Final = regex(r"\bhas\(\s*(?:self|oldSelf|[\w.]+\[\s*\d+\s*\])\s*\)")
# Words of a language in a row.
_PROSE: Final = regex(r"\A\s*[A-Za-z][\w.]*(?: +(?!in\b)[A-Za-z][\w.]*){1,}(?: +\S+)*\s*\Z")


def is_prose(expression: Expression) -> bool:
    """Return whether a message expression is a sentence without quotes."""
    return (
        expression.kind is MESSAGE
        and expression.error is not None
        and _PROSE.match(expression.text) is not None
    )


class Meaning(NamedTuple):
    """The help for an expression, and the edits with which it compiles, empty if more than one may be meant."""

    help: str
    edits: tuple[Edit, ...] = ()
    is_certain: bool = False


def meaning(state: CompiledText, effort: Effort) -> Meaning | None:
    """Return what is probably meant by an expression with an error, or None if nothing is known."""
    if _is_no_rule(state.expression):
        return None
    search = _StepSearch(state.expression, effort)
    edits: list[Edit] = []
    done: list[_Step] = []
    is_certain = True
    for _ in range(_MOST_STEPS):
        steps = search.steps(state)
        if len(steps) > 1 and is_certain:
            return Meaning(_sentence([*(step.plain for step in done), _either(steps)]))
        if len(steps) != 1:
            break
        (step,) = steps
        edits = composed(edits, step.edits)
        done.append(step)
        is_certain = is_certain and step.alternative.choice.is_certain
        state = step.after
        if state.is_accepted:
            return Meaning(_all(done), tuple(edits), is_certain)
    return Meaning(_all(done)) if done and is_certain else None


def _is_no_rule(expression: Expression) -> bool:
    """Return whether a text is none that its author would repair, or one that has its own help."""
    text = expression.text
    if len(text) > _LONGEST or placeholder_in(text) is not None:
        return True
    return _HAS_ALWAYS.search(text) is not None or is_prose(expression)


class _Alternative(NamedTuple):
    """One of the alternatives of a choice, by its position among them.

    `likelihood` is 0 for those of the first choice, and less for those of later ones.
    """

    choice: Choice
    position: int
    likelihood: int

    @property
    def written(self) -> tuple[Edit, ...]:
        """The edits as they are proposed."""
        return self.choice.alternatives[self.position]


class _Step(NamedTuple):
    """An alternative that leads further: its edits, and its result."""

    alternative: _Alternative
    before: CompiledText
    after: CompiledText

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits without the words that they keep."""
        return tuple(_all_pieces(self.alternative.written, self.before.text))

    @property
    def written(self) -> str:
        """The first text that is written."""
        return self.alternative.written[0].text.strip()

    @property
    def plain(self) -> str:
        """The help among others."""
        return _sentence([_help(edit, self.before.text) for edit in self.alternative.written])

    @property
    def help(self) -> str:
        """The help alone."""
        choice = self.alternative.choice
        return choice.helps[self.alternative.position] if choice.helps else self.plain


def _rank(alternative: _Alternative, after: CompiledText) -> tuple[int, int, int]:
    """Return the rank of an alternative: what compiles is first, then the choice that is proposed first, then its later stage."""
    return after.is_accepted, alternative.likelihood, -after.stage


def _is_map_of_two(before: CompiledText, after: CompiledText) -> bool:
    """Return whether a step writes `map` with two variables, which it does not have, and which therefore does not compile."""
    is_new = _MAP_OF_TWO.search(after.text) and not _MAP_OF_TWO.search(before.text)
    return bool(is_new) and not after.is_accepted


def _is_never_meant(before: CompiledText, after: CompiledText) -> bool:
    return _is_map_of_two(before, after) or _is_field_for_call(before, after)


def _is_field_for_call(before: CompiledText, after: CompiledText) -> bool:
    """Return whether a step reads a field in place of a call, of a value of which no fields are known."""
    called = {each.function for each in before.nodes if isinstance(each, Call)}
    types = after.compiled.result.type_map
    return any(
        each.field in called and types.get(each.operand.id) is DYN
        for each in after.nodes
        if isinstance(each, Select)
    )


_MAP_OF_TWO: Final = regex(r"\.map\(\s*[A-Za-z_]\w*\s*,\s*[A-Za-z_]\w*\s*,")


class _StepSearch:
    """Looks for what is meant step by step, within one budget of compilations."""

    def __init__(self, expression: Expression, effort: Effort) -> None:
        self._expression: Final = expression
        self._effort: Final = effort
        self._budget: Final = TrialBudget(_MOST_COMPILATIONS, _MOST_CHARACTERS, effort)

    def steps(self, before: CompiledText) -> list[_Step]:
        """Return the alternatives of the first choice that leads to what compiles, or else to a later error; each meaning once."""
        if not self._effort.affords(_FOR_CHOICES):
            return []
        self._effort.spend(_FOR_CHOICES)
        search: Search[_Alternative, CompiledText] = Search(
            self._budget, partial(self._further, before), _rank
        )
        for number, choice in enumerate(self._choices(before)):
            for position, written in enumerate(choice.alternatives):
                text = apply(before.text, written)
                if text != before.text and not before.keeps_error(text):
                    search.try_(_Alternative(choice, position, -number), text, choice.must_complete)
            if search.leading and search.leading[0][1].is_accepted:
                break
        steps = [_Step(alternative, before, after) for alternative, after in search.leading]
        return _different(steps) if steps and steps[0].after.is_accepted else steps

    def _further(
        self, before: CompiledText, alternative: _Alternative, text: str
    ) -> CompiledText | None:
        """Return what an alternative makes, None if it leads no further, or does not compile although it has to."""
        must_complete = alternative.choice.must_complete
        after = self._parsed(text)
        if after is None and not must_complete and not before.is_parsed:
            pieces = _all_pieces(alternative.written, before.text)
            after = self._unparsed(text, before.offset_after(pieces))
        if after is None or (must_complete and not after.is_accepted):
            return None
        is_further = after.is_further(before, _all_pieces(alternative.written, before.text))
        return after if is_further and not _is_never_meant(before, after) else None

    def _parsed(self, text: str) -> CompiledText | None:
        """Compile a text; return None for one with a syntax error."""
        expression = self._expression
        compiled = compile_valid(text, expression.env, expression.environment.parser)
        return None if compiled is None else self._result(text, compiled)

    def _unparsed(self, text: str, offset: int) -> CompiledText | None:
        """Find the errors of a text with a syntax error; return None if the first one is certainly not after an offset."""
        expression = self._expression
        parser = expression.environment.parser
        if last_read(text, parser) <= offset:
            self._effort.spend(len(text) * _STEPS_PER_UNPARSED_CHARACTER)
            return None
        return self._result(text, compile_text(text, expression.env, parser))

    def _result(self, text: str, compiled: Compiled) -> CompiledText:
        after = CompiledText(self._expression, text, compiled)
        if not after.is_parsed:
            self._effort.spend(len(text) * _STEPS_PER_UNPARSED_CHARACTER)
        return after

    def _choices(self, state: CompiledText) -> Iterator[Choice]:
        text = Tokens(state.text)
        scope = variables(text, state.offset)
        if not state.is_parsed:
            yield characters.of_gofmt(state.text)
            yield characters.look_alike(state.text)
            yield from characters.strings(state.text, text)
            yield from characters.brackets(text)
            yield from characters.likes(text)
        elif state.error is not None:
            yield from characters.patterns(text, state)
            yield from names.in_scope(state, scope)
        elif self._expression.kind is MESSAGE:
            yield Choice(
                ((Edit(0, len(state.text), f"string({state.text.strip()})"),),), is_certain=False
            )
        yield from characters.without_quotes(text)
        yield from rewritten(text, state, scope)
        yield from names.conditions(state)
        if not state.is_parsed:
            yield characters.near_error(text, state.offset)
        elif state.error is not None:
            yield from names.called(state)
            yield from names.similar(state, scope, self._effort)
            yield from names.other_fields(state)
            yield from names.inner_fields(state)


def _different(steps: Iterable[_Step]) -> list[_Step]:
    """Return the first step of each meaning."""
    by_shape: dict[Hashable, _Step] = {}
    for step in steps:
        by_shape.setdefault(_shape(step.after.compiled.expr), step)
    return list(by_shape.values())


def _shape(node: Expr) -> tuple[str, tuple[object, ...], tuple[Hashable, ...]]:
    """Return what is equal for expressions with the same meaning."""
    attributes = ("function", "name", "field", "value", "test_only")
    own = tuple(getattr(node, name) for name in attributes if hasattr(node, name))
    shapes = list(map(_shape, children(node)))
    below: Iterable[Hashable] = shapes
    if isinstance(node, Call) and node.function in ("_&&_", "_||_"):
        # Conditions in a row have the same meaning however they are grouped.
        below = chain.from_iterable(each[2] if each[1] == own else (each,) for each in shapes)
    return type(node).__name__, own, tuple(below)


def _all_pieces(edits: Iterable[Edit], text: str) -> Iterator[Edit]:
    """Yield the parts of some edits, without the words that they keep."""
    return (piece for edit in edits for piece in _pieces(edit, text))


def _pieces(edit: Edit, text: str) -> Iterator[Edit]:
    """Yield the parts of an edit, without the words that it keeps."""
    from difflib import SequenceMatcher  # many expressions have no edit that leads on

    old, new = map(_WORD.findall, (text[edit.start : edit.end], edit.text))
    starts = [edit.start]
    for word in old:
        starts.append(starts[-1] + len(word))
    for kind, first, last, start, end in SequenceMatcher(
        None,
        old,
        new,
        autojunk=False,
    ).get_opcodes():
        if kind != "equal":
            yield Edit(starts[first], starts[last], "".join(new[start:end]))


def _all(steps: list[_Step]) -> str:
    return steps[0].help if len(steps) == 1 else _sentence([step.plain for step in steps])


def _sentence(helps: list[str]) -> str:
    first, *rest = dict.fromkeys(helps)
    return "; ".join([first, *(f"{each[0].lower()}{each[1:]}" for each in rest)])


def _either(steps: list[_Step]) -> str:
    """Return the help for alternatives, the first few of them."""
    shown = steps[:_MOST_OFFERED]
    helps = [*dict.fromkeys(step.help for step in shown)]
    beginnings = [f"Write `{step.written}` " for step in shown]
    ends = {step.plain.removeprefix(start) for step, start in zip(shown, beginnings, strict=True)}
    if len(helps) > 1 and len(ends) == 1:
        return f"Write {' or '.join(f'`{step.written}`' for step in shown)} {ends.pop()}"
    how, after, _ = helps[0].partition(_AFTER)
    if after and all(each.startswith(how + after) for each in helps):
        return f"{how}{after}{' or after '.join(each.removeprefix(how + after) for each in helps)}"
    return ", or: ".join(helps)


_AFTER: Final = "` after "  # what is to be written


def _help(edit: Edit, text: str) -> str:
    old, new = text[edit.start : edit.end].strip(), edit.text.strip()
    if not old:
        before = characters.shown_end(text[: edit.start])
        return f"Write `{new}` after `{before}`" if edit.start else f"Write `{new}` at the start"
    if not new:
        return f"Remove the `{old}`"
    if max(len(old), len(new)) > _LONGEST_SHOWN:
        small, *others = _pieces(edit, text)
        if small.text.strip() and small.end > small.start and not others:
            old, new = text[small.start : small.end], small.text
    return f"Write `{' '.join(new.split())}` instead of `{' '.join(old.split())}`"
