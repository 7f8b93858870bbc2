"""CRDs as they were before (`--against`): read from a git revision, a folder or a file."""
