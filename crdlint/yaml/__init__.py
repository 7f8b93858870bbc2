"""YAML to nodes with exact positions, scalars resolved as the API server's decoder does."""
