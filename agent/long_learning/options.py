"""What makes a run of long learning, and its file: TOML, with a line for each option that is not the usual one."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludens.agent.learning.averaged_fit import RATE
from ludens.agent.settings.options import FEATURES, PLANES
from ludens.agent.training.checkpoint import TrainingError
from ludens.native.core.board_network import MOST_BLOCKS, WIDTHS
from ludens.propnet.base.suggestions import did_you_mean

MOST_HIDDEN = 96
LEARNED_FEATURES = (*FEATURES, PLANES)
RATES = ("rate", "searched_rate")
"""Options that may change when a run goes on: a lower rate helps where weights grow beyond all bounds."""

_OF_FEATURES, _OF_PLANES = ("hidden",), ("width", "blocks")


@dataclass(frozen=True, slots=True)
class LearnOptions:
    """What makes a run. Raises `TrainingError` for values out of range."""

    hidden: int = 62  # units of the evaluation; with the sums of two roles, a whole number of vectors
    seed: int = 0
    rate: float = RATE  # of learning from players who look one move ahead, at the beginning
    features: str = "all"  # what the evaluation sees besides the facts of a state, or that it is a network over planes,
    width: int = 32  # ... with so many activations a square
    blocks: int = 2  # ... and residual blocks
    random_games: int = 100_000  # that it begins with
    round_states: int = 1 << 17  # made by self-play between two fits
    searched_after: int = 1024  # rounds of players who look one move ahead; from then on they search,
    searched_leaves: int = 100  # ... a position for so many leaves, if the game is by turns,
    searched_visits: int = 8  # ... and what was visited so often in the tree is learned too
    searched_states: int = 1 << 20  # made by searches between two fits
    searched_rate: float = 0.0005  # of learning from them, at the beginning
    first_gate: int = 256  # rounds until the first match with what was best before
    gate_games: int = 120  # at most, between an evaluation and the best before it
    gate_leaves: int = 200  # that a move of these is searched for
    rated_games: int = 40  # at most, of a new best evaluation against UCT and against the reference, each,
    rated_seconds: float = 0.003  # ... and processor time of a move
    reference_seconds: float = 24.0  # of processor time for which the reference learns, in a run that is long enough
    match_share: float = 0.15  # of the time of a run, after which none of these games begins but the least number

    def __post_init__(self) -> None:
        """Checks the values."""
        _between("hidden", self.hidden, 1, MOST_HIDDEN)
        _between("seed", self.seed, 0, 2**63 - 1)
        _between("random_games", self.random_games, 1, 10**9)
        _between("round_states", self.round_states, 1, 10**9)
        _between("searched_after", self.searched_after, 0, 10**9)
        _between("searched_leaves", self.searched_leaves, 1, 10**6)
        _between("searched_visits", self.searched_visits, 1, 10**6)
        _between("searched_states", self.searched_states, 1, 10**9)
        _above_0("searched_rate", self.searched_rate, 1)
        _between("first_gate", self.first_gate, 1, 10**9)
        _between("gate_games", self.gate_games, 2, 100_000)
        _between("gate_leaves", self.gate_leaves, 1, 10**7)
        _between("rated_games", self.rated_games, 2, 100_000)
        _above_0("rate", self.rate, 1)
        _above_0("rated_seconds", self.rated_seconds, 3600)
        _above_0("reference_seconds", self.reference_seconds, 3600)
        _above_0("match_share", self.match_share, 1)
        _between("width", self.width, 1, max(WIDTHS))
        _between("blocks", self.blocks, 0, MOST_BLOCKS)
        if self.width not in WIDTHS:
            raise TrainingError(f"width is {self.width!r}, and none of {', '.join(map(str, WIDTHS))}")
        if self.features not in LEARNED_FEATURES:
            raise TrainingError(f"features is {self.features!r}, and none of {', '.join(LEARNED_FEATURES)}")
        planes = self.features == PLANES
        for field in dataclasses.fields(self):
            if field.name in (_OF_FEATURES if planes else _OF_PLANES) and getattr(self, field.name) != field.default:
                raise TrainingError(
                    f"{field.name} is of no use {'with' if planes else 'without'} the features {PLANES}"
                )


def usual(features: str) -> dict[str, Any]:
    """Returns the options that are other than usual where an evaluation sees `features`.

    A network over planes learns fewer positions a second, so it begins with fewer games, and searches and plays its
    first match earlier.
    """
    return (
        {"rate": 0.0005, "searched_rate": 0.0003, "random_games": 20_000, "searched_after": 64, "first_gate": 32}
        if features == PLANES
        else {}
    )


def options_of(known: Mapping[str, Any], path: Path) -> LearnOptions:
    """Returns the options of the run in a folder; raises `TrainingError` where this Ludens has others."""
    names = {field.name for field in dataclasses.fields(LearnOptions)}
    if set(known) != names:
        other = ", ".join(sorted(set(known) ^ names))
        raise TrainingError(f"{path} has a run of another version of Ludens, with other options: {other}")
    return LearnOptions(**known)


def read_options(path: Path, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Returns the options that a file sets, and those `given` beside it, which have the last word.

    Raises `TrainingError` for what is none.
    """
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise TrainingError(f"cannot read {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TrainingError(f"{path} is not TOML: {error}") from error
    names = [field.name for field in dataclasses.fields(LearnOptions)]
    for name in found:
        if name not in names:
            raise TrainingError(f"{path}: there is no option {name}{did_you_mean(name, names)}")
    together = {**found, **(given or {})}
    try:
        LearnOptions(**together)
    except TrainingError as error:
        where = f"{path}, with the options of the command line" if given else str(path)
        raise TrainingError(f"{where}: {error}") from error
    return together


def as_toml(options: Mapping[str, Any]) -> str:
    """Returns the text of a file with these options, numbers and words."""
    return "".join(
        f'{name} = "{value}"\n' if isinstance(value, str) else f"{name} = {value}\n" for name, value in options.items()
    )


def _between(name: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise TrainingError(f"{name} is {value!r}, and not a whole number from {low:,} to {high:,}")


def _above_0(name: str, value: object, high: int) -> None:
    if not isinstance(value, float | int) or isinstance(value, bool) or not 0 < value <= high:
        raise TrainingError(f"{name} is {value!r}, and not a number above 0, up to {high:,}")
