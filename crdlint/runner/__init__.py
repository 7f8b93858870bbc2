"""Fast runs: cached results, and files distributed over processes."""
