"""What `td` makes of forced wins by roads: it plays them out."""

from __future__ import annotations

import random

import pytest

from ludens.games.tak.native_game import native_game, pack
from ludens.games.tak.rules.parameters import TakRules
from ludens.games.tak.rules.reference import Outcome, Position, legal_moves, made, outcome
from ludens.native.core import Search, TinueSearch
from tests.support.tak_positions import random_position

SHARE = 0.3


def td(rules: TakRules, share: float, threads: int = 1) -> Search:
    return Search(native_game(rules), strategy="td", memory_bytes=1 << 20, solver_share=share, threads=threads)


def choice(search: Search, position: Position, playouts: int) -> tuple[int, int]:
    """Returns the number of the move that a search chooses, and the goal that is proven for it."""
    search.set_root(pack(position))
    search.run(playouts=playouts)
    known = search.root_moves(position.turn)
    return int(known.moves[known.best]), int(known.proven[known.best])


def proven_choice(search: Search, position: Position, threads: int) -> tuple[int, int]:
    """The same once it is proven: at once with one thread; with several one may use up all positions of a run."""
    for _ in range(1 if threads == 1 else 100):
        found = choice(search, position, 20_000)
        if search.stats().solved:
            return found
    raise AssertionError("a win that there is was not found")


def after(position: Position, number: int) -> Position:
    move = position.rules.move(number)
    assert move is not None
    return made(position, move)


@pytest.mark.parametrize("threads", [1, 2])
def test_wins_are_found_before_alpha_beta_sees_them_and_played_out(threads: int) -> None:
    rules, rng, played = TakRules(5), random.Random(1), 0
    tinue = TinueSearch(native_game(rules), 1 << 20)
    while played < 3:
        position = random_position(rules, rng)
        attacker = position.turn
        if tinue.run(pack(position), most_moves=6, most_positions=2_000).moves < 4:
            continue
        if choice(td(rules, 0.0), position, 20_000)[1] != -1:
            continue
        search = td(rules, SHARE, threads)
        while outcome(position) is None:
            if position.turn == attacker:
                number, proven = proven_choice(search, position, threads)
                assert proven == 100
                position = after(position, number)
            else:
                position = made(position, rng.choice(legal_moves(position)))
        assert outcome(position) == Outcome(attacker, road=True)
        played += 1


def test_what_is_looked_for_counts_as_positions() -> None:
    position = random_position(TakRules(6), random.Random(3), 0.6)
    for threads in (1, 2):
        search = td(position.rules, SHARE, threads)
        search.set_root(pack(position))
        search.run(playouts=30_000)
        assert search.stats().solved or search.stats().playouts == 30_000


def test_to_a_fixed_depth_nothing_is_looked_for() -> None:
    rules = TakRules(5)
    position = random_position(rules, random.Random(4))
    results = []
    for share in (0.0, SHARE):
        search = Search(native_game(rules), strategy="td", memory_bytes=1 << 20, solver_share=share, depth=2)
        results.append((choice(search, position, 0), search.stats()))
    assert results[0] == results[1]
