"""Schemas and rules for the tests of crdlint.kubecel."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from present import present, root_of

from crdlint.crd.convert import read_crd
from crdlint.kubecel.compilation import CompiledRule, Environments, RuleCompiler
from crdlint.kubecel.declarations import SchemaContext
from crdlint.kubecel.environment import LIBRARIES, new_expressions, stored_expressions
from crdlint.kubernetes.servers import NEWEST_VERSION, parse_range
from crdlint.rules.engine.examples import HEAD
from crdlint.schema.traversal import schemas

if TYPE_CHECKING:
    from crdlint.crd.model import JSONSchemaProps


def call(overload_id: str, *values: Any) -> Any:
    """Call what implements an overload of a library; raises FunctionError."""
    (found,) = {
        id(one.implementation): one.implementation
        for library in LIBRARIES
        for one in library.functions
        if one.id == overload_id
    }.values()
    return present(found).call(*values)


def schema(text: str) -> JSONSchemaProps:
    """Return the whole schema that a YAML text gives."""
    root = root_of(HEAD + textwrap.indent(textwrap.dedent(text), " " * 8))
    crd = read_crd(root, stored=False).crd
    return crd.spec.root_schemas()[0]


def node(whole: JSONSchemaProps, *names: str) -> JSONSchemaProps:
    """Return the schema of a property, from the root down."""
    for name in names:
        whole = {"items": whole.items and whole.items.schema}.get(name) or whole.properties[name]
    return whole


def compile_all(text: str, version: str = NEWEST_VERSION) -> list[CompiledRule]:
    """Compile the rules of a schema, parents first."""
    whole = schema(text)
    server = parse_range(version).newest
    environments = Environments(new_expressions(server), stored_expressions(server))
    context = SchemaContext(server.cel)
    return [
        RuleCompiler(context.declared(one)).rule(rule, environments)
        for one in schemas(whole)
        for rule in one.x_validations
    ]


def compile_rule(
    rule: str, properties: str = "{}", version: str = NEWEST_VERSION, **fields: object
) -> CompiledRule:
    """Compile one rule on an object with properties (a YAML flow mapping)."""
    import json

    given = json.dumps({"rule": rule, **fields})
    return compile_all(
        f"{{type: object, properties: {{spec: {{type: object, properties: {properties},"
        f" x-kubernetes-validations: [{given}]}}}}}}",
        version,
    )[0]
