"""A cache of results in the user's cache directory, by the content of a file and all other inputs of the check.

Entries are JSON, never code, and are signed (`store.py`).
"""

from __future__ import annotations

import json
import time
from dataclasses import fields
from hashlib import blake2b
from operator import attrgetter
from typing import Any, Final

from crdlint.diagnostics import Diagnostic, Fix, Related
from crdlint.light import replace
from crdlint.linting.result import CRD, FileResult, ResourceName
from crdlint.phrases import Routine
from crdlint.runner.packs import Packs
from crdlint.runner.program import program_digest
from crdlint.runner.store import Store, usable_folder
from crdlint.safety.bugs import has_failed
from crdlint.yaml.edit import Edit

_FORMAT: Final = "7"
_JSON: Final = json.JSONEncoder(separators=(",", ":"))


def open_cache() -> Cache | None:
    """Return the user's cache, in CRDLINT_CACHE_DIR or the system's cache directory, or None if neither is available."""
    folder = usable_folder()
    return None if folder is None else Cache(folder)


class Cache(Store):
    """The results of texts; errors of reading and writing are ignored."""

    _packs: Packs | None = None

    def gather(self, inputs: str) -> None:
        """Write the results of this run into few files, for the next run of the same inputs."""
        named = blake2b(inputs.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        self._packs = Packs(self, named)

    def save(self) -> None:
        """Write what was gathered so far."""
        if self._packs is not None:
            self._packs.save()

    def close(self) -> None:
        """Write what was gathered, and remove the oldest entries."""
        if self._packs is not None:
            self._packs.close()
        self.sweep()

    def key(self, data: bytes, options: str) -> str:
        """Return the key for the content of a file and the options, of the day if the file has certificates, which expire."""
        digest = blake2b(data, digest_size=20, key=program_digest())
        if b"caBundle" in data:
            digest.update(time.strftime("%Y-%m-%d", time.gmtime()).encode())
        digest.update(_FORMAT.encode())
        digest.update(options.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def get(self, key: str, file: str, text: str) -> FileResult | None:
        """Return the cached result for a key, with a file name and text, or None."""
        payload = self.read(key) if self._packs is None else self._packs.get(key)
        try:
            return None if payload is None else _result(json.loads(payload), key, file, text)
        except Exception:
            return None

    def put(self, key: str, result: FileResult) -> None:
        """Store a result under a key."""
        if has_failed() or self.secret is None:
            return
        payload = _JSON.encode(_entry(result, key)).encode()
        if self._packs is None:
            self.write(key, payload)
        else:
            self._packs.add(key, payload)


def _entry(result: FileResult, key: str) -> list[Any]:
    crds = [[crd.name, crd.line, crd.names] for crd in result.crds]
    # The name of the file is replaced on reading, because files with the same content share an entry.
    diagnostics = list(map(_values, result.diagnostics))
    return [
        _FORMAT,
        key,
        result.file,
        result.documents,
        crds,
        result.skipped,
        diagnostics,
        [[notice, isinstance(notice, Routine)] for notice in result.notices],
    ]


_FIELDS: Final = tuple(column.name for column in fields(Diagnostic))
_values_of: Final = attrgetter(*_FIELDS)
_RELATED, _FIX = map(_FIELDS.index, ("related", "fix"))


def _values(finding: Diagnostic) -> list[Any]:
    """Return the values of a finding in the order of its fields, without classes."""
    values = list(_values_of(finding))
    related, fix = finding.related, finding.fix
    if related is not None:
        values[_RELATED] = [related.label, related.file, related.line, related.column, related.text]
    if fix is not None:
        edits = [[edit.start, edit.end, edit.text] for edit in fix.edits]
        values[_FIX] = [fix.title, fix.applicability, edits]
    return values


def _result(
    entry: list[Any],
    key: str,
    file: str,
    text: str,
) -> FileResult:
    """Return the result of an entry; an invalid entry raises any exception."""
    format_, known_key, known_file, documents, crds, skipped, diagnostics, notices = entry
    if (format_, known_key) != (_FORMAT, key):
        raise ValueError(key)
    findings = []
    for values in diagnostics:
        arguments: dict[str, Any] = dict(zip(_FIELDS, values, strict=True))
        if arguments["file"] != known_file:
            raise ValueError(known_file)
        related, fix = arguments["related"], arguments["fix"]
        arguments["file"] = file
        if related is not None:
            position = Related(*related)
            arguments["related"] = (
                replace(position, file=file) if position.file == known_file else position
            )
        arguments["fix"] = fix and Fix(fix[0], fix[1], tuple(Edit(*edit) for edit in fix[2]))
        findings.append(Diagnostic(**arguments))
    definitions = tuple(
        CRD(name, line, tuple(ResourceName(*each) for each in others))
        for name, line, others in crds
    )
    return FileResult(
        file,
        text,
        documents,
        definitions,
        skipped,
        tuple(findings),
        tuple(Routine(notice) if is_routine else notice for notice, is_routine in notices),
    )
