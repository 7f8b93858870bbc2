"""The path of a node in a document."""

from __future__ import annotations

from typing import TypeAlias

Steps: TypeAlias = "tuple[str | int, ...]"
