"""Where documents come from: paths, stdin, git revisions."""
