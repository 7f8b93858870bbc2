"""Packed dependencies of charts: every archive is read to its end, or reported."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import tarfile
import zlib
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from crdlint.cli.main import cli
from crdlint.files.paths import UnreadInput
from crdlint.rules.engine.examples import HEAD
from crdlint.sources.helm.archive import (
    MAX_HEADER,
    ArchiveBudget,
    ArchiveError,
    members,
    packed_files,
)
from crdlint.sources.helm.layout import MAX_BYTES

if TYPE_CHECKING:
    from pathlib import Path

CRD = (HEAD + "        type: object\n").encode()
BAD = CRD.replace(b"Namespaced", b"Clusterish")


def block(
    name: str,
    size: int | bytes = 0,
    kind: bytes = b"0",
    magic: bytes = b"ustar\x0000",
    prefix: bytes = b"",
) -> bytes:
    """Return a header."""
    digits = size if isinstance(size, bytes) else b"%011o\0" % size
    made = bytearray(512)
    made[: len(name)] = name.encode()
    made[124:136] = digits.ljust(12, b"\0")
    made[148:156] = b" " * 8
    made[156:157] = kind
    made[257:265] = magic
    made[345 : 345 + len(prefix)] = prefix
    made[148:156] = b"%06o\0 " % sum(made)
    return bytes(made)


def entry(name: str, data: bytes = b"", kind: bytes = b"0", **more: bytes) -> bytes:
    return block(name, len(data), kind, **more) + data + b"\0" * (-len(data) % 512)


def pax(*records: bytes) -> bytes:
    made = b""
    for record in records:
        length = len(record) + 2
        while len(b"%d" % length) + len(record) + 2 != length:
            length = len(b"%d" % length) + len(record) + 2
        made += b"%d %s\n" % (length, record)
    return made


END = b"\0" * 1024


def read(data: bytes, *, packed: bool = False) -> list[tuple[str, bytes]]:
    given = data if packed else gzip.compress(data, 1)
    return list(members(given, ArchiveBudget(), lambda name: name.endswith(".yaml")))


READ = {
    "a file": entry("a.yaml", b"x") + END,
    "no end": entry("a.yaml", b"x"),
    "one block at the end": entry("a.yaml", b"x") + b"\0" * 512,
    "padding": entry("a.yaml", b"x") + b"\0" * 10240,
    "an old header": entry("a.yaml", b"x", b"\0", magic=b"\0" * 8) + END,
    "a prefix in an old header": entry("a.yaml", b"x", magic=b"\0" * 8, prefix=b"b") + END,
    "links and folders": b"".join(entry(f"{i}.yaml", kind=b"%d" % i) for i in range(1, 7))
    + entry("a.yaml", b"x")
    + END,
    "a link with a size": block("b.yaml", 7, b"2") + entry("a.yaml", b"x") + END,
    "another kind": entry("a.yaml", b"x", b"V") + END,
    "an unknown kind": entry("a.yaml", b"x", b"Z") + END,
    "a path in a global header": entry("g", pax(b"path=b"), b"g") + entry("a.yaml", b"x") + END,
    "a size in a global header": entry("g", pax(b"size=0"), b"g") + entry("a.yaml", b"x") + END,
    "a character set in a global header": entry("g", pax(b"hdrcharset=BINARY"), b"g")
    + entry("a.yaml", b"x")
    + END,
    "an empty path": entry("x", pax(b"path="), b"x") + entry("a.yaml", b"x") + END,
    "an empty size": entry("x", pax(b"size="), b"x") + entry("a.yaml", b"x") + END,
    "a name of a sparse file": entry("x", pax(b"GNU.sparse.name=b"), b"x")
    + entry("a.yaml", b"x")
    + END,
    "a size of a sparse file": entry("x", pax(b"GNU.sparse.realsize=0"), b"x")
    + entry("a.yaml", b"x")
    + END,
    "a global header": entry("g", pax(b"comment=b"), b"g") + entry("a.yaml", b"x") + END,
    "a pax header": entry("x", pax(b"path=a.yaml", b"size=1"), b"x")
    + block("b", 0)
    + b"x".ljust(512, b"\0")
    + END,
    "a long name": entry("L", b"a.yaml\0", b"L") + entry("b", b"x") + END,
    "a long name and a long link": entry("K", b"b\0", b"K")
    + entry("L", b"a.yaml\0", b"L")
    + entry("b", b"x")
    + END,
    "a binary size": block("a.yaml", b"\x80" + b"\0" * 10 + b"\1") + b"x".ljust(512, b"\0") + END,
    "blanks in a size": block("a.yaml", b"         1 \0") + b"x".ljust(512, b"\0") + END,
}


def test_an_archive_that_is_read(subtests: pytest.Subtests) -> None:
    for name, data in READ.items():
        with subtests.test(name):
            assert read(data) == [("a.yaml", b"x")]


def test_a_prefix_is_a_part_of_the_name() -> None:
    assert read(entry("a.yaml", b"x", prefix=b"dir") + END) == [("dir/a.yaml", b"x")]


def test_parts_of_a_gzip_file_are_joined() -> None:
    data = entry("a.yaml", b"x") + END
    assert read(gzip.compress(data[:700]) + gzip.compress(data[700:]), packed=True) == [
        ("a.yaml", b"x")
    ]


def test_what_tarfile_writes_is_read() -> None:
    files = {
        f"{'d' * 90}/{'n' * length}.yaml": os.urandom(length * 7) for length in (1, 90, 150, 300)
    }
    for kind in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        stream = io.BytesIO()
        written = {
            name: data
            for name, data in files.items()
            if len(name) < 200 or kind != tarfile.USTAR_FORMAT
        }
        with tarfile.open(fileobj=stream, mode="w:gz", format=kind) as made:
            for name, data in written.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                made.addfile(info, io.BytesIO(data))
        assert dict(read(stream.getvalue(), packed=True)) == written


GOOD = gzip.compress(entry("a.yaml", b"x" * 600) + END)
HUGE = b"\x80" + (1 << 62).to_bytes(11, "big")
BROKEN = {
    "empty": (b"", "empty file"),
    "not compressed": (entry("a.yaml") + END, "its compressed data is damaged (Not a gzipped file"),
    "cut": (GOOD[:-12], "its compressed data is damaged (Compressed file ended before"),
    "cut in the checksum": (
        GOOD[:-6],
        "its compressed data is damaged (Compressed file ended before",
    ),
    "a checksum": (
        GOOD[:-8] + b"\0\0\0\0" + GOOD[-4:],
        "its compressed data is damaged (CRC check failed",
    ),
    "a length": (GOOD[:-4] + b"\1\1\1\1", "its compressed data is damaged (Incorrect length"),
    "data behind": (GOOD + b"more", "its compressed data is damaged (Not a gzipped file"),
    "deflate": (
        GOOD[:10] + b"\xff" * 20,
        "its compressed data is damaged (Error -3 while decompressing data: invalid block type)",
    ),
}


def _pair(first: str, second: str) -> bytes:
    headers = {
        "pax": entry("x", pax(b"path=b"), b"x"),
        "long name": entry("L", b"b\0", b"L"),
        "global": entry("g", pax(b"path=b"), b"g"),
    }
    return headers[first] + headers[second] + entry("a.yaml", b"x") + END


CONTRADICTING = [
    ("pax", "pax"), ("pax", "long name"), ("long name", "pax"), ("long name", "long name"), ("pax", "global"),
    ("long name", "global"),
]  # fmt: skip
BROKEN_TAR = {
    "cut in a header": (entry("a.yaml")[:300], "a header is damaged (truncated header)"),
    "cut in a file": (entry("a.yaml", b"x" * 600)[:700], "unexpected end of data"),
    "cut in the padding": (entry("a.yaml", b"x")[:700], "unexpected end of data"),
    "a header's checksum": (
        entry("a.yaml").replace(b"a.yaml", b"b.yaml"),
        "a header is damaged (bad checksum)",
    ),
    "a size of no number": (block("a.yaml", b"12x"), "a header is damaged"),
    "a negative size": (block("a.yaml", b"\xff" * 12), "a header has a negative size"),
    "a huge size": (block("a.yaml", HUGE), "unexpected end of data"),
    "a huge size of another file": (block("a.png", HUGE), "unexpected end of data"),
    "a size over 63 bits": (block("a.yaml", b"\x80" + b"\x7f" * 11), "a header is malformed"),
    "a size in pax": (
        entry("x", pax(b"size=-1"), b"x") + entry("a.yaml"),
        "a sparse file, or one without a size",
    ),
    "a long pax header": (block("x", MAX_HEADER + 1, b"x"), "a header is too long"),
    "a long name": (block("L", 1 << 30, b"L"), "a header is too long"),
    "a sparse file": (entry("a.yaml", b"x", b"S"), "a sparse file"),
    "a prefix in a header of GNU": (
        entry("a.yaml", b"x", magic=b"ustar  \0", prefix=b"1"),
        "a header has times in the place",
    ),
    "an empty long name": (
        entry("L", b"\0", b"L") + entry("a.yaml", b"x"),
        "a file without a name",
    ),
    "a header of Solaris": (entry("a.yaml", b"x", b"X") + entry("b"), "a header of Solaris"),
    **{
        f"{first} and {second}": (_pair(first, second), "headers contradict each other")
        for first, second in CONTRADICTING
    },
    "data after the end": (END + entry("a.yaml", b"x"), "data after the end of the archive"),
    "a file after a block of zeros": (
        b"\0" * 512 + entry("a.yaml", b"x"),
        "data after the end of the archive",
    ),
}


# The name of a member, and its path as Helm loads it.
NAMES = {
    "c/crds/a.yaml": "c/crds/a.yaml",
    "c\\crds\\a.yaml": "c/crds/a.yaml",
    "c/crds\\a.yaml": "c/crds/a.yaml",
    "c/crds/./a.yaml": "c/crds/a.yaml",
    "c//crds//a.yaml": "c//crds/a.yaml",
    "c/b/../crds/a.yaml": "c/crds/a.yaml",
    "c/crds/a.yaml/": "c/crds/a.yaml",
}


def test_names_are_read_as_helm_reads_them() -> None:
    for name, path in NAMES.items():
        assert read(entry(name, b"x") + END) == [(path, b"x")], name


INSTALLED = {
    "crds/a.YAML": 1,
    "crds/a.Yml": 1,
    "crds/a.JSON": 1,
    "crds/.git/a.yaml": 1,
    "templates/a.txt": 1,
    "templates/a": 1,
    "templates/sub/a.yaml.gotmpl": 1,
    "templates/A.YAML": 1,
    "templates/a.tpl": 1,
    "charts/b/templates/a.md": 1,
    "templates/NOTES.txt": 0,
    "templates/sub/a-NOTES.txt": 0,
    "templates/_a.txt": 0,
    "crds/a.txt": 0,
    "a.txt": 0,
    "files/templates/a.txt": 0,
    ".git/a.yaml": 0,
}


@pytest.mark.parametrize("is_packed", [True, False], ids=["packed", "folder"])
def test_files_with_unusual_names_that_helm_installs(
    is_packed: bool, tmp_path: Path, subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")  # without Helm
    chart_file = b"apiVersion: v2\nname: c\nversion: 1.0.0\n"
    for number, (name, status) in enumerate(INSTALLED.items()):
        with subtests.test(name):
            files = {"Chart.yaml": chart_file, "charts/b/Chart.yaml": chart_file, name: BAD}
            top = tmp_path / str(number)
            top.mkdir()
            if is_packed:
                (top / "c.tgz").write_bytes(
                    packed({f"c/{path}": data for path, data in files.items()})
                )
            for path, data in () if is_packed else files.items():
                (top / path).parent.mkdir(parents=True, exist_ok=True)
                (top / path).write_bytes(data)
            target = str(top / "c.tgz" if is_packed else top)
            done = CliRunner().invoke(cli, ["check", "--no-require-crds", target])
            is_read = is_packed or ".git" not in name  # git stores no folder of this name
            assert done.exit_code == (status if is_read else 0), done.output


def test_a_broken_gzip_file(subtests: pytest.Subtests) -> None:
    for name, (data, words) in BROKEN.items():
        with subtests.test(name):
            with pytest.raises(ArchiveError) as raised:
                read(data, packed=True)
            assert str(raised.value).startswith(words)


def test_a_broken_archive(subtests: pytest.Subtests) -> None:
    for name, (data, words) in BROKEN_TAR.items():
        with subtests.test(name):
            with pytest.raises(ArchiveError) as raised:
                read(data)
            assert str(raised.value).startswith(words)


def test_no_damage_to_an_archive_is_silent() -> None:
    """Damage that recomputed checksums hide: the gzip file is whole, the archive in it is not."""
    names = [f"{i}.yaml" for i in range(8)]
    whole = b"".join(entry(name, b"content of " + name.encode()) for name in names) + END
    seeded = random.Random(22)
    for _ in range(500):
        at = seeded.randrange(len(whole))
        damaged = whole[:at] + bytes([whole[at] ^ (1 << seeded.randrange(8))]) + whole[at + 1 :]
        cut = damaged[: seeded.choice([len(damaged), seeded.randrange(len(damaged))])]
        try:
            found = [name for name, _ in read(cut)]
        except ArchiveError:
            continue
        # Only an archive that ends where a file begins is whole to every reader.
        assert found == names[: len(found)]
        if len(found) < len(names):
            assert len(cut) % 512 == 0


def unpacked_in_blocks(data: bytes, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many bytes are unpacked until an archive's end or error."""
    made = 0
    real = zlib.decompressobj

    class Counting:
        def __init__(self, **given: Any) -> None:
            self.inflating = real(**given)

        def decompress(self, *given: Any) -> bytes:
            nonlocal made
            data = self.inflating.decompress(*given)
            made += len(data)
            return data

        def __getattr__(self, name: str) -> object:
            return getattr(self.inflating, name)

    monkeypatch.setattr(zlib, "decompressobj", Counting)
    with pytest.raises(ArchiveError):
        read(data, packed=True)
    return made


