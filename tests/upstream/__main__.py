"""`python -m tests.upstream`: asking the API server itself."""

from __future__ import annotations

import click

from .live.command import live


@click.group()
def main() -> None:
    """Ask the API server itself, and compare its answers with the records and with crdlint."""


main.add_command(live)

if __name__ == "__main__":
    main(prog_name="python -m tests.upstream")
