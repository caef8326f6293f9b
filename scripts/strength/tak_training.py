"""Measures a training of Tak: how strong its weights are along the way, how fast it was, and how soon they answer.

    ludens train tak --threads 1 --out tak-5
    python -m scripts.strength.tak_training tak-5 --games 20 --percent 1 2 5 10 20 50 60 80 100 --out strength.json

Each file of weights in the folder of the training plays, two plies deep, against random moves, against UCT with 1,000
random games a move, against UCT with 0.1 CPU seconds a move, and against the last weights. A score is from 0 to 1, with
the 95 % interval of scripts/common/match_runner.py; each opening is played from both sides.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from argparse import Namespace
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from ludens.agent.plots.charts import CurvePoint, curve_chart
from ludens.agent.training.checkpoint import TrainingError
from ludens.games.tak.rules.reference import after, first_position
from ludens.games.tak.temporal_differences.weights_file import SUFFIX, read_weights
from ludens.propnet.base.errors import LudensError
from scripts.common import arguments, match_runner, tables
from scripts.strength import tak_match

_OPENING_MOVES, _SECONDS = 4, 0.1
_OPPONENTS = {"random": "random", "uct:iterations=1000": "UCT, 1,000 random games", "uct": "UCT, 0.1 s"}
_LAST = "the last weights"


def matches(
    folder: Path, games: int, jobs: int, out: Path | None, percents: Collection[int] = ()
) -> Iterator[dict[str, Any]]:
    """Plays the weights of a training, first to last, against each opponent; yields the results.

    `percents` of the games are those whose weights play, if not all.
    """
    files = sorted(folder.glob(f"weights-*{SUFFIX}"), key=lambda path: read_weights(path).games)
    if not files:
        raise TrainingError(f"{folder} has no weights of a training")
    for path in files:
        known = read_weights(path)
        if percents and 100 * known.games // read_weights(files[-1]).games not in percents:
            continue
        opponents = _OPPONENTS | ({str(files[-1]): _LAST} if path != files[-1] else {})
        for opponent, name in opponents.items():
            size = known.rules.size
            args = Namespace(
                game=f"tak_{size}",
                first=str(path),
                second=opponent,
                seconds=_SECONDS,
                opening_moves=_OPENING_MOVES,
                games=games,
                jobs=jobs,
                seed=1,
                sprt=None,
                out=out,
            )
            played = match_runner.run(
                args, 2, tak_match.play, lambda size=size, **fields: tak_match.new_task(size, **fields)
            )
            low, high = match_runner.score_bounds(played, 2)
            score = statistics.mean(outcome.score for outcome in played)
            yield {"games": known.games, "opponent": name, "score": score, "low": low, "high": high, "played": games}


def answers(path: Path, games: int) -> dict[str, float]:
    """Returns how long answers take in games of some weights against themselves, in milliseconds of CPU time."""
    rules = read_weights(path).rules
    player = tak_match.TrainedPlayer(rules, path, 2)
    for seed in range(games):
        task = tak_match.TakTask("tak", ("", ""), 0.0, seed, _OPENING_MOVES, 0, rules.size)
        position = match_runner.opening(task, first_position(rules), tak_match.is_over, tak_match.random_step)
        while not tak_match.is_over(position):
            position = after(position, player.choose(position))
    times = sorted(1000 * seconds for seconds in player.seconds)
    return {
        "answers": len(times),
        "median_ms": statistics.median(times),
        "p99_ms": times[len(times) * 99 // 100],
        "most_ms": times[-1],
        "median_positions": statistics.median(player.positions),
    }


def speed(folder: Path) -> dict[str, float]:
    """Returns how fast a training was, as its curve says."""
    known = json.loads((folder / "curve.json").read_text())
    games = known["curve"][-1]["games"]
    return {"games": games, "seconds": known["seconds"], "games_per_second": games / known["seconds"]}


def picture(results: list[dict[str, Any]], size: int) -> str:
    """Returns a picture of scores over games."""
    names = dict.fromkeys(result["opponent"] for result in results)
    curves = {
        name: [
            CurvePoint(each["games"] / 1000, 100 * each["score"], 100 * each["low"], 100 * each["high"])
            for each in results
            if each["opponent"] == name
        ]
        for name in names
    }
    title = f"Tak {size} × {size}: score of the trained network, 2 plies deep, against"
    return curve_chart(title, "thousand games of training", "%", curves)


def main() -> int:
    """Prints the tables, and writes what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="of a training")
    parser.add_argument("--games", type=arguments.count, default=40, help="for each score (%(default)s)")
    parser.add_argument("--percent", type=arguments.count, nargs="+", default=(), help="only weights after these")
    parser.add_argument("--jobs", type=arguments.count, default=1, help="games at the same time (%(default)s)")
    parser.add_argument("--played", type=Path, help="JSON lines of the games, to be resumed from")
    parser.add_argument("--out", type=Path, help="JSON of all that was measured")
    parser.add_argument("--plot", type=Path, help="SVG of the scores")
    args = parser.parse_args()
    try:
        measured = {"speed": speed(args.folder), "answers": answers(args.folder / f"weights{SUFFIX}", 10)}
        print(json.dumps(measured), flush=True)
        results = list(matches(args.folder, args.games, args.jobs, args.played, args.percent))
        size = read_weights(args.folder / f"weights{SUFFIX}").rules.size
    except LudensError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if args.out:
        args.out.write_text(json.dumps(measured | {"size": size, "scores": results}, indent=1) + "\n")
    if args.plot:
        args.plot.write_text(picture(results, size))
    return tables.print_table(columns(), rows(results))


def columns() -> list[str]:
    """Returns the heads of the table of scores."""
    return ["games", *_OPPONENTS.values(), _LAST]


def rows(results: list[dict[str, Any]]) -> Iterator[list[str]]:
    """Yields the rows of the table of scores."""
    for games in dict.fromkeys(result["games"] for result in results):
        cells = {each["opponent"]: each for each in results if each["games"] == games}
        yield [
            f"{games:,}",
            *(
                f"{100 * cells[name]['score']:.0f} % ({100 * cells[name]['low']:.0f}–{100 * cells[name]['high']:.0f})"
                if name in cells
                else ""
                for name in (*_OPPONENTS.values(), _LAST)
            ),
        ]


if __name__ == "__main__":
    sys.exit(main())
