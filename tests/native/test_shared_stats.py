"""Searches of one game tell each other what they found out: nothing is lost, counted twice, or taken unchecked."""

from __future__ import annotations

import struct
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest

from ludens.native.core import Game, RootMoves, Search, Simulator, Words
from ludens.native.strategies import STRATEGIES
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from tests.support.evaluations import opinionated
from tests.support.search_sheets import RARE
from tests.support.searching import network
from tests.support.unequal_goals import SPITE

SHARING = [name for name, strategy in STRATEGIES.items() if strategy.shares]
NODES = 64
RELIED, REFUTED = 1, 2  # what words say of a sum of goals that is likely


@dataclass(frozen=True)
class Edge:
    visits: int
    goals: float
    lower: int
    upper: int
    distance: int


def read(words: Words) -> list[dict[int, Edge]]:
    """The edges of each node, by move: read as shared_stats.hpp describes the words, with none of its code."""
    numbers = [int(word) for word in words]
    assert numbers[0] == 1 and numbers[1] in (0, 1, 2)
    nodes: list[dict[int, Edge]] = []
    at = 2
    while at < len(numbers):
        edges: dict[int, Edge] = {}
        count = numbers[at + 1]
        for place in range(at + 2, at + 2 + 3 * count, 3):
            first = numbers[place]
            goals = struct.unpack("<d", struct.pack("<Q", numbers[place + 2]))[0]
            edges[first >> 32] = Edge(numbers[place + 1], goals, first >> 8 & 255, first & 255, first >> 16 & 65535)
        nodes.append(edges)
        at += 2 + 3 * count
    return nodes


def search(name: str, strategy: str, seed: int, **options: object) -> Search:
    game = Game.from_propnet(network(name))
    chosen: dict[str, object] = {"strategy": strategy, "memory_bytes": 1 << 25, "lanes": 64, "peers": 3, "seed": seed}
    if STRATEGIES[strategy].needs_evaluation:
        chosen |= {"evaluation": opinionated(game), "prior_noise": 0.5}
    return Search(game, **(chosen | options))  # type: ignore[arg-type]


def as_dict(known: RootMoves) -> dict[int, int]:
    return dict(zip(known.moves.tolist(), known.visits.tolist(), strict=True))


@pytest.mark.parametrize("strategy", SHARING)
def test_what_two_searches_found_out_adds_up(strategy: str) -> None:
    one, other = search("connect_four", strategy, 1), search("connect_four", strategy, 2, threads=1)
    for _ in range(4):
        one.run(playouts=3000)
        other.run(playouts=3000)
        told, heard = one.shared_stats(NODES), other.shared_stats(NODES)
        one.take_stats(2, heard)
        other.take_stats(0, told)
    own, of_other = read(told)[0], read(heard)[0]
    expected = {move: own[move].visits + of_other[move].visits for move in own | of_other}
    if strategy == "guided":  # asks the tree itself
        assert as_dict(one.root_moves(0)) == expected
    assert sum(edge.visits for edge in own.values()) <= one.stats().iterations
    assert one.stats().root_visits >= sum(expected.values()) * 0.99
    assert {move for move, visits in as_dict(one.root_moves(0)).items() if visits} == set(expected)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("strategy", SHARING)
def test_what_was_heard_is_never_told_as_ones_own(strategy: str, threads: int) -> None:
    """Two searches that echoed each other would soon count more visits than there were."""
    one, other = search("connect_four", strategy, 1, threads=threads), search("connect_four", strategy, 2)
    for _ in range(12):
        one.run(playouts=500)
        other.run(playouts=500)
        other.take_stats(0, one.shared_stats(NODES))
        one.take_stats(0, other.shared_stats(NODES))
    for each in (one, other):
        for edges in read(each.shared_stats(NODES)):
            assert sum(edge.visits for edge in edges.values()) <= each.stats().iterations
            assert all(0 <= edge.goals <= 100 * edge.visits + 1e-3 for edge in edges.values())
        assert each.stats().root_visits <= one.stats().iterations + other.stats().iterations


@pytest.mark.parametrize("strategy", ["uct", "guided"])
def test_what_a_peer_tells_takes_the_place_of_what_it_told_before(strategy: str) -> None:
    one, other = search("connect_four", strategy, 1), search("connect_four", strategy, 2)
    one.run(playouts=2000)
    other.run(playouts=2000)
    before = one.stats().root_visits
    heard = other.shared_stats(NODES)
    for _ in range(5):
        one.take_stats(1, heard)
    added = sum(edge.visits for edge in read(heard)[0].values())
    assert one.stats().root_visits == before + added


