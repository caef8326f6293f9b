"""The archive: every match of this user, in one SQLite file that programs search and people export from.

It lies in the user's data folder (`$XDG_DATA_HOME/ludens/archive.sqlite`, else below `~/.local/share`). Each match is
one transaction, written when the match is over: several processes may write at once, and one that is killed loses
nothing but the match that it is playing. A file that grows beyond its limit loses its oldest matches.

>>> Query(player="uct", result="won", limit=10).words
{'player': 'uct', 'result': 'won'}
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ludens.agent.records.record import MatchRecord, to_json
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.owned_files import make_folder
from ludens.propnet.base.user_folder import user_folder

UNFINISHED = "unfinished"
RESULTS = ("won", "drawn", "lost", UNFINISHED)
"""What a seat may have come to; for a single role less than 100 is lost."""

MOST_MB = 512
"""How large the file may grow by default."""

_VERSION = 1
_BUSY_SECONDS = 30.0  # how long a writer waits for another one
_SCHEMA = (
    "CREATE TABLE rules (digest TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE matches (
        number INTEGER PRIMARY KEY AUTOINCREMENT, started INTEGER NOT NULL, game TEXT NOT NULL, source TEXT NOT NULL,
        match_id TEXT NOT NULL, tournament TEXT NOT NULL, ending TEXT NOT NULL, turns INTEGER NOT NULL,
        rules TEXT NOT NULL REFERENCES rules, record BLOB NOT NULL)""",
    """CREATE TABLE seats (
        match INTEGER NOT NULL REFERENCES matches ON DELETE CASCADE, seat INTEGER NOT NULL, player TEXT NOT NULL,
        goal INTEGER, result TEXT NOT NULL, PRIMARY KEY (match, seat)) WITHOUT ROWID""",
    "CREATE INDEX matches_by_start ON matches (started)",
    "CREATE INDEX matches_by_rules ON matches (rules)",
    f"PRAGMA user_version = {_VERSION}",
)
_COLUMNS = "number, started, game, source, match_id, tournament, ending, turns"


class ArchiveError(LudensError):
    """An archive that cannot be read or written, or a search that makes no sense."""


@dataclass(frozen=True, slots=True)
class Query:
    """Which matches are looked for: all that fit every word that is given."""

    game: str = ""  # a part of the name
    player: str = ""  # likewise
    result: str = ""  # of that player, or of any; one of RESULTS
    source: str = ""  # "match", "serve", "play" or "tournament"
    tournament: str = ""
    since: int | None = None  # milliseconds since 1970, as records have it
    until: int | None = None  # before that
    before: int | None = None  # numbers less than that: the next page of a list
    limit: int = 50

    @property
    def words(self) -> dict[str, str]:
        """The texts that are given, by name."""
        names = ("game", "player", "result", "source", "tournament")
        return {name: getattr(self, name) for name in names if getattr(self, name)}


@dataclass(frozen=True, slots=True)
class Entry:
    """What a list shows of a match; seats in role order."""

    number: int
    started: int  # milliseconds since 1970
    game: str
    source: str
    match_id: str
    tournament: str
    ending: str
    turns: int
    players: tuple[str, ...]
    goals: tuple[int, ...]  # empty for a match without result
    results: tuple[str, ...]  # of RESULTS


@dataclass(frozen=True, slots=True)
class ArchivedMatch:
    """One match with its record in ggp-base's JSON, and the rules that its facts and moves are spelled by."""

    entry: Entry
    record: dict[str, Any]
    rules: str


def data_directory() -> Path:
    """Returns the folder for what users would miss; see `user_folder`."""
    return user_folder("XDG_DATA_HOME", ".local/share")


def results(goals: Sequence[int], seats: int) -> tuple[str, ...]:
    """Returns what each of `seats` has come to by the goals; all are unfinished where there are none."""
    if not goals:
        return (UNFINISHED,) * seats
    if len(goals) == 1:
        return ("won" if goals[0] == 100 else "lost",)
    best, shared = max(goals), sum(goal == max(goals) for goal in goals) > 1
    return tuple("lost" if goal < best else "drawn" if shared else "won" for goal in goals)


