"""Measures which of two players is stronger as managers meet them: servers over HTTP, with their clocks.

    python -m scripts.strength.served_match breakthrough auto uct --startclock 30 --playclock 2 --games 20
    python -m scripts.strength.served_match sheets/ auto Other=127.0.0.1:9147 --instruction-set avx2 --slow-down 3
    python -m scripts.strength.served_match tak_4 auto Before=auto@../before/.venv/bin/python --scramble

For each game the first player, and the second unless it is an address, is started as `ludens serve`, with `recall=off`
and as many threads as --threads says unless it is described otherwise; `ludens match` plays between them. So all of a
player is measured: the time it takes to read rules, to learn and to choose a search, and its margin. An address may
have a name before it, by which the player is recorded. A strategy that another checkout plays must have one; behind @
is the interpreter in whose environment that is installed. Where GAME is a folder, all its rule sheets are played, those
in folders of their own too, with a summary of each; all seats but one are the second player's. A late or illegal answer
counts as a fault of its side. What a player says in its log of how it plays, and why, is kept with the game.

With --manager another Game Manager plays the matches: COMMAND is called with the file of the rules, the start clock,
the play clock, 1 if names are to be replaced or else 0, the file for the record of the match, in ggp-base's JSON, and
HOST:PORT of the player of each role.

Each player that is started here runs on processors of its own, one for each thread, as far as there are enough:
thinking on the other's time then takes nothing away. Games at the same time (--jobs) need them all to be there.
--slow-down N keeps each processor busy with N - 1 other programs.

How games are arranged and counted is said in scripts/common/match_runner.py.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ludens import games
from ludens.agent.records.record import MatchRecord
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.players import RemotePlayer, read_player
from ludens.agent.settings.processors import processors, usable_processors
from ludens.agent.settings.strategies import EXPLANATIONS
from ludens.agent.tournament.result import score_of
from ludens.games.rules import find_rules
from ludens.native.core import instruction_sets
from ludens.propnet.base.errors import LudensError
from scripts.common import arguments, match_runner, served
from scripts.common.match_runner import Outcome, Task

_PLAYOUTS = re.compile(r"\((?:[^()]*, )?([\d,]+) playouts")  # in the log of a server, perhaps behind what is proven
_CHOICE = re.compile(r": plays by (.+)$", re.MULTILINE)
_NAMED = re.compile(r"(?P<name>[\w. -]+)=(?P<player>\S+)")


@dataclass(frozen=True, slots=True)
class ServedTask(Task):
    """One match between servers; `seconds` is the play clock."""

    start_clock: float
    scrambled: bool
    instruction_set: str
    threads: int
    margin: float
    slow_down: int
    manager: str  # a name; empty for `ludens match`


@dataclass(frozen=True, slots=True)
class Places:
    """Where names lead that do not say it themselves, so that games are recorded without paths and ports."""

    sheets: Mapping[str, str]  # files, by the names of games
    players: Mapping[str, str]  # by their names: addresses, or STRATEGY@PYTHON
    managers: Mapping[str, str] = field(default_factory=dict)  # commands, by the names of managers

    def player(self, task: Task, number: int) -> tuple[str, str]:
        """Returns the description of the first (0) or second player, and the interpreter that plays it, if any."""
        player, _, python = self.players.get(task.players[number], task.players[number]).partition("@")
        return player, python


def play(task: Task, places: Places) -> Outcome:
    """Plays one match."""
    assert isinstance(task, ServedTask)
    game = places.sheets.get(task.game, task.game)
    seats = len(find_rules(game).sheet().roles)
    numbers, threads = player_numbers(task, seats), threads_of_seats(task, seats, places)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        logs = [folder / f"seat{seat}.log" for seat in range(seats)]
        addresses = [
            stack.enter_context(_player(task, places, number, log, own_processors(seat, threads)))
            for seat, (number, log) in enumerate(zip(numbers, logs, strict=True))
        ]
        record, complaint = _manage(task, places, addresses, folder)
        texts = [log.read_text() for log in logs]
    if record is None or not record.goals:
        raise LudensError(f"{task.game}: the match came to no end: {complaint}")
    return outcome(task, record, numbers, texts)


def player_numbers(task: Task, seats: int) -> list[int]:
    """Returns for each seat whether it is the first (0) or the second player's (1)."""
    return [int(seat != task.seat) for seat in range(seats)]