def test_the_unpacked_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    data = gzip.compress(block("a.png", 110 * 1024 * 1024) + bytes(110 * 1024 * 1024), 1)
    assert unpacked_in_blocks(data, monkeypatch) < MAX_BYTES + 100_000


def test_the_number_of_files_is_bounded() -> None:
    data = gzip.compress(block("a") * 25_000, 1)
    with pytest.raises(ArchiveError, match="more than 20,000 files: the rest is not read"):
        read(data, packed=True)


def test_a_chain_of_headers_is_bounded() -> None:
    with pytest.raises(ArchiveError, match="headers contradict each other"):
        read(entry("x", pax(b"comment=a"), b"x") * 5000 + entry("a.yaml"))


def packed(files: dict[str, bytes]) -> bytes:
    return gzip.compress(b"".join(entry(name, data) for name, data in files.items()) + END)


def chart(folder: Path, archives: dict[str, bytes]) -> Path:
    (folder / "charts").mkdir(parents=True)
    (folder / "Chart.yaml").write_text(
        "apiVersion: v2\nname: demo\nversion: 0.1.0\n", encoding="utf-8"
    )
    for name, data in archives.items():
        (folder / "charts" / name).write_bytes(data)
    return folder


def check(folder: Path) -> tuple[int, str]:
    done = CliRunner().invoke(
        cli, ["check", str(folder), "--include-dependencies", "--format", "concise"]
    )
    return done.exit_code, done.output


