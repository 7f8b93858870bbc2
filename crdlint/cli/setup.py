"""`crdlint init`, which writes a configuration to begin with, and `crdlint clean`, which removes the cache."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click

from crdlint.cli import console, options
from crdlint.cli.fields import Declared, argument
from crdlint.cli.options import ReportOptions
from crdlint.files.read import reason
from crdlint.files.repository import LINK_OUT, leads_out
from crdlint.kubernetes.servers import NEWEST
from crdlint.phrases import counted
from crdlint.safety import atomic

_NAME: Final = ".crdlint.yaml"
_SCHEMA: Final = "https://raw.githubusercontent.com/crdlint/crdlint/main/crdlint/config/schema.json"
_PAGE: Final = "https://github.com/crdlint/crdlint/blob/main/docs/configuration.md"
# All keys are comments, so that the file changes nothing before one of them is chosen.
CONFIGURATION: Final = f"""\
# yaml-language-server: $schema={_SCHEMA}
# All keys: {_PAGE}

# The Kubernetes versions of the clusters: a version, a range such as 1.30..{NEWEST}, or a constraint.
# kube-version: ">=1.30"

# Files that are not checked, in the form of .gitignore.
# exclude: [/third_party/]

# Rules on request besides the default ones: `crdlint rules` lists them, with their sets.
# select: ["*", ssa]

# Severities other than those of the rules: error, warning, info or off.
# severity:
#   yaml-boolean: error

# Findings that are not reported, with the reason.
# ignore:
# - rules: [cel-rule-cost-near-limit]
#   crd: widgets.example.com
#   path: .spec.hosts
#   reason: has a limit in the next version
"""


class InitOptions(ReportOptions):
    """The argument of `crdlint init`."""

    folder: Declared[str] = argument(default=os.curdir, metavar="[FOLDER]")


@options.command("init", InitOptions)
def init(arguments: InitOptions) -> int:
    """Write .crdlint.yaml, a configuration whose keys are comments, to the working directory or FOLDER.

    \b
    Examples:
      crdlint init
      crdlint init config/crd
    """  # noqa: D301  \b keeps the lines below it as they are
    from crdlint.config.load import of_folder, shown_path
    from crdlint.config.model import ConfigError

    folder = os.path.abspath(arguments.folder)  # noqa: PTH100  links are kept
    path = shown_path(str(Path(folder, _NAME)))
    if not os.path.isdir(folder):  # noqa: PTH112
        raise click.UsageError(f"{arguments.folder}: no such folder")
    existing = of_folder(folder)
    if isinstance(existing, ConfigError):
        raise click.UsageError(str(existing))
    if existing is not None:
        raise click.UsageError(f"{existing.file} exists already, and it is not changed")
    try:
        if leads_out(path):
            raise OSError(LINK_OUT)
        atomic.write(path, CONFIGURATION.encode())
    except OSError as error:
        raise click.UsageError(f"{path} cannot be written: {reason(error)}") from error
    console.out(f"{path}: written; each key in it is a comment with an example")
    return 0


@options.command("clean", ReportOptions)
def clean(arguments: ReportOptions) -> int:
    """Remove the results of earlier runs that crdlint keeps in the cache folder of the user.

    \b
    Examples:
      crdlint clean
      CRDLINT_CACHE_DIR=.cache/crdlint crdlint clean
    """  # noqa: D301  \b keeps the lines below it as they are
    from crdlint.runner.cache import open_cache

    del arguments
    cache = open_cache()
    if cache is None:
        console.out("there is no cache folder")
        return 0
    removed = cache.clear()
    console.out(f"{cache.folder}: removed {counted(removed, 'result')}")
    return 0
