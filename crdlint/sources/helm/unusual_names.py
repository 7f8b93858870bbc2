"""Templates of charts whose names are not those of YAML files; Helm renders them as well."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from crdlint.files.read import entries_of, is_folder
from crdlint.files.repository import leads_out
from crdlint.sources.helm.ignored import IGNORE_FILE, ignore_lines, is_ignored
from crdlint.sources.helm.layout import TEMPLATES, has_unusual_name


def unusual_templates(chart: str) -> Iterator[str]:
    """Yield the paths of files in the templates of a chart that Helm loads, but whose suffix is not that of YAML or JSON."""
    ignored = ignore_lines(os.path.join(chart, IGNORE_FILE))
    top = os.path.realpath(chart)
    pending = [TEMPLATES]
    while pending:
        below = pending.pop()
        with suppress(OSError):
            for entry in entries_of(os.path.join(chart, below)):
                path = f"{below}/{entry.name}"
                if is_ignored(ignored, path, is_folder=is_folder(entry)):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append(path)
                elif has_unusual_name(path) and not leads_out(entry.path, [top]):
                    yield os.path.join(chart, path)
