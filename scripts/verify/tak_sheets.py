"""Compares the rule sheets of Tak with the slow reference, state by state, over random games.

    python -m scripts.verify.tak_sheets tak_3 tak_4 tak_5 --states 100000      # of each sheet

In every state the facts, the legal moves of both roles, the end and the goals must be those of the reference. Games are
played on the network of the sheet, or by the slow interpreter of rules with `--oracle`, which knows no network. In some
games most moves are chosen among spreads alone, so that stacks grow high and games reach the limit of plies. Games that
end with two roads at once come before. Prints what was compared, and fails at the first difference.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

import numpy as np

from ludens import games
from ludens.games.tak.built_in_sheets import move_text
from ludens.games.tak.rules.parameters import Kind, Move, Spread, TakRules
from ludens.games.tak.rules.rare_ends import rare_ends
from ludens.games.tak.rules.reference import Position, after, first_position, legal_moves, outcome
from ludens.native.core import Game, Simulator, pack_bits, unpack_bits
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.syntax import RuleSheet
from scripts.common import arguments
from scripts.common.progress import tell

PLY_LIMIT = 200  # of the sheets: a hundred moves of each side
_ROLES = ("white", "black")
_SPREADS = (0.0, 0.2, 0.95)  # the share of moves that are chosen among spreads, one of them in each game
_GAMES = 16  # whose states are compared at once


@dataclass(frozen=True, slots=True)
class Known:
    """What a rule sheet says of one state; texts of facts and moves."""

    facts: frozenset[str]
    terminal: bool
    goals: tuple[int, int] | None  # at the end
    legal: tuple[frozenset[str], frozenset[str]] | None  # before the end


@dataclass(frozen=True, slots=True)
class Compared:
    """How much was compared."""

    games: int = 0
    states: int = 0
    highest: int = 0  # stack
    at_limit: int = 0  # games that reached the limit of plies

    def __add__(self, other: Compared) -> Compared:
        """Returns both together."""
        return Compared(
            self.games + other.games,
            self.states + other.states,
            max(self.highest, other.highest),
            self.at_limit + other.at_limit,
        )

    def __str__(self) -> str:
        return (
            f"{self.games:,} games, {self.states:,} states, stacks of up to {self.highest} pieces, "
            f"{self.at_limit:,} games at the limit of plies"
        )


class Player(Protocol):
    """A rule sheet, as one of its implementations plays it."""

    def known(self, played: Sequence[Sequence[tuple[str, str]]]) -> list[list[Known]]:
        """Returns what it says of all states of games, of which the joint moves are given."""


class NetworkPlayer(Player):
    """Plays a sheet on its network."""

    def __init__(self, sheet: RuleSheet) -> None:
        """Builds the network."""
        self._net = load(sheet)
        self._simulator = Simulator(Game.from_propnet(self._net))
        self._numbers = [{text: number for number, text in enumerate(moves)} for moves in self._net.moves]

    def known(self, played: Sequence[Sequence[tuple[str, str]]]) -> list[list[Known]]:
        """See `Player`. Raises LudensError for moves that are not legal."""
        states = [pack_bits(self._net.initial) for _ in played]
        found: list[list[Known]] = [[] for _ in played]
        for ply in range(max(map(len, played)) + 1):
            there = [game for game, moves in enumerate(played) if len(moves) >= ply]
            for game, known in zip(there, self._of_states(np.array([states[game] for game in there])), strict=True):
                found[game].append(known)
            going = [game for game in there if len(played[game]) > ply]
            if going:
                joint = np.array([self._numbers_of(played[game][ply]) for game in going], np.int32)
                after_moves = self._simulator.next(np.array([states[game] for game in going]), joint)
                for game, state in zip(going, after_moves, strict=True):
                    states[game] = state
        return found

    def _numbers_of(self, moves: tuple[str, str]) -> list[int]:
        try:
            return [self._numbers[role][move] for role, move in enumerate(moves)]
        except KeyError as error:
            raise LudensError(f"the network has no move {error}") from error

    def _of_states(self, states: np.ndarray) -> list[Known]:
        net = self._net
        facts = unpack_bits(states, net.state_bits)
        legal = self._simulator.legal(states)
        goals, terminal = self._simulator.goals(states).tolist(), self._simulator.terminal(states).tolist()

        def moves(row: int, role: int) -> frozenset[str]:
            return frozenset(net.moves[role][move] for move in np.flatnonzero(legal[role][row]))

        return [
            Known(
                frozenset(net.propositions[bit] for bit in np.flatnonzero(facts[row])),
                terminal[row],
                (goals[row][0], goals[row][1]) if terminal[row] else None,
                None if terminal[row] else (moves(row, 0), moves(row, 1)),
            )
            for row in range(len(states))
        ]


class OraclePlayer(Player):
    """Plays a sheet by the interpreter of rules."""

    def __init__(self, sheet: RuleSheet) -> None:
        """Takes the sheet."""
        self._oracle = Interpreter(sheet)

    def known(self, played: Sequence[Sequence[tuple[str, str]]]) -> list[list[Known]]:
        """See `Player`."""
        return [list(self._of_game(game)) for game in played]

    def _of_game(self, game: Sequence[tuple[str, str]]) -> Iterator[Known]:
        oracle, state = self._oracle, self._oracle.initial()
        for joint in (*game, None):
            terminal = oracle.terminal(state)
            goals = oracle.goals(state) if terminal else None
            legal = None if terminal else [frozenset(map(str, oracle.legal(state, role))) for role in oracle.roles]
            yield Known(
                frozenset(map(str, state)),
                terminal,
                (goals[0] or 0, goals[1] or 0) if goals else None,
                (legal[0], legal[1]) if legal else None,
            )
            if joint:
                state = oracle.next(state, [parse_term(move) for move in joint])


@dataclass(frozen=True, slots=True)
class Played:
    """A game of the reference: its moves, and its positions, one more."""

    moves: list[Move]
    positions: list[Position]


def game_of(rules: TakRules, moves: list[Move]) -> Played:
    """Returns the game of some moves."""
    return Played(moves, list(accumulate(moves, after, initial=first_position(rules))))


def random_game(rules: TakRules, rng: random.Random) -> Played:
    """Returns a random game."""
    positions, share = [first_position(rules)], rng.choice(_SPREADS)
    moves: list[Move] = []
    while legal := legal_moves(positions[-1]):
        spreads = [move for move in legal if isinstance(move, Spread)]
        moves.append(rng.choice(spreads if spreads and rng.random() < share else legal))
        positions.append(after(positions[-1], moves[-1]))
    return Played(moves, positions)


def expected(position: Position) -> Known:
    """Returns what a sheet has to say of a position of the reference."""
    end = outcome(position)
    legal = [frozenset(("noop",)), frozenset(("noop",))]
    legal[position.turn] = frozenset(move_text(position.rules, move) for move in legal_moves(position))
    facts = frozenset(_facts(position))
    return Known(facts, True, end.goals, None) if end else Known(facts, False, None, (legal[0], legal[1]))


def _facts(position: Position) -> Iterator[str]:
    rules = position.rules
    for square, stack in enumerate(position.board):
        at = " ".join(rules.name(square))
        for depth, owner in enumerate(reversed(stack.owners), 1):
            yield f"(piece {at} {depth} {_ROLES[owner]})"
        if stack.top != Kind.FLAT:
            yield f"({stack.top.name.lower()} {at})"
    for role, (flats, capstones) in zip(_ROLES, position.reserves, strict=True):
        yield f"(reserve {role} {flats})"
        if capstones:
            yield f"(capstone_left {role})"
    yield f"(move {position.ply // 2 + 1})"
    yield f"(control {_ROLES[position.turn]})"


def compare(player: Player, played: Sequence[Played]) -> Compared:
    """Compares games; raises LudensError at a difference."""
    joint = [[_joint(*step) for step in zip(game.positions, game.moves, strict=False)] for game in played]
    for game, moves, found in zip(played, joint, player.known(joint), strict=True):
        for ply, (position, known) in enumerate(zip(game.positions, found, strict=True)):
            if known != (wanted := expected(position)):
                told = "; ".join(_differences(known, wanted))
                raise LudensError(f"after {' '.join(min(pair) for pair in moves[:ply])}: {told}")
    ends = [game.positions[-1] for game in played]
    return Compared(
        games=len(played),
        states=sum(len(game.positions) for game in played),
        highest=max(stack.height for game in played for position in game.positions for stack in position.board),
        at_limit=sum(end.ply == end.rules.ply_limit for end in ends),
    )


def _joint(position: Position, move: Move) -> tuple[str, str]:
    text = move_text(position.rules, move)
    return ("noop", text) if position.turn else (text, "noop")


def _differences(known: Known, wanted: Known) -> Iterator[str]:
    for what in ("facts", "terminal", "goals", "legal"):
        found, right = getattr(known, what), getattr(wanted, what)
        if found != right and what == "facts":
            yield f"too many {sorted(found - right)}, missing {sorted(right - found)}"
        elif found != right:
            yield f"{what} are {found}, not {right}"


def main() -> int:
    """Compares the sheets of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", metavar="GAME", help="tak_3, tak_4 or tak_5")
    parser.add_argument("--states", type=arguments.count, default=100_000, help="of each sheet (%(default)s)")
    parser.add_argument("--oracle", action="store_true", help="by the interpreter of rules, and not on the network")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for name in args.games:
        sheet, rng = parse_rules(games.read(name)), random.Random(args.seed)
        rules = TakRules(int(name.removeprefix("tak_")), ply_limit=PLY_LIMIT)
        player = OraclePlayer(sheet) if args.oracle else NetworkPlayer(sheet)
        compared = compare(player, [game_of(rules, moves) for moves in rare_ends(rules)])
        while compared.states < args.states:
            compared += compare(player, [random_game(rules, rng) for _ in range(_GAMES)])
            tell(f"{name}: {compared.states:,} states")
        print(f"{name}: {compared}: no difference", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
