"""`python -m tests.upstream`."""

from .commands import main

if __name__ == "__main__":
    main(prog_name="python -m tests.upstream")
