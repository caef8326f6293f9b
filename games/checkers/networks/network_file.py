"""The file of a trained network.

All numbers are little-endian:

    8 bytes    89 43 48 4B 4E 45 54 0A, that is "CHKNET" between bytes which a transfer as text would change
    uint16     version of the format: 1
    uint16     width: activations of a square, 32, 64, 96 or 128
    uint16     residual blocks, 0 to 16
    16 bytes   the game that it was trained for: english_draughts
    int8 …     and int32 …: the weights of `NetworkWeights` (native/core/checkers_network.py), one after the other;
               what they mean is said in native/src/board_network/weights.hpp
    32 bytes   SHA-256 of all before
"""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import numpy as np

from ludens.native.core import CheckersNetwork, NetworkWeights
from ludens.native.core.checkers_network import weight_shapes
from ludens.propnet.base.errors import LudensError, NativeError
from ludens.propnet.base.whole_file import replace_file

SUFFIX = ".network"
GAME = "english_draughts"
_MAGIC, _VERSION = b"\x89CHKNET\n", 1
_HEAD = struct.Struct("<8sHHH16s")
_DIGEST = hashlib.sha256().digest_size
_MOST_WIDTH, _MOST_BLOCKS = 128, 16
_MOST_BYTES = 1 << 22  # more than any such file has


class NetworkFileError(LudensError):
    """A file of a network that cannot be used; the text names the file and says why."""


def write_network(path: Path, weights: NetworkWeights) -> None:
    """Writes a file as a whole or not at all; raises NetworkFileError, for weights of no network too."""
    try:
        content = network_bytes(weights)
    except NativeError as error:
        raise NetworkFileError(f"cannot write {path}: {error}") from error
    try:
        replace_file(path, content)
    except OSError as error:
        raise NetworkFileError(f"cannot write {path}: {error.strerror}") from error


def network_bytes(weights: NetworkWeights) -> bytes:
    """Returns the content of a file; raises NativeError for weights of no network."""
    CheckersNetwork(weights)
    content = _HEAD.pack(_MAGIC, _VERSION, weights.width, weights.blocks, GAME.encode())
    content += b"".join(array.astype(array.dtype.newbyteorder("<")).tobytes() for array in weights)
    return content + hashlib.sha256(content).digest()


def read_network(path: Path) -> CheckersNetwork:
    """Returns the network of a file; raises NetworkFileError."""
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES)
    except OSError as error:
        raise NetworkFileError(f"cannot read {path}: {error.strerror}") from error
    try:
        return CheckersNetwork(_weights(content))
    except (NetworkFileError, NativeError) as error:
        raise NetworkFileError(f"{path}: {error}") from error


def _weights(content: bytes) -> NetworkWeights:
    """Returns what a file contains; raises NetworkFileError."""
    if content[: len(_MAGIC)] != _MAGIC[: len(content)] or not content:
        raise NetworkFileError("this is not a file of a network of checkers")
    if len(content) < _HEAD.size:
        raise NetworkFileError(f"the file is cut short: {len(content)} bytes do not hold the head of {_HEAD.size}")
    _, version, width, blocks, game = _HEAD.unpack_from(content)
    if version != _VERSION:
        raise NetworkFileError(f"the format is version {version}, and this Ludens reads version {_VERSION}")
    if game != GAME.encode():
        raise NetworkFileError(f"the network is for {game.rstrip(bytes(1)).decode('ascii', 'replace')}, not for {GAME}")
    if width > _MOST_WIDTH or blocks > _MOST_BLOCKS:
        raise NetworkFileError(f"a network of width {width} with {blocks} blocks is larger than any")
    models = weight_shapes(width, blocks)
    whole = _HEAD.size + sum(model.nbytes for model in models) + _DIGEST
    if len(content) < whole:
        raise NetworkFileError(f"the file is cut short: it has {len(content):,} of {whole:,} bytes")
    if len(content) > whole:
        raise NetworkFileError(f"the file has {len(content):,} bytes, and should have {whole:,}")
    if hashlib.sha256(content[:-_DIGEST]).digest() != content[-_DIGEST:]:
        raise NetworkFileError("the file is damaged: its checksum is another one")
    arrays, at = [], _HEAD.size
    for model in models:
        numbers = np.frombuffer(content, model.dtype.newbyteorder("<"), model.size, at)
        arrays.append(numbers.astype(model.dtype).reshape(model.shape))
        at += model.nbytes
    return NetworkWeights._make(arrays)
