"""Runs matches between two players: what `strength.match` and `strength.checkers_match` share.

Every opening (some random moves) is played once from each seat of the first player, the same opening by the
same seed. A score is from 0 (lost) through 0.5 to 1. The interval is at 95 %, over openings, since the games of
an opening are not independent; after a sequential test, which ends when the result looks decided, it is a little too
narrow. With --sprt LOW HIGH the run ends as soon as the sequential probability ratio test (Wald 1945, by the normal
approximation) decides between the two scores at 5 % error.

The time of a move is CPU time of each of a player's threads, so that other work on the machine, such as another
match, tells against nobody; only where one of the players can go by nothing but the wall clock, both do.

Games are written to --out as they end; called again with the same arguments a match goes on where it stopped. Games
of players who name files, as in td:weights=FILE, count for these files as they are, not for their names alone.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from ludens.agent.statistics.intervals import interval_over_openings
from ludens.agent.statistics.sprt import decided
from ludens.native.core import SearchStats
from ludens.propnet.base.errors import LudensError
from scripts.common import arguments, json_lines
from scripts.common.file_digests import digests

_OPENINGS_TRIED = 1000  # until one does not end the game
_LEAST_SECONDS = 0.001  # of a run

_worker = 0

_State = TypeVar("_State")


@dataclass(frozen=True, slots=True)
class Task:
    """One game to be played."""

    game: str
    players: tuple[str, str]
    seconds: float
    opening: int  # seed
    opening_moves: int
    seat: int  # of the first player
    files: tuple[str, ...] = field(default=(), kw_only=True)  # digests of those that the players' descriptions name


@dataclass(frozen=True, slots=True)
class Outcome:
    """One game played: the score of the first player, 0 … 1."""

    key: str
    score: float
    moves: int
    playouts: tuple[int, int]  # of each player, a move
    faults: tuple[int, int] = (0, 0)  # of each player: late or illegal answers
    choices: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())  # what each player settled on, and why, as it says


class Thinking(Protocol):
    """A search, as far as it is given its time."""

    def run(self, seconds: float) -> None:
        """Searches for so long by the wall clock, or less."""

    def stats(self) -> SearchStats:
        """Whether it is done."""


Play = Callable[[Task], Outcome]  # a function of a module, since it is called in other processes
NewTask = Callable[..., Task]  # takes the fields of Task by name


def key(task: Task) -> str:
    """Names a game among all that are ever written to the same file."""
    fields = asdict(task)
    if not task.files:
        del fields["files"]  # as in the keys of games that were played before these were told
    return json.dumps(fields, sort_keys=True)


def add_arguments(parser: argparse.ArgumentParser, player: str, opening_moves: int) -> None:
    """Adds both players, `player` saying how they are described, and how they are to be matched."""
    add_run_arguments(parser, player)
    parser.add_argument("--seconds", type=arguments.seconds, default=0.2, help="CPU time of each move (%(default)s)")
    parser.add_argument(
        "--opening-moves", type=int, default=opening_moves, help="random moves before the game (%(default)s)"
    )


def add_run_arguments(parser: argparse.ArgumentParser, player: str) -> None:
    """Adds both players, and how many games they play and when that is enough."""
    parser.add_argument("first", help=player)
    parser.add_argument("second", help="the other one")
    add_extent(parser)


def add_extent(parser: argparse.ArgumentParser) -> None:
    """Adds how many games are played, when that is enough, and where they are kept."""
    parser.add_argument("--games", type=arguments.count, default=100, help="games to play (%(default)s)")
    parser.add_argument("--jobs", type=arguments.count, default=1, help="games at the same time (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help=arguments.SEED_OF_OPENINGS)
    parser.add_argument("--sprt", type=float, nargs=2, metavar=("LOW", "HIGH"), help="scores to decide between")
    parser.add_argument("--out", type=Path, help="JSON lines of the games, to be resumed from")


def play_match(args: argparse.Namespace, seats: int, play: Play, new_task: NewTask = Task) -> None:
    """Plays what `args`, with `args.game`, asks for and prints the summary as JSON; raises `LudensError`."""
    print(json.dumps(summary(args, seats, run(args, seats, play, new_task))), flush=True)


def tasks(args: argparse.Namespace, seats: int, new_task: NewTask = Task) -> Iterator[Task]:
    """All games of the run, the seats of an opening one after the other."""
    players = args.first, args.second
    files = digests(players)
    for number in range(args.games):
        yield new_task(
            game=args.game,
            players=players,
            files=files,
            seconds=args.seconds,
            opening=args.seed + number // seats,
            opening_moves=args.opening_moves,
            seat=number % seats,
        )


def opening(
    task: Task, initial: _State, is_over: Callable[[_State], bool], step: Callable[[_State, random.Random], _State]
) -> _State:
    """A state some random steps from `initial` where the game is on. Raises `LudensError` if none turns up."""
    rng = random.Random(task.opening)
    for _ in range(_OPENINGS_TRIED):
        state = initial
        for _ in range(task.opening_moves):
            if is_over(state):
                break
            state = step(state, rng)
        if not is_over(state):
            return state
    raise LudensError(f"{task.game}: after {task.opening_moves} random moves the game is always over")


def think(search: Thinking, seconds: float, threads: int = 1, clock: Callable[[], float] = time.process_time) -> None:
    """Has a search go on for `seconds` of a clock, by default CPU time of each thread; less once it is done."""
    end = clock() + seconds * threads
    while (left := (end - clock()) / threads) > 0 and not search.stats().solved:
        search.run(max(left, _LEAST_SECONDS))


def seed_of(task: Task, player: int) -> int:
    """Of the random numbers of a player in a game."""
    return task.opening * 4 + task.seat * 2 + player


def run(args: argparse.Namespace, seats: int, play: Play, new_task: NewTask = Task) -> list[Outcome]:
    """Plays what has not been played yet; returns all games in the order in which they ended."""
    json_lines.mend(args.out)
    done = read(args.out)
    wanted = list(tasks(args, seats, new_task))
    keys = {key(task) for task in wanted}
    outcomes = [outcome for outcome in done.values() if outcome.key in keys]
    waiting = iter([task for task in wanted if key(task) not in done])
    began = time.monotonic()

    def next_task() -> Task | None:
        undecided = decided([o.score for o in outcomes], args.sprt) is None
        return next(waiting, None) if undecided else None

    numbers: SimpleQueue[int] = multiprocessing.SimpleQueue()
    for number in range(args.jobs):
        numbers.put(number)
    with ProcessPoolExecutor(args.jobs, initializer=_begin_worker, initargs=(numbers,)) as pool, _ending_games():
        running = {pool.submit(_played, play, task) for _ in range(args.jobs) if (task := next_task())}
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                outcomes.append(future.result())
                write(args.out, outcomes[-1])
                report(args, outcomes, began)
                if task := next_task():
                    running.add(pool.submit(_played, play, task))
    return outcomes


def complete(outcomes: Iterable[Outcome], seats: int) -> list[Outcome]:
    """Returns the games of openings that were played from every seat, in the order in which they are numbered.

    Others are left over where a sequential test, or someone, ended the games.
    """
    ordered = numbered(outcomes)
    of_opening = Counter(_number(outcome)[0] for outcome in ordered)
    return [outcome for outcome in ordered if of_opening[_number(outcome)[0]] == seats]


def numbered(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Returns games in the order in which they are numbered, the seats of an opening one after the other."""
    return sorted(outcomes, key=_number)


