"""Asking the API server itself."""
