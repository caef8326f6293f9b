"""The matches of a server: made, found again after it was ended, and kept on disk as they go."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from twisted.internet.defer import Deferred, DeferredList

from ludens.agent.play.live_match import LiveMatch, LiveMatches, WatchedMatch
from ludens.agent.play.match import PlayMatch
from ludens.agent.play.pace import Pace
from ludens.agent.play.played_game import PlayedGame
from ludens.agent.play.replay import Replay, follow
from ludens.agent.play.seats import PERSON, Seat, read_seats
from ludens.agent.play.shown_match import ShownMatch
from ludens.agent.play.tree import MatchTree, Node
from ludens.agent.reactor.in_thread import in_thread
from ludens.agent.records.archive import Archive
from ludens.agent.records.reading import FoundRecord
from ludens.agent.web import match_file
from ludens.agent.web.catalogue import Catalogue
from ludens.agent.web.store import MatchStore
from ludens.propnet.base.errors import LudensError

MOST_MATCHES = 40
"""As many are in memory at once at most."""

_FORGOTTEN_AFTER = 600.0  # seconds without anything done or anybody who looks
_SWEEP_SECONDS = 60.0


class TooManyError(LudensError):
    """There is no room for another match."""


class Matches:
    """All on the reactor's thread, apart from what says otherwise."""

    def __init__(
        self,
        reactor: Any,
        catalogue: Catalogue,
        store: MatchStore,
        archive: Archive | None,
        named_players: Sequence[str] = (),
    ) -> None:
        """Takes the games, where matches are kept, and the archive of those that are over, if there is to be one.

        `named_players` are those that pages may choose though they act in the user's name (`read_seat`).
        """
        self._reactor = reactor
        self._catalogue = catalogue
        self._store = store
        self.archive = archive
        self.named_players = tuple(named_players)
        self.live = LiveMatches()  # that others play
        self._matches: dict[str, ShownMatch] = {}
        self._loading: dict[str, list[Deferred[ShownMatch]]] = {}
        self._begun = 0  # matches that are being made or loaded
        self._unsaved: dict[str, PlayMatch] = {}
        self._not_kept: set[str] = set()  # names of matches whose last state could not be written
        self._writing = ""  # the match that is on its way to disk
        self._saving: Deferred[Any] | None = None
        self._archiving: set[Deferred[Any]] = set()
        self._sweep: Any = reactor.callLater(_SWEEP_SECONDS, self._forget_some)

    async def new(self, key: str, texts: Sequence[str] | None, pace: Pace) -> PlayMatch:
        """Makes a match of a game, and begins it; raises `LudensError`."""
        with self._room():
            name, text = await in_thread(self._reactor, self._catalogue.text, key)
            game, tree = await in_thread(self._reactor, self._prepare, name, text)
            seats = read_seats(texts or default_players(game.roles), game.roles, self.named_players)
            match = self._add(secrets.token_hex(8), game, tree, seats, pace)
        match.begin()
        return match

    async def replay(self, found: FoundRecord, name: str, rules: str) -> PlayMatch:
        """Makes a match of a record, to look at and to play on; raises `LudensError`."""
        with self._room():
            game, tree, replay = await in_thread(self._reactor, self._follow, found, name, rules)
            seats = read_seats([PERSON] * len(game.roles), game.roles)
            match = self._add(secrets.token_hex(8), game, tree, seats, Pace())
        if any(found.record.players):
            match.notes.append(f"from a record: {', '.join(found.record.players)} played")
        if replay.notice:
            match.notes.append(replay.notice)
        match.begin(len(tree.nodes) - 1)
        return match

    async def find(self, name: str) -> ShownMatch:
        """Returns a match, from disk if need be; raises `LudensError`."""
        if name in self._matches:
            return self._matches[name]
        waiting: Deferred[ShownMatch] = Deferred()
        if name in self._loading:
            self._loading[name].append(waiting)
            return await waiting
        others: list[Deferred[ShownMatch]] = []
        try:
            with self._room():
                self._loading[name] = others
                live = self.live.get(name)
                match = await self._watch(live) if live else await self._load(name)
        except Exception as error:
            for other in others:
                other.errback(error)
            raise
        finally:
            self._loading.pop(name, None)
        for other in others:
            other.callback(match)
        return match

    def in_memory(self) -> list[ShownMatch]:
        """Returns the matches in memory, those begun last first."""
        return sorted(self._matches.values(), key=lambda match: -match.began)

    def game(self, key: str) -> PlayedGame | None:
        """Returns a game of which a match is in memory, whatever the catalogue still remembers; None for any other."""
        return next((match.game for match in self._matches.values() if match.game.key == key), None)

    def close(self) -> Deferred[Any]:
        """Ends all engines; fires when they are gone and everything is on disk."""
        if self._sweep.active():
            self._sweep.cancel()
        waits: list[Deferred[Any]] = [match.close() for match in self._matches.values()]
        return DeferredList([*waits, self._save_all(), *self._archiving])

    # ---- Making and finding ----

    @contextmanager
    def _room(self) -> Iterator[None]:
        """Holds a place for a match that is being made; raises `TooManyError`."""
        if len(self._matches) + self._begun >= MOST_MATCHES:
            self._forget(0.0)
        if len(self._matches) + self._begun >= MOST_MATCHES:
            raise TooManyError(f"{MOST_MATCHES} matches are open: close some of their pages first")
        self._begun += 1
        try:
            yield
        finally:
            self._begun -= 1

    def _prepare(self, name: str, text: str) -> tuple[PlayedGame, MatchTree]:
        game = self._catalogue.game(name, text)
        return game, MatchTree(*game.position(()))

    def _follow(self, found: FoundRecord, name: str, rules: str) -> tuple[PlayedGame, MatchTree, Replay]:
        """Plays a record again, as far as its moves are legal, in a thread."""
        game, tree = self._prepare(name, rules)
        self._catalogue.remember(name, rules)
        replay = follow(game.line(), found)
        node, record = tree[0], replay.record
        for step, moves in enumerate(record.moves, 1):
            errors = record.errors[step] if step < len(record.errors) else ()
            node = tree.add(node, moves, replay.states[step], replay.views[step].to_json(), errors)
        for each, thoughts in zip(tree.nodes, record.thoughts, strict=False):
            each.thoughts = {thought["role"]: thought for thought in thoughts}
        return game, tree, replay

    async def _watch(self, live: LiveMatch) -> ShownMatch:
        game, tree = await in_thread(self._reactor, self._prepare, live.game, live.rules)
        self._catalogue.remember(live.game, live.rules)
        match = self._matches[live.name] = WatchedMatch(self._reactor, live, game, tree)
        return match

    async def _load(self, name: str) -> ShownMatch:
        kept = await in_thread(self._reactor, self._read, name)
        match = self._add(name, kept.game, kept.tree, kept.seats, kept.pace)
        match.began, match.holders, match.notes, match.paused = kept.began, kept.holders, kept.notes, kept.paused
        match.begin(kept.at)
        return match

    def _read(self, name: str) -> match_file.KeptMatch:
        """Reads a match and plays all its moves again, in a thread."""
        data = self._store.load(name)
        kept = match_file.read(data, self._catalogue.game)
        self._catalogue.remember(data["name"], data["rules"])
        return kept

    def _add(self, name: str, game: PlayedGame, tree: MatchTree, seats: Sequence[Seat], pace: Pace) -> PlayMatch:
        match = PlayMatch(self._reactor, name, game, tree, seats, pace, self._keep, on_end=self._archive_end)
        if game.warning:
            match.notes.append(game.warning)
        self._matches[name] = match
        return match

    # ---- Keeping ----

    def _keep(self, match: PlayMatch) -> None:
        self._unsaved[match.name] = match
        if self._saving is None:
            self._save_all()

    def _archive_end(self, match: PlayMatch, node: Node) -> None:
        """Adds a match that has come to its end to the archive, in a thread."""
        if self.archive is not None:
            record = match.record(node.number)
            kept = in_thread(self._reactor, self.archive.keep, record, match.game.name, match.game.text, "play")
            kept.addErrback(lambda failure: match.note(f"the match is not in the archive: {failure.value}"))
            self._archiving.add(kept)
            kept.addCallback(lambda _: self._archiving.discard(kept))

    def _save_all(self) -> Deferred[Any]:
        """Writes what has changed, and then what has changed meanwhile."""
        if self._saving is None:
            self._saving = Deferred.fromCoroutine(self._save())
        return self._saving

    async def _save(self) -> None:
        try:
            while self._unsaved:
                name = next(iter(self._unsaved))  # the one that has waited longest
                await self._save_one(name, self._unsaved.pop(name))
                if not self._unsaved:
                    await in_thread(self._reactor, self._store.throw_away_the_oldest)
        finally:
            self._saving = None

    async def _save_one(self, name: str, match: PlayMatch) -> None:
        self._writing = name
        try:
            await in_thread(self._reactor, self._store.save, name, match_file.to_json(match))
            self._not_kept.discard(name)
        except LudensError as error:
            self._not_kept.add(name)
            match.note(f"the match cannot be kept on disk: {error}")
        finally:
            self._writing = ""

    # ---- Forgetting ----

    def _forget_some(self) -> None:
        self._forget(_FORGOTTEN_AFTER)
        self._sweep = self._reactor.callLater(_SWEEP_SECONDS, self._forget_some)

    def _forget(self, after: float) -> None:
        """Takes matches out of memory that nobody looks at, but for those that could not be written to the disk."""
        now = self._reactor.seconds()
        for name, match in list(self._matches.items()):
            on_disk = name not in self._unsaved and name not in self._not_kept and name != self._writing
            if not len(match.feed) and now - match.touched >= after and on_disk:
                match.close()
                del self._matches[name]


def default_players(roles: Sequence[str]) -> list[str]:
    """Returns who plays unless something else is said: a person in the first role, and a gentle opponent."""
    return [PERSON, *("auto:level=3" for _ in roles[1:])]
