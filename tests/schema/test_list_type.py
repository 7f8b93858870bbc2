"""Nothing twice in sets and maps: the list's schema and value in, messages out."""

from __future__ import annotations

from schema_support import schema, value
from tables import each

from crdlint.schema.correlation import validate_list_sets_and_maps

SET = "{type: array, x-kubernetes-list-type: set, items: {}}"
MAP = f"{{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {{properties: {{s: {SET}}}}}}}"
MAP_OF_TWO = (
    "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [j, k], items: {}}"
)
CASES = {
    "a set": (
        SET,
        "[1, 2, 1, 1, 1.0, true, null, null]",
        ["a[2]: Duplicate value: 1", "a[7]: Duplicate value: null"],
    ),
    "a set of lists": (SET, "[[1], [2], [1]]", ["a[2]: Duplicate value: [1]"]),
    "a map": (MAP, '[{"k": 1}, {"k": 1, "v": 2}]', ['a[1]: Duplicate value: {"k":1}']),
    "keys not given": (MAP, '[{"k": null}, {}, {}, null]', ["a[2]: Duplicate value: {}"]),
    "no object": (
        MAP,
        '[{}, "x", {}]',
        ['a[1]: Invalid value: "x": must be an object for an array of list-type map'],
    ),
    "two keys": (
        MAP_OF_TWO,
        '[{"j": 1, "k": 1}, {"j": 1}, {"k": 1}, {"j": 1, "k": 1, "v": 2}, {"j": 1}]',
        ['a[3]: Duplicate value: {"j":1,"k":1}', 'a[4]: Duplicate value: {"j":1}'],
    ),
    "below": (MAP, '[{"s": [1, 1]}]', ["a[0].s[1]: Duplicate value: 1"]),
    "atomic": ("{type: array, x-kubernetes-list-type: atomic, items: {}}", "[1, 1]", []),
    "a map's values": (
        f"{{additionalProperties: {SET}}}",
        '{"b": [1, 1]}',
        ["a[b][1]: Duplicate value: 1"],
    ),
}


@each(("of", "given", "said"), CASES.values(), ids=CASES)
def test_lists(of: str, given: str, said: list[str]) -> None:
    errors = validate_list_sets_and_maps(schema(f"properties:\n  a: {of}"), {"a": value(given)})
    assert [str(error) for error in errors] == said


def test_no_schema_no_errors() -> None:
    assert validate_list_sets_and_maps(None, {"a": [1, 1]}) == []
