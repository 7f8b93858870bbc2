"""Values of which only a guess is possible: the help asks or lists, and no fix writes the guess."""

from __future__ import annotations

from crds import crd_with_spec
from present import present
from tables import each

from crdlint.diagnostics import Diagnostic
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.resources.definitions import Definitions
from crdlint.resources.pipeline import ResourceOptions, validate_text
from crdlint.resources.placeholders import PlaceholderPatterns
from crdlint.yaml.edit import apply


def finding(text: str, rule: str) -> Diagnostic:
    """Return the first finding of a rule in a CRD, with its fix."""
    result = lint_file(text, "x", CheckRequest(fixes=True))
    return next(found for found in result.diagnostics if found.rule == rule)


# A property, and how the help begins.
FLAGS = {
    "items with fields": (
        "a: {type: array, items: {type: object, properties: {x: {type: string}, y: {type: string}}, required: true}}",
        "List the fields that each item must have, out of `x`, `y`",
    ),
    "a map of objects": (
        "a: {type: object, additionalProperties: {type: object, properties: {x: {type: string}}, required: true}}",
        "List the fields that each value must have, out of `x`",
    ),
    "an object with fields": (
        "a: {type: object, properties: {x: {type: string}}, required: true}",
        "Did you mean that `a` is required? If so, remove `required` here",
    ),
    "a text": (
        "a: {type: object, properties: {x: {type: string}}, required: 'true'}",
        "Did you mean that `a` is required? If so, remove `required` here",
    ),
    "a placeholder": ("a: {type: object, required: tbd}", "Replace `tbd` with a list"),
    "an unknown field": ("a: {type: object, properties: {x: {type: string}}, required: z}", ""),
}


@each("field, help_", FLAGS.values(), ids=FLAGS)
def test_fields_that_may_be_required_are_not_guessed(field: str, help_: str) -> None:
    found = finding(crd_with_spec(f"type: object\nproperties:\n  {field}"), "decode-type")
    assert present(found.help).startswith(help_)
    assert found.fix is None


# What `required` is written on, and the property without it.
KNOWN_FLAGS = {
    "a text": ("{type: string, required: true}", "{type: string}"),
    "items of texts": (
        "{type: array, items: {type: string, required: true}}",
        "{type: array, items: {type: string}}",
    ),
    "an object that is optional": (
        "{type: object, properties: {x: {type: string}}, required: false}",
        "{type: object, properties: {x: {type: string}}}",
    ),
}


@each("written, meant", KNOWN_FLAGS.values(), ids=KNOWN_FLAGS)
def test_a_flag_whose_meaning_is_known_is_moved(written: str, meant: str) -> None:
    text = crd_with_spec(f"type: object\nproperties:\n  a: {written}")
    fixed = apply(text, present(finding(text, "decode-type").fix).edits)
    assert f"a: {meant}\n" in fixed
    assert ("required: [a]" in fixed) == (written == "{type: string, required: true}")


# A schema whose type is the name of a format, and what is written instead, None if that is a guess.
FORMATS = {
    "a value of the format": (
        "{type: date, enum: ['2020-01-01']}",
        "{type: string, enum: ['2020-01-01'], format: date}",
    ),
    "no value": ("{type: timestamp}", "{type: string, format: date-time}"),
    "another limit": ("{type: uuid, maxLength: 36}", "{type: string, maxLength: 36, format: uuid}"),
    "texts of another format": (
        "{type: uuid, enum: ['on', 'off']}",
        "{type: string, enum: ['on', 'off']}",
    ),
    "numbers": ("{type: timestamp, enum: [1, 2]}", None),
    "a limit of numbers": ("{type: date, minimum: 3}", None),
    "fields": ("{type: date, properties: {x: {type: string}}}", None),
}


@each("written, meant", FORMATS.values(), ids=FORMATS)
def test_a_format_is_written_only_if_values_may_have_it(written: str, meant: str | None) -> None:
    text = crd_with_spec(f"type: object\nproperties:\n  a: {written}")
    found = finding(text, "type-unsupported")
    if meant is None:
        assert found.fix is None
        assert present(found.help).startswith("Use one of array, ")
    else:
        assert f"a: {meant}\n" in apply(text, present(found.fix).edits)


