"""What is told of a match to all who look at it: a snapshot first, then each change as it happens."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeAlias

_MOST_OF_PIECE = 16 << 10  # characters


class MatchEvent:
    """What has happened, as JSON."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Takes what is told of it."""
        self.data = data

    @cached_property
    def pieces(self) -> list[bytes]:
        """The server-sent events that tell it, written once, however many pages they are sent to.

        A long text comes in several, each called `part` but the last: who reads slowly sees that something comes.
        """
        text = json.dumps(self.data, separators=(",", ":")).encode()
        cut = [text[i : i + _MOST_OF_PIECE] for i in range(0, len(text), _MOST_OF_PIECE)]
        return [*(b"event: part\ndata: " + part + b"\n\n" for part in cut[:-1]), b"data: " + cut[-1] + b"\n\n"]


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
