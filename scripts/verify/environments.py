"""Runs the checks of Gymnasium, PettingZoo and OpenSpiel on the games of a folder of rule sheets, or the built-in ones.

    python -m scripts.verify.environments [FOLDER ...] [--most 40]

A sheet that takes too long to compile is named, and left out. The three packages are those of the extras.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from ludens import games
from ludens.agent.api.game import Game, load
from ludens.propnet.base.errors import GroundingError, LudensError

_STEPS = 60
_MOST_MOVES = 500  # in OpenSpiel, where a game is cut as a draw


def main() -> int:
    """Checks the games; returns the number of games that failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, help="rule sheets (default: the built-in games)")
    parser.add_argument("--most", type=int, default=0, help="check no more than so many sheets")
    parser.add_argument("--seconds", type=float, default=60.0, help="to compile a sheet")
    options = parser.parse_args()
    passed, failed = 0, 0
    for source in _sources(options.folders):
        if options.most and passed + failed >= options.most:
            break
        began = time.monotonic()
        try:
            game = load(source, seconds=options.seconds)
        except GroundingError as error:
            print(f"{source}: left out: {error}", flush=True)
            continue
        except LudensError as error:
            print(f"{source}: left out, since it is no game: {error}", flush=True)
            continue
        faults = list(faults_of(game, source))
        failed += bool(faults)
        passed += not faults
        for fault in faults:
            print(f"{source}: {fault}", flush=True)
        print(f"{source}: {'failed' if faults else 'passed'} in {time.monotonic() - began:.1f} s", flush=True)
    print(f"{passed} passed, {failed} failed")
    return failed


def faults_of(game: Game, source: str) -> Iterator[str]:
    """Yields what is wrong with the environments of a game, by the checks of those who define them."""
    for name, check in CHECKS.items():
        try:
            with redirect_stdout(StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(game, source)
        except Exception as error:  # noqa: BLE001 (whatever a check says)
            yield f"{name}: {type(error).__name__}: {error}"


def check_gymnasium(game: Game, source: str) -> None:
    """Runs Gymnasium's check of an environment, and steps a vector of them in all three modes."""
    import numpy as np
    from gymnasium.utils.env_checker import check_env
    from gymnasium.vector import AutoresetMode

    from ludens.agent.env.gym import Env, VectorEnv
    from ludens.agent.env.opponents import random_actions

    check_env(Env(game), skip_render_check=True)
    rng = np.random.default_rng(1)
    for mode in AutoresetMode:
        env = VectorEnv(game, 3, autoreset_mode=mode)
        observations, infos = env.reset(seed=1)
        for _ in range(_STEPS):
            assert env.observation_space.contains(observations), "an observation is not in its space"
            observations, rewards, over, _, infos = env.step(random_actions(infos["action_mask"], rng))
            assert not rewards[~over].any(), "a reward before the end"
            if mode is AutoresetMode.DISABLED and over.any():
                observations, infos = env.reset(options={"reset_mask": over})
        env.close()


def check_pettingzoo(game: Game, source: str) -> None:
    """Runs PettingZoo's checks."""
    from pettingzoo.test import api_test, parallel_api_test, seed_test

    from ludens.agent.env.zoo import aec_env, parallel_env

    api_test(aec_env(game), num_cycles=_STEPS)
    parallel_api_test(parallel_env(game), num_cycles=_STEPS)
    seed_test(lambda: aec_env(game), num_cycles=_STEPS)


def check_openspiel(game: Game, source: str) -> None:
    """Runs OpenSpiel's test by random games, which writes states down and reads them again, and its playthrough."""
    import pyspiel
    from open_spiel.python.algorithms.generate_playthrough import playthrough

    import ludens.openspiel  # noqa: F401 (registers the games)

    text = f"ludens(game={source},max_game_length={_MOST_MOVES})"
    pyspiel.random_sim_test(pyspiel.load_game(text), num_sims=1, serialize=True, verbose=False)
    told = playthrough(text, None, seed=1)
    assert "IsTerminal() = True" in told, "a playthrough does not come to the end"
    assert "Exception" not in told, "an exception in a playthrough"
    assert told == playthrough(text, None, seed=1), "a playthrough is another one the second time"


CHECKS: dict[str, Callable[[Game, str], None]] = {
    "gymnasium": check_gymnasium,
    "pettingzoo": check_pettingzoo,
    "openspiel": check_openspiel,
}


def _sources(folders: list[Path]) -> Iterator[str]:
    if not folders:
        yield from games.names()
    for folder in folders:
        yield from map(str, sorted(folder.rglob("*.kif")))


if __name__ == "__main__":
    raise SystemExit(main())
