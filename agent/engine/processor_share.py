"""Decides who has the processor: the making of machines, the search, or a preparation of the game that goes on later.

before the first turn     machines are made, and no agent searches until that is over
our turn                  the search; late preparation is paused
we wait                   late preparation, if there is one, else the search, which thinks on
told to rest              late preparation, if there is one, else nobody
processors to spare       late preparation all the time, beside whoever has the processor otherwise
"""

from __future__ import annotations

from typing import Protocol


class Pausable(Protocol):
    """A late preparation, which can be kept from the processor."""

    @property
    def beside_search(self) -> bool:
        """Whether there are processors to spare, so that it goes on while we think."""

    def pause(self, paused: bool) -> None:
        """Pauses it, or lets it go on."""


class ProcessorShare:
    """The processor of one engine; whoever changes it holds the engine's lock."""

    def __init__(self) -> None:
        """Begins before the first turn, with nothing to make."""
        self.called = False
        """Whether a turn has come."""
        self.waiting = False
        """Whether there is nothing for us to choose."""
        self._loading = False
        self._resting = False
        self._later: Pausable | None = None

    @property
    def may_search(self) -> bool:
        """Whether the agent that leads may search."""
        yields = self._later is not None and self.waiting and not self._later.beside_search
        return not (self._loading or self._resting or yields)

    def load(self) -> None:
        """Machines are being made: the processor is theirs until the first turn."""
        self._loading = not self.called

    def loaded(self, later: Pausable | None) -> None:
        """All machines are there that will be; the game is prepared `later`, or not."""
        self._loading, self._later = False, later
        self._share()

    def prepared(self) -> None:
        """The late preparation is over."""
        self._later = None

    def turn(self, *, waiting: bool) -> None:
        """A turn has come, in which we are known to be waiting or not."""
        self.called, self._loading, self._resting = True, False, False
        self.arrive(waiting=waiting)

    def arrive(self, *, waiting: bool) -> None:
        """It has become known whether there is anything to choose."""
        self.waiting = waiting
        self._share()

    def rest(self) -> None:
        """Nothing is to be searched until the next turn."""
        self._resting = True
        self.arrive(waiting=True)

    def _share(self) -> None:
        if self._later is not None and not self._later.beside_search:
            self._later.pause(not self.waiting)
