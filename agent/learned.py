"""Evaluations of games seen before, in the user's cache: known again whatever the names, never trusted blindly.

A file is named by the digest of the rules (propnet/fingerprint.py) and holds one line of JSON, with the version of
the format and a checksum, and the weights as numpy writes them. Their rows are in the order of the propositions'
canonical texts, so that a scrambled game finds its own; those of
other features come after them as they are. A file of another version, damaged or for other
propositions is as good as none, and the next evaluation replaces it.
"""

from __future__ import annotations

import hashlib
import io
import json
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from games.checkers.endgame import cache_directory
from native.core import Evaluation, EvaluationWeights
from propnet.errors import NativeError
from propnet.fingerprint import Fingerprint, fingerprint
from propnet.network import Propnet
from propnet.syntax import RuleSheet

_VERSION = 1


class Shelf:
    """The place of one game's evaluation."""

    def __init__(self, sheet: RuleSheet, net: Propnet, directory: Path | None = None) -> None:
        """`net` is the network of `sheet`; `directory` the user's cache if None."""
        known = fingerprint(sheet)
        self._roles, self._features = len(net.roles), net.state_bits + len(net.features)
        self._names = _canonical(known, net)
        self._order = np.argsort(self._names)
        self.path = (directory or cache_directory()) / f"evaluation-{known.digest}.npz"

    def read(self) -> EvaluationWeights | None:
        """What was learned of the game before, if there is anything that fits."""
        try:
            header, _, body = self.path.read_bytes().partition(b"\n")
            if json.loads(header) != _header(body):
                return None
            with np.load(io.BytesIO(body), allow_pickle=False) as stored:
                return self._restored({name: stored[name] for name in stored.files})
        except (OSError, EOFError, ValueError, TypeError, LookupError, zipfile.BadZipFile, NativeError):
            return None

    def write(self, weights: EvaluationWeights) -> None:
        """Puts `weights` in the place of what is there, at once or not at all. Raises `OSError`."""
        rows = np.append(self._order, np.arange(len(self._order), weights.features + 1))
        place = np.empty_like(self._order)
        place[self._order] = np.arange(len(place))
        body = io.BytesIO()
        np.savez(
            body,
            names=self._names[self._order],
            control=place[list(weights.control)],
            linear=weights.linear[:, rows],
            inner=weights.inner[:, rows],
            output=weights.output,
        )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self.path.parent, delete=False) as file:
            try:
                file.write(json.dumps(_header(body.getvalue())).encode() + b"\n" + body.getvalue())
            except OSError:
                Path(file.name).unlink()
                raise
        Path(file.name).replace(self.path)

    def _restored(self, stored: dict[str, npt.NDArray[np.generic]]) -> EvaluationWeights | None:
        if not np.array_equal(stored["names"], self._names[self._order]):
            return None
        rows = np.append(np.argsort(self._order), np.arange(len(self._order), self._features + 1))
        if stored["linear"].shape[1] != len(rows):
            return None
        control = tuple(int(self._order[int(i)]) for i in stored["control"].astype(np.int64))
        weights = EvaluationWeights(
            control,
            stored["linear"][:, rows].astype(np.float32),
            stored["inner"][:, rows].astype(np.float32),
            stored["output"].astype(np.float32),
        )
        Evaluation(weights)  # raises where they are not finite or do not fit together
        return weights if weights.roles == self._roles else None


def _canonical(known: Fingerprint, net: Propnet) -> npt.NDArray[np.str_]:
    return np.array([known.canonical(text) for text in net.propositions], np.str_)


def _header(body: bytes) -> dict[str, object]:
    return {"version": _VERSION, "sha256": hashlib.sha256(body).hexdigest()}
