"""The prompt on a terminal, by prompt_toolkit: history, completion by type, syntax colours, several lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from platformdirs import user_state_path
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.styles import Style

from crdlint.cel.lexer import tokenize
from crdlint.cli.prompt import COMMANDS, Session
from crdlint.kubecel.completion import complete

_STYLE: Final = Style.from_dict(
    {"string": "ansigreen", "number": "ansimagenta", "name": "ansiblue", "command": "bold"}
)
_CLASSES: Final = {
    **dict.fromkeys(("STRING", "BYTES"), "class:string"),
    **dict.fromkeys(("NUM_INT", "NUM_UINT", "NUM_FLOAT"), "class:number"),
    **dict.fromkeys(("IDENTIFIER", "ESC_IDENTIFIER"), "class:name"),
}
_FILES: Final = (":load ", ":old ")
_EXPRESSIONS: Final = (":type ", ":cost ", ":explain ")


class Colors(Lexer):
    """The colours of CEL."""

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        """Return the function that yields the coloured parts of a line."""
        lines = list(map(_line, document.lines))
        return lambda number: lines[number] if number < len(lines) else []


def _line(text: str) -> StyleAndTextTuples:
    if text.startswith(":"):
        name, space, rest = text.partition(" ")
        return [
            ("class:command", name),
            ("", space),
            *(_line(rest) if f"{name} " in _EXPRESSIONS else [("", rest)]),
        ]
    tokens = tokenize(text)
    if tokens is None:
        return [("", text)]
    parts: StyleAndTextTuples = []
    end = 0
    for kind, token, start in zip(*tokens, strict=False):
        if start < end or start + len(token) > len(text) or not text.startswith(token, start):
            continue  # the end of the text
        parts += [("", text[end:start]), (_CLASSES.get(kind, ""), token)]
        end = start + len(token)
    return [*parts, ("", text[end:])]


class Completions(Completer):
    """Commands, files, fields, variables, functions and macros."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._files = PathCompleter(expanduser=True)

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterator[Completion]:
        """Yield what can be written at the cursor."""
        text = document.text_before_cursor
        if text.startswith(_FILES):
            path = text.partition(" ")[2]
            yield from self._files.get_completions(Document(path, len(path)), complete_event)
        elif text.startswith(_EXPRESSIONS):
            yield from self._of_expression(text.partition(" ")[2])
        elif text.startswith(":"):
            word = text[1:]
            yield from (
                Completion(name, -len(word), display_meta=command.about)
                for name, command in COMMANDS.items()
                if name.startswith(word)
            )
        else:
            yield from self._of_expression(text)

    def _of_expression(self, text: str) -> Iterator[Completion]:
        bench = self._session.bench
        context, completions = complete(
            text,
            len(text),
            bench.env,
            bench.environment,
            bench.declarations,
        )
        if context is None:
            return
        for completion in completions:
            if completion.name.startswith(context.word):
                written = completion.name if completion.arguments is None else f"{completion.name}("
                start, about = context.start - len(text), completion.type
                yield Completion(
                    written,
                    start,
                    display=completion.name,
                    display_meta=about,
                )


def _keys(session: Session) -> KeyBindings:
    """Return the keys: Enter ends an expression that is complete, Alt-Enter starts another line."""
    keys = KeyBindings()

    @keys.add("enter")
    def _enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if not buffer.text.endswith("\n") and session.is_incomplete(buffer.text):
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def _line_break(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return keys


def _history() -> History:
    """Return the history of earlier sessions; without a place for it, one of this session."""
    try:
        path = (
            Path(user_state_path("crdlint", appauthor=False, ensure_exists=True)) / "eval_history"
        )
        with path.open("ab"):
            return FileHistory(str(path))
    except OSError:
        return InMemoryHistory()


def run(session: Session, write: Callable[[str], None], **terminal: Any) -> None:
    """Read inputs and print their answers until the session ends; `terminal` replaces the input and output of the prompt."""
    prompt: PromptSession[str] = PromptSession(
        completer=Completions(session),
        complete_while_typing=False,
        history=terminal.pop("history", None) or _history(),
        key_bindings=_keys(session),
        lexer=Colors(),
        multiline=True,
        prompt_continuation="      ",
        style=_STYLE,
        **terminal,
    )
    for line in session.greeting():
        write(line)
    while not session.is_over:
        try:
            text = prompt.prompt("cel> ")
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        for line in session.answer(text):
            write(line)
