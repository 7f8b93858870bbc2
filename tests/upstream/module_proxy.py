"""Reading Go modules from the module proxy that the go command uses, without building them.

The go command refuses to download a module that needs a newer Go; its sources can be read all the same.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import urllib.error
import urllib.request
import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from .recorder import UnavailableError, cache_folder

_REQUIRED: Final = re.compile(r"^(?:require)?\s+(\S+) (v\S+)", re.MULTILINE)
_SECONDS: Final = 120


def required(module: str, version: str) -> dict[str, str]:
    """Return the versions of the modules that a module requires, by their paths."""
    text = _file(module, version, "mod").read_text(encoding="utf-8")
    return dict(_REQUIRED.findall(text))


def path_in(modules: Mapping[str, str], wanted: str) -> str | None:
    """Return the path of a module among others, which may have another major version, or None."""
    if wanted in modules:
        return wanted
    plain = without_major(wanted)
    return next((name for name in modules if without_major(name) == plain), None)


def without_major(module: str) -> str:
    """Return the path of a module without its major version.

    >>> without_major("go.yaml.in/yaml/v2")
    'go.yaml.in/yaml'
    """
    return re.sub(r"/v\d+$", "", module)


def sources(module: str, version: str) -> dict[str, str]:
    """Return the texts of the Go files of a module, by their paths in it. Raise UnavailableError if it cannot be read."""
    prefix = f"{module}@{version}/"
    with zipfile.ZipFile(_file(module, version, "zip")) as archive:
        return {
            name.removeprefix(prefix): archive.read(name).decode("utf-8", "replace")
            for name in archive.namelist()
            if name.endswith(".go")
        }


def _file(module: str, version: str, suffix: str) -> Path:
    """Return a file of a module, which is downloaded if it is not in the cache."""
    name = f"{_escaped(module)}/@v/{_escaped(version)}.{suffix}"
    path = cache_folder() / "modules" / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{path.name}.part")
        unfinished.write_bytes(_download(f"{_proxy()}/{name}"))
        unfinished.replace(path)
    return path


def _download(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
            content: bytes = answer.read()
            return content
    except (urllib.error.URLError, TimeoutError) as error:
        raise UnavailableError(f"{url} cannot be read: {error}") from error


def _escaped(text: str) -> str:
    """Return a path as the proxy writes it: with `!` before each letter that was a capital one."""
    return re.sub("[A-Z]", lambda match: f"!{match[0].lower()}", text)


@cache
def _proxy() -> str:
    """Return the address of the first module proxy that the go command uses."""
    if shutil.which("go") is None:
        raise UnavailableError(
            "Go is not installed: its settings name the module proxy (https://go.dev/doc/install)"
        )
    setting = subprocess.run(
        ["go", "env", "GOPROXY"], capture_output=True, text=True, check=True
    ).stdout
    proxies = [
        part for part in re.split("[,|]", setting.strip()) if part not in ("direct", "off", "")
    ]
    if not proxies:
        raise UnavailableError("Go is set up without a module proxy (`go env GOPROXY`)")
    return proxies[0].rstrip("/")
