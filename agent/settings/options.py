"""Every setting of the player, one line each: default, meaning, range.

The command's flags, the checks and their messages all follow from this table.

    >>> PlayerOptions(strategy="uct", threads=2).threads
    2
    >>> PlayerOptions.from_texts({"margin": "2.5"}).margin
    2.5
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ludens.native import defaults
from ludens.native.playout_policies import MACHINE_POLICIES
from ludens.native.strategies import STRATEGIES
from ludens.propnet.base.errors import LudensError
from ludens.propnet.policies.table import POLICIES

AUTO = "auto"
"""The strategy, or the playout policy, of a player that finds out by itself which one suits a game."""

INSTANT = ("random", "first")
"""Strategies that choose a move without a search."""

UNIFORM = "uniform"
"""The playout policy of random games that choose from all legal moves."""

_POLICY_MEANINGS = {name: policy.meaning for name, policy in POLICIES.items()} | MACHINE_POLICIES
PLAYOUT_POLICIES = (AUTO, UNIFORM, *_POLICY_MEANINGS)
"""What random games may choose from."""

_POLICY_MEANING = "what random games choose from: " + "; ".join(
    f"{name}: {meaning}" for name, meaning in _POLICY_MEANINGS.items()
)
FEATURES = ("all", "mobility", "threats", "territory", "state")
"""What an evaluation may see: the state alone, one kind of features besides, or all kinds."""

_METAVARS = {str: "TEXT", int: "N", float: "X"}
_ENGINE_MB = 1024  # address space of an engine beside its trees
_ALL_TREES = 1.75  # of the memory of one: interim agents have a quarter each, solvers an eighth of their tree's
_THREAD_MB = 64  # of the nodes, that a thread should have at least: it grows a tree of its own


class OptionError(LudensError):
    """A setting that does not exist, or a value that it does not take."""


def _knob(default: Any, meaning: str, **bounds: Any) -> Any:
    """Makes a field with its meaning and its bounds: `low` and `high`, `choices`, or a `pattern`."""
    return field(default=default, metadata={"meaning": meaning, **bounds})


@dataclass(frozen=True)
class PlayerOptions:
    """What the user says about one player. Raises `OptionError`, which names the setting, for a value out of range."""

    name: str = _knob("Ludens", "name that managers show", pattern=r"[a-zA-Z][a-zA-Z0-9._-]{0,19}")
    interface: str = _knob("127.0.0.1", "address to listen on; 0.0.0.0 for managers on other machines")
    port: int = _knob(9147, "port to listen on; 0 for any free one", low=0, high=65535)
    strategy: str = _knob(AUTO, "how moves are chosen", choices=(AUTO, *STRATEGIES, *INSTANT))
    learn: float = _knob(60.0, "longest time to learn before the first turn, in seconds", low=0.0, high=3600.0)
    recall: str = _knob("on", "keep what was learned of a game, and use it again", choices=("on", "off"))
    features: str = _knob("all", "what is learned from besides the state", choices=FEATURES)
    factored: str = _knob("on", "play independent parts of a game apart", choices=("on", "off"))
    early_wins: str = _knob("on", "end searches at wins that nobody can prevent", choices=("on", "off"))
    threads: int = _knob(1, "search threads; 0: as there are processors, and 64 MB each", low=0, high=256)
    policy: str = _knob(AUTO, _POLICY_MEANING, choices=PLAYOUT_POLICIES)
    lanes: int = _knob(0, "games a thread plays side by side; 0: the best", choices=(0, 64, 128, 256, 512))
    exploration: float = _knob(defaults.EXPLORATION, "UCB constant, in ranges of goals", low=0.0, high=10.0)
    playouts_per_leaf: int = _knob(0, "random games from each leaf; 0: by what they cost", low=0, high=1024)
    expand_after: int = _knob(defaults.EXPAND_AFTER, "visits before a position is a node", low=1, high=1_000_000)
    kernel: str = _knob("gpu", "plays leaves in batches if that is faster", choices=("gpu", "processor", "off"))
    solver_share: float = _knob(0.1, "part of the time for a solver near the end of the game", low=0.0, high=0.9)
    endgame_pieces: int = _knob(4, "pieces in endgame tables of draughts; 0: none", choices=(0, 2, 3, 4, 5, 6))
    max_steps: int = _knob(defaults.MAX_STEPS, "longest random game, in moves", low=1, high=1_000_000)
    seed: int = _knob(0, "seed of all random choices; 0: a new one each time", low=0, high=2**63 - 1)
    margin: float = _knob(1.5, "seconds of the clock kept free, at most a quarter", low=0.0, high=60.0)
    nodes_mb: int = _knob(defaults.MEMORY_MB, "memory for the search tree, MB", low=1, high=1_000_000)
    engine_mb: int = _knob(6144, "address space of an engine, tree included, MB", low=512, high=2_000_000)
    grounding_seconds: float = _knob(600.0, "longest time to make a network", low=0.0, high=86_400.0)
    grounding_mb: int = _knob(2048, "memory to make a network, MB", low=64, high=1_000_000)
    patience: float = _knob(15.0, "seconds of silence beyond twice the clock", low=0.0, high=86_400.0)
    body_mb: int = _knob(16, "longest message taken, MB", low=1, high=1024)
    request_seconds: float = _knob(30.0, "longest time for a request to arrive", low=0.1, high=3600.0)

    def __post_init__(self) -> None:
        """Checks every setting, and those that depend on each other."""
        for knob in dataclasses.fields(self):
            _check(knob, getattr(self, knob.name))
        least = max(math.ceil(_ALL_TREES * self.nodes_mb) + _ENGINE_MB, self.grounding_mb)
        if self.engine_mb < least:
            raise OptionError(f"engine_mb must be at least {least} with this nodes_mb and grounding_mb")

    @property
    def workers(self) -> int:
        """How many threads search: as many as `threads` says, or as there are processors and memory for."""
        return self.threads or max(1, min(processors(), self.nodes_mb // _THREAD_MB))

    @classmethod
    def from_texts(cls, texts: Mapping[str, str]) -> PlayerOptions:
        """Returns the settings named in `texts`, the rest by default; raises `OptionError`."""
        knobs = {knob.name: knob for knob in dataclasses.fields(cls)}
        for name in texts:
            if name not in knobs:
                raise OptionError(f"there is no setting {name!r}; there are {', '.join(knobs)}")
        return cls(**{name: _convert(knobs[name], text) for name, text in texts.items()})


def processors() -> int:
    """Returns how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def add_flags(parser: argparse.ArgumentParser, names: Iterable[str] = ()) -> None:
    """Gives `parser` one flag for each setting, or for those in `names`."""
    chosen = set(names)
    group = parser.add_argument_group("player")
    for knob in dataclasses.fields(PlayerOptions):
        if not chosen or knob.name in chosen:
            meaning = f"{knob.metadata['meaning']} ({_range(knob)}default {knob.default})"
            flag, metavar = "--" + knob.name.replace("_", "-"), _METAVARS[type(knob.default)]
            group.add_argument(flag, dest=knob.name, metavar=metavar, help=meaning.replace("%", "%%"))


