"""OpenSpiel's C++ MCTSBot as a player in matches: `openspiel:mcts`, in games that both know.

UCT with random games, one a simulation, its solver on and its exploration constant 2, as its own examples have it.
It has the same wall-clock time a move as its opponent, so matches with it want a quiet machine. Managers meet it as

    PYTHONPATH=. ludens serve --player scripts/strength/openspiel_player.py:ServedOpenSpiel --port 9147 --margin 0.5

Its state follows from all moves of the game so far. Moves are told apart by their texts, so rules must not be
scrambled. Wherever the legal ones are not the same in both rules a match of `scripts.strength.match` ends with an
error; a server says so in its log ("failed in") and makes a random move.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Any

import ludens
from ludens.propnet.base.errors import LudensError
from ludens.propnet.network.propnet import Propnet
from scripts.strength.game_position import GamePosition

OPENSPIEL = "openspiel:mcts"
"""What it is called on the command line."""

_EXPLORATION = 2.0
_MEMORY_MB = 1000
_MOST_SIMULATIONS = 2**31 - 1  # none: time ends a search
_FILES = "abcdefgh"


def _connect_four(words: list[str]) -> str:
    return f"drop{int(words[1]) - 1}"


def _breakthrough(words: list[str]) -> str:
    """Our first player moves up, theirs down."""
    file, rank, to_file, to_rank = map(int, words[1:])
    return f"{_FILES[file - 1]}{9 - rank}{_FILES[to_file - 1]}{9 - to_rank}"


def _othello(words: list[str]) -> str:
    """Our corners are the same, whichever way the board is seen; their rows count from the top."""
    return "pass" if words[0] == "pass" else f"{_FILES[int(words[1]) - 1]}{words[2]}"


_GAMES: dict[str, tuple[str, Callable[[list[str]], str]]] = {
    "connect_four": ("connect_four", _connect_four),
    "breakthrough": ("breakthrough", _breakthrough),
    "reversi": ("othello", _othello),
}


class OpenSpielSearch:
    """OpenSpiel's search of a game, told of moves by their texts in our rules.

    Raises `LudensError` for games that OpenSpiel lacks and where it is not installed.
    """

    def __init__(self, rules: str, seed: int) -> None:
        try:
            import pyspiel
        except ImportError:
            raise LudensError("OpenSpiel is not installed: pip install -e '.[bench]'") from None
        if rules not in _GAMES:
            raise LudensError(f"openspiel:mcts plays {', '.join(_GAMES)}, not {rules}")
        name, self._translate = _GAMES[rules]
        self._spiel, self._game, self._seed = pyspiel, pyspiel.load_game(name), seed
        self.playouts = 0
        self.turns = 0

    def knows(self, legal: Sequence[str]) -> bool:
        """Says whether these are the legal moves of the first state."""
        state = self._game.new_initial_state()
        try:
            return {self._text(move) for move in legal} == {self._plain(state, a) for a in state.legal_actions()}
        except (IndexError, ValueError):  # moves of other words
            return False

    def choose(self, history: Sequence[Sequence[str]], seat: int, legal: Sequence[str], seconds: float) -> str:
        """Returns one of several legal moves of `seat` after joint moves."""
        state = self._game.new_initial_state()
        for joint in history:
            self._apply(state, joint)
        theirs = {self._plain(state, action): action for action in state.legal_actions()}
        ours = {self._text(move): move for move in legal}
        if theirs.keys() != ours.keys():
            raise LudensError(f"openspiel:mcts: other moves are legal there: {sorted(theirs)}, here {sorted(ours)}")
        action = self._search(state, seconds)
        self.turns += 1
        return ours[self._plain(state, action)]

    def _search(self, state: Any, seconds: float) -> int:
        seed = self._seed + self.turns
        evaluator = self._spiel.RandomRolloutEvaluator(1, seed)
        bot = self._spiel.MCTSBot(
            self._game,
            evaluator,
            _EXPLORATION,
            _MOST_SIMULATIONS,
            _MEMORY_MB,
            True,
            seed,
            False,
            max_wall_clock_time=seconds,
        )
        root = bot.mcts_search(state)
        self.playouts += root.explore_count
        if not root.children:  # time was over before the first simulation
            raise LudensError(f"openspiel:mcts had no time to search in {seconds} s")
        action: int = root.best_child().action
        return action

    def _apply(self, state: Any, joint: Sequence[str]) -> None:
        text = self._text(joint[state.current_player()])
        state.apply_action(next(a for a in state.legal_actions() if self._plain(state, a) == text))

    def _plain(self, state: Any, action: int) -> str:
        """Returns OpenSpiel's text of an action, without marks of players and captures."""
        text: str = state.action_to_string(state.current_player(), action)
        return re.sub(r"^[xo](\d)$", r"drop\1", text).rstrip("*")

    def _text(self, move: str) -> str:
        return self._translate(move.strip("()").split())


class OpenSpielPlayer:
    """One side of a match of `scripts.strength.match`; raises what `OpenSpielSearch` does."""

    def __init__(self, rules: str, net: Propnet, seed: int) -> None:
        self._search, self._net = OpenSpielSearch(rules, seed), net

    @property
    def playouts(self) -> int:
        """The random games of all searches."""
        return self._search.playouts

    @property
    def turns(self) -> int:
        """The number of moves that were searched for."""
        return self._search.turns

    def choose(self, position: GamePosition, legal: list[list[int]], seat: int, seconds: float) -> int:
        """Returns a legal move of `seat`."""
        if len(legal[seat]) == 1:
            return legal[seat][0]
        history = [[self._net.moves[role][move] for role, move in enumerate(joint)] for joint in position.history]
        texts = {self._net.moves[seat][move]: move for move in legal[seat]}
        return texts[self._search.choose(history, seat, list(texts), seconds)]


class ServedOpenSpiel(ludens.Player):
    """The player of `ludens serve`, which tells by the first moves which of its games is played.

    Rules that begin with the same moves and differ later are taken for the same, until other moves are legal.
    """

    def __init__(self) -> None:
        """Raises `LudensError` where OpenSpiel is not installed."""
        self._searches = [OpenSpielSearch(rules, random.SystemRandom().randrange(1 << 30)) for rules in _GAMES]

    def start(self, game: ludens.Game, role: str, clocks: ludens.Clocks) -> None:
        """Raises `LudensError` for a game that OpenSpiel lacks."""
        super().start(game, role, clocks)
        legal = game.initial.legal(game.roles[0])
        known = [search for search in self._searches if search.knows(legal)]
        if not known:
            raise LudensError(f"openspiel:mcts plays {', '.join(_GAMES)}, and this game is none of them")
        self._search = known[0]

    def choose(self, state: ludens.State, seconds: float) -> str:
        """Searches for all the time that there is."""
        assert state.history is not None
        seat, legal = self.game.role_index(self.role), state.legal(self.role)
        return self._search.choose(state.history, seat, legal, seconds)
