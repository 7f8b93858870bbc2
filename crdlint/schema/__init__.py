"""Structural schemas and the values that they describe."""
