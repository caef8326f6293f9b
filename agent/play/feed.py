"""What is told of a match to all who look at it: a snapshot first, then each change as it happens."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Listener: TypeAlias = Callable[[bytes], None]
"""Takes an event as it is sent to a page."""


def encode_event(data: Mapping[str, Any]) -> bytes:
    """Returns a server-sent event whose data is JSON in one line."""
    return b"data: " + json.dumps(data, separators=(",", ":")).encode() + b"\n\n"


class Feed:
    """Passes events on to listeners; each event is written once, however many listen."""

    def __init__(self, most: int) -> None:
        """At most so many listen at once."""
        self._most = most
        self._listeners: dict[object, Listener] = {}

    def __len__(self) -> int:
        """Returns how many listen."""
        return len(self._listeners)

    @property
    def is_full(self) -> bool:
        """Whether nobody else may listen."""
        return len(self._listeners) >= self._most

    def add(self, key: object, listener: Listener) -> None:
        """Lets somebody listen."""
        self._listeners[key] = listener

    def remove(self, key: object) -> None:
        """Ends that."""
        self._listeners.pop(key, None)

    def publish(self, data: Mapping[str, Any]) -> None:
        """Tells all who listen."""
        if self._listeners:
            event = encode_event(data)
            for listener in list(self._listeners.values()):
                listener(event)
