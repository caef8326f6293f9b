"""The contract of a search: what a player may ask of any search, however it is put together.

`assembly.new_search` makes every search of a player. The native `Search` fulfils the contract, and so does each
decorator around it: `KernelSearch`, `EarlyWinSearch`, `FactoredSearch`, `ClusterSearch`, and within the native core the
solver and the endgame tables (native/src/search/search.hpp).

Threads: `set_root`, `run` and `suggest` are for one thread at a time. Every other method may be called at any time
from any thread, also during a run.
"""

from __future__ import annotations

from typing import Protocol

from ludens.native.core import Game, JointMoves, RootMoves, SearchStats, States


class GameSearch(Protocol):
    """Searches one game for the best moves of all roles, and keeps what it knows from one root to the next."""

    @property
    def game(self) -> Game:
        """The game that is searched: its states and moves are those of all arguments and results."""

    @property
    def unguided_visits(self) -> int:
        """How many visits begin before the first result is known, and so tell nothing about a choice."""

    @property
    def mixes(self) -> bool:
        """Whether visits, where several roles choose at once, are a mixed strategy to draw a move from."""

    def set_root(self, state: States | None = None) -> None:
        """Makes `state`, by default the initial one, the root. Raises `NativeError` where it does not fit."""

    def run(self, seconds: float = 0.0, playouts: int = 0) -> None:
        """Searches for `seconds`, or until `playouts` more random games are finished; 0 is no limit.

        Ends early once the root is solved, or when stopped. Raises `NativeError` if the game fails; then the search
        is of no further use.
        """

    def stop(self) -> None:
        """Ends a run in progress, soon; without effect on later runs."""

    def suggest(self, moves: JointMoves) -> None:
        """Offers a line of joint moves from the root on; a search that has no use for lines ignores it."""

    def stats(self) -> SearchStats:
        """Returns the counters since the search was made; `solved` and `root_visits` are those of the root."""

    def root_moves(self, role: int) -> RootMoves:
        """Returns what is known of the legal moves of a role at the root, and which of them is the best."""

    def expected_line(self, room: int = 20) -> JointMoves:
        """Returns the joint moves expected from the root on, at most `room` of them."""
