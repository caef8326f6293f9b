"""Lets one thread at a time into an environment, and nobody once its games are freed."""

from __future__ import annotations

import threading

from ludens.agent.api.errors import InUseError
from ludens.agent.env.batch import Batch


class Entry:
    """A context of whatever uses an environment: several steps of a batch, which nothing may come between."""

    def __init__(self, batch: Batch) -> None:
        self._batch, self._lock = batch, threading.Lock()

    def __enter__(self) -> None:
        """Raises `InUseError` if another thread is inside, and `ClosedError` if the games are freed."""
        if not self._lock.acquire(blocking=False):
            raise InUseError("this environment is in use by another thread: give each thread one of its own")
        try:
            self._batch._check_open()
        except BaseException:
            self._lock.release()
            raise

    def __exit__(self, *_: object) -> None:
        self._lock.release()
