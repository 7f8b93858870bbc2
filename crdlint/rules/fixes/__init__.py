"""Edits that repair what the API server rejects."""
