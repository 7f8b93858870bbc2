"""Advice about CRDs that the API server accepts."""