def test_a_chart_without_crds_of_its_own_has_dependencies(tmp_path: Path) -> None:
    folder = chart(tmp_path, {"a-1.tgz": packed({"a/crds/crd.yaml": BAD})})
    status, output = check(folder)
    assert status == 1
    assert "charts/a-1.tgz:a/crds/crd.yaml:" in output


def test_a_dependency_of_a_dependency(tmp_path: Path) -> None:
    inner = packed({"b/crds/crd.yaml": BAD, "b/files/c.tgz": b"not an archive"})
    folder = chart(tmp_path, {"a-1.tgz": packed({"a/charts/b-1.tgz": inner, "a/Chart.yaml": b""})})
    status, output = check(folder)
    assert status == 1
    assert "charts/a-1.tgz:a/charts/b-1.tgz:b/crds/crd.yaml:" in output


def test_dependencies_are_followed_to_a_depth(tmp_path: Path) -> None:
    data = packed({"a/crds/crd.yaml": BAD})
    for _ in range(20):
        data = packed({"a/charts/a.tgz": data})
    [problem] = packed_files(str(chart(tmp_path, {"a.tgz": data})))
    assert isinstance(problem, UnreadInput)
    assert problem.message == "more than 8 archives within each other: not read"


def test_what_is_read_before_the_damage_is_checked(tmp_path: Path) -> None:
    whole = b"".join((entry("a/crds/one.yaml", BAD), entry("a/crds/two.yaml", CRD), END))
    cut = gzip.compress(whole[:-1500])
    other = packed({"b/crds/crd.yaml": BAD.replace(b"foos", b"bars")})
    status, output = check(chart(tmp_path, {"a.tgz": cut, "b.tgz": other}))
    assert status == 2
    assert (
        "charts/a.tgz: cannot be unpacked: unexpected end of data (in or after a/crds/two.yaml)"
        in output
    )
    assert (
        "charts/a.tgz:a/crds/one.yaml:7:10: error[scope-invalid]: `spec.scope` cannot be `Clusterish`"
        in output
    )
    assert (
        "charts/b.tgz:b/crds/crd.yaml:7:10: error[scope-invalid]: `spec.scope` cannot be `Clusterish`"
        in output
    )


