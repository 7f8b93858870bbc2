"""Helm charts: rendered offline if Helm is available, else checked with their directives masked."""
