"""The error of a function called with values it does not take (cel-go's types.NewErr)."""

from __future__ import annotations


class FunctionError(ValueError):
    """A function has no result for its arguments; ``str()`` is cel-go's own text."""
