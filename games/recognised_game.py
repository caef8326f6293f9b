"""The interface of recognised games, and of recognisers, which find such a game in a network.

A recogniser finds out that a network plays a game for which there is a game core of its own, faster than the network,
and proves by play that both agree. `registry` lists the recognisers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ludens.native.core import Evaluation, Game, Knowledge, States
from ludens.native.kernels.kernel_process import MakeKernel
from ludens.native.kernels.kernel_search import Kernel
from ludens.propnet.base.child import Tell
from ludens.propnet.base.errors import LudensError
from ludens.propnet.network.propnet import Propnet


@dataclass(frozen=True, slots=True)
class MatchInWords:
    """A match in a notation, told in the words of a built-in rule sheet."""

    game: str  # the name of the sheet
    players: tuple[str, ...]  # by role; empty: not named
    moves: tuple[tuple[str, ...], ...]  # joint moves
    notice: str  # what the match lacks of what is written; empty: nothing


@dataclass(frozen=True, slots=True)
class Notation:
    """How people write the moves and matches of one game: a value of `ludens match --notation`, and a kind of file."""

    name: str  # such as "pdn"
    suffix: str  # of files that hold a match, such as ".pdn"
    usual_game: Callable[[str], str]  # that a text means where none is named; raises LudensError
    # Reads a match of that game, without recognising it first; raises LudensError. None: it must be recognised.
    usual_match: Callable[[str], MatchInWords] | None = None


class BoardDrawing(Protocol):
    """Draws the states of one network."""

    def draw(self, facts: Iterable[str]) -> str:
        """Returns a drawing of the state in which these facts hold."""


class WrittenMatch(Protocol):
    """A match in the notation of its game, followed move by move."""

    players: tuple[str, ...]  # by role; empty: not named
    ends: bool  # the text says how the match ended, so that nothing of it is missing

    def next(self, legal: Sequence[Sequence[str]]) -> tuple[str, ...] | None:
        """Returns the next joint move, of the legal moves of each role; None after the last.

        Raises LudensError for a move that is not legal, or fits several.
        """


class NotationReader(Protocol):
    """Reads matches of one network in the notation of its game."""

    def read(self, text: str) -> WrittenMatch:
        """Returns the match in a text; raises LudensError."""


class NotationWriter(Protocol):
    """Writes the moves and matches of one network in the notation of its game."""

    def check_rules(self) -> None:
        """Raises LudensError if the notation cannot hold matches by these rules."""

    def move(self, joint: Sequence[str]) -> str:
        """Returns a joint move."""

    def match(self, players: Sequence[str], moves: Iterable[Sequence[str]], goals: Sequence[int], begun: int) -> str:
        """Returns a match: players by role, joint moves, goals by role (none: aborted), start in ms since 1970."""


class GameOnCore(ABC):
    """A game on a game core of its own."""

    machine: str  # the name of the game core in reports
    strategy: str = ""  # that plays it best; empty: players find out
    policy: str = "uniform"  # of its random games
    identity: str = (
        ""  # all of its rules and how its states are coded, as what is learned of it is kept; empty: it is not
    )

    @abstractmethod
    def __str__(self) -> str:
        """Says in one line which game it is; of one that was recognised, what proves it as well."""

    @abstractmethod
    def native_game(self) -> Game:
        """Makes the game on its core. Raises NativeError for want of memory."""

    def weights(self, choice: str) -> npt.NDArray[np.float32] | None:
        """Returns the weights of the network by which its strategy judges positions, float32[weights]; None: by none.

        `choice` is a file, or `shipped` for the network that comes with Ludens; empty: what plays best. Raises
        LudensError.
        """
        return None


class RecognisedGame(GameOnCore):
    """The game of one network on a game core of its own, proven by play to be the same game."""

    drawing: BoardDrawing | None = None  # None: the board is drawn as that of any game
    writer: NotationWriter | None = None  # None: there is no notation
    reader: NotationReader | None = None  # None: nothing in a notation can be read

    @abstractmethod
    def move_text(self, role: int, number: int, state: States) -> str:
        """Returns the network's text of a move that the native game makes in one of its states."""

    @abstractmethod
    def move_number(self, role: int, text: str) -> int:
        """Returns the native game's number of a move of the network; -1 if there is no such move."""

    def knowledge(self, pieces: int, threads: int, tell: Tell) -> Knowledge | None:
        """Returns what endgame tables of up to `pieces` pieces prove of the game; None where none apply.

        Builds missing tables with `threads` threads. `tell` takes progress, and the reason where none apply.
        """
        return None

    def make_kernel(self, *, gpu: bool, max_steps: int) -> MakeKernel | None:
        """Returns what makes a kernel for random games of at most `max_steps` moves; None if there is none."""
        return None

    def network_evaluation(self, path: Path) -> Evaluation:
        """Returns what the trained network of a file says of its states; raises LudensError, also if there are none."""
        raise LudensError(f"no network of {path} judges this game: {self}")

    def network_games(self, path: Path, share: float, max_steps: int) -> Kernel:
        """Returns a kernel for random games of which the network of a file chooses a share of the moves, 0 … 1.

        Raises LudensError, also if there are no networks of this game.
        """
        raise LudensError(f"no network of {path} plays this game: {self}")


class Recogniser(ABC):
    """Recognises one kind of game in networks, whatever the words of the rule sheet."""

    name: str  # as in "recognised as checkers"
    notation: Notation | None = None  # of its games
    strategy: str = ""  # made for its game cores; empty: there is none
    strategies: tuple[str, ...] | None = None  # that its game cores serve besides `strategy` and `auto`; None: all

    @abstractmethod
    def looks_alike(self, net: Propnet) -> bool:
        """Says within milliseconds whether a network may be such a game, so that `recognise` is worth its time."""

    @abstractmethod
    def recognise(self, net: Propnet, seconds: float, games: int) -> RecognisedGame:
        """Recognises the game and proves it on `games` random games, or as many as fit into `seconds`.

        Raises NotRecognisedError with the reason; at once where `looks_alike` says no.
        """
