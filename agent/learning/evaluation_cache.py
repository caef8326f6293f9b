"""Keeps trained evaluations in the user's cache; finds those of a game again whatever its names.

A file is named by the digest of the rules (propnet/gdl/fingerprint.py), the kinds of features, the kind of goals if
these are not those of the rules, and the version of the format from the seventh on, so that no version replaces what
another one has kept. It holds one line of JSON, with the version of the format, the kinds of features and a checksum,
and the weights as numpy writes them. Their rows are in the order of the canonical names of the propositions and of the
features besides, so that a scrambled game finds its own. Which features those are depends on random games, so a game
that is found again gets the same features. Kinds of features for which there was no time are noted, and tried again: a
player in a hurry must not leave the next one with as little. A file that is damaged or for other propositions is as
good as none, and the next evaluation replaces it. When all files together grow too large, those that were not used for
the longest time go.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Collection, Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ludens.agent.learning.averaged_fit import TrainedWeights
from ludens.agent.learning.features import SavedFeatures, is_feature
from ludens.native.core import Evaluation, EvaluationWeights, Game
from ludens.propnet.base.array_file import StoredArrays, read_arrays, read_kind, write_arrays
from ludens.propnet.base.cache import cache_directory, mark_used, remove_least_used
from ludens.propnet.base.errors import NativeError
from ludens.propnet.base.whole_file import replace_file
from ludens.propnet.gdl.fingerprint import Fingerprint, fingerprint
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import FeatureName, Propnet

MOST_BYTES = 1 << 30
"""As much as all evaluations in the cache may take: hundreds of games."""

_VERSION = 6
_UNNUMBERED = 6  # the last version of which the names of files say nothing
_PREFIX, _SUFFIX = "evaluation-", ".npz"
_RELATIVE = "relative"  # goals, and not those of the rules
_CORE = "core"  # in place of a choice of features


class EvaluationCache:
    """The file of one game's evaluation, trained on one choice of features."""

    def __init__(self, known: Fingerprint, choice: str, directory: Path | None = None) -> None:
        """Takes what all sheets of a game have in common; `directory` is the user's cache if None."""
        self._fingerprint = known
        self._choice = choice
        self.path = (directory or cache_directory()) / self._file_name

    @classmethod
    def of_sheet(
        cls, sheet: RuleSheet, choice: str, directory: Path | None = None, *, relative: bool = False
    ) -> EvaluationCache:
        """Returns that of a rule sheet; `choice` is one of `options.FEATURES`, or `PLANES`.

        Evaluations foretell `relative` goals or those of the rules.
        """
        found = cls(fingerprint(sheet), choice, directory)
        return found.variant(_RELATIVE) if relative else found

    @classmethod
    def of_core(cls, identity: str, directory: Path | None = None) -> EvaluationCache:
        """Returns that of a game on a game core, where its `identity` says all of its rules."""
        digest = hashlib.blake2b(identity.encode(), digest_size=16).hexdigest()
        return cls(Fingerprint(digest, {}), _CORE, directory)

    @property
    def digest(self) -> str:
        """What all sheets of this game have in common."""
        return self._fingerprint.digest

    def canonical(self, text: str) -> str:
        """Returns a fact of the game as all its sheets have it."""
        return self._fingerprint.canonical(text)

    def seconds(self) -> float:
        """Returns how long the saved evaluation was learned, whatever its features; 0 if there is none."""
        stored = self.load()
        return 0.0 if stored is None else float(stored["seconds"].astype(np.float64))

    def seconds_of(self, propositions: Iterable[str]) -> float:
        """Returns the same for an evaluation of a network with just these propositions; 0 for one of another."""
        return self.seconds() if self.is_of(propositions) else 0.0

    def is_of(self, propositions: Iterable[str]) -> bool:
        """Says whether there is an evaluation, and of a network with just these propositions, whatever its features."""
        if (stored := self.load()) is None:
            return False
        return {name for name in stored["names"].tolist() if not is_feature(name)} == set(propositions)

    def saved_features(self) -> SavedFeatures | None:
        """Returns the features that the saved evaluation was trained on; None if there is none."""
        if (stored := self.load()) is None:
            return None
        return self.features_named(stored["names"].tolist(), frozenset(stored["timed_out"].tolist()))

    def features_named(self, names: Collection[str], timed_out: frozenset[str] = frozenset()) -> SavedFeatures:
        """Returns the features that have these canonical names, of which those of propositions may be others."""
        wanted, kinds = set(names), frozenset(name.split()[0] for name in names)
        return SavedFeatures(lambda feature: _named(self._fingerprint, feature) in wanted, kinds, timed_out)

    def at(self, path: Path) -> EvaluationCache:
        """Returns another file of the same game and choice, with a name of its own."""
        other = copy.copy(self)
        other.path = path
        return other

    def variant(self, suffix: str) -> EvaluationCache:
        """Returns another file of the same game and choice, told apart by `suffix`."""
        other = copy.copy(self)
        other._choice = f"{self._choice}-{suffix}"
        other.path = self.path.with_name(other._file_name)
        return other

    def of_part(self, net: Propnet) -> EvaluationCache:
        """Returns the file of a part of the game, told apart by the propositions of its network."""
        names = " ".join(sorted(map(self.canonical, net.propositions)))
        return self.variant(f"part-{hashlib.blake2b(names.encode(), digest_size=8).hexdigest()}")

    def entry(self, net: Propnet, timed_out: frozenset[str] = frozenset()) -> CacheEntry:
        """Returns the entry for evaluations of the features of `net`; `timed_out` as in `SavedFeatures`."""
        propositions = [self._fingerprint.canonical(text) for text in net.propositions]
        features = [_named(self._fingerprint, feature) for feature in net.feature_names]
        names = np.array([*propositions, *features], np.str_)
        return CacheEntry(self, names, len(net.roles), net.state_bits, timed_out)

    def core_entry(self, game: Game) -> CacheEntry:
        """Returns the entry for evaluations of a game on its core, which see the bits of a state."""
        names = np.array([f"bit {i:05}" for i in range(game.state_bits)], np.str_)
        return CacheEntry(self, names, game.roles, game.state_bits, frozenset())

    def load(self) -> StoredArrays | None:
        """Reads the arrays of the file; None if it is missing, damaged or of another version."""
        found = read_arrays(self.path, self._kind)
        if found is not None and self._is_in_cache:
            mark_used(self.path)
        return found

    def fault(self, name: str) -> str:
        """Says what is wrong with a file that does not load, of which the game is called `name`."""
        kind = read_kind(self.path)
        if not isinstance(kind.get("version"), int) or "features" not in kind:
            return "this is no evaluation of a game"
        if kind["version"] != _VERSION:
            return f"this is an evaluation of version {kind['version']}, and this Ludens reads version {_VERSION}"
        if kind["game"] != self.digest:
            return f"this evaluation is of another game than {name}"
        seen = str(kind["features"])
        if seen != self._choice and _without_goals(seen) == _without_goals(self._choice):
            return f"this evaluation foretells other goals than those for which {name} is played"
        if seen != self._choice:
            return f"this evaluation sees the features {seen}, and not {self._choice}"
        return "this evaluation is damaged or cut short: its checksum is another one"

    def found_fault(self, name: str) -> str:
        """Says what is wrong with the file if it is there and does not load, else nothing; `name` as for `fault`."""
        return self.fault(name) if self.load() is None and self.path.exists() else ""

    def store(self, arrays: StoredArrays) -> None:
        """Replaces the file by `arrays`, as a whole or not at all. Raises `OSError`."""
        write_arrays(self.path, self._kind, arrays)
        self._trim()

    def put(self, content: bytes) -> None:
        """Replaces the file by the content of another one, as a whole or not at all. Raises `OSError`."""
        replace_file(self.path, content)
        self._trim()

    def _trim(self) -> None:
        """Removes other evaluations if all in the cache take too much."""
        if self._is_in_cache:
            remove_least_used(self.path.parent, f"{_PREFIX}*{_SUFFIX}", MOST_BYTES)

    @property
    def _is_in_cache(self) -> bool:
        """Whether the file has the name that it has in the cache, and not one that a user gave it."""
        return self.path.name == self._file_name

    @property
    def _file_name(self) -> str:
        version = f"-{_VERSION}" if _VERSION > _UNNUMBERED else ""
        return f"{_PREFIX}{self.digest}-{self._choice}{version}{_SUFFIX}"

    @property
    def _kind(self) -> dict[str, object]:
        return {"version": _VERSION, "features": self._choice, "game": self.digest}


