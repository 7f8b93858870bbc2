"""A stand-in for Helm: `version`, and `template` for the part of its language that the tests' charts have.

Run as a program. LOG is a file that its arguments are appended to.
"""

import os
import re
import sys
from pathlib import Path
from typing import Any

LOG = os.devnull
_DIRECTIVE = re.compile(r"(\s*)\{\{(-?)\s*(.*?)\s*(-?)\}\}(\s*)", re.DOTALL)


def read(path: Path) -> dict[str, Any]:
    from ruamel.yaml import YAML  # `version` needs none

    return YAML(typ="safe").load(path) or {} if path.is_file() else {}


def laid_over(values: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
    both = {
        key: laid_over(values[key], others[key])
        for key in others
        if isinstance(values.get(key), dict)
    }
    return {**values, **others, **both}


def value(values: dict[str, Any], expression: str) -> Any:
    """Evaluate `.Values.a.b`, `not` before it, `fail`, texts."""
    if expression.startswith("fail "):
        sys.exit(
            f"Error: execution error at (t.yaml:1:1): {expression[5:]}\n\nUse --debug flag to render out invalid YAML"
        )
    if expression.startswith("not "):
        return not value(values, expression[4:])
    if expression[0] in '"`':
        return expression[1:-1]
    found: Any = {"Values": values}
    for name in expression.strip(".").split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return found


def rendered(text: str, values: dict[str, Any]) -> str:
    """Render `if`, `else`, `end` and values, blanks trimmed as `{{-` and `-}}` ask."""
    made, shows = [""], [True]
    at = 0
    for one in _DIRECTIVE.finditer(text):
        before, left, body, right, after = one.groups()
        if shows[-1]:
            made.append(text[at : one.start()] + ("" if left else before))
        word = body.split(" ", 1)[0]
        if word == "if":
            shows.append(shows[-1] and bool(value(values, body[3:])))
        elif word == "else":
            shows[-1] = shows[-2] and not shows[-1]
        elif word == "end":
            shows.pop()
        elif shows[-1] and not body.startswith("/*"):
            made.append(str(value(values, body)))
        if shows[-1]:
            made.append("" if right else after)
        at = one.end()
    return "".join([*made, text[at:]])


def template(chart: Path, options: list[str]) -> None:
    values = read(chart / "values.yaml")
    for option in options:
        name, _, given = option.partition("=")
        if name == "--values":
            values = laid_over(values, read(Path(given)))
        elif name == "--set":
            key, _, text = given.partition("=")
            nested: Any = {"true": True, "false": False}.get(text, text)
            for part in reversed(key.split(".")):
                nested = {part: nested}
            values = laid_over(values, nested)
    write(chart, values, read(chart / "Chart.yaml")["name"])


def write(chart: Path, values: dict[str, Any], source: str) -> None:
    """Print what a chart and those within it are rendered to."""
    for path in [*sorted(chart.glob("crds/*.yaml")), *sorted(chart.glob("templates/*.yaml"))]:
        text = path.read_text(encoding="utf-8")
        if path.parent.name == "templates":
            text = rendered(text, values)
        for document in re.split(r"^---.*\n", text, flags=re.MULTILINE):
            if document.strip():
                sys.stdout.write(
                    f"---\n# Source: {source}/{path.relative_to(chart).as_posix()}\n{document.strip()}\n"
                )
    for inner in sorted(chart.glob("charts/*/Chart.yaml")):
        name = read(inner)["name"]
        given = laid_over(read(inner.parent / "values.yaml"), values.get(name, {}))
        write(inner.parent, given, f"{source}/charts/{name}")


def main(arguments: list[str]) -> None:
    with Path(LOG).open("a", encoding="utf-8") as log:
        log.write(" ".join(arguments) + "\n")
    if arguments[0] == "version":
        sys.stdout.write("v3.18.4+gd80839c\n")
    else:
        template(Path(arguments[2]), arguments[3:])


if __name__ == "__main__":
    main(sys.argv[1:])
