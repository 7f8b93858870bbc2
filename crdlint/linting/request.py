"""What a check of CRDs is asked for, from the command, editor or suite that asks to the stages that answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Final

from crdlint.changes.change import Policy
from crdlint.files.recognition import PLACEHOLDERS
from crdlint.kubernetes.senders import Sender, base_sender
from crdlint.kubernetes.servers import NEWEST_ALONE, Range
from crdlint.light import NamedTuple, dataclass

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic
    from crdlint.linting.documents import Fixes
    from crdlint.linting.result import OldCRD
    from crdlint.rules.engine.advisory import Advise
    from crdlint.safety.work import Effort
    from crdlint.yaml.nodes import Mapping
    from crdlint.yaml.parse import Document

    FindOldCRD = Callable[[str], OldCRD | None]
    StopAt = Callable[[Diagnostic], bool]


A_PATCH: Final = (
    "a Kustomize patch"  # what an incomplete CRD is taken for that no other file explains
)
_POLICY: Final = Policy()
# A result is not cached if they change it.
_FUNCTIONS: Final = frozenset({"previous", "advice", "stop_at"})


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class CheckRequest:
    """What to find out about the CRDs of a text.

    - `versions`: the servers to check for; each finding of several is reported once, with the
      servers that report it
    - `names_servers`: add to the errors of a server which of all supported servers report them
    - `senders`: the names of those who send the CRD (see `sender`)
    - `previous`: returns an old CRD of the same name; one for which it does is checked as an update
    - `policy`: the change policy of an update
    - `skip_unfinished`: skip, with a notice, templates and incomplete CRDs, and report misspelled CRDs, which the API server does
      not recognize as CRDs
    - `partial`: what the notice calls an incomplete CRD
    - `placeholders`: the beginnings of what another program replaces
    - `keep`: keep the CRDs and their rules of x-kubernetes-validations in the result
    - `details`: find what people read of a finding beside its message: headline, help, related lines and the path in the CRD
    - `fixes`: add fixes to findings
    - `advice`: the advisory rules to run, None for all except those on request
    - `requested`: those of the latter to run
    - `stop_at`: returns whether the stages after that of a finding need not run; not used for ranges

    >>> from crdlint.kubernetes.servers import parse_range
    >>> CheckRequest(versions=parse_range("1.30")).key == CheckRequest().key
    False
    """

    versions: Range = NEWEST_ALONE
    names_servers: bool = False
    senders: tuple[str, ...] = ()
    previous: FindOldCRD | None = None
    skip_unfinished: bool = False
    partial: str = A_PATCH
    placeholders: tuple[str, ...] = PLACEHOLDERS
    keep: bool = False
    details: bool = True
    fixes: bool = False
    requested: frozenset[str] = frozenset()
    advice: tuple[Advise, ...] | None = None
    policy: Policy = _POLICY
    stop_at: StopAt | None = None

    def finds_placeholders(self, document: Document) -> bool:
        """Return whether the text of a document has the beginning of what another program replaces."""
        openings = self.placeholders
        return document.once(
            f"placeholders {openings}", lambda: any(map(document.text.__contains__, openings))
        )

    @property
    def sender(self) -> Sender:
        """The sender whose request the server answers."""
        return base_sender(self.senders)

    @property
    def key(self) -> str:
        """What the result of a text depends on beside the text, as part of a key of the cache: all fields but functions."""
        names = [each.name for each in fields(self) if each.name not in _FUNCTIONS]
        return repr([_in_key(getattr(self, name)) for name in names])


def _in_key(value: object) -> object:
    """Return a value of a request whose `repr` is the same in each run."""
    if isinstance(value, Range):
        return str(value)
    return sorted(value) if isinstance(value, frozenset) else value


class Subject(NamedTuple):
    """A CRD in a document of a file, and what its file shares: its fixes, and the work left for helps.

    The server's findings are hidden if its apiVersion or kind is `rejected` already.
    """

    file: str
    document: Document
    root: Mapping
    fixes: Fixes
    effort: Effort
    rejected: bool = False
