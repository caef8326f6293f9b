"""How much stronger a search is with peers: a search that tells others and hears them, against one that is alone.

    python -m scripts.strength.root_parallel connect_four uct --peers 1 --playouts 20000 --openings 40
    python -m scripts.strength.root_parallel breakthrough guided --peers 1 --learn 10 --noise 0.5

Each of the searches that play together has as many playouts a move as the one alone, and some times in 4,096 playouts
they tell each other what they found out, as they do in a cluster every few tenths of a second. So what is measured
depends neither on the machine nor on how busy it is. With --against-more the one alone has as many playouts as the
others together: what exchange loses against one search that is so much faster. Every opening is played from both seats.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass

from ludens.agent.cluster.peer_search import PRIOR_NOISE, SHARED_NODES
from ludens.agent.learning.learning import Learner
from ludens.agent.long_learning.search_match import LimitedSearch
from ludens.agent.preparation.prepare_untimed import prepare_at_once
from ludens.agent.search.assembly import native_arguments
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.contract import GameSearch
from ludens.agent.search.strategy_choice import GUIDED
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.game_variant import GameVariant
from ludens.native.core import Evaluation, Game, JointMoves, RootMoves, Search, SearchStats, States
from scripts.common import arguments
from scripts.common.match_runner import in_percent
from scripts.strength.evaluation_match import play
from scripts.strength.match import network

_MEMORY_MB = 64


class PeerSearches:
    """A `GameSearch`: one search, and its peers in the same process, which take turns to search."""

    def __init__(self, config: SearchConfig, seed: int, peers: int, rounds: int, noise: float) -> None:
        """`rounds` exchanges divide each run evenly; the first search has no noise in its priors, as in a cluster."""
        self.game, self._rounds = config.variant.game, rounds
        given = native_arguments(config, self.game, config.memory_mb)
        self._searches = [
            Search(self.game, seed=seed + place, peers=peers + 1, prior_noise=noise if place else 0.0, **given)
            for place in range(peers + 1)
        ]
        self.unguided_visits, self.mixes = self._searches[0].unguided_visits, self._searches[0].mixes

    def set_root(self, state: States | None = None) -> None:
        """See `GameSearch`."""
        for search in self._searches:
            search.set_root(state)

    def run(self, seconds: float = 0.0, playouts: int = 0) -> None:
        """See `GameSearch`; only playouts limit it."""
        assert not seconds
        for _ in range(self._rounds):
            for search in self._searches:
                search.run(playouts=max(1, playouts // self._rounds))
            told = [search.shared_stats(SHARED_NODES) for search in self._searches]
            for place, search in enumerate(self._searches):
                for peer, words in enumerate(told):
                    if peer != place:
                        search.take_stats(peer, words)
        self._searches[0].run(playouts=1)  # takes what came last

    def stop(self) -> None:
        """See `GameSearch`."""
        for search in self._searches:
            search.stop()

    def suggest(self, moves: JointMoves) -> None:
        """See `GameSearch`."""

    def stats(self) -> SearchStats:
        """See `GameSearch`."""
        return self._searches[0].stats()

    def root_moves(self, role: int) -> RootMoves:
        """See `GameSearch`."""
        return self._searches[0].root_moves(role)

    def expected_line(self, room: int = 20) -> JointMoves:
        """See `GameSearch`."""
        return self._searches[0].expected_line(room)


@dataclass(frozen=True, slots=True)
class Together(LimitedSearch):
    """A search with peers."""

    peers: int = 1
    rounds: int = 2
    noise: float = PRIOR_NOISE

    def make(self, seed: int) -> GameSearch:
        """See `LimitedSearch`."""
        return PeerSearches(self.config, seed, self.peers, self.rounds, self.noise)


def configured(name: str, strategy: str, learn: float) -> SearchConfig:
    """How both search; guided after so many CPU seconds of learning."""
    options = PlayerOptions(strategy=strategy, nodes_mb=_MEMORY_MB, threads=1, lanes=64, solver_share=0.0)
    net = network(name)
    if strategy != GUIDED:
        return prepare_at_once(net, options, lambda _line: None)
    game, end = Game.from_propnet(net), time.process_time() + learn
    learner = Learner(game, seed=1)
    learner.learn(lambda: time.process_time() >= end)
    evaluation = Evaluation(learner.learned().weights)
    return prepare_at_once(net, options, lambda _line: None, evaluation, GameVariant.plain(game))


def main() -> int:
    """Plays the match and prints the score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", help="a built-in game or a .kif file")
    parser.add_argument("strategy", help="of those that share, such as uct or guided")
    parser.add_argument("--peers", type=arguments.count, default=1, help="(1)")
    parser.add_argument("--playouts", type=arguments.count, default=20_000, help="of each search a move (20000)")
    parser.add_argument("--rounds", type=arguments.count, default=2, help="exchanges in 4,096 playouts (2)")
    parser.add_argument("--noise", type=float, default=PRIOR_NOISE, help="drawn by lot of peers' priors (%(default)s)")
    parser.add_argument("--learn", type=arguments.seconds, default=10.0, help="CPU seconds before guided plays (10)")
    parser.add_argument("--openings", type=arguments.count, default=40, help="each for two games (40)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--against-more", action="store_true", help="the search alone has as many playouts as all")
    args = parser.parse_args()
    config = configured(args.game, args.strategy, args.learn)
    together = Together(config, args.playouts, peers=args.peers, rounds=args.rounds, noise=args.noise)
    alone = LimitedSearch(config, args.playouts * (args.peers + 1) if args.against_more else args.playouts)
    scores = play(config.variant.game, together, alone, args.openings, args.seed)
    print(f"{args.game} {args.strategy}: {args.peers + 1} together : 1 alone {in_percent(scores, 1)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
