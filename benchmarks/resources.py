"""How fast custom resources are judged: a rule over an object of 50 fields, and a thousand objects by 20 rules.

Run as `python benchmarks/resources.py`. Times are the best of several runs, in milliseconds; the growth is the time for
twice as much divided by the time for once.
"""

from __future__ import annotations

from functools import partial

from corpus import with_spec
from timing import best

from crdlint.kubecel.evaluation import MISSING, RuleValidators, Run, validate_rules
from crdlint.kubernetes.servers import NEWEST
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.resources.definitions import Definitions
from crdlint.resources.pipeline import validate_text

_RULE = "!has(self.f{0}) || self.f{0}.startsWith('value') && self.f{0} != 'x'"
_OBJECT = "---\napiVersion: example.com/v1\nkind: Foo\nmetadata: {{name: x{0}}}\nspec: {{{1}}}\n"


def crd(rules: int) -> str:
    """Return a CRD with 50 text fields and some rules."""
    fields = ", ".join(f"f{i}: {{type: string, maxLength: 20}}" for i in range(50))
    validations = ", ".join(f'{{rule: "{_RULE.format(i)}"}}' for i in range(rules))
    spec = f"type: object\nproperties: {{{fields}}}\nx-kubernetes-validations: [{validations}]"
    return with_spec(spec).replace("scope: Namespaced", "scope: Cluster")


def objects(count: int, spec: str = "") -> str:
    """Return a stream of objects, of 50 fields where none are given."""
    spec = spec or ", ".join(f"f{i}: value-{i}" for i in range(50))
    return "".join(_OBJECT.format(i, spec) for i in range(count))


def main() -> None:
    """Print the times."""
    definitions = Definitions()
    definitions.add(lint_file(crd(20), "crd.yaml", CheckRequest(keep=True)))
    schema = definitions.by_kind["example.com", "Foo"].validator("v1").schema
    assert schema is not None
    one = Definitions()
    one.add(lint_file(crd(1), "crd.yaml", CheckRequest(keep=True)))
    small = one.by_kind["example.com", "Foo"].validator("v1").schema
    assert small is not None
    validator = RuleValidators(NEWEST).of(small)
    resource = {"spec": {f"f{i}": f"value-{i}" for i in range(50)}}

    def rule() -> None:
        for _ in range(100):
            validate_rules(validator, Run("rule", 10**9), None, resource, MISSING)

    print(
        f"a rule of {len(_RULE.format(0))} characters over 50 fields   {best(rule) / 100:8.3f} ms"
    )
    texts = [objects(count) for count in (500, 1000, 2000)]
    times = [
        best(partial(validate_text, text, filename="x", definitions=definitions)) for text in texts
    ]
    for count, taken in zip((500, 1000, 2000), times, strict=True):
        print(f"{count:5} objects of 50 fields, 20 rules   {taken:8.1f} ms")
    print(
        f"growth as the objects double         {times[1] / times[0]:8.2f}, {times[2] / times[1]:.2f}"
    )
    for what, texts in (
        (
            "unknown fields",
            [objects(1, ", ".join(f"u{i}: 1" for i in range(count))) for count in (4000, 8000)],
        ),
        ("objects with errors", [objects(count, "f1: 1, f2: [x]") for count in (1000, 2000)]),
    ):
        few, many = (
            best(partial(validate_text, text, filename="x", definitions=definitions))
            for text in texts
        )
        print(f"growth as {what} double{'':<{26 - len(what)}}{many / few:.2f}")


if __name__ == "__main__":
    main()
