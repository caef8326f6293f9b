"""A search of the same game on another machine, which tells what it finds out and takes what others do.

Root parallelisation: every machine searches from the same root in a tree of its own, and a few times a second they tell
each other what they found out about their most visited nodes (Chaslot, Winands and van den Herik, "Parallel Monte-Carlo
tree search", 2008; native/src/search/shared_stats.hpp). No peer waits for another.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ludens.native.core import MOST_PEERS, Game, Search, States, Words
from ludens.propnet.base.errors import NativeError

SHARED_NODES = 64
"""How many nodes a search tells of: those that it visits most."""

PRIOR_NOISE = 0.25
"""Part of the priors of guided search that each peer draws by lot: without it all would look at the same leaves."""

_RUN_SECONDS = 0.2  # of a run: how soon a new root is taken at the latest
_LEASE_SECONDS = 2.0  # for which a peer searches on when nobody asks what it has found


@dataclass(frozen=True, slots=True)
class PeerPlan:
    """What a peer needs to search as the player does: the game, and the arguments of `Search`."""

    game: Game
    arguments: Mapping[str, Any]  # all but the threads, the seed and what concerns peers
    threads: int  # of the player's own search, which are not to be had for peers on the same machine
    seed: int


@dataclass(frozen=True, slots=True)
class Round:
    """What a peer is told: the root, and what others found out, by the place of each."""

    number: int  # of the root: the same as long as that is the same
    root: States
    told: Mapping[int, Words] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RoundResult:
    """What a peer found out by itself, and at which root."""

    number: int
    words: Words
    iterations: int  # since it was made


class PeerSearch:
    """A peer, which searches in a thread of its own as long as `do` is called; for an actor in a cluster."""

    def __init__(self, plan: PeerPlan, place: int, threads: int) -> None:
        """Makes the search of the peer at a `place`, 1 … `MOST_PEERS` - 1, among those that search together."""
        self._search = Search(
            plan.game,
            threads=threads,
            seed=plan.seed + place,
            peers=MOST_PEERS,
            prior_noise=PRIOR_NOISE,
            **plan.arguments,
        )
        self._changed = threading.Condition()
        self._round: Round | None = None
        self._number = -1  # of the root that is searched
        self._lease = 0.0  # time until which it searches
        self._failure = ""
        threading.Thread(target=self._work, name="search of a peer", daemon=True).start()

    def do(self, told: Round) -> RoundResult:
        """Goes to the root of the round, takes what others found out, and returns what this search did.

        Raises NativeError once the search has failed.
        """
        if self._failure:
            raise NativeError(self._failure)
        for place, words in told.told.items():
            self._search.take_stats(place, words)
        with self._changed:
            if told.number != self._number:
                self._search.stop()
            self._round, self._lease = told, time.monotonic() + _LEASE_SECONDS
            self._changed.notify()
            number = self._number
        return RoundResult(number, self._search.shared_stats(SHARED_NODES), self._search.stats().iterations)

    def _work(self) -> None:
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(self._has_work)
                    wanted = self._round
                assert wanted is not None
                if wanted.number != self._number:
                    self._search.set_root(wanted.root)
                    self._number = wanted.number
                self._search.run(seconds=_RUN_SECONDS)
        except (NativeError, MemoryError) as error:
            self._failure = str(error) or "out of memory"
        except Exception as error:  # noqa: BLE001 - whatever it is, who asks next is told
            self._failure = f"{type(error).__name__}: {error}"

    def _has_work(self) -> bool:
        if self._round is None or time.monotonic() > self._lease:
            return False
        return self._round.number != self._number or not self._search.stats().solved
