"""What sharing random games in proportion to promise is worth: the loss of the move chosen, in points of the goal.

    python -m scripts.playout_shares english_draughts --positions 40

In positions of random games the mean of every move is taken from many random games; then flat (equal shares) and
mcrd (in proportion to promise) choose after few. The loss is the mean of the best move less that of the one
chosen; where it is small, strength is no longer a matter of shares but of what random games can tell.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from agent.rules import find_rules
from native.core import Game, Search, Simulator, States
from propnet.loader import load
from scripts import arguments

STRATEGIES = ("flat", "mcrd")
_MOST_STEPS = 60  # of the random games that positions are taken from


def main() -> None:
    """Prints a row for each budget: the mean loss of each strategy, with its standard error."""
    options = _options()
    game = Game.from_propnet(load(find_rules(options.game).sheet()))
    losses: dict[tuple[int, str], list[float]] = {}
    for number, (state, role) in enumerate(_positions(game, options.positions, options.seed)):
        truth = _means(game, state, role, "flat", options.truth, seed=1_000_000)[0]
        for budget in options.budgets:
            for strategy in STRATEGIES:
                _, best = _means(game, state, role, strategy, budget, seed=number)
                losses.setdefault((budget, strategy), []).append(float(truth.max() - truth[best]))
    print("| random games a move | " + " | ".join(STRATEGIES) + " |\n|---|---|---|")
    for budget in options.budgets:
        cells = (losses[budget, strategy] for strategy in STRATEGIES)
        print(f"| {budget:,} | " + " | ".join(f"{np.mean(c):.2f} ± {_error(c):.2f}" for c in cells) + " |")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", help="a built-in game or a .kif file")
    parser.add_argument("--positions", type=arguments.count, default=40, help="how many (40)")
    parser.add_argument(
        "--budgets", type=arguments.count, nargs="+", default=[1_000, 4_000, 16_000], help="random games a move"
    )
    parser.add_argument("--truth", type=arguments.count, default=300_000, help="random games for the means")
    parser.add_argument("--seed", type=int, default=1, help="of the positions (1)")
    return parser.parse_args()


def _positions(game: Game, count: int, seed: int) -> Iterator[tuple[States, int]]:
    """States along random games in which some role has a choice, and that role."""
    simulator, rng = Simulator(game, 64, seed), np.random.default_rng(seed)
    while True:
        for moves in simulator.record(max_steps=_MOST_STEPS):
            state = game.initial[None]
            for joint in moves[: rng.integers(len(moves))]:
                state = simulator.next(state, joint[None])
            legal = simulator.legal(state)
            role = int(np.argmax([rows.sum() for rows in legal]))
            if simulator.terminal(state)[0] or legal[role].sum() < 2:
                continue
            yield state[0], role
            count -= 1
            if count == 0:
                return


def _means(
    game: Game, state: States, role: int, strategy: str, playouts: int, seed: int
) -> tuple[npt.NDArray[np.float64], int]:
    """The mean goal of each move, and the place of the one chosen."""
    search = Search(game, strategy=strategy, seed=seed, lanes=64)
    search.set_root(state)
    search.run(playouts=playouts)
    known = search.root_moves(role)
    return known.values, known.best


def _error(losses: list[float]) -> float:
    return float(np.std(losses) / len(losses) ** 0.5)


if __name__ == "__main__":
    main()
