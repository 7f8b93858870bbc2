"""A session of the prompt: its object and field, and what its commands and expressions print. It knows no terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from crdlint.cel.errors import ErrorCode
from crdlint.crd.model import JSONSchemaProps
from crdlint.evaluation.evaluate import SchemaRule, Workbench, run_rules
from crdlint.evaluation.field_paths import (
    NoFieldError,
    field_path_text,
    parse_field_path,
    schema_at,
)
from crdlint.evaluation.source import EvalRequest, ExpressionSource, SourceError, load
from crdlint.kubecel.repair.patterns import Tokens
from crdlint.light import dataclass, replace
from crdlint.phrases import nearest
from crdlint.report.eval_results import ValuesText
from crdlint.report.pieces import EvalResults, View
from crdlint.safety.escapes import json_text, printable_line
from crdlint.yaml.edit import Edit, apply


@dataclass(frozen=True, slots=True)
class PromptCommand:
    """A command of the prompt: its argument, if it takes one, and what it does."""

    argument: str
    about: str
    run: Callable[[Session, str], Iterator[str]]


class Session:
    """The state of a prompt. ``answer`` returns what an input prints; after ``:quit``, ``is_over`` is set."""

    def __init__(self, request: EvalRequest, field: str, view: View) -> None:
        """Read the files; raise SourceError or NoFieldError."""
        self._request = request
        self._report = ValuesText(view)
        self._last = ""
        self._variables: dict[str, str] = {}
        self.is_over = False
        self._source: ExpressionSource = load(request)
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
            yield from (
                self._command(text[1:])
                if text.startswith(":")
                else self._evaluated(text, trees=False)
            )
        except (SourceError, NoFieldError) as error:
            yield printable_line(f"error: {error}")
            help_ = getattr(error, "help", None)
            if help_:
                yield printable_line(f"  help: {help_}")

    def is_incomplete(self, text: str) -> bool:
        """Return whether an expression goes on in the next line: it ends too early."""
        if not text.strip() or text.lstrip().startswith(":"):
            return False
        return any(
            error.problem.code is ErrorCode.UNEXPECTED_END
            for error in self.bench.compile(text).compiled.errors
        )

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
        yield from self._reported(
            EvalResults(self.bench.evaluate(self._with_variables(text)), trees=trees)
        )

    def _with_variables(self, text: str) -> str:
        """Return an expression with the texts of `:let` in the place of their names."""
        tokens = Tokens(text).tokens
        edits = [
            Edit(token.start, token.end, f"({self._variables[token.text]})")
            for before, token in zip([None, *tokens], tokens, strict=False)
            if token.text in self._variables and (before is None or before.text != ".")
        ]
        return apply(text, edits)

    def _reported(self, values: EvalResults) -> Iterator[str]:
        yield from "".join(self._report.pieces(values)).removesuffix("\n").split("\n")

    def _expression(self, argument: str) -> str:
        """Return the expression of a command, by default the last one."""
        if not argument and not self._last:
            raise NoFieldError(
                "there is no expression yet", "Write one after the command, as in `:type self`"
            )
        return argument or self._last

    def figures(self, argument: str, labels: Sequence[str]) -> Iterator[str]:
        """Yield some figures of an expression, such as its type, or its error."""
        self._last = self._expression(argument)
        answer = self.bench.evaluate(self._with_variables(self._last))
        yield from (
            self._reported(EvalResults(answer))
            if answer.errors
            else self._report.figures(answer, *labels)
        )

    def explain(self, argument: str) -> Iterator[str]:
        """Yield the sub-expressions of an expression."""
        yield from self._evaluated(self._expression(argument), trees=True)

    def let(self, argument: str) -> Iterator[str]:
        """Give an expression a name; without an argument, list the names."""
        name, equals, text = (part.strip() for part in argument.partition("="))
        if argument and not (name.isidentifier() and equals and text):
            help_ = "Write a name and an expression, as in `:let names = self.ports.map(p, p.name)`"
            raise NoFieldError("name an expression", help_)
        if argument:
            text = self._with_variables(text)
            answer = self.bench.evaluate(text)
            if answer.errors:
                yield from self._reported(EvalResults(answer))
                return
            self._variables[name] = text
        yield from (
            printable_line(f"{each} = {' '.join(value.split())}")
            for each, value in self._variables.items()
        )

    def schema(self, argument: str) -> Iterator[str]:
        """Show a field of the CRD, by default that of `self`, and the fields below it."""
        steps = (*self.bench.steps, *parse_field_path(argument))
        schema = (
            self.bench.schema
            if self._source.schema is None
            else schema_at(self._source.schema, steps)
        )
        yield printable_line(f"{field_path_text(steps) or 'the object'}  {_type_of(schema)}")
        yield from (f"  {line}" for line in self._described(schema))
        below = schema.item_schema or schema.additional_schema or schema
        for name, inner in below.properties.items():
            required = ", required" if name in below.required else ""
            yield printable_line(f"  {name}  {_type_of(inner)}{required}")
            yield from (f"      {line}" for line in self._described(inner))

    def _described(self, schema: JSONSchemaProps) -> Iterator[str]:
        """Yield the first sentence of a description, and a default."""
        sentence = " ".join(schema.description.split()).partition(". ")[0].removesuffix(".")
        if sentence:
            yield printable_line(sentence)
        if schema.default is not None:
            yield printable_line(f"default: {json_text(schema.default.value)}")

    def field(self, argument: str) -> Iterator[str]:
        """Change the field that `self` is; `.` is the whole object."""
        if argument:
            self.bench = Workbench(self._source, argument)
        yield printable_line(f"self is {self._self()}")

    def load(self, argument: str, command: str = "load") -> Iterator[str]:
        """Read another object, or the one before the update."""
        if not argument:
            help_ = f"Write it after the command, as in `:{command} sample.yaml`"
            raise NoFieldError("name the file of the object", help_)
        request = self._request
        request = (
            replace(request, object=argument)
            if command == "load"
            else replace(request, old=argument)
        )
        source = load(request)
        self.bench = Workbench(source, self.bench.field)
        self._request, self._source = request, source
        yield printable_line(f"self is {self._self()}")
        yield from self._notices()

    def rule(self, argument: str) -> Iterator[str]:
        """Evaluate a rule of the CRD at the field by its number; without one, list the rules."""
        rules, where = self.bench.schema.x_validations, self.bench.field or "the object"
        if not argument:
            for number, each in enumerate(rules, 1):
                yield printable_line(f"{number}  {' '.join(each.rule.split())}")
            if not rules:
                yield printable_line(f"there are no rules at {where}")
            return
        if not argument.isdecimal() or not 1 <= int(argument) <= len(rules):
            raise NoFieldError(f"there is no rule {argument} at {where}", "`:rule` lists the rules")
        rule = SchemaRule(self.bench.steps, int(argument), rules[int(argument) - 1])
        self._last = rule.rule.rule
        yield from self._reported(EvalResults(rules=run_rules(self._source, [rule]), trees=True))

    def help(self, _argument: str) -> Iterator[str]:
        """Yield the commands."""
        yield "Write a CEL expression; it goes on in the next line as long as it is incomplete."
        for name, command in COMMANDS.items():
            yield f"  {f':{name} {command.argument}'.rstrip():24}{command.about}"

    def quit(self, _argument: str) -> Iterator[str]:
        """End the session."""
        self.is_over = True
        yield from ()

    def _self(self) -> str:
        path = field_path_text(self.bench.steps) or "the whole object"
        value = "" if "self" in self.bench.variables else ", without a value (:load FILE)"
        return f"{path} of {self._source.name}{value}"

    def _notices(self) -> Iterable[str]:
        return (printable_line(f"note: {notice}") for notice in self._source.notices)


def _type_of(schema: JSONSchemaProps) -> str:
    """Return a type as `kubectl explain` writes it, with the values of an enumeration."""
    if schema.enum:
        more = ["..."] * (len(schema.enum) > _MOST_VALUES)
        return " | ".join([*map(json_text, schema.enum[:_MOST_VALUES]), *more])
    if schema.item_schema is not None:
        return f"[]{_type_of(schema.item_schema)}"
    if schema.additional_schema is not None:
        return f"map[string]{_type_of(schema.additional_schema)}"
    return "IntOrString" if schema.x_int_or_string else schema.type or "any"


_MOST_VALUES: Final = 8
_COSTS: Final = partial(Session.figures, labels=["cost", "spent"])
COMMANDS: Final = {
    "type": PromptCommand(
        "[EXPRESSION]",
        "Show the type of an expression, by default of the last one.",
        partial(Session.figures, labels=["type"]),
    ),
    "cost": PromptCommand(
        "[EXPRESSION]", "Show its estimated cost, and what its evaluation cost.", _COSTS
    ),
    "explain": PromptCommand(
        "[EXPRESSION]",
        "Show all of its sub-expressions with value, type and cost.",
        Session.explain,
    ),
    "let": PromptCommand("NAME = EXPRESSION", "Give an expression a name.", Session.let),
    "schema": PromptCommand(
        "[FIELD]", "Show a field of the CRD and the fields below it.", Session.schema
    ),
    "field": PromptCommand(
        "FIELD", "Make self another field, such as spec.tls; `.` is the object.", Session.field
    ),
    "load": PromptCommand("FILE", "Read another object.", Session.load),
    "old": PromptCommand(
        "FILE",
        "Read the object before the update, for oldSelf.",
        partial(Session.load, command="old"),
    ),
    "rule": PromptCommand(
        "[N]", "List the CRD's rules at the field, or evaluate one.", Session.rule
    ),
    "help": PromptCommand("", "Show this list.", Session.help),
    "quit": PromptCommand("", "End the session, as Ctrl-D does.", Session.quit),
}