def outcome(task: Task, record: MatchRecord, numbers: Sequence[int], logs: Sequence[str]) -> Outcome:
    """Returns what came of a match; `numbers` are `player_numbers`."""
    faults = [sum(bool(turn[seat]) for turn in record.errors) for seat in range(len(numbers))]
    efforts = [playouts_a_move(log) for log in logs]
    sides = [[seat for seat, number in enumerate(numbers) if number == side] for side in (0, 1)]
    first, second = (sum(faults[seat] for seat in seats) for seats in sides)
    mean = [sum(efforts[seat] for seat in seats) // max(1, len(seats)) for seats in sides]
    own, others = (tuple(choice for seat in seats for choice in choices(logs[seat])) for seats in sides)
    score = score_of(record.goals, task.seat)
    key = match_runner.key(task)
    return Outcome(key, score, len(record.moves), (mean[0], mean[1]), (first, second), (own, others))


def server_options(player: str, seed: int, threads: int, margin: float) -> list[str]:
    """Returns the options of `ludens serve` for a player's description; raises `LudensError` if it makes no sense."""
    read_player(player)
    common = {"recall": "off", "seed": str(seed), "threads": str(threads), "margin": f"{margin:g}"}
    chosen = common | _settings(player)
    options = [text for name, value in chosen.items() for text in (f"--{name.replace('_', '-')}", value)]
    return ["--strategy", player.partition(":")[0], *options]


def threads_of_seats(task: ServedTask, seats: int, places: Places) -> list[int]:
    """Returns how many threads the player of each seat has."""
    return [threads_of(task, number, places) for number in player_numbers(task, seats)]


def threads_of(task: ServedTask, number: int, places: Places) -> int:
    """Returns how many threads the first (0) or second player has: those of its description, or else of the task."""
    player = places.player(task, number)[0]
    if isinstance(read_player(player), RemotePlayer):
        return task.threads
    return int(_settings(player).get("threads", task.threads)) or processors()


def _settings(player: str) -> dict[str, str]:
    """Returns the settings in the description of a player that is started here."""
    pairs = [setting.split("=", 1) for setting in player.partition(":")[2].split(",") if setting]
    return {name.strip(): value.strip() for name, value in pairs}


def playouts_a_move(log: str) -> int:
    """Returns how many random games a server has searched for a move on average, as its log says."""
    counts = [int(found.replace(",", "")) for found in _PLAYOUTS.findall(log)]
    return sum(counts) // max(1, len(counts))


def choices(log: str) -> list[str]:
    """Returns what a server has settled on, one after the other, with the reasons, as its log says."""
    return [str(found) for found in _CHOICE.findall(log)]


def _manage(task: ServedTask, places: Places, addresses: Sequence[str], folder: Path) -> tuple[MatchRecord | None, str]:
    """Has a manager play the match between servers; returns its record, if there is one, and its complaint."""
    game, record = places.sheets.get(task.game, task.game), folder / "match.json"
    clocks = f"{task.start_clock:g}", f"{task.seconds:g}"
    if not task.manager:
        options = ["--startclock", clocks[0], "--playclock", clocks[1], "--seed", str(task.opening)]
        scramble = "--scramble" if task.scrambled else "--no-scramble"
        return served.play_match(game, addresses, record, [*options, scramble])
    rules = folder / "rules.kif"
    rules.write_text(find_rules(game).text, "utf-8")
    players = [address.removeprefix("http://") for address in addresses]
    scrambled = str(int(task.scrambled))
    command = [*shlex.split(places.managers[task.manager]), str(rules), *clocks, scrambled, str(record), *players]
    return served.run_manager(command, record)


@contextmanager
def _player(task: ServedTask, places: Places, number: int, log: Path, own: Sequence[int]) -> Iterator[str]:
    """Yields the address of the first (0) or second player, which is started unless it is running already."""
    player, python = places.player(task, number)
    spec = read_player(player)
    if isinstance(spec, RemotePlayer):
        log.touch()
        served.await_player(f"http://{spec.address.place}{spec.address.path}")
        yield player
    else:
        options = server_options(player, match_runner.seed_of(task, number), task.threads, task.margin)
        chosen = {"LUDENS_INSTRUCTION_SET": task.instruction_set}
        with served.serving(log, options, chosen, own, python or sys.executable) as address:
            yield address


def own_processors(seat: int, threads: Sequence[int]) -> list[int]:
    """Returns the processors of a seat, one for each of its threads; `threads` are those of all seats.

    They are its own where there are enough; none in particular where that is unknown.
    """
    existing = usable_processors()
    first = match_runner.worker() * sum(threads) + sum(threads[:seat])
    return [existing[place % len(existing)] for place in range(first, first + threads[seat]) if existing]


@contextmanager
def slowed_down(factor: int) -> Iterator[None]:
    """Keeps all processors busy with `factor` - 1 programs each."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range((factor - 1) * processors())]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def sheets_in(folder: Path) -> dict[str, str]:
    """Returns the rule sheets of a folder, and of folders in it, by the names of their files."""
    return {path.name: str(path) for path in sorted([*folder.glob("*.kif"), *folder.glob("*/*.kif")])}


def read_players(texts: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Returns the names of players, and what is known of those that have one (NAME=…); raises `LudensError`."""
    found = [_NAMED.fullmatch(text) for text in texts]
    names = [named["name"] if named else text for named, text in zip(found, texts, strict=True)]
    known = {named["name"]: named["player"] for named in found if named}
    for name in names:
        text, at, python = known.get(name, name).partition("@")
        is_remote = isinstance(read_player(text), RemotePlayer)
        if at and name not in known:
            raise LudensError(f"{name} needs a name to be recorded by: write NAME={name}")
        if name in known and (name in EXPLANATIONS or is_remote == bool(at) or bool(at) != bool(python)):
            raise LudensError(
                f"{name}={known[name]} is no player of another program: write NAME=HOST:PORT or NAME=STRATEGY@PYTHON"
            )
    return names, known


def play_series(args: argparse.Namespace, places: Places) -> None:
    """Plays what `args`, with `game`, `first`, `second` and clocks, asks for and prints the summary as JSON.

    Raises `LudensError`.
    """
    seats = len(find_rules(places.sheets.get(args.game, args.game)).sheet().roles)
    new_task = partial(
        ServedTask,
        start_clock=args.startclock,
        scrambled=args.scramble,
        instruction_set=args.instruction_set,
        threads=args.threads,
        margin=args.margin,
        slow_down=args.slow_down,
        manager=args.manager[0],
    )
    game = new_task(
        game=args.game, players=(args.first, args.second), seconds=args.seconds, opening=0, opening_moves=0, seat=0
    )
    _check_jobs(args.jobs, threads_of_seats(game, seats, places))
    outcomes = match_runner.run(args, seats, partial(play, places=places), new_task)
    conditions = {name: getattr(args, name) for name in ("startclock", "instruction_set", "threads", "slow_down")}
    summary = match_runner.summary(args, seats, outcomes) | conditions | {"manager": args.manager[0]}
    print(json.dumps(summary), flush=True)


def _check_jobs(jobs: int, threads: Sequence[int]) -> None:
    """Raises `LudensError` where games at the same time, each of so many threads, need more processors than exist."""
    needed = jobs * sum(threads)
    if jobs > 1 and needed > processors():
        raise LudensError(f"--jobs {jobs}: that takes {needed} processors, and there are {processors()}")


def add_conditions(parser: argparse.ArgumentParser) -> None:
    """Adds under which conditions, apart from the clocks, matches are played, and how many."""
    match_runner.add_extent(parser)
    parser.add_argument("--scramble", action="store_true", help="replace all names in the rules")
    parser.add_argument("--threads", type=arguments.count, default=1, metavar="N", help="of each player (1)")
    parser.add_argument(
        "--margin",
        type=float,
        default=PlayerOptions().margin,
        metavar="S",
        help="kept free for an answer (%(default)s)",
    )
    parser.add_argument(
        "--instruction-set", default=instruction_sets()[0], choices=instruction_sets(), help="of players (%(default)s)"
    )
    parser.add_argument("--slow-down", type=arguments.count, default=1, metavar="N", help="share processors N-fold (1)")
    parser.add_argument(
        "--manager",
        type=_named_command,
        default=("", ""),
        metavar="NAME=COMMAND",
        help="plays the matches, instead of ludens match",
    )
    parser.set_defaults(opening_moves=0)


def _named_command(text: str) -> tuple[str, str]:
    name, equals, command = text.partition("=")
    if not (name and equals and shlex.split(command)):
        raise argparse.ArgumentTypeError(f"{text!r} is no name with a command, such as ggp-base=manager.sh")
    return name, command


def main(texts: Sequence[str] | None = None) -> int:
    """Plays the matches and prints a summary of each game as JSON."""
    args = _parser().parse_args(texts)
    try:
        (args.first, args.second), known = read_players([args.first, args.second])
        played = _named_games(args.game)
        places = Places({name: path for name, path in played.items() if path}, known, dict([args.manager]))
        with slowed_down(args.slow_down):
            for args.game in played:
                play_series(args, places)
    except LudensError as error:
        print(f"served_match: {error}", file=sys.stderr)
        return 1
    return 0


def _named_games(place: str) -> dict[str, str]:
    """Returns the files of the games, or nothing for a built-in one, by their names; raises `LudensError`."""
    path = Path(place)
    if path.is_dir():
        if found := sheets_in(path):
            return found
        raise LudensError(f"there is no rule sheet (*.kif) in {place}")
    return {place: ""} if place in games.names() else {path.name: place}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", help="a built-in game, a .kif file, or a folder of them")
    parser.add_argument("first", help="a strategy, as in auto or uct:threads=2, NAME=STRATEGY@PYTHON, or an address")
    parser.add_argument("second", help="the other one")
    add_conditions(parser)
    parser.add_argument("--startclock", type=arguments.seconds, default=30.0, metavar="S", help="start clock (30)")
    parser.add_argument("--playclock", type=arguments.seconds, default=2.0, metavar="S", dest="seconds", help="(2)")
    return parser


if __name__ == "__main__":
    match_runner.end_on_sigterm()
    sys.exit(main())
