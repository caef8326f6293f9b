"""Plays games from which the choice of a search is learned: every search that `auto` may choose against UCT.

    python -m scripts.strength.choice_games sheets/ --learn 12 --out docs/data/choice.jsonl

For each game the player finds features and learns for so many CPU seconds in all; then each candidate plays games
against UCT with moves of two lengths, in CPU time, from random openings, both sides in turn. A line of the file has
what the player knows of a candidate before any trial (`Evidence`), and its scores. Sheets of which the file tells
already what is asked for are left out, so that it can be interrupted; they are told apart by the names of their files.
Of a sheet that cannot be played, is of one role, or of which nothing is learned, the file says so. With three roles and
more the roles are shared out at random; who has the higher mean goal wins.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.candidates import kind_of
from ludens.agent.preparation.prepare import prepare_candidates
from ludens.agent.preparation.ratings import Pairing
from ludens.agent.preparation.strength_coefficients import STRENGTH_MODELS
from ludens.agent.preparation.trial import TrialRunner
from ludens.agent.settings.options import PlayerOptions
from ludens.games.rules import find_rules
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from scripts.common import arguments, json_lines


@dataclass(frozen=True, slots=True)
class Task:
    """One game to be measured."""

    path: str
    learn: float
    wanted: frozenset[tuple[str, float]]  # searches, and the seconds of their moves
    games: int
    most_seconds: float  # of all games of a candidate and length: none is begun after
    seed: int


def measure(task: Task) -> list[dict[str, object]]:
    """Returns the rows of a game, those of searches that cannot play it without scores. Raises `LudensError`."""
    sheet = find_rules(task.path).sheet()
    if len(sheet.roles) < 2:
        raise LudensError("of one role")
    settings = PlayerOptions.from_texts({"strategy": "auto", "recall": "off", "threads": "1", "nodes_mb": "256"})
    lengths = sorted({seconds for _, seconds in task.wanted})
    budget = TimeBudget(task.learn, lengths[0], task.seed, time.process_time)
    model, candidates = prepare_candidates(load(sheet), settings, budget)
    if all(candidate.config.evaluation is None for candidate in candidates):
        raise LudensError("nothing was learned")
    names = model.features.net.feature_names if model.features else ()
    sees = sorted({name.what.split()[0] for name in names})
    rows: list[dict[str, object]] = []
    for seconds in lengths:
        runner = TrialRunner(candidates, budget.part(math.inf, seconds))
        for number, candidate in enumerate(candidates[1:], start=1):
            assert candidate.evidence is not None
            if (kind_of(candidate.config), seconds) not in task.wanted:
                continue
            longer = math.log(seconds / lengths[0])
            evidence = replace(candidate.evidence, playouts=candidate.evidence.playouts + longer)
            rows.append(
                {
                    "game": Path(task.path).stem,
                    "path": Path(task.path).name,
                    "search": kind_of(candidate.config),
                    "sees": sees,
                    "learned": task.learn,
                    "seconds": seconds,
                    "figures": {name: round(value, 4) for name, value in evidence.figures().items()},
                    "scores": list(_scores(runner, number, task)),
                }
            )
    played = {(row["search"], row["seconds"]) for row in rows}
    of_task = {"path": Path(task.path).name, "learned": task.learn, "scores": []}
    return rows + [{**of_task, "search": search, "seconds": of} for search, of in sorted(task.wanted - played)]


def _scores(runner: TrialRunner, number: int, task: Task) -> Iterator[float]:
    """Plays games of a candidate against the first one, as long as there is time."""
    end = time.process_time() + task.most_seconds
    for _ in range(task.games):
        score = runner.play(Pairing(number, 0, 0.0))
        if score is not None:
            yield score
        if time.process_time() > end:
            break


def _measured(task: Task) -> tuple[Task, list[dict[str, object]], str]:
    try:
        return task, measure(task), ""
    except (LudensError, MemoryError) as error:
        return task, [], str(error) or "out of memory"


def _tasks(args: argparse.Namespace) -> Iterator[Task]:
    rows = json_lines.read(args.out)
    for path in args.sheets:
        for sheet in sorted(path.rglob("*.kif")) if path.is_dir() else [path]:
            of_sheet = [row for row in rows if (row["path"], row["learned"]) == (sheet.name, args.learn)]
            known = {(row["search"], row["seconds"]) for row in of_sheet if "error" not in row}
            wanted = frozenset(product(args.searches, args.seconds)) - known
            if wanted and not any("error" in row for row in of_sheet):
                yield Task(str(sheet), args.learn, wanted, args.games, args.most_seconds, args.seed)
            else:
                print(sheet.name, "is known already", file=sys.stderr)


def main(texts: Sequence[str] | None = None) -> int:
    """Adds the rows of all games to the file."""
    args = _parser().parse_args(texts)
    json_lines.mend(args.out)
    with ProcessPoolExecutor(args.jobs, max_tasks_per_child=1) as pool:
        for task, rows, error in pool.map(_measured, list(_tasks(args))):
            print(Path(task.path).name, error or f"{len(rows)} rows", file=sys.stderr, flush=True)
            for row in [{"path": Path(task.path).name, "learned": task.learn, "error": error}] if error else rows:
                json_lines.add(args.out, row)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sheets", nargs="+", type=Path, help="rule sheets, or folders of them")
    parser.add_argument(
        "--learn", type=arguments.seconds, default=12.0, metavar="S", help="CPU seconds of learning (12)"
    )
    parser.add_argument(
        "--seconds", type=float, nargs="+", default=[0.05, 0.4], metavar="S", help="of a move (0.05 0.4)"
    )
    parser.add_argument(
        "--games", type=arguments.count, default=8, metavar="N", help="of each candidate and length (8)"
    )
    parser.add_argument(
        "--most-seconds",
        type=arguments.seconds,
        default=40.0,
        metavar="S",
        help="CPU seconds after which no game of a candidate and length begins (40)",
    )
    parser.add_argument(
        "--searches", nargs="+", default=[*STRENGTH_MODELS], choices=STRENGTH_MODELS, help="only these (all)"
    )
    parser.add_argument("--jobs", type=arguments.count, default=1, metavar="N", help="games at a time (1)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of all random choices (1)")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="rows of JSON, added to those there are"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
