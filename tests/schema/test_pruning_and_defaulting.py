"""Unknown fields pruned, defaults put in, nulls taken out: schema and value in, value out."""

from __future__ import annotations

from typing import Any

from schema_support import schema, value
from tables import each

from crdlint.crd.model import JSONSchemaProps
from crdlint.schema.defaulting import apply_defaults, prune, prune_defaults, prune_nulls

# The schema of the root, the value, what is left, the paths that went.
PRUNED = {
    "unknown": ("{properties: {a: {}}}", '{"a": 1, "b": 2}', '{"a": 1}', ["b"]),
    "below": (
        "{properties: {a: {items: {properties: {b: {}}}}}}",
        '{"a": [{"b": 1, "d": 1}, {"c": {}}]}',
        '{"a": [{"b": 1}, {}]}',
        ["a[0].d", "a[1].c"],
    ),
    "the resource's own": (
        "{}",
        '{"apiVersion": "v1", "kind": "K", "metadata": {"x": 1}}',
        None,
        [],
    ),
    "a map of anything": (
        "{properties: {a: {additionalProperties: true}}}",
        '{"a": {"b": {"c": 1}}}',
        '{"a": {"b": {}}}',
        ["a.b.c"],
    ),
    "a map": (
        "{properties: {a: {additionalProperties: {properties: {c: {}}}}}}",
        '{"a": {"b": {"c": 1, "d": 1}}}',
        '{"a": {"b": {"c": 1}}}',
        ["a.b.d"],
    ),
    "preserved": (
        "{properties: {a: {x-kubernetes-preserve-unknown-fields: true}}}",
        '{"a": {"b": [{"c": 1}]}}',
        None,
        [],
    ),
    "preserved, but pruned where it is spoken of": (
        "{x-kubernetes-preserve-unknown-fields: true, properties: {a: {properties: {b: {}}}}}",
        '{"a": {"b": 1, "c": 1}, "d": {"e": 1}}',
        '{"a": {"b": 1}, "d": {"e": 1}}',
        ["a.c"],
    ),
    "items of a preserved list keep theirs": (
        "{properties: {a: {x-kubernetes-preserve-unknown-fields: true, items: {properties: {b: {properties: {c: {}}}}}}}}",
        '{"a": [{"b": {"c": 1, "d": 1}, "e": 1}]}',
        '{"a": [{"b": {"c": 1}, "e": 1}]}',
        ["a[0].b.d"],
    ),
    "an embedded resource": (
        "{properties: {a: {x-kubernetes-embedded-resource: true, properties: {spec: {}}}}}",
        '{"a": {"apiVersion": "v1", "kind": "K", "metadata": {"x": 1}, "spec": 1, "status": 1}}',
        '{"a": {"apiVersion": "v1", "kind": "K", "metadata": {"x": 1}, "spec": 1}}',
        ["a.status"],
    ),
    "lists without items": (
        "{properties: {a: {}}}",
        '{"a": [{"b": 1}, [{"c": 1}]]}',
        '{"a": [{}, [{}]]}',
        ["a[0].b", "a[1][0].c"],
    ),
}


@each(("of", "given", "left", "gone"), PRUNED.values(), ids=PRUNED)
def test_pruning(of: str, given: str, left: str | None, gone: list[str]) -> None:
    obj = value(given)
    assert prune(obj, schema(of), is_resource_root=True) == gone
    expected = value(given if left is None else left)
    assert obj == expected


def test_a_value_that_is_no_resource_keeps_no_metadata() -> None:
    obj = {"metadata": {}, "kind": "K", "a": {"kind": "K"}}
    assert prune(obj, schema("{properties: {a: {}}}"), is_resource_root=False) == ["a.kind"]
    assert obj == {"a": {}}


def test_without_a_schema_only_the_resource_is_left() -> None:
    obj: dict[str, Any] = {"metadata": {}, "spec": {}}
    assert prune(obj, None, is_resource_root=True) == ["spec"]
    assert obj == {"metadata": {}}


