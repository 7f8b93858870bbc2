"""What crdlint says of a CRD that the API server accepts."""
