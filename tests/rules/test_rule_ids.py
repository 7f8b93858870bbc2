"""A rule is whole: its id is a string at its declaration only, and what the program decides by it are traits of the rule."""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import TYPE_CHECKING

from sources import sources

from crdlint.rules.catalog import all_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

# Former ids, and experiments that have the name of a rule.
OTHER_NAMES = {"aliases", "observed"}


def strings(tree: ast.Module) -> Iterator[str]:
    """Yield the strings of a module, but for the values of `OTHER_NAMES`."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        if not (isinstance(node, ast.keyword) and node.arg in OTHER_NAMES):
            pending += ast.iter_child_nodes(node)


def test_the_strings_of_a_module_are_found() -> None:
    text = "RULE = Rule('a-b', aliases=('c-d',), observed=('e-f',))\nif rule == 'g-h': pass"
    assert set(strings(ast.parse(text))) == {"a-b", "g-h"}


def test_the_id_of_a_rule_is_written_once() -> None:
    ids = {rule for rule in all_rules() if "-" in rule}  # others are words, too
    places: dict[str, list[str]] = defaultdict(list)
    for name, source in sources().items():
        for text in strings(source.tree):
            if text in ids:
                places[text].append(name)
    forbidden = {rule for rule in ids if rule.startswith("forbidden-")}  # made of the field's name
    assert {rule: names for rule, names in places.items() if len(names) > 1} == {}
    assert places.keys() == ids - forbidden
