"""Who sends the objects of a folder, if no sender is named: Flux or Argo CD, if an object of theirs is beside them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from crdlint.files.read import STDIN, UnreadableError, open_descriptor, read_bytes
from crdlint.gathering import grouped
from crdlint.light import NamedTuple, regex
from crdlint.phrases import joined

_FLUX: Final = regex(
    rb"""^apiVersion:[ ]*["']?(?:kustomize|helm)\.toolkit\.fluxcd\.io/""", re.MULTILINE
)
_ARGO: Final = regex(rb"""^apiVersion:[ ]*["']?argoproj\.io/""", re.MULTILINE)
_APPLICATION: Final = regex(rb"^kind:[ ]*Application(?:Set)?[ ]*\r?$", re.MULTILINE)
# By the order in which Argo CD looks for them; each with what it then is as a sender.
_SYNC_OPTIONS: Final = (
    (b"Replace=true", "create"),
    (b"ServerSideApply=true", "argo-cd-server-side"),
)
_ENDINGS: Final = (".yaml", ".yml")
_LARGEST: Final = 256 * 1024  # bytes of a file that may have such an object
_MOST: Final = 500  # files of a folder that are read


class Deployer(NamedTuple):
    """A program that applies the objects of a folder: its name, the file with its object, and the senders that it is."""

    name: str
    file: str
    senders: tuple[str, ...]


class Deployers:
    """The deployers of folders, each of which is read once."""

    def __init__(self) -> None:
        self._by_folder: dict[str, Deployer | None] = {}

    def of(self, path: str) -> Deployer | None:
        """Return who applies the objects of a file, None if that is not known or if there are two."""
        folder = os.path.dirname(path)
        if folder not in self._by_folder:
            self._by_folder[folder] = _deployer_of(folder or os.curdir)
        return self._by_folder[folder]


class DefaultSenders:
    """The senders of files whose configuration names none; `notices` are about those that follow from other files."""

    def __init__(self) -> None:
        self.notices: dict[str, None] = {}
        self._deployers = Deployers()

    def beside(self, path: str) -> tuple[str, ...]:
        """Return how Flux or Argo CD send a file, if an object of theirs is in its folder."""
        is_file = path != STDIN and open_descriptor(path) is None
        deployer = self._deployers.of(path) if is_file else None
        if deployer is None:
            return ()
        file = os.path.join(os.path.dirname(path), deployer.file)
        as_sender = (
            f"as the sender {joined(deployer.senders)}; `senders` or `--sender` changes that"
        )
        self.notices[f"{file}: {deployer.name} applies the objects beside it, {as_sender}"] = None
        return deployer.senders


def _deployer_of(folder: str) -> Deployer | None:
    by_name = grouped(_deployers_in(folder), lambda deployer: deployer.name)
    if len(by_name) != 1:
        return None
    ((name, each),) = by_name.items()
    senders = dict.fromkeys(sender for deployer in each for sender in deployer.senders)
    return Deployer(name, each[0].file, tuple(sorted(senders)))


def _deployers_in(folder: str) -> Iterator[Deployer]:
    """Yield a deployer for each file that has an object of one."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(_ENDINGS))
    except OSError:
        return
    for name in names[:_MOST]:
        with suppress(UnreadableError):
            text = read_bytes(os.path.join(folder, name), _LARGEST, follow_link=False)
            deployer = _deployer_in(text, name)
            if deployer is not None:
                yield deployer


def _deployer_in(text: bytes, name: str) -> Deployer | None:
    if b".toolkit.fluxcd.io/" in text and _FLUX.search(text):
        return Deployer("Flux", name, ("flux",))
    if b"argoproj.io/" in text and _ARGO.search(text) and _APPLICATION.search(text):
        senders = (sender for option, sender in _SYNC_OPTIONS if option in text)
        return Deployer("Argo CD", name, (next(senders, "argo-cd"),))
    return None
