"""`ludens match`: plays one match between local players and players elsewhere, and shows it in the terminal."""

from __future__ import annotations

import logging
import random
import re
import sys
import time
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from twisted.internet.defer import Deferred, DeferredList

from ludens.agent.commands.commentary import Commentary
from ludens.agent.commands.exit_codes import ExitCode, UsageError
from ludens.agent.commands.human_match import HumanMatch, HumanMatchOptions
from ludens.agent.commands.progress import progress
from ludens.agent.commands.terminal import printable
from ludens.agent.manager.greeting import UnavailableError, greet
from ludens.agent.manager.manager import Manager, MatchSettings, Participant, new_record, own_participant
from ludens.agent.manager.referee import RefereeChoice, choose_referee
from ludens.agent.manager.scramble import NoScrambler, Scrambler
from ludens.agent.manager.seating import (
    assign_roles,
    check_addresses,
    doubt_patience,
    share_processors,
    with_limits,
    with_seeds,
)
from ludens.agent.play.live_match import LiveMatch
from ludens.agent.play.pace import Pace
from ludens.agent.play.played_game import PlayedGame
from ludens.agent.play.replay import follow, without_rules
from ludens.agent.play.replayed_game import ReplayedGame
from ludens.agent.play.seats import Seat
from ludens.agent.playable.game_view import game_view
from ludens.agent.protocol.thoughts import thought
from ludens.agent.protocol.wire import LogMessage, SearchReport
from ludens.agent.reactor.in_thread import in_thread
from ludens.agent.reactor.running import run_reactor
from ludens.agent.records import record as records
from ludens.agent.records.archive import Archive
from ludens.agent.records.reading import FoundRecord
from ludens.agent.records.record import Ending, MatchRecord
from ludens.agent.server.server import Listening, listen
from ludens.agent.settings.addresses import Address
from ludens.agent.settings.players import LocalPlayer, PlayerSpec, RemotePlayer, read_player
from ludens.agent.settings.strategies import HUMAN
from ludens.agent.web import server as page_server
from ludens.agent.web.record_page import record_page
from ludens.agent.web.server import PageOptions
from ludens.agent.web.watching import WatchingObserver
from ludens.games import registry
from ludens.games.recognised_game import Notation, RecognisedGame
from ludens.games.registry import Recognition, notation_of_file, notations, recognise
from ludens.games.rules import NamedRules, find_rules
from ludens.games.view.hints import read_hints, with_hints_of
from ludens.games.view.reader import PositionReader
from ludens.propnet.base.child import Limits
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.parser import parse_term
from ludens.propnet.gdl.syntax import RuleSheet

_PROOF_SECONDS = 10.0  # for each game that it may be recognised as
_PROOF_GAMES = 1024
_SAMPLE_SECONDS = 0.5  # of random play, to find the board in it
_ABSENT = "random"  # in place of a person, who needs no settings


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """What the user said of a match, as `ludens match --help` explains it."""

    game: str
    players: Sequence[str]
    startclock: float
    playclock: float
    scramble: bool
    seed: int | None
    record: Path | None
    archived: bool
    watch: int | None  # the port of a page that shows the match; None: there is none
    notation: str | None
    id: str | None
    max_turns: int  # 0: no limit
    time_people: bool  # the play clock is for people too
    limits: Limits  # of making a network of the rules, for the manager; players have no less
    quiet: bool
    verbose: bool


