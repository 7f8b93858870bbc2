"""`python -m crdlint`, and the `crdlint` command."""

from crdlint.cli.interrupts import handled


def main() -> None:
    """Run the command line. Signals are handled before everything else is imported."""
    with handled():
        from crdlint.cli.main import main as run

        run()


if __name__ == "__main__":
    main()
