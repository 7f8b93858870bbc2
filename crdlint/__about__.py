"""The version of crdlint, in one place, and the commit that a release was built from."""

__version__ = "0.1.0"
COMMIT = ""
