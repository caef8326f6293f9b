"""Random checkers games, one a thread: the same functions compiled for a GPU and for the processor's threads.

A position is seven words: the pieces of UP, of DOWN and the kings, as bit sets; whose turn it is; the piece that
goes on capturing, as a bit set; the plies so far; and those without progress. Rules are known when the functions
are compiled, so what does not concern them costs nothing.

Moves are never listed. All pieces that can go a way (a step, or a chain of up to three jumps, as directions) are
found at once, backwards from the squares where they would end: what an empty square can be reached from. Counting
the bits of these sets, way by way, counts the moves; the n-th move is the n-th bit. That is also the order of
moves here: by length, by way, by square. A `Jumps.WHOLE` chain is chosen jump by jump, each evenly among those
there are, as is one of `Jumps.BY_PLIES`; it just counts as one ply.

Game n of a position is drawn from a stream of its own, xoshiro128++ (Blackman and Vigna, 2019) seeded from n by
splitmix64, so that it is the same game on whatever thread and device. A number below n is the high half of 32
random bits times n, which is never n itself.

Only for import where there is numba.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import cuda, int64, njit, uint32, uint64
from numba.extending import intrinsic

from ludens.games.checkers.rules.parameters import DOWN, HEIGHT, UP, CheckersRules, Forcing, Jumps

UP_PIECES, DOWN_PIECES, KINGS, TURN, CHAIN, STEP, IDLE = range(7)  # words of a position
WORDS = 7
GOALS_UP, GOALS_DOWN, PLIES, CUT = range(4)  # rows of Threads.totals

_RANDOM_WORDS = 4
_ONE, _NONE, _ALL = np.uint32(1), np.uint32(0), np.uint32(0xFFFFFFFF)


class Threads(NamedTuple):
    """The state of T threads between launches; each plays games from one of P positions."""

    starts: Any  # uint32[P, WORDS]
    positions: Any  # int64[T]: the position of a thread
    nexts: Any  # int64[T]: number of the game that it plays, among those of its position
    lasts: Any  # int64[T]: past the last of its numbers
    seeds: Any  # uint64[P]
    games: Any  # uint32[WORDS, T]: the game under way
    random: Any  # uint32[4, T]
    ages: Any  # int64[T]: moves made in the game under way; -1 if there is none
    totals: Any  # int64[4, T]
    goals: Any  # int64[13, 13, 2]: by pieces of UP and of DOWN, goals of both
    unfinished: Any  # int64[1]: threads that had games left when the last launch ended


class Functions(NamedTuple):
    """One game of the family for one target. A game is a local array of WORDS uint32."""

    count: Any  # (game) -> legal moves, fewest and most jumps of one
    move: Any  # (game, n, fewest, most): makes the n-th
    over: Any  # (game, legal moves) -> whether it has ended
    play: Any  # (threads, thread, game, random, rounds, most moves of a game) -> whether there are games left


@cache
def for_processor(rules: CheckersRules) -> tuple[Functions, Any]:
    """Returns the functions, and run(threads, first, past_last, rounds, most_moves) without the GIL, for the CPU."""
    made = functions(rules, njit, _popcount)
    play = made.play

    @njit(nogil=True)
    def run(threads, first, past_last, rounds, most_moves):
        game, random = np.empty(WORDS, np.uint32), np.empty(_RANDOM_WORDS, np.uint32)
        for thread in range(first, past_last):
            if play(threads, thread, game, random, rounds, most_moves):
                threads.unfinished[0] = 1

    return made, run


@cache
def for_device(rules: CheckersRules) -> Any:
    """Returns the kernel run(threads, count, rounds, most_moves) for a GPU, for the first `count` of `threads`."""
    play = functions(rules, cuda.jit(device=True), _device_popcount).play

    @cuda.jit
    def run(threads, count, rounds, most_moves):
        game, random = cuda.local.array(WORDS, uint32), cuda.local.array(_RANDOM_WORDS, uint32)
        thread = cuda.grid(1)
        if thread < count and play(threads, thread, game, random, rounds, most_moves):
            cuda.atomic.add(threads.unfinished, 0, 1)

    return run


@cuda.jit
def begin(threads, bounds, games):
    """Prepares threads on the device: those from bounds[p] up to bounds[p + 1] divide the games[p] of position p."""
    thread, positions = cuda.grid(1), games.shape[0]
    if thread < bounds[positions]:
        position, past = 0, positions
        while past - position > 1:
            middle = (position + past) // 2
            if bounds[middle] <= thread:
                position = middle
            else:
                past = middle
        number, shares = thread - bounds[position], bounds[position + 1] - bounds[position]
        threads.positions[thread] = position
        threads.nexts[thread] = number * games[position] // shares
        threads.lasts[thread] = (number + 1) * games[position] // shares
        threads.ages[thread] = -1
        for row in range(threads.totals.shape[0]):
            threads.totals[row, thread] = 0


@cuda.jit
def add_up(threads, count, sums):
    """Adds the totals of the first `count` threads to those of their positions, int64[4, P]."""
    thread = cuda.grid(1)
    if thread < count:
        for row in range(threads.totals.shape[0]):
            cuda.atomic.add(sums, (row, threads.positions[thread]), threads.totals[row, thread])


@cuda.jit(device=True)
def _device_popcount(word):
    return cuda.popc(word)


@intrinsic
def _popcount(_context, word):
    """Counts the ones of a word with one instruction."""

    def generate(context, builder, signature, arguments):
        return context.cast(builder, builder.ctpop(arguments[0]), signature.args[0], signature.return_type)

    return int64(uint32), generate


def functions(rules: CheckersRules, jit: Callable[[Any], Any], popcount: Any) -> Functions:
    """Returns the functions of a game, compiled by `jit`."""
    up_left, up_right, down_left, down_right = (_shift(rules, direction, jit) for direction in range(4))
    squares = np.uint32((1 << rules.squares) - 1)
    last_row = ((1 << rules.row) - 1) << rules.row * (HEIGHT - 1)
    crown_of_up, crown_of_down = np.uint32(last_row), np.uint32((1 << rules.row) - 1)
    crowning, stuck_either = rules.kings, rules.stuck_either
    longest = 3 if rules.jumps is Jumps.UP_TO_THREE else 1
    chains, chain_is_a_ply = rules.jumps in (Jumps.BY_PLIES, Jumps.WHOLE), rules.jumps is Jumps.WHOLE
    forced, longest_only = rules.forcing is not Forcing.NONE, rules.forcing is Forcing.LONGEST
    step_limit, idle_limit = rules.step_limit, rules.idle_limit
    decided = rules.stuck_goals is not None
    goal_of_stuck, goal_of_other = rules.stuck_goals or (0, 0)

    @jit
    def neighbours(pieces, direction):
        if direction == 0:
            return up_left(pieces)
        if direction == 1:
            return up_right(pieces)
        if direction == 2:
            return down_left(pieces)
        return down_right(pieces)

    @jit
    def steppers(movers, empty, kings, side):
        """Returns the movers that can step each way."""
        upwards, downwards = (movers, movers & kings) if side == UP else (movers & kings, movers)
        return (
            uint32(upwards & down_right(empty)),
            uint32(upwards & down_left(empty)),
            uint32(downwards & up_right(empty)),
            uint32(downwards & up_left(empty)),
        )

    @jit
    def jumpers(movers, enemy, empty, kings, side):
        """Returns the movers that can jump each way."""
        upwards, downwards = (movers, movers & kings) if side == UP else (movers & kings, movers)
        return (
            uint32(upwards & down_right(enemy & down_right(empty))),
            uint32(upwards & down_left(enemy & down_left(empty))),
            uint32(downwards & up_right(enemy & up_right(empty))),
            uint32(downwards & up_left(enemy & up_left(empty))),
        )

    @jit
    def chainers(movers, enemy, empty, kings, side, jumps, way):
        """Returns the movers that can jump a whole way (two bits a jump, the last one lowest) from this board.

        No piece is jumped over twice, which takes turning back: three jumps make no circle.
        """
        able, reached, back = movers, _ALL, 4
        for _ in range(jumps):
            direction = way & 3
            if direction == back:
                return _NONE
            back = direction ^ 3
            able = able if direction >> 1 == side else able & kings
            reached = neighbours(neighbours(reached & empty, back) & enemy, back)
            way >>= 2
        return uint32(able & reached)

    @jit
    def total(sets):
        return int64(popcount(sets[0])) + popcount(sets[1]) + popcount(sets[2]) + popcount(sets[3])

    @jit
    def chains_of(movers, enemy, empty, kings, side, jumps):
        """Counts the ways of two or three jumps of all movers together."""
        found = 0
        for way in range(1 << (2 * jumps)):
            found += int64(popcount(chainers(movers, enemy, empty, kings, side, jumps, way)))
        return found

    @jit
    def sides(game):
        """Returns the pieces of the side to move, those of the other side, and the empty squares."""
        side = int64(game[TURN])
        own, enemy = (game[UP_PIECES], game[DOWN_PIECES]) if side == UP else (game[DOWN_PIECES], game[UP_PIECES])
        return own, enemy, squares ^ own ^ enemy, side

    @jit
    def count(game):
        own, enemy, empty, side = sides(game)
        chain, kings = game[CHAIN], game[KINGS]
        movers = chain if chain else own
        found = total(jumpers(movers, enemy, empty, kings, side))
        captures, most = found, 1 if found > 0 else 0
        for jumps in range(2, longest + 1):
            if most == jumps - 1:
                longer = chains_of(movers, enemy, empty, kings, side, jumps)
                if longer > 0:
                    captures, most, found = captures + longer, jumps, longer
        if longest_only and most > 0:
            return found, most, most
        if chain or (forced and most > 0):
            return captures, 1, most
        return captures + total(steppers(movers, empty, kings, side)), 0, most

    @jit
    def make(game, start, jumps, way):
        """Moves the piece on `start` that way."""
        own, enemy, _, side = sides(game)
        king, at, taken = game[KINGS] & start, start, _NONE
        if jumps == 0:
            at = neighbours(start, way)
        for jump in range(jumps):
            direction = (way >> (2 * (jumps - 1 - jump))) & 3
            victim = neighbours(at, direction)
            taken |= victim
            at = neighbours(victim, direction)
        own, enemy = uint32(own ^ start ^ at), uint32(enemy ^ taken)
        game[UP_PIECES], game[DOWN_PIECES] = (own, enemy) if side == UP else (enemy, own)
        crowned = crowning and not king and (at & (crown_of_up if side == UP else crown_of_down)) != 0
        kings = game[KINGS] & (enemy | own)
        game[KINGS] = kings | at if king or crowned else kings
        game[CHAIN] = _NONE
        goes_on = chains and jumps > 0 and not crowned
        if goes_on and total(jumpers(at, enemy, squares ^ own ^ enemy, game[KINGS], side)) > 0:
            game[CHAIN] = at
        if not game[CHAIN]:
            game[TURN] = side ^ 1
        if step_limit > 0 and not (chain_is_a_ply and game[CHAIN]):
            game[STEP] += _ONE
        if idle_limit > 0:
            game[IDLE] = game[IDLE] + _ONE if king and jumps == 0 else _NONE

    @jit
    def nth(able, n):
        """Returns the n-th of a set of squares, as a set."""
        for _ in range(n):
            able = uint32(able & (able - _ONE))
        return uint32(able & ((able - _ONE) ^ _ALL))

    @jit
    def move_one(game, sets, jumps, n):
        """Makes the n-th step or jump; returns how many there were if there is no n-th."""
        before = 0
        for way in range(4):
            able = sets[0] if way == 0 else sets[1] if way == 1 else sets[2] if way == 2 else sets[3]
            found = int64(popcount(able))
            if n - before < found:
                make(game, nth(able, n - before), jumps, way)
                return -1
            before += found
        return before

    @jit
    def move(game, n, fewest, most):
        own, enemy, empty, side = sides(game)
        movers, kings = game[CHAIN] if game[CHAIN] else own, game[KINGS]
        if fewest == 0:
            passed = move_one(game, steppers(movers, empty, kings, side), 0, n)
            if passed < 0:
                return
            n -= passed
        if fewest <= 1:
            passed = move_one(game, jumpers(movers, enemy, empty, kings, side), 1, n)
            if passed < 0:
                return
            n -= passed
        for jumps in range(2 if fewest < 2 else fewest, most + 1):
            for way in range(1 << (2 * jumps)):
                able = chainers(movers, enemy, empty, kings, side, jumps, way)
                found = int64(popcount(able))
                if n < found:
                    make(game, nth(able, n), jumps, way)
                    return
                n -= found

    @jit
    def over(game, moves):
        if moves == 0:
            return True
        if (step_limit > 0 and game[STEP] >= step_limit) or (idle_limit > 0 and game[IDLE] >= idle_limit):
            return True
        if stuck_either:
            own, enemy, empty, side = sides(game)
            steps = total(steppers(enemy, empty, game[KINGS], side ^ 1))
            return steps == 0 and total(jumpers(enemy, own, empty, game[KINGS], side ^ 1)) == 0
        return False

    @jit
    def settle(threads, thread, game, moves, age, is_over):
        """Adds a game that has ended to the totals."""
        up, down = int64(popcount(game[UP_PIECES])), int64(popcount(game[DOWN_PIECES]))
        goal_of_up, goal_of_down = threads.goals[up, down, 0], threads.goals[up, down, 1]
        if decided and moves == 0:
            goal_of_up = goal_of_stuck if game[TURN] == UP else goal_of_other
            goal_of_down = goal_of_stuck if game[TURN] == DOWN else goal_of_other
        threads.totals[GOALS_UP, thread] += goal_of_up
        threads.totals[GOALS_DOWN, thread] += goal_of_down
        threads.totals[PLIES, thread] += age
        if not is_over:
            threads.totals[CUT, thread] += 1

    @jit
    def below(random, n):
        """Returns a random number from 0 to n - 1, and the next state."""
        a, b, c, d = random[0], random[1], random[2], random[3]
        word = uint32(a + d)
        word = uint32(uint32((word << 7) | (word >> 25)) + a)
        shifted = uint32(b << 9)
        c ^= a
        d ^= b
        random[0], random[1] = a ^ d, b ^ c
        random[2], random[3] = c ^ shifted, uint32((d << 11) | (d >> 21))
        return int64((uint64(word) * uint64(n)) >> uint64(32))

    @jit
    def mixed(x):
        """Returns the output of splitmix64."""
        x = (x ^ (x >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> uint64(27))) * uint64(0x94D049BB133111EB)
        return x ^ (x >> uint64(31))

    @jit
    def begin(threads, thread, number, game, random):
        position = threads.positions[thread]
        for word in range(WORDS):
            game[word] = threads.starts[position, word]
        x = mixed(uint64(threads.seeds[position] + uint64(number)))
        for half in range(2):
            x += uint64(0x9E3779B97F4A7C15)
            word = mixed(x)
            random[2 * half] = uint32(word & uint64(0xFFFFFFFF))
            random[2 * half + 1] = uint32(word >> uint64(32))

    @jit
    def play(threads, thread, game, random, rounds, most_moves):
        number, last, age = threads.nexts[thread], threads.lasts[thread], threads.ages[thread]
        for word in range(WORDS):
            game[word] = threads.games[word, thread]
        for word in range(_RANDOM_WORDS):
            random[word] = threads.random[word, thread]
        for _ in range(rounds):
            if number == last:
                break
            if age < 0:
                begin(threads, thread, number, game, random)
                age = 0
            moves, fewest, most = count(game)
            is_over = over(game, moves)
            if is_over or age >= most_moves:
                settle(threads, thread, game, moves, age, is_over)
                number += 1
                age = -1
            else:
                move(game, below(random, moves), fewest, most)
                age += 1
        threads.nexts[thread], threads.ages[thread] = number, age
        for word in range(WORDS):
            threads.games[word, thread] = game[word]
        for word in range(_RANDOM_WORDS):
            threads.random[word, thread] = random[word]
        return number < last

    return Functions(count, move, over, play)


def _shift(rules: CheckersRules, direction: int, jit: Callable[[Any], Any]) -> Any:
    """Returns the function from a set of squares to their neighbours in a direction: a union of shifts."""
    masks: dict[int, int] = {}
    for square in range(rules.squares):
        neighbour = rules.neighbour(square, direction)
        if neighbour is not None:
            masks[neighbour - square] = masks.get(neighbour - square, 0) | 1 << square
    (up0, by0), (up1, by1), (up2, by2) = _three((mask, way) for way, mask in masks.items() if way > 0)
    (down0, off0), (down1, off1), (down2, off2) = _three((mask, -way) for way, mask in masks.items() if way < 0)

    @jit
    def shifted(pieces):
        upwards = ((pieces & up0) << by0) | ((pieces & up1) << by1) | ((pieces & up2) << by2)
        downwards = ((pieces & down0) >> off0) | ((pieces & down1) >> off1) | ((pieces & down2) >> off2)
        return uint32(upwards | downwards)

    return shifted


def _three(shifts: Iterable[tuple[int, int]]) -> list[tuple[np.uint32, np.uint32]]:
    """Fills up to three masks and distances; an empty mask is compiled to nothing."""
    some = [(np.uint32(mask), np.uint32(distance)) for mask, distance in shifts]
    return some + [(_NONE, _NONE)] * (3 - len(some))
