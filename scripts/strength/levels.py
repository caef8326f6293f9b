"""Measures how far apart the levels of an opponent for people are: games of each level against the next.

    python -m scripts.strength.levels connect_four breakthrough --games 100 --out games.jsonl > docs/data/levels.jsonl

Each level plays the next one from both seats, from openings of a few random moves. The score is turned into a gap of
ratings by the logistic curve of Elo, with the 95 % interval of the score. Levels are played by the agent that engines
run, without its time limit for a move, so that a busy machine measures the same. How games are arranged, counted and
resumed is said in scripts/common/match_runner.py; a level is named by what it does, so games of levels that were since
changed do not count. Prints a line of JSON for each gap.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from ludens.agent.engine.backends import SearchBackend, network_backend
from ludens.agent.engine.iteration_agent import IterationAgent
from ludens.agent.preparation.prepare_untimed import prepare_repeatable
from ludens.agent.protocol.wire import GoTo, History
from ludens.agent.settings.levels import LEVELS, Level
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.strategies import AUTO
from ludens.agent.tournament.result import score_of
from ludens.native.core import Game, Simulator
from ludens.propnet.base.errors import LudensError
from scripts.common import match_runner
from scripts.common.match_runner import Outcome, Task
from scripts.common.progress import tell
from scripts.strength.match import further, is_over, legal_moves, network, opening

_ELO = 400.0  # points for ten times the odds
_LONGEST = 300  # joint moves; a game that goes on counts as even
_NODES_MB = 64
_TRAININGS = 5  # of a level that learns, for the openings in turn: what is learned depends on the seed


@dataclass(frozen=True, slots=True)
class Gap:
    """How much stronger a level is than the one below it."""

    game: str
    level: int  # the stronger one, counted from 1
    upper: str  # what it does
    lower: str  # what the other one does
    games: int
    score: float  # of the stronger one, 0 … 1
    low: float  # of its interval
    high: float

    @property
    def points(self) -> tuple[float, float, float]:
        """The gap of ratings, and its interval; infinite where all games were won."""
        return elo(self.score), elo(self.low), elo(self.high)


def elo(score: float) -> float:
    """Returns the gap of ratings at which a player scores so."""
    if not 0 < score < 1:
        return math.copysign(math.inf, score - 0.5)
    return _ELO * math.log10(score / (1 - score))


def named(level: Level) -> str:
    """Names a level by what it does."""
    if not level.rounds:
        return f"{level.iterations} iterations, {level.random_share:g} random"
    learned = f"{level.rounds} rounds of learning and {level.guided_iterations} guided iterations"
    return f"{learned}, or {level.iterations} iterations"


def pairs() -> list[tuple[int, str, str]]:
    """Returns the number of each level above the first, what it does, and what the level below does."""
    return [(n + 1, named(LEVELS[n]), named(LEVELS[n - 1])) for n in range(1, len(LEVELS))]


def gap(game: str, level: int, outcomes: Sequence[Outcome], seats: int) -> Gap:
    """Returns the gap below a level that its games tell."""
    scores = [outcome.score for outcome in outcomes]
    low, high = match_runner.score_bounds(outcomes, seats)
    mean = sum(scores) / len(scores)
    return Gap(game, level, *pairs()[level - 2][1:], len(scores), round(mean, 4), round(low, 4), round(high, 4))


def play(task: Task) -> Outcome:
    """Plays one game of a level against the next."""
    net = network(task.game)
    simulator = Simulator(Game.from_propnet(net), 64)
    position, moves = opening(simulator, task), 0
    agents = [_agent(task, seat) for seat in range(len(net.roles))]
    while not is_over(simulator, position.state) and moves < _LONGEST:
        history = tuple(
            tuple(net.moves[seat][number] for seat, number in enumerate(joint)) for joint in position.history
        )
        legal = legal_moves(simulator, position.state)
        joint = [
            net.moves[seat].index(_move(agent, history)) if len(legal[seat]) > 1 else legal[seat][0]
            for seat, agent in enumerate(agents)
        ]
        position, moves = further(simulator, position, joint), moves + 1
    goals = [50 if goal < 0 else goal for goal in simulator.goals(position.state)[0].tolist()]
    return Outcome(match_runner.key(task), score_of(goals, task.seat), moves, (0, 0))


_backends: dict[tuple[str, int, int], SearchBackend] = {}  # by game, level and training


def _agent(task: Task, seat: int) -> IterationAgent:
    number = int(seat != task.seat)
    level = next(n for n, level in enumerate(LEVELS, start=1) if named(level) == task.players[number])
    seed = 1 + match_runner.seed_of(task, number) + (seat << 32)
    options = PlayerOptions(strategy=AUTO, level=level, seed=seed, nodes_mb=_NODES_MB)
    net = network(task.game)
    training = 1 + task.opening % _TRAININGS
    if (task.game, level, training) not in _backends:
        config = prepare_repeatable(net, replace(options, seed=training), tell, math.inf)
        _backends[task.game, level, training] = network_backend(net, config)
    return IterationAgent(_backends[task.game, level, training], net.roles[seat], options, tell, patience=math.inf)


def _move(agent: IterationAgent, history: History) -> str:
    agent.follow(GoTo(history))
    report = agent.known()
    while agent.can_search:
        report = agent.think(0.0)
    if report is None:
        raise LudensError("an agent chose no move")
    return report.move


def main() -> int:
    """Plays every level against the next, and prints the gaps as JSON lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games_played", nargs="+", metavar="GAME", help="a built-in game or a .kif file")
    match_runner.add_extent(parser)
    parser.add_argument("--from-level", type=int, default=2, help="the lowest level that plays the one below it")
    parser.add_argument("--to-level", type=int, default=len(LEVELS), help="the highest that does")
    args = parser.parse_args()
    args.seconds, args.opening_moves = 0.0, 2
    try:
        for game in args.games_played:
            for level, upper, lower in pairs():
                if args.from_level <= level <= args.to_level:
                    args.game, args.first, args.second = game, upper, lower
                    seats = len(network(game).roles)
                    played = match_runner.run(args, seats, play)
                    measured = gap(game, level, played, seats)
                    print(json.dumps(asdict(measured)), flush=True)
    except LudensError as error:
        print(f"levels: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