class CacheEntry:
    """Reads and writes evaluations whose rows have these canonical `names`, those of the state's bits first."""

    def __init__(
        self,
        cache: EvaluationCache,
        names: npt.NDArray[np.str_],
        roles: int,
        state_bits: int,
        timed_out: frozenset[str],
    ) -> None:
        self._cache, self.names, self._timed_out = cache, names, timed_out
        self._roles, self._state_bits = roles, state_bits
        self._order = np.argsort(names)  # of rows as they are stored
        self._ranks = np.argsort(self._order)  # of each row among those

    def seconds(self) -> float:
        """Returns how long the evaluation in its place was learned, whatever its features; 0 if there is none.

        One of another network is none: this Ludens will never read it.
        """
        return self._cache.seconds_of(self.names[: self._state_bits])

    def fault(self, name: str) -> str:
        """Says what is wrong with a file in its place that does not load, of which the game is called `name`."""
        return self._cache.found_fault(name)

    def read(self) -> TrainedWeights | None:
        """Returns the saved evaluation of the game; None if there is none that fits."""
        stored = self._cache.load()
        try:
            return None if stored is None else self._restored(stored)
        except (ValueError, TypeError, LookupError, NativeError):
            return None

    def write(self, learned: TrainedWeights) -> None:
        """Saves an evaluation in the place of the older one. Raises `OSError`."""
        weights, rows = learned.weights, np.append(self._order, len(self._order))
        self._cache.store(
            {
                "names": self.names[self._order],
                "timed_out": np.array(sorted(self._timed_out), np.str_),
                "rounds": np.array(learned.rounds),
                "seconds": np.array(learned.seconds),
                "gated": np.array(learned.gated),
                "control": self._ranks[list(weights.control)],
                "linear": weights.linear[:, rows],
                "inner": weights.inner[:, rows],
                "output": weights.output,
            }
        )

    def _restored(self, stored: StoredArrays) -> TrainedWeights | None:
        rows = np.append(self._ranks, len(self._ranks))
        if not np.array_equal(stored["names"], self.names[self._order]) or stored["linear"].shape[1] != len(rows):
            return None
        control = tuple(int(self._order[int(i)]) for i in stored["control"].astype(np.int64))
        weights = EvaluationWeights(
            control,
            stored["linear"][:, rows].astype(np.float32),
            stored["inner"][:, rows].astype(np.float32),
            stored["output"].astype(np.float32),
        )
        Evaluation(weights)  # raises where they are not finite or do not fit together
        rounds, seconds = int(stored["rounds"].astype(np.int64)), float(stored["seconds"].astype(np.float64))
        fits = weights.roles == self._roles and max(control, default=0) < self._state_bits
        gated = bool(stored.get("gated", False))
        return TrainedWeights(weights, rounds, seconds, gated) if fits and rounds >= 0 and seconds >= 0 else None


def _named(known: Fingerprint, feature: FeatureName) -> str:
    return f"{feature.what} {known.canonical(feature.about)}"


def _without_goals(choice: str) -> str:
    """Returns a choice of features, whatever goals are foretold."""
    return choice.removesuffix(f"-{_RELATIVE}")
