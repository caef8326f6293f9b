"""The file of a trained network, and the networks that come with Ludens.

All numbers are little-endian:

    8 bytes    89 54 41 4B 54 44 0D 0A, that is "TAKTD" between bytes which a transfer as text would change
    uint16     version of the format: 1
    uint16     squares on a side of the board: 3 to 8
    int32      komi of the games that were trained, in halves of a flat
    uint64     games that were trained
    uint64     seed of the training
    uint32     number of weights
    float32 …  weights: [inputs + 1][40] of the hidden layer, the last row biases, then [2][40 + 1] of the outputs, the
               last column biases
    32 bytes   SHA-256 of all before
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ludens.games.tak.rules.parameters import TakError, TakRules
from ludens.games.tak.temporal_differences.inputs import input_count
from ludens.games.tak.temporal_differences.network import HIDDEN, Floats, Network

SUFFIX = ".td"
SHIPPED = "shipped"
"""What users write in place of a file to play by the network that comes with Ludens."""

_MAGIC = b"\x89TAKTD\r\n"
_VERSION = 1
_HEAD = struct.Struct("<8sHHiQQI")
_DIGEST = hashlib.sha256().digest_size
_MOST_BYTES = 1 << 20  # more than any such file has
_SHIPPED = Path(__file__).parent / "trained"


class WeightsError(TakError):
    """A file of weights that cannot be used; the text names the file and says why."""


@dataclass(frozen=True, slots=True)
class TrainedWeights:
    """Weights of a network, float32[weights] in the order of the file, and the training that they come from."""

    rules: TakRules
    games: int
    seed: int
    weights: Floats

    @classmethod
    def of_network(cls, network: Network, rules: TakRules, games: int, seed: int) -> TrainedWeights:
        """Returns those of a network."""
        return cls(rules, games, seed, np.concatenate([network.hidden.ravel(), network.output.T.ravel()]))

    @property
    def network(self) -> Network:
        """The network that has them."""
        hidden, output = np.split(self.weights, [(input_count(self.rules) + 1) * HIDDEN])
        return Network(hidden.reshape(-1, HIDDEN), output.reshape(2, HIDDEN + 1).T)

    def to_bytes(self) -> bytes:
        """Returns the content of a file."""
        rules = self.rules
        head = _HEAD.pack(_MAGIC, _VERSION, rules.size, rules.half_komi, self.games, self.seed, len(self.weights))
        content = head + self.weights.astype("<f4").tobytes()
        return content + hashlib.sha256(content).digest()


def read_weights(path: Path, size: int | None = None) -> TrainedWeights:
    """Reads a file; `size` is that of the board it is wanted for. Raises `WeightsError`."""
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES)
    except OSError as error:
        raise WeightsError(f"cannot read {path}: {error.strerror}") from error
    try:
        found = _from_bytes(content)
    except TakError as error:
        raise WeightsError(f"{path}: {error}") from error
    if size not in (None, found.rules.size):
        raise WeightsError(f"{path}: its weights are for boards of size {found.rules.size}, and not of size {size}")
    return found


def shipped_weights(size: int) -> TrainedWeights:
    """Returns the weights that come with Ludens for boards of a size; raises `WeightsError` where there are none."""
    path = _SHIPPED / f"tak_{size}{SUFFIX}"
    if not path.exists():
        known = ", ".join(sorted(each.stem.removeprefix("tak_") for each in _SHIPPED.glob(f"*{SUFFIX}")))
        raise WeightsError(
            f"no weights for Tak of size {size} come with Ludens, only for size {known}: "
            f"`ludens train tak --size {size}` makes some"
        )
    return read_weights(path, size)


def chosen_weights(choice: str, size: int) -> Floats | None:
    """Returns the weights of a file, or those that come with Ludens if `choice` is `shipped`; None if it is empty.

    Raises `WeightsError`.
    """
    if not choice:
        return None
    return (shipped_weights(size) if choice == SHIPPED else read_weights(Path(choice), size)).weights


def _from_bytes(content: bytes) -> TrainedWeights:
    """Returns what a file contains; raises `TakError`."""
    if content[: len(_MAGIC)] != _MAGIC[: len(content)] or not content:
        raise TakError("this is not a file of weights for Tak")
    if len(content) < _HEAD.size:
        raise TakError(f"the file is cut short: {len(content)} bytes do not hold the head of {_HEAD.size}")
    _, version, size, half_komi, games, seed, count = _HEAD.unpack_from(content)
    if version != _VERSION:
        raise TakError(f"the format is version {version}, and this Ludens reads version {_VERSION}")
    whole = _HEAD.size + 4 * count + _DIGEST
    if len(content) < whole:
        raise TakError(f"the file is cut short: it has {len(content):,} of {whole:,} bytes")
    if len(content) > whole:
        raise TakError(f"the file has {len(content):,} bytes, and should have {whole:,}")
    if hashlib.sha256(content[:-_DIGEST]).digest() != content[-_DIGEST:]:
        raise TakError("the file is damaged: its checksum is another one")
    rules = TakRules(size, half_komi)
    expected = (input_count(rules) + 1) * HIDDEN + 2 * (HIDDEN + 1)
    weights = np.frombuffer(content, "<f4", count, _HEAD.size).astype(np.float32)
    if count != expected or not np.isfinite(weights).all():
        raise TakError(f"a network for boards of size {size} has {expected:,} finite weights, and not these {count:,}")
    return TrainedWeights(rules, games, seed, weights)
