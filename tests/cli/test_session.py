"""The commands of the prompt, and the prompt itself with keys from a pipe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from crdlint.cli.main import cli
from crdlint.cli.prompt import COMMANDS, Session
from crdlint.cli.prompt_terminal import Colors, Completions, run
from crdlint.evaluation.source import EvalRequest
from crdlint.kubernetes.servers import NEWEST
from crdlint.report.pieces import View

if TYPE_CHECKING:
    from collections.abc import Callable

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "eval"
CRD, SAMPLE, OLD = (str(FIXTURES / name) for name in ("crd.yaml", "sample.yaml", "old.yaml"))


@pytest.fixture
def session() -> Session:
    return Session(EvalRequest(NEWEST, CRD, object=SAMPLE), "spec", View())


def answers(session: Session, *inputs: str) -> list[str]:
    return [line for text in inputs for line in session.answer(text)]


def completed(session: Session, text: str) -> list[str]:
    return [
        one.text
        for one in Completions(session).get_completions(Document(text, len(text)), CompleteEvent())
    ]


def typed(session: Session, keys: str) -> list[str]:
    """Return what the prompt prints for keys, after its greeting."""
    lines: list[str] = []
    with create_pipe_input() as pipe:
        pipe.send_text(keys)
        run(session, lines.append, input=pipe, output=DummyOutput(), history=InMemoryHistory())
    return lines[1:]


def test_an_expression(session: Session) -> None:
    assert answers(session, "self.replicas + 1")[-1] == "value   2"


def test_commands_use_the_last_expression(session: Session) -> None:
    lines = answers(session, "size(self.zones)", ":type", ":cost", ":explain")
    assert lines[4:7] == [
        "type    int",
        "cost    3 at most; <0.01% of the 10,000,000 that a rule may cost",
        "spent   3",
    ]
    assert lines[-2:] == [
        "size(self.zones)  = 2  (int, cost 3)",
        '  self.zones  = ["a", "b"]  (list(string), cost 2)',
    ]


def test_the_field_changes_self(session: Session) -> None:
    lines = answers(session, ":field spec.ports[1]", "self.port", ":field .", "self.kind")
    assert lines[0] == "self is spec.ports[1] of Cluster example.com/v1"
    assert lines[4] == "value   22"
    assert lines[-1] == 'value   "Cluster"'


def test_rules_of_the_field(session: Session) -> None:
    assert answers(session, ":rule")[1] == "2  self.class == oldSelf.class"
    lines = answers(session, ":rule 1")
    assert lines[0] == "spec, rule 1: false, cost 8"
    assert "  why:  self.replicas >= size(self.zones) = false" in lines
    assert answers(session, ":type")[0] == "type    bool"


def test_expressions_have_names(session: Session) -> None:
    lines = answers(
        session,
        ":let many = size(self.zones)",
        ":let more = many + 1",
        "more * 2 - self.replicas",
        ":type many",
    )
    assert lines[0] == "many = size(self.zones)"
    assert lines[-2:] == ["value   5", "type    int"]
    assert answers(session, "[1].map(many, many)")[-1] != "value   [1]"
    assert answers(session, ":let x = self.nothing")[0].startswith("error")
    assert answers(session, ":let")[-1] == "more = (size(self.zones)) + 1"


def test_a_field_is_shown_with_those_below_it(session: Session) -> None:
    assert answers(session, ":schema ports") == [
        "spec.ports  []object",
        "  name  string, required",
        "  port  integer, required",
    ]
    lines = answers(session, ":schema")
    assert lines[0] == "spec  object"
    assert "  replicas  integer" in [line.partition(",")[0] for line in lines]


def test_objects_are_loaded(session: Session) -> None:
    assert answers(session, f":old {OLD}", "oldSelf.class")[-1] == 'value   "silver"'
    assert answers(session, f":load {OLD}", "self.class")[-1] == 'value   "silver"'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (":typ self", "error: there is no command :typ: did you mean :type?"),
        (":type", "error: there is no expression yet"),
        (":load", "error: name the file of the object"),
        (":load missing.yaml", "error: missing.yaml: No such file or directory"),
        (":field spek", "error: the object has no field `spek`"),
        (":rule 9", "error: there is no rule 9 at spec"),
        (":let 1 = 2", "error: name an expression"),
        (":schema spek", "error: spec has no field `spek`"),
        (":rule x", "error: there is no rule x at spec"),
    ],
)
def test_errors_leave_the_session_as_it_is(session: Session, text: str, expected: str) -> None:
    assert answers(session, text)[0] == expected
    assert answers(session, "self.replicas")[-1] == "value   1"


def test_help_lists_all_commands(session: Session) -> None:
    lines = answers(session, ":help")
    assert [line.split()[0] for line in lines[1:]] == [f":{name}" for name in COMMANDS]
    assert max(map(len, lines)) <= 88


def test_enter_continues_an_incomplete_expression(session: Session) -> None:
    lines = typed(session, "self.replicas >\rsize(self.zones)\r:quit\r")
    assert lines == answers(session, "self.replicas >\nsize(self.zones)")


def test_an_empty_line_ends_an_incomplete_expression(session: Session) -> None:
    assert any("--> <expression>:1:7" in line for line in typed(session, "self +\r\r\x04"))


def test_control_c_drops_the_input_and_control_d_ends(session: Session) -> None:
    assert typed(session, "self.x\x03self.replicas\r\x04")[-1] == "value   1"


def test_completions(session: Session) -> None:
    assert completed(session, "self.")[:4] == ["replicas", "class", "zones", "ports"]
    assert "startsWith(" in completed(session, "self.class.")
    assert completed(session, "self.ports.all(p, p.")[:2] == ["name", "port"]
    assert "name" not in completed(session, "self.?ports.optMap(p, p.")
    assert completed(session, "self.ports[0].")[:2] == ["name", "port"]
    assert completed(session, ":ex") == ["explain"]
    assert completed(session, ":type self.rep") == ["replicas"]
    assert completed(session, f":load {FIXTURES}/sam") == ["ple.yaml"]


def test_colours() -> None:
    line: Callable[[int], object] = Colors().lex_document(Document("self.a == 'x' + 12"))
    assert [(style, text) for style, text in line(0) if style] == [  # type: ignore[attr-defined]
        ("class:name", "self"),
        ("class:name", "a"),
        ("class:string", "'x'"),
        ("class:number", "12"),
    ]


def test_the_lines_of_a_pipe_are_answered() -> None:
    from click.testing import CliRunner

    result = CliRunner().invoke(
        cli,
        ["eval", "--crd", CRD, "--object", SAMPLE],
        input=":field spec\nself.replicas\n:quit\n1\n",
    )
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "self is spec of Cluster example.com/v1"
    assert result.stdout.splitlines()[-1] == "value   1"


def test_a_prompt_without_its_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("crdlint.cli.eval.find_spec", lambda _: None)
    with pytest.raises(click.ClickException, match=r"pip install 'crdlint\[eval\]'"):
        cli.main(["eval"], standalone_mode=False)
