"""The parts of the recorder's commands that need neither Go nor a server."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from random import Random

import pytest

from . import changed, mutations, records, rows
from .answers import comparable, differences
from .changed import Watched
from .comparison import Question, Tally, Verdict, compare
from .fuzzing import Corpus, random_request
from .module_proxy import path_in
from .records import Recording, distinct
from .versions import builds, newest

_ERROR = {
    "type": "FieldValueInvalid",
    "field": "spec",
    "detail": "no",
    "string": "spec: Invalid value: no",
}
REPOSITORY = Path(__file__).resolve().parents[2]


def test_comments_and_empty_lines_are_no_rows() -> None:
    assert list(rows.parse(["# a comment", "", '{"id": "a"}'], "x")) == [{"id": "a"}]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"id": 1}\n{"id":\n', "x.ndjson, line 2: Expecting value"),
        (b"[1]\n", "x.ndjson, line 1: not a JSON object"),
        (b"\xff", "x.ndjson: 'utf-8' codec"),
        (gzip.compress(b"{}", mtime=0)[:-4], "x.ndjson: "),
    ],
    ids=["JSON", "no object", "UTF-8", "gzip"],
)
def test_a_file_without_rows_is_named(
    data: bytes, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("x.ndjson")
    path.write_bytes(data)
    with pytest.raises(rows.RowError) as raised:
        list(rows.read(path))
    assert str(raised.value).startswith(message)


def test_rows_may_be_packed(tmp_path: Path) -> None:
    path = tmp_path / "x.ndjson.gz"
    path.write_bytes(gzip.compress(b'{"id": "a"}\n'))
    assert list(rows.read(path)) == [{"id": "a"}]


def test_a_module_may_have_another_major_version() -> None:
    modules = {
        "go.yaml.in/yaml/v2": "v2.4.4",
        "go.yaml.in/yaml/v3": "v3.0.4",
        "sigs.k8s.io/smd/v7": "v7.0.1",
    }
    assert path_in(modules, "go.yaml.in/yaml/v2") == "go.yaml.in/yaml/v2"
    assert path_in(modules, "sigs.k8s.io/smd/v6") == "sigs.k8s.io/smd/v7"
    assert path_in(modules, "nope") is None


def test_ids_of_requests_are_unique_and_name_their_family() -> None:
    for family in rows.families():
        ids = [request["id"] for request in rows.recorded_requests(family)]
        assert len(set(ids)) == len(ids)
        assert {rows.family_of({"id": id_}) for id_ in ids} == {family}


def test_requests_have_no_fields_that_the_recorder_does_not_read() -> None:
    for request in rows.recorded_requests():
        assert request.keys() <= {"id", "versions", *rows.FIELDS}


def test_order_and_repetition_of_errors_do_not_count() -> None:
    other = {**_ERROR, "field": "status"}
    assert comparable({"errors": [_ERROR, other, _ERROR]}) == comparable(
        {"errors": [other, _ERROR]}
    )


@pytest.mark.parametrize("name", ["type", "field", "detail", "string"])
def test_each_part_of_an_error_counts(name: str) -> None:
    found = differences({"errors": [{**_ERROR, name: "other"}]}, {"errors": [_ERROR]})
    assert len(found) == 1
    assert "only crdlint" in found[0]
    assert "only server" in found[0]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("warnings", ["w"]),
        ("strict_errors", ["s"]),
        ("unknown_fields", ["a"]),
        ("defaulted", {"a": 1}),
        ("cel_cost", 1),
        ("decode_error", "d"),
        ("yaml_error", "y"),
        ("json", "1"),
        ("panic", "p"),
    ],
)
def test_each_key_of_an_answer_counts(key: str, value: object) -> None:
    assert differences({}, {key: value})
    assert differences({key: value}, {})
    assert differences({key: value}, {key: value}) == []


def test_numbers_beyond_64_bits_are_those_of_go() -> None:
    assert differences({"defaulted": {"a": 2**63}}, {"defaulted": {"a": float(2**63)}}) == []


def test_one_of_several_answers_is_enough() -> None:
    request = {"id": "yaml/0", "op": "yaml", "yaml": "a: 1"}
    assert (
        compare(Question(request, "1.37", ({"json": "2"}, {"json": '{"a":1}'}))).differences == []
    )
    assert compare(Question(request, "1.37", ({"json": "2"},))).differences


def test_an_exception_is_a_difference() -> None:
    verdict = compare(
        Question({"id": "a", "op": "create", "yaml": None}, "1.37", ({"errors": []},))
    )
    assert verdict.differences[0].startswith("Traceback")


def test_the_tally_counts_by_family() -> None:
    tally = Tally()
    for id_, differing in (("cel/1", []), ("cel/2", ["errors"]), ("crd/1", [])):
        tally.add(Verdict(id_, differing))
    assert dict(tally.compared) == {"cel": 2, "crd": 1}
    assert dict(tally.alike) == {"cel": 1, "crd": 1}
    assert round(tally.share(), 1) == 66.7


def test_a_recording_keeps_only_what_differs_from_the_next_newer_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, old = [build for name, build in builds().items() if name == build.minor][:2]
    ids = [request["id"] for request in rows.recorded_requests("yaml")][:3]
    monkeypatch.setattr(records, "ANSWERS", tmp_path)
    newer = Recording(new, {"kubernetes": new.release}, {id_: [{"json": "1"}] for id_ in ids})
    older = Recording(
        old, {"kubernetes": old.release}, {**newer.answers, ids[1]: [{"json": "2"}, {"json": "3"}]}
    )
    records.save_all({new.name: newer, old.name: older})
    lines = (tmp_path / f"{old.name}.ndjson").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line).get("id") for line in lines] == [None, ids[1]]
    loaded = records.load_all()
    assert loaded[old.name].answers == older.answers
    assert records.differing(old.name, loaded) == [ids[1]]


def test_answers_that_vary_are_all_kept() -> None:
    assert distinct([{"json": "2"}, {"json": "1"}, {"json": "2"}]) == [{"json": "1"}, {"json": "2"}]


def test_every_build_pins_the_packages_of_its_release() -> None:
    for build in builds().values():
        assert build.modules()["k8s.io/apiextensions-apiserver"] == f"v{build.packages}"
        assert "github.com/google/cel-go" in build.modules()
        assert build.go_mod.with_name("go.sum").exists()


def test_the_newest_build_is_the_default_version() -> None:
    from crdlint.kubernetes.servers import NEWEST_VERSION

    assert newest().name == NEWEST_VERSION


def test_watched_files_name_modules_that_exist() -> None:
    for item in changed.watched():
        for follower in item.followers:
            assert (REPOSITORY / follower).exists(), follower


def test_a_changed_file_is_listed_with_its_lines() -> None:
    old = {"pkg/x.go": "a\nb\n", "pkg/x_test.go": "old", "other.go": "old", "pkg/same.go": "s"}
    new = {"pkg/x.go": "a\nc\nd\n", "pkg/x_test.go": "new", "other.go": "new", "pkg/same.go": "s"}
    [change] = changed.differing(Watched("m", "pkg", ("crdlint/",)), old, new)
    assert (change.file, change.added, change.removed) == ("pkg/x.go", 2, 1)


def test_the_same_seed_makes_the_same_requests() -> None:
    corpus = Corpus.recorded()
    first, second = ([random_request(Random(seed), corpus) for seed in range(30)] for _ in range(2))
    assert first == second
    assert {request["op"] for request in first} == {"create", "update", "cr", "apply"}


def test_smaller_values_lack_one_part_each() -> None:
    value = {"a": [1, {"b": "text"}]}
    found = list(mutations.smaller(value))
    assert {"a": [1]} in found
    assert {} in found
    assert {"a": [1, {"b": "xt"}]} in found
    assert value not in found


def test_rows_are_written_without_escapes() -> None:
    stream = io.StringIO()
    rows.write(stream, {"id": "é"})
    assert stream.getvalue() == '{"id": "é"}\n'
