"""Endgame tables of English draughts: built on demand, kept in the user's cache, mapped into memory.

A table knows of every position with few pieces whether it is won, lost or drawn for the side to move, and how far
the end is. There are two kinds, told apart by `limit`:

* `limit == 0`: the distance is in plies to the end of the game, a chain of captures being one ply. Draws are by
  repetition, so the table is that of the game played over a board.
* `limit == n`: n plies in which only kings moved and nothing was captured are a draw, as GDL sheets have it. The
  distance is in plies to the next capture or move of a man, or to the end, and the value depends on how many such
  plies the counter shows.

**When a value is sound.** For a sheet with English rules, whose draws are worth the same however they come about:

1. With a counter c and a limit n the table of the same n is exact: a position is won or lost if c + distance <= n,
   else it is drawn. (A winner who has a move that makes progress within the counter goes on from 0, in a position
   that is won at 0 by the same table; a man moves at most 6 times and a piece is captured once, so this ends.)
2. A table without a limit knows less: a win or loss is proven if c + distance <= n, since the winner is through
   before the counter is; a draw is always one, since a limit only makes more draws. All else is open.
3. Where the whole game ends as a draw after some plies, of which r are left, and every jump of a chain is a ply, a
   win or loss by a table without a limit is proven if distance + pieces - 2 <= r as well: chains make at most so
   many plies of their own, since each captures one piece, and the first capture of a chain is counted already. A
   table with a limit knows nothing of the plies to the end, so only its draws are proven.
4. Where goals count pieces, or a draw is not worth the same for both ways of reaching it, no table may be used.

`native/src/checkers/knowledge.cpp` applies these rules; `tests/native/test_knowledge.py` compares it with rule sheets
solved by brute force.
"""

from __future__ import annotations

import hashlib
import logging
import os
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ludens.games.checkers.bitboards.native_game import native_game
from ludens.games.checkers.rules.parameters import CheckersRules
from ludens.native.core import EndgameTable, Knowledge
from ludens.propnet.base.cache import cache_directory
from ludens.propnet.base.child import Tell
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.whole_file import remove_drafts, replacement

log = logging.getLogger("ludens")

_QUICK_PIECES = 4  # of tables that are built within seconds
_MOST_LIMIT = 126  # of plies without progress, in a table that knows of them
_DRAW, _ABSENT = 255, 254
_MAGIC, _VERSION = b"LUDENSEG", 1
_HEADER = struct.Struct("<8sIIIIQ32s")  # magic, version, pieces, limit, 0, values, SHA-256 of the values
_CHUNK = 1 << 24
_ABANDONED_SECONDS = 86_400.0  # after which nobody builds a table any more


class DamagedTableError(LudensError):
    """A file does not hold the table that it should: it is damaged, or of another version."""


@dataclass(frozen=True, slots=True)
class EndgameCounts:
    """The numbers of positions with so many pieces that are won, lost and drawn for the side to move."""

    pieces: int
    won: int
    lost: int
    drawn: int
    longest: int  # distance, in plies


def count_positions(table: EndgameTable) -> list[EndgameCounts]:
    """Counts the positions of a finished table, one row for each number of pieces."""
    sizes = [0, *(EndgameTable.size(n) for n in range(2, table.pieces + 1))]
    return [_count(table, n, *sizes[n - 2 : n]) for n in range(2, table.pieces + 1)]


def _count(table: EndgameTable, pieces: int, start: int, stop: int) -> EndgameCounts:
    found = np.zeros(256, np.int64)
    for i in range(start, stop, _CHUNK):
        found += np.bincount(table.values[i : min(i + _CHUNK, stop)], minlength=256)
    decided = found[:_ABSENT]
    farthest = int(np.flatnonzero(decided).max())
    return EndgameCounts(
        pieces,
        won=int(decided[1::2].sum()),
        lost=int(decided[::2].sum()),
        drawn=int(found[_DRAW]),
        longest=(farthest + 1) // 2 if table.limit else farthest,
    )


def table_limit(rules: CheckersRules) -> int:
    """Returns the limit of the table that proves most under these rules; see "When a value is sound" above."""
    return rules.idle_limit if not rules.step_limit and rules.idle_limit <= _MOST_LIMIT else 0


def endgame_knowledge(
    rules: CheckersRules, pieces: int, threads: int = 1, tell: Tell = lambda _: None, directory: Path | None = None
) -> Knowledge:
    """Returns what tables of up to `pieces` pieces prove of a game, for searches.

    Builds a table that is missing or damaged if that takes seconds; if it takes longer, a smaller one is used. Raises
    LudensError if there is no room for the table, if its file cannot be read, or if a table says nothing about these
    rules.
    """
    game, limit = native_game(rules), table_limit(rules)
    Knowledge(game, EndgameTable(2, limit, np.empty(EndgameTable.size(2), np.uint8)))  # whether it may be used
    table = _table_in_a_match(pieces, limit, threads, tell, directory)
    draws = f", draws after {limit} plies without progress" if limit else ""
    tell(f"endgame tables of {table.pieces} pieces{draws}")
    return Knowledge(game, table)


