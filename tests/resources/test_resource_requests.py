"""What a request does to an object, and what objects are matched by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tables import each

from crdlint.resources.objects import as_sent, key_of

if TYPE_CHECKING:
    from typing import Any

SENT = {
    "the default namespace": ({"name": "a"}, True, {"name": "a", "namespace": "default"}),
    "an empty one": ({"name": "a", "namespace": ""}, True, {"name": "a", "namespace": "default"}),
    "its own": ({"name": "a", "namespace": "b"}, True, {"name": "a", "namespace": "b"}),
    "none for the cluster": ({"name": "a"}, False, {"name": "a"}),
    "no metadata": (None, True, {"namespace": "default"}),
    "a name that is made": (
        {"generateName": "a-"},
        False,
        {"generateName": "a-", "name": "a-xxxxx"},
    ),
    "a long one": (
        {"generateName": "a" * 70},
        False,
        {"generateName": "a" * 70, "name": "a" * 58 + "xxxxx"},
    ),
    "a name besides": (
        {"generateName": "a-", "name": "b"},
        False,
        {"generateName": "a-", "name": "b"},
    ),
    "of another type": ({"name": 1, "namespace": 2}, False, {"name": 1, "namespace": 2}),
    "no object": ("text", True, "text"),
}


@each(("meta", "namespaced", "wanted"), SENT.values(), ids=SENT)
def test_as_sent(
    meta: dict[str, Any] | str | None, namespaced: bool, wanted: dict[str, Any] | str
) -> None:
    given = {"metadata": meta}
    assert as_sent(given, namespaced=namespaced)["metadata"] == wanted
    assert given == {"metadata": meta}


def test_keys() -> None:
    one = {"apiVersion": "a.b/v1", "kind": "A", "metadata": {"name": "x"}}
    other = {"apiVersion": "a.b/v2", "kind": "A", "metadata": {"name": "x", "namespace": "default"}}
    assert (
        key_of(one, namespaced=True)
        == key_of(other, namespaced=True)
        == ("a.b", "A", "default", "x")
    )
    assert key_of(other, namespaced=False) == ("a.b", "A", "", "x")
    assert key_of({"metadata": 7}, namespaced=True) == ("", "", "default", "")
