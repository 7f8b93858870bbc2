"""The Python API: text in, diagnostics out. ``__all__`` lists what ``crdlint`` exports and ``docs/api.md`` describes."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike, fspath

from crdlint import yaml
from crdlint.diagnostics import Diagnostic, Fix, Related, in_server_words
from crdlint.kubernetes.senders import DEFAULT_SENDER, sender_named
from crdlint.kubernetes.servers import NEWEST_VERSION, parse_range
from crdlint.linting.documents import collect_crds
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import FileResult, OldCRD, RuleCost
from crdlint.resources.pipeline import ResourceReport, report
from crdlint.rules.catalog import on_request
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.edit import Edit

__all__ = [
    "Diagnostic",
    "Edit",
    "Fix",
    "Related",
    "ResourceReport",
    "RuleCost",
    "YAMLDecodeError",
    "decode_yaml",
    "estimate_costs",
    "fix_text",
    "lint_paths",
    "lint_text",
    "lint_update",
    "validate_resource",
]


def lint_text(
    text: str,
    *,
    filename: str = "<stdin>",
    kube_version: str = NEWEST_VERSION,
    sender: str = DEFAULT_SENDER,
    fixes: bool = False,
) -> list[Diagnostic]:
    """Return the API server's findings on creating each CRD of a text, and crdlint's own advice, in document order.

    ``sender`` is how the CRD is sent: ``create`` or ``server-side-apply``, the text itself, or ``kubectl``, ``kubectl-apply``,
    ``kubectl-server-side``, ``flux``, ``argo-cd``, ``argo-cd-server-side``, ``helm-3`` or ``helm-4``. Server-side apply has one
    message for all fields that it does not accept.

    With ``fixes``, a finding that can be fixed has a ``fix``, whose `Fix.apply` returns the text without it.

    A document that crdlint cannot check because of a bug has a finding of the rule ``internal-error``.

    >>> crd = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: 1}"
    >>> lint_text(crd)[0].headline
    '`spec` must be a mapping, not the number `1`'
    """
    sender_named(sender)
    request = CheckRequest(
        versions=parse_range(kube_version),
        senders=(sender,),
        fixes=fixes,
    )
    return _visible(lint_file(text, filename, request))


def lint_paths(
    paths: Iterable[str | PathLike[str]],
    *,
    config: str | PathLike[str] | None = None,
    isolated: bool = False,
    kube_version: str | None = None,
    fixes: bool = False,
) -> list[Diagnostic]:
    """Return the findings that ``crdlint check`` reports about files, folders, charts and kustomizations.

    Each file has the configuration of its folder, as on the command line: ``config`` names a file to use instead, and
    ``isolated`` ignores all of them. Ignore comments apply. ``kube_version`` is a version or a range, by default that of
    the configuration, else of the chart, else the newest.

    Custom resources are not validated: see `validate_resource`.

    What cannot be read, a configuration with an error included, is a finding of the rule ``unreadable``. So no findings
    means that everything was checked. What the API server reports only when other errors are gone is ``hidden``. With
    ``fixes``, a finding that can be fixed has a ``fix``.

    Raises ValueError for an unknown ``kube_version``, and for a ``config`` that cannot be read or has an error.
    """
    from crdlint.config.load import read_config
    from crdlint.config.model import Config, ConfigError
    from crdlint.report.pieces import RunOutcome, Summary
    from crdlint.runner.whole_run import WholeRun

    versions = None if kube_version is None else parse_range(kube_version)
    replacement = Config() if isolated else None
    if config is not None:
        try:
            replacement = read_config(fspath(config))
        except ConfigError as error:
            raise ValueError(str(error)) from error
    run = WholeRun(versions, replacement, fixes)
    findings = list(run.findings([fspath(path) for path in paths]))
    findings += RunOutcome(run.problems, Summary()).unreadable()
    return [in_server_words(d) for d in findings if d.server_message != ""]


def fix_text(
    text: str,
    *,
    filename: str = "<stdin>",
    kube_version: str = NEWEST_VERSION,
    unsafe: bool = False,
) -> str:
    """Return a text after all safe fixes, as ``crdlint check --fix`` writes it; with ``unsafe``, after all fixes.

    >>> fix_text(
    ...     "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {scoop: Cluster}}"
    ... )
    '{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {scope: Cluster}}'
    """
    from crdlint.runner.fixes import fix

    request = CheckRequest(versions=parse_range(kube_version), fixes=True)

    def check(changed: str) -> FileResult:
        return lint_file(changed, filename, request)

    return fix(check(text), check, unsafe=unsafe).text


def lint_update(
    old_text: str, new_text: str, *, kube_version: str = NEWEST_VERSION
) -> list[Diagnostic]:
    """Return the API server's findings on updating the CRDs of ``old_text`` to those of ``new_text``, and breaking changes.

    CRDs are matched by name; where each text holds one CRD alone, the two are matched whatever their names.
    """
    old, new = (collect_crds(text, with_partial=True).by_name for text in (old_text, new_text))
    only = next(iter(old.values())) if len(old) == 1 and len(new) <= 1 else None

    def previous(name: str) -> OldCRD | None:
        # A CRD that is alone may have lost its name.
        return only or old.get(name)

    return _visible(
        lint_file(
            new_text, "<stdin>", CheckRequest(versions=parse_range(kube_version), previous=previous)
        )
    )


def estimate_costs(text: str, *, kube_version: str = NEWEST_VERSION) -> list[RuleCost]:
    """Return the cost of each rule, in document order; empty if the API server would not compile the rules."""
    result = lint_file(text, "<stdin>", CheckRequest(versions=parse_range(kube_version), keep=True))
    return [evaluated.cost(result.file) for evaluated in result.rules]


def validate_resource(
    crd_text: str,
    resource_text: str,
    *,
    old_resource: str | None = None,
    kube_version: str = NEWEST_VERSION,
    as_request: bool = False,
    sender: str = DEFAULT_SENDER,
) -> ResourceReport:
    """Return the API server's findings on creating a custom resource, or on updating the old one if given.

    The first document of each text counts. ``kube_version`` is the server's version, or a range: each finding of these
    servers is then returned once, with the ``versions`` it holds for, and what is not a finding is the newest server's.
    A CRD that these servers reject gives ``crd_errors``, and the resource is validated as if they accepted it.

    By default the object is validated unchanged: its status and generation count, and a namespaced object needs a
    namespace. With ``as_request`` it is a manifest, as for ``crdlint validate``: the default namespace is added,
    ``generateName`` gives a name, the generation is the server's, and so is the status where it is a subresource.

    ``sender`` is how the object is sent, see `lint_text`. Server-side apply merges it into an old one, which others replace.

    Raises `YAMLDecodeError` for a text that is no YAML object, ValueError for an unknown ``kube_version`` or ``sender``.
    """
    return report(
        crd_text,
        resource_text,
        old_resource,
        versions=parse_range(kube_version),
        as_request=as_request,
        sender=sender,
    )


def decode_yaml(text: str, *, kube_version: str = NEWEST_VERSION) -> object:
    """Return the first document as JSON values, as the API server sees it; raise YAMLDecodeError with the server's text.

    Of a range of versions, the newest counts. Raise ValueError for an unknown one.

    >>> decode_yaml("a: [1, yes]")
    {'a': [1, True]}
    """
    return yaml.decode_yaml(text, parse_range(kube_version).newest)


def _visible(result: FileResult) -> list[Diagnostic]:
    """Return the findings that no others hide, without advice on request, each with the API server's own message."""
    shown = (d for d in result.diagnostics if not d.hidden and d.server_message != "")
    return [in_server_words(d) for d in shown if d.kind != "advice" or d.rule not in on_request()]
