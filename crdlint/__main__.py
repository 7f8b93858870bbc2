"""`python -m crdlint`."""

from crdlint.cli.main import main

main()