WEBHOOK = (
    "conversion: {%swebhook: {conversionReviewVersions: [v1], "
    "clientConfig: {url: https://example.com/}}}\n  scope: Namespaced\n"
)
# A part of a CRD, and a rule whose finding may be corrected in two ways.
CHOICES = {
    "the scope": ("  scope: Namespaced\n", "", "scope-invalid"),
    "a strategy that is set": (
        "  scope: Namespaced\n",
        f"  {WEBHOOK % 'strategy: None, '}",
        "conversion-webhook-config",
    ),
    "a mark of a list on its items": (
        "a: {type: string}",
        "a: {type: array, items: {type: object, x-kubernetes-list-type: atomic}}",
        "list-type-not-array",
    ),
}


@each("old, new, rule", CHOICES.values(), ids=CHOICES)
def test_no_fix_chooses_one_of_two_ways(old: str, new: str, rule: str) -> None:
    text = crd_with_spec("type: object\nproperties:\n  a: {type: string}").replace(old, new, 1)
    assert finding(text, rule).fix is None


def test_a_webhook_without_a_strategy_is_called() -> None:
    text = crd_with_spec("type: object").replace("  scope: Namespaced\n", f"  {WEBHOOK % ''}", 1)
    fixed = apply(text, present(finding(text, "conversion-webhook-config").fix).edits)
    assert "strategy: Webhook" in fixed


def test_the_version_without_the_mark_is_stored() -> None:
    text = crd_with_spec("type: object")
    start = text.index("  - name: v1")
    two = text + text[start:].replace("name: v1", "name: v1beta1")
    beta = two.rindex("    storage: true\n")
    broken = two[:beta].replace("storage: true", "storage: false") + two[beta:].replace(
        "    storage: true\n", ""
    )
    fixed = apply(broken, present(finding(broken, "storage-version-exactly-one").fix).edits)
    assert fixed.index("storage: false") < fixed.index("name: v1beta1")
    assert fixed.index("storage: true") > fixed.index("name: v1beta1")


def test_a_comma_between_words_is_a_question() -> None:
    text = (
        "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: x}\nspec: {mode: fast count: 3}\n"
    )
    found = finding(text, "yaml-syntax")
    assert present(found.help).startswith("Add a comma between the entries in line 4, or put ")
    assert present(found.fix).applicability == "unsafe"


LISTS = crd_with_spec(
    "type: object\nproperties:\n  hosts: {type: array, items: {type: string}}\n"
    "  modes: {type: array, items: {type: string, enum: [none, all]}}"
)


def of_list(field: str, value: str) -> tuple[str, Diagnostic]:
    """Return an object with a value in the place of a list, and what is found in it."""
    text = (
        f"apiVersion: example.com/v1\nkind: Foo\nmetadata: {{name: x}}\nspec:\n  {field}: {value}\n"
    )
    definitions = Definitions()
    definitions.add(lint_file(LISTS, "crd.yaml", CheckRequest(keep=True)))
    options = ResourceOptions(fixes=True, placeholders=PlaceholderPatterns(built_in=False))
    judged = validate_text(text, filename="x", definitions=definitions, options=options)
    (found,) = judged.result.diagnostics
    return text, found


@each(
    "value", ("tbd", "n/a", "changeme", '"?"', "...", "your-host", "To be defined", "none", "xxx")
)
def test_a_placeholder_is_no_item_of_a_list(value: str) -> None:
    _, found = of_list("hosts", value)
    assert present(found.help).startswith("Replace `")
    assert found.fix is None


@each(
    "field, value",
    (("hosts", "example.com"), ("hosts", "todo-app"), ("hosts", '"*"'), ("modes", "none")),
)
def test_a_value_is_an_item_of_a_list(field: str, value: str) -> None:
    text, found = of_list(field, value)
    assert f"  {field}: [{value}]\n" in apply(text, present(found.fix).edits)


@each("keyword", ["required", "enum"])
def test_placeholders_in_angle_brackets_are_no_items(keyword: str) -> None:
    text = crd_with_spec(f"type: object\nproperties:\n  a: {{type: object, {keyword}: <00-ip>}}")
    found = finding(text, "decode-type")
    assert found.help == "Replace `<00-ip>` with a list"
    assert found.fix is None


# A rule with the operator of another language, and what may be absent in it.
CHAINED = {
    "self.name?.size() > 0": "self.name",
    "self.a.name?.startsWith('b')": "self.a.name",
}


@each("rule", CHAINED)
def test_the_operator_for_absent_fields_is_explained(rule: str) -> None:
    schema = "type: object\nproperties:\n  name: {type: string, maxLength: 9}\nx-kubernetes-validations:\n"
    found = finding(crd_with_spec(f'{schema}- rule: "{rule}"'), "cel-compilation")
    assert found.help == f"Check `has({CHAINED[rule]})` before: CEL has no `?.`"
    assert found.fix is None
