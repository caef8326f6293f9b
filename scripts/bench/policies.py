"""What playout policies cost: gates, seconds to compose them, and random games per CPU second beside uniform ones.

    python -m scripts.bench.policies connect_four breakthrough --seconds 0.5

What they gain is for `scripts.strength.match`: `uct:policy=decisive` against `uct`.
"""

from __future__ import annotations

import argparse
import time

from ludens.agent.commands.rules import find_rules
from ludens.agent.variants.playouts import UNIFORM
from ludens.native.core import Game, Playouts, Simulator
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.policies.table import POLICIES, with_policy
from scripts.common import arguments


def rate(net: Propnet, seconds: float) -> tuple[float, Playouts]:
    """Random games per CPU second from the first state, and what they came to."""
    simulator = Simulator(Game.from_propnet(net), seed=1)
    simulator.playouts(simulator.lanes * 8)
    begun = time.process_time()
    result = simulator.playouts(10**12, seconds=seconds)
    return result.count / (time.process_time() - begun), result


def main() -> None:
    """Prints a row for each game and policy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", metavar="GAME", help="a built-in game or a .kif file")
    parser.add_argument("--seconds", type=arguments.seconds, default=0.5, help="to play each policy (0.5)")
    args = parser.parse_args()
    print(
        "| game | policy | gates | s to compose | playouts/s | × uniform | length |\n|---|---|---|---|---|---|---|"
    )
    for name in args.games:
        net = load(find_rules(name).sheet())
        uniform = 0.0
        for policy in (UNIFORM, *POLICIES):
            begun = time.process_time()
            try:
                made = net if policy == UNIFORM else with_policy(net, policy)
            except CompositionError as error:
                print(f"| {name} | {policy} | refused: {error} | | | | |", flush=True)
                continue
            taken = time.process_time() - begun
            speed, result = rate(made, args.seconds)
            uniform = uniform or speed
            cells = f"{len(made.gates):,} | {taken:.2f} | {speed:,.0f} | {speed / uniform:.2f}"
            print(f"| {name} | {policy} | {cells} | {result.mean_length:.1f} |", flush=True)


if __name__ == "__main__":
    main()