HALVED_AT = 1 << 30  # visits of a node, as mcts/tree.hpp has it


def inflated(words: Words, visits: int) -> Words:
    """What a peer tells that found out the same of the root alone, in so many visits in all."""
    edges = read(words)[0]
    share = visits / sum(edge.visits for edge in edges.values())
    told = [1, int(words[1]), int(words[2]), len(edges)]
    for move, edge in edges.items():
        count = int(edge.visits * share)
        goals = struct.unpack("<Q", struct.pack("<d", edge.goals / edge.visits * count))[0]
        told += [move << 32 | edge.distance << 16 | edge.lower << 8 | edge.upper, count, goals]
    return np.array(told, np.uint64)


def test_what_a_search_found_out_itself_outlasts_the_halving_of_very_many_visits() -> None:
    one = search("connect_four", "uct", 1)
    one.run(playouts=20_000)
    before = read(one.shared_stats(NODES))[0]
    own = sum(edge.visits for edge in before.values())
    one.take_stats(0, inflated(one.shared_stats(NODES), HALVED_AT - one.stats().root_visits - 1000))
    one.run(playouts=100)
    assert HALVED_AT - 5000 < one.stats().root_visits < HALVED_AT
    one.run(playouts=3000)
    after = read(one.shared_stats(NODES))[0]
    assert after.keys() == before.keys()
    assert own / 4 < sum(edge.visits for edge in after.values()) < own
    assert all(0 <= edge.goals <= 100 * edge.visits for edge in after.values())


@pytest.mark.parametrize("strategy", ["uct", "guided"])
def test_below_the_root_is_heard_of_too(strategy: str) -> None:
    """A search that comes to a node knows what its peer has found out there before."""
    one, other = search("connect_four", strategy, 1), search("connect_four", strategy, 2)
    other.run(playouts=20_000)
    heard = other.shared_stats(NODES)
    move = max(read(heard)[0].items(), key=lambda item: item[1].visits)[0]
    noop = network("connect_four").moves[1].index("noop")
    state = Simulator(one.game, 64).next(one.game.initial, np.array([move, noop], np.int32))[0]
    one.take_stats(0, heard)
    one.set_root(state)
    below = [edges for edges in read(heard)[1:] if as_dict(one.root_moves(1)).keys() >= edges.keys()]
    assert one.stats().root_visits in {sum(edge.visits for edge in edges.values()) for edges in below}


@pytest.mark.parametrize("strategy", ["uct", "guided"])
def test_proofs_are_taken(strategy: str) -> None:
    one, other = search("nim", strategy, 1), search("nim", strategy, 2)
    other.run(playouts=500_000)
    assert other.stats().solved
    heard = other.shared_stats(NODES)
    one.take_stats(0, heard)
    one.run(playouts=1)
    assert one.stats().solved
    mine, theirs = one.root_moves(0), other.root_moves(0)
    assert mine.proven[mine.best] == theirs.proven[theirs.best] >= 0
    told = read(heard)[0]  # several moves may take as long
    assert told[int(mine.moves[mine.best])].distance == told[int(theirs.moves[theirs.best])].distance


@pytest.mark.parametrize("strategy", ["uct", "guided"])
def test_words_that_are_no_statistics_are_refused_and_change_nothing(strategy: str) -> None:
    one, other = search("connect_four", strategy, 1), search("connect_four", strategy, 2)
    other.run(playouts=3000)
    words = other.shared_stats(8)
    expected = one.stats().root_visits
    refused = 0
    for length in range(1, len(words)):
        try:
            one.take_stats(0, words[:length])
        except NativeError:
            refused += 1
    assert refused > 0.6 * len(words)
    rng = np.random.default_rng(1)
    for _ in range(500):
        wrong = words.copy()
        wrong[rng.integers(len(words))] = rng.integers(2**64, dtype=np.uint64) >> rng.integers(64, dtype=np.uint64)
        try:
            one.take_stats(0, wrong)
        except NativeError as error:
            assert str(error) == "these words are no statistics of a search of this game"
    fresh = search("connect_four", strategy, 3)
    for bad in (words[:-1], np.full(9, 2**64 - 1, np.uint64)):
        with pytest.raises(NativeError, match="no statistics"):
            fresh.take_stats(0, bad)
    assert fresh.stats().root_visits == expected == 0
    one.run(playouts=1000)  # whatever was taken, it goes on
    assert one.root_moves(0).best >= 0


