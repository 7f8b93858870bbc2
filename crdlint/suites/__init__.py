"""Declarative tests for CRDs: suites of objects with the expected result, in the format of openshift/api."""
