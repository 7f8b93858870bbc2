"""Kustomizations: what they refer to, and what a build of them changes about CRDs."""
