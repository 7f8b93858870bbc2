"""What an expression costs at most on each server, where servers differ."""

from __future__ import annotations

import pytest
from kubecel_support import compile_rule
from tables import each

from crdlint.cel.estimates import UINT64_MAX
from crdlint.kubernetes.servers import SERVERS

LONGEST = 3145726  # bytes of a string without maxLength
TENTH = -(-LONGEST // 10)
# The cost of looking at all of a value whose size is unknown.
UNBOUNDED = 1844674407370955264
# Where a factor overflows, only the sign bit of the product is left.
OVERFLOWN = 1 << 63


@each(
    ("rule", "properties", "expected"),
    [
        pytest.param("has(self.a)", "{a: {type: string}}", {28: 2, 29: 1}, id="presence test"),
        pytest.param(
            "self.a.contains(self.a)",
            "{a: {type: string, enum: [abcdefghijk, b]}}",
            {28: 4 + TENTH * TENTH, 29: 4 + 2 * 2},
            id="enum without maxLength",
        ),
        pytest.param(
            "self.a.map(x, x).exists(y, true)",
            "{a: {type: array, maxItems: 2, items: {type: boolean}}}",
            {28: UINT64_MAX, 30: 39 + 2 * 4 + 1},
            id="size of a comprehension",
        ),
        pytest.param(
            "1 in self.a.map(x, x)",
            "{a: {type: array, maxItems: 2, items: {type: integer}}}",
            {28: 12 + 2 * 13 + 1 + OVERFLOWN, 29: UINT64_MAX, 30: 12 + 2 * 13 + 1 + 2},
            id="factor of an unknown size",
        ),
        pytest.param(
            "isQuantity(self.a)",
            "{a: {type: string, maxLength: 25}}",
            {29: 3, 30: 2 + 10},
            id="quantity",
        ),
        pytest.param(
            "quantity(self.a) == quantity(self.a)",
            "{a: {type: string, maxLength: 25}}",
            {29: 6 + UNBOUNDED, 30: 24 + UNBOUNDED, 32: 24 + 1},
            id="equality of quantities",
        ),
        pytest.param(
            "url(self.a) == url(self.a)",
            "{a: {type: string, maxLength: 25}}",
            {28: 24 + UNBOUNDED, 32: 24 + 10},
            id="equality of URLs",
        ),
        pytest.param(
            "optional.of(self.a) == optional.of(self.a)",
            "{a: {type: integer}}",
            {29: 6 + UNBOUNDED, 33: 6 + 1},
            id="equality of optionals",
        ),
        pytest.param(
            "dyn(self.a) == dyn(self.a)",
            "{a: {type: string, maxLength: 25}}",
            {28: 6 + UNBOUNDED, 33: 6 + 10},
            id="equality of dyn",
        ),
        pytest.param(
            "self.a == self.a",
            "{a: {x-kubernetes-int-or-string: true, maxLength: 25}}",
            {28: 4 + TENTH, 34: 4 + 10},
            id="maxLength of int-or-string",
        ),
    ],
)
def test_cost_by_version(rule: str, properties: str, expected: dict[int, int]) -> None:
    found: dict[int, int] = {}
    for server in SERVERS:
        compiled = compile_rule(rule, properties, str(server)).rule
        if compiled.error is None and list(found.values())[-1:] != [compiled.highest_cost]:
            found[server.minor] = compiled.highest_cost
    assert found == expected
