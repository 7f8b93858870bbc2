"""`python -m tests.upstream live`: a running API server answers the recorded requests, and tries what rules claim."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

import click

from crdlint.cli import console

from ..live_counts import write_live_counts
from .api import Server
from .asking import Row, ask
from .charts import try_charts
from .claims import try_claims, try_remedies
from .cluster import Cluster, connected, running
from .kubectl import ask_kubectl
from .programs import NotBuiltError, Programs, cache_folder
from .releases import Release, release_of
from .rows import request_files, rows
from .tally import Tally

_EVERY: Final = "every rule"
_ALL: Final = "all charts"


@click.command("live")
@click.option(
    "--version",
    default="1.37",
    show_default=True,
    help="Minor version or patch release of Kubernetes.",
)
@click.option("--url", help="Ask this API server, instead of building and starting one.")
@click.option("--token", help="Bearer token of an administrator of that server.")
@click.option(
    "--file", "files", multiple=True, type=click.Path(exists=True, path_type=Path),
    help="Only ask the requests of FILE: NDJSON, or a YAML file of CRDs (repeatable).",
)  # fmt: skip
@click.option(
    "--claims", is_flag=False, flag_value=_EVERY, metavar="[RULE]",
    help="Run the experiments of RULE instead, or of every rule, follow its helps and fixes, and compare with what is recorded.",
)  # fmt: skip
@click.option(
    "--helm", "charts", is_flag=False, flag_value=_ALL, metavar="[NAME]",
    help="Install and upgrade the charts of charts.py instead, those with NAME in their names, with Helm 3 and Helm 4.",
)  # fmt: skip
@click.option(
    "--kubectl", is_flag=True,
    help="Send the CRDs of the requests with the real kubectl instead: create, apply, and apply --server-side.",
)  # fmt: skip
@click.option(
    "--record", is_flag=True,
    help="Keep the counts for docs/parity.md; with --claims or --helm, write what the server did to the files of records.",
)  # fmt: skip
@click.option("--limit", type=int, help="Only ask the first N requests.", metavar="N")
@click.option(
    "--show", default=5, show_default=True, help="Show N differences in full.", metavar="N"
)
@click.pass_context
def live(
    ctx: click.Context,
    version: str,
    url: str | None,
    token: str | None,
    files: tuple[Path, ...],
    claims: str | None,
    charts: str | None,
    kubectl: bool,
    record: bool,
    limit: int | None,
    show: int,
) -> None:
    """Ask a running API server the recorded requests, and compare its answers with the records and with crdlint.

    Without --url, etcd and kube-apiserver are built from the Go module proxy, started, and stopped at the end. The first build of
    a release takes some minutes; the programs are kept in the user's cache folder, or in $CRDLINT_UPSTREAM_CACHE.

    CRDs are created by dry run. For updates and custom resources, their CRD is created and removed again. Exits with status 1 if
    an answer differs.
    """
    try:
        release = release_of(version)
        with _cluster(release, url, token) as cluster:
            minor = f"1.{release.minor}"
            console.err(f"API server {cluster.server.version()}, crdlint for {minor}")
            programs = Programs(release, console.err, cache_folder())
            if charts is not None:
                name = "" if charts == _ALL else charts
                ctx.exit(1 if try_charts(cluster, programs, name, record=record) else 0)
            if claims is not None:
                rule = "" if claims == _EVERY else claims
                failed = try_claims(cluster, programs, rule, record=record)
                failed += try_remedies(cluster.server, rule, record=record)
                ctx.exit(1 if failed else 0)
            requests = islice(rows(files or request_files()), limit)
            if kubectl:
                ctx.exit(1 if ask_kubectl(cluster, programs, requests, show) else 0)
            tally = _ask_all(cluster.server, list(requests), minor, show)
    except (NotBuiltError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    console.out(tally.summary())
    if record and not files and limit is None:
        write_live_counts(minor, str(release), tally.asked, tally.asked - tally.different)
    ctx.exit(1 if tally.different else 0)


@contextmanager
def _cluster(release: Release, url: str | None, token: str | None) -> Iterator[Cluster]:
    """Yield the named server, or one that runs as long as it is asked."""
    with ExitStack() as stack:
        if url is None:
            programs = Programs(release, console.err, cache_folder())
            yield stack.enter_context(running(programs))
        else:
            yield stack.enter_context(connected(url, token or ""))


def _ask_all(server: Server, requests: list[Row], version: str, show: int) -> Tally:
    tally = Tally()
    for row in console.watched(
        requests, [f"{number} of {len(requests)}" for number in range(1, len(requests) + 1)]
    ):
        compared = ask(server, row, version)
        tally.add(compared)
        if compared.lines and tally.different <= show:
            console.out(
                "\n".join([f"--- {compared.id}", *(f"  {line}" for line in compared.lines)])
            )
    return tally