@pytest.mark.parametrize("peer", [-1, 3, 64])
@pytest.mark.parametrize("strategy", ["uct", "guided"])
def test_only_peers_are_heard(strategy: str, peer: int) -> None:
    one = search("connect_four", strategy, 1)
    with pytest.raises(NativeError, match="there is no such peer"):
        one.take_stats(peer, one.shared_stats(NODES))


def test_numbers_out_of_range_are_refused() -> None:
    for options, message in (({"peers": 65}, "peers"), ({"prior_noise": 1.5}, "prior_noise"), ({"peers": -1}, "peers")):
        with pytest.raises(NativeError, match=message):
            search("connect_four", "uct", 1, **options)
    with pytest.raises(NativeError, match="one node at least"):
        search("connect_four", "uct", 1).shared_stats(0)


@pytest.mark.parametrize("strategy", ["alphabeta", "proof"])
def test_a_strategy_that_shares_nothing_says_and_takes_nothing(strategy: str) -> None:
    one = search("connect_four", strategy, 1)
    one.run(playouts=1000)
    assert len(one.shared_stats(NODES)) == 0
    one.take_stats(0, np.zeros(0, np.uint64))


@pytest.mark.parametrize("strategy", SHARING)
def test_without_peers_a_search_is_what_it_was(strategy: str) -> None:
    """The peers that a search may have change nothing as long as they are silent."""
    known = []
    for peers in (0, 8):
        one = search("connect_four", strategy, 5, peers=peers)
        one.run(playouts=5000)
        known.append(as_dict(one.root_moves(0)))
    assert known[0] == known[1]


def test_prior_noise_makes_guided_searches_differ() -> None:
    visits = {(noise, seed): as_dict(_searched(noise, seed).root_moves(0)) for noise in (0.0, 0.5) for seed in (1, 2)}
    assert visits[0.0, 1] == visits[0.0, 2]
    assert visits[0.5, 1] != visits[0.5, 2]


def _searched(noise: float, seed: int) -> Search:
    one = search("connect_four", "guided", seed, prior_noise=noise)
    one.run(playouts=2000)
    return one


def test_the_root_counts_no_peer_whose_proofs_rest_on_sums_that_differ() -> None:
    game = Game.from_propnet(load(SPITE))
    one, peer = (Search(game, memory_bytes=1 << 20, lanes=64, peers=1, seed=seed) for seed in (1, 2))
    for each in (one, peer):
        each.run(playouts=500)
    told, own = peer.shared_stats(NODES), one.stats().root_visits
    assert told[1] == REFUTED
    one.take_stats(0, told)
    assert one.stats().root_visits > own
    told[1] = RELIED
    one.take_stats(0, told)
    assert one.stats().root_visits == own


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("strategy", ["uct", "guided"])
def test_what_rests_on_equal_sums_is_given_up_when_a_peer_has_met_different_ones(strategy: str, threads: int) -> None:
    one = search(RARE, strategy, 1, threads=threads)
    one.run(playouts=3_000)
    assert one.stats().solved
    assert one.shared_stats(NODES)[1] == RELIED
    one.take_stats(0, np.array([1, REFUTED], np.uint64))
    assert not one.stats().solved
    assert one.shared_stats(NODES)[1] == REFUTED
    assert strategy == "guided" or not one.shared_stats(NODES)[3:].any()  # no move that rested on equal sums
    one.run(playouts=500)  # the odd end is one of 19,683
    assert not one.stats().solved


def test_a_search_is_told_while_it_runs_that_sums_differ() -> None:
    """A run that no root ends any more: none is solved by what rests on equal sums."""
    for strategy in ("uct", "guided"):
        one = search(RARE, strategy, 1)
        with ThreadPoolExecutor(1) as pool:
            told = pool.submit(one.take_stats, 0, np.array([1, REFUTED], np.uint64))
            one.run(playouts=3_000)
            told.result()
        one.run(playouts=500)
        assert not one.stats().solved