DEFAULTED = {
    "missing": ("{properties: {a: {default: 1}}}", "{}", '{"a": 1}'),
    "given": ("{properties: {a: {default: 1}}}", '{"a": 2}', '{"a": 2}'),
    "null": ("{properties: {a: {default: 1}}}", '{"a": null}', '{"a": 1}'),
    "nullable": ("{properties: {a: {default: 1, nullable: true}}}", '{"a": null}', '{"a": null}'),
    "below what is missing": ("{properties: {a: {properties: {b: {default: 1}}}}}", "{}", "{}"),
    "below a default": (
        "{properties: {a: {default: {}, properties: {b: {default: 1}}}}}",
        "{}",
        '{"a": {"b": 1}}',
    ),
    "items": (
        "{properties: {a: {items: {default: {c: 1}, properties: {b: {default: 1}}}}}}",
        '{"a": [{}, null]}',
        '{"a": [{"b": 1}, {"b": 1, "c": 1}]}',
    ),
    "a map's null": (
        "{properties: {a: {additionalProperties: {default: 1}}}}",
        '{"a": {"b": null}}',
        '{"a": {"b": 1}}',
    ),
}


@each(("of", "given", "full"), DEFAULTED.values(), ids=DEFAULTED)
def test_defaulting(of: str, given: str, full: str) -> None:
    obj = value(given)
    apply_defaults(obj, schema(of))
    assert obj == value(full)


def test_defaults_are_copied() -> None:
    whole = schema("{properties: {a: {default: {b: [1]}}}}")
    one: dict[str, Any] = {}
    other: dict[str, Any] = {}
    apply_defaults(one, whole)
    one["a"]["b"].append(2)
    apply_defaults(other, whole)
    assert other == {"a": {"b": [1]}}


NULLS = {
    "unwanted": ("{properties: {a: {}}}", '{"a": null}', "{}"),
    "wanted": ("{properties: {a: {nullable: true}}}", '{"a": null}', '{"a": null}'),
    "to be defaulted": ("{properties: {a: {default: 1}}}", '{"a": null}', '{"a": null}'),
    "unknown": ("{}", '{"a": null, "b": {"c": null}}', '{"a": null, "b": {"c": null}}'),
    "in a map": (
        "{additionalProperties: {}}",
        '{"a": null, "b": {"c": null}}',
        '{"b": {"c": null}}',
    ),
    "in a list": ("{properties: {a: {items: {}}}}", '{"a": [null]}', '{"a": [null]}'),
}


@each(("of", "given", "left"), NULLS.values(), ids=NULLS)
def test_nulls(of: str, given: str, left: str) -> None:
    obj = value(given)
    prune_nulls(obj, schema(of))
    assert obj == value(left)


def test_defaults_are_pruned_and_coerced() -> None:
    whole = schema(
        "properties:\n"
        "  a: {default: {b: 1, c: 1}, properties: {b: {}}}\n"
        "  b: {default: {d: 1}, x-kubernetes-preserve-unknown-fields: true}\n"
        "  e: {x-kubernetes-embedded-resource: true, default: {kind: 1, metadata: {name: x, y: 1, generation: z}}}\n"
    )
    assert prune_defaults(schema("default: 1\nproperties: {a: {default: {b: 1}}}")) == {}
    of_root = schema("properties: {metadata: {default: {name: x, y: 1}}}")
    assert prune_defaults(of_root) == {id(of_root.properties["metadata"]): {"name": "x"}}
    changed = prune_defaults(whole)
    assert changed == {
        id(whole.properties["a"]): {"b": 1},
        id(whole.properties["e"]): {"metadata": {"name": "x"}},
    }
    obj: dict[str, Any] = {}
    apply_defaults(obj, whole, changed)
    assert obj == {"a": {"b": 1}, "b": {"d": 1}, "e": {"metadata": {"name": "x"}}}


def test_depth_is_no_trouble() -> None:
    at = JSONSchemaProps()
    given: dict[str, Any] = {"x": None}
    for _ in range(5000):
        above = JSONSchemaProps()
        above.properties = {"a": at}
        at, given = above, {"a": given}
    apply_defaults(given, at)
    prune_nulls(given, at)
    (path,) = prune(given, at, is_resource_root=True)
    assert path == "a." * 5000 + "x"
