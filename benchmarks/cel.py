"""How fast rules are compiled and their costs estimated: one of 60 characters, and a thousand over 200 fields.

Run as `python benchmarks/cel.py`. Times are the best of several runs, in milliseconds; the growth is the time for
twice as much divided by the time for once.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from corpus import with_spec
from timing import best

from crdlint.cel.checker import check
from crdlint.crd.convert import read_crd
from crdlint.kubecel.compilation import Environments, RuleCompiler
from crdlint.kubecel.declarations import SchemaContext
from crdlint.kubecel.environment import new_expressions, stored_expressions
from crdlint.kubernetes.servers import NEWEST
from crdlint.yaml.parse import parse_first

if TYPE_CHECKING:
    from crdlint.crd.model import JSONSchemaProps

_RULE = "!has(self.field{0}) || self.field{0}.startsWith('prefix-{1}') || {1} > 0"


def schema(fields: int, rules: int) -> JSONSchemaProps:
    """Return the schema of `spec`, with so many fields and rules."""
    lines = [
        "type: object",
        "properties:",
        *(f"  field{i}: {{type: string, maxLength: 64}}" for i in range(fields)),
        "x-kubernetes-validations:",
        *(f'- rule: "{_RULE.format(i % fields, i)}"' for i in range(rules)),
    ]
    root = parse_first(with_spec("\n".join(lines))).root
    assert root is not None
    return read_crd(root).crd.spec.root_schemas()[0].properties["spec"]


def compile_all(given: JSONSchemaProps, environments: Environments) -> None:
    """Declare a schema and compile its rules, as a check does it."""
    compiler = RuleCompiler(SchemaContext(NEWEST.cel).declared(given))
    for rule in given.x_validations:
        assert compiler.rule(rule, environments).rule.error is None


def main() -> None:
    """Print the times."""
    environments = Environments(new_expressions(NEWEST), stored_expressions(NEWEST))
    small = schema(10, 1)
    rule = small.x_validations[0]
    compiler = RuleCompiler(SchemaContext(NEWEST.cel).declared(small))
    one = best(lambda: [compiler.rule(rule, environments) for _ in range(100)]) / 100
    print(f"one rule of {len(rule.rule)} characters, warm      {one:8.3f} ms")
    compiled = compiler.rule(rule, environments).rule
    checking = best(
        lambda: [
            check(compiled.compiled.expr, compiled.compiled.source, compiled.env)
            for _ in range(100)
        ]
    )
    estimating = best(lambda: [compiled.cost() for _ in range(100)])
    print(
        f"estimating its cost                {estimating / 100:8.3f} ms, {estimating / checking:.2f} x checking types"
    )
    schemas = [schema(200, count) for count in (500, 1000, 2000)]
    times = [best(partial(compile_all, given, environments)) for given in schemas]
    for count, taken in zip((500, 1000, 2000), times, strict=True):
        print(f"{count:5} different rules over 200 fields {taken:8.1f} ms")
    print(
        f"growth as the rules double         {times[1] / times[0]:8.2f}, {times[2] / times[1]:.2f}"
    )


if __name__ == "__main__":
    main()