def run(options: MatchOptions) -> int:
    """Runs the subcommand; raises `LudensError`, or `KeyboardInterrupt` for a match broken off.

    Whatever can be found out to be impossible before the match is refused before it.
    """
    notation = _notation(options.notation) if options.notation else None
    rules = find_rules(options.game)
    sheet = rules.sheet()
    people = {role for role, text in enumerate(options.players) if text == HUMAN}
    if options.time_people and not people:
        raise UsageError(f"--time-people is about {HUMAN} players, and there is none")
    chosen = [read_player(_ABSENT if role in people else text) for role, text in enumerate(options.players)]
    settings = _settings(options, rules.name, sheet)
    players = with_seeds(share_processors(assign_roles(chosen, sheet.roles)), settings.seed)
    players = with_limits(players, options.limits)
    check_addresses(players, sheet.roles)
    if options.record:
        records.check_writable(options.record)
    if not options.quiet:
        for role in sheet.roles[len(chosen) :]:
            print(f"  no player was given for {printable(role)}: random plays it", flush=True)
        _doubt_fractions(options, players)
        if doubt := doubt_patience({player.name: player for player in players}):
            print(f"  {doubt}", flush=True)
        _doubt_repetition(options, players)
    logging.getLogger("ludens").addHandler(logging.NullHandler())  # what matters of it is told by the commentary
    if people:
        return _run_with_people(options, rules, sheet, players, people, settings)
    record = run_reactor(lambda reactor: _MatchRun(reactor, options, rules, sheet, players, settings, notation).play())
    if record.ending == Ending.INTERRUPTED:
        raise KeyboardInterrupt
    return exit_code(record)


def _run_with_people(
    options: MatchOptions,
    rules: NamedRules,
    sheet: RuleSheet,
    players: Sequence[PlayerSpec],
    people: Collection[int],
    settings: MatchSettings,
) -> int:
    """Plays a match in which people choose at the terminal; a match that one of them ends is no failure."""
    refused = {
        "--scramble": options.scramble,
        "--notation": options.notation is not None,
        "--watch": options.watch is not None,
        "--verbose": options.verbose,
    }
    for option in filter(refused.get, refused):
        raise UsageError(f"{option} does not go with a {HUMAN} player; `ludens play` has a page for people")
    if (in_file := _file_notation(options.record)) is not None:
        raise UsageError(f"--record {options.record}: matches of people are written in JSON, not in {in_file.name}")
    seats = [Seat(HUMAN, None) if i in people else Seat(player.name, player) for i, player in enumerate(players)]
    clock = options.playclock if options.time_people else 0.0
    pace = Pace(options.startclock, clock, think=options.playclock)
    human_options = HumanMatchOptions(rules, sheet, seats, settings, pace, options.limits, options.quiet)

    def keep(record: MatchRecord, game: PlayedGame) -> str:
        if options.archived:
            _archive(rules, record)
        if options.record is None:
            return ""
        if _is_page(options.record):
            records.write_text(record_page(follow(game.line(), FoundRecord(record, sheet.roles))), options.record)
        else:
            records.write(record, options.record)
        return f"Match record: {options.record}"

    matches: list[HumanMatch] = []

    def begin(reactor: Any) -> Coroutine[Any, Any, MatchRecord]:
        matches.append(HumanMatch(reactor, human_options, keep))
        return matches[0].play()

    record = run_reactor(begin)
    if matches[0].stopped:
        raise KeyboardInterrupt
    return exit_code(record)


def exit_code(record: MatchRecord) -> int:
    """Returns what a match tells the shell."""
    if record.ending in (Ending.RULES, Ending.FAILED):
        return ExitCode.FAULTY_INPUT
    if record.ending == Ending.REFUSED or record.error_count:
        return ExitCode.PLAYER_FAILED
    return ExitCode.TURN_LIMIT if record.ending == Ending.TURN_LIMIT else ExitCode.OK


def _doubt_fractions(options: MatchOptions, players: Sequence[PlayerSpec]) -> None:
    """Says that players of other programs may not understand clocks that are fractions."""
    fractions = [f"{clock:g} s" for clock in (options.startclock, options.playclock) if clock != int(clock)]
    others = [player.name for player in players if isinstance(player, RemotePlayer)]
    if fractions and others:
        doubt = "may not understand it: many programs read whole seconds only"
        print(f"  a clock of {' or '.join(fractions)}: {', '.join(others)} {doubt}", flush=True)


