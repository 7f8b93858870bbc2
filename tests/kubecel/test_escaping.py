"""Names of fields as CEL spells them."""

from __future__ import annotations

from tables import each

from crdlint.kubecel.declarations import escape


@each(
    ("name", "escaped"),
    [
        ("a", "a"),
        ("int", "int"),
        ("namespace", "__namespace__"),
        ("true", "__true__"),
        ("a.b", "a__dot__b"),
        ("a-b", "a__dash__b"),
        ("a/b", "a__slash__b"),
        ("a__b", "a__underscores__b"),
        ("__", "__underscores__"),
        ("___", "__underscores___"),
        ("a_b", "a_b"),
        ("-a", "__dash__a"),
        ("a1", "a1"),
        ("1a", None),
        ("", None),
        ("a b", None),
        ("a$", None),
        ("é", None),
        ("a\n", None),
    ],
)
def test_escape(name: str, escaped: str | None) -> None:
    assert escape(name) == escaped
