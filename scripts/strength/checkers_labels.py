"""Compares what a network of checkers may be taught, by what it knows afterwards.

    ludens data checkers --method mcrd --out mcrd --positions 40960 --playouts 500
    ludens data checkers --method mcrd --out held --positions 8192 --playouts 200 --seed 1000
    python -m scripts.strength.checkers_labels held outcome:mcrd value:mcrd tables:mcrd --out labels

Each network is described by a label and a folder of data: `result`, how games ended; `outcome`, the same interpolated
from 0 at the start; `value`, what the best move is worth by random games or by a search, whichever the data have; and
`tables`, the same with perfect values where endgame tables have them. All are trained on as many positions, in as many
steps, from the same first weights. What they know is tested on the games of a folder that no network has seen, and on
positions of the tables. Writes each network, and `labels.json`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ludens.agent.checkers.reader import Examples, read_examples
from ludens.agent.checkers.views import hashes
from ludens.agent.commands.progress import progress
from ludens.agent.training.pytorch import check_pytorch
from ludens.games.checkers.bitboards.endgame_tables import open_endgame
from ludens.games.checkers.networks.network_file import SUFFIX, write_network
from ludens.native.core.board_network import MOST_BLOCKS, WIDTHS
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.whole_file import replace_file
from scripts.common import arguments

_PIECES = 4  # of the tables that values are taken from
LABELS = ("result", "outcome", "value", "tables")


def main() -> int:
    """Trains and tests as the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, argument_default=argparse.SUPPRESS
    )
    parser.add_argument("held", type=Path, help="a folder of data whose games are for tests alone")
    parser.add_argument("taught", nargs="+", help=f"LABEL:FOLDER, a label being one of {', '.join(LABELS)}")
    parser.add_argument("--out", type=Path, required=True, help="the folder for the networks and labels.json")
    _add_training_options(parser)
    given = vars(parser.parse_args())
    held, taught, out = given.pop("held"), given.pop("taught"), given.pop("out")

    try:
        check_pytorch("training networks")
        _show(_compare(held, [_described(text) for text in taught], out, given))
    except LudensError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename or out}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


def _add_training_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `TrainingOptions` that are often set; those that are not given have its defaults."""
    parser.add_argument("--width", type=int, choices=WIDTHS, help="activations a square")
    parser.add_argument("--blocks", type=int, choices=range(MOST_BLOCKS + 1), metavar=f"0..{MOST_BLOCKS}")
    parser.add_argument("--epochs", type=arguments.count)
    parser.add_argument("--step", type=arguments.positive, help="the greatest width of gradient steps")
    parser.add_argument("--seed", type=int)


def _show(found: list[dict[str, Any]]) -> None:
    from ludens.agent.checkers.training import in_percent

    print("| taught | from | error of results | error of endgames | winners of endgames | best moves | CPU s |")
    print("|---|---|---|---|---|---|---|")
    for row in found:
        print(
            f"| {row['label']} | {row['data']} | {row['error_of_results']:.3f} | {row['error_of_endgames']:.3f} | "
            f"{row['winners_of_endgames']:.1%} | {in_percent(row['best_moves'])} | {row['cpu_seconds']:.0f} |"
        )


def _described(text: str) -> tuple[str, Path]:
    label, _, folder = text.partition(":")
    if label not in LABELS or not folder:
        raise LudensError(f"{text}: expected LABEL:FOLDER, a label being one of {', '.join(LABELS)}")
    return label, Path(folder)


def _compare(held: Path, taught: list[tuple[str, Path]], out: Path, given: dict[str, Any]) -> list[dict[str, Any]]:
    from ludens.agent.checkers.training import TrainingOptions, endgames_for_tests, test, train, with_tables

    tests = read_examples(held)
    perfect = endgames_for_tests(TrainingOptions(**given).seed + 1)
    out.mkdir(parents=True, exist_ok=True)
    found = []
    for label, folder in taught:
        examples = _unlike(read_examples(folder), tests)
        if label == "tables":
            examples = with_tables(examples, open_endgame(_PIECES))
        options = TrainingOptions(label="value" if label == "tables" else label, **given)
        began = time.process_time()
        with progress(f"{label}:{folder.name}") as tell:
            network, _ = train(examples, options, tell)
        spent = time.process_time() - began
        write_network(out / f"{label}-{folder.name}{SUFFIX}", network.whole_numbers())
        row = {"label": label, "data": folder.name, "positions": len(examples), "cpu_seconds": spent}
        found.append(row | test(network, tests, perfect) | {"options": asdict(options)})
        replace_file(out / "labels.json", (json.dumps(found, indent=2) + "\n").encode())
    return found


def _unlike(examples: Examples, tests: Examples) -> Examples:
    """Returns the examples that are not among the tests."""
    return examples[~np.isin(hashes(examples.words), hashes(tests.words))]


if __name__ == "__main__":
    sys.exit(main())
