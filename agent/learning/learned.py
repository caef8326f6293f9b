"""Evaluations of games seen before, in the user's cache: known again whatever the names, never trusted blindly.

A file is named by the digest of the rules (propnet/fingerprint.py) and the kinds of features, and holds one line
of JSON, with the version of the format, the kinds of features and a checksum, and the weights as numpy writes
them. Their rows are in the order of the canonical names of the propositions and of the features besides, so that
a scrambled game finds its own. Which features those are depends on random games, so a game that is known sees
again what it saw then. Kinds of features that there was no time for are noted, and looked for again: who was in
a hurry must not make others see as little. A file of another version, damaged or for other propositions is as
good as none, and the next evaluation replaces it.
"""

from __future__ import annotations

import copy
import hashlib
import io
import json
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ludens.agent.learning.features import Known
from ludens.agent.learning.learning import Learned
from ludens.games.checkers.bitboards.endgame_tables import cache_directory
from ludens.native.core import Evaluation, EvaluationWeights
from ludens.propnet.base.errors import NativeError
from ludens.propnet.gdl.fingerprint import Fingerprint, fingerprint
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import FeatureName, Propnet

_VERSION = 4

Stored: TypeAlias = Mapping[str, npt.NDArray[np.generic]]


class Shelf:
    """Where the evaluation of one game is kept that has learned from one choice of features."""

    def __init__(self, sheet: RuleSheet, choice: str, directory: Path | None = None) -> None:
        """`choice` is one of `features.CHOICES`; `directory` the user's cache if None."""
        self._known = fingerprint(sheet)
        self._choice = choice
        self.path = (directory or cache_directory()) / f"evaluation-{self._known.digest}-{choice}.npz"

    def known(self) -> Known | None:
        """Which features of the game were learned from; None if nothing is kept."""
        if (stored := self.load()) is None:
            return None
        names, late = set(stored["names"].tolist()), frozenset(stored["late"].tolist())
        kinds = frozenset(name.split()[0] for name in names)
        return Known(lambda feature: _named(self._known, feature) in names, kinds, late)

    def beside(self, remark: str) -> Shelf:
        """Another of the same game and choice."""
        other = copy.copy(self)
        other._choice = f"{self._choice}-{remark}"
        other.path = self.path.with_name(f"evaluation-{self._known.digest}-{other._choice}.npz")
        return other

    def place(self, net: Propnet, late: frozenset[str] = frozenset()) -> Place:
        """That of evaluations which see the features of `net`, the network of this game; `late`: see `Known`."""
        return Place(self, net.state_bits, len(net.roles), _canonical(self._known, net), late)

    def load(self) -> Stored | None:
        """What is kept, as it is stored, if it is whole."""
        try:
            header, _, body = self.path.read_bytes().partition(b"\n")
            if json.loads(header) != self._header(body):
                return None
            with np.load(io.BytesIO(body), allow_pickle=False) as stored:
                return {name: stored[name] for name in stored.files}
        except (OSError, EOFError, ValueError, TypeError, LookupError, zipfile.BadZipFile):
            return None

    def store(self, arrays: Stored) -> None:
        """Puts `arrays` in the place of what is there, at once or not at all. Raises `OSError`."""
        body = io.BytesIO()
        np.savez(body, **arrays)  # type: ignore[arg-type]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self.path.parent, delete=False) as file:
            try:
                file.write(json.dumps(self._header(body.getvalue())).encode() + b"\n" + body.getvalue())
            except OSError:
                Path(file.name).unlink()
                raise
        Path(file.name).replace(self.path)

    def _header(self, body: bytes) -> dict[str, object]:
        return {"version": _VERSION, "features": self._choice, "sha256": hashlib.sha256(body).hexdigest()}


class Place:
    """The place on a shelf of evaluations whose rows have these `names`, propositions first."""

    def __init__(
        self, shelf: Shelf, state_bits: int, roles: int, names: npt.NDArray[np.str_], late: frozenset[str]
    ) -> None:
        self._shelf, self._state_bits, self._roles = shelf, state_bits, roles
        self._names, self._late = names, late
        self._order = np.argsort(names)  # of rows as they are stored
        self._places = np.argsort(self._order)  # of each row among those

    def read(self) -> Learned | None:
        """What was learned of the game before, if there is anything that fits."""
        stored = self._shelf.load()
        try:
            return None if stored is None else self._restored(stored)
        except (ValueError, TypeError, LookupError, NativeError):
            return None

    def write(self, learned: Learned) -> None:
        """Replaces what is there. Raises `OSError`."""
        weights, rows = learned.weights, np.append(self._order, len(self._order))
        self._shelf.store(
            {
                "names": self._names[self._order],
                "late": np.array(sorted(self._late), np.str_),
                "rounds": np.array(learned.rounds),
                "control": self._places[list(weights.control)],
                "linear": weights.linear[:, rows],
                "inner": weights.inner[:, rows],
                "output": weights.output,
            }
        )

    def _restored(self, stored: Stored) -> Learned | None:
        rows = np.append(self._places, len(self._places))
        if not np.array_equal(stored["names"], self._names[self._order]) or stored["linear"].shape[1] != len(rows):
            return None
        control = tuple(int(self._order[int(i)]) for i in stored["control"].astype(np.int64))
        weights = EvaluationWeights(
            control,
            stored["linear"][:, rows].astype(np.float32),
            stored["inner"][:, rows].astype(np.float32),
            stored["output"].astype(np.float32),
        )
        Evaluation(weights)  # raises where they are not finite or do not fit together
        rounds = int(stored["rounds"].astype(np.int64))
        fits = weights.roles == self._roles and max(control, default=0) < self._state_bits and rounds >= 0
        return Learned(weights, rounds) if fits else None


def _canonical(known: Fingerprint, net: Propnet) -> npt.NDArray[np.str_]:
    """The names of all that an evaluation sees, propositions first."""
    propositions = [known.canonical(text) for text in net.propositions]
    return np.array([*propositions, *(_named(known, feature) for feature in net.feature_names)], np.str_)


def _named(known: Fingerprint, feature: FeatureName) -> str:
    return f"{feature.what} {known.canonical(feature.about)}"
