"""The Gomocup protocol: answers the commands of a manager, line by line; no input or output.

Commands and answers are those of https://plastovicka.github.io/protocl2en.htm. Coordinates are x,y from 0: the column
and the row. Nothing that a manager sends ends a session but END: what makes no sense is answered with ERROR, what is
not known with UNKNOWN.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version

from ludens.agent.gomoku.swap import answer_opening
from ludens.agent.gomoku.thinker import Choice, Thinker
from ludens.agent.gomoku.time_control import TimeControl
from ludens.agent.settings.options import PlayerOptions
from ludens.games.gomoku.stones import BLACK, FREE, NEUTRAL, OPPONENT, WHITE, Stones
from ludens.games.gomoku.variants import Variant, why_forbidden
from ludens.propnet.base.errors import LudensError

_SIZES = range(5, 23)
_EXACT, _CONTINUOUS, _RENJU, _CARO = 1, 2, 4, 8  # bits of INFO rule
_VARIANTS = {0: Variant.FREE_STYLE, _EXACT: Variant.EXACT, _RENJU: Variant.RENJU, _CARO: Variant.CARO}
_LARGEST = 2**63 - 1
_MOST_LINES = 1000  # of a BOARD
_SHOWN = 40  # characters of a line in an error


class ProtocolError(LudensError):
    """A command that makes no sense; its text follows ERROR."""


@dataclass(slots=True)
class _Block:
    """The lines of a BOARD or SWAP2BOARD so far."""

    command: str
    lines: list[str] = field(default_factory=list)


class Session:
    """One conversation with a manager; `hurry` may be called from any thread."""

    def __init__(self, options: PlayerOptions, spare_mb: Callable[[int], int]) -> None:
        """Takes how moves are searched, and what is left for it of so many MB of the whole process."""
        self._options, self._spare_mb = options, spare_mb
        self._time = TimeControl()
        self._max_memory = 0  # bytes; 0: no limit
        self._rule = 0
        self._stones: Stones | None = None
        self._to_move = BLACK
        self._block: _Block | None = None
        self._thinker: Thinker | None = None
        self._hurries = False
        self._commands: dict[str, Callable[[str], list[str]]] = {
            "START": self._start,
            "RECTSTART": self._start_rectangle,
            "RESTART": self._restart,
            "BEGIN": self._begin,
            "TURN": self._turn,
            "BOARD": lambda rest: self._open_block("BOARD", rest),
            "SWAP2BOARD": lambda rest: self._open_block("SWAP2BOARD", rest),
            "TAKEBACK": self._take_back,
            "PLAY": self._play,
            "INFO": self._info,
            "ABOUT": self._about,
            "END": lambda rest: [],  # the process ends once everything is answered
        }

    def hurry(self) -> None:
        """Has this and all further moves made at once."""
        self._hurries = True
        if (thinker := self._thinker) is not None:
            thinker.hurry()

    def answer(self, line: str, received: float) -> list[str]:
        """Returns the lines that answer a line, which was received at this moment of time.monotonic."""
        self._received = received
        words = line.split(None, 1)
        command, rest = words[0].upper() if words else "", words[1].strip() if len(words) > 1 else ""
        try:
            if self._block is not None and command != "END":
                return self._continue_block(self._block, line.strip())
            if not words:
                return []
            if command not in self._commands:
                return [f"UNKNOWN there is no command {_shown(words[0])}"]
            return self._commands[command](rest)
        except LudensError as error:
            return [f"ERROR {' '.join(str(error).split())}"]

    # ---- Games ---------------------------------------------------------------------------------------------------

    def _start(self, rest: str) -> list[str]:
        size = _numbers(rest, 1, "START takes the size of the board")[0]
        return self._new_board(size, size)

    def _start_rectangle(self, rest: str) -> list[str]:
        columns, rows = _numbers(rest, 2, "RECTSTART takes columns,rows")
        return self._new_board(rows, columns)

    def _new_board(self, rows: int, columns: int) -> list[str]:
        if rows not in _SIZES or columns not in _SIZES:
            raise ProtocolError(f"a board has {_SIZES[0]} to {_SIZES[-1]} rows and columns, not {columns} x {rows}")
        self._stones, self._to_move = Stones(rows, columns), BLACK
        self._thinker = None
        self._time.left = None
        return ["OK"]

    def _restart(self, rest: str) -> list[str]:
        _nothing(rest, "RESTART")
        stones = self._board()
        return self._new_board(stones.rows, stones.columns)

    def _begin(self, rest: str) -> list[str]:
        _nothing(rest, "BEGIN")
        if len(self._board().free) < len(self._board().cells):
            raise ProtocolError("BEGIN is for an empty board: RESTART comes first")
        return [self._move()]

    def _turn(self, rest: str) -> list[str]:
        self._place(self._free_cell(rest, "TURN"))
        return [self._move()]

    def _play(self, rest: str) -> list[str]:
        cell = self._free_cell(rest, "PLAY")
        self._place(cell)
        return [self._text(cell)]

    def _take_back(self, rest: str) -> list[str]:
        cell = self._cell(rest, "TAKEBACK")
        owner = self._board().cells[cell]
        if owner == FREE:
            raise ProtocolError(f"there is no stone at {rest}")
        self._board().cells[cell] = FREE
        if owner != NEUTRAL:
            self._to_move = owner
        return ["OK"]

    # ---- Positions -----------------------------------------------------------------------------------------------

    def _open_block(self, command: str, rest: str) -> list[str]:
        """Begins to take the lines that follow, up to DONE, even if they are of no use."""
        self._block = _Block(command, [rest] if rest else [])
        return []

    def _continue_block(self, block: _Block, line: str) -> list[str]:
        if line.upper() != "DONE":
            if line and len(block.lines) <= _MOST_LINES:
                block.lines.append(line)
            return []
        self._block = None
        if len(block.lines) > _MOST_LINES:
            raise ProtocolError(f"{block.command} has more than {_MOST_LINES} lines")
        return self._set_board(block.lines) if block.command == "BOARD" else self._swap(block.lines)

    def _set_board(self, lines: list[str]) -> list[str]:
        """Sets up a position, in which it is our turn."""
        stones = Stones(self._board().rows, self._board().columns)
        owners: dict[int, int] = {}
        for line in lines:
            numbers = _numbers(line, 3, "a line of BOARD is x,y,owner")
            cell = self._at(numbers[0], numbers[1], line)
            if cell in owners:
                raise ProtocolError(f"BOARD has two stones at {numbers[0]},{numbers[1]}")
            if numbers[2] not in (1, 2, 3):
                raise ProtocolError(f"the owner in {_shown(line)} must be 1, 2 or 3")
            owners[cell] = numbers[2]
        own, other = (sum(owner == side for owner in owners.values()) for side in (1, 2))
        if not self._rule & _CONTINUOUS and other - own not in (0, 1):
            raise ProtocolError(f"it cannot be our turn with {own} stones of ours and {other} of the opponent")
        colours = {1: BLACK, 2: WHITE, 3: NEUTRAL} if other <= own else {1: WHITE, 2: BLACK, 3: NEUTRAL}
        for cell, owner in owners.items():
            stones.cells[cell] = colours[owner]
        self._stones, self._to_move = stones, colours[1]
        return [self._move()]

    def _swap(self, lines: list[str]) -> list[str]:
        """Answers a step of the opening swap2: stones are given in the order in which they were played."""
        stones = Stones(self._board().rows, self._board().columns)
        for number, line in enumerate(lines):
            numbers = _numbers(",".join(line.split(",")[:2]), 2, "a line of SWAP2BOARD is x,y")
            cell = self._at(numbers[0], numbers[1], line)
            if stones.cells[cell] != FREE:
                raise ProtocolError(f"SWAP2BOARD has two stones at {numbers[0]},{numbers[1]}")
            stones.cells[cell] = WHITE if number % 2 else BLACK
        if len(lines) not in (0, 3, 5):
            raise ProtocolError(f"SWAP2BOARD has 0, 3 or 5 stones, not {len(lines)}")
        self._stones, self._to_move = stones, WHITE if len(lines) % 2 else BLACK
        cells = answer_opening(stones, self._choice)
        for cell in cells:
            self._place(cell)
        return [" ".join(map(self._text, cells)) or "SWAP"]

    # ---- Moves ---------------------------------------------------------------------------------------------------

    def _move(self) -> str:
        """Makes a move and returns it as text."""
        cell = self._choice(self._board(), self._to_move).cell
        self._place(cell)
        return self._text(cell)

    def _place(self, cell: int) -> None:
        """Puts a stone of the side to move on a free cell."""
        self._board().cells[cell] = self._to_move
        self._to_move = OPPONENT[self._to_move]

    def _choice(self, stones: Stones, side: int, share: float = 1.0) -> Choice:
        """Returns a move for a side, in a share of the time of a move; raises ProtocolError on a full board."""
        until = self._received + share * self._time.seconds() if not self._hurries else 0.0
        choice = self._current_thinker().choose(stones, side, until)
        if choice is None:
            raise ProtocolError("there is no free cell")
        return choice

    def _current_thinker(self) -> Thinker:
        """Returns what chooses the moves under the rules that hold now."""
        if self._thinker is None:
            stones = self._board()
            variant = _VARIANTS[self._rule & ~_CONTINUOUS]
            memory_mb = self._spare_mb(self._max_memory >> 20) if self._max_memory else self._options.tree_mb
            self._thinker = Thinker(stones.rows, stones.columns, variant, self._options, memory_mb)
            if self._hurries:  # perhaps before there was a thinker to tell
                self._thinker.hurry()
        return self._thinker

    def _board(self) -> Stones:
        if self._stones is None:
            raise ProtocolError("START comes first")
        return self._stones

    def _free_cell(self, rest: str, command: str) -> int:
        cell = self._cell(rest, command)
        stones = self._board()
        if stones.cells[cell] != FREE:
            raise ProtocolError(f"there is a stone at {rest} already")
        if why := why_forbidden(stones, cell, self._to_move, _VARIANTS[self._rule & ~_CONTINUOUS]):
            raise ProtocolError(f"black may not play {rest}: {why}")
        return cell

    def _cell(self, rest: str, command: str) -> int:
        x, y = _numbers(rest, 2, f"{command} takes x,y")
        return self._at(x, y, rest)

    def _at(self, x: int, y: int, text: str) -> int:
        stones = self._board()
        if not (0 <= x < stones.columns and 0 <= y < stones.rows):
            raise ProtocolError(f"{_shown(text)} is not on the board of {stones.columns} x {stones.rows}")
        return y * stones.columns + x

    def _text(self, cell: int) -> str:
        row, column = divmod(cell, self._board().columns)
        return f"{column},{row}"

    # ---- The rest ------------------------------------------------------------------------------------------------

    def _info(self, rest: str) -> list[str]:
        """Takes a setting; those that are not known are ignored, and none is answered unless it makes no sense."""
        key, value = (*rest.split(None, 1), "", "")[:2]
        match key.lower():
            case "timeout_turn":
                self._time.turn = _setting(key, value)
            case "timeout_match":
                self._time.match = _setting(key, value)
            case "time_left":
                self._time.left = max(0, _setting(key, value, low=-_LARGEST))
            case "max_memory":
                self._max_memory, self._thinker = _setting(key, value), None
            case "rule":
                rule = _setting(key, value)
                if rule & ~_CONTINUOUS not in _VARIANTS:
                    raise ProtocolError(f"rule {rule} is not known: 0, 1, 4 or 8, and 2 more for games that go on")
                self._rule, self._thinker = rule, None
        return []

    def _about(self, rest: str) -> list[str]:
        _nothing(rest, "ABOUT")
        return [f'name="Ludens", version="{version("ludens")}", author="the Ludens developers"']


def _numbers(text: str, count: int, wanted: str) -> list[int]:
    """Reads whole numbers with commas between them; raises ProtocolError."""
    form = r"\s*,\s*".join([r"(-?[0-9]{1,9})"] * count)
    found = re.fullmatch(form, text.strip(), re.ASCII)
    if found is None:
        raise ProtocolError(f"{wanted}, not {_shown(text)}")
    return [int(number) for number in found.groups()]


def _setting(key: str, text: str, low: int = 0) -> int:
    """Reads the number of a setting; raises ProtocolError."""
    text = text.strip()
    number = int(text) if re.fullmatch(r"-?[0-9]{1,19}", text, re.ASCII) else None
    if number is None or not low <= number <= _LARGEST:
        raise ProtocolError(f"INFO {key} takes a whole number from {low} on, not {_shown(text)}")
    return number


def _nothing(rest: str, command: str) -> None:
    if rest:
        raise ProtocolError(f"nothing follows {command}, not {_shown(rest)}")


def _shown(text: str) -> str:
    """Returns the beginning of a text as printable ASCII."""
    return ascii(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
