"""Old CRDs (`--against`), read from a git revision, a directory or a file."""
