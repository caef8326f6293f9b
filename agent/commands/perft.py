"""`ludens perft`: the number of lines of play of each length, to compare programs that know the same rules."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from itertools import product
from typing import Protocol

from ludens.agent.api.game import Game, State, load
from ludens.agent.commands.exit_codes import UsageError
from ludens.agent.commands.progress import progress
from ludens.agent.commands.terminal import printable
from ludens.agent.env import perft as network_perft
from ludens.games.rules import find_rules
from ludens.games.tak import native_game as tak
from ludens.games.tak.notation.ptn import write_move
from ludens.games.tak.notation.tps import read_tps
from ludens.games.tak.rules.parameters import TakError, TakRules
from ludens.games.tak.rules.reference import Position, first_position, legal_moves, made, outcome
from ludens.propnet.base.words import counted

_TAK = re.compile(r"tak_([3-8])")
_CORE_DEPTH = 4  # moves that the game core of Tak counts in a call, at most: Ctrl-C waits for its end


class Lines(Protocol):
    """The lines of play from one position."""

    def count(self, depth: int, *, count_ended: bool) -> int:
        """Returns how many there are of a length; those that end earlier count if it is said."""

    def children(self) -> Iterator[tuple[str, Lines]]:
        """Yields each joint move, and the lines behind it."""


def run(game: str, depth: int, *, divide: bool, count_ended: bool, tps: str | None) -> int:
    """Prints how many lines there are of each length up to `depth`, or behind each first move."""
    lines = _lines(game, tps)
    if divide and depth == 0:
        raise UsageError("--divide needs a depth of at least 1")
    if divide:
        _print_divided(game, lines, depth, count_ended)
    else:
        _print_counts(game, lines, depth, count_ended)
    return 0


def _print_counts(game: str, lines: Lines, depth: int, count_ended: bool) -> None:
    for plies in range(depth + 1):
        began = time.perf_counter()
        with progress(f"counting {game}: {plies} of {depth} moves"):  # which is gone when the line is printed
            count = lines.count(plies, count_ended=count_ended)
        seconds = time.perf_counter() - began
        print(f"{plies:3} {count:20,}  {seconds:8.2f} s", flush=True)


def _print_divided(game: str, lines: Lines, depth: int, count_ended: bool) -> None:
    total = 0
    for move, behind in lines.children():
        shown = printable(move)
        with progress(f"counting {game} behind {shown}"):
            count = behind.count(depth - 1, count_ended=count_ended)
        total += count
        print(f"{shown:31} {count:16,}", flush=True)
    print(f"{counted(total, 'line')} of {counted(depth, 'move')}")


def _lines(game: str, tps: str | None) -> Lines:
    """Returns the lines of a game; raises `LudensError`."""
    if found := _TAK.fullmatch(game):
        return _TakLines(_tak_position(int(found[1]), tps))
    if tps is not None:
        raise UsageError(f"--tps is for positions of Tak, such as those of tak_5, and not for {game}")
    find_rules(game).sheet()  # says what is wrong with them as other commands do
    return _NetworkLines(load(game).initial)


def _tak_position(size: int, tps: str | None) -> Position:
    if tps is None:
        return first_position(TakRules(size))
    position = read_tps(tps)
    if position.rules.size != size:
        raise TakError(f"the position in TPS has {position.rules.size} ranks, and not the {size} of tak_{size}")
    return position


class _TakLines(Lines):
    """Lines of play in Tak, whose game core counts the last moves without making them."""

    def __init__(self, position: Position) -> None:
        self._position = position

    def count(self, depth: int, *, count_ended: bool) -> int:
        """See `Lines`."""
        if depth <= _CORE_DEPTH or outcome(self._position) is not None:
            return tak.perft(self._position, depth, count_ended=count_ended)
        children = (_TakLines(made(self._position, move)) for move in legal_moves(self._position))
        return sum(child.count(depth - 1, count_ended=count_ended) for child in children)

    def children(self) -> Iterator[tuple[str, Lines]]:
        """See `Lines`."""
        for move in legal_moves(self._position):
            yield write_move(self._position.rules, move), _TakLines(made(self._position, move))


class _NetworkLines(Lines):
    """Those of any game; positions that several lines lead to are looked at once."""

    def __init__(self, state: State) -> None:
        self._game: Game = state.game
        self._state = state

    def count(self, depth: int, *, count_ended: bool) -> int:
        """See `Lines`."""
        return network_perft.perft(self._game, depth, self._state, count_ended=count_ended)

    def children(self) -> Iterator[tuple[str, Lines]]:
        """See `Lines`."""
        if self._state.terminal:
            return
        for joint in product(*(self._state.legal(role) for role in self._game.roles)):
            chosen = [
                move for move, role in zip(joint, self._game.roles, strict=True) if len(self._state.legal(role)) > 1
            ]
            yield " ".join(chosen or joint), _NetworkLines(self._state.play(joint))
