"""The major version of the Helm on the PATH, which is kept in the cache: asking the program takes longer than a check."""

from __future__ import annotations

from hashlib import blake2b

from crdlint.runner.store import Store, usable_folder
from crdlint.safety.programs import find, identity_of
from crdlint.sources.helm.check import installed_major


def helm_major(*, keeps: bool) -> int:
    """Return the major version of the Helm on the PATH, 0 if that cannot be used.

    With `keeps`, the version is read from the cache, or else written there, by the identity of the program.
    """
    program = find("helm")
    folder = usable_folder() if keeps and program is not None else None
    if program is None or folder is None:
        return installed_major()
    store = Store(folder)
    key = blake2b(f"helm {identity_of(program)}".encode(), digest_size=20).hexdigest()
    stored = store.read(key)
    if stored is not None:
        return int(stored)
    major = installed_major()
    store.write(key, b"%d" % major)
    return major
