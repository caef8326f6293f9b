"""`ludens match`: plays one match between local players and players elsewhere, and shows it in the terminal."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import ReactorNotRunning
from twisted.python.failure import Failure

from ludens.agent.commands.commentary import Commentary
from ludens.agent.commands.exit_codes import UsageError
from ludens.agent.commands.players import PlayerSpec, RemotePlayer, assign_roles, read_player, share_processors
from ludens.agent.commands.progress import progress
from ludens.agent.commands.rules import find_rules
from ludens.agent.manager.client import Address
from ludens.agent.manager.manager import Manager, MatchSettings, Participant
from ludens.agent.manager.referee import RefereeChoice, choose_referee
from ludens.agent.manager.scramble import NoScrambler, Scrambler
from ludens.agent.records import record as records
from ludens.agent.records.record import MatchRecord
from ludens.agent.server.server import listen
from ludens.games import registry
from ludens.games.recognised_game import Notation, RecognisedGame
from ludens.games.registry import Recognition, notations, recognise
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.syntax import RuleSheet

_GROUNDING_SECONDS = 60.0
_PROOF_SECONDS = 10.0  # for each game that it may be recognised as
_PROOF_GAMES = 1024


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
    notation: str | None
    id: str | None
    quiet: bool
    verbose: bool


def run(options: MatchOptions) -> int:
    """Runs the subcommand; raises `LudensError`, or `KeyboardInterrupt` for a match broken off."""
    notation = _notation(options.notation) if options.notation else None
    rules = find_rules(options.game)
    sheet = rules.sheet()
    chosen = [read_player(text) for text in options.players]
    players = share_processors(assign_roles(chosen, sheet.roles))
    settings = _settings(options, rules.name, sheet)
    _print_players(options, sheet, players, len(chosen))
    with progress(f"turning the rules of {rules.name} into a network"):
        choice = choose_referee(sheet, _GROUNDING_SECONDS)
        recognised = _recognise(options, notation, choice)
    commentary = Commentary(
        sheet.roles,
        choice.vocabulary,
        settings.scrambler,
        options.quiet,
        drawing=recognised.drawing if recognised else None,
        notation=recognised.writer if recognised and notation else None,
        verbose=options.verbose,
    )
    if choice.fallback_reason:
        commentary.on_warning(choice.fallback_reason)

    async def match(reactor: Any) -> MatchRecord:
        seats = zip(sheet.roles, players, strict=True)
        participants = [_participant(reactor, role, player, commentary) for role, player in seats]
        manager = Manager(reactor, sheet, choice.referee, participants, settings, commentary)
        reactor.addSystemEventTrigger("before", "shutdown", lambda: Deferred.fromCoroutine(manager.abort()))
        await manager.check_presence()
        try:
            return await manager.play()
        finally:
            print(f"\n{commentary.result(manager.record)}", flush=True)
            if options.record:
                _write(options.record, recognised, manager.record)

    if _run_reactor(match).aborted:
        raise KeyboardInterrupt
    return 0


def _print_players(options: MatchOptions, sheet: RuleSheet, players: list[PlayerSpec], given: int) -> None:
    clocks = f"start clock {options.startclock:g} s, play clock {options.playclock:g} s"
    if not options.quiet:
        print(f"{options.game}: {clocks}{', scrambled' if options.scramble else ''}")
        for role, player in zip(sheet.roles, players, strict=True):
            print(f"  {role}: {player.name}")
    for role in sheet.roles[given:]:
        print(f"  no player was given for {role}: random plays it")


def _recognise(options: MatchOptions, notation: Notation | None, choice: RefereeChoice) -> RecognisedGame | None:
    """Recognises the game, to show it as people know it. Raises `LudensError` if it lacks a notation asked for."""
    asked = {notation: f"--notation {options.notation}"} if notation else {}
    if in_file := _file_notation(options.record):
        asked[in_file] = f"--record {options.record}"
    recognition = Recognition(None, None, {})
    if choice.net is not None:
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
    """Returns the notation of a recognised game that a record with this name is written in; None for JSON."""
    return next((notation for notation in notations() if path and path.suffix == notation.suffix), None)


def _participant(reactor: Any, role: str, player: PlayerSpec, commentary: Commentary) -> Participant:
    """Starts a player of ours to listen, and returns where the player of a role listens."""
    if isinstance(player, RemotePlayer):
        return Participant(role, player.name, player.address)
    listening = listen(reactor, player.options, lambda _match, news: commentary.on_news(role, news))
    return Participant(role, player.name, Address(listening.host, listening.port))


def _settings(options: MatchOptions, game: str, sheet: RuleSheet) -> MatchSettings:
    seed = random.SystemRandom().getrandbits(32) if options.seed is None else options.seed
    return MatchSettings(
        match_id=options.id or f"Ludens.{re.sub(r'[^A-Za-z0-9_-]', '_', game)}.{time.time_ns() // 1_000_000}",
        start_clock=options.startclock,
        play_clock=options.playclock,
        scrambler=Scrambler(sheet, seed) if options.scramble else NoScrambler(),
        scrambled=options.scramble,
        seed=seed,
    )


def _write(path: Path, game: RecognisedGame | None, record: MatchRecord) -> None:
    if _file_notation(path) and game and game.writer:
        text = game.writer.match(record.players, record.moves, record.goals, record.start_time)
        records.write_text(text, path)
    else:
        records.write(record, path)
    print(f"Match record: {path}")


def _run_reactor(main: Callable[[Any], Coroutine[Any, Any, MatchRecord]]) -> MatchRecord:
    """Runs the global reactor until `main` is done; raises what it raises, or `KeyboardInterrupt`."""
    from twisted.internet import reactor as installed

    reactor: Any = installed
    outcome: list[MatchRecord | Failure] = []

    def begin() -> None:
        Deferred.fromCoroutine(main(reactor)).addBoth(finish)

    def finish(result: MatchRecord | Failure) -> None:
        outcome.append(result)
        with suppress(ReactorNotRunning):
            reactor.stop()

    reactor.callWhenRunning(begin)
    reactor.run()
    if not outcome:
        raise KeyboardInterrupt
    if isinstance(outcome[0], Failure):
        outcome[0].raiseException()
    return outcome[0]