def _doubt_repetition(options: MatchOptions, players: Sequence[PlayerSpec]) -> None:
    """Says which of our players choose by the clock, so that no seed makes their match the same again."""
    by_clock = {p.name for p in players if isinstance(p, LocalPlayer) and not p.options.needs_no_clock}
    if options.seed is not None and by_clock:
        advice = "with iterations=N, as in uct:iterations=2000, the match can be repeated"
        print(f"  --seed: {', '.join(sorted(by_clock))} searches as long as the clock allows; {advice}", flush=True)


class _MatchRun:
    """One match on the reactor, from the first greeting to the record."""

    def __init__(
        self,
        reactor: Any,
        options: MatchOptions,
        rules: NamedRules,
        sheet: RuleSheet,
        players: Sequence[PlayerSpec],
        settings: MatchSettings,
        notation: Notation | None,
    ) -> None:
        self._reactor = reactor
        self._options = options
        self._rules = rules
        self._sheet = sheet
        self._players = players
        self._settings = settings
        self._notation = notation
        self._game: RecognisedGame | None = None
        self._choice: RefereeChoice | None = None
        self._listening: list[Listening] = []  # players of ours
        self._live: LiveMatch | None = None  # as pages see it
        self._board: PositionReader | None = None
        self._kept: Deferred[None] = Deferred()  # fires when all is written
        self._stopped = False  # by Ctrl-C

    async def play(self) -> MatchRecord:
        """Returns the record, also of a match that a player refuses to play."""
        try:
            names = await self._greet()
        except UnavailableError as error:
            record = new_record(self._settings, [player.name for player in self._players])
            record.aborted, record.ending, record.warnings = True, Ending.REFUSED, [str(error)]
            await self._finish(record, error)
            return record
        self._introduce(names)
        self._show_page(names)
        choice = await in_thread(self._reactor, self._prepare)
        manager = self._manager(names, choice)
        await DeferredList([listening.prepared for listening in self._listening])
        abort = partial(self._abort, manager)
        self._reactor.addSystemEventTrigger("before", "shutdown", lambda: Deferred.fromCoroutine(abort()))
        try:
            await self._play(manager)
        finally:
            self._kept.callback(None)
        if not self._stopped:
            await self._stay()
        return manager.record

    async def _play(self, manager: Manager) -> None:
        """Plays the match, and keeps its record: first in the archive, since the user's file may be refused.

        Only then is anything said of its end, since the output may fail.
        """
        refusal = None
        try:
            await manager.play()
        except UnavailableError as error:
            refusal = error
        finally:
            record = manager.record
            if self._options.archived and record.states:
                await in_thread(self._reactor, _archive, self._rules, record)
            await self._finish(record, refusal, f"\n{self._commentary.result(record)}")

    async def _abort(self, manager: Manager) -> None:
        """Ends the match, and waits until its record is kept."""
        self._stopped = True
        await manager.abort()
        await self._kept

    def _show_page(self, names: Sequence[str]) -> None:
        """Starts the page on which the match is watched, if there is to be one."""
        if self._options.watch is None:
            return
        options = self._options
        shown = PageOptions(options.watch, "--watch", limits=options.limits, archived=options.archived)
        page = page_server.listen(self._reactor, shown)
        clocks = options.startclock, options.playclock
        title = self._settings.match_id
        self._live = LiveMatch(title, self._rules.name, self._rules.text, tuple(names), clocks)
        page.matches.live.add(self._live)
        print(f"Watch the match at {page.address}#match={self._live.name}", flush=True)

    async def _stay(self) -> None:
        """Leaves the page of a match that is over until somebody presses Ctrl-C."""
        if self._live is not None:
            print("The match is over; its page stays until Ctrl-C.", flush=True)
            stopped: Deferred[None] = Deferred()
            self._reactor.addSystemEventTrigger("before", "shutdown", lambda: stopped.callback(None))
            await stopped

    async def _greet(self) -> list[str]:
        """Returns the players' names; raises `UnavailableError` for one of another program that cannot play."""
        return [
            await greet(self._reactor, role, player.address) if isinstance(player, RemotePlayer) else player.name
            for role, player in zip(self._sheet.roles, self._players, strict=True)
        ]

    def _introduce(self, names: Sequence[str]) -> None:
        if self._options.quiet:
            return
        options = self._options
        clocks = f"start clock {options.startclock:g} s, play clock {options.playclock:g} s"
        print(f"{self._rules.name}: {clocks}{', scrambled' if options.scramble else ''}")
        for role, player, name in zip(self._sheet.roles, self._players, names, strict=True):
            called = name if name == player.name else f"{name} ({player.name})"
            print(printable(f"  {role}: {called}"), flush=True)

    def _prepare(self) -> RefereeChoice:
        """Returns the referee, and recognises the game, in a thread."""
        shown = progress(f"turning the rules of {self._rules.name} into a network")
        with nullcontext() if self._options.quiet else shown:
            self._choice = choice = choose_referee(self._sheet, self._options.limits)
            self._game = _recognise(self._options, self._notation, choice)
            if not self._options.quiet:
                hints = read_hints(self._rules.text, self._sheet.roles)
                self._board = game_view(self._rules.name, self._sheet, choice.net, _SAMPLE_SECONDS, hints)
        return choice

    def _manager(self, names: Sequence[str], choice: RefereeChoice) -> Manager:
        console = Console()
        self._commentary = commentary = Commentary(
            self._sheet.roles,
            self._board,
            self._settings.scrambler,
            self._options.quiet,
            width=console.width,
            drawing=self._game.drawing if self._game else None,
            notation=self._game.writer if self._game and self._notation else None,
            verbose=self._options.verbose,
        )

        def heard(role: str, news: SearchReport | LogMessage) -> None:
            match news:
                case LogMessage(text, warning=True):
                    manager.warn(f"{role}: {text}")
                case LogMessage(text, expert=expert):
                    if not expert:
                        manager.note_remark(self._sheet.roles.index(role), f"{role}: {text}")
                    commentary.on_news(role, news)
                case SearchReport():
                    commentary.on_news(role, news)
                    manager.note_thought(role, news)
                    self._tell_page(role, news)

        seats = zip(self._sheet.roles, self._players, names, strict=True)
        participants = [self._participant(role, player, name, heard) for role, player, name in seats]
        observer = WatchingObserver(self._live, commentary) if self._live else commentary
        manager = Manager(self._reactor, self._sheet, choice.referee, participants, self._settings, observer)
        manager.record.game = self._rules.name
        manager.record.rules = with_hints_of(manager.record.rules, self._rules.text)
        if choice.fallback_reason:
            manager.warn(choice.fallback_reason)
        return manager

    def _tell_page(self, role: str, report: SearchReport) -> None:
        """Tells pages what a player of ours thinks, in the words of the rules."""
        if self._live is not None and report.move:
            number = self._sheet.roles.index(role)
            rename = self._settings.scrambler.unscramble
            self._live.thinks(report.step, {**thought(report, number, lambda move: str(rename(parse_term(move))))})

    def _participant(
        self, role: str, player: PlayerSpec, name: str, heard: Callable[[str, SearchReport | LogMessage], None]
    ) -> Participant:
        """Starts a player of ours to listen, and returns where the player of a role listens."""
        if isinstance(player, RemotePlayer):
            return Participant(role, name, player.address)
        listening = listen(self._reactor, player.options, lambda _match, news: heard(role, news), once=True)
        self._listening.append(listening)
        return own_participant(role, name, Address(listening.host, listening.port), player.options)

    async def _finish(self, record: MatchRecord, refusal: UnavailableError | None, result: str = "") -> None:
        """Writes the record of a match; tells its result all the same where that cannot be done."""
        if self._live is not None:
            self._live.end(record.ending)
        path = self._options.record
        try:
            written = await in_thread(self._reactor, self._write, record, path) if path else ""
        finally:
            if result:
                print(result, flush=True)
            if refusal:
                print(f"ludens: {printable(str(refusal))}", file=sys.stderr)
        if written:
            print(written)

    def _write(self, record: MatchRecord, path: Path) -> str:
        """Writes the record of a match, in a thread, and says where it is.

        In a notation of its game only a match that began is written.
        """
        if _is_page(path):
            records.write_text(self._page(record), path)
        elif (notation := _file_notation(path)) is None:
            records.write(record, path)
        elif self._game and self._game.writer:
            text = self._game.writer.match(record.players, record.moves, record.goals, record.start_time)
            records.write_text(text, path)
        else:
            return f"No match record: a match that did not begin cannot be written in {notation.name}."
        return f"Match record: {path}"

    def _page(self, record: MatchRecord) -> str:
        """Returns the page that replays a match."""
        found = FoundRecord(record, self._sheet.roles)
        if self._choice is None:  # the match did not begin
            return record_page(without_rules(found))
        game = ReplayedGame(self._rules.name, self._rules.text, self._sheet, self._choice.game, self._choice.net)
        return record_page(follow(game, found))


