"""Helm charts and kustomizations: CRDs in templates rendered or masked, positions in the user's own files."""
