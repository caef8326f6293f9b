"""Measures which of two players is stronger: equal time, both sides, seeded openings, and a 95 % interval.

    python -m scripts.strength.match breakthrough uct flat --games 40 --seconds 1 --jobs 2 --out strength.jsonl

In games of more or fewer than two roles the first player takes each seat in turn. A player's score in a game is the
mean goal of its seats less that of the others. openspiel:mcts is OpenSpiel's C++ MCTSBot
(scripts/strength/openspiel_player.py). Players are prepared by the same functions as those of engines, and play a
recognised game on its own core, as those do; they keep nothing of what they learn. Where there is a GPU say
kernel=off: its time is no CPU time. How games are arranged and counted is said in scripts/common/match_runner.py.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Callable

import numpy as np

from ludens.agent.engine.backends import network_backend
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.preparation.recognition import recognised_game
from ludens.agent.protocol.state_history import StateHistory
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.mixed_strategy import choose
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.players import read_search
from ludens.agent.tournament.result import score_of
from ludens.games.recognised_game import RecognisedGame
from ludens.games.rules import find_rules
from ludens.native.core import Game, Simulator, States
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet
from scripts.common import match_runner
from scripts.common.match_runner import Outcome, Task
from scripts.common.progress import tell
from scripts.strength.game_position import GamePosition
from scripts.strength.openspiel_player import OPENSPIEL, OpenSpielPlayer


class Player:
    """One side: chooses a move for a seat within the time, each of its threads that by a clock."""

    def __init__(
        self,
        net: Propnet,
        text: str,
        seconds: float,
        seed: int,
        clock: Callable[[], float] = time.process_time,
        sheet: RuleSheet | None = None,
    ) -> None:
        """With its `sheet` the player uses what is kept of the game, and keeps what it learns of it."""
        self._options, self._clock = read_search(text), clock
        self._random = random.Random(seed)
        config, recognised = prepared(net, self._options, seconds, sheet)
        self._net, self._game = net, network_backend(net, config, recognised).make()[0]
        self._path = StateHistory(self._game.game.initial, self._game.after)
        self._search = new_search(config, seed)
        self.playouts = 0
        self.turns = 0

    def choose(self, position: GamePosition, legal: list[list[int]], seat: int, seconds: float) -> int:
        """Returns a legal move of `seat`."""
        if self._options.strategy == "first" or len(legal[seat]) == 1:
            return legal[seat][0]
        if self._search is None:
            return self._random.choice(legal[seat])
        before = self._search.stats().playouts
        state = self._path.follow(tuple(self._texts(joint) for joint in position.history))
        self._search.set_root(state)
        threads = self._options.workers if self._clock is time.process_time else 1
        match_runner.think(self._search, seconds, threads, self._clock)
        self.playouts += self._search.stats().playouts - before
        self.turns += 1
        known = self._search.root_moves(seat)
        hidden = sum(len(moves) > 1 for moves in legal) > 1
        chosen = choose(known, self._random.random, hidden=hidden, mixes=self._search.mixes)
        return self._net.moves[seat].index(self._game.move(seat, int(known.moves[chosen]), state))

    def _texts(self, joint: tuple[int, ...]) -> tuple[str, ...]:
        """Returns a joint move of the network in GDL, which the core of a recognised game understands too."""
        return tuple(moves[number] for moves, number in zip(self._net.moves, joint, strict=True))


_LONGEST = 300  # joint moves; a game in which both pass for ever counts as even
_networks: dict[str, Propnet] = {}
_prepared: dict[tuple[int, PlayerOptions, float, bool], tuple[SearchConfig, RecognisedGame | None]] = {}


def network(game: str) -> Propnet:
    """Returns the network of a game, made once in each process."""
    if game not in _networks:
        _networks[game] = load(find_rules(game).sheet())
    return _networks[game]


def prepared(
    net: Propnet, settings: PlayerOptions, seconds: float, sheet: RuleSheet | None = None
) -> tuple[SearchConfig, RecognisedGame | None]:
    """Recognises the game and prepares as a player does, in `learn` CPU seconds: once in each process.

    `seconds` is the time of a move of the match. What is kept of the game of a `sheet` is used.
    """
    key = id(net), settings, seconds, sheet is not None
    if key not in _prepared:
        recognised = recognised_game(net, settings, tell)
        budget = TimeBudget(
            settings.unclocked_seconds, seconds, os.getpid(), time.process_time, tell=tell, explain=tell
        )
        _prepared[key] = prepare(net, settings, budget, sheet=sheet, recognised=recognised), recognised
    return _prepared[key]


def legal_moves(simulator: Simulator, state: States) -> list[list[int]]:
    """Returns for each role the indices of its legal moves."""
    return [np.flatnonzero(moves[0]).tolist() for moves in simulator.legal(state)]


def is_over(simulator: Simulator, state: States) -> bool:
    """Says whether the state is terminal, or a role is stuck."""
    return bool(simulator.terminal(state)[0]) or not all(legal_moves(simulator, state))


def further(simulator: Simulator, position: GamePosition, joint: list[int]) -> GamePosition:
    """Returns the position one joint move later."""
    state = simulator.next(position.state, np.array(joint, np.int32))[0]
    return GamePosition(state, (*position.history, tuple(joint)))


def opening(simulator: Simulator, task: Task) -> GamePosition:
    """Returns the position where the players take over; raises `LudensError` as `match_runner.opening`."""

    def random_step(position: GamePosition, rng: random.Random) -> GamePosition:
        return further(simulator, position, [rng.choice(moves) for moves in legal_moves(simulator, position.state)])

    return match_runner.opening(
        task, GamePosition(simulator.game.initial), lambda position: is_over(simulator, position.state), random_step
    )


def new_player(task: Task, seat: int) -> Player | OpenSpielPlayer:
    """Makes the player of a seat; raises `LudensError`. OpenSpiel's knows no clock but that on the wall.

    Every seat has a search of its own: one for two seats would search twice as long.
    """
    number = int(seat != task.seat)
    text, seed = task.players[number], match_runner.seed_of(task, number) + (seat << 32)
    if text == OPENSPIEL:
        return OpenSpielPlayer(task.game, network(task.game), seed)
    clock = time.monotonic if OPENSPIEL in task.players else time.process_time
    return Player(network(task.game), text, task.seconds, seed, clock)


def play(task: Task) -> Outcome:
    """Plays one game."""
    game = Game.from_propnet(network(task.game))
    simulator = Simulator(game, 64)
    players = [new_player(task, seat) for seat in range(game.roles)]
    position, moves = opening(simulator, task), 0
    while not is_over(simulator, position.state) and moves < _LONGEST:
        legal = legal_moves(simulator, position.state)
        joint = [player.choose(position, legal, seat, task.seconds) for seat, player in enumerate(players)]
        position, moves = further(simulator, position, joint), moves + 1
    goals = np.where((g := simulator.goals(position.state)[0]) < 0, 50, g)
    score = score_of(goals.tolist(), task.seat)
    own, rest = [players[task.seat]], [player for seat, player in enumerate(players) if seat != task.seat]
    return Outcome(match_runner.key(task), score, moves, (_effort(own), _effort(rest)))


def _effort(players: list[Player | OpenSpielPlayer]) -> int:
    """Returns the playouts of an average move."""
    return sum(player.playouts for player in players) // max(1, sum(player.turns for player in players))


def main() -> int:
    """Plays the match and prints its summary as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", help="a built-in game or a .kif file")
    match_runner.add_arguments(
        parser, "a strategy, as in uct or uct:exploration=0.5,lanes=64, or openspiel:mcts", opening_moves=2
    )
    args = parser.parse_args()
    try:
        seats = len(network(args.game).roles)
        match_runner.play_match(args, seats, play)
    except LudensError as error:
        print(f"match: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