def _recognise(options: MatchOptions, notation: Notation | None, choice: RefereeChoice) -> RecognisedGame | None:
    """Recognises the game, to show it as people know it, if it is shown or written so.

    Raises `LudensError` if it lacks a notation asked for.
    """
    asked = {notation: f"--notation {options.notation}"} if notation else {}
    if in_file := _file_notation(options.record):
        asked[in_file] = f"--record {options.record}"
    recognition = Recognition(None, None, {})
    if choice.net is not None and (asked or not options.quiet):
        recognition = recognise(choice.net, _PROOF_SECONDS, games=_PROOF_GAMES)
    for recogniser in registry.RECOGNISERS:
        option = asked.get(recogniser.notation) if recogniser.notation else None
        if option and recogniser is not recognition.recogniser:
            reason = recognition.refusals.get(recogniser.name) or choice.fallback_reason or f"it is {recognition.game}"
            raise LudensError(f"{option}: {options.game} is not recognised as {recogniser.name}: {reason}")
    if in_file and recognition.game and recognition.game.writer:
        recognition.game.writer.check_rules()
    return recognition.game


def _notation(name: str) -> Notation:
    """Returns the notation of a recognised game with this name; raises `UsageError`."""
    known = {notation.name: notation for notation in notations()}
    if name not in known:
        raise UsageError(f"--notation must be {' or '.join(known)}, not {name!r}")
    return known[name]


def _file_notation(path: Path | None) -> Notation | None:
    """Returns the notation of a recognised game that a record with this name is written in; None for JSON and pages."""
    return notation_of_file(path.name) if path else None


def _is_page(path: Path) -> bool:
    """Says whether a record is to be a page that replays it."""
    return path.suffix.lower() == ".html"


def _settings(options: MatchOptions, game: str, sheet: RuleSheet) -> MatchSettings:
    seed = random.SystemRandom().getrandbits(32) if options.seed is None else options.seed
    return MatchSettings(
        match_id=options.id or f"Ludens.{re.sub(r'[^A-Za-z0-9_-]', '_', game)}.{time.time_ns() // 1_000_000}",
        start_clock=options.startclock,
        play_clock=options.playclock,
        scrambler=Scrambler(sheet, seed) if options.scramble else NoScrambler(),
        seed=seed,
        max_turns=options.max_turns,
    )


def _archive(rules: NamedRules, record: MatchRecord) -> None:
    try:
        Archive().keep(record, rules.name, rules.text, "match")
    except LudensError as error:
        print(f"  {printable(str(error))}", file=sys.stderr)