def test_archives_that_are_no_files(tmp_path: Path) -> None:
    folder = chart(tmp_path, {})
    os.mkfifo(folder / "charts/pipe.tgz")
    (folder / "charts/device.tgz").symlink_to("/dev/zero")
    (folder / "charts/gone.tgz").symlink_to("nothing")
    (folder / "charts/folder.tgz").mkdir()
    status, output = check(folder)
    assert status == 2
    assert "charts/pipe.tgz: not a regular file but a named pipe" in output
    assert "charts/device.tgz: not a regular file but a device" in output
    assert "charts/gone.tgz: No such file or directory" in output
    assert "folder.tgz" not in output


def test_a_folder_of_dependencies_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = chart(tmp_path, {"a.tgz": packed({"a/crds/crd.yaml": BAD})})
    listing = os.listdir

    def refusing(path: str) -> list[str]:
        if str(path).endswith("charts"):
            raise PermissionError(13, "Permission denied", path)
        return listing(path)

    monkeypatch.setattr(os, "listdir", refusing)
    status, output = check(folder)
    assert status == 2
    assert "charts: Permission denied" in output


def test_text_that_cannot_be_decoded(tmp_path: Path) -> None:
    folder = chart(tmp_path, {"a.tgz": packed({"a/crds/crd.yaml": CRD + b"\xff"})})
    status, output = check(folder)
    assert status == 2
    assert "charts/a.tgz:a/crds/crd.yaml: not UTF-8: byte 0xff" in output


