"""The server of the page, on which a browser of this machine plays, and others watch if they are let in."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, DeferredList, DeferredLock, maybeDeferred

from ludens import games
from ludens.agent.play.match import PlayMatch
from ludens.agent.play.pace import Pace
from ludens.agent.play.played_game import PlayedGame
from ludens.agent.play.replay import follow
from ludens.agent.play.seats import read_seats
from ludens.agent.play.shown_match import ShownMatch, public_name
from ludens.agent.reactor.in_thread import in_thread
from ludens.agent.records.archive import Archive, Query
from ludens.agent.records.reading import FoundRecord, read_record, read_written
from ludens.agent.records.record import MatchRecord, from_json, to_json
from ludens.agent.server.listening import ListenError, listen_on
from ludens.agent.server.registration import host_and_port
from ludens.agent.server.web_access import is_this_machine
from ludens.agent.settings.strategies import EXPLANATIONS
from ludens.agent.web.access import PageAccess
from ludens.agent.web.catalogue import MOST_TEXT, Catalogue, FaultySheetError
from ludens.agent.web.events import Stream, refuse
from ludens.agent.web.matches import Matches
from ludens.agent.web.record_page import record_page
from ludens.agent.web.requests import Answer, BoundedRequest, BoundedSite, Handler, Handlers, NotFoundError
from ludens.agent.web.static import PageFile, page_file, page_files
from ludens.agent.web.store import MatchStore, default_folder
from ludens.propnet.base.child import Limits
from ludens.propnet.base.errors import LudensError

DEFAULT_PORT = 9180
_TOKEN_PLACE = b"@TOKEN@"
_ASKED = ("game", "player", "result", "since", "until", "before")
_LISTED = 50  # matches of the archive at once


@dataclass(frozen=True, slots=True)
class PageOptions:
    """Where the page is, and what it may use."""

    port: int | None = None  # None: the usual one, or any if that is taken
    port_option: str = "--port"  # what the command calls it
    interface: str = "127.0.0.1"  # where other machines can reach the page it shows matches, and nothing can be changed
    limits: Limits = field(default_factory=lambda: Limits(600.0, 2048))
    folder: Path | None = None  # of rule sheets
    players: tuple[str, ...] = ()  # that pages may choose though they act in the user's name
    store: Path | None = None  # the folder of matches; None: in the user's data
    archived: bool = True  # whether matches that are over are added to the user's archive


class PageServer:
    """A page that listens; made by `listen`."""

    def __init__(self, reactor: Any, options: PageOptions) -> None:
        """Makes everything but the port."""
        self._reactor = reactor
        self.catalogue = Catalogue(options.limits, options.folder)
        is_private = is_this_machine(options.interface)
        archive = Archive() if options.archived and is_private else None
        store = MatchStore(options.store or default_folder())
        self.matches = Matches(reactor, self.catalogue, store, archive, options.players)
        self._access = PageAccess(options.interface)
        self._making_pages = DeferredLock()
        self._files = page_files()
        index = self._files["index.html"].content.replace(_TOKEN_PLACE, html.escape(self._access.token).encode())
        self._files["index.html"] = page_file(index, ".html")
        reads: dict[str, Handler] = {
            "": self._index,
            "page": self._file,
            "games": self._games,
            "strategies": self._strategies,
        }
        reads |= {
            "game": self._game,
            "picture": self._picture,
            "matches": self._listing,
            "match": self._match,
            "archive": self._archive,
        }
        changes: dict[str, Handler] = {
            "sheets": self._sheet,
            "matches": self._new_match,
            "match": self._order,
            "records": self._replay,
        }
        if not is_private:
            reads |= {"games": self._no_games, "game": self._watched_game, "picture": self._refuse}
            changes = dict.fromkeys(changes, self._refuse)
        site: Any = BoundedSite(Handlers(self._access, reads, changes), requestFactory=BoundedRequest, reactor=reactor)
        self._port = self._listen(reactor, options, site)
        self.port: int = self._port.getHost().port
        self.address = f"http://{host_and_port(options.interface, self.port)}/"

    def stop(self) -> Deferred[Any]:
        """Ends the port and all engines; fires when they are gone and matches are on disk."""
        return DeferredList([maybeDeferred(self._port.stopListening), self.matches.close()])

    def _listen(self, reactor: Any, options: PageOptions, site: Any) -> Any:
        if options.port is None:
            with suppress(ListenError):
                return listen_on(reactor, DEFAULT_PORT, site, options.interface)
        return listen_on(reactor, options.port or 0, site, options.interface, options.port_option)

    # ---- What is read ----

    async def _index(self, _request: Any, _path: list[str], _body: Mapping[str, Any]) -> Answer:
        return self._files["index.html"]

    async def _file(self, _request: Any, path: list[str], _body: Mapping[str, Any]) -> Answer:
        if (file := self._files.get("/".join(path))) is None:
            raise NotFoundError("there is no such file")
        return file

    async def _games(self, _request: Any, _path: list[str], _body: Mapping[str, Any]) -> Answer:
        return {"open": True, "games": await in_thread(self._reactor, self.catalogue.listing)}

    async def _no_games(self, _request: Any, _path: list[str], _body: Mapping[str, Any]) -> Answer:
        return {"open": False, "games": []}

    async def _strategies(self, _request: Any, _path: list[str], _body: Mapping[str, Any]) -> Answer:
        limit = self.catalogue.limits.seconds
        return {"strategies": EXPLANATIONS, "named": self.matches.named_players, "limit": limit}

    async def _game(self, _request: Any, path: list[str], _body: Mapping[str, Any]) -> Answer:
        key = _only(path)
        if (game := self.matches.game(key)) is None:
            name, text = await in_thread(self._reactor, self.catalogue.text, key)
            game = await in_thread(self._reactor, self.catalogue.game, name, text)
        return game.look

    async def _watched_game(self, _request: Any, path: list[str], _body: Mapping[str, Any]) -> Answer:
        """Tells others of the games of matches that they look at, whose networks are there, and of no other."""
        if (game := self.matches.game(_only(path))) is None:
            raise NotFoundError("no match of this game is on")
        return game.look

    async def _picture(self, _request: Any, path: list[str], _body: Mapping[str, Any]) -> Answer:
        return await in_thread(self._reactor, self.catalogue.picture, _only(path))

    async def _listing(self, _request: Any, _path: list[str], _body: Mapping[str, Any]) -> Answer:
        live = [
            {
                "match": match.name,
                "name": match.title,
                "players": match.players,
                "step": len(match.history),
                "over": match.over,
            }
            for match in self.matches.live.all()
        ]
        return {"matches": live + [_summary(match) for match in self.matches.in_memory() if not match.watched]}

    async def _match(self, request: Any, path: list[str], _body: Mapping[str, Any]) -> Answer:
        name, what, *rest = [*path, "", ""]
        if what == "events":
            await self._watch(request, name)
            return None
        match = await self.matches.find(name)
        match what:
            case "view" if rest[0].isdecimal():
                return match.tree[int(rest[0])].view
            case "snapshot":
                return match.snapshot()
            case "record":
                number = int(rest[0]) if rest[0].isdecimal() else match.at.number
                return to_json(match.record(number))
            case "page":
                number = int(rest[0]) if rest[0].isdecimal() else match.at.number
                async with self._making_pages:  # one at a time, whoever asks for how many
                    if request.channel is None:  # the visitor has gone meanwhile
                        return None
                    page = await in_thread(self._reactor, _record_page, match.game, match.record(number))
                request.setHeader("Content-Disposition", f'attachment; filename="{_file_name(match.game.name)}.html"')
                return page
        raise NotFoundError("there is nothing here")

    async def _archive(self, request: Any, path: list[str], _body: Mapping[str, Any]) -> Answer:
        """Lists matches of the archive that fit what is asked for."""
        archive = self.matches.archive
        if archive is None:
            return {"entries": []}
        asked = {name: request.args.get(name.encode(), [b""])[0].decode("utf-8", "replace") for name in _ASKED}
        before = int(asked["before"]) if asked["before"].isdecimal() else None
        since, until = (_milliseconds(asked[name]) for name in ("since", "until"))
        query = Query(
            asked["game"], asked["player"], asked["result"], since=since, until=until, before=before, limit=_LISTED
        )
        entries = await in_thread(self._reactor, archive.search, query)
        return {"entries": [asdict(entry) for entry in entries]}

    async def _watch(self, request: Any, name: str) -> None:
        """Begins a stream of what happens in a match, or tells in its place why there is none."""
        try:
            tab = _tab(request.args.get(b"tab", [b""])[0].decode("ascii", "replace"))
            match = await self.matches.find(name)
            if match.feed.is_full:
                raise LudensError("too many look at this match already")
            if request.channel is None or request.channel.has_ended:  # the page has gone while the match was loaded
                raise LudensError("a page that follows a match keeps its connection open")
        except LudensError as error:
            if request.channel is not None:
                refuse(request, str(error))
            return
        self._begin_stream(request, match, tab)

    def _begin_stream(self, request: Any, match: ShownMatch, tab: str) -> None:
        match.arrive(tab)

        def snapshot() -> Mapping[str, Any]:
            return {**match.snapshot(), "you": public_name(tab)}

        Stream(self._reactor, request, match.feed, snapshot).ended.addCallback(lambda _: match.leave(tab))

    # ---- What is changed ----

    async def _refuse(self, _request: Any, _path: list[str], _body: Mapping[str, Any]) -> Answer:
        """Lets nobody on other machines start engines, have rules read, or reach players of this network."""
        raise LudensError("this page only shows matches, since other machines can reach it")

    async def _sheet(self, _request: Any, _path: list[str], body: Mapping[str, Any]) -> Answer:
        name, text = _text(body, "name")[:60] or "pasted", _text(body, "text")
        if len(text) > MOST_TEXT:
            raise LudensError(f"the sheet is too long: {MOST_TEXT:,} characters are taken")
        findings = await in_thread(self._reactor, self.catalogue.findings, text, bool(body.get("play")))
        errors = any(finding["severity"] == "error" for finding in findings)
        return {"findings": findings, "key": None if errors else self.catalogue.remember(name, text)}

    async def _new_match(self, _request: Any, _path: list[str], body: Mapping[str, Any]) -> Answer:
        texts = list(map(str, body["players"])) if isinstance(body.get("players"), list) else None
        try:
            match = await self.matches.new(_text(body, "game"), texts, _pace(body, Pace()))
        except FaultySheetError as error:
            raise LudensError(f"the rules have mistakes: {error}") from error
        return {"match": match.name}

    async def _replay(self, _request: Any, _path: list[str], body: Mapping[str, Any]) -> Answer:
        """Opens a record: one that a page sends, or one of the archive by its number."""
        if "number" in body:
            if self.matches.archive is None:
                raise LudensError("there is no archive")
            kept = await in_thread(self._reactor, self.matches.archive.read, _number(body, "number"))
            found, name, rules = FoundRecord(from_json(kept.record)), kept.entry.game, kept.rules
        else:
            found = await in_thread(self._reactor, _read_file, _text(body, "text"), _text(body, "file"))
            name, rules = found.record.game or "record", found.record.rules
        if not rules and name in games.names():
            rules = games.read(name)
        if not rules:
            raise LudensError("the record does not tell the rules: only one that does can be opened here")
        return {"match": (await self.matches.replay(found, name, rules)).name}

    async def _order(self, _request: Any, path: list[str], body: Mapping[str, Any]) -> Answer:
        """Carries out what a page asks of a match."""
        name, order, *_ = [*path, ""]
        match = await self.matches.find(name)
        if not isinstance(match, PlayMatch):
            raise LudensError("this match is played elsewhere: it can only be watched")
        tab = _tab(_text(body, "tab"))
        match order:
            case "move":
                role = _number(body, "role")
                match.check_holds(role, tab)
                match.choose(role, _text(body, "move"), _number(body, "node"), bool(body.get("branch")))
            case "sit":
                match.sit_down(_number(body, "role"), tab)
            case "back":
                match.take_back([role for role, holder in match.holders.items() if holder == tab])
            case "go":
                match.go_to(_number(body, "node"))
            case "players":
                players = body.get("players")
                texts = list(map(str, players)) if isinstance(players, list) else []
                named = {*self.matches.named_players, *(seat.text for seat in match.seats)}
                seats = read_seats(texts, match.game.roles, named)
                match.change_seats(seats, tab)
            case "swap":
                match.swap_sides()
            case "pace":
                match.set_pace(_pace(body, match.pace))
            case "pause":
                match.pause(bool(body.get("paused")))
            case "step":
                match.step()
            case "analyse":
                match.analyses.look_at(_number(body, "node") if body.get("on") else None)
            case "hint":
                match.analyses.hint(_number(body, "role"), _number(body, "node"))
            case "review":
                match.analyses.review(_number(body, "node"))
            case _:
                raise NotFoundError("there is nothing here")
        return {}


def listen(reactor: Any, options: PageOptions) -> PageServer:
    """Starts the page's server on `reactor`; it ends with the reactor, or by `stop`. Raises `ListenError`."""
    server = PageServer(reactor, options)
    reactor.addSystemEventTrigger("before", "shutdown", server.stop)
    return server


