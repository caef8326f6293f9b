"""Compares the course of every search strategy with the recorded one.

    python -m scripts.verify.signatures           # says which searches differ from tests/data/signatures.json
    python -m scripts.verify.signatures --write   # writes that file anew

A signature is what a search has done and found after a fixed number of playouts with one thread, a fixed seed and a
fixed number of lanes: the same on every machine and every instruction set. Each search runs twice, at the initial
state and, with what it remembers, after the joint move that it expects. Whoever changes how a search goes on purpose
writes the file anew and says so in the message of the commit; whoever did not mean to has found a mistake.
The exit status is 0 only when all agree.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludens import games
from ludens.native.core import Evaluation, EvaluationWeights, Game, Search, Simulator
from ludens.native.strategies import STRATEGIES
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet

FILE = Path(__file__).parents[2] / "tests" / "data" / "signatures.json"

# Playouts of each run.
PLAYOUTS = {"guided": 5_000}  # others: 10,000
# Three games that suit a strategy, and those for strategies that are not listed, by the most roles that they play.
GAMES = {
    "rave": ("connect_four", "hex_small", "connect_four_three"),
    "decoupled": ("tron", "goofspiel", "rock_paper_scissors"),
    "flat": ("connect_four", "reversi", "goofspiel"),
    "mcrd": ("tic_tac_toe", "goofspiel", "tron"),
    "guided": ("connect_four", "breakthrough_small", "knightthrough"),
}
OTHER_GAMES = {
    1: ("eight_puzzle", "lights_out", "peg_solitaire"),
    2: ("tic_tac_toe", "nim", "breakthrough_small"),
    None: ("connect_four", "breakthrough_small", "tron"),
}
LANES = (64, 512)


class Case(NamedTuple):
    """One search that has a signature."""

    strategy: str
    game: str
    lanes: int
    playouts: int  # of each of its two runs

    @property
    def name(self) -> str:
        """Its name in the file."""
        return f"{self.strategy} {self.game} {self.lanes}"


def cases() -> Iterator[Case]:
    """Every strategy of all games on three of them, with few and with many lanes."""
    for strategy in STRATEGIES.values():
        if strategy.needs_core:
            continue
        for game in GAMES.get(strategy.name, OTHER_GAMES[strategy.most_roles]):
            for lanes in LANES:
                yield Case(strategy.name, game, lanes, PLAYOUTS.get(strategy.name, 10_000))


@cache
def network(game: str) -> Propnet:
    """The network of a built-in game."""
    return load(games.read(game))


def evaluation(game: Game) -> Evaluation:
    """Says something else of every state; from whole numbers, so that it is the same everywhere."""
    inputs = np.arange(game.feature_bits + 1)[:, None] * 7919 + np.arange(game.roles) * 104729
    linear = ((inputs % 201 - 100) / 256).astype(np.float32)[None]
    inner, output = np.zeros((1, len(inputs), 0), np.float32), np.zeros((1, 0, game.roles), np.float32)
    return Evaluation(EvaluationWeights((), linear, inner, output))


def signature(case: Case) -> list[dict[str, Any]]:
    """What a search has done and found after each of its two runs."""
    net = network(case.game)
    game = Game.from_propnet(net)
    search = Search(
        game,
        strategy=case.strategy,
        lanes=case.lanes,
        memory_bytes=1 << 19,
        seed=1,
        evaluation=evaluation(game) if STRATEGIES[case.strategy].needs_evaluation else None,
    )
    first = _run(search, net, case.playouts)
    line = search.expected_line(1)
    if not len(line):
        return [first]
    search.set_root(Simulator(game, 64).next(game.initial, line[0])[0])
    return [first, _run(search, net, case.playouts)]


def _run(search: Search, net: Propnet, playouts: int) -> dict[str, Any]:
    search.run(playouts=playouts)
    stats, best, values = search.stats(), [], []
    for role, moves in enumerate(net.moves):
        known = search.root_moves(role)
        best.append(moves[known.moves[known.best]])
        value = float(known.values[known.best])
        values.append(None if np.isnan(value) else round(value, 6))
    return {
        "iterations": stats.iterations,
        "playouts": stats.playouts,
        "nodes": stats.nodes,
        "recycled": stats.recycled,
        "solved": stats.solved,
        "best": best,
        "values": values,
    }


def main() -> int:
    """Compares, or writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the file anew")
    options = parser.parse_args()
    found = {case.name: signature(case) for case in cases()}
    if options.write:
        FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return 0
    known = json.loads(FILE.read_text(encoding="utf-8"))
    differing = [name for name in found.keys() | known.keys() if found.get(name) != known.get(name)]
    for name in sorted(differing):
        print(f"{name}:\n  {known.get(name)}\n  {found.get(name)}")
    print(f"{len(found)} searches, {len(differing)} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    raise SystemExit(main())