def _table_in_a_match(pieces: int, limit: int, threads: int, tell: Tell, directory: Path | None) -> EndgameTable:
    """Reads a table, or builds it if that takes seconds; in place of one that is missing, it is smaller.

    To verify the others would take seconds of every start clock, and is left to `ludens endgame`: what it has written
    is whole, and a search that finds values which contradict each other goes on without them.
    """
    path, quick = table_path(pieces, limit, directory), pieces <= _QUICK_PIECES
    try:
        return load_endgame(path, pieces, limit, verify=quick)
    except (FileNotFoundError, DamagedTableError) as reason:
        if not quick:
            advice = f"build them first: ludens endgame --pieces {pieces} --limit {limit}"
            tell(f"no endgame tables of {pieces} pieces: {reason}; {advice}")
            return _table_in_a_match(_QUICK_PIECES, limit, threads, tell, directory)
    tell(f"building endgame tables of {pieces} pieces: {path}")
    return open_endgame(pieces, limit, threads, directory)


def table_path(pieces: int, limit: int, directory: Path | None = None) -> Path:
    """Returns the path of a table's file, whether it exists or not."""
    return (directory or cache_directory()) / f"english-draughts-{pieces}-limit-{limit}.endgame"


def open_endgame(
    pieces: int, limit: int = 0, threads: int = 1, directory: Path | None = None, tell: Tell = lambda _: None
) -> EndgameTable:
    """Reads a table from its file; builds it first where the file is missing, old or damaged.

    `tell` is given a few words on what is under way. Raises LudensError if the file cannot be read, or if there is no
    room for it.
    """
    path = table_path(pieces, limit, directory)
    try:
        return load_endgame(path, pieces, limit)
    except FileNotFoundError:
        pass
    except DamagedTableError as fault:
        log.warning("%s; building it again", fault)
    build_file(path, pieces, limit, threads, tell)
    return load_endgame(path, pieces, limit)


def load_endgame(path: Path, pieces: int, limit: int, *, verify: bool = True) -> EndgameTable:
    """Maps a table's file into memory; reads all of it only to `verify` the values.

    Raises FileNotFoundError; DamagedTableError if it is not what it should be; LudensError if it cannot be read.
    """
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER.size)
        size = EndgameTable.size(pieces)
        if len(header) < _HEADER.size or path.stat().st_size != _HEADER.size + size:
            raise DamagedTableError(f"{path} is damaged: it has the wrong size")
        values = np.memmap(path, np.uint8, "r", offset=_HEADER.size, shape=(size,))
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no {path}") from None
    except OSError as error:
        raise LudensError(f"{path} cannot be read: {error.strerror}") from None
    digest = header[-hashlib.sha256().digest_size :]
    if header != _header(pieces, limit, size, digest):
        raise DamagedTableError(f"{path} is of another version or kind")
    if verify and digest != _digest(values):
        raise DamagedTableError(f"{path} is damaged: its checksum is wrong")
    return EndgameTable(pieces, limit, values)


def build_file(path: Path, pieces: int, limit: int, threads: int = 1, tell: Tell = lambda _: None) -> None:
    """Builds a table and moves the finished file to its place, and removes what killed builds left.

    Raises LudensError if there is no room for it.
    """
    size = EndgameTable.size(pieces)
    remove_drafts(path.parent, "*.endgame", older_than=_ABANDONED_SECONDS)
    try:
        with replacement(path) as file:
            _take_room(file.fileno(), _HEADER.size + size)
            values = np.memmap(file, np.uint8, "r+", offset=_HEADER.size, shape=(size,))
            _build(EndgameTable(pieces, limit, values), threads, tell)
            values.flush()
            file.seek(0)
            file.write(_header(pieces, limit, size, _digest(values)))
    except OSError as error:
        raise LudensError(f"{path} cannot be written: {error.strerror}") from None


def _build(table: EndgameTable, threads: int, tell: Tell) -> None:
    done, whole = 0, int(table.work.sum())
    for step, work in enumerate(table.work):
        tell(f"{100 * done // whole} % of {whole:,} positions")
        table.build(step, threads)
        done += int(work)


def _take_room(descriptor: int, size: int) -> None:
    """Writes `size` zeros, so that a full disk is an error here and not while the file is mapped."""
    zeros = bytes(_CHUNK)
    while size > 0:
        size -= os.write(descriptor, zeros[:size] if size < _CHUNK else zeros)


def _header(pieces: int, limit: int, size: int, digest: bytes) -> bytes:
    return _HEADER.pack(_MAGIC, _VERSION, pieces, limit, 0, size, digest)


def _digest(values: npt.NDArray[np.uint8]) -> bytes:
    digest = hashlib.sha256()
    for i in range(0, len(values), _CHUNK):  # Ctrl-C is heeded between them
        digest.update(values[i : i + _CHUNK].data)
    return digest.digest()
