"""What is told of a match to all who look at it: a snapshot first, then each change as it happens."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeAlias


class MatchEvent:
    """What has happened, as JSON."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Takes what is told of it."""
        self.data = data

    @cached_property
    def encoded(self) -> bytes:
        """The server-sent event, whose data is one line; written once, however many pages it is sent to."""
        return b"data: " + json.dumps(self.data, separators=(",", ":")).encode() + b"\n\n"


Listener: TypeAlias = Callable[[MatchEvent], None]


class Feed:
    """Passes events on to listeners."""

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
        """Lets somebody listen, until `key` is removed."""
        self._listeners[key] = listener

    def remove(self, key: object) -> None:
        """Tells a listener nothing more."""
        self._listeners.pop(key, None)

    def publish(self, data: Mapping[str, Any]) -> None:
        """Tells all who listen."""
        event = MatchEvent(data)
        for listener in list(self._listeners.values()):
            listener(event)
