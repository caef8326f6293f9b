"""Forced wins by roads in Tak: proofs replayed on the readable rules, and short wins as trying all moves finds them."""

from __future__ import annotations

import random
import threading
from dataclasses import replace

import numpy as np
import pytest

from ludens.games.gomoku.rules import GomokuRules
from ludens.games.gomoku.rules import native_game as native_gomoku
from ludens.games.tak.native_game import native_game, pack
from ludens.games.tak.notation.tps import read_tps
from ludens.games.tak.rules.parameters import TakRules
from ludens.games.tak.rules.reference import Position, first_position
from ludens.native.core import Tinue, TinueNode, TinueSearch
from ludens.propnet.base.errors import NativeError
from scripts.common.tinue_rules import moves_of, refutation, successors, threatens_road, wins_by_threats
from tests.support.tak_positions import random_position

LONG = "x,2C,2,222,x,2/1,x5/x,2,1,x2,12/2S,2,x3,2/x,2,x,1,2,x/1,x2,1,1,11 2 30"
"""Where millions of positions do not show whether there is a win."""


def search_of(rules: TakRules) -> TinueSearch:
    return TinueSearch(native_game(rules), 1 << 20)


@pytest.mark.parametrize(
    ("rules", "moves", "count"),
    [
        (TakRules(3), 2, 80),
        (TakRules(3), 3, 80),
        (TakRules(3, ply_limit=25), 3, 80),
        (TakRules(4), 2, 40),
        (TakRules(4), 3, 20),
        (TakRules(5), 2, 12),
    ],
    ids=str,
)
def test_it_finds_what_trying_all_moves_finds(rules: TakRules, moves: int, count: int) -> None:
    rng, search, lengths = random.Random(rules.size), search_of(rules), set()
    for _ in range(count):
        position = random_position(rules, rng)
        found = search.run(pack(position), most_moves=moves)
        assert found.verdict == ("won" if wins_by_threats(position, moves) else "none")
        if found.verdict == "won":
            assert found.moves == 1 or not wins_by_threats(position, found.moves - 1)
            check_proof(search, position, found)
        lengths.add(found.moves)
    assert lengths >= {0, moves}


@pytest.mark.parametrize("size", range(3, 9))
def test_longer_proofs_hold_against_every_answer(size: int) -> None:
    rules, rng, longest = TakRules(size), random.Random(size), 0
    search = search_of(rules)
    for _ in range(25 if size < 7 else 8):
        position = random_position(rules, rng, filled=0.35 if size < 6 else 0.6)
        found = search.run(pack(position), most_moves=8, most_positions=30_000)
        if found.verdict == "won":
            check_proof(search, position, found)
            longest = max(longest, found.moves)
    assert longest > 1


def test_every_move_of_a_proof_is_a_threat() -> None:
    rules, rng, threats = TakRules(4), random.Random(4), 0
    search = search_of(rules)
    for _ in range(40):
        position = random_position(rules, rng)
        if search.run(pack(position), most_moves=4).verdict == "won":
            threats += threats_of(position, search.proof())
    assert threats > 20


def threats_of(position: Position, node: TinueNode) -> int:
    """Returns the number of moves of a proof that complete no road, all of which are threats."""
    if node.road is None:
        return 0
    after = after_number(position, node.move)
    assert threatens_road(after)
    return 1 + sum(threats_of(after_number(after, answer), below) for answer, below in node.answers.items())


def after_number(position: Position, number: int) -> Position:
    return next(after for move, after in successors(position) if position.rules.number(move) == number)


def test_what_was_found_before_changes_no_verdict() -> None:
    rules, rng = TakRules(4), random.Random(7)
    search = search_of(rules)
    for _ in range(20):
        position = random_position(rules, rng)
        moves = rng.randrange(2, 6)
        alone = search_of(rules).run(pack(position), most_moves=moves)
        for _ in range(2):
            assert search.run(pack(position), most_moves=moves).verdict == alone.verdict


def test_a_little_memory_is_enough_for_proofs() -> None:
    rules, rng, won = TakRules(4), random.Random(8), 0
    search = TinueSearch(native_game(rules), 1 << 12)
    for _ in range(20):
        position = random_position(rules, rng)
        found = search.run(pack(position), most_moves=4, most_positions=100_000)
        if found.verdict == "won":
            check_proof(search, position, found)
            won += 1
    assert won > 0


def check_proof(search: TinueSearch, position: Position, found: Tinue) -> None:
    """Replays the proof of what was found."""
    proof = search.proof()
    assert refutation(position, proof) == ""
    assert (proof.move, moves_of(proof)) == (found.move, found.moves)


def test_wrong_proofs_are_refuted() -> None:
    rules, rng = TakRules(4), random.Random(9)
    search, found = search_of(rules), Tinue("none", None, 0, 0)
    while found.moves < 3:
        position = random_position(rules, rng)
        found = search.run(pack(position), most_moves=4)
    proof = search.proof()
    assert refutation(position, proof) == ""
    assert "completes no road" in refutation(position, TinueNode(proof.move, None, {}))
    assert refutation(position, TinueNode(proof.move, proof.road, {})) != ""
    assert "is not legal" in refutation(position, replace(proof, move=rules.waiting))
    surplus = {rules.waiting: TinueNode(proof.move, None, {})}
    assert "an answer that is not legal" in refutation(position, replace(proof, answers=proof.answers | surplus))


def test_a_search_ends_at_its_limits() -> None:
    position = read_tps(LONG)
    search = search_of(position.rules)
    found = search.run(pack(position), most_positions=0)
    assert found == Tinue("unknown", None, 0, 0)
    assert search.run(pack(position), most_positions=1_000).positions == 1_000
    assert search.run(pack(position), seconds=1e-9).verdict == "unknown"


def test_a_search_can_be_stopped_from_another_thread() -> None:
    position = read_tps(LONG)
    search = search_of(position.rules)
    found: list[Tinue] = []
    thread = threading.Thread(target=lambda: found.append(search.run(pack(position))))
    thread.start()
    while thread.is_alive():
        search.stop()
    thread.join()
    assert found[0].verdict == "unknown"


def test_nobody_has_won_where_the_game_is_over_or_has_not_begun() -> None:
    over = read_tps("1,1,1/2,2,x/x3 2 4")
    for position in (over, first_position(TakRules(3))):
        assert search_of(position.rules).run(pack(position)) == Tinue("none", None, 0, 0)


def test_misuse_is_refused() -> None:
    rules = TakRules(4)
    search = search_of(rules)
    state = pack(first_position(rules))
    with pytest.raises(NativeError, match="no win to be told"):
        search.proof()
    for moves in (0, 101):
        with pytest.raises(NativeError, match="from 1 to 100 moves"):
            search.run(state, most_moves=moves)
    with pytest.raises(NativeError, match="seconds must not be negative"):
        search.run(state, seconds=-1)
    with pytest.raises(NativeError, match="most_positions must not be negative"):
        search.run(state, most_positions=-1)
    with pytest.raises(NativeError, match="this is no state"):
        search.run(np.zeros_like(state))
    with pytest.raises(NativeError, match="no game of Tak"):
        TinueSearch(native_gomoku(GomokuRules(3, 3, 3)))
