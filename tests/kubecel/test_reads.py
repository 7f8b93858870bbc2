"""Which parts of an object a rule reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tables import each

from crdlint.cel.parser import parse
from crdlint.kubecel.environment import stored_expressions
from crdlint.kubecel.syntax_trees import is_read, paths_read
from crdlint.kubernetes.servers import NEWEST

if TYPE_CHECKING:
    from typing import Any

READ = {
    "self.size > 1": {("size",)},
    "has(self.a.b) && self.a.b == 'x'": {("a", "b")},
    "self.list.all(x, x.name != self.name)": {("list",), ("name",)},
    "self == oldSelf": {()},
    "self.?a.?b.orValue(1) > 0": {("a", "b")},
    "self['a'].b": {("a", "b")},
    "self.map['k'] == self[self.key]": {("map", "k"), (), ("key",)},
    "self.x__dash__y.__namespace__ == 'a'": {("x-y", "namespace")},
    "1 == 1": set(),
}


@each(("rule", "paths"), READ.items())
def test_paths(rule: str, paths: set[Any]) -> None:
    result = parse(rule, options=stored_expressions(NEWEST).parser)
    assert paths_read(result.expr) == paths


def test_a_value_is_read_with_what_is_around_it_and_within_it() -> None:
    paths = frozenset({("a", "b")})
    tried: list[list[str | int]] = [["a"], ["a", "b"], ["a", "b", 0, "c"], ["a", "c"], ["b"], []]
    assert [is_read(path, paths) for path in tried] == [
        True, True, True, False, False, True,
    ]  # fmt: skip
