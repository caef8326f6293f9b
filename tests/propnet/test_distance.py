"""Distance as features: the two-distance of hex, against one that is found on the board, cell by cell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from ludens.agent.learning.features import SavedFeatures, with_features
from ludens.native.core import Game, random_samples, unpack_bits
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.compile.loader import load
from ludens.propnet.features.distance import with_distance
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import FeatureName, Propnet
from ludens.propnet.network.sampling import sample_states
from tests.support.searching import network

_Cell = tuple[int, int]
_WAYS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]

# Whoever fills a row of five cells alone wins, which the rules find out from one end on.
ROW = """
(role x) (role o) (opponent x o) (opponent o x) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(at 1) (at 2) (at 3) (at 4) (at 5) (init (control x))
(<= (filled ?n) (true (cell ?n ?p)))
(<= (legal ?p (put ?n)) (true (control ?p)) (at ?n) (not (filled ?n)))
(<= (legal ?p noop) (opponent ?p ?q) (true (control ?q)))
(<= (next (cell ?n ?p)) (true (cell ?n ?p)))
(<= (next (cell ?n ?p)) (does ?p (put ?n)))
(<= (next (control ?p)) (opponent ?p ?q) (true (control ?q)))
(<= (joined 1 ?p) (true (cell 1 ?p)))
(<= (joined ?m ?p) (joined ?n ?p) (linked ?n ?m) (true (cell ?m ?p)))
(<= (linked ?n ?m) (succ ?n ?m)) (<= (linked ?m ?n) (succ ?n ?m))
(<= terminal (joined 5 ?p)) (<= open (at ?n) (not (filled ?n))) (<= terminal (not open))
(<= (goal ?p 100) (joined 5 ?p)) (<= (goal ?p 0) (role ?p) (not (joined 5 ?p)))
"""


@cache
def marked(name: str) -> Propnet:
    return with_distance(load(ROW) if name == "row" else network(name), 100_000, 600.0, ())


# ---- Hex on the board -------------------------------------------------------------------------------------------


class Board:
    """One side's view of a position of hex: from column 1 to column `size`."""

    def __init__(self, own: set[_Cell], other: set[_Cell], size: int) -> None:
        self._own, self._size = own, size
        self._free = {(x, y) for x in range(1, size + 1) for y in range(1, size + 1)} - own - other

    def within(self, most: int) -> Iterator[tuple[bool, bool]]:
        """Whether the edges can be joined in at most 0, 1, ... moves, and whether in two ways at the end."""
        made = set[_Cell]()
        safe = self._spread({c for c in self._own if c[0] == 1})
        for moves in range(most + 1):
            if moves:
                made = {c for c in self._free if c[0] == 1 or self._ways(c, made, safe) > 1}
                safe = self._spread({c for c in self._own if c[0] == 1 or self._ways(c, made, set()) > 1})
            joined = self._spread({c for c in self._own if c[0] == 1 or self._near(c) & made})
            ends = {c for c in made | joined if c[0] == self._size}
            yield bool(ends), len(ends & made) > 1 or bool(ends & safe)

    def _near(self, cell: _Cell) -> set[_Cell]:
        return {(cell[0] + dx, cell[1] + dy) for dx, dy in _WAYS}

    def _ways(self, cell: _Cell, made: set[_Cell], safe: set[_Cell]) -> int:
        """In how many ways a cell is reached; a safe stone counts for two."""
        return len(self._near(cell) & made) + 2 * len(self._near(cell) & safe)

    def _spread(self, stones: set[_Cell]) -> set[_Cell]:
        """The stones and all that are in a chain with one of them."""
        found, pending = set[_Cell](), list(stones)
        while pending:
            if (stone := pending.pop()) not in found:
                found.add(stone)
                pending += self._near(stone) & self._own
        return found


def boards(net: Propnet, state: BoolArray, size: int) -> list[Board]:
    """The views of red and of blue."""
    stones: dict[str, set[_Cell]] = {"red": set(), "blue": set()}
    for proposition, holds in zip(net.propositions, state.tolist(), strict=True):
        if holds and (found := re.fullmatch(r"\(cell (\d) (\d) (\w+)\)", proposition)):
            stones[found[3]].add((int(found[1]), int(found[2])))
    turned = {role: {(y, x) for x, y in cells} for role, cells in stones.items()}
    return [Board(stones["red"], stones["blue"], size), Board(turned["blue"], turned["red"], size)]


