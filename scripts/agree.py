"""Plays random games by the oracle and compares the native simulator with it, state for state.

    python -m scripts.agree connect_four rules.kif --playouts 20

Games are built-in ones or files of rules. Compared are the legal moves of every role, the next state,
terminal and goals. Left out are facts that the network has dropped: those that nothing depends on and those
that never change.
The exit status is 0 only when all agree.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import games
from native.core import Game, Simulator, States, pack_bits, unpack_bits
from propnet.errors import LudensError
from propnet.interpreter import Interpreter, State
from propnet.loader import load
from propnet.network import Propnet
from propnet.parser import parse_rules
from propnet.syntax import Term


@dataclass(frozen=True, slots=True)
class Step:
    """One state of a game as the oracle sees it; legal moves are sorted by their text."""

    state: State
    terminal: bool
    legal: tuple[tuple[Term, ...], ...]  # of each role, none in a terminal state
    goals: tuple[int | None, ...] | None  # of each role, asked for in the first and in terminal states
    moves: tuple[Term, ...] | None  # the joint move played; None at the end


def play(oracle: Interpreter, chance: random.Random, max_steps: int) -> list[Step]:
    """A random game, up to a terminal state, one in which a role has no legal move, or `max_steps` moves."""
    steps: list[Step] = []
    state = oracle.initial()
    while True:
        terminal = oracle.terminal(state)
        legal = () if terminal else tuple(tuple(oracle.legal(state, role)) for role in oracle.roles)
        going = bool(legal) and all(legal) and len(steps) < max_steps
        moves = tuple(chance.choice(choices) for choices in legal) if going else None
        goals = oracle.goals(state) if terminal or not steps else None
        steps.append(Step(state, terminal, legal, goals, moves))
        if moves is None:
            return steps
        state = oracle.next(state, moves)


class Comparison:
    """The native simulator of one network, held against steps of the oracle."""

    def __init__(self, net: Propnet) -> None:
        """Makes a simulator of `net`."""
        self._net = net
        self._simulator = Simulator(Game.from_propnet(net))
        self._bit = {fact: bit for bit, fact in enumerate(net.propositions)}

    def disagreements(self, steps: Sequence[Step]) -> list[str]:
        """One line for each thing in which the simulator differs, for the steps of one game."""
        states = self._pack([step.state for step in steps])
        return [
            *self._legal(steps, states),
            *self._terminal(steps, states),
            *self._goals(steps, states),
            *self._next(steps, states),
        ]

    def _pack(self, states: Sequence[State]) -> States:
        bits = np.zeros((len(states), len(self._bit)), np.bool_)
        for row, state in zip(bits, states, strict=True):
            row[[self._bit[fact] for fact in map(str, state) if fact in self._bit]] = True
        return pack_bits(bits)

    def _legal(self, steps: Sequence[Step], states: States) -> Iterator[str]:
        for role, rows in enumerate(self._simulator.legal(states)):
            for place, (step, row) in enumerate(zip(steps, rows, strict=True)):
                if not step.terminal:
                    found = {self._net.moves[role][move] for move in row.nonzero()[0]}
                    wanted = set(map(str, step.legal[role]))
                    yield from _differences(f"step {place}: legal {self._net.roles[role]}", found, wanted)

    def _terminal(self, steps: Sequence[Step], states: States) -> Iterator[str]:
        for place, (step, found) in enumerate(zip(steps, self._simulator.terminal(states), strict=True)):
            if found != step.terminal:
                yield f"step {place}: terminal is {found}, not {step.terminal}"

    def _goals(self, steps: Sequence[Step], states: States) -> Iterator[str]:
        for place, (step, row) in enumerate(zip(steps, self._simulator.goals(states), strict=True)):
            found = tuple(None if goal < 0 else int(goal) for goal in row)
            if step.goals is not None and found != step.goals:
                yield f"step {place}: goals are {found}, not {step.goals}"

    def _next(self, steps: Sequence[Step], states: States) -> Iterator[str]:
        joint = [self._numbers(step.moves) for step in steps if step.moves is not None]
        if not joint:
            return
        followed = np.array([step.moves is not None for step in steps])
        successors = self._simulator.next(states[followed], np.array(joint, np.int32))
        for place, row in enumerate(unpack_bits(successors, len(self._bit))):
            found = {self._net.propositions[bit] for bit in row.nonzero()[0]}
            wanted = {fact for fact in map(str, steps[place + 1].state) if fact in self._bit}
            yield from _differences(f"step {place}: next", found, wanted)

    def _numbers(self, moves: Sequence[Term]) -> list[int]:
        """Indices of a joint move; -1, which is no move, for one that the network lacks."""
        texts = zip(self._net.moves, map(str, moves), strict=True)
        return [names.index(move) if move in names else -1 for names, move in texts]


def _differences(what: str, found: set[str], wanted: set[str]) -> Iterator[str]:
    if found != wanted:
        more, less = sorted(found - wanted), sorted(wanted - found)
        yield f"{what}: too many {' '.join(more) or '-'}, missing {' '.join(less) or '-'}"


def _rules(name: str) -> str:
    path = Path(name)
    return path.read_text(encoding="utf-8") if path.suffix == games.SUFFIX else games.read(name)


def _compare(name: str, options: argparse.Namespace) -> bool:
    sheet = parse_rules(_rules(name))
    comparison, oracle = Comparison(load(sheet)), Interpreter(sheet)
    started, states = time.monotonic(), 0
    for playout in range(options.playouts):
        steps = play(oracle, random.Random(options.seed + playout), options.max_steps)
        states += len(steps)
        differences = comparison.disagreements(steps)
        if differences:
            print(f"{name}: playout {playout} differs", *differences[:10], sep="\n  ")
            return False
    print(f"{name}: {options.playouts} playouts, {states} states agree, {time.monotonic() - started:.1f} s")
    return True


def main() -> int:
    """Compares the games on the command line, or all built-in ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "games", nargs="*", metavar="GAME", help="built-in game or .kif file (default: all built-in)"
    )
    parser.add_argument("--playouts", type=int, default=5, help="random games of each (default: %(default)s)")
    parser.add_argument("--max-steps", type=int, default=500, help="moves of one game (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the first playout (default: %(default)s)")
    options = parser.parse_args()
    try:
        agreed = [_compare(name, options) for name in options.games or games.names()]
    except (LudensError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0 if all(agreed) else 1


if __name__ == "__main__":
    sys.exit(main())
