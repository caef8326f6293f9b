"""Compares evaluations: learns one and saves it, and has the searches of two saved ones play each other.

    python -m scripts.strength.evaluation_match learn breakthrough old.npz --seconds 24 --seed 1
    python -m scripts.strength.evaluation_match play breakthrough new.npz old.npz --openings 20 --leaves 300
    python -m scripts.strength.evaluation_match learn connect_four large.npz --seconds 24 --hidden 62
    python -m scripts.strength.evaluation_match learn breakthrough on.npz --begin old.npz --rate 0.001 --half-after 1500
    python -m scripts.strength.evaluation_match learn amazons plain.npz --territory --no-images
    python -m scripts.strength.evaluation_match learn breakthrough searched.npz --begin old.npz --leaves 100 --visits 8
    python -m scripts.strength.evaluation_match learn reversi matches.npz --seconds 24 --as-in-matches
    python -m scripts.strength.evaluation_match play connect_four large.npz small.npz --move-seconds 0.02
    python -m scripts.strength.evaluation_match play connect_four large.npz small.npz --leaves 300 --second-leaves 450
    python -m scripts.strength.evaluation_match play reversi some.npz some.npz --second-exploration 0.2
    python -m scripts.strength.evaluation_match foresight breakthrough some.npz --positions 300 4096

Files that `ludens learn` keeps in the folder of a run play too, networks over boards among them. Seconds are CPU
time. So what another checkout of Ludens learns, into which this file is copied, can be compared with what this one
learns. Every opening is played from both seats.

How much more of results an evaluation foretells than random games do is measured as before a match, with other games
for each seed.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from ludens.agent.board_networks.weights import BoardEntry
from ludens.agent.learning.averaged_fit import RATE, TrainedWeights
from ludens.agent.learning.evaluation_cache import EvaluationCache
from ludens.agent.learning.features import with_features
from ludens.agent.learning.learning import HIDDEN, Learner
from ludens.agent.learning.self_play_learner import LearningPace, LearningRate, SearchedPlayOptions
from ludens.agent.learning.short_learning import learn
from ludens.agent.long_learning.search_match import LimitedSearch, SearchMatch
from ludens.agent.preparation.foresight import foresight
from ludens.agent.preparation.prepare_untimed import prepare_guided
from ludens.agent.search.strategy_choice import GUIDED
from ludens.agent.settings.options import PLANES, PlayerOptions
from ludens.agent.variants.game_variant import GameVariant, searched_network
from ludens.agent.variants.opponents import are_opponents
from ludens.games.rules import find_rules
from ludens.native.core import Evaluation, EvaluationWeights, Game
from ludens.native.defaults import EXPLORATION
from ludens.propnet.analysis.symmetries import symmetries
from ludens.propnet.base.array_file import read_kind
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet
from scripts.common import arguments
from scripts.common.match_runner import in_percent

_FEATURES = "all"
_FEATURE_SECONDS = 180.0  # for all kinds
_MEMORY_MB = 64
_LEAVES = 300  # of a search
_LEARNED_VISITS = 8  # of a position in a search, from which on it is learned
_SEARCHED_STATES = 1 << 20  # that a searched round makes
_SYMMETRY_SECONDS = 20.0
_LAST_ROUNDS = 20


def seen(name: str, *, territory: bool) -> Propnet:
    """The network of a game with the features that evaluations see, and the goals that they foretell."""
    found = with_features(load(find_rules(name).sheet()), _FEATURES, _FEATURE_SECONDS)
    return searched_network(found.net if territory else found.without_territory().net, relative=_relative(name))


@cache
def _relative(name: str) -> bool:
    """Whether the roles of a game play for relative goals."""
    return are_opponents(load(find_rules(name).sheet()))


def game_of(name: str, *, territory: bool) -> Game:
    """The game with the features that evaluations see."""
    return Game.from_propnet(seen(name, territory=territory))


def save(weights: EvaluationWeights, file: Path) -> None:
    """Writes weights as numpy does."""
    control = np.array(weights.control, np.int64)
    np.savez(file, control=control, linear=weights.linear, inner=weights.inner, output=weights.output)


def read(file: Path) -> EvaluationWeights:
    """Reads what `save` wrote."""
    with np.load(file) as saved:
        control = tuple(int(proposition) for proposition in saved["control"])
        return EvaluationWeights(control, saved["linear"], saved["inner"], saved["output"])


def read_any(file: Path, name: str, net: Propnet) -> EvaluationWeights:
    """Reads what `save` wrote, or an evaluation that `ludens learn` keeps of a game; raises SystemExit if none fits."""
    if file.read_bytes()[:1] != b"{":
        return read(file)
    cache = EvaluationCache.of_sheet(find_rules(name).sheet(), _FEATURES, relative=_relative(name))
    kept = cache.at(file).entry(net).read()
    if kept is None:
        raise SystemExit(f"{file} is of another game, or sees other features")
    return kept.weights


def evaluation_in(file: Path, name: str, net: Propnet, game: Game) -> Evaluation:
    """Returns the evaluation of a file, a network over the board too; raises SystemExit if it is not of the game."""
    if read_kind(file).get("features") != PLANES:
        return Evaluation(read_any(file, name, net))
    if _relative(name):
        raise SystemExit(f"{file} foretells goals of the rules, and {name} is played for relative ones")
    kept = BoardEntry(EvaluationCache.of_sheet(find_rules(name).sheet(), PLANES).at(file), net).read()
    if kept is None:
        raise SystemExit(f"{file} is of another game")
    return kept.weights.evaluation(game)


def limited_search(game: Game, evaluation: Evaluation, leaves: int, exploration: float = EXPLORATION) -> LimitedSearch:
    """Guided search of a game with the features that its evaluation sees, with so many leaves a move."""
    options = PlayerOptions(strategy=GUIDED, threads=1, nodes_mb=_MEMORY_MB, exploration=exploration)
    return LimitedSearch(prepare_guided(GameVariant.plain(game), options, evaluation), leaves)


def told(learner: Learner, seconds: float) -> str:
    """How many positions were learned a second, and how well the last ones were foretold, in squared goals."""
    if not learner.history:
        return f"no round of self-play in {seconds} s"
    positions = sum(each.positions for each in learner.history)
    errors = [each.error for each in learner.history[-_LAST_ROUNDS:]]
    return f"{positions / seconds:,.0f} positions/s, squared error {np.mean(errors):.0f} in the last rounds"


def play(game: Game, first: LimitedSearch, second: LimitedSearch, openings: int, seed: int) -> list[float]:
    """The score of the first search in each opening, which both games of it have together."""
    return SearchMatch(game, seed, 1).play(first, second, range(openings))


def main() -> int:
    """Does what the subcommand says."""
    parser = _parser()
    args = parser.parse_args()
    if args.command == "learn":
        if not args.leaves and (args.visits or args.states):
            parser.error("--visits and --states are for searches, which --leaves asks for")
        settled = args.begin or args.leaves or args.half_after or (args.rate, args.hidden) != (RATE, HIDDEN)
        if args.as_in_matches and settled:
            parser.error("--as-in-matches settles rate, hidden units and searches, and begins with nothing known")
        _learn(args)
    elif args.command == "foresight":
        _foresee(args)
    else:
        if args.move_seconds and (args.leaves or args.second_leaves):
            parser.error("moves have either so many leaves or so much time: --move-seconds is in place of --leaves")
        _play(args)
    return 0


def _learn(args: argparse.Namespace) -> None:
    """Learns an evaluation, saves it and says how fast that was."""
    net = seen(args.game, territory=args.territory)
    game = Game.from_propnet(net, None if args.no_images else symmetries(net, seconds=_SYMMETRY_SECONDS))
    if args.as_in_matches:
        learned = learn(game, args.seconds, args.seed, clock=time.process_time)
        save(learned.weights, args.file)
        print(f"{learned.rounds:,} rounds, {learned.weights.hidden} hidden units")
        return
    end = time.process_time() + args.seconds
    rate = LearningRate(args.rate, args.half_after or math.inf)
    known = TrainedWeights(read_any(args.begin, args.game, net), 0) if args.begin else None
    states, visits = args.states or _SEARCHED_STATES, args.visits or _LEARNED_VISITS
    searched = SearchedPlayOptions(0, args.leaves, visits, states, rate) if args.leaves else None
    pace = LearningPace(round_seconds=0.0) if searched else LearningPace()
    learner = Learner(game, args.seed, known, pace=pace, hidden=args.hidden, rate=rate, searched=searched)
    learner.learn(lambda: time.process_time() >= end)
    save(learner.learned().weights, args.file)
    print(told(learner, args.seconds))


def _play(args: argparse.Namespace) -> None:
    """Has the searches of two evaluations play each other and prints the score of the first."""
    net = seen(args.game, territory=args.territory)
    game = Game.from_propnet(net)
    leaves, other = 0 if args.move_seconds else args.leaves or _LEAVES, args.second_exploration
    players = (
        (args.first, leaves, args.exploration),
        (args.second, args.second_leaves or leaves, args.exploration if other is None else other),
    )
    first, second = (
        replace(
            limited_search(game, evaluation_in(file, args.game, net, game), of_move, exploration),
            seconds=args.move_seconds or 0.0,
        )
        for file, of_move, exploration in players
    )
    print(in_percent(play(game, first, second, args.openings, args.seed), 1))


def _foresee(args: argparse.Namespace) -> None:
    """Prints how much more an evaluation foretells than random games, and how far that is from seed to seed."""
    net = seen(args.game, territory=args.territory)
    game = Game.from_propnet(net)
    evaluation = evaluation_in(args.file, args.game, net, game)
    for positions in args.positions:
        begin, seeds = time.process_time(), range(args.seed, args.seed + args.seeds)
        found = [foresight(game, evaluation, seed, clock=time.process_time, positions=positions) for seed in seeds]
        gains = [each.gain for each in found if each is not None]
        seconds = (time.process_time() - begin) / args.seeds
        print(
            f"{positions} positions, {len(gains)} seeds: {_mean(gains)} more on Fisher's scale, standard "
            f"deviation {_deviation(gains)}, {seconds:.2f} CPU s each"
        )


def _mean(values: Sequence[float]) -> str:
    return f"{statistics.mean(values):.3f}" if values else "–"


def _deviation(values: Sequence[float]) -> str:
    return f"{statistics.stdev(values):.3f}" if len(values) > 1 else "–"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    learning, playing, foreseeing = map(commands.add_parser, ("learn", "play", "foresight"))
    for command, files in ((learning, ["file"]), (playing, ["first", "second"]), (foreseeing, ["file"])):
        command.add_argument("game", help="a built-in game or a .kif file")
        for file in files:
            command.add_argument(file, type=Path)
        command.add_argument("--territory", action="store_true", help="evaluations see territory")
        command.add_argument("--seed", type=int, default=1)
    learning.add_argument("--seconds", type=arguments.seconds, default=8.0, help="CPU seconds (8)")
    learning.add_argument("--hidden", type=arguments.count, default=HIDDEN, help="hidden units (%(default)s)")
    learning.add_argument("--begin", type=Path, help="go on from the evaluation of a file")
    learning.add_argument("--no-images", action="store_true", help="learn no images under symmetries")
    learning.add_argument("--rate", type=float, default=RATE, help="of learning (%(default)s)")
    learning.add_argument("--half-after", type=arguments.count, help="rounds after which it is half of that (never)")
    learning.add_argument("--leaves", type=arguments.count, help="search positions of self-play for so many leaves")
    learning.add_argument(
        "--as-in-matches",
        action="store_true",
        help="at the rate, with the units and with the searches of a start clock",
    )
    learning.add_argument("--visits", type=arguments.count, help=f"learn what was visited so often ({_LEARNED_VISITS})")
    learning.add_argument("--states", type=arguments.count, help=f"that a searched round makes ({_SEARCHED_STATES})")
    playing.add_argument("--openings", type=arguments.count, default=20, help="each for two games (20)")
    playing.add_argument("--leaves", type=arguments.count, help=f"of a search ({_LEAVES})")
    playing.add_argument("--second-leaves", type=arguments.count, help="of those of the second player (as many)")
    playing.add_argument("--move-seconds", type=arguments.seconds, help="CPU seconds of a move, in place of leaves")
    playing.add_argument("--exploration", type=float, default=EXPLORATION, help="of searches (%(default)s)")
    playing.add_argument("--second-exploration", type=float, help="of those of the second player (the same)")
    foreseeing.add_argument("--positions", type=arguments.count, nargs="+", default=[4096], help="at most (4096)")
    foreseeing.add_argument("--seeds", type=arguments.count, default=8, help="how often (8)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