def parsed(name: FeatureName) -> tuple[int, int, int]:
    """Role, number of moves and number of ways."""
    kind, *numbers = name.what.split()
    assert kind == "distance"
    role, moves, ways = map(int, numbers)
    return role, moves, ways


def expected(name: str, state: BoolArray, size: int) -> list[bool]:
    within = [list(board.within(size + 1)) for board in boards(marked(name), state, size)]
    return [within[role][moves][ways - 1] for role, moves, ways in map(parsed, marked(name).feature_names)]


@pytest.mark.parametrize(("name", "size", "count"), [("hex_small", 4, 200), ("hex", 9, 30)])
def test_distance_in_hex_is_that_on_the_board(name: str, size: int, count: int) -> None:
    net = marked(name)
    game = Game.from_propnet(net)
    bits = unpack_bits(random_samples(game, count, seed=3).features, game.feature_bits)[:count]
    states, found = bits[:, : net.state_bits], bits[:, net.state_bits :]
    np.testing.assert_array_equal(found, [expected(name, state, size) for state in states])
    np.testing.assert_array_equal(found, Evaluator(net).features(states))
    assert found.any()
    assert not found.all(axis=0).any()


def test_numbers_go_up_to_what_it_costs_at_first() -> None:
    assert sorted(map(parsed, marked("hex_small").feature_names)) == [
        (role, moves, ways) for role in (0, 1) for moves in range(1, 5) for ways in (1, 2) if (moves, ways) != (4, 1)
    ]


def test_a_row_that_may_be_cut_anywhere_cannot_be_had_unless_one_stone_is_missing() -> None:
    net = marked("row")
    evaluator = Evaluator(net)
    assert not evaluator.features(net.initial).any()
    state = net.initial.copy()
    for cell in (1, 2, 3, 5):
        state[net.propositions.index(f"(cell {cell} x)")] = True
    holds = dict(zip(map(parsed, net.feature_names), evaluator.features(state).tolist(), strict=True))
    assert holds[0, 1, 1]
    assert not any(near for (role, _, _), near in holds.items() if role == 1)


# ---- Which games, and how many gates ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "breakthrough"])
def test_games_whose_end_depends_on_no_loop_stay_as_they_are(name: str) -> None:
    assert with_distance(network(name), 100_000, 60.0, ()) is network(name)


def test_fewer_gates_mean_fewer_numbers_and_none_an_error() -> None:
    net = network("hex_small")
    few = with_distance(net, 2_000, 60.0, ())
    assert 0 < len(few.features) < len(marked("hex_small").features)
    assert len(few.gates) - len(net.gates) <= 2_000
    with pytest.raises(CompositionError):
        with_distance(net, 2_000, 0.0, ())


def test_evaluations_see_distance_unless_they_are_told_not_to() -> None:
    net = network("hex_small")
    kinds = {features: with_features(net, features).net.feature_names for features in ("all", "distance", "threats")}
    assert {name.what.split()[0] for name in kinds["all"]} >= {"distance"}
    assert kinds["distance"] == marked("hex_small").feature_names
    assert not any(name.what.startswith("distance") for name in kinds["threats"])


def test_saved_features_are_made_again() -> None:
    net, wanted = network("hex_small"), FeatureName("distance 1 2 1")
    saved = SavedFeatures(lambda name: name == wanted, frozenset({"distance"}))
    assert with_features(net, "all", saved=saved).net.feature_names == (wanted,)


def test_the_game_stays_the_same() -> None:
    plain, states = Evaluator(network("hex_small")), sample_states(network("hex_small"), games=8, seconds=60.0)[0]
    changed = Evaluator(marked("hex_small"))
    assert marked("hex_small").propositions == network("hex_small").propositions
    for ask in ("legal", "terminal", "goals"):
        np.testing.assert_array_equal(getattr(plain, ask)(states), getattr(changed, ask)(states))