class Archive:
    """The archive in one file, made when the first match is kept; may be used in any thread."""

    def __init__(self, path: Path | None = None, most_mb: float = MOST_MB) -> None:
        """Takes the user's archive if `path` is None; raises `NoHomeError` where it has no place."""
        self.path = path or data_directory() / "archive.sqlite"
        self._most = most_mb * 1024 * 1024

    def keep(self, record: MatchRecord, game: str, rules: str, source: str) -> int:
        """Adds a match that is over and returns its number; the oldest go where there is no room.

        `source` says which command has played it. Raises `ArchiveError`.
        """
        with self._writing() as connection:
            digest = blake2b(rules.encode(), digest_size=16).hexdigest()
            connection.execute("INSERT OR IGNORE INTO rules VALUES (?, ?)", (digest, rules))
            packed = zlib.compress(json.dumps(to_json(record)).encode())
            row = (record.start_time, game, source, record.match_id, record.tournament, str(record.ending))
            number = connection.execute(
                f"INSERT INTO matches VALUES (NULL, {', '.join('?' * 9)})", (*row, len(record.moves), digest, packed)
            ).lastrowid
            assert number is not None
            count = max(len(record.players), len(record.goals))
            names = [*record.players, *[""] * (count - len(record.players))]
            goals: Sequence[int | None] = record.goals or [None] * count
            seats = zip(names, goals, results(record.goals, count), strict=True)
            rows = [(number, seat, *values) for seat, values in enumerate(seats)]
            connection.executemany("INSERT INTO seats VALUES (?, ?, ?, ?, ?)", rows)
            self._make_room(connection, number)
        return number

    def search(self, query: Query | None = None) -> list[Entry]:
        """Returns the matches that fit, the newest first. Raises `ArchiveError`."""
        where, values = _conditions(query or Query())
        text = f"SELECT {_COLUMNS} FROM matches WHERE {where} ORDER BY number DESC LIMIT ?"
        with self._reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(text, (*values, (query or Query()).limit)).fetchall()
            return [_entry(connection, row) for row in rows]

    def read(self, number: int) -> ArchivedMatch:
        """Returns a match with its record and rules; raises `ArchiveError` if there is none with this number."""
        text = f"SELECT {_COLUMNS}, record, text FROM matches JOIN rules ON rules = digest WHERE number = ?"
        with self._reading() as connection:
            row: tuple[Any, ...] | None = connection.execute(text, (number,)).fetchone() if connection else None
            if connection is None or row is None:
                raise ArchiveError(f"the archive has no match {number}; `ludens archive list` shows those it has")
            packed, rules = row[-2:]
            return ArchivedMatch(_entry(connection, row[:-2]), json.loads(zlib.decompress(packed)), rules)

    def _make_room(self, connection: sqlite3.Connection, newest: int) -> None:
        """Deletes the oldest matches but the newest until the file is as small as it should be."""
        while _size(connection) > self._most:
            oldest = connection.execute("SELECT min(number) FROM matches").fetchone()[0]
            if oldest == newest:
                return
            connection.execute("DELETE FROM matches WHERE number = ?", (oldest,))
            connection.execute("DELETE FROM rules WHERE digest NOT IN (SELECT rules FROM matches)")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Yields a connection in a transaction of its own, on a file that is made unless it is there."""
        with self._errors():
            make_folder(self.path.parent)
            with closing(self._connect()) as connection:
                connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # heeded where the file is new
                connection.execute("BEGIN IMMEDIATE")
                if _version(connection) == 0:
                    for statement in _SCHEMA:
                        connection.execute(statement)
                self._check(connection)
                try:
                    yield connection
                except BaseException:
                    if connection.in_transaction:  # a full disk has ended it already
                        connection.execute("ROLLBACK")
                    raise
                connection.execute("COMMIT")
                with suppress(sqlite3.Error):  # the match is kept, and the next one may make the file smaller
                    connection.execute("PRAGMA incremental_vacuum").fetchall()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """Yields a connection; None where there is no file yet."""
        with self._errors():
            if not self.path.exists():
                yield None
                return
            with closing(self._connect()) as connection:
                if _version(connection) == 0:
                    yield None
                    return
                self._check(connection)
                yield connection

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    def _check(self, connection: sqlite3.Connection) -> None:
        if (version := _version(connection)) != _VERSION:
            raise ArchiveError(f"{self.path} was made by another version of Ludens (format {version}, not {_VERSION})")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ValueError, OverflowError) as error:  # also of texts and numbers it cannot hold
            reason = error.strerror if isinstance(error, OSError) else error
            raise ArchiveError(f"cannot use the archive {self.path}: {reason}") from error


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _size(connection: sqlite3.Connection) -> int:
    """Returns how many bytes of the file are in use."""
    names = ("page_count", "freelist_count", "page_size")
    pages, free, size = (int(connection.execute(f"PRAGMA {name}").fetchone()[0]) for name in names)
    return (pages - free) * size


def _entry(connection: sqlite3.Connection, row: Sequence[Any]) -> Entry:
    text = "SELECT player, goal, result FROM seats WHERE match = ? ORDER BY seat"
    seats = connection.execute(text, (row[0],)).fetchall()
    goals = tuple(goal for _, goal, _ in seats if goal is not None)
    players, found = tuple(player for player, _, _ in seats), tuple(result for _, _, result in seats)
    number, started, game, source, match_id, tournament, ending, turns = row
    return Entry(number, started, game, source, match_id, tournament, ending, turns, players, goals, found)


def _conditions(query: Query) -> tuple[str, list[object]]:
    """Returns the condition of a search in SQL, and its values. Raises `ArchiveError`."""
    if query.result and query.result not in RESULTS:
        raise ArchiveError(f"a result is {', '.join(RESULTS[:-1])} or {RESULTS[-1]}, not {query.result!r}")
    texts, values = ["1"], list[object]()

    def add(text: str, *found: object) -> None:
        texts.append(text)
        values.extend(found)

    if query.game:
        add("game LIKE ? ESCAPE '\\'", _containing(query.game))
    for name in ("source", "tournament"):
        if word := getattr(query, name):
            add(f"{name} = ?", word)
    if query.player or query.result:
        seat, found = "player LIKE ? ESCAPE '\\'", [_containing(query.player)]
        if query.result:
            seat, found = f"{seat} AND result = ?", [*found, query.result]
        add(f"EXISTS (SELECT 1 FROM seats WHERE match = number AND {seat})", *found)
    for text, bound in (("started >= ?", query.since), ("started < ?", query.until), ("number < ?", query.before)):
        if bound is not None:
            add(text, bound)
    return " AND ".join(texts), values


def _containing(word: str) -> str:
    """Returns the pattern of texts that contain a word."""
    for special in "\\%_":
        word = word.replace(special, f"\\{special}")
    return f"%{word}%"
