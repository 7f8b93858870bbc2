"""The libraries of cel-go as tables of declarations by version."""
