"""Compares evaluations: learns one and saves it, and has two saved ones play each other with searches of equal size.

    python -m scripts.strength.evaluation_match learn breakthrough old.npz --seconds 24
    python -m scripts.strength.evaluation_match play breakthrough new.npz old.npz --openings 20 --leaves 300

Seconds are CPU time. So what another checkout of Ludens learns, into which this file is copied, can be compared with
what this one learns. Every opening is played from both seats; games are of two roles that move in turn.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ludens.agent.commands.rules import find_rules
from ludens.agent.learning.features import with_features
from ludens.agent.learning.learning import learn
from ludens.native.core import Evaluation, EvaluationWeights, Game, Search, Simulator, States
from ludens.propnet.compile.loader import load
from scripts.common import arguments

_FEATURE_SECONDS = 60.0  # for each kind
_OPENING_MOVES = 4
_LONGEST = 200  # moves of a game, which then counts as even
_MEMORY_BYTES = 64 << 20


def game_of(name: str, *, territory: bool) -> Game:
    """The game with the features that evaluations see."""
    found = with_features(load(find_rules(name).sheet()), "all", _FEATURE_SECONDS)
    return Game.from_propnet(found.net if territory else found.without_territory().net)


def save(weights: EvaluationWeights, file: Path) -> None:
    """Writes weights as numpy does."""
    control = np.array(weights.control, np.int64)
    np.savez(file, control=control, linear=weights.linear, inner=weights.inner, output=weights.output)


def read(file: Path) -> EvaluationWeights:
    """Reads what `save` wrote."""
    with np.load(file) as saved:
        control = tuple(int(proposition) for proposition in saved["control"])
        return EvaluationWeights(control, saved["linear"], saved["inner"], saved["output"])


def legal_moves(simulator: Simulator, state: States) -> list[list[int]]:
    """For each role its legal moves; none at all where the game is over."""
    if simulator.terminal(state)[0]:
        return []
    return [np.flatnonzero(moves[0]).tolist() for moves in simulator.legal(state)]


def opening(simulator: Simulator, rng: random.Random) -> States:
    """A state some random moves from the beginning where the game goes on."""
    while True:
        state = simulator.game.initial
        for _ in range(_OPENING_MOVES):
            if legal := legal_moves(simulator, state):
                state = simulator.next(state, np.array([rng.choice(moves) for moves in legal], np.int32))[0]
        if legal_moves(simulator, state):
            return state


@dataclass(frozen=True, slots=True)
class Player:
    """Guided search of a game with the features that its evaluation sees, with so many leaves a move."""

    game: Game
    evaluation: Evaluation
    leaves: int

    def search(self, seed: int) -> Search:
        """Makes the search."""
        return Search(self.game, strategy="guided", evaluation=self.evaluation, memory_bytes=_MEMORY_BYTES, seed=seed)


def score(simulator: Simulator, state: States, players: Sequence[Player], seed: int) -> float:
    """Of the first seat in a game from `state`: 0, 0.5 or 1. `players` are those of the seats."""
    searches = [player.search(seed) for player in players]
    for _ in range(_LONGEST):
        if not (legal := legal_moves(simulator, state)):
            break
        joint = [moves[0] for moves in legal]
        mover = max(range(len(legal)), key=lambda role: len(legal[role]))
        if len(legal[mover]) > 1:
            searches[mover].set_root(state)
            searches[mover].run(playouts=players[mover].leaves)
            known = searches[mover].root_moves(mover)
            joint[mover] = int(known.moves[known.best])
        state = simulator.next(state, np.array(joint, np.int32))[0]
    first, second = (int(goal) for goal in simulator.goals(state)[0])
    return 0.5 if first == second else float(first > second)


def play(first: Player, second: Player, openings: int, seed: int) -> tuple[float, float]:
    """The score of the first player, and half its 95 % interval over openings."""
    simulator, rng, scores = Simulator(first.game, 64), random.Random(seed), []
    for number in range(openings):
        state = opening(simulator, rng)
        as_first = score(simulator, state, [first, second], number)
        as_second = 1 - score(simulator, state, [second, first], number)
        scores.append((as_first + as_second) / 2)
    return float(np.mean(scores)), float(1.96 * np.std(scores) / math.sqrt(openings))


def main() -> int:
    """Does what the subcommand says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    learning, playing = commands.add_parser("learn"), commands.add_parser("play")
    for command, files in ((learning, ["file"]), (playing, ["first", "second"])):
        command.add_argument("game", help="a built-in game or a .kif file")
        for file in files:
            command.add_argument(file, type=Path)
        command.add_argument("--territory", action="store_true", help="evaluations see territory")
        command.add_argument("--seed", type=int, default=1)
    learning.add_argument("--seconds", type=arguments.seconds, default=8.0, help="CPU seconds (8)")
    playing.add_argument("--openings", type=arguments.count, default=20, help="each for two games (20)")
    playing.add_argument("--leaves", type=arguments.count, default=300, help="of a search (300)")
    args = parser.parse_args()
    game = game_of(args.game, territory=args.territory)
    if args.command == "learn":
        save(learn(game, args.seconds, args.seed, clock=time.process_time).weights, args.file)
        return 0
    first, second = (Player(game, Evaluation(read(file)), args.leaves) for file in (args.first, args.second))
    mean, spread = play(first, second, args.openings, args.seed)
    print(f"{100 * mean:.1f} ± {100 * spread:.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
