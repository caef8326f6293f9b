"""Random games that prefer moves which did well in others: uniform until something is known, then better."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np
import pytest

from ludens import games
from ludens.agent.variants.policy_networks import with_playouts
from ludens.native.core import Game, Search, Simulator
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet
from tests.support.waiting import PATIENCE

MOVES, STEPS, NEEDED = 8, 6, 3

# At each of six steps one of eight moves; the first of them is good, and three good ones win.
PICKING = f"""
(role robot)
(init (step 0))
(init (found 0))
(<= (legal robot (pick ?n)) (thing ?n))
{" ".join(f"(thing {n})" for n in range(MOVES))}
{" ".join(f"(after {n} {n + 1})" for n in range(STEPS))}
(<= (next (step ?m)) (true (step ?n)) (after ?n ?m))
(<= (next (found ?m)) (true (found ?n)) (after ?n ?m) (does robot (pick 0)))
(<= (next (found ?n)) (true (found ?n)) (not (does robot (pick 0))))
(<= terminal (true (step {STEPS})))
{" ".join(f"(<= (goal robot {100 if n >= NEEDED else 0}) (true (found {n})))" for n in range(STEPS + 1))}
"""


def picking() -> Propnet:
    return load(parse_rules(PICKING))


def mean_goal(net: Propnet, seed: int) -> float:
    """Of a search without a tree, whose first moves have equal shares, over the moves."""
    search = Search(Game.from_propnet(net), strategy="flat", seed=seed)
    search.run(playouts=40_000)
    return float(np.mean(search.root_moves(0).values))


def test_games_find_the_good_move_by_themselves() -> None:
    chance = [comb(STEPS, n) * (MOVES - 1) ** (STEPS - n) / MOVES**STEPS for n in range(STEPS + 1)]
    uniform = 100 * sum(chance[NEEDED:])
    assert mean_goal(picking(), 1) == pytest.approx(uniform, abs=1.0)
    better = mean_goal(replace(picking(), machine_policy="mast"), 1)
    # Three steps in four have a grade above the lowest, of which one at least leaves the best move alone.
    assert better > 4 * uniform
    assert better < 99  # nothing is excluded for good


@pytest.mark.parametrize("name", ["breakthrough_small", "hex_small", "connect_four_three"])
@pytest.mark.parametrize("lanes", [64, 512])
def test_where_nothing_has_been_learned_games_are_the_same(name: str, lanes: int) -> None:
    net = load(parse_rules(games.read(name)))
    networks = net, replace(net, machine_policy="mast")
    plain, averaging = (Simulator(Game.from_propnet(n), lanes, seed=3) for n in networks)
    for _ in range(3):
        one, other = plain.playouts(500), averaging.playouts(500)
        assert one.mean_length == other.mean_length
        np.testing.assert_array_equal(one.goal_means, other.goal_means)


def test_moves_stay_legal_and_games_right() -> None:
    """What a search with averages proves is what one without proves."""
    net = load(parse_rules(games.read("hex_small")))
    proofs = []
    for policy in ("", "mast"):
        search = Search(Game.from_propnet(replace(net, machine_policy=policy)), seed=5)
        search.run(seconds=PATIENCE)
        assert search.stats().solved
        known = search.root_moves(0)
        proofs.append(float(known.values[known.best]))
    assert proofs[0] == proofs[1]


def test_the_policy_is_what_auto_is_with_averages() -> None:
    net = load(parse_rules(games.read("breakthrough_small")))
    made = with_playouts(net, "mast")
    assert made.machine_policy == "mast"
    assert made.playable is not None
    assert with_playouts(load(parse_rules(PICKING)), "mast").machine_policy == "mast"
    assert not with_playouts(net, "auto").machine_policy
