"""Names of properties that YAML 1.1 reads as booleans or numbers, and names that are written in quotes because of that."""

from __future__ import annotations

from crds import EVERY_RULE, crd_with_spec

from crdlint import validate_resource
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.runner.fixes import fix

NAMES = ["n", "y", "yes", "on", "off", "0x1F", "1.0", "True", "true", "n8", "1", "'no'", "no"]
READ = {
    "n": "false",
    "y": "true",
    "yes": "true",
    "on": "true",
    "off": "false",
    "no": "false",
    "True": "true",
}


def test_names_that_the_server_reads_otherwise() -> None:
    for name in NAMES:
        text = crd_with_spec(f"type: object\nproperties:\n  {name}: {{type: string}}")
        result = lint_file(text, "x", CheckRequest(fixes=True))
        read = READ.get(name) or {"0x1F": "31", "1.0": "1"}.get(name)
        kind = "boolean" if name in READ else "number"
        message = f"`{name}` is read as the {kind} {read}, so the property is named `{read}`"
        assert [one.message for one in result.diagnostics] == ([] if read is None else [message]), (
            name
        )
        fixed = fix(
            result,
            lambda text: lint_file(text, "x", CheckRequest(fixes=True)),
            unsafe=True,
            config=EVERY_RULE,
        )
        assert fixed.text == (
            text if read is None else text.replace(f"  {name}:", f"  '{name}':")
        ), name


def test_helps_write_the_names_as_they_have_to_be_written() -> None:
    crd = crd_with_spec("type: object\nrequired: ['on']\nproperties:\n  'on': {type: string}")
    missing = validate_resource(
        crd, "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: x, namespace: a}\nspec: {}\n"
    ).errors
    assert missing[0].help == 'Add `"on": ""` (string)'
