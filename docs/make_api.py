"""Writes docs/api.md from the signatures and docstrings of the Python API: `python docs/make_api.py`."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import re
import textwrap
from pathlib import Path
from typing import Any, Final, get_args

import crdlint
from crdlint import api, diagnostics

PAGE: Final = Path(__file__).with_name("api.md")

_WIDTH: Final = 88  # characters of a signature in one line
# Aliases of types, whose values are shown in their place.
_ALIASES: Final = ("Origin", "Kind", "Severity", "Applicability")

# The classes whose fields the page of the JSON output describes.
_IN_JSON: Final = {"Diagnostic"}
# An entry of a docstring's list of fields, in one line or more.
_FIELD: Final = re.compile(r"(?m)^- `(\w+)`: ((?:.|\n(?= ))*)\n?")
_ELSEWHERE: Final = "The fields mean what they mean in the [JSON output](json-output.md)."
_INTERNAL: Final = {
    ("Diagnostic", "errors"),
    ("Diagnostic", "lacks"),
}  # fields that reports do not show

_HEAD: Final = """\
<!-- Written by docs/make_api.py from the docstrings: do not edit. -->

# Python API

Everything on this page is imported from `crdlint`. `import crdlint` is cheap: each part is loaded on first use.

What this page names is stable: it changes only with a new major version, or before 1.0 with a new minor one. New parameters with a
default, new fields at the end of classes, new rules and other texts of crdlint's own may come at any time. All other modules are
private.

```python
import crdlint

for diagnostic in crdlint.lint_text("kind: CustomResourceDefinition\\n", filename="crd.yaml"):
    print(f"{diagnostic.file}:{diagnostic.line}:{diagnostic.column}: {diagnostic.message}")
```
"""


def page() -> str:
    """Return the text of docs/api.md."""
    objects = {name: getattr(crdlint, name) for name in api.__all__}
    functions = [_function(name, one) for name, one in objects.items() if inspect.isfunction(one)]
    classes = [_class(name, one) for name, one in objects.items() if inspect.isclass(one)]
    return (
        "\n".join([_HEAD, "## Functions\n", *functions, "## Classes\n", *classes]).rstrip() + "\n"
    )


def _function(name: str, function: Any) -> str:
    return f"### {name}\n\n```python\n{_signature(function)}\n```\n\n{_text(function)}\n"


def _signature(function: Any) -> str:
    """Return the signature as it is in the source, with the values of constants, a parameter a line if it is long."""
    tree: Any = ast.parse(inspect.getsource(function)).body[0]
    parts = [ast.unparse(argument) for argument in tree.args.args]
    pairs = list(zip(tree.args.kwonlyargs, tree.args.kw_defaults, strict=True))
    parts += ["*"] * bool(pairs) + [
        f"{ast.unparse(one)} = {_value(default, function)}" for one, default in pairs
    ]
    result = ast.unparse(tree.returns)
    line = f"{tree.name}({', '.join(parts)}) -> {result}"
    if len(line) <= _WIDTH:
        return line
    return "\n".join([f"{tree.name}(", *(f"    {part}," for part in parts), f") -> {result}"])


def _value(default: ast.expr, function: Any) -> str:
    value = (
        function.__globals__[default.id]
        if isinstance(default, ast.Name)
        else ast.literal_eval(default)
    )
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _class(name: str, class_: Any) -> str:
    """Return the section of a class: its docstring, and its fields as they are declared."""
    text = _text(class_)
    if name in _IN_JSON:
        text = f"{_FIELD.sub('', text).strip()}\n\n{_ELSEWHERE}"
    parts = [f"### {name}\n", f"{text}\n"]
    if dataclasses.is_dataclass(class_):
        fields = [one for one in dataclasses.fields(class_) if (name, one.name) not in _INTERNAL]
        lines = [f"{one.name}: {_type(str(one.type))}{_default(one)}" for one in fields]
        parts += ["```python", *lines, "```\n"]
    return "\n".join(parts)


def _type(text: str) -> str:
    if text in _ALIASES:
        values = get_args(getattr(diagnostics, text))
        return f"Literal[{', '.join(map(json.dumps, values))}]"
    return text.replace("'", '"')


def _literal(value: object) -> str:
    return repr(value).replace("'", '"')


def _default(one: dataclasses.Field[Any]) -> str:
    if one.default is not dataclasses.MISSING:
        return f" = {_literal(one.default)}"
    if one.default_factory is not dataclasses.MISSING:
        return f" = {_literal(one.default_factory())}"
    return ""


def _text(one: Any) -> str:
    """Return a docstring as Markdown: names in double backquotes and examples become code."""
    text = textwrap.dedent(inspect.getdoc(one) or "").replace("``", "`")
    return re.sub(r"(?m)^>>> (?:.|\n(?=\S))*", lambda example: f"```pycon\n{example[0]}\n```", text)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
