"""Measures what it costs to learn an evaluation and to search with it.

python -m scripts.bench.learning_speed breakthrough reversi
python -m scripts.bench.learning_speed breakthrough --threads 2     and how many times as fast two threads are

Each thread of learning plays and fits; of the search, looks at leaves. LUDENS_INSTRUCTION_SET=avx2 has it all done
with that instruction set.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable

from ludens.agent.learning.learning import Learner
from ludens.games.rules import find_rules
from ludens.native.core import Evaluation, EvaluationFit, Game, Search, SelfPlay, TrainingSamples, random_samples
from ludens.propnet.compile.loader import load
from scripts.common import arguments
from scripts.common.tables import parser_of_games, print_table

_POSITIONS = 200_000
_STATES = 4_000_000  # of self-play
_COLUMNS = (
    "game",
    "bits",
    "state evaluated, ns",
    "position fitted, ns",
    "played, µs",
    "learned a second",
    "guided leaf, µs",
    "its children",
)
_LEAVES = 30_000
_RATE = 0.003
_ROUNDS = 4
_ROUND_SECONDS = 1.0


def evaluation_cost(evaluation: Evaluation, samples: TrainingSamples) -> float:
    """Nanoseconds a state."""
    began = time.process_time()
    evaluation.values(samples.features)
    return (time.process_time() - began) / len(samples.features) * 1e9


def fit_cost(evaluation: Evaluation, samples: TrainingSamples) -> float:
    """Nanoseconds a position and pass."""
    fit = EvaluationFit(evaluation.weights)
    began = time.process_time()
    fit.fit(samples, _RATE)
    return (time.process_time() - began) / len(samples.features) * 1e9


def self_play_cost(game: Game, evaluation: Evaluation) -> float:
    """Microseconds a position."""
    table = SelfPlay(game, temperature=2.0)
    began = time.process_time()
    samples = table.play(evaluation, _STATES)
    return (time.process_time() - began) / len(samples.features) * 1e6


def search_cost(game: Game, evaluation: Evaluation) -> tuple[float, float]:
    """Microseconds a leaf of the guided search, and children a leaf."""
    search = Search(game, strategy="guided", evaluation=evaluation)
    began = time.process_time()
    search.run(playouts=_LEAVES)
    stats = search.stats()
    return (time.process_time() - began) / stats.iterations * 1e6, stats.state_changes / stats.iterations


def gain_of_threads(game: Game, evaluation: Evaluation, threads: int) -> float:
    """How many times the leaves of one thread so many see a second, taking turns; NaN where it is solved."""
    leaves = {1: 0, threads: 0}
    for _ in range(_ROUNDS):
        for number in leaves:
            search = Search(game, strategy="guided", evaluation=evaluation, threads=number)
            search.run(_ROUND_SECONDS)
            if search.stats().solved:
                return math.nan
            leaves[number] += search.stats().iterations
    return leaves[threads] / leaves[1]


def gain_of_learning_threads(game: Game, threads: int) -> float:
    """How many times the positions of one thread so many learn a second, taking turns."""
    learners = {1: Learner(game), threads: Learner(game, workers=threads)}
    for _ in range(_ROUNDS):
        for learner in learners.values():
            learn_for(learner, _ROUND_SECONDS, time.monotonic)
    return positions(learners[threads]) / positions(learners[1])


def learn_for(learner: Learner, seconds: float, clock: Callable[[], float]) -> float:
    """Has it learn for so long by a clock, and returns how long it was."""
    began = clock()
    learner.learn(lambda: clock() >= began + seconds)
    return clock() - began


def positions(learner: Learner) -> int:
    """All that were learned."""
    return sum(played.positions for played in learner.history)


def row(name: str, seconds: float, threads: int) -> list[object]:
    """The cells of a game's row; `seconds` of CPU time go into learning first."""
    game = Game.from_propnet(load(find_rules(name).sheet()))
    learner = Learner(game)
    spent = learn_for(learner, seconds, time.process_time)
    speed = positions(learner) / spent
    evaluation = Evaluation(learner.learned().weights)
    samples = random_samples(game, _POSITIONS, seed=1)
    told, fitted = evaluation_cost(evaluation, samples), fit_cost(evaluation, samples)
    played, (leaf, children) = self_play_cost(game, evaluation), search_cost(game, evaluation)
    costs = [f"{told:.0f}", f"{fitted:.0f}", f"{played:.1f}", f"{speed:,.0f}", f"{leaf:.1f}", f"{children:.1f}"]
    if threads == 1:
        return [name, game.state_bits, *costs]
    gains = gain_of_learning_threads(game, threads), gain_of_threads(game, evaluation, threads)
    return [name, game.state_bits, *costs, *(f"{gain:.2f}" for gain in gains)]


def main() -> int:
    """Prints a row for each game."""
    parser = parser_of_games(__doc__)
    parser.add_argument("--seconds", type=arguments.seconds, default=2.0, help="CPU seconds to learn before (2)")
    parser.add_argument("--threads", type=arguments.count, default=1, help="tell what so many gain (1: do not)")
    args = parser.parse_args()
    columns = [*_COLUMNS, f"learned × {args.threads} threads", f"leaves × {args.threads} threads"]
    columns = columns if args.threads > 1 else [*_COLUMNS]
    return print_table(columns, (row(name, args.seconds, args.threads) for name in args.games))


if __name__ == "__main__":
    sys.exit(main())
