"""The smallest CRD that the API server accepts, which tests extend."""

from __future__ import annotations

from crdlint.rules.engine.examples import HEAD, small

__all__ = ["HEAD", "SMALLEST", "small"]

SMALLEST = f"{HEAD.rstrip()} {{type: object}}\n"
