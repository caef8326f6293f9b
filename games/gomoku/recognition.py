"""Finds out by asking a network whether it is a game of k in a row, whatever its words, and proves it by play.

A move is a cell if it has two arguments, and the moves of a role are a grid. What facts mean follows from single moves;
which cells are neighbours, from the rows of stones that end the game; then native games must agree with the network in
whole random games and in positions made up around rows that are just completed, too short or too long.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ludens.games.gomoku.rules import Bools, GomokuRules, native_game, pack, unpack
from ludens.games.gomoku.state import DIRECTIONS
from ludens.native.core import Game, JointMoves, Simulator, pack_bits, unpack_bits
from ludens.propnet.base.errors import NativeError, NotRecognisedError, UnprovenError
from ludens.propnet.network.propnet import Propnet

Ints = npt.NDArray[np.int64]

_LONGEST_SIDE = 22
_LENGTHS = range(3, 8)
_ORDERS = 50_000  # of rows and columns that are tried where the rows of stones leave several open
_LEAST_GAMES = 500
_MADE_UP = 4096  # positions
_SIDE_BY_SIDE = 256
_AT_ONCE = 1024  # positions: more would take too much memory
FIRST, SECOND = 0, 1


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The placements of one network: the cells as its words order them, and the move by which each role waits."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    moves: Ints  # [2, rows * columns + 1] the network's move of each role for a cell, and to wait


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """How one network represents positions and moves."""

    rules: GomokuRules
    initial: Bools  # [state bits] of the first position
    stones: Ints  # [2, state bits] which stones change a bit, as numbers side * cells + cell, or 2 * cells for none
    turn: Bools  # [state bits] which bits change when the second side is to move
    moves: Ints  # [2, cells + 1] the network's move of each role for a cell, and to wait

    def encode(self, stones: Bools, turn: Bools) -> Bools:
        """Returns states bool[n, state bits] of positions: stones bool[n, 2, cells], and whether the second moves."""
        flat = np.concatenate((stones.reshape(len(stones), -1), np.zeros((len(stones), 1), np.bool_)), axis=1)
        states: Bools = self.initial ^ flat[:, self.stones[0]] ^ flat[:, self.stones[1]] ^ (turn[:, None] & self.turn)
        return states

    def in_order(self, order: Ints) -> Encoding:
        """Returns the same with the cells in another order: that of its numbers of cells [cells]."""
        place = np.argsort(order)
        cells = len(order)
        side, cell = np.divmod(self.stones, cells)
        stones = np.where(side < 2, side * cells + place[cell % cells], self.stones)
        return replace(self, stones=stones, moves=np.concatenate((self.moves[:, order], self.moves[:, -1:]), axis=1))

    def joint(self, native: JointMoves) -> JointMoves:
        """Returns the network's joint moves of the native game's."""
        return np.stack([self.moves[role][native[:, role]] for role in (0, 1)], axis=1).astype(np.int32)


@dataclass(frozen=True, slots=True)
class Recognised:
    """The rules that a network plays, and what proves it."""

    encoding: Encoding
    games: int
    positions: int

    @property
    def rules(self) -> GomokuRules:
        """The rules."""
        return self.encoding.rules

    def __str__(self) -> str:
        return f"{self.rules}; proven on {self.games:,} games and {self.positions:,} positions"


def find_grid(net: Propnet) -> Grid:
    """Returns the placements of a network, which are found by the forms of its moves; raises NotRecognisedError."""
    if len(net.roles) != 2:
        raise NotRecognisedError(f"it has {len(net.roles)} roles, not two")
    terms = [tuple(text.strip("()").split()) for text in net.moves[0]]
    length = max(map(len, terms), default=0)
    places = [place for place in range(length) if len({t[place] for t in terms if len(t) == length}) > 1]
    if len(places) != 2:
        raise NotRecognisedError("no moves name a row and a column")
    cells = {(t[places[0]], t[places[1]]): number for number, t in enumerate(terms) if len(t) == length}
    rows, columns = (tuple(dict.fromkeys(cell[axis] for cell in cells)) for axis in (0, 1))
    if len(cells) != len(rows) * len(columns) or max(len(rows), len(columns)) > _LONGEST_SIDE:
        raise NotRecognisedError("the moves are not those of a board of up to 22 x 22 cells without holes")
    if [len(moves) for moves in net.moves] != [len(cells) + 1] * 2:
        raise NotRecognisedError("the roles have other moves than to place a stone and to wait")
    other = {text: number for number, text in enumerate(net.moves[1])}
    waiting = [next(n for n, t in enumerate(terms) if len(t) != length), -1]
    numbers = [[cells[row, column] for row in rows for column in columns] for _ in (0, 1)]
    texts = [net.moves[0][number] for number in numbers[0]]
    if not all(text in other for text in texts):
        raise NotRecognisedError("the roles place stones by different moves")
    numbers[1] = [other[text] for text in texts]
    waiting[1] = next(number for text, number in other.items() if text not in set(texts))
    moves = np.array([[*numbers[role], waiting[role]] for role in (0, 1)], np.int64)
    return Grid(rows, columns, moves)


def recognise(net: Propnet, seconds: float, games: int, seed: int = 0) -> Recognised:
    """Recognises a network and proves it on `games` random games, or as many as the time allows.

    Finding out what facts and moves mean and the proof may take `seconds` each. Raises NotRecognisedError, with the
    reason, for any other game, and UnprovenError if the time was too short.
    """
    grid = find_grid(net)
    simulator = Simulator(Game.from_propnet(net), seed=seed)
    encoding = _Interpreter(net, grid, simulator, seconds).read()
    try:
        core = Simulator(native_game(encoding.rules), seed=seed)
    except NativeError as error:
        raise NotRecognisedError(str(error)) from error
    prover = _Prover(encoding, simulator, core, seed)
    began = time.monotonic()
    positions, over = prover.made_up(_MADE_UP), 0
    while over < games and time.monotonic() - began < seconds:
        over += prover.play(games - over)
    if over < min(games, _LEAST_GAMES):
        raise UnprovenError(f"only {over:,} games could be compared in {seconds:.1f} s")
    return Recognised(encoding, over, positions)


class _Interpreter:
    """Finds out what the facts and moves of a network mean, without a proof."""

    def __init__(self, net: Propnet, grid: Grid, simulator: Simulator, seconds: float) -> None:
        self._net, self._grid, self._simulator = net, grid, simulator
        self._seconds, self._until = seconds, time.monotonic() + seconds
        self._cells = len(grid.rows) * len(grid.columns)

    def read(self) -> Encoding:
        """Returns the encoding; raises NotRecognisedError, and UnprovenError if it takes longer than it may."""
        encoding = self._read_facts()
        (rows, columns), length = self._order(encoding)
        order = np.array([row * len(columns) + column for row in rows for column in columns])
        encoding = replace(encoding.in_order(order), rules=replace(encoding.rules, length=length))
        return replace(encoding, rules=self._read_rules(encoding))

    def _read_facts(self) -> Encoding:
        """Reads from single moves which bits a stone and the turn change; rows and columns are in no order yet."""
        initial = self._simulator.game.initial
        moves = self._grid.moves
        legal = [each[0].nonzero()[0].tolist() for each in self._simulator.legal(initial)]
        first_role = int(len(legal[0]) == 1)
        other = 1 - first_role
        if sorted(legal[first_role]) != sorted(moves[first_role, :-1]) or legal[other] != [moves[other, -1]]:
            raise NotRecognisedError("the first player cannot choose among all cells, or the other need not wait")
        blank = unpack_bits(initial, self._net.state_bits)
        one = self._after(initial, first_role, range(self._cells))
        changed = one ^ blank
        turn = self._common(changed)
        second = np.zeros((self._cells, self._net.state_bits), np.bool_)
        for begun in (0, self._cells - 1):  # a cell cannot be taken twice
            rest = [cell for cell in range(self._cells) if cell != begun]
            second[rest] = self._after(pack_bits(one[begun]), other, rest) ^ one[begun]
        if (self._common(second) != turn).any():
            raise NotRecognisedError("the turn is not all that changes beside the cell of a stone")
        owned = np.concatenate((changed & ~turn, second & ~turn))
        if not turn.any() or not owned.any(axis=1).all() or len(np.unique(owned, axis=0)) != len(owned):
            raise NotRecognisedError("the facts do not tell whose stone is where, or whose turn it is")
        if owned.sum(axis=0).max() > 2:
            raise NotRecognisedError("some facts depend on several cells")
        stones = np.full((2, self._net.state_bits), len(owned), np.int64)
        for number, bits in enumerate(owned):
            stones[(stones[0, bits] != len(owned)).astype(np.int64), bits.nonzero()[0]] = number
        rules = GomokuRules(len(self._grid.rows), len(self._grid.columns), 0, first_role=first_role)
        return Encoding(rules, blank, stones, turn, moves)

    def _after(self, state: npt.NDArray[np.uint64], role: int, cells: Iterable[int]) -> Bools:
        """Returns the states bool[n, state bits] after a role's stone on each of the cells."""
        moves = self._grid.moves
        joint = np.array([[moves[r, cell if r == role else -1] for r in (0, 1)] for cell in cells], np.int32)
        try:
            after = self._simulator.next(np.tile(state, (len(joint), 1)), joint)
        except NativeError as error:
            raise NotRecognisedError(f"a cell cannot be taken: {error}") from error
        return unpack_bits(after, self._net.state_bits)

    @staticmethod
    def _common(changed: Bools) -> Bools:
        """Returns which bits all moves change."""
        return np.asarray(changed.all(axis=0))

    # ---- Rows ----------------------------------------------------------------------------------------------------

    def _ends(self, encoding: Encoding, sets: Sequence[Sequence[int]]) -> Bools:
        """Says of sets of cells whether the game is over when the first mover has just completed them."""
        ends = np.zeros(len(sets), np.bool_)
        for start in range(0, len(sets), _AT_ONCE):
            if time.monotonic() >= self._until:
                raise UnprovenError(f"the rows that end the game could not be found in {self._seconds:.1f} s")
            few = sets[start : start + _AT_ONCE]
            stones = np.zeros((len(few), 2, self._cells), np.bool_)
            for row, cells in enumerate(few):
                stones[row, FIRST, list(cells)] = True
            states = pack_bits(encoding.encode(stones, np.ones(len(few), np.bool_)))
            ends[start : start + len(few)] = self._simulator.terminal(states)
        return ends

    def _order(self, encoding: Encoding) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], int]:
        """Returns the order of rows and of columns, and how many in a row win; raises NotRecognisedError."""
        height, width = len(self._grid.rows), len(self._grid.columns)
        for length in _LENGTHS:
            across = self._windows(encoding, [range(width)], length)
            down = self._windows(encoding, [range(0, self._cells, width)], length)
            if across or down:
                break
        else:
            raise NotRecognisedError("no row of 3 to 7 stones along a row or a column ends the game")
        columns = list(_paths(across, width, length))
        rows = list(_paths([tuple(cell // width for cell in window) for window in down], height, length))
        if not rows or not columns or len(rows) * len(columns) > _ORDERS:
            raise NotRecognisedError(f"the rows of {length} stones that end the game are not those of a board")
        if min(height, width) < length:
            return (rows[0], columns[0]), length
        for row in rows:
            lines = [
                [row[r + i] * width + each[c + i] for i in range(length)]
                for column in columns
                for each in (column, column[::-1])
                for r in range(height - length + 1)
                for c in range(width - length + 1)
            ]
            ends = self._ends(encoding, lines).reshape(len(columns), -1).all(axis=1)
            if ends.any():
                return (row, columns[int(ends.argmax())]), length
        raise NotRecognisedError(f"rows of {length} stones along a diagonal do not end the game")

    def _windows(self, encoding: Encoding, lines: Iterable[Sequence[int]], length: int) -> list[tuple[int, ...]]:
        """Returns the sets of so many cells of some lines that end the game."""
        sets = [cells for line in lines for cells in itertools.combinations(line, length)]
        return [cells for cells, over in zip(sets, self._ends(encoding, sets), strict=True) if over]

    # ---- The rules that remain -----------------------------------------------------------------------------------

    def _read_rules(self, encoding: Encoding) -> GomokuRules:
        """Asks whether longer rows win, and what the ends are worth."""
        rules = encoding.rules
        across = rules.columns >= rules.rows
        line = range(rules.columns) if across else range(0, rules.cells, rules.columns)
        longer = line[: rules.length + 1]
        exact = len(longer) > rules.length and not self._ends(encoding, [longer])[0]
        stones = np.zeros((3, 2, rules.cells), np.bool_)
        for side in (FIRST, SECOND):
            stones[side, side, list(line[: rules.length])] = True
        row, column = np.divmod(np.arange(rules.cells), rules.columns)
        quiet = (row // 2 + column) % 2 == 1  # a full board on which no three of a side are in a row
        stones[2] = np.stack((quiet, ~quiet))
        turn = np.array([True, False, rules.cells % 2 == 1])
        goals = self._simulator.goals(pack_bits(encoding.encode(stones, turn)))
        if (goals < 0).any():
            raise NotRecognisedError("an end has no goals")
        return replace(rules, exact=exact, goals=tuple((int(a), int(b)) for a, b in goals))


def _paths(windows: list[tuple[int, ...]], size: int, length: int) -> Iterator[tuple[int, ...]]:
    """Yields the orders of so many places, one of both ways each, in which the windows are those of so many in a row.

    Without any window, since the side is too short, the order means nothing.
    """
    if size < length:
        yield tuple(range(size))
        return
    sets = [frozenset(window) for window in windows]
    if len(sets) != size - length + 1:
        return
    chain = _chain(sets)
    if chain is None:
        return
    # Places beside the ends lie in fewer windows than those before them. Places that lie in the same windows, because
    # each of them holds them, may be in any order.
    starts = [next(iter(a - b)) for a, b in itertools.pairwise(chain)]
    ends = [next(iter(b - a)) for a, b in itertools.pairwise(chain)]
    shared = sorted(frozenset.intersection(*chain))
    if not shared:  # the places where windows start, and then the last window, are all
        rest = [place for place in ends if place in chain[-1] - set(starts)]
        yield tuple(starts + rest)
        return
    for order in itertools.permutations(shared):
        yield (*starts, *order, *ends)


def _chain(sets: Sequence[frozenset[int]]) -> list[frozenset[int]] | None:
    """Returns sets in an order in which each differs from the next by one member, and ever more; None if none is."""
    size = len(sets[0])
    first = min(sets, key=lambda one: sum(len(one & other) for other in sets))
    chain = sorted(sets, key=lambda other: -len(first & other))
    if len(sets) > size:  # those far away have nothing in common with the first: go from one to the next
        chain, left = [first], set(sets) - {first}
        while left:
            chain.append(max(left, key=lambda other: len(chain[-1] & other)))
            left.remove(chain[-1])
    alike = all(len(a & b) == size - 1 for a, b in itertools.pairwise(chain))
    return chain if alike and len(frozenset().union(*sets)) == len(sets) + size - 1 else None


class _Prover:
    """Compares one network with one native game."""

    def __init__(self, encoding: Encoding, network: Simulator, core: Simulator, seed: int) -> None:
        self._encoding, self._network, self._core = encoding, network, core
        self._rules = encoding.rules
        self._rng = np.random.default_rng(seed)

    def made_up(self, count: int) -> int:
        """Compares positions one move before a row is complete, too short or too long, and after it; returns how many.

        The boards around them are of all densities, without other rows. Every row of the board comes, for both sides.
        """
        stones, turn, cells = self._planted(count)
        compared = 0
        for rows in np.array_split(np.arange(len(stones)), -(-len(stones) // _AT_ONCE)):
            positions = pack(stones[rows], turn[rows])
            going = ~self._core.terminal(positions)
            if going.any():
                self._compare(positions[going], self._joint(turn[rows], cells[rows])[going])
                compared += int(going.sum())
        return compared

    def play(self, most: int) -> int:
        """Compares random games from the first state to the end, at every move; returns how many."""
        games = self._core.record()[: min(most, _SIDE_BY_SIDE)]
        positions = np.tile(self._core.game.initial, (len(games), 1))
        for ply in range(max(map(len, games))):
            going = [number for number, joint in enumerate(games) if len(joint) > ply]
            joint = np.stack([games[number][ply] for number in going])
            positions[going] = self._compare(positions[going], joint)
        return len(games)

    def _planted(self, count: int) -> tuple[Bools, Bools, Ints]:
        """Returns positions: stones [n, 2, cells], whether the second side moves, and the cell that it is to take."""
        rules, rng = self._rules, self._rng
        rows = [
            line[start : start + length]
            for line in _lines(rules)
            for length in range(rules.length - 1, rules.length + 3)
            for start in range(len(line) - length + 1)
        ]
        number = max(count, 4 * len(rows))
        chosen = np.arange(number) % len(rows)
        sides = np.arange(number) // len(rows) % 2
        density = np.where(np.arange(number) < 2 * len(rows), 0, rng.random(number) ** 2)[:, None]
        taken = rng.random((number, rules.cells)) < density
        black = rng.random((number, rules.cells)) < 0.5
        stones = np.stack((taken & black, taken & ~black), axis=1)
        cells = np.zeros(number, np.int64)
        for position, (row, side) in enumerate(zip(chosen.tolist(), sides.tolist(), strict=True)):
            stones[position, side, rows[row]], stones[position, 1 - side, rows[row]] = True, False
            cells[position] = rng.choice(rows[row])
            stones[position, side, cells[position]] = False
        return stones, sides == 1, cells

    def _joint(self, turn: Bools, cells: Ints) -> JointMoves:
        """Returns native joint moves by which the sides to move take these cells."""
        joint = np.full((len(cells), 2), self._rules.cells, np.int32)
        joint[np.arange(len(cells)), turn ^ self._rules.first_role] = cells
        return joint

    def _compare(self, positions: npt.NDArray[np.uint64], joint: JointMoves) -> npt.NDArray[np.uint64]:
        """Compares what holds in native positions that are not over, and after a move; returns the positions after."""
        states = self._states(positions)
        self._same(~self._network.terminal(states), "whether a game is over")
        for role, (mine, theirs) in enumerate(
            zip(self._core.legal(positions), self._network.legal(states), strict=True)
        ):
            self._same(mine == theirs[:, self._encoding.moves[role]], "legal moves")
            self._same(mine.sum(axis=1) == theirs.sum(axis=1), "numbers of legal moves")
        after = self._core.next(positions, joint)
        reached = self._states(after)
        self._same(self._network.next(states, self._encoding.joint(joint)) == reached, "the next state")
        over = self._core.terminal(after)
        self._same(self._network.terminal(reached) == over, "whether a game is over")
        goals = self._core.goals(after[over]) == self._network.goals(reached[over])
        self._same(goals, "goals")
        return after

    def _states(self, positions: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        return pack_bits(self._encoding.encode(*unpack(self._rules, positions)))

    @staticmethod
    def _same(equal: Bools, what: str) -> None:
        if not equal.all():
            rows = (~equal).reshape(len(equal), -1).any(axis=1).sum()
            raise NotRecognisedError(f"{what} differ in {rows} of {len(equal)} positions")


def _lines(rules: GomokuRules) -> Iterator[list[int]]:
    """Yields the rows, columns and diagonals of a board, as cells in their order."""
    for down, right in DIRECTIONS:
        for cell in range(rules.cells):
            row, column = divmod(cell, rules.columns)
            if 0 <= row - down < rules.rows and 0 <= column - right < rules.columns:
                continue  # not the first of its line
            line = []
            while 0 <= row < rules.rows and 0 <= column < rules.columns:
                line.append(row * rules.columns + column)
                row, column = row + down, column + right
            yield line
