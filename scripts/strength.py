"""Which of two players is stronger: games at equal time, both sides, seeded openings, with an interval.

    python -m scripts.strength breakthrough uct flat --games 40 --seconds 1 --jobs 2 --out strength.jsonl

Every opening (some random moves) is played twice, the seats exchanged; in games of more or fewer than two
roles the first player takes each seat in turn. A player's score in a game is the mean goal of its seats less that
of the others, from 0 (lost) through 0.5 to 1. The interval is at 95 %, over openings, since the games of
an opening are not independent. With --sprt LOW HIGH the run ends as soon as the sequential probability ratio test
(Wald 1945, by the normal approximation) decides between the two scores at 5 % error.

Games are written to --out as they end; called again with the same arguments it goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from agent.native_mind import draw, new_search
from agent.options import PlayerOptions
from agent.playouts import with_playouts
from agent.preparation import Meta, prepare
from agent.roster import LocalPlayer, read_player
from agent.rules import find_rules
from native.core import Evaluation, Game, Simulator, States
from propnet.errors import LudensError
from propnet.loader import load
from propnet.network import Propnet
from scripts import arguments

_ERROR = 0.05  # of the sequential test, both kinds
_OPENINGS_TRIED = 1000  # until one does not end the game


@dataclass(frozen=True, slots=True)
class Task:
    """One game to be played."""

    game: str
    players: tuple[str, str]
    seconds: float
    opening: int  # seed
    opening_moves: int
    seat: int  # of the first player


@dataclass(frozen=True, slots=True)
class Outcome:
    """One game played: the score of the first player, 0 … 1."""

    key: str
    score: float
    moves: int
    playouts: tuple[int, int]  # of each player, a move


class Player:
    """One side: chooses a move for a seat within the time."""

    def __init__(self, net: Propnet, text: str, seed: int) -> None:
        player = read_player(text)
        if not isinstance(player, LocalPlayer):
            raise LudensError(f"{text}: matches at equal time are between local strategies")
        self._options = player.options
        self._random = random.Random(seed)
        options = player.options
        game, options, evaluation = prepared(net, options)
        self._search = new_search(game, options, options.lanes, options.nodes_mb, seed, evaluation)
        self.playouts = 0
        self.turns = 0

    def choose(self, state: States, legal: list[list[int]], seat: int, seconds: float) -> int:
        """A legal move of `seat`."""
        if self._search is None or len(legal[seat]) == 1:
            return self._random.choice(legal[seat])
        before = self._search.stats().playouts
        self._search.set_root(state)
        self._search.run(seconds)
        self.playouts += self._search.stats().playouts - before
        self.turns += 1
        known = self._search.root_moves(seat)
        if sum(len(moves) > 1 for moves in legal) > 1:
            return int(known.moves[draw(known.visits, self._random.random())])
        return int(known.moves[known.best])


_networks: dict[str, Propnet] = {}
_prepared: dict[tuple[int, PlayerOptions], tuple[Game, PlayerOptions, Evaluation | None]] = {}


def network(game: str) -> Propnet:
    """The network of a game, made once in each process."""
    if game not in _networks:
        _networks[game] = load(find_rules(game).sheet())
    return _networks[game]


def prepared(net: Propnet, options: PlayerOptions) -> tuple[Game, PlayerOptions, Evaluation | None]:
    """What a player makes of a game in `learn` CPU seconds: once in each process, the same for all matches."""
    key = id(net), options
    if key not in _prepared:
        plain, playing = Game.from_propnet(net), Game.from_propnet(with_playouts(net, options.policy))
        meta = Meta(options.learn, seed=os.getpid(), clock=time.process_time, tell=_tell)
        choice = prepare(plain, playing, options, meta)
        game = plain if choice.evaluation else playing
        _prepared[key] = game, replace(options, strategy=choice.strategy), choice.evaluation
    return _prepared[key]


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def legal_moves(simulator: Simulator, state: States) -> list[list[int]]:
    """For each role the indices of its legal moves."""
    return [np.flatnonzero(moves[0]).tolist() for moves in simulator.legal(state)]


def is_over(simulator: Simulator, state: States) -> bool:
    """Whether the state is terminal, or a role is stuck."""
    return bool(simulator.terminal(state)[0]) or not all(legal_moves(simulator, state))


def step(simulator: Simulator, state: States, joint: list[int]) -> States:
    """The next state."""
    successor: States = simulator.next(state, np.array(joint, np.int32))[0]
    return successor


def opening(simulator: Simulator, task: Task) -> States:
    """A position some random moves from the start where the game is on. Raises `LudensError` if none turns up."""
    rng = random.Random(task.opening)
    for _ in range(_OPENINGS_TRIED):
        state = simulator.game.initial
        for _ in range(task.opening_moves):
            if is_over(simulator, state):
                break
            state = step(simulator, state, [rng.choice(m) for m in legal_moves(simulator, state)])
        if not is_over(simulator, state):
            return state
    raise LudensError(f"{task.game}: after {task.opening_moves} random moves the game is always over")


def play(task: Task) -> Outcome:
    """Plays one game."""
    net = network(task.game)
    game = Game.from_propnet(net)
    simulator = Simulator(game, 64)
    players = [Player(net, text, task.opening * 4 + task.seat * 2 + i) for i, text in enumerate(task.players)]
    state, moves = opening(simulator, task), 0
    while not is_over(simulator, state):
        legal = legal_moves(simulator, state)
        joint: list[int] = []
        for seat in range(game.roles):
            player = players[0] if seat == task.seat else players[1]
            joint.append(player.choose(state, legal, seat, task.seconds))
        state, moves = step(simulator, state, joint), moves + 1
    goals = np.where((g := simulator.goals(state)[0]) < 0, 50, g)
    others = np.delete(goals, task.seat)
    score = float(goals[task.seat]) / 100
    if len(others):
        score = 0.5 + float(goals[task.seat] - others.mean()) / 200
    per_move = tuple(p.playouts // max(p.turns, 1) for p in players)
    return Outcome(key(task), score, moves, (per_move[0], per_move[1]))


def key(task: Task) -> str:
    """Names a game among all that are ever written to the same file."""
    return json.dumps(asdict(task), sort_keys=True)


def tasks(args: argparse.Namespace) -> Iterator[Task]:
    """All games of the run, the seats of an opening one after the other."""
    seats = len(network(args.game).roles)
    for number in range(args.games):
        yield Task(
            game=args.game,
            players=(args.first, args.second),
            seconds=args.seconds,
            opening=args.seed + number // seats,
            opening_moves=args.opening_moves,
            seat=number % seats,
        )


def interval(scores: list[float], group: int) -> tuple[float, float]:
    """Mean score and half the width of its 95 % interval, over complete groups of games of one opening."""
    mean = float(np.mean(scores))
    groups = np.array(scores[: len(scores) // group * group]).reshape(-1, group).mean(axis=1)
    if len(groups) < 2:
        return mean, 0.5
    return mean, 1.96 * float(groups.std(ddof=1)) / math.sqrt(len(groups))


def likelihood_ratio(scores: list[float], low: float, high: float) -> float:
    """Log-likelihood ratio of the true score being `high` rather than `low`, by the normal approximation.

    One game won and one lost are added to the variance, so that a series of wins is no certainty.
    """
    variance = float(np.var([*scores, 0.0, 1.0]))
    return len(scores) * (high - low) * (2 * float(np.mean(scores)) - low - high) / (2 * variance)


def decided(scores: list[float], bounds: list[float] | None) -> str | None:
    """What the sequential test says so far: "low", "high" or nothing yet."""
    if bounds is None or len(scores) < 16:
        return None
    ratio = likelihood_ratio(scores, *bounds)
    limit = math.log((1 - _ERROR) / _ERROR)
    return "high" if ratio > limit else "low" if ratio < -limit else None


def run(args: argparse.Namespace) -> list[Outcome]:
    """Plays what has not been played yet."""
    done = read(args.out)
    wanted = list(tasks(args))
    outcomes = [done[key(task)] for task in wanted if key(task) in done]
    waiting = iter([task for task in wanted if key(task) not in done])
    began = time.monotonic()
    with ProcessPoolExecutor(args.jobs) as pool:
        running = {pool.submit(play, task) for _, task in zip(range(args.jobs), waiting, strict=False)}
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                outcomes.append(future.result())
                write(args.out, outcomes[-1])
                report(args, outcomes, began)
                if decided([o.score for o in outcomes], args.sprt) is None and (task := next(waiting, None)):
                    running.add(pool.submit(play, task))
    order = {key(task): place for place, task in enumerate(wanted)}
    return sorted(outcomes, key=lambda outcome: order[outcome.key])


def read(path: Path | None) -> dict[str, Outcome]:
    """Games written earlier, by key."""
    if path is None or not path.exists():
        return {}
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return {r["key"]: Outcome(r["key"], r["score"], r["moves"], tuple(r["playouts"])) for r in records}


def write(path: Path | None, outcome: Outcome) -> None:
    """Appends one game."""
    if path is not None:
        with path.open("a") as file:
            file.write(json.dumps(asdict(outcome)) + "\n")


def report(args: argparse.Namespace, outcomes: list[Outcome], began: float) -> None:
    """One line of progress."""
    scores = [o.score for o in outcomes]
    print(
        f"{args.game}: {len(scores)}/{args.games} games, {args.first} scores {100 * np.mean(scores):.1f} %, "
        f"{time.monotonic() - began:.0f} s",
        file=sys.stderr,
        flush=True,
    )


def summary(args: argparse.Namespace, outcomes: list[Outcome]) -> dict[str, Any]:
    """What is to be quoted."""
    scores = [o.score for o in outcomes]
    mean, half = interval(scores, len(network(args.game).roles))
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
        "score": round(mean, 4),
        "interval": [round(max(mean - half, 0), 4), round(min(mean + half, 1), 4)],
        "playouts_a_move": [int(np.mean([o.playouts[i] for o in outcomes])) for i in (0, 1)],
        "sprt": decided(scores, args.sprt),
    }


def command_line() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", help="a built-in game or a .kif file")
    parser.add_argument("first", help="a strategy, as in uct or uct:exploration=0.5,lanes=64")
    parser.add_argument("second", help="the other one")
    parser.add_argument("--games", type=arguments.count, default=100, help="games to play (100)")
    parser.add_argument("--seconds", type=arguments.seconds, default=0.2, help="time of each move (0.2)")
    parser.add_argument("--jobs", type=arguments.count, default=1, help="games at the same time (1)")
    parser.add_argument("--seed", type=int, default=1, help="of openings and players (1)")
    parser.add_argument("--opening-moves", type=int, default=2, help="random moves before the game (2)")
    parser.add_argument("--sprt", type=float, nargs=2, metavar=("LOW", "HIGH"), help="scores to decide between")
    parser.add_argument("--out", type=Path, help="JSON lines of the games, to be resumed from")
    return parser.parse_args()


def main() -> int:
    """Plays the match and prints its summary as JSON."""
    args = command_line()
    try:
        print(json.dumps(summary(args, run(args))))
    except LudensError as error:
        print(f"strength: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
