"""The checkers family played by the book, against known counts and against the built-in sheet's network."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from ludens.games import read
from ludens.games.checkers.rules.parameters import CheckersRules, Forcing, Jumps, MoveTable, even_goals, goal_table
from ludens.games.checkers.rules.reference import Position, Reference
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules, parse_term

MAJORITY = goal_table(
    lambda up, down: (50 + 50 * (up > down) - 50 * (up < down), 50 + 50 * (down > up) - 50 * (down < up))
)
OPTIONAL = CheckersRules(forcing=Forcing.NONE, jumps=Jumps.UP_TO_THREE, goals=MAJORITY, stuck_goals=None)
LONGEST = replace(OPTIONAL, forcing=Forcing.LONGEST)
FLAT_TURNS = CheckersRules(jumps=Jumps.BY_PLIES, idle_limit=40)

PERFT = [
    ("english", CheckersRules(), (7, 49, 302, 1469, 7361)),
    ("checkers", OPTIONAL, (7, 49, 379, 2872)),
    ("six files", replace(OPTIONAL, width=6), (5, 25, 141, 770)),
    ("four files", replace(OPTIONAL, width=4), (3, 9, 31, 100, 371)),
    ("must jump", LONGEST, (7, 49, 302, 1469)),
    ("cylinder", replace(OPTIONAL, wrap_files=True), (8, 64, 560, 4832)),
    ("cylinder, must jump", replace(LONGEST, wrap_files=True), (8, 64, 432, 2128)),
    ("torus, must jump", replace(LONGEST, wrap_files=True, wrap_ranks=True), (8, 64, 432, 2128)),
    ("one jump a ply", FLAT_TURNS, (7, 49, 302)),
]


@pytest.mark.parametrize(("rules", "counts"), [case[1:] for case in PERFT], ids=[case[0] for case in PERFT])
def test_paths_are_as_many_as_published(rules: CheckersRules, counts: tuple[int, ...]) -> None:
    game = Reference(rules)
    positions = [game.initial()]
    for count in counts:
        positions = [game.next(p, path) for p in positions for path in game.legal(p, p.turn)]
        assert len(positions) == count


def test_every_legal_move_has_a_number_of_its_own() -> None:
    rng = random.Random(3)
    for rules in (OPTIONAL, replace(OPTIONAL, width=6), replace(LONGEST, wrap_files=True), FLAT_TURNS):
        game, table = Reference(rules), MoveTable(rules)
        assert len(table.paths) == table.count
        position = game.initial()
        for _ in range(60):
            moves = game.legal(position, position.turn)
            assert [table.paths[table.numbers[path]] for path in moves] == moves
            if not moves:
                break
            position = game.next(position, rng.choice(moves))


def _network_facts(position: Position, rules: CheckersRules) -> set[str]:
    """The state as the built-in sheet writes it: ranks and files from 1, black moves up."""
    facts = {f"(control {('black', 'white')[position.turn]})", f"(idle {position.idle})"}
    for square in range(rules.squares):
        bit, (rank, place) = 1 << square, divmod(square, rules.row)
        at = f"{2 * place + rank % 2 + 1} {rank + 1}"
        kind = "king" if position.kings & bit else "man"
        for pieces, colour in ((position.up, "black"), (position.down, "white")):
            facts |= {f"(cell {at} {colour}_{kind})"} if pieces & bit else set()
        facts |= {f"(chain {at})"} if square == position.chain else set()
    return facts


@pytest.mark.parametrize("seed", range(3))
def test_random_games_of_the_built_in_sheet_are_the_same(seed: int) -> None:
    game, oracle = Reference(FLAT_TURNS), Interpreter(parse_rules(read("english_draughts")))
    rng = random.Random(seed)
    position, state = game.initial(), oracle.initial()
    while True:
        assert {str(fact) for fact in state} == _network_facts(position, FLAT_TURNS)
        assert oracle.terminal(state) == game.terminal(position)
        assert oracle.goals(state) == game.goals(position)
        if game.terminal(position):
            break
        path = rng.choice(game.legal(position, position.turn))
        role = ("black", "white")[position.turn]
        assert len(oracle.legal(state, role)) == len(game.legal(position, position.turn))
        text = _text(game, path)
        assert parse_term(text) in oracle.legal(state, role)
        state = oracle.next(state, [parse_term(text if side == position.turn else "noop") for side in (0, 1)])
        position = game.next(position, path)


def _text(game: Reference, path: tuple[int, ...]) -> str:
    rules = game.rules
    at = [f"{2 * (s % rules.row) + s // rules.row % 2 + 1} {s // rules.row + 1}" for s in path]
    near = any(rules.neighbour(path[0], way) == path[1] for way in range(4))
    return f"({'move' if near else 'jump'} {at[0]} {at[1]})"


def test_goals_of_the_stuck_stand_above_the_table() -> None:
    game = Reference(CheckersRules(goals=even_goals(50)))
    alone = Position(up=0, down=1 << 20, kings=0)
    assert game.terminal(alone)
    assert game.goals(alone) == (0, 100)
    assert game.goals(replace(alone, turn=1)) == (50, 50)