def from_flags(arguments: argparse.Namespace) -> PlayerOptions:
    """Returns the settings that the user gave by the flags of `add_flags`; raises `OptionError`."""
    given = {knob.name: getattr(arguments, knob.name, None) for knob in dataclasses.fields(PlayerOptions)}
    return PlayerOptions.from_texts({name: text for name, text in given.items() if text is not None})


def _range(knob: dataclasses.Field[Any]) -> str:
    bounds = knob.metadata
    if "choices" in bounds:
        return f"{', '.join(map(str, bounds['choices']))}; "
    return f"{bounds['low']} to {bounds['high']}; " if "low" in bounds else ""


def _convert(knob: dataclasses.Field[Any], text: str) -> Any:
    kind: type = type(knob.default)
    try:
        return kind(text)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise OptionError(f"{knob.name} must be {wanted}, not {text!r}") from None


def _check(knob: dataclasses.Field[Any], value: Any) -> None:
    bounds = knob.metadata
    fits = isinstance(value, (int, float) if isinstance(knob.default, float) else type(knob.default))
    if fits and "choices" in bounds:
        fits = value in bounds["choices"]
    elif fits and "low" in bounds:
        fits = math.isfinite(value) and bounds["low"] <= value <= bounds["high"]
    elif fits and "pattern" in bounds:
        fits = re.fullmatch(bounds["pattern"], value) is not None
    if not fits:
        wanted = _range(knob).removesuffix("; ") or bounds.get("pattern", type(knob.default).__name__)
        raise OptionError(f"{knob.name} must be {wanted}, not {value!r}")
