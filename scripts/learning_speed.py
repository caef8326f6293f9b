"""What learning and searching by what was learned cost: CPU time on one thread.

python -m scripts.learning_speed breakthrough reversi
"""

from __future__ import annotations

import argparse
import sys
import time

from agent.learning import learn
from agent.rules import find_rules
from native.core import Evaluation, EvaluationFit, Game, Lessons, Search, random_lessons, self_play_lessons
from propnet.errors import LudensError
from propnet.loader import load
from scripts import arguments

_POSITIONS = 200_000
_GAMES = 500
_LEAVES = 30_000
_RATE = 0.003


def evaluation_cost(evaluation: Evaluation, lessons: Lessons) -> float:
    """Nanoseconds a state."""
    began = time.process_time()
    evaluation.values(lessons.features)
    return (time.process_time() - began) / len(lessons.features) * 1e9


def fit_cost(evaluation: Evaluation, lessons: Lessons) -> float:
    """Nanoseconds a position and pass."""
    fit = EvaluationFit(evaluation.weights)
    began = time.process_time()
    fit.fit(lessons, _RATE)
    return (time.process_time() - began) / len(lessons.features) * 1e9


def self_play_cost(game: Game, evaluation: Evaluation) -> float:
    """Microseconds a position."""
    began = time.process_time()
    lessons = self_play_lessons(game, evaluation, _GAMES, temperature=2.0)
    return (time.process_time() - began) / len(lessons.features) * 1e6


def search_cost(game: Game, evaluation: Evaluation) -> tuple[float, float]:
    """Microseconds a leaf of the guided search, and children a leaf."""
    search = Search(game, strategy="guided", evaluation=evaluation)
    began = time.process_time()
    search.run(playouts=_LEAVES)
    stats = search.stats()
    return (time.process_time() - began) / stats.iterations * 1e6, stats.state_changes / stats.iterations


def row(name: str, seconds: float) -> str:
    """One line of the table."""
    game = Game.from_propnet(load(find_rules(name).sheet()))
    evaluation = Evaluation(learn(game, seconds, clock=time.process_time).weights)
    lessons = random_lessons(game, _POSITIONS, seed=1)
    told, fitted = evaluation_cost(evaluation, lessons), fit_cost(evaluation, lessons)
    played, (leaf, children) = self_play_cost(game, evaluation), search_cost(game, evaluation)
    return (
        f"| {name} | {game.state_bits} | {told:.0f} | {fitted:.0f} | {played:.1f} | {leaf:.1f} | {children:.1f} |"
    )


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", help="built-in games or .kif files")
    parser.add_argument("--seconds", type=arguments.seconds, default=2.0, help="CPU seconds to learn before (2)")
    args = parser.parse_args()
    print("| game | bits | state told, ns | position fitted, ns | played, µs | guided leaf, µs | its children |")
    print("|---|---|---|---|---|---|---|")
    try:
        for name in args.games:
            print(row(name, args.seconds), flush=True)
    except LudensError as error:
        print(f"learning_speed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
