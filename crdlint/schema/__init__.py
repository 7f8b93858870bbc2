"""Structural schemas."""
