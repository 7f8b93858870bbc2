"""Kubernetes' use of CEL: environments by version, declarations from schemas, libraries, compilation of rules."""
