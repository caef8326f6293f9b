"""`ludens match`: plays one match between local players and players elsewhere, and shows it in the terminal."""

from __future__ import annotations

import argparse
import random
import re
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import ReactorNotRunning
from twisted.python.failure import Failure

from ludens.agent.commands.commentary import Commentary
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

HELP = "play a match between any players"
DESCRIPTION = (
    "Plays one match as a Game Manager does and shows every move. Players take the roles in "
    "the order of the rule sheet; roles that are left over are played at random. "
    "The exit status is 0 only when the match was played to its end."
)
EXAMPLES = """\
players:
  auto                         learns the game, then takes the search that plays it best
  uct                          tree search with random games
  flat                         random playouts without a tree
  random                       any legal move
  uct:threads=2,exploration=0.5    with settings: those of `ludens serve --help`
  http://host:port             a player that is running already, of any make

examples:
  ludens match tic_tac_toe uct random
  ludens match my_game.kif uct http://127.0.0.1:9147 --startclock 30 --playclock 10
  ludens match breakthrough uct flat --scramble --record records/breakthrough.json
  ludens match english_draughts uct uct --pdn --record game.pdn
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the subcommand."""
    parser.add_argument("game", metavar="GAME", help="a built-in game (see `ludens games`) or a .kif file")
    parser.add_argument("players", nargs="*", metavar="PLAYER", help="who plays, in the order of the roles")
    parser.add_argument("--startclock", type=_seconds, default=10, metavar="S", help="seconds to read the rules (10)")
    parser.add_argument("--playclock", type=_seconds, default=5, metavar="S", help="seconds for a move (5)")
    parser.add_argument(
        "--scramble",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="replace every name in the rules by another word, so that nobody knows the game (off)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="makes scrambling and random replacements repeatable")
    parser.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="write the match in ggp-base's JSON"
        + "".join(f", or in {n.name} if FILE ends in {n.suffix} and these are {n.games}" for n in notations()),
    )
    for notation in notations():
        parser.add_argument(
            f"--{notation.name.lower()}", dest="notation", action="store_const", const=notation, help=notation.help
        )
    parser.add_argument("--id", type=_match_id, metavar="ID", help="name of the match, without spaces")
    parser.add_argument("--quiet", action="store_true", help="show only the result and what went wrong")


def run(args: argparse.Namespace) -> int:
    """Runs the subcommand; raises `LudensError`, or `KeyboardInterrupt` for a match broken off."""
    rules = find_rules(args.game)
    sheet = rules.sheet()
    chosen = [read_player(text) for text in args.players]
    players = share_processors(assign_roles(chosen, sheet.roles))
    settings = _settings(args, rules.name, sheet)
    _print_players(args, sheet, players, len(chosen))
    with progress(f"turning the rules of {rules.name} into a network"):
        choice = choose_referee(sheet, _GROUNDING_SECONDS)
        recognised = _recognise(args, choice)
    commentary = Commentary(
        sheet.roles,
        choice.vocabulary,
        settings.scrambler,
        args.quiet,
        drawing=recognised.drawing if recognised else None,
        notation=recognised.writer if recognised and args.notation else None,
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
            if args.record:
                _write(args.record, recognised, manager.record)

    if _run_reactor(match).aborted:
        raise KeyboardInterrupt
    return 0


def _print_players(args: argparse.Namespace, sheet: RuleSheet, players: list[PlayerSpec], given: int) -> None:
    clocks = f"start clock {args.startclock} s, play clock {args.playclock} s"
    if not args.quiet:
        print(f"{args.game}: {clocks}{', scrambled' if args.scramble else ''}")
        for role, player in zip(sheet.roles, players, strict=True):
            print(f"  {role}: {player.name}")
    for role in sheet.roles[given:]:
        print(f"  no player was given for {role}: random plays it")


def _recognise(args: argparse.Namespace, choice: RefereeChoice) -> RecognisedGame | None:
    """Recognises the game, to show it as people know it. Raises `LudensError` if it lacks a notation asked for."""
    asked = {args.notation: f"--{args.notation.name.lower()}"} if args.notation else {}
    if in_file := _file_notation(args.record):
        asked[in_file] = f"--record {args.record}"
    recognition = Recognition(None, None, {})
    if choice.net is not None:
        recognition = recognise(choice.net, _PROOF_SECONDS, games=_PROOF_GAMES)
    for recogniser in registry.RECOGNISERS:
        option = asked.get(recogniser.notation)
        if option and recogniser is not recognition.recogniser:
            reason = recognition.refusals.get(recogniser.name) or choice.fallback_reason or f"it is {recognition.game}"
            raise LudensError(f"{option}: {args.game} is not recognised as {recogniser.name}: {reason}")
    if in_file and recognition.game and recognition.game.writer:
        recognition.game.writer.check_rules()
    return recognition.game


def _file_notation(path: Path | None) -> Notation | None:
    """Returns the notation of a recognised game that a record with this name is written in; None for JSON."""
    return next((notation for notation in notations() if path and path.suffix == notation.suffix), None)


def _participant(reactor: Any, role: str, player: PlayerSpec, commentary: Commentary) -> Participant:
    """Starts a player of ours to listen, and returns where the player of a role listens."""
    if isinstance(player, RemotePlayer):
        return Participant(role, player.name, player.address)
    listening = listen(reactor, player.options, lambda _match, news: commentary.on_news(role, news))
    return Participant(role, player.name, Address(listening.host, listening.port))


def _settings(args: argparse.Namespace, game: str, sheet: RuleSheet) -> MatchSettings:
    seed = random.SystemRandom().getrandbits(32) if args.seed is None else args.seed
    return MatchSettings(
        match_id=args.id or f"Ludens.{re.sub(r'[^A-Za-z0-9_-]', '_', game)}.{time.time_ns() // 1_000_000}",
        start_clock=args.startclock,
        play_clock=args.playclock,
        scrambler=Scrambler(sheet, seed) if args.scramble else NoScrambler(),
        scrambled=args.scramble,
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


def _seconds(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of seconds")
    return int(text)


def _match_id(text: str) -> str:
    if not re.fullmatch(r"[^\s();]+", text):
        raise argparse.ArgumentTypeError("a match id has no spaces, brackets or semicolons")
    return text
