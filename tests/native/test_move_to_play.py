"""Which move a search plays where something is proven of some of its moves, but not of all."""

from __future__ import annotations

import pytest

from ludens.native.core import Game, RootMoves, Search
from tests.support.searching import network

# After the bait, b wins by one of nine replies, and then by one of nine answers to whatever a does: random games hardly
# ever find out. Who leaves wanders for long, and gets 30 or 40.
BAIT = f"""
(role a) (role b)
(init (at start))
(one 1) {" ".join(f"(digit {n}) (wrong {n})" for n in range(2, 10))} (digit 1)
{" ".join(f"(follows {n} {n + 1})" for n in range(8))}
(<= (legal a bite) (true (at start)))
(<= (legal a (leave ?side)) (true (at start)) (side ?side))
(side left) (side right)
(<= (legal b (reply ?n)) (true (at bait)) (digit ?n))
(<= (legal a (try ?n)) (true (at reply)) (digit ?n))
(<= (legal b (answer ?n)) (true (at try)) (digit ?n))
(<= (legal a (turn ?n)) (true (walked ?m)) (digit ?n))
(<= (legal a noop) (true (at bait)))
(<= (legal a noop) (true (at try)))
(<= (legal b noop) (true (at start)))
(<= (legal b noop) (true (at reply)))
(<= (legal b noop) (true (walked ?m)))
(<= (next (at bait)) (does a bite))
(<= (next (walked 0)) (does a (leave ?side)))
(<= (next (on ?side)) (does a (leave ?side)))
(<= (next (on ?side)) (true (on ?side)))
(<= (next (at reply)) (does b (reply 1)))
(<= (next (at won)) (does b (reply ?n)) (wrong ?n))
(<= (next (at try)) (does a (try ?n)))
(<= (next (tried ?n)) (does a (try ?n)))
(<= (next (at lost)) (does b (answer ?n)) (true (tried ?n)))
(<= (next (at won)) (does b (answer ?n)) (true (tried ?m)) (distinct ?n ?m))
(<= (next (walked ?n)) (true (walked ?m)) (follows ?m ?n))
(<= (next (turned ?m ?n)) (does a (turn ?n)) (true (walked ?m)))
(<= (next (turned ?m ?n)) (true (turned ?m ?n)))
(<= (goal a 100) (true (at won)))
(<= (goal b 0) (true (at won)))
(<= (goal a 0) (true (at lost)))
(<= (goal b 100) (true (at lost)))
(<= straight {" ".join(f"(true (turned {n} 1))" for n in range(8))})
(<= (goal a 41) (true (walked 8)) straight)
(<= (goal b 59) (true (walked 8)) straight)
(<= (goal a 40) (true (walked 8)) (not straight) (true (on left)))
(<= (goal b 60) (true (walked 8)) (not straight) (true (on left)))
(<= (goal a 30) (true (walked 8)) (not straight) (true (on right)))
(<= (goal b 70) (true (walked 8)) (not straight) (true (on right)))
(<= terminal (true (at won)))
(<= terminal (true (at lost)))
(<= terminal (true (walked 8)))
"""


def places(known: RootMoves) -> tuple[int, list[int]]:
    """The place of `bite` among the first role's moves, and those of the others."""
    names = [network(BAIT).moves[0][move] for move in known.moves]
    bite = names.index("bite")
    return bite, [place for place in range(len(names)) if place != bite]


@pytest.mark.parametrize("strategy", ["uct", "rave"])
def test_a_move_that_is_proven_to_lose_is_not_played_however_often_it_was_visited(strategy: str) -> None:
    search = Search(Game.from_propnet(network(BAIT)), strategy=strategy, lanes=64, memory_bytes=1 << 26, seed=1)
    search.set_root()
    for _ in range(2_000):
        search.run(playouts=50)
        known = search.root_moves(0)
        bite, others = places(known)
        if known.proven[bite] == 0:
            break
    assert (known.proven[bite], *known.proven[others]) == (0, -1, -1)
    assert known.visits[bite] > known.visits[others].max()
    assert known.best in others
    assert search.expected_line(1)[0, 0] == known.moves[known.best]


def test_what_the_solver_has_proven_of_one_move_counts_though_the_root_is_not_solved() -> None:
    game = Game.from_propnet(network(BAIT))
    search = Search(game, strategy="flat", lanes=64, memory_bytes=1 << 26, solver_share=0.5, seed=1)
    search.set_root()
    search.run(playouts=20_000)
    known = search.root_moves(0)
    bite, others = places(known)
    assert not search.stats().solved
    assert (known.proven[bite], known.values[bite]) == (0, 0)
    assert known.best == max(others, key=lambda place: known.values[place])  # by its own rule, the best mean
    assert search.expected_line(1)[0, 0] == known.moves[known.best]
