"""Validation of custom resources against their CRDs, as on create and update in the API server."""
