"""The baseline: what tells findings apart, what is known, what is stale, and how the file is read and written."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import pytest

from crdlint.config.baseline import BaselineMatcher, Update, read, write
from crdlint.config.identity import FindingIdentity, identities
from crdlint.config.model import ConfigError
from crdlint.linting.pipeline import lint_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from crdlint.config.baseline import BaselineEntry
    from crdlint.linting.result import FileResult

BAD = '{type: string, pattern: "(?!x)"}'
BOOLEAN = "{type: string, enum: [on]}"
RULES = """\
{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [
  {rule: "true"}, {rule: "self.nope"}, {rule: "self.nope2"}]}"""


def crd(*versions: tuple[str, str], name: str = "foos", indent: str = "") -> str:
    text = f"""\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: {name}.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {{plural: {name}, kind: Foo}}
  versions:
"""
    for i, (version, schema) in enumerate(versions):
        text += f"""\
  - name: {version}
    served: true
    storage: {str(i == 0).lower()}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          a: {schema}
"""
    return "".join(indent + line for line in text.splitlines(keepends=True))


def lint(text: str) -> FileResult:
    return lint_file(text, filename="x.yaml")


def places(text: str) -> list[tuple[str, str, str]]:
    return [(one.version, one.path, one.rule) for found in identities(lint(text)) for one in found]


class Filtered(NamedTuple):
    """Results without the findings of a baseline, the indexes of the known ones, and the stale entries."""

    results: list[FileResult]
    known: list[int]
    stale: tuple[BaselineEntry, ...]


def filtered_by(known: Mapping[FindingIdentity, int], results: list[FileResult]) -> Filtered:
    """Remove the known findings from results as a run does."""
    matching = BaselineMatcher(Counter(known))
    filtered = Filtered([], [], ())
    for result in results:
        indexes = matching.ignored_in(result)
        filtered.known.extend(indexes)
        left = tuple(found for i, found in enumerate(result.diagnostics) if i not in indexes)
        filtered.results.append(replace(result, diagnostics=left))
    return filtered._replace(stale=matching.stale())


def updated(
    known: Mapping[FindingIdentity, int], results: list[FileResult]
) -> Mapping[FindingIdentity, int]:
    """Return the baseline that a run writes."""
    update = Update(known)
    for result in results:
        update.ignored_in(result)
    return update.baseline()


A = "schema.openAPIV3Schema.properties[a]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(crd(("v1", BAD)), [("v1", f"{A}.pattern", "pattern-invalid")], id="shared by one"),
        pytest.param(crd(("v2", BAD), ("v1", BAD)), [
            ("v2", f"{A}.pattern", "pattern-invalid"), ("v1", f"{A}.pattern", "pattern-invalid"),
        ], id="shared by two"),
        pytest.param(crd(("v2", "{}"), ("v1", BAD)), [
            ("v2", f"{A}.type", "structural-type-required"), ("v1", f"{A}.pattern", "pattern-invalid"),
        ], id="each its own"),
        pytest.param(crd(("v1", BOOLEAN)), [("v1", f"{A}.enum[]", "yaml-boolean")], id="advice"),
        pytest.param(crd(("v2", BOOLEAN), ("v1", BOOLEAN)), [
            ("v2", f"{A}.enum[]", "yaml-boolean"), ("v1", f"{A}.enum[]", "yaml-boolean"),
        ], id="advice, shared"),
        pytest.param(crd(("v2", "{type: string}"), ("v1", BOOLEAN)), [("v1", f"{A}.enum[]", "yaml-boolean")],
                     id="advice of one"),
        pytest.param(crd(("v1", "{type: string, nope: 1}")), [("v1", f"{A}.nope", "unknown-field")], id="unknown field"),
        pytest.param(crd(("v1", "{type: 1}")), [("v1", f"{A}.type", "decode-type")], id="type"),
        pytest.param(crd(("v1", "{type: string}")).replace("group: example.com", "group: x"), [
            ("", "metadata.name", "metadata-name"), ("", "spec.group", "group-invalid"),
        ], id="of no version"),
        pytest.param(crd(("v1", "{type: string}")).replace("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"), [
            ("", "apiVersion", "api-version-removed"),
        ], id="not served"),
        pytest.param(crd(("v1", "{type: string")), [], id="no YAML"),
        pytest.param("kind: List\napiVersion: v1\nitems:\n- " + crd(("v1", BOOLEAN), indent="  ")[2:], [
            ("v1", f"{A}.enum[]", "yaml-boolean"),
        ], id="in a list"),
        pytest.param("a: b\n---\n" + crd(("v1", BOOLEAN)), [("v1", f"{A}.enum[]", "yaml-boolean")], id="second document"),
        pytest.param(crd(("v1", "{type: object, properties: {'0': " + BOOLEAN + "}}")), [
            ("v1", f"{A}.properties[0].enum[]", "yaml-boolean"),
        ], id="a property of digits"),
        pytest.param(crd(("v1", "{type: object, properties: {'0': " + BAD + "}}")), [
            ("v1", f"{A}.properties[0].pattern", "pattern-invalid"),
        ], id="a property of digits, by the server"),
    ],
)  # fmt: skip
def test_what_findings_are_told_apart_by(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert places(text) == expected


def test_finding_below_a_replaced_versions_key() -> None:
    text = crd(("v1", "{type: string, type: string}")) + "  versions: {}\n"
    assert ("0", f"{A}.type", "duplicate-key") in places(text)


def test_the_crd_is_named() -> None:
    assert {one.crd for found in identities(lint(crd(("v1", "{type: 1}")))) for one in found} == {
        "foos.example.com"
    }


@pytest.mark.parametrize(
    "after",
    [
        crd(("v1", BAD)),
        "# moved\n\n" + crd(("v1", BAD)),
        crd(("v1", BAD), ("v2", BAD)),
        crd(("v2", BAD), ("v1", BAD)),
        crd(("v2", "{type: string}"), ("v1", BAD)),
        crd(("v1", BAD), ("v2", "{type: string}")),
        "a: b\n---\n" + crd(("v1", BAD)),
    ],
)
@pytest.mark.parametrize("schema", [BAD, BOOLEAN])
def test_known_findings_stay_known(after: str, schema: str) -> None:
    after = after.replace(BAD, schema)
    known = updated({}, [lint(crd(("v1", schema)))])
    filtered = filtered_by(known, [lint(after)])
    assert [
        d.rule
        for d in filtered.results[0].diagnostics
        if d.rule in {"pattern-invalid", "yaml-boolean"}
    ] == []
    assert filtered.stale == ()


def test_the_message_does_not_matter() -> None:
    known = updated({}, [lint(crd(("v1", BAD)))])
    assert (
        filtered_by(known, [lint(crd(("v1", BAD.replace("x", "y"))))]).results[0].diagnostics == ()
    )


def test_rules_move_within_their_list() -> None:
    before, after = RULES, RULES.replace('{rule: "true"}', '{rule: "true"}, {rule: "1 < 2"}')
    known = updated({}, [lint(crd(("v1", before)))])
    assert filtered_by(known, [lint(crd(("v1", after)))]).results[0].diagnostics == ()


def test_counts() -> None:
    two = lint(crd(("v1", RULES)))
    three = lint(crd(("v1", RULES.replace('"true"', '"self.nope3"'))))
    one = lint(crd(("v1", RULES.replace(', {rule: "self.nope2"}', ""))))
    known = updated({}, [two])
    assert list(known.values()) == [2]
    filtered = filtered_by(known, [three])
    assert (len(filtered.results[0].diagnostics), len(filtered.known), filtered.stale) == (1, 2, ())
    filtered = filtered_by(known, [one])
    assert [str(entry) for entry in filtered.stale] == [
        f"cel-compilation in foos.example.com v1 at {A}.x-kubernetes-validations[].rule",
    ]


def test_two_files_with_the_same_crd_count_twice() -> None:
    result = lint(crd(("v1", BAD)))
    known = updated({}, [result, result])
    assert set(known.values()) == {2}
    assert filtered_by(known, [result, result]).stale == ()
    assert [len(r.diagnostics) for r in filtered_by(known, [result, result, result]).results] == [
        0,
        0,
        1,
    ]


def test_what_was_not_met_is_neither_stale_nor_dropped() -> None:
    foos, bars = lint(crd(("v1", BAD))), lint(crd(("v1", BAD), name="bars"))
    mended = lint(crd(("v1", "{type: string}")))
    known = updated({}, [foos, bars])
    assert filtered_by(known, [foos]).stale == ()
    assert [entry.identity.crd for entry in filtered_by(known, [mended]).stale] == [
        "foos.example.com"
    ]
    assert {one.crd for one in updated(known, [mended])} == {"bars.example.com"}
    assert updated(known, [foos]) == known


# The file


def test_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    known = updated(
        {}, [lint(crd(("v2", "{}"), ("v1", "{type: string}"))), lint(crd(("v1", BAD), name="bars"))]
    )
    assert write(str(path), known)
    assert read(str(path)) == known
    assert not write(str(path), known)
    lines = path.read_text().splitlines()
    assert lines[1].startswith('  "about": "Known findings of crdlint')
    assert lines[4:] == [
        f'    {{"crd": "bars.example.com", "version": "v1", "path": "{A}.pattern", "rule": "pattern-invalid"}},',
        f'    {{"crd": "foos.example.com", "version": "v2", "path": "{A}.type", "rule": "structural-type-required"}}',
        "  ]",
        "}",
    ]
    assert [one.name for one in tmp_path.iterdir()] == ["known.json"]


def test_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    write(str(path), {})
    assert path.read_text().endswith('"version": 1,\n  "findings": []\n}\n')
    assert read(str(path)) == {}


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "known.json", tmp_path / "link.json"
    path.write_text("")
    path.chmod(0o640)
    link.symlink_to("known.json")
    write(str(link), {})
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be written: No such file or directory"):
        write(str(tmp_path / "none" / "known.json"), {})
    (tmp_path / "folder").mkdir()
    with pytest.raises(ConfigError, match="cannot be written: Is a directory"):
        write(str(tmp_path / "folder"), {})
    assert [one.name for one in tmp_path.iterdir()] == ["folder"]


def test_a_missing_one(tmp_path: Path) -> None:
    path = str(tmp_path / "known.json")
    with pytest.raises(ConfigError, match="there is no such file; --update-baseline makes it"):
        read(path)
    assert read(path, missing_ok=True) == {}


ENTRY = '{"crd": "a", "path": "b", "rule": "c"}'


def document(*entries: str, version: str = "1") -> str:
    return f'{{\n"version": {version},\n"findings": [\n' + ",\n".join(entries) + "\n]}"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "not valid JSON: Expecting value, or delete it and run --update-baseline"),
        ("{\n  'a': 1}", 2, "not valid JSON: Expecting property name enclosed in double quotes, or delete it"),
        (document(ENTRY, "<<<<<<< HEAD\n" + ENTRY), 5, "a merge conflict: keep the entries of both sides"),
        ("[]", 1, "not a baseline: it has no list of `findings`"),
        ('{"findings": {}}', 1, "not a baseline: it has no list of `findings`"),
        (document(version="2"), 2, "a baseline of version 2, and this crdlint reads version 1"),
        (document(version="true"), 2, "a baseline of version true"),
        ('{"findings": []}', 1, "a baseline of version null"),
        (document(ENTRY, "3"), 5, "entry 2: no object with crd, path and rule"),
        (document(ENTRY, ENTRY, '{"crd": "a", "path": "b"}'), 6, "entry 3: has no `rule`"),
        (document('{"crd": 1, "path": "b", "rule": "c"}'), 4, "entry 1: `crd` is no string"),
        *((document(ENTRY[:-1] + f', "count": {n}}}'), 4, "entry 1: `count` is no number of findings")
          for n in ("0", "-1", "true", "1.5", '"1"', "1e99", "null", "10000000000000")),
        (document(ENTRY[:-1] + ', "count": ' + "1" * 5000 + "}"), 1, "not a baseline: a number too large"),
        ("[" * 500_000, 1, "not a baseline: nested too deeply"),
        (document(*[ENTRY] * 5_000, "{}"), 5_004, "entry 5001: has no `crd`"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)  # fmt: skip
def test_a_broken_one(tmp_path: Path, text: str, line: int, said: str) -> None:
    path = tmp_path / "known.json"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read(str(path))
    assert said in caught.value.faults[0].message
    assert caught.value.faults[0].line == line


def test_what_is_no_text(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: not a regular file but a directory"):
        read(str(tmp_path))
    (tmp_path / "x").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match="cannot be read: not UTF-8"):
        read(str(tmp_path / "x"))


def test_the_same_twice_is_the_larger_count(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text(document(ENTRY, ENTRY[:-1] + ', "count": 3}', ENTRY))
    assert read(str(path)) == {FindingIdentity("a", "", "b", "c"): 3}


def test_many_findings() -> None:
    properties = ", ".join(f"p{i}: {BOOLEAN}" for i in range(1_000))
    deep = "{type: array, items: " * 500 + BOOLEAN + "}" * 500
    text = crd(("v1", f"{{type: object, properties: {{{properties}}}}}"), ("v2", deep))
    result = lint(text)
    known = updated({}, [result])
    assert filtered_by(known, [result]).results[0].diagnostics == ()
    assert sum(known.values()) == len(result.diagnostics) > 1_000
