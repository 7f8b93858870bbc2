"""A session of the prompt: its object and field, and what its commands and expressions print. It knows no terminal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from crdlint.cel.errors import Code
from crdlint.diagnostics.spelling import nearest
from crdlint.evaluation.evaluate import Workbench
from crdlint.evaluation.places import PlaceError, place_text
from crdlint.evaluation.rules import SchemaRule, run_rules
from crdlint.evaluation.source import SourceError, load
from crdlint.report.escapes import printable_line
from crdlint.report.pieces import Values
from crdlint.report.values import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from crdlint.evaluation.source import Request, Source
    from crdlint.report.pieces import View


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the prompt: its argument, if it takes one, and what it does."""

    argument: str
    about: str
    run: Callable[[Session, str], Iterator[str]]


class Session:
    """The state of a prompt. ``answer`` returns what an input prints; after ``:quit``, ``is_over`` is set."""

    def __init__(self, request: Request, field: str, view: View) -> None:
        """Read the files; raise SourceError or PlaceError."""
        self._request = request
        self._report = Text(view)
        self._last = ""
        self.is_over = False
        self._source: Source = load(request)
        self.bench = Workbench(self._source, field)

    def greeting(self) -> Iterator[str]:
        """Yield the lines at the start."""
        yield f"self is {self._self()}; :help lists the commands"
        yield from self._notices()

    def answer(self, text: str) -> Iterator[str]:
        """Yield the lines that an expression or a command prints."""
        text = text.strip()
        if not text:
            return
        try:
            yield from self._command(text[1:]) if text.startswith(":") else self._evaluated(text, trees=False)
        except (SourceError, PlaceError) as error:
            yield printable_line(f"error: {error}")
            help_ = getattr(error, "help", None)
            if help_:
                yield printable_line(f"  help: {help_}")

    def is_incomplete(self, text: str) -> bool:
        """Return whether an expression goes on in the next line: it ends too early."""
        if not text.strip() or text.lstrip().startswith(":"):
            return False
        errors = self.bench.compile(text).compiled.errors
        return any(error.problem.code is Code.UNEXPECTED_END for error in errors)

    def _command(self, text: str) -> Iterator[str]:
        name, _, argument = text.strip().partition(" ")
        command = COMMANDS.get(name)
        if command is None:
            near = nearest(name, COMMANDS)
            help_ = f"did you mean :{near}?" if near else ":help lists the commands"
            yield printable_line(f"error: there is no command :{name}: {help_}")
            return
        yield from command.run(self, argument.strip())

    def _evaluated(self, text: str, *, trees: bool) -> Iterator[str]:
        self._last = text
        yield from self._reported(Values(self.bench.evaluate(text), trees=trees))

    def _reported(self, values: Values) -> Iterator[str]:
        yield from "".join(self._report.pieces(values)).removesuffix("\n").split("\n")

    def _expression(self, argument: str) -> str:
        """Return the expression of a command, by default the last one."""
        if not argument and not self._last:
            raise PlaceError("there is no expression yet", "Write one after the command, as in `:type self`")
        return argument or self._last

    def type(self, argument: str) -> Iterator[str]:
        """Yield the type of an expression, or its error."""
        yield from self._labelled("type", self._expression(argument))

    def cost(self, argument: str) -> Iterator[str]:
        """Yield the estimated cost of an expression and what its evaluation cost, or its error."""
        yield from self._labelled("cost", self._expression(argument), "spent")

    def _labelled(self, label: str, text: str, other: str = "") -> Iterator[str]:
        self._last = text
        answer = self.bench.evaluate(text)
        if answer.errors:
            yield from self._reported(Values(answer))
            return
        yield from self._report.figures(answer, label, other)

    def explain(self, argument: str) -> Iterator[str]:
        """Yield the sub-expressions of an expression."""
        yield from self._evaluated(self._expression(argument), trees=True)

    def field(self, argument: str) -> Iterator[str]:
        """Change the field that `self` is; `.` is the whole object."""
        if argument:
            self.bench = Workbench(self._source, argument)
        yield printable_line(f"self is {self._self()}")

    def load(self, argument: str) -> Iterator[str]:
        """Read another object."""
        yield from self._loaded("load", argument)

    def old(self, argument: str) -> Iterator[str]:
        """Read the object before the update."""
        yield from self._loaded("old", argument)

    def _loaded(self, command: str, file: str) -> Iterator[str]:
        if not file:
            raise PlaceError(
                "name the file of the object", f"Write it after the command, as in `:{command} sample.yaml`"
            )
        request = replace(self._request, object=file) if command == "load" else replace(self._request, old=file)
        source = load(request)
        self.bench = Workbench(source, self.bench.place)
        self._request, self._source = request, source
        yield printable_line(f"self is {self._self()}")
        yield from self._notices()

    def rule(self, argument: str) -> Iterator[str]:
        """Evaluate a rule of the CRD at the field by its number; without one, list the rules."""
        rules = self.bench.schema.x_validations
        if not argument:
            yield from (
                printable_line(f"{number}  {' '.join(rule.rule.split())}") for number, rule in enumerate(rules, 1)
            )
            if not rules:
                yield printable_line(f"there are no rules at {self.bench.place or 'the object'}")
            return
        if not argument.isdecimal() or not 1 <= int(argument) <= len(rules):
            raise PlaceError(
                f"there is no rule {argument} at {self.bench.place or 'the object'}", "`:rule` lists the rules"
            )
        rule = SchemaRule(self.bench.steps, int(argument), rules[int(argument) - 1])
        self._last = rule.rule.rule
        results = run_rules(self._source, [(self.bench.steps, rule)])
        yield from self._reported(Values(rules=results, trees=True))

    def help(self, argument: str) -> Iterator[str]:
        """Yield the commands."""
        del argument
        yield "Write a CEL expression; it goes on in the next line as long as it is incomplete."
        for name, command in COMMANDS.items():
            yield f"  {f':{name} {command.argument}'.rstrip():24}{command.about}"

    def quit(self, argument: str) -> Iterator[str]:
        """End the session."""
        del argument
        self.is_over = True
        yield from ()

    def _self(self) -> str:
        path = place_text(self.bench.steps) or "the whole object"
        value = "" if "self" in self.bench.variables else ", without a value (:load FILE)"
        return f"{path} of {self._source.name}{value}"

    def _notices(self) -> Iterable[str]:
        return (printable_line(f"note: {notice}") for notice in self._source.notices)


COMMANDS: Final = {
    "type": Command("[EXPRESSION]", "Show the type of an expression, by default of the last one.", Session.type),
    "cost": Command("[EXPRESSION]", "Show its estimated cost, and what its evaluation cost.", Session.cost),
    "explain": Command("[EXPRESSION]", "Show all of its sub-expressions with value, type and cost.", Session.explain),
    "field": Command("FIELD", "Make self another field, such as spec.tls; `.` is the object.", Session.field),
    "load": Command("FILE", "Read another object.", Session.load),
    "old": Command("FILE", "Read the object before the update, for oldSelf.", Session.old),
    "rule": Command("[N]", "List the CRD's rules at the field, or evaluate one.", Session.rule),
    "help": Command("", "Show this list.", Session.help),
    "quit": Command("", "End the session, as Ctrl-D does.", Session.quit),
}
