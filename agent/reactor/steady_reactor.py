"""The global reactor on a steady clock: timers keep their time when somebody sets the clock of the machine."""

from __future__ import annotations

import time
from typing import Any


def steady_reactor() -> Any:
    """Returns the global reactor; to be called before it has any timer."""
    from twisted.internet import reactor as installed

    reactor: Any = installed
    reactor.seconds = time.monotonic
    return reactor