def test_a_packed_chart_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")  # without Helm, which refuses these charts
    chart_file = b'name: c\nkubeVersion: ">=1.29.0-0"\n'
    chart = (
        entry("c/Chart.yaml", chart_file)
        + entry("c/crds/a.yaml", BAD)
        + entry("c/.git/b.yaml", BAD)
    )
    inner = gzip.compress(
        entry("d/templates/c.yaml", b"{{ if .Values.a }}\n" + BAD + b"{{ end }}\n") + END, 1
    )
    rows = {
        "c.tgz": (gzip.compress(chart + END, 1), 1, ["c.tgz:c/crds/a.yaml"], ""),
        "d.tar.gz": (
            gzip.compress(chart + entry("c/charts/d.tgz", inner) + END, 1),
            1,
            ["d.tar.gz:c/charts/d.tgz:d/templates/c.yaml", "d.tar.gz:c/crds/a.yaml"],
            "",
        ),
        "cut.tgz": (
            gzip.compress(chart + END, 1)[:-40],
            2,
            ["cut.tgz:c/crds/a.yaml"],
            "cut.tgz: cannot be unpacked: ",
        ),
        "none.tgz": (
            gzip.compress(entry("c/Chart.yaml", chart_file) + END, 1),
            2,
            [],
            "no CustomResourceDefinition in",
        ),
    }
    for name, (data, status, files, words) in rows.items():
        (tmp_path / name).write_bytes(data)
        result = CliRunner().invoke(cli, ["check", name, "--show-all", "--format", "json"])
        found = sorted({one["file"] for one in json.loads(result.stdout)["diagnostics"]})
        assert (result.exit_code, found, words in result.stderr) == (status, files, True), name
    assert (
        CliRunner().invoke(cli, ["check", ".", "--format", "json"]).exit_code == 0
    )  # only by name
    versions = gzip.compress(
        entry("c/Chart.yaml", b"kubeVersion: '>=9.0.0'\n") + entry("c/crds/a.yaml", CRD) + END, 1
    )
    (tmp_path / "c.tgz").write_bytes(versions)
    assert (
        "c.tgz:c/Chart.yaml:1:14"
        in CliRunner().invoke(cli, ["check", "c.tgz", "--format", "concise"]).stdout
    )
    (tmp_path / "old.tgz").write_bytes(rows["c.tgz"][0])
    compared = CliRunner().invoke(cli, ["diff", "old.tgz", "c.tgz"])
    assert "field is immutable" in compared.stdout


def test_a_packed_chart_is_read_by_all_commands_and_written_by_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")  # without Helm, which refuses this chart
    rules = b"        x-kubernetes-validations: [{rule: has(self.metadata)}, {rule: 1}]\n"
    data = entry("c/Chart.yaml", b"name: c\n") + entry(
        "c/crds/a.yaml", BAD.replace(b"Clusterish", b"namespaced")
    )
    data += entry("c/crds/b.yaml", CRD.replace(b"foos", b"bars").replace(b"Foo", b"Bar") + rules)
    packed = tmp_path / "c.tgz"
    packed.write_bytes(gzip.compress(data + END, 1))

    def run(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(cli, [*arguments, str(packed)])
        return result.exit_code, result.output

    status, output = run("check")
    assert (status, output.count("error["), "fixable" in output) == (1, 2, False)
    status, output = run("check", "--add-ignore")
    assert (status, output.count("error["), "not fixed" in output) == (1, 2, False)
    status, output = run("cost")
    assert (status, "c.tgz:c/crds/b.yaml" in output, "NOT ESTIMATED" in output) == (1, True, True)
