"""The signals that end a run: Ctrl-C, kill, a closed terminal, and Ctrl-backslash."""

from __future__ import annotations

import signal
from typing import Final

_NAMES: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")  # Windows has only the first two
ENDING: Final = tuple(signal.Signals[name] for name in _NAMES if hasattr(signal, name))
