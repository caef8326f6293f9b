"""Counts the passes until the loops of a network stop changing, and those that an unrolled network would need.

    python -m scripts.verify.loop_passes hex rules.kif

512 random games are played side by side, as the simulator does it, and a pass counts once for all of them. To be
sound without knowing the game, unrolling a loop takes a copy of its gates for every feedback input.
"""

from __future__ import annotations

import argparse

import numpy as np

from ludens.games.rules import find_rules
from ludens.native.core import Game, Simulator, pack_bits, unpack_bits
from ludens.propnet.compile.loader import load
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet

_LANES = 512
_STEPS = 60


class Counter(Evaluator):
    """Evaluates a network and counts its passes over each loop."""

    def __init__(self, net: Propnet) -> None:
        super().__init__(net)
        self.passes: list[int] = []

    def _feed_back(self, values: np.ndarray, first: int, last: int) -> bool:
        changed = super()._feed_back(values, first, last)
        self._running += 1
        if not changed:
            self.passes.append(self._running)
            self._running = 0
        return changed

    _running = 0


def passes(net: Propnet) -> list[int]:
    """Returns the passes of each loop at each evaluation along random games."""
    game = Game.from_propnet(net)
    simulator, counter = Simulator(game, _LANES, seed=1), Counter(net)
    states = np.repeat(pack_bits(net.initial[None]), _LANES, axis=0)
    games = simulator.record(max_steps=_STEPS)
    for step in range(_STEPS):
        counter.terminal(unpack_bits(states, net.state_bits))
        nothing = np.full(game.roles, -1, np.int32)
        joint = [moves[step] if step < len(moves) else nothing for moves in games]
        states = simulator.next(states, np.array(joint, np.int32))
    return counter.passes


def main() -> None:
    """Prints one line for each game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", metavar="GAME", help="a built-in game or a .kif file")
    for name in parser.parse_args().games:
        net = load(find_rules(name).sheet())
        counted = passes(net)
        if not counted:
            print(f"{name}: no loops")
            continue
        inputs = net.loops[:, 3] - net.loops[:, 2]
        gates = int((net.loops[:, 1] - net.loops[:, 0]).sum())
        print(
            f"{name}: {len(net.loops)} loops, {gates} of {len(net.gates)} gates; "
            f"{np.mean(counted):.1f} passes on average, at most {max(counted)}; unrolled {inputs.max()}"
        )


if __name__ == "__main__":
    main()
