"""`crdlint eval`: CEL expressions on an object, and the rules of its CRD."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from crdlint.cli import console, options
from crdlint.cli.fields import Declared, KubeVersion, argument, file_option, flag, format_of, option
from crdlint.cli.options import ChartOptions
from crdlint.files.read import STDIN
from crdlint.kubernetes.servers import NEWEST_VERSION, Range
from crdlint.report import formats
from crdlint.report.pieces import EvalResults, View, batches

if TYPE_CHECKING:
    from crdlint.evaluation.source import EvalRequest


class EvalOptions(ChartOptions):
    """The arguments and options of `crdlint eval`."""

    expression: Declared[str | None] = argument(required=False)
    crd: Declared[str | None] = file_option("The file or directory with the CRD.", metavar="PATH")
    kind: Declared[str | None] = option("The kind of the CRD, if PATH defines several.")
    version: Declared[str | None] = option(
        "The version of the CRD. Default: that of the object, else the stored one.", metavar="NAME"
    )
    field: Declared[str] = option(
        "The field whose value is `self`, such as spec or spec.ports[0]. Default: the whole object.",
        default="",
        metavar="FIELD",
    )
    object_: Declared[str | None] = file_option("The object to evaluate on; - is stdin.")
    old: Declared[str | None] = file_option("The object before the update, for oldSelf.")
    type_: Declared[str | None] = option(
        "Without a CRD, the type of `self`, such as int or {name: string, ports: list(int)}.",
        metavar="TYPE",
    )
    rule: Declared[str | None] = option(
        "Evaluate the CRD's own rules at this field, or those whose text contains this.",
        metavar="FIELD_OR_TEXT",
    )
    explain: Declared[bool] = flag("Show all sub-expressions with type, value and cost.")
    second_opinion: Declared[bool] = flag("Also evaluate the expression with cel-python.")
    kube_version: Declared[Range] = option(
        "The Kubernetes version to evaluate for.",
        type=KubeVersion(),
        default=NEWEST_VERSION,
        show_default=True,
    )
    format_: Declared[str] = format_of("values", "text for people, json for programs.")

    @property
    def is_prompt(self) -> bool:
        """Whether there is nothing to evaluate yet."""
        return self.expression is None and self.rule is None

    @property
    def view(self) -> View:
        """How the answer is shown."""
        return View(options.page(self.color, 120))

    @property
    def _is_for_answer(self) -> bool:
        """Whether an option is given that a prompt does not take."""
        reads_stdin = STDIN in (self.crd, self.object_, self.old)
        is_detailed = self.explain or self.second_opinion
        return self.format_ != formats.TEXT or is_detailed or reads_stdin

    def request(self) -> EvalRequest:
        """Return where to evaluate; raise UsageError for options that exclude each other."""
        from crdlint.evaluation.source import EvalRequest

        inputs, has_rule = (self.crd, self.object_, self.old), self.rule is not None
        versions = self.kube_version
        needs_crd = self.kind or self.version or has_rule
        not_with_rule = self.expression is not None or self.field or self.second_opinion
        options.require(
            (inputs.count(STDIN) > 1, "- can be read only once"),
            (self.crd is None and needs_crd, "--kind, --version and --rule need --crd"),
            (self.crd and self.type_ is not None, "--type is for expressions without --crd"),
            (
                has_rule and not_with_rule,
                "--rule takes no expression, no --field and no --second-opinion",
            ),
            (len(versions.servers) > 1, "--kube-version: name one version to evaluate for"),
            (self.is_prompt and self._is_for_answer, "Missing argument 'EXPRESSION'."),
        )
        if self.second_opinion:
            options.new_tally()
        return EvalRequest(
            versions.newest,
            self.crd,
            self.kind,
            self.version,
            self.object_,
            self.old,
            self.type_,
            self.values(),
        )


@options.command("eval", EvalOptions)
def command(settings: EvalOptions) -> int:
    """Evaluate a CEL expression, with its type, its cost and the values of its parts.

    The types come from the CRD, or without one from the object. The API server prunes and defaults the object before it
    evaluates rules, and so does crdlint. The exit status is 1 if the expression does not compile, ends in an error or
    is over the cost limit, or if a rule rejects the object.

    Without EXPRESSION and --rule it opens a prompt, in which :help lists the commands. On a terminal, that needs the
    packages of crdlint[eval].

    \b
    Examples:
      crdlint eval 'self.replicas > 1' --crd crd.yaml --field spec --object sample.yaml
      crdlint eval --rule spec --crd crd.yaml --object sample.yaml
    """  # noqa: D301  \b keeps the lines below it as they are
    from crdlint.evaluation.field_paths import NoFieldError
    from crdlint.evaluation.source import SourceError

    request = settings.request()
    try:
        if settings.is_prompt:
            _prompt(request, settings)
            return 0
        values = _values(request, settings)
    except SourceError as error:
        raise click.ClickException(str(error)) from error
    except NoFieldError as error:
        raise click.ClickException(
            str(error) + (f"\n  help: {error.help}" if error.help else "")
        ) from error
    if settings.format_ == formats.TEXT:
        for notice in values.notices:
            console.err(*f"crdlint: note: {notice}".split("\n"))
    for piece in batches(formats.values(settings.format_, settings.view).pieces(values)):
        console.out(piece, nl=False)
    accepted = (
        values.answer.is_accepted
        if values.answer is not None
        else all(r.is_accepted for r in values.rules)
    )
    return 0 if accepted else 1


def _prompt(request: EvalRequest, settings: EvalOptions) -> None:
    """Read expressions and commands from a terminal, or lines of them from another input."""
    from crdlint.cli.prompt import Session

    session = Session(request, settings.field, settings.view)
    if not sys.stdin.isatty():
        for line in sys.stdin:
            for answer in session.answer(line):
                console.out(answer)
            if session.is_over:
                return
        return
    if find_spec("prompt_toolkit") is None:
        raise click.ClickException("the prompt needs more packages: pip install 'crdlint[eval]'")
    from crdlint.cli.prompt_terminal import run

    run(session, console.out)


def _values(request: EvalRequest, settings: EvalOptions) -> EvalResults:
    from crdlint.evaluation.evaluate import Workbench, run_rules, selected
    from crdlint.evaluation.source import load

    source = load(request)
    if settings.rule is not None:
        rules = run_rules(source, selected(source, settings.rule))
        return EvalResults(
            rules=rules,
            trees=settings.explain,
            notices=source.notices,
        )
    bench = Workbench(source, settings.field)
    answer = bench.evaluate(settings.expression or "", second_opinion=settings.second_opinion)
    return EvalResults(answer, trees=settings.explain, notices=source.notices)
