"""Trains a network on checkers data, and shows what it knows.

    pip install 'ludens[learn]'
    ludens data checkers --out values --positions 100000
    python -m scripts.examples.checkers_network values --label value --out network

Writes the network after each epoch, and in the end its learning curve, a calibration plot (mean results of held-out
games by what the network told) and its errors against endgame tables.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ludens.agent.checkers.reader import held_out, read_examples
from ludens.agent.commands.progress import progress
from ludens.games.checkers.bitboards.endgame_tables import open_endgame
from ludens.games.checkers.networks.network_file import SUFFIX, write_network
from ludens.propnet.base.whole_file import replace_file
from scripts.common import checkers_training

_ENDGAMES, _PIECES = 20_000, 4


def main() -> int:
    """Trains as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path, help="a folder of `ludens data checkers`")
    parser.add_argument("--out", type=Path, required=True, help="the folder for the network and its plots")
    parser.add_argument(
        "--label", choices=("result", "outcome", "value"), default="value", help="what values are taught"
    )
    checkers_training.add_options(parser)
    given = vars(parser.parse_args())
    data, out = given.pop("data"), given.pop("out")
    return checkers_training.attempt(lambda: _train(data, out, given), out)


def _train(data: Path, out: Path, given: dict[str, Any]) -> None:
    from ludens.agent.checkers.network import values
    from ludens.agent.checkers.training import (
        TrainingOptions,
        calibration,
        endgames,
        in_percent,
        learning_curve,
        test,
        train,
    )
    from ludens.games.checkers.kernels.planes import planes

    options = TrainingOptions(**given)
    examples = read_examples(data)
    tables = open_endgame(_PIECES)
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"checkers{SUFFIX}"
    with progress("training") as tell:
        network, curve = train(examples, options, tell, lambda kept: write_network(file, kept.whole_numbers()))
    tests = examples[held_out(examples, options.held_out)]
    told = values(network, planes(tests.words))
    known = test(network, tests, endgames(tables, _ENDGAMES, np.random.default_rng(options.seed)))
    found = {"options": asdict(options), "positions": len(examples), "curve": [asdict(each) for each in curve]} | known
    replace_file(out / "network.json", (json.dumps(found, indent=2) + "\n").encode())
    replace_file(out / "curve.svg", learning_curve(f"Learning {options.label}", curve).encode())
    replace_file(out / "calibration.svg", calibration("Held-out games", told, tests.result).encode())
    print(
        f"{len(tests):,} held-out positions: error of results {known['error_of_results']:.3f}, "
        f"best moves {in_percent(known['best_moves'])}; "
        f"{_ENDGAMES:,} endgames: error {known['error_of_endgames']:.3f}, "
        f"winners {known['winners_of_endgames']:.1%}; network in {file}"
    )


if __name__ == "__main__":
    sys.exit(main())
