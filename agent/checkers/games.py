"""Plays games of checkers by different policies, many side by side, and keeps their positions.

The first method of the checkers program that Ludens grew from: games in which each move is, by a coin, random or the
best by piece count with minimax; a position is worth the result of its game, interpolated from 0 at the start to the
whole result, 1 or -1, at the end. Other data come from games in which each side plays by one of several policies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from ludens.agent.checkers.move_values import Judge, random_descent, searched
from ludens.agent.checkers.views import MOVES, Words, seen_moves, words_of
from ludens.games.checkers.bitboards.native_game import native_game, unpack
from ludens.games.checkers.rules.parameters import CheckersRules
from ludens.native.core import Simulator, States, checkers_baseline_move

COIN, RANDOM, MINIMAX, DESCENT, SEARCH = POLICIES = ("coin", "random", "minimax", "mcrd", "search")
_LANES, _DEPTH = 256, 3  # of minimax, in plies
_GAMES_OF_DESCENT, _GAMES_OF_SEARCH = 16, 32  # random games for each legal move
_TURN = np.uint64(32)


@dataclass(frozen=True, slots=True)
class GamePositions:
    """Positions of games, [n] each: none is terminal, and none within a chain of captures."""

    words: Words  # [n, 3]
    game: npt.NDArray[np.int64]  # the number of the game
    ply: npt.NDArray[np.int16]  # moves made before it
    played: npt.NDArray[np.uint8]  # the move that was made, 4 * square + direction
    result: npt.NDArray[np.int8]  # of the game for the mover: 1, 0 or -1
    label: npt.NDArray[np.float32]  # the result, interpolated from 0 at the start of the game

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, rows: npt.NDArray[np.intp] | npt.NDArray[np.bool_] | slice) -> GamePositions:
        return GamePositions(*(getattr(self, field.name)[rows] for field in fields(self)))

    @staticmethod
    def joined(parts: Sequence[GamePositions]) -> GamePositions:
        """Returns the positions of several parts."""
        names = [field.name for field in fields(GamePositions)]
        return GamePositions(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


class GamePlayer:
    """Plays games by the policies that it is given, each side of a game by one of them."""

    def __init__(self, rules: CheckersRules, policies: Sequence[str]) -> None:
        self._game, self._policies = native_game(rules), policies
        self._descent = random_descent(rules, _GAMES_OF_DESCENT, proportional=False)
        self._search = searched(rules, "uct", _GAMES_OF_SEARCH)

    def play(self, games: int, rng: np.random.Generator) -> GamePositions:
        """Plays so many games to their end; these are numbered from 0."""
        simulator = Simulator(self._game, _LANES)
        policies = rng.integers(len(self._policies), size=(games, 2))
        states, plying = np.tile(self._game.initial, (games, 1)), np.arange(games)
        lengths, results, parts = np.zeros(games, np.int64), np.zeros((games, 2), np.int64), []
        while len(plying):
            turns = (states[:, 1] >> _TURN & np.uint64(1)).astype(np.int64)
            legal = np.where(turns[:, None] == 0, *simulator.legal(states))
            moves = self._choose(states, legal, policies[plying, turns], rng)
            free = unpack(states).chain < 0
            parts.append((words_of(states), plying, lengths[plying], seen_moves(moves, turns), turns, free))
            joint = np.full((len(states), 2), legal.shape[1] - 1, np.int32)
            joint[np.arange(len(states)), turns] = moves
            states = simulator.next(states, joint)
            lengths[plying] += 1
            over = simulator.terminal(states)
            results[plying[over]] = np.sign(simulator.goals(states[over]) - 50) if over.any() else 0
            states, plying = states[~over], plying[~over]
        words, game, ply, played, turns, free = (np.concatenate(column) for column in zip(*parts, strict=True))
        result = results[game, turns]
        label = result * ply / lengths[game]
        return GamePositions(
            words, game, ply.astype(np.int16), played, result.astype(np.int8), label.astype(np.float32)
        )[free]

    def _choose(
        self, states: States, legal: npt.NDArray[np.bool_], policies: npt.NDArray[np.int64], rng: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Returns the number of the move that each game's policy makes."""
        moves: npt.NDArray[np.int64] = (rng.random(legal.shape) * legal).argmax(axis=1)
        heads, seeds = rng.random(len(states)) < 0.5, rng.integers(1 << 63, size=len(states))
        free = unpack(states).chain < 0
        for number, name in enumerate(self._policies):
            mine = policies == number
            if name in (COIN, MINIMAX):
                for row in np.flatnonzero(mine & (heads | (name == MINIMAX))):
                    moves[row] = checkers_baseline_move(self._game, states[row], _DEPTH, int(seeds[row]))
            elif name in (DESCENT, SEARCH) and (rows := np.flatnonzero(mine & free)).size:
                judge = self._descent if name == DESCENT else self._search
                moves[rows] = _best(judge, states[rows], legal[rows], int(seeds[0]))
        return moves


def _best(judge: Judge, states: States, legal: npt.NDArray[np.bool_], seed: int) -> npt.NDArray[np.int64]:
    """Returns the numbers of the moves that a judge values most; captures go on at random."""
    known = judge(words_of(states), seed)
    best = np.array(
        [
            known.moves[a:b][np.nan_to_num(known.values[a:b]).argmax()]
            for a, b in zip(known.first[:-1], known.first[1:], strict=True)
        ],
        np.int64,
    )
    turns = (states[:, 1] >> _TURN & np.uint64(1)).astype(np.int64)
    best = np.where(turns == 0, best, MOVES - 1 - best)
    numbers: npt.NDArray[np.int64] = np.where(legal[np.arange(len(best)), best], best, best + MOVES)
    return numbers
