"""Declarative tests for CRDs: suites of objects with what the server is expected to make of them (openshift/api's format)."""
