"""How to correct what the API server rejects, in words: a module for each family of `rules/server/`."""
