"""The recorder: build the program, and ask it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import platformdirs

from .rows import Answer, Request, question
from .versions import RECORDER, Build


class UnavailableError(Exception):
    """The recorder cannot be built here; the text says why."""


class Recorder:
    """A running recorder of one version."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def ask(self, request: Request) -> Answer:
        """Return the server's answer; raise RuntimeError if the program has ended."""
        return next(self.ask_all([request]))

    def ask_all(self, requests: Sequence[Request]) -> Iterator[Answer]:
        """Yield the server's answers in the order of the requests; raise RuntimeError if the program has ended."""
        assert self._process.stdout is not None
        # Another thread writes, so that neither side waits for the other after each request.
        writer = threading.Thread(target=self._write, args=(requests,), daemon=True)
        writer.start()
        for request in requests:
            line = self._process.stdout.readline()
            if not line:
                raise RuntimeError(
                    f"the recorder ended at {request.get('id')} with status {self._process.wait()}"
                )
            answer: Answer = json.loads(line)
            yield answer
        writer.join()

    def _write(self, requests: Sequence[Request]) -> None:
        assert self._process.stdin is not None
        for request in requests:
            self._process.stdin.write(json.dumps(question(request)) + "\n")
        self._process.stdin.flush()

    def close(self) -> None:
        """End the program."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


@contextmanager
def recorder(build: Build) -> Iterator[Recorder]:
    """Run the recorder of a version, which is built first if it is not in the cache."""
    running = Recorder(program(build))
    try:
        yield running
    finally:
        running.close()


def program(build: Build) -> Path:
    """Return the program of a version; raise UnavailableError if it cannot be built."""
    path = cache_folder() / f"recorder-{build.name}-{digest(build)[:16]}"
    if not path.exists():
        _compile(build, path)
    return path


def cache_folder() -> Path:
    """Return the folder of built programs, outside of the repository."""
    return Path(
        os.environ.get("CRDLINT_UPSTREAM_CACHE") or platformdirs.user_cache_path("crdlint-upstream")
    )


def digest(build: Build) -> str:
    """Return the digest of all that a build depends on."""
    hashed = hashlib.sha256(" ".join(build.tags).encode())
    for path in [*sorted(RECORDER.glob("*.go")), build.go_mod, build.go_mod.with_name("go.sum")]:
        if not path.name.endswith("_test.go"):
            hashed.update(path.name.encode() + b"\0" + path.read_bytes())
    return hashed.hexdigest()


def go_command(build: Build, *arguments: str) -> list[str]:
    """Return a go command with the modules and tags of a version: `go_command(build, "vet", ".")`."""
    command, *others = arguments
    return ["go", command, f"-modfile={build.go_mod}", "-tags", ",".join(build.tags), *others]


def _compile(build: Build, path: Path) -> None:
    if shutil.which("go") is None:
        raise UnavailableError(
            "Go is not installed: the recorder is a Go program (https://go.dev/doc/install)"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    run_go(go_command(build, "build", "-o", str(unfinished), "."))
    unfinished.replace(path)


def run_go(command: Sequence[str], **environment: str) -> str:
    """Run a go command in the recorder's folder, and return its output; raise UnavailableError if it fails."""
    variables = {**os.environ, **environment}
    done = subprocess.run(
        command, cwd=RECORDER, env=variables, capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        shown = "\n".join(lines[-15:])
        raise UnavailableError(
            f"`{' '.join(command)}` failed, maybe because no Go module proxy can be reached:\n{shown}"
        )
    return done.stdout