def _number(outcome: Outcome) -> tuple[int, int]:
    task = json.loads(outcome.key)
    return task["opening"], task["seat"]


def end_on_sigterm() -> None:
    """Has SIGTERM end this process in an orderly way, as Ctrl-C does: with it end the players that it runs."""

    def end(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_IGN)  # a second one would interrupt the end
        sys.exit(128 + number)

    signal.signal(signal.SIGTERM, end)


@contextmanager
def _ending_games() -> Iterator[None]:
    """Has games under way end at once when this process is told to end."""
    try:
        yield
    except SystemExit:
        for process in multiprocessing.active_children():
            process.terminate()
        raise


def worker() -> int:
    """Returns the number of this process among those that play games at the same time."""
    return _worker


def _played(play: Play, task: Task) -> Outcome:
    """Plays a game in a worker; ends the worker with it, which the pool would have go on."""
    try:
        return play(task)
    except SystemExit as end:
        os._exit(end.code if isinstance(end.code, int) else 1)


def _begin_worker(numbers: SimpleQueue[int]) -> None:
    """Takes a number, and has SIGTERM end the game that is under way in an orderly way."""
    global _worker  # noqa: PLW0603
    _worker = numbers.get()
    end_on_sigterm()


def score_bounds(outcomes: Iterable[Outcome], seats: int) -> tuple[float, float]:
    """The 95 % interval of the score of games, by their openings that are complete."""
    return interval_over_openings([outcome.score for outcome in complete(outcomes, seats)], seats)


def in_percent(scores: Sequence[float], seats: int) -> str:
    """The mean of scores of complete openings and its interval, as in `62.5 % [51, 74]`."""
    return percent_text(float(np.mean(scores)), interval_over_openings(scores, seats))


def percent_text(mean: float, interval: tuple[float, float]) -> str:
    """A score and its interval, as in `62.5 % [51, 74]`."""
    low, high = interval
    return f"{100 * mean:.1f} % [{100 * low:.0f}, {100 * high:.0f}]"


def read(path: Path | None) -> dict[str, Outcome]:
    """Games written earlier, by key."""
    return {record["key"]: _outcome(record) for record in json_lines.read(path)}


def _outcome(record: dict[str, Any]) -> Outcome:
    pairs: dict[str, Any] = {name: tuple(record[name]) for name in ("playouts", "faults") if name in record}
    if "choices" in record:
        pairs["choices"] = tuple(map(tuple, record["choices"]))
    return Outcome(**(record | pairs))


def write(path: Path | None, outcome: Outcome) -> None:
    """Appends one game."""
    json_lines.add(path, asdict(outcome))


def report(args: argparse.Namespace, outcomes: list[Outcome], began: float) -> None:
    """One line of progress."""
    scores = [o.score for o in outcomes]
    print(
        f"{args.game}: {len(scores)}/{args.games} games, {args.first} scores {100 * np.mean(scores):.1f} %, "
        f"{time.monotonic() - began:.0f} s",
        file=sys.stderr,
        flush=True,
    )


def summary(args: argparse.Namespace, seats: int, outcomes: list[Outcome]) -> dict[str, Any]:
    """What is to be quoted of games in the order in which they ended."""
    scores = [o.score for o in outcomes]
    return {
        "game": args.game,
        "first": args.first,
        "second": args.second,
        "seconds": args.seconds,
        "seed": args.seed,
        "opening_moves": args.opening_moves,
        "games": len(scores),
        "won": sum(s > 0.5 for s in scores),
        "drawn": sum(s == 0.5 for s in scores),
        "lost": sum(s < 0.5 for s in scores),
        "score": round(float(np.mean(scores)), 4),
        "interval": [round(bound, 4) for bound in score_bounds(outcomes, seats)],
        "playouts_a_move": [int(np.mean([o.playouts[i] for o in outcomes])) for i in (0, 1)],
        "faults": [sum(o.faults[i] for o in outcomes) for i in (0, 1)],
        "sprt": decided([o.score for o in outcomes], args.sprt),
    }
