"""Connects a search to its peers in a cluster, through a process of its own that may be slow, hang or die.

A search must never wait for a cluster, so that no method here does: a thread sends what was said last, another one
keeps what was heard last. The process (search_driver.py) also keeps the cluster's libraries, their threads and their
address space out of the process that plays.
"""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import IO

from ludens.agent.cluster.peer_search import PeerPlan, Round
from ludens.native.core import Words
from ludens.propnet.base.child import Tell, end, error_text, start


@dataclass(frozen=True, slots=True)
class Heard:
    """What came from the cluster: what peers found out, by their places, or a line for the user."""

    told: Mapping[int, Words] = field(default_factory=dict)
    line: str = ""
    last: bool = False  # nothing follows


class SearchLink:
    """A link of one search at a time to its peers; it ends with this object. Its methods are for one thread."""

    def __init__(self, address: str, tell: Tell) -> None:
        """Begins to connect with the cluster at `address`; `tell` takes what becomes of it, from another thread."""
        self._tell = tell
        self._channel = _Channel(tell)
        self._end = weakref.finalize(self, self._channel.close)
        threading.Thread(target=self._channel.converse, args=[address], name="cluster", daemon=True).start()

    def begin(self, plan: PeerPlan) -> None:
        """Has peers made for another search."""
        self._channel.say(plan=plan)

    def update(self, told: Round) -> None:
        """Says which root is searched, and in place 0 what this search found out, for peers to take."""
        self._channel.say(told=told)

    def heard(self) -> Mapping[int, Words]:
        """Returns what peers found out, by their places, as far as it came since the last call."""
        return self._channel.heard()

    def close(self, reason: str = "") -> None:
        """Ends the connection, and tells the reason if there is one to tell."""
        if self._end.alive and reason:
            self._tell(f"the search goes on without the cluster: {reason}")
        self._end()


class _Channel:
    """The process at the other end and the two threads that talk to it; it does not refer to the link."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._changed = threading.Condition()
        self._plan: PeerPlan | None = None  # these two are yet to be sent
        self._told: Round | None = None
        self._heard: dict[int, Words] = {}
        self._closed = False
        self._process: subprocess.Popen[bytes] | None = None

    def say(self, *, plan: PeerPlan | None = None, told: Round | None = None) -> None:
        with self._changed:
            if plan is not None:
                self._plan, self._told = plan, None
                self._heard.clear()
            if told is not None:
                self._told = told
            self._changed.notify()

    def heard(self) -> Mapping[int, Words]:
        with self._changed:
            heard, self._heard = self._heard, {}
        return heard

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()
            process = self._process
        if process is not None:
            end(process)

    def converse(self, address: str) -> None:
        """Starts the process, and listens to it until it ends; it ends with the thread that starts it."""
        with tempfile.TemporaryFile() as errors:
            with self._changed:
                if self._closed:
                    return
                self._process, pipe = start("ludens.agent.cluster.search_driver:main", errors)
            speaker = threading.Thread(target=self._speak, args=[pipe, address], name="to the cluster", daemon=True)
            speaker.start()
            with pipe:
                with contextlib.suppress(EOFError, OSError):
                    while True:
                        self._take(pipe.recv())
                self._lost(errors)
                speaker.join()

    def _take(self, heard: Heard) -> None:
        if heard.line:
            self._tell(heard.line)
        with self._changed:
            self._heard.update(heard.told)
            self._closed |= heard.last

    def _lost(self, errors: IO[bytes]) -> None:
        with self._changed:
            closed, self._closed = self._closed, True
            self._changed.notify()
        assert self._process is not None
        end(self._process)
        if not closed:
            lost = f"the connection to the cluster is lost, the search goes on alone: {error_text(errors)}"
            self._tell(lost.rstrip(": "))

    def _speak(self, pipe: Connection, address: str) -> None:
        try:
            self._say_all(pipe, address)
        except OSError:  # the process is gone, which whoever listens to it says
            return
        except Exception as error:  # noqa: BLE001 - what cannot be sent, whatever it is, must not end the search
            self._tell(f"the search goes on without the cluster: {error}")
            self.close()

    def _say_all(self, pipe: Connection, address: str) -> None:
        """Sends the address, and what is said until all is closed."""
        pipe.send(address)
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._plan or self._told)
                plan, self._plan = self._plan, None
                told, self._told = self._told, None
                if self._closed:
                    return
            if plan is not None:
                pipe.send(plan)
            if told is not None:
                pipe.send(told)