def _record_page(game: PlayedGame, record: MatchRecord) -> PageFile:
    """Makes the page of a record, which is one file; in a thread."""
    return page_file(record_page(follow(game.line(), FoundRecord(record))).encode(), ".html")


def _read_file(text: str, name: str) -> FoundRecord:
    """Reads a record of which the name of its file is known, or empty; in a thread."""
    return read_written(text, name) or read_record(text)


def _file_name(name: str) -> str:
    return re.sub(r"[^\w-]+", "_", name, flags=re.ASCII)[:60] or "match"


def _summary(match: ShownMatch) -> dict[str, Any]:
    goals = match.at.position.goals if match.at.position.terminal else None
    return {
        "match": match.name, "name": match.game.name, "roles": list(match.game.roles), "players": match.players,
        "step": match.at.step, "goals": goals, "key": match.game.key,
    }  # fmt: skip


def _milliseconds(day: str) -> int | None:
    """Returns when a day begins here, in milliseconds since 1970; None for no day."""
    try:
        return int(datetime.fromisoformat(day).timestamp() * 1000)
    except ValueError:
        return None


def _only(path: Sequence[str]) -> str:
    if len(path) != 1:
        raise NotFoundError("there is nothing here")
    return path[0]


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name, "")
    if not isinstance(value, str):
        raise LudensError(f"{name} must be a text")
    return value


def _number(body: Mapping[str, Any], name: str) -> int:
    value = body.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise LudensError(f"{name} must be a whole number")
    return value


def _tab(text: str) -> str:
    if len(text) > 64 or not text.replace("-", "").isalnum():
        raise LudensError("a page must say which tab it is in")
    return text


def _pace(body: Mapping[str, Any], usual: Pace) -> Pace:
    """Returns the pace that a page asks for; raises `LudensError` for what no clock can show."""
    changes: dict[str, float] = {}
    for name in ("start_clock", "play_clock", "delay", "think"):
        if name in body:
            value = body[name]
            if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= 86_400:
                raise LudensError(f"{name.replace('_', ' ')} must be a number of seconds from 0 to 86,400")
            changes[name] = float(value)
    return replace(usual, **changes)
